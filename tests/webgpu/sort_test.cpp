// The device against the CPU engine, byte for byte: first a list that has every dtype, operation and form in it, then
// random requests until the time is up. Shapes are shrunk so that little data reaches the many-tile code.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "lanesort/webgpu.h"
#include "support/call.hpp"
#include "support/draw.hpp"
#include "support/random.hpp"
#include "webgpu/handle.hpp"

namespace lanesort::test {
namespace {

class Device {
 public:
  Device() {
    if (lanesort_webgpu_open(nullptr, 0, &handle_) != LANESORT_OK) words_ = lanesort_last_error();
  }
  ~Device() { lanesort_webgpu_destroy(handle_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  lanesort_webgpu* handle() const { return handle_; }
  const std::string& words() const { return words_; }

 private:
  lanesort_webgpu* handle_ = nullptr;
  std::string words_;
};

struct Trial : OrderSpec {
  lanesort_operation operation = LANESORT_OP_SORT;
  std::uint32_t value_bytes = 0;
  bool keys_in_place = true, values_in_place = true, initial_values = false;
  Pattern pattern = Pattern::uniform;
  std::uint64_t count = 0;
  plan::PortableLimits limits;
  std::uint64_t k = 0;
  bool keys_wanted = true;  // top_k

  bool top_k() const { return operation == LANESORT_OP_TOP_K; }
  std::uint64_t given() const { return top_k() ? std::min(k, count) : count; }

  std::string text() const {
    return "operation " + std::to_string(operation) + " dtype " + lanesort_dtype_name(dtype) + " count " +
           std::to_string(count) + " pattern " + pattern_name(pattern) + (descending ? " desc" : " asc") + " floats " +
           std::to_string(float_order) + " bits " + std::to_string(bit_begin) + ":" + std::to_string(bit_end) +
           " value_bytes " + std::to_string(value_bytes) + " in place " + std::to_string(keys_in_place) +
           std::to_string(values_in_place) + " initial " + std::to_string(initial_values) + " k " + std::to_string(k) +
           (keys_wanted ? "" : " values alone") + " limits " +
           std::to_string(limits.workgroup) + "x" + std::to_string(limits.items) + " bits " +
           std::to_string(limits.radix_bits) + " groups " + std::to_string(limits.groups) +
           (limits.no_small ? " no small" : "") + (limits.no_subgroups ? " no subgroups" : "") + " form " +
           std::to_string(static_cast<std::uint32_t>(limits.form)) + " looks " + std::to_string(limits.looks) +
           " withheld " + std::to_string(limits.withheld);
  }
};

// One side's buffers; two of the same trial hold the same bytes.
struct Arrays {
  std::vector<unsigned char> keys_src, keys_dst, values_src, values_dst;

  Arrays(const Trial& trial, const std::vector<unsigned char>& keys, const std::vector<unsigned char>& values)
      : keys_src(keys),
        keys_dst(trial.given() * lanesort_dtype_bytes(trial.dtype), 0xCD),
        values_src(values),
        values_dst(trial.given() * trial.value_bytes, 0xCD) {}

  lanesort_sort_desc describe(const Trial& trial) {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = trial.dtype;
    desc.order = trial.descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
    desc.float_order = trial.float_order;
    desc.bit_begin = trial.bit_begin;
    desc.bit_end = trial.bit_end;
    desc.value_bytes = trial.value_bytes;
    desc.count = trial.count;
    desc.keys_src = keys_src.data();
    desc.k = trial.k;
    if (!values_src.empty()) desc.values_src = values_src.data();
    if (trial.top_k()) {
      if (trial.keys_wanted) desc.keys_dst = keys_dst.data();
      desc.values_dst = values_dst.data();
      return desc;
    }
    if (trial.operation != LANESORT_OP_ARGSORT) desc.keys_dst = trial.keys_in_place ? keys_src.data() : keys_dst.data();
    if (trial.value_bytes != 0)
      desc.values_dst = trial.values_in_place && !values_src.empty() ? values_src.data() : values_dst.data();
    return desc;
  }
};

void expect_same(const char* name, const std::vector<unsigned char>& got, const std::vector<unsigned char>& want) {
  ASSERT_EQ(got.size(), want.size());
  int shown = 0;
  for (std::size_t i = 0; i < got.size() && shown < 10; ++i) {
    if (got[i] == want[i]) continue;
    ADD_FAILURE() << name << " byte " << i << ": got " << int{got[i]} << ", the CPU engine has " << int{want[i]};
    ++shown;
  }
}

void run_trial(lanesort_webgpu* device, const Trial& trial, Random& random) {
  SCOPED_TRACE(trial.text());
  const std::vector<unsigned char> keys =
      make_keys(random, trial.pattern, lanesort_dtype_bytes(trial.dtype), trial.count);
  const bool has_values = trial.operation == LANESORT_OP_SORT_PAIRS || trial.initial_values;
  std::vector<unsigned char> values(has_values ? trial.count * trial.value_bytes : 0);
  for (unsigned char& byte : values) byte = static_cast<unsigned char>(random.next());
  Arrays got(trial, keys, values), want(trial, keys, values);
  device->limits = trial.limits;
  const lanesort_sort_desc on_device = got.describe(trial), on_host = want.describe(trial);
  std::uint64_t exact = 0, enough = 0;
  ASSERT_EQ(lanesort_webgpu_scratch_bytes(device, trial.operation, &on_device, &exact), LANESORT_OK)
      << lanesort_last_error();
  ASSERT_EQ(lanesort_webgpu_scratch_bytes(nullptr, trial.operation, &on_device, &enough), LANESORT_OK)
      << lanesort_last_error();
  // Tiles that tests have shrunk have more messages than is known without a device.
  if (trial.limits.workgroup == 0) { EXPECT_LE(exact, enough); }
  // Every other one is timed, for then more is recorded.
  double seconds = -1;
  const bool timed = trial.count % 2 == 0;
  ASSERT_EQ(lanesort_webgpu_run(device, trial.operation, &on_device, timed ? &seconds : nullptr), LANESORT_OK)
      << lanesort_last_error();
  if (timed) { EXPECT_GE(seconds, 0); }
  ASSERT_EQ(call(trial.operation, on_host), LANESORT_OK) << lanesort_last_error();
  expect_same("keys_src", got.keys_src, want.keys_src);
  expect_same("keys_dst", got.keys_dst, want.keys_dst);
  expect_same("values_src", got.values_src, want.values_src);
  expect_same("values_dst", got.values_dst, want.values_dst);
}

// A software driver takes a second to compile a kernel and each shape is compiled anew, so there are few: the device's
// own, and three that make tiles of little. kByPasses is what most requests take.
constexpr plan::PortableLimits kShapes[] = {
    {},
    {.workgroup = 64, .items = 2, .groups = 3, .no_small = true},
    {.workgroup = 64, .items = 3, .radix_bits = 4, .groups = 300, .no_small = true, .no_subgroups = true},
    {.workgroup = 64, .items = 2, .groups = 7, .no_small = true, .form = plan::PortableForm::single_pass},
    {.workgroup = 64,
     .items = 3,
     .radix_bits = 4,
     .no_small = true,
     .no_subgroups = true,
     .form = plan::PortableForm::single_pass,
     .looks = 1,
     .withheld = 2},
};
constexpr std::size_t kByPasses = 1;

Trial draw_trial(Random& random) {
  Trial trial;
  trial.operation = static_cast<lanesort_operation>(random.below(4));
  static_cast<OrderSpec&>(trial) = draw_order(random);
  trial.pattern = static_cast<Pattern>(random.below(static_cast<std::uint64_t>(Pattern::count)));
  trial.count = random.below(1 + (16384 >> random.below(14)));
  if (trial.operation == LANESORT_OP_SORT_PAIRS) trial.value_bytes = 4u << (random.chance(4) ? 1 + random.below(2) : 0);
  if (trial.operation == LANESORT_OP_ARGSORT) {
    trial.value_bytes = random.chance(2) ? 4 : 8;
    trial.initial_values = random.chance(3);
  }
  if (trial.top_k()) {
    trial.initial_values = random.chance(3);
    trial.value_bytes = trial.initial_values ? 4u << random.below(2) : 4 * static_cast<std::uint32_t>(random.below(2));
    trial.keys_wanted = trial.value_bytes == 0 || !random.chance(3);
    trial.k = random.chance(2) ? random.below(trial.count + 2) : random.below(1 + trial.count / 16);
  }
  trial.keys_in_place = random.chance(2);
  trial.values_in_place = random.chance(2);
  trial.limits = kShapes[random.chance(3) ? random.below(std::size(kShapes)) : kByPasses];
  return trial;
}

class OnDevice : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = new Device; }
  static void TearDownTestSuite() {
    delete device_;
    device_ = nullptr;
  }
  void SetUp() override { ASSERT_NE(device_->handle(), nullptr) << device_->words(); }
  lanesort_webgpu* device() const { return device_->handle(); }

