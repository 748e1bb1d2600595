// Shapes of the CUDA sorts of segments: which kernel takes a segment of how many items. Included by host and device
// code alike.
#pragma once
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace tune {

// A team of a warp's lanes sorts a segment of so many items, in so many registers of each lane.
constexpr std::uint32_t kSegmentOfTeam = 256;
constexpr std::uint32_t items_of_lane(std::uint32_t key_bytes) { return key_bytes == 8 ? 8 : 16; }
constexpr std::uint32_t kWarpSegmentThreads = 128;
constexpr std::uint32_t warp_segment_blocks(bool values) {
  return values ? 5 : 6;
}

// A block holds the whole of a segment. which 0: small segments, 1: those that only just fit. Values do not travel from
// pass to pass, places in the segment do, so all widths of values share one shape.
constexpr std::uint32_t kBlockSegmentShapes = 2;
struct BlockSegmentShape {
  std::uint32_t key_bytes, threads, items, blocks;
  bool places;

  constexpr std::uint32_t room() const { return threads * items; }
  constexpr std::uint32_t counter_bytes() const { return threads / 32 * 256 * 4; }
  // Most items of a segment: all its values stand in shared memory at once.
  constexpr std::uint32_t most_items(std::uint32_t value_bytes) const {
    return value_bytes == 16 && room() > 9216 ? 9216 : room();
  }
  constexpr std::uint32_t stage_bytes(std::uint32_t value_bytes) const {
    const std::uint32_t keys = room() * key_bytes + (places ? room() * 2 : 0), values = most_items(value_bytes) * value_bytes;
    return keys > values ? keys : values;
  }
  constexpr std::uint32_t shared_bytes(std::uint32_t value_bytes) const {
    return counter_bytes() + stage_bytes(value_bytes);
  }
};
constexpr BlockSegmentShape block_segment_shape(std::uint32_t key_bytes, bool places, std::uint32_t which) {
  if (which == 0) return {key_bytes, 256, 8, 4, places};
  if (key_bytes == 8) return {8, 512, 20, 1, places};
  return {key_bytes, 512, places ? 20u : 24u, 2, places};
}

constexpr std::uint32_t most_shared_bytes_of_segments() {
  std::uint32_t most = 0;
  for (std::uint32_t key : {1u, 2u, 4u, 8u}) {
    for (std::uint32_t which = 0; which < kBlockSegmentShapes; ++which) {
      const std::uint32_t bytes = block_segment_shape(key, true, which).shared_bytes(16);
      most = bytes > most ? bytes : most;
    }
  }
  return most + 1024;  // and what the kernel declares itself
}

// Longer ones are split into tiles, whose passes are those of a whole sort.
constexpr std::uint32_t kSegmentCountThreads = 512, kSegmentCountBlocks = 2;

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
