// Is the input in order already, or in strictly falling order? Blocks look at it in turn and stop when anybody has
// seen that it is neither, so random input costs a few microseconds and sorted input one read.
#pragma once
#include "kernels/cuda/words.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

template <u32 kThreads, class K>
__device__ __forceinline__ void survey(const K* keys, u64 n, const Order<K>& order, Control* control) {
  constexpr u32 kRows = 8;
  const u64 stride = u64{gridDim.x} * kThreads * kRows;
  for (u64 begin = u64{blockIdx.x} * kThreads * kRows; begin < n; begin += stride) {
    u32 seen = 0;
#pragma unroll
    for (u32 j = 0; j < kRows; ++j) {
      const u64 i = begin + j * kThreads + threadIdx.x;
      if (i != 0 && i < n) {
        const u64 before = order.field(load(keys + i - 1)), here = order.field(load(keys + i));
        seen |= (before > here ? kNotAscending : 0) | (before <= here ? kNotDescending : 0);
      }
    }
    const u32 known = *reinterpret_cast<volatile u32*>(&control->disorder);
    const u32 news = __reduce_or_sync(kFullWarp, seen) & ~known;
    if (news != 0 && (threadIdx.x & 31) == 0) atomicOr(&control->disorder, news);  // flags only rise: no order needed
    if (__syncthreads_and((known | seen) == (kNotAscending | kNotDescending))) break;
    if (__syncthreads_or(known == (kNotAscending | kNotDescending))) break;
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
