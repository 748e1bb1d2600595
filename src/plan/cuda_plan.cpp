#include "plan/cuda_plan.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/params.hpp"
#include "plan/layout.hpp"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {
namespace {

CudaBuckets plan_buckets(const CudaRequest& request, const CudaLimits& limits) {
  CudaBuckets plan{};
  const std::uint64_t from = limits.buckets_from == UINT64_MAX
                                 ? tune::buckets_from(request.key_bytes, request.value_bytes)
                                 : limits.buckets_from;
  plan.only_counts = tune::sorts_by_counts(request.key_bytes, request.value_bytes);
  plan.tried = (plan.only_counts || tune::sorts_by_buckets(request.key_bytes, request.value_bytes)) &&
               request.count >= from && request.count <= tune::kBucketsUpTo;
  if (!plan.tried) return plan;
  plan.bits = plan.only_counts ? 16 : tune::bucket_bits(request.count, request.key_bytes, request.value_bytes);
  plan.second_bits = plan.bits > 8 ? plan.bits / 2 : 0;
  plan.prepare_blocks = static_cast<std::uint32_t>((request.count + 4095) / 4096);
  // Cells are counted there, and few values.
  plan.prepare_shared_bytes = std::max(4u << (plan.bits - 1), kernels::Buckets::kFewSlots * 40u);
  plan.tile = 1;
  if (plan.only_counts) return plan;
  plan.split = request.count >= tune::large_tiles_from(request.value_bytes) ? 1 : 0;
  plan.tile = tune::split_shape(request.key_bytes, request.value_bytes, plan.split).tile();
  plan.finish = tune::finish_of(request.key_bytes, request.value_bytes, plan.bits);
  plan.room = tune::finish_shape(request.key_bytes, request.value_bytes, plan.finish).room();
  plan.most_room = tune::hard_shape(request.key_bytes, request.value_bytes).room();
  plan.by_cluster = plan.bits == 8 && request.count <= tune::kClusterUpTo;
  const std::uint32_t tiles = static_cast<std::uint32_t>((request.count + plan.tile - 1) / plan.tile);
  plan.split_blocks[0] = tiles;
  plan.split_blocks[1] = tiles + (1u << (plan.bits - plan.second_bits));  // a tile more at the end of each segment
  plan.finish_blocks = 1u << plan.bits;
  if (request.value_bytes != 0)
    plan.lookback_words =
        plan.second_bits == 0 ? std::uint64_t{tiles} * 256 : std::uint64_t{plan.split_blocks[1]} * 256 * 2;
  return plan;
}

// No less than a smaller count takes, whose tiles may be smaller too.
std::uint64_t lookback_words(const CudaRequest& request, std::uint64_t tiles, const CudaBuckets& buckets) {
  std::uint64_t words = tiles * 256;
  if (buckets.lookback_words > words) words = buckets.lookback_words;
  if (tune::has_small_tiles(request.key_bytes, request.value_bytes)) {
    const std::uint64_t most = tune::small_tiles_up_to(request.key_bytes),
                        count = request.count < most ? request.count : most;
    const std::uint64_t tile = tune::pass_shape(request.key_bytes, request.value_bytes, 1).tile(),
                        small_words = (count + tile - 1) / tile * 256;
    if (small_words > words) words = small_words;
  }
  return words;
}

}  // namespace

CudaPlan plan_cuda_sort(const CudaRequest& request, const CudaLimits& limits) noexcept {
  CudaPlan plan{};
  for (std::uint32_t i = 0; i < tune::kSmallShapes; ++i) {
    const tune::Shape shape = tune::small_shape(request.key_bytes, request.value_bytes, i);
    if (i == 0 && !tune::has_small_shapes(request.value_bytes)) continue;
    if (request.count <= shape.tile() && request.count <= limits.small) {
      plan.kernel = i == 0 ? CudaKernel::small0 : CudaKernel::small1;
      plan.threads = shape.threads;
      plan.shared_bytes = tune::small_shared_bytes(shape);
      plan.most_blocks = 1;
      plan.portion = shape.tile();
      plan.scratch.bytes = 1;
      return plan;
    }
  }
  const bool small_tiles = tune::has_small_tiles(request.key_bytes, request.value_bytes) &&
                           request.count <= tune::small_tiles_up_to(request.key_bytes) &&
                           request.count <= limits.portion;
  const tune::Shape shape = tune::pass_shape(request.key_bytes, request.value_bytes, small_tiles ? 1 : 0);
  const std::uint64_t tile = shape.tile();
  const std::uint64_t limit = (limits.portion + tile - 1) / tile * tile;
  const std::uint64_t portion = request.count < limit ? request.count : limit;
  const std::uint64_t tiles = (portion + tile - 1) / tile;
  plan.kernel = small_tiles ? CudaKernel::whole : CudaKernel::passes;
  plan.threads = shape.threads;
  plan.shared_bytes = shape.shared_bytes();
  plan.most_blocks = static_cast<std::uint32_t>(tiles);
  plan.portion = limit;
  plan.lookback_words = tiles * 256;
  plan.begin_blocks = static_cast<std::uint32_t>((request.count + tune::kBeginThreads - 1) / tune::kBeginThreads < 65536
                                                     ? (request.count + tune::kBeginThreads - 1) / tune::kBeginThreads
                                                     : 65536);
  plan.begin_shared_bytes = tune::digit_columns(request.key_bytes, tune::kBeginSharedBytes) * request.key_bytes * 1024;
  plan.buckets = plan_buckets(request, limits);
  Layout layout;
  layout.take(sizeof(kernels::Control));
  // Whether or not they are tried, so that more items never need less scratch.
  plan.scratch.buckets = layout.take(tune::sorts_by_buckets(request.key_bytes, request.value_bytes) ||
                                             tune::sorts_by_counts(request.key_bytes, request.value_bytes)
                                         ? sizeof(kernels::Buckets)
                                         : 0);
  plan.clear_bytes =
      plan.buckets.tried ? plan.scratch.buckets + offsetof(kernels::Buckets, hard) : sizeof(kernels::Control);
  plan.scratch.lowest = layout.take(
      tune::takes_quantiles(request.key_bytes, request.value_bytes)
          ? ((std::uint64_t{1} << tune::bucket_bits(request.count, request.key_bytes, request.value_bytes)) + 1) *
                request.key_bytes
          : 0);
  plan.scratch.lookback = layout.take(lookback_words(request, tiles, plan.buckets) * sizeof(std::uint32_t));
  plan.scratch.keys[0] = layout.take(request.count * request.key_bytes);
  plan.scratch.keys[1] = layout.take(request.argsort ? request.count * request.key_bytes : 0);
  plan.scratch.values = layout.take(request.count * request.value_bytes);
  plan.scratch.bytes = layout.bytes();
  return plan;
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
