// Segments on a caller's device against the CPU engine, byte for byte: offsets in order, past the items, and neither; in
// buffers that stand anywhere, with canaries round them and dirt in scratch. Two variants of the kernels, for they take
// long to compile: keys of up to 32 bits with 4 bytes by subgroups, keys of 64 bits with 8 bytes without.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>

#include "lanesort/webgpu.h"
#include "support/call.hpp"
#include "support/draw.hpp"
#include "support/offsets.hpp"
#include "support/random.hpp"
#include "webgpu/callers_device.hpp"

namespace lanesort::test {
namespace {

using Bytes = std::vector<unsigned char>;
constexpr std::uint64_t kFence = 256;
constexpr unsigned char kCanary = 0xA5;
constexpr plan::PortableLimits kLanes{.workgroup = 64, .items = 2, .groups = 8};
constexpr plan::PortableLimits kPlain{.workgroup = 64, .items = 3, .groups = 8, .no_subgroups = true};

struct Trial : OrderSpec {
  lanesort_operation operation = LANESORT_OP_SORT_PAIRS;
  Pattern pattern = Pattern::uniform;
  std::uint64_t count = 0;
  Offsets offsets;
  bool keys_in_place = true, values_in_place = true, local = false;
  std::optional<std::uint32_t> device_count;

  bool argsort() const { return operation == LANESORT_OP_ARGSORT; }
  std::uint32_t key_bytes() const { return lanesort_dtype_bytes(dtype); }
  std::uint32_t value_bytes() const { return key_bytes() == 8 ? 8 : 4; }
  std::uint64_t items() const { return std::min<std::uint64_t>(count, device_count.value_or(UINT32_MAX)); }
  std::string text() const {
    return "operation " + std::to_string(operation) + " dtype " + lanesort_dtype_name(dtype) + " count " +
           std::to_string(count) + " of which " + std::to_string(items()) + " pattern " + pattern_name(pattern) +
           (descending ? " desc" : " asc") + " floats " + std::to_string(float_order) + " bits " +
           std::to_string(bit_begin) + ":" + std::to_string(bit_end) + " in place " + std::to_string(keys_in_place) +
           std::to_string(values_in_place) + " local " + std::to_string(local) + " segments " +
           std::to_string(offsets.begins.size()) + (offsets.joined ? " joined" : " apart");
  }
  lanesort_sort_desc describe() const {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = dtype;
    desc.order = descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
    desc.float_order = float_order;
    desc.bit_begin = bit_begin;
    desc.bit_end = bit_end;
    desc.value_bytes = value_bytes();
    desc.count = count;
    desc.segment_count = offsets.begins.size();
    desc.local_indices = local;
    return desc;
  }
};

// One side's buffers, before and after.
struct Arrays {
  Bytes keys_src, keys_dst, values_src, values_dst;

  Arrays(const Trial& trial, Random& random) {
    const auto noise = [&](std::uint64_t bytes) {
      Bytes out((bytes + 3) / 4 * 4);
      for (unsigned char& byte : out) byte = static_cast<unsigned char>(random.next());
      return out;
    };
    const std::uint64_t key_bytes = trial.count * trial.key_bytes(), value_bytes = trial.count * trial.value_bytes();
    keys_src = noise(key_bytes);
    const Bytes keys = make_keys(random, trial.pattern, trial.key_bytes(), trial.count);
    std::copy(keys.begin(), keys.end(), keys_src.begin());
    if (!trial.argsort() && !trial.keys_in_place) keys_dst = noise(key_bytes);
    if (!trial.argsort()) values_src = noise(value_bytes);
    if (trial.argsort() || !trial.values_in_place) values_dst = noise(value_bytes);
  }

