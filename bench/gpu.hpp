// A GPU that sorts host memory: one of the library's handles, whichever back end it is of. The handle outlives this.
#pragma once
#include <lanesort/cuda.h>
#include <lanesort/webgpu.h>

#include <cstdint>

namespace lanesort::bench {

struct Gpu {
  lanesort_webgpu* webgpu = nullptr;  // one of the two
  lanesort_cuda* cuda = nullptr;

  // Not lanesort_backend_name(): that counts the back ends of a build, which may lack some.
  const char* name() const { return cuda != nullptr ? "cuda" : "webgpu"; }
  lanesort_status query(lanesort_capabilities* capabilities) const {
    return cuda != nullptr ? lanesort_cuda_query(cuda, capabilities)
                           : lanesort_webgpu_capabilities(webgpu, capabilities);
  }
  std::uint64_t memory_bytes = 0;  // of the device that may be used; 0: as much as is free. Cuda only
  // seconds: NULL, or by the device's clock.
  lanesort_status run(lanesort_operation operation, const lanesort_sort_desc& desc, double* seconds) const {
    return cuda != nullptr ? lanesort_cuda_run(cuda, operation, &desc, memory_bytes, seconds)
                           : lanesort_webgpu_run(webgpu, operation, &desc, seconds);
  }
};

}  // namespace lanesort::bench
