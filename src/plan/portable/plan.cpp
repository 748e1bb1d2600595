#include "plan/portable/plan.hpp"

#include <algorithm>
#include <limits>

#include "plan/portable/refusal.hpp"
#include "plan/portable/slices.hpp"
#include "plan/portable/top_k.hpp"
#include "tune/portable_segments.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {
namespace {

using contract::Kernel;

// Kernels count items in 32 bits, each of at least 4 bytes in some binding, and leave a bit for strides above them.
constexpr std::uint64_t kMostBindingBytes = std::uint64_t{1} << 33;

tune::PortableShape shape_for(tune::PortableShape shape, bool subgroups, const PortableCapabilities& device,
                              const PortableLimits& limits) {
  if (limits.workgroup != 0) shape.workgroup = limits.workgroup;
  if (limits.items != 0) shape.items = limits.items;
  if (limits.radix_bits != 0) shape.radix_bits = limits.radix_bits;
  if (subgroups) {
    shape.rows = static_cast<std::uint32_t>(ceil_div(shape.workgroup, device.subgroup_min));
    shape.subgroup_max = device.subgroup_max;
  } else {
    shape.items = std::min(shape.items, 15u);  // counted in nibbles
  }
  return shape;
}

bool fits(const tune::PortableShape& shape, bool segmented, const PortableCapabilities& device) {
  // A workgroup that no whole number of subgroups fills could be dealt to more of them than there are rows.
  const bool whole = shape.rows == 0 || shape.workgroup % shape.subgroup_max == 0;
  const std::uint32_t bytes = segmented ? shape.segments_bytes() : shape.shared_bytes();
  return whole && bytes <= device.workgroup_bytes && shape.workgroup <= device.workgroup_invocations &&
         shape.tile() <= contract::kLimitMaxTile && shape.radix() <= device.workgroups;  // scan takes one a digit
}

// Are the device's shapes known for more than one kind of work?
bool class_known(const PortableCapabilities& device) {
  return device.subgroup_min == tune::kClassLanes && device.subgroup_max == tune::kClassLanes &&
         device.workgroup_bytes >= tune::kClassWorkgroupBytes;
}

// Do at least half the passes read keys of a word and nothing else?
bool is_light(const PortableRequest& request) {
  const bool indices_are_made = request.operation == PortableOperation::argsort && !request.initial_values;
  return request.key_bits <= 32 &&
         (request.value_bytes == 0 || (indices_are_made && request.bit_end - request.bit_begin <= 16));
}

// What such devices have for the work alone; nullptr: nothing.
const tune::PortableShape* shape_of_class(const PortableRequest& request, const PortableCapabilities& device) {
  if (!class_known(device) || request.segmented || request.count <= tune::kSubgroupShapes[0].tile()) return nullptr;
  if (request.count <= tune::kMiddleItems) return &tune::kMiddleShape;
  return is_light(request) ? &tune::kLightShape : nullptr;
}

// The first shape that the device holds; a workgroup of 0 where there is none.
tune::PortableShape choose_shape(const PortableRequest& request, const PortableCapabilities& device,
                                 const PortableLimits& limits) {
  const bool segmented = request.segmented;
  if (device.subgroups && !limits.no_subgroups && device.subgroup_min >= 4 && device.subgroup_max <= 128) {
    if (const tune::PortableShape* const best = shape_of_class(request, device)) {
      const tune::PortableShape shape = shape_for(*best, true, device, limits);
      if (fits(shape, segmented, device)) return shape;
    }
    for (const tune::PortableShape& row : tune::kSubgroupShapes) {
      const tune::PortableShape shape = shape_for(row, true, device, limits);
      if (fits(shape, segmented, device)) return shape;
    }
  }
  for (const tune::PortableShape& row : tune::kPlainShapes) {
    const tune::PortableShape shape = shape_for(row, false, device, limits);
    if (fits(shape, segmented, device)) return shape;
  }
  return {};
}

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

template <class U>
void set_order(contract::Step& step, const PortableRequest& request) {
  const KeyOrder<U> order = make_key_order<U>(request.kind, request.descending, request.nan, request.mantissa_bits);
  const auto split = [](std::uint64_t value, std::uint32_t& lo, std::uint32_t& hi) {
    lo = low(value), hi = high(value);
  };
  split(order.base, step.base_lo, step.base_hi);
  split(order.flip, step.flip_lo, step.flip_hi);
  split(order.largest, step.largest_lo, step.largest_hi);
  split(order.nan_image, step.nan_lo, step.nan_hi);
  split(order.folded, step.folded_lo, step.folded_hi);
  split(KeyOrder<U>::kSign, step.sign_lo, step.sign_hi);
  step.truth = order.truth_mask != 0 ? 1 : 0;
}

contract::Step order_step(const PortableRequest& request) {
  contract::Step step;
  switch (request.key_bits) {
    case 8:
      set_order<std::uint8_t>(step, request);
      break;
    case 16:
      set_order<std::uint16_t>(step, request);
      break;
    case 32:
      set_order<std::uint32_t>(step, request);
      break;
    default:
      set_order<std::uint64_t>(step, request);
      break;
  }
  const std::uint32_t width = request.bit_end - request.bit_begin;
  const std::uint64_t ones = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t range = width == 0 ? 0 : ones << request.bit_begin;
  step.range_lo = low(range);
  step.range_hi = high(range);
  step.bit_begin = request.bit_begin;
  step.kept = std::numeric_limits<std::uint32_t>::max();
  return step;
}

// Fills a plan in the order in which scratch and dispatches are laid out.
class Planner {
 public:
  Planner(PortablePlan& plan, const PortableRequest& request, const PortableCapabilities& device,
          const PortableLimits& limits)
      : plan_(plan), request_(request), device_(device), limits_(limits), narrow_(request.key_bits < 32) {}

