// The first kernel of a sort by buckets: looks at the keys, counts their top varying bits in one read, and decides
// whether buckets fit the keys. What it decides stands in the control block; every later kernel looks there first.
// Where a sample says that those bits are unevenly spread, as those of floats are, a bucket is a place in the
// distribution of the sample instead (quantiles.cuh); a few different keys are counted (few_values.cuh).
//
// Bits come from a sample and are then held against all keys: keys that leave the sampled range, buckets too large for
// a block, counters that overflowed or specials that the map cannot carry leave the sort to the passes. Nothing has
// been written to the caller's buffers by then. Prior art: the counts of hybrid radix sort (Stehle and Jacobsen 2017).
#pragma once
#include "kernels/cuda/few_values.cuh"
#include "kernels/cuda/movement.cuh"
#include "kernels/cuda/quantiles.cuh"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// Of a block's sample of 1024: past the first the quantiles of a sample cannot make buckets even, past the second there
// may be only a few different keys.
constexpr u32 kMostMeetings = 64, kMeetingsOfFew = 700;

// Who finishes these keys: one of the ways by buckets?
__device__ __forceinline__ bool by_buckets(u32 taken) { return taken == kByBuckets || taken == kByQuantiles; }

template <class K>
__device__ __forceinline__ bool may_take_quantiles(const BucketParams& p, u64 sampled) {
  // With fewer digits the passes are as fast.
  return p.lowest != nullptr && __popc(digits_of(sampled)) >= tune::kFewestDigitsOfQuantiles;
}

// The least and the largest key that a thread has seen; only where they are asked for.
template <bool kAsked, class K>
struct Extremes {
  K least = static_cast<K>(~K{0}), largest = 0;
  __device__ __forceinline__ void see(K m) {
    if (!kAsked) return;
    least = min(least, m);
    largest = max(largest, m);
  }
  // Once all have: the complement of the least, and the largest.
  __device__ __forceinline__ void tell(Buckets& b) {
    if (!kAsked) return;
    __shared__ unsigned long long of_block[2];
    if (threadIdx.x < 2) of_block[threadIdx.x] = 0;
    __syncthreads();
    atomicMax(&of_block[0], static_cast<unsigned long long>(static_cast<K>(~least)));
    atomicMax(&of_block[1], static_cast<unsigned long long>(largest));
    __syncthreads();
    if (threadIdx.x < 2)
      atomicMax(reinterpret_cast<unsigned long long*>(&b.extremes[threadIdx.x]), of_block[threadIdx.x]);
  }
};

// Counts by bucket_of(mapped key). Two 16-bit counters share a word; an overflow is never silent, because it changes
// the sum of all counters.
template <u32 kThreads, bool kQuantiles, class K, class BucketOf>
__device__ __forceinline__ void count_buckets(const BucketParams& p, u64 n, const Order<K>& order, K first,
                                              const BucketOf& bucket_of, u32* cells, u32* total) {
  constexpr u32 kPack = 16 / sizeof(K), kUnroll = 2;
  const K* const keys = static_cast<const K*>(p.keys_from);
  const u32 half = 1u << (p.bits - 1), t = threadIdx.x;
  for (u32 i = t; i < half; i += kThreads) cells[i] = 0;
  if (t == 0) *total = 0;
  __syncthreads();
  u64 varying = 0;
  bool special = false;
  Extremes<kQuantiles, K> extremes;
  const auto count = [&](K raw) {
    special |= order.map.special(raw);
    const K m = order.map.image(raw);
    varying |= static_cast<u64>(m ^ first);
    extremes.see(m);
    const u32 bucket = bucket_of(m);
    atomicAdd(&cells[bucket & (half - 1)], bucket < half ? 1u : 65536u);
  };
  const u32 packs = static_cast<u32>(n / kPack), per = (packs + gridDim.x - 1) / gridDim.x;
  const u32 begin = min(packs, per * blockIdx.x), end = min(packs, begin + per);
  u32 i = begin + t, round = 0;
  for (; i + (kUnroll - 1) * kThreads < end; i += kUnroll * kThreads) {
    // By quantiles: some block's sample may have shown by now that it is in vain.
    if (kQuantiles && ++round % 4 == 0 && *reinterpret_cast<volatile u32*>(&p.buckets->uneven) != 0) {
      i = end;
      break;
    }
    K key[kUnroll * kPack];
#pragma unroll
    for (u32 j = 0; j < kUnroll; ++j) load_pack(keys + u64{i + j * kThreads} * kPack, key + j * kPack);
#pragma unroll
    for (u32 j = 0; j < kUnroll * kPack; ++j) count(key[j]);
  }
  for (; i < end; i += kThreads) {
    K key[kPack];
    load_pack(keys + u64{i} * kPack, key);
#pragma unroll
    for (u32 j = 0; j < kPack; ++j) count(key[j]);
  }
  const u32 rest = blockIdx.x == 0 ? static_cast<u32>(n % kPack) : 0;
  if (t < rest) count(keys[u64{packs} * kPack + t]);
  or_into(&p.control->varying, varying);
  extremes.tell(*p.buckets);
  if (__syncthreads_or(special) && t == 0) atomicOr(&p.control->specials, 1u);
  u32 sum = 0;
  for (u32 c = t; c < half; c += kThreads) {
    const u32 low = cells[c] & 0xffffu, high = cells[c] >> 16;
    sum += low + high;
    if (low != 0) atomicAdd(&p.buckets->cursor[c], low);
    if (high != 0) atomicAdd(&p.buckets->cursor[c + half], high);
  }
  atomicAdd(total, sum);
  __syncthreads();
  if (t == 0 && *total != (end - begin) * kPack + rest) atomicOr(&p.buckets->overflow, 1u);
}

