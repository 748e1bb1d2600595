// Radix sort from the least significant digit: no comparison at all. Each pass turns the counts of a byte of the keys
// into places, and puts each key where its byte says; because a pass is stable, the order by lower bytes outlives it.
#include <algorithm>
#include <array>
#include <utility>

#include "bench/ladder/cpu_rung.hpp"

namespace lanesort::bench {
namespace {

constexpr Rung kRung{
    .name = "radix, least digit first",
    .backend = "cpu",
    .idea = "By each byte from the lowest: count, sum up, put every key in its place.",
    .time = "n times the bytes of a key",
    .space = "n keys",
    .traffic = "a read that counts, and a read and a write a byte of the key",
    .launches = "none; three a pass where steps are launches",
    .limits =
        "one thread; 256 places written to at once, more than the nearest cache and the page table's have room for",
    .source = "Seward, Information Sorting in the Application of Electronic Digital Computers, 1954; Knuth 3, 5.2.5",
};

constexpr unsigned kDigitBits = 8, kBins = 1u << kDigitBits;

struct Lsd {
  using Counts = std::array<std::uint64_t, kBins>;

  template <class K>
  static unsigned digit(K key, unsigned pass) {
    return static_cast<unsigned>(key >> (pass * kDigitBits)) & (kBins - 1);
  }

  // One read counts the digits of all passes, because a pass does not change which keys there are.
  template <class K>
  static std::array<Counts, sizeof(K)> count_digits(const K* keys, std::uint64_t count) {
    std::array<Counts, sizeof(K)> counts{};
    for (std::uint64_t i = 0; i < count; ++i)
      for (unsigned pass = 0; pass < sizeof(K); ++pass) ++counts[pass][digit(keys[i], pass)];
    return counts;
  }

  template <class K>
  static void scatter(const K* src, K* dst, std::uint64_t count, unsigned pass, Counts places) {
    std::uint64_t sum = 0;
    for (std::uint64_t& place : places) sum += std::exchange(place, sum);
    for (std::uint64_t i = 0; i < count; ++i) dst[places[digit(src[i], pass)]++] = src[i];
  }

  template <class K>
  static void sort(K* keys, std::uint64_t count) {
    K* src = keys;
    K* dst = static_cast<K*>(second_buffer(count * sizeof(K)));
    const auto counts = count_digits(keys, count);
    for (unsigned pass = 0; pass < sizeof(K); ++pass) {
      scatter(src, dst, count, pass, counts[pass]);
      std::swap(src, dst);
    }
    if (src != keys) std::copy(src, src + count, keys);
  }
};

double bytes_per_key(double key_bytes, double) {
  const double passes = key_bytes + (key_bytes == 1 ? 1 : 0);  // of an odd number the last is copied
  return key_bytes * (1 + 2 * passes);
}

}  // namespace

Rung radix_lsd_rung() {
  return complete(kRung, bytes_per_key, rung_entry<Lsd>(kRung.name, lanesort_version_string(), true));
}

}  // namespace lanesort::bench
