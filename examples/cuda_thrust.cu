// A thrust::device_vector sorted by lanesort, in a file that uses CUB as well: the two share no symbol and no version.
//   nvcc -std=c++20 cuda_thrust.cu -llanesort
#include <cub/cub.cuh>
#include <lanesort/cuda.hpp>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

#include <cstdio>

struct Scatter {
  __host__ __device__ float operator()(unsigned i) const { return static_cast<float>(i * 2654435761u >> 8); }
};

template <class T>
std::span<T> span_of(thrust::device_vector<T>& vector) {
  return {thrust::raw_pointer_cast(vector.data()), vector.size()};
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return std::puts("no CUDA device is here"), 77;
  cudaFree(nullptr);  // makes the device's context current
  auto gpu = lanesort::cuda::Context::create();
  if (!gpu.ok()) return std::puts(lanesort::last_error()), 1;

  const std::size_t n = 1'000'000;
  thrust::device_vector<float> keys(n);
  thrust::device_vector<unsigned> ids(n);
  thrust::sequence(ids.begin(), ids.end());
  thrust::transform(ids.begin(), ids.end(), keys.begin(), Scatter{});
  thrust::device_vector<float> theirs(n);
  std::size_t temporary_bytes = 0;
  cub::DeviceRadixSort::SortKeys(nullptr, temporary_bytes, span_of(keys).data(), span_of(theirs).data(), n);
  thrust::device_vector<std::byte> temporary(temporary_bytes);
  cub::DeviceRadixSort::SortKeys(temporary.data().get(), temporary_bytes, span_of(keys).data(), span_of(theirs).data(), n);

  const auto bytes = gpu.value.sort_pairs_scratch_bytes<float, unsigned>(n);
  thrust::device_vector<std::byte> scratch(bytes.value);
  const auto status = gpu.value.sort_pairs(nullptr, span_of(keys), span_of(ids), {.scratch = span_of(scratch)});
  if (status != lanesort::Status::ok) return std::puts(lanesort::last_error()), 1;
  cudaDeviceSynchronize();
  if (keys != theirs) return std::puts("lanesort and CUB differ"), 1;
  const thrust::host_vector<float> sorted = keys;
  const thrust::host_vector<unsigned> order = ids;
  std::printf("%u:%g ... %u:%g\n", order.front(), sorted.front(), order.back(), sorted.back());
}
