// The CUDA device as the pipeline of host arrays sees it: three streams of its own, pinned memory, events as marks.
#pragma once
#include <vector>

#include "cuda/handle.hpp"
#include "pipeline/device.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {

class HostDevice final : public pipeline::Device {
 public:
  // The handle's context is current to the calling thread, as long as this lives.
  explicit HostDevice(const ::lanesort_cuda* handle) : handle_(handle) {}
  ~HostDevice() override;
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;
  lanesort_status open() noexcept;

  // What the device's clock says of all sorts so far, which have ended.
  lanesort_status sort_seconds(double* seconds) const noexcept;

  lanesort_status attach() noexcept override;
  void detach() noexcept override;
  lanesort_status free_bytes(std::uint64_t* bytes) noexcept override;
  lanesort_status allocate(std::uint64_t bytes, void** device) noexcept override;
  void release(void* device) noexcept override;
  lanesort_status allocate_pinned(std::uint64_t bytes, void** host) noexcept override;
  void release_pinned(void* host) noexcept override;
  bool is_pinned(const void* host) noexcept override;
  lanesort_status upload(void* device, const void* host, std::uint64_t bytes) noexcept override;
  lanesort_status download(void* host, const void* device, std::uint64_t bytes) noexcept override;
  lanesort_status scratch_bytes(lanesort_operation operation, const lanesort_sort_desc& desc, std::uint64_t* bytes) noexcept override;
  lanesort_status sort(lanesort_operation operation, const lanesort_sort_desc& desc) noexcept override;
  lanesort_status mark(pipeline::Mark mark, pipeline::Lane lane) noexcept override;
  lanesort_status wait(pipeline::Lane lane, pipeline::Mark mark) noexcept override;
  lanesort_status finish(pipeline::Mark mark) noexcept override;
  lanesort_status finish_all() noexcept override;

 private:
  Stream stream(pipeline::Lane lane) const { return streams_[static_cast<int>(lane)]; }
  lanesort_status note(std::vector<Event>* instants) noexcept;

  const ::lanesort_cuda* handle_;
  lanesort_capabilities capabilities_ = LANESORT_CAPABILITIES_INIT;
  Stream streams_[pipeline::kLanes] = {};
  Event marks_[pipeline::kMarks] = {};
  std::vector<Event> begins_, ends_;  // of the sorts
};

// What an operation of cuda.h records on a stream, buffers in device memory.
lanesort_status record(const ::lanesort_cuda* handle, Stream stream, lanesort_operation operation, const lanesort_sort_desc* desc) noexcept;

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
