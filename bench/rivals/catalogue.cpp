// The one symbol of the shared object.
#include "bench/rivals/catalogue.hpp"

extern "C" __attribute__((visibility("default"))) lanesort::bench::RivalTable lanesort_bench_rivals() {
  using namespace lanesort::bench;
  static const std::vector<RivalEntry> entries = [] {
    std::vector<RivalEntry> all;
    add_std(all);
#if defined(LANESORT_RIVAL_TBB)
    add_tbb(all);
#endif
#if defined(LANESORT_RIVAL_VQSORT)
    add_vqsort(all);
#endif
#if defined(LANESORT_RIVAL_BOOST)
    add_boost(all);
#endif
    return all;
  }();
  return {sizeof(RivalEntry), static_cast<std::uint32_t>(entries.size()), entries.data()};
}
