// The kernels as fatbins inside the library, one for each key width, one of all top-k, and one of segments for each key
// width; none where the build had no nvcc.
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace cuda {

constexpr std::uint32_t kWidths = 4;  // of keys: 1, 2, 4, 8 bytes
constexpr std::uint32_t kTopKImage = kWidths, kSegmentImages = kWidths + 1, kImages = 2 * kWidths + 1;

// which: log2 of a key width, or kTopKImage, or kSegmentImages + log2 of a key width. nullptr where the build had no nvcc.
const void* image(std::uint32_t which) noexcept;

// 13000 for CUDA 13.0, the toolkit that compiled them; 0 without.
int toolkit_version() noexcept;

// "90 + PTX", for words.
const char* architectures() noexcept;

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
