// Segments that no block can hold: a least-significant-digit sort of all of them at once, tile by tile, whose digits
// begin where each segment's own counts say. count_large_segments counts all digits in one read, begin_large_segments
// turns counts into begins and finds the digits that vary in any segment, pass_large_segments is one pass, and
// end_large_segments copies what an odd number of passes in place has left in the alternate.
//
// Tiles of a segment stand together and in their order, so tickets in order are enough for the look-back, which starts
// anew with each segment. Counts of a look-back's word end at 2^29: a longer segment is split into portions, and the
// last tile of each says where the next one begins.
#pragma once
#include "kernels/cuda/onesweep.cuh"
#include "kernels/cuda/passes.cuh"
#include "kernels/cuda/segments.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

__device__ __forceinline__ u64 tiles_of(const SegmentParams& p) {
  if (load(&p.control->broken) != 0) return 0;
  const u64 tiles = load(&p.control->tiles);
  return tiles < p.tile_room ? tiles : p.tile_room;
}

// One tile's stretch of its segment.
struct SegmentTile {
  const LargeSegment* segment;  // null: nobody's
  u64 first;                    // within the segment
  u32 count;

  __device__ SegmentTile(const SegmentParams& p, u64 tile) : segment(nullptr), first(0), count(0) {
    const u32 number = load(p.segment_of_tile + tile);
    if (number == kNoSegment) return;
    segment = p.large + number;
    first = (tile - segment->first_tile) * p.tile;
    const u64 left = segment->count - first;
    count = left < p.tile ? static_cast<u32>(left) : p.tile;
  }
};

// Blocks take tiles that stand together, so that a long segment's counts leave a block once.
template <class K>
__device__ __forceinline__ void count_large_segments(const SegmentParams& p) {
  constexpr u32 kColumns = 32 / sizeof(K), kAtOnce = 8;  // lanes count in columns of their own
  __shared__ u32 cells[sizeof(K) * kDigits * kColumns];
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  const u32 passes = order.passes(), t = threadIdx.x;
  const u64 tiles = tiles_of(p), share = (tiles + gridDim.x - 1) / gridDim.x;
  const u64 first = blockIdx.x * share, last = first + share < tiles ? first + share : tiles;
  for (u32 i = t; i < passes * kDigits * kColumns; i += blockDim.x) cells[i] = 0;
  __syncthreads();
  const LargeSegment* counted = nullptr;
  const auto hand_over = [&] {
    __syncthreads();  // all have counted
    u64* const to = p.histogram + static_cast<u64>(counted - p.large) * passes * kDigits;
    for (u32 i = t; i < passes * kDigits; i += blockDim.x) {
      u32 sum = 0;
#pragma unroll
      for (u32 c = 0; c < kColumns; ++c) {
        const u32 column = (c + t) % kColumns;  // neighbours in different banks
        sum += cells[i * kColumns + column];
        cells[i * kColumns + column] = 0;
      }
      if (sum != 0) draw(to + i, sum);
    }
    __syncthreads();  // cells are clear
  };
  bool special = false;
  for (u64 number = first; number < last; ++number) {
    const SegmentTile tile(p, number);
    if (tile.segment == nullptr) continue;
    if (counted != nullptr && counted != tile.segment) hand_over();
    counted = tile.segment;
    const K* const keys = static_cast<const K*>(p.keys.src) + tile.segment->begin + tile.first;
    for (u32 from = t; from < tile.count; from += kAtOnce * blockDim.x) {
      K key[kAtOnce];
#pragma unroll
      for (u32 j = 0; j < kAtOnce; ++j) key[j] = from + j * blockDim.x < tile.count ? load(keys + from + j * blockDim.x) : K{0};
#pragma unroll
      for (u32 j = 0; j < kAtOnce; ++j) {
        if (from + j * blockDim.x >= tile.count) continue;
        special |= order.map.special(key[j]);
        const K field = order.field(key[j]);
#pragma unroll
        for (u32 pass = 0; pass < sizeof(K); ++pass) {
          if (pass < passes)
            atomicAdd(&cells[(pass * kDigits + (static_cast<u32>(field >> (8 * pass)) & 255u)) * kColumns + t % kColumns], 1u);
        }
      }
    }
  }
  if (counted != nullptr) hand_over();
  if (__syncthreads_or(special) && t == 0) p.control->specials = 1;
}

