// Bottom-up merge sort, one thread a merge: the second try of everybody. The host doubles the width of the runs, each width
// is a launch with a thread for every two runs, and two buffers change places. The last launches have a few threads, and
// the very last one.
#include <cmath>
#include <utility>

#include "bench/ladder/cuda/launch.cuh"
#include "bench/ladder/merge.hpp"

namespace lanesort::bench::device {
namespace {

constexpr Rung kRung{
    .name = "merge, a thread a merge",
    .backend = "cuda",
    .idea = "Runs of 1, 2, 4 ... keys; a launch for each width, and in it a thread for every two runs. After each launch "
            "the host looks for errors and waits, as tutorials do; an odd number of widths ends in a copy.",
    .time = "n log n of work, but n in a row: the last merge is one thread's",
    .space = "n keys",
    .traffic = "a read and a write a width, log2 n widths, and a copy where they are odd",
    .launches = "log2 n",
    .limits = "threads halve with every launch; neighbours read far from each other, so that a line is fetched for "
              "each; a branch a key",
    .source = "Goldstine and von Neumann, Planning and Coding of Problems, 1948; Knuth 3, 5.2.4",
};

// The grid is rounded up, so that a thread may have nothing to merge; the last runs may be short or missing. Sizes double
// in 64 bits: 2 * width * (a merge's number) is at most twice the count and a block.
template <class K>
__global__ void merge_width(const K* src, K* dst, u64 width, u64 count) {
  const u64 begin = thread_index() * 2 * width;
  if (begin >= count) return;
  const u64 middle = begin + min(width, count - begin);
  const u64 end = middle + min(width, count - middle);
  merge_two(src, dst, begin, middle, end);
}

template <bool kCheck, bool kWait, bool kCopyBack, u32 kThreads>
struct BottomUp {
  template <class K>
  static K* sort(Work& work) {
    K* src = static_cast<K*>(work.keys);
    K* dst = static_cast<K*>(work.other);
    for (u64 width = 1; width < work.count; width *= 2) {
      const u64 merges = divide_up(work.count, 2 * width);
      launch_unchecked(work, merge_width<K>, divide_up(merges, kThreads), kThreads, src, dst, width, work.count);
      if (kCheck) must(cudaGetLastError());
      if (kWait) must(cudaStreamSynchronize(work.stream));
      std::swap(src, dst);
    }
    must(cudaGetLastError());
    if (!kCopyBack || src == work.keys) return src;
    must(cudaMemcpyAsync(work.keys, src, work.count * sizeof(K), cudaMemcpyDeviceToDevice, work.stream));
    return static_cast<K*>(work.keys);
  }
};

double bytes_per_key(double key_bytes, double count) {
  const double widths = std::ceil(std::log2(std::max(count, 1.0)));
  return 2 * key_bytes * 2 * std::ceil(widths / 2);  // of an odd number the last is copied
}

}  // namespace

std::vector<DeviceRung> merge_thread_rungs() {
  const DeviceRung rung = device_rung<BottomUp<true, true, true, 256>>(complete(kRung, bytes_per_key, {}), u64{1} << 24);
  return {rung,
          variant<BottomUp<false, true, true, 256>>(rung, "no check"),
          variant<BottomUp<true, false, true, 256>>(rung, "no wait"),
          variant<BottomUp<true, true, false, 256>>(rung, "no copy back"),
          variant<BottomUp<false, false, false, 256>>(rung, "none of the three"),
          variant<BottomUp<true, true, true, 32>>(rung, "32 threads a block"),
          variant<BottomUp<true, true, true, 64>>(rung, "64 threads"),
          variant<BottomUp<true, true, true, 128>>(rung, "128 threads"),
          variant<BottomUp<true, true, true, 512>>(rung, "512 threads"),
          variant<BottomUp<true, true, true, 1024>>(rung, "1024 threads")};
}

}  // namespace lanesort::bench::device
