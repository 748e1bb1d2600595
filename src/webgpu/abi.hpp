// The part of the WebGPU C API that computing needs, declared by ourselves, so that the room compiles without a
// webgpu.h and one binary serves every Dawn. Names, numbers and layouts are those of the public webgpu.h; fields keep
// its spelling so that its reference can be read beside this file. Everything stands in a namespace of ours except the
// handles, which are declared exactly as webgpu.h declares them: a caller's own webgpu.h never clashes with this.
// Invariant: a struct here has the layout that both dialects (see loader.hpp) give it, or says which one it is of.
// Facts: webgpu-native/webgpu-headers and Dawn's generated header (both BSD-3-Clause).
#pragma once
#include <cstddef>
#include <cstdint>

struct WGPUInstanceImpl;
struct WGPUAdapterImpl;
struct WGPUDeviceImpl;
struct WGPUQueueImpl;
struct WGPUBufferImpl;
struct WGPUBindGroupImpl;
struct WGPUBindGroupLayoutImpl;
struct WGPUPipelineLayoutImpl;
struct WGPUComputePipelineImpl;
struct WGPUShaderModuleImpl;
struct WGPUCommandEncoderImpl;
struct WGPUCommandBufferImpl;
struct WGPUComputePassEncoderImpl;
struct WGPUQuerySetImpl;
struct WGPUSamplerImpl;
struct WGPUTextureViewImpl;
struct WGPUSurfaceImpl;

