// One tile of a single-pass digit split: eight steps, in the order in which they stand here. Stable.
//
// Ranks: every warp keeps 256 counters; for each of its rows of 32 keys the lanes of one digit find each other by an
// atomicOr on a mask, and the highest of them moves the counter on. Keys stand warp-striped, so place in the tile is
// (warp, row, lane) and ranks within a digit follow it.
// Look-back: a word a digit and tile, 3 bits of state and 29 of count (a portion has at most 2^28 items). The states
// of three epochs differ, so the words need clearing once and not before every pass.
// Prior art: Adinets and Merrill, Onesweep (arXiv 2206.01784); Merrill and Garland, decoupled look-back (2016).
#pragma once
#include "kernels/cuda/words.cuh"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

constexpr u32 kCountBits = 29, kCountMask = (1u << kCountBits) - 1;

// What all tiles of one portion of one pass have in common.
template <class K, class V>
struct Pass {
  const K* keys_from;
  K* keys_to;  // null: nobody needs them any more
  const V* values_from;
  V* values_to;
  u64 first;  // of the portion, in items
  u32 count;  // of the portion
  Digit digit;
  u32 epoch;  // 0, 1, 2, 0, ... for each portion of each pass
  u32* lookback;
  bool wide;  // places past 2^32
  u32 heavy;  // the digit of more than an eighth of the keys, or 256
};

template <tune::Shape S>
struct Onesweep {
  using K = Unsigned<S.key_bytes>;
  using V = Unsigned<S.value_bytes>;
  static constexpr u32 kThreads = S.threads, kItems = S.items, kWarps = S.warps(), kTile = S.tile();
  static constexpr bool kHasValues = S.value_bytes != 0;
  static_assert(kThreads >= kDigits && kItems % 4 == 0 && kTile <= 65536);

  // The pass stands here and not in registers, which the keys need.
  struct Shared {
    Pass<K, V> pass;
    u64 digit_begin[kDigits];  // where each digit of this portion starts in the output
    u64 sums64[8];
    u32 base[kDigits];  // where the tile's run of a digit starts, less its place in the tile; modulo 2^32
    u32 prefix[kDigits];
    u32 sums[8];
    u32 tile;
  };

  Shared& shared;
  unsigned char* room;
  const KeyOrder<K>& order;
  const bool plain;

  u32 tile, start, count;
  K key[kItems];
  u32 digits[kItems / 4];
  u32 ranks[kItems / 2];
  u32 in_tile, before_in_tile;  // thread t < 256: the tile's count of digit t, and of digits below

  __device__ u32* counters() { return reinterpret_cast<u32*>(room); }
  __device__ K* stage() { return reinterpret_cast<K*>(room); }
  __device__ V* value_stage() { return reinterpret_cast<V*>(room + (kTile * sizeof(K) + 15) / 16 * 16); }
  __device__ static u32 mine() { return (threadIdx.x >> 5) * 32 * kItems + (threadIdx.x & 31); }
  __device__ __forceinline__ u32 digit_at(u32 j) const { return digits[j / 4] >> (j % 4 * 8) & 255u; }
  __device__ __forceinline__ u32 rank_at(u32 j) const { return j % 2 ? ranks[j / 2] >> 16 : ranks[j / 2] & 0xffffu; }

  // False when the portion's tiles are all taken. `first_ticket` is what the counter stood at before this portion.
  __device__ __forceinline__ bool take_tile(u32* ticket, u32 first_ticket) {
    if (threadIdx.x == 0) shared.tile = atomicAdd(ticket, 1u) - first_ticket;
    __syncthreads();  // the tile's number; and the last tile's stage has been read
    tile = shared.tile;
    start = tile * kTile;
    if (start >= shared.pass.count) return false;
    count = min(kTile, shared.pass.count - start);
    return true;
  }

  __device__ __forceinline__ void load_keys() {
    const K* const from = shared.pass.keys_from + shared.pass.first + start + mine();
    if (count == kTile) {
#pragma unroll
      for (u32 j = 0; j < kItems; ++j) key[j] = load(from + j * 32);
    } else {
#pragma unroll
      for (u32 j = 0; j < kItems; ++j) key[j] = mine() + j * 32 < count ? load(from + j * 32) : K{0};
    }
    for (u32 i = threadIdx.x; i < kWarps * 2 * kDigits / 4; i += kThreads) reinterpret_cast<uint4*>(room)[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();  // counters and masks are zero
  }

  // Places past the end take the highest digit: they are last in the tile, so they rank after every real key.
  // A digit that many keys share would be a queue at its mask; its lanes find each other by a ballot instead.
  template <bool kPlain, bool kHeavy> __device__ __forceinline__ void rank_rows() {
    const u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, below = (1u << lane) - 1;
    u32* const row = counters() + warp * kDigits;
    u32* const masks = counters() + (kWarps + warp) * kDigits;
    const Digit digit = shared.pass.digit;
    [[maybe_unused]] const u32 heavy = shared.pass.heavy;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const u32 d = mine() + j * 32 < count ? digit.template of<kPlain>(order, key[j]) : kDigits - 1;
      const bool is_heavy = kHeavy && d == heavy;
      const u32 heavy_lanes = kHeavy ? __ballot_sync(kFullWarp, is_heavy) : 0;
      if (!is_heavy) atomicOr(&masks[d], 1u << lane);
      __syncwarp();  // the mask is whole
      const u32 mask = is_heavy ? heavy_lanes : masks[d], before = row[d];
      __syncwarp();  // all have read mask and counter
      const u32 rank = before + __popc(mask & below);
      if (mask >> lane == 1u) {  // the highest lane
        row[d] = rank + 1;
        masks[d] = 0;
      }
      __syncwarp();  // the counter has moved on
      digits[j / 4] = j % 4 ? digits[j / 4] | d << (j % 4 * 8) : d;
      ranks[j / 2] = j % 2 ? ranks[j / 2] | rank << 16 : rank;
    }
  }

