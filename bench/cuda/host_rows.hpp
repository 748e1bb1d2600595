// Rows of host arrays that a device sorts, by the wall clock: the link is most of the time.
#pragma once
#include <cstdint>
#include <vector>

#include "bench/harness.hpp"
#include "lanesort/cuda.h"

namespace lanesort::bench::cuda {

// u32 keys, in place.
struct HostWork {
  std::uint64_t count;
  bool pinned;
  std::uint64_t device_bytes;  // 0: all that is free; less than the work needs: chunks, two trips
};

std::vector<HostWork> list_host();

// The rival is the link alone, with pinned memory: up, then down; in chunks both at once, twice.
Row run_host(lanesort_cuda* handle, const HostWork& work, int samples);

}  // namespace lanesort::bench::cuda