namespace lanesort {
inline namespace v1 {
namespace webgpu {
namespace abi {

using Instance = WGPUInstanceImpl*;
using Adapter = WGPUAdapterImpl*;
using Device = WGPUDeviceImpl*;
using Queue = WGPUQueueImpl*;
using Buffer = WGPUBufferImpl*;
using BindGroup = WGPUBindGroupImpl*;
using BindGroupLayout = WGPUBindGroupLayoutImpl*;
using PipelineLayout = WGPUPipelineLayoutImpl*;
using ComputePipeline = WGPUComputePipelineImpl*;
using ShaderModule = WGPUShaderModuleImpl*;
using CommandEncoder = WGPUCommandEncoderImpl*;
using CommandBuffer = WGPUCommandBufferImpl*;
using ComputePass = WGPUComputePassEncoderImpl*;
using QuerySet = WGPUQuerySetImpl*;
using Sampler = WGPUSamplerImpl*;
using TextureView = WGPUTextureViewImpl*;
using Surface = WGPUSurfaceImpl*;

using Bool = std::uint32_t;
using Flags = std::uint64_t;
using Enum = std::uint32_t;
using FeatureName = std::uint32_t;  // numbered by dialect: Features in loader.hpp

constexpr Enum kStatusSuccess = 1;  // of calls, and of every callback
constexpr Enum kWaitSuccess = 1;
constexpr Enum kWaitTimedOut = 2;
constexpr std::uint64_t kWholeSize = UINT64_MAX;
constexpr std::uint32_t kLimitUndefined = UINT32_MAX;
constexpr std::uint64_t kLimitUndefined64 = UINT64_MAX;
constexpr std::uint32_t kQueryIndexUndefined = UINT32_MAX;
constexpr std::size_t kZeroTerminated = SIZE_MAX;  // StringView::length

enum StructType : Enum { kShaderSourceSpirv = 1, kShaderSourceWgsl = 2, kDawnToggles = 0x5000A };
enum CallbackMode : Enum { kWaitAnyOnly = 1, kAllowProcessEvents = 2, kAllowSpontaneous = 3 };
enum FeatureLevel : Enum { kCompatibility = 1, kCore = 2 };
enum BackendType : Enum { kBackendUndefined = 0, kNullBackend = 1, kD3D12 = 4, kMetal = 5, kVulkan = 6 };
enum AdapterType : Enum { kDiscreteGpu = 1, kIntegratedGpu = 2, kCpu = 3, kUnknownAdapter = 4 };
enum ErrorFilter : Enum { kFilterValidation = 1, kFilterOutOfMemory = 2, kFilterInternal = 3 };
enum ErrorType : Enum { kNoError = 1, kValidationError = 2, kOutOfMemoryError = 3, kInternalError = 4, kUnknownError = 5 };
enum DeviceLostReason : Enum { kLostUnknown = 1, kLostDestroyed = 2, kLostCallbackCancelled = 3, kLostFailedCreation = 4 };
enum BufferBindingType : Enum { kBindingUndefined = 1, kUniformBuffer = 2, kStorageBuffer = 3, kReadOnlyStorageBuffer = 4 };
enum QueryType : Enum { kOcclusionQuery = 1, kTimestampQuery = 2 };
enum InstanceFeature : Enum { kTimedWaitAny = 1 };
constexpr Flags kComputeStage = 4;  // ShaderStage
constexpr Flags kMapRead = 1;       // MapMode

namespace usage {  // BufferUsage
constexpr Flags kMapRead = 0x1;
constexpr Flags kMapWrite = 0x2;
constexpr Flags kCopySrc = 0x4;
constexpr Flags kCopyDst = 0x8;
constexpr Flags kUniform = 0x40;
constexpr Flags kStorage = 0x80;
constexpr Flags kIndirect = 0x100;
constexpr Flags kQueryResolve = 0x200;
}  // namespace usage

struct StringView {
  const char* data = nullptr;
  std::size_t length = 0;
};

struct ChainedStruct {
  ChainedStruct* next = nullptr;
  Enum sType = 0;
};

struct Future {
  std::uint64_t id = 0;
};

struct FutureWaitInfo {
  Future future;
  Bool completed = 0;
};

// Dawn until June 2025.
struct InstanceDescriptorWithCapabilities {
  ChainedStruct* nextInChain = nullptr;
  struct {
    ChainedStruct* nextInChain = nullptr;
    Bool timedWaitAnyEnable = 0;
    std::size_t timedWaitAnyMaxCount = 0;
  } capabilities;
};

// Dawn since then, and webgpu-headers.
struct InstanceLimits {
  ChainedStruct* nextInChain = nullptr;
  std::size_t timedWaitAnyMaxCount = 0;
};
struct InstanceDescriptor {
  ChainedStruct* nextInChain = nullptr;
  std::size_t requiredFeatureCount = 0;
  const Enum* requiredFeatures = nullptr;
  const InstanceLimits* requiredLimits = nullptr;
};

struct RequestAdapterOptions {
  ChainedStruct* nextInChain = nullptr;
  Enum featureLevel = kCore;
  Enum powerPreference = 0;
  Bool forceFallbackAdapter = 0;
  Enum backendType = kBackendUndefined;
  Surface compatibleSurface = nullptr;
};

struct AdapterInfo {
  ChainedStruct* nextInChain = nullptr;
  StringView vendor;
  StringView architecture;
  StringView device;
  StringView description;
  Enum backendType = 0;
  Enum adapterType = 0;
  std::uint32_t vendorID = 0;
  std::uint32_t deviceID = 0;
  std::uint32_t subgroupMinSize = 0;
  std::uint32_t subgroupMaxSize = 0;
};

struct SupportedFeatures {
  std::size_t featureCount = 0;
  const FeatureName* features = nullptr;
};

// As a request: what is left at its initial value is the default of the API.
struct Limits {
  ChainedStruct* nextInChain = nullptr;
  std::uint32_t maxTextureDimension1D = kLimitUndefined;
  std::uint32_t maxTextureDimension2D = kLimitUndefined;
  std::uint32_t maxTextureDimension3D = kLimitUndefined;
  std::uint32_t maxTextureArrayLayers = kLimitUndefined;
  std::uint32_t maxBindGroups = kLimitUndefined;
  std::uint32_t maxBindGroupsPlusVertexBuffers = kLimitUndefined;
  std::uint32_t maxBindingsPerBindGroup = kLimitUndefined;
  std::uint32_t maxDynamicUniformBuffersPerPipelineLayout = kLimitUndefined;
  std::uint32_t maxDynamicStorageBuffersPerPipelineLayout = kLimitUndefined;
  std::uint32_t maxSampledTexturesPerShaderStage = kLimitUndefined;
  std::uint32_t maxSamplersPerShaderStage = kLimitUndefined;
  std::uint32_t maxStorageBuffersPerShaderStage = kLimitUndefined;
  std::uint32_t maxStorageTexturesPerShaderStage = kLimitUndefined;
  std::uint32_t maxUniformBuffersPerShaderStage = kLimitUndefined;
  std::uint64_t maxUniformBufferBindingSize = kLimitUndefined64;
  std::uint64_t maxStorageBufferBindingSize = kLimitUndefined64;
  std::uint32_t minUniformBufferOffsetAlignment = kLimitUndefined;
  std::uint32_t minStorageBufferOffsetAlignment = kLimitUndefined;
  std::uint32_t maxVertexBuffers = kLimitUndefined;
  std::uint64_t maxBufferSize = kLimitUndefined64;
  std::uint32_t maxVertexAttributes = kLimitUndefined;
  std::uint32_t maxVertexBufferArrayStride = kLimitUndefined;
  std::uint32_t maxInterStageShaderVariables = kLimitUndefined;
  std::uint32_t maxColorAttachments = kLimitUndefined;
  std::uint32_t maxColorAttachmentBytesPerSample = kLimitUndefined;
  std::uint32_t maxComputeWorkgroupStorageSize = kLimitUndefined;
  std::uint32_t maxComputeInvocationsPerWorkgroup = kLimitUndefined;
  std::uint32_t maxComputeWorkgroupSizeX = kLimitUndefined;
  std::uint32_t maxComputeWorkgroupSizeY = kLimitUndefined;
  std::uint32_t maxComputeWorkgroupSizeZ = kLimitUndefined;
  std::uint32_t maxComputeWorkgroupsPerDimension = kLimitUndefined;
  std::uint32_t maxImmediateSize = kLimitUndefined;
};

using RequestAdapterCallback = void (*)(Enum status, Adapter adapter, StringView message, void* userdata1, void* userdata2);
using RequestDeviceCallback = void (*)(Enum status, Device device, StringView message, void* userdata1, void* userdata2);
using BufferMapCallback = void (*)(Enum status, StringView message, void* userdata1, void* userdata2);
using PopErrorScopeCallback = void (*)(Enum status, Enum error_type, StringView message, void* userdata1, void* userdata2);
using DeviceLostCallback = void (*)(const Device* device, Enum reason, StringView message, void* userdata1, void* userdata2);
using UncapturedErrorCallback = void (*)(const Device* device, Enum error_type, StringView message, void* userdata1, void* userdata2);

template <class Callback> struct CallbackInfo {
  ChainedStruct* nextInChain = nullptr;
  Enum mode = 0;
  Callback callback = nullptr;
  void* userdata1 = nullptr;
  void* userdata2 = nullptr;
};

struct UncapturedErrorCallbackInfo {
  ChainedStruct* nextInChain = nullptr;
  UncapturedErrorCallback callback = nullptr;
  void* userdata1 = nullptr;
  void* userdata2 = nullptr;
};

struct QueueDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
};

struct DeviceDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
  std::size_t requiredFeatureCount = 0;
  const FeatureName* requiredFeatures = nullptr;
  const Limits* requiredLimits = nullptr;
  QueueDescriptor defaultQueue;
  CallbackInfo<DeviceLostCallback> deviceLostCallbackInfo;
  UncapturedErrorCallbackInfo uncapturedErrorCallbackInfo;
};

// Chained to an instance's or a device's descriptor; Dawn only.
struct DawnTogglesDescriptor {
  ChainedStruct chain{nullptr, kDawnToggles};
  std::size_t enabledToggleCount = 0;
  const char* const* enabledToggles = nullptr;
  std::size_t disabledToggleCount = 0;
  const char* const* disabledToggles = nullptr;
};

struct BufferDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
  Flags usage = 0;
  std::uint64_t size = 0;
  Bool mappedAtCreation = 0;
};

struct BufferBindingLayout {
  ChainedStruct* nextInChain = nullptr;
  Enum type = 0;
  Bool hasDynamicOffset = 0;
  std::uint64_t minBindingSize = 0;
};

struct SamplerBindingLayout {
  ChainedStruct* nextInChain = nullptr;
  Enum type = 0;
};

struct TextureBindingLayout {
  ChainedStruct* nextInChain = nullptr;
  Enum sampleType = 0;
  Enum viewDimension = 0;
  Bool multisampled = 0;
};

struct StorageTextureBindingLayout {
  ChainedStruct* nextInChain = nullptr;
  Enum access = 0;
  Enum format = 0;
  Enum viewDimension = 0;
};

struct BindGroupLayoutEntry {
  ChainedStruct* nextInChain = nullptr;
  std::uint32_t binding = 0;
  Flags visibility = kComputeStage;
  std::uint32_t bindingArraySize = 0;
  BufferBindingLayout buffer;
  SamplerBindingLayout sampler;
  TextureBindingLayout texture;
  StorageTextureBindingLayout storageTexture;
};

struct BindGroupLayoutDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
  std::size_t entryCount = 0;
  const BindGroupLayoutEntry* entries = nullptr;
};

