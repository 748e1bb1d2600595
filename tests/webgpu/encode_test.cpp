// Recording into a caller's own commands, with his device, his buffers and his count: what is touched and what is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "lanesort/webgpu.h"
#include "support/random.hpp"
#include "webgpu/callers_device.hpp"

namespace lanesort::test {
namespace {

constexpr std::uint32_t kCanary = 0xA5A5A5A5, kDirt = 0xCDCDCDCD;
constexpr std::uint64_t kSlice = 256;  // what stands before a slice

std::vector<std::uint32_t> random_words(Random& random, std::uint64_t count) {
  std::vector<std::uint32_t> words(count);
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.next());
  return words;
}

class Encode : public OnCallersDevice, public testing::WithParamInterface<plan::PortableForm> {
 protected:
  void SetUp() override {
    OnCallersDevice::SetUp();
    if (HasFatalFailure()) return;
    // Little tiles, several groups: what is tested is the recording, and one shape is compiled once.
    handle_->limits = {.workgroup = 64, .items = 2, .groups = 4, .no_small = true, .form = GetParam()};
  }
  void TearDown() override {
    for (const abi::Buffer buffer : buffers_) gpu_->api.wgpuBufferRelease(buffer);
    for (lanesort_webgpu_sorter* sorter : sorters_) lanesort_webgpu_release(sorter);
    OnCallersDevice::TearDown();
  }

  lanesort_webgpu_sorter* prepare(std::uint64_t count, std::uint32_t slots = 4) {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = count;
    desc.value_bytes = 4;
    lanesort_webgpu_sorter* sorter = nullptr;
    EXPECT_EQ(lanesort_webgpu_prepare(handle_, LANESORT_OP_SORT_PAIRS, &desc, slots, &sorter), LANESORT_OK)
        << lanesort_last_error();
    EXPECT_EQ(lanesort_webgpu_scratch_bytes(handle_, LANESORT_OP_SORT_PAIRS, &desc, &scratch_bytes_), LANESORT_OK);
    sorters_.push_back(sorter);
    return sorter;
  }

  // A buffer of canaries with the words in it from byte kSlice on.
  abi::Buffer fenced(const std::vector<std::uint32_t>& words, abi::Flags more = 0) {
    std::vector<std::uint32_t> all(words.size() + 2 * kSlice / 4, kCanary);
    std::copy(words.begin(), words.end(), all.begin() + kSlice / 4);
    const abi::Buffer buffer =
        gpu_->make_buffer(4 * all.size(), abi::usage::kStorage | abi::usage::kCopySrc | abi::usage::kCopyDst | more);
    gpu_->upload(buffer, all.data(), 4 * all.size());
    buffers_.push_back(buffer);
    return buffer;
  }

  std::vector<std::uint32_t> words_of(abi::Buffer buffer, std::uint64_t count) {
    const std::vector<std::uint32_t> all = gpu_->download<std::uint32_t>(buffer, count + 2 * kSlice / 4);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((i < kSlice / 4 || i >= kSlice / 4 + count) && all[i] != kCanary) {
        ADD_FAILURE() << "a canary died at word " << i;
        break;
      }
    }
    return {all.begin() + kSlice / 4, all.begin() + static_cast<std::ptrdiff_t>(kSlice / 4 + count)};
  }

  lanesort_webgpu_buffers pairs(std::uint32_t count, const std::vector<std::uint32_t>& keys) {
    std::vector<std::uint32_t> indices(keys.size());
    std::iota(indices.begin(), indices.end(), 0u);
    lanesort_webgpu_buffers buffers = LANESORT_WEBGPU_BUFFERS_INIT;
    buffers.count = count;
    buffers.keys_dst = {fenced(keys), kSlice};
    buffers.values_dst = {fenced(indices), kSlice};
    buffers.scratch = {fenced(std::vector<std::uint32_t>(scratch_bytes_ / 4, kDirt)), kSlice};
    return buffers;
  }

