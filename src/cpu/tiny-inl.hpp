// Insertion sort of a handful of items, held outside the lanes so that source, result and alternate may be any mix.
#pragma once
#include "cpu/radix-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

inline constexpr std::uint64_t kTiny = 32;

// bit_mask: the mapped bits that order the range.
template <class K, class V, class Codec>
void sort_tiny(const Codec codec, const Range<K, V>& range, K bit_mask, const Destination<K, V>& to) {
  struct Ranked {
    K mapped;
    std::uint8_t item;
  };
  Ranked ranked[kTiny];
  K keys[kTiny];
  V values[kTiny];
  const auto count = static_cast<std::uint32_t>(range.count);
  for (std::uint32_t i = 0; i < count; ++i) {
    keys[i] = range.lanes.keys[i].bits;
    if constexpr (kHasValue<V>) {
      values[i] = range.lanes.values == nullptr ? counted_value<V>(range.first_index + i) : range.lanes.values[i].bits;
    }
    const K carried = range.raw ? codec.template load<true>(keys[i]) : keys[i];
    const K mapped = static_cast<K>(codec.mapped(carried) & bit_mask);
    std::uint32_t place = i;
    for (; place > 0 && mapped < ranked[place - 1].mapped; --place) ranked[place] = ranked[place - 1];
    ranked[place] = {mapped, static_cast<std::uint8_t>(i)};
  }
  const Lanes<K, V> out = to.result();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t item = ranked[i].item;
    if (out.keys != nullptr) out.keys[i].bits = range.raw ? keys[item] : codec.template store<true>(keys[item]);
    if constexpr (kHasValue<V>) out.values[i].bits = values[item];
  }
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
