// What every portable plan has: slices aligned, inside scratch and apart from each other, digits that cover the bit range
// once, dispatches that the device can make, scratch within the bound, and refusals that say what was asked and how much
// there is. Counts go far past what any device holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "plan/portable/json.hpp"
#include "requests.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

using plan::BindingSet;
using plan::BufferRole;
using plan::PortableCapabilities;
using plan::PortableLimits;
using plan::PortableOperation;
using plan::PortablePlan;
using plan::PortableRefusal;
using plan::PortableRequest;
using plan::Slice;

struct Trial {
  PortableRequest request;
  PortableCapabilities device;
  PortableLimits limits;
  PortablePlan plan() const { return plan_portable_sort(request, device, limits); }
  std::string text() const { return portable_plan_json(request, device, limits); }
  bool top_k() const { return request.operation == PortableOperation::top_k; }
  std::uint64_t given_out() const { return top_k() ? std::min(request.k, request.count) : request.count; }
};

template <class T>
T one_of(Random& random, std::initializer_list<T> choices) {
  return choices.begin()[random.below(choices.size())];
}

// Any number of bits below 64.
std::uint64_t skewed(Random& random) { return random.next() >> random.below(64); }

PortableRequest draw_request(Random& random) {
  const auto operation = static_cast<PortableOperation>(random.below(4));
  PortableRequest request = portable_request(operation, static_cast<lanesort_dtype>(1 + random.below(13)), skewed(random));
  request.descending = random.chance(2);
  request.nan = static_cast<NanPlace>(random.below(3));
  if (random.chance(2)) {
    request.bit_begin = static_cast<std::uint32_t>(random.below(request.key_bits + 1));
    request.bit_end = request.bit_begin + static_cast<std::uint32_t>(random.below(request.key_bits - request.bit_begin + 1));
  }
  if (operation == PortableOperation::top_k) {
    request.k = one_of(random, {std::uint64_t{0}, std::uint64_t{1}, skewed(random), request.count, request.count / 2});
    request.initial_values = random.chance(2);
    request.value_bytes = request.initial_values ? one_of(random, {4u, 8u, 16u}) : one_of(random, {0u, 4u, 8u});
    request.keys_wanted = request.value_bytes == 0 || random.chance(2);
    return request;
  }
  request.keys_in_place = operation != PortableOperation::argsort && random.chance(2);
  if (operation != PortableOperation::sort) {
    request.value_bytes = one_of(random, {4u, 8u, 16u});
    request.initial_values = operation == PortableOperation::argsort && random.chance(2);
    request.values_in_place = random.chance(2);
  }
  return request;
}

PortableCapabilities draw_device(Random& random) {
  PortableCapabilities device;
  device.subgroups = random.chance(2);
  device.subgroup_min = 1u << random.below(8);
  device.subgroup_max = device.subgroup_min << random.below(3);
  if (random.chance(2)) return device;
  device.workgroup_bytes = static_cast<std::uint32_t>(random.below(70000));
  device.workgroup_invocations = static_cast<std::uint32_t>(1 + random.below(1024));
  device.workgroups = 1 + static_cast<std::uint32_t>(random.below(2000));
  device.binding_bytes = skewed(random);
  device.buffer_bytes = std::max(device.binding_bytes, skewed(random));
  return device;
}

PortableLimits draw_limits(Random& random) {
  PortableLimits limits;
  if (random.chance(2)) limits.workgroup = 1 + static_cast<std::uint32_t>(random.below(300));
  if (random.chance(2)) limits.items = 1 + static_cast<std::uint32_t>(random.below(20));
  limits.radix_bits = one_of(random, {0u, 4u, 8u});
  if (random.chance(2)) limits.groups = 1 + static_cast<std::uint32_t>(random.below(1024));
  limits.no_small = random.chance(2);
  limits.no_subgroups = random.chance(4);
  limits.form = static_cast<plan::PortableForm>(random.below(3));
  limits.looks = static_cast<std::uint32_t>(random.below(3));
  limits.withheld = static_cast<std::uint32_t>(random.below(3));
  return limits;
}

