// Bottom-up merge sort in which every thread has work in every launch. Two runs to be merged and their result are a path
// through a grid, a step right or down for each key; where the path crosses a diagonal can be found by bisection, so that
// the result can be cut into pieces of equal size, for blocks and again for threads.
#include <cmath>
#include <utility>

#include "bench/ladder/cuda/launch.cuh"

namespace lanesort::bench::device {
namespace {

constexpr u32 kThreads = 256, kItems = 15, kTile = kThreads * kItems;

constexpr Rung kRung{
    .name = "merge path",
    .backend = "cuda",
    .idea = "Tiles of 3840 keys are sorted in shared memory; then each launch doubles the runs. Bisection along a "
            "diagonal tells a block which keys of both runs its piece of the result comes from; they go to shared "
            "memory, where it tells the same to each thread, which merges 15 of them.",
    .time = "n log n, divided evenly",
    .space = "n keys",
    .traffic = "a read and a write for the tiles and for every launch after",
    .launches = "1 + log2(n / 3840)",
    .limits = "all keys through memory for a single doubling; u8 are read and written by the byte",
    .source = "Odeh, Green, Mwassi, Shmueli and Birk, Merge Path, 2012; Green, McColl and Bader, GPU Merge Path, 2012",
};

// Of the first `diagonal` keys of the merged runs, how many are a's; equal keys of a come first.
template <class K>
__device__ u64 keys_of_first(const K* a, u64 a_count, const K* b, u64 b_count, u64 diagonal) {
  u64 low = diagonal > b_count ? diagonal - b_count : 0, high = min(diagonal, a_count);
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if (b[diagonal - 1 - middle] < a[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// kItems keys of the result from `diagonal` on, fewer at its end, into registers.
template <class K>
__device__ void merge_items(const K* a, u32 a_count, const K* b, u32 b_count, u32 diagonal, K (&items)[kItems]) {
  u32 from_a = static_cast<u32>(keys_of_first(a, a_count, b, b_count, min(diagonal, a_count + b_count)));
  u32 from_b = min(diagonal, a_count + b_count) - from_a;
  for (u32 i = 0; i < kItems; ++i) {
    if (diagonal + i >= a_count + b_count) return;
    const bool take_a = from_a < a_count && (from_b == b_count || !(b[from_b] < a[from_a]));
    items[i] = take_a ? a[from_a++] : b[from_b++];
  }
}

// A tile by bottom-up merging in shared memory, from runs that a thread has sorted by insertion.
template <class K>
__global__ void __launch_bounds__(kThreads) sort_tiles(const K* src, K* dst, u64 count) {
  __shared__ K tile[kTile];
  const u64 begin = blockIdx.x * u64{kTile};
  const u32 size = static_cast<u32>(min(u64{kTile}, count - begin)), mine = threadIdx.x * kItems;
  for (u32 i = threadIdx.x; i < size; i += kThreads) tile[i] = src[begin + i];
  __syncthreads();  // the tile is there
  for (u32 i = mine + 1; i < min(mine + kItems, size); ++i) {
    const K key = tile[i];
    u32 at = i;
    for (; at > mine && key < tile[at - 1]; --at) tile[at] = tile[at - 1];
    tile[at] = key;
  }
  for (u32 width = kItems; width < kTile; width *= 2) {
    __syncthreads();  // the runs of this width are whole
    const u32 runs = min(mine / (2 * width) * 2 * width, size);
    const u32 a_count = min(width, size - runs), b_count = min(width, size - runs - a_count);
    K items[kItems];
    merge_items(tile + runs, a_count, tile + runs + a_count, b_count, mine - runs, items);
    __syncthreads();  // everybody has read its runs
    for (u32 i = 0; i < kItems; ++i)
      if (mine + i < runs + a_count + b_count) tile[mine + i] = items[i];
  }
  __syncthreads();  // the last merge is written
  for (u32 i = threadIdx.x; i < size; i += kThreads) dst[begin + i] = tile[i];
}

// A block a tile of the result. Runs are whole tiles, so that no tile of the result belongs to two merges.
template <class K>
__global__ void __launch_bounds__(kThreads) merge_tiles(const K* src, K* dst, u64 width, u64 count) {
  __shared__ K tile[kTile];
  __shared__ u64 splits[2];
  const u64 begin = blockIdx.x * u64{kTile}, runs = begin / (2 * width) * (2 * width);
  const u64 a_count = min(width, count - runs), b_count = min(width, count - runs - a_count);
  const K *const a = src + runs, *const b = a + a_count;
  const u64 first = begin - runs, last = min(first + kTile, a_count + b_count);
  if (threadIdx.x < 2) splits[threadIdx.x] = keys_of_first(a, a_count, b, b_count, threadIdx.x == 0 ? first : last);
  __syncthreads();  // both splits are found
  const u64 a_begin = splits[0], b_begin = first - a_begin;
  const u32 a_size = static_cast<u32>(splits[1] - a_begin), size = static_cast<u32>(last - first);
  for (u32 i = threadIdx.x; i < size; i += kThreads) tile[i] = i < a_size ? a[a_begin + i] : b[b_begin + i - a_size];
  __syncthreads();  // both pieces are there
  const u32 mine = threadIdx.x * kItems;
  K items[kItems];
  merge_items(tile, a_size, tile + a_size, size - a_size, mine, items);
  __syncthreads();  // everybody has read its piece
  for (u32 i = 0; i < kItems; ++i)
    if (mine + i < size) tile[mine + i] = items[i];
  __syncthreads();  // the result is whole, and leaves in whole lines
  for (u32 i = threadIdx.x; i < size; i += kThreads) dst[begin + i] = tile[i];
}

struct MergePath {
  template <class K>
  static K* sort(Work& work) {
    K* src = static_cast<K*>(work.keys);
    K* dst = static_cast<K*>(work.other);
    const u64 tiles = divide_up(work.count, kTile);
    if (tiles == 0) return src;
    launch(work, sort_tiles<K>, tiles, kThreads, src, dst, work.count);
    std::swap(src, dst);
    for (u64 width = kTile; width < work.count; width *= 2) {
      launch(work, merge_tiles<K>, tiles, kThreads, src, dst, width, work.count);
      std::swap(src, dst);
    }
    return src;
  }
};

double bytes_per_key(double key_bytes, double count) {
  return 2 * key_bytes * (1 + std::max(0.0, std::ceil(std::log2(std::max(count, 1.0) / kTile))));
}

}  // namespace

std::vector<DeviceRung> merge_path_rungs() {
  return {device_rung<MergePath>(complete(kRung, bytes_per_key, {}), u64{1} << 28)};
}

}  // namespace lanesort::bench::device