struct BindGroupEntry {
  ChainedStruct* nextInChain = nullptr;
  std::uint32_t binding = 0;
  Buffer buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = kWholeSize;
  Sampler sampler = nullptr;
  TextureView textureView = nullptr;
};

struct BindGroupDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
  BindGroupLayout layout = nullptr;
  std::size_t entryCount = 0;
  const BindGroupEntry* entries = nullptr;
};

struct PipelineLayoutDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
  std::size_t bindGroupLayoutCount = 0;
  const BindGroupLayout* bindGroupLayouts = nullptr;
  std::uint32_t immediateSize = 0;
};

struct ShaderModuleDescriptor {
  ChainedStruct* nextInChain = nullptr;  // a ShaderSourceWgsl
  StringView label;
};

struct ShaderSourceWgsl {
  ChainedStruct chain{nullptr, kShaderSourceWgsl};
  StringView code;
};

struct ConstantEntry {
  ChainedStruct* nextInChain = nullptr;
  StringView key;
  double value = 0;
};

struct ComputeState {
  ChainedStruct* nextInChain = nullptr;
  ShaderModule module = nullptr;
  StringView entryPoint;
  std::size_t constantCount = 0;
  const ConstantEntry* constants = nullptr;
};

struct ComputePipelineDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
  PipelineLayout layout = nullptr;  // nullptr: made from the shader
  ComputeState compute;
};

struct QuerySetDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
  Enum type = kTimestampQuery;
  std::uint32_t count = 0;
};

struct PassTimestampWrites {
  ChainedStruct* nextInChain = nullptr;
  QuerySet querySet = nullptr;
  std::uint32_t beginningOfPassWriteIndex = kQueryIndexUndefined;
  std::uint32_t endOfPassWriteIndex = kQueryIndexUndefined;
};

struct ComputePassDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
  const PassTimestampWrites* timestampWrites = nullptr;
};

struct CommandEncoderDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
};

struct CommandBufferDescriptor {
  ChainedStruct* nextInChain = nullptr;
  StringView label;
};

static_assert(sizeof(void*) == 8, "layouts are those of 64-bit targets");
static_assert(sizeof(InstanceDescriptor) == sizeof(InstanceDescriptorWithCapabilities));
static_assert(sizeof(Limits) == 152 && offsetof(Limits, maxBufferSize) == 96);
static_assert(sizeof(BindGroupLayoutEntry) == 120 && offsetof(BindGroupLayoutEntry, buffer) == 32);
static_assert(sizeof(AdapterInfo) == 96 && sizeof(DeviceDescriptor) == 144);

}  // namespace abi
}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort
