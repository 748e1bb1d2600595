// Registers of keys, with what the vector sort does to them, for AVX-512 and AVX2. Keys are unsigned; AVX2, which
// compares signed numbers alone, is shown them with the sign bit turned.
//
//   load, store, load_first, store_first   whole registers, and the first `count` lanes of one
//   exchange(a, b)                          lane by lane the lower keys to a, the higher to b
//   keep(lower, a, b)                       the lower key of a and b in the lanes of `lower`, the higher in the others
//   cross<x>(a)                             lane l takes lane l ^ x
//   lanes_without<bit>()                    the lanes whose number has the bit clear, as keep() takes them
//   interleave_low, interleave_high(a, b)   a's and b's lanes in turn: of their first, of their last halves
//   deal(a, pivots, count)                  the lanes below the pivot first, the others last; count: how many are below
//   rotate<by>(a), same(a, b): are all lanes equal?
//   image, restore(a, base, flip)           KeyOrder's of every lane
#pragma once
#include <type_traits>

#include "cpu/lanes.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

// Keys that registers of this instruction set hold, and how.
template <class K>
inline constexpr bool kHasVectors = false;
template <class K>
struct Vectors;

#if defined(__AVX2__)

// Rows of lane numbers, as permutations take them. Words: 32-bit words to a lane.
template <class Word, unsigned kRows, unsigned kLanes, unsigned kWords = 1>
struct LaneTable {
  alignas(64) Word lanes[kRows][kLanes * kWords];

  template <class LaneOf>
  explicit constexpr LaneTable(LaneOf lane_of) : lanes() {
    for (unsigned row = 0; row < kRows; ++row) {
      for (unsigned l = 0; l < kLanes; ++l) {
        for (unsigned w = 0; w < kWords; ++w)
          lanes[row][l * kWords + w] = static_cast<Word>(lane_of(row, l) * kWords + w);
      }
    }
  }
};

#endif

#if defined(__AVX512F__)

template <>
inline constexpr bool kHasVectors<std::uint32_t> = true;
template <>
inline constexpr bool kHasVectors<std::uint64_t> = true;

template <class K>
struct Vectors {
  using Register = __m512i;
  static constexpr unsigned kLanes = 64 / sizeof(K);
  using Mask = std::conditional_t<sizeof(K) == 4, __mmask16, __mmask8>;
  static constexpr bool kWide = sizeof(K) == 8;

  static Register all(K key) {
    if constexpr (kWide)
      return _mm512_set1_epi64(static_cast<long long>(key));
    else
      return _mm512_set1_epi32(static_cast<int>(key));
  }
  static Register load(const Raw<K>* from) { return _mm512_loadu_si512(from); }
  static void store(Raw<K>* to, Register a) { _mm512_storeu_si512(to, a); }
  static Register load_first(const Raw<K>* from, unsigned count, Register others) {
    if constexpr (kWide)
      return _mm512_mask_loadu_epi64(others, first(count), from);
    else
      return _mm512_mask_loadu_epi32(others, first(count), from);
  }
  static void store_first(Raw<K>* to, unsigned count, Register a) {
    if constexpr (kWide)
      _mm512_mask_storeu_epi64(to, first(count), a);
    else
      _mm512_mask_storeu_epi32(to, first(count), a);
  }

