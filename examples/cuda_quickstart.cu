// Sorts keys that are in device memory, on a stream.
//   nvcc -std=c++20 cuda_quickstart.cu -llanesort
#include <cuda_runtime.h>

#include <cstdio>
#include <lanesort/cuda.hpp>

int main() {
  const float depths[] = {3.5f, -0.0f, 2.0f, 0.0f, -1.0f};
  float* keys = nullptr;
  if (cudaMalloc(&keys, sizeof depths) != cudaSuccess) return std::puts("no CUDA device is here"), 77;
  auto gpu = lanesort::cuda::Context::create();  // once: kernels are loaded
  if (!gpu.ok()) return std::puts(lanesort::last_error()), 1;

  const auto bytes = gpu.value.sort_scratch_bytes<float>(5);
  std::byte* scratch = nullptr;
  if (!bytes.ok() || cudaMalloc(&scratch, bytes.value) != cudaSuccess) return std::puts("no scratch"), 1;

  cudaMemcpy(keys, depths, sizeof depths, cudaMemcpyHostToDevice);
  const auto status = gpu.value.sort(nullptr, std::span(keys, 5), {.scratch = {scratch, bytes.value}});  // nullptr: the stream
  if (status != lanesort::Status::ok) return std::puts(lanesort::last_error()), 1;

  float sorted[5];
  cudaMemcpy(sorted, keys, sizeof sorted, cudaMemcpyDeviceToHost);
  for (const float key : sorted) std::printf("%g ", key);  // -1 -0 0 2 3.5
  std::puts("");
  cudaFree(scratch);
  cudaFree(keys);
}
