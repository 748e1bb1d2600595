// Merge sort without recursion: runs of 1, 2, 4 ... keys, two by two, from one buffer into the other, which then change
// places. The shape that a GPU takes: each width is a launch, and within it every pair of runs is on its own.
#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/ladder/merge.hpp"
#include "bench/ladder/cpu_rung.hpp"

namespace lanesort::bench {
namespace {

constexpr Rung kRung{
    .name = "merge, bottom up",
    .backend = "cpu",
    .idea = "Merge runs of 1, 2, 4 ... keys from one buffer into the other, which then change places.",
    .time = "n log n",
    .space = "n keys",
    .traffic = "a read and a write a width, log2 n widths, and a copy where they are odd",
    .launches = "none; one a width where widths are launches",
    .limits = "one thread; every width passes all keys, in no cache; a branch a key that nobody can guess",
    .source = "Goldstine and von Neumann, Planning and Coding of Problems, 1948; Knuth 3, 5.2.4",
};

struct BottomUp {
  // Begins and ends are clamped to the count, so that the last runs may be short or missing. No sum passes the count,
  // so that none wraps round.
  template <class K>
  static void merge_width(const K* src, K* dst, std::uint64_t width, std::uint64_t count) {
    for (std::uint64_t begin = 0; begin < count;) {
      const std::uint64_t middle = begin + std::min(width, count - begin);
      const std::uint64_t end = middle + std::min(width, count - middle);
      merge_two(src, dst, begin, middle, end);
      begin = end;
    }
  }

  template <class K>
  static void sort(K* keys, std::uint64_t count) {
    K* src = keys;
    K* dst = static_cast<K*>(second_buffer(count * sizeof(K)));
    for (std::uint64_t width = 1; width < count; width += std::min(width, count - width)) {
      merge_width(src, dst, width, count);
      std::swap(src, dst);
    }
    if (src != keys) std::copy(src, src + count, keys);
  }
};

double bytes_per_key(double key_bytes, double count) {
  const double merges = std::ceil(std::log2(std::max(count, 1.0)));
  return 2 * key_bytes * 2 * std::ceil(merges / 2);  // of an odd number the last is copied
}

}  // namespace

Rung merge_bottom_up_rung() {
  return complete(kRung, bytes_per_key, rung_entry<BottomUp>(kRung.name, lanesort_version_string(), true));
}

}  // namespace lanesort::bench