// Blocks of 256. The look-back's words are cleared here, once for all passes.
__device__ __forceinline__ void begin_large_segments(const SegmentParams& p) {
  __shared__ u64 sums[8];
  const u64 tiles = tiles_of(p);
  if (tiles == 0) return;
  const u32 passes = (p.bit_end - p.bit_begin + 7) / 8, t = threadIdx.x;
  for (u64 i = Share().first; i < tiles * kDigits / 4; i += Share().stride)
    __stcg(reinterpret_cast<uint4*>(p.lookback) + i, make_uint4(0, 0, 0, 0));
  const u64 portions = load(&p.control->portions);
  for (u64 i = Share().first; i < (portions < p.portion_room ? portions : p.portion_room) * kDigits; i += Share().stride)
    p.portion_word[i] = 0;
  const u64 listed = load(&p.control->large_count), segments = listed < p.large_room ? listed : p.large_room;
  for (u64 s = blockIdx.x; s < segments; s += gridDim.x) {
    const u64 count = p.large[s].count;
    u32 skewed = 0, varying = 0;
    for (u32 pass = 0; pass < passes; ++pass) {
      u64* const digit = p.histogram + (s * passes + pass) * kDigits + t;
      const u64 here = load(digit);
      if (__syncthreads_or(here > count / kCrowd)) skewed |= 1u << pass;
      if (__syncthreads_or(here != 0 && here != count)) varying |= 1u << pass;
      *digit = exclusive_scan_256(here, sums);  // the next pass's barriers come before its sums
    }
    if (t == 0) p.large[s].skewed = skewed;
    if (t == 0 && varying != 0) atomicOr(&p.control->varying, varying);
  }
}

// How many keys of a digit stand before a portion: known when its word bears the pass's number.
__device__ __forceinline__ u64 portion_word_of(u64 before, u32 pass) { return before << 4 | (pass + 1); }
__device__ __forceinline__ u64 wait_for_portion(const u64* word, u32 pass) {
  for (;;) {
    const u64 x = *reinterpret_cast<const volatile u64*>(word);
    if ((x & 15u) == pass + 1) return x >> 4;
  }
}

// Of a tile, beside its job: what its digits begin with.
struct SegmentPlace {
  u64 origin;  // where items are counted from: the first of all, or of the segment
  const u64* begins;
  const u64* portion_from;  // null: the segment's first portion
  u64* portion_to;          // null: not the last tile of a portion that another one follows

  __device__ __forceinline__ u64 before(u32 digit, u32 pass) const {
    return portion_from == nullptr ? load(begins + digit) : wait_for_portion(portion_from + digit, pass);
  }
};

template <class Shared>
__device__ __forceinline__ void take_segment_tile(Shared& shared, SegmentPlace& place, const SegmentParams& p,
                                                  const Route& keys, const Route& values, u64 tiles, u32 ticket,
                                                  u32 run, u32 runs, bool plain) {
  auto& job = shared.job;
  using K = std::remove_cv_t<std::remove_pointer_t<decltype(job.keys_to)>>;
  using V = std::remove_cv_t<std::remove_pointer_t<decltype(job.values_to)>>;
  shared.ticket = ticket;
  job.count = 0;
  if (ticket >= tiles) return;
  const SegmentTile tile(p, ticket);
  if (tile.segment == nullptr) return;
  const LargeSegment& segment = *tile.segment;
  const u64 number = ticket - segment.first_tile, portion = number / p.portion_tiles, words = number % p.portion_tiles;
  place.origin = p.local_indices != 0 ? 0 : segment.begin;
  const u64 moved = segment.begin - place.origin;  // of the buffers, so that indices count from the origin
  job.keys_from = route_from<K>(keys, run, runs) + moved;
  K* const keys_to = route_to<K>(keys, run, runs);
  job.keys_to = keys_to == nullptr ? nullptr : keys_to + moved;
  if constexpr (!std::is_empty_v<V>) {
    const V* const values_from = route_from<V>(values, run, runs);
    job.values_from = values_from == nullptr ? nullptr : values_from + moved;
    job.values_to = route_to<V>(values, run, runs) + moved;
  }
  job.start = place.origin + tile.first;
  job.lookback = p.lookback + u64{ticket} * kDigits;
  job.count = tile.count;
  job.epoch = run % 3;
  job.first = words == 0;
  job.wide = place.origin + segment.count > u64{1} << 32;
  job.skewed = (segment.skewed >> p.pass & 1) != 0;
  job.held = is_held(ticket, p.hold_every);
  job.raw = !plain;
  const KeyOrder<K> order = Order<K>(p.order, p.bit_begin, p.bit_end).map;
  job.enter = job.raw || run != 0 ? KeyOrder<K>{} : order;
  job.leave = job.raw || run + 1 != runs ? KeyOrder<K>{} : order;
  const u32 passes = (p.bit_end - p.bit_begin + 7) / 8;
  place.begins = p.histogram + (static_cast<u64>(tile.segment - p.large) * passes + p.pass) * kDigits;
  u64* const portions = p.portion_word + segment.first_portion * kDigits;
  place.portion_from = portion == 0 ? nullptr : portions + (portion - 1) * kDigits;
  place.portion_to = words + 1 == p.portion_tiles && tile.first + tile.count < segment.count ? portions + portion * kDigits : nullptr;
}

