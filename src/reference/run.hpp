// Runs a portable plan in host memory, dispatch by dispatch, on the twins of its kernels: the truth that the portable
// back ends are held to. Calls no sort. Every access is checked against the slice that the plan binds; one outside
// throws std::out_of_range with the dispatch, the binding and the word.
#pragma once
#include <functional>
#include <optional>

#include "plan/portable/plan.hpp"
#include "reference/view.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

// By BufferRole. Where no count stands on the device its span is empty, and what that binding would be is spare.
using Buffers = std::array<std::span<unsigned char>, plan::kBufferRoles>;

struct RunOptions {
  std::optional<std::uint32_t> args_workgroups;  // the caller's dispatch arguments, where the plan lets them stand in
  bool backwards = false;                        // workgroups run last to first: their order must not matter
  std::function<void(std::uint32_t index, const plan::Dispatch& dispatch)> after;  // each dispatch
};

void run(const plan::PortablePlan& plan, const Buffers& buffers, const contract::Request& request,
         const RunOptions& options = {});

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
