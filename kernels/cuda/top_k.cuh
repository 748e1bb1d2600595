// The first k of many keys in one read. find_threshold draws a sample and takes one of its keys that hardly ever stands
// before the k-th of all; keep_candidates reads all keys once and keeps, in the order of their places, what stands
// before that key and the first k equal to it. Those few are sorted by other kernels. Where the sample has misled
// (counts say so), a second launch of both finds the exact threshold by counting leading digits, a read for each 11
// bits. So the bytes of the result never depend on the sample.
//
// Every decision is taken on the device. Blocks wait for each other at barriers of the grid only, so both grids are
// cooperative. Candidates are few beside the keys: a barrier between counting and keeping them costs less than a
// look-back that follows the read.
// Prior art: Floyd and Rivest, selection by a sample (1975); Alabi et al., k-selection by buckets and radix on GPUs
// (2012).
#pragma once
#include "kernels/cuda/digit_counts.cuh"
#include "kernels/cuda/movement.cuh"
#include "kernels/cuda/top_k_params.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

constexpr u32 kTopWarps = tune::kTopThreads / 32;

// Where the map is two xors but for keys that it would put too early, the images say which keys need a closer look.
template <class K>
struct QuickLook {
  bool quick;
  __device__ explicit QuickLook(const Order<K>& order)
      : quick(order.begin == 0 && order.end == sizeof(K) * 8 && order.map.truth_mask == 0 &&
              (order.plain || order.map.nan_image != 0)) {}
  // Every key whose field is at most `last` has an image of at most this. Negative zero's is one beside its field.
  __device__ static K limit(const Order<K>& order, K last) {
    return order.map.folded != 0 && static_cast<K>(~last) != 0 ? static_cast<K>(last + 1) : last;
  }
};

// The keys that a threshold is looked for in: all, or one from each of 2^bits equal stretches, at a place that no
// pattern in the input meets.
template <class K, class Look>
__device__ __forceinline__ void read_sample(const K* keys, u64 n, u32 bits, const Look& look) {
  const Share share;
  for (u64 i = share.first; i < u64{1} << bits; i += share.stride) {
    const u64 begin = i * n >> bits, size = ((i + 1) * n >> bits) - begin;
    u64 noise = (i + 1) * 0x9e3779b97f4a7c15ull;  // SplitMix64
    noise = (noise ^ noise >> 30) * 0xbf58476d1ce4e5b9ull;
    noise = (noise ^ noise >> 27) * 0x94d049bb133111ebull;
    look(load(keys + begin + __umul64hi(noise ^ noise >> 31, size)));
  }
}

// The cell of the need-th key in kCells counts, eight a thread: need becomes its rank there.
struct FoundCell {
  u64 need, keys;
  u32 cell;
};
__device__ __forceinline__ FoundCell find_cell(const u64* counts, u64 need, u64* sums) {
  constexpr u32 kMine = TopControl::kCells / kDigits;
  __shared__ FoundCell found;
  u64 mine[kMine], sum = 0;
#pragma unroll
  for (u32 j = 0; j < kMine; ++j) sum += mine[j] = load(counts + threadIdx.x * kMine + j);
  u64 before = exclusive_scan_256(sum, sums);
  if (before < need && need <= before + sum) {
#pragma unroll
    for (u32 j = 0; j < kMine; before += mine[j], ++j) {
      if (before < need && need <= before + mine[j]) found = {need - before, mine[j], threadIdx.x * kMine + j};
    }
  }
  __syncthreads();  // found
  return found;
}

