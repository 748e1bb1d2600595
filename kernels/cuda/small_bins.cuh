// The quick way of one block's sort: a bin for each key, by where it stands between the least and the largest, and
// then an odd-even network in registers, because hardly any key is further from its place than its bin is long. Where
// bins are too full, keys and values are still as they were, and the passes of small.cuh do it.
//
// Bins divide the mapped keys evenly; those of floats of 4 and 8 bytes divide their values, which is what uniform and
// normal floats want. With values a word holds the key above its place, so the order of words is the stable order.
#pragma once
#include <type_traits>

#include "kernels/cuda/quantile_map.hpp"
#include "kernels/cuda/words.cuh"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

template <u32 kBytes>
using Floating = std::conditional_t<kBytes == 8, double, float>;

template <tune::Shape S>
struct SmallBins {
  using K = Unsigned<S.key_bytes>;
  using V = Unsigned<S.value_bytes>;
  static constexpr bool kHasValues = S.value_bytes != 0, kFloats = S.key_bytes >= 4;
  using Word = Unsigned<kHasValues || S.key_bytes == 8 ? 8 : 4>;
  using F = Floating<S.key_bytes>;
  // kOwn: items a thread owns in the network, odd, so that neighbours are in different banks. Bins of up to kReach words
  // are in order after one go, larger ones up to kReach * kGoes after several, which a look at the order ends.
  static constexpr u32 kThreads = S.threads, kItems = S.items, kOwn = kItems + 1, kBins = S.tile(),
                       kReach = sizeof(Word) == 8 ? 4 : 6, kGuard = 2 * kReach, kGoes = 4;
  static constexpr u32 kPlace = kHasValues ? kPlaceBits : 0;
  static_assert(kItems == 4 && kBins == 4 * kThreads && kReach % 2 == 0);

  static_assert(kBins * 4 + (kBins + 2 * kGuard + kOwn) * sizeof(Word) + kBins * S.value_bytes <=
                tune::small_shared_bytes(S));

  unsigned char* room;
  u32 n;
  K least = 0, largest = 0;
  F first = 0, scale = 0;
  bool by_value = false, exact = false;  // exact: a bin holds one word only
  u32 up = 0, factor = 0;

  __device__ u32* bins() { return reinterpret_cast<u32*>(room); }
  __device__ Word* stage() { return reinterpret_cast<Word*>(room + kBins * 4) + kGuard; }
  __device__ V* value_stage() {
    return reinterpret_cast<V*>(room + kBins * 4 + (kBins + 2 * kGuard + kOwn) * sizeof(Word));
  }
  __device__ static u32 place_of(u32 j) { return (threadIdx.x >> 5) * 32 * kItems + (threadIdx.x & 31) + j * 32; }

