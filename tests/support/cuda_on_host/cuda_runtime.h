// CUDA on the host, as much of it as the ladder's rungs use, so that their kernels are tested where no GPU is. Workgroups
// run one after the other, in order; threads of a workgroup are fibers, each of which runs until it waits for the others.
// Invariant: a barrier that only some of a workgroup's running threads reach ends the program with a word about it, and
// so does a warp whose lanes do not vote together. What it cannot show: races, and waiting between workgroups.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#define LANESORT_CUDA_ON_HOST
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(threads)

struct CUstream_st;
struct CUevent_st;
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;

namespace cuda_on_host {

struct Index {
  std::uint32_t x = 0;
};

enum class Wait { none, warp, block };

constexpr std::uint32_t kLanes = 32, kMostThreads = 1024;

struct Fiber {
  jmp_buf at;  // swapcontext makes a system call each time; only a fiber's first step is its
  std::unique_ptr<char[]> stack;
  Wait wait = Wait::none;
  bool done = true;
  std::uint32_t votes = 0;  // so far; votes alternate between two words, so that none is changed before all have read it
};

struct Machine {
  std::array<Fiber, kMostThreads> fibers;
  std::array<std::array<std::uint32_t, 2>, kMostThreads / kLanes> votes{};
  jmp_buf scheduler;
  ucontext_t start, back;
  std::function<void()> body;
  std::uint32_t current = 0;
};

inline Machine machine;

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "CUDA on the host: %s\n", what);
  std::abort();
}

}  // namespace cuda_on_host

inline cuda_on_host::Index threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_on_host {

inline void leave() {
  if (_setjmp(machine.fibers[machine.current].at) == 0) _longjmp(machine.scheduler, 1);
}

inline void wait_for(Wait what) {
  machine.fibers[machine.current].wait = what;
  leave();
}

inline void fiber_main() {
  for (;;) {
    machine.body();
    machine.fibers[machine.current].done = true;
    leave();  // it will be another thread of the same number
  }
}

inline void begin(Fiber& fiber) {
  constexpr std::size_t kStack = 1 << 16;
  fiber.stack = std::make_unique<char[]>(kStack);
  getcontext(&machine.start);
  machine.start.uc_stack.ss_sp = fiber.stack.get();
  machine.start.uc_stack.ss_size = kStack;
  machine.start.uc_link = nullptr;
  makecontext(&machine.start, fiber_main, 0);
  swapcontext(&machine.back, &machine.start);
}

inline void resume(std::uint32_t thread) {
  Fiber& fiber = machine.fibers[thread];
  machine.current = threadIdx.x = thread;
  fiber.wait = Wait::none;
  if (_setjmp(machine.scheduler) != 0) return;  // the fiber waits or has ended
  if (fiber.stack == nullptr)
    begin(fiber);
  else
    _longjmp(fiber.at, 1);
}

// Until all lanes wait for the workgroup or have ended.
inline void run_warp(std::uint32_t first, std::uint32_t end) {
  for (bool voting = true; voting;) {
    std::uint32_t voters = 0, others = 0;
    for (std::uint32_t thread = first; thread < end; ++thread) {
      if (machine.fibers[thread].done) continue;
      resume(thread);
      if (machine.fibers[thread].done) continue;
      ++(machine.fibers[thread].wait == Wait::warp ? voters : others);
    }
    if (voters != 0 && others != 0) fail("some lanes of a warp vote while others are at a barrier");
    voting = voters != 0;
  }
}

inline void run_block(std::uint32_t threads) {
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    machine.fibers[thread].done = false;
    machine.fibers[thread].votes = 0;
  }
  for (bool working = true; working;) {
    for (std::uint32_t first = 0; first < threads; first += kLanes)
      run_warp(first, first + kLanes < threads ? first + kLanes : threads);
    working = false;
    for (std::uint32_t thread = 0; thread < threads; ++thread) working |= !machine.fibers[thread].done;
  }
}

inline void run(std::uint32_t blocks, std::uint32_t threads, std::function<void()> body) {
  if (threads == 0 || threads > kMostThreads || blocks == 0) fail("a launch of no threads, or of more than a block has");
  machine.body = std::move(body);
  gridDim.x = blocks;
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) run_block(threads);
}

}  // namespace cuda_on_host

inline void __syncthreads() { cuda_on_host::wait_for(cuda_on_host::Wait::block); }
inline void __syncwarp() { cuda_on_host::wait_for(cuda_on_host::Wait::warp); }
inline std::uint32_t __ballot_sync(std::uint32_t, bool vote) {
  using namespace cuda_on_host;
  const std::uint32_t thread = machine.current, bit = 1u << thread % kLanes;
  std::uint32_t& word = machine.votes[thread / kLanes][machine.fibers[thread].votes++ % 2];
  word = vote ? word | bit : word & ~bit;
  wait_for(Wait::warp);
  return word;
}
inline std::uint32_t __popc(std::uint32_t word) { return static_cast<std::uint32_t>(__builtin_popcount(word)); }
template <class T>
T atomicAdd(T* to, T more) {
  const T before = *to;
  *to = before + more;
  return before;
}
template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}

enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice, cudaMemcpyDeviceToHost, cudaMemcpyHostToDevice };
inline constexpr unsigned cudaStreamNonBlocking = 1;
struct cudaDeviceProp {
  char name[32] = "CUDA on the host";
};

// Work is done when it is asked for, so that a stream is nothing and an event is the time at which it is recorded.
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
};
inline const char* cudaGetErrorString(cudaError_t) { return "none"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return *stream = nullptr, cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return *event = new CUevent_st, cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  return event->at = std::chrono::steady_clock::now(), cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return *milliseconds = std::chrono::duration<float, std::milli>(end->at - begin->at).count(), cudaSuccess;
}
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) { return *memory = std::malloc(bytes), cudaSuccess; }
inline cudaError_t cudaFree(void* memory) { return std::free(memory), cudaSuccess; }
inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }
inline cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) { return *free = *all = 1ul << 30, cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) { return *properties = {}, cudaSuccess; }
inline cudaError_t cudaDriverGetVersion(int* version) { return *version = 0, cudaSuccess; }
inline cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t) {
  return std::memset(to, byte, bytes), cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