  void run() {
    plan_.shape = choose_shape(request_, device_, limits_);
    if (plan_.shape.workgroup == 0) return refuse(plan_, PortableRefusal::no_shape, device_.workgroup_bytes, 0);
    plan_.key_words = request_.key_bits == 64 ? 2 : 1;
    plan_.value_words = request_.value_bytes / 4;
    if (request_.count == 0 || (segmented() && request_.segment_count == 0) || !check_items()) return;
    const std::uint64_t tiles = ceil_div(request_.count, plan_.shape.tile());
    small_ = tiles == 1 && (!limits_.no_small || segmented());
    if (small_) plan_.shape = small_shape();
    if (!small_ && !segmented() && single_pass()) plan_.form = PortableForm::single_pass;
    if (segmented()) share_out_segments();
    const std::uint64_t wanted =
        limits_.groups != 0 ? std::min<std::uint64_t>(tiles, limits_.groups) : tune::groups_for(tiles, plan_.shape);
    groups_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, device_.workgroups));
    lay_out_scratch();
    make_steps();
    make_dispatches();
    check_limits(plan_, device_);
  }

 private:
  bool segmented() const { return request_.segmented; }
  bool argsort() const { return request_.operation == PortableOperation::argsort; }
  bool iota() const { return argsort() && !request_.initial_values; }
  bool plain() const { return request_.kind == KeyKind::unsigned_integer || request_.kind == KeyKind::signed_integer; }
  bool single_pass() const {
    const tune::PortableShape& shape = plan_.shape;
    const bool known = shape.rows != 0 && class_known(device_);
    const bool wanted = limits_.form == PortableForm::single_pass ||
                        (limits_.form == PortableForm::tuned && known && request_.count <= tune::kSinglePassItems);
    const bool tile_large = shape.tile() >= tune::kSinglePassTile || limits_.workgroup != 0;  // shrunk by a test
    return wanted && tile_large && request_.count <= contract::kMessageCount &&
           shape.single_pass_bytes() <= device_.workgroup_bytes;
  }
  bool sweeps() const { return plan_.form == PortableForm::single_pass; }
  std::uint32_t passes() const {
    return static_cast<std::uint32_t>(ceil_div(request_.bit_end - request_.bit_begin, plan_.shape.radix_bits));
  }
  // Control's words that are not messages, in whole slices.
  std::uint32_t control_words() const {
    const std::uint32_t totals = sweeps() ? passes() * plan_.shape.radix() : 0;
    const std::uint64_t words = std::max(contract::kControlWords, contract::kControlTotals + totals);
    return static_cast<std::uint32_t>(aligned(4 * words) / 4);
  }
  std::uint64_t message_words() const {
    return sweeps() ? 2 * ceil_div(request_.count, plan_.shape.tile()) * plan_.shape.radix() : 0;
  }
  // The keys that the passes see stand in scratch from the start: unpacked ones.
  bool passes_in_place() const { return narrow_ || (!argsort() && request_.keys_in_place); }
  bool values_in_place() const { return request_.values_in_place && !iota(); }

  // For one workgroup alone: many invocations, and no more items of each than there are, by powers of two, so that
  // kernels are few.
  tune::PortableShape small_shape() const {
    tune::PortableShape shape = plan_.shape;
    if (shape.rows != 0 && limits_.workgroup == 0) {
      shape.workgroup = tune::kSmallWorkgroup;
      shape.rows = static_cast<std::uint32_t>(ceil_div(shape.workgroup, device_.subgroup_min));
      shape.items = static_cast<std::uint32_t>(ceil_div(plan_.shape.tile(), shape.workgroup));
      if (!fits(shape, request_.segmented, device_)) shape = plan_.shape;
    }
    std::uint32_t items = 1;
    while (items < shape.items && std::uint64_t{items} * shape.workgroup < request_.count) items *= 2;
    shape.items = std::min(items, shape.items);
    return shape;
  }

  // Segments whose chunks are a workgroup's to find, and to sort if they fit a tile, and the most chunks there can be: each
  // long segment has one at most that is not full.
  void share_out_segments() {
    const std::uint64_t tile = plan_.shape.tile(), segments = request_.segment_count;
    const std::uint64_t groups = limits_.groups != 0 ? limits_.groups : tune::kFewGroups;
    chunk_tiles_ = tune::chunk_tiles_for(request_.count / tile, groups);
    block_segments_ = tune::block_segments_for(tile, request_.count, segments);
    const std::uint32_t most = std::min(tune::kStretches, device_.workgroups);
    stretches_ =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(ceil_div(segments, tune::kStretchSegments), most));
    const std::uint64_t longs = std::min(segments, request_.count / (tile + 1));
    chunks_ = longs == 0 ? 0 : request_.count / (tile * chunk_tiles_) + longs;
  }
  std::uint64_t segment_words() const { return segmented() ? stretches_ + contract::kChunkWords * chunks_ : 0; }

  Slice take(std::uint64_t bytes) {
    const Slice slice{BufferRole::scratch, plan_.scratch_bytes, bytes};
    plan_.scratch_bytes += aligned(bytes);
    return slice;
  }

  Slice user(BufferRole role, std::uint64_t item_bits) const {
    return {role, 0, ceil_div(request_.count * item_bits, 32) * 4};
  }

  void lay_out_scratch() {
    const Slice control = take(4 * (control_words() + message_words() + segment_words()));
    plan_.sorted_count_offset = control.offset + contract::kControlSortedCount * 4;
    const std::uint64_t counted = segmented() ? chunks_ : groups_;
    const Slice counts = small_ || sweeps() ? Slice{} : take(counted * plan_.shape.radix() * 4);
    BindingSet spare;
    for (Slice& slice : spare) slice = take(contract::kLimitSliceAlignBytes);

    const std::uint64_t key_bytes = std::uint64_t{4} * plan_.key_words * request_.count;
    const std::uint64_t value_bytes = std::uint64_t{4} * plan_.value_words * request_.count;
    BindingSet main = spare;
    main[contract::kBindingControl] = control;
    if (narrow_ || (argsort() && !small_))
      main[contract::kBindingKeysDst] = take(key_bytes);
    else if (!argsort())
      main[contract::kBindingKeysDst] = user(BufferRole::keys_dst, request_.key_bits);
    if (!passes_in_place()) main[contract::kBindingKeysSrc] = user(BufferRole::keys_src, request_.key_bits);
    if (!small_) main[contract::kBindingKeysAlt] = take(key_bytes);
    if (plan_.value_words != 0) {
      main[contract::kBindingValuesDst] = user(BufferRole::values_dst, 8 * request_.value_bytes);
      if (!iota() && !values_in_place())
        main[contract::kBindingValuesSrc] = user(BufferRole::values_src, 8 * request_.value_bytes);
      if (!small_) main[contract::kBindingValuesAlt] = take(value_bytes);
    }
    // The kernels that look at the caller's count find it where the others have their counts.
    BindingSet first = main;
    first[contract::kBindingCounts] = {BufferRole::count, 0, 0};
    main[contract::kBindingCounts] = counts.bytes == 0 ? spare[contract::kBindingCounts] : counts;
    plan_.bindings[0] = first;
    plan_.bindings[1] = main;
    plan_.binding_count = 2;
    if (narrow_) lay_out_edge(spare, control);
    if (segmented()) lay_out_offsets();
  }

  // Outside the passes: the caller's packed keys on one side, the unpacked ones as the alternate.
  void lay_out_edge(const BindingSet& spare, const Slice& control) {
    BindingSet edge = spare;
    edge[contract::kBindingControl] = control;
    edge[contract::kBindingKeysAlt] = plan_.bindings[kMain][contract::kBindingKeysDst];
    if (!argsort()) edge[contract::kBindingKeysDst] = user(BufferRole::keys_dst, request_.key_bits);
    if (argsort() || !request_.keys_in_place)
      edge[contract::kBindingKeysSrc] = user(BufferRole::keys_src, request_.key_bits);
    plan_.bindings[plan_.binding_count++] = edge;
  }

  // The same again, main's and where there is one edge's, for the kernels that look at offsets.
  void lay_out_offsets() {
    const std::uint64_t begins = request_.segment_count + (request_.segment_ends ? 0 : 1);
    for (std::uint32_t set = kMain, sets = plan_.binding_count; set < sets; ++set) {
      BindingSet& with = plan_.bindings[plan_.binding_count++] = plan_.bindings[set];
      with[contract::kOffsetBegins] = {BufferRole::segment_begins, 0, 4 * begins};
      if (request_.segment_ends)
        with[contract::kOffsetEnds] = {BufferRole::segment_ends, 0, 4 * request_.segment_count};
    }
  }
  // Of a set of bindings, the same with offsets.
  std::uint32_t with_offsets(std::uint32_t set) const { return set + (narrow_ ? 2 : 1); }

  void make_steps() {
    contract::Step step = order_step(request_);
    const std::uint32_t bits = plan_.shape.radix_bits, width = request_.bit_end - request_.bit_begin;
    step.radix_bits = bits;
    step.control_words = control_words();
    step.looks = !sweeps() ? 0 : limits_.looks != 0 ? limits_.looks : tune::kSinglePassLooks;
    step.withheld = sweeps() ? limits_.withheld : 0;
    step.max_groups = segmented() ? 0 : groups_;  // of segments the chunks, and they are not known yet
    step.block_segments = block_segments_;
    step.stretches = stretches_;
    step.chunk_tiles = chunk_tiles_;
    step.narrow_bits = narrow_ ? request_.key_bits : 32;
    step.pass_count = passes();
    step.flags = (passes_in_place() ? contract::kFlagKeysInPlace : 0) |
                 (values_in_place() ? contract::kFlagValuesInPlace : 0) | (argsort() ? contract::kFlagArgsort : 0) |
                 (iota() ? contract::kFlagIota : 0) | (plain() ? contract::kFlagPlain : 0) |
                 (request_.segment_ends ? contract::kFlagEnds : 0) |
                 (request_.local_indices ? contract::kFlagLocal : 0);
    // A range of no bits has a step all the same: its survey counts, and finish moves what there is to move.
    for (std::uint32_t pass = 0; pass < std::max(step.pass_count, 1u); ++pass) {
      contract::Step next = step;
      next.pass_index = pass;
      next.shift = request_.bit_begin + pass * bits;
      next.digit_mask = width == 0 ? 0 : (1u << std::min(bits, request_.bit_end - next.shift)) - 1;
      if (width == 0) next.shift = 0;
      if (pass == 0) next.flags |= contract::kFlagSurvey;
      plan_.steps[plan_.step_count++] = next;
    }
    if (!narrow_) return;
    contract::Step edge = step;
    edge.flags = (!argsort() && request_.keys_in_place ? contract::kFlagKeysInPlace : 0) |
                 (request_.segment_ends ? contract::kFlagEnds : 0);
    plan_.steps[plan_.step_count++] = edge;
  }

  void add(Kernel kernel, std::uint32_t step, std::uint32_t bindings, std::uint64_t workgroups, bool by_args = false) {
    const std::uint32_t count = static_cast<std::uint32_t>(std::min<std::uint64_t>(workgroups, device_.workgroups));
    plan_.dispatches[plan_.dispatch_count++] = {kernel, step, bindings, count, by_args};
  }

  void make_dispatches() {
    if (segmented()) return make_segment_dispatches();
    const std::uint64_t streaming =
        std::min<std::uint64_t>(ceil_div(request_.count, plan_.shape.tile()), tune::kPortableGroups);
    const std::uint32_t edge_step = plan_.step_count - 1;
    if (!small_ || narrow_) add(Kernel::begin, 0, kFirst, 1);
    if (narrow_) add(Kernel::unpack, edge_step, kEdge, streaming);
    if (small_) {
      add(Kernel::small, 0, kFirst, 1);
    } else if (sweeps()) {
      add(Kernel::tally, 0, kMain, groups_, true);
      for (std::uint32_t pass = 0; pass < passes(); ++pass) add(Kernel::sweep, pass, kMain, groups_, true);
      add(Kernel::finish, 0, kMain, streaming);
    } else {
      if (passes() == 0) add(Kernel::count, 0, kMain, groups_, true);
      for (std::uint32_t pass = 0; pass < passes(); ++pass) {
        add(Kernel::count, pass, kMain, groups_, true);
        add(Kernel::scan, pass, kMain, plan_.shape.radix());
        add(Kernel::scatter, pass, kMain, groups_, true);
      }
      add(Kernel::finish, 0, kMain, streaming);
    }
    if (narrow_ && !argsort()) add(Kernel::pack, edge_step, kEdge, streaming);
  }

  void make_segment_dispatches() {
    const std::uint64_t streaming =
        std::min<std::uint64_t>(ceil_div(request_.count, plan_.shape.tile()), tune::kPortableGroups);
    const std::uint64_t chunk_groups = std::min<std::uint64_t>(chunks_, tune::kChunkGroups);
    const std::uint32_t edge_step = plan_.step_count - 1;
    add(Kernel::begin, 0, kFirst, 1);
    if (narrow_) add(Kernel::unpack, edge_step, kEdge, streaming);
    add(Kernel::segment_sums, 0, with_offsets(kMain), stretches_);
    if (chunks_ != 0) add(Kernel::segment_list, 0, with_offsets(kMain), stretches_);
    add(Kernel::segments, 0, with_offsets(kMain), ceil_div(request_.segment_count, block_segments_));
    for (std::uint32_t pass = 0; pass < passes() && chunks_ != 0; ++pass) {
      add(Kernel::segment_count, pass, kMain, chunk_groups);
      add(Kernel::scan, pass, kMain, plan_.shape.radix());
      add(Kernel::segment_scatter, pass, kMain, chunk_groups);
    }
    if (chunks_ != 0) add(Kernel::segment_finish, 0, kMain, chunk_groups);
    if (!narrow_ || argsort()) return;
    if (request_.keys_in_place)
      add(Kernel::pack, edge_step, kEdge, streaming);
    else
      add(Kernel::segment_pack, edge_step, with_offsets(kEdge), streaming);
  }

  // Comes first: past it no product of the count is too large for its type.
  bool check_items() {
    const std::uint64_t item_bytes = 4 * std::max(plan_.key_words, plan_.value_words);
    const std::uint64_t most = std::min(device_.binding_bytes, kMostBindingBytes);
    const std::uint64_t offsets = segmented() ? request_.segment_count : 0;
    if (request_.count <= most / item_bytes && offsets <= most / 4 - 1) return true;
    if (request_.count <= most / item_bytes) return refuse(plan_, PortableRefusal::binding_too_large, offsets, most), false;
    constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    refuse(plan_, PortableRefusal::binding_too_large, request_.count > kAll / item_bytes ? kAll : request_.count * item_bytes,
           most);
    return false;
  }

  PortablePlan& plan_;
  const PortableRequest& request_;
  const PortableCapabilities& device_;
  const PortableLimits& limits_;
  const bool narrow_;
  static constexpr std::uint32_t kFirst = 0, kMain = 1, kEdge = 2;  // sets of bindings
  bool small_ = false;
  std::uint32_t groups_ = 0;
  std::uint32_t block_segments_ = 0, stretches_ = 0, chunk_tiles_ = 0;
  std::uint64_t chunks_ = 0;
};

}  // namespace

