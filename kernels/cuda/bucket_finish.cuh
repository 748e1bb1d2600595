// Sorts one bucket a block, on chip: bins of the next 11 or 12 bits by unstable atomics, then `reach` rounds of
// odd-even transposition in registers. Invariant: after the bins no key is further from its place than its bin is
// long.
//
// With values a word holds the key's low bits above the place in the bucket: the order of words is the stable order,
// and the place fetches the value. Buckets that are not easy go on a list, and the hard form works that list off.
// Prior art: the local sort of hybrid radix sort (Stehle and Jacobsen 2017); bins and network are our own.
#pragma once
#include <type_traits>

#include "kernels/cuda/buckets.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// Exclusive scan of one value for each of the first kCount threads; every thread must call it. One barrier.
template <u32 kCount>
__device__ __forceinline__ u32 exclusive_scan_threads(u32 x, u32* warp_sums) {
  constexpr u32 kSums = kCount / 32;
  const u32 t = threadIdx.x, warp = t >> 5, lane = t & 31;
  u32 inclusive = 0;
  if (t < kCount) {
    inclusive = inclusive_scan_warp(x);
    if (lane == 31) warp_sums[warp] = inclusive;
  }
  __syncthreads();
  if (t >= kCount) return 0;
  const u32 sum = lane < kSums ? warp_sums[lane] : 0;
  return __reduce_add_sync(kFullWarp, lane < warp ? sum : 0) + inclusive - x;
}

// Sorts stage[0..size) by the low `bits` bits of x - lowest, stably, by masks. Takes about five finishes, whatever the
// keys.
template <class Word, int kThreads, int kItems, int kDigitBits>
__device__ __noinline__ void sort_block_slowly(Word* stage, u32* counters, u32* warp_sums, u32 size, Word lowest,
                                               int bits) {
  constexpr u32 kWarps = kThreads / 32, kDigits = 1u << kDigitBits, kOwners = kDigits < kThreads ? kDigits : kThreads,
                kPer = kDigits / kOwners;
  const u32 t = threadIdx.x, w = t >> 5, lane = t & 31, mine = w * 32 * kItems + lane, below = (1u << lane) - 1;
  u32 *row = counters + w * kDigits, *masks = counters + (kWarps + w) * kDigits;
#pragma unroll 1
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    for (u32 i = t; i < 2 * kWarps * kDigits; i += kThreads) counters[i] = 0;
    __syncthreads();
    Word k[kItems];
    u32 rank[kItems];
    auto digit = [&](Word x) { return (u32)((x - lowest) >> shift) & (kDigits - 1); };
#pragma unroll
    for (int j = 0; j < kItems; j++) {
      const bool here = mine + j * 32 < size;
      const u32 lanes = __ballot_sync(kFullWarp, here);
      if (here) {
        k[j] = stage[mine + j * 32];
        const u32 d = digit(k[j]);
        atomicOr(&masks[d], 1u << lane);
        __syncwarp(lanes);
        const u32 m = masks[d], before = row[d];
        __syncwarp(lanes);
        const u32 c = __popc(m & below);
        if ((m >> lane) == 1u) {
          row[d] = before + c + 1;
          masks[d] = 0;
        }
        rank[j] = before + c;
      }
      __syncwarp();
    }
    __syncthreads();
    u32 sum = 0;
    if (t < kOwners)
      for (u32 q = 0; q < kPer; q++)
        for (u32 i = 0; i < kWarps; i++) sum += counters[i * kDigits + t * kPer + q];
    u32 run = exclusive_scan_threads<kOwners>(sum, warp_sums);
    if (t < kOwners)
      for (u32 q = 0; q < kPer; q++)
        for (u32 i = 0; i < kWarps; i++) {
          u32& cell = counters[i * kDigits + t * kPer + q];
          const u32 x = cell;
          cell = run;
          run += x;
        }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kItems; j++)
      if (mine + j * 32 < size) stage[row[digit(k[j])] + rank[j]] = k[j];
    __syncthreads();
  }
}

