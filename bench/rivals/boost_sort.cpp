// Boost.Sort: spreadsort (hybrid radix), spinsort (stable), and the two parallel ones.
#include <boost/sort/sort.hpp>
#include <boost/version.hpp>

#include "bench/rivals/catalogue.hpp"
#include "bench/rivals/shapes.hpp"

namespace lanesort::bench {
namespace {

struct Spinsort {
  static constexpr Scope kScope = Scope::core_dtypes;
  static constexpr bool kStable = true;
  static void sort(auto first, auto last, auto before, unsigned) { boost::sort::spinsort(first, last, before); }
};

struct BlockIndirectSort {
  static constexpr Scope kScope = Scope::core_dtypes;
  static constexpr bool kStable = false;
  static void sort(auto first, auto last, auto before, unsigned threads) {
    boost::sort::block_indirect_sort(first, last, before, threads);
  }
};

struct SampleSort {
  static constexpr Scope kScope = Scope::core_dtypes;
  static constexpr bool kStable = true;
  static void sort(auto first, auto last, auto before, unsigned threads) {
    boost::sort::sample_sort(first, last, before, threads);
  }
};

// Takes no comparator for numbers: its order is that of operator<.
struct Spreadsort {
  static constexpr Scope kScope = Scope::core_dtypes;
  static constexpr bool kStable = false;
  template <class K>
  static void sort(K* first, K* last, auto, unsigned) {
    boost::sort::spreadsort::spreadsort(first, last);
  }
};

}  // namespace

void add_boost(std::vector<RivalEntry>& entries) {
  const char* const version = BOOST_LIB_VERSION;
  entries.push_back(rival<OnKeys<Spreadsort>, Spreadsort>("boost::spreadsort", version, false));
  entries.push_back(rival<OnKeys<Spinsort>, Spinsort>("boost::spinsort", version, false));
  entries.push_back(rival<OnKeys<BlockIndirectSort>, BlockIndirectSort>("boost::block_indirect_sort", version, true));
  entries.push_back(rival<OnKeys<SampleSort>, SampleSort>("boost::sample_sort", version, true));
  entries.push_back(rival<OnStructs<SampleSort>, SampleSort>("boost::sample_sort(structs)", version, true));
}

}  // namespace lanesort::bench
