// The place of a key among the keys of its digit in a warp: the step that both radix rungs share.
#pragma once
#include "bench/ladder/cuda/launch.cuh"

namespace lanesort::bench::device {

constexpr u32 kWarp = 32, kAllLanes = 0xFFFFFFFF;

// Which lanes hold this digit: after each bit only those are left that agree in it. All lanes call it; `there` says which
// of them have a key. Of a lane without one the result means nothing.
template <u32 kBits>
__device__ u32 lanes_of_digit(u32 digit, bool there) {
  u32 lanes = __ballot_sync(kAllLanes, there);
  for (u32 bit = 0; bit < kBits; ++bit) {
    const u32 ones = __ballot_sync(kAllLanes, digit >> bit & 1);
    lanes &= digit >> bit & 1 ? ones : ~ones;
  }
  return lanes;
}

__device__ inline u32 lanes_below() { return (1u << threadIdx.x % kWarp) - 1; }

}  // namespace lanesort::bench::device
