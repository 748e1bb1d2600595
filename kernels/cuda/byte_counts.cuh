// Keys of one byte that may stand for one another, up to a million: counted in shared memory and written by their counts,
// in one launch of one block or of one cluster, with no scratch.
#pragma once
#include "kernels/cuda/cluster.cuh"
#include "kernels/cuda/movement.cuh"
#include "kernels/cuda/survey.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

template <u32 kBlocks>
__device__ __forceinline__ void meet() {
  if constexpr (kBlocks == 1)
    __syncthreads();
  else
    cluster_barrier();
}

// Every lane counts in a column of its own, so that equal keys do not queue at one counter.
template <u32 kBlocks>
__device__ __forceinline__ void sort_bytes(const SortParams& p) {
  constexpr u32 kColumns = 32, kParts = tune::kByteThreads / kDigits;
  static_assert(kColumns % kParts == 0 && kParts <= 32);
  __shared__ __align__(16) u32 cells[kDigits * kColumns];
  __shared__ u32 counts[kDigits], begins[kDigits + 1], sums[8];
  const u32 t = threadIdx.x, n = static_cast<u32>(real_count(p.device_count, p.count));
  const Order<u8> order(p.order, 0, 8);
  for (u32 i = t; i < kDigits * kColumns / 4; i += blockDim.x) reinterpret_cast<uint4*>(cells)[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();  // counters are clear
  read_all(static_cast<const u8*>(p.keys.src), n,
           [&](u8 raw) { atomicAdd(&cells[u32{order.map.image(raw)} * kColumns | (t & 31)], 1u); });
  __syncthreads();  // all keys of the block are counted
  const u32 digit = t / kParts, part = t % kParts;
  u32 count = 0;
#pragma unroll
  for (u32 c = 0; c < kColumns / kParts; ++c)
    count += cells[digit * kColumns + part * (kColumns / kParts) + (c + digit) % (kColumns / kParts)];
#pragma unroll
  for (u32 apart = 1; apart < kParts; apart *= 2) count += __shfl_xor_sync(kFullWarp, count, apart);
  if (part == 0) counts[digit] = count;
  meet<kBlocks>();  // all blocks have counted, so nobody needs the source any more
  u32 here = 0;
  if (t < kDigits) {
    for (u32 r = 0; r < kBlocks; ++r) here += kBlocks == 1 ? counts[t] : load_of_block(&counts[t], r);
  }
  const u32 begin = exclusive_scan_256(here, sums);
  if (t < kDigits) begins[t] = begin;
  if (t == 0) begins[kDigits] = n;
  __syncthreads();  // begins
  fill_runs(
      static_cast<u8*>(p.keys.dst), n, kDigits, [&](u32 d) { return begins[d]; },
      [&](u32 d) { return order.map.restore(static_cast<u8>(d)); });
  meet<kBlocks>();  // nobody leaves while its counts are read
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
