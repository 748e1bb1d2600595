// A handle: one device, the layouts that all kernels share, and the pipelines made so far.
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "lanesort/webgpu.h"
#include "plan/portable/plan.hpp"
#include "webgpu/loader.hpp"

struct lanesort_webgpu {
  lanesort_webgpu() = default;
  ~lanesort_webgpu();
  lanesort_webgpu(const lanesort_webgpu&) = delete;
  lanesort_webgpu& operator=(const lanesort_webgpu&) = delete;

  lanesort::webgpu::Api api;
  lanesort::webgpu::abi::Instance instance = nullptr;  // of lanesort_webgpu_open() alone
  lanesort::webgpu::abi::Device device = nullptr;
  lanesort::webgpu::abi::Queue queue = nullptr;
  lanesort::webgpu::abi::BindGroupLayout layouts[2] = {};
  lanesort::webgpu::abi::PipelineLayout pipeline_layout = nullptr;
  lanesort::plan::PortableCapabilities capabilities;
  lanesort::plan::PortableLimits limits;  // tests shrink them before they prepare
  char name[64] = "";

  // The first thing that a device of the handle's own complained of, kept until it is asked for.
  std::mutex complaint_mutex;
  std::string complaint;

  std::mutex pipelines_mutex;
  std::map<std::string, lanesort::webgpu::abi::ComputePipeline> pipelines;  // by kernel name and text
};

namespace lanesort {
inline namespace v1 {
namespace webgpu {

inline abi::StringView view(std::string_view text) { return {text.data(), text.size()}; }
inline std::string words_of(abi::StringView text) {
  if (text.data == nullptr) return {};
  return text.length == abi::kZeroTerminated ? std::string(text.data) : std::string(text.data, text.length);
}

// Takes over a device whose reference is the handle's: queue, capabilities, layouts.
lanesort_status set_up(lanesort_webgpu& handle);

// The pipeline of a kernel, compiled at most once; nullptr with the error in words.
abi::ComputePipeline pipeline_of(lanesort_webgpu& handle, const plan::PortablePlan& plan, contract::Kernel kernel);

plan::PortableCapabilities capabilities_of(const abi::Limits& limits, const abi::AdapterInfo& info, bool subgroups);

}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort
