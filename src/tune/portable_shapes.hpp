// Shapes of the portable kernels by what a device can do. No row has been measured on a device yet: these are the
// shapes that arithmetic suggests, bounded by what WebGPU promises everywhere.
#pragma once
#include <cstdint>

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
  // The most workgroup memory that any kernel of this shape asks for: scatter's. The tile, four tables by digit, the
  // counters of the ranking, the sums of a scan, the course.
  constexpr std::uint32_t shared_bytes() const {
    const std::uint32_t ranking = rows != 0 ? rows * radix() + rows : 10 * workgroup;
    const std::uint32_t scattering = tile() + 3 * radix() + ranking, counting = 4 * radix();
    return 4 * ((scattering > counting ? scattering : counting) + 16);
  }
  bool operator==(const PortableShape&) const = default;
};

// From the best guess to what fits everywhere; the first that a device can hold is taken.
inline constexpr PortableShape kSubgroupShapes[] = {
    {256, 16, 8, 0, 0}, {256, 8, 8, 0, 0}, {128, 16, 8, 0, 0}, {128, 8, 8, 0, 0}, {64, 8, 8, 0, 0},
    {256, 8, 4, 0, 0}, {128, 8, 4, 0, 0}, {64, 8, 4, 0, 0},
};
inline constexpr PortableShape kPlainShapes[] = {
    {256, 15, 8, 0, 0}, {256, 12, 8, 0, 0}, {128, 14, 8, 0, 0}, {64, 14, 8, 0, 0}, {64, 8, 4, 0, 0},
};

// More workgroups than this share tiles: each then takes several, and the counts stay few enough to be scanned by one
// workgroup a digit.
inline constexpr std::uint32_t kPortableGroups = 1024;

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
