// A WebGPU device for tests: the library named by LANESORT_WEBGPU_LIB, its first Vulkan adapter, and the few steps
// that every test repeats. Whatever goes wrong fails the test in words; validation errors are kept in errors().
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "webgpu/loader.hpp"

namespace lanesort::test {

namespace abi = webgpu::abi;

inline abi::StringView view(std::string_view text) { return {text.data(), text.size()}; }

inline std::string text_of(abi::StringView text) {
  if (text.data == nullptr) return "";
  return text.length == abi::kZeroTerminated ? std::string(text.data) : std::string(text.data, text.length);
}

// What of the adapter's a device asks for. Limits left out are the adapter's own.
struct GpuWish {
  bool subgroups = true;
  bool timestamps = true;
  const abi::Limits* limits = nullptr;  // a test shrinks them
};

class Gpu {
 public:
  explicit Gpu(const GpuWish& wish = {}) { open(wish); }
  ~Gpu() { close(); }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  explicit operator bool() const { return device != nullptr; }

  webgpu::Api api;
  abi::Instance instance = nullptr;
  abi::Adapter adapter = nullptr;
  abi::Device device = nullptr;
  abi::Queue queue = nullptr;
  abi::Limits limits;  // the device's
  std::string name;    // "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::uint32_t subgroup_min = 0;
  std::uint32_t subgroup_max = 0;
  bool has_subgroups = false;
  bool has_timestamps = false;

  // What the implementation complained of since the device was opened, or since the last call of this.
  std::vector<std::string> errors() { return std::exchange(errors_, {}); }

  void wait(abi::Future future) const {
    abi::FutureWaitInfo info{future, 0};
    // A driver for the CPU compiles for a minute on a busy machine; the whole program has a limit of its own.
    constexpr std::uint64_t most_ns = 200'000'000'000;
    ASSERT_EQ(api.wgpuInstanceWaitAny(instance, 1, &info, most_ns), abi::kWaitSuccess) << "nothing came back within 200 s";
  }

  abi::Buffer make_buffer(std::uint64_t bytes, abi::Flags usage = abi::usage::kStorage | abi::usage::kCopySrc | abi::usage::kCopyDst) const {
    abi::BufferDescriptor descriptor;
    descriptor.size = (bytes + 3) / 4 * 4;
    descriptor.usage = usage;
    return api.wgpuDeviceCreateBuffer(device, &descriptor);
  }

  // bytes: a multiple of 4.
  void upload(abi::Buffer to, const void* from, std::size_t bytes, std::uint64_t offset_bytes = 0) const {
    api.wgpuQueueWriteBuffer(queue, to, offset_bytes, from, bytes);
  }

  template <class T> std::vector<T> download(abi::Buffer from, std::size_t count, std::uint64_t offset_bytes = 0) const {
    const std::size_t bytes = (count * sizeof(T) + 3) / 4 * 4;
    std::vector<T> values(count);
    if (bytes == 0) return values;
    const abi::Buffer reader = make_buffer(bytes, abi::usage::kMapRead | abi::usage::kCopyDst);
    const abi::CommandEncoder encoder = api.wgpuDeviceCreateCommandEncoder(device, nullptr);
    api.wgpuCommandEncoderCopyBufferToBuffer(encoder, from, offset_bytes, reader, 0, bytes);
    submit(encoder);
    abi::CallbackInfo<abi::BufferMapCallback> mapped{.mode = abi::kWaitAnyOnly, .callback = [](abi::Enum status, abi::StringView message, void*, void*) {
                                                       EXPECT_EQ(status, abi::kStatusSuccess) << text_of(message);
                                                     }};
    wait(api.wgpuBufferMapAsync(reader, abi::kMapRead, 0, bytes, mapped));
    const void* const range = api.wgpuBufferGetConstMappedRange(reader, 0, bytes);
    EXPECT_NE(range, nullptr);
    if (range != nullptr) std::memcpy(values.data(), range, count * sizeof(T));
    api.wgpuBufferUnmap(reader);
    api.wgpuBufferRelease(reader);
    return values;
  }

  // Finishes the encoder, submits it and releases both.
  void submit(abi::CommandEncoder encoder) const {
    const abi::CommandBuffer commands = api.wgpuCommandEncoderFinish(encoder, nullptr);
    api.wgpuQueueSubmit(queue, 1, &commands);
    api.wgpuCommandBufferRelease(commands);
    api.wgpuCommandEncoderRelease(encoder);
  }

  // A layout of nullptr is made from the shader.
  abi::ComputePipeline make_pipeline(std::string_view wgsl, std::string_view entry, abi::PipelineLayout layout = nullptr) const {
    abi::ShaderSourceWgsl source;
    source.code = view(wgsl);
    const abi::ShaderModuleDescriptor descriptor{&source.chain, {}};
    const abi::ShaderModule module = api.wgpuDeviceCreateShaderModule(device, &descriptor);
    abi::ComputePipelineDescriptor pipeline;
    pipeline.layout = layout;
    pipeline.compute.module = module;
    pipeline.compute.entryPoint = view(entry);
    const abi::ComputePipeline made = api.wgpuDeviceCreateComputePipeline(device, &pipeline);
    api.wgpuShaderModuleRelease(module);
    return made;
  }

