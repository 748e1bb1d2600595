// What the plan was for about sixty requests, written down: tests/data/plans/portable.json, read by the TypeScript twin
// too. When a plan changes on purpose, LANESORT_RENEW_PLANS=1 with this program writes the file anew; look at the
// difference before it is committed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "plan/portable/json.hpp"
#include "requests.hpp"

namespace lanesort::test {
namespace {

using plan::PortableCapabilities;
using plan::PortableLimits;
using plan::PortableOperation;
using plan::PortableRequest;

struct Golden {
  PortableRequest request;
  PortableCapabilities capabilities{};
  PortableLimits limits{};
};

PortableCapabilities with_subgroups(std::uint32_t least, std::uint32_t most, std::uint32_t workgroup_bytes = 16384) {
  PortableCapabilities device;
  device.subgroups = true;
  device.subgroup_min = least;
  device.subgroup_max = most;
  device.workgroup_bytes = workgroup_bytes;
  return device;
}

class Goldens {
 public:
  Goldens() {
    every_dtype();
    every_operation();
    orders_and_ranges();
    places();
    devices();
    shrunk();
    single_passes();
    top_ks();
    sizes();
    refusals();
    segments();
  }
  const std::vector<Golden>& all() const { return all_; }

 private:
  static constexpr PortableOperation kSort = PortableOperation::sort, kPairs = PortableOperation::sort_pairs,
                                     kArgsort = PortableOperation::argsort;

  Golden& add(PortableOperation operation, lanesort_dtype dtype, std::uint64_t count, std::uint32_t value_bytes = 0) {
    all_.push_back({portable_request(operation, dtype, count, value_bytes)});
    return all_.back();
  }

  void every_dtype() {
    for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64; ++dtype) add(kSort, dtype, 100000 + dtype);
  }

  void every_operation() {
    for (const std::uint32_t bytes : {4u, 8u, 16u}) add(kPairs, LANESORT_U32, 50001, bytes);
    for (const lanesort_dtype dtype : {LANESORT_U8, LANESORT_F16, LANESORT_I32, LANESORT_F64}) {
      add(kArgsort, dtype, 70001, 4);
      add(kArgsort, dtype, 70001, 8).request.initial_values = true;
    }
    add(kPairs, LANESORT_BF16, 70002, 4);
  }

  void orders_and_ranges() {
    for (const NanPlace nan : {NanPlace::last, NanPlace::first, NanPlace::by_bits}) {
      PortableRequest& request = add(kPairs, nan == NanPlace::first ? LANESORT_F64 : LANESORT_F32, 20000, 4).request;
      request.descending = true;
      request.nan = nan;
    }
    add(kSort, LANESORT_BOOL, 20000).request.descending = true;
    const auto range = [this](lanesort_dtype dtype, std::uint32_t begin, std::uint32_t end) {
      PortableRequest& request = add(kPairs, dtype, 20000, 4).request;
      request.bit_begin = begin;
      request.bit_end = end;
    };
    range(LANESORT_F32, 16, 32);
    range(LANESORT_U32, 3, 30);
    range(LANESORT_U64, 29, 39);
    range(LANESORT_I64, 64, 64);
    range(LANESORT_U8, 5, 5);
    range(LANESORT_I16, 1, 14);
  }

  void places() {
    for (const lanesort_dtype dtype : {LANESORT_U8, LANESORT_U32}) {
      for (std::uint32_t both = 1; both < 4; ++both) {
        PortableRequest& request = add(kPairs, dtype, 30001, 8).request;
        request.keys_in_place = (both & 1) != 0;
        request.values_in_place = (both & 2) != 0;
      }
    }
    PortableRequest& permuted = add(kArgsort, LANESORT_U32, 30001, 4).request;
    permuted.initial_values = permuted.values_in_place = true;
  }

  void devices() {
    for (const std::uint32_t lanes : {4u, 32u, 64u, 128u}) {
      add(kPairs, LANESORT_U32, 1000000, 4).capabilities = with_subgroups(lanes, lanes);
    }
    add(kPairs, LANESORT_U32, 1000000, 4).capabilities = with_subgroups(8, 32, 32768);
    add(kPairs, LANESORT_U32, 1000000, 4).capabilities = with_subgroups(32, 32, 49152);
    add(kPairs, LANESORT_U32, 1000000, 4).capabilities.workgroup_bytes = 32768;
    add(kPairs, LANESORT_U32, 1000000, 4).capabilities.workgroup_invocations = 128;
    add(kPairs, LANESORT_U32, 1000000, 4).capabilities.workgroups = 100;
  }

  void shrunk() {
    const auto shrink = [this](lanesort_dtype dtype, std::uint64_t count, PortableLimits limits) {
      add(kPairs, dtype, count, 4).limits = limits;
    };
    shrink(LANESORT_U32, 1000, {4, 1, 4, 0, false, false});
    shrink(LANESORT_F64, 1000, {16, 3, 4, 3, false, false});
    shrink(LANESORT_U16, 1000, {64, 4, 8, 1, true, false});
    shrink(LANESORT_U32, 10, {0, 0, 0, 0, true, false});
    Golden& plain = add(kSort, LANESORT_U32, 100000);
    plain.capabilities = with_subgroups(32, 32);
    plain.limits.no_subgroups = true;
  }

