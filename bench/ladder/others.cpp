// Rungs whose code stands elsewhere: two of bench/rivals, and lanesort.
#include <algorithm>
#include <cmath>

#include "bench/ladder/cpu_rung.hpp"

namespace lanesort::bench {
namespace {

RivalEntry elsewhere(const char* name) { return {name, "", false, false, nullptr, nullptr}; }

double quicksort_bytes(double key_bytes, double count) {
  return 2 * key_bytes * (1 + std::max(1.0, std::ceil(std::log2(std::max(count, 1.0) / 16))));
}

}  // namespace

Rung tbb_rung() {
  return {
      .name = "tbb::parallel_sort",
      .backend = "cpu",
      .idea = "Quicksort whose parts other threads may take; parts of 500 and less by std::sort.",
      .time = "n log n, over the threads below the first partitions",
      .space = "log n",
      .traffic = "as std::sort",
      .launches = "none",
      .limits = "not stable; the first partitions are one thread's; u8 is not built in",
      .source = "oneTBB; Bentley and McIlroy, Engineering a Sort Function, 1993, for its pivot of nine",
      .bytes_per_key = quicksort_bytes,
      .entry = elsewhere("tbb::parallel_sort"),
  };
}

Rung vqsort_rung() {
  return {
      .name = "vqsort",
      .backend = "cpu",
      .idea =
          "Quicksort in vector registers: a compress puts the keys of each side together, networks sort what is small.",
      .time = "n log n, a vector at a time",
      .space = "a constant",
      .traffic = "not reckoned",
      .launches = "none",
      .limits = "one thread; not stable; no keys of 8 bits",
      .source = "Blacher, Giesen, Sanders, Wassenberg, Vectorized and performance-portable Quicksort, 2022",
      .bytes_per_key = nullptr,
      .entry = elsewhere("vqsort"),
  };
}

Rung lanesort_rung() {
  return {
      .name = "lanesort",
      .backend = "cpu",
      .idea =
          "One read finds what can be saved; the leading bits part the keys into buckets of a cache's size, by all "
          "threads and in "
          "whole cache lines; each is finished where it lies. Few values are counted instead.",
      .time = "n times the bytes of a key at most",
      .space = "n keys",
      .traffic = "not reckoned; a read and two reads and writes where nothing can be saved",
      .launches = "none",
      .limits = "memory as large as the keys",
      .source =
          "docs/cpu-notes.md; line buffers: Satish et al., Fast Sort on CPUs and GPUs, 2010; Wassenberg and Sanders, "
          "2011",
      .bytes_per_key = nullptr,
      .entry = elsewhere("lanesort"),
  };
}

}  // namespace lanesort::bench
