// Movement without ranking: copies, indices that count up, reversal. Every block of a grid takes its share.
#pragma once
#include "kernels/cuda/words.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// from null: values that count up.
template <class T> __device__ __forceinline__ void copy_items(const T* from, T* to, u64 n) {
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
template <class T> __device__ __forceinline__ void reverse_items(const T* from, T* to, u64 n) {
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

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