  void single_passes() {
    const auto sweep = [this](PortableOperation operation, lanesort_dtype dtype, std::uint64_t count,
                              std::uint32_t value_bytes, std::uint32_t workgroup_bytes) -> Golden& {
      Golden& golden = add(operation, dtype, count, value_bytes);
      golden.capabilities = with_subgroups(32, 32, workgroup_bytes);
      golden.limits.form = plan::PortableForm::single_pass;
      return golden;
    };
    for (const std::uint64_t count : {5000u, 1000000u}) sweep(kPairs, LANESORT_U32, count, 4, 49152);
    // where the form changes with the count, on a device that holds the largest tile.
    for (const std::uint64_t count : {6144u, 6145u, 2097152u, 2097153u}) {
      Golden& golden = add(kPairs, LANESORT_U32, count, 4);
      golden.capabilities = with_subgroups(32, 32, 49152);
      golden.capabilities.workgroup_invocations = 512;
    }
    // keys alone, and those of an argsort of half the bits, have a shape of their own above that.
    const auto light = [this](PortableOperation operation, lanesort_dtype dtype, std::uint64_t count, std::uint32_t value_bytes) {
      Golden& golden = add(operation, dtype, count, value_bytes);
      golden.capabilities = with_subgroups(32, 32, 49152);
      golden.capabilities.workgroup_invocations = 512;
      return &golden.request;
    };
    light(kSort, LANESORT_U32, 2097153, 0);
    light(kArgsort, LANESORT_F32, 4194304, 4)->bit_begin = 16;
    light(kArgsort, LANESORT_F32, 4194304, 4)->bit_begin = 15;  // one pass more
    sweep(kSort, LANESORT_F64, 1000001, 0, 32768);
    sweep(kArgsort, LANESORT_U8, 100001, 4, 49152);
    sweep(kSort, LANESORT_U32, 100000, 0, 16384);  // its tiles are too small
    Golden& plain = sweep(kPairs, LANESORT_I32, 100000, 4, 32768);
    plain.limits.no_subgroups = true;
    plain.request.bit_begin = 3;
    plain.request.bit_end = 22;
    Golden& shrunk = sweep(kPairs, LANESORT_U64, 1000, 8, 16384);
    shrunk.limits.workgroup = 32;
    shrunk.limits.items = 2;
    shrunk.limits.radix_bits = 4;
    shrunk.limits.looks = 1;
    shrunk.limits.withheld = 2;
    sweep(kPairs, LANESORT_U32, 1000000, 4, 49152).limits.form = plan::PortableForm::reduce_then_scan;
    Golden& empty_range = sweep(kSort, LANESORT_I64, 20000, 0, 49152);
    empty_range.request.bit_begin = 64;
    sweep(kSort, LANESORT_U32, 1000000, 0, 49152).capabilities.buffer_bytes = 4400000;  // no room for messages
    Golden& most = sweep(kSort, LANESORT_U32, contract::kMessageCount, 0, 49152);
    most.capabilities.binding_bytes = most.capabilities.buffer_bytes = std::uint64_t{1} << 33;
    Golden& more = sweep(kSort, LANESORT_U32, std::uint64_t{contract::kMessageCount} + 1, 0, 49152);
    more.capabilities.binding_bytes = more.capabilities.buffer_bytes = std::uint64_t{1} << 33;
  }

  // By one workgroup, by a search and one workgroup, by a search and passes, by a sort of all.
  void top_ks() {
    const auto top_k = [this](lanesort_dtype dtype, std::uint64_t count, std::uint64_t k, std::uint32_t value_bytes) -> Golden& {
      Golden& golden = add(PortableOperation::top_k, dtype, count, value_bytes);
      golden.request.k = k;
      return golden;
    };
    for (const std::uint64_t k : {0u, 10u, 3000u, 100000u, 750000u, 750001u, 2000000u}) top_k(LANESORT_F32, 1000000, k, 4);
    top_k(LANESORT_F64, 1000, 10, 8).request.initial_values = true;
    top_k(LANESORT_U8, 1000, 10, 4).request.keys_wanted = false;
    for (const std::uint64_t k : {10u, 20000u, 90000u}) {
      top_k(LANESORT_F16, 100001, k, 4).request.descending = true;
      top_k(LANESORT_I64, 100001, k, 16).request.initial_values = true;
      top_k(LANESORT_I8, 100001, k, 4).request.keys_wanted = false;
      top_k(LANESORT_U32, 100001, k, 0).capabilities = with_subgroups(32, 32, 49152);
    }
    Golden& range = top_k(LANESORT_U64, 100001, 30000, 4);
    range.request.bit_begin = 29;
    range.request.bit_end = 39;
    Golden& none = top_k(LANESORT_I32, 100001, 30000, 4);
    none.request.bit_begin = none.request.bit_end = 32;
    Golden& shrunk = top_k(LANESORT_U64, 3000, 500, 8);
    shrunk.limits = {16, 3, 4, 3, true, false};
    Golden& sweeping = top_k(LANESORT_U32, 1000000, 100000, 4);
    sweeping.capabilities = with_subgroups(32, 32, 49152);
    sweeping.capabilities.workgroup_invocations = 512;
    sweeping.capabilities.buffer_bytes = 3300000;  // which the messages do not fit
    top_k(LANESORT_U8, std::uint64_t{1} << 27, 100, 4);
    top_k(LANESORT_U8, (std::uint64_t{1} << 27) + 1, 100, 4);
    top_k(LANESORT_U32, std::uint64_t{1} << 33, 100, 4);
    top_k(LANESORT_U32, 33000000, 20000000, 4);
  }