bool apart(const Slice& a, const Slice& b) {
  return a.role != b.role || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
}

// Of one element, without which a binding is refused.
std::uint64_t least_bytes(const PortablePlan& plan, std::size_t binding) {
  if (binding >= contract::kBindingCounts) return 4;
  return 4 * (binding < contract::kBindingValuesSrc ? plan.key_words : std::max(1u, plan.value_words));
}

void expect_sound_slices(const Trial& trial, const PortablePlan& plan) {
  for (std::uint32_t set = 0; set < plan.binding_count; ++set) {
    const BindingSet& slices = plan.bindings[set];
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const Slice& slice = slices[i];
      EXPECT_EQ(slice.offset % contract::kLimitSliceAlignBytes, 0u);
      EXPECT_EQ(slice.bytes % 4, 0u);
      EXPECT_LE(slice.bytes, trial.device.binding_bytes);
      if (slice.role == BufferRole::scratch) {
        EXPECT_GE(slice.bytes, least_bytes(plan, i)) << "not one element";
        EXPECT_LE(slice.offset, plan.scratch_bytes);
        EXPECT_LE(slice.bytes, plan.scratch_bytes - slice.offset);
      }
      for (std::size_t k = 0; k < i; ++k) EXPECT_TRUE(apart(slice, slices[k])) << "set " << set << ": " << k << ", " << i;
    }
  }
  EXPECT_LE(plan.scratch_bytes, trial.device.buffer_bytes);
  EXPECT_LE(plan.sorted_count_offset + 4, plan.scratch_bytes);
}

// A slice of the caller's is as long as its items, in whole words.
void expect_callers_slices(const Trial& trial, const PortablePlan& plan) {
  for (std::uint32_t set = 0; set < plan.binding_count; ++set) {
    for (const Slice& slice : plan.bindings[set]) {
      if (slice.role == BufferRole::scratch || slice.role == BufferRole::count) continue;
      const bool keys = slice.role == BufferRole::keys_src || slice.role == BufferRole::keys_dst;
      const bool out = slice.role == BufferRole::keys_dst || slice.role == BufferRole::values_dst;
      const std::uint64_t bytes = (out ? trial.given_out() : trial.request.count) * (keys ? trial.request.key_bits / 8 : trial.request.value_bytes);
      EXPECT_EQ(slice.offset, 0u);
      EXPECT_GE(slice.bytes, bytes);
      EXPECT_LT(slice.bytes, bytes + 4);
    }
  }
}

bool searches(const PortablePlan& plan) {
  return plan.dispatch_count > 1 && plan.dispatches[1].kernel == contract::Kernel::probe;
}

void expect_sound_dispatches(const Trial& trial, const PortablePlan& plan) {
  const tune::PortableShape& shape = plan.shape;
  EXPECT_LE(shape.shared_bytes(), trial.device.workgroup_bytes);
  if (plan.form == plan::PortableForm::single_pass) {
    EXPECT_LE(shape.single_pass_bytes(), trial.device.workgroup_bytes);
    EXPECT_NE(trial.limits.form, plan::PortableForm::reduce_then_scan);
    EXPECT_LE(searches(plan) ? plan.steps[0].room : trial.request.count, contract::kMessageCount);
    EXPECT_GE(plan.steps[searches(plan) ? plan.steps[0].pass_count + 1 : 0].looks, 1u);
  }
  EXPECT_LE(shape.workgroup, trial.device.workgroup_invocations);
  ASSERT_LE(plan.dispatch_count, PortablePlan::kMaxDispatches);
  ASSERT_LE(plan.step_count, PortablePlan::kMaxSteps);
  ASSERT_LE(plan.binding_count, PortablePlan::kMaxBindings);
  EXPECT_GT(plan.dispatch_count, 0u);
  for (std::uint32_t i = 0; i < plan.dispatch_count; ++i) {
    const plan::Dispatch& dispatch = plan.dispatches[i];
    EXPECT_LT(dispatch.step, plan.step_count);
    EXPECT_LT(dispatch.bindings, plan.binding_count);
    EXPECT_GE(dispatch.workgroups, 1u);
    EXPECT_LE(dispatch.workgroups, trial.device.workgroups);
    if (dispatch.kernel == contract::Kernel::scan) { EXPECT_EQ(dispatch.workgroups, shape.radix()); }
  }
}

