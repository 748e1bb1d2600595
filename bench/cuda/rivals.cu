// One key type a compilation: LANESORT_RIVAL_KEY is its name in KeyType.
#include <cub/device/device_radix_sort.cuh>

#include "cuda/rivals.hpp"

namespace lanesort::bench::cuda {
namespace {

struct None {};

__global__ void count_up(std::uint32_t *to, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    to[i] = static_cast<std::uint32_t>(i);
}

template <class K, class V>
void sort(RivalCall &call) {
  const auto stream = static_cast<cudaStream_t>(call.stream);
  if (call.temp != nullptr && call.fill_indices)
    count_up<<<1024, 256, 0, stream>>>(static_cast<std::uint32_t *>(call.values), call.count);
  K *const keys = static_cast<K *>(call.keys), *const other = static_cast<K *>(call.keys_other);
  V *const values = static_cast<V *>(call.values), *const values_other = static_cast<V *>(call.values_other);
  if constexpr (sizeof(V) == 1) {
    if (call.double_buffer) {
      cub::DoubleBuffer<K> buffers(keys, other);
      cub::DeviceRadixSort::SortKeys(call.temp, call.temp_bytes, buffers, call.count, 0,
                                     static_cast<int>(sizeof(K) * 8), stream);
      call.selected = buffers.selector;
    } else {
      cub::DeviceRadixSort::SortKeys(call.temp, call.temp_bytes, keys, other, call.count, 0,
                                     static_cast<int>(sizeof(K) * 8), stream);
      call.selected = 1;
    }
  } else {
    if (call.double_buffer) {
      cub::DoubleBuffer<K> buffers(keys, other);
      cub::DoubleBuffer<V> moved(values, values_other);
      cub::DeviceRadixSort::SortPairs(call.temp, call.temp_bytes, buffers, moved, call.count, 0,
                                      static_cast<int>(sizeof(K) * 8), stream);
      call.selected = buffers.selector;
    } else {
      cub::DeviceRadixSort::SortPairs(call.temp, call.temp_bytes, keys, other, values, values_other, call.count, 0,
                                      static_cast<int>(sizeof(K) * 8), stream);
      call.selected = 1;
    }
  }
}

}  // namespace

#define LANESORT_JOIN_(a, b) a##b
#define LANESORT_JOIN(a, b) LANESORT_JOIN_(a, b)
bool LANESORT_JOIN(sort_by_cub_, LANESORT_RIVAL_KEY)(RivalCall &call) {
  using K = LANESORT_RIVAL_TYPE;
  if (call.value_bytes == 0) {
    sort<K, None>(call);
    return true;
  }
#if LANESORT_RIVAL_VALUES >= 4
  if (call.value_bytes == 4) {
    sort<K, std::uint32_t>(call);
    return true;
  }
#endif
#if LANESORT_RIVAL_VALUES >= 8
  if (call.value_bytes == 8) {
    sort<K, std::uint64_t>(call);
    return true;
  }
#endif
  return false;
}

}  // namespace lanesort::bench::cuda