 private:
  static inline Device* device_ = nullptr;
};

TEST_F(OnDevice, EveryDtypeAndOperation) {
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64; ++dtype) {
    for (lanesort_operation operation = LANESORT_OP_SORT; operation <= LANESORT_OP_TOP_K; ++operation) {
      Trial trial;
      trial.dtype = dtype;
      trial.operation = operation;
      trial.value_bytes = operation == LANESORT_OP_SORT ? 0 : 4;
      trial.descending = random.chance(2);
      trial.keys_in_place = random.chance(2);
      trial.values_in_place = random.chance(2);
      trial.pattern = static_cast<Pattern>(random.below(static_cast<std::uint64_t>(Pattern::count)));
      trial.count = 1000 + random.below(1000);
      trial.k = 1 + random.below(400);
      trial.limits = kShapes[kByPasses];
      run_trial(device(), trial, random);
      if (HasFailure()) return;
    }
  }
}

// Where code paths begin and end: nothing, one, around a tile, around the tile's workgroups, around the shared tiles.
TEST_F(OnDevice, SizesAtTheEdges) {
  Random random(run_seed() + 1);
  for (const plan::PortableLimits& limits : {kShapes[0], kShapes[2]}) {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = 1;
    device()->limits = limits;
    lanesort_webgpu_sorter* sorter = nullptr;
    ASSERT_EQ(lanesort_webgpu_prepare(device(), LANESORT_OP_SORT, &desc, 1, &sorter), LANESORT_OK)
        << lanesort_last_error();
    const std::string words = lanesort_webgpu_explain(sorter);
    lanesort_webgpu_release(sorter);
    const std::uint64_t tile = std::stoull(words.substr(words.find("tiles of ") + 9));
    for (const std::uint64_t middle : {std::uint64_t{1}, std::uint64_t{64}, tile, 2 * tile, 3 * tile}) {
      for (const std::uint64_t count : {middle - 1, middle, middle + 1}) {
        Trial trial;
        trial.limits = limits;
        trial.operation = LANESORT_OP_SORT_PAIRS;
        trial.value_bytes = 4;
        trial.pattern = random.chance(2) ? Pattern::ones : Pattern::few;  // what looks like padding
        trial.count = count;
        run_trial(device(), trial, random);
        if (HasFailure()) return;
      }
    }
  }
}

// Every k round where a top-k goes another way: none, one, half a tile, three quarters of all, all, more than there are; of
// keys that all look like padding, of few different ones, of others.
TEST_F(OnDevice, TopKAtTheEdges) {
  Random random(run_seed() + 7);
  constexpr std::uint64_t kTile = 64 * 2;
  for (const std::uint64_t count : {std::uint64_t{1}, kTile - 1, kTile, kTile + 1, 7 * kTile + 5}) {
    for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, kTile / 2, kTile / 2 + 1, count * 3 / 4 + 1, count - 1,
                                  count, count + 1}) {
      Trial trial;
      trial.operation = LANESORT_OP_TOP_K;
      trial.dtype = random.chance(2) ? LANESORT_F32 : LANESORT_U32;
      trial.descending = random.chance(2);
      trial.value_bytes = 4;
      trial.count = count;
      trial.k = k;
      trial.limits = kShapes[kByPasses];
      for (const Pattern pattern : {Pattern::ones, Pattern::few, Pattern::gaps}) {
        trial.pattern = pattern;
        run_trial(device(), trial, random);
        if (HasFailure()) return;
      }
    }
  }
}