  // What the CPU makes of them.
  void sort(const Trial& trial) {
    if (are_broken(trial.offsets) || trial.offsets.begins.empty() || trial.items() == 0) return;
    const Offsets offsets = clamped(trial.offsets, trial.items());
    lanesort_sort_desc desc = trial.describe();
    desc.count = trial.items();
    desc.keys_src = keys_src.data();
    if (!trial.argsort()) desc.keys_dst = trial.keys_in_place ? keys_src.data() : keys_dst.data();
    if (!trial.argsort()) desc.values_src = values_src.data();
    desc.values_dst = trial.argsort() || !trial.values_in_place ? values_dst.data() : values_src.data();
    desc.segment_begins = offsets.begins.data();
    desc.segment_ends = offsets.ends.data();
    ASSERT_EQ(call(trial.operation, desc), LANESORT_OK) << lanesort_last_error();
  }
};

class Segments : public OnCallersDevice {
 protected:
  // A buffer of canaries with the bytes in it from kFence on; an empty one where there are none.
  lanesort_webgpu_slice fenced(const Bytes& bytes) {
    if (bytes.empty()) return {nullptr, 0};
    Bytes all(bytes.size() + 2 * kFence, kCanary);
    std::copy(bytes.begin(), bytes.end(), all.begin() + kFence);
    buffers_.push_back(gpu_->make_buffer(all.size()));
    gpu_->upload(buffers_.back(), all.data(), all.size());
    return {buffers_.back(), kFence};
  }
  lanesort_webgpu_slice fenced(const std::vector<std::uint32_t>& words) {
    Bytes bytes(4 * words.size());
    if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
    return fenced(bytes);
  }

  void expect_bytes(const char* what, const lanesort_webgpu_slice& slice, const Bytes& want) {
    if (slice.buffer == nullptr) return;
    const Bytes all = gpu_->download<unsigned char>(slice.buffer, want.size() + 2 * kFence);
    for (std::size_t i = 0, shown = 0; i < all.size() && shown < 10; ++i) {
      const bool inside = i >= kFence && i < kFence + want.size();
      if (all[i] == (inside ? want[i - kFence] : kCanary)) continue;
      ADD_FAILURE() << what << " byte " << static_cast<std::int64_t>(i) - static_cast<std::int64_t>(kFence) << ": got "
                    << int{all[i]} << (inside ? ", the CPU has " + std::to_string(want[i - kFence]) : ", a canary");
      ++shown;
    }
  }

  void run_trial(const Trial& trial, Random& random) {
    SCOPED_TRACE(trial.text());
    handle_->limits = trial.key_bytes() == 8 ? kPlain : kLanes;
    const int here = 0, there = 0;
    const std::uint64_t marker = 0;
    lanesort_sort_desc desc = trial.describe();
    desc.keys_src = &here;
    if (!trial.argsort()) desc.keys_dst = const_cast<int*>(trial.keys_in_place ? &here : &there);
    if (!trial.argsort()) desc.values_src = &here;
    desc.values_dst = const_cast<int*>(trial.argsort() || !trial.values_in_place ? &there : &here);
    desc.segment_begins = &marker;
    if (!trial.offsets.joined) desc.segment_ends = &marker;
    const auto words = static_cast<std::uint32_t>(trial.offsets.begins.size());
    desc.segment_count += random.below(3);  // a bound
    lanesort_webgpu_sorter* sorter = nullptr;
    ASSERT_EQ(lanesort_webgpu_prepare(handle_, trial.operation, &desc, 1, &sorter), LANESORT_OK)
        << lanesort_last_error();
    std::uint64_t scratch_bytes = 0;
    ASSERT_EQ(lanesort_webgpu_scratch_bytes(handle_, trial.operation, &desc, &scratch_bytes), LANESORT_OK);

    Arrays arrays(trial, random);
    std::vector<std::uint32_t> begins = begin_words(trial.offsets), ends = end_words(trial.offsets);
    begins.resize(desc.segment_count + trial.offsets.joined, 77);
    if (!trial.offsets.joined) ends.resize(desc.segment_count, 3);
    lanesort_webgpu_buffers buffers = LANESORT_WEBGPU_BUFFERS_INIT;
    buffers.count = static_cast<std::uint32_t>(trial.count);
    buffers.segment_count = words;
    const lanesort_webgpu_slice keys_src = fenced(arrays.keys_src), keys_dst = fenced(arrays.keys_dst);
    const lanesort_webgpu_slice values_src = fenced(arrays.values_src), values_dst = fenced(arrays.values_dst);
    buffers.keys_src = keys_src;
    buffers.keys_dst = trial.keys_in_place ? keys_src : keys_dst;
    buffers.values_src = values_src;
    buffers.values_dst = values_dst.buffer == nullptr ? values_src : values_dst;
    buffers.scratch = fenced(Bytes(scratch_bytes, 0xCD));
    buffers.segment_begins = fenced(begins);
    buffers.segment_ends = fenced(ends);
    if (trial.device_count) buffers.count_buffer = fenced(std::vector<std::uint32_t>{1, 2, *trial.device_count, 3});
    if (trial.device_count) buffers.count_buffer.offset_bytes += 8;
    const abi::CommandEncoder commands = gpu_->api.wgpuDeviceCreateCommandEncoder(gpu_->device, nullptr);
    ASSERT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers), LANESORT_OK) << lanesort_last_error();
    gpu_->submit(commands);
    arrays.sort(trial);
    expect_bytes("keys_src", keys_src, arrays.keys_src);
    expect_bytes("keys_dst", keys_dst, arrays.keys_dst);
    expect_bytes("values_src", values_src, arrays.values_src);
    expect_bytes("values_dst", values_dst, arrays.values_dst);
    for (const std::string& error : gpu_->errors()) ADD_FAILURE() << error;
    for (const abi::Buffer buffer : std::exchange(buffers_, {})) gpu_->api.wgpuBufferRelease(buffer);
    lanesort_webgpu_release(sorter);
  }

