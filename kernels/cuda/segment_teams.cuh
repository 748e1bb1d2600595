// A team: neighbouring lanes of a warp that sort one segment in their registers while the warp's other teams sort theirs.
// A lane sorts what it holds by a network of few comparisons; then the lanes' runs are merged bitonically. Items of more
// lanes would want more shuffles, and shuffles are what a warp has fewest of.
//
// Where keys may stand for one another a team moves mapped keys alone; else words of (what decides, place in the
// segment), which are all different, so that the network is as good as stable; keys and values then follow the places
// through shared memory.
//
// Prior art: Batcher, sorting networks (1968), in the form whose comparisons all point one way; Green's network of 60
// comparisons for 16 items (1969).
#pragma once
#include <type_traits>

#include "kernels/cuda/movement.cuh"
#include "kernels/cuda/segments_params.hpp"
#include "tune/cuda_segments.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// Places and what decides in one word whose order is theirs; wide keys leave no bits for places.
struct WideWord {
  u64 field;
  u32 place;
};
__device__ __forceinline__ bool operator<(const WideWord& a, const WideWord& b) {
  return a.field < b.field || (a.field == b.field && a.place < b.place);
}
__device__ __forceinline__ WideWord word_of(u64 field, u32 place) { return {field, place}; }
__device__ __forceinline__ u64 word_of(u32 field, u32 place) { return u64{field} << 32 | place; }
__device__ __forceinline__ u32 word_of(u16 field, u32 place) { return u32{field} << 16 | place; }
__device__ __forceinline__ u32 word_of(u8 field, u32 place) { return u32{field} << 16 | place; }
__device__ __forceinline__ u32 place_of(const WideWord& word) { return word.place; }
__device__ __forceinline__ u32 place_of(u64 word) { return static_cast<u32>(word); }
__device__ __forceinline__ u32 place_of(u32 word) { return word & 0xffffu; }

__device__ __forceinline__ u32 shuffle_xor(u32 x, u32 mask) { return __shfl_xor_sync(kFullWarp, x, mask); }
__device__ __forceinline__ u64 shuffle_xor(u64 x, u32 mask) { return __shfl_xor_sync(kFullWarp, x, mask); }
__device__ __forceinline__ WideWord shuffle_xor(const WideWord& x, u32 mask) {
  return {shuffle_xor(x.field, mask), shuffle_xor(x.place, mask)};
}

// A segment that is about to be sorted, and how.
template <class K>
struct SegmentJob {
  const SegmentParams& p;
  const Order<K> order;
  u64 begin;
  u32 count;

  __device__ const K* keys() const { return static_cast<const K*>(p.keys.src) + begin; }
  __device__ K* keys_to() const { return static_cast<K*>(p.keys.dst) + begin; }
  // Where indices count from.
  __device__ u64 first_index() const { return p.local_indices != 0 ? 0 : begin; }
};

// The lesser and the greater of two items of one lane.
template <u32 kLow, u32 kHigh, u32 kPer, class W>
__device__ __forceinline__ void compare(W (&x)[kPer]) {
  const W a = x[kLow], b = x[kHigh];
  const bool swap = b < a;
  x[kLow] = swap ? b : a;
  x[kHigh] = swap ? a : b;
}
template <class W>
__device__ __forceinline__ void sort_lane(W (&x)[8]) {
  compare<0, 2>(x), compare<1, 3>(x), compare<4, 6>(x), compare<5, 7>(x);
  compare<0, 4>(x), compare<1, 5>(x), compare<2, 6>(x), compare<3, 7>(x);
  compare<0, 1>(x), compare<2, 3>(x), compare<4, 5>(x), compare<6, 7>(x);
  compare<2, 4>(x), compare<3, 5>(x);
  compare<1, 4>(x), compare<3, 6>(x);
  compare<1, 2>(x), compare<3, 4>(x), compare<5, 6>(x);
}
template <class W>
__device__ __forceinline__ void sort_lane(W (&x)[16]) {
  compare<0, 13>(x), compare<1, 12>(x), compare<2, 15>(x), compare<3, 14>(x);
  compare<4, 8>(x), compare<5, 6>(x), compare<7, 11>(x), compare<9, 10>(x);
  compare<0, 5>(x), compare<1, 7>(x), compare<2, 9>(x), compare<3, 4>(x);
  compare<6, 13>(x), compare<8, 14>(x), compare<10, 15>(x), compare<11, 12>(x);
  compare<0, 1>(x), compare<2, 3>(x), compare<4, 5>(x), compare<6, 8>(x);
  compare<7, 9>(x), compare<10, 11>(x), compare<12, 13>(x), compare<14, 15>(x);
  compare<0, 2>(x), compare<1, 3>(x), compare<4, 10>(x), compare<5, 11>(x);
  compare<6, 7>(x), compare<8, 9>(x), compare<12, 14>(x), compare<13, 15>(x);
  compare<1, 2>(x), compare<3, 12>(x), compare<4, 6>(x), compare<5, 7>(x);
  compare<8, 10>(x), compare<9, 11>(x), compare<13, 14>(x);
  compare<1, 4>(x), compare<2, 6>(x), compare<5, 8>(x), compare<7, 10>(x), compare<9, 13>(x), compare<11, 14>(x);
  compare<2, 4>(x), compare<3, 6>(x), compare<9, 12>(x), compare<11, 13>(x);
  compare<3, 5>(x), compare<6, 8>(x), compare<7, 9>(x), compare<10, 12>(x);
  compare<3, 4>(x), compare<5, 6>(x), compare<7, 8>(x), compare<9, 10>(x), compare<11, 12>(x);
  compare<6, 7>(x), compare<8, 9>(x);
}