// More groups than a workgroup has invocations, whose numbers are summed in rounds.
TEST_F(OnDevice, TopKOfManyTiles) {
  Random random(run_seed() + 8);
  Trial trial;
  trial.operation = LANESORT_OP_TOP_K;
  trial.value_bytes = 4;
  trial.k = 9000;
  trial.limits = {.workgroup = 64, .items = 2, .groups = tune::kPortableGroups, .no_small = true};
  trial.count = 300 * 64 * 2 - 5;
  for (const Pattern pattern : {Pattern::uniform, Pattern::ones}) {
    trial.pattern = pattern;
    run_trial(device(), trial, random);
  }
}

TEST_F(OnDevice, RandomRequests) {
  const std::uint64_t seed = run_seed() + 2;
  std::printf("seed %llu (LANESORT_SEED is two less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(8);
  int trials = 0;
  for (; trials < 2000 && !HasFailure() && std::chrono::steady_clock::now() < end; ++trials)
    run_trial(device(), draw_trial(random), random);
  std::printf("%d requests\n", trials);
}

TEST_F(OnDevice, ManyTilesEach) {
  Random random(run_seed() + 3);
  Trial trial;
  trial.operation = LANESORT_OP_SORT_PAIRS;
  trial.value_bytes = 4;
  // As it is tuned, where that is not compiled for a minute.
  if (std::string(device()->name).find("llvmpipe") == std::string::npos) {
    trial.count = 30000;
    trial.limits = {.groups = 2};
    run_trial(device(), trial, random);
  }
  // A block of the scan is four counts of each invocation: one of them not quite full, and two.
  trial.limits = {.workgroup = 64, .items = 2, .groups = tune::kPortableGroups, .no_small = true};
  for (const std::uint64_t groups : {4 * 64 - 1, 4 * 64 + 1, 2 * 4 * 64 - 57}) {
    trial.count = groups * 64 * 2 - 5;
    run_trial(device(), trial, random);
  }
}

// A single pass of many tiles and many workgroups: left alone, stalled (nobody looks twice), and with signals withheld by
// every second tile, by every third, and by all of them. Then most tiles are counted by who waits for them.
TEST_F(OnDevice, SinglePass) {
  Random random(run_seed() + 5);
  for (const bool subgroups : {true, false}) {
    for (const auto& [looks, withheld] : {std::pair{0u, 0u}, {1u, 0u}, {1u, 2u}, {0u, 3u}, {2u, 1u}}) {
      Trial trial;
      trial.operation = LANESORT_OP_SORT_PAIRS;
      trial.value_bytes = 4;
      trial.limits = {.workgroup = 64,
                      .items = subgroups ? 2u : 3u,
                      .radix_bits = subgroups ? 0u : 4u,
                      .groups = tune::kPortableGroups,
                      .no_small = true,
                      .no_subgroups = !subgroups,
                      .form = plan::PortableForm::single_pass,
                      .looks = looks,
                      .withheld = withheld};
      const std::uint64_t tile = std::uint64_t{64} * trial.limits.items;
      for (const std::uint64_t count : {tile - 1, tile, tile + 1, 2 * tile, 7 * tile + 1, 300 * tile - 5}) {
        trial.count = count;
        trial.pattern = random.chance(2) ? Pattern::uniform : Pattern::ones;
        run_trial(device(), trial, random);
        if (HasFailure()) return;
      }
    }
  }
}

// By the interface: the form that was asked for, and the one it is without asking.
TEST_F(OnDevice, FormsAreAskedFor) {
  Random random(run_seed() + 6);
  Trial trial;
  trial.operation = LANESORT_OP_SORT_PAIRS;
  trial.value_bytes = 4;
  trial.count = 20011;
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.count = trial.count;
  desc.value_bytes = 4;
  device()->limits = {};
  if (tune::kSinglePassItems < trial.count) {
    EXPECT_STREQ(lanesort_webgpu_engine(device(), trial.operation, &desc), "reduce_then_scan");
  }
  ASSERT_EQ(lanesort_webgpu_use_form(device(), LANESORT_WEBGPU_FORM_SINGLE_PASS), LANESORT_OK);
  plan::PortableRequest request;
  request.count = trial.count;
  const tune::PortableShape shape = plan::plan_portable_sort(request, device()->capabilities, {}).shape;
  const bool fits = shape.tile() >= tune::kSinglePassTile &&
                    shape.single_pass_bytes() <= device()->capabilities.workgroup_bytes;
  EXPECT_STREQ(lanesort_webgpu_engine(device(), trial.operation, &desc), fits ? "single_pass" : "reduce_then_scan");
  trial.limits = {.workgroup = 64, .items = 2, .no_small = true, .form = device()->limits.form};
  run_trial(device(), trial, random);
  ASSERT_EQ(lanesort_webgpu_use_form(device(), LANESORT_WEBGPU_FORM_REDUCE_THEN_SCAN), LANESORT_OK);
  EXPECT_STREQ(lanesort_webgpu_engine(device(), trial.operation, &desc), "reduce_then_scan");
  EXPECT_EQ(lanesort_webgpu_use_form(device(), static_cast<lanesort_webgpu_form>(3)), LANESORT_INVALID_ARGUMENT);
  EXPECT_EQ(lanesort_webgpu_use_form(nullptr, LANESORT_WEBGPU_FORM_TUNED), LANESORT_INVALID_ARGUMENT);
  device()->limits = {};
}

// Every shape that some device may be given, with as many workgroups at once as there are. A compiler's fault can show in
// one of them alone, and in pairs alone: an NVIDIA driver's did.
class InEveryTunedShape : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!HasFatalFailure() && std::string(device()->name).find("software") != std::string::npos)
      GTEST_SKIP() << "drivers for the CPU compile these for minutes, and compile each alike";
  }

  // limits: all but the shape.
  void run_shapes(plan::PortableLimits limits) {
    Random random(run_seed() + 4);
    limits.no_small = true;
    for (const tune::PortableShape& shape : tune::kSubgroupShapes) run_shape(shape, limits, random);
    limits.no_subgroups = true;
    for (const tune::PortableShape& shape : tune::kPlainShapes) run_shape(shape, limits, random);
  }

 private:
  void run_shape(const tune::PortableShape& shape, const plan::PortableLimits& limits, Random& random) {
    Trial trial;
    trial.limits = limits;
    trial.limits.workgroup = shape.workgroup;
    trial.limits.items = shape.items;
    trial.limits.radix_bits = shape.radix_bits;
    trial.value_bytes = 4;
    for (const lanesort_operation operation : {LANESORT_OP_SORT_PAIRS, LANESORT_OP_ARGSORT}) {
      trial.operation = operation;
      trial.dtype = operation == LANESORT_OP_ARGSORT ? LANESORT_F32 : LANESORT_U32;
      for (const std::uint64_t tiles : {64, 256, 700}) {
        trial.count = tiles * shape.tile() - 5;
        run_trial(device(), trial, random);
      }
    }
    trial.operation = LANESORT_OP_TOP_K;
    for (const std::uint64_t k : {std::uint64_t{100}, trial.count / 3}) {
      trial.k = k;
      run_trial(device(), trial, random);
    }
  }
};

