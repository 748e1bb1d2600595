// A handle: every kernel of one context, loaded once and immutable from then on, and pinned memory that calls lend one another.
#pragma once
#include <cstdint>

#include "cuda/driver.hpp"
#include "cuda/images.hpp"
#include "cuda/pinned.hpp"
#include "plan/cuda_plan.hpp"

struct lanesort_cuda {
  // One kernel as it is launched. resident: blocks that fit the device at once.
  struct Kernel {
    lanesort::cuda::Function function = nullptr;
    std::uint32_t resident = 0;
  };

  static constexpr std::uint32_t kValueWidths = 6;  // 0, 1, 2, 4, 8, 16 bytes
  static constexpr std::uint32_t kSortKernels = static_cast<std::uint32_t>(lanesort::plan::CudaKernel::count);

  lanesort::cuda::Context context = nullptr;
  lanesort::cuda::Module modules[lanesort::cuda::kImages] = {};
  Kernel sorts[lanesort::cuda::kWidths][kValueWidths][kSortKernels];
  Kernel begin[lanesort::cuda::kWidths];  // before the passes, and after them
  lanesort::cuda::Function end = nullptr;
  lanesort::cuda::Function bytes_by_block = nullptr, bytes_by_cluster = nullptr;  // the latter null where there are no clusters
  // For keys of 4 and 8 bytes, values of none, 4 and 8; null where the device has too little shared memory.
  struct BucketKernels {
    lanesort::cuda::Function splits[2] = {}, finish[2] = {}, hard = nullptr;
  };
  lanesort::cuda::Function prepare[lanesort::cuda::kWidths] = {},
                           prepare_by_cluster[lanesort::cuda::kWidths] =
                               {};  // the latter null where there are no clusters
  BucketKernels buckets[lanesort::cuda::kWidths][kValueWidths];
  lanesort::cuda::Function check_sorted[lanesort::cuda::kWidths] = {};
  lanesort::cuda::Function verify_records[lanesort::cuda::kWidths] = {};
  lanesort::cuda::Function verify_argsort[lanesort::cuda::kWidths] = {};
  lanesort::cuda::Function settle_answer = nullptr;
  struct TopKernels {
    Kernel find, keep, rows;
  };
  TopKernels top[lanesort::cuda::kWidths];
  lanesort::cuda::Function deliver_top = nullptr;
  struct SegmentKernels {
    lanesort::cuda::Function sort_short[2] = {}, count = nullptr;  // [values go with the keys]
    lanesort::cuda::Function block[2][2] = {};  // which shape, with places or without
    lanesort::cuda::Function pass[kValueWidths] = {};
  };
  SegmentKernels segments[lanesort::cuda::kWidths];
  lanesort::cuda::Function begin_segments = nullptr, end_segments = nullptr;
  std::uint32_t multiprocessors = 0, shared_bytes = 0;  // the latter: that a block may have
  bool clusters = false;                                // blocks may read each other's shared memory
  int driver_version = 0;
  lanesort::cuda::DeviceId retained = -1;  // whose primary context is ours to release
  char device[64] = "";
  mutable lanesort::cuda::PinnedPool pinned;
  lanesort::plan::CudaLimits limits;  // tests shrink them before the first call
};

namespace lanesort {
inline namespace v1 {
namespace cuda {

// Makes a context current for as long as it lives.
class Current {
 public:
  explicit Current(Context context) noexcept;
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  lanesort_status status() const noexcept { return status_; }

 private:
  lanesort_status status_;
};

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
