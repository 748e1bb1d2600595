// Segments of u32, with values or without, sorted by CUB.
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "cuda/rivals.hpp"

namespace lanesort::bench::cuda {
namespace {

using Word = std::uint32_t;

}  // namespace

bool sort_segments_by_cub(RivalCall &call, std::size_t segment_count, const std::uint64_t *begins, bool radix) {
  cub::DoubleBuffer<Word> keys(static_cast<Word *>(call.keys), static_cast<Word *>(call.keys_other)),
      values(static_cast<Word *>(call.values), static_cast<Word *>(call.values_other));
  const auto items = static_cast<std::int64_t>(call.count), segments = static_cast<std::int64_t>(segment_count);
  const auto stream = static_cast<cudaStream_t>(call.stream);
  const std::uint64_t *const ends = begins + 1;
  cudaError_t error = cudaSuccess;
  if (call.value_bytes == 0) {
    error = radix ? cub::DeviceSegmentedRadixSort::SortKeys(call.temp, call.temp_bytes, keys, items, segments, begins,
                                                            ends, 0, 32, stream)
                  : cub::DeviceSegmentedSort::SortKeys(call.temp, call.temp_bytes, keys, items, segments, begins, ends,
                                                       stream);
  } else {
    error = radix ? cub::DeviceSegmentedRadixSort::SortPairs(call.temp, call.temp_bytes, keys, values, items, segments,
                                                             begins, ends, 0, 32, stream)
                  : cub::DeviceSegmentedSort::SortPairs(call.temp, call.temp_bytes, keys, values, items, segments,
                                                        begins, ends, stream);
  }
  call.selected = keys.selector;
  return error == cudaSuccess;
}

}  // namespace lanesort::bench::cuda
