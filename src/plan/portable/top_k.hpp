// Top-k on a portable device: what plan_portable_sort() gives for PortableOperation::top_k, put together of sorts.
//
//   where the items fit a workgroup, or most of them are kept:  the sort of all of them  [cut]
//   else:  begin  probe a digit, and once more  keep;  the sort of what was kept  [cut]
//
// What a sort leaves in scratch, `cut` (and `pack`) gives to the caller; a sort by one workgroup gives it itself.
// web/src/top_k.ts is its twin.
#pragma once
#include "plan/portable/plan.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {

PortablePlan plan_portable_top_k(const PortableRequest& request, const PortableCapabilities& capabilities,
                                 const PortableLimits& limits) noexcept;

std::uint64_t portable_top_k_bound(const PortableRequest& request) noexcept;

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