  // The minimum of 64-bit lanes takes as long as a comparison and two choices, which share the comparison.
  static void exchange(Register& a, Register& b) {
    if constexpr (kWide) {
      const Mask a_below = below(a, b);
      const Register low = _mm512_mask_blend_epi64(a_below, b, a);
      b = _mm512_mask_blend_epi64(a_below, a, b);
      a = low;
    } else {
      const Register low = _mm512_min_epu32(a, b);
      b = _mm512_max_epu32(a, b);
      a = low;
    }
  }
  static Register keep(Mask lower, Register a, Register b) {
    if constexpr (kWide)
      return _mm512_mask_blend_epi64(static_cast<Mask>(below(a, b) ^ lower), a, b);
    else
      return _mm512_mask_min_epu32(_mm512_max_epu32(a, b), lower, a, b);
  }
  template <unsigned kBit>
  static constexpr Mask lanes_without() {
    unsigned mask = 0;
    for (unsigned l = 0; l < kLanes; ++l) mask |= (l & kBit) == 0 ? 1u << l : 0;
    return static_cast<Mask>(mask);
  }
  template <unsigned kXor>
  static Register cross(Register a) {
    static constexpr LaneTable<K, 1, kLanes> kTable([](unsigned, unsigned l) { return l ^ kXor; });
    return permute(kTable.lanes[0], a);
  }
  template <unsigned kBy>
  static Register rotate(Register a) {
    static constexpr LaneTable<K, 1, kLanes> kTable([](unsigned, unsigned l) { return (l + kBy) % kLanes; });
    return permute(kTable.lanes[0], a);
  }
  static Register interleave_low(Register a, Register b) {
    static constexpr LaneTable<K, 1, kLanes> kTable([](unsigned, unsigned l) { return l / 2 + l % 2 * kLanes; });
    return permute2(a, kTable.lanes[0], b);
  }
  static Register interleave_high(Register a, Register b) {
    static constexpr LaneTable<K, 1, kLanes> kTable(
        [](unsigned, unsigned l) { return kLanes / 2 + l / 2 + l % 2 * kLanes; });
    return permute2(a, kTable.lanes[0], b);
  }
  static bool same(Register a, Register b) {
    const Register differing = _mm512_xor_si512(a, b);
    return _mm512_test_epi64_mask(differing, differing) == 0;
  }
  static Register deal(Register a, Register pivots, unsigned& count) {
    // Row n moves the first lanes, which the higher keys were compressed to, n lanes on.
    static constexpr LaneTable<K, kLanes + 1, kLanes> kOn(
        [](unsigned n, unsigned l) { return (l + kLanes - n) % kLanes; });
    const Mask low = below(a, pivots);
    count = static_cast<unsigned>(__builtin_popcount(low));
    return compress(permute(kOn.lanes[count], compress(a, static_cast<Mask>(~low), a)), low, a);
  }
  static Register image(Register a, K base, K flip) {
    if constexpr (kWide)
      return _mm512_mask_xor_epi64(_mm512_xor_si512(a, all(base)), _mm512_movepi64_mask(a), a, all(base ^ flip));
    else
      return _mm512_mask_xor_epi32(_mm512_xor_si512(a, all(base)), _mm512_movepi32_mask(a), a, all(base ^ flip));
  }
  static Register restore(Register a, K base, K flip) {
    const Register t = _mm512_xor_si512(a, all(base));
    if constexpr (kWide)
      return _mm512_mask_xor_epi64(t, _mm512_movepi64_mask(t), t, all(flip));
    else
      return _mm512_mask_xor_epi32(t, _mm512_movepi32_mask(t), t, all(flip));
  }

 private:
  static Mask first(unsigned count) { return static_cast<Mask>((1u << count) - 1u); }
  static Mask below(Register a, Register b) {
    if constexpr (kWide)
      return _mm512_cmplt_epu64_mask(a, b);
    else
      return _mm512_cmplt_epu32_mask(a, b);
  }
  static Register compress(Register others, Mask mask, Register a) {
    if constexpr (kWide)
      return _mm512_mask_compress_epi64(others, mask, a);
    else
      return _mm512_mask_compress_epi32(others, mask, a);
  }
  static Register permute(const K* lanes, Register a) {
    if constexpr (kWide)
      return _mm512_permutexvar_epi64(_mm512_load_si512(lanes), a);
    else
      return _mm512_permutexvar_epi32(_mm512_load_si512(lanes), a);
  }
  static Register permute2(Register a, const K* lanes, Register b) {
    if constexpr (kWide)
      return _mm512_permutex2var_epi64(a, _mm512_load_si512(lanes), b);
    else
      return _mm512_permutex2var_epi32(a, _mm512_load_si512(lanes), b);
  }
};

#elif defined(__AVX2__)

template <>
inline constexpr bool kHasVectors<std::uint32_t> = true;
template <>
inline constexpr bool kHasVectors<std::uint64_t> = true;

template <class K>
struct Vectors {
  using Register = __m256i;
  static constexpr unsigned kLanes = 32 / sizeof(K), kWords = sizeof(K) / 4;
  using Mask = __m256i;  // ones in the lanes that are meant
  static constexpr bool kWide = sizeof(K) == 8;

