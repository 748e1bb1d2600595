// std::sort and std::stable_sort: the yardsticks.
#include "bench/rivals/catalogue.hpp"
#include "bench/rivals/shapes.hpp"

namespace lanesort::bench {
namespace {

struct StdSort {
  static constexpr Scope kScope = Scope::all_dtypes;
  static constexpr bool kStable = false;
  static void sort(auto first, auto last, auto before, unsigned) { std::sort(first, last, before); }
};

struct StdStableSort {
  static constexpr Scope kScope = Scope::all_dtypes;
  static constexpr bool kStable = true;
  static void sort(auto first, auto last, auto before, unsigned) { std::stable_sort(first, last, before); }
};

}  // namespace

void add_std(std::vector<RivalEntry>& entries) {
  const char* const version = kStandardLibrary;
  entries.push_back(rival<OnKeys<StdSort>, StdSort>("std::sort", version, false));
  entries.push_back(rival<OnKeys<StdStableSort>, StdStableSort>("std::stable_sort", version, false));
  entries.push_back(rival<OnStructs<StdStableSort>, StdStableSort>("std::stable_sort(structs)", version, false));
  entries.push_back(rival<OnStructs<StdSort>, StdSort>("std::sort(structs)", version, false));
  entries.push_back(rival<OnIndices<StdStableSort>, StdStableSort>("std::stable_sort(indices)", version, false));
  entries.push_back(rival<OnIndices<StdSort>, StdSort>("std::sort(indices)", version, false));
}

}  // namespace lanesort::bench
