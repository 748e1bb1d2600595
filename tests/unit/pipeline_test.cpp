// Host arrays through a device that holds part of them: how they are cut, that every byte is right whatever the lanes' pace,
// and what is left when the device breaks or is smaller than it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "api/check.hpp"
#include "pipeline/cuts.hpp"
#include "pipeline/sort.hpp"
#include "support/call.hpp"
#include "support/draw.hpp"
#include "support/effort.hpp"
#include "support/lagging_device.hpp"

namespace lanesort::test {
namespace {

using Bytes = std::vector<unsigned char>;

Random seeded() {
  std::printf("LANESORT_SEED=%llu\n", static_cast<unsigned long long>(run_seed()));
  return Random(run_seed());
}

TEST(Chunks, FitAndAreEven) {
  Random random = seeded();
  for (int trial = 0; trial < 3000; ++trial) {
    const std::uint64_t count = 1 + random.below(std::uint64_t{1} << random.below(40)), item = 1 + random.below(24);
    const std::uint64_t bytes = random.below(std::uint64_t{1} << random.below(44));
    const auto scratch = [&](std::uint64_t items) { return 300 + items * item + items / 4; };
    const plan::ChunkPlan plan = plan::plan_chunks(count, item, bytes, scratch);
    if (plan.chunks == 0) {
      EXPECT_GT(plan::kChunkSlots * item + scratch(1), bytes) << count << " " << item;
      continue;
    }
    EXPECT_LE(plan.slots * plan.chunk * item + scratch(plan.chunk), bytes);
    EXPECT_LT((plan.chunks - 1) * plan.chunk, count);
    EXPECT_GE(plan.chunks * plan.chunk, count);
    if (plan.chunks > 1) {
      EXPECT_GT(count * item + scratch(count), bytes) << "all would have fitted";
      const std::uint64_t fewer = (count + plan.chunks - 2) / (plan.chunks - 1);
      EXPECT_GT(plan::kChunkSlots * fewer * item + scratch(fewer), bytes) << "fewer chunks would have fitted";
    }
  }
}

lanesort_sort_desc descriptor(const OrderSpec& order, std::uint64_t count) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = order.dtype;
  desc.order = order.descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
  desc.float_order = order.float_order;
  desc.bit_begin = order.bit_begin;
  desc.bit_end = order.bit_end;
  desc.count = count;
  return desc;
}

// Runs are sorted by the CPU engine, with their places as values; so is the whole, stably. An item's cut is then a lookup.
TEST(Cuts, AreWhereTheStableSortWouldCut) {
  Random random = seeded();
  for (std::uint64_t trial = 0; trial < share_of(300); ++trial) {
    const OrderSpec order = draw_order(random);
    const std::uint32_t width = lanesort_dtype_bytes(order.dtype);
    const std::uint64_t count = 1 + random.below(600);
    Bytes keys = make_keys(random, static_cast<Pattern>(random.below(static_cast<std::uint64_t>(Pattern::count))), width, count);
    pipeline::Runs runs;
    runs.count = count;
    runs.block = 1 + random.below(count);
    runs.run = runs.block * (1 + random.below(count / runs.block));
    for (std::uint64_t i = 0; i < count; i += runs.block)
      runs.blocks.push_back(reinterpret_cast<const std::byte*>(keys.data() + i * width));
    for (std::uint64_t r = 0; r < runs.runs(); ++r) {
      lanesort_sort_desc desc = descriptor(order, runs.length_of(r));
      desc.threads = 1;
      desc.keys_src = desc.keys_dst = keys.data() + r * runs.run * width;
      ASSERT_EQ(lanesort_sort(&desc), LANESORT_OK) << lanesort_last_error();
    }
    std::vector<std::uint32_t> sorted(count);
    lanesort_sort_desc desc = descriptor(order, count);
    desc.threads = 1;
    desc.keys_src = keys.data();
    desc.values_dst = sorted.data();
    desc.value_bytes = 4;
    ASSERT_EQ(lanesort_argsort(&desc), LANESORT_OK) << lanesort_last_error();
    cpu::Request request;
    ASSERT_EQ(api::check_request(LANESORT_OP_ARGSORT, api::Use::sort, &desc, 1, &request), LANESORT_OK);
    runs.key = request.key;
    std::vector<std::uint64_t> from(runs.runs(), 0);
    std::uint64_t earlier = 0;
    for (int cut = 0; cut < 8; ++cut) {
      const std::uint64_t place = cut == 0 ? 0 : cut == 1 ? count : random.below(count + 1);
      std::vector<std::uint64_t> want(runs.runs(), 0);
      for (std::uint64_t i = 0; i < place; ++i) ++want[sorted[i] / runs.run];
      if (place < earlier) from.assign(runs.runs(), 0);
      ASSERT_EQ(pipeline::cut_runs(runs, place, from), want)
          << "place " << place << " of " << count << ", runs of " << runs.run;
      from = want;
      earlier = place;
    }
  }
}

// A request on host memory with a guard behind each array, and the same request done by the CPU engine.
struct Case {
  lanesort_operation operation;
  OrderSpec order;
  std::uint64_t count;
  std::uint32_t value_bytes = 0;
  bool keys_in_place = false, values_in_place = false, own_indices = false;
  Bytes keys, values, keys_out, values_out, keys_kept, values_kept;