// Buckets past the room of the finish go to its hard form: few may, and none past the room there is.
__device__ __forceinline__ bool fits(const BucketParams& p, u32 largest, u32 over_room) {
  return largest <= p.most_room && over_room <= (1u << p.bits) / 16;
}

// One block: counts to begins; the segments of the second split and their first tiles. True where the buckets fit.
template <u32 kThreads>
__device__ __forceinline__ bool place_buckets(const BucketParams& p, u32 n, u32 tile, u32 align) {
  static_assert(kThreads == 1024);
  __shared__ u32 warp_sums[32], worst, over;
  Buckets& b = *p.buckets;
  const u32 t = threadIdx.x, warp = t >> 5, lane = t & 31, all = 1u << p.bits;
  u32 base = 0, largest = 0, over_room = 0;
  if (t == 0) worst = over = 0;
  for (u32 begin = 0; begin < all; begin += 16 * kThreads) {
    uint4 count[4];
    u32 sum = 0;
    const u32 at = begin + t * 16;
    uint4* const words = reinterpret_cast<uint4*>(b.cursor + at);
    if (at < all) {
#pragma unroll
      for (u32 j = 0; j < 4; ++j) {
        count[j] = __ldcg(words + j);
        sum += count[j].x + count[j].y + count[j].z + count[j].w;
        largest = max(largest, max(max(count[j].x, count[j].y), max(count[j].z, count[j].w)));
        over_room += (count[j].x > p.room) + (count[j].y > p.room) + (count[j].z > p.room) + (count[j].w > p.room);
      }
    }
    const u32 inclusive = inclusive_scan_warp(sum);
    __syncthreads();  // the sums of the round before are read
    if (lane == 31) warp_sums[warp] = inclusive;
    __syncthreads();
    const u32 of_warp = warp_sums[lane], up_to_warp = inclusive_scan_warp(of_warp);
    u32 x = base + inclusive - sum + __shfl_sync(kFullWarp, up_to_warp - of_warp, warp);
    base += __shfl_sync(kFullWarp, up_to_warp, 31);
    if (at < all) {
#pragma unroll
      for (u32 j = 0; j < 4; ++j) {
        uint4 y;
        y.x = x, x += count[j].x;
        y.y = x, x += count[j].y;
        y.z = x, x += count[j].z;
        y.w = x, x += count[j].w;
        words[j] = y;
      }
    }
  }
  largest = __reduce_max_sync(kFullWarp, largest);
  over_room = __reduce_add_sync(kFullWarp, over_room);
  if (lane == 0) {
    atomicMax(&worst, largest);
    atomicAdd(&over, over_room);
  }
  __syncthreads();  // begins and the worst of all warps
  const u32 segments = 1u << (p.bits - p.second_bits);
  u32 from = n, to = n, tiles = 0;
  if (t < segments) {
    from = b.cursor[t << p.second_bits];
    to = t + 1 < segments ? b.cursor[(t + 1) << p.second_bits] : n;
    tiles = to > from ? (to - (from & ~(align - 1)) + tile - 1) / tile : 0;
  }
  __syncthreads();
  const u32 before = exclusive_scan_256(t < segments ? tiles : 0, warp_sums);
  if (t == 0) b.cursor[all] = n;
  if (t < segments) {
    b.first_cursor[t * Buckets::kLine] = from;
    b.segment_begin[t] = from;
    b.segment_tile[t] = before;
    if (t + 1 == segments) {
      b.segment_begin[segments] = n;
      b.segment_tile[segments] = before + tiles;
    }
  }
  return fits(p, worst, over);
}

