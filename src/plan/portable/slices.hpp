// Sizes of the slices of scratch memory.
#pragma once
#include "plan/portable/plan.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {

inline std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

inline std::uint64_t aligned(std::uint64_t bytes) {
  return ceil_div(bytes, contract::kLimitSliceAlignBytes) * contract::kLimitSliceAlignBytes;
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
