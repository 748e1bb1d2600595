#include "plan/portable/top_k.hpp"

#include <algorithm>
#include <limits>

#include "plan/portable/refusal.hpp"
#include "plan/portable/slices.hpp"
#include "tune/portable_top_k.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {
namespace {

using contract::Kernel;

// The sort of `count` items that a top-k ends with; the buffers are redirected afterwards.
PortableRequest sort_of(const PortableRequest& request, std::uint64_t count, bool in_place) {
  PortableRequest sort = request;
  sort.operation = request.value_bytes != 0 ? PortableOperation::sort_pairs : PortableOperation::sort;
  sort.count = count;
  sort.k = 0;
  sort.keys_wanted = true;
  sort.initial_values = false;
  sort.keys_in_place = in_place;
  sort.values_in_place = in_place && request.value_bytes != 0;
  return sort;
}

std::uint64_t kept_of(const PortableRequest& request) { return std::min(request.k, request.count); }

class TopKPlanner {
 public:
  TopKPlanner(const PortableRequest& request, const PortableCapabilities& device, const PortableLimits& limits)
      : request_(request), device_(device), limits_(limits), narrow_(request.key_bits < 32), kept_(kept_of(request)) {}

  PortablePlan run() {
    const PortablePlan nothing = plan_portable_sort(sort_of(request_, 0, false), device_, limits_);
    const std::uint64_t tile = nothing.shape.tile();
    if (tile == 0 || request_.count == 0 || kept_ == 0) return nothing;
    searches_ = request_.count > tile && !tune::top_k_sorts_all(request_.count, kept_);
    sorted_ = searches_ ? tune::top_k_room(request_.count, kept_, tile) : request_.count;
    one_workgroup_ = sorted_ <= tile && !limits_.no_small;
    // More items than 32 bits count are refused by either.
    if (request_.count > kMostItems)
      return plan_portable_sort(sort_of(request_, request_.count, false), device_, limits_);
    sort_ = plan_portable_sort(sort_of(request_, sorted_, searches_ && !one_workgroup_), device_, limits_);
    if (sort_.refusal != PortableRefusal::none) return sort_;
    plan_ = sort_;
    plan_.step_count = plan_.dispatch_count = plan_.binding_count = 0;
    for (Slice& slice : spare_) slice = take(contract::kLimitSliceAlignBytes);
    take_kept();
    if (searches_) add_search();
    add_sort();
    add_cut();
    check_limits(plan_, device_);
    return plan_;
  }

 private:
  static constexpr std::uint64_t kMostItems = std::uint64_t{1} << 31;  // indices, and strides above them, are 32 bits
  static constexpr std::uint32_t kMain = 1, kEdge = 2;                 // sets of a sort

  bool has_values() const { return request_.value_bytes != 0; }
  bool iota() const { return has_values() && !request_.initial_values; }

  Slice take(std::uint64_t bytes) {
    const Slice slice{BufferRole::scratch, plan_.scratch_bytes, bytes};
    plan_.scratch_bytes += aligned(bytes);
    return slice;
  }
  static Slice user(BufferRole role, std::uint64_t items, std::uint64_t item_bits) {
    return {role, 0, ceil_div(items * item_bits, 32) * 4};
  }
  Slice keys_out() const { return user(BufferRole::keys_dst, kept_, request_.key_bits); }
  Slice values_out() const { return user(BufferRole::values_dst, kept_, 8 * request_.value_bytes); }

