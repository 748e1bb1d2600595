// When top-k on a portable device sorts everything, and how many items it keeps for its sort where it does not. By
// bytes; no device was measured yet.
#pragma once
#include <algorithm>
#include <cstdint>

#include "tune/portable_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace tune {

// Reading all keys a few times and sorting what was kept costs less than sorting all, up to so many kept.
constexpr bool top_k_sorts_all(std::uint64_t count, std::uint64_t kept) { return kept > count - count / 4; }

// Few are sorted by one workgroup, in one dispatch: then another look at all keys is cheaper than more to sort. Of
// many, a look at all keys costs as much as sorting a sixteenth of them, so as many may be kept beyond k.
constexpr std::uint64_t top_k_room(std::uint64_t count, std::uint64_t kept, std::uint64_t tile) {
  return kept <= tile / 2 ? tile : std::min(count, std::max(tile, kept + count / 16));
}

// Of any shape.
inline constexpr std::uint64_t kLargestTile = [] {
  std::uint64_t most = 0;
  for (const PortableShape& shape : kSubgroupShapes) most = std::max<std::uint64_t>(most, shape.tile());
  for (const PortableShape& shape : kPlainShapes) most = std::max<std::uint64_t>(most, shape.tile());
  return most;
}();

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
