// The whole of a least-significant-digit sort in one launch: survey, histograms of all digits in one read, then the
// passes that the data needs, ending in the destination whatever their number.
//
// The grid is as large as fits the device at once (a cooperative launch), so a barrier of the whole grid is sound and
// tiles in ticket order make progress. Every decision is taken by every block from the same words of the control
// block: nothing is read by the host, and the count may stand in device memory.
#pragma once
#include "kernels/cuda/buckets.cuh"
#include "kernels/cuda/movement.cuh"
#include "kernels/cuda/onesweep.cuh"
#include "kernels/cuda/survey.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// The buffers of a pass: `run` of `runs` passes. The last one writes the destination; sorting in place starts from
// there too, so an odd number of runs ends in the alternate and is copied.
template <class T> __device__ __forceinline__ const T* route_from(const Route& route, u32 run, u32 runs);
template <class T> __device__ __forceinline__ T* route_to(const Route& route, u32 run, u32 runs) {
  if (route.dst == nullptr) return run + 1 == runs ? nullptr : static_cast<T*>(route.alternate[run & 1]);
  const bool to_dst = route.src == route.dst ? (run & 1) == 1 : (runs - 1 - run) % 2 == 0;
  return static_cast<T*>(to_dst ? route.dst : route.alternate[0]);
}
template <class T> __device__ __forceinline__ const T* route_from(const Route& route, u32 run, u32 runs) {
  return run == 0 ? static_cast<const T*>(route.src) : route_to<T>(route, run - 1, runs);
}

template <class T> __device__ __forceinline__ void end_route(const Route& route, u32 runs, u64 n) {
  if (route.dst == nullptr) return;
  T* const dst = static_cast<T*>(route.dst);
  if (route.src == route.dst) {
    if (runs % 2 == 1) copy_items(static_cast<const T*>(route.alternate[0]), dst, n);
  } else if (runs == 0) {
    copy_items(static_cast<const T*>(route.src), dst, n);
  }
}

// Counts of all digits by block, then of the whole; copies by warp thin the conflicts.
template <tune::Shape S>
__device__ __forceinline__ void count_digits(const SortParams& p, u64 n, const Order<Unsigned<S.key_bytes>>& order, u32 digits, unsigned char* room) {
  using K = Unsigned<S.key_bytes>;
  constexpr u32 kPlaces = sizeof(K), kWords = kPlaces * kDigits, kFit = S.shared_bytes() / (kWords * 4);
  constexpr u32 kCopies = kFit >= S.warps() ? S.warps() : kFit >= 4 ? 4 : kFit >= 2 ? 2 : 1;
  u32* const counts = reinterpret_cast<u32*>(room);
  for (u32 i = threadIdx.x; i < kCopies * kWords; i += S.threads) counts[i] = 0;
  __syncthreads();
  u32* const mine = counts + (threadIdx.x >> 5) % kCopies * kWords;
  const K* const keys = static_cast<const K*>(p.keys.src);
  const u32 passes = order.passes();
  const u64 first = order.field(load(keys));
  u64 varying = 0;
  bool special = false;
  const auto count = [&](K raw) {
    special |= order.map.special(raw);
    const u64 m = order.field(raw);
    varying |= m ^ first;
#pragma unroll
    for (u32 d = 0; d < kPlaces; ++d) {
      if (digits >> d & 1) atomicAdd(&mine[d * kDigits + (static_cast<u32>(m >> (8 * d)) & 255u)], 1u);
    }
  };
  constexpr u32 kRows = 8;
  const Share share;
  u64 i = share.first;
  for (; i + (kRows - 1) * share.stride < n; i += kRows * share.stride) {
    K key[kRows];
#pragma unroll
    for (u32 j = 0; j < kRows; ++j) key[j] = load(keys + i + j * share.stride);
#pragma unroll
    for (u32 j = 0; j < kRows; ++j) count(key[j]);
  }
  for (; i < n; i += share.stride) count(load(keys + i));
  or_into(&p.control->varying, varying);
  if (__syncthreads_or(special) && threadIdx.x == 0) atomicOr(&p.control->specials, 1u);
  for (u32 w = threadIdx.x; w < passes * kDigits; w += S.threads) {
    u32 sum = 0;
#pragma unroll
    for (u32 c = 0; c < kCopies; ++c) sum += counts[c * kWords + w];
    if (sum != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&p.control->histogram[0][0]) + w, static_cast<unsigned long long>(sum));
  }
}

