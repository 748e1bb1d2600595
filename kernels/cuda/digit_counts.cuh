// Histograms of all digits of the keys in one read. Lanes count in columns of their own as far as shared memory goes,
// so that few of them meet in a bank or at a counter. Prior art: lane-private histograms (Podlozhnyuk 2007).
#pragma once
#include "kernels/cuda/survey.cuh"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// The cell of a digit is put together from its shifted bits and the column: arithmetic is what bounds this.
template <u32 kColumns, class K>
__device__ __forceinline__ void count_key(u32* cells, u32 column, K m, u32 digits) {
  constexpr u32 kStep = 31 - __builtin_clz(kColumns);
#pragma unroll
  for (u32 d = 0; d < sizeof(K); ++d) {
    const u32 shifted =
        8 * d >= kStep ? static_cast<u32>(m >> (8 * d - kStep)) : static_cast<u32>(m) << (kStep - 8 * d);
    if (digits >> d & 1) atomicAdd(&cells[d * kDigits * kColumns + ((shifted & 255u << kStep) | column)], 1u);
  }
}

// Adds the counts of these digits to the control block, and what else one read says: varying bits and specials.
// cells: 256 * kColumns words for each byte of a key.
template <u32 kColumns, class K>
__device__ __forceinline__ void count_digits(const SortParams& p, u64 n, const Order<K>& order, u32 digits,
                                             u32* cells) {
  constexpr u32 kPlaces = sizeof(K), kWords = kPlaces * kDigits;
  const u32 t = threadIdx.x;
  for (u32 i = t; i < kWords * kColumns; i += blockDim.x) cells[i] = 0;
  __syncthreads();
  const u32 column = t % kColumns;
  const K* const keys = static_cast<const K*>(p.keys.src);
  K varying = 0;
  bool special = false;
  const bool whole = order.begin == 0 && order.end == sizeof(K) * 8 && order.map.truth_mask == 0;
  if (whole && order.plain) {
    const K first = order.map.image(load(keys));
    read_all(keys, n, [&](K raw) {
      const K m = order.map.image(raw);
      varying |= m ^ first;
      count_key<kColumns>(cells, column, m, digits);
    });
  } else {
    const K first = order.field(load(keys));
    read_all(keys, n, [&](K raw) {
      const bool exception = order.map.special(raw);
      K m = whole ? order.map.image(raw) : order.field(raw);
      if (exception && whole) m = order.map.map(raw);
      special |= exception;
      varying |= m ^ first;
      count_key<kColumns>(cells, column, m, digits);
    });
  }
  __syncwarp();  // or_into is the whole warp's
  or_into(&p.control->varying, varying);
  if (__syncthreads_or(special) && t == 0) atomicOr(&p.control->specials, 1u);
  for (u32 w = t; w < order.passes() * kDigits; w += blockDim.x) {
    u32 sum = 0;
#pragma unroll
    for (u32 c = 0; c < kColumns; ++c) sum += cells[w * kColumns + (c + t) % kColumns];
    if (sum != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(&p.control->histogram[0][0]) + w,
                static_cast<unsigned long long>(sum));
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
