// Counting sorts: keys that differ in few bits and may stand for one another need not be moved. One read counts them,
// one write puts down each as often as it was counted.
#pragma once
#include "cpu/partition-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

// Writes places [begin, end) of a whole that is count_of(r) keys of key_of(r) for r = 0, 1, ...; there are `end` at least.
template <class K, class KeyOf, class CountOf>
void fill_runs(KeyOf key_of, CountOf count_of, std::uint64_t begin, std::uint64_t end, Raw<K>* dst) {
  std::uint64_t place = 0;
  for (std::uint32_t r = 0; place < end; ++r) {
    const K key = key_of(r);
    const std::uint64_t next = place + count_of(r);
    const std::uint64_t from = place < begin ? begin : place, to = next < end ? next : end;
    if constexpr (sizeof(K) == 1) {
      if (from < to) __builtin_memset(static_cast<void*>(dst + from), key, to - from);
    } else {
      for (std::uint64_t i = from; i < to; ++i) dst[i].bits = key;
    }
    place = next;
  }
}

// The same of keys like the (carried) sample but for the digit.
template <class K, class Codec>
void fill_by_count(const Codec codec, Digit<K> digit, K sample, const std::uint64_t* counts, std::uint64_t begin,
                   std::uint64_t end, Raw<K>* dst) {
  const K digit_mask = static_cast<K>(static_cast<K>((std::uint64_t{1} << digit.bits) - 1) << digit.shift);
  const K rest = static_cast<K>(sample & static_cast<K>(~digit_mask));
  const auto key_of = [&](std::uint32_t b) {
    return codec.template store<true>(static_cast<K>(rest | static_cast<K>(static_cast<K>(b) << digit.shift)));
  };
  fill_runs(
      key_of, [&](std::uint32_t b) { return counts[b]; }, begin, end, dst);
}

template <class K, class V, class Codec>
K carried_head(const Codec codec, const Range<K, V>& range) {
  const K head = range.lanes.keys[0].bits;
  return range.raw ? codec.template load<true>(head) : head;
}

// The calling thread on one range.
template <class K, class V, class Codec>
[[gnu::noinline]] void count_and_fill(const Codec codec, const Range<K, V>& range, Digit<K> digit,
                                      const Destination<K, V>& to) {
  std::uint64_t counts[kCells];
  count_cells(codec, range, digit, counts);
  fill_by_count(codec, digit, carried_head(codec, range), counts, 0, range.count, to.dst.keys);
}

// All threads on one range. counters: room for parts * kCells.
template <class K, class V, class Codec>
void count_and_fill_together(const Codec codec, const Range<K, V>& range, Digit<K> digit, const Destination<K, V>& to,
                             Team& team, std::uint32_t parts, std::uint64_t* counters) {
  const auto begin_of = [&](std::uint32_t p) { return range.count * p / parts; };
  team.run(parts, [&](std::uint32_t p) {
    count_cells(codec, range.part(begin_of(p), begin_of(p + 1)), digit, counters + std::uint64_t{p} * kCells);
  });
  for (std::uint32_t p = 1; p < parts; ++p) {
    for (std::uint32_t b = 0; b < 1u << digit.bits; ++b) counters[b] += counters[std::uint64_t{p} * kCells + b];
  }
  const K sample = carried_head(codec, range);
  team.run(parts, [&](std::uint32_t p) {
    fill_by_count(codec, digit, sample, counters, begin_of(p), begin_of(p + 1), to.dst.keys);
  });
}

// How often each byte stands there. A counter that has just been raised must come back from its store before it is raised
// again, so neighbours are counted in tables of their own: equal bytes in a row then cost little more than mixed ones.
[[gnu::noinline]] inline void count_bytes(const Raw<std::uint8_t>* keys, std::uint64_t count, std::uint64_t* counts) {
  constexpr std::uint64_t kTables = 8, kStep = 16, kMost = std::uint64_t{1} << 31;  // a table's counters have 32 bits
  __builtin_memset(counts, 0, 256 * sizeof *counts);
  while (count != 0) {
    std::uint32_t tables[kTables][256] = {};
    const std::uint64_t now = count < kMost ? count : kMost;
    std::uint64_t i = 0;
    for (; i + kStep <= now; i += kStep) {
      std::uint64_t low, high;
      __builtin_memcpy(&low, keys + i, sizeof low);
      __builtin_memcpy(&high, keys + i + sizeof low, sizeof high);
#pragma GCC unroll 8
      for (unsigned b = 0; b < 8; ++b) {
        ++tables[b][low >> 8 * b & 255];
        ++tables[(b + 1) % kTables][high >> 8 * b & 255];
      }
    }
    for (; i < now; ++i) ++tables[0][keys[i].bits];
    for (const auto& table : tables) {
      for (unsigned b = 0; b < 256; ++b) counts[b] += table[b];
    }
    keys += now;
    count -= now;
  }
}

// Places [begin, end) of the sorted whole.
inline void fill_bytes(const KeyOrder<std::uint8_t>& order, const std::uint64_t* counts, std::uint64_t begin,
                       std::uint64_t end, Raw<std::uint8_t>* dst) {
  const auto key_of = [&](std::uint32_t mapped) { return order.restore(static_cast<std::uint8_t>(mapped)); };
  fill_runs(
      key_of, [&](std::uint32_t mapped) { return counts[key_of(mapped)]; }, begin, end, dst);
}

// Bytes alone that may stand for one another: no survey finds a faster way for them. counters: room for parts * kCells.
inline void sort_bytes(const KeyOrder<std::uint8_t>& order, const Raw<std::uint8_t>* src, std::uint64_t count,
                       Raw<std::uint8_t>* dst, Team& team, std::uint32_t parts, std::uint64_t* counters) {
  std::uint64_t alone[256];
  std::uint64_t* const sums = parts == 1 ? alone : counters;
  const auto begin_of = [&](std::uint32_t p) { return count * p / parts; };
  team.run(parts, [&](std::uint32_t p) {
    count_bytes(src + begin_of(p), begin_of(p + 1) - begin_of(p), sums + std::uint64_t{p} * kCells);
  });
  for (std::uint32_t p = 1; p < parts; ++p) {
    for (unsigned b = 0; b < 256; ++b) sums[b] += sums[std::uint64_t{p} * kCells + b];
  }
  team.run(parts, [&](std::uint32_t p) { fill_bytes(order, sums, begin_of(p), begin_of(p + 1), dst); });
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
