// Batcher's odd-even merge: a network, in which what is compared with what does not depend on the keys. Runs of p keys are
// merged in steps of distance p, p/2 ... 1; only keys of one pair of runs are compared, the lower place gets the lesser.
#include <cmath>

#include "bench/ladder/cuda/launch.cuh"

namespace lanesort::bench::device {
namespace {

constexpr Rung kRung{
    .name = "odd-even merge",
    .backend = "cuda",
    .idea = "Batcher's network: runs of p keys are merged by comparing at distances p, p/2 ... 1. A launch a distance, a "
            "thread a pair; no thread waits for another within it.",
    .time = "n log^2 n",
    .space = "none",
    .traffic = "a read and a write of all keys for each of log2 n (log2 n + 1) / 2 launches, somewhat fewer writes",
    .launches = "log2 n (log2 n + 1) / 2",
    .limits = "406 passes over memory at 2^28, whatever the keys are",
    .source = "Batcher, Sorting networks and their applications, 1968; Knuth 3, 5.2.2, algorithm M",
};

constexpr u32 kThreads = 256;

// Pair number `pair` of the step. Places past the end hold, as it were, keys above all: they would never move down, so
// that such pairs are left out. p and distance are powers of two.
template <class K>
__global__ void compare_at_distance(K* keys, u64 p, u64 distance, u64 count) {
  const u64 pair = thread_index();
  const u64 skipped = distance < p ? distance : 0;  // but for the first step, the run's outermost keys have no partner
  const u64 low = skipped + 2 * pair - (pair & (distance - 1)), high = low + distance;
  if (high >= count || (low ^ high) >= 2 * p) return;  // past the end, or of two pairs of runs
  const K a = keys[low], b = keys[high];
  if (b < a) keys[low] = b, keys[high] = a;
}

struct OddEven {
  template <class K>
  static K* sort(Work& work) {
    K* const keys = static_cast<K*>(work.keys);
    for (u64 p = 1; p < work.count; p *= 2)
      for (u64 distance = p; distance > 0; distance /= 2) {
        // Whole groups of 2 * distance keys, the last of which may be cut short.
        const u64 pairs = divide_up(work.count, 2 * distance) * distance;
        launch(work, compare_at_distance<K>, divide_up(pairs, kThreads), kThreads, keys, p, distance, work.count);
      }
    return keys;
  }
};

double bytes_per_key(double key_bytes, double count) {
  const double widths = std::ceil(std::log2(std::max(count, 2.0)));
  return 2 * key_bytes * widths * (widths + 1) / 2;
}

}  // namespace

std::vector<DeviceRung> odd_even_rungs() {
  return {device_rung<OddEven>(complete(kRung, bytes_per_key, {}), u64{1} << 28)};
}

}  // namespace lanesort::bench::device