template <class W>
__device__ __forceinline__ W pick(const W& mine, const W& other, bool low) {
  return (mine < other) == low ? mine : other;
}
// Every lane holds kPer neighbours. Items whose numbers differ by kMask are put in order; kTop is its highest bit.
template <u32 kPer, u32 kMask, u32 kTop, u32 kPair = 0, class W>
__device__ __forceinline__ void exchange(W (&x)[kPer]) {
  if constexpr (kMask < kPer) {
    if constexpr (kPair < kPer) {
      if constexpr ((kPair & kTop) == 0) compare<kPair, kPair ^ kMask>(x);
      exchange<kPer, kMask, kTop, kPair + 1>(x);
    }
  } else {
    constexpr u32 kLanes = kMask / kPer, kRows = kMask % kPer;
    const bool low = (threadIdx.x & (kTop / kPer)) == 0;
    if constexpr (kRows == 0) {
#pragma unroll
      for (u32 r = 0; r < kPer; ++r) x[r] = pick(x[r], shuffle_xor(x[r], kLanes), low);
    } else {
#pragma unroll
      for (u32 r = 0; r < kPer / 2; ++r) {  // two at a time: what one needs of the other lane, that lane needs of this
        const W first = shuffle_xor(x[r ^ kRows], kLanes), second = shuffle_xor(x[r], kLanes);
        x[r] = pick(x[r], first, low);
        x[r ^ kRows] = pick(x[r ^ kRows], second, low);
      }
    }
  }
}
template <u32 kPer, u32 kDistance, class W>
__device__ __forceinline__ void halve(W (&x)[kPer]) {
  if constexpr (kDistance != 0) {
    exchange<kPer, kDistance, kDistance>(x);
    halve<kPer, kDistance / 2>(x);
  }
}
// Runs of every lane into one of so many lanes.
template <u32 kRuns = 2, u32 kPer, class W>
__device__ __forceinline__ void merge_lanes(W (&x)[kPer], u32 lanes) {
  if constexpr (kRuns * kPer <= tune::kSegmentOfTeam) {
    if (kRuns > lanes) return;
    exchange<kPer, kRuns * kPer - 1, kRuns * kPer / 2>(x);
    halve<kPer, kRuns * kPer / 4>(x);
    merge_lanes<kRuns * 2>(x, lanes);
  }
}

struct WarpStage {
  static constexpr u32 kBytes = 32 * (8 + 1) * 16;  // a word more for each lane: see TeamSort::spread_out
  static_assert(kBytes >= 32 * (tune::items_of_lane(4) + 1) * 4 && kBytes >= 32 * (tune::items_of_lane(8) + 1) * 8);
  __align__(16) unsigned char bytes[kBytes];
  template <class T>
  __device__ T* of() {
    return reinterpret_cast<T*>(bytes);
  }
};

// A lane's part in the sort of its team's segment.
template <bool kValues, class K>
struct TeamSort {
  static constexpr u32 kPer = tune::items_of_lane(sizeof(K));
  const SegmentJob<K>& job;
  WarpStage& stage;
  const u32 log_lanes;

