// Sorts one bucket a block, on chip: bins of the next 11 or 12 bits by unstable atomics, then `reach` rounds of
// odd-even transposition in registers. Invariant: after the bins no key is further from its place than its bin is
// long.
//
// With values a word holds the key's low bits above the place in the bucket: the order of words is the stable order,
// and the place fetches the value. Buckets by quantiles cover ranges of keys of any length: words count from the least
// key, bins divide the range evenly, and places are spread over all their bits so that they tell equal keys apart.
// Buckets that are not easy go on a list, and the hard form works that list off.
// Prior art: the local sort of hybrid radix sort (Stehle and Jacobsen 2017); bins and network are our own.
#pragma once
#include <type_traits>

#include "kernels/cuda/buckets.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

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
  const u32 taken = load(&params.control->finished);
  if (!by_buckets(taken)) return;
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
  constexpr int kBinBits = kBins == 4096 ? 12 : 11, kPlace = kValues ? kPlaceBits : 0, kSure = kItems * 4 / 5;
  constexpr int kChunks = kBins / (kThreads * 4), kSums = kBins / 128,
                kSlowBits = kBinBits - (kThreads == 512   ? 5
                                        : kThreads == 256 ? 4
                                                          : 3);
  constexpr u32 kListed = 32, kSerial = 16, kGuard = 12, kAlign = 128 / sizeof(K), kRoom = kThreads * kItems;
  static_assert((2 * kThreads / 32) << kSlowBits == kBins, "room of the slow way");
  static_assert(kReach <= 8 && kReach % 2 == 0 && kItems % 2 == 1 && kChunks % 2 == 0 && kSums <= 32 && kRoom <= kMostPlaces);
  extern __shared__ __align__(16) unsigned char raw[];
  u32* bins = reinterpret_cast<u32*>(raw);
  [[maybe_unused]] V* vstage = reinterpret_cast<V*>(raw + kBins * 4);
  Word* stage = reinterpret_cast<Word*>(raw + kBins * 4 + ((kRoom * S.value_bytes + 15) & ~15u)) +
                kGuard;  // guards on both sides
  __shared__ u32 warp_sums[kChunks][kThreads / 32], crowded[kListed], crowded_count, fullest, wide[16];
  __shared__ Word lowest, highest;
  const u32 t = threadIdx.x, w = t >> 5, lane = t & 31;

  auto sort_bucket = [&]<bool kQuantiles>(u32 bucket) {
    const u32 begin = kValues || bucket ? bucket_end[static_cast<int>(bucket) - 1] : 0,
              size = bucket_end[bucket] - begin;
    // By quantiles: words from 0 to `most`, whose top bit a shift brings up for the choice of a bin.
    [[maybe_unused]] K least = 0;
    [[maybe_unused]] Word most = 0;
    [[maybe_unused]] bool wide_range = false;
    if constexpr (kQuantiles) {
      const K* const lowest = static_cast<const K*>(params.lowest);
      least = __ldg(lowest + bucket);
      const K range = static_cast<K>(__ldg(lowest + bucket + 1) - 1 - least);
      most = static_cast<Word>(range);
      if constexpr (kValues) {
        most = most << kPlace | ((Word(1) << kPlace) - 1);
        wide_range = sizeof(Word) == sizeof(K) && range >> (sizeof(K) * 8 - kPlace) != 0;
      }
    }
    if constexpr (!kHard) {
      if (size > kRoom || wide_range) {
        if (t == 0) hard[atomicAdd(hard_count, 1u)] = bucket;
        return;
      }
    }
    if (size > kRoom) return;  // the plan sends such keys another way
#pragma unroll
    for (int c = 0; c < kChunks; c++) reinterpret_cast<uint4*>(bins)[c * kThreads + t] = make_uint4(0, 0, 0, 0);
    if (t == 0) {
      fullest = 0;
      crowded_count = 0;
    }
    // Loads start at a line; p is this thread's first place in the bucket, "negative" in front of it.
    const u32 lead = begin & (kAlign - 1), p = t - (lead + size <= kRoom ? lead : 0);
    [[maybe_unused]] const Word low_mask = low_bits >= (int)sizeof(K) * 8 ? ~Word(0) : (Word(1) << low_bits) - 1;
    const int first_shift = kPlace + max(0, low_bits - kBinBits);

    [[maybe_unused]] bool crowded_bins = false;
    const bool exact_first = kQuantiles ? most < kBins : first_shift == 0;

    // load_keys, rank_keys, stage_keys. kFast: all but the last items are there for sure.
    // kAgain: by the range that the keys have. kMixed: by the quantiles, where a bucket covers several of their cells.
    auto into_bins = [&]<bool kFast, bool kAgain, bool kMixed>(Word low, int again_shift) {
      auto valid = [&](int j) { return (kFast && j > 0 && j < kSure) || p + j * kThreads < size; };
      int shift = first_shift;
      [[maybe_unused]] u32 factor = 0;
      const QuantileMap<K> map{params.buckets->cell_begin, kMixed ? params.buckets->lead : 0};
      if constexpr (kQuantiles && !kAgain && !kMixed) {
        shift = most == 0 ? 0 : leading_zeros(most);
        factor = bin_factor(static_cast<u32>(static_cast<Word>(most << shift) >> (sizeof(Word) * 8 - 32)), kBins);
      }
      auto bin = [&](Word x) {
        if constexpr (kAgain) return (u32)((x - low) >> again_shift);
        if constexpr (kMixed) {
          const u32 position = map.position_of(static_cast<K>(least + static_cast<K>(x >> kPlace)));
          return (position & ((1u << kPositionBits) - 1)) * kBins >> kPositionBits;
        }
        if constexpr (kQuantiles)
          return high_product(static_cast<u32>(static_cast<Word>(x << shift) >> (sizeof(Word) * 8 - 32)), factor);
        return (u32)(x >> shift) & (kBins - 1);
      };
      Word k[kItems];
      [[maybe_unused]] V v[kValues ? kItems : 1];
#pragma unroll
      for (int j = 0; j < kItems; j++)
        if (valid(j)) k[j] = Word(K(__ldcs(in + begin + (p + j * kThreads)) - least));
      if constexpr (kValues) {
        [[maybe_unused]] const u32 places = place_factor(size);
#pragma unroll
        for (int j = 0; j < kItems; j++)
          if (valid(j)) v[j] = __ldcs(vin + begin + (p + j * kThreads));
#pragma unroll
        for (int j = 0; j < kItems; j++) {
          const u32 place = p + j * kThreads;
          k[j] = kQuantiles ? k[j] << kPlace | spread_place(place, places)
                            : (k[j] & low_mask) << kPlace | place;
        }
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
      // Rare; the bins still hold their begins. Where a bin holds one word only it may be as full as it likes.
      crowded_bins = __syncthreads_or(big > kReach && (kAgain ? again_shift != 0 : !exact_first));
      if (crowded_bins && (kHard || !kQuantiles)) {
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
    bool mixed = false;
    if constexpr (kQuantiles) {
      const u32 lead = params.buckets->lead;
      const K last = static_cast<K>(least + static_cast<K>(most >> kPlace));
      mixed = !exact_first &&
              QuantileMap<K>::cell_of(last, lead) - QuantileMap<K>::cell_of(least, lead) >= tune::kMixedCells;
      if (mixed) into_bins.template operator()<false, false, true>(Word(0), 0);
    }
    if (!mixed) {
      if (size >= kSure * kThreads)
        into_bins.template operator()<true, false, false>(Word(0), 0);
      else
        into_bins.template operator()<false, false, false>(Word(0), 0);
    }

    u32 worst = fullest;
    [[maybe_unused]] int range_bits = 0;
    int bin_shift = exact_first ? 0 : 1;
    if constexpr (kHard)
      if (worst > 12 * kReach && !exact_first) {  // cut the range that the bucket really has
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
        into_bins.template operator()<false, true, false>(lowest, bin_shift);
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
      constexpr bool kGoes = kHard || kQuantiles;
      constexpr int kWindow = kItems + 2 * kReach + (kGoes ? 1 : 0);
      const u32 odd = kGoes ? (t * kItems) & 1 : 0;
#pragma unroll 1
      for (u32 go = 0; go < (kHard ? rounds : kQuantiles ? tune::kGoesOfFinish + 1 : 1); go++) {
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
          for (int q = 0; q < kItems; q++) stage[t * kItems + q] = kGoes && odd ? x[q + kReach + kGoes] : x[q + kReach];
        }
        __syncthreads();
        if constexpr (kQuantiles && !kHard) {
          // Equal keys crowd a bin but are in order; a few more goes order the places of equal keys.
          if (!crowded_bins) break;
          bool falls = false;
          for (u32 q = t * kItems; q < size && q < (t + 1) * kItems; ++q) falls |= stage[q] > stage[q + 1];
          if (!__syncthreads_or(falls)) break;
          if (go == tune::kGoesOfFinish) {
            if (t == 0) hard[atomicAdd(hard_count, 1u)] = bucket;
            return;
          }
        }
      }
    } else if constexpr (kHard) {
      if (!exact) sort_block_slowly<Word, kThreads, kItems, kSlowBits>(stage, bins, wide, size, lowest, range_bits);
    }
    // scatter_keys, move_values
    if constexpr (kQuantiles) least = __ldg(static_cast<const K*>(params.lowest) + opaque(bucket));
    [[maybe_unused]] const K top = kQuantiles ? least : prefix | K(K(bucket) << low_bits);
#pragma unroll
    for (int j = 0; j < kItems; j++)
      if (p + j * kThreads < size) {
        const Word x = stage[p + j * kThreads];
        if constexpr (kValues) {
          const u32 low = (u32)x & ((1u << kPlace) - 1), place = kQuantiles ? place_back(low, size) : low;
          if (out != nullptr) out[begin + (p + j * kThreads)] = order.map.restore(K(top + K(x >> kPlace)));
          vout[begin + (p + j * kThreads)] = vstage[place];
        } else {
          out[begin + (p + j * kThreads)] = order.map.restore(K(least + x));
        }
      }
  };
  constexpr bool kEither = tune::takes_quantiles(S.key_bytes, S.value_bytes);
  const auto sort_one = [&](u32 bucket) {
    if (!kEither || taken == kByBuckets)
      sort_bucket.template operator()<false>(bucket);
    else if constexpr (kEither)
      sort_bucket.template operator()<true>(bucket);
  };
  if constexpr (!kHard) {
    sort_one(blockIdx.x);
  } else {
    const u32 count = load(hard_count);
    for (u32 i = blockIdx.x; i < count; i += gridDim.x) {
      __syncthreads();  // the bucket before is written
      sort_one(load(&hard[i]));
    }
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
