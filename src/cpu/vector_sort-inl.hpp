// Quicksort in vector registers, for keys that may stand for one another: partitions that deal the lower and the higher
// keys of a register to the two ends of the other buffer, without a branch on any key, down to ranges that a sorting
// network holds in registers. Not stable, so it sorts images alone, of which equal ones are the same key.
// Invariant: a range lies at the same offset of one of two buffers; what the other has there is free.
//
// Prior art: Bramas (2017) for partitioning by compress; Wassenberg et al., vqsort (2022), for a network over the columns
// of a matrix of registers; Batcher (1968) for the merges.
#pragma once
#include "cpu/radix-inl.hpp"
#include "cpu/team.hpp"
#include "cpu/vectors-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

// A matrix of eight registers; its order runs down the columns, so that neighbours in a column are in two registers.
template <class K>
class Network {
 public:
  using V = Vectors<K>;
  static constexpr unsigned kRows = 8;
  static constexpr unsigned kKeys = kRows * V::kLanes;

  // Sorts up to kKeys images from src to dst, which may be the same place; what is missing counts as the largest.
  static void sort(const ImageCodec<K> codec, const Raw<K>* src, unsigned count, Raw<K>* dst) {
    typename V::Register rows[kRows];
#pragma GCC unroll 8
    for (unsigned r = 0; r < kRows; ++r) {
      const unsigned here = in_row(count, r);
      rows[r] = here == V::kLanes ? V::load(src + r * V::kLanes)
                                  : V::load_first(src + r * V::kLanes, here, V::all(static_cast<K>(~K{0})));
    }
    sort_columns(rows);
    merge_columns<2>(rows);
    transpose(rows);
#pragma GCC unroll 8
    for (unsigned r = 0; r < kRows; ++r) {
      const typename V::Register keys = V::restore(rows[r], codec.order.base, codec.order.flip);
      const unsigned here = in_row(count, r);
      if (here == V::kLanes)
        V::store(dst + r * V::kLanes, keys);
      else
        V::store_first(dst + r * V::kLanes, here, keys);
    }
  }

 private:
  using Register = typename V::Register;

  static unsigned in_row(unsigned count, unsigned row) {
    const unsigned begin = row * V::kLanes, left = count > begin ? count - begin : 0;
    return left < V::kLanes ? left : V::kLanes;
  }