// The digits that hold any of these bits of the field, one bit each.
__device__ __forceinline__ u32 digits_of(u64 bits) {
  u32 digits = 0;
#pragma unroll
  for (u32 d = 0; d < 8; ++d) digits |= (bits >> (8 * d) & 255) != 0 ? 1u << d : 0u;
  return digits;
}

// Interchangeable keys that differ in one digit at most are their counts: nothing is moved, the result is written.
template <class K>
__device__ __forceinline__ void fill_keys(K* to, K some, const Order<K>& order, u32 pass, u64 n, const u64* digit_begin) {
  constexpr u32 kPer = 16 / sizeof(K) * 4;
  __shared__ u32 bounds[2];
  const Digit digit(order, pass);
  const K rest = static_cast<K>(order.map.image(some) & static_cast<K>(~(static_cast<u64>(digit.mask) << digit.shift)));
  const auto digit_of = [&](u64 i, u32 low, u32 high) {  // the last digit that begins at or before i
    while (low + 1 < high) {
      const u32 middle = (low + high) / 2;
      if (digit_begin[middle] <= i) low = middle;
      else high = middle;
    }
    return low;
  };
  const u32 chunk = kPer * blockDim.x;
  for (u64 begin = u64{blockIdx.x} * chunk; begin < n; begin += u64{gridDim.x} * chunk) {
    const u64 end = n - begin < chunk ? n : begin + chunk;
    __syncthreads();  // the bounds are read
    if (threadIdx.x < 2) bounds[threadIdx.x] = digit_of(threadIdx.x == 0 ? begin : end - 1, 0, kDigits);
    __syncthreads();
#pragma unroll 4
    for (u32 j = 0; j < kPer; ++j) {
      const u64 i = begin + j * blockDim.x + threadIdx.x;
      if (i < end) to[i] = order.map.restore(static_cast<K>(rest | static_cast<K>(static_cast<u64>(digit_of(i, bounds[0], bounds[1] + 1)) << digit.shift)));
    }
  }
}

