// How segments are shared out to workgroups of the portable kernels. Not measured on any device: by arithmetic.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/contract.hpp"

namespace lanesort {
inline namespace v1 {
namespace tune {

// A chunk of a long segment is a tile while there are few tiles, so that many workgroups have one, and up to so many where
// there are many: its counts, a word a digit, are written, scanned and read again by whatever follows.
inline constexpr std::uint32_t kTilesOfChunk = 8;
constexpr std::uint32_t chunk_tiles_for(std::uint64_t tiles, std::uint64_t groups) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tiles / groups, 1, kTilesOfChunk));
}

// A workgroup looks at so many segments together that they have about four tiles of items, were all of one length.
constexpr std::uint32_t block_segments_for(std::uint64_t tile, std::uint64_t items, std::uint64_t segments) {
  const std::uint64_t wanted = (4 * tile * segments + items - 1) / items;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, contract::kLimitBlockSegments));
}

// So many workgroups look at the offsets for chunks, and so many at most take chunks.
inline constexpr std::uint32_t kStretches = 256, kStretchSegments = 1024, kChunkGroups = 2048;

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
