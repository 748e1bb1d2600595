// A CUDA device for tests and benches, through the driver API alone: what a program without the CUDA runtime has.
#pragma once
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "lanesort/cuda.h"

namespace lanesort::test {

using Address = unsigned long long;
struct GraphOf;
struct ExecOf;
struct EventOf;

#define LANESORT_TEST_DRIVER(X)                                          \
  X(cuInit, unsigned)                                                    \
  X(cuDriverGetVersion, int*)                                            \
  X(cuDeviceGet, int*, int)                                              \
  X(cuDeviceGetName, char*, int, int)                                    \
  X(cuDevicePrimaryCtxRetain, CUctx_st**, int)                           \
  X(cuCtxCreate_v2, CUctx_st**, unsigned, int)                           \
  X(cuCtxDestroy_v2, CUctx_st*)                                          \
  X(cuCtxSetCurrent, CUctx_st*)                                          \
  X(cuCtxSynchronize)                                                    \
  X(cuMemAlloc_v2, Address*, std::size_t)                                \
  X(cuMemFree_v2, Address)                                               \
  X(cuMemcpyHtoD_v2, Address, const void*, std::size_t)                  \
  X(cuMemcpyDtoH_v2, void*, Address, std::size_t)                        \
  X(cuMemcpyDtoDAsync_v2, Address, Address, std::size_t, CUstream_st*)   \
  X(cuMemcpyHtoDAsync_v2, Address, const void*, std::size_t, CUstream_st*) \
  X(cuMemcpyDtoHAsync_v2, void*, Address, std::size_t, CUstream_st*)     \
  X(cuMemAllocHost_v2, void**, std::size_t)                              \
  X(cuMemFreeHost, void*)                                                \
  X(cuMemsetD8_v2, Address, unsigned char, std::size_t)                  \
  X(cuStreamCreate, CUstream_st**, unsigned)                             \
  X(cuStreamSynchronize, CUstream_st*)                                   \
  X(cuStreamBeginCapture_v2, CUstream_st*, int)                          \
  X(cuStreamEndCapture, CUstream_st*, GraphOf**)                         \
  X(cuGraphInstantiateWithFlags, ExecOf**, GraphOf*, unsigned long long) \
  X(cuGraphLaunch, ExecOf*, CUstream_st*)                                \
  X(cuGraphExecDestroy, ExecOf*)                                         \
  X(cuGraphDestroy, GraphOf*)                                            \
  X(cuEventCreate, EventOf**, unsigned)                                  \
  X(cuEventRecord, EventOf*, CUstream_st*)                               \
  X(cuEventSynchronize, EventOf*)                                        \
  X(cuEventElapsedTime, float*, EventOf*, EventOf*)

struct Cuda {
#define LANESORT_DECLARE(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  LANESORT_TEST_DRIVER(LANESORT_DECLARE)
#undef LANESORT_DECLARE
  CUctx_st* context = nullptr;
  char device[64] = "";
  int version = 0;
  bool there = false;

  static Cuda& get() {
    static Cuda once = open();
    return once;
  }

 private:
  static Cuda open() {
    Cuda cu;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return cu;
    bool whole = true;
#define LANESORT_FIND(name, ...)                                        \
  cu.name = reinterpret_cast<decltype(cu.name)>(dlsym(library, #name)); \
  whole = whole && cu.name != nullptr;
    LANESORT_TEST_DRIVER(LANESORT_FIND)
#undef LANESORT_FIND
    int device = 0;
    cu.there = whole && cu.cuInit(0) == 0 && cu.cuDeviceGet(&device, 0) == 0 &&
               cu.cuDevicePrimaryCtxRetain(&cu.context, device) == 0 && cu.cuCtxSetCurrent(cu.context) == 0;
    if (cu.there) {
      cu.cuDeviceGetName(cu.device, sizeof cu.device, device);
      cu.cuDriverGetVersion(&cu.version);
    }
    return cu;
  }
};

// A driver call that must succeed.
inline void must(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "%s: driver error %d\n", what, result);
  std::fflush(stderr);
  std::abort();
}
#define LANESORT_MUST(call) ::lanesort::test::must(::lanesort::test::Cuda::get().call, #call)

// Device memory with 256 bytes of canary on both sides.
class DeviceBuffer {
 public:
  static constexpr std::size_t kGuard = 256;
  static constexpr unsigned char kCanary = 0xA5;

  explicit DeviceBuffer(std::size_t bytes, std::size_t offset = 0) : bytes_(bytes), offset_(offset) {
    LANESORT_MUST(cuMemAlloc_v2(&base_, bytes + offset + 2 * kGuard));
    LANESORT_MUST(cuMemsetD8_v2(base_, kCanary, bytes + offset + 2 * kGuard));
    LANESORT_MUST(cuCtxSynchronize());  // streams that do not wait for the default one come next
  }
  explicit DeviceBuffer(const std::vector<unsigned char>& data, std::size_t offset = 0)
      : DeviceBuffer(data.size(), offset) {
    put(data);
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { Cuda::get().cuMemFree_v2(base_); }

  Address address() const { return base_ + kGuard + offset_; }
  void* data() const { return reinterpret_cast<void*>(address()); }
  std::size_t size() const { return bytes_; }

  void put(const std::vector<unsigned char>& data) {
    if (!data.empty()) LANESORT_MUST(cuMemcpyHtoD_v2(address(), data.data(), data.size()));
    LANESORT_MUST(cuCtxSynchronize());  // pageable memory: the copy may still be on its way
  }
  void fill(unsigned char byte) {
    LANESORT_MUST(cuMemsetD8_v2(address(), byte, bytes_));
    LANESORT_MUST(cuCtxSynchronize());
  }
  std::vector<unsigned char> get() const {
    std::vector<unsigned char> out(bytes_);
    if (bytes_ != 0) LANESORT_MUST(cuMemcpyDtoH_v2(out.data(), address(), bytes_));
    return out;
  }
  bool canaries_stand() const {
    std::vector<unsigned char> before(kGuard + offset_), after(kGuard);
    LANESORT_MUST(cuMemcpyDtoH_v2(before.data(), base_, before.size()));
    LANESORT_MUST(cuMemcpyDtoH_v2(after.data(), base_ + kGuard + offset_ + bytes_, after.size()));
    for (unsigned char c : before)
      if (c != kCanary) return false;
    for (unsigned char c : after)
      if (c != kCanary) return false;
    return true;
  }

 private:
  Address base_ = 0;
  std::size_t bytes_, offset_;
};

}  // namespace lanesort::test
