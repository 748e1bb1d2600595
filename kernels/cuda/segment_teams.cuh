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
// Runs of every lane into one of kLanes lanes.
template <u32 kLanes, u32 kRuns = 2, u32 kPer, class W>
__device__ __forceinline__ void merge_lanes(W (&x)[kPer]) {
  if constexpr (kRuns <= kLanes) {
    exchange<kPer, kRuns * kPer - 1, kRuns * kPer / 2>(x);
    halve<kPer, kRuns * kPer / 4>(x);
    merge_lanes<kLanes, kRuns * 2>(x);
  }
}

struct WarpStage {
  static constexpr u32 kBytes = 32 * (8 + 1) * 16;  // a word more for each lane: see Team::spread
  static_assert(kBytes >= 32 * (tune::items_of_lane(4) + 1) * 4 && kBytes >= 32 * (tune::items_of_lane(8) + 1) * 8);
  // All keys and, spread, all places.
  static_assert(kBytes >= 32 * (tune::items_of_lane(4) * 4 + (tune::items_of_lane(4) + 1) * 4) &&
                kBytes >= 32 * (tune::items_of_lane(8) * 8 + (tune::items_of_lane(8) + 1) * 4));
  __align__(16) unsigned char bytes[kBytes];
  template <class T>
  __device__ T* of() {
    return reinterpret_cast<T*>(bytes);
  }
};

// A lane of a team of 1 << kLog lanes and its segment, as loads and stores see it: of so many lanes every so many-th item.
// All that depends on the lane is in the pointers, and what depends on r is known when compiled.
template <u32 kLog, class K>
struct Team {
  static constexpr u32 kPer = tune::items_of_lane(sizeof(K)), kLanes = 1u << kLog, kSlots = kLanes * kPer;
  const SegmentJob<K>& job;
  const u32 lane = threadIdx.x & 31, own = lane & (kLanes - 1), slots = (lane & ~(kLanes - 1)) * kPer;  // its team's in a stage of all
  const int left = static_cast<int>(job.count) - static_cast<int>(own);

  __device__ bool here(u32 r) const { return static_cast<int>(r * kLanes) < left; }
  __device__ u32 item(u32 r) const { return r * kLanes + own; }

  // Brings values into L2 that are read once their places are known: a line a lane.
  __device__ void expect_values() const {
    const u32 bytes = job.p.value_bytes;
    if (job.p.values.src != nullptr && own * 128 < job.count * bytes)
      prefetch_line(static_cast<const unsigned char*>(job.p.values.src) + job.begin * bytes + own * 128);
  }

  // From each lane its run of the order, to each lane its share of the whole; a word more for each lane, so that neither its
  // own items nor neighbours meet in one bank.
  template <class T, class X, class Y>
  __device__ __forceinline__ void deal(T* room, const X& of_run, const Y& take) const {
    T* const to = room + lane * (kPer + 1);
    const T* const from = room + slots + slots / kPer + own + own / kPer;
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) to[r] = of_run(r);
    __syncwarp();  // the room is written
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) take(r, from[r * kLanes + r * kLanes / kPer]);
    __syncwarp();  // the room is read
  }

  // Images of the keys, and of what is past the end `rest`. False if some key of the warp is not its image's alone.
  template <class W>
  __device__ __forceinline__ bool load_images(W (&x)[kPer], W rest) const {
    const K* const from = job.keys() + own;
    const auto& map = job.order.map;
    bool special = false;
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) x[r] = here(r) ? load(from + r * kLanes) : K{0};
    if (!job.order.plain) {
#pragma unroll
      for (u32 r = 0; r < kPer; ++r) special |= here(r) && map.special(static_cast<K>(x[r]));
      if (__any_sync(kFullWarp, special)) return false;
    }
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) x[r] = here(r) ? static_cast<W>(map.image(static_cast<K>(x[r]))) : rest;
    return true;
  }
};

// Keys alone, by their images. False if they are not keys that may stand for one another.
template <u32 kLog, class K>
__device__ __forceinline__ bool sort_images(const SegmentJob<K>& job, WarpStage& stage) {
  using W = std::conditional_t<sizeof(K) == 8, u64, u32>;
  const Team<kLog, K> team{job};
  W x[team.kPer];
  if (!team.load_images(x, static_cast<W>(~W{0}))) return false;
  sort_lane(x);
  merge_lanes<team.kLanes>(x);
  K* const to = job.keys_to() + team.own;
  team.deal(stage.of<W>(), [&](u32 r) { return x[r]; },
            [&](u32 r, W image) {
              if (team.here(r)) to[r * team.kLanes] = job.order.map.restore(static_cast<K>(image));
            });
  return true;
}

// Items follow their places to nowhere else than their own segment. Wide ones by as many teams at a time as fit.
template <class T, u32 kLog, class K>
__device__ __forceinline__ void move_by_places(const Team<kLog, K>& team, const T* from, T* to, const u32 (&place)[Team<kLog, K>::kPer],
                                               WarpStage& stage) {
  constexpr u32 kPer = team.kPer, kLanes = team.kLanes, kRounds = (32 * kPer * sizeof(T) + WarpStage::kBytes - 1) / WarpStage::kBytes,
                kAtOnce = 64 / sizeof(T);  // in flight; more would not fit the registers
  static_assert(tune::kSegmentOfTeam * kRounds <= 32 * kPer);
#pragma unroll 1
  for (u32 round = 0; round < kRounds; ++round) {
    const bool mine = team.lane / (32 / kRounds) == round;
    T* const room = stage.of<T>() + team.slots - round * (32 / kRounds) * kPer;
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) {
      if (mine && team.here(r)) room[team.own + r * kLanes] = load(from + team.own + r * kLanes);
      if ((r + 1) % kAtOnce == 0) __syncwarp();
    }
    __syncwarp();  // the stage is written, and in place nothing is needed any more
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) {
      if (mine && team.here(r)) to[team.own + r * kLanes] = room[place[r]];
      if ((r + 1) % kAtOnce == 0) __syncwarp();
    }
    __syncwarp();  // the stage is read
  }
}

template <u32 kLog, class K>
__device__ __forceinline__ void move_values(const Team<kLog, K>& team, const u32 (&place)[Team<kLog, K>::kPer], WarpStage& stage) {
  const SegmentJob<K>& job = team.job;
  by_width(job.p.value_bytes, [&](auto value) {
    using V = decltype(value);
    V* const to = static_cast<V*>(job.p.values.dst) + job.begin;
    if (job.p.values.src != nullptr) return move_by_places(team, static_cast<const V*>(job.p.values.src) + job.begin, to, place, stage);
#pragma unroll
    for (u32 r = 0; r < team.kPer; ++r) {
      if (team.here(r)) to[team.item(r)] = counting_value<V>(job.first_index() + place[r]);
    }
  });
}

