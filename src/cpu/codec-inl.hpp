// How keys are carried through the passes of a sort.
//
// ImageCodec: the first pass turns each key into its mapped key, the last one turns it back, and the passes between
// read digits straight off. Right whenever the map can be undone for the keys at hand, or the keys are not written.
// OneWayCodec: the same without the way back, for sorts that write no keys. Right for all keys.
// RawCodec: keys stay as they are and each digit is taken through the whole map. For NaN, -0.0 and bool.
#pragma once
#include "cpu/lanes.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

template <class K>
struct ImageCodec {
  static constexpr bool kImages = true;
  KeyOrder<K> order;
  template <bool kFirst>
  [[gnu::always_inline]] K load(K key) const {
    return kFirst ? order.image(key) : key;
  }
  [[gnu::always_inline]] K mapped(K carried) const { return carried; }
  template <bool kLast>
  [[gnu::always_inline]] K store(K carried) const {
    return kLast ? order.restore(carried) : carried;
  }
};

template <class K>
struct OneWayCodec {
  static constexpr bool kImages = true;
  KeyOrder<K> order;
  template <bool kFirst>
  [[gnu::always_inline]] K load(K key) const {
    return kFirst ? order.map(key) : key;
  }
  [[gnu::always_inline]] K mapped(K carried) const { return carried; }
  template <bool kLast>
  [[gnu::always_inline]] K store(K carried) const {
    return carried;
  }
};

template <class K>
struct RawCodec {
  static constexpr bool kImages = false;
  KeyOrder<K> order;
  template <bool kFirst>
  [[gnu::always_inline]] K load(K key) const {
    return key;
  }
  [[gnu::always_inline]] K mapped(K carried) const { return order.map(carried); }
  template <bool kLast>
  [[gnu::always_inline]] K store(K carried) const {
    return carried;
  }
};

// A run of bits of the mapped key.
template <class K>
struct Digit {
  unsigned shift;
  unsigned bits;
  [[gnu::always_inline]] std::uint32_t of(K mapped) const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(mapped) >> shift) & ((1u << bits) - 1u);
  }
};

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