  // The buffers bound whole to 0, 1, 2 ... of the pipeline's first group.
  abi::BindGroup bind(abi::ComputePipeline pipeline, std::span<const abi::Buffer> buffers) const {
    std::vector<abi::BindGroupEntry> entries(buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      entries[i].binding = static_cast<std::uint32_t>(i);
      entries[i].buffer = buffers[i];
    }
    abi::BindGroupDescriptor descriptor;
    descriptor.layout = api.wgpuComputePipelineGetBindGroupLayout(pipeline, 0);
    descriptor.entryCount = entries.size();
    descriptor.entries = entries.data();
    const abi::BindGroup group = api.wgpuDeviceCreateBindGroup(device, &descriptor);
    api.wgpuBindGroupLayoutRelease(descriptor.layout);
    return group;
  }

 private:
  void open(const GpuWish& wish) {
    const char* const library = std::getenv("LANESORT_WEBGPU_LIB");
    ASSERT_NE(library, nullptr) << "LANESORT_WEBGPU_LIB does not name a WebGPU library; ctest sets it";
    ASSERT_EQ(webgpu::load(library, api), LANESORT_OK) << lanesort_last_error();
    instance = api.create_instance();
    ASSERT_NE(instance, nullptr);
    request_adapter();
    ASSERT_NE(adapter, nullptr) << "no Vulkan adapter; VK_ICD_FILENAMES is " << (std::getenv("VK_ICD_FILENAMES") ? std::getenv("VK_ICD_FILENAMES") : "not set");
    describe();
    has_subgroups = wish.subgroups && api.wgpuAdapterHasFeature(adapter, api.features.subgroups) != 0;
    has_timestamps = wish.timestamps && api.wgpuAdapterHasFeature(adapter, api.features.timestamp_query) != 0;
    request_device(wish);
    ASSERT_NE(device, nullptr);
    queue = api.wgpuDeviceGetQueue(device);
    api.wgpuDeviceGetLimits(device, &limits);
  }

  void request_adapter() {
    abi::RequestAdapterOptions options;
    options.backendType = abi::kVulkan;
    const auto keep = [](abi::Enum status, abi::Adapter found, abi::StringView message, void* self, void*) {
      EXPECT_EQ(status, abi::kStatusSuccess) << text_of(message);
      static_cast<Gpu*>(self)->adapter = found;
    };
    wait(api.wgpuInstanceRequestAdapter(instance, &options, {.mode = abi::kWaitAnyOnly, .callback = keep, .userdata1 = this}));
  }

  void describe() {
    abi::AdapterInfo info;
    ASSERT_EQ(api.wgpuAdapterGetInfo(adapter, &info), abi::kStatusSuccess);
    name = text_of(info.device);
    subgroup_min = info.subgroupMinSize;
    subgroup_max = info.subgroupMaxSize;
    api.wgpuAdapterInfoFreeMembers(info);
  }

  void request_device(const GpuWish& wish) {
    abi::Limits most;
    ASSERT_EQ(api.wgpuAdapterGetLimits(adapter, &most), abi::kStatusSuccess);
    std::vector<abi::FeatureName> features;
    if (has_subgroups) features.push_back(api.features.subgroups);
    if (has_timestamps) features.push_back(api.features.timestamp_query);
    abi::DeviceDescriptor descriptor;
    descriptor.requiredFeatureCount = features.size();
    descriptor.requiredFeatures = features.data();
    descriptor.requiredLimits = wish.limits != nullptr ? wish.limits : &most;
    descriptor.deviceLostCallbackInfo = {.mode = abi::kAllowSpontaneous, .callback = lost, .userdata1 = this};
    descriptor.uncapturedErrorCallbackInfo = {.callback = complain, .userdata1 = this};
    const auto keep = [](abi::Enum status, abi::Device found, abi::StringView message, void* self, void*) {
      EXPECT_EQ(status, abi::kStatusSuccess) << text_of(message);
      static_cast<Gpu*>(self)->device = found;
    };
    wait(api.wgpuAdapterRequestDevice(adapter, &descriptor, {.mode = abi::kWaitAnyOnly, .callback = keep, .userdata1 = this}));
  }

  static void complain(const abi::Device*, abi::Enum, abi::StringView message, void* self, void*) {
    static_cast<Gpu*>(self)->errors_.push_back(text_of(message));
  }
  static void lost(const abi::Device*, abi::Enum reason, abi::StringView message, void* self, void*) {
    if (reason == abi::kLostUnknown) static_cast<Gpu*>(self)->errors_.push_back("device lost: " + text_of(message));
  }

  void close() {
    if (queue != nullptr) api.wgpuQueueRelease(queue);
    if (device != nullptr) {
      api.wgpuDeviceDestroy(device);
      api.wgpuDeviceRelease(device);
    }
    if (adapter != nullptr) api.wgpuAdapterRelease(adapter);
    if (instance != nullptr) {
      api.wgpuInstanceProcessEvents(instance);
      api.wgpuInstanceRelease(instance);
    }
  }

  std::vector<std::string> errors_;
};

}  // namespace lanesort::test
