// Segments, each sorted by itself, by who can hold one: a team of a warp's lanes, a block, or (segment_passes.cuh) the whole
// device. sort_short_segments looks at every segment once, sorts those of a team, and lists the others;
// sort_block_segments works a list off. Nothing is read by the host, so the launches are the same for all offsets.
//
// Lanes of a warp sort segments in teams (segment_teams.cuh). A block passes over digits, keys and places in shared memory in
// between, values moved once at the end.
//
// Prior art: Hou et al., segmented sorts by classes of size (2017); Adinets and Merrill's ranking (arXiv 2206.01784).
#pragma once
#include "kernels/cuda/segment_teams.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// Of one segment as the offsets say it, within what there is.
struct SegmentBounds {
  u64 begin, count;
};
__device__ __forceinline__ SegmentBounds bounds_of(const SegmentParams& p, u64 segment, u64 n) {
  const u64 begin = load(p.begins + segment), end = load(p.ends + segment);
  // Only where offsets rise can nobody write what another one reads.
  if (begin > end || (segment != 0 && load(p.ends + segment - 1) > begin)) p.control->broken = 1;
  const u64 from = begin < n ? begin : n, to = end < n ? end : n;
  return {from, to > from ? to - from : 0};
}

__device__ __forceinline__ u64 draw(u64* counter, u64 more) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(more));
}

// Tiles, portions and a cleared histogram for a large segment. Overlapping ones may be more than there is space for, and
// stay as they are. By a whole warp.
__device__ __forceinline__ void list_large(const SegmentParams& p, u64 begin, u64 count, u32 passes) {
  const u32 lane = threadIdx.x & 31;
  const u64 tiles = (count + p.tile - 1) / p.tile, portions = (tiles - 1) / p.portion_tiles;
  u64 first_tile = 0, first_portion = 0, number = 0;
  if (lane == 0) {
    first_tile = draw(&p.control->tiles, tiles);
    first_portion = draw(&p.control->portions, portions);
    number = draw(&p.control->large_count, 1);
  }
  first_tile = __shfl_sync(kFullWarp, first_tile, 0);
  first_portion = __shfl_sync(kFullWarp, first_portion, 0);
  number = __shfl_sync(kFullWarp, number, 0);
  const bool fits = number < p.large_room && first_tile + tiles <= p.tile_room && first_portion + portions <= p.portion_room;
  for (u64 i = first_tile + lane; i < first_tile + tiles && i < p.tile_room; i += 32)
    p.segment_of_tile[i] = fits ? static_cast<u32>(number) : kNoSegment;
  if (number >= p.large_room) return;
  for (u64 i = lane; i < u64{passes} * kDigits; i += 32) p.histogram[number * passes * kDigits + i] = 0;
  if (lane == 0) p.large[number] = {begin, fits ? count : 0, first_tile, first_portion, 0, 0};
}

// A place in a list for every lane that has a segment for it.
__device__ __forceinline__ void list_for_blocks(const SegmentParams& p, u32 which, const SegmentBounds& bounds, bool wanted) {
  const u32 lane = threadIdx.x & 31, lanes = __ballot_sync(kFullWarp, wanted);
  if (lanes == 0) return;
  u64 number = 0;
  if (lane == 0) number = draw(&p.control->block_count[which], __popc(lanes));
  number = __shfl_sync(kFullWarp, number, 0) + __popc(lanes & ((1u << lane) - 1));
  if (wanted && number < p.block_room[which]) p.block_segments[which][number] = {bounds.begin, bounds.count};
}

// Segments that fill a team of so many lanes and not one of half as many: one for each of the warp's teams at a time. Then
// those of larger teams.
template <bool kValues, u32 kLog, class K>
__device__ __forceinline__ void sort_team_segments(const SegmentParams& p, const Order<K>& order, const SegmentBounds& bounds,
                                                   WarpStage& stage) {
  constexpr u32 kMost = tune::items_of_lane(sizeof(K)) << kLog;
  const u32 team = (threadIdx.x & 31) >> kLog;
  const bool wanted = bounds.count <= min(p.of_team, kMost) && bounds.count > (kLog == 0 ? 0 : kMost / 2);
  for (u32 left = __ballot_sync(kFullWarp, wanted); left != 0;) {
    u32 from_here = left;
    for (u32 before = 0; before < team; ++before) from_here &= from_here - 1;
    const int from = from_here != 0 ? __ffs(from_here) - 1 : 0;
    const u64 begin = __shfl_sync(kFullWarp, bounds.begin, from);
    const u32 count = __shfl_sync(kFullWarp, static_cast<u32>(bounds.count), from);
    const SegmentJob<K> job{p, order, begin, from_here != 0 ? count : 0};
    sort_by_teams<kValues, kLog>(job, stage);
    left = __shfl_sync(kFullWarp, from_here & (from_here - 1), 31);  // the last team's, without its own
  }
  if constexpr (kMost < tune::kSegmentOfTeam) sort_team_segments<kValues, kLog + 1>(p, order, bounds, stage);
}

template <bool kValues, class K>
__device__ __forceinline__ void sort_short_segments(const SegmentParams& p) {
  __shared__ WarpStage stages[tune::kWarpSegmentThreads / 32];
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  const u64 n = real_count(p.device_count, p.count);
  const u32 lane = threadIdx.x & 31;
  WarpStage& stage = stages[threadIdx.x >> 5];
  const Share share;
  for (u64 first = share.first / 32 * p.per_warp; first < p.segment_count; first += share.stride / 32 * p.per_warp) {
    const u64 mine = first + lane;
    const SegmentBounds bounds =
        lane < p.per_warp && mine < p.segment_count ? bounds_of(p, mine, n) : SegmentBounds{0, 0};
    sort_team_segments<kValues, 0>(p, order, bounds, stage);
    list_for_blocks(p, 0, bounds, bounds.count > p.of_team && bounds.count <= p.of_block[0]);
    list_for_blocks(p, 1, bounds, bounds.count > p.of_block[0] && bounds.count <= p.of_block[1]);
    for (u32 left = __ballot_sync(kFullWarp, bounds.count > p.of_block[1]); left != 0; left &= left - 1) {
      const int from = __ffs(left) - 1;
      const u64 begin = __shfl_sync(kFullWarp, bounds.begin, from), count = __shfl_sync(kFullWarp, bounds.count, from);
      list_large(p, begin, count, order.passes());
    }
  }
}

// One block and one segment: keys by a least-significant-digit sort in shared memory.
template <tune::BlockSegmentShape S>
struct BlockSegmentSort {
  using K = Unsigned<S.key_bytes>;
  static constexpr u32 kThreads = S.threads, kItems = S.items, kWarps = kThreads / 32, kRoom = S.room();
  static constexpr u32 kPairs = S.places ? kItems / 2 : 1;
  static_assert(kItems % 2 == 0 && kRoom <= 65536 && kThreads >= kDigits);

  struct Shared {
    u32 sums[8];
    u64 ticket;
    unsigned long long ones, zeros;
  };

  const SegmentJob<K>& job;
  Shared& shared;
  unsigned char* room;
  u32 rows;  // of the warps' stretches: no more than the segment fills

  K key[kItems];
  u32 places[kPairs];  // 16 bits each
  u32 ranks[kItems / 2];

