#include "plan/cuda_plan.hpp"

#include "kernels/cuda/params.hpp"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {
namespace {

constexpr std::uint64_t kAlignment = 256;

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Hands out stretches one after the other. Counts are checked by the api room, so nothing overflows.
class Layout {
 public:
  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t at = end_;
    end_ += aligned(bytes);
    return at;
  }
  std::uint64_t bytes() const { return end_ + kAlignment - 1; }

 private:
  std::uint64_t end_ = 0;
};

}  // namespace

CudaPlan plan_cuda_sort(const CudaRequest& request, const CudaLimits& limits) noexcept {
  CudaPlan plan{};
  for (std::uint32_t i = 0; i < tune::kSmallShapes; ++i) {
    const tune::Shape shape = tune::small_shape(request.key_bytes, request.value_bytes, i);
    if (request.count <= shape.tile() && request.count <= limits.small) {
      plan.kernel = i == 0 ? CudaKernel::small0 : CudaKernel::small1;
      plan.threads = shape.threads;
      plan.shared_bytes = shape.shared_bytes();
      plan.most_blocks = 1;
      plan.portion = shape.tile();
      plan.scratch.bytes = 1;
      return plan;
    }
  }
  const tune::Shape shape = tune::pass_shape(request.key_bytes, request.value_bytes);
  const std::uint64_t tile = shape.tile();
  const std::uint64_t limit = limits.portion < tile ? tile : limits.portion / tile * tile;
  const std::uint64_t portion = request.count < limit ? request.count : limit;
  const std::uint64_t tiles = (portion + tile - 1) / tile;
  plan.kernel = CudaKernel::passes;
  plan.threads = shape.threads;
  plan.shared_bytes = shape.shared_bytes();
  plan.most_blocks = static_cast<std::uint32_t>(tiles);
  plan.portion = limit;
  plan.clear_bytes = sizeof(kernels::Control);
  Layout layout;
  layout.take(sizeof(kernels::Control));
  plan.scratch.lookback = layout.take(tiles * 256 * sizeof(std::uint32_t));
  plan.scratch.keys[0] = layout.take(request.count * request.key_bytes);
  plan.scratch.keys[1] = layout.take(request.argsort ? request.count * request.key_bytes : 0);
  plan.scratch.values = layout.take(request.count * request.value_bytes);
  plan.scratch.bytes = layout.bytes();
  return plan;
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
