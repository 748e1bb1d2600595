#include "reference/run.hpp"

#include "reference/kernels.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

constexpr const char* kBindingNames[] = {"keys_src",   "keys_dst",   "keys_alt", "values_src",
                                         "values_dst", "values_alt", "counts",   "control"};

View bind(const plan::PortablePlan& plan, std::uint32_t set, std::uint32_t binding, const Buffers& buffers) {
  plan::Slice slice = plan.bindings.at(set)[binding];
  // No count on the device: the passes' own counts, or what is spare there, fill the binding.
  if (slice.role == plan::BufferRole::count && buffers[static_cast<std::size_t>(slice.role)].empty()) {
    slice = plan.bindings[1][binding];
  }
  const std::span<unsigned char> buffer = buffers[static_cast<std::size_t>(slice.role)];
  const std::uint64_t bytes = slice.bytes == 0 ? buffer.size() : slice.bytes;
  if (slice.offset > buffer.size() || bytes > buffer.size() - slice.offset) {
    throw std::out_of_range(std::string(kBindingNames[binding]) + ": the slice ends at byte " +
                            std::to_string(slice.offset + bytes) + " of a buffer of " + std::to_string(buffer.size()));
  }
  return View(kBindingNames[binding], buffer.subspan(slice.offset, bytes));
}

using Twin = void (*)(const Work& work, std::uint32_t workgroup);

Twin twin_of(contract::Kernel kernel) {
  switch (kernel) {
    case contract::Kernel::begin: return begin;
    case contract::Kernel::unpack: return unpack;
    case contract::Kernel::count: return count;
    case contract::Kernel::scan: return scan;
    case contract::Kernel::scatter: return scatter;
    case contract::Kernel::tally: return tally;
    case contract::Kernel::sweep: return sweep;
    case contract::Kernel::finish: return finish;
    case contract::Kernel::pack: return pack;
    case contract::Kernel::small: return small;
    case contract::Kernel::probe: return probe;
    case contract::Kernel::keep: return keep;
    case contract::Kernel::cut: return cut;
    case contract::Kernel::segment_sums: return segment_sums;
    case contract::Kernel::segment_list: return segment_list;
    case contract::Kernel::segments: return segments;
    case contract::Kernel::segment_count: return segment_count;
    case contract::Kernel::segment_scatter: return segment_scatter;
    case contract::Kernel::segment_finish: return segment_finish;
    case contract::Kernel::segment_pack: return segment_pack;
  }
  throw std::invalid_argument("no kernel " + std::to_string(static_cast<std::uint32_t>(kernel)));
}

void run_dispatch(const plan::PortablePlan& plan, const plan::Dispatch& dispatch, const Buffers& buffers,
                  const contract::Request& request, const RunOptions& options) {
  Work work{plan.steps.at(dispatch.step), request, plan.shape, plan.key_words, plan.value_words, 0, {}};
  work.workgroups = dispatch.by_args ? options.args_workgroups.value_or(dispatch.workgroups) : dispatch.workgroups;
  for (std::uint32_t binding = 0; binding < work.bound.size(); ++binding) {
    work.bound[binding] = bind(plan, dispatch.bindings, binding, buffers);
  }
  for (std::uint32_t i = 0; i < work.workgroups; ++i) {
    twin_of(dispatch.kernel)(work, options.backwards ? work.workgroups - 1 - i : i);
  }
}

}  // namespace

void run(const plan::PortablePlan& plan, const Buffers& buffers, const contract::Request& request,
         const RunOptions& options) {
  for (std::uint32_t index = 0; index < plan.dispatch_count; ++index) {
    const plan::Dispatch& dispatch = plan.dispatches.at(index);
    try {
      run_dispatch(plan, dispatch, buffers, request, options);
    } catch (const std::out_of_range& outside) {
      throw std::out_of_range("dispatch " + std::to_string(index) + ", " +
                              contract::kKernelNames[static_cast<std::size_t>(dispatch.kernel)] + ": " + outside.what());
    }
    if (options.after) options.after(index, dispatch);
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
