// A first look at the keys. Are they in order already, or in strictly falling order? Warps look on until anybody has
// seen that it is neither, so random input costs a few microseconds and sorted input one read. And a sample says in
// which bits keys differ, at least.
#pragma once
#include "kernels/cuda/words.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

__device__ __forceinline__ void or_into(u64* word, u64 mine) {
#pragma unroll
  for (u32 half = 0; half < 64; half += 32) {
    const u32 bits = __reduce_or_sync(kFullWarp, static_cast<u32>(mine >> half));
    if ((threadIdx.x & 31) == 0 && bits != 0)
      atomicOr(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(bits) << half);
  }
}

// Flags only rise, so no order with other memory is needed. True once both stand.
__device__ __forceinline__ bool report_disorder(u32 seen, Control* control) {
  const u32 known = *reinterpret_cast<volatile u32*>(&control->disorder),
            all = known | __reduce_or_sync(kFullWarp, seen);
  if (all != known && (threadIdx.x & 31) == 0) atomicOr(&control->disorder, all);
  return all == (kNotAscending | kNotDescending);
}

// Equal keys may be reversed only where they are the same bytes.
template <class K>
__device__ __forceinline__ u32 disorder_of(K before, K here, bool ties_fall) {
  return before > here ? kNotAscending : before < here || !ties_fall ? kNotDescending : 0;
}

template <class K>
__device__ __forceinline__ void look_for_disorder(const K* keys, u64 n, const Order<K>& order, bool ties_fall,
                                                  Control* control) {
  constexpr u32 kPack = 16 / sizeof(K), kRows = sizeof(K) >= 4 ? 4 : 1;
  const u32 lane = threadIdx.x & 31;
  const Share share;
  const u64 whole = reinterpret_cast<u64>(keys) % 16 == 0 ? n / kPack : 0;  // packs
  // Warps stay together: the neighbour's last key comes by a shuffle.
  for (u64 first = share.first - lane; first < whole; first += kRows * share.stride) {
    K key[kRows * kPack];
    u32 seen = 0;
#pragma unroll
    for (u32 r = 0; r < kRows; ++r) {
      const u64 pack = first + r * share.stride + lane;
      if (pack < whole) {
        const uint4 x = __ldcg(reinterpret_cast<const uint4*>(keys) + pack);
        memcpy(key + r * kPack, &x, 16);
      }
    }
#pragma unroll
    for (u32 r = 0; r < kRows; ++r) {
      const u64 pack = first + r * share.stride + lane;
      const bool here = pack < whole;
      K field[kPack];
#pragma unroll
      for (u32 j = 0; j < kPack; ++j) field[j] = here ? order.field(key[r * kPack + j]) : K{0};
      K before = shuffle_up(field[kPack - 1]);
      if (here && lane == 0 && pack != 0) before = order.field(load(keys + pack * kPack - 1));
      if (here && pack != 0) seen |= disorder_of(before, field[0], ties_fall);
#pragma unroll
      for (u32 j = 1; j < kPack; ++j) {
        if (here) seen |= disorder_of(field[j - 1], field[j], ties_fall);
      }
    }
    if (report_disorder(seen, control)) return;
  }
  for (u64 first = whole * kPack + share.first - lane; first < n; first += share.stride) {
    const u64 i = first + lane;
    const u32 seen =
        i != 0 && i < n ? disorder_of(order.field(load(keys + i - 1)), order.field(load(keys + i)), ties_fall) : 0;
    if (report_disorder(seen, control)) return;
  }
}

// The digits that hold any of these bits of the field, one bit each.
__device__ __forceinline__ u32 digits_of(u64 bits) {
  u32 digits = 0;
#pragma unroll
  for (u32 d = 0; d < 8; ++d) digits |= (bits >> (8 * d) & 255) != 0 ? 1u << d : 0u;
  return digits;
}

// Every key once, by all threads of the grid.
template <class K, class Look>
__device__ __forceinline__ void read_all(const K* keys, u64 n, const Look& look) {
  constexpr u32 kPack = 16 / sizeof(K), kRows = kPack > 4 ? 1 : 8 / kPack;
  const Share share;
  u64 i = share.first;
  if (reinterpret_cast<u64>(keys) % 16 == 0) {
    for (; i + (kRows - 1) * share.stride < n / kPack; i += kRows * share.stride) {
      K key[kRows * kPack];
#pragma unroll
      for (u32 j = 0; j < kRows; ++j) load_pack(keys + (i + j * share.stride) * kPack, key + j * kPack);
#pragma unroll
      for (u32 j = 0; j < kRows * kPack; ++j) look(key[j]);
    }
    for (; i < n / kPack; i += share.stride) {
      K key[kPack];
      load_pack(keys + i * kPack, key);
#pragma unroll
      for (u32 j = 0; j < kPack; ++j) look(key[j]);
    }
    i = n / kPack * kPack + share.first;
  }
  for (; i < n; i += share.stride) look(load(keys + i));
}

// Of a sample: the bits in which keys differ from the first one.
template <class K>
__device__ __forceinline__ K sample_key(const K* keys, u64 n) {
  const Share share;
  const u64 apart = n / share.stride, i = apart == 0 ? share.first : share.first * apart;
  return load(keys + (i < n ? i : 0));
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