  void sizes() {
    for (const std::uint64_t count : {0u, 1u, 1792u, 1793u}) add(kPairs, LANESORT_U32, count, 4);
    add(kSort, LANESORT_U8, 1);
    add(kSort, LANESORT_U32, std::uint64_t{1} << 25);
  }

  void refusals() {
    add(kSort, LANESORT_U32, 100).capabilities.workgroup_bytes = 1024;
    add(kSort, LANESORT_U32, (std::uint64_t{1} << 25) + 1);
    add(kPairs, LANESORT_U32, std::uint64_t{1} << 25, 4);
    add(kSort, LANESORT_U64, std::uint64_t{1} << 40);
  }

  Golden& add_segments(PortableOperation operation, lanesort_dtype dtype, std::uint64_t count, std::uint64_t segments,
                       std::uint32_t value_bytes = 0) {
    Golden& golden = add(operation, dtype, count, value_bytes);
    golden.request.segmented = true;
    golden.request.segment_count = segments;
    return golden;
  }

  void segments() {
    // A million of a hundred, ten thousand of as many, one: what docs/webgpu-notes.md counts by.
    for (const std::uint64_t segments : {1000000u, 10000u, 1u}) {
      Golden& golden = add_segments(kPairs, LANESORT_U32, 100000000, segments, 4);
      golden.capabilities = with_subgroups(32, 32, 49152);
      golden.capabilities.workgroup_invocations = 512;
      golden.capabilities.binding_bytes = golden.capabilities.buffer_bytes = std::uint64_t{1} << 32;
      golden.request.keys_in_place = golden.request.values_in_place = true;
    }
    for (const std::uint64_t count : {0u, 1u, 1000u, 1792u, 1793u, 100000u}) add_segments(kPairs, LANESORT_U32, count, 17, 4);
    add_segments(kSort, LANESORT_F64, 100000, 0);
    add_segments(kSort, LANESORT_F64, 100000, 5000000).request.segment_ends = true;
    for (const bool in_place : {false, true}) {
      Golden& narrow = add_segments(kPairs, LANESORT_U8, 30001, 300, 16);
      narrow.request.keys_in_place = in_place;
      narrow.request.segment_ends = true;
    }
    Golden& local = add_segments(kArgsort, LANESORT_BF16, 70001, 300, 4);
    local.request.local_indices = local.request.segment_ends = true;
    local.capabilities = with_subgroups(8, 32, 32768);
    Golden& shrunk = add_segments(kArgsort, LANESORT_F32, 70001, 5000, 8);
    shrunk.limits = {16, 2, 4, 3, true, false};
    shrunk.capabilities.workgroups = 100;
    Golden& empty_range = add_segments(kSort, LANESORT_U32, 20000, 100);
    empty_range.request.bit_begin = 32;
    add_segments(kSort, LANESORT_U32, 20000, 100).limits.form = plan::PortableForm::single_pass;
    add_segments(kSort, LANESORT_U32, 20000, 100).capabilities.workgroup_bytes = 4096;
    add_segments(kSort, LANESORT_U32, 20000, std::uint64_t{1} << 25);
  }

  std::vector<Golden> all_;
};

std::string golden_text() {
  const Goldens goldens;
  std::string out = "[";
  for (const Golden& golden : goldens.all()) {
    out += (out.size() == 1 ? "\n  " : ",\n  ") +
           plan::portable_plan_json(golden.request, golden.capabilities, golden.limits, "  ");
  }
  return out + "\n]\n";
}

TEST(GoldenPlans, AreWhatThePlanGives) {
  const std::string now = golden_text();
  if (std::getenv("LANESORT_RENEW_PLANS") != nullptr) {
    std::ofstream(LANESORT_GOLDEN_PLANS, std::ios::binary) << now;
    GTEST_SKIP() << LANESORT_GOLDEN_PLANS " was written anew";
  }
  std::ostringstream kept;
  kept << std::ifstream(LANESORT_GOLDEN_PLANS, std::ios::binary).rdbuf();
  std::istringstream want(kept.str()), got(now);
  std::string want_line, got_line;
  for (int line = 1; std::getline(want, want_line) && std::getline(got, got_line); ++line) {
    ASSERT_EQ(want_line, got_line) << LANESORT_GOLDEN_PLANS << ':' << line
                                   << " (LANESORT_RENEW_PLANS=1 writes the file anew)";
  }
  EXPECT_EQ(kept.str().size(), now.size());
}

}  // namespace
}  // namespace lanesort::test