// The digits of a top-k's search, from the highest down, are the bits of the range, and its steps' ranges what is above them.
void expect_search_covers(const Trial& trial, const PortablePlan& plan) {
  std::uint64_t above = 0;
  const std::uint32_t passes = plan.steps[0].pass_count, width = trial.request.bit_end - trial.request.bit_begin;
  for (std::uint32_t pass = 0; pass <= passes; ++pass) {
    const contract::Step& step = plan.steps[pass];
    EXPECT_EQ(step.pass_index, pass);
    EXPECT_EQ(step.range_lo | std::uint64_t{step.range_hi} << 32, above);
    EXPECT_LT(step.digit_mask, plan.shape.radix());
    EXPECT_EQ(above & std::uint64_t{step.digit_mask} << step.shift, 0u);
    above |= std::uint64_t{step.digit_mask} << step.shift;
  }
  EXPECT_EQ(above, width == 0 ? 0 : ~std::uint64_t{0} >> (64 - width) << trial.request.bit_begin);
  EXPECT_EQ(plan.steps[passes].digit_mask, 0u);
  EXPECT_GE(plan.steps[0].room, plan.steps[0].kept);
  EXPECT_LE(plan.steps[0].room, trial.request.count);
}

// The digits of the passes, from the lowest up, are the bits of the range.
void expect_digits_cover(const Trial& trial, const PortablePlan& plan) {
  const PortableRequest& request = trial.request;
  const std::uint32_t first = searches(plan) ? plan.steps[0].pass_count + 1 : 0;
  std::uint32_t next = request.bit_begin;
  for (std::uint32_t pass = 0; pass < plan.steps[first].pass_count; ++pass) {
    const contract::Step& step = plan.steps[first + pass];
    EXPECT_EQ(step.pass_index, pass);
    EXPECT_EQ(step.shift, next);
    for (std::uint32_t bits = step.digit_mask; bits != 0; bits >>= 1) {
      EXPECT_EQ(bits & 1, 1u);
      ++next;
    }
    EXPECT_LT(step.digit_mask, plan.shape.radix());
  }
  EXPECT_EQ(next, request.bit_end);
}

// What a refusal says was asked for is more than what it says there is.
void expect_grounded_refusal(const Trial& trial, const PortablePlan& plan) {
  if (plan.refusal == PortableRefusal::no_shape) {
    EXPECT_EQ(plan.asked, trial.device.workgroup_bytes);
    return;
  }
  EXPECT_GT(plan.asked, plan.limit);
  EXPECT_LE(plan.limit, plan.refusal == PortableRefusal::binding_too_large ? trial.device.binding_bytes : trial.device.buffer_bytes);
}

TEST(PortablePlans, AreSoundOrRefused) {
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  std::uint64_t made = 0, in_single_passes = 0, in_searches = 0, refused[4] = {};
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    const Trial trial{draw_request(random), draw_device(random), draw_limits(random)};
    const PortablePlan plan = trial.plan();
    ++refused[static_cast<std::size_t>(plan.refusal)];
    if (plan.refusal != PortableRefusal::none) {
      expect_grounded_refusal(trial, plan);
    } else if (trial.given_out() != 0) {
      ++made;
      in_single_passes += plan.form == plan::PortableForm::single_pass ? 1 : 0;
      expect_sound_slices(trial, plan);
      expect_callers_slices(trial, plan);
      expect_sound_dispatches(trial, plan);
      expect_digits_cover(trial, plan);
      if (!searches(plan)) continue;
      ++in_searches;
      expect_search_covers(trial, plan);
    } else {
      EXPECT_EQ(plan.dispatch_count, 0u);
      EXPECT_EQ(plan.scratch_bytes, 0u);
    }
    if (HasFailure()) ADD_FAILURE() << trial.text();
  }
  EXPECT_GT(made, 1000u);
  EXPECT_GT(in_single_passes, 100u);
  EXPECT_GT(in_searches, 100u);
  for (const std::uint64_t count : refused) EXPECT_GT(count, 10u) << "a kind of refusal was not met";
}

