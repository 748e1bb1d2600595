// A least-significant-digit sort. begin_passes looks at the keys and decides; then comes one launch of run_pass for
// each digit that may vary and each portion, and end_passes where the result may stand in the wrong place. Up to a few
// hundred thousand items one cooperative launch, sort_passes, does all of it.
//
// Every decision is taken on the device from the control block: nothing is read by the host, and the count may stand
// in device memory. The grids of begin_passes and sort_passes fit the device at once (cooperative launches), so a
// barrier of the whole grid is sound.
#pragma once
#include "kernels/cuda/buckets.cuh"
#include "kernels/cuda/digit_counts.cuh"
#include "kernels/cuda/movement.cuh"
#include "kernels/cuda/onesweep.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// A digit of more than one key in so many makes a queue at its mask.
constexpr u32 kCrowd = 6;

// The buffers of a pass: `run` of `runs` passes. The last one writes the destination; sorting in place starts from
// there too, so an odd number of runs ends in the alternate and is copied.
template <class T>
__device__ __forceinline__ T* route_to(const Route& route, u32 run, u32 runs) {
  if (route.dst == nullptr) return run + 1 == runs ? nullptr : static_cast<T*>(route.alternate[run & 1]);
  const bool to_dst = route.src == route.dst ? (run & 1) == 1 : (runs - 1 - run) % 2 == 0;
  return static_cast<T*>(to_dst ? route.dst : route.alternate[0]);
}
template <class T>
__device__ __forceinline__ const T* route_from(const Route& route, u32 run, u32 runs) {
  return run == 0 ? static_cast<const T*>(route.src) : route_to<T>(route, run - 1, runs);
}

__device__ __forceinline__ void end_route(const Route& route, u32 item_bytes, u32 runs, u64 n) {
  if (route.dst == nullptr) return;
  if (route.src == route.dst) {
    if (runs % 2 == 1) copy_items(route.alternate[0], route.dst, item_bytes, n);
  } else if (runs == 0) {
    copy_items(route.src, route.dst, item_bytes, n);
  }
}

// Looks at the keys and does what needs no pass. Returns the digits to pass over, none where the sort is done; their
// histograms stand in the control block. Every block returns the same.
template <u32 kColumns, class K>
__device__ __forceinline__ u32 survey_and_count(const SortParams& p, u64 n, const Order<K>& order, GridBarrier& grid,
                                                u32* cells) {
  const u32 taken = load(&p.control->finished);
  if (n == 0 || by_buckets(taken)) return 0;
  if constexpr (sizeof(K) >= 2) {
    if (taken == kByCounts) {
      fill_by_counts(static_cast<K*>(p.keys.dst), n, order, *p.buckets);
      return 0;
    }
  }
  for (u64 i = Share().first; i < p.lookback_words / 4; i += Share().stride)
    __stcg(reinterpret_cast<uint4*>(p.lookback) + i, make_uint4(0, 0, 0, 0));
  const K* const src = static_cast<const K*>(p.keys.src);
  if ((p.flags & kSurveyed) == 0) {
    look_for_disorder(src, n, order, (p.flags & kWholeKeys) != 0 && order.plain, p.control);
    or_into(&p.control->sampled, order.field(sample_key(src, n)) ^ order.field(load(src)));
    grid.wait();
  }
  const u32 disorder = load(&p.control->disorder);
  if (disorder != (kNotAscending | kNotDescending)) {
    if ((disorder & kNotAscending) == 0) {
      end_route(p.keys, sizeof(K), 0, n);
      end_route(p.values, p.value_bytes, 0, n);
    } else {
      if (p.keys.dst != nullptr) reverse_items(p.keys.src, p.keys.dst, sizeof(K), n);
      reverse_items(p.values.src, p.values.dst, p.value_bytes, n);
    }
    return 0;
  }

  // Digits that vary in the sample are counted first; in the rare case that more do, those in a second read.
  const u32 likely = digits_of(load(&p.control->sampled));
  count_digits<kColumns>(p, n, order, likely, cells);
  grid.wait();
  const u32 varying = digits_of(load(&p.control->varying));
  if ((varying & ~likely) != 0) {
    count_digits<kColumns>(p, n, order, varying & ~likely, cells);
    grid.wait();
  }
  const bool interchangeable = (p.flags & kWholeKeys) != 0 && (order.plain || load(&p.control->specials) == 0);
  if (__popc(varying) != 1 || !interchangeable) return varying;

  __shared__ u64 digit_begin[kDigits + 1], sums[8];
  const u32 pass = __ffs(varying) - 1, t = threadIdx.x;
  const u64 begin = exclusive_scan_256(t < kDigits ? load(&p.control->histogram[pass][t]) : 0, sums);
  if (t < kDigits) digit_begin[t] = begin;
  if (t == 0) digit_begin[kDigits] = n;
  const Digit digit(order, pass);
  // In place another block may overwrite the first key before this one has read it.
  const K rest =
      static_cast<K>(order.map.image(load(src)) & static_cast<K>(~(static_cast<u64>(digit.mask) << digit.shift)));
  grid.wait();
  fill_runs(
      static_cast<K*>(p.keys.dst), n, kDigits, [&](u32 d) { return digit_begin[d]; },
      [&](u32 d) {
        return order.map.restore(static_cast<K>(rest | static_cast<K>(static_cast<u64>(d) << digit.shift)));
      });
  return 0;
}

