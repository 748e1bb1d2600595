// Counting sorts: keys that differ in few bits and may stand for one another need not be moved. One read counts them,
// one write puts down each as often as it was counted.
#pragma once
#include "cpu/partition-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

// Writes places [begin, end) of the sorted whole: keys like the (carried) sample but for the digit.
template <class K, class Codec>
void fill_by_count(const Codec codec, Digit<K> digit, K sample, const std::uint64_t* counts, std::uint64_t begin,
                   std::uint64_t end, Raw<K>* dst) {
  const K digit_mask = static_cast<K>(static_cast<K>((std::uint64_t{1} << digit.bits) - 1) << digit.shift);
  std::uint64_t place = 0;
  for (std::uint32_t b = 0; place < end; ++b) {
    const K key = codec.template store<true>(
        static_cast<K>((sample & static_cast<K>(~digit_mask)) | static_cast<K>(static_cast<K>(b) << digit.shift)));
    const std::uint64_t next = place + counts[b];
    const std::uint64_t from = place < begin ? begin : place;
    const std::uint64_t to = next < end ? next : end;
    for (std::uint64_t i = from; i < to; ++i) dst[i].bits = key;
    place = next;
  }
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

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