  void add(Kernel kernel, std::uint32_t step, std::uint32_t bindings, std::uint64_t workgroups, bool by_args) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(workgroups, device_.workgroups));
    plan_.dispatches[plan_.dispatch_count++] = {kernel, step, bindings, count, by_args};
  }

  // Where items stand between search and sort, or between sort and cut. Narrow keys have a place in the sort's scratch.
  void take_kept() {
    if (narrow_) kept_keys_ = sort_.bindings[kMain][contract::kBindingKeysDst];
    if (one_workgroup_ && !searches_) return;
    if (!narrow_) kept_keys_ = take(4 * plan_.key_words * sorted_);
    if (has_values()) kept_values_ = take(4 * plan_.value_words * sorted_);
  }

  void add_search() {
    const std::uint64_t tiles = ceil_div(request_.count, plan_.shape.tile());
    const std::uint64_t wanted =
        limits_.groups != 0 ? std::min<std::uint64_t>(tiles, limits_.groups) : tune::groups_for(tiles, plan_.shape);
    const auto groups = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, device_.workgroups));
    const auto passes =
        static_cast<std::uint32_t>(ceil_div(request_.bit_end - request_.bit_begin, plan_.shape.radix_bits));
    const std::uint32_t control_words = contract::kControlTotals + passes * plan_.shape.radix();
    add_search_sets(groups, control_words);
    add_search_steps(groups, passes, control_words);
    add(Kernel::begin, 0, 0, 1, false);
    for (std::uint32_t pass = 0; pass <= passes; ++pass) add(Kernel::probe, pass, kMain, groups, true);
    add(Kernel::keep, passes, kMain, groups, true);
  }

  // As a sort's: where the second has the counts the first has the caller's count.
  void add_search_sets(std::uint32_t groups, std::uint32_t control_words) {
    search_control_ = take(4 * std::uint64_t{control_words});
    BindingSet set = spare_;
    set[contract::kBindingControl] = search_control_;
    set[contract::kBindingKeysSrc] = user(BufferRole::keys_src, request_.count, request_.key_bits);
    set[contract::kBindingKeysDst] = kept_keys_;
    if (has_values()) set[contract::kBindingValuesDst] = kept_values_;
    if (has_values() && !iota())
      set[contract::kBindingValuesSrc] = user(BufferRole::values_src, request_.count, 8 * request_.value_bytes);
    set[contract::kBindingCounts] = {BufferRole::count, 0, 0};
    plan_.bindings[plan_.binding_count++] = set;
    // Counts by digit and group, and two numbers of each group.
    set[contract::kBindingCounts] = take(4 * std::uint64_t{groups} * (plan_.shape.radix() + 2));
    plan_.bindings[plan_.binding_count++] = set;
  }

  // One a digit from the highest down, with what stands above its digit as its range, and one with all of it.
  void add_search_steps(std::uint32_t groups, std::uint32_t passes, std::uint32_t control_words) {
    const std::uint32_t bits = plan_.shape.radix_bits;
    contract::Step step = sort_.steps[0];
    step.flags = (step.flags & contract::kFlagPlain) | (iota() ? contract::kFlagIota : 0);
    step.radix_bits = bits;
    step.max_groups = groups;
    step.control_words = control_words;
    step.looks = step.withheld = 0;
    step.kept = static_cast<std::uint32_t>(kept_);
    step.room = static_cast<std::uint32_t>(sorted_);
    for (std::uint32_t pass = 0; pass <= passes; ++pass) {
      const bool last = pass == passes;
      const std::uint32_t above = request_.bit_begin + (passes - pass) * bits;
      step.pass_index = pass;
      step.shift = last ? 0 : above - bits;
      step.digit_mask = last ? 0 : (1u << std::min(bits, request_.bit_end - step.shift)) - 1;
      const std::uint64_t range = ones_below(request_.bit_end) & ~ones_below(std::min(above, request_.bit_end));
      step.range_lo = static_cast<std::uint32_t>(range);
      step.range_hi = static_cast<std::uint32_t>(range >> 32);
      plan_.steps[plan_.step_count++] = step;
    }
  }
  static std::uint64_t ones_below(std::uint32_t bit) {
    return bit == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit) - 1;
  }

  // The sort's steps, sets and dispatches, with what it takes and gives where ours is.
  void add_sort() {
    const std::uint32_t first_step = plan_.step_count, first_set = plan_.binding_count;
    for (std::uint32_t i = 0; i < sort_.step_count; ++i) plan_.steps[plan_.step_count++] = sort_step(sort_.steps[i]);
    for (std::uint32_t set = 0; set < sort_.binding_count; ++set) {
      BindingSet& slices = plan_.bindings[plan_.binding_count++];
      for (std::uint32_t binding = 0; binding < slices.size(); ++binding)
        slices[binding] = redirected(sort_.bindings[set][binding], spare_[binding], set == kEdge);
    }
    for (std::uint32_t i = 0; i < sort_.dispatch_count; ++i) {
      const Dispatch& dispatch = sort_.dispatches[i];
      if (dispatch.kernel == Kernel::unpack && searches_) continue;  // keep did it
      if (dispatch.kernel == Kernel::pack && !request_.keys_wanted) continue;
      // The caller's arguments are for all items.
      add(dispatch.kernel, first_step + dispatch.step, first_set + dispatch.bindings, dispatch.workgroups,
          dispatch.by_args && !searches_);
    }
  }

  contract::Step sort_step(contract::Step step) const {
    step.kept = static_cast<std::uint32_t>(kept_);
    if (searches_) step.flags |= contract::kFlagChosen;
    if (iota() && !searches_) step.flags |= contract::kFlagIota;
    if (!request_.keys_wanted) step.flags |= contract::kFlagArgsort;
    return step;
  }

  Slice redirected(const Slice& slice, const Slice& spare, bool edge) const {
    switch (slice.role) {
      case BufferRole::scratch:
        return slice;
      case BufferRole::count:
        return searches_ ? search_control_ : slice;
      case BufferRole::keys_src:
        return !searches_ ? slice : edge ? spare : kept_keys_;
      case BufferRole::keys_dst:
        if (!edge && !one_workgroup_) return kept_keys_;
        return request_.keys_wanted ? keys_out() : spare;
      case BufferRole::values_src:
        return searches_ ? kept_values_ : iota() ? spare : slice;
      case BufferRole::values_dst:
        return one_workgroup_ ? values_out() : kept_values_;
      case BufferRole::segment_begins:
      case BufferRole::segment_ends:
        break;  // a top-k has none
    }
    return slice;
  }

  // Narrow keys are given out by pack, and everything is where one workgroup sorts.
  void add_cut() {
    const bool cuts_keys = !narrow_ && request_.keys_wanted;
    if (one_workgroup_ || (!cuts_keys && !has_values())) return;
    contract::Step step = sort_step(sort_.steps[0]);
    step.flags = cuts_keys ? 0 : contract::kFlagArgsort;
    plan_.steps[plan_.step_count++] = step;
    BindingSet set = spare_;
    set[contract::kBindingControl] = sort_.bindings[kMain][contract::kBindingControl];
    set[contract::kBindingKeysAlt] = kept_keys_;
    if (cuts_keys) set[contract::kBindingKeysDst] = keys_out();
    if (has_values()) set[contract::kBindingValuesAlt] = kept_values_;
    if (has_values()) set[contract::kBindingValuesDst] = values_out();
    plan_.bindings[plan_.binding_count++] = set;
    const std::uint64_t streaming =
        std::min<std::uint64_t>(ceil_div(kept_, plan_.shape.tile()), tune::kPortableGroups);
    add(Kernel::cut, plan_.step_count - 1, plan_.binding_count - 1, streaming, false);
  }

  const PortableRequest& request_;
  const PortableCapabilities& device_;
  const PortableLimits& limits_;
  const bool narrow_;
  const std::uint64_t kept_;   // items given out at most
  std::uint64_t sorted_ = 0;   // and sorted for it
  bool searches_ = false, one_workgroup_ = false;
  PortablePlan sort_, plan_;
  BindingSet spare_{};
  Slice kept_keys_, kept_values_, search_control_;
};

}  // namespace