  // The first `sorted` items are in order with their indices, the rest as they were.
  void expect_sorted(const lanesort_webgpu_buffers& buffers, const std::vector<std::uint32_t>& keys,
                     std::size_t sorted) {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(sorted),
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    const std::vector<std::uint32_t> got_keys = words_of(buffers.keys_dst.buffer, keys.size()),
                                     got_values = words_of(buffers.values_dst.buffer, keys.size());
    for (std::size_t i = 0, shown = 0; i < keys.size() && shown < 10; ++i) {
      if (got_keys[i] == keys[order[i]] && got_values[i] == order[i]) continue;
      ADD_FAILURE() << "item " << i << ": key " << got_keys[i] << " of " << got_values[i] << ", want " << keys[order[i]]
                    << " of " << order[i];
      ++shown;
    }
    words_of(buffers.scratch.buffer, scratch_bytes_ / 4);  // canaries
  }

  abi::CommandEncoder encoder() const { return gpu_->api.wgpuDeviceCreateCommandEncoder(gpu_->device, nullptr); }

  std::uint64_t scratch_bytes_ = 0;
  std::vector<abi::Buffer> buffers_;
  std::vector<lanesort_webgpu_sorter*> sorters_;
};

TEST_P(Encode, IntoAnEncoderAndIntoAnOpenPass) {
  Random random(run_seed());
  const std::vector<std::uint32_t> keys = random_words(random, 700);
  lanesort_webgpu_sorter* const sorter = prepare(keys.size());
  lanesort_webgpu_buffers buffers = pairs(700, keys);
  abi::CommandEncoder commands = encoder();
  ASSERT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers), LANESORT_OK) << lanesort_last_error();
  gpu_->submit(commands);
  expect_sorted(buffers, keys, 700);

  buffers = pairs(700, keys);
  commands = encoder();
  const abi::ComputePass pass = gpu_->api.wgpuCommandEncoderBeginComputePass(commands, nullptr);
  ASSERT_EQ(lanesort_webgpu_encode_pass(sorter, pass, &buffers), LANESORT_OK) << lanesort_last_error();
  gpu_->api.wgpuComputePassEncoderEnd(pass);
  gpu_->api.wgpuComputePassEncoderRelease(pass);
  gpu_->submit(commands);
  expect_sorted(buffers, keys, 700);
}

// Several in flight, each with its own count, one submission: the ring keeps them apart.
TEST_P(Encode, ManyInOneSubmission) {
  Random random(run_seed() + 1);
  lanesort_webgpu_sorter* const sorter = prepare(700, 4);
  std::vector<std::vector<std::uint32_t>> keys;
  std::vector<lanesort_webgpu_buffers> buffers;
  const std::uint32_t counts[] = {700, 1, 0, 333};
  const abi::CommandEncoder commands = encoder();
  for (const std::uint32_t count : counts) {
    keys.push_back(random_words(random, 700));
    buffers.push_back(pairs(count, keys.back()));
    ASSERT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers.back()), LANESORT_OK) << lanesort_last_error();
  }
  gpu_->submit(commands);
  for (std::size_t i = 0; i < std::size(counts); ++i) expect_sorted(buffers[i], keys[i], counts[i]);
}

TEST_P(Encode, TheSameBuffersAgain) {
  Random random(run_seed() + 2);
  lanesort_webgpu_sorter* const sorter = prepare(500);
  lanesort_webgpu_buffers buffers = pairs(500, std::vector<std::uint32_t>(500));
  for (int round = 0; round < 30; ++round) {
    const std::vector<std::uint32_t> keys = random_words(random, 500);
    std::vector<std::uint32_t> indices(500);
    std::iota(indices.begin(), indices.end(), 0u);
    gpu_->upload(buffers.keys_dst.buffer, keys.data(), 2000, kSlice);
    gpu_->upload(buffers.values_dst.buffer, indices.data(), 2000, kSlice);
    const abi::CommandEncoder commands = encoder();
    ASSERT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers), LANESORT_OK) << lanesort_last_error();
    gpu_->submit(commands);
    expect_sorted(buffers, keys, 500);
    if (HasFailure()) return;
  }
}

