// Splits keys and their values into buckets by one digit, stably: onesweep.cuh's steps over the whole input or over the
// segments of the first split, keys and values staged side by side. The first split maps the keys and makes the indices.
#pragma once
#include "kernels/cuda/bucket_split.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

template <tune::Shape S>
__device__ __forceinline__ void spread_pairs(const BucketParams& p) {
  using K = Unsigned<S.key_bytes>;
  using V = Unsigned<S.value_bytes>;
  constexpr u32 kThreads = S.threads, kItems = S.items, kTile = S.tile(), kWarps = kThreads / 32;
  constexpr u32 kPartial = 1u << 30, kTotal = 2u << 30, kCount = kPartial - 1;
  extern __shared__ __align__(16) unsigned char room[];
  u32* const counters = reinterpret_cast<u32*>(room);
  K* const stage = reinterpret_cast<K*>(room);
  V* const value_stage = reinterpret_cast<V*>(room + kTile * sizeof(K));
  __shared__ u32 base[kDigits], sums[8], ticket;
  __shared__ Stretch stretch;
  const u32 t = threadIdx.x, warp = t >> 5, lane = t & 31, mine = warp * 32 * kItems + lane, below = (1u << lane) - 1;
  if (load(&p.control->finished) != kByBuckets) return;
  // take_tile
  if (t == 0) ticket = atomicAdd(&p.buckets->ticket[p.step], 1u);
  for (u32 i = t; i < kWarps * 2 * kDigits / 4; i += kThreads) reinterpret_cast<uint4*>(counters)[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();  // the ticket; counters and masks are zero
  const u32 tile = ticket;
  if (!find_stretch(p, tile, &stretch)) return;
  const u32 in_stretch = tile - stretch.first_tile, start = stretch.begin + in_stretch * kTile, end = stretch.end;
  if (start >= end) return;
  const u32 count = min(kTile, end - start);
  const bool full = count == kTile;
  const u32 bits = p.step == 0 ? p.bits - p.second_bits : p.second_bits, mask = (1u << bits) - 1;
  const u32* const digit_begin = p.step == 0 ? p.buckets->segment_begin : p.buckets->cursor + stretch.segment * (mask + 1);
  // The words of the second split stand behind those of the first.
  u32* const lookback = p.lookback + (p.step == 0 ? 0 : p.lookback_words / 2);
  const Order<K> order(p.order, 0, sizeof(K) * 8);
  // load_keys
  const K* const from = static_cast<const K*>(p.keys_from) + start + mine;
  const V* const values = static_cast<const V*>(p.values_from);
  K key[kItems];
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) key[j] = full || mine + j * 32 < count ? order.map.image(__ldcs(from + j * 32)) : static_cast<K>(~K{0});
  if (t == 0 && full) {
    const u64 later = u64{start} + u64{gridDim.x < tune::kAhead ? gridDim.x : tune::kAhead} * kTile;
    if (values != nullptr) prefetch_l2(values + start, kTile * sizeof(V));
    if (later + kTile <= end) prefetch_l2(static_cast<const K*>(p.keys_from) + later, kTile * sizeof(K));
  }
  u32 shift = load(&p.buckets->shift) + (p.step == 0 ? p.second_bits : 0);
  const auto digit = [&](K x) { return static_cast<u32>(x >> shift) & mask; };
  // rank_keys. Places past the end are all ones: last in the tile and of the highest digit, so behind every real key.
  u32 ranks[kItems / 2] = {};
  const auto rank_at = [&](u32 j) { return j % 2 ? ranks[j / 2] >> 16 : ranks[j / 2] & 0xffffu; };
  u32* const row = counters + warp * kDigits;
  u32* const masks = counters + (kWarps + warp) * kDigits;
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) {
    const u32 d = full || mine + j * 32 < count ? digit(key[j]) : mask;
    atomicOr(&masks[d], 1u << lane);
    __syncwarp();  // the mask is whole
    const u32 same = masks[d], before = row[d];
    __syncwarp();  // all have read mask and counter
    const u32 rank = before + __popc(same & below);
    if (same >> lane == 1u) {
      row[d] = rank + 1;
      masks[d] = 0;
    }
    __syncwarp();  // the counter has moved on
    ranks[j / 2] = j % 2 ? ranks[j / 2] | rank << 16 : rank;
  }
  __syncthreads();  // every warp's counters
  // publish_counts
  u32 here = 0, real = 0;
  if (t < kDigits) {
#pragma unroll
    for (u32 w = 0; w < kWarps; ++w) here += counters[w * kDigits + t];
    real = t == mask ? here - (kTile - count) : here;
    // The word is count and state at once, so no order with other memory is needed.
    __stcg(&lookback[u64{tile} * kDigits + t], real | (in_stretch == 0 ? kTotal : kPartial));
  }
  const u32 before = exclusive_scan_256(here, sums);
  if (t < kDigits) {
    u32 run = before;
#pragma unroll
    for (u32 w = 0; w < kWarps; ++w) {
      const u32 x = counters[w * kDigits + t];
      counters[w * kDigits + t] = run;
      run += x;
    }
  }
  __syncthreads();  // counters now say where a warp's keys of a digit start in the tile
  // stage_keys: digits are computed anew, registers are for keys and ranks
  shift = opaque(shift);
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) {
    const u32 at = row[full || mine + j * 32 < count ? digit(key[j]) : mask];
    ranks[j / 2] += j % 2 ? at << 16 : at;
  }
  __syncthreads();  // the counters give way to the stage
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) stage[rank_at(j)] = key[j];
  V value[kItems];
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) {
    if (full || mine + j * 32 < count) value[j] = values == nullptr ? static_cast<V>(start + mine + j * 32) : __ldcs(values + start + mine + j * 32);
  }
  // look_back
  if (t <= mask) {
    u32 sum = 0;
    if (in_stretch != 0) {
      const volatile u32* word = lookback + u64{tile - 1} * kDigits + t;
      for (;;) {
        const u32 x = *word;
        if (x < kPartial) continue;
        sum += x & kCount;
        if (x >= kTotal) break;
        word -= kDigits;
      }
      __stcg(&lookback[u64{tile} * kDigits + t], (sum + real) | kTotal);
    }
    base[t] = load(digit_begin + t) + sum - before;
  }
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) value_stage[rank_at(j)] = value[j];
  __syncthreads();  // both stages and the bases
  // scatter_keys, move_values
  K* const keys_to = static_cast<K*>(p.keys_to);
  V* const values_to = static_cast<V*>(p.values_to);
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) {
    const u32 i = j * kThreads + t;
    if (full || i < count) {
      const K x = stage[i];
      const u32 to = base[digit(x)] + i;
      keys_to[to] = x;
      values_to[to] = value_stage[i];
    }
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
