// A portable plan as text, with what it was made for: what tests/data/plans holds and web/src/plan.ts is held to.
// Names are those of plan.hpp, enumerations by name, every number a plain one (all are below 2^53).
#pragma once
#include <string>

#include "plan/portable/plan.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {

// {"request", "capabilities", "limits", "plan"}. Lines after the first begin with `indent`; no newline at the end.
std::string portable_plan_json(const PortableRequest& request, const PortableCapabilities& capabilities,
                               const PortableLimits& limits, const std::string& indent = "");

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