template <tune::Shape S>
__device__ __forceinline__ void sort_passes(const SortParams& p) {
  using Sweep = Onesweep<S>;
  using K = typename Sweep::K;
  using V = typename Sweep::V;
  extern __shared__ __align__(16) unsigned char room[];
  __shared__ typename Sweep::Shared shared;
  const u64 n = real_count(p.device_count, p.count);
  const u32 taken = load(&p.control->finished);
  if (n == 0 || taken == kByBuckets) return;
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  if constexpr (S.value_bytes == 0 && S.key_bytes >= 4) {
    if (taken == kByCounts) return fill_by_counts(static_cast<K*>(p.keys.dst), n, order, *p.buckets);
  }
  GridBarrier grid(&p.control->barrier);

  const u32 portion_tiles = static_cast<u32>(((n < p.portion ? n : p.portion) + S.tile() - 1) / S.tile());
  for (u64 i = Share().first; i < u64{portion_tiles} * (kDigits / 4); i += Share().stride) {
    __stcg(reinterpret_cast<uint4*>(p.lookback) + i, make_uint4(0, 0, 0, 0));
  }
  const K* const src = static_cast<const K*>(p.keys.src);
  if ((p.flags & kSurveyed) == 0) {
    look_for_disorder(src, n, order, (p.flags & kWholeKeys) != 0 && order.plain, p.control);
    or_into(&p.control->sampled, order.field(sample_key(src, n)) ^ order.field(load(src)));
    grid.wait();
  }
  const u32 disorder = load(&p.control->disorder);
  if (disorder != (kNotAscending | kNotDescending)) {
    if ((disorder & kNotAscending) == 0) {
      end_route<K>(p.keys, 0, n);
      if constexpr (Sweep::kHasValues) end_route<V>(p.values, 0, n);
    } else {
      if (p.keys.dst != nullptr) reverse_items(static_cast<const K*>(p.keys.src), static_cast<K*>(p.keys.dst), n);
      if constexpr (Sweep::kHasValues) reverse_items(static_cast<const V*>(p.values.src), static_cast<V*>(p.values.dst), n);
    }
    return;
  }

  // Digits that vary in the sample are counted first; in the rare case that more do, those in a second read.
  const u32 likely = digits_of(load(&p.control->sampled));
  count_digits<S>(p, n, order, likely, room);
  grid.wait();
  const u32 varying = digits_of(load(&p.control->varying)), runs = __popc(varying);
  if ((varying & ~likely) != 0) {
    count_digits<S>(p, n, order, varying & ~likely, room);
    grid.wait();
  }
  const bool interchangeable = (p.flags & kWholeKeys) != 0 && (order.plain || load(&p.control->specials) == 0);

  u32 step = 0, first_ticket = 0, run = 0;
  for (u32 left = varying; left != 0; left &= left - 1, ++run) {
    const u32 pass = __ffs(left) - 1, t = threadIdx.x;
    const u64 here = t < kDigits ? load(&p.control->histogram[pass][t]) : 0;
    __syncthreads();  // the last pass has read digit_begin
    const u64 begin = exclusive_scan_256(here, shared.sums64);
    if (t < kDigits) shared.digit_begin[t] = begin;
    __syncthreads();
    if (runs == 1 && interchangeable && !Sweep::kHasValues) {
      // In place the first key may be overwritten by another block before this one has read it.
      const K some = load(static_cast<const K*>(p.keys.src));
      grid.wait();
      fill_keys(static_cast<K*>(p.keys.dst), some, order, pass, n, shared.digit_begin);
      return;
    }
    if (t == 0) {
      Pass<K, V>& what = shared.pass;
      what.keys_from = route_from<K>(p.keys, run, runs);
      what.keys_to = route_to<K>(p.keys, run, runs);
      if constexpr (Sweep::kHasValues) {
        what.values_from = route_from<V>(p.values, run, runs);
        what.values_to = route_to<V>(p.values, run, runs);
      }
      what.digit = Digit(order, pass);
      what.lookback = p.lookback;
      what.wide = n > u64{1} << 32;
      what.heavy = kDigits;
    }
    __syncthreads();  // the pass is described
    if (here > n / 8) shared.pass.heavy = t;  // any of them
    for (u64 first = 0; first < n; first += p.portion, ++step) {
      const u32 count = static_cast<u32>(n - first < p.portion ? n - first : p.portion), tiles = (count + S.tile() - 1) / S.tile();
      if (t == 0) {
        shared.pass.first = first;
        shared.pass.count = count;
        shared.pass.epoch = step % 3;
      }
      __syncthreads();  // the pass is described
      Sweep sweep{shared, room, order.map, order.plain};
      while (sweep.take_tile(&p.control->ticket, first_ticket)) {
        sweep.load_keys();
        sweep.rank_keys();
        sweep.publish_counts();
        sweep.stage_keys();
        sweep.stage_values();
        sweep.look_back();
        sweep.scatter_keys_move_values();
      }
      first_ticket += tiles + gridDim.x;  // each block has drawn one ticket past the end
      grid.wait();
      if (first + p.portion < n && t < kDigits) {
        shared.digit_begin[t] += load(&p.lookback[u64{tiles - 1} * kDigits + t]) & kCountMask;
      }
      if (first + p.portion < n) grid.wait();  // the words have been read
    }
  }
  end_route<K>(p.keys, runs, n);
  if constexpr (Sweep::kHasValues) end_route<V>(p.values, runs, n);
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
