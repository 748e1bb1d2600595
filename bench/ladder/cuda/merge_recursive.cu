// Merge sort with the recursion on the host: what one gets who takes the textbook's program and makes its merge a kernel.
#include <cmath>

#include "bench/ladder/cuda/launch.cuh"
#include "bench/ladder/merge.hpp"

namespace lanesort::bench::device {
namespace {

constexpr Rung kRung{
    .name = "merge, host recursion",
    .backend = "cuda",
    .idea = "The host sorts both halves by the same means and has one thread of the device merge them and copy back.",
    .time = "n log n, by one thread of the device",
    .space = "n keys",
    .traffic = "two reads and two writes a level, log2 n levels, a key at a time",
    .launches = "n - 1",
    .limits = "one thread of ten thousands works; a launch costs what thousands of keys do. Recursion on the device is "
              "no way out: from compute capability 9.0 on a kernel cannot wait for its children, and would leave each "
              "merge to yet another launch behind them",
    .source = "von Neumann, 1945, as Goldstine and von Neumann tell it, 1948; the first exercise of many CUDA courses",
};

template <class K>
__global__ void merge_and_copy_back(K* keys, K* buffer, u64 begin, u64 middle, u64 end) {
  merge_two(keys, buffer, begin, middle, end);
  for (u64 i = begin; i < end; ++i) keys[i] = buffer[i];
}

struct Recursive {
  // Work on a stream goes on in the order in which it was asked for: a merge sees what both halves have left.
  template <class K>
  static void sort_part(Work& work, u64 begin, u64 end) {
    if (end - begin < 2) return;
    const u64 middle = begin + (end - begin) / 2;
    sort_part<K>(work, begin, middle);
    sort_part<K>(work, middle, end);
    launch(work, merge_and_copy_back<K>, 1, 1, static_cast<K*>(work.keys), static_cast<K*>(work.other), begin, middle,
           end);
  }

  template <class K>
  static K* sort(Work& work) {
    sort_part<K>(work, 0, work.count);
    return static_cast<K*>(work.keys);
  }
};

double bytes_per_key(double key_bytes, double count) {
  return 4 * key_bytes * std::ceil(std::log2(std::max(count, 2.0)));
}

}  // namespace

std::vector<DeviceRung> merge_recursive_rungs() {
  return {device_rung<Recursive>(complete(kRung, bytes_per_key, {}), u64{1} << 16)};
}

}  // namespace lanesort::bench::device
