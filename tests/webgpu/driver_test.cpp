// Do the drivers that the WebGPU tests run on do what the tests take for granted? A dispatch, and subgroups of the size
// that the driver was told to have. And does the loader say what a library lacks?
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <string>

#include "webgpu/gpu.hpp"

namespace lanesort::test {
namespace {

// Each invocation adds 7 to its item.
constexpr std::string_view kAdd = R"(
@group(0) @binding(0) var<storage, read_write> items: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&items)) { items[id.x] += 7u; }
})";

// Each invocation writes the size of its subgroup and the sum of its subgroup's indices.
constexpr std::string_view kSubgroups = R"(
enable subgroups;
@group(0) @binding(0) var<storage, read_write> sizes: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) index: u32, @builtin(subgroup_size) size: u32) {
  sizes[index] = size;
  sums[index] = subgroupAdd(1u);
})";

// A loop past 65535 rounds, which one driver cuts short without a word.
constexpr std::string_view kLongLoop = R"(
@group(0) @binding(0) var<storage, read_write> items: array<u32>;
@compute @workgroup_size(1) fn main() {
  var sum = 0u;
  for (var i = 0u; i < items[0]; i++) { sum += items[1]; }
  items[2] = sum;
})";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void dispatch(const Gpu& gpu, abi::ComputePipeline pipeline, std::span<const abi::Buffer> buffers,
              std::uint32_t groups) {
  const abi::BindGroup group = gpu.bind(pipeline, buffers);
  const abi::CommandEncoder encoder = gpu.api.wgpuDeviceCreateCommandEncoder(gpu.device, nullptr);
  const abi::ComputePass pass = gpu.api.wgpuCommandEncoderBeginComputePass(encoder, nullptr);
  gpu.api.wgpuComputePassEncoderSetPipeline(pass, pipeline);
  gpu.api.wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, nullptr);
  gpu.api.wgpuComputePassEncoderDispatchWorkgroups(pass, groups, 1, 1);
  gpu.api.wgpuComputePassEncoderEnd(pass);
  gpu.api.wgpuComputePassEncoderRelease(pass);
  gpu.submit(encoder);
  gpu.api.wgpuBindGroupRelease(group);
}

std::vector<std::uint32_t> ascending(std::size_t count, std::uint32_t first) {
  std::vector<std::uint32_t> items(count);
  std::iota(items.begin(), items.end(), first);
  return items;
}

TEST(Driver, IsTheOneThatWasAskedFor) {
  Gpu gpu;
  ASSERT_TRUE(gpu);
  EXPECT_NE(gpu.name.find(variable("LANESORT_EXPECT_DEVICE")), std::string::npos) << gpu.name;
  EXPECT_TRUE(gpu.has_timestamps);
  EXPECT_GE(gpu.limits.maxComputeInvocationsPerWorkgroup, 256u);
  EXPECT_GE(gpu.limits.maxStorageBuffersPerShaderStage, 8u);
}

TEST(Driver, Dispatches) {
  Gpu gpu;
  ASSERT_TRUE(gpu);
  constexpr std::size_t count = 1000;
  const auto items = ascending(count, 5);
  const abi::Buffer buffer = gpu.make_buffer(count * 4);
  gpu.upload(buffer, items.data(), count * 4);
  const abi::ComputePipeline pipeline = gpu.make_pipeline(kAdd, "main");
  dispatch(gpu, pipeline, std::span(&buffer, 1), (count + 63) / 64);
  EXPECT_EQ(gpu.download<std::uint32_t>(buffer, count), ascending(count, 12));
  EXPECT_EQ(gpu.errors(), std::vector<std::string>{});
  gpu.api.wgpuComputePipelineRelease(pipeline);
  gpu.api.wgpuBufferRelease(buffer);
}

TEST(Driver, HasSubgroupsOfTheExpectedSize) {
  Gpu gpu;
  ASSERT_TRUE(gpu);
  ASSERT_TRUE(gpu.has_subgroups);
  // Of a driver that nobody expects anything of, what it says of itself.
  const std::string named = variable("LANESORT_EXPECT_SUBGROUP");
  const auto expected =
      named.empty() ? gpu.subgroup_max : static_cast<std::uint32_t>(std::strtoul(named.c_str(), nullptr, 10));
  const abi::Buffer buffers[] = {gpu.make_buffer(64 * 4), gpu.make_buffer(64 * 4)};
  const abi::ComputePipeline pipeline = gpu.make_pipeline(kSubgroups, "main");
  dispatch(gpu, pipeline, buffers, 1);
  const std::vector<std::uint32_t> all(64, expected);
  EXPECT_EQ(gpu.download<std::uint32_t>(buffers[0], 64), all);
  EXPECT_EQ(gpu.download<std::uint32_t>(buffers[1], 64), all);
  EXPECT_LE(gpu.subgroup_min, expected);
  EXPECT_GE(gpu.subgroup_max, expected);
  EXPECT_EQ(gpu.errors(), std::vector<std::string>{});
  gpu.api.wgpuComputePipelineRelease(pipeline);
  for (const abi::Buffer buffer : buffers) gpu.api.wgpuBufferRelease(buffer);
}