PortablePlan plan_portable_sort(const PortableRequest& request, const PortableCapabilities& capabilities,
                                const PortableLimits& limits) noexcept {
  if (request.operation == PortableOperation::top_k) return plan_portable_top_k(request, capabilities, limits);
  PortablePlan plan;
  Planner(plan, request, capabilities, limits).run();
  if (plan.form != PortableForm::single_pass || plan.refusal == PortableRefusal::none) return plan;
  // Its messages may have been too much.
  PortableLimits without = limits;
  without.form = PortableForm::reduce_then_scan;
  return plan_portable_sort(request, capabilities, without);
}

std::uint64_t portable_scratch_bound(const PortableRequest& request) noexcept {
  if (request.operation == PortableOperation::top_k) return portable_top_k_bound(request);
  const std::uint64_t count = std::min(request.count, kMostBindingBytes / 4);  // more is refused
  const std::uint64_t keys = std::max<std::uint64_t>(4, request.key_bits / 8) * count;
  const bool two = request.operation == PortableOperation::argsort || request.key_bits < 32;
  const std::uint64_t fixed = 10 * contract::kLimitSliceAlignBytes + contract::kControlWords * 4 +
                              std::uint64_t{tune::kPortableGroups} * 256 * 4;
  // A single pass has messages in place of counts, and its totals.
  const std::uint64_t messages = std::uint64_t{2} * 4 * 256 * ceil_div(count, tune::kSinglePassTile) + 4 * 8 * 256;
  if (request.segmented) {
    const std::uint64_t tile = tune::smallest_tile();
    const std::uint64_t chunks = count / tile + std::min(request.segment_count, count / tile);
    const std::uint64_t segments = 4 * (tune::kStretches + (contract::kChunkWords + 256) * chunks);
    return fixed + 2 * contract::kLimitSliceAlignBytes + segments + (two ? 2 : 1) * aligned(keys) +
           aligned(request.value_bytes * count);
  }
  return fixed + messages + (two ? 2 : 1) * aligned(keys) + aligned(request.value_bytes * count);
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