// On every device that has what WebGPU promises there is a shape, and the bound on scratch holds.
TEST(PortablePlans, FitWhereWebGpusDefaultsAre) {
  Random random(run_seed());
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    Trial trial{draw_request(random), draw_device(random), {}};
    const PortableCapabilities least;
    trial.device.workgroup_bytes = std::max(trial.device.workgroup_bytes, least.workgroup_bytes);
    trial.device.workgroup_invocations = std::max(trial.device.workgroup_invocations, least.workgroup_invocations);
    trial.device.workgroups = least.workgroups;
    const PortablePlan plan = trial.plan();
    EXPECT_NE(plan.refusal, PortableRefusal::no_shape) << trial.text();
    if (plan.refusal == PortableRefusal::none) {
      EXPECT_LE(plan.scratch_bytes, portable_scratch_bound(trial.request)) << trial.text();
    }
  }
}

// Whatever is bound is refused by its true size, and no size is so large that it looks small.
TEST(PortablePlans, NoCountLooksSmall) {
  Random random(run_seed());
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    Trial trial{draw_request(random), {}, {}};
    trial.limits.no_small = random.chance(2);
    trial.device.binding_bytes = trial.device.buffer_bytes = random.chance(2) ? ~std::uint64_t{0} : std::uint64_t{1} << 30;
    trial.request.count = one_of<std::uint64_t>(random, {0, 1, 2, 3}) + (std::uint64_t{1} << (32 + random.below(32)));
    if (trial.given_out() == 0) continue;
    EXPECT_EQ(trial.plan().refusal, PortableRefusal::binding_too_large) << trial.text();
    // Scratch of a top-k goes by k, which is believed up to what 32 bits count.
    if (trial.top_k() && trial.request.k < (std::uint64_t{1} << 31)) continue;
    EXPECT_GE(portable_scratch_bound(trial.request), std::uint64_t{1} << 33) << trial.text();
  }
}

TEST(PortablePlans, NoFormIsRefusedWhereAnotherIsNot) {
  Random random(run_seed() + 1);
  std::uint64_t in_single_passes = 0;
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    Trial trial{draw_request(random), draw_device(random), draw_limits(random)};
    // Not much more than the keys take.
    if (random.chance(2)) trial.device.buffer_bytes = 5 * (trial.request.count & 0xffffffff) + random.below(100000);
    trial.limits.form = plan::PortableForm::single_pass;
    const PortablePlan sweeping = trial.plan();
    in_single_passes += sweeping.form == plan::PortableForm::single_pass ? 1 : 0;
    trial.limits.form = plan::PortableForm::reduce_then_scan;
    EXPECT_EQ(sweeping.refusal, trial.plan().refusal) << trial.text();
  }
  EXPECT_GT(in_single_passes, 100u);
}

TEST(PortablePlans, EachLimitIsTheOneThatIsMet) {
  Trial trial{portable_request(PortableOperation::sort, LANESORT_U32, 1 << 20), {}, {}};
  const std::uint64_t bytes = 4u << 20, scratch = trial.plan().scratch_bytes;
  trial.device.binding_bytes = bytes;
  trial.device.buffer_bytes = scratch;
  EXPECT_EQ(trial.plan().refusal, PortableRefusal::none);
  trial.device.buffer_bytes = scratch - 1;
  EXPECT_EQ(trial.plan().refusal, PortableRefusal::scratch_too_large);
  EXPECT_EQ(trial.plan().asked, scratch);
  EXPECT_EQ(trial.plan().limit, scratch - 1);
  trial.device.binding_bytes = bytes - 1;
  EXPECT_EQ(trial.plan().refusal, PortableRefusal::binding_too_large);
  EXPECT_EQ(trial.plan().asked, bytes);
  EXPECT_EQ(trial.plan().limit, bytes - 1);
}

}  // namespace
}  // namespace lanesort::test
