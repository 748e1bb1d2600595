// What a sort of segments on a CUDA device launches, and where everything stands in scratch: a value, as the plan of a
// sort. It knows neither the offsets nor how many there are: launches and scratch are for the worst of them.
#pragma once
#include "plan/cuda_plan.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {

// Offsets in bytes, from an address that is a multiple of 256; control first.
struct CudaSegmentScratch {
  std::uint64_t block_segments[2], large, segment_of_tile, histogram, portion_word, lookback, keys[2], values;
  std::uint64_t bytes;  // what the caller is asked for: alignment included
};

struct CudaSegmentPlan {
  std::uint32_t of_team, of_block[2];                    // most items of a segment
  std::uint64_t block_room[2], large_room, tile_room, portion_room;  // most there can be of each
  std::uint32_t tile, portion_tiles;
  CudaSegmentScratch scratch;
};

CudaSegmentPlan plan_cuda_segments(const CudaRequest& request, const CudaLimits& limits) noexcept;

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
