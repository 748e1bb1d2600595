// Bitonic sort in which all steps that stay within a tile are taken in shared memory, in one launch.
#include <cmath>

#include "bench/ladder/cuda/launch.cuh"

namespace lanesort::bench::device {
namespace {

constexpr u32 kThreads = 512, kTile = 4096;

constexpr Rung kRung{
    .name = "bitonic, shared memory",
    .backend = "cuda",
    .idea = "The same network; runs of up to 4096 keys, and of longer ones the distances below 4096, are a workgroup's, "
            "which reads a tile once, takes all of these steps in shared memory and writes it.",
    .time = "n log^2 n",
    .space = "none",
    .traffic = "a read and a write for the tiles; then, for the k-th doubling of the runs after, k + 1",
    .launches = "1 + L (L + 3) / 2, of L = log2(n / 4096)",
    .limits = "still n log^2 n comparisons, with a barrier after each step",
    .source = "Batcher, 1968; steps gathered in shared memory as in the sortingNetworks sample of the CUDA toolkit",
};

template <class K, class I>
__device__ void order(K* keys, I low, I high, I count) {
  if (high >= count) return;
  const K a = keys[low], b = keys[high];
  if (b < a) keys[low] = b, keys[high] = a;
}

// Pair number `pair`, of 32 bits within a tile.
template <class K, class I>
__device__ void order_mirrored(K* keys, I run, I count, I pair) {
  const I at = pair & (run - 1), begin = 2 * (pair - at);
  order<K, I>(keys, begin + at, begin + 2 * run - 1 - at, count);
}

template <class K, class I>
__device__ void order_at_distance(K* keys, I distance, I count, I pair) {
  const I low = 2 * pair - (pair & (distance - 1));
  order<K, I>(keys, low, low + distance, count);
}

// from_run 1: sorts the tile. kTile: only the distances of a longer merge that stay within it.
template <class K>
__global__ void __launch_bounds__(kThreads) tile_steps(K* keys, u32 from_run, u64 count) {
  __shared__ K tile[kTile];
  const u64 begin = blockIdx.x * u64{kTile};
  const u32 size = static_cast<u32>(min(u64{kTile}, count - begin));
  for (u32 i = threadIdx.x; i < size; i += kThreads) tile[i] = keys[begin + i];
  const u32 to_run = max(from_run, kTile / 2);
  for (u32 run = from_run; run <= to_run; run *= 2) {
    if (run < kTile) {
      __syncthreads();  // the runs of this length are whole
      for (u32 pair = threadIdx.x; pair < kTile / 2; pair += kThreads) order_mirrored(tile, run, size, pair);
    }
    for (u32 distance = run / 2; distance > 0; distance /= 2) {
      __syncthreads();  // the step before is over
      for (u32 pair = threadIdx.x; pair < kTile / 2; pair += kThreads) order_at_distance(tile, distance, size, pair);
    }
  }
  __syncthreads();  // the last step is over
  for (u32 i = threadIdx.x; i < size; i += kThreads) keys[begin + i] = tile[i];
}

template <class K>
__global__ void mirror_step(K* keys, u64 run, u64 count) {
  order_mirrored(keys, run, count, thread_index());
}

template <class K>
__global__ void distance_step(K* keys, u64 distance, u64 count) {
  order_at_distance(keys, distance, count, thread_index());
}

struct BitonicShared {
  template <class K>
  static K* sort(Work& work) {
    K* const keys = static_cast<K*>(work.keys);
    const u64 tiles = divide_up(work.count, kTile);
    const auto blocks = [&](u64 run) { return divide_up(divide_up(work.count, 2 * run) * run, kThreads); };
    if (tiles != 0) launch(work, tile_steps<K>, tiles, kThreads, keys, 1u, work.count);
    for (u64 run = kTile; run < work.count; run *= 2) {
      launch(work, mirror_step<K>, blocks(run), kThreads, keys, run, work.count);
      for (u64 distance = run / 2; distance >= kTile; distance /= 2)
        launch(work, distance_step<K>, blocks(distance), kThreads, keys, distance, work.count);
      launch(work, tile_steps<K>, tiles, kThreads, keys, kTile, work.count);
    }
    return keys;
  }
};

// The doubling k of the runs (from 1): the mirror step, k - 1 distances from half a run down to a tile, and the tiles.
double bytes_per_key(double key_bytes, double count) {
  const double doublings = std::max(0.0, std::ceil(std::log2(std::max(count, 1.0) / kTile)));
  return 2 * key_bytes * (1 + doublings * (doublings + 3) / 2);
}

}  // namespace

std::vector<DeviceRung> bitonic_shared_rungs() {
  return {device_rung<BitonicShared>(complete(kRung, bytes_per_key, {}), u64{1} << 28)};
}

}  // namespace lanesort::bench::device
