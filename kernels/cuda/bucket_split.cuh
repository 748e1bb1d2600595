// Splits keys into buckets by one digit, for keys that are interchangeable: a tile takes its space in a bucket by one
// atomic a digit and owns it, so tiles may come in any order and nothing waits. The first split maps the keys.
#pragma once
#include "kernels/cuda/buckets.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// The stretch of keys that a tile is to split: all of them, or a part of one segment of the first split.
struct Stretch {
  u32 segment, begin, end, first_tile;
};

// False where there is no such tile.
__device__ __forceinline__ bool find_stretch(const BucketParams& p, u32 tile, Stretch* shared) {
  const Buckets& b = *p.buckets;
  const u32 t = threadIdx.x;
  if (p.step == 0) {
    if (t == 0) *shared = {0, 0, static_cast<u32>(real_count(p.device_count, p.count)), 0};
  } else {
    const u32 segments = 1u << (p.bits - p.second_bits);
    if (t < segments) {
      const u32 here = load(&b.segment_tile[t]), next = load(&b.segment_tile[t + 1]);
      if (here <= tile && tile < next) *shared = {t, load(&b.segment_begin[t]), load(&b.segment_begin[t + 1]), here};
      if (t + 1 == segments && tile >= next) shared->segment = ~0u;
    }
  }
  __syncthreads();  // the stretch
  return shared->segment != ~0u;
}

// number_of(mapped key): digits are its bits from `shift` on. kKeep: it costs more than registers for the digits, four
// in each.
template <tune::Shape S, bool kKeep, class NumberOf>
__device__ __forceinline__ void split_stretch(const BucketParams& p, const Stretch& stretch, u32* place,
                                              const NumberOf& number_of, u32 shift) {
  using K = Unsigned<S.key_bytes>;
  constexpr u32 kThreads = S.threads, kItems = S.items, kTile = S.tile(), kPack = 16 / sizeof(K),
                kAlign = 128 / sizeof(K);
  extern __shared__ __align__(16) unsigned char room[];
  K* const stage = reinterpret_cast<K*>(room);
  __shared__ u32 base[kDigits], sums[8];
  const u32 t = threadIdx.x;
  const u32 begin = stretch.begin, end = stretch.end,
            start = (begin & ~(kAlign - 1)) + (blockIdx.x - stretch.first_tile) * kTile;
  if (start >= end) return;
  const u32 count = min(end, start + kTile) - max(begin, start);
  const bool full = count == kTile;
  const K* const in = static_cast<const K*>(p.keys_from);
  K* const out = static_cast<K*>(p.keys_to);
  const Order<K> order(p.order, 0, sizeof(K) * 8);
  const u32 bits = p.step == 0 ? p.bits - p.second_bits : p.second_bits, mask = (1u << bits) - 1;
  const auto digit = [&](K x) { return static_cast<u32>(number_of(x) >> shift) & mask; };
  const auto valid = [&](u32 j) {
    const u32 i = start + j * kThreads + t;
    return full || (i >= begin && i < end);
  };
  // load_keys
  K key[kItems];
  if (full) {
#pragma unroll
    for (u32 j = 0; j < kItems / kPack; ++j) load_pack(in + start + (j * kThreads + t) * kPack, key + j * kPack);
  } else {
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) key[j] = valid(j) ? __ldcs(in + start + j * kThreads + t) : K{0};
  }
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) key[j] = order.map.image(key[j]);
  // rank_keys: only counted; a second atomic gives the place
  u32 kept[kKeep ? kItems / 4 : 1] = {};
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) {
    const u32 d = digit(key[j]);
    if (kKeep) kept[j / 4] |= d << j % 4 * 8;
    if (valid(j)) atomicAdd(&place[d], 1u);
  }
  __syncthreads();  // the counts
  // publish_counts
  u32 here = 0, taken = 0;
  if (t < kDigits) {
    here = place[t];
    u32* const cursor = p.step == 0 && p.second_bits != 0 ? &p.buckets->first_cursor[t * Buckets::kLine]
                                                          : &p.buckets->cursor[stretch.segment * (mask + 1) + t];
    if (here != 0) taken = atomicAdd(cursor, here);
  }
  const u32 before = exclusive_scan_256(here, sums);
  if (t < kDigits) place[t] = before;
  __syncthreads();  // places
  // stage_keys: unless kept, digits are computed anew, registers are for the keys
  shift = opaque(shift);
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) {
    const u32 d = kKeep ? kept[j / 4] >> j % 4 * 8 & 255u : digit(key[j]);
    if (valid(j)) stage[atomicAdd(&place[d], 1u)] = key[j];
  }
  // look_back: the answer of the atomic
  if (t < kDigits) base[t] = taken - before;
  __syncthreads();  // stage and bases
  // scatter_keys
#pragma unroll
  for (u32 j = 0; j < kItems; ++j) {
    const u32 i = j * kThreads + t;
    if (full || i < count) {
      const K x = stage[i];
      out[base[digit(x)] + i] = x;
    }
  }
}

template <tune::Shape S>
__device__ __forceinline__ void split_keys(const BucketParams& p) {
  using K = Unsigned<S.key_bytes>;
  __shared__ u32 place[kDigits];
  __shared__ __align__(16) u32 cells[kCells + 4];
  __shared__ Stretch stretch;
  const u32 taken = load(&p.control->finished);
  if (!by_buckets(taken)) return;
  // take_tile
  if (threadIdx.x < kDigits) place[threadIdx.x] = 0;
  if (taken == kByQuantiles) load_cells(*p.buckets, cells);
  if (!find_stretch(p, blockIdx.x, &stretch)) return;
  const u32 shift = load(&p.buckets->shift) + (p.step == 0 ? p.second_bits : 0);
  if (taken == kByBuckets) {
    split_stretch<S, false>(p, stretch, place, [](K x) { return x; }, shift);
  } else {
    const QuantileMap<K> map{cells, load(&p.buckets->lead)};
    split_stretch<S, true>(p, stretch, place, [&](K x) { return map.position_of(x); }, shift);
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