template <tune::Shape S>
__device__ __forceinline__ void pass_large_segments(const SegmentParams& p) {
  using Split = TileSplit<S>;
  using K = typename Split::K;
  extern __shared__ __align__(16) unsigned char room[];
  __shared__ typename Split::Shared shared;
  __shared__ SegmentPlace place;
  const u32 varying = load(&p.control->varying), t = threadIdx.x;
  if ((varying >> p.pass & 1) == 0) return;
  const u32 runs = __popc(varying), run = __popc(varying & ((1u << p.pass) - 1));
  const u64 tiles = tiles_of(p);
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  const bool plain = order.plain || (order.map.truth_mask == 0 && load(&p.control->specials) == 0);
  const Digit digit(order, p.pass);
  const auto next = [&] { return atomicAdd(&p.control->ticket[p.pass], 1u); };
  const auto take = [&](u32 ticket) {
    take_segment_tile(shared, place, p, p.keys, p.values, tiles, ticket, run, runs, plain);
  };
  if (t == 0) take(next());
#pragma unroll 1
  for (;;) {
    Split split{shared, room};
    split.clear_counters();
    __syncthreads();  // ticket and job; counters are clear
    if (shared.ticket >= tiles) return;
    if (shared.job.count != 0) {
      const u32 up_to_here = split.split([](K x) { return x; }, order.map,
                                         [&](u32 d) { return place.origin + place.before(d, p.pass); }, next,
                                         digit.shift, digit.mask, 0);
      if (t < kDigits && place.portion_to != nullptr) {
        // The word is count and state at once, so no order with other memory is needed.
        __stcg(reinterpret_cast<unsigned long long*>(place.portion_to) + t,
               portion_word_of(place.before(t, p.pass) + up_to_here, p.pass));
      }
    } else {
      __syncthreads();  // all have read the ticket
      if (t == 0) shared.ticket = next();
    }
    __syncthreads();  // the stage has been read
    if (t == 0) take(shared.ticket);
  }
}

// Tiles' items from one buffer to another, where no pass has put them.
__device__ __forceinline__ void copy_tiles(const SegmentParams& p, u64 tiles, const void* from, void* to, u32 item_bytes) {
  by_width(item_bytes, [&](auto item) {
    using T = decltype(item);
    for (u64 number = blockIdx.x; number < tiles; number += gridDim.x) {
      const SegmentTile tile(p, number);
      if (tile.segment == nullptr) continue;
      const u64 begin = tile.segment->begin + tile.first, index = p.local_indices != 0 ? tile.first : begin;
      for (u32 i = threadIdx.x; i < tile.count; i += blockDim.x) {
        static_cast<T*>(to)[begin + i] =
            from == nullptr ? counting_value<T>(index + i) : load(static_cast<const T*>(from) + begin + i);
      }
    }
  });
}
__device__ __forceinline__ void end_large_route(const SegmentParams& p, u64 tiles, const Route& route, u32 item_bytes, u32 runs) {
  if (route.dst == nullptr) return;
  if (route.src == route.dst && runs % 2 == 1) copy_tiles(p, tiles, route.alternate[0], route.dst, item_bytes);
  if (route.src != route.dst && runs == 0) copy_tiles(p, tiles, route.src, route.dst, item_bytes);
}
__device__ __forceinline__ void end_large_segments(const SegmentParams& p) {
  const u64 tiles = tiles_of(p);
  const u32 runs = __popc(load(&p.control->varying));
  end_large_route(p, tiles, p.keys, p.key_bytes, runs);
  end_large_route(p, tiles, p.values, p.value_bytes, runs);
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
