// How the quantile map is made on the device: counts of a sample by cells, every block its own copy of the table, and
// a test on the sample whether the buckets would be even.
#pragma once
#include "kernels/cuda/survey.cuh"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// A thread's part of the sample: mapped keys, evenly apart over all.
template <class K>
struct Sample {
  K key[tune::kSamplesPerThread] = {};
  u32 count = 0;

  __device__ __forceinline__ void take(const K* keys, u64 n, const Order<K>& order) {
    const Share share;
    const u64 most = tune::kSamplesPerThread * share.stride, apart = n > most ? n / most : 1;
#pragma unroll
    for (u32 j = 0; j < tune::kSamplesPerThread; ++j) {
      const u64 i = (share.first + j * share.stride) * apart;
      if (i >= n) break;
      key[j] = load(keys + i);
      count = j + 1;
    }
#pragma unroll
    for (u32 j = 0; j < tune::kSamplesPerThread; ++j) key[j] = order.mapped(key[j]);
  }
  template <class Look>
  __device__ __forceinline__ void look(const Look& look) const {
#pragma unroll
    for (u32 j = 0; j < tune::kSamplesPerThread; ++j) {
      if (j < count) look(key[j]);
    }
  }
  __device__ __forceinline__ static u64 size(u64 n) {
    const u64 most = tune::kSamplesPerThread * Share().stride;
    return n < most ? n : most;
  }
};

// Adds the block's part of the sample to the counts of all. counts: kCells words of shared memory.
template <class K>
__device__ __forceinline__ void count_cells(const Sample<K>& sample, u32 lead, u32* counts, Buckets& b) {
  for (u32 i = threadIdx.x; i < kCells; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  sample.look([&](K m) { atomicAdd(&counts[QuantileMap<K>::cell_of(m, lead)], 1u); });
  __syncthreads();
  for (u32 i = threadIdx.x; i < kCells; i += blockDim.x) {
    if (counts[i] != 0) atomicAdd(&b.cell_count[i], counts[i]);
  }
}

// One key a thread of a block of 1024: how many fall on a bit that another one has set. Different keys do so 16 times
// or so; more means that some keys are had by many. bits: kMeetingBits of shared memory, zero.
constexpr u32 kMeetingBits = 32768;  // 15 bits of a hash
template <class K>
__device__ __forceinline__ u32 count_meetings(K m, u32* bits) {
  const u32 hash = static_cast<u32>((static_cast<u64>(m) * 0x9e3779b97f4a7c15ull) >> 49);
  return __syncthreads_count((atomicOr(&bits[hash / 32], 1u << (hash & 31)) >> (hash & 31) & 1u) != 0);
}

// A block of 1024 makes the table for itself from the counts; the first block of the grid also for later kernels.
__device__ __forceinline__ void make_cells(Buckets& b, u32 bits, u32* begins) {
  static_assert(tune::kPrepareThreads * 2 == kCells);
  __shared__ u32 sums[tune::kPrepareThreads / 32], whole;
  const u32 t = threadIdx.x, weight[2] = {cell_weight(load(&b.cell_count[2 * t])),
                                          cell_weight(load(&b.cell_count[2 * t + 1]))};
  const u32 before = exclusive_scan_threads<tune::kPrepareThreads>(weight[0] + weight[1], sums);
  if (t + 1 == tune::kPrepareThreads) whole = before + weight[0] + weight[1];
  __syncthreads();
  const u64 scale = position_scale(whole, bits);
  const u32 begin = position_at(before, scale), middle = position_at(before + weight[0], scale),
            end = position_at(before + weight[0] + weight[1], scale);
  begins[2 * t] = begin;
  begins[2 * t + 1] = middle;
  if (t + 1 == tune::kPrepareThreads) begins[kCells] = end;
  if (blockIdx.x == 0) {
    b.cell_begin[2 * t] = begin;
    b.cell_begin[2 * t + 1] = middle;
    if (t + 1 == tune::kPrepareThreads) b.cell_begin[kCells] = end;
  }
  __syncthreads();  // the table
}

// The table that an earlier kernel made, kCells + 4 words. Needs a barrier after it.
__device__ __forceinline__ void load_cells(const Buckets& b, u32* begins) {
  for (u32 i = threadIdx.x; i < kCells / 4 + 1; i += blockDim.x)
    reinterpret_cast<uint4*>(begins)[i] = __ldcg(reinterpret_cast<const uint4*>(b.cell_begin) + i);
}

// All but the first and the one past the last, which are known once all keys have been seen.
template <class K>
__device__ __forceinline__ void note_lowest_keys(const QuantileMap<K>& map, u32 bits, K prefix, K* lowest) {
  const Share share;
  for (u64 i = share.first + 1; i < u64{1} << bits; i += share.stride)
    lowest[i] = map.lowest_key_of(static_cast<u32>(i), 1u << bits, prefix);
}

// Even buckets let so many pairs of a block's sample meet in one; half as many again are a crowd. The answer is the
// block's own. counters: two of 16 bits a word, as count_buckets has them.
template <class K>
__device__ __forceinline__ bool sample_is_crowded(const Sample<K>& sample, const QuantileMap<K>& map, u32 bits,
                                                  u32* counters) {
  __shared__ u32 meetings, looked;
  const u32 half = 1u << (bits - 1);
  for (u32 i = threadIdx.x; i < half; i += blockDim.x) counters[i] = 0;
  if (threadIdx.x == 0) meetings = looked = 0;
  __syncthreads();
  u32 met = 0, seen = sample.count;
  sample.look([&](K m) {
    const u32 bucket = map.position_of(m) >> kPositionBits;
    const u32 old = atomicAdd(&counters[bucket & (half - 1)], bucket < half ? 1u : 65536u);
    met += bucket < half ? old & 0xffffu : old >> 16;
  });
  __syncwarp();  // the sums are the whole warp's
  met = __reduce_add_sync(kFullWarp, met);
  seen = __reduce_add_sync(kFullWarp, seen);
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(&meetings, met);
    atomicAdd(&looked, seen);
  }
  __syncthreads();
  const float even = static_cast<float>(looked) * static_cast<float>(looked) / static_cast<float>(2u << bits);
  return static_cast<float>(meetings) > 1.5f * even + 64.0f;
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
