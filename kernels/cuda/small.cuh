// One block sorts everything it can hold: by bins where keys suit them (small_bins.cuh), else by passes with keys and
// values in shared memory between them; digits that do not vary are skipped. The ranking is onesweep.cuh's, without
// look-back.
#pragma once
#include "kernels/cuda/small_bins.cuh"
#include "kernels/cuda/words.cuh"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

template <tune::Shape S>
__device__ __forceinline__ void sort_small(const SortParams& p) {
  using K = Unsigned<S.key_bytes>;
  using V = Unsigned<S.value_bytes>;
  constexpr u32 kThreads = S.threads, kItems = S.items, kWarps = S.warps(), kTile = S.tile();
  constexpr bool kHasValues = S.value_bytes != 0;
  extern __shared__ __align__(16) unsigned char room[];
  __shared__ u32 sums[8];
  __shared__ unsigned long long ones, zeros;
  u32* const counters = reinterpret_cast<u32*>(room);
  K* const stage = reinterpret_cast<K*>(room);
  V* const value_stage = reinterpret_cast<V*>(room + (kTile * sizeof(K) + 15) / 16 * 16);

  const u32 n = static_cast<u32>(real_count(p.device_count, p.count));
  const u32 t = threadIdx.x, warp = t >> 5, lane = t & 31, below = (1u << lane) - 1, mine = warp * 32 * kItems + lane;
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  const auto valid = [&](u32 j) { return mine + j * 32 < n; };

  K key[kItems];
  V value[kHasValues ? kItems : 1];
  u64 some = 0, lacks = 0;
  if (t == 0) ones = zeros = 0;
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) {
    key[j] = valid(j) ? load(static_cast<const K*>(p.keys.src) + mine + j * 32) : K{0};
    if (valid(j)) {
      const u64 field = order.field(key[j]);
      some |= field;
      lacks |= ~field;
    }
  }
  if constexpr (kHasValues) {
    const V* const from = static_cast<const V*>(p.values.src);
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (valid(j)) value[j] = from == nullptr ? counting_value<V>(mine + j * 32) : load(from + mine + j * 32);
    }
  }
  bool special = false;
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) special |= !order.plain && valid(j) && order.map.special(key[j]);
  // Carried mapped, and restored at the end, unless some key needs the map's exceptions.
  const bool exceptions = __syncthreads_or(special);  // and ones and zeros are set
  const bool mapped = order.map.truth_mask == 0 && !exceptions;
  if (mapped) {
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) key[j] = order.map.image(key[j]);
  }
  bool done = false;
  if constexpr (tune::small_by_bins(S)) {
    const bool whole = order.begin == 0 && order.end == sizeof(K) * 8;
    done = mapped && whole && SmallBins<S>{room, n}.sort(order.map, key, value);
    __syncthreads();  // the bins give way to the counters
  }
  for (u32 half = 0; half < 64; half += 32) {
    const u32 has = __reduce_or_sync(kFullWarp, static_cast<u32>(some >> half)),
              misses = __reduce_or_sync(kFullWarp, static_cast<u32>(lacks >> half));
    if (lane == 0 && has != 0) atomicOr(&ones, static_cast<unsigned long long>(has) << half);
    if (lane == 0 && misses != 0) atomicOr(&zeros, static_cast<unsigned long long>(misses) << half);
  }
  __syncthreads();
  const u64 varying = done ? 0 : ones & zeros;

  for (u32 pass = 0; pass < order.passes(); ++pass) {
    if ((varying >> (8 * pass) & 255) == 0) continue;
    const Digit digit(order, pass);
    for (u32 i = t; i < kWarps * 2 * kDigits / 4; i += kThreads)
      reinterpret_cast<uint4*>(room)[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();  // counters and masks are zero
    u32 rank[kItems], place[kItems];
    u32* const row = counters + warp * kDigits;
    u32* const masks = counters + (kWarps + warp) * kDigits;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const K m = mapped ? key[j] : order.map.map(key[j]);
      const u32 d = valid(j) ? static_cast<u32>(m >> digit.shift) & digit.mask : kDigits - 1;
      atomicOr(&masks[d], 1u << lane);
      __syncwarp();  // the mask is whole
      const u32 mask = masks[d], before = row[d];
      __syncwarp();  // all have read mask and counter
      rank[j] = before + __popc(mask & below);
      place[j] = d;
      if (mask >> lane == 1u) {
        row[d] = rank[j] + 1;
        masks[d] = 0;
      }
      __syncwarp();  // the counter has moved on
    }
    __syncthreads();
    u32 sum = 0;
    if (t < kDigits) {
      for (u32 w = 0; w < kWarps; ++w) sum += counters[w * kDigits + t];
    }
    u32 run = exclusive_scan_256(sum, sums);
    if (t < kDigits) {
      for (u32 w = 0; w < kWarps; ++w) {
        const u32 here = counters[w * kDigits + t];
        counters[w * kDigits + t] = run;
        run += here;
      }
    }
    __syncthreads();  // counters now say where a warp's keys of a digit start
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) rank[j] += row[place[j]];
    __syncthreads();  // the counters give way to the stage
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      stage[rank[j]] = key[j];
      if constexpr (kHasValues) value_stage[rank[j]] = value[j];
    }
    __syncthreads();
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      key[j] = stage[mine + j * 32];
      if constexpr (kHasValues) value[j] = value_stage[mine + j * 32];
    }
    __syncthreads();  // the stage gives way to the counters
  }
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) {
    if (valid(j)) {
      if (p.keys.dst != nullptr)
        static_cast<K*>(p.keys.dst)[mine + j * 32] = mapped ? order.map.restore(key[j]) : key[j];
      if constexpr (kHasValues) static_cast<V*>(p.values.dst)[mine + j * 32] = value[j];
    }
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
