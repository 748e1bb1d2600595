// What every rung's file needs: launches that are counted, errors that are thrown, and a sort by the width of its keys.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>

#include "bench/ladder/cuda/device_rung.hpp"
#include "bench/patterns.hpp"

namespace lanesort::bench::device {

inline void must(cudaError_t error) {
  if (error != cudaSuccess) throw Error(std::string("CUDA: ") + cudaGetErrorString(error));
}

constexpr u64 divide_up(u64 a, u64 b) { return (a + b - 1) / b; }

// Of one thread each, as many as asked for, in whole blocks.
template <class... P, class... A>
void launch_unchecked(Work& work, void (*kernel)(P...), u64 blocks, u32 threads, A... arguments) {
  if (blocks > 0x7FFFFFFF) throw Error("a grid has 2^31 - 1 blocks at most");
  ++work.launches;
#ifdef LANESORT_CUDA_ON_HOST
  cuda_on_host::run(static_cast<u32>(blocks), threads, [&] { kernel(static_cast<P>(arguments)...); });
#else
  kernel<<<static_cast<u32>(blocks), threads, 0, work.stream>>>(static_cast<P>(arguments)...);
#endif
}

template <class... P, class... A>
void launch(Work& work, void (*kernel)(P...), u64 blocks, u32 threads, A... arguments) {
  launch_unchecked(work, kernel, blocks, threads, arguments...);
  must(cudaGetLastError());
}

__device__ inline u64 thread_index() { return blockIdx.x * u64{blockDim.x} + threadIdx.x; }

// About a part that somebody may want to time.
inline void begin_span(Work& work) {
  if (work.scans == nullptr) return;
  cudaEvent_t events[2];
  for (cudaEvent_t& event : events) must(cudaEventCreate(&event));
  must(cudaEventRecord(events[0], work.stream));
  work.scans->spans.emplace_back(events[0], events[1]);
}
inline void end_span(Work& work) {
  if (work.scans != nullptr) must(cudaEventRecord(work.scans->spans.back().second, work.stream));
}

inline u64 no_scratch(u32, u64) { return 0; }

// Algorithm has sort<K>(Work&), which gives a K*.
template <class Algorithm>
void* sort_by_width(Work& work) {
  return work.key_bytes == 1 ? static_cast<void*>(Algorithm::template sort<u8>(work))
                             : static_cast<void*>(Algorithm::template sort<u32>(work));
}

template <class Algorithm>
DeviceRung device_rung(const Rung& words, u64 most, u64 (*scratch_bytes)(u32, u64) = no_scratch) {
  return {.words = words, .most_u8 = most, .most_u32 = most, .scratch_bytes = scratch_bytes,
          .sort = sort_by_width<Algorithm>};
}

// The same rung with another parameter.
template <class Algorithm>
DeviceRung variant(const DeviceRung& rung, std::string name) {
  DeviceRung other = rung;
  other.variant_of = rung.words.name;
  other.name = rung.words.name + std::string(": ") + std::move(name);
  other.sort = sort_by_width<Algorithm>;
  return other;
}

}  // namespace lanesort::bench::device
