// Tile shapes of the CUDA kernels by widths. Each row is what measured best on an H200 (docs/cuda-notes.md).
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace tune {

// One block's share of a pass: threads * items keys; `blocks` of them fit a multiprocessor.
struct Shape {
  std::uint32_t key_bytes, value_bytes, threads, items, blocks;

  constexpr std::uint32_t tile() const { return threads * items; }
  constexpr std::uint32_t warps() const { return threads / 32; }
  // Counters and masks of every warp first, the tile in the order of its digits afterwards.
  constexpr std::uint32_t shared_bytes() const {
    const std::uint32_t ranking = warps() * 2 * 256 * 4, staging = (tile() * key_bytes + 15) / 16 * 16 + tile() * value_bytes;
    return ranking > staging ? ranking : staging;
  }
};

constexpr Shape pass_shape(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  const std::uint32_t item = key_bytes + value_bytes;
  if (item <= 4) return {key_bytes, value_bytes, 256, 32, 3};
  if (item <= 8) return {key_bytes, value_bytes, 256, 24, 3};
  if (item <= 12) return {key_bytes, value_bytes, 256, 20, 3};
  if (item <= 16) return {key_bytes, value_bytes, 256, 16, 3};
  return {key_bytes, value_bytes, 256, 16, 2};
}

// One block sorts everything: the smallest of these that holds it.
constexpr std::uint32_t kSmallShapes = 2;
constexpr Shape small_shape(std::uint32_t key_bytes, std::uint32_t value_bytes, std::uint32_t which) {
  return which == 0 ? Shape{key_bytes, value_bytes, 256, 4, 1} : Shape{key_bytes, value_bytes, 512, 8, 1};
}

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