TEST_F(InEveryTunedShape, ReduceThenScan) { run_shapes({.form = plan::PortableForm::reduce_then_scan}); }
TEST_F(InEveryTunedShape, SinglePass) { run_shapes({.form = plan::PortableForm::single_pass}); }
TEST_F(InEveryTunedShape, SinglePassWithSignalsWithheld) {
  run_shapes({.form = plan::PortableForm::single_pass, .withheld = 2});
}
TEST_F(InEveryTunedShape, SinglePassStalled) { run_shapes({.form = plan::PortableForm::single_pass, .looks = 1}); }

TEST_F(OnDevice, WhatIsRefused) {
  std::vector<std::uint32_t> keys(8), values(100);
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.count = 8;
  desc.keys_src = desc.keys_dst = keys.data();
  desc.values_src = desc.values_dst = values.data();
  desc.value_bytes = 12;
  EXPECT_EQ(lanesort_webgpu_run(device(), LANESORT_OP_SORT_PAIRS, &desc, nullptr), LANESORT_UNSUPPORTED);
  EXPECT_NE(std::string(lanesort_last_error()).find("12 bytes"), std::string::npos) << lanesort_last_error();
  lanesort_sort_desc large = LANESORT_SORT_INIT;
  large.count = device()->capabilities.binding_bytes / 4 + 1;
  lanesort_webgpu_sorter* sorter = nullptr;
  EXPECT_EQ(lanesort_webgpu_prepare(device(), LANESORT_OP_SORT, &large, 1, &sorter), LANESORT_UNSUPPORTED);
  EXPECT_NE(std::string(lanesort_last_error()).find("maxStorageBufferBindingSize"), std::string::npos)
      << lanesort_last_error();
  lanesort_sort_desc first = LANESORT_SORT_INIT;
  first.count = first.k = 8;
  EXPECT_EQ(lanesort_webgpu_prepare(device(), LANESORT_OP_TOP_K, &first, 1, &sorter), LANESORT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lanesort_last_error()).find("would write nothing"), std::string::npos) << lanesort_last_error();
  first.value_bytes = 16;
  EXPECT_EQ(lanesort_webgpu_prepare(device(), LANESORT_OP_TOP_K, &first, 1, &sorter), LANESORT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lanesort_last_error()).find("indices of 4 or 8 bytes"), std::string::npos) << lanesort_last_error();
  EXPECT_EQ(lanesort_webgpu_prepare(device(), LANESORT_OP_SORT, &desc, 0, &sorter), LANESORT_INVALID_ARGUMENT);
  EXPECT_EQ(lanesort_webgpu_run(nullptr, LANESORT_OP_SORT, &desc, nullptr), LANESORT_INVALID_ARGUMENT);
}

