// The rungs on a CUDA device in their order, each followed by its variants.
#include "bench/ladder/cuda/device_rung.hpp"

namespace lanesort::bench::device {

std::vector<DeviceRung> own_rungs() {
  std::vector<DeviceRung> all;
  for (const auto rungs : {merge_recursive_rungs, merge_thread_rungs, odd_even_rungs, bitonic_rungs,
                           bitonic_shared_rungs, merge_path_rungs, chunk_sort_rungs, three_kernel_rungs,
                           onesweep_rungs})
    for (DeviceRung& rung : rungs()) all.push_back(std::move(rung));
  return all;
}

}  // namespace lanesort::bench::device