  std::vector<abi::Buffer> buffers_;
};

Trial draw_trial(Random& random, std::uint64_t count) {
  Trial trial;
  trial.operation = random.chance(2) ? LANESORT_OP_SORT_PAIRS : LANESORT_OP_ARGSORT;
  static_cast<OrderSpec&>(trial) = draw_order(random);
  trial.pattern = static_cast<Pattern>(random.below(static_cast<std::uint64_t>(Pattern::count)));
  trial.count = count;
  trial.offsets = draw_offsets(random, count);
  trial.keys_in_place = !trial.argsort() && random.chance(2);
  trial.values_in_place = !trial.argsort() && random.chance(2);
  trial.local = random.chance(2);
  return trial;
}

// What nobody can refuse.
void spoil(Trial& trial, Random& random) {
  Offsets& offsets = trial.offsets;
  if (random.chance(4)) trial.device_count = static_cast<std::uint32_t>(random.below(2 * trial.count + 1));
  if (offsets.begins.empty()) return;
  if (random.chance(4)) offsets.ends.back() += random.below(1000);
  if (!random.chance(6)) return;
  const std::size_t s = random.below(offsets.begins.size());
  offsets.begins[s] = random.chance(4) ? UINT32_MAX : random.below(trial.count + 10);
  if (offsets.joined && s != 0) offsets.ends[s - 1] = offsets.begins[s];
}

TEST_F(Segments, EveryDtype) {
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64 && !HasFailure(); ++dtype) {
    for (const lanesort_operation operation : {LANESORT_OP_SORT_PAIRS, LANESORT_OP_ARGSORT}) {
      Trial trial = draw_trial(random, 800 + random.below(1500));
      static_cast<OrderSpec&>(trial) = OrderSpec{};
      trial.dtype = dtype;
      trial.descending = random.chance(2);
      trial.operation = operation;
      trial.keys_in_place = trial.values_in_place = operation == LANESORT_OP_SORT_PAIRS && random.chance(2);
      run_trial(trial, random);
    }
  }
}