  // The least and the largest key of the block.
  __device__ __forceinline__ void find_range(const K* key) {
    __shared__ K ends[2][kThreads / 32];
    K low = static_cast<K>(~K{0}), high = 0;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (place_of(j) >= n) break;
      low = min(low, key[j]);
      high = max(high, key[j]);
    }
    low = reduce_min_warp(low);
    high = reduce_max_warp(high);
    if ((threadIdx.x & 31) == 0) {
      ends[0][threadIdx.x >> 5] = low;
      ends[1][threadIdx.x >> 5] = high;
    }
    __syncthreads();
    least = reduce_min_warp(ends[0][threadIdx.x & 31]);
    largest = reduce_max_warp(ends[1][threadIdx.x & 31]);
  }

  __device__ static F value_of(K raw) {
    if constexpr (S.key_bytes == 8)
      return __longlong_as_double(static_cast<long long>(raw));
    else
      return __uint_as_float(raw);
  }

  __device__ __forceinline__ void divide_range(const KeyOrder<K>& map) {
    if constexpr (kFloats) {
      if (map.flip != 0) {
        first = value_of(map.restore(least));
        const F length = fabs(value_of(map.restore(largest)) - first);
        scale = static_cast<F>(kBins - 1) / length;
        by_value = length > 0 && scale > 0 && scale < static_cast<F>(1e30);  // no infinities, nothing too close
      }
    }
    if (by_value) return;
    Word most = static_cast<Word>(largest - least);
    if (kHasValues) most = most << kPlace | ((Word{1} << kPlace) - 1);
    exact = most < kBins;
    up = most == 0 ? 0 : leading_zeros(most);
    factor = bin_factor(static_cast<u32>(static_cast<Word>(most << up) >> (sizeof(Word) * 8 - 32)), kBins);
  }

  __device__ __forceinline__ Word word_of(K key, u32 place, u32 places) const {
    const Word relative = static_cast<Word>(static_cast<K>(key - least));
    return kHasValues ? relative << kPlace | spread_place(place, places) : relative;
  }
  __device__ __forceinline__ u32 bin_of(const KeyOrder<K>& map, K key, Word word) const {
    if constexpr (kFloats) {
      if (by_value) return static_cast<u32>(fabs(value_of(map.restore(key)) - first) * scale);
    }
    return high_product(static_cast<u32>(static_cast<Word>(word << up) >> (sizeof(Word) * 8 - 32)), factor);
  }

  // A bin so full that the network cannot be relied on. Keys alone may still be in order then, because equal ones may
  // crowd a bin as they like; places never are.
  static constexpr u32 kCrowd = kReach * kGoes;

  // Leaves the words in the order of their bins. Returns goes that it may take: 1 where one is sure to do, 0 where it
  // is no use.
  __device__ __forceinline__ u32 fill_bins(const KeyOrder<K>& map, const K* key) {
    __shared__ u32 sums[kThreads / 32];
    const u32 t = threadIdx.x, places = place_factor(n);
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const u32 place = place_of(j);
      if (place < n) atomicAdd(&bins()[bin_of(map, key[j], word_of(key[j], place, places))], 1u);
    }
    __syncthreads();  // the bins are counted
    const uint4 x = reinterpret_cast<uint4*>(bins())[t];
    const u32 fullest = max(max(x.x, x.y), max(x.z, x.w));
    const u32 begin = exclusive_scan_threads<kThreads>(x.x + x.y + x.z + x.w, sums);
    reinterpret_cast<uint4*>(bins())[t] =
        make_uint4(begin, begin + x.x, begin + x.x + x.y, begin + x.x + x.y + x.z);
    const bool crowded = __syncthreads_or(fullest > kCrowd);
    if (kHasValues && crowded) return 0;
    if (t < kGuard) stage()[-1 - static_cast<int>(t)] = Word{0};
    if (t < kOwn + kGuard) stage()[n + t] = ~Word{0};
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const u32 place = place_of(j);
      if (place >= n) break;
      const Word word = word_of(key[j], place, places);
      stage()[atomicAdd(&bins()[bin_of(map, key[j], word)], 1u)] = word;
    }
    const bool sure = !__syncthreads_or(fullest > kReach);  // and the stage is in bin order
    return sure ? 1 : crowded ? 2 : kGoes;
  }

  // One go of kReach rounds. All windows start at even places, so all threads play parts of one network.
  __device__ __forceinline__ void go() {
    constexpr int kWindow = kOwn + 2 * kReach + 1;
    const u32 from = threadIdx.x * kOwn, odd = from & 1;
    Word x[kWindow];
    if (from < n) {
#pragma unroll
      for (int q = 0; q < kWindow; ++q) x[q] = stage()[static_cast<int>(from - odd) + q - static_cast<int>(kReach)];
#pragma unroll
      for (u32 round = 0; round < kReach; ++round) {
#pragma unroll
        for (u32 q = round & 1; q + 1 < kWindow; q += 2) {
          const Word a = x[q], b = x[q + 1];
          x[q] = min(a, b);
          x[q + 1] = max(a, b);
        }
      }
    }
    __syncthreads();  // every window is read
    if (from < n) {
#pragma unroll
      for (u32 q = 0; q < kOwn; ++q) stage()[from + q] = odd != 0 ? x[q + kReach + 1] : x[q + kReach];
    }
    __syncthreads();  // and written
  }

  __device__ __forceinline__ bool in_order() {
    bool falls = false;
    for (u32 q = threadIdx.x * kOwn; q < n && q < (threadIdx.x + 1) * kOwn; ++q) falls |= stage()[q] > stage()[q + 1];
    return !__syncthreads_or(falls);
  }

  // Mapped keys, none of which needs the map's exceptions. Where it returns false nothing has happened to them.
  __device__ __forceinline__ bool sort(const KeyOrder<K>& map, K* key, V* value) {
    reinterpret_cast<uint4*>(bins())[threadIdx.x] = make_uint4(0, 0, 0, 0);
    find_range(key);  // and a barrier: the bins are clear
    divide_range(map);
    const u32 goes = fill_bins(map, key);
    if (goes == 0) return false;
    for (u32 done = 1; !exact; ++done) {
      go();
      if (goes == 1 || in_order()) break;
      if (done == goes) return false;
    }
    if constexpr (kHasValues) {
#pragma unroll
      for (u32 j = 0; j < kItems; ++j) {
        if (place_of(j) < n) value_stage()[place_of(j)] = value[j];
      }
      __syncthreads();  // the values
    }
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const Word word = stage()[place_of(j)];
      key[j] = static_cast<K>(least + static_cast<K>(word >> kPlace));
      if constexpr (kHasValues) {
        if (place_of(j) < n)
          value[j] = value_stage()[place_back(static_cast<u32>(word) & ((1u << kPlace) - 1), n)];
      }
    }
    return true;
  }
};

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