  static Register all(K key) {
    if constexpr (kWide)
      return _mm256_set1_epi64x(static_cast<long long>(key));
    else
      return _mm256_set1_epi32(static_cast<int>(key));
  }
  static Register load(const Raw<K>* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from)); }
  static void store(Raw<K>* to, Register a) { _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), a); }
  static Register load_first(const Raw<K>* from, unsigned count, Register others) {
    const Mask mask = first(count);
    return _mm256_blendv_epi8(others, _mm256_maskload_epi32(words(from), mask), mask);
  }
  static void store_first(Raw<K>* to, unsigned count, Register a) {
    _mm256_maskstore_epi32(words(to), first(count), a);
  }

  static void exchange(Register& a, Register& b) {
    if constexpr (kWide) {
      const Mask a_below = below(a, b);
      const Register low = _mm256_blendv_epi8(b, a, a_below);
      b = _mm256_blendv_epi8(a, b, a_below);
      a = low;
    } else {
      const Register low = _mm256_min_epu32(a, b);
      b = _mm256_max_epu32(a, b);
      a = low;
    }
  }
  static Register keep(Mask lower, Register a, Register b) {
    if constexpr (kWide)
      return _mm256_blendv_epi8(a, b, _mm256_xor_si256(below(a, b), lower));
    else
      return _mm256_blendv_epi8(_mm256_max_epu32(a, b), _mm256_min_epu32(a, b), lower);
  }
  template <unsigned kBit>
  static Mask lanes_without() {
    static constexpr LaneTable<std::uint32_t, 1, kLanes, kWords> kTable([](unsigned, unsigned l) { return l; });
    const Mask lanes = _mm256_load_si256(reinterpret_cast<const __m256i*>(kTable.lanes[0]));
    return _mm256_cmpeq_epi32(_mm256_and_si256(lanes, _mm256_set1_epi32(kBit * kWords)), _mm256_setzero_si256());
  }
  template <unsigned kXor>
  static Register cross(Register a) {
    static constexpr LaneTable<std::uint32_t, 1, kLanes, kWords> kTable([](unsigned, unsigned l) { return l ^ kXor; });
    return permute(kTable.lanes[0], a);
  }
  template <unsigned kBy>
  static Register rotate(Register a) {
    static constexpr LaneTable<std::uint32_t, 1, kLanes, kWords> kTable(
        [](unsigned, unsigned l) { return (l + kBy) % kLanes; });
    return permute(kTable.lanes[0], a);
  }
  static Register interleave_low(Register a, Register b) {
    return _mm256_permute2x128_si256(unpack_low(a, b), unpack_high(a, b), 0x20);
  }
  static Register interleave_high(Register a, Register b) {
    return _mm256_permute2x128_si256(unpack_low(a, b), unpack_high(a, b), 0x31);
  }
  static bool same(Register a, Register b) {
    const Register differing = _mm256_xor_si256(a, b);
    return _mm256_testz_si256(differing, differing) != 0;
  }
  static Register deal(Register a, Register pivots, unsigned& count) {
    // Row m is for the set m of lanes that are below: those first, then the others.
    static constexpr LaneTable<std::uint32_t, 1u << kLanes, kLanes, kWords> kOrders([](unsigned set, unsigned place) {
      for (unsigned wanted : {1u, 0u}) {
        for (unsigned l = 0; l < kLanes; ++l) {
          if ((set >> l & 1u) == wanted && place-- == 0) return l;
        }
      }
      return 0u;
    });
    const Mask low = below(a, pivots);
    const auto set = static_cast<unsigned>(kWide ? _mm256_movemask_pd(_mm256_castsi256_pd(low))
                                                 : _mm256_movemask_ps(_mm256_castsi256_ps(low)));
    count = static_cast<unsigned>(__builtin_popcount(set));
    return permute(kOrders.lanes[set], a);
  }
  static Register image(Register a, K base, K flip) {
    return _mm256_xor_si256(_mm256_xor_si256(a, all(base)), _mm256_and_si256(negative(a), all(flip)));
  }
  static Register restore(Register a, K base, K flip) {
    const Register t = _mm256_xor_si256(a, all(base));
    return _mm256_xor_si256(t, _mm256_and_si256(negative(t), all(flip)));
  }

 private:
  // As the masked accesses take their address, which need not be aligned.
  static const int* words(const void* from) { return static_cast<const int*>(from); }
  static int* words(void* to) { return static_cast<int*>(to); }
  static Mask first(unsigned count) {
    static constexpr LaneTable<std::uint32_t, 1, kLanes, kWords> kTable([](unsigned, unsigned l) { return l; });
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count * kWords)),
                              _mm256_load_si256(reinterpret_cast<const __m256i*>(kTable.lanes[0])));
  }
  static Mask negative(Register a) {
    return kWide ? _mm256_cmpgt_epi64(_mm256_setzero_si256(), a) : _mm256_srai_epi32(a, 31);
  }
  static Mask below(Register a, Register b) {
    const Register sign = all(KeyOrder<K>::kSign);
    a = _mm256_xor_si256(a, sign);
    b = _mm256_xor_si256(b, sign);
    if constexpr (kWide)
      return _mm256_cmpgt_epi64(b, a);
    else
      return _mm256_cmpgt_epi32(b, a);
  }
  static Register permute(const std::uint32_t* lanes, Register a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes)));
  }
  static Register unpack_low(Register a, Register b) {
    if constexpr (kWide)
      return _mm256_unpacklo_epi64(a, b);
    else
      return _mm256_unpacklo_epi32(a, b);
  }
  static Register unpack_high(Register a, Register b) {
    if constexpr (kWide)
      return _mm256_unpackhi_epi64(a, b);
    else
      return _mm256_unpackhi_epi32(a, b);
  }
};

#endif

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
