// What a sort on a CUDA device launches and where everything stands in scratch: pure arithmetic, made before anything
// runs. Limits are inputs, so tests reach the code for many portions with little data.
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace plan {

struct CudaRequest {
  std::uint32_t key_bytes = 4, value_bytes = 0;
  bool argsort = false;  // the keys go nowhere
  std::uint64_t count = 0;  // the bound, where the count stands on the device
};

struct CudaLimits {
  std::uint64_t portion = std::uint64_t{1} << 28;  // 32-bit arithmetic inside, 29 bits of count in a word of look-back
  std::uint32_t small = UINT32_MAX;                // most items that go to the one-block kernels
};

enum class CudaKernel : std::uint32_t { passes, small0, small1, count };

struct CudaScratch {
  std::uint64_t lookback, keys[2], values;  // offsets in bytes, from an address that is a multiple of 256
  std::uint64_t bytes;                      // what the caller is asked for: alignment included
};

struct CudaPlan {
  CudaKernel kernel;
  std::uint32_t threads, shared_bytes;
  std::uint32_t most_blocks;  // more would have nothing to do
  std::uint64_t portion;      // items, a multiple of the tile
  std::uint64_t clear_bytes;  // of scratch's start, to be zeroed first
  CudaScratch scratch;
};

CudaPlan plan_cuda_sort(const CudaRequest& request, const CudaLimits& limits) noexcept;

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
