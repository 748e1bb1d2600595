// A plan whose slices or scratch the device cannot hold is refused, with what it asked for and what there is.
#pragma once
#include "plan/portable/plan.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {

inline void refuse(PortablePlan& plan, PortableRefusal refusal, std::uint64_t asked, std::uint64_t limit) {
  plan.refusal = refusal;
  plan.asked = asked;
  plan.limit = limit;
}

inline void check_limits(PortablePlan& plan, const PortableCapabilities& device) {
  for (std::uint32_t set = 0; set < plan.binding_count; ++set) {
    for (const Slice& slice : plan.bindings[set]) {
      if (slice.bytes > device.binding_bytes)
        return refuse(plan, PortableRefusal::binding_too_large, slice.bytes, device.binding_bytes);
    }
  }
  if (plan.scratch_bytes > device.buffer_bytes)
    refuse(plan, PortableRefusal::scratch_too_large, plan.scratch_bytes, device.buffer_bytes);
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