// The device's seconds are within the host's round the same call, and more keys take more of them.
TEST_F(OnDevice, TellsItsTime) {
  device()->limits = kShapes[kByPasses];
  double few = 0, many = 0;
  for (auto [count, seconds] : {std::pair{0u, &few}, {1000u, &few}, {50'000u, &many}}) {
    std::vector<std::uint32_t> keys(count);
    for (std::uint32_t i = 0; i < count; ++i) keys[i] = i * 2654435761u;
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = count;
    desc.keys_src = desc.keys_dst = keys.data();
    *seconds = -1;
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(lanesort_webgpu_run(device(), LANESORT_OP_SORT, &desc, seconds), LANESORT_OK) << lanesort_last_error();
    const double on_host = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_LT(*seconds, on_host);
    if (count == 0) { EXPECT_EQ(*seconds, 0); }
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  }
  EXPECT_GT(few, 0) << "all drivers that are tested on have timestamps";
  EXPECT_GT(many, few);
}

// What a row of the bench is told by.
TEST_F(OnDevice, SaysWhatItIs) {
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  ASSERT_EQ(lanesort_webgpu_capabilities(device(), &capabilities), LANESORT_OK);
  const std::string name = capabilities.device;
  if (const char* const expected = std::getenv("LANESORT_EXPECT_DEVICE")) {
    EXPECT_NE(name.find(expected), std::string::npos) << name;
    EXPECT_NE(name.find("; software, "), std::string::npos) << name;
  }
  EXPECT_STREQ(capabilities.isa, device()->capabilities.subgroups ? "subgroups" : "no_subgroups");
}

TEST(NoSubgroups, CanBeForced) {
  ASSERT_EQ(setenv("LANESORT_FORCE_ISA", "no_subgroups", 1), 0);
  const Device device;
  unsetenv("LANESORT_FORCE_ISA");
  ASSERT_NE(device.handle(), nullptr) << device.words();
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  ASSERT_EQ(lanesort_webgpu_capabilities(device.handle(), &capabilities), LANESORT_OK);
  EXPECT_STREQ(capabilities.isa, "no_subgroups");
}

TEST(NoDevice, IsSaidInWords) {
  lanesort_webgpu* handle = nullptr;
  EXPECT_EQ(lanesort_webgpu_open("/nowhere/libwebgpu.so", 0, &handle), LANESORT_DEVICE_UNAVAILABLE);
  EXPECT_NE(std::string(lanesort_last_error()).find("/nowhere/libwebgpu.so"), std::string::npos)
      << lanesort_last_error();
  EXPECT_EQ(handle, nullptr);
}

}  // namespace
}  // namespace lanesort::test
