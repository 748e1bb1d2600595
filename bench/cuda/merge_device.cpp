// The items by name, and what the device is.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>

#include "cuda/merge.hpp"

namespace lanesort::bench::cuda {

#define LANESORT_MERGE_ITEMS(X) X("u32", u32) X("u64", u64) X("u32+u32", u32_u32) X("struct32", struct32)
#define LANESORT_DECLARE(name, of_item)                               \
  std::vector<MergeTimes> measure_##of_item(const MergeWork& work); \
  std::vector<std::string> shapes_##of_item(std::uint64_t count);
LANESORT_MERGE_ITEMS(LANESORT_DECLARE)
#undef LANESORT_DECLARE

std::vector<MergeTimes> measure_merges(const MergeWork& work) {
#define LANESORT_CHOOSE(name, of_item) \
  if (work.item == name) return measure_##of_item(work);
  LANESORT_MERGE_ITEMS(LANESORT_CHOOSE)
#undef LANESORT_CHOOSE
  throw std::runtime_error("no item " + work.item + "; there are u32, u64, u32+u32 and struct32");
}

std::vector<std::string> merge_shapes(const std::string& of, std::uint64_t count) {
#define LANESORT_CHOOSE(name, of_item) \
  if (of == name) return shapes_##of_item(count);
  LANESORT_MERGE_ITEMS(LANESORT_CHOOSE)
#undef LANESORT_CHOOSE
  return {};
}

namespace {
void must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}
}  // namespace

double device_copy_bytes_per_s() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  void *from = nullptr, *to = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  must(cudaMalloc(&from, kBytes));
  must(cudaMalloc(&to, kBytes));
  must(cudaEventCreate(&begin));
  must(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 11; ++i) {
    must(cudaEventRecord(begin, nullptr));
    must(cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice, nullptr));
    must(cudaEventRecord(end, nullptr));
    must(cudaEventSynchronize(end));
    float ms = 0;
    must(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaFree(from);
  cudaFree(to);
  std::sort(times.begin(), times.end());
  return 2.0 * static_cast<double>(kBytes) / (static_cast<double>(times[5]) * 1e-3);
}

std::string device_name() {
  cudaDeviceProp properties{};
  must(cudaGetDeviceProperties(&properties, 0));
  return properties.name;
}

std::string device_driver() {
  int version = 0;
  must(cudaDriverGetVersion(&version));
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const char* cub_version() { return LANESORT_CUB_VERSION; }

}  // namespace lanesort::bench::cuda