  __device__ u32* row() { return reinterpret_cast<u32*>(room) + (threadIdx.x >> 5) * kDigits; }
  __device__ K* stage() { return reinterpret_cast<K*>(room + S.counter_bytes()); }
  __device__ u16* place_stage() { return reinterpret_cast<u16*>(stage() + kRoom); }
  __device__ __forceinline__ u32 at(u32 j) const {
    return ((threadIdx.x >> 5) * rows + j) * 32 + (threadIdx.x & 31);
  }
  __device__ __forceinline__ bool here(u32 j) const { return j < rows && at(j) < job.count; }
  __device__ __forceinline__ u32 rank_at(u32 j) const { return j % 2 ? ranks[j / 2] >> 16 : ranks[j / 2] & 0xffffu; }
  __device__ __forceinline__ u32 place_at(u32 j) const {
    return j % 2 ? places[j / 2] >> 16 : places[j / 2] & 0xffffu;
  }
  __device__ __forceinline__ static void put(u32* halves, u32 j, u32 x) {
    halves[j / 2] = j % 2 ? (halves[j / 2] & 0xffffu) | x << 16 : x;
  }

  __device__ __forceinline__ void or_into(unsigned long long* word, u64 mine) {
#pragma unroll
    for (u32 half = 0; half < sizeof(K) * 8; half += 32) {
      const u32 bits = __reduce_or_sync(kFullWarp, static_cast<u32>(mine >> half));
      if ((threadIdx.x & 31) == 0 && bits != 0) atomicOr(word, static_cast<unsigned long long>(bits) << half);
    }
  }

