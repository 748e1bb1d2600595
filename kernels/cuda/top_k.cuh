// The first k of many keys in one read. find_threshold draws a sample and takes one of its keys that hardly ever stands
// before the k-th of all; keep_candidates reads all keys once and keeps, in the order of their places, what stands
// before that key and the first k equal to it. Those few are sorted by other kernels. Where the sample has misled
// (counts say so), a second launch of both finds the exact threshold by counting leading digits, a read for each 11
// bits. So the bytes of the result never depend on the sample.
//
// Every decision is taken on the device. A tile waits only for tiles whose ticket is lower.
// Prior art: Floyd and Rivest, selection by a sample (1975); Merrill and Garland, decoupled look-back (2016); Alabi et
// al., k-selection by buckets and radix on GPUs (2012).
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
  if (p.step == 1) {
    for (u64 i = Share().first; i < p.lookback_words; i += Share().stride) p.lookback[i] = 0;
  }
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

// What a look-back's word says: 2 bits of state, then 31 of keys before the threshold and 31 of ties, which stop at
// 2^30: more are not kept anyhow.
struct KeptWord {
  static constexpr u64 kPartial = u64{1} << 62, kTotal = u64{2} << 62;
  static constexpr u32 kMost = 1u << 30;
  __device__ static u64 of(u64 state, u32 below, u32 ties) { return state | u64{below} << 31 | ties; }
  __device__ static u32 below(u64 word) { return static_cast<u32>(word >> 31) & 0x7fffffffu; }
  __device__ static u32 ties(u64 word) { return static_cast<u32>(word) & 0x7fffffffu; }
};

template <class K>
struct KeepTile {
  static constexpr u32 kPack = 16 / sizeof(K), kPacks = tune::top_round_packs(sizeof(K)),
                       kMine = kPacks * kPack;  // keys a lane and round
  static constexpr u32 kRound = 32 * kMine, kOfWarp = tune::kTopRounds * kRound, kTile = kTopWarps * kOfWarp;
  static_assert(kTile == tune::top_tile(sizeof(K)) && kOfWarp <= 65536 / 2);

  struct Shared {
    u32 ticket;
    u32 of_warp[kTopWarps];         // below, and ties in the upper half
    u32 before_below, before_ties;  // of the tile
  };

  const TopParams& p;
  const Order<K> order;
  const K* const keys;
  const u64 n;
  const K last, limit;
  const u32 most_ties;
  const bool quick, packed;

  __device__ explicit KeepTile(const TopParams& params)
      : p(params),
        order(params.order, params.bit_begin, params.bit_end),
        keys(static_cast<const K*>(params.keys_src)),
        n(real_count(params.device_count, params.count)),
        last(static_cast<K>(load(&params.control->threshold))),
        limit(QuickLook<K>(order).quick ? QuickLook<K>::limit(order, last) : last),
        most_ties(static_cast<u32>(load(&params.control->ties))),
        quick(QuickLook<K>(order).quick),
        packed(reinterpret_cast<u64>(params.keys_src) % 16 == 0) {}