TEST(Driver, RunsLongLoopsToTheirEnd) {
  Gpu gpu;
  ASSERT_TRUE(gpu);
  const std::uint32_t items[] = {200'000, 3, 0, 0};
  const abi::Buffer buffer = gpu.make_buffer(sizeof items);
  gpu.upload(buffer, items, sizeof items);
  const abi::ComputePipeline pipeline = gpu.make_pipeline(kLongLoop, "main");
  dispatch(gpu, pipeline, std::span(&buffer, 1), 1);
  EXPECT_EQ(gpu.download<std::uint32_t>(buffer, 4)[2], 600'000u);
  gpu.api.wgpuComputePipelineRelease(pipeline);
  gpu.api.wgpuBufferRelease(buffer);
}

TEST(Driver, ComplainsOfAWrongShader) {
  Gpu gpu;
  ASSERT_TRUE(gpu);
  gpu.api.wgpuDevicePushErrorScope(gpu.device, abi::kFilterValidation);
  const abi::ComputePipeline pipeline = gpu.make_pipeline("this is no shader", "main");
  std::string words;
  const auto keep = [](abi::Enum status, abi::Enum type, abi::StringView message, void* to, void*) {
    EXPECT_EQ(status, abi::kStatusSuccess);
    EXPECT_EQ(type, static_cast<abi::Enum>(abi::kValidationError));
    *static_cast<std::string*>(to) = text_of(message);
  };
  gpu.wait(
      gpu.api.wgpuDevicePopErrorScope(gpu.device, {.mode = abi::kWaitAnyOnly, .callback = keep, .userdata1 = &words}));
  EXPECT_NE(words, "");
  EXPECT_EQ(gpu.errors(), std::vector<std::string>{});
  gpu.api.wgpuComputePipelineRelease(pipeline);
}

TEST(Loader, NamesTheLibraryThatIsNotThere) {
  webgpu::Api api;
  EXPECT_EQ(webgpu::load("no_such_webgpu.so", api), LANESORT_DEVICE_UNAVAILABLE);
  EXPECT_NE(std::string(lanesort_last_error()).find("no_such_webgpu.so"), std::string::npos) << lanesort_last_error();
}

TEST(Loader, NamesTheFunctionThatIsMissing) {
  webgpu::Api api;
  const auto all_but_one = [](const char* name) -> void* {
    static int thing = 0;
    const std::string_view asked = name;
    return asked == "wgpuQueueSubmit" || asked == "wgpuDevicePoll" ? nullptr : &thing;
  };
  EXPECT_EQ(webgpu::load(all_but_one, api), LANESORT_DEVICE_UNAVAILABLE);
  EXPECT_NE(std::string(lanesort_last_error()).find("wgpuQueueSubmit"), std::string::npos) << lanesort_last_error();
}

TEST(Loader, RefusesWhatHasOtherLayouts) {
  webgpu::Api api;
  const auto everything = [](const char*) -> void* {
    static int thing = 0;
    return &thing;
  };
  EXPECT_EQ(webgpu::load(everything, api), LANESORT_DEVICE_UNAVAILABLE);
  EXPECT_NE(std::string(lanesort_last_error()).find("wgpu-native"), std::string::npos) << lanesort_last_error();
}

TEST(Loader, TellsTheDialectsApart) {
  static bool capabilities;
  const auto getter = [](const char* name) -> void* {
    static int thing = 0;
    const std::string_view asked = name;
    if (asked == "wgpuGetInstanceCapabilities") return capabilities ? &thing : nullptr;
    return asked == "wgpuDevicePoll" ? nullptr : &thing;
  };
  for (const bool old : {false, true}) {
    capabilities = old;
    webgpu::Api api;
    ASSERT_EQ(webgpu::load(getter, api), LANESORT_OK) << lanesort_last_error();
    EXPECT_EQ(api.dialect, old ? webgpu::Dialect::dawn_capabilities : webgpu::Dialect::dawn);
    EXPECT_EQ(api.features.subgroups, old ? 0x11u : 0x12u);
  }
}

TEST(Loader, RefusesNoGetter) {
  webgpu::Api api;
  EXPECT_EQ(webgpu::load(static_cast<webgpu::ProcGetter>(nullptr), api), LANESORT_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace lanesort::test
