// merge.cuh: stable comparator merge sort on CUDA devices, for any trivially copyable type and any strict weak order.
// Header-only, because the comparator is the caller's code; compile it with nvcc as C++20. Needs no library to link.
//
//   auto bytes = lanesort::cuda::merge_sort_scratch_bytes<Person>(n);
//   error = lanesort::cuda::merge_sort(stream, people, ByAge{}, scratch);             // std::span<Person>, in place
//   error = lanesort::cuda::merge_sort_pairs(stream, keys, values, ByAge{}, scratch); // values follow their keys
//
// Spans are of device memory; the host never looks into them. Calls record work on the caller's stream and return: none
// allocates, synchronises or copies to or from the host, so each may be captured into a graph and replayed on other
// data. In place, or from src to dst, which may not overlap each other; src is kept. scratch: device memory of any
// alignment, as much as merge_sort_scratch_bytes or merge_sort_pairs_scratch_bytes says; its content need not be
// anything before and is nothing after, and no other work may use it at the same time. Up to one tile (4572 keys of up
// to 8 bytes, fewer of larger ones) none is needed, but for keys of more than 128 bytes and the widest values. Code for
// compute capability 9.0 and above alone uses programmatic dependent launches, which can be captured from CUDA 12.3 on.
//
// less(a, b) says whether a must stand before b: callable as const on the device with two const references to keys,
// trivially copyable (it is a kernel's argument, so it may carry state) and a strict weak order. It is handed items of the
// input alone. If it contradicts itself, as < does with NaN, the result may miss items and hold others twice;
// memory outside of the result and scratch is never written and every call ends.
//
// Errors: cudaErrorInvalidValue, and nothing recorded, for spans of different length, a null or misaligned pointer,
// overlap, scratch that is too small, or more than kMostMergeTiles tiles; what the launch says else.
//
// Invariant: every kernel fills the output range of its tile with the items that its splits name, each once; splits come
// from less alone, equal keys by the lower run first, so stability needs no tie-breaker.
// Prior art: merge path (Odeh, Green, Mwassi, Shmueli, Birk 2012); moderngpu and CUB (sort in blocks, then merges of two by
// tiles); selection in several sorted sequences (Frederickson and Johnson 1982; Varman et al. 1991).
#ifndef LANESORT_MERGE_CUH
#define LANESORT_MERGE_CUH

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace lanesort {
inline namespace v1 {
namespace cuda {

// How the work is cut. A tile is (threads - 4) * items keys: runs in a tile are dealt to whole threads, which up to three
// threads' worth of places are lost to.
//   kThreads  of a block, a power of two from 32 to 1024
//   kItems    of a thread; odd, so that threads side by side use different banks of shared memory
//   kLevels   of two-way merges in one pass over memory: 1 to 3, which is 2 to 8 runs a pass. With 1 every block looks
//             for its own splits, which spares a launch a pass; with more a kernel of its own does, which spares reads
template <std::uint32_t kThreads, std::uint32_t kItems, std::uint32_t kLevels>
struct MergeShape {  // a type: nvcc 13.0 does not compile kernels that have it as a value
  static constexpr std::uint32_t threads = kThreads, items = kItems, levels = kLevels;
};

inline constexpr std::uint64_t kMostMergeTiles = 0x7FFFFFFF;

namespace merge_detail {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr u32 kMostWays = 8;
inline constexpr u32 kSpareThreads = 4;
inline constexpr u32 kLine = 16;  // bytes of one unit of a bulk copy

struct NoValue {};

// Where keys stand while the order of a tile is looked for: copied at every level, still in shared memory with places
// moving in their stead, or still in global memory.
enum class Keep { copies, near, far };

__host__ __device__ constexpr u64 round_up(u64 n, u64 unit) { return (n + unit - 1) / unit * unit; }

template <class K>
__host__ __device__ constexpr Keep keep_of() {
  return sizeof(K) <= 16 ? Keep::copies : sizeof(K) <= 128 ? Keep::near : Keep::far;
}

template <class V>
inline constexpr bool kHasValue = !std::is_same_v<V, NoValue>;
template <class K, class V>
inline constexpr u64 kItemBytes = sizeof(K) + (kHasValue<V> ? sizeof(V) : 0);

// Where many blocks keep the device busy: what measured best on an H200 (docs/cuda-notes.md).
template <class K, class V>
constexpr auto default_shape() {
  if constexpr (sizeof(K) <= 4 && !kHasValue<V>)
    return MergeShape<256, 25, 3>{};
  else if constexpr (sizeof(K) <= 4)
    return MergeShape<256, 11, 3>{};
  else if constexpr (sizeof(K) <= 8 && !kHasValue<V>)
    return MergeShape<128, 17, 3>{};
  else if constexpr (sizeof(K) <= 8)
    return MergeShape<256, 11, 3>{};
  else if constexpr (sizeof(K) <= 32)
    return MergeShape<128, 9, 3>{};
  else if constexpr (sizeof(K) <= 64)
    return MergeShape<128, 5, 3>{};
  else
    return MergeShape<64, 5, 3>{};
}
// Where launches and the steps that a thread takes one after the other are what a call waits for: few items a thread.
template <class K>
constexpr auto small_shape() {
  if constexpr (sizeof(K) <= 8)
    return MergeShape<512, 9, 1>{};
  else if constexpr (sizeof(K) <= 16)
    return MergeShape<512, 5, 1>{};
  else if constexpr (sizeof(K) <= 32)
    return MergeShape<256, 5, 1>{};
  else if constexpr (sizeof(K) <= 64)
    return MergeShape<128, 5, 1>{};
  else
    return MergeShape<64, 5, 1>{};
}
template <class K, class V>
using DefaultShape = decltype(default_shape<K, V>());
template <class K>
using SmallShape = decltype(small_shape<K>());

// Up to here passes take less than their launches would save: the items stay in the L2 of a large device.
inline constexpr u64 kSmallBytes = u64{32} << 20;
template <class K, class V>
constexpr bool is_small(u64 count) {
  return count <= kSmallBytes / kItemBytes<K, V>;
}

// The tile, and what it takes of shared memory.
template <class K, class V, class S>
struct Layout {
  static constexpr bool kValues = kHasValue<V>;
  static constexpr Keep kKeep = keep_of<K>();
  static constexpr bool kOrder = kValues || kKeep != Keep::copies;
  static constexpr u32 kTile = (S::threads - kSpareThreads) * S::items;
  static constexpr u32 kWays = 1u << S::levels;
  // Runs begin at units of 16 bytes, and a head may be read one item past its end.
  static constexpr u32 kKeyBytes =
      kKeep == Keep::far ? 0 : static_cast<u32>(round_up(u64{kTile + 1} * sizeof(K), kLine)) + kMostWays * 2 * kLine;
  static constexpr u32 kKeyBuffers = kKeep == Keep::copies ? 2 : 1;
  static constexpr u32 kOrderBytes = kOrder ? static_cast<u32>(round_up((kTile + 1) * 2, kLine)) : 0;
  static constexpr u32 kSharedBytes = kKeyBytes * kKeyBuffers + kOrderBytes * 2;
  // Blocks that a multiprocessor of 228 KiB holds, and no more than leave registers for a thread's items.
  static constexpr u32 kBlocksByShared = 227 * 1024 / (kSharedBytes + 1280);
  static constexpr u32 kBlocksByThreads = S::threads < 48 ? 32 : 1536 / S::threads;
  static constexpr u32 kBlocks =
      kBlocksByShared < 1 ? 1 : kBlocksByShared < kBlocksByThreads ? kBlocksByShared : kBlocksByThreads;
  static constexpr bool kStageValues = u64{kTile} * sizeof(V) <= u64{kKeyBytes} * kKeyBuffers;
  // The sort of a tile reads keys or values from global memory when it has begun to write.
  static constexpr bool kApart = kKeep == Keep::far || (kValues && !kStageValues);
  static_assert(S::items % 2 == 1 && S::levels >= 1 && S::levels <= 3 && (S::threads & (S::threads - 1)) == 0 &&
                S::threads >= 32 && S::threads <= 1024 && kTile <= 60000);
};

// Room for a key, which need not have a default constructor.
template <class K>
union Slot {
  K key;
  __host__ __device__ Slot() {}
};

// The runs in a tile. Codes are places in the tile's shared key buffer, by which global places are found again.
struct Runs {
  u32 start[kMostWays];       // the code of the run's first item
  u32 offset[kMostWays + 1];  // items of the runs before
  u64 delta[kMostWays];       // added to a code: the place in the source
  u32 ways;

  __host__ __device__ u64 place(u32 code) const {
    u32 run = 0;
    for (u32 step = ways / 2; step != 0; step /= 2)
      if (code >= start[run + step]) run += step;
    return code + delta[run];
  }
};

// What a level of merges reads and writes.
template <class K, class Less, Keep kKeep, bool kOrder>
struct Tile {
  K* from;  // near: the keys, at every level
  K* to;
  u16* order_from;
  u16* order_to;
  const K* source;  // far: the keys
  const Runs* runs;
  const Less& less;

  static constexpr bool kCopies = kKeep == Keep::copies;
  using Head = std::conditional_t<kCopies, K, u32>;

  template <bool kFirst>
  __host__ __device__ u32 code(u32 i) const {
    if constexpr (kFirst)
      return i;
    else
      return order_from[i];
  }
  template <bool kFirst>
  __host__ __device__ Head head(u32 i) const {
    if constexpr (kCopies)
      return from[i];
    else
      return code<kFirst>(i);
  }
  __host__ __device__ bool before(const Head& x, const Head& y) const {
    if constexpr (kCopies)
      return static_cast<bool>(less(x, y));
    else if constexpr (kKeep == Keep::near)
      return static_cast<bool>(less(const_cast<const K*>(from)[x], const_cast<const K*>(from)[y]));
    else
      return static_cast<bool>(less(source[runs->place(x)], source[runs->place(y)]));
  }
  template <bool kFirst>
  __host__ __device__ void put(u32 out, const Head& head, u32 i) const {
    if constexpr (kCopies) {
      to[out] = head;
      if constexpr (kOrder) order_to[out] = static_cast<u16>(code<kFirst>(i));
    } else {
      order_to[out] = static_cast<u16>(head);
    }
  }
  __host__ __device__ void turn() {
    if constexpr (kCopies) {
      K* const other = from;
      from = to;
      to = other;
    }
    u16* const other = order_from;
    order_from = order_to;
    order_to = other;
  }
};

__device__ inline bool whole_warp(bool yes) { return __all_sync(0xFFFFFFFFu, yes) != 0; }

// Writes the items from skip on, kItems at most, of the merge of [a, a_end) and [b, b_end) to out. All threads of a warp
// call it, those without work with empty runs.
template <u32 kItems, bool kFirst, class TileType>
__host__ __device__ void merge_slice(const TileType& tile, u32 a, u32 a_end, u32 b, u32 b_end, u32 skip, u32 out) {
  const u32 a_count = a_end - a, b_count = b_end - b;
  u32 low = skip > b_count ? skip - b_count : 0, high = skip < a_count ? skip : a_count;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    if (tile.before(tile.template head<kFirst>(b + skip - 1 - middle), tile.template head<kFirst>(a + middle)))
      high = middle;
    else
      low = middle + 1;
  }
  a += low;
  b += skip - low;
  out += skip;
  const u32 left = a_end - a + (b_end - b);
  bool whole = a + kItems <= a_end && b + kItems <= b_end;
#ifdef __CUDA_ARCH__
  whole = whole_warp(whole || left == 0);  // the shorter loop serves only where no thread needs the longer one
#endif
  if (left == 0) return;
  auto head_a = tile.template head<kFirst>(a < a_end ? a : b), head_b = tile.template head<kFirst>(b < b_end ? b : a);
  if (whole) {
#pragma unroll
    for (u32 i = 0; i < kItems; ++i) {
      const bool right = tile.before(head_b, head_a);
      tile.template put<kFirst>(out + i, right ? head_b : head_a, right ? b : a);
      b += right;
      a += !right;
      const auto next = tile.template head<kFirst>(right ? b : a);
      if (right)
        head_b = next;
      else
        head_a = next;
    }
    return;
  }
  const u32 count = left < kItems ? left : kItems;
#pragma unroll 1
  for (u32 i = 0; i < count; ++i) {
    const bool answer = tile.before(head_b, head_a);
    const bool right = b < b_end && (a >= a_end || answer);
    tile.template put<kFirst>(out + i, right ? head_b : head_a, right ? b : a);
    b += right;
    a += !right;
    // An exhausted run keeps its last item as its head: less is handed nothing else.
    const u32 at = right ? (b < b_end ? b : b - 1) : (a < a_end ? a : a - 1);
    const auto next = tile.template head<kFirst>(at);
    if (right)
      head_b = next;
    else
      head_a = next;
  }
}

// One level: the runs, ways >> level of them, by twos.
template <u32 kItems, bool kFirst, class TileType>
__host__ __device__ void merge_level(const TileType& tile, const Runs& runs, u32 level, u32 thread) {
  u32 a = 0, a_end = 0, b = 0, b_end = 0, skip = 0, out = 0, slot = thread;
#pragma unroll 1
  for (u32 run = 0; run < runs.ways; run += 2u << level) {
    const u32 begin = runs.offset[run], middle = runs.offset[run + (1u << level)], end = runs.offset[run + (2u << level)];
    const u32 slots = (end - begin + kItems - 1) / kItems;
    if (slot < slots) {
      a = kFirst ? runs.start[run] : begin;
      b = kFirst ? runs.start[run + 1] : middle;
      a_end = a + (middle - begin);
      b_end = b + (end - middle);
      skip = slot * kItems;
      out = begin;
      break;
    }
    slot -= slots;
  }
  merge_slice<kItems, kFirst>(tile, a, a_end, b, b_end, skip, out);
}

// at[r] becomes the place in run r, between begin[r] and end[r], before which its items are among the first `rank` of
// all runs merged, the lower run first among equals. Two pivots cut what is left of each run in three. The items of all
// runs that surely stand before a pivot, or surely after it, are counted; where the counts say on which side of the
// split a pivot stands, its run is cut there. The greatest or the least pivot always is, and about 20 steps end runs of
// 2^16, however many runs: a step is one round of loads that do not wait for each other. Whatever less answers, the
// places add up to rank. Index counts the items of all runs.
template <class Index, u32 kWays, class K, class Less>
__host__ __device__ void split_runs(const K* keys, const u64 (&begin)[kWays], const u64 (&end)[kWays], u64 rank,
                                    const Less& less, u64 (&at)[kWays]) {
  constexpr bool kCopies = keep_of<K>() == Keep::copies;
  using Pivot = Slot<std::conditional_t<kCopies, K, const K*>>;
  const auto before = [&](const Pivot& x, const Pivot& y) {
    if constexpr (kCopies)
      return static_cast<bool>(less(x.key, y.key));
    else
      return static_cast<bool>(less(*x.key, *y.key));
  };
  Index low[kWays], left[kWays], first = static_cast<Index>(rank), others = 0;  // of those that are left
  u64 any = begin[0];
#pragma unroll
  for (u32 r = 0; r < kWays; ++r) {
    low[r] = 0;
    left[r] = static_cast<Index>(end[r] - begin[r]);
    if (left[r] != 0) any = begin[r];
    others += left[r];
  }
  others -= first;
  while (first != 0 && others != 0) {
    Pivot pivot[kWays][2];
    // Items of the run up to its first pivot and with it, from there to the second and with it; backwards as many.
    Index outer[kWays], inner[kWays];
    Index is_before[kWays][2], is_after[kWays][2];  // items that surely are, the pivot's own run's first
#pragma unroll
    for (u32 r = 0; r < kWays; ++r) {
      const Index third = left[r] / 3;
      const bool some = left[r] != 0;
      outer[r] = some ? third + 1 : 0;
      inner[r] = some ? left[r] - 1 - 2 * third : 0;
      // An exhausted run weighs nothing: any item of the input will do.
      const K* const at_first = keys + (some ? begin[r] + low[r] + third : any);
      const K* const at_second = at_first + inner[r];
      if constexpr (kCopies) {
        pivot[r][0].key = *at_first;
        pivot[r][1].key = *at_second;
      } else {
        pivot[r][0].key = at_first;
        pivot[r][1].key = at_second;
      }
      is_before[r][0] = is_after[r][1] = outer[r] - 1;
      is_before[r][1] = is_after[r][0] = outer[r] + inner[r] - 1;
    }
#pragma unroll
    for (u32 r = 0; r < kWays; ++r) {
#pragma unroll
      for (u32 s = r + 1; s < kWays; ++s) {
#pragma unroll
        for (u32 pair = 0; pair < 4; ++pair) {
          const u32 i = pair / 2, j = pair % 2;
          if (before(pivot[s][j], pivot[r][i])) {
            is_before[r][i] += j == 0 ? outer[s] : inner[s];
            is_after[s][j] += i == 0 ? inner[r] : outer[r];
          } else {
            is_after[r][i] += j == 0 ? inner[s] : outer[s];
            is_before[s][j] += i == 0 ? outer[r] : inner[r];
          }
        }
      }
    }
    Index cut_low[kWays], cut_high[kWays], taken = 0, dropped = 0;
    bool contradiction = false;
#pragma unroll
    for (u32 r = 0; r < kWays; ++r) {
      const bool some = left[r] != 0;
      const Index upto_second = outer[r] + inner[r];
      cut_low[r] = some && is_after[r][1] >= others ? upto_second : some && is_after[r][0] >= others ? outer[r] : 0;
      cut_high[r] = some && is_before[r][0] >= first    ? left[r] - outer[r] + 1
                    : some && is_before[r][1] >= first ? left[r] - upto_second + 1
                                                       : 0;
      contradiction |= cut_low[r] > left[r] - cut_high[r];
      taken += cut_low[r];
      dropped += cut_high[r];
    }
    if (contradiction || taken > first || dropped > others || taken + dropped == 0) break;
    first -= taken;
    others -= dropped;
#pragma unroll
    for (u32 r = 0; r < kWays; ++r) {
      low[r] += cut_low[r];
      left[r] -= cut_low[r] + cut_high[r];
    }
  }
#pragma unroll
  for (u32 r = 0; r < kWays; ++r) {  // all that is left, or nothing; some only of no order
    const Index more = left[r] < first ? left[r] : first;
    at[r] = begin[r] + low[r] + more;
    first -= more;
  }
}

inline constexpr u32 kSplitLanes = 16;

// How many items of a are among the first `rank` of a and b merged, a's first among equals: by 16 lanes, which look at
// 16 places at once. Both halves of a warp call it. Whatever less answers, b has the rest of the rank.
template <class K, class Less>
__host__ __device__ u64 split_two(const K* a, u64 a_count, const K* b, u64 b_count, u64 rank, const Less& less,
                                  u32 lane) {
  u64 low = rank > b_count ? rank - b_count : 0, high = rank < a_count ? rank : a_count;
  const auto is_later = [&](u64 place) { return static_cast<bool>(less(b[rank - 1 - place], a[place])); };
  for (;;) {
    const u64 step = (high - low) / (kSplitLanes + 1) + 1;
    u32 later = 0;  // bit l: the item at lane l's place is not among the first
#ifdef __CUDA_ARCH__
    if (!__any_sync(0xFFFFFFFFu, low < high)) return low;
    const u64 place = low + (lane % kSplitLanes + 1) * step - 1;
    later = __ballot_sync(0xFFFFFFFFu, place < high && is_later(place)) >> (lane & kSplitLanes) & 0xFFFFu;
#else
    if (low == high) return low;
    for (u32 l = 0; l < kSplitLanes; ++l) {
      const u64 place = low + (l + 1) * step - 1;
      if (place < high && is_later(place)) later |= 1u << l;
    }
    (void)lane;
#endif
    u64 looked = (high - low) / step;
    if (looked > kSplitLanes) looked = kSplitLanes;
#ifdef __CUDA_ARCH__
    if (later != 0) looked = static_cast<u32>(__ffs(static_cast<int>(later))) - 1;
#else
    if (later != 0) looked = static_cast<u32>(__builtin_ctz(later));
#endif
    low += looked * step;
    if (later != 0) high = low + step - 1;
  }
}

// The pass that merges runs of (tile << run_level) items, ways of them a group.
template <u32 kWays>
struct Pass {
  u64 count;
  u32 run_level, levels;

  // Where the runs of tile t's group begin and end.
  template <u32 kTile>
  __host__ __device__ void group_of(u64 t, u64 (&begin)[kWays], u64 (&end)[kWays]) const {
    const u64 first = t >> (run_level + levels) << (run_level + levels);
#pragma unroll
    for (u32 r = 0; r < kWays; ++r) {
      const u64 from = (first + (u64{r} << run_level)) * kTile, to = from + (u64{kTile} << run_level);
      begin[r] = r < (1u << levels) && from < count ? from : count;
      end[r] = r < (1u << levels) && to < count ? to : count;
    }
  }
};

// Bulk copies, which a thread starts and no thread carries out.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool kBulk = true;
// Blocks may come while the launch before is at work, and read and write nothing before it has ended.
__device__ inline void after_the_launch_before() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
__device__ inline u32 shared_address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }
__device__ inline void barrier_init(u64* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void barrier_expect(u64* barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
__device__ inline void barrier_wait(u64* barrier) {
  u32 done;
  do {
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(shared_address(barrier))
        : "memory");
  } while (done == 0);
}
__device__ inline void bulk_load(void* to, const void* from, u32 bytes, u64* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
__device__ inline void bulk_store(void* to, const void* from, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ inline void bulk_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void bulk_store_wait() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
#else
inline constexpr bool kBulk = false;
__device__ inline void after_the_launch_before() {}
__device__ inline void barrier_init(u64*) {}
__device__ inline void barrier_expect(u64*, u32) {}
__device__ inline void barrier_wait(u64*) {}
__device__ inline void bulk_load(void*, const void*, u32, u64*) {}
__device__ inline void bulk_store(void*, const void*, u32) {}
__device__ inline void bulk_fence() {}
__device__ inline void bulk_store_wait() {}
#endif

inline constexpr u32 kSplitThreads = 128;

// A thread a tile. kMost: the runs that the table of the pass's shape has room for.
template <u32 kTile, u32 kWays, class Index, class K, class Less, u32 kMost>
__global__ void __launch_bounds__(kSplitThreads)
    split_kernel(const K* keys, Pass<kMost> shape_pass, u64* table, Less less) {
  after_the_launch_before();
  const Pass<kWays> pass{shape_pass.count, shape_pass.run_level, shape_pass.levels};
  const u64 t = blockIdx.x * u64{kSplitThreads} + threadIdx.x;
  if (t * kTile >= pass.count) return;
  u64 begin[kWays], end[kWays], at[kWays];
  pass.template group_of<kTile>(t, begin, end);
  const u64 in_group = t & ((u64{1} << (pass.run_level + pass.levels)) - 1);
  split_runs<Index>(keys, begin, end, in_group * kTile, less, at);
#pragma unroll
  for (u32 r = 0; r < kWays; ++r)
    if (r < (1u << pass.levels)) table[(t << pass.levels) + r] = at[r];
}

// How a run of the source comes into the tile's buffer: with the items before it and after it that share its first and last
// line, so that it may be copied in bulk, if they are the source's own.
struct RunLoad {
  u32 head;   // items before
  u32 items;  // with those before and after
  bool bulk;
};

template <class K>
__host__ __device__ RunLoad plan_load(u64 address, u64 begin, u32 run_count, u64 count, bool bulk) {
  constexpr bool kLines = sizeof(K) % kLine == 0, kParts = kLine % sizeof(K) == 0;
  if (!bulk || !(kLines || kParts) || run_count == 0) return {0, run_count, false};
  constexpr u32 kUnit = kParts ? static_cast<u32>(sizeof(K)) : kLine;  // places in a line are multiples of it, or no line holds whole items
  const u32 over = static_cast<u32>((address + begin * sizeof(K)) % kLine);
  if (over % kUnit != 0) return {0, run_count, false};
  const u32 head = over / kUnit;
  const u32 items = static_cast<u32>(round_up(u64{over} + u64{run_count} * sizeof(K), kLine) / sizeof(K));
  return {head, items, head <= begin && begin - head + items <= count};
}

template <class K>
__host__ __device__ u32 run_span(const RunLoad& load) {
  return kLine % sizeof(K) == 0 ? static_cast<u32>(round_up(u64{load.items} * sizeof(K), kLine) / sizeof(K)) : load.items;
}

template <class T>
__device__ T warp_sum_before(T value, u32 lane) {  // of lanes 0 to 7
  T sum = value;
#pragma unroll
  for (u32 step = 1; step < kMostWays; step *= 2) {
    const T other = __shfl_up_sync(0xFFFFFFFFu, sum, step);
    if (lane >= step) sum += other;
  }
  return sum - value;
}

// What blocks share, besides the buffers.
struct Shared {
  Runs runs;
  u64 barrier;
  u32 by_threads;  // bit r: run r is not copied in bulk
  bool in_bulk;
};

// By the first warp: lane r brings run r, [begin, end), of the source. Fills shared and starts the copies.
template <class K, Keep kKeep>
__device__ void start_loads(Shared& shared, K* buffer, const K* source, u64 count, u64 begin, u32 run_count, u32 ways,
                            u32 lane) {
  RunLoad load = plan_load<K>(reinterpret_cast<u64>(source), begin, run_count, count, kBulk && kKeep != Keep::far);
  const u32 span = run_span<K>(load);
  const u32 start = warp_sum_before(span, lane), offset = warp_sum_before(run_count, lane);
  const u32 bytes = load.bulk ? load.items * static_cast<u32>(sizeof(K)) : 0;
  const u32 all_bytes = __reduce_add_sync(0xFFFFFFFFu, bytes);
  const u32 by_threads = __ballot_sync(0xFFFFFFFFu, kKeep != Keep::far && run_count != 0 && !load.bulk);
  if (lane == 0) {
    shared.by_threads = by_threads;
    shared.in_bulk = all_bytes != 0;
    shared.runs.ways = ways;
    if (all_bytes != 0) {
      barrier_init(&shared.barrier);
      barrier_expect(&shared.barrier, all_bytes);
    }
  }
  if (lane < kMostWays) {
    shared.runs.start[lane] = start + load.head;
    shared.runs.offset[lane] = offset;
    shared.runs.delta[lane] = begin - (start + load.head);
    if (lane == kMostWays - 1) shared.runs.offset[kMostWays] = offset + run_count;
  }
  __syncwarp();
  if (bytes != 0) bulk_load(buffer + start, source + begin - load.head, bytes, &shared.barrier);
}

// By all threads: what does not come in bulk, and the wait for what does.
template <class K, u32 kThreads>
__device__ void finish_loads(Shared& shared, K* buffer, const K* source) {
  __syncthreads();  // shared, and the barrier in it
  for (u32 mask = shared.by_threads; mask != 0; mask &= mask - 1) {
    const u32 run = static_cast<u32>(__ffs(static_cast<int>(mask))) - 1, start = shared.runs.start[run];
    const u32 end = start + shared.runs.offset[run + 1] - shared.runs.offset[run];
    const K* const from = source + shared.runs.delta[run];
#pragma unroll 4
    for (u32 i = start + threadIdx.x; i < end; i += kThreads) buffer[i] = from[i];
  }
  if (shared.in_bulk) barrier_wait(&shared.barrier);
  if (shared.by_threads != 0) __syncthreads();
}

// The sorted tile goes out; item i of it is key or value tile order_from[i].
template <class K, class V, class Less, class S, bool kMayBeInPlace, class TileType>
__device__ void store_tile(Shared& shared, const TileType& tile, unsigned char* buffers, K* keys_to, u32 count,
                           const V* values, V* values_to) {
  using L = Layout<K, V, S>;
  if constexpr (L::kKeep == Keep::copies) {
    const u32 bytes = count * static_cast<u32>(sizeof(K));
    if (kBulk && (reinterpret_cast<u64>(keys_to) | bytes) % kLine == 0) {
      bulk_fence();  // what this thread wrote to shared memory, for the copy to see
      __syncthreads();
      if (threadIdx.x == 0) {
        bulk_store(keys_to, tile.from, bytes);
        bulk_store_wait();  // shared memory must outlive the copy
      }
    } else {
      __syncthreads();
#pragma unroll 4
      for (u32 i = threadIdx.x; i < count; i += S::threads) keys_to[i] = tile.from[i];
    }
  } else {
    // By words, so that threads side by side write side by side.
    using Word = std::conditional_t<alignof(K) >= 8, u64, std::conditional_t<alignof(K) >= 4, u32, std::conditional_t<alignof(K) >= 2, u16, unsigned char>>>;
    constexpr u32 kWords = sizeof(K) / sizeof(Word);
    __syncthreads();
    Word* const to = reinterpret_cast<Word*>(keys_to);
#pragma unroll 4
    for (u32 i = threadIdx.x; i < count * kWords; i += S::threads) {
      const u32 code = tile.order_from[i / kWords];
      const K* from = nullptr;
      if constexpr (L::kKeep == Keep::near)
        from = tile.from + code;
      else
        from = tile.source + shared.runs.place(code);
      to[i] = reinterpret_cast<const Word*>(from)[i % kWords];
    }
  }
  if constexpr (L::kValues) {
    if constexpr (kMayBeInPlace && L::kStageValues) {
      V* const stage = reinterpret_cast<V*>(buffers);
      const V* const from = values + shared.runs.delta[0] + shared.runs.start[0];
      __syncthreads();  // the keys have left the buffers
      for (u32 i = threadIdx.x; i < count; i += S::threads) stage[i] = from[i];
      __syncthreads();
      for (u32 i = threadIdx.x; i < count; i += S::threads)
        values_to[i] = stage[tile.order_from[i] - shared.runs.start[0]];
    } else {
#pragma unroll 4
      for (u32 i = threadIdx.x; i < count; i += S::threads) values_to[i] = values[shared.runs.place(tile.order_from[i])];
    }
  }
}

// Sorts the thread's items of the tile, by places of an odd-even network, which keeps equals in order.
template <u32 kItems, class K, class Less, Keep kKeep, bool kOrder>
__host__ __device__ void sort_thread(const Tile<K, Less, kKeep, kOrder>& tile, u32 start, u32 first, u32 count) {
  using Head = typename Tile<K, Less, kKeep, kOrder>::Head;
  if (first >= count) return;
  Slot<Head> item[kItems];
  u32 code[kItems];
  const u32 have = count - first < kItems ? count - first : kItems;
#pragma unroll
  for (u32 i = 0; i < kItems; ++i) {
    code[i] = start + first + (i < have ? i : 0);
    item[i].key = tile.template head<true>(code[i]);
  }
  if (have < kItems) {  // places past the end get copies of the greatest item, which stay behind it
    Slot<Head> greatest;
    greatest.key = item[0].key;
#pragma unroll
    for (u32 i = 1; i < kItems; ++i) {
      if (i < have && !tile.before(item[i].key, greatest.key)) greatest.key = item[i].key;
      if (i >= have) item[i].key = greatest.key;
    }
  }
#pragma unroll 1
  for (u32 round = 0; round < (kItems + 1) / 2; ++round) {
#pragma unroll
    for (u32 odd = 0; odd < 2; ++odd) {
#pragma unroll
      for (u32 i = odd; i + 1 < kItems; i += 2) {
        const bool swap = tile.before(item[i + 1].key, item[i].key);
        const Head x = item[i].key, y = item[i + 1].key;
        item[i].key = swap ? y : x;
        item[i + 1].key = swap ? x : y;
        if constexpr (kOrder) {
          const u32 cx = code[i], cy = code[i + 1];
          code[i] = swap ? cy : cx;
          code[i + 1] = swap ? cx : cy;
        }
      }
    }
  }
#pragma unroll
  for (u32 i = 0; i < kItems; ++i) {
    if (i >= have) break;
    if constexpr (Tile<K, Less, kKeep, kOrder>::kCopies) {
      tile.to[first + i] = item[i].key;
      if constexpr (kOrder) tile.order_to[first + i] = static_cast<u16>(code[i]);
    } else {
      tile.order_to[first + i] = static_cast<u16>(item[i].key);
    }
  }
}

// A round of a tile's sort: runs of `width` threads become runs of twice as many.
template <u32 kItems, class TileType>
__host__ __device__ void merge_round(const TileType& tile, u32 width, u32 count, u32 thread) {
  const u32 first = thread & ~(2 * width - 1);
  const auto bound = [&](u32 i) { return i * kItems < count ? i * kItems : count; };
  const u32 a = bound(first), b = bound(first + width), end = bound(first + 2 * width);
  const u32 skip = (thread - first) * kItems;
  merge_slice<kItems, false>(tile, a, b, b, end, skip < end - a ? skip : end - a, a);
}

template <class K, class V, class Less, class S>
__global__ void __launch_bounds__(S::threads, Layout<K, V, S>::kBlocks)
    sort_tiles(const K* keys, K* keys_to, const V* values, V* values_to, u64 count, Less less) {
  using L = Layout<K, V, S>;
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ Shared shared;
  after_the_launch_before();
  const u64 base = blockIdx.x * u64{L::kTile};
  const u32 tile_count = count - base < L::kTile ? static_cast<u32>(count - base) : L::kTile;
  K* const buffer = reinterpret_cast<K*>(buffers);
  u16* const order = reinterpret_cast<u16*>(buffers + L::kKeyBytes * L::kKeyBuffers);
  if (threadIdx.x < 32)
    start_loads<K, L::kKeep>(shared, buffer, keys, count, threadIdx.x == 0 ? base : count,
                             threadIdx.x == 0 ? tile_count : 0, 1, threadIdx.x);
  finish_loads<K, S::threads>(shared, buffer, keys);
  Tile<K, Less, L::kKeep, L::kOrder> tile{buffer,
                                          reinterpret_cast<K*>(buffers + L::kKeyBytes),
                                          order,
                                          order + L::kOrderBytes / 2,
                                          keys,
                                          &shared.runs,
                                          less};
  sort_thread<S::items>(tile, shared.runs.start[0], threadIdx.x * S::items, tile_count);
#pragma unroll 1
  for (u32 width = 1; width * S::items < tile_count; width *= 2) {
    tile.turn();
    // The round before has been written, and read: a warp's items by itself alone, while runs are half a warp's at most.
    // But the first round writes where the threads' items were loaded, which begin some places later.
    if (width == 1 || width > 16)
      __syncthreads();
    else
      __syncwarp();
    merge_round<S::items>(tile, width, tile_count, threadIdx.x);
  }
  tile.turn();
  store_tile<K, V, Less, S, true>(shared, tile, buffers, keys_to + base, tile_count, values,
                                  L::kValues ? values_to + base : nullptr);
}

template <class K, class V, class Less, class S>
__global__ void __launch_bounds__(S::threads, Layout<K, V, S>::kBlocks)
    merge_tiles(const K* keys, K* keys_to, const V* values, V* values_to, Pass<(1u << S::levels)> pass, const u64* table,
                Less less) {
  using L = Layout<K, V, S>;
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ Shared shared;
  after_the_launch_before();
  const u64 t = blockIdx.x, base = t * L::kTile;
  const u32 tile_count = pass.count - base < L::kTile ? static_cast<u32>(pass.count - base) : L::kTile;
  K* const buffer = reinterpret_cast<K*>(buffers);
  u16* const order = reinterpret_cast<u16*>(buffers + L::kKeyBytes * L::kKeyBuffers);
  const u32 ways = 1u << pass.levels;
  if (threadIdx.x < 32) {
    const u32 run = threadIdx.x, shift = pass.run_level + pass.levels;
    const u64 group_begin = (t >> shift << shift) * L::kTile;
    const u64 run_begin = group_begin + (u64{run} << pass.run_level) * L::kTile;
    const u64 run_end = run_begin + (u64{L::kTile} << pass.run_level);
    u64 begin = pass.count, end = pass.count, of_a = 0, of_a_end = 0;
    if constexpr (S::levels == 1) {
      const u64 length = u64{L::kTile} << pass.run_level, left = pass.count - group_begin;
      const u64 a_count = left < length ? left : length, b_left = left - a_count;
      const u64 rank = base - group_begin + (run < kSplitLanes ? 0 : tile_count);
      const K* const a = keys + group_begin;
      of_a = split_two(a, a_count, a + a_count, b_left < length ? b_left : length, rank, less, run);
      of_a_end = __shfl_sync(0xFFFFFFFFu, of_a, kSplitLanes);
      of_a = __shfl_sync(0xFFFFFFFFu, of_a, 0);
    }
    if (run < ways) {
      if constexpr (S::levels == 1) {
        begin = run == 0 ? group_begin + of_a : run_begin + (base - group_begin - of_a);
        end = run == 0 ? group_begin + of_a_end : run_begin + (base - group_begin + tile_count - of_a_end);
        if (run_begin > pass.count) begin = end = pass.count;
      } else {
        const bool last = ((t + 1) & ((u64{1} << shift) - 1)) == 0 || base + L::kTile >= pass.count;
        begin = table[(t << pass.levels) + run];
        end = last ? (run_end < pass.count ? run_end : pass.count) : table[((t + 1) << pass.levels) + run];
      }
      // Splits cross only if less contradicts itself. The tile then stays as it is, so that it fits its place.
      const bool crossed = end < begin;
      if (__any_sync((1u << ways) - 1, crossed)) {
        begin = base < run_begin ? run_begin : base < run_end ? base : run_end;
        end = base + tile_count < run_begin ? run_begin : base + tile_count < run_end ? base + tile_count : run_end;
        if (begin >= end) begin = end = pass.count;
      }
    }
    start_loads<K, L::kKeep>(shared, buffer, keys, pass.count, begin, static_cast<u32>(end - begin), ways, run);
  }
  finish_loads<K, S::threads>(shared, buffer, keys);
  Tile<K, Less, L::kKeep, L::kOrder> tile{buffer,
                                          reinterpret_cast<K*>(buffers + L::kKeyBytes),
                                          order,
                                          order + L::kOrderBytes / 2,
                                          keys,
                                          &shared.runs,
                                          less};
  merge_level<S::items, true>(tile, shared.runs, 0, threadIdx.x);
#pragma unroll 1
  for (u32 level = 1; level < pass.levels; ++level) {
    tile.turn();
    __syncthreads();  // the level before has been written, and read
    merge_level<S::items, false>(tile, shared.runs, level, threadIdx.x);
  }
  tile.turn();
  store_tile<K, V, Less, S, false>(shared, tile, buffers, keys_to + base, tile_count, values,
                                   L::kValues ? values_to + base : nullptr);
}

// Scratch: the other keys, the other values, the splits.
template <class K, class V, class S>
struct Scratch {
  using L = Layout<K, V, S>;
  static constexpr u64 kUnit = 256;
  u64 tiles, values_at, table_at, bytes;

  constexpr explicit Scratch(u64 count) : tiles(count / L::kTile + (count % L::kTile != 0)) {
    const bool other = tiles > 1 || (L::kApart && count != 0);
    values_at = other ? round_up(count * sizeof(K), kUnit) : 0;
    table_at = values_at + (other && L::kValues ? round_up(count * sizeof(V), kUnit) : 0);
    bytes = table_at + (tiles > 1 && S::levels > 1 ? tiles * L::kWays * sizeof(u64) : 0);
    if (bytes != 0) bytes += kUnit - 1;  // any alignment
  }
};

constexpr u32 levels_of(u64 tiles) {
  u32 levels = 0;
  while ((u64{1} << levels) < tiles) ++levels;
  return levels;
}

// Whether all code for devices waits for the launch before by itself, so that its blocks may come early.
#ifdef __CUDA_ARCH_LIST__
inline constexpr int kArchitectures[] = {__CUDA_ARCH_LIST__};  // ascending
inline constexpr bool kEarly = kArchitectures[0] >= 900;
#else
inline constexpr bool kEarly = false;
#endif

template <class... Parameters, class... Arguments>
cudaError_t launch(cudaStream_t stream, bool early, u64 blocks, u32 threads, u32 shared_bytes,
                   void (*kernel)(Parameters...), Arguments... arguments) {
  if (shared_bytes > 46 * 1024) {
    const cudaError_t error = cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                                   cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
    if (error != cudaSuccess) return error;
  }
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<u32>(blocks));
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early && kEarly ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

template <class S, class K, class V, class Less>
cudaError_t launch_split(cudaStream_t stream, u64 tiles, const K* keys, Pass<(1u << S::levels)> pass, u64* table,
                         Less less) {
  constexpr u32 kWays = 1u << S::levels, kTile = Layout<K, V, S>::kTile;
  const u64 blocks = (tiles + kSplitThreads - 1) / kSplitThreads;
  if (pass.count > UINT32_MAX)
    return launch(stream, false, blocks, kSplitThreads, 0, split_kernel<kTile, kWays, u64, K, Less, kWays>, keys, pass,
                  table, less);
  if (pass.levels <= 2)
    return launch(stream, false, blocks, kSplitThreads, 0, split_kernel<kTile, 4, u32, K, Less, kWays>, keys, pass,
                  table, less);
  return launch(stream, false, blocks, kSplitThreads, 0, split_kernel<kTile, kWays, u32, K, Less, kWays>, keys, pass,
                table, less);
}

// What a sort reads and writes: src, then to and fro between the others, [0] being where it ends.
template <class K, class V>
struct Places {
  const K* keys_src;
  K* keys[2];
  const V* values_src;
  V* values[2];
  u64* table;
  u64 count;
};

// All launches but a copy at the end. at: which of the places the tiles go to first; after(name, ways) follows each.
template <class S, class K, class V, class Less, class After>
cudaError_t launch_all(cudaStream_t stream, const Places<K, V>& p, u32 at, Less less, const After& after) {
  using L = Layout<K, V, S>;
  // Blocks that come early take the places of those they wait for: where there are many that costs more than it saves.
  constexpr bool kFewBlocks = S::levels == 1;
  const u64 tiles = Scratch<K, V, S>(p.count).tiles;
  const u32 levels = levels_of(tiles), passes = (levels + S::levels - 1) / S::levels;
  cudaError_t error = launch(stream, false, tiles, S::threads, L::kSharedBytes, sort_tiles<K, V, Less, S>, p.keys_src,
                             p.keys[at], p.values_src, p.values[at], p.count, less);
  after("sort tiles", 1);
  for (u32 n = 0, done = 0; n < passes && error == cudaSuccess; ++n, at ^= 1) {
    const u32 next = levels * (n + 1) / passes;
    const Pass<L::kWays> pass{p.count, done, next - done};
    if constexpr (S::levels > 1) {
      error = launch_split<S, K, V>(stream, tiles, p.keys[at], pass, p.table, less);
      after("split", 1u << pass.levels);
      if (error != cudaSuccess) break;
    }
    error = launch(stream, kFewBlocks, tiles, S::threads, L::kSharedBytes, merge_tiles<K, V, Less, S>, p.keys[at],
                   p.keys[at ^ 1], p.values[at], p.values[at ^ 1], pass, p.table, less);
    after("merge", 1u << pass.levels);
    done = next;
  }
  return error;
}

inline bool apart(const void* a, u64 a_bytes, const void* b, u64 b_bytes) {
  const auto at_a = reinterpret_cast<std::uintptr_t>(a), at_b = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes == 0 || b_bytes == 0 || at_a + a_bytes <= at_b || at_b + b_bytes <= at_a;
}

template <class T>
bool usable(const T* pointer) {
  return pointer != nullptr && reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) == 0;
}

// src == dst is in place, for keys and values alike.
template <class S, class K, class V, class Less>
cudaError_t sort(cudaStream_t stream, const K* keys_src, K* keys_dst, const V* values_src, V* values_dst, u64 count,
                 Less less, std::span<std::byte> scratch) {
  static_assert(std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>, "items are moved as bytes");
  static_assert(std::is_trivially_copyable_v<Less>, "the comparator is a kernel's argument");
  using L = Layout<K, V, S>;
  if (count == 0) return cudaSuccess;
  if (count > UINT64_MAX / 4 / (sizeof(K) + sizeof(V))) return cudaErrorInvalidValue;
  const Scratch<K, V, S> room(count);
  if (room.tiles > kMostMergeTiles || scratch.size() < room.bytes) return cudaErrorInvalidValue;
  if (!usable(keys_src) || !usable(keys_dst)) return cudaErrorInvalidValue;
  const u64 key_bytes = count * sizeof(K), value_bytes = L::kValues ? count * sizeof(V) : 0;
  if (keys_src != keys_dst && !apart(keys_src, key_bytes, keys_dst, key_bytes)) return cudaErrorInvalidValue;
  if constexpr (L::kValues) {
    if (!usable(values_src) || !usable(values_dst)) return cudaErrorInvalidValue;
    if (values_src != values_dst && !apart(values_src, value_bytes, values_dst, value_bytes)) return cudaErrorInvalidValue;
    if (!apart(keys_dst, key_bytes, values_src, value_bytes) || !apart(keys_dst, key_bytes, values_dst, value_bytes) ||
        !apart(keys_src, key_bytes, values_dst, value_bytes))
      return cudaErrorInvalidValue;
  }
  std::byte* const base = reinterpret_cast<std::byte*>(
      round_up(reinterpret_cast<std::uintptr_t>(scratch.data()), Scratch<K, V, S>::kUnit));
  if (room.bytes != 0 &&
      (scratch.data() == nullptr || !apart(scratch.data(), room.bytes, keys_src, key_bytes) ||
       !apart(scratch.data(), room.bytes, keys_dst, key_bytes) ||
       !apart(scratch.data(), room.bytes, values_src, value_bytes) ||
       !apart(scratch.data(), room.bytes, values_dst, value_bytes)))
    return cudaErrorInvalidValue;
  const Places<K, V> places{keys_src,
                            {keys_dst, reinterpret_cast<K*>(base)},
                            values_src,
                            {values_dst, reinterpret_cast<V*>(base + room.values_at)},
                            reinterpret_cast<u64*>(base + room.table_at),
                            count};
  const u32 passes = (levels_of(room.tiles) + S::levels - 1) / S::levels;
  const bool in_place = keys_src == keys_dst || (L::kValues && values_src == values_dst);
  // The last pass ends in dst, but for one case, which a copy ends.
  const bool copy_back = L::kApart && in_place && passes % 2 == 0;
  cudaError_t error = launch_all<S>(stream, places, copy_back ? 1 : passes % 2, less, [](const char*, u32) {});
  if (copy_back && error == cudaSuccess) {
    error = cudaMemcpyAsync(keys_dst, places.keys[1], key_bytes, cudaMemcpyDeviceToDevice, stream);
    if (L::kValues && error == cudaSuccess)
      error = cudaMemcpyAsync(values_dst, places.values[1], value_bytes, cudaMemcpyDeviceToDevice, stream);
  }
  return error;
}

template <class K, class V, class Less>
cudaError_t sort_by_count(cudaStream_t stream, const K* keys_src, K* keys_dst, const V* values_src, V* values_dst,
                          u64 count, Less less, std::span<std::byte> scratch) {
  const auto sorts = is_small<K, V>(count) ? sort<SmallShape<K>, K, V, Less> : sort<DefaultShape<K, V>, K, V, Less>;
  return sorts(stream, keys_src, keys_dst, values_src, values_dst, count, less, scratch);
}

template <class K, class V>
constexpr u64 scratch_bytes(u64 count) {
  return is_small<K, V>(count) ? Scratch<K, V, SmallShape<K>>(count).bytes
                               : Scratch<K, V, DefaultShape<K, V>>(count).bytes;
}

}  // namespace merge_detail

// Scratch for a sort of count items, whatever the data, the comparator and the device; about count items' size.
template <class K>
constexpr std::uint64_t merge_sort_scratch_bytes(std::uint64_t count) noexcept {
  return merge_detail::scratch_bytes<K, merge_detail::NoValue>(count);
}
template <class K, class V>
constexpr std::uint64_t merge_sort_pairs_scratch_bytes(std::uint64_t count) noexcept {
  return merge_detail::scratch_bytes<K, V>(count);
}

// In place.
template <class K, class Less>
cudaError_t merge_sort(cudaStream_t stream, std::span<K> keys, Less less, std::span<std::byte> scratch) {
  using merge_detail::NoValue;
  return merge_detail::sort_by_count<K, NoValue, Less>(
      stream, keys.data(), keys.data(), nullptr, nullptr, keys.size(), less, scratch);
}

// From src to dst, which holds as many items; src is kept.
template <class K, class Less>
cudaError_t merge_sort(cudaStream_t stream, std::span<const std::type_identity_t<K>> src, std::span<K> dst, Less less,
                       std::span<std::byte> scratch) {
  using merge_detail::NoValue;
  if (src.size() != dst.size()) return cudaErrorInvalidValue;
  return merge_detail::sort_by_count<K, NoValue, Less>(
      stream, src.data(), dst.data(), nullptr, nullptr, src.size(), less, scratch);
}

// Keys and as many values, which are not looked at, in place.
template <class K, class V, class Less>
cudaError_t merge_sort_pairs(cudaStream_t stream, std::span<K> keys, std::span<V> values, Less less,
                             std::span<std::byte> scratch) {
  if (values.size() != keys.size()) return cudaErrorInvalidValue;
  return merge_detail::sort_by_count<K, V, Less>(
      stream, keys.data(), keys.data(), values.data(), values.data(), keys.size(), less, scratch);
}

// From src to dst; src is kept.
template <class K, class V, class Less>
cudaError_t merge_sort_pairs(cudaStream_t stream, std::span<const std::type_identity_t<K>> keys_src,
                             std::span<const std::type_identity_t<V>> values_src, std::span<K> keys_dst,
                             std::span<V> values_dst, Less less, std::span<std::byte> scratch) {
  if (keys_dst.size() != keys_src.size() || values_src.size() != keys_src.size() ||
      values_dst.size() != keys_src.size())
    return cudaErrorInvalidValue;
  return merge_detail::sort_by_count<K, V, Less>(stream, keys_src.data(), keys_dst.data(),
                                                                          values_src.data(), values_dst.data(),
                                                                          keys_src.size(), less, scratch);
}

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
#endif  // LANESORT_MERGE_CUH
