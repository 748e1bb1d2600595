// Merge sort as it is told: sort both halves, merge them, copy the result back.
#include <algorithm>
#include <cmath>

#include "bench/ladder/merge.hpp"
#include "bench/ladder/cpu_rung.hpp"

namespace lanesort::bench {
namespace {

constexpr Rung kRung{
    .name = "merge, top down",
    .backend = "cpu",
    .idea = "Sort both halves by the same means, merge them into a buffer, copy back.",
    .time = "n log n",
    .space = "n keys, and log n calls deep",
    .traffic = "two reads and two writes a level, log2 n levels; parts that fit a cache stay there",
    .launches = "none",
    .limits = "one thread; half of what moves is copied back; a branch a key that nobody can guess",
    .source = "von Neumann, 1945, as Goldstine and von Neumann tell it in Planning and Coding of Problems, 1948",
};

struct TopDown {
  template <class K>
  static void sort_part(K* keys, K* buffer, std::uint64_t begin, std::uint64_t end) {
    if (end - begin < 2) return;
    const std::uint64_t middle = begin + (end - begin) / 2;
    sort_part(keys, buffer, begin, middle);
    sort_part(keys, buffer, middle, end);
    merge_two(keys, buffer, begin, middle, end);
    std::copy(buffer + begin, buffer + end, keys + begin);
  }

  template <class K>
  static void sort(K* keys, std::uint64_t count) {
    sort_part(keys, static_cast<K*>(second_buffer(count * sizeof(K))), 0, count);
  }
};

double bytes_per_key(double key_bytes, double count) {
  return 4 * key_bytes * std::ceil(std::log2(std::max(count, 2.0)));
}

}  // namespace

Rung merge_top_down_rung() {
  return complete(kRung, bytes_per_key, rung_entry<TopDown>(kRung.name, lanesort_version_string(), true));
}

}  // namespace lanesort::bench