// Would buckets by the top bits be too full? Of a sample by 8 bits, that much of it is past its noise.
__device__ __forceinline__ float full_digit(const BucketParams& p, u64 n, u64 sampled) {
  return 1.1f * static_cast<float>(p.room) * static_cast<float>(1u << p.bits) / 256.0f *
             static_cast<float>(sampled) / static_cast<float>(n) +
         32.0f;
}

// Whether top bits suit, as far as the sampled bits say: none of them constant, enough below.
template <class K>
__device__ __forceinline__ bool bits_suit(const BucketParams& p, u64 sampled, u32 shift) {
  return __popcll(sampled >> shift) == p.bits &&
         __popcll(sampled & ((u64{1} << shift) - 1)) >= tune::kFewestLowBits;
}

template <class K>
__device__ __forceinline__ void prepare_buckets(const BucketParams& p) {
  constexpr u32 kThreads = tune::kPrepareThreads;
  extern __shared__ __align__(16) u32 cells[];
  __shared__ u32 quantile_cells[sizeof(K) > 2 ? kCells + 1 : 1];
  __shared__ u32 total;
  const u64 n = real_count(p.device_count, p.count);
  if (n == 0) return;
  const Order<K> order(p.order, 0, sizeof(K) * 8);
  const K* const keys = static_cast<const K*>(p.keys_from);
  Buckets& b = *p.buckets;
  GridBarrier grid(&p.control->barrier_before);
  const Share share;
  for (u64 i = share.first; i < p.lookback_words; i += share.stride) __stcg(p.lookback + i, 0u);
  look_for_disorder(keys, n, order, p.whole_keys != 0 && order.plain, p.control);
  const K first = order.mapped(load(keys)), sample = order.mapped(sample_key(keys, n));
  or_into(&p.control->sampled, static_cast<u64>(sample ^ first));
  for (u32 i = threadIdx.x; i < kDigits + kMeetingBits / 32; i += kThreads) cells[i] = 0;
  __syncthreads();
  atomicAdd(&cells[static_cast<u32>(sample >> (sizeof(K) * 8 - 8))], 1u);
  if (p.lowest != nullptr) {
    const u32 meetings = count_meetings(sample, cells + kDigits);
    if (threadIdx.x == 0) atomicAdd(&b.meetings, meetings);
  }
  __syncthreads();
  if (threadIdx.x < kDigits && cells[threadIdx.x] != 0) atomicAdd(&b.sample[threadIdx.x], cells[threadIdx.x]);
  grid.wait();

  const u64 sampled = load(&p.control->sampled);
  // Sorted input is the passes' to end, and so are keys of a few varying bits, which they count and fill.
  if (load(&p.control->disorder) != (kNotAscending | kNotDescending) || __popcll(sampled) <= 8) return;
  const u32 above = 64 - __clzll(static_cast<long long>(sampled)), shift = above > p.bits ? above - p.bits : 0,
            lead = sizeof(K) * 8 - above;
  const bool keys_only = p.whole_keys != 0;
  if constexpr (sizeof(K) > 2) {
    if (keys_only && p.lowest != nullptr && load(&b.meetings) > kMeetingsOfFew * gridDim.x) {
      FewValues<K> few{b};
      few.note(sample);
      grid.wait();
      if (load(&b.many) == 0) {
        bool special = false;
        few.count(cells, [&](const auto& look) {
          read_all(keys, n, [&](K raw) {
            special |= order.map.special(raw);
            look(order.map.image(raw));
          });
        });
        if (__syncthreads_or(special) && threadIdx.x == 0) atomicOr(&p.control->specials, 1u);
        grid.wait();
        if (load(&b.missing) != 0 || load(&p.control->specials) != 0) return;
        if (blockIdx.x != 0) return;
        few.place(cells, static_cast<u32>(n));
        if (threadIdx.x == 0) p.control->finished = kByCounts;
        return;
      }
    }
  }
  const bool may_fill = keys_only && (shift == 0 || __popcll(sampled << (64 - shift)) == 0);
  Sample<K> large;
  bool uneven = false;
  if (sizeof(K) > 2 && !may_fill) {
    bool crowded = false;
    if (lead == 0) {
      crowded = threadIdx.x < kDigits &&
                static_cast<float>(load(&b.sample[threadIdx.x])) > full_digit(p, n, share.stride);
    } else {
      large.take(keys, n, order);
      count_cells(large, lead, cells, b);
      grid.wait();
      u32 here = 0;
      for (u32 c = 0; threadIdx.x < kDigits && c < kCells / kDigits; ++c)
        here += load(&b.cell_count[threadIdx.x * (kCells / kDigits) + c]);
      crowded = static_cast<float>(here) > full_digit(p, n, Sample<K>::size(n));
    }
    uneven = __syncthreads_or(crowded) || !bits_suit<K>(p, sampled, shift);
  }
  if constexpr (sizeof(K) > 2) {
    if (uneven) {
      if (!may_take_quantiles<K>(p, sampled) || load(&b.meetings) > kMostMeetings * gridDim.x) return;
      if (lead == 0) {
        large.take(keys, n, order);
        count_cells(large, lead, cells, b);
        grid.wait();
      }
      make_cells(b, p.bits, quantile_cells);
      const QuantileMap<K> map{quantile_cells, lead};
      if (sample_is_crowded(large, map, p.bits, cells) && threadIdx.x == 0) atomicOr(&b.uneven, 1u);
      note_lowest_keys(map, p.bits, lead == 0 ? K{0} : static_cast<K>(first >> above << above),
                       static_cast<K*>(p.lowest));
      count_buckets<kThreads, true>(
          p, n, order, first, [&](K m) { return map.position_of(m) >> kPositionBits; }, cells, &total);
    }
  }
  if (!uneven) {
    const u32 mask = (1u << p.bits) - 1;
    count_buckets<kThreads, false>(
        p, n, order, first, [&](K m) { return static_cast<u32>(m >> shift) & mask; }, cells, &total);
  }
  grid.wait();
  if (blockIdx.x != 0) return;

  const u64 varying = load(&p.control->varying), low = varying & ((u64{1} << shift) - 1);
  if (load(&b.overflow) != 0 || load(&b.uneven) != 0 || load(&p.control->specials) != 0 || (above < 64 && varying >> above != 0)) return;
  const bool fill = keys_only && low == 0 && !uneven;
  // A bucket whose keys differ in few bits holds many equal ones, which the finish is slow at.
  if (!fill && !uneven && __popcll(low) < tune::kFewestLowBits) return;
  if (uneven && threadIdx.x == 0) {
    K* const lowest = static_cast<K*>(p.lowest);
    lowest[0] = static_cast<K>(~load(&b.extremes[0]));
    lowest[1u << p.bits] = static_cast<K>(load(&b.extremes[1]) + 1);
  }
  const bool placed = place_buckets<kThreads>(p, static_cast<u32>(n), p.tile, keys_only ? 128 / sizeof(K) : 1);
  if (threadIdx.x == 0 && (fill || placed)) {
    b.shift = uneven ? kPositionBits : shift;
    b.lead = lead;
    b.count = 1u << p.bits;
    // What the bucket's number leaves out: the bits above it, and where keys are filled in the ones below, which no
    // key varies.
    b.prefix = (above < 64 ? static_cast<u64>(first) >> above << above : 0) |
               (fill ? static_cast<u64>(first) & ((u64{1} << shift) - 1) : 0);
    p.control->finished = uneven ? kByQuantiles : fill ? kByCounts : kByBuckets;
  }
}

// Interchangeable keys that are their bucket's number and a common rest: the counts say all, nothing is moved.
template <class K>
__device__ __forceinline__ void fill_by_counts(K* to, u64 n, const Order<K>& order, const Buckets& b) {
  if (b.by_values != 0) {
    fill_runs(
        to, n, b.count, [&](u32 run) { return b.cursor[run]; },
        [&](u32 run) { return order.map.restore(static_cast<K>(b.few_sorted[run])); });
    return;
  }
  const u64 prefix = b.prefix;
  const u32 shift = b.shift;
  // Cursors are not written in this launch, so L1 may hold them.
  fill_runs(
      to, n, b.count, [&](u32 bucket) { return b.cursor[bucket]; },
      [&](u32 bucket) { return order.map.restore(static_cast<K>(prefix | static_cast<u64>(bucket) << shift)); });
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