TEST_P(Encode, TheCountOnTheDevice) {
  Random random(run_seed() + 3);
  lanesort_webgpu_sorter* const sorter = prepare(700);
  for (const std::uint32_t count : {0u, 1u, 2u, 128u, 129u, 699u, 700u, 701u, UINT32_MAX}) {
    SCOPED_TRACE(count);
    const std::vector<std::uint32_t> keys = random_words(random, 700);
    lanesort_webgpu_buffers buffers = pairs(0, keys);
    std::vector<std::uint32_t> counts(100, 12345);
    counts[70] = count;
    buffers.count_buffer = {fenced(counts), kSlice + 280};  // not where a binding may begin
    const abi::CommandEncoder commands = encoder();
    ASSERT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers), LANESORT_OK) << lanesort_last_error();
    gpu_->submit(commands);
    expect_sorted(buffers, keys, std::min(count, 700u));
    EXPECT_EQ(words_of(buffers.count_buffer.buffer, 100), counts);
  }
}

// Of a count on the device, smaller than k, larger, larger than the bound; by the caller's arguments too. What is given out
// stands before what was there, and scratch says how many it is, and how many of it are not of the last key.
TEST_P(Encode, TheFirstOfACountOnTheDevice) {
  Random random(run_seed() + 7);
  constexpr std::uint32_t kBound = 900, kFirst = 200;
  int any = 0;
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.count = kBound;
  desc.k = kFirst;
  desc.value_bytes = 4;
  desc.keys_dst = &any;
  lanesort_webgpu_sorter* sorter = nullptr;
  ASSERT_EQ(lanesort_webgpu_prepare(handle_, LANESORT_OP_TOP_K, &desc, 1, &sorter), LANESORT_OK) << lanesort_last_error();
  sorters_.push_back(sorter);
  ASSERT_EQ(lanesort_webgpu_scratch_bytes(handle_, LANESORT_OP_TOP_K, &desc, &scratch_bytes_), LANESORT_OK);
  for (const std::uint32_t count : {0u, 1u, kFirst - 1, kFirst, 500u, kBound, UINT32_MAX}) {
    SCOPED_TRACE(count);
    const std::uint32_t items = std::min(count, kBound), given = std::min(items, kFirst);
    std::vector<std::uint32_t> keys = random_words(random, kBound);
    for (std::uint32_t& key : keys) key = key % 4 == 0 || count == 500u ? UINT32_MAX : key % 300;
    lanesort_webgpu_buffers buffers = LANESORT_WEBGPU_BUFFERS_INIT;
    buffers.keys_src = {fenced(keys), kSlice};
    buffers.keys_dst = {fenced(std::vector<std::uint32_t>(kFirst, kDirt)), kSlice};
    buffers.values_dst = {fenced(std::vector<std::uint32_t>(kFirst, kDirt)), kSlice};
    buffers.scratch = {fenced(std::vector<std::uint32_t>(scratch_bytes_ / 4, kDirt)), kSlice};
    buffers.count_buffer = {fenced({0, count}), kSlice + 4};
    if (count % 2 == 0 && count != 0) buffers.args = {fenced({3, 1, 1}, abi::usage::kIndirect), kSlice};
    const abi::CommandEncoder commands = encoder();
    ASSERT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers), LANESORT_OK) << lanesort_last_error();
    gpu_->submit(commands);
    std::vector<std::uint32_t> order(items);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    std::vector<std::uint32_t> want_keys(kFirst, kDirt), want_values(kFirst, kDirt);
    std::uint32_t others = 0;
    for (std::uint32_t i = 0; i < given; ++i) {
      want_keys[i] = keys[order[i]];
      want_values[i] = order[i];
      others += want_keys[i] != UINT32_MAX ? 1 : 0;
    }
    EXPECT_EQ(words_of(buffers.keys_dst.buffer, kFirst), want_keys);
    EXPECT_EQ(words_of(buffers.values_dst.buffer, kFirst), want_values);
    EXPECT_EQ(words_of(buffers.keys_src.buffer, kBound), keys);
    const std::vector<std::uint32_t> scratch = words_of(buffers.scratch.buffer, scratch_bytes_ / 4);
    EXPECT_EQ(scratch[lanesort_webgpu_kept_count_offset(sorter) / 4], given);
    EXPECT_EQ(scratch[lanesort_webgpu_sorted_count_offset(sorter) / 4], others);
    if (HasFailure()) return;
  }
}

