// How many items a sort has: the twin of kernels/wgsl/item_count.wgsl.
#pragma once
#include <algorithm>

#include "reference/work.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

inline std::uint32_t item_count(const Work& work) {
  if (work.flag(contract::kFlagChosen)) return work.counts().load(contract::kControlKept);
  if (work.request.count_on_device == 0) return work.request.bound;
  return std::min(work.request.bound, work.counts().load(work.request.count_word));
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
