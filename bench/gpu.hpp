// A GPU that sorts host memory: one of the library's handles, whichever back end it is of. The handle outlives this.
#pragma once
#include <lanesort/cuda.h>
#include <lanesort/webgpu.h>

#include <cstdint>

namespace lanesort::bench {

struct Gpu {
  lanesort_webgpu* webgpu = nullptr;  // one of the two
  lanesort_cuda* cuda = nullptr;
  std::uint32_t index = 0;  // of the device, as its handle was opened

  // Not lanesort_backend_name(): that counts the back ends of a build, which may lack some.
  const char* name() const { return with_cpu ? "cuda+cpu" : cuda != nullptr ? "cuda" : "webgpu"; }
  lanesort_status query(lanesort_capabilities* capabilities) const {
    return cuda != nullptr ? lanesort_cuda_query(cuda, capabilities)
                           : lanesort_webgpu_capabilities(webgpu, capabilities);
  }
  std::uint64_t memory_bytes = 0;  // of the device that may be used; 0: as much as is free. Cuda only
  bool with_cpu = false;           // which does a part. Cuda only
  // seconds: NULL, or by the device's clock; 0 where the CPU does a part.
  // host_share: NULL, or what part the CPU did.
  lanesort_status run(lanesort_operation operation, const lanesort_sort_desc& desc, double* seconds,
                      double* host_share = nullptr) const {
    if (with_cpu) {
      if (seconds != nullptr) *seconds = 0;
      return lanesort_cuda_run_with_cpu(cuda, operation, &desc, memory_bytes, host_share);
    }
    return cuda != nullptr ? lanesort_cuda_run(cuda, operation, &desc, memory_bytes, seconds)
                           : lanesort_webgpu_run(webgpu, operation, &desc, seconds);
  }
};

}  // namespace lanesort::bench
