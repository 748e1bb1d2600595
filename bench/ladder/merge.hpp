// The step that the plain merge rungs share, on the host and, being constexpr, on a device.
#pragma once
#include <cstdint>

namespace lanesort::bench {

// Two runs of src that lie side by side, into one at the same place of dst. Of equal keys the left one first: stable.
template <class K>
constexpr void merge_two(const K* src, K* dst, std::uint64_t begin, std::uint64_t middle, std::uint64_t end) {
  std::uint64_t left = begin, right = middle;
  for (std::uint64_t out = begin; out < end; ++out) {
    const bool from_left = left < middle && (right == end || !(src[right] < src[left]));
    dst[out] = src[from_left ? left++ : right++];
  }
}

}  // namespace lanesort::bench
