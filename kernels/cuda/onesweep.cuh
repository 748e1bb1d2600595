// One tile of a stable split by one digit, in the steps that stand here in their order. Passes and the splits of pairs
// are this with different ways to say where a tile is, what a digit is and where it begins.
//
// Ranks: every warp keeps 256 counters; for each of its rows of 32 keys the lanes of one digit find each other, and
// the highest of them moves the counter on. Some rows meet by an atomicOr on a mask, which shared memory pays for, and
// some by votes, which the arithmetic pays for, so that neither is the bottleneck; where many keys share a digit a
// mask would be a queue, and all rows vote. Keys stand warp-striped, so place in the tile is (warp, row, lane) and
// ranks follow it. Look-back: a word a digit and tile, 3 bits of state and 29 of count. The states of three epochs
// differ, so the words need clearing once and not before every pass. A tile waits only for tiles whose ticket is
// lower. Prior art: Adinets and Merrill, Onesweep (arXiv 2206.01784); Merrill and Garland, decoupled look-back (2016).
#pragma once
#include "kernels/cuda/words.cuh"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

constexpr u32 kCountBits = 29, kCountMask = (1u << kCountBits) - 1;

// Where a tile is and what becomes of it. One thread writes it before a barrier: registers are for the keys.
template <class K, class V>
struct TileJob {
  const K* keys_from;
  K* keys_to;            // null: nobody needs them any more
  const V* values_from;  // null: they count up
  V* values_to;
  u64 start;      // the tile's first item
  u32* lookback;  // the tile's words
  u32 count;
  u32 epoch;
  bool first;   // no tile stands before it
  bool wide;    // places past 2^32
  bool skewed;  // many keys share a digit
  bool held;    // by a test: publishes late
  // Keys are carried as they are, because some need the map's exceptions; else mapped: `enter` on loading, `leave` on
  // storing.
  bool raw;
  KeyOrder<K> enter, leave;  // their xors, 0 for nothing to do
};

// What the threads of a tile tell each other beside its counters and stages.
template <tune::Shape S>
struct TileShared {
  static constexpr u32 kTile = S.tile();
  TileJob<Unsigned<S.key_bytes>, Unsigned<S.value_bytes>> job;
  u32 base[kDigits], base_high[kDigits];  // where the tile's run of a digit goes, less its place in the tile
  u32 sums[8];
  u32 ticket;  // the tile's number
};

template <tune::Shape S, bool kKeep = false>
struct TileSplit {
  using K = Unsigned<S.key_bytes>;
  using V = Unsigned<S.value_bytes>;
  static constexpr u32 kThreads = S.threads, kItems = S.items, kWarps = S.warps(), kTile = S.tile();
  static constexpr bool kHasValues = S.value_bytes != 0;
  static_assert(kThreads >= kDigits && kItems % 2 == 0 && kTile <= 65536);

  using Shared = TileShared<S>;

  Shared& shared;
  unsigned char* room;

  K key[kItems];
  u32 ranks[kItems / 2] = {};
  u32 kept[kKeep ? (kItems + 3) / 4 : 1] = {};  // digits, where finding them again costs more than registers
  u32 in_tile, before_in_tile;  // thread t < 256: the tile's count of digit t, and of digits below

  __device__ u32* counters() { return reinterpret_cast<u32*>(room); }
  __device__ u32* row() { return counters() + (threadIdx.x >> 5) * kDigits; }
  __device__ K* stage() { return reinterpret_cast<K*>(room); }
  __device__ V* value_stage() { return reinterpret_cast<V*>(room + (kTile * sizeof(K) + 15) / 16 * 16); }
  __device__ static u32 mine() { return (threadIdx.x >> 5) * 32 * kItems + (threadIdx.x & 31); }
  __device__ __forceinline__ u32 rank_at(u32 j) const { return j % 2 ? ranks[j / 2] >> 16 : ranks[j / 2] & 0xffffu; }
  template <bool kFull>
  __device__ __forceinline__ static bool here(u32 j, u32 count) {
    return kFull || mine() + j * 32 < count;
  }

