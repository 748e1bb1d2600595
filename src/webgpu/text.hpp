// The WGSL of a kernel: literals of the plan's variant in front, then the parts that kernels/contract.toml names.
#pragma once
#include <string>

#include "plan/portable/plan.hpp"

namespace lanesort {
inline namespace v1 {
namespace webgpu {

std::string kernel_text(const plan::PortablePlan& plan, contract::Kernel kernel);

// fn lanesort_write_args(count: u32) -> vec3<u32> for the plan.
std::string args_text(const plan::PortablePlan& plan);

}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort
