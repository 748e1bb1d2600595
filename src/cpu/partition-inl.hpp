// The MSD partition of a range too large for the cache. It looks at up to kCellBits leading varying bits: cells. One
// histogram of the cells is read, cells are joined to at most kBucketLimit buckets of about equal size, and one stable
// scatter moves every item to its bucket. A bucket is a whole subtree of the cells' binary tree, so the bits above it
// are constant in it: what its own sort need not look at. Joining by size keeps skewed keys (float exponents) balanced
// where a plain digit would put half of them in one bin.
#pragma once
#include "cpu/combine-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

struct Bucket {
  std::uint16_t first_cell;
  std::uint16_t cell_bits;  // it holds 2^cell_bits cells
};

struct Buckets {
  std::uint32_t size = 0;
  Bucket buckets[kBucketLimit];
  std::uint64_t begins[kBucketLimit + 1];
  std::uint8_t of_cell[kCells];
};

template <class K>
Digit<K> leading_digit(K varying, unsigned most_bits = kCellBits) {
  const auto top = static_cast<unsigned>(63 - __builtin_clzll(varying));
  const auto low = static_cast<unsigned>(__builtin_ctzll(varying));
  const unsigned span = top - low + 1;
  const unsigned bits = span < most_bits ? span : most_bits;
  return {top + 1 - bits, bits};
}

template <bool kFirst, class K, class Codec>
[[gnu::noinline]] void count_cells_as(const Codec codec, const Raw<K>* keys, std::uint64_t count, Digit<K> digit,
                                      std::uint64_t* cells) {
  for (std::uint64_t i = 0; i < count; ++i) ++cells[digit.of(codec.mapped(codec.template load<kFirst>(keys[i].bits)))];
}

template <class K, class V, class Codec>
void count_cells(const Codec codec, const Range<K, V>& range, Digit<K> digit, std::uint64_t* cells) {
  __builtin_memset(cells, 0, (std::size_t{1} << digit.bits) * sizeof *cells);
  if (range.raw)
    count_cells_as<true>(codec, range.lanes.keys, range.count, digit, cells);
  else
    count_cells_as<false>(codec, range.lanes.keys, range.count, digit, cells);
}

// Splits the largest bucket in two until there are kBucketLimit, or none is worth it.
// begins_of_cell: exclusive sums of the cells' counts, 2^digit_bits + 1 of them.
inline void join_cells(const std::uint64_t* begins_of_cell, unsigned digit_bits, std::uint64_t small_enough,
                       Buckets& out) {
  Bucket open[kBucketLimit];
  std::uint32_t size = 1;
  open[0] = {0, static_cast<std::uint16_t>(digit_bits)};
  const auto items = [&](const Bucket& b) {
    return begins_of_cell[b.first_cell + (1u << b.cell_bits)] - begins_of_cell[b.first_cell];
  };
  while (size < kBucketLimit) {
    std::uint32_t widest = size;
    std::uint64_t most = small_enough;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (open[i].cell_bits > 0 && items(open[i]) > most) {
        most = items(open[i]);
        widest = i;
      }
    }
    if (widest == size) break;
    Bucket& low = open[widest];
    --low.cell_bits;
    open[size++] = {static_cast<std::uint16_t>(low.first_cell + (1u << low.cell_bits)), low.cell_bits};
  }
  // Into the order of their cells.
  std::uint8_t of_first_cell[kCells];
  __builtin_memset(out.of_cell, 0, sizeof out.of_cell);
  for (std::uint32_t i = 0; i < size; ++i) of_first_cell[open[i].first_cell] = static_cast<std::uint8_t>(i);
  std::uint32_t cell = 0;
  for (out.size = 0; out.size < size; ++out.size) {
    const Bucket b = open[of_first_cell[cell]];
    out.buckets[out.size] = b;
    out.begins[out.size] = begins_of_cell[cell];
    for (std::uint32_t c = 0; c < (1u << b.cell_bits); ++c) out.of_cell[cell + c] = static_cast<std::uint8_t>(out.size);
    cell += 1u << b.cell_bits;
  }
  out.begins[size] = begins_of_cell[cell];
}

// Scatters one part of the range, whose cells are counted, to the places that begin at places[bucket].
template <class K, class V, class Codec>
void scatter_part(const Codec codec, const Range<K, V>& part, Digit<K> digit, const Buckets& buckets, Lanes<K, V> dst,
                  std::uint64_t* places) {
  const std::uint8_t* const of_cell = buckets.of_cell;
  const auto bin_of = [digit, of_cell](K mapped) { return std::uint32_t{of_cell[digit.of(mapped)]}; };
  if (part.raw)
    scatter_combined<true>(codec, part, bin_of, buckets.size, dst, places);
  else
    scatter_combined<false>(codec, part, bin_of, buckets.size, dst, places);
}

// Partitions the range into dst, by all threads of the team where parts > 1. counters: room for parts * kCells.
template <class K, class V, class Codec>
[[gnu::noinline]] void partition_range(const Codec codec, const Range<K, V>& range, Digit<K> digit,
                                       std::uint64_t small_enough, Lanes<K, V> dst, Team* team, std::uint32_t parts,
                                       std::uint64_t* counters, Buckets& buckets) {
  const std::uint32_t cells = 1u << digit.bits;
  const auto part = [&](std::uint32_t p) { return range.part(range.count * p / parts, range.count * (p + 1) / parts); };
  const auto for_each_part = [&](auto&& body) {
    if (parts == 1)
      body(0u);
    else
      team->run(parts, body);
  };
  for_each_part([&](std::uint32_t p) { count_cells(codec, part(p), digit, counters + std::uint64_t{p} * kCells); });

  std::uint64_t begins_of_cell[kCells + 1];
  std::uint64_t sum = 0;
  for (std::uint32_t c = 0; c < cells; ++c) {
    begins_of_cell[c] = sum;
    for (std::uint32_t p = 0; p < parts; ++p) sum += counters[std::uint64_t{p} * kCells + c];
  }
  begins_of_cell[cells] = sum;
  join_cells(begins_of_cell, digit.bits, small_enough, buckets);

  // Each part's counters become its first places: bucket by bucket, parts in their order, so the scatter is stable.
  for (std::uint32_t b = 0; b < buckets.size; ++b) {
    std::uint64_t place = buckets.begins[b];
    const std::uint32_t begin = buckets.buckets[b].first_cell;
    const std::uint32_t end = begin + (1u << buckets.buckets[b].cell_bits);
    for (std::uint32_t p = 0; p < parts; ++p) {
      std::uint64_t* const of_part = counters + std::uint64_t{p} * kCells;
      std::uint64_t in_part = 0;
      for (std::uint32_t c = begin; c < end; ++c) in_part += of_part[c];
      of_part[b] = place;  // b <= begin: the counts it overwrites have been added up
      place += in_part;
    }
  }
  for_each_part([&](std::uint32_t p) {
    scatter_part(codec, part(p), digit, buckets, dst, counters + std::uint64_t{p} * kCells);
  });
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