  __device__ static u32 lane() { return threadIdx.x & 31; }
  // As loads and stores see the segment: of so many lanes every so many-th item.
  __device__ u32 item(u32 r) const { return (r << log_lanes) + (lane() & ((1u << log_lanes) - 1)); }
  // The team's first in a stage of all teams.
  __device__ u32 slots() const { return (lane() >> log_lanes << log_lanes) * kPer; }
  // A word more for each lane, so that neither its own items nor neighbours meet in one bank.
  __device__ static u32 spread_out(u32 slot) { return slot + slot / kPer; }

  // From each lane its run of the order, to each lane its share of the whole.
  template <class T, class X, class Y>
  __device__ __forceinline__ void deal(const X& own, const Y& take) {
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) stage.of<T>()[lane() * (kPer + 1) + r] = own(r);
    __syncwarp();  // the stage is written
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) take(r, stage.of<T>()[spread_out(slots() + item(r))]);
    __syncwarp();  // the stage is read
  }

  // Keys that are their own images' and nothing else's: by these alone. False if some of the warp's are not.
  __device__ __forceinline__ bool sort_images() {
    using W = std::conditional_t<sizeof(K) == 8, u64, u32>;
    W x[kPer];
    bool special = false;
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) {
      const bool here = item(r) < job.count;
      const K raw = here ? load(job.keys() + item(r)) : K{0};
      special |= here && job.order.map.special(raw);
      x[r] = here ? static_cast<W>(job.order.map.image(raw)) : static_cast<W>(~W{0});
    }
    if (!job.order.plain && __any_sync(kFullWarp, special)) return false;
    sort_lane(x);
    merge_lanes(x, 1u << log_lanes);
    deal<W>([&](u32 r) { return x[r]; },
            [&](u32 r, W image) {
              if (item(r) < job.count) job.keys_to()[item(r)] = job.order.map.restore(static_cast<K>(image));
            });
    return true;
  }

  // Items follow their places to nowhere else than their own segment. Wide ones by as many teams at a time as fit.
  template <class T>
  __device__ __forceinline__ void move_by_places(const T* from, T* to, const u32 (&place)[kPer]) {
    constexpr u32 kRounds = (32 * kPer * sizeof(T) + WarpStage::kBytes - 1) / WarpStage::kBytes;
    constexpr u32 kAtOnce = 64 / sizeof(T);  // in flight; more would not fit the registers
    static_assert(tune::kSegmentOfTeam * kRounds <= 32 * kPer);
#pragma unroll 1
    for (u32 round = 0; round < kRounds; ++round) {
      const u32 count = lane() / (32 / kRounds) == round ? job.count : 0;
      T* const room = stage.of<T>() + slots() - round * (32 / kRounds) * kPer;
#pragma unroll
      for (u32 r = 0; r < kPer; ++r) {
        if (item(r) < count) room[item(r)] = load(from + item(r));
        if ((r + 1) % kAtOnce == 0) __syncwarp();
      }
      __syncwarp();  // the stage is written, and in place nothing is needed any more
#pragma unroll
      for (u32 r = 0; r < kPer; ++r) {
        if (item(r) < count) to[item(r)] = room[place[r]];
        if ((r + 1) % kAtOnce == 0) __syncwarp();
      }
      __syncwarp();  // the stage is read
    }
  }

  __device__ __forceinline__ void sort_with_places() {
    using W = decltype(word_of(K{}, 0u));
    u32 place[kPer];
    {
      W x[kPer];
#pragma unroll
      for (u32 r = 0; r < kPer; ++r)
        x[r] = word_of(item(r) < job.count ? job.order.field(load(job.keys() + item(r))) : static_cast<K>(~K{0}), item(r));
      sort_lane(x);
      merge_lanes(x, 1u << log_lanes);
      deal<u32>([&](u32 r) { return place_of(x[r]); }, [&](u32 r, u32 of_item) { place[r] = of_item; });
    }
    if (job.p.keys.dst != nullptr) move_by_places(job.keys(), job.keys_to(), place);
    if constexpr (!kValues) return;
    by_width(job.p.value_bytes, [&](auto value) {
      using V = decltype(value);
      V* const to = static_cast<V*>(job.p.values.dst) + job.begin;
      if (job.p.values.src != nullptr)
        return move_by_places(static_cast<const V*>(job.p.values.src) + job.begin, to, place);
#pragma unroll
      for (u32 r = 0; r < kPer; ++r) {
        if (item(r) < job.count) to[item(r)] = counting_value<V>(job.first_index() + place[r]);
      }
    });
  }

  // By the whole warp; a team without a segment has a count of 0.
  __device__ __forceinline__ void sort() {
    if constexpr (!kValues) {
      if (job.p.whole_keys != 0 && sort_images()) return;
    }
    sort_with_places();
  }
};

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