// From far too few to far too many workgroups.
TEST_P(Encode, ArgumentsOfTheCallersMaking) {
  Random random(run_seed() + 4);
  lanesort_webgpu_sorter* const sorter = prepare(700);
  EXPECT_NE(std::string(lanesort_webgpu_args_wgsl(sorter)).find("fn lanesort_write_args(count: u32) -> vec3<u32>"),
            std::string::npos);
  for (const std::uint32_t workgroups : {1u, 2u, 3u, 4u, 5u, 1000u}) {
    SCOPED_TRACE(workgroups);
    const std::vector<std::uint32_t> keys = random_words(random, 700);
    lanesort_webgpu_buffers buffers = pairs(700, keys);
    buffers.args = {fenced({7, workgroups, 1, 1}, abi::usage::kIndirect), kSlice + 4};
    const abi::CommandEncoder commands = encoder();
    ASSERT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers), LANESORT_OK) << lanesort_last_error();
    gpu_->submit(commands);
    expect_sorted(buffers, keys, 700);
  }
}

// Items with the last key there is stand at the end, and scratch says how many stand before them.
TEST_P(Encode, CulledItemsAndTheSortedCount) {
  Random random(run_seed() + 5);
  std::vector<std::uint32_t> keys = random_words(random, 700);
  for (std::size_t i = 0; i < keys.size(); i += 3) keys[i] = UINT32_MAX;
  const auto others = static_cast<std::uint32_t>(
      std::count_if(keys.begin(), keys.end(), [](std::uint32_t key) { return key != UINT32_MAX; }));
  for (const bool small : {false, true}) {
    handle_->limits.no_small = !small;
    if (small) handle_->limits.items = 14;
    lanesort_webgpu_sorter* const sorter = prepare(700);
    const lanesort_webgpu_buffers buffers = pairs(700, keys);
    const abi::CommandEncoder commands = encoder();
    ASSERT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers), LANESORT_OK) << lanesort_last_error();
    gpu_->submit(commands);
    expect_sorted(buffers, keys, 700);
    EXPECT_EQ(gpu_->download<std::uint32_t>(buffers.scratch.buffer, 1,
                                            kSlice + lanesort_webgpu_sorted_count_offset(sorter))[0],
              others);
  }
}

TEST_P(Encode, TimesOfEachKernel) {
  if (!gpu_->has_timestamps) GTEST_SKIP() << "this device has no timestamps";
  Random random(run_seed() + 6);
  const std::vector<std::uint32_t> keys = random_words(random, 700);
  lanesort_webgpu_sorter* const sorter = prepare(700);
  std::uint32_t dispatches = 0;
  while (lanesort_webgpu_kernel_name(sorter, dispatches) != nullptr) ++dispatches;
  ASSERT_GT(dispatches, 6u);
  lanesort_webgpu_buffers buffers = pairs(700, keys);
  abi::QuerySetDescriptor descriptor;
  descriptor.count = 2 * dispatches;
  buffers.timestamps = gpu_->api.wgpuDeviceCreateQuerySet(gpu_->device, &descriptor);
  const abi::Buffer times = gpu_->make_buffer(16 * dispatches, abi::usage::kQueryResolve | abi::usage::kCopySrc);
  const abi::CommandEncoder commands = encoder();
  ASSERT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers), LANESORT_OK) << lanesort_last_error();
  gpu_->api.wgpuCommandEncoderResolveQuerySet(commands, buffers.timestamps, 0, 2 * dispatches, times, 0);
  gpu_->submit(commands);
  expect_sorted(buffers, keys, 700);
  const std::vector<std::uint64_t> stamps = gpu_->download<std::uint64_t>(times, 2 * dispatches);
  EXPECT_NE(stamps.back(), 0u);
  for (std::uint32_t i = 0; i < dispatches; ++i)
    EXPECT_LE(stamps[2 * i], stamps[2 * i + 1]) << lanesort_webgpu_kernel_name(sorter, i);
  gpu_->api.wgpuQuerySetRelease(buffers.timestamps);
  gpu_->api.wgpuBufferRelease(times);
}

