// How the engine sees memory: a key or value lane is an array of bit patterns with no alignment and no type of its
// own, so a float array, a misaligned pointer and scratch bytes are all read alike. On the machines we know the
// packed access compiles to the plain load.
#pragma once
#include <cstdint>

#include "kernels/key_order.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

template <class T>
struct [[gnu::packed, gnu::may_alias]] Raw {
  T bits;
};

struct NoValue {};
struct Wide {
  std::uint64_t low, high;
};

template <class V>
inline constexpr bool kHasValue = true;
template <>
inline constexpr bool kHasValue<NoValue> = false;

// Keys with the values that travel with them. Either pointer may be null: values where V is NoValue or where they
// count up from a first index, keys where a pass need not write them.
template <class K, class V>
struct Lanes {
  Raw<K>* keys = nullptr;
  Raw<V>* values = nullptr;

  [[gnu::always_inline]] Lanes from(std::uint64_t offset) const {
    return {keys == nullptr ? nullptr : keys + offset, values == nullptr ? nullptr : values + offset};
  }
};

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
