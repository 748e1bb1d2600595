// A stable sort of short ranges without a branch that depends on a key: the place of an item is the number of items
// that stand before it, found by comparing each with all, a vector of them at a time. Quadratic work, but of two
// instructions for as many comparisons as a vector has lanes: up to kRankLimit items nothing here is faster.
#pragma once
#include "cpu/radix-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

#if defined(__AVX512BW__)
inline constexpr unsigned kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr unsigned kVectorBytes = 32;
#else
inline constexpr unsigned kVectorBytes = 16;
#endif

template <unsigned kBytes>
struct RankLanes;
template <>
struct RankLanes<1> {
  using Item = signed char;
};
template <>
struct RankLanes<2> {
  using Item = short;
};
template <>
struct RankLanes<4> {
  using Item = int;
};
template <>
struct RankLanes<8> {
  using Item = long long;
};
template <class K>
using RankItem = typename RankLanes<sizeof(K)>::Item;  // signed, because that is what vectors compare
template <class K>
struct RankVector {
  typedef RankItem<K> Type __attribute__((vector_size(kVectorBytes)));
};
template <class K>
inline constexpr unsigned kRankLanes = kVectorBytes / sizeof(K);

// By measurement; a rank must fit a lane. Baseline x86 cannot compare two 64-bit lanes at once.
template <class K>
inline constexpr std::uint32_t kRankLimit = sizeof(K) == 1 ? 128 : kRankLanes<K> <= 2 ? 16 : 12 * kRankLanes<K>;

// rank + 1 in the lanes where a comparison gave true, which is -1.
template <class Vector>
[[gnu::always_inline]] inline Vector count_where(Vector comparison, Vector rank) {
#if defined(__AVX512BW__)
  return comparison ? rank + 1 : rank;  // one masked instruction
#else
  return rank - comparison;
#endif
}

// ranks[i]: how many of the items stand before item i, those with equal keys in the order they came in. Both arrays are
// whole vectors; what stands in items behind count does not matter.
template <class K>
[[gnu::always_inline]] inline void rank_items(const RankItem<K>* items, std::uint32_t count, RankItem<K>* ranks) {
  using Vector = typename RankVector<K>::Type;
  constexpr std::uint32_t kLanes = kRankLanes<K>;
  Vector lane;
  for (std::uint32_t l = 0; l < kLanes; ++l) lane[l] = static_cast<RankItem<K>>(l);
  for (std::uint32_t begin = 0; begin < count; begin += kLanes) {
    const std::uint32_t end = begin + kLanes < count ? begin + kLanes : count;
    Vector here;
    __builtin_memcpy(&here, items + begin, sizeof here);
    Vector rank{};
    for (std::uint32_t j = 0; j < begin; ++j) rank = count_where<Vector>(Vector{} + items[j] <= here, rank);
    for (std::uint32_t j = begin; j < end; ++j) {
      const Vector other = Vector{} + items[j];
      const Vector tied_before = (other == here) & (Vector{} + static_cast<RankItem<K>>(j - begin) < lane);
      rank = count_where<Vector>((other < here) | tied_before, rank);
    }
    for (std::uint32_t j = end; j < count; ++j) rank = count_where<Vector>(Vector{} + items[j] < here, rank);
    __builtin_memcpy(ranks + begin, &rank, sizeof rank);
  }
}

// As many items as kCount, with no loop left: the same comparisons, in plain registers.
template <unsigned kCount, class K, class V>
[[gnu::always_inline]] inline void sort_exactly(const KeyOrder<K>& order, K bit_mask, const Range<K, V>& range,
                                                const Lanes<K, V>& out) {
  K keys[kCount], mapped[kCount];
  V values[kCount];
  unsigned place[kCount] = {};
  for (unsigned i = 0; i < kCount; ++i) {
    keys[i] = range.lanes.keys[i].bits;
    mapped[i] = static_cast<K>(order.map(keys[i]) & bit_mask);
    if constexpr (kHasValue<V>) {
      values[i] = range.lanes.values == nullptr ? counted_value<V>(range.first_index + i) : range.lanes.values[i].bits;
    }
    for (unsigned j = 0; j < i; ++j) {
      const bool above = mapped[i] < mapped[j];
      place[j] += above;
      place[i] += !above;
    }
  }
  for (unsigned i = 0; i < kCount; ++i) {
    if (out.keys != nullptr) out.keys[place[i]].bits = keys[i];
    if constexpr (kHasValue<V>) out.values[place[i]].bits = values[i];
  }
}

inline constexpr std::uint64_t kFew = 4;

template <class K, class V>
[[gnu::always_inline]] inline void sort_few(const KeyOrder<K>& order, K bit_mask, const Range<K, V>& range,
                                            const Lanes<K, V>& out) {
  switch (range.count) {
    case 1:
      return sort_exactly<1>(order, bit_mask, range, out);
    case 2:
      return sort_exactly<2>(order, bit_mask, range, out);
    case 3:
      return sort_exactly<3>(order, bit_mask, range, out);
    case 4:
      return sort_exactly<4>(order, bit_mask, range, out);
  }
}

// Items by ranks to out. Where they come from there, copy takes them out of their way first.
template <class T>
[[gnu::always_inline]] inline void scatter_by_ranks(const Raw<T>* src, Raw<T>* copy, std::uint32_t count, const auto& place,
                                                    Raw<T>* out) {
  if (src == out) {
    __builtin_memcpy(static_cast<void*>(copy), src, count * sizeof(T));
    src = copy;
  }
  for (std::uint32_t i = 0; i < count; ++i) out[place(i)].bits = src[i].bits;
}

// At most kRankLimit raw items, from range to out, which may be the same memory.
template <class K, class V>
[[gnu::noinline]] void sort_by_ranks(const KeyOrder<K>& key_order, K bit_mask, const Range<K, V>& range,
                                     const Lanes<K, V>& out) {
  constexpr std::uint32_t kRoom = kRankLimit<K> + kRankLanes<K>;
  alignas(kVectorBytes) RankItem<K> items[kRoom];
  alignas(kVectorBytes) RankItem<K> ranks[kRoom];
  const KeyOrder<K> order = key_order;
  const auto count = static_cast<std::uint32_t>(range.count);
  for (std::uint32_t i = 0; i < count; ++i) {
    items[i] = static_cast<RankItem<K>>(static_cast<K>(order.map(range.lanes.keys[i].bits) & bit_mask) ^
                                        KeyOrder<K>::kSign);
  }
  // The last vector's other lanes.
  const std::uint32_t whole = (count + kRankLanes<K> - 1) / kRankLanes<K> * kRankLanes<K>;
  for (std::uint32_t i = count; i < whole; ++i) items[i] = 0;
  rank_items<K>(items, count, ranks);

  const auto place = [&](std::uint32_t i) { return static_cast<K>(ranks[i]); };
  if (out.keys != nullptr) {
    Raw<K> copy[kRankLimit<K>];
    scatter_by_ranks<K>(range.lanes.keys, copy, count, place, out.keys);
  }
  if constexpr (kHasValue<V>) {
    Raw<V> copy[kRankLimit<K>];
    if (range.lanes.values != nullptr) return scatter_by_ranks<V>(range.lanes.values, copy, count, place, out.values);
    for (std::uint32_t i = 0; i < count; ++i) out.values[place(i)].bits = counted_value<V>(range.first_index + i);
  }
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
