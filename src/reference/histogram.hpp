// The digits of a workgroup's tiles, counted: the twin of kernels/wgsl/histogram.wgsl.
#pragma once
#include <vector>

#include "reference/work.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

inline void count_tile(const Work& work, std::uint64_t begin, std::uint64_t end, std::uint32_t side,
                       std::vector<std::uint32_t>& histogram) {
  for (std::uint64_t i = begin; i < end; ++i) {
    ++histogram[key_digit(work.step, key_order(work.step, work.key(side, i)))];
  }
}

inline void write_counts(const Work& work, std::uint64_t group, std::uint64_t groups,
                         const std::vector<std::uint32_t>& histogram) {
  for (std::uint64_t digit = 0; digit < histogram.size(); ++digit)
    work.counts().store(digit * groups + group, histogram[digit]);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
