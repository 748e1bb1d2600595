// The one symbol of the shared object.
#include "cuda/table.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <exception>

namespace lanesort::bench::cuda {
namespace {

char words[200] = "";
cudaStream_t stream = nullptr;
cudaEvent_t begin = nullptr, end = nullptr;

bool good(cudaError_t error) {
  if (error != cudaSuccess) std::snprintf(words, sizeof words, "%s", cudaGetErrorString(error));
  return error == cudaSuccess;
}

bool choose_device(int index) {
  return good(cudaSetDevice(index)) && good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) &&
         good(cudaEventCreate(&begin)) && good(cudaEventCreate(&end));
}

int driver_version() {
  int version = 0;
  return good(cudaDriverGetVersion(&version)) ? version : 0;
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  return good(cudaMalloc(&memory, bytes)) ? memory : nullptr;
}

// To pageable memory it returns when the bytes are there, from it when they are read.
bool copy(void* to, const void* from, std::size_t bytes) {
  return bytes == 0 || good(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

bool start_clock() { return good(cudaStreamSynchronize(stream)) && good(cudaEventRecord(begin, stream)); }

bool stop_clock(double* seconds) {
  float milliseconds = 0;
  const bool stopped = good(cudaGetLastError()) && good(cudaEventRecord(end, stream)) &&
                       good(cudaEventSynchronize(end)) && good(cudaEventElapsedTime(&milliseconds, begin, end));
  *seconds = static_cast<double>(milliseconds) * 1e-3;
  return stopped;
}

// thrust throws, and the program may have another standard library.
template <class Call>
bool caught(Call&& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    std::snprintf(words, sizeof words, "%s", error.what());
    return false;
  }
}

bool sort(RivalCall& call) {
  return caught([&] { return sort_by_rival(call); });
}

bool sort_segments(RivalCall& call, std::size_t segment_count, const std::uint64_t* begins, bool radix) {
  return caught([&] { return sort_segments_by_cub(call, segment_count, begins, radix); });
}

}  // namespace
}  // namespace lanesort::bench::cuda

extern "C" __attribute__((visibility("default"))) const lanesort::bench::cuda::Table* lanesort_bench_cuda_rivals() {
  using namespace lanesort::bench::cuda;
  static const Table table = {sizeof(Table),
                              sizeof(RivalCall),
                              cub_version(),
                              []() -> const char* { return words; },
                              choose_device,
                              driver_version,
                              []() -> void* { return stream; },
                              allocate,
                              [](void* memory) { cudaFree(memory); },
                              copy,
                              start_clock,
                              stop_clock,
                              sort,
                              sort_segments};
  return &table;
}