  __device__ __forceinline__ void rank_keys() {
    const bool light = shared.pass.heavy >= kDigits;
    if (plain && light) rank_rows<true, false>();
    else if (plain) rank_rows<true, true>();
    else rank_rows<false, true>();
    __syncthreads();  // every warp's counters
  }

  __device__ __forceinline__ static u32 partial_state(u32 epoch) { return 2 * epoch + 1; }
  __device__ __forceinline__ static u32 total_state(u32 epoch) { return 2 * epoch + 2; }
  __device__ __forceinline__ u32 in_tile_real() const {
    return threadIdx.x == kDigits - 1 ? in_tile - (kTile - count) : in_tile;
  }

  __device__ __forceinline__ void publish_counts() {
    const u32 t = threadIdx.x;
    in_tile = 0;
    if (t < kDigits) {
#pragma unroll
      for (u32 w = 0; w < kWarps; ++w) in_tile += counters()[w * kDigits + t];
      const u32 state = tile == 0 ? total_state(shared.pass.epoch) : partial_state(shared.pass.epoch);
      // The word is count and state at once, so no order with other memory is needed.
      __stcg(&shared.pass.lookback[static_cast<u64>(tile) * kDigits + t], in_tile_real() | state << kCountBits);
    }
    before_in_tile = exclusive_scan_256(in_tile, shared.sums);
    if (t < kDigits) {
      u32 run = before_in_tile;
#pragma unroll
      for (u32 w = 0; w < kWarps; ++w) {
        const u32 here = counters()[w * kDigits + t];
        counters()[w * kDigits + t] = run;
        run += here;
      }
    }
    __syncthreads();  // counters now say where a warp's keys of a digit start in the tile
  }

  __device__ __forceinline__ void stage_keys() {
    const u32* const row = counters() + (threadIdx.x >> 5) * kDigits;
#pragma unroll
    for (u32 j = 0; j < kItems; j += 2) ranks[j / 2] += row[digit_at(j)] | row[digit_at(j + 1)] << 16;
    __syncthreads();  // the counters give way to the stage
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) stage()[rank_at(j)] = key[j];
  }

  __device__ __forceinline__ void look_back() {
    const u32 t = threadIdx.x;
    if (t < kDigits) {
      u32 sum = 0;
      if (tile != 0) {
        const volatile u32* word = shared.pass.lookback + static_cast<u64>(tile - 1) * kDigits + t;
        for (;;) {
          const u32 x = *word, state = x >> kCountBits;
          if (state == total_state(shared.pass.epoch)) {
            sum += x & kCountMask;
            break;
          }
          if (state != partial_state(shared.pass.epoch)) continue;
          sum += x & kCountMask;
          word -= kDigits;
        }
        __stcg(&shared.pass.lookback[static_cast<u64>(tile) * kDigits + t], (sum + in_tile_real()) | total_state(shared.pass.epoch) << kCountBits);
      }
      shared.prefix[t] = sum - before_in_tile;
      shared.base[t] = static_cast<u32>(shared.digit_begin[t]) + sum - before_in_tile;
    }
  }

  // Values go to the stage while look-back waits.
  __device__ __forceinline__ void stage_values() {
    if constexpr (kHasValues) {
      const u64 at = shared.pass.first + start + mine();
      const V* const from = shared.pass.values_from == nullptr ? nullptr : shared.pass.values_from + at;
      if (from == nullptr) {
#pragma unroll
        for (u32 j = 0; j < kItems; ++j) value_stage()[rank_at(j)] = counting_value<V>(at + j * 32);
        return;
      }
      // Several loads in flight before the first store: the compiler keeps their order.
      constexpr u32 kFlight = sizeof(V) == 16 ? 4 : kItems;
#pragma unroll
      for (u32 first = 0; first < kItems; first += kFlight) {
        V value[kFlight];
#pragma unroll
        for (u32 j = 0; j < kFlight; ++j) {
          if (mine() + (first + j) * 32 < count) value[j] = load(from + (first + j) * 32);
        }
#pragma unroll
        for (u32 j = 0; j < kFlight; ++j) {
          if (mine() + (first + j) * 32 < count) value_stage()[rank_at(first + j)] = value[j];
        }
      }
    }
  }

  template <bool kPlain> __device__ __forceinline__ void scatter_rows() {
    const Digit digit = shared.pass.digit;
    K* const keys_to = shared.pass.keys_to;
    V* const values_to = shared.pass.values_to;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const u32 i = j * kThreads + threadIdx.x;
      if (i < count) {
        const K x = stage()[i];
        const u32 to = shared.base[digit.template of<kPlain>(order, x)] + i;
        if (keys_to != nullptr) keys_to[to] = x;
        if constexpr (kHasValues) values_to[to] = value_stage()[i];
      }
    }
  }

  // Keys and their values leave together: the place is computed once.
  __device__ __forceinline__ void scatter_keys_move_values() {
    __syncthreads();  // stage and bases
    if (shared.pass.wide) {
      for (u32 i = threadIdx.x; i < count; i += kThreads) {
        const K x = stage()[i];
        const u32 d = shared.pass.digit.template of<false>(order, x);
        const u64 to = shared.digit_begin[d] + static_cast<u32>(shared.prefix[d] + i);
        if (shared.pass.keys_to != nullptr) shared.pass.keys_to[to] = x;
        if constexpr (kHasValues) shared.pass.values_to[to] = value_stage()[i];
      }
    } else if (plain) {
      scatter_rows<true>();
    } else {
      scatter_rows<false>();
    }
  }
};

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
