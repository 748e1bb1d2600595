// The yardstick: introsort, quicksort that turns to heapsort where its pivots are bad.
#include <algorithm>
#include <cmath>

#include "bench/ladder/cpu_rung.hpp"
#include "bench/rivals/catalogue.hpp"

namespace lanesort::bench {
namespace {

constexpr Rung kRung{
    .name = "std::sort",
    .backend = "cpu",
    .idea = "Part the keys at a pivot, then each side likewise; too deep, and the part is sorted by a heap.",
    .time = "n log n",
    .space = "log n",
    .traffic = "a read and a write of every cache line a level, log2(n / 16) levels, and one more at the end",
    .launches = "none",
    .limits = "one thread; not stable; half of the branches of a level are guessed wrong",
    .source = "Hoare, Quicksort, 1962; Musser, Introspective Sorting and Selection Algorithms, 1997",
};

struct StdSort {
  template <class K>
  static void sort(K* keys, std::uint64_t count) {
    std::sort(keys, keys + count);
  }
};

// libstdc++ leaves parts of 16 to one insertion sort at the end.
double bytes_per_key(double key_bytes, double count) {
  const double levels = std::max(1.0, std::ceil(std::log2(std::max(count, 1.0) / 16)));
  return 2 * key_bytes * (levels + 1);
}

}  // namespace

Rung std_sort_rung() {
  return complete(kRung, bytes_per_key, rung_entry<StdSort>(kRung.name, kStandardLibrary, false));
}

}  // namespace lanesort::bench
