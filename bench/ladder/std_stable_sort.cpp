// The stable yardstick: short runs by insertion, then merges that go to and fro between the keys and a buffer.
#include <algorithm>
#include <cmath>

#include "bench/ladder/cpu_rung.hpp"
#include "bench/rivals/catalogue.hpp"

namespace lanesort::bench {
namespace {

constexpr Rung kRung{
    .name = "std::stable_sort",
    .backend = "cpu",
    .idea = "Runs of 7 by insertion, then merges of two runs into one, to a buffer and back.",
    .time = "n log n",
    .space = "n / 2 keys",
    .traffic = "a read and a write a merge, log2(n / 7) merges",
    .launches = "none",
    .limits = "one thread; slower where the buffer cannot be had",
    .source = "Knuth, The Art of Computer Programming 3, 5.2.4",
};

struct StdStableSort {
  template <class K>
  static void sort(K* keys, std::uint64_t count) {
    std::stable_sort(keys, keys + count);
  }
};

// libstdc++: runs of 7, then an even number of merges, so that the last one ends where the keys were.
double bytes_per_key(double key_bytes, double count) {
  const double merges = std::max(0.0, std::ceil(std::log2(std::max(count, 1.0) / 7)));
  return 2 * key_bytes * (1 + 2 * std::ceil(merges / 2));
}

}  // namespace

Rung std_stable_sort_rung() {
  return complete(kRung, bytes_per_key, rung_entry<StdStableSort>(kRung.name, kStandardLibrary, true));
}

}  // namespace lanesort::bench
