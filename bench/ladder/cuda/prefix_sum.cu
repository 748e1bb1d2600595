// The foundation of every radix sort: the sum of all that stands before each place. In two sweeps over a tree, first up
// with the sums of both children, then down, where each node hands its left child what it was given and its right child
// that and the left one's sum. A workgroup does so with its tile; the tiles' own sums are the same task again, and smaller.
#include "bench/ladder/cuda/launch.cuh"

namespace lanesort::bench::device {
namespace {

constexpr u32 kThreads = 256, kTile = 2048;

constexpr Rung kRung{
    .name = "prefix sum",
    .backend = "cuda",
    .idea = "Sweeps up and down a tree in shared memory, a workgroup a tile of 2048; sums of tiles likewise, and their "
            "result is added to the tiles.",
    .time = "n of work, log n steps",
    .space = "n / 2047 words",
    .traffic = "a read and a write in the tiles, and again when the sums are added",
    .launches = "2 log n / log 2048 - 1",
    .limits = "half of the threads rest from the second step on; two passes over memory, where a scan with look-back "
              "has one; sums of 32 bits",
    .source = "Blelloch, Prefix sums and their applications, 1990; Harris, Sengupta and Owens, GPU Gems 3, chapter 39, "
              "2007",
};

// An empty word after each 32, because a sweep walks by powers of two and shared memory has 32 banks.
__device__ constexpr u32 slot(u32 index) { return index + index / 32; }

// Place i of the order in which is summed up. With columns, counts lie as rows of so many, and each column is one after
// the other: of counts of workgroups, those of a digit. Then neighbours read words far from each other.
__device__ u64 place_of(u64 i, u64 count, u64 columns) {
  if (columns == 0) return i;
  if (count <= 0xFFFFFFFF) {  // 64-bit divisions take long
    const u32 at = static_cast<u32>(i), rows = static_cast<u32>(count) / static_cast<u32>(columns);
    return at % rows * columns + at / rows;
  }
  const u64 rows = count / columns;
  return i % rows * columns + i / rows;
}

__global__ void __launch_bounds__(kThreads) sum_tiles(u32* counts, u64 count, u64 columns, u32* sums) {
  __shared__ u32 tree[slot(kTile)];
  const u64 begin = blockIdx.x * u64{kTile};
  for (u32 i = threadIdx.x; i < kTile; i += kThreads)
    tree[slot(i)] = begin + i < count ? counts[place_of(begin + i, count, columns)] : 0;
  for (u32 stride = 1; stride < kTile; stride *= 2) {
    __syncthreads();  // the level below is whole
    for (u32 last = (threadIdx.x + 1) * stride * 2 - 1; last < kTile; last += kThreads * stride * 2)
      tree[slot(last)] += tree[slot(last - stride)];
  }
  __syncthreads();  // the root is there
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = tree[slot(kTile - 1)];
    tree[slot(kTile - 1)] = 0;
  }
  for (u32 stride = kTile / 2; stride > 0; stride /= 2) {
    __syncthreads();  // the level above is whole
    for (u32 last = (threadIdx.x + 1) * stride * 2 - 1; last < kTile; last += kThreads * stride * 2) {
      const u32 left = tree[slot(last - stride)];
      tree[slot(last - stride)] = tree[slot(last)];
      tree[slot(last)] += left;
    }
  }
  __syncthreads();  // the leaves are there
  for (u32 i = threadIdx.x; i < kTile && begin + i < count; i += kThreads)
    counts[place_of(begin + i, count, columns)] = tree[slot(i)];
}

__global__ void __launch_bounds__(kThreads) add_sums(u32* counts, u64 count, u64 columns, const u32* sums) {
  const u64 begin = blockIdx.x * u64{kTile};
  for (u32 i = threadIdx.x; i < kTile && begin + i < count; i += kThreads)
    counts[place_of(begin + i, count, columns)] += sums[blockIdx.x];
}

}  // namespace

void prefix_sum(Work& work, u32* counts, u64 count, u64 columns, u32* sums) {
  const u64 tiles = divide_up(count, kTile);
  if (tiles == 0) return;
  launch(work, sum_tiles, tiles, kThreads, counts, count, columns, sums);
  if (tiles == 1) return;
  prefix_sum(work, sums, tiles, 0, sums + tiles);
  launch(work, add_sums, tiles, kThreads, counts, count, columns, sums);
}

u64 prefix_sum_bytes(u64 count) {
  u64 words = 0;
  do {
    count = divide_up(count, kTile);
    words += count;
  } while (count > 1);
  return words * sizeof(u32);
}

Rung prefix_sum_words() {
  return complete(kRung, [](double, double) { return 16.0; }, {});
}

}  // namespace lanesort::bench::device
