// Bitonic sort over global memory. Two sorted runs, the second turned round, rise and fall; comparing both halves of such
// a sequence at half its length leaves two of the same kind, the lower keys in the first, and so on down to single keys.
#include <cmath>

#include "bench/ladder/cuda/launch.cuh"

namespace lanesort::bench::device {
namespace {

constexpr Rung kRung{
    .name = "bitonic",
    .backend = "cuda",
    .idea = "Runs are merged by a network: first each key with its mirror image in the other run, then at distances of "
            "a half, a quarter ... 1. A launch a distance, a thread a pair.",
    .time = "n log^2 n",
    .space = "none",
    .traffic = "a read and a write of all keys for each of log2 n (log2 n + 1) / 2 launches",
    .launches = "log2 n (log2 n + 1) / 2",
    .limits = "406 passes over memory at 2^28, most of them at distances that a workgroup could see to by itself",
    .source = "Batcher, Sorting networks and their applications, 1968; with mirror images instead of falling runs it "
              "takes any count, as in Knuth 3, 5.2.2",
};

constexpr u32 kThreads = 256;

// All pairs put the lesser key below, so that places past the end, which hold keys above all as it were, never matter.
template <class K>
__device__ void order(K* keys, u64 low, u64 high, u64 count) {
  if (high >= count) return;
  const K a = keys[low], b = keys[high];
  if (b < a) keys[low] = b, keys[high] = a;
}

// run: a power of two, the keys of each of both runs. Pairs are numbered without gaps, so that a run has `run` of them
// and its keys begin at twice the first one's number.
template <class K>
__global__ void mirror_step(K* keys, u64 run, u64 count) {
  const u64 pair = thread_index(), at = pair & (run - 1), begin = 2 * (pair - at);
  order(keys, begin + at, begin + 2 * run - 1 - at, count);
}

template <class K>
__global__ void distance_step(K* keys, u64 distance, u64 count) {
  const u64 pair = thread_index(), low = 2 * pair - (pair & (distance - 1));
  order(keys, low, low + distance, count);
}

struct Bitonic {
  template <class K>
  static K* sort(Work& work) {
    K* const keys = static_cast<K*>(work.keys);
    const auto blocks = [&](u64 run) { return divide_up(divide_up(work.count, 2 * run) * run, kThreads); };
    for (u64 run = 1; run < work.count; run *= 2) {
      launch(work, mirror_step<K>, blocks(run), kThreads, keys, run, work.count);
      for (u64 distance = run / 2; distance > 0; distance /= 2)
        launch(work, distance_step<K>, blocks(distance), kThreads, keys, distance, work.count);
    }
    return keys;
  }
};

double bytes_per_key(double key_bytes, double count) {
  const double widths = std::ceil(std::log2(std::max(count, 2.0)));
  return 2 * key_bytes * widths * (widths + 1) / 2;
}

}  // namespace

std::vector<DeviceRung> bitonic_rungs() {
  return {device_rung<Bitonic>(complete(kRung, bytes_per_key, {}), u64{1} << 28)};
}

}  // namespace lanesort::bench::device
