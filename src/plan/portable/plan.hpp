// What a sort on a portable device (WebGPU, later Vulkan) dispatches, and where everything stands in scratch. Pure
// arithmetic over request, capabilities and limits, made before anything runs; nothing here spins, allocates or knows a
// GPU API. web/src/plan.ts is its twin, held to it by tests/data/plans.
//
//   reduce then scan:  begin  [unpack]  then for each digit: count, scan, scatter;  finish  [pack]
//   a single pass a digit, where it is known to pay or asked for:  begin  [unpack]  tally  each digit: sweep  finish  [pack]
//   where one workgroup holds everything:  small
//   segments:  begin  [unpack]  segment_sums  segments, which sorts those that fit a tile;  where longer ones may be,
//     segment_list before it, and after it for each digit segment_count, scan, segment_scatter;  segment_finish  [pack]
//   top_k: plan/portable/top_k.hpp
//
// Which passes run, and between which buffers, the device decides by itself (kernels/wgsl/course.wgsl).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/contract.hpp"
#include "kernels/key_order.hpp"
#include "tune/portable_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {

enum class PortableOperation : std::uint32_t { sort, sort_pairs, argsort, top_k };  // as in lanesort.h

struct PortableRequest {
  PortableOperation operation = PortableOperation::sort;
  KeyKind kind = KeyKind::unsigned_integer;
  std::uint32_t key_bits = 32, mantissa_bits = 0;  // mantissa_bits: floats alone
  bool descending = false;
  NanPlace nan = NanPlace::last;
  std::uint32_t bit_begin = 0, bit_end = 32;
  std::uint32_t value_bytes = 0;
  bool initial_values = false;  // argsort, top_k: the caller's, in place of indices
  bool keys_in_place = false, values_in_place = false;
  std::uint64_t count = 0;  // the bound, where the count stands on the device
  bool segmented = false;   // only what lies in segments is sorted, each by itself
  std::uint64_t segment_count = 0;
  bool segment_ends = false;   // ends have a list of their own
  bool local_indices = false;  // count from their segment's begin
  std::uint64_t k = 0;      // top_k: how many; more than there are is all of them
  bool keys_wanted = true;  // top_k: false: values alone
};

// What the device was made with; the defaults are what WebGPU promises everywhere.
struct PortableCapabilities {
  bool subgroups = false;
  std::uint32_t subgroup_min = 0, subgroup_max = 0;
  std::uint32_t workgroup_bytes = 16384, workgroup_invocations = 256, workgroups = 65535;
  std::uint64_t binding_bytes = 134217728, buffer_bytes = 268435456;
};

// reduce_then_scan: no workgroup waits for another. single_pass: they do, but never for long (kernels/wgsl/sweep.wgsl).
enum class PortableForm : std::uint32_t { tuned, reduce_then_scan, single_pass };

// What a caller may ask for, and what tests shrink. 0: as tuned.
struct PortableLimits {
  std::uint32_t workgroup = 0, items = 0, radix_bits = 0, groups = 0;
  bool no_small = false;  // even few items go by passes
  bool no_subgroups = false;
  PortableForm form = PortableForm::tuned;
  std::uint32_t looks = 0;     // single pass: at a message that is not there before the tile is counted
  std::uint32_t withheld = 0;  // single pass: 0, or every so many-th tile tells nothing
};

enum class BufferRole : std::uint32_t {
  scratch,
  keys_src,
  keys_dst,
  values_src,
  values_dst,
  count,
  segment_begins,
  segment_ends
};
inline constexpr std::size_t kBufferRoles = 8;

struct Slice {
  BufferRole role = BufferRole::scratch;
  std::uint64_t offset = 0, bytes = 0;  // bytes 0: the whole buffer of the role (count)
  bool operator==(const Slice&) const = default;
};
using BindingSet = std::array<Slice, 8>;  // by the numbers of the contract's bindings

struct Dispatch {
  contract::Kernel kernel = contract::Kernel::begin;
  std::uint32_t step = 0, bindings = 0;  // which of the plan's
  std::uint32_t workgroups = 0;
  bool by_args = false;  // the caller's dispatch arguments may stand in for `workgroups`
  bool operator==(const Dispatch&) const = default;
};

enum class PortableRefusal : std::uint32_t { none, no_shape, binding_too_large, scratch_too_large };

struct PortablePlan {
  static constexpr std::uint32_t kMaxSteps = 36, kMaxDispatches = 76, kMaxBindings = 6;

  PortableRefusal refusal = PortableRefusal::none;
  std::uint64_t asked = 0, limit = 0;  // of the refusal

  PortableForm form = PortableForm::reduce_then_scan;
  tune::PortableShape shape;
  std::uint32_t key_words = 1, value_words = 0;
  std::uint32_t step_count = 0, dispatch_count = 0, binding_count = 0;
  std::array<contract::Step, kMaxSteps> steps{};
  std::array<Dispatch, kMaxDispatches> dispatches{};
  std::array<BindingSet, kMaxBindings> bindings{};
  std::uint64_t scratch_bytes = 0;
  // In scratch, when the work is done: items given out that are not of the last key, a u32, and how many those are.
  std::uint64_t sorted_count_offset = 0;
  std::uint64_t kept_count_offset() const {
    return sorted_count_offset + 4 * (contract::kControlKept - contract::kControlSortedCount);
  }
};

PortablePlan plan_portable_sort(const PortableRequest& request, const PortableCapabilities& capabilities,
                                const PortableLimits& limits) noexcept;

// Enough for the request on any device with at least WebGPU's defaults.
std::uint64_t portable_scratch_bound(const PortableRequest& request) noexcept;

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
