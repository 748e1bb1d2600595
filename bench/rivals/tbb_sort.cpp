// What runs on oneTBB: tbb::parallel_sort, and the standard's parallel policy, which libstdc++ builds on it.
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <tbb/version.h>

#include <execution>
#include <memory>

#include "bench/rivals/catalogue.hpp"
#include "bench/rivals/shapes.hpp"

namespace lanesort::bench {
namespace {

// Kept from call to call, so that its cost is not in the times.
void limit_threads(unsigned threads) {
  static unsigned limit = 0;
  static std::unique_ptr<tbb::global_control> control;
  if (threads == limit) return;
  control.reset();
  control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
  limit = threads;
}

struct TbbSort {
  static constexpr Scope kScope = Scope::core_dtypes;
  static constexpr bool kStable = false;
  static void sort(auto first, auto last, auto before, unsigned threads) {
    limit_threads(threads);
    tbb::parallel_sort(first, last, before);
  }
};

struct ParallelSort {
  static constexpr Scope kScope = Scope::core_dtypes;
  static constexpr bool kStable = false;
  static void sort(auto first, auto last, auto before, unsigned threads) {
    limit_threads(threads);
    std::sort(std::execution::par, first, last, before);
  }
};

struct ParallelStableSort {
  static constexpr Scope kScope = Scope::core_dtypes;
  static constexpr bool kStable = true;
  static void sort(auto first, auto last, auto before, unsigned threads) {
    limit_threads(threads);
    std::stable_sort(std::execution::par, first, last, before);
  }
};

}  // namespace

void add_tbb(std::vector<RivalEntry>& entries) {
  const char* const tbb_version = TBB_VERSION_STRING;
  entries.push_back(rival<OnKeys<ParallelSort>, ParallelSort>("std::sort(par)", kStandardLibrary, true));
  entries.push_back(rival<OnStructs<ParallelStableSort>, ParallelStableSort>("std::stable_sort(par, structs)",
                                                                             kStandardLibrary, true));
  entries.push_back(rival<OnKeys<TbbSort>, TbbSort>("tbb::parallel_sort", tbb_version, true));
  entries.push_back(rival<OnIndices<TbbSort>, TbbSort>("tbb::parallel_sort(indices)", tbb_version, true));
}

}  // namespace lanesort::bench
