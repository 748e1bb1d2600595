// One key type a compilation: LANESORT_RIVAL_KEY is its name in KeyType.
#include <cub/device/device_radix_sort.cuh>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

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
    if (call.form == RivalForm::double_buffer) {
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
    if (call.form == RivalForm::double_buffer) {
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

// Hands out the caller's memory piece by piece.
struct Arena {
  using value_type = char;
  char *at;
  char *allocate(std::ptrdiff_t bytes) {
    char *const piece = at;
    at += (bytes + 255) / 256 * 256;
    return piece;
  }
  void deallocate(char *, std::size_t) {}
};

template <class K, class V>
void sort_by_thrust(RivalCall &call) {
  constexpr bool kKeysOnly = sizeof(V) == 1;
  if (call.temp == nullptr) {  // the other buffers and what CUB below it takes
    call.form = RivalForm::double_buffer;
    sort<K, V>(call);
    call.form = RivalForm::thrust;
    call.temp_bytes += call.count * (sizeof(K) + (kKeysOnly ? 0 : sizeof(V))) + 8192;
    return;
  }
  const auto stream = static_cast<cudaStream_t>(call.stream);
  if (call.fill_indices)
    count_up<<<1024, 256, 0, stream>>>(static_cast<std::uint32_t *>(call.values), call.count);
  Arena arena{static_cast<char *>(call.temp)};
  const auto policy = thrust::cuda::par_nosync(arena).on(stream);
  const thrust::device_ptr<K> keys(static_cast<K *>(call.keys));
  if constexpr (kKeysOnly)
    thrust::sort(policy, keys, keys + call.count);
  else
    thrust::stable_sort_by_key(policy, keys, keys + call.count,
                               thrust::device_ptr<V>(static_cast<V *>(call.values)));
  call.selected = 0;
}

template <class K, class V>
void sort_in_form(RivalCall &call) {
  if (call.form == RivalForm::thrust)
    sort_by_thrust<K, V>(call);
  else
    sort<K, V>(call);
}

}  // namespace

#define LANESORT_JOIN_(a, b) a##b
#define LANESORT_JOIN(a, b) LANESORT_JOIN_(a, b)
bool LANESORT_JOIN(sort_by_rival_, LANESORT_RIVAL_KEY)(RivalCall &call) {
  using K = LANESORT_RIVAL_TYPE;
  if (call.value_bytes == 0) {
    sort_in_form<K, None>(call);
    return true;
  }
#if LANESORT_RIVAL_VALUES >= 4
  if (call.value_bytes == 4) {
    sort_in_form<K, std::uint32_t>(call);
    return true;
  }
#endif
#if LANESORT_RIVAL_VALUES >= 8
  if (call.value_bytes == 8) {
    sort_in_form<K, std::uint64_t>(call);
    return true;
  }
#endif
  return false;
}

}  // namespace lanesort::bench::cuda
