// A prepared sort: the plan, its pipelines and parameters. Encoding makes nothing but bind groups.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "api/check.hpp"
#include "webgpu/handle.hpp"

namespace lanesort {
inline namespace v1 {
namespace webgpu {

inline constexpr api::Offer kOffer = api::Offer::everything;

}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort

struct lanesort_webgpu_sorter {
  // The buffers that bind groups were made for.
  using Slices = std::array<lanesort_webgpu_slice, lanesort::plan::kBufferRoles>;
  struct Groups {
    Slices slices{};
    lanesort::webgpu::abi::BindGroup groups[lanesort::plan::PortablePlan::kMaxBindings] = {};
  };

  explicit lanesort_webgpu_sorter(lanesort_webgpu& device) : handle(device) {}
  ~lanesort_webgpu_sorter();
  lanesort_webgpu_sorter(const lanesort_webgpu_sorter&) = delete;
  lanesort_webgpu_sorter& operator=(const lanesort_webgpu_sorter&) = delete;

  lanesort_webgpu& handle;
  lanesort::plan::PortablePlan plan;
  std::uint32_t bound = 0, segment_bound = 0;  // items, segments
  bool segmented = false;
  std::uint32_t slots = 1, next_slot = 0;
  std::array<lanesort::webgpu::abi::ComputePipeline, lanesort::plan::PortablePlan::kMaxDispatches>
      pipelines{};  // the handle's
  lanesort::webgpu::abi::Buffer steps = nullptr, requests = nullptr;
  lanesort::webgpu::abi::BindGroup uniforms = nullptr;
  std::vector<Groups> kept;  // of the last buffers seen, the oldest given up first
  std::size_t oldest = 0;
  std::string words, args;
};