  // Lanes hold packs in turn, so the order of places is (pack, lane, key).
  __device__ __forceinline__ static u64 place(u64 first, u32 j) {
    return first + (j / kPack * 32 + (threadIdx.x & 31)) * kPack + j % kPack;
  }
  __device__ __forceinline__ void load_round(u64 first, K* key) const {
    if (packed && first + kRound <= n) {
#pragma unroll
      for (u32 j = 0; j < kPacks; ++j) load_pack(keys + place(first, j * kPack), key + j * kPack);
    } else {
#pragma unroll
      for (u32 j = 0; j < kMine; ++j) key[j] = place(first, j) < n ? load(keys + place(first, j)) : K{0};
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
  __device__ __forceinline__ u32 side(u64 at, K raw) const {
    const K field = order.field(raw);
    return at >= n || field > last ? 0 : field < last ? 1u : 1u << 16;
  }

  // Keys of a warp's stretch on each side; rounds: those that hold any, the same for all lanes.
  __device__ __forceinline__ u32 count_stretch(u64 first, u32& rounds) const {
    u32 sides = 0;
    rounds = 0;
#pragma unroll
    for (u32 r = 0; r < tune::kTopRounds; ++r) {
      const u64 at = first + r * kRound;
      if (at >= n) break;
      K key[kMine];
      load_round(at, key);
      if (!__any_sync(kFullWarp, worth_a_look(key))) continue;
      rounds |= 1u << r;
#pragma unroll
      for (u32 j = 0; j < kMine; ++j) sides += side(place(at, j), key[j]);
    }
    return __reduce_add_sync(kFullWarp, sides);
  }

  // By the first warp: says what the tile holds, waits for what the tiles before it hold, and says that too.
  __device__ __forceinline__ void look_back(Shared& shared, u32 tile, u32 tiles) const {
    const u32 lane = threadIdx.x, mine = lane < kTopWarps ? shared.of_warp[lane] : 0;
    const u32 below = __reduce_add_sync(kFullWarp, mine & 0xffffu), ties = __reduce_add_sync(kFullWarp, mine >> 16);
    if (lane == 0 && is_held(tile, p.hold_every)) hold_back();
    // The word is counts and state at once, so no order with other memory is needed.
    if (lane == 0 && tile != 0)
      __stcg(reinterpret_cast<unsigned long long*>(p.lookback) + tile, KeptWord::of(KeptWord::kPartial, below, ties));
    u32 before_below = 0, before_ties = 0;
    for (long long next = static_cast<long long>(tile) - 1 - lane; next + lane >= 0; next -= 32) {
      const volatile u64* const word = p.lookback + next;
      u64 x;
      u32 totals;
      do {
        x = next >= 0 ? *word : KeptWord::kTotal;
        totals = __ballot_sync(kFullWarp, x >> 62 == 2);
      } while ((__ballot_sync(kFullWarp, x >> 62 == 0) & (totals != 0 ? (totals & -totals) - 1 : ~0u)) != 0);
      const bool counts = totals == 0 || lane < static_cast<u32>(__ffs(totals));
      before_below = min(before_below + __reduce_add_sync(kFullWarp, counts ? KeptWord::below(x) : 0), KeptWord::kMost);
      before_ties = min(before_ties + __reduce_add_sync(kFullWarp, counts ? KeptWord::ties(x) : 0), KeptWord::kMost);
      if (totals != 0) break;
    }
    if (lane != 0) return;
    const u32 all_below = min(before_below + below, KeptWord::kMost),
              all_ties = min(before_ties + ties, KeptWord::kMost);
    __stcg(reinterpret_cast<unsigned long long*>(p.lookback) + tile,
           KeptWord::of(KeptWord::kTotal, all_below, all_ties));
    shared.before_below = before_below;
    shared.before_ties = before_ties;
    if (tile + 1 != tiles) return;
    const u64 kept = p.k < n ? p.k : n, candidates = all_below + u64{min(all_ties, most_ties)};
    const bool missed = candidates < kept || candidates > p.room;
    p.control->candidates = missed ? 0 : candidates;
    if (missed) p.control->missed = 1;  // never by the exact threshold
  }

  __device__ __forceinline__ void keep(u32 at, u64 place, K raw) const {
    if (at >= p.room) return;
    static_cast<K*>(p.keys_to)[at] = raw;
    if (p.index_bytes == 4) static_cast<u32*>(p.indices_to)[at] = static_cast<u32>(place);
    if (p.index_bytes == 8) static_cast<u64*>(p.indices_to)[at] = place;
  }

  __device__ __forceinline__ void keep_stretch(const Shared& shared, u64 first, u32 rounds) const {
    const u32 warp = threadIdx.x >> 5;
    u32 run_below = shared.before_below, run_ties = shared.before_ties;
    for (u32 w = 0; w < warp; ++w) {
      run_below += shared.of_warp[w] & 0xffffu;
      run_ties += shared.of_warp[w] >> 16;
    }
    for (; rounds != 0; rounds &= rounds - 1) {
      const u64 at = first + (__ffs(rounds) - 1) * kRound;
      K key[kMine];
      load_round(at, key);
#pragma unroll
      for (u32 j = 0; j < kMine; j += kPack) {
        u32 sides = 0;
#pragma unroll
        for (u32 e = 0; e < kPack; ++e) sides += side(place(at, j + e), key[j + e]);
        if (!__any_sync(kFullWarp, sides != 0)) continue;
        const u32 up_to_here = inclusive_scan_warp(sides), before = up_to_here - sides;
        u32 below = run_below + (before & 0xffffu), ties = run_ties + (before >> 16);
        if (sides != 0) {
#pragma unroll
          for (u32 e = 0; e < kPack; ++e) {
            const u32 s = side(place(at, j + e), key[j + e]);
            if (s == 1) keep(below++ + min(ties, most_ties), place(at, j + e), key[j + e]);
            if (s > 1 && ties++ < most_ties) keep(below + ties - 1, place(at, j + e), key[j + e]);
          }
        }
        const u32 whole = __shfl_sync(kFullWarp, up_to_here, 31);
        run_below += whole & 0xffffu;
        run_ties += whole >> 16;
      }
    }
  }
};

// Tiles by ticket, as many as there are; blocks of 256.
template <class K>
__device__ __forceinline__ void keep_candidates(const TopParams& p) {
  using Tile = KeepTile<K>;
  __shared__ typename Tile::Shared shared;
  if (p.step == 1 && load(&p.control->missed) == 0) return;
  const Tile tile(p);
  const u32 tiles = static_cast<u32>((tile.n + Tile::kTile - 1) / Tile::kTile);
  const u32 warp = threadIdx.x >> 5;
  for (;;) {
    if (threadIdx.x == 0) shared.ticket = atomicAdd(&p.control->ticket[p.step], 1u);
    __syncthreads();  // the ticket; counts of the tile before have been read
    const u32 number = shared.ticket;
    if (number >= tiles) return;
    const u64 first = u64{number} * Tile::kTile + warp * Tile::kOfWarp;
    u32 rounds;
    const u32 sides = tile.count_stretch(first, rounds);
    if ((threadIdx.x & 31) == 0) shared.of_warp[warp] = sides;
    __syncthreads();  // counts of all warps
    if (warp == 0) tile.look_back(shared, number, tiles);
    __syncthreads();  // what stands before the tile
    if (rounds != 0) tile.keep_stretch(shared, first, rounds);
  }
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
