// A device of the library's own, for programs that have no WebGPU of theirs: the command line, tests, benches.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "api/backend.hpp"
#include "api/status.hpp"
#include "webgpu/handle.hpp"

namespace lanesort {
inline namespace v1 {
namespace webgpu {
namespace {

// What a callback brings: the object, or why there is none.
template <class Object>
struct Reply {
  Object object = nullptr;
  std::string words;
};

template <class Object>
void take_reply(abi::Enum, Object object, abi::StringView message, void* reply, void*) {
  static_cast<Reply<Object>*>(reply)->object = object;
  static_cast<Reply<Object>*>(reply)->words = words_of(message);
}

template <class Object, class Ask>
Reply<Object> ask(const Api& api, abi::Instance instance, Ask call) {
  Reply<Object> reply;
  abi::CallbackInfo<void (*)(abi::Enum, Object, abi::StringView, void*, void*)> info;
  info.mode = abi::kWaitAnyOnly;
  info.callback = take_reply<Object>;
  info.userdata1 = &reply;
  abi::FutureWaitInfo wait{call(info), 0};
  api.wgpuInstanceWaitAny(instance, 1, &wait, UINT64_MAX);
  return reply;
}

struct AdapterHolder {
  const Api& api;
  abi::Adapter adapter;
  ~AdapterHolder() {
    if (adapter != nullptr) api.wgpuAdapterRelease(adapter);
  }
};

lanesort_status open_instance(const char* path, lanesort_webgpu& handle) {
  if (path == nullptr) path = std::getenv("LANESORT_WEBGPU_LIB");
  if (path == nullptr || *path == 0)
    return api::fail(LANESORT_DEVICE_UNAVAILABLE,
                     "no WebGPU library is named; set LANESORT_WEBGPU_LIB to a shared library of Dawn's");
  const lanesort_status status = load(path, handle.api);
  if (status != LANESORT_OK) return status;
  handle.instance = handle.api.create_instance();
  if (handle.instance == nullptr) return api::fail(LANESORT_DEVICE_UNAVAILABLE, "%s makes no WebGPU instance", path);
  return LANESORT_OK;
}

// What Dawn offers where there is no driver: it accepts everything and computes nothing.
bool is_dummy(const Api& api, abi::Adapter adapter) {
  abi::AdapterInfo info;
  api.wgpuAdapterGetInfo(adapter, &info);
  const bool dummy = info.backendType == abi::kNullBackend;
  api.wgpuAdapterInfoFreeMembers(info);
  return dummy;
}

abi::Adapter request_adapter(lanesort_webgpu& handle, std::uint32_t index) {
  abi::RequestAdapterOptions options;
  options.forceFallbackAdapter = index != 0;
  auto reply = ask<abi::Adapter>(handle.api, handle.instance, [&](const auto& info) {
    return handle.api.wgpuInstanceRequestAdapter(handle.instance, &options, info);
  });
  if (reply.object != nullptr && is_dummy(handle.api, reply.object)) {
    handle.api.wgpuAdapterRelease(reply.object);
    reply.object = nullptr;
  }
  if (reply.object == nullptr)
    api::fail(LANESORT_DEVICE_UNAVAILABLE, "the WebGPU library finds no adapter: %s",
              reply.words.empty() ? "is a Vulkan driver installed?" : reply.words.c_str());
  return reply.object;
}

void keep_complaint(const abi::Device*, abi::Enum, abi::StringView message, void* userdata, void*) {
  auto& handle = *static_cast<lanesort_webgpu*>(userdata);
  const std::lock_guard lock(handle.complaint_mutex);
  if (handle.complaint.empty()) handle.complaint = words_of(message);
}

bool without_subgroups() {
  const char* const forced = std::getenv("LANESORT_FORCE_ISA");
  return forced != nullptr && std::strcmp(forced, "no_subgroups") == 0;
}

std::uint32_t* limit_of(const char* name, plan::PortableLimits& limits) {
  const std::pair<const char*, std::uint32_t*> all[] = {{"looks", &limits.looks},
                                                        {"withheld", &limits.withheld},
                                                        {"groups", &limits.groups},
                                                        {"workgroup", &limits.workgroup},
                                                        {"items", &limits.items}};
  for (const auto& [candidate, limit] : all) {
    if (std::strcmp(candidate, name) == 0) return limit;
  }
  return nullptr;
}

// The form that LANESORT_FORCE_FORM names, and what follows it. False: it is none.
bool force_form(std::string text, plan::PortableLimits& limits) {
  for (std::size_t comma = text.find(','); !text.empty(); comma = text.find(',')) {
    const std::string word = text.substr(0, comma);
    text.erase(0, comma == std::string::npos ? comma : comma + 1);
    char name[10] = "";
    std::uint32_t number = 0;
    int end = 0;
    if (word == "reduce_then_scan" || word == "single_pass") {
      limits.form = word == "single_pass" ? plan::PortableForm::single_pass : plan::PortableForm::reduce_then_scan;
    } else if (std::sscanf(word.c_str(), "%9[a-z]=%6" SCNu32 "%n", name, &number, &end) == 2 && number != 0 &&
               word.size() == static_cast<std::size_t>(end) && limit_of(name, limits) != nullptr) {
      *limit_of(name, limits) = number;
    } else {
      return false;
    }
  }
  return true;
}

lanesort_status read_form(lanesort_webgpu& handle) {
  const char* const forced = std::getenv("LANESORT_FORCE_FORM");
  if (forced == nullptr || force_form(forced, handle.limits)) return LANESORT_OK;
  return api::fail(LANESORT_INVALID_ARGUMENT,
                   "LANESORT_FORCE_FORM is %s; there are reduce_then_scan and single_pass, and after commas looks=N, "
                   "withheld=N, groups=N, workgroup=N and items=N with numbers from 1",
                   forced);
}

// All that the adapter has and sorts can use.
lanesort_status request_device(lanesort_webgpu& handle, abi::Adapter adapter) {
  const Api& api = handle.api;
  abi::Limits supported, wanted;
  api.wgpuAdapterGetLimits(adapter, &supported);
  wanted.maxComputeWorkgroupStorageSize = supported.maxComputeWorkgroupStorageSize;
  wanted.maxComputeInvocationsPerWorkgroup = supported.maxComputeInvocationsPerWorkgroup;
  wanted.maxComputeWorkgroupSizeX = supported.maxComputeWorkgroupSizeX;
  wanted.maxStorageBufferBindingSize = supported.maxStorageBufferBindingSize;
  wanted.maxBufferSize = supported.maxBufferSize;
  abi::FeatureName features[2];
  std::size_t feature_count = 0;
  for (const abi::FeatureName feature : {api.features.subgroups, api.features.timestamp_query}) {
    if (feature == api.features.subgroups && without_subgroups()) continue;
    if (api.wgpuAdapterHasFeature(adapter, feature)) features[feature_count++] = feature;
  }
  // By itself Dawn rounds timestamps to 65 us or more, lest a web page measure with them; programs may know.
  const char* const coarse_timestamps = "timestamp_quantization";
  abi::DawnTogglesDescriptor toggles;
  toggles.disabledToggleCount = 1;
  toggles.disabledToggles = &coarse_timestamps;
  abi::DeviceDescriptor descriptor;
  descriptor.nextInChain = &toggles.chain;
  descriptor.label = view("lanesort");
  descriptor.requiredFeatureCount = feature_count;
  descriptor.requiredFeatures = features;
  descriptor.requiredLimits = &wanted;
  descriptor.deviceLostCallbackInfo.mode = abi::kAllowSpontaneous;
  descriptor.deviceLostCallbackInfo.callback = [](const abi::Device* device, abi::Enum reason, abi::StringView message,
                                                  void* userdata, void* other) {
    if (reason != abi::kLostDestroyed && reason != abi::kLostCallbackCancelled)
      keep_complaint(device, reason, message, userdata, other);
  };
  descriptor.deviceLostCallbackInfo.userdata1 = &handle;
  descriptor.uncapturedErrorCallbackInfo.callback = keep_complaint;
  descriptor.uncapturedErrorCallbackInfo.userdata1 = &handle;
  const auto reply = ask<abi::Device>(
      api, handle.instance, [&](const auto& info) { return api.wgpuAdapterRequestDevice(adapter, &descriptor, info); });
  if (reply.object == nullptr)
    return api::fail(LANESORT_DEVICE_UNAVAILABLE, "the WebGPU adapter gives no device: %s", reply.words.c_str());
  handle.device = reply.object;
  return LANESORT_OK;
}

}  // namespace
}  // namespace webgpu

lanesort_status api::query_webgpu(lanesort_capabilities* capabilities) noexcept {
  lanesort_webgpu* handle = nullptr;
  lanesort_status status = lanesort_webgpu_open(nullptr, 0, &handle);
  if (status == LANESORT_OK) status = lanesort_webgpu_capabilities(handle, capabilities);
  lanesort_webgpu_destroy(handle);
  return status;
}

}  // namespace v1
}  // namespace lanesort

namespace api = lanesort::api;
namespace webgpu = lanesort::webgpu;

lanesort_status lanesort_webgpu_open(const char* path, uint32_t adapter_index, lanesort_webgpu** handle) noexcept try {
  if (handle == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "handle must not be NULL");
  auto made = std::make_unique<lanesort_webgpu>();
  lanesort_status status = webgpu::open_instance(path, *made);
  if (status != LANESORT_OK) return status;
  const webgpu::AdapterHolder adapter{made->api, webgpu::request_adapter(*made, adapter_index)};
  if (adapter.adapter == nullptr) return LANESORT_DEVICE_UNAVAILABLE;  // said already
  status = webgpu::request_device(*made, adapter.adapter);
  if (status == LANESORT_OK) status = webgpu::set_up(*made);
  if (status == LANESORT_OK) status = webgpu::read_form(*made);
  if (status == LANESORT_OK) *handle = made.release();
  return status;
} catch (const std::bad_alloc&) { return api::fail(LANESORT_OUT_OF_MEMORY, "no memory for a WebGPU handle"); }
