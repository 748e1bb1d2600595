// Movement without ranking: copies, indices that count up, reversal. Every block of a grid takes its share.
#pragma once
#include "kernels/cuda/words.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// from null: values that count up.
template <class T>
__device__ __forceinline__ void copy_items(const T* from, T* to, u64 n) {
  const Share share;
  if (from == nullptr) {
    for (u64 i = share.first; i < n; i += share.stride) to[i] = counting_value<T>(i);
    return;
  }
  if constexpr (sizeof(T) < 16) {
    if (((reinterpret_cast<u64>(from) | reinterpret_cast<u64>(to)) & 15) == 0) {
      constexpr u32 kPack = 16 / sizeof(T);
      copy_items(reinterpret_cast<const ulonglong2*>(from), reinterpret_cast<ulonglong2*>(to), n / kPack);
      const u64 i = n / kPack * kPack + share.first;
      if (i < n) to[i] = load(from + i);
      return;
    }
  }
  u64 i = share.first;
  for (; i + 3 * share.stride < n; i += 4 * share.stride) {
    T x[4];
#pragma unroll
    for (u32 j = 0; j < 4; ++j) x[j] = load(from + i + j * share.stride);
#pragma unroll
    for (u32 j = 0; j < 4; ++j) to[i + j * share.stride] = x[j];
  }
  for (; i < n; i += share.stride) to[i] = load(from + i);
}

// Keys that fall strictly have no ties, so reversing them is a stable sort.
template <class T>
__device__ __forceinline__ void reverse_items(const T* from, T* to, u64 n) {
  const Share share;
  if (from == nullptr) {
    for (u64 i = share.first; i < n; i += share.stride) to[i] = counting_value<T>(n - 1 - i);
  } else if (from != to) {
    for (u64 i = share.first; i < n; i += share.stride) to[i] = load(from + (n - 1 - i));
  } else {
    for (u64 i = share.first; i < n / 2; i += share.stride) {
      const T low = load(from + i), high = load(from + (n - 1 - i));
      to[i] = high;
      to[n - 1 - i] = low;
    }
  }
}

// Writes runs of equal keys: run r is [begin(r), begin(r + 1)), runs of them up to n, each of key_of(r). Threads write
// 16 bytes at a time and look for the run of the first key only.
template <class K, class Begin, class KeyOf>
__device__ __forceinline__ void fill_runs(K* to, u64 n, u32 runs, const Begin& begin, const KeyOf& key_of) {
  constexpr u32 kPack = 16 / sizeof(K), kFillRows = 8;  // packs a thread between two searches of the block's bounds
  __shared__ u32 bounds[2];
  const auto run_of = [&](u64 i, u32 low, u32 high) {  // the last run that begins at or before i
    while (low + 1 < high) {
      const u32 middle = (low + high) / 2;
      if (begin(middle) <= i)
        low = middle;
      else
        high = middle;
    }
    return low;
  };
  const u64 misplaced = reinterpret_cast<u64>(to) % 16 / sizeof(K), head = misplaced == 0 ? 0 : kPack - misplaced,
            from = head < n ? head : n;
  const Share share;
  const u64 packs = (n - from) / kPack, rest = from + packs * kPack;
  const u32 chunk = kFillRows * blockDim.x;
  for (u64 first = u64{blockIdx.x} * chunk; first < packs; first += u64{gridDim.x} * chunk) {
    const u64 last = first + chunk < packs ? first + chunk : packs;
    __syncthreads();  // the bounds are read
    if (threadIdx.x < 2)
      bounds[threadIdx.x] = run_of(from + (threadIdx.x == 0 ? first : last) * kPack - threadIdx.x, 0, runs);
    __syncthreads();
    for (u64 pack = first + threadIdx.x; pack < last; pack += blockDim.x) {
      u64 i = from + pack * kPack;
      u32 run = run_of(i, bounds[0], bounds[1] + 1);
      u64 end = begin(run + 1);
      K here = key_of(run), key[kPack];
#pragma unroll
      for (u32 j = 0; j < kPack; ++j, ++i) {
        if (i >= end) {
          do end = begin(++run + 1);
          while (i >= end);
          here = key_of(run);
        }
        key[j] = here;
      }
      uint4 x;
      memcpy(&x, key, 16);
      *reinterpret_cast<uint4*>(to + from + pack * kPack) = x;
    }
  }
  // What stands before and behind whole packs.
  if (share.first < from) to[share.first] = key_of(run_of(share.first, 0, runs));
  if (rest + share.first < n) to[rest + share.first] = key_of(run_of(rest + share.first, 0, runs));
}

// The same for items of 1, 2, 4, 8 or 16 bytes; none of 0.
template <class Move>
__device__ __forceinline__ void by_width(u32 item_bytes, const Move& move) {
  switch (item_bytes) {
    case 1:
      return move(u8{});
    case 2:
      return move(u16{});
    case 4:
      return move(u32{});
    case 8:
      return move(u64{});
    case 16:
      return move(ulonglong2{});
    default:
      return;
  }
}
__device__ __forceinline__ void copy_items(const void* from, void* to, u32 item_bytes, u64 n) {
  by_width(item_bytes, [&](auto item) {
    copy_items(static_cast<const decltype(item)*>(from), static_cast<decltype(item)*>(to), n);
  });
}
__device__ __forceinline__ void reverse_items(const void* from, void* to, u32 item_bytes, u64 n) {
  by_width(item_bytes, [&](auto item) {
    reverse_items(static_cast<const decltype(item)*>(from), static_cast<decltype(item)*>(to), n);
  });
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
