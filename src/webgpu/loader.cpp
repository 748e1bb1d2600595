#include "webgpu/loader.hpp"

#include <dlfcn.h>

#include "api/status.hpp"

namespace lanesort {
inline namespace v1 {
namespace webgpu {
namespace {

// Where functions are found by name.
struct Source {
  ProcGetter getter = nullptr;
  void* library = nullptr;
  const char* name = "";  // for words

  void* find(const char* function) const noexcept { return getter != nullptr ? getter(function) : dlsym(library, function); }
};

constexpr Features features_of(Dialect dialect) {
  return dialect == Dialect::dawn_capabilities ? Features{.timestamp_query = 3, .shader_f16 = 0xA, .subgroups = 0x11}
                                               : Features{.timestamp_query = 9, .shader_f16 = 0xB, .subgroups = 0x12};
}

lanesort_status fill(const Source& source, Api& api) noexcept {
  // wgpu-native has layouts of its own, which would be read wrongly without any error.
  if (source.find("wgpuDevicePoll") != nullptr) {
    return api::fail(LANESORT_DEVICE_UNAVAILABLE, "%s is wgpu-native, whose structs differ from those that lanesort %s knows. Use Dawn", source.name,
                     lanesort_version_string());
  }
  const char* missing = nullptr;
#define LANESORT_FIND(result, function, ...)                                        \
  api.function = reinterpret_cast<decltype(api.function)>(source.find(#function)); \
  if (api.function == nullptr && missing == nullptr) missing = #function;
  LANESORT_WEBGPU_FUNCTIONS(LANESORT_FIND)
#undef LANESORT_FIND
  if (missing != nullptr) {
    return api::fail(LANESORT_DEVICE_UNAVAILABLE, "%s has no %s; lanesort %s needs a WebGPU implementation with the whole of webgpu.h, such as Dawn of June 2025 or newer",
                     source.name, missing, lanesort_version_string());
  }
  // Renamed to wgpuGetInstanceFeatures when the numbers changed.
  api.dialect = source.find("wgpuGetInstanceCapabilities") != nullptr ? Dialect::dawn_capabilities : Dialect::dawn;
  api.features = features_of(api.dialect);
  return LANESORT_OK;
}

}  // namespace

abi::Instance Api::create_instance(abi::ChainedStruct* chain) const noexcept {
  constexpr std::size_t waits_at_once = 8;
  if (dialect == Dialect::dawn_capabilities) {
    abi::InstanceDescriptorWithCapabilities descriptor;
    descriptor.nextInChain = chain;
    descriptor.capabilities.timedWaitAnyEnable = 1;
    descriptor.capabilities.timedWaitAnyMaxCount = waits_at_once;
    return wgpuCreateInstance(&descriptor);
  }
  const abi::Enum feature = abi::kTimedWaitAny;
  const abi::InstanceLimits limits{nullptr, waits_at_once};
  const abi::InstanceDescriptor descriptor{chain, 1, &feature, &limits};
  return wgpuCreateInstance(&descriptor);
}

lanesort_status load(ProcGetter getter, Api& api) noexcept {
  if (getter == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "the getter of WebGPU functions is null; give wgpuGetProcAddress or a function like it");
  return fill(Source{.getter = getter, .name = "the given getter of WebGPU functions"}, api);
}

lanesort_status load(const char* path, Api& api) noexcept {
  // Local, for a Dawn brings symbols of many projects along that a program may have of its own.
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return api::fail(LANESORT_DEVICE_UNAVAILABLE, "no WebGPU: %s. Name a shared library that has the functions of webgpu.h, such as Dawn's", dlerror());
  }
  return fill(Source{.library = library, .name = path}, api);
}

}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort
