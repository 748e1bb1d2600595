// The key order: raw bits -> mapped key, an unsigned number whose plain order is the order asked for. Digits are
// taken from the mapped key; the raw key is what moves, so signs of zero and NaN payloads survive.
//
// Every order is two xors, one of them under the sign bit, plus two exceptions for floats (NaN, -0.0) and one for
// bool. Without the exceptions the map can be undone (image/restore), and a sort may carry mapped keys instead.
// The float flip is Herf's (stereopsis.com/radix.html); folding the zeros in the digit only is CUB's idea.
//
// Included by host and device code alike: no std beyond <cstdint>, no allocation, no recursion.
#pragma once
#include <cstdint>

// Always inlined on the host: the CPU engine is compiled once per instruction set, and a function shared between
// those copies would let the linker pick one that the machine cannot run.
#if defined(__CUDACC__)
#  define LANESORT_HOST_DEVICE __host__ __device__
#elif defined(__GNUC__)
#  define LANESORT_HOST_DEVICE [[gnu::always_inline]]
#else
#  define LANESORT_HOST_DEVICE
#endif

namespace lanesort {
inline namespace v1 {

enum class KeyKind : std::uint32_t { boolean, unsigned_integer, signed_integer, floating };
enum class NanPlace : std::uint32_t { last, first, by_bits };  // by_bits: -0.0 before +0.0 too

// U is the unsigned type of the key's width.
template <class U>
struct KeyOrder {
  U base = 0;          // xor for keys whose sign bit is clear
  U flip = 0;          // further xor for keys whose sign bit is set
  U largest = 0;       // magnitudes above it are NaN; the largest magnitude there is where the type has none
  U nan_image = 0;     // the mapped key of every NaN
  U folded = 0;        // a raw key that counts as 0: -0.0, or 0 itself where nothing is folded
  U truth_mask = 0;    // all ones for bool

  static constexpr U kSign = static_cast<U>(U{1} << (sizeof(U) * 8 - 1));

  LANESORT_HOST_DEVICE static constexpr U sign_fill(U x) { return static_cast<U>(0) - static_cast<U>(x >> (sizeof(U) * 8 - 1)); }

  // True where the map has no exceptions for any key; otherwise only keys that are not special() may use image().
  LANESORT_HOST_DEVICE constexpr bool invertible() const { return folded == 0 && largest == static_cast<U>(~kSign) && truth_mask == 0; }

  LANESORT_HOST_DEVICE constexpr bool is_nan(U raw) const { return static_cast<U>(raw & static_cast<U>(~kSign)) > largest; }

  // A key that image() would put in the wrong place, or that shares its mapped key with another pattern.
  LANESORT_HOST_DEVICE constexpr bool special(U raw) const { return is_nan(raw) | ((folded != 0) & (raw == folded)); }

  LANESORT_HOST_DEVICE constexpr U image(U raw) const { return static_cast<U>(raw ^ base ^ (sign_fill(raw) & flip)); }

  LANESORT_HOST_DEVICE constexpr U restore(U mapped) const {
    const U t = static_cast<U>(mapped ^ base);
    return static_cast<U>(t ^ (sign_fill(t) & flip));  // flip never holds the sign bit, so t still shows it
  }

  LANESORT_HOST_DEVICE constexpr U map(U raw) const {
    if (truth_mask != 0) return static_cast<U>(static_cast<U>(raw != 0) ^ base);
    const U folded_raw = raw == folded ? U{0} : raw;
    return is_nan(raw) ? nan_image : image(folded_raw);
  }
};

// mantissa_bits: stored fraction bits, for KeyKind::floating only (f16 10, bf16 7, f32 23, f64 52).
template <class U>
LANESORT_HOST_DEVICE constexpr KeyOrder<U> make_key_order(KeyKind kind, bool descending, NanPlace nan, unsigned mantissa_bits) {
  constexpr U sign = KeyOrder<U>::kSign;
  KeyOrder<U> order;
  order.largest = static_cast<U>(~sign);
  switch (kind) {
    case KeyKind::boolean: order.truth_mask = static_cast<U>(~U{0}); break;
    case KeyKind::unsigned_integer: break;
    case KeyKind::signed_integer: order.base = sign; break;
    case KeyKind::floating:
      order.base = sign;
      order.flip = static_cast<U>(~sign);
      if (nan != NanPlace::by_bits) {
        const U infinity = static_cast<U>(order.largest >> mantissa_bits << mantissa_bits);
        order.largest = infinity;
        order.folded = sign;
        order.nan_image = nan == NanPlace::last ? static_cast<U>(~U{0}) : U{0};
      }
      break;
  }
  if (descending) order.base = static_cast<U>(~order.base);
  return order;
}

}  // namespace v1
}  // namespace lanesort