// True where no key that is there needs the map's exceptions.
template <class K>
__device__ __forceinline__ bool maps_plainly(const Order<K>& order, const Control* control) {
  return order.plain || (order.map.truth_mask == 0 && load(&control->specials) == 0);
}

template <class K>
__device__ __forceinline__ void begin_passes(const SortParams& p) {
  extern __shared__ u32 cells[];
  __shared__ u64 sums[8];
  const u64 n = real_count(p.device_count, p.count);
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  GridBarrier grid(&p.control->barrier);
  const u32 varying =
      survey_and_count<tune::digit_columns(sizeof(K), tune::kBeginSharedBytes)>(p, n, order, grid, cells);
  if (varying == 0 || blockIdx.x != 0) return;
  // Counts become begins; who runs which pass.
  Control& c = *p.control;
  const u32 t = threadIdx.x, raw = maps_plainly(order, &c) ? 0 : kRaw;
  u32 run = 0;
  for (u32 left = varying; left != 0; left &= left - 1, ++run) {
    const u32 pass = __ffs(left) - 1;
    const u64 here = t < kDigits ? load(&c.histogram[pass][t]) : 0;
    const bool skewed = __syncthreads_or(here > n / kCrowd);  // and the sums of the pass before are read
    const u64 begin = exclusive_scan_256(here, sums);
    if (t < kDigits) c.histogram[pass][t] = begin;
    if (t == 0) c.pass[run] = kRuns | pass | raw | (skewed ? kSkewed : 0);
  }
  if (t == 0) c.runs = run;
}

// What a tile of a pass is told, but for its place. what: PassBits.
template <class K, class V>
__device__ __forceinline__ void describe_pass(TileJob<K, V>& job, const SortParams& p, u64 n, u32 run, u32 runs,
                                              u32 what) {
  job.keys_from = route_from<K>(p.keys, run, runs);
  job.keys_to = route_to<K>(p.keys, run, runs);
  if (p.value_bytes != 0) {
    job.values_from = route_from<V>(p.values, run, runs);
    job.values_to = route_to<V>(p.values, run, runs);
  }
  job.wide = n > u64{1} << 32;
  job.raw = (what & kRaw) != 0;
  job.skewed = (what & kSkewed) != 0;
  const KeyOrder<K> order = Order<K>(p.order, p.bit_begin, p.bit_end).map;
  job.enter = job.raw || run != 0 ? KeyOrder<K>{} : order;
  job.leave = job.raw || run + 1 != runs ? KeyOrder<K>{} : order;
}

// And its place, in a portion of `count` items; a ticket past the end describes nothing.
template <class Shared>
__device__ __forceinline__ void take_tile(Shared& shared, const SortParams& p, u64 portion, u32 tile, u32 count) {
  shared.ticket = tile;
  if (u64{tile} * Shared::kTile >= count) return;
  shared.job.start = portion + u64{tile} * Shared::kTile;
  shared.job.lookback = p.lookback + u64{tile} * kDigits;
  shared.job.count = min(Shared::kTile, count - tile * Shared::kTile);
  shared.job.first = tile == 0;
  shared.job.held = is_held(tile, p.hold_every);
}

// Launches take the four tickets in turn; each clears the one after next, which nobody uses now.
__device__ __forceinline__ u32 draw_ticket(Control& c, u32 step) {
  const u32 ticket = atomicAdd(&c.ticket[step % 4], 1u);
  if (ticket == 0) c.ticket[(step + 2) % 4] = 0;
  return ticket;
}

// Where the digits of a portion begin: known from the histogram for the first, written by the last tile of the one
// before for the others.
__device__ __forceinline__ const u64* begins_of(const SortParams& p, u32 what) {
  const u32 portion = static_cast<u32>(p.first / p.portion);
  return portion == 0 ? p.control->histogram[what & kPassMask] : p.control->portion_begin[portion % 2];
}
__device__ __forceinline__ void note_next_begin(const SortParams& p, u32 what, u32 up_to_here) {
  const u32 next = static_cast<u32>(p.first / p.portion) + 1;
  p.control->portion_begin[next % 2][threadIdx.x] = load(begins_of(p, what) + threadIdx.x) + up_to_here;
}