  Case(Random& random, std::uint64_t most) {
    operation = static_cast<lanesort_operation>(random.below(3));
    order = draw_order(random);
    count = random.below(most + 1);
    constexpr std::uint32_t kWidths[] = {1, 2, 4, 8, 16};
    if (operation == LANESORT_OP_SORT_PAIRS) value_bytes = kWidths[random.below(5)];
    if (operation == LANESORT_OP_ARGSORT) value_bytes = random.chance(2) ? 4 : 8;
    own_indices = operation == LANESORT_OP_ARGSORT && random.chance(2);
    keys_in_place = operation != LANESORT_OP_ARGSORT && random.chance(2);
    values_in_place = (operation == LANESORT_OP_SORT_PAIRS || own_indices) && random.chance(2);
    const std::uint32_t width = lanesort_dtype_bytes(order.dtype);
    keys = make_keys(random, static_cast<Pattern>(random.below(static_cast<std::uint64_t>(Pattern::count))), width, count);
    keys.resize(count * width + kGuard, kGuardByte);
    values.resize(count * value_bytes + kGuard, kGuardByte);
    for (std::uint64_t i = 0; i < count * value_bytes; ++i) values[i] = static_cast<unsigned char>(random.next());
    keys_out.assign(keys.size(), kGuardByte);
    values_out.assign(values.size(), kGuardByte);
    keys_kept = keys;
    values_kept = values;
  }

  // Into the case's own arrays.
  lanesort_sort_desc describe() {
    lanesort_sort_desc desc = descriptor(order, count);
    desc.threads = 1;
    desc.value_bytes = value_bytes;
    desc.keys_src = keys.data();
    if (operation != LANESORT_OP_ARGSORT) desc.keys_dst = keys_in_place ? keys.data() : keys_out.data();
    if (operation == LANESORT_OP_SORT_PAIRS || own_indices) desc.values_src = values.data();
    if (operation != LANESORT_OP_SORT) desc.values_dst = values_in_place ? values.data() : values_out.data();
    return desc;
  }
  bool in_place() const { return keys_in_place || values_in_place; }
  bool same(const Case& other) const {
    return keys == other.keys && values == other.values && keys_out == other.keys_out && values_out == other.values_out;
  }
  bool untouched() const { return keys == keys_kept && values == values_kept; }
  std::string words() const {
    return "operation " + std::to_string(operation) + " of " + std::to_string(count) + " " + lanesort_dtype_name(order.dtype) + " + " +
           std::to_string(value_bytes) + (keys_in_place ? ", keys in place" : "") + (values_in_place ? ", values in place" : "");
  }