TEST_F(Segments, RandomRequests) {
  const std::uint64_t seed = run_seed() + 1;
  std::printf("seed %llu (LANESORT_SEED is one less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  int trials = 0;
  for (; trials < 1000 && !HasFailure() && std::chrono::steady_clock::now() < end; ++trials) {
    Trial trial = draw_trial(random, random.below(1 + (8192 >> random.below(13))));
    spoil(trial, random);
    run_trial(trial, random);
  }
  std::printf("%d requests\n", trials);
}

// Round a tile, round a chunk, one among none, all in one, and a block full of single items.
TEST_F(Segments, LengthsAtTheEdges) {
  Random random(run_seed() + 2);
  const std::uint64_t tile = std::uint64_t{kLanes.workgroup} * kLanes.items;
  const std::vector<std::uint64_t> lists[] = {
      {tile - 1, tile, tile + 1, 0, 2 * tile - 1, 2 * tile, 2 * tile + 1},
      {0, 0, 0, 5 * tile, 0, 0, 1},
      {33 * tile},
      {0},
      std::vector<std::uint64_t>(600, 1),
      std::vector<std::uint64_t>(1030, 0),
      {1, tile, 1, tile, 1, 8 * tile + 1, 1},
  };
  for (const std::vector<std::uint64_t>& lengths : lists) {
    for (const lanesort_dtype dtype : {LANESORT_F32, LANESORT_U16}) {
      Trial trial = draw_trial(random, 0);
      static_cast<OrderSpec&>(trial) = OrderSpec{};
      trial.dtype = dtype;
      trial.pattern = random.chance(2) ? Pattern::ones : Pattern::few;  // what looks like padding
      trial.offsets = {{}, {}, random.chance(2)};
      trial.count = 0;
      for (const std::uint64_t length : lengths) {
        trial.offsets.begins.push_back(trial.count);
        trial.offsets.ends.push_back(trial.count += length);
      }
      if (trial.count == 0) trial.count = 1;
      run_trial(trial, random);
      if (HasFailure()) return;
    }
  }
}

// More segments than a workgroup looks at for chunks at a time, and a stretch for several.
TEST_F(Segments, Many) {
  Random random(run_seed() + 3);
  Trial trial = draw_trial(random, 0);
  static_cast<OrderSpec&>(trial) = OrderSpec{};
  trial.offsets = {{}, {}, true};
  for (std::uint64_t s = 0; s < 5000; ++s) {
    trial.offsets.begins.push_back(trial.count);
    trial.offsets.ends.push_back(trial.count += s % 700 == 699 ? 300 : random.below(4));
  }
  run_trial(trial, random);
}

TEST_F(Segments, WhatIsRefusedIsSaidInWords) {
  handle_->limits = kLanes;
  const std::uint64_t marker = 0;
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.count = 500;
  desc.value_bytes = 4;
  desc.segment_count = 10;
  desc.segment_begins = &marker;
  lanesort_webgpu_sorter* sorter = nullptr;
  ASSERT_EQ(lanesort_webgpu_prepare(handle_, LANESORT_OP_SORT_PAIRS, &desc, 1, &sorter), LANESORT_OK)
      << lanesort_last_error();
  EXPECT_STREQ(lanesort_webgpu_args_wgsl(sorter), "");
  EXPECT_NE(std::string(lanesort_webgpu_explain(sorter)).find("segments"), std::string::npos);
  std::uint64_t scratch_bytes = 0, enough = 0;
  ASSERT_EQ(lanesort_webgpu_scratch_bytes(handle_, LANESORT_OP_SORT_PAIRS, &desc, &scratch_bytes), LANESORT_OK);
  ASSERT_EQ(lanesort_webgpu_scratch_bytes(nullptr, LANESORT_OP_SORT_PAIRS, &desc, &enough), LANESORT_OK);
  EXPECT_GT(enough, 500u * 8);
  lanesort_webgpu_buffers good = LANESORT_WEBGPU_BUFFERS_INIT;
  good.count = 500;
  good.segment_count = 10;
  good.keys_dst = fenced(Bytes(2000));
  good.values_dst = fenced(Bytes(2000));
  good.scratch = fenced(Bytes(scratch_bytes));
  good.segment_begins = fenced(Bytes(44));
  const abi::CommandEncoder commands = gpu_->api.wgpuDeviceCreateCommandEncoder(gpu_->device, nullptr);
  const auto expect = [&](const lanesort_webgpu_buffers& bad, const char* words) {
    EXPECT_EQ(lanesort_webgpu_encode(sorter, commands, &bad), LANESORT_INVALID_ARGUMENT) << words;
    EXPECT_NE(std::string(lanesort_last_error()).find(words), std::string::npos) << lanesort_last_error();
  };
  lanesort_webgpu_buffers bad = good;
  bad.segment_count = 11;
  expect(bad, "buffers.segment_count is 11");
  bad = good;
  bad.segment_begins = {nullptr, 0};
  expect(bad, "buffers.segment_begins has no buffer");
  bad = good;
  bad.segment_begins = fenced(Bytes(40));
  bad.segment_begins.offset_bytes = 512;
  expect(bad, "buffers.segment_begins has");
  bad = good;
  bad.segment_begins = good.keys_dst;
  expect(bad, "overlap");
  EXPECT_EQ(lanesort_webgpu_encode(sorter, commands, &good), LANESORT_OK) << lanesort_last_error();
  gpu_->submit(commands);
  lanesort_webgpu_release(sorter);
  for (const abi::Buffer buffer : std::exchange(buffers_, {})) gpu_->api.wgpuBufferRelease(buffer);
}

}  // namespace
}  // namespace lanesort::test