  // True where no key that is there needs the map's exceptions: then keys are carried mapped.
  __device__ __forceinline__ bool load_keys() {
    bool special = false;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (!here(j)) continue;
      key[j] = load(job.keys() + at(j));
      special |= job.order.map.special(key[j]);
      if constexpr (S.places) put(places, j, at(j));
    }
    if (threadIdx.x == 0) shared.ones = shared.zeros = 0;
    return !__syncthreads_or(special && !job.order.plain) && job.order.map.truth_mask == 0;
  }

  // The bits of the field in which keys differ.
  template <bool kPlain>
  __device__ __forceinline__ u64 varying_bits() {
    u64 some = 0, lacks = 0;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (!here(j)) continue;
      const K number = mapped<kPlain>(j);
      some |= number;
      lacks |= static_cast<K>(~number);
    }
    or_into(&shared.ones, some);
    or_into(&shared.zeros, lacks);
    __syncthreads();  // ones and zeros
    return static_cast<K>(shared.ones & shared.zeros) >> (job.order.begin & (sizeof(K) * 8 - 1)) & job.order.decides;
  }

  template <bool kPlain>
  __device__ __forceinline__ K mapped(u32 j) const {
    return kPlain ? key[j] : job.order.map.map(key[j]);
  }
  template <bool kPlain>
  __device__ __forceinline__ u32 digit_at(u32 j, const Digit& digit) const {
    return here(j) ? static_cast<u32>(mapped<kPlain>(j) >> digit.shift) & digit.mask : kDigits - 1;
  }

  // Ranks within the segment. Places past the end take the highest digit: they rank after every key.
  template <bool kPlain>
  __device__ __forceinline__ void rank_keys(const Digit& digit) {
    const u32 lane = threadIdx.x & 31, below = (1u << lane) - 1;
    u32* const own = row();
#pragma unroll
    for (u32 i = 0; i < kDigits; i += 32) own[i + lane] = 0;
    __syncwarp();  // the warp's counters are clear
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (j < rows) {
        const u32 d = digit_at<kPlain>(j, digit), alike = lanes_alike(d), rank = own[d] + __popc(alike & below);
        __syncwarp();                                // all have read the counter
        if (alike >> lane == 1u) own[d] = rank + 1;  // the highest lane
        __syncwarp();                                // the counter has moved on
        put(ranks, j, rank);
      }
    }
    __syncthreads();  // all warps' counters
    const u32 t = threadIdx.x;
    u32* const counters = reinterpret_cast<u32*>(room);
    u32 sum = 0;
    if (t < kDigits) {
#pragma unroll
      for (u32 w = 0; w < kWarps; ++w) sum += counters[w * kDigits + t];
    }
    u32 run = exclusive_scan_256(sum, shared.sums);
    if (t < kDigits) {
#pragma unroll
      for (u32 w = 0; w < kWarps; ++w) {
        const u32 x = counters[w * kDigits + t];
        counters[w * kDigits + t] = run;
        run += x;
      }
    }
    __syncthreads();  // counters say where a warp's keys of a digit start
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (j < rows) {
        const u32 before = own[digit_at<kPlain>(j, digit)];
        ranks[j / 2] += j % 2 ? before << 16 : before;
      }
    }
  }

  __device__ __forceinline__ void exchange_keys() {
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (j < rows) {
        stage()[rank_at(j)] = key[j];
        if constexpr (S.places) place_stage()[rank_at(j)] = static_cast<u16>(place_at(j));
      }
    }
    __syncthreads();  // the stage is written, and the counters are read
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (j < rows) {
        key[j] = stage()[at(j)];
        if constexpr (S.places) put(places, j, place_stage()[at(j)]);
      }
    }
  }

  template <class V>
  __device__ __forceinline__ void move_values() {
    V* const to = static_cast<V*>(job.p.values.dst) + job.begin;
    if (job.p.values.src == nullptr) {
#pragma unroll
      for (u32 j = 0; j < kItems; ++j) {
        if (here(j)) to[at(j)] = counting_value<V>(job.first_index() + place_at(j));
      }
      return;
    }
    V* const stage_of = reinterpret_cast<V*>(room + S.counter_bytes());
    const V* const from = static_cast<const V*>(job.p.values.src) + job.begin;
    __syncthreads();  // the stage's keys are read
    for (u32 i = threadIdx.x; i < job.count; i += kThreads) stage_of[i] = load(from + i);
    __syncthreads();  // the stage holds all values
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (here(j)) to[at(j)] = stage_of[place_at(j)];
    }
  }

  template <bool kPlain>
  __device__ __forceinline__ void sort_keys() {
    if constexpr (kPlain) {
#pragma unroll
      for (u32 j = 0; j < kItems; ++j) key[j] = job.order.map.image(key[j]);
    }
    const u64 varying = varying_bits<kPlain>();
#pragma unroll 1
    for (u32 pass = 0; pass < job.order.passes(); ++pass) {
      if ((varying >> (8 * pass) & 255) == 0) continue;
      rank_keys<kPlain>(Digit(job.order, pass));
      exchange_keys();
    }
    if (job.p.keys.dst == nullptr) return;
#pragma unroll
    for (u32 j = 0; j < kItems; ++j) {
      if (here(j)) job.keys_to()[at(j)] = kPlain ? job.order.map.restore(key[j]) : key[j];
    }
  }

  __device__ __forceinline__ void sort() {
    if (load_keys())
      sort_keys<true>();
    else
      sort_keys<false>();
    if constexpr (S.places) {
      by_width(job.p.value_bytes, [&](auto item) { move_values<decltype(item)>(); });
    }
  }
};

template <tune::BlockSegmentShape S, u32 kWhich>
__device__ __forceinline__ void sort_block_segments(const SegmentParams& p) {
  using Sort = BlockSegmentSort<S>;
  using K = typename Sort::K;
  extern __shared__ __align__(16) unsigned char room[];
  __shared__ typename Sort::Shared shared;
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  const u64 listed = load(&p.control->block_count[kWhich]), segments = listed < p.block_room[kWhich] ? listed : p.block_room[kWhich];
#pragma unroll 1
  for (;;) {
    if (threadIdx.x == 0) shared.ticket = draw(&p.control->block_ticket[kWhich], 1);
    __syncthreads();  // the ticket; what the segment before had in shared memory is read
    const u64 ticket = shared.ticket;
    if (ticket >= segments) return;
    const BlockSegment* const segment = p.block_segments[kWhich] + ticket;
    const SegmentJob<K> job{p, order, load(&segment->begin), static_cast<u32>(load(&segment->count))};
    Sort sort{job, shared, room, (job.count + Sort::kThreads - 1) / Sort::kThreads};
    sort.sort();
    __syncthreads();  // all have read the ticket and the stage
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
