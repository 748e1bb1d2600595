// The first kernel of a sort by buckets for middle sizes: what prepare_buckets does by top bits, by one cluster in one
// ordinary launch. It clears what later kernels read, so nothing need be cleared before it.
//
// Blocks add up their 256 counts through each other's shared memory; the first of them decides.
#pragma once
#include "kernels/cuda/buckets.cuh"
#include "kernels/cuda/cluster.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// Counts by 8 bits above `shift`, and what else one read of the keys says.
template <class K, class Count>
__device__ __forceinline__ void read_share(const K* keys, u32 n, const Order<K>& order, bool ties_fall, K first,
                                           Control* control, const Count& count) {
  constexpr u32 kPack = 16 / sizeof(K), kUnroll = 2;
  u64 varying = 0;
  u32 disorder = 0;
  bool special = false;
  const auto look = [&](K* key, u32 at, u32 length) {
#pragma unroll
    for (u32 j = 0; j < kPack; ++j) {
      if (j >= length) break;
      special |= order.map.special(key[j]);
      key[j] = order.mapped(key[j]);
      varying |= static_cast<u64>(key[j] ^ first);
      count(key[j]);
    }
    if (disorder == (kNotAscending | kNotDescending)) return;
#pragma unroll
    for (u32 j = 0; j + 1 < kPack; ++j) {
      if (j + 1 < length) disorder |= disorder_of(key[j], key[j + 1], ties_fall);
    }
    if (at + length < n) disorder |= disorder_of(key[length - 1], order.mapped(keys[at + length]), ties_fall);
  };
  const Share share;
  const u32 packs = n / kPack, stride = static_cast<u32>(share.stride);
  u32 i = static_cast<u32>(share.first);
  for (; i + (kUnroll - 1) * stride < packs; i += kUnroll * stride) {
    K key[kUnroll * kPack];
#pragma unroll
    for (u32 j = 0; j < kUnroll; ++j) load_pack(keys + u64{i + j * stride} * kPack, key + j * kPack);
#pragma unroll
    for (u32 j = 0; j < kUnroll; ++j) look(key + j * kPack, (i + j * stride) * kPack, kPack);
  }
  for (; i < packs; i += stride) {
    K key[kPack];
    load_pack(keys + u64{i} * kPack, key);
    look(key, i * kPack, kPack);
  }
  const u32 rest = packs * kPack + static_cast<u32>(share.first);
  if (rest < n) {
    K key[kPack] = {keys[rest]};
    look(key, rest, 1);
  }
  __syncwarp();  // or_into is the whole warp's
  or_into(&control->varying, varying);
  disorder = __reduce_or_sync(kFullWarp, disorder | (special ? 4u : 0u));
  if ((threadIdx.x & 31) != 0) return;
  if ((disorder & 3u) != 0) atomicOr(&control->disorder, disorder & 3u);  // flags only rise
  if ((disorder & 4u) != 0) atomicOr(&control->specials, 1u);
}

template <class K>
__device__ __forceinline__ void prepare_by_cluster(const BucketParams& p) {
  constexpr u32 kCopies = 8;
  __shared__ u32 cells[kCopies][kDigits], counts[kDigits], sums[8];
  const u32 t = threadIdx.x, n = static_cast<u32>(real_count(p.device_count, p.count));
  const Order<K> order(p.order, 0, sizeof(K) * 8);
  const K* const keys = static_cast<const K*>(p.keys_from);
  Buckets& b = *p.buckets;
  const Share share;
  for (u32 i = t; i < kCopies * kDigits; i += blockDim.x) (&cells[0][0])[i] = 0;
  for (u64 i = share.first; i < sizeof(Control) / 4; i += share.stride)
    __stcg(reinterpret_cast<u32*>(p.control) + i, 0u);
  for (u64 i = share.first; i < offsetof(Buckets, segment_begin) / 4; i += share.stride)
    __stcg(reinterpret_cast<u32*>(&b) + i, 0u);
  for (u64 i = share.first; i < p.lookback_words; i += share.stride) __stcg(p.lookback + i, 0u);
  const K first = n == 0 ? K{0} : order.mapped(load(keys)), sample = n == 0 ? K{0} : order.mapped(sample_key(keys, n));
  cluster_barrier();  // the control block is zero
  if (n == 0) return;
  or_into(&p.control->sampled, static_cast<u64>(sample ^ first));
  cluster_barrier();  // the sample of all
  const u64 sampled = load(&p.control->sampled);
  const u32 above = 64 - __clzll(static_cast<long long>(sampled)), shift = above > 8 ? above - 8 : 0;
  u32* const mine = cells[(t >> 5) % kCopies];
  read_share(keys, n, order, p.whole_keys != 0 && order.plain, first, p.control,
             [&](K m) { atomicAdd(&mine[static_cast<u32>(m >> shift) & 255u], 1u); });
  __syncthreads();  // the block's counts
  if (t < kDigits) {
    u32 sum = 0;
#pragma unroll
    for (u32 c = 0; c < kCopies; ++c) sum += cells[c][t];
    counts[t] = sum;
  }
  cluster_barrier();  // counts and findings of all blocks
  if (cluster_rank() == 0) {
    u32 here = 0;
    if (t < kDigits) {
      for (u32 r = 0; r < gridDim.x; ++r) here += load_of_block(&counts[t], r);
    }
    const u32 begin = exclusive_scan_256(here, sums);
    if (t < kDigits) b.cursor[t] = b.segment_begin[t] = begin;
    const u32 over_room = __syncthreads_count(here > p.room);
    const bool too_large = __syncthreads_or(here > p.most_room) || !fits(p, 0, over_room);
    const u64 varying = load(&p.control->varying), low = varying & ((u64{1} << shift) - 1);
    const bool fill = p.whole_keys != 0 && low == 0;
    const bool suits = load(&p.control->specials) == 0 &&
                       load(&p.control->disorder) == (kNotAscending | kNotDescending) &&
                       (above >= 64 || varying >> above == 0) && sampled != 0;
    if (t == 0 && suits && (fill || (!too_large && __popcll(low) >= tune::kFewestLowBits))) {
      b.cursor[kDigits] = n;
      b.shift = shift;
      b.count = kDigits;
      // What the bucket's number leaves out: the bits above it, and where keys are filled in the ones below.
      b.prefix = (above < 64 ? static_cast<u64>(first) >> above << above : 0) |
                 (fill ? static_cast<u64>(first) & ((u64{1} << shift) - 1) : 0);
      p.control->finished = fill ? kByCounts : kByBuckets;
    }
  }
  cluster_barrier();  // nobody leaves while its counts are read
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