PortablePlan plan_portable_top_k(const PortableRequest& request, const PortableCapabilities& capabilities,
                                 const PortableLimits& limits) noexcept {
  const PortablePlan plan = TopKPlanner(request, capabilities, limits).run();
  if (plan.form != PortableForm::single_pass || plan.refusal == PortableRefusal::none) return plan;
  // The messages of its sort may have been too much.
  PortableLimits without = limits;
  without.form = PortableForm::reduce_then_scan;
  return TopKPlanner(request, capabilities, without).run();
}

std::uint64_t portable_top_k_bound(const PortableRequest& request) noexcept {
  const std::uint64_t count = std::min(request.count, std::uint64_t{1} << 31), kept = std::min(kept_of(request), count);
  const bool all = count <= tune::kLargestTile || tune::top_k_sorts_all(count, kept);
  const std::uint64_t sorted = all ? count : std::max(tune::kLargestTile, tune::top_k_room(count, kept, 0));
  const std::uint64_t word_bytes = std::max<std::uint64_t>(4, request.key_bits / 8) + request.value_bytes;
  const std::uint64_t counts = std::uint64_t{tune::kPortableGroups} * (256 + 2);
  const std::uint64_t fixed = 4 * (contract::kControlTotals + 8 * 256 + counts) +
                              14 * contract::kLimitSliceAlignBytes;
  return portable_scratch_bound(sort_of(request, sorted, true)) + sorted * word_bytes + fixed;
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