  __device__ __forceinline__ void clear_counters() {
    for (u32 i = threadIdx.x; i < kWarps * 2 * kDigits / 4; i += kThreads)
      reinterpret_cast<uint4*>(room)[i] = make_uint4(0, 0, 0, 0);
  }

  template <bool kFull>
  __device__ __forceinline__ void load_keys() {
    const K* const from = shared.job.keys_from + shared.job.start + mine();
    const KeyOrder<K> enter = shared.job.enter;
    const u32 count = shared.job.count;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) key[j] = here<kFull>(j, count) ? load(from + j * 32) : K{0};
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) key[j] = enter.image(key[j]);
  }

  // A block alone on its multiprocessor has nobody to wait in its place: `ahead` more keys are on their way to L2.
  __device__ __forceinline__ void prefetch(u64 ahead) {
    if (S.blocks != 1 || threadIdx.x != 0) return;
    if (kHasValues && shared.job.values_from != nullptr)
      prefetch_l2(shared.job.values_from + shared.job.start, kTile * sizeof(V));
    if (ahead != 0) prefetch_l2(shared.job.keys_from + shared.job.start + ahead, kTile * sizeof(K));
  }

  __device__ __forceinline__ void keep_rank(u32 j, u32 rank) {
    ranks[j / 2] = j % 2 ? ranks[j / 2] | rank << 16 : rank;
  }

  // A row's digit when it is first looked at, and later.
  template <class DigitOf>
  __device__ __forceinline__ u32 first_digit(u32 j, const DigitOf& digit) {
    const u32 d = digit(key[j]);
    if (kKeep) kept[j / 4] |= d << j % 4 * 8;
    return d;
  }
  template <class DigitOf>
  __device__ __forceinline__ u32 digit_again(u32 j, const DigitOf& digit) const {
    return kKeep ? kept[j / 4] >> j % 4 * 8 & 255u : digit(key[j]);
  }

  // Moves the counter of a row's digit on and keeps the row's ranks. Nobody else touches counters and masks meanwhile.
  template <bool kClear>
  __device__ __forceinline__ void count_row(u32 j, u32 d, u32 alike, u32 before) {
    const u32 lane = threadIdx.x & 31, rank = before + __popc(alike & ((1u << lane) - 1));
    __syncwarp();               // all have read mask and counter
    if (alike >> lane == 1u) {  // the highest lane
      row()[d] = rank + 1;
      if (kClear) row()[kWarps * kDigits + d] = 0;
    }
    __syncwarp();  // the counter has moved on
    keep_rank(j, rank);
  }

  // One row in kEvery votes, while the one before it gathers at its masks.
  template <class DigitOf>
  __device__ __forceinline__ void rank_by_masks(const DigitOf& digit) {
    u32 *const own = row(), *const masks = own + kWarps * kDigits;
    constexpr u32 kEvery = tune::kVotesEvery;
    u32 d = first_digit(0, digit), next_alike = 0;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const u32 next = j + 1 < kItems ? first_digit(j + 1, digit) : 0;
      if (j % kEvery == kEvery - 1) {
        count_row<false>(j, d, next_alike, own[d]);
      } else {
        atomicOr(&masks[d], 1u << (threadIdx.x & 31));
        if (j + 1 < kItems && (j + 1) % kEvery == kEvery - 1) next_alike = lanes_alike(next);
        __syncwarp();  // the mask is whole
        const u32 alike = masks[d];
        count_row<true>(j, d, alike, own[d]);
      }
      d = next;
    }
  }

  // Places past the end take the highest digit: they are last in the tile, so they rank after every real key.
  template <bool kFull, class DigitOf>
  __device__ __forceinline__ void rank_by_votes(const DigitOf& digit, u32 mask) {
    const u32 count = shared.job.count;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const u32 d = here<kFull>(j, count) ? first_digit(j, digit) : mask, alike = lanes_alike(d);
      count_row<false>(j, d, alike, row()[d]);
    }
  }

  template <bool kFull, class DigitOf>
  __device__ __forceinline__ void rank_keys(const DigitOf& digit, u32 mask) {
    if (kFull && !shared.job.skewed)
      rank_by_masks(digit);
    else
      rank_by_votes<kFull>(digit, mask);
    __syncthreads();  // every warp's counters
  }

  __device__ __forceinline__ u32 in_tile_real(u32 mask) const {
    return threadIdx.x == mask ? in_tile - (kTile - shared.job.count) : in_tile;
  }
  __device__ __forceinline__ u32 partial_word() const { return (2 * shared.job.epoch + 1) << kCountBits; }
  __device__ __forceinline__ u32 total_word() const { return (2 * shared.job.epoch + 2) << kCountBits; }

  __device__ __forceinline__ void publish_counts(u32 mask) {
    const u32 t = threadIdx.x;
    in_tile = 0;
    if (t < kDigits) {
#pragma unroll
      for (u32 w = 0; w < kWarps; ++w) in_tile += counters()[w * kDigits + t];
      if (shared.job.held) hold_back();
      // The word is count and state at once, so no order with other memory is needed.
      __stcg(&shared.job.lookback[t], in_tile_real(mask) | (shared.job.first ? total_word() : partial_word()));
    }
    before_in_tile = exclusive_scan_256(in_tile, shared.sums);
    if (t < kDigits) {
      u32 run = before_in_tile;
#pragma unroll
      for (u32 w = 0; w < kWarps; ++w) {
        const u32 x = counters()[w * kDigits + t];
        counters()[w * kDigits + t] = run;
        run += x;
      }
    }
    __syncthreads();  // counters now say where a warp's keys of a digit start in the tile
  }

  // Digits are computed anew: registers are for keys and ranks.
  template <bool kFull, class DigitOf>
  __device__ __forceinline__ void stage_keys(const DigitOf& digit, u32 mask) {
    const u32* const own = row();
    const u32 count = shared.job.count;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const u32 at = own[here<kFull>(j, count) ? digit_again(j, digit) : mask];
      ranks[j / 2] += j % 2 ? at << 16 : at;
    }
    __syncthreads();  // the counters give way to the stage
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) stage()[rank_at(j)] = key[j];
  }

  // begin(t): where digit t of the whole starts in the output. Returns, in thread t < 256, how many keys of digit t
  // stand in this tile and before it.
  template <class BeginOf>
  __device__ __forceinline__ u32 look_back(const BeginOf& begin, u32 mask) {
    const u32 t = threadIdx.x;
    if (t > mask || t >= kDigits) return 0;
    u32 sum = 0;
    const u32 real = in_tile_real(mask);
    if (!shared.job.first) {
      const u32 partial = partial_word(), total = total_word();
      const volatile u32* word = shared.job.lookback - kDigits + t;
      for (;;) {
        const u32 x = *word, state = x & ~kCountMask;
        if (state == total) {
          sum += x & kCountMask;
          break;
        }
        if (state != partial) continue;
        sum += x & kCountMask;
        word -= kDigits;
      }
      __stcg(&shared.job.lookback[t], (sum + real) | total);
    }
    const u64 base = begin(t) + sum - before_in_tile;
    shared.base[t] = static_cast<u32>(base);
    shared.base_high[t] = static_cast<u32>(base >> 32);
    return sum + real;
  }

  // All loads of a tile are in flight before the first is staged; wide values would not fit the registers.
  static constexpr u32 kFlight = sizeof(V) == 16 ? 4 : kItems;
  V value[kHasValues ? kFlight : 1];

  template <bool kFull>
  __device__ __forceinline__ void load_values(u32 from_row) {
    if constexpr (kHasValues) {
      const u32 count = shared.job.count;
      const V* const from = shared.job.values_from;
      const u64 start = shared.job.start;
#pragma unroll
      for (u32 j = 0; j < kFlight; ++j) {
        const u64 i = start + mine() + (from_row + j) * 32;
        if (here<kFull>(from_row + j, count)) value[j] = from == nullptr ? counting_value<V>(i) : load(from + i);
      }
    }
  }
  template <bool kFull>
  __device__ __forceinline__ void stage_values(u32 from_row) {
    if constexpr (kHasValues) {
      const u32 count = shared.job.count;
#pragma unroll
      for (u32 j = 0; j < kFlight; ++j) {
        if (here<kFull>(from_row + j, count)) value_stage()[rank_at(from_row + j)] = value[j];
      }
    }
  }
  template <bool kFull>
  __device__ __forceinline__ void stage_other_values() {
    if constexpr (kHasValues && kFlight < kItems) {
#pragma unroll
      for (u32 first = kFlight; first < kItems; first += kFlight) {
        load_values<kFull>(first);
        stage_values<kFull>(first);
      }
    }
  }

  // Keys and their values leave together: the place is computed once.
  template <bool kFull, class DigitOf>
  __device__ __forceinline__ void scatter_keys_move_values(const DigitOf& digit) {
    __syncthreads();  // stages and bases
    const u32 count = shared.job.count;
    const KeyOrder<K> leave = shared.job.leave;
    K* const keys_to = shared.job.keys_to;
    V* const values_to = shared.job.values_to;
    if (!kFull && shared.job.wide) {
      for (u32 i = threadIdx.x; i < count; i += kThreads) {
        const K x = stage()[i];
        const u32 d = digit(x);
        const u64 to = (u64{shared.base_high[d]} << 32 | shared.base[d]) + i;
        if (keys_to != nullptr) keys_to[to] = leave.restore(x);
        if constexpr (kHasValues) values_to[to] = value_stage()[i];
      }
      return;
    }
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      const u32 i = j * kThreads + threadIdx.x;
      if (kFull || i < count) {
        const K x = stage()[i];
        const u32 to = shared.base[digit(x)] + i;
        if (!kHasValues || keys_to != nullptr) keys_to[to] = leave.restore(x);
        if constexpr (kHasValues) values_to[to] = value_stage()[i];
      }
    }
  }

  template <bool kFull, class DigitOf, class BeginOf, class Draw>
  __device__ __forceinline__ u32 split_tile(const DigitOf& digit_at, const BeginOf& begin, const Draw& draw, u32 shift,
                                            u32 mask, u64 ahead) {
    const auto digit = [&](K x) { return digit_at(x, shift) & mask; };
    load_keys<kFull>();
    if (kFull) prefetch(ahead);
    rank_keys<kFull>(digit, mask);
    publish_counts(mask);
    shift = opaque(shift);
    stage_keys<kFull>(digit, mask);
    load_values<kFull>(0);
    const u32 up_to_here = look_back(begin, mask);
    // Not before: whoever holds a ticket makes all behind it wait. All have read this tile's, barriers ago.
    if (threadIdx.x == 0) shared.ticket = draw();
    stage_values<kFull>(0);
    stage_other_values<kFull>();
    scatter_keys_move_values<kFull>(digit);
    return up_to_here;
  }

  // Everything, a barrier after the counters are clear and the job stands. draw() is asked what shared.ticket shall be
  // next, once this tile has nothing to wait for. Returns what look_back() does. The usual tile has a body of its own,
  // without a condition at any key.
  //
  // number_of(carried key): what digits are taken from.
  template <class NumberOf, class BeginOf, class Draw>
  __device__ __forceinline__ u32 split(const NumberOf& number_of, const KeyOrder<K>& order, const BeginOf& begin,
                                       const Draw& draw, u32 shift, u32 mask, u64 ahead) {
    const bool raw = shared.job.raw;
    if (shared.job.count == kTile && !raw && !shared.job.wide)
      return split_tile<true>([&](K x, u32 by) { return static_cast<u32>(number_of(x) >> by); }, begin, draw, shift,
                              mask, ahead);
    return split_tile<false>([&](K x, u32 by) { return static_cast<u32>(number_of(raw ? order.map(x) : x) >> by); },
                             begin, draw, shift, mask, 0);
  }
};

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