// In place is allowed: a block reads its bucket before it writes it. Keys nobody needs are not written.
template <tune::FinishShape S, bool kHard>
__device__ __forceinline__ void finish_buckets(const BucketParams& params) {
  using K = Unsigned<S.key_bytes>;
  using V = Unsigned<S.value_bytes>;
  using Word = Unsigned<S.word_bytes>;
  constexpr int kThreads = S.threads, kItems = S.items, kReach = S.reach, kBins = S.bins;
  constexpr bool kValues = S.value_bytes != 0;
  if (load(&params.control->finished) != kByBuckets) return;
  const K* const in = static_cast<const K*>(params.keys_from);
  K* const out = static_cast<K*>(params.keys_to);
  [[maybe_unused]] const V* const vin = static_cast<const V*>(params.values_from);
  [[maybe_unused]] V* const vout = static_cast<V*>(params.values_to);
  // Splits of keys have moved the cursors on to the ends of their buckets; stable ones leave them at the begins.
  const u32* const bucket_end = params.buckets->cursor + (kValues ? 1 : 0);
  u32* const hard = params.buckets->hard;
  u32* const hard_count = &params.buckets->hard_count;
  const int low_bits = load(&params.buckets->shift);
  [[maybe_unused]] const K prefix = static_cast<K>(params.buckets->prefix);
  const Order<K> order(params.order, 0, sizeof(K) * 8);
  constexpr int kBinBits = kBins == 4096 ? 12 : 11, kPlaceBits = kValues ? 13 : 0, kSure = kItems * 4 / 5;
  constexpr int kChunks = kBins / (kThreads * 4), kSums = kBins / 128,
                kSlowBits = kBinBits - (kThreads == 512   ? 5
                                        : kThreads == 256 ? 4
                                                          : 3);
  constexpr u32 kListed = 32, kSerial = 16, kGuard = 12, kAlign = 128 / sizeof(K), kRoom = kThreads * kItems;
  static_assert((2 * kThreads / 32) << kSlowBits == kBins, "room of the slow way");
  static_assert(kReach <= 8 && kReach % 2 == 0 && kItems % 2 == 1 && kChunks % 2 == 0 && kSums <= 32 && kRoom <= 8192);
  extern __shared__ __align__(16) unsigned char raw[];
  u32* bins = reinterpret_cast<u32*>(raw);
  [[maybe_unused]] V* vstage = reinterpret_cast<V*>(raw + kBins * 4);
  Word* stage = reinterpret_cast<Word*>(raw + kBins * 4 + ((kRoom * S.value_bytes + 15) & ~15u)) +
                kGuard;  // guards on both sides
  __shared__ u32 warp_sums[kChunks][kThreads / 32], crowded[kListed], crowded_count, fullest, wide[16];
  __shared__ Word lowest, highest;
  const u32 t = threadIdx.x, w = t >> 5, lane = t & 31;

  auto sort_bucket = [&](u32 bucket) {
    const u32 begin = kValues || bucket ? bucket_end[static_cast<int>(bucket) - 1] : 0,
              size = bucket_end[bucket] - begin;
    if (size > kRoom) return;  // the plan sends such keys another way
#pragma unroll
    for (int c = 0; c < kChunks; c++) reinterpret_cast<uint4*>(bins)[c * kThreads + t] = make_uint4(0, 0, 0, 0);
    if (t == 0) {
      fullest = 0;
      crowded_count = 0;
    }
    // Loads start at a line; p is this thread's first place in the bucket, "negative" in front of it.
    const u32 lead = begin & (kAlign - 1), p = t - (lead + size <= kRoom ? lead : 0);
    const Word low_mask = low_bits >= (int)sizeof(K) * 8 ? ~Word(0) : (Word(1) << low_bits) - 1;
    const int first_shift = kPlaceBits + max(0, low_bits - kBinBits);

    // load_keys, rank_keys, stage_keys. kFast: all but the last items are there for sure.
    auto into_bins = [&]<bool kFast, bool kAgain>(Word low, int again_shift) {
      auto valid = [&](int j) { return (kFast && j > 0 && j < kSure) || p + j * kThreads < size; };
      int shift = first_shift;
      auto bin = [&](Word x) { return kAgain ? (u32)((x - low) >> again_shift) : (u32)(x >> shift) & (kBins - 1); };
      Word k[kItems];
      [[maybe_unused]] V v[kValues ? kItems : 1];
#pragma unroll
      for (int j = 0; j < kItems; j++)
        if (valid(j)) k[j] = Word(__ldcs(in + begin + (p + j * kThreads)));
      if constexpr (kValues) {
#pragma unroll
        for (int j = 0; j < kItems; j++)
          if (valid(j)) v[j] = __ldcs(vin + begin + (p + j * kThreads));
#pragma unroll
        for (int j = 0; j < kItems; j++) k[j] = (k[j] & low_mask) << kPlaceBits | (p + j * kThreads);
      }
      __syncthreads();  // the bins are clear
#pragma unroll
      for (int j = 0; j < kItems; j++)
        if (valid(j)) atomicAdd(&bins[bin(k[j])], 1u);
      if (t < kGuard) stage[-1 - (int)t] = Word(0);
      if (t < kItems + kGuard) stage[size + t] = ~Word(0);
      if constexpr (kValues) {
#pragma unroll
        for (int j = 0; j < kItems; j++)
          if (valid(j)) vstage[p + j * kThreads] = v[j];
      }
      __syncthreads();  // the bins are counted
      u32 sum[kChunks], inc[kChunks / 2], big = 0;
      uint4 x4[kChunks];
#pragma unroll
      for (int c = 0; c < kChunks; c++) {
        x4[c] = reinterpret_cast<uint4*>(bins)[c * kThreads + t];
        sum[c] = x4[c].x + x4[c].y + x4[c].z + x4[c].w;
        big = max(big, max(max(x4[c].x, x4[c].y), max(x4[c].z, x4[c].w)));
      }
#pragma unroll
      for (int c = 0; c < kChunks / 2; c++) inc[c] = sum[2 * c] | sum[2 * c + 1] << 16;  // two scans in one word
#pragma unroll
      for (u32 d = 1; d < 32; d *= 2)
#pragma unroll
        for (int c = 0; c < kChunks / 2; c++) {
          const u32 y = __shfl_up_sync(kFullWarp, inc[c], d);
          if (lane >= d) inc[c] += y;
        }
      if (lane == 31)
#pragma unroll
        for (int c = 0; c < kChunks / 2; c++) {
          warp_sums[2 * c][w] = inc[c] & 0xffff;
          warp_sums[2 * c + 1][w] = inc[c] >> 16;
        }
      __syncthreads();  // the sums of all warps
      const u32 ws = lane < kSums ? (&warp_sums[0][0])[lane] : 0, before = inclusive_scan_warp(ws) - ws;
#pragma unroll
      for (int c = 0; c < kChunks; c++) {
        u32 x = (c & 1 ? inc[c / 2] >> 16 : inc[c / 2] & 0xffff) - sum[c] +
                __shfl_sync(kFullWarp, before, c * (kThreads / 32) + w);
        uint4 y;
        y.x = x;
        x += x4[c].x;
        y.y = x;
        x += x4[c].y;
        y.z = x;
        x += x4[c].z;
        y.w = x;
        reinterpret_cast<uint4*>(bins)[c * kThreads + t] = y;
      }
      if (__syncthreads_or(big > kReach)) {  // rare; the bins still hold their begins
        if (big > kReach) {
          atomicMax(&fullest, big);
#pragma unroll 1
          for (u32 c = 0; c < kChunks * 4; c++) {
            const u32 b = (c / 4 * kThreads + t) * 4 + c % 4, here = bins[b],
                      count = (b + 1 < kBins ? bins[b + 1] : size) - here;
            if (count > kReach) {
              const u32 at = atomicAdd(&crowded_count, 1u);
              if (at < kListed) crowded[at] = here | count << 16;
            }
          }
        }
        __syncthreads();
      }
      shift = opaque(shift);
#pragma unroll
      for (int j = 0; j < kItems; j++)
        if (valid(j)) stage[atomicAdd(&bins[bin(k[j])], 1u)] = k[j];
      __syncthreads();  // the stage is in bin order
    };
    if (size >= kSure * kThreads)
      into_bins.template operator()<true, false>(Word(0), 0);
    else
      into_bins.template operator()<false, false>(Word(0), 0);

    u32 worst = fullest;
    int range_bits = 0, bin_shift = first_shift;
    if constexpr (kHard)
      if (worst > 12 * kReach && first_shift > 0) {  // cut the range that the bucket really has
        if (t == 0) {
          lowest = ~Word(0);
          highest = Word(0);
        }
        __syncthreads();
        Word lo = ~Word(0), hi = 0;
        for (u32 i = t; i < size; i += kThreads) {
          lo = min(lo, stage[i]);
          hi = max(hi, stage[i]);
        }
        {
          using Atomic = std::conditional_t<sizeof(Word) == 8, unsigned long long, u32>;
          atomicMin(reinterpret_cast<Atomic*>(&lowest), static_cast<Atomic>(lo));
          atomicMax(reinterpret_cast<Atomic*>(&highest), static_cast<Atomic>(hi));
        }
        __syncthreads();
        const Word range = highest - lowest;
        range_bits = sizeof(Word) == 8 ? 64 - __clzll((u64)range) : 32 - __clz((u32)range);
        bin_shift = max(0, range_bits - kBinBits);
        if (t == 0) {
          fullest = 0;
          crowded_count = 0;
        }
        for (u32 i = t; i < kBins; i += kThreads) bins[i] = 0;
        __syncthreads();
        into_bins.template operator()<false, true>(lowest, bin_shift);
        worst = fullest;
      }
    const bool exact = bin_shift == 0;  // a bin holds one word only: done
    u32 rounds = worst <= kReach ? 1 : worst <= 12 * kReach ? (worst + kReach - 1) / kReach : 0;
    const u32 listed = crowded_count;
    if (!exact && worst && listed <= kListed && worst <= kSerial) {  // a few crowded bins: one thread each
      rounds = 1;
      if (t < listed) {
        const u32 b0 = crowded[t] & 0xffff, c = crowded[t] >> 16;
        for (u32 i = 1; i < c; i++) {
          const Word x = stage[b0 + i];
          u32 q = i;
          while (q > 0 && stage[b0 + q - 1] > x) {
            stage[b0 + q] = stage[b0 + q - 1];
            q--;
          }
          stage[b0 + q] = x;
        }
      }
      __syncthreads();
    }
    if constexpr (!kHard)
      if (!exact && rounds != 1) {
        if (t == 0) hard[atomicAdd(hard_count, 1u)] = bucket;
        return;
      }
    if (!exact && (rounds || !kHard)) {
      // Several goes need windows that start at even places, so that all threads play parts of one network.
      constexpr int kWindow = kItems + 2 * kReach + (kHard ? 1 : 0);
      const u32 odd = kHard ? (t * kItems) & 1 : 0;
#pragma unroll 1
      for (u32 go = 0; go < (kHard ? rounds : 1); go++) {
        Word x[kWindow];
        if (t * kItems < size) {
#pragma unroll
          for (int q = 0; q < kWindow; q++) x[q] = stage[(int)(t * kItems - odd) + q - kReach];
#pragma unroll
          for (int r = 0; r < kReach; r++)
#pragma unroll
            for (int q = r & 1; q + 1 < kWindow; q += 2) {
              const Word a = x[q], b = x[q + 1];
              x[q] = min(a, b);
              x[q + 1] = max(a, b);
            }
        }
        __syncthreads();  // every window is read
        if (t * kItems < size) {
#pragma unroll
          for (int q = 0; q < kItems; q++) stage[t * kItems + q] = kHard && odd ? x[q + kReach + kHard] : x[q + kReach];
        }
        __syncthreads();
      }
    } else if constexpr (kHard) {
      if (!exact) sort_block_slowly<Word, kThreads, kItems, kSlowBits>(stage, bins, wide, size, lowest, range_bits);
    }
    // scatter_keys, move_values
    [[maybe_unused]] const K top = prefix | K(K(bucket) << low_bits);
#pragma unroll
    for (int j = 0; j < kItems; j++)
      if (p + j * kThreads < size) {
        const Word x = stage[p + j * kThreads];
        if constexpr (kValues) {
          if (out != nullptr) out[begin + (p + j * kThreads)] = order.map.restore(K(top | K(x >> kPlaceBits)));
          vout[begin + (p + j * kThreads)] = vstage[(u32)x & ((1u << kPlaceBits) - 1)];
        } else {
          out[begin + (p + j * kThreads)] = order.map.restore(x);
        }
      }
  };
  if constexpr (!kHard) {
    sort_bucket(blockIdx.x);
  } else {
    const u32 count = load(hard_count);
    for (u32 i = blockIdx.x; i < count; i += gridDim.x) {
      __syncthreads();  // the bucket before is written
      sort_bucket(load(&hard[i]));
    }
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
