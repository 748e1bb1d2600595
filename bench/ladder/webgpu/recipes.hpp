// The recipes of the rungs in ../wgsl.
#pragma once
#include "bench/ladder/webgpu/recipe.hpp"

namespace lanesort::bench::ladder_webgpu {

Recipe chunk_sort_recipe(std::uint64_t count);
Recipe bitonic_global_recipe(std::uint64_t count);
Recipe bitonic_shared_recipe(std::uint64_t count);

enum class Layout { digit_major, group_major };
// rounds: of 256 keys, of a workgroup.
Recipe radix_recipe(Layout layout, std::uint32_t rounds, std::uint64_t count);
std::uint64_t radix_histograms(std::uint32_t rounds, std::uint64_t count);

inline constexpr std::uint64_t kChunkSortKeys = 512 * 512;
inline constexpr std::uint64_t kBins = 256;

// Reads and writes so many words: what a copy costs on the device.
Recipe copy_recipe(std::uint64_t words);

}  // namespace lanesort::bench::ladder_webgpu
