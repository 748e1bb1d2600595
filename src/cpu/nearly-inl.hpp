// Keys alone that may stand for one another and are in order but for some: those that stand out are dropped from the
// sequence, sorted by themselves and merged in again. A key that is lower than its neighbour either stands too late itself, or
// the neighbour stood too early: what stands before both tells which. Gives up where too many would be dropped; the source
// is only read until then.
//
// Prior art: drop-merge sort (Ernerfeldt, 2016).
#pragma once
#include "cpu/sorter-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

inline constexpr std::uint64_t kMostDroppedShare = 16;

// Do neighbours in a sample rise, as they would not if more than about so many keys stood out?
template <class K>
bool seems_nearly_sorted(const KeyOrder<K>& order, const Raw<K>* keys, std::uint64_t count) {
  constexpr std::uint64_t kSamples = 256, kMostFalls = kSamples / 10;
  std::uint64_t falls = 0;
  for (std::uint64_t i = 0; i < kSamples && falls <= kMostFalls; ++i) {
    const Raw<K>* const pair = keys + count / kSamples * i;
    falls += order.image(pair[1].bits) < order.image(pair[0].bits);
  }
  return falls <= kMostFalls;
}

// The middle one of eight, by rank.
template <class K>
K middle_of_eight(const Raw<K>* keys) {
  K sorted[8];
  for (unsigned i = 0; i < 8; ++i) {
    unsigned place = i;
    for (; place > 0 && keys[i].bits < sorted[place - 1]; --place) sorted[place] = sorted[place - 1];
    sorted[place] = keys[i].bits;
  }
  return sorted[4];
}

// Images of the keys that stay in order to the front of `to`, of the others to its end; returns how many stay, or 0 for too
// many others.
template <class K>
[[gnu::noinline]] std::uint64_t drop_outstanding(const ImageCodec<K> codec, const Raw<K>* keys, std::uint64_t count,
                                                 Raw<K>* to) {
  constexpr unsigned kPatience = 8;  // drops in a row, the middle one of which shows kept keys that stand out
  std::uint64_t kept = 1;
  Raw<K>* dropped = to + count;
  const Raw<K>* const most = to + (count - count / kMostDroppedShare);
  unsigned in_a_row = 0;
  K last = codec.template load<true>(keys[0].bits);
  to[0].bits = last;
  for (std::uint64_t i = 1; i < count; ++i) {
    const K key = codec.template load<true>(keys[i].bits);
    if (key >= last) [[likely]] {
      to[kept++].bits = last = key;
      in_a_row = 0;
      continue;
    }
    if (dropped <= most) return 0;
    if (kept == 1 || to[kept - 2].bits <= key) {
      (--dropped)->bits = last;
      to[kept - 1].bits = last = key;
      in_a_row = 0;
      continue;
    }
    (--dropped)->bits = key;
    if (++in_a_row < kPatience) continue;
    const K middle = middle_of_eight(dropped);  // a single key may stand out itself
    for (; kept > 1 && to[kept - 1].bits > middle; --kept) {
      if (dropped <= most) return 0;
      (--dropped)->bits = to[kept - 1].bits;
    }
    last = to[kept - 1].bits;
    in_a_row = 0;
  }
  return kept;
}

// Merges the images at kept with those at the end of dst into dst, as keys.
template <class K>
[[gnu::noinline]] void merge_dropped(const ImageCodec<K> codec, const Raw<K>* kept, std::uint64_t kept_count,
                                     Raw<K>* dst, std::uint64_t count) {
  constexpr std::uint64_t kStep = 32 / sizeof(K);  // a step writes so many, of which the last may be written again
  const std::uint64_t dropped_begin = kept_count;
  std::uint64_t i = 0;
  for (std::uint64_t j = dropped_begin; j < count; ++j) {
    const K dropped = codec.template load<true>(dst[j].bits);
    Raw<K>* out = dst + (i + j - dropped_begin);
    std::uint64_t below = kStep;
    while (below == kStep && i + kStep <= kept_count) {  // what is written then ends before dst[j]
      below = 0;
      K key[kStep];
      for (std::uint64_t l = 0; l < kStep; ++l) key[l] = kept[i + l].bits;
      for (std::uint64_t l = 0; l < kStep; ++l) {
        below += key[l] <= dropped;
        out[l].bits = codec.template store<true>(key[l]);
      }
      i += below;
      out += below;
    }
    if (below == kStep) {
      for (; i < kept_count && kept[i].bits <= dropped; ++i) (out++)->bits = codec.template store<true>(kept[i].bits);
    }
    out->bits = codec.template store<true>(dropped);
  }
  for (; i < kept_count; ++i) dst[count - kept_count + i].bits = codec.template store<true>(kept[i].bits);
}

// True if it was done.
template <class K>
bool sort_nearly_sorted(const ImageCodec<K> codec, const Range<K, NoValue>& range, const Destination<K, NoValue>& to) {
  constexpr std::uint64_t kWorthSampling = 8192;
  const std::uint64_t count = range.count;
  if (count < kWorthSampling || !seems_nearly_sorted(codec.order, range.lanes.keys, count)) return false;
  const std::uint64_t kept = drop_outstanding(codec, range.lanes.keys, count, to.alternate.keys);
  if (kept == 0) return false;
  // The dropped ones are sorted into the end of the result, where the merge takes them from.
  const Destination<K, NoValue> tail = to.from(kept);
  const Range<K, NoValue> dropped{tail.alternate, count - kept, 0, Where::alternate, false};
  if (dropped.count != 0) sort_by_vectors(codec, dropped, tail);
  merge_dropped(codec, to.alternate.keys, kept, to.dst.keys, count);
  return true;
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
