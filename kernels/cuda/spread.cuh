// Splits keys and their values into buckets by one digit, stably, over the whole input or over the segments of the
// first split. The first split maps the keys and makes the indices.
#pragma once
#include "kernels/cuda/bucket_split.cuh"
#include "kernels/cuda/onesweep.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

template <tune::Shape S>
__device__ __forceinline__ void spread_pairs(const BucketParams& p) {
  using Split = TileSplit<S>;
  using K = typename Split::K;
  using V = typename Split::V;
  extern __shared__ __align__(16) unsigned char room[];
  __shared__ typename Split::Shared shared;
  __shared__ Stretch stretch;
  constexpr bool kQuantiles = tune::takes_quantiles(S.key_bytes, S.value_bytes);
  __shared__ __align__(16) u32 cells[kQuantiles ? kCells + 4 : 1];
  const u32 taken = load(&p.control->finished);
  if (!by_buckets(taken)) return;
  Split split{shared, room};
  if (threadIdx.x == 0) shared.ticket = atomicAdd(&p.buckets->ticket[p.step], 1u);
  split.clear_counters();
  if (kQuantiles && taken == kByQuantiles) load_cells(*p.buckets, cells);
  __syncthreads();  // the ticket; counters are clear; the table
  const u32 tile = shared.ticket;
  if (!find_stretch(p, tile, &stretch)) return;
  const u32 start = stretch.begin + (tile - stretch.first_tile) * S.tile(), end = stretch.end;
  if (start >= end) return;
  const u32 bits = p.step == 0 ? p.bits - p.second_bits : p.second_bits, mask = (1u << bits) - 1;
  if (threadIdx.x == 0) {
    TileJob<K, V>& job = shared.job;
    job.keys_from = static_cast<const K*>(p.keys_from);
    job.keys_to = static_cast<K*>(p.keys_to);
    job.values_from = static_cast<const V*>(p.values_from);
    job.values_to = static_cast<V*>(p.values_to);
    job.start = start;
    // The words of the second split stand behind those of the first.
    job.lookback = p.lookback + (p.step == 0 ? 0 : p.lookback_words / 2) + u64{tile} * kDigits;
    job.count = min(S.tile(), end - start);
    job.epoch = 0;
    job.first = tile == stretch.first_tile;
    job.wide = job.skewed = job.raw = false;
    job.held = is_held(tile, p.hold_every);
    job.enter = Order<K>(p.order, 0, sizeof(K) * 8).map;
    job.leave = {};
  }
  __syncthreads();  // the job
  const u64 ahead = u64{gridDim.x < tune::kAhead ? gridDim.x : tune::kAhead} * S.tile();
  const u32* const digit_begin =
      p.step == 0 ? p.buckets->segment_begin : p.buckets->cursor + stretch.segment * (mask + 1);
  const auto begin = [&](u32 t) { return u64{load(digit_begin + t)}; };
  const auto same_tile = [&] { return tile; };
  const u32 shift = load(&p.buckets->shift) + (p.step == 0 ? p.second_bits : 0);
  const u64 prefetched = start + ahead + S.tile() <= end ? ahead : 0;
  if (!kQuantiles || taken == kByBuckets) {
    split.split([](K x) { return x; }, KeyOrder<K>{}, begin, same_tile, shift, mask, prefetched);
  } else if constexpr (kQuantiles) {
    const QuantileMap<K> map{cells, load(&p.buckets->lead)};
    TileSplit<S, true>{shared, room}.split([&](K x) { return map.position_of(x); }, KeyOrder<K>{}, begin, same_tile, shift, mask, prefetched);
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