// One portion of one pass. A block takes a few tiles one after the other, so that a launch that has nothing to do is
// not long; it draws its next ticket once it has nothing to wait for.
template <tune::Shape S>
__device__ __forceinline__ void run_pass(const SortParams& p) {
  using Split = TileSplit<S>;
  using K = typename Split::K;
  extern __shared__ __align__(16) unsigned char room[];
  __shared__ typename Split::Shared shared;
  __shared__ u32 count;
  const u32 what = load(&p.control->pass[p.run]), t = threadIdx.x;
  if ((what & kRuns) == 0) return;
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  if (t == 0) {
    const u32 drawn = draw_ticket(*p.control, p.step);
    const u64 n = real_count(p.device_count, p.count);
    count = static_cast<u32>(n <= p.first ? 0 : n - p.first < p.portion ? n - p.first : p.portion);
    describe_pass(shared.job, p, n, p.run, load(&p.control->runs), what);
    // Of the portions that there are, which may be fewer than were launched: three in a row never agree.
    shared.job.epoch = static_cast<u32>((p.run * ((n + p.portion - 1) / p.portion) + p.first / p.portion) % 3);
    take_tile(shared, p, p.first, drawn, count);
  }
#pragma unroll 1
  for (u32 round = 0; round < p.rounds; ++round) {
    Split split{shared, room};
    split.clear_counters();
    __syncthreads();  // ticket and job; counters are clear
    const u32 tile = shared.ticket;
    if (u64{tile} * S.tile() >= count) return;
    const Digit digit(order, what & kPassMask);
    const u64 ahead = u64{tune::kAhead} * S.tile();
    const u32 up_to_here = split.split(
        [](K x) { return x; }, order.map, [&](u32 d) { return load(begins_of(p, what) + d); },
        [&] { return round + 1 < p.rounds ? draw_ticket(*p.control, p.step) : tile; }, digit.shift, digit.mask,
        u64{tile} * S.tile() + ahead + S.tile() <= count ? ahead : 0);
    if (t < kDigits && (u64{tile} + 1) * S.tile() >= count) note_next_begin(p, what, up_to_here);
    __syncthreads();  // the stage has been read
    if (t == 0) take_tile(shared, p, p.first, shared.ticket, count);
  }
}

// After an odd number of passes a result that belongs in its source's place stands in the alternate.
__device__ __forceinline__ void end_passes(const SortParams& p) {
  const u32 runs = load(&p.control->runs);
  if (runs % 2 == 0) return;
  const u64 n = real_count(p.device_count, p.count);
  end_route(p.keys, p.key_bytes, runs, n);
  end_route(p.values, p.value_bytes, runs, n);
}

// All of it in one launch, of one portion.
template <tune::Shape S>
__device__ __forceinline__ void sort_passes(const SortParams& p) {
  using Split = TileSplit<S>;
  using K = typename Split::K;
  extern __shared__ __align__(16) unsigned char room[];
  __shared__ typename Split::Shared shared;
  __shared__ u64 digit_begin[kDigits], sums64[8];
  const u32 t = threadIdx.x;
  const u64 n = real_count(p.device_count, p.count);
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  GridBarrier grid(&p.control->barrier);
  const u32 varying = survey_and_count<tune::digit_columns(sizeof(K), S.shared_bytes())>(p, n, order, grid,
                                                                                         reinterpret_cast<u32*>(room)),
            runs = __popc(varying);
  if (varying == 0) return;
  const u32 raw = maps_plainly(order, p.control) ? 0 : kRaw, tiles = static_cast<u32>((n + S.tile() - 1) / S.tile());
  u32 run = 0;
  for (u32 left = varying; left != 0; left &= left - 1, ++run) {
    const Digit digit(order, __ffs(left) - 1);
    const u64 here = t < kDigits ? load(&p.control->histogram[__ffs(left) - 1][t]) : 0;
    const u32 what =
        raw | (__syncthreads_or(here > n / kCrowd) ? kSkewed : 0);  // and the pass before has read digit_begin
    const u64 begin = exclusive_scan_256(here, sums64);
    if (t < kDigits) digit_begin[t] = begin;
    // Each block has drawn one ticket past the end in every run before.
    const auto draw = [&] { return atomicAdd(&p.control->ticket[0], 1u) - run * (tiles + gridDim.x); };
    if (t == 0) {
      describe_pass(shared.job, p, n, run, runs, what);
      shared.job.epoch = run % 3;
      take_tile(shared, p, 0, draw(), static_cast<u32>(n));
    }
#pragma unroll 1
    for (;;) {
      Split split{shared, room};
      split.clear_counters();
      __syncthreads();  // ticket and job; counters are clear
      if (shared.ticket >= tiles) break;
      split.split(
          [](K x) { return x; }, order.map, [&](u32 d) { return digit_begin[d]; }, draw, digit.shift, digit.mask, 0);
      __syncthreads();  // the stage has been read
      if (t == 0) take_tile(shared, p, 0, shared.ticket, static_cast<u32>(n));
    }
    grid.wait();
  }
  end_route(p.keys, sizeof(K), runs, n);
  end_route(p.values, S.value_bytes, runs, n);
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