// A cooperative grid of blocks of 256.
template <class K>
__device__ __forceinline__ void find_threshold(const TopParams& p) {
  constexpr u32 kCopies = 4;  // lanes count in columns of their own
  __shared__ u32 cells[TopControl::kCells * kCopies];
  __shared__ u64 sums[8];
  TopControl& c = *p.control;
  const u64 n = real_count(p.device_count, p.count), kept = p.k < n ? p.k : n;
  if (n == 0 || (p.step == 1 && load(&c.missed) == 0)) return;
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  const K* const keys = static_cast<const K*>(p.keys_src);
  const bool all = p.step == 1 || n <= u64{2} << p.sample_bits;
  const u64 rank = all ? kept : tune::top_sample_rank(kept, n, p.sample_bits);
  u64 need = rank;
  GridBarrier grid(&c.barrier[p.step]);
  K high = 0, prefix = 0;
  const bool beyond = !all && rank > u64{1} << p.sample_bits;  // then everything is kept
  u32 left = beyond ? 0 : order.end - order.begin;
  for (u32 level = 0; left != 0; ++level) {
    const u32 bits = left < tune::kTopCellBits ? left : tune::kTopCellBits, shift = left - bits,
              mask = (1u << bits) - 1;
    for (u32 i = threadIdx.x; i < TopControl::kCells * kCopies; i += blockDim.x) cells[i] = 0;
    // The next level's, last looked at before the barrier of the level before this one.
    for (u64 i = Share().first; i < TopControl::kCells; i += Share().stride) c.cells[p.step][(level + 1) % 3][i] = 0;
    __syncthreads();
    const auto look = [&](K raw) {
      const K field = order.field(raw);
      if (static_cast<K>(field & high) == prefix)
        atomicAdd(&cells[(static_cast<u32>(field >> shift) & mask) * kCopies + threadIdx.x % kCopies], 1u);
    };
    if (all)
      read_all(keys, n, look);
    else
      read_sample(keys, n, p.sample_bits, look);
    __syncthreads();
    u64* const counts = c.cells[p.step][level % 3];
    for (u32 i = threadIdx.x; i < TopControl::kCells; i += blockDim.x) {
      u32 sum = 0;
#pragma unroll
      for (u32 copy = 0; copy < kCopies; ++copy) sum += cells[i * kCopies + copy];
      if (sum != 0) atomicAdd(reinterpret_cast<unsigned long long*>(counts) + i, static_cast<unsigned long long>(sum));
    }
    grid.wait();
    const FoundCell found = find_cell(counts, need, sums);
    need = found.need;
    high |= static_cast<K>(static_cast<K>(mask) << shift);
    prefix |= static_cast<K>(static_cast<K>(found.cell) << shift);
    left = shift;
    const u64 spare = found.keys - need;  // that keeping the cell whole would add
    if (spare == 0 || (!all && spare * spare <= rank)) break;
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const K threshold = static_cast<K>(prefix | (order.decides & static_cast<K>(~high)));
  c.threshold = threshold;
  c.ties = all && left == 0 ? need : kept;
}

// What a stretch of keys holds: keys before the threshold and keys equal to it. Counts stop at 2^30: more are not kept
// anyhow.
struct Sides {
  static constexpr u32 kMost = 1u << 30;
  u32 below, ties;
  __device__ __forceinline__ void add(u32 more_below, u32 more_ties) {
    below = min(below + more_below, kMost);
    ties = min(ties + more_ties, kMost);
  }
};

// A warp's stretch of the keys. It is read once; its candidates wait in shared memory until all blocks have counted
// theirs. Where they are too many for that, it is read again.
template <class K>
struct KeepStretch {
  static constexpr u32 kPack = 16 / sizeof(K), kPacks = tune::top_round_packs(sizeof(K)),
                       kMine = kPacks * kPack;  // keys a lane and round
  static constexpr u32 kRound = 32 * kMine, kStaged = tune::kTopStaged;
  static_assert(kRound < 65536);

  struct Shared {
    u64 below[kTopWarps], ties[kTopWarps];  // of blocks before this one
    Sides of_warp[kTopWarps];
    u32 offsets[kTopWarps][kStaged];
    K staged[kTopWarps][kStaged];
  };

  const TopParams& p;
  Shared& shared;
  const Order<K> order;
  const K* const keys;
  const u64 n;
  const K last, limit;
  const bool quick;
  const u32 warp;
  u64 begin;
  u32 rounds;

  __device__ __forceinline__ KeepStretch(const TopParams& params, Shared& of_block)
      : p(params),
        shared(of_block),
        order(params.order, params.bit_begin, params.bit_end),
        keys(static_cast<const K*>(params.keys_src)),
        n(real_count(params.device_count, params.count)),
        last(static_cast<K>(load(&params.control->threshold))),
        limit(QuickLook<K>(order).quick ? QuickLook<K>::limit(order, last) : last),
        quick(QuickLook<K>(order).quick),
        warp(threadIdx.x >> 5) {
    const u64 all = (n + kRound - 1) / kRound, warps = u64{gridDim.x} * kTopWarps,
              number = u64{blockIdx.x} * kTopWarps + warp, first = number * all / warps;
    begin = first * kRound;
    rounds = static_cast<u32>((number + 1) * all / warps - first);
  }

  __device__ __forceinline__ u32 most_ties() const { return static_cast<u32>(load(&p.control->ties)); }

  // Lanes hold packs in turn, so the order of places is (pack, lane, key).
  __device__ __forceinline__ static u32 within(u32 j) {
    return (j / kPack * 32 + (threadIdx.x & 31)) * kPack + j % kPack;
  }
  __device__ __forceinline__ u32 size_of_round(u64 first) const {
    return first + kRound <= n ? kRound : static_cast<u32>(n - first);
  }
  __device__ __forceinline__ void load_round(u64 first, K* key) const {
    if (reinterpret_cast<u64>(keys) % 16 == 0 && first + kRound <= n) {
#pragma unroll
      for (u32 j = 0; j < kPacks; ++j) load_pack(keys + first + within(j * kPack), key + j * kPack);
    } else {
#pragma unroll
      for (u32 j = 0; j < kMine; ++j) key[j] = first + within(j) < n ? load(keys + first + within(j)) : K{0};
    }
  }
  __device__ __forceinline__ bool worth_a_look(const K* key) const {
    bool any = false;
    if (quick) {
#pragma unroll
      for (u32 j = 0; j < kMine; ++j) any |= order.map.image(key[j]) <= limit;
    } else {
#pragma unroll
      for (u32 j = 0; j < kMine; ++j) any |= order.field(key[j]) <= limit;
    }
    return any;
  }
  // 1 below the threshold, 1 << 16 at it, 0 behind it.
  __device__ __forceinline__ u32 side(K raw) const {
    const K field = order.field(raw);
    return field > last ? 0 : field < last ? 1u : 1u << 16;
  }

  // Calls take(what stands before it, is it a tie, place within the round, key) for each candidate of a round.
  template <class Take>
  __device__ __forceinline__ void each_candidate(u64 at, const K* key, Sides& before, const Take& take) const {
    const u32 size = size_of_round(at);
#pragma unroll
    for (u32 j = 0; j < kMine; j += kPack) {
      u32 sides = 0;
#pragma unroll
      for (u32 e = 0; e < kPack; ++e) sides += within(j + e) < size ? side(key[j + e]) : 0;
      if (!__any_sync(kFullWarp, sides != 0)) continue;
      const u32 up_to_here = inclusive_scan_warp(sides), others = up_to_here - sides;
      if (sides != 0) {
        Sides here{before.below + (others & 0xffffu), before.ties + (others >> 16)};
#pragma unroll
        for (u32 e = 0; e < kPack; ++e) {
          const u32 s = within(j + e) < size ? side(key[j + e]) : 0;
          if (s != 0) take(here, s > 1, within(j + e), key[j + e]);
          here.below += s & 0xffffu;
          here.ties += s >> 16;
        }
      }
      const u32 whole = __shfl_sync(kFullWarp, up_to_here, 31);
      before.add(whole & 0xffffu, whole >> 16);
    }
  }

  __device__ __forceinline__ bool fits(const Sides& found) const {
    return found.below + found.ties <= kStaged && rounds <= ~0u / kRound;
  }

  __device__ __forceinline__ Sides stage() const {
    Sides found{0, 0};
    K key[kMine], next[kMine];
    if (rounds != 0) load_round(begin, next);
    for (u32 round = 0; round < rounds; ++round) {
      const u64 at = begin + u64{round} * kRound;
#pragma unroll
      for (u32 j = 0; j < kMine; ++j) key[j] = next[j];
      if (round + 1 < rounds) load_round(at + kRound, next);  // on its way while this one is looked at
      if (!__any_sync(kFullWarp, worth_a_look(key))) continue;
      if (found.below + found.ties > kStaged) {
        const u32 size = size_of_round(at);
        u32 sides = 0;
#pragma unroll
        for (u32 j = 0; j < kMine; ++j) sides += within(j) < size ? side(key[j]) : 0;
        sides = __reduce_add_sync(kFullWarp, sides);
        found.add(sides & 0xffffu, sides >> 16);
        continue;
      }
      each_candidate(at, key, found, [&](const Sides& here, bool, u32 within_round, K raw) {
        const u32 slot = here.below + here.ties;
        if (slot >= kStaged) return;
        shared.offsets[warp][slot] = round * kRound + within_round;
        shared.staged[warp][slot] = raw;
      });
    }
    return found;
  }

  // What stands before this warp's stretch; every thread must call it. The last block tells what all hold.
  __device__ __forceinline__ Sides before_stretch() const {
    u64 below = 0, ties = 0;
    for (u32 i = threadIdx.x; i < blockIdx.x; i += blockDim.x) {
      const u64 sides = load(p.block_sides + i);
      below += sides >> 32;
      ties += sides & 0xffffffffu;
    }
    below = inclusive_scan_warp(below);
    ties = inclusive_scan_warp(ties);
    if ((threadIdx.x & 31) == 31) {
      shared.below[warp] = below;
      shared.ties[warp] = ties;
    }
    __syncthreads();
    below = ties = 0;
    for (u32 w = 0; w < kTopWarps; ++w) {
      below += shared.below[w];
      ties += shared.ties[w];
    }
    constexpr u64 kMost = Sides::kMost;
    Sides before{static_cast<u32>(below < kMost ? below : kMost), static_cast<u32>(ties < kMost ? ties : kMost)};
    for (u32 w = 0; w < warp; ++w) before.add(shared.of_warp[w].below, shared.of_warp[w].ties);
    return before;
  }

  // By the last warp of all: whether its own and all before are enough, and not too many.
  __device__ __forceinline__ void conclude(Sides all, const Sides& found) const {
    all.add(found.below, found.ties);
    const u64 kept = p.k < n ? p.k : n, candidates = all.below + u64{min(all.ties, most_ties())};
    const bool missed = candidates < kept || candidates > p.room;
    p.control->candidates = missed ? 0 : candidates;
    if (missed) p.control->missed = 1;  // never by the exact threshold
  }

  __device__ __forceinline__ void keep(const Sides& here, bool tie, u64 place, K raw, u32 most_ties) const {
    const u32 at = here.below + min(here.ties, most_ties);
    if (at >= p.room || (tie && here.ties >= most_ties)) return;
    static_cast<K*>(p.keys_to)[at] = raw;
    if (p.index_bytes == 4) static_cast<u32*>(p.indices_to)[at] = static_cast<u32>(place);
    if (p.index_bytes == 8) static_cast<u64*>(p.indices_to)[at] = place;
  }

  __device__ __forceinline__ void keep_staged(u32 count, Sides before, u32 most_ties) const {
    const u32 lane = threadIdx.x & 31, lower = (1u << lane) - 1;
    for (u32 first = 0; first < count; first += 32) {
      const u32 slot = first + lane;
      const K raw = slot < count ? shared.staged[warp][slot] : K{0};
      const u32 s = slot < count ? side(raw) : 0;
      const u32 below = __ballot_sync(kFullWarp, s == 1), ties = __ballot_sync(kFullWarp, s > 1);
      const Sides here{before.below + static_cast<u32>(__popc(below & lower)),
                       before.ties + static_cast<u32>(__popc(ties & lower))};
      if (s != 0) keep(here, s > 1, begin + shared.offsets[warp][slot], raw, most_ties);
      before.add(static_cast<u32>(__popc(below)), static_cast<u32>(__popc(ties)));
    }
  }

  // Until nothing more of what was found is wanted.
  __device__ __forceinline__ void keep_again(const Sides& found, Sides before, u32 most_ties) const {
    const u32 end_below = before.below + found.below;
    for (u32 round = 0; round < rounds && (before.below < end_below || before.ties < most_ties); ++round) {
      const u64 at = begin + u64{round} * kRound;
      K key[kMine];
      load_round(at, key);
      if (!__any_sync(kFullWarp, worth_a_look(key))) continue;
      each_candidate(at, key, before, [&](const Sides& here, bool tie, u32 within_round, K raw) {
        keep(here, tie, at + within_round, raw, most_ties);
      });
    }
  }
};

// A cooperative grid of blocks of 256; a warp a stretch, so nobody waits while reading.
template <class K>
__device__ __forceinline__ void keep_candidates(const TopParams& p) {
  __shared__ typename KeepStretch<K>::Shared shared;
  if (p.step == 1 && load(&p.control->missed) == 0) return;
  const KeepStretch<K> stretch(p, shared);
  if (stretch.n == 0) return;
  const Sides found = stretch.stage();
  if ((threadIdx.x & 31) == 0) shared.of_warp[stretch.warp] = found;
  __syncthreads();  // counts of all warps, and what they staged
  if (threadIdx.x == 0) {
    Sides all{0, 0};
    for (u32 w = 0; w < kTopWarps; ++w) all.add(shared.of_warp[w].below, shared.of_warp[w].ties);
    if (is_held(blockIdx.x, p.hold_every)) hold_back();
    p.block_sides[blockIdx.x] = u64{all.below} << 32 | all.ties;
  }
  GridBarrier(&p.control->barrier[2 + p.step]).wait();
  const Sides before = stretch.before_stretch();
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x + 1 == blockDim.x) stretch.conclude(before, found);
  const u32 most_ties = stretch.most_ties();
  if (found.below == 0 && (found.ties == 0 || before.ties >= most_ties)) return;
  if (stretch.fits(found))
    stretch.keep_staged(found.below + found.ties, before, most_ties);
  else
    stretch.keep_again(found, before, most_ties);
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