  // Every column by the 19 exchanges that eight keys need (Knuth, The Art of Computer Programming 3, 5.3.4).
  [[gnu::always_inline]] static void sort_columns(Register* r) {
    constexpr unsigned char kPairs[19][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                             {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                             {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
#pragma GCC unroll 19
    for (const auto& pair : kPairs) V::exchange(r[pair[0]], r[pair[1]]);
  }

  // Merges runs of kColumns / 2 columns into runs of kColumns, then those.
  template <unsigned kColumns>
  [[gnu::always_inline]] static void merge_columns(Register* r) {
    // First a run is compared with the next one backwards: from the other end of the columns and of the rows.
    const typename V::Mask lower = V::template lanes_without<kColumns / 2>();
#pragma GCC unroll 4
    for (unsigned i = 0; i < kRows / 2; ++i) {
      const unsigned j = kRows - 1 - i;
      const Register from_i = V::template cross<kColumns - 1>(r[i]), from_j = V::template cross<kColumns - 1>(r[j]);
      r[i] = V::keep(lower, r[i], from_j);
      r[j] = V::keep(lower, r[j], from_i);
    }
    halve_columns<kColumns / 4>(r);
#pragma GCC unroll 3
    for (unsigned distance = kRows / 2; distance != 0; distance /= 2) {
#pragma GCC unroll 8
      for (unsigned i = 0; i < kRows; ++i) {
        if ((i & distance) == 0) V::exchange(r[i], r[i + distance]);
      }
    }
    if constexpr (kColumns < V::kLanes) merge_columns<2 * kColumns>(r);
  }

  // The steps of a bitonic merge between columns kDistance apart, then half as far.
  template <unsigned kDistance>
  [[gnu::always_inline]] static void halve_columns(Register* r) {
    if constexpr (kDistance != 0) {
      const typename V::Mask lower = V::template lanes_without<kDistance>();
#pragma GCC unroll 8
      for (unsigned i = 0; i < kRows; ++i) r[i] = V::keep(lower, r[i], V::template cross<kDistance>(r[i]));
      halve_columns<kDistance / 2>(r);
    }
  }

  // From down the columns to along the rows: each of three rounds interleaves rows four apart and so moves the highest bit
  // of the row's number to the lowest of the place.
  [[gnu::always_inline]] static void transpose(Register* r) {
#pragma GCC unroll 3
    for (unsigned round = 0; round < 3; ++round) {
      Register next[kRows];
#pragma GCC unroll 4
      for (unsigned i = 0; i < kRows / 2; ++i) {
        next[2 * i] = V::interleave_low(r[i], r[i + kRows / 2]);
        next[2 * i + 1] = V::interleave_high(r[i], r[i + kRows / 2]);
      }
#pragma GCC unroll 8
      for (unsigned i = 0; i < kRows; ++i) r[i] = next[i];
    }
  }
};

template <class K>
class VectorSorter {
 public:
  using V = Vectors<K>;

  VectorSorter(const ImageCodec<K> codec, Raw<K>* dst) : codec_(codec), dst_(dst) {}

  // Images at [begin, begin + count) of `here`, to be sorted into the destination; no count: nothing to do.
  struct Piece {
    Raw<K>* here = nullptr;
    Raw<K>* there = nullptr;
    std::uint64_t begin = 0, count = 0;
  };

  // Parts the keys at `from`, raw ones if kFirst, into images at [begin, begin + count) of `there`. other: the buffer that is
  // free then.
  template <bool kFirst>
  void split(const Raw<K>* from, Raw<K>* there, Raw<K>* other, std::uint64_t begin, std::uint64_t count, Piece& low,
             Piece& high) {
    low = high = {};
    const Pivot pivot = choose_pivot<kFirst>(from, count);
    if (pivot.alone && stands_alone<kFirst>(from, count, pivot.key)) return fill(begin, count, pivot.key);
    std::uint64_t below = partition<kFirst>(from, count, pivot.key, there + begin);
    if (below == 0)
      below = part_least<kFirst>(from, begin, count, pivot.key, there + begin);
    else
      low = {there, other, begin, below};
    high = {there, other, begin + below, count - below};
  }

  void sort(const Piece& piece, unsigned depth) {
    if (piece.count != 0) sort(piece.here, piece.there, piece.begin, piece.count, depth);
  }

  // Sorts raw keys, which the first partition turns into images on their way to the alternate buffer. They may be what the
  // destination holds, or a source that is to be kept. More of them than a network holds.
  void sort_raw(const Raw<K>* keys, Raw<K>* alternate, std::uint64_t count, unsigned depth) {
    Piece low, high;
    split<true>(keys, alternate, dst_, 0, count, low, high);
    sort(low, depth);
    sort(high, depth);
  }

  // Sorts the images at [begin, begin + count) of `here` into the destination, which is one of the two buffers.
  // depth: partitions in a row before the pivots count as bad, and the passes of a radix sort take over.
  void sort(Raw<K>* here, Raw<K>* there, std::uint64_t begin, std::uint64_t count, unsigned depth) {
    for (; count > Network<K>::kKeys; --depth) {
      if (depth == 0) return sort_by_passes(here, there, begin, count);
      Piece low, high;
      split<false>(here + begin, there, here, begin, count, low, high);
      sort(low, depth - 1);
      here = high.here;
      there = high.there;
      begin = high.begin;
      count = high.count;
    }
    if (count != 0) Network<K>::sort(codec_, here + begin, static_cast<unsigned>(count), dst_ + begin);
  }

 private:
  void sort_by_passes(Raw<K>* here, Raw<K>* there, std::uint64_t begin, std::uint64_t count) {
    const bool in_dst = here == dst_;
    const Range<K, NoValue> range{{here + begin, nullptr}, count, 0, in_dst ? Where::dst : Where::alternate, false};
    sort_cached(codec_, range, static_cast<K>(~K{0}),
                {{dst_ + begin, nullptr}, {(in_dst ? there : here) + begin, nullptr}});
  }

  // The pivot is the least key: all of it stands first, and needs no more sorting. Returns how many that are.
  template <bool kFirst>
  std::uint64_t part_least(const Raw<K>* from, std::uint64_t begin, std::uint64_t count, K least, Raw<K>* to) {
    const std::uint64_t low =
        least == static_cast<K>(~K{0}) ? count : partition<kFirst>(from, count, static_cast<K>(least + 1), to);
    fill(begin, low, least);
    return low;
  }

  // kFirst: what is read is raw.
  template <bool kFirst>
  typename V::Register load(const Raw<K>* keys) const {
    const typename V::Register a = V::load(keys);
    return kFirst ? V::image(a, codec_.order.base, codec_.order.flip) : a;
  }

  void fill(std::uint64_t begin, std::uint64_t count, K image) {
    const K key = codec_.template store<true>(image);
    for (std::uint64_t i = begin; i < begin + count; ++i) dst_[i].bits = key;
  }

  struct Pivot {
    K key;
    bool alone;  // all keys that were looked at are this one
  };

  // Lane by lane.
  static typename V::Register median(typename V::Register a, typename V::Register b, typename V::Register c) {
    V::exchange(a, b);
    V::exchange(b, c);
    V::exchange(a, b);
    return b;
  }

  // A median of medians of three. Few keys: from registers at the begin, in the middle and at the end. Many: from nine at
  // places that no shape of the input follows.
  template <bool kFirst>
  Pivot choose_pivot(const Raw<K>* keys, std::uint64_t count) {
    constexpr std::uint64_t kMany = 2048;
    const std::uint64_t last = count - V::kLanes;
    if (count < kMany) return middle_of(load<kFirst>(keys), load<kFirst>(keys + last / 2), load<kFirst>(keys + last));
    typename V::Register from[9];
#pragma GCC unroll 9
    for (auto& here : from) {
      random_ = random_ * 6364136223846793005u + 1442695040888963407u;
      here = load<kFirst>(keys + ((random_ >> 32) * last >> 32));  // above 2^32 keys it wraps round, and so stays below
    }
    return middle_of(median(from[0], from[1], from[2]), median(from[3], from[4], from[5]),
                     median(from[6], from[7], from[8]));
  }

  static Pivot middle_of(typename V::Register a, typename V::Register b, typename V::Register c) {
    typename V::Register m = median(a, b, c);
    m = median(m, V::template rotate<1>(m), V::template rotate<2>(m));
    if constexpr (V::kLanes >= 8) m = median(m, V::template rotate<3>(m), V::template rotate<6>(m));
    Raw<K> lanes[V::kLanes];
    V::store(lanes, m);
    const typename V::Register pivots = V::all(lanes[0].bits);
    return {lanes[0].bits, V::same(a, pivots) && V::same(b, pivots) && V::same(c, pivots)};
  }

  // Is every key this one? Ends at the first that is not.
  template <bool kFirst>
  bool stands_alone(const Raw<K>* keys, std::uint64_t count, K key) const {
    const typename V::Register all = V::all(key);
    for (std::uint64_t i = 0; i + V::kLanes <= count; i += V::kLanes) {
      if (!V::same(load<kFirst>(keys + i), all)) return false;
    }
    return V::same(load<kFirst>(keys + count - V::kLanes), all);
  }

  // Keys below the pivot from the front of `to` on, the others from its end down; returns how many are below.
  template <bool kFirst>
  std::uint64_t partition(const Raw<K>* from, std::uint64_t count, K pivot, Raw<K>* to) const {
    const typename V::Register pivots = V::all(pivot);
    Raw<K>*low = to, *high = to + count;
    std::uint64_t left = count;
    unsigned below = 0;
    // A dealt register is stored at both ends: what does not belong at one falls on places that are written later.
    // That needs two registers' room between the ends.
    for (; left >= 2 * V::kLanes; left -= V::kLanes, from += V::kLanes) {
      const typename V::Register dealt = V::deal(load<kFirst>(from), pivots, below);
      V::store(low, dealt);
      V::store(high - V::kLanes, dealt);
      low += below;
      high -= V::kLanes - below;
    }
    for (; left != 0; ++from, --left) {  // without a branch, too: the place that the key does not take is written later
      const Raw<K> key{codec_.template load<kFirst>(from->bits)};
      *low = key;
      high[-1] = key;
      const unsigned is_below = key.bits < pivot;
      low += is_below;
      high -= 1 - is_below;
    }
    return static_cast<std::uint64_t>(low - to);
  }

  const ImageCodec<K> codec_;
  Raw<K>* const dst_;
  std::uint64_t random_ = 0;
};

// Partitions in a row that are good enough: twice what good pivots need, and some more.
template <class K>
unsigned depth_for(std::uint64_t count) {
  unsigned depth = 8;
  for (; count > Network<K>::kKeys; count /= 2) depth += 2;
  return depth;
}

// By two or three threads: one of them splits the range, two their halves, all the quarters.
template <class K>
void sort_by_vectors_together(const ImageCodec<K> codec, const Range<K, NoValue>& range,
                              const Destination<K, NoValue>& to, Team& team) {
  using Sorter = VectorSorter<K>;
  typename Sorter::Piece halves[2], quarters[4];
  Sorter(codec, to.dst.keys)
      .template split<true>(range.lanes.keys, to.alternate.keys, to.dst.keys, 0, range.count, halves[0], halves[1]);
  team.run(2, [&](std::uint32_t h) {
    const auto& half = halves[h];
    Sorter sorter(codec, to.dst.keys);
    if (half.count <= Network<K>::kKeys) return sorter.sort(half, 1);
    sorter.template split<false>(half.here + half.begin, half.there, half.here, half.begin, half.count, quarters[2 * h],
                                 quarters[2 * h + 1]);
  });
  for (unsigned i = 1; i < 4; ++i) {  // the largest first
    for (unsigned j = i; j > 0 && quarters[j].count > quarters[j - 1].count; --j) {
      const auto larger = quarters[j];
      quarters[j] = quarters[j - 1];
      quarters[j - 1] = larger;
    }
  }
  team.run(4, [&](std::uint32_t q) {
    Sorter(codec, to.dst.keys).sort(quarters[q], depth_for<K>(quarters[q].count));
  });
}

// Sorts a range of interchangeable keys into to.dst.
template <class K>
void sort_by_vectors(const ImageCodec<K> codec, Range<K, NoValue> range, const Destination<K, NoValue>& to) {
  const unsigned depth = depth_for<K>(range.count);
  VectorSorter<K> sorter(codec, to.dst.keys);
  if (range.raw && range.count > Network<K>::kKeys)
    return sorter.sort_raw(range.lanes.keys, to.alternate.keys, range.count, depth);
  if (range.raw) {
    move_range<true, false>(codec, range, to.dst);
    range.where = Where::dst;
  }
  const bool in_dst = range.where == Where::dst;
  sorter.sort(in_dst ? to.dst.keys : to.alternate.keys, in_dst ? to.alternate.keys : to.dst.keys, 0, range.count,
              depth);
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