TEST_P(Encode, WhatIsRefusedIsSaidInWords) {
  lanesort_webgpu_sorter* const sorter = prepare(700);
  const lanesort_webgpu_buffers good = pairs(700, std::vector<std::uint32_t>(700));
  const abi::CommandEncoder commands = encoder();
  const auto expect = [&](const lanesort_webgpu_buffers& buffers, lanesort_status status, const char* words) {
    EXPECT_EQ(lanesort_webgpu_encode(sorter, commands, &buffers), status) << words;
    EXPECT_NE(std::string(lanesort_last_error()).find(words), std::string::npos) << lanesort_last_error();
  };
  lanesort_webgpu_buffers bad = good;
  bad.struct_bytes = 8;
  expect(bad, LANESORT_INVALID_ARGUMENT, "struct_bytes");
  bad = good;
  bad.count = 701;
  expect(bad, LANESORT_INVALID_ARGUMENT, "701");
  bad = good;
  bad.keys_dst.buffer = nullptr;
  expect(bad, LANESORT_INVALID_ARGUMENT, "buffers.keys_dst has no buffer");
  bad = good;
  bad.keys_dst.offset_bytes = 4;
  expect(bad, LANESORT_INVALID_ARGUMENT, "multiples of 256");
  bad = good;
  bad.values_dst = good.keys_dst;
  expect(bad, LANESORT_INVALID_ARGUMENT, "overlap");
  bad = good;
  bad.scratch.offset_bytes = 1024;
  expect(bad, LANESORT_SCRATCH_TOO_SMALL, "scratch");
  bad = good;
  bad.keys_dst = {fenced(std::vector<std::uint32_t>(100)), kSlice};
  expect(bad, LANESORT_INVALID_ARGUMENT, "2800");
  bad = good;
  const abi::Buffer plain = gpu_->make_buffer(4096, abi::usage::kCopyDst);
  buffers_.push_back(plain);
  bad.keys_dst = {plain, 0};
  expect(bad, LANESORT_INVALID_ARGUMENT, "WGPUBufferUsage_Storage");
  bad = good;
  bad.args = {good.keys_dst.buffer, 0};
  expect(bad, LANESORT_INVALID_ARGUMENT, "WGPUBufferUsage_Indirect");
  bad = good;
  bad.count_buffer = {good.keys_dst.buffer, 2};
  expect(bad, LANESORT_INVALID_ARGUMENT, "multiple of 4");
  EXPECT_EQ(lanesort_webgpu_encode(nullptr, commands, &good), LANESORT_INVALID_ARGUMENT);
  EXPECT_EQ(lanesort_webgpu_encode(sorter, nullptr, &good), LANESORT_INVALID_ARGUMENT);
  gpu_->submit(commands);
}

TEST_P(Encode, WhatToAskAnAdapterFor) {
  lanesort_webgpu_needs needs = LANESORT_WEBGPU_NEEDS_INIT;
  ASSERT_EQ(lanesort_webgpu_query(gpu_->adapter, find_function, &needs), LANESORT_OK) << lanesort_last_error();
  EXPECT_EQ(needs.feature_count, static_cast<std::uint32_t>(gpu_->has_subgroups) + gpu_->has_timestamps);
  EXPECT_GE(needs.workgroup_storage_bytes, 16384u);
  EXPECT_NE(std::string(needs.why), "");
  needs.struct_bytes = 3;
  EXPECT_EQ(lanesort_webgpu_query(gpu_->adapter, find_function, &needs), LANESORT_INVALID_ARGUMENT);
}

INSTANTIATE_TEST_SUITE_P(Forms, Encode,
                         testing::Values(plan::PortableForm::reduce_then_scan, plan::PortableForm::single_pass),
                         [](const testing::TestParamInfo<plan::PortableForm>& test) {
                           return test.param == plan::PortableForm::single_pass ? "SinglePass" : "ReduceThenScan";
                         });

}  // namespace
}  // namespace lanesort::test
