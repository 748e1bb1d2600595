// Rows of f32 sorted by CUB, each for itself.
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "cuda/rivals.hpp"

namespace lanesort::bench::cuda {

bool sort_rows_by_cub(RivalCall &call, std::size_t row_count, const std::uint64_t *begins, bool radix) {
  cub::DoubleBuffer<float> keys(static_cast<float *>(call.keys), static_cast<float *>(call.keys_other));
  const auto items = static_cast<std::int64_t>(call.count), rows = static_cast<std::int64_t>(row_count);
  const auto stream = static_cast<cudaStream_t>(call.stream);
  const cudaError_t error =
      radix ? cub::DeviceSegmentedRadixSort::SortKeys(call.temp, call.temp_bytes, keys, items, rows, begins, begins + 1, 0,
                                                      32, stream)
            : cub::DeviceSegmentedSort::SortKeys(call.temp, call.temp_bytes, keys, items, rows, begins, begins + 1, stream);
  call.selected = keys.selector;
  return error == cudaSuccess;
}

}  // namespace lanesort::bench::cuda
