// Values that do not travel through the passes: indices are sorted in their place, and the values fetched by them.
#pragma once
#include <cstdint>

#include "cpu/segments.hpp"
#include "cpu/team.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

struct Values {
  std::uint32_t bytes;  // of one value
  std::uint64_t count;
};

// Indices of 4 or 8 bytes, at any address: 0, 1, ... count - 1.
void count_up(void* indices, std::uint32_t index_bytes, std::uint64_t count, Team& team) noexcept;
void copy_values(const void* src, void* dst, Values values, Team& team) noexcept;
// dst[i] = src[indices[i]]; src and dst do not overlap.
void gather_values(const void* src, const void* indices, std::uint32_t index_bytes, void* dst, Values values,
                   Team& team) noexcept;
// The same for the places i of segments only.
void gather_segments(const void* src, const void* indices, std::uint32_t index_bytes, void* dst, Values values,
                     const Segments& segments, Team& team) noexcept;

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
