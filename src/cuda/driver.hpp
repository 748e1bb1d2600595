// The CUDA driver, opened at run time. The declarations are our own, of the few functions that are used, so that the
// room compiles without the CUDA toolkit and the library runs on machines without a driver.
// Facts: CUDA Driver API reference; names with a suffix are the ones that current headers map to.
#pragma once
#include <cstddef>
#include <cstdint>

#include "lanesort/lanesort.h"

struct CUctx_st;
struct CUstream_st;

namespace lanesort {
inline namespace v1 {
namespace cuda {

using Result = int;  // CUresult
using DeviceId = int;
using Address = unsigned long long;  // CUdeviceptr
using Context = CUctx_st*;
using Stream = CUstream_st*;
using Module = struct ModuleOfDriver*;
using Function = struct FunctionOfDriver*;
using Event = struct EventOfDriver*;

constexpr Result kSuccess = 0, kOutOfMemory = 2, kNoBinaryForDevice = 209;

enum DeviceAttribute : int {
  kMultiprocessors = 16,
  kMajor = 75,
  kMinor = 76,
  kCooperativeLaunch = 95,
  kSharedBytesOfBlock = 97
};
enum FunctionAttribute : int { kMaxDynamicSharedBytes = 8 };

struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  Stream stream;
  void* attributes;  // CUlaunchAttribute; none are used
  unsigned attribute_count;
};

// Name in libcuda, then what it takes.
#define LANESORT_DRIVER_FUNCTIONS(X)                                                                                   \
  X(cuInit, unsigned)                                                                                                  \
  X(cuDriverGetVersion, int*)                                                                                          \
  X(cuGetErrorName, Result, const char**)                                                                              \
  X(cuGetErrorString, Result, const char**)                                                                            \
  X(cuDeviceGetCount, int*)                                                                                            \
  X(cuDeviceGet, DeviceId*, int)                                                                                       \
  X(cuDeviceGetName, char*, int, DeviceId)                                                                             \
  X(cuDeviceGetAttribute, int*, int, DeviceId)                                                                         \
  X(cuDevicePrimaryCtxRetain, Context*, DeviceId)                                                                      \
  X(cuDevicePrimaryCtxRelease_v2, DeviceId)                                                                            \
  X(cuCtxGetCurrent, Context*)                                                                                         \
  X(cuCtxGetDevice, DeviceId*)                                                                                         \
  X(cuCtxPushCurrent_v2, Context)                                                                                      \
  X(cuCtxPopCurrent_v2, Context*)                                                                                      \
  X(cuModuleLoadData, Module*, const void*)                                                                            \
  X(cuModuleUnload, Module)                                                                                            \
  X(cuModuleGetFunction, Function*, Module, const char*)                                                               \
  X(cuFuncSetAttribute, Function, int, int)                                                                            \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, Function, int, std::size_t)                                     \
  X(cuMemGetInfo_v2, std::size_t*, std::size_t*)                                                                       \
  X(cuMemAlloc_v2, Address*, std::size_t)                                                                              \
  X(cuMemFree_v2, Address)                                                                                             \
  X(cuMemAllocHost_v2, void**, std::size_t)                                                                            \
  X(cuMemFreeHost, void*)                                                                                              \
  X(cuPointerGetAttribute, void*, int, Address)                                                                        \
  X(cuMemcpyHtoDAsync_v2, Address, const void*, std::size_t, Stream)                                                   \
  X(cuMemcpyDtoHAsync_v2, void*, Address, std::size_t, Stream)                                                         \
  X(cuStreamCreate, Stream*, unsigned)                                                                                 \
  X(cuStreamDestroy_v2, Stream)                                                                                        \
  X(cuStreamWaitEvent, Stream, Event, unsigned)                                                                        \
  X(cuStreamSynchronize, Stream)                                                                                       \
  X(cuEventCreate, Event*, unsigned)                                                                                   \
  X(cuEventRecord, Event, Stream)                                                                                      \
  X(cuEventSynchronize, Event)                                                                                         \
  X(cuEventElapsedTime, float*, Event, Event)                                                                          \
  X(cuEventDestroy_v2, Event)                                                                                          \
  X(cuMemsetD32Async, Address, unsigned, std::size_t, Stream)                                                          \
  X(cuLaunchKernelEx, const LaunchConfig*, Function, void**, void**)                                                   \
  X(cuLaunchCooperativeKernel, Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, \
    void**)

struct Driver {
#define LANESORT_DECLARE(name, ...) Result (*name)(__VA_ARGS__) = nullptr;
  LANESORT_DRIVER_FUNCTIONS(LANESORT_DECLARE)
#undef LANESORT_DECLARE
  int version = 0;  // 13010 is 13.1
};

// The process's driver, opened once. LANESORT_CUDA_DRIVER in the environment names another file than libcuda.so.1.
// nullptr: not there or too old, and lanesort_last_error() of this thread says so.
const Driver* driver() noexcept;

// LANESORT_OK, or LANESORT_DEVICE_ERROR with the driver's words for it. `what` was being done.
lanesort_status check(Result result, const char* what) noexcept;

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
