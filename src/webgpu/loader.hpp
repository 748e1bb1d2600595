// A WebGPU implementation as a table of functions, taken from a library file or from a caller's getter.
// Invariant: an Api that was loaded has every function but the ones that say so.
// Prior art: volk, which does the same for Vulkan.
#pragma once
#include "lanesort/lanesort.h"
#include "webgpu/abi.hpp"

namespace lanesort {
inline namespace v1 {
namespace webgpu {

// Result, name in webgpu.h, what it takes.
#define LANESORT_WEBGPU_FUNCTIONS(X)                                                                                         \
  X(abi::Instance, wgpuCreateInstance, const void*)  /* an InstanceDescriptor of the dialect: create_instance() */            \
  X(abi::Enum, wgpuInstanceWaitAny, abi::Instance, std::size_t, abi::FutureWaitInfo*, std::uint64_t)                         \
  X(void, wgpuInstanceProcessEvents, abi::Instance)                                                                          \
  X(abi::Future, wgpuInstanceRequestAdapter, abi::Instance, const abi::RequestAdapterOptions*,                               \
    abi::CallbackInfo<abi::RequestAdapterCallback>)                                                                          \
  X(abi::Enum, wgpuAdapterGetInfo, abi::Adapter, abi::AdapterInfo*)                                                          \
  X(void, wgpuAdapterInfoFreeMembers, abi::AdapterInfo)                                                                      \
  X(abi::Enum, wgpuAdapterGetLimits, abi::Adapter, abi::Limits*)                                                             \
  X(abi::Bool, wgpuAdapterHasFeature, abi::Adapter, abi::FeatureName)                                                        \
  X(abi::Future, wgpuAdapterRequestDevice, abi::Adapter, const abi::DeviceDescriptor*,                                       \
    abi::CallbackInfo<abi::RequestDeviceCallback>)                                                                           \
  X(abi::Adapter, wgpuDeviceGetAdapter, abi::Device)                                                                         \
  X(abi::Queue, wgpuDeviceGetQueue, abi::Device)                                                                             \
  X(abi::Enum, wgpuDeviceGetLimits, abi::Device, abi::Limits*)                                                               \
  X(abi::Bool, wgpuDeviceHasFeature, abi::Device, abi::FeatureName)                                                          \
  X(void, wgpuDevicePushErrorScope, abi::Device, abi::Enum)                                                                  \
  X(abi::Future, wgpuDevicePopErrorScope, abi::Device, abi::CallbackInfo<abi::PopErrorScopeCallback>)                        \
  X(abi::Buffer, wgpuDeviceCreateBuffer, abi::Device, const abi::BufferDescriptor*)                                          \
  X(abi::ShaderModule, wgpuDeviceCreateShaderModule, abi::Device, const abi::ShaderModuleDescriptor*)                        \
  X(abi::BindGroupLayout, wgpuDeviceCreateBindGroupLayout, abi::Device, const abi::BindGroupLayoutDescriptor*)               \
  X(abi::BindGroup, wgpuDeviceCreateBindGroup, abi::Device, const abi::BindGroupDescriptor*)                                 \
  X(abi::PipelineLayout, wgpuDeviceCreatePipelineLayout, abi::Device, const abi::PipelineLayoutDescriptor*)                  \
  X(abi::ComputePipeline, wgpuDeviceCreateComputePipeline, abi::Device, const abi::ComputePipelineDescriptor*)               \
  X(abi::QuerySet, wgpuDeviceCreateQuerySet, abi::Device, const abi::QuerySetDescriptor*)                                    \
  X(abi::CommandEncoder, wgpuDeviceCreateCommandEncoder, abi::Device, const abi::CommandEncoderDescriptor*)                  \
  X(void, wgpuDeviceDestroy, abi::Device)                                                                                    \
  X(abi::BindGroupLayout, wgpuComputePipelineGetBindGroupLayout, abi::ComputePipeline, std::uint32_t)                        \
  X(abi::ComputePass, wgpuCommandEncoderBeginComputePass, abi::CommandEncoder, const abi::ComputePassDescriptor*)            \
  X(void, wgpuCommandEncoderCopyBufferToBuffer, abi::CommandEncoder, abi::Buffer, std::uint64_t, abi::Buffer, std::uint64_t, \
    std::uint64_t)                                                                                                           \
  X(void, wgpuCommandEncoderClearBuffer, abi::CommandEncoder, abi::Buffer, std::uint64_t, std::uint64_t)                     \
  X(void, wgpuCommandEncoderResolveQuerySet, abi::CommandEncoder, abi::QuerySet, std::uint32_t, std::uint32_t, abi::Buffer,  \
    std::uint64_t)                                                                                                           \
  X(abi::CommandBuffer, wgpuCommandEncoderFinish, abi::CommandEncoder, const abi::CommandBufferDescriptor*)                  \
  X(void, wgpuComputePassEncoderSetPipeline, abi::ComputePass, abi::ComputePipeline)                                         \
  X(void, wgpuComputePassEncoderSetBindGroup, abi::ComputePass, std::uint32_t, abi::BindGroup, std::size_t,                  \
    const std::uint32_t*)                                                                                                    \
  X(void, wgpuComputePassEncoderDispatchWorkgroups, abi::ComputePass, std::uint32_t, std::uint32_t, std::uint32_t)           \
  X(void, wgpuComputePassEncoderDispatchWorkgroupsIndirect, abi::ComputePass, abi::Buffer, std::uint64_t)                    \
  X(void, wgpuComputePassEncoderEnd, abi::ComputePass)                                                                       \
  X(void, wgpuQueueSubmit, abi::Queue, std::size_t, const abi::CommandBuffer*)                                               \
  X(void, wgpuQueueWriteBuffer, abi::Queue, abi::Buffer, std::uint64_t, const void*, std::size_t)                            \
  X(abi::Future, wgpuBufferMapAsync, abi::Buffer, abi::Flags, std::size_t, std::size_t,                                      \
    abi::CallbackInfo<abi::BufferMapCallback>)                                                                               \
  X(const void*, wgpuBufferGetConstMappedRange, abi::Buffer, std::size_t, std::size_t)                                       \
  X(void, wgpuBufferUnmap, abi::Buffer)                                                                                      \
  X(std::uint64_t, wgpuBufferGetSize, abi::Buffer)                                                                           \
  X(abi::Flags, wgpuBufferGetUsage, abi::Buffer)                                                                             \
  X(void, wgpuBufferDestroy, abi::Buffer)                                                                                    \
  X(void, wgpuQuerySetDestroy, abi::QuerySet)                                                                                \
  X(void, wgpuDeviceAddRef, abi::Device)                                                                                     \
  X(void, wgpuInstanceRelease, abi::Instance)                                                                                \
  X(void, wgpuAdapterRelease, abi::Adapter)                                                                                  \
  X(void, wgpuDeviceRelease, abi::Device)                                                                                    \
  X(void, wgpuQueueRelease, abi::Queue)                                                                                      \
  X(void, wgpuBufferRelease, abi::Buffer)                                                                                    \
  X(void, wgpuBindGroupRelease, abi::BindGroup)                                                                              \
  X(void, wgpuBindGroupLayoutRelease, abi::BindGroupLayout)                                                                  \
  X(void, wgpuPipelineLayoutRelease, abi::PipelineLayout)                                                                    \
  X(void, wgpuComputePipelineRelease, abi::ComputePipeline)                                                                  \
  X(void, wgpuShaderModuleRelease, abi::ShaderModule)                                                                        \
  X(void, wgpuCommandEncoderRelease, abi::CommandEncoder)                                                                    \
  X(void, wgpuCommandBufferRelease, abi::CommandBuffer)                                                                      \
  X(void, wgpuComputePassEncoderRelease, abi::ComputePass)                                                                   \
  X(void, wgpuQuerySetRelease, abi::QuerySet)

// Which webgpu.h the implementation was built with. They differ in the numbers of the features and in the
// descriptor of an instance.
enum class Dialect {
  dawn_capabilities,  // Dawn until June 2025
  dawn,               // since then
};

struct Features {
  abi::FeatureName timestamp_query;
  abi::FeatureName shader_f16;
  abi::FeatureName subgroups;
};

struct Api {
#define LANESORT_DECLARE(result, name, ...) result (*name)(__VA_ARGS__) = nullptr;
  LANESORT_WEBGPU_FUNCTIONS(LANESORT_DECLARE)
#undef LANESORT_DECLARE
  Dialect dialect = Dialect::dawn;
  Features features{};

  // An instance whose wgpuInstanceWaitAny may wait. chain: nullptr or a DawnTogglesDescriptor. nullptr on failure.
  abi::Instance create_instance(abi::ChainedStruct* chain = nullptr) const noexcept;
};

// What wgpuGetProcAddress is to a caller who has one: the address of a function by its name, or nullptr.
using ProcGetter = void* (*)(const char* name);

// LANESORT_OK, or LANESORT_DEVICE_UNAVAILABLE with words that name what is missing.
lanesort_status load(ProcGetter getter, Api& api) noexcept;

// The same from a library file, which stays open for the rest of the process. path: as dlopen takes it.
lanesort_status load(const char* path, Api& api) noexcept;

}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort
