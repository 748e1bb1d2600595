#include "webgpu/handle.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>

#include "api/status.hpp"
#include "webgpu/error_scope.hpp"
#include "webgpu/text.hpp"

namespace lanesort {
inline namespace v1 {
namespace webgpu {
namespace {

lanesort_status load_functions(lanesort_webgpu_getter getter, Api& api) {
  if (getter == nullptr) getter = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  return load(getter, api);
}

abi::AdapterInfo info_of(const Api& api, abi::Adapter adapter) {
  abi::AdapterInfo info;
  if (adapter != nullptr) api.wgpuAdapterGetInfo(adapter, &info);
  return info;
}

bool make_layouts(lanesort_webgpu& handle) {
  const Api& api = handle.api;
  abi::BindGroupLayoutEntry buffers[std::tuple_size_v<plan::BindingSet>], uniforms[2];
  for (std::uint32_t i = 0; i < std::size(buffers); ++i) {
    buffers[i].binding = i;
    buffers[i].buffer.type = abi::kStorageBuffer;
  }
  const std::uint64_t bytes[] = {sizeof(contract::Step), sizeof(contract::Request)};
  for (std::uint32_t i = 0; i < std::size(uniforms); ++i) {
    uniforms[i].binding = i;
    uniforms[i].buffer.type = abi::kUniformBuffer;
    uniforms[i].buffer.hasDynamicOffset = 1;
    uniforms[i].buffer.minBindingSize = bytes[i];
  }
  const abi::BindGroupLayoutDescriptor groups[] = {{nullptr, view("lanesort buffers"), std::size(buffers), buffers},
                                                   {nullptr, view("lanesort uniforms"), std::size(uniforms), uniforms}};
  for (std::uint32_t i = 0; i < 2; ++i)
    handle.layouts[i] = api.wgpuDeviceCreateBindGroupLayout(handle.device, &groups[i]);
  const abi::PipelineLayoutDescriptor layout{nullptr, view("lanesort"), 2, handle.layouts, 0};
  handle.pipeline_layout = api.wgpuDeviceCreatePipelineLayout(handle.device, &layout);
  return handle.layouts[0] != nullptr && handle.layouts[1] != nullptr && handle.pipeline_layout != nullptr;
}

}  // namespace

plan::PortableCapabilities capabilities_of(const abi::Limits& limits, const abi::AdapterInfo& info, bool subgroups) {
  plan::PortableCapabilities capabilities;
  // Some adapters report sizes of 0: then nothing is known, and subgroups are not used.
  capabilities.subgroups = subgroups && info.subgroupMinSize >= 4 && info.subgroupMaxSize >= info.subgroupMinSize;
  capabilities.subgroup_min = info.subgroupMinSize;
  capabilities.subgroup_max = info.subgroupMaxSize;
  capabilities.workgroup_bytes = limits.maxComputeWorkgroupStorageSize;
  capabilities.workgroup_invocations =
      std::min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
  capabilities.workgroups = limits.maxComputeWorkgroupsPerDimension;
  capabilities.binding_bytes = limits.maxStorageBufferBindingSize;
  capabilities.buffer_bytes = limits.maxBufferSize;
  return capabilities;
}

lanesort_status set_up(lanesort_webgpu& handle) {
  const Api& api = handle.api;
  handle.queue = api.wgpuDeviceGetQueue(handle.device);
  abi::Limits limits;
  if (api.wgpuDeviceGetLimits(handle.device, &limits) != abi::kStatusSuccess)
    return api::fail(LANESORT_DEVICE_ERROR, "the WebGPU device does not tell its limits; is it lost?");
  const abi::Adapter adapter = api.wgpuDeviceGetAdapter(handle.device);
  const abi::AdapterInfo info = info_of(api, adapter);
  const bool subgroups = api.wgpuDeviceHasFeature(handle.device, api.features.subgroups) != 0;
  handle.capabilities = capabilities_of(limits, info, subgroups);
  std::snprintf(handle.name, sizeof handle.name, "%s; %s%s", words_of(info.device).c_str(),
                info.adapterType == abi::kCpu ? "software, " : "", words_of(info.description).c_str());
  api.wgpuAdapterInfoFreeMembers(info);
  if (adapter != nullptr) api.wgpuAdapterRelease(adapter);
  ErrorScope scope(handle);
  const bool made = make_layouts(handle);
  const std::string words = scope.close();
  if (!made || !words.empty())
    return api::fail(LANESORT_DEVICE_ERROR, "the WebGPU device refused lanesort's layouts: %s", words.c_str());
  return LANESORT_OK;
}

abi::ComputePipeline pipeline_of(lanesort_webgpu& handle, const plan::PortablePlan& plan, contract::Kernel kernel) {
  const char* const name = contract::kKernelNames[static_cast<std::uint32_t>(kernel)];
  const std::string text = kernel_text(plan, kernel);
  const std::lock_guard lock(handle.pipelines_mutex);
  abi::ComputePipeline& pipeline = handle.pipelines[text];
  if (pipeline != nullptr) return pipeline;
  const Api& api = handle.api;
  ErrorScope scope(handle);
  abi::ShaderSourceWgsl source;
  source.code = view(text);
  const abi::ShaderModuleDescriptor module_descriptor{&source.chain, view(name)};
  const abi::ShaderModule module = api.wgpuDeviceCreateShaderModule(handle.device, &module_descriptor);
  abi::ComputePipelineDescriptor descriptor;
  descriptor.label = view(name);
  descriptor.layout = handle.pipeline_layout;
  descriptor.compute.module = module;
  descriptor.compute.entryPoint = view(name);
  abi::ComputePipeline made = api.wgpuDeviceCreateComputePipeline(handle.device, &descriptor);
  if (module != nullptr) api.wgpuShaderModuleRelease(module);
  const std::string words = scope.close();
  if (!words.empty() || made == nullptr) {
    if (made != nullptr) api.wgpuComputePipelineRelease(made);
    api::fail(LANESORT_DEVICE_ERROR, "the WebGPU device could not compile kernel %s: %s", name,
              words.empty() ? "it gave no reason" : words.c_str());
    return nullptr;
  }
  return pipeline = made;
}

}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort

namespace api = lanesort::api;
namespace webgpu = lanesort::webgpu;

lanesort_webgpu::~lanesort_webgpu() {
  for (const auto& [text, pipeline] : pipelines) {
    if (pipeline != nullptr) api.wgpuComputePipelineRelease(pipeline);
  }
  if (pipeline_layout != nullptr) api.wgpuPipelineLayoutRelease(pipeline_layout);
  for (const webgpu::abi::BindGroupLayout layout : layouts) {
    if (layout != nullptr) api.wgpuBindGroupLayoutRelease(layout);
  }
  if (queue != nullptr) api.wgpuQueueRelease(queue);
  if (device != nullptr && instance != nullptr) api.wgpuDeviceDestroy(device);
  if (device != nullptr) api.wgpuDeviceRelease(device);
  if (instance != nullptr) api.wgpuInstanceRelease(instance);
}

lanesort_status lanesort_webgpu_query(struct WGPUAdapterImpl* adapter, lanesort_webgpu_getter getter,
                                      lanesort_webgpu_needs* needs) noexcept try {
  if (adapter == nullptr || needs == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "adapter and needs must not be NULL");
  if (needs->struct_bytes != sizeof *needs)
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "needs.struct_bytes is %u, this library knows %zu; start from LANESORT_WEBGPU_NEEDS_INIT",
                     needs->struct_bytes, sizeof *needs);
  webgpu::Api functions;
  const lanesort_status status = webgpu::load_functions(getter, functions);
  if (status != LANESORT_OK) return status;
  webgpu::abi::Limits limits;
  if (functions.wgpuAdapterGetLimits(adapter, &limits) != webgpu::abi::kStatusSuccess)
    return api::fail(LANESORT_DEVICE_ERROR, "the WebGPU adapter does not tell its limits");
  const webgpu::abi::AdapterInfo info = webgpu::info_of(functions, adapter);
  *needs = LANESORT_WEBGPU_NEEDS_INIT;
  const bool subgroups = functions.wgpuAdapterHasFeature(adapter, functions.features.subgroups) != 0;
  if (subgroups) needs->features[needs->feature_count++] = functions.features.subgroups;
  if (functions.wgpuAdapterHasFeature(adapter, functions.features.timestamp_query) != 0)
    needs->features[needs->feature_count++] = functions.features.timestamp_query;
  const lanesort::plan::PortableCapabilities device = webgpu::capabilities_of(limits, info, subgroups);
  functions.wgpuAdapterInfoFreeMembers(info);
  needs->workgroup_storage_bytes = std::min(device.workgroup_bytes, 49152u);  // no shape of the first row takes more
  needs->workgroup_invocations = std::min(device.workgroup_invocations, lanesort::tune::kSmallWorkgroup);
  needs->storage_binding_bytes = device.binding_bytes;
  needs->buffer_bytes = device.buffer_bytes;
  if (device.subgroups)
    std::snprintf(needs->why, sizeof needs->why, "ranks by subgroups of %u to %u lanes", device.subgroup_min,
                  device.subgroup_max);
  else
    std::snprintf(needs->why, sizeof needs->why,
                  "ranks in workgroup memory: the adapter has no subgroups, or does not tell their size");
  return LANESORT_OK;
} catch (const std::bad_alloc&) { return api::fail(LANESORT_OUT_OF_MEMORY, "no memory to ask the adapter with"); }

lanesort_status lanesort_webgpu_create(struct WGPUDeviceImpl* device, lanesort_webgpu_getter getter,
                                       lanesort_webgpu** handle) noexcept try {
  if (device == nullptr || handle == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "device and handle must not be NULL");
  auto made = std::make_unique<lanesort_webgpu>();
  lanesort_status status = webgpu::load_functions(getter, made->api);
  if (status != LANESORT_OK) return status;
  made->api.wgpuDeviceAddRef(device);
  made->device = device;
  status = webgpu::set_up(*made);
  if (status == LANESORT_OK) *handle = made.release();
  return status;
} catch (const std::bad_alloc&) { return api::fail(LANESORT_OUT_OF_MEMORY, "no memory for a WebGPU handle"); }

void lanesort_webgpu_destroy(lanesort_webgpu* handle) noexcept { delete handle; }

lanesort_status lanesort_webgpu_capabilities(const lanesort_webgpu* handle,
                                             lanesort_capabilities* capabilities) noexcept {
  if (handle == nullptr || capabilities == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle and capabilities must not be NULL");
  *capabilities = LANESORT_CAPABILITIES_INIT;
  capabilities->backend = LANESORT_BACKEND_WEBGPU;
  capabilities->max_count = handle->capabilities.binding_bytes / 16;
  std::snprintf(capabilities->isa, sizeof capabilities->isa, "%s",
                handle->capabilities.subgroups ? "subgroups" : "no_subgroups");
  std::snprintf(capabilities->device, sizeof capabilities->device, "%s", handle->name);
  return LANESORT_OK;
}

lanesort_status lanesort_webgpu_use_form(lanesort_webgpu* handle, lanesort_webgpu_form form) noexcept {
  if (handle == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "handle must not be NULL");
  if (form < LANESORT_WEBGPU_FORM_TUNED || form > LANESORT_WEBGPU_FORM_SINGLE_PASS)
    return api::fail(LANESORT_INVALID_ARGUMENT, "form is %d; there are 0 (tuned), 1 (reduce then scan), 2 (single pass)",
                     static_cast<int>(form));
  handle->limits.form = static_cast<lanesort::plan::PortableForm>(form);
  return LANESORT_OK;
}

struct WGPUBindGroupLayoutImpl* lanesort_webgpu_bind_group_layout(const lanesort_webgpu* handle,
                                                                  uint32_t group) noexcept {
  return handle != nullptr && group < 2 ? handle->layouts[group] : nullptr;
}