// With values: by words of 32 bits, the place in the segment below the highest bits of where a key stands between the least
// and the largest. Exact where those are all the bits there are; else a look at the order tells, and in the rare case that
// it is not the right one nothing has been written. False then, and where keys are not their images.
template <u32 kLog, class K>
__device__ __forceinline__ bool sort_by_range(const SegmentJob<K>& job, WarpStage& stage) {
  using W = std::conditional_t<sizeof(K) == 8, u64, u32>;
  using T = Team<kLog, K>;
  constexpr u32 kPer = T::kPer, kBits = sizeof(W) * 8, kPlaceMask = T::kSlots - 1;
  const T team{job};
  K* const keys = stage.of<K>() + team.slots;
  u32* const dealt = reinterpret_cast<u32*>(stage.bytes + 32 * kPer * sizeof(K));
  u32 place[kPer];
  bool exact;
  {
    W x[kPer];
    team.expect_values();
    if (!team.load_images(x, W{0})) return false;
    W least = ~W{0}, largest = 0;
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) {
      largest = max(largest, x[r]);
      least = min(least, team.here(r) ? x[r] : static_cast<W>(~W{0}));
      keys[team.item(r)] = static_cast<K>(x[r]);
    }
#pragma unroll
    for (u32 apart = 1; apart < T::kLanes; apart *= 2) {
      largest = max(largest, shuffle_xor(largest, apart));
      least = min(least, shuffle_xor(least, apart));
    }
    const W range = job.count == 0 ? W{0} : largest - least;
    const u32 up = range == 0 ? 0 : leading_zeros(range);
    exact = range <= ((W{1} << (32 - kLog - (31 - __builtin_clz(kPer)))) - 1);
    u32 word[kPer];
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) {
      const u32 high = static_cast<u32>(static_cast<W>((x[r] - least) << up) >> (kBits - 32));
      word[r] = team.here(r) ? (high & ~kPlaceMask) | team.item(r) : ~0u;
    }
    sort_lane(word);
    merge_lanes<T::kLanes>(word);
    team.deal(dealt, [&](u32 r) { return word[r] & kPlaceMask; }, [&](u32 r, u32 of_item) { place[r] = of_item; });
  }
  K image[kPer];
#pragma unroll
  for (u32 r = 0; r < kPer; ++r) image[r] = keys[place[r]];
  if (!__all_sync(kFullWarp, exact)) {
    bool wrong = false;
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) {
      // The lane behind has the next one; the team's last lane's stands a row further in the first.
      const K mine = team.own == 0 && r + 1 < kPer ? image[r + 1 < kPer ? r + 1 : r] : image[r];
      const K next = __shfl_sync(kFullWarp, static_cast<W>(mine), static_cast<int>((team.own + 1) & (T::kLanes - 1)), T::kLanes);
      wrong |= static_cast<int>(r * T::kLanes) + 1 < team.left && next < image[r];
    }
    if (__any_sync(kFullWarp, wrong)) {
      __syncwarp();  // the keys of the stage are read
      return false;
    }
  }
  if (job.p.keys.dst != nullptr) {
    K* const to = job.keys_to() + team.own;
#pragma unroll
    for (u32 r = 0; r < kPer; ++r) {
      if (team.here(r)) to[r * T::kLanes] = job.order.map.restore(image[r]);
    }
  }
  __syncwarp();  // the keys of the stage are read
  move_values(team, place, stage);
  return true;
}

// By words of all that decides and the place. Called, so that its registers are not those of the usual way.
template <bool kValues, u32 kLog, class K>
__device__ __noinline__ void sort_with_places(const SegmentJob<K>& job, WarpStage& stage) {
  using W = decltype(word_of(K{}, 0u));
  const Team<kLog, K> team{job};
  u32 place[team.kPer];
  {
    W x[team.kPer];
#pragma unroll
    for (u32 r = 0; r < team.kPer; ++r)
      x[r] = word_of(team.here(r) ? job.order.field(load(job.keys() + team.item(r))) : static_cast<K>(~K{0}), team.item(r));
    sort_lane(x);
    merge_lanes<team.kLanes>(x);
    team.deal(stage.of<u32>(), [&](u32 r) { return place_of(x[r]); }, [&](u32 r, u32 of_item) { place[r] = of_item; });
  }
  if (job.p.keys.dst != nullptr) move_by_places(team, job.keys(), job.keys_to(), place, stage);
  if constexpr (kValues) move_values(team, place, stage);
}

// Segments of a team each, by the whole warp; a team without a segment has a count of 0.
template <bool kValues, u32 kLog, class K>
__device__ __forceinline__ void sort_by_teams(const SegmentJob<K>& job, WarpStage& stage) {
  const bool by_images = job.order.begin == 0 && job.order.end == sizeof(K) * 8 && job.order.map.truth_mask == 0;
  if constexpr (kValues) {
    if (by_images && sort_by_range<kLog>(job, stage)) return;
  } else {
    if (by_images && sort_images<kLog>(job, stage)) return;
  }
  sort_with_places<kValues, kLog>(job, stage);
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