  static constexpr std::size_t kGuard = 64;
  static constexpr unsigned char kGuardByte = 0xA5;
};

lanesort_status run(LaggingDevice& device, Case& c, std::uint64_t device_bytes, Random& random,
                    double* host_share = nullptr) {
  const lanesort_sort_desc desc = c.describe();
  cpu::Request request;
  const lanesort_status status = api::check_request(c.operation, api::Use::sort, &desc, 1, &request);
  if (status != LANESORT_OK) return status;
  tune::HostCopies copies;
  copies.piece_bytes = 64 * (1 + random.below(200));
  copies.direct_bytes = random.below(200);
  copies.shared_bytes = random.below(1000);
  copies.threads = 1 + static_cast<std::uint32_t>(random.below(3));
  copies.most_chunks = random.below(20);
  copies.chunk_bytes = 1 + random.below(5000);
  copies.blocks = 1 + random.below(40);
  return pipeline::sort(device, c.operation, desc, request, {device_bytes, copies, host_share != nullptr, host_share});
}

std::uint64_t some_room(const Case& c, Random& random) {
  const std::uint64_t item = lanesort_dtype_bytes(c.order.dtype) + c.value_bytes;
  return 2000 + random.below(1 + 3 * item * c.count);
}

TEST(Pipeline, GivesTheBytesOfTheCpuEngine) {
  Random random = seeded();
  std::uint64_t in_parts = 0;
  for (std::uint64_t trial = 0; trial < share_of(120); ++trial) {
    Case c(random, 10000);
    Case expected = c;
    ASSERT_EQ(call(expected.operation, expected.describe()), LANESORT_OK) << lanesort_last_error();
    LaggingDevice device({.pinned = random.chance(2), .seed = random.next()});
    const std::uint64_t room = some_room(c, random);
    ASSERT_EQ(run(device, c, room, random), LANESORT_OK) << c.words() << " in " << room << ": " << lanesort_last_error();
    ASSERT_TRUE(c.same(expected)) << c.words() << " in " << room;
    EXPECT_LE(device.peak_bytes(), room);
    EXPECT_EQ(device.allocations(), 0u);
    in_parts += device.sorts() > 1;
  }
  EXPECT_GT(in_parts, 0u);
}

TEST(Pipeline, WithTheHostsHelpGivesTheSameBytes) {
  Random random = seeded();
  double by_host = 0;
  std::uint64_t by_device = 0;
  for (std::uint64_t trial = 0; trial < share_of(120); ++trial) {
    Case c(random, 10000);
    Case expected = c;
    ASSERT_EQ(call(expected.operation, expected.describe()), LANESORT_OK) << lanesort_last_error();
    LaggingDevice device({.pinned = random.chance(2), .seed = random.next()});
    const std::uint64_t room = some_room(c, random);
    double share = 0;
    ASSERT_EQ(run(device, c, room, random, &share), LANESORT_OK)
        << c.words() << " in " << room << ": " << lanesort_last_error();
    ASSERT_TRUE(c.same(expected)) << c.words() << " in " << room << ", " << share << " of it by the host";
    EXPECT_LE(device.peak_bytes(), room);
    EXPECT_EQ(device.allocations(), 0u);
    by_host += share;
    by_device += device.sorts();
  }
  EXPECT_GT(by_host, 0);
  EXPECT_GT(by_device, 0u);
}

// Wherever the device breaks: an error with words and a source as it was, or, once the source is being written over, the
// right result all the same.
TEST(Pipeline, ADeviceThatBreaksLosesNothing) {
  Random random = seeded();
  std::uint64_t refused = 0, ended_by_the_host = 0;
  for (std::uint64_t trial = 0; trial < share_of(120); ++trial) {
    Case c(random, 8000);
    if (c.count == 0) continue;
    Case whole = c, expected = c;
    ASSERT_EQ(call(expected.operation, expected.describe()), LANESORT_OK);
    const std::uint64_t room = some_room(c, random), seed = random.next();
    const bool pinned = random.chance(2), helped = random.chance(3);
    double share = 0;
    double* const host_share = helped ? &share : nullptr;
    Random copies(seed);
    LaggingDevice good({.pinned = pinned, .seed = seed});
    ASSERT_EQ(run(good, whole, room, copies, host_share), LANESORT_OK) << lanesort_last_error();
    copies = Random(seed);
    LaggingDevice bad(
        {.pinned = pinned, .fail_at = random.below(std::max<std::uint64_t>(1, good.pieces_of_work())), .seed = seed});
    const lanesort_status status = run(bad, c, room, copies, host_share);
    EXPECT_EQ(bad.allocations(), 0u);
    if (status == LANESORT_OK) {
      ASSERT_TRUE(c.same(expected)) << c.words();
      ++ended_by_the_host;
      continue;
    }
    ASSERT_EQ(status, LANESORT_DEVICE_ERROR) << c.words();
    EXPECT_STREQ(lanesort_last_error(), "the lagging device broke");
    // A single load in place may break while it comes down.
    if (!c.in_place() || good.sorts() > 1) {
      EXPECT_TRUE(c.untouched()) << c.words();
    }
    ++refused;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(ended_by_the_host, 0u);
}

TEST(Pipeline, ASortThatBreaksLeavesTheSource) {
  Random random = seeded();
  Case c(random, 0);
  c = Case(random, 3000);
  while (c.operation != LANESORT_OP_SORT || !c.keys_in_place || c.count < 100) c = Case(random, 3000);
  // Up, mark, wait, sort: the fourth piece of work.
  LaggingDevice device({.pinned = true, .fail_at = 3});
  EXPECT_EQ(run(device, c, 0, random), LANESORT_DEVICE_ERROR);
  EXPECT_TRUE(c.untouched());
}

TEST(Pipeline, TakesMoreChunksWhereThereIsLessMemoryThanWasSaid) {
  Random random = seeded();
  for (std::uint64_t trial = 0; trial < share_of(40); ++trial) {
    Case c(random, 10000);
    Case expected = c;
    ASSERT_EQ(call(expected.operation, expected.describe()), LANESORT_OK);
    LaggingDevice device({.memory_bytes = some_room(c, random), .seed = random.next()});
    ASSERT_EQ(run(device, c, 0, random), LANESORT_OK) << c.words() << ": " << lanesort_last_error();
    ASSERT_TRUE(c.same(expected)) << c.words();
    EXPECT_EQ(device.allocations(), 0u);
  }
}

TEST(Pipeline, SaysSoWhereNotOneItemFits) {
  Random random = seeded();
  Case c(random, 3000);
  while (c.count == 0) c = Case(random, 3000);
  LaggingDevice device({.memory_bytes = 10, .claimed_bytes = 1 << 20});
  EXPECT_EQ(run(device, c, 0, random), LANESORT_OUT_OF_MEMORY);
  EXPECT_NE(std::string(lanesort_last_error()).find("not even one item"), std::string::npos) << lanesort_last_error();
  EXPECT_TRUE(c.untouched());
  EXPECT_EQ(device.allocations(), 0u);
}

}  // namespace
}  // namespace lanesort::test
