#include "plan/cuda_segments.hpp"

#include <algorithm>

#include "kernels/cuda/segments_params.hpp"
#include "plan/layout.hpp"
#include "tune/cuda_segments.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {

CudaSegmentPlan plan_cuda_segments(const CudaRequest& request, const CudaLimits& limits) noexcept {
  CudaSegmentPlan plan{};
  const bool places = request.value_bytes != 0;
  plan.of_team = std::min(tune::kSegmentOfTeam, limits.segment_of_team);
  std::uint32_t before = plan.of_team;
  for (std::uint32_t which = 0; which < tune::kBlockSegmentShapes; ++which) {
    const std::uint32_t room = tune::block_segment_shape(request.key_bytes, places, which).most_items(request.value_bytes);
    before = plan.of_block[which] = std::max(before, std::min(room, limits.segment_of_block[which]));
  }
  const std::uint64_t n = request.count;
  plan.tile = tune::pass_shape(request.key_bytes, request.value_bytes, 0).tile();
  plan.portion_tiles = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, limits.portion / plan.tile));
  for (std::uint32_t which = 0; which < tune::kBlockSegmentShapes; ++which)
    plan.block_room[which] = n / ((which == 0 ? plan.of_team : plan.of_block[0]) + 1);
  plan.large_room = n / (plan.of_block[1] + std::uint64_t{1});
  plan.tile_room = n == 0 || plan.large_room == 0 ? 0 : n / plan.tile + plan.large_room;
  plan.portion_room = plan.tile_room / plan.portion_tiles;

  Layout layout;
  CudaSegmentScratch& at = plan.scratch;
  layout.take(sizeof(kernels::SegmentControl));
  for (std::uint32_t which = 0; which < tune::kBlockSegmentShapes; ++which)
    at.block_segments[which] = layout.take(plan.block_room[which] * sizeof(kernels::BlockSegment));
  at.large = layout.take(plan.large_room * sizeof(kernels::LargeSegment));
  at.segment_of_tile = layout.take(plan.tile_room * sizeof(std::uint32_t));
  at.histogram = layout.take(plan.large_room * request.key_bytes * 256 * sizeof(std::uint64_t));
  at.portion_word = layout.take(plan.portion_room * 256 * sizeof(std::uint64_t));
  at.lookback = layout.take(plan.tile_room * 256 * sizeof(std::uint32_t));
  const bool alternates = plan.large_room != 0;
  at.keys[0] = layout.take(alternates ? n * request.key_bytes : 0);
  at.keys[1] = layout.take(alternates && request.argsort ? n * request.key_bytes : 0);
  at.values = layout.take(alternates ? n * request.value_bytes : 0);
  at.bytes = layout.bytes();
  return plan;
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
