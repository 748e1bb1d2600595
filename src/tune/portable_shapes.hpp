// Shapes of the portable kernels by what a device can do, bounded by what WebGPU promises everywhere. The first of each
// list are what was best on an H200 (docs/webgpu-notes.md); no other device was measured.
#pragma once
#include <cstdint>

#include "kernels/contract.hpp"

namespace lanesort {
inline namespace v1 {
namespace tune {

struct PortableShape {
  std::uint32_t workgroup = 0;   // invocations
  std::uint32_t items = 0;       // of one invocation in a tile
  std::uint32_t radix_bits = 0;  // of a digit: 8 or 4
  std::uint32_t rows = 0;        // subgroups that a workgroup may hold; 0: ranked without subgroups
  std::uint32_t subgroup_max = 0;

  constexpr std::uint32_t tile() const { return workgroup * items; }
  constexpr std::uint32_t radix() const { return 1u << radix_bits; }
  // The most workgroup memory that any kernel of this shape asks for: scatter's. The tile, tables by digit, the counters
  // of the ranking, the sums of a scan, the course.
  constexpr std::uint32_t shared_bytes() const {
    const std::uint32_t counting = 4 * radix();
    return 4 * ((scattering_words() > counting ? scattering_words() : counting) + 16);
  }
  // The same with segments, where the sort of short ones has their starts and not the table of where digits go on.
  constexpr std::uint32_t segments_bytes() const {
    const std::uint32_t sorting = 4 * (scattering_words() - radix() + contract::kLimitBlockSegments + 1 + 16);
    return shared_bytes() > sorting ? shared_bytes() : sorting;
  }
  // The same with a single pass: sweep counts a tile that did not tell in a table of its own, tally counts all digits of
  // a key of 64 bits, or of two of 32.
  constexpr std::uint32_t single_pass_bytes() const {
    const std::uint32_t sweeping = shared_bytes() + 4 * radix(), tallying = 4 * (64 / radix_bits * radix() + 16);
    return sweeping > tallying ? sweeping : tallying;
  }
  bool operator==(const PortableShape&) const = default;

 private:
  constexpr std::uint32_t scattering_words() const {
    return tile() + (rows != 0 ? (1 + rows) * radix() + rows : 10 * workgroup + 3 * radix());
  }
};

// From the best to what fits everywhere; the first that a device can hold is taken.
inline constexpr PortableShape kSubgroupShapes[] = {
    {512, 12, 8, 0, 0}, {256, 16, 8, 0, 0}, {256, 8, 8, 0, 0}, {128, 16, 8, 0, 0}, {128, 8, 8, 0, 0},
    {64, 8, 8, 0, 0},   {256, 8, 4, 0, 0},  {128, 8, 4, 0, 0}, {64, 8, 4, 0, 0},
};
inline constexpr PortableShape kPlainShapes[] = {
    {256, 15, 8, 0, 0}, {256, 12, 8, 0, 0}, {128, 14, 8, 0, 0}, {64, 14, 8, 0, 0}, {64, 8, 4, 0, 0},
};

// On devices whose subgroups have 32 lanes and that give a workgroup 48 KiB (NVIDIA's, through Vulkan) two kinds of work
// have shapes of their own, timed on an H200:
inline constexpr std::uint32_t kClassLanes = 32, kClassWorkgroupBytes = 49152;
// More items than a tile of the first shape and up to so many: 2^20 pairs are 256 tiles of these for 132 processors, so
// that no few of them have one tile more to sort than the rest.
inline constexpr std::uint64_t kMiddleItems = 2097152;
inline constexpr PortableShape kMiddleShape = {512, 8, 8, 0, 0};
// More items, of which at least half the passes read a key alone: 24 KiB of workgroup memory, so that two workgroups stand
// on a processor, and no more of them than that.
inline constexpr PortableShape kLightShape = {256, 14, 8, 0, 0};
inline constexpr std::uint32_t kLightGroups = 264;

// Of any shape above.
constexpr std::uint32_t smallest_tile() {
  std::uint32_t smallest = ~0u;
  for (const PortableShape& shape : kSubgroupShapes) smallest = shape.tile() < smallest ? shape.tile() : smallest;
  for (const PortableShape& shape : kPlainShapes) smallest = shape.tile() < smallest ? shape.tile() : smallest;
  return smallest;
}

// A single pass is taken up to so many items, on the same devices. On an H200 2^20 pairs took 0.139 ms instead of 0.167,
// 2^22 as long either way.
inline constexpr std::uint64_t kSinglePassItems = kMiddleItems;
// Its tiles are no smaller, lest its messages, two words a tile and digit, take more than a byte an item.
inline constexpr std::uint32_t kSinglePassTile = 2048;
// So often a workgroup looks at a message that is not there before it counts the tile itself: for about as long as that
// takes.
inline constexpr std::uint32_t kSinglePassLooks = 32;

// Invocations of the one workgroup that sorts few items, where a device can hold so many.
inline constexpr std::uint32_t kSmallWorkgroup = 512;

// So many workgroups share the tiles: a tile each up to the first number, several each from there on, so that one tile's
// reads are under way while the one before is written, and never more than the second, so that the counts stay few
// enough to be scanned by one workgroup a digit.
inline constexpr std::uint32_t kFewGroups = 256, kPortableGroups = 512;
inline constexpr std::uint32_t kTilesOfGroup = 4;
constexpr std::uint32_t groups_for(std::uint64_t tiles, const PortableShape& shape) {
  const bool light = shape.workgroup == kLightShape.workgroup && shape.items == kLightShape.items;
  const std::uint64_t shared = tiles / kTilesOfGroup, most = light ? kLightGroups : kPortableGroups;
  const std::uint64_t wanted = shared < kFewGroups ? kFewGroups : shared > most ? most : shared;
  return static_cast<std::uint32_t>(tiles < wanted ? tiles : wanted);
}

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
