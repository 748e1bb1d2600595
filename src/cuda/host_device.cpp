#include "cuda/host_device.hpp"

#include <new>

#include "api/status.hpp"
#include "lanesort/cuda.h"

namespace lanesort {
inline namespace v1 {
namespace cuda {
namespace {

constexpr unsigned kNonBlocking = 1;             // CU_STREAM_NON_BLOCKING: apart from the default stream
constexpr int kMemoryType = 2, kHostMemory = 1;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_MEMORYTYPE_HOST

Address address(const void* device) { return reinterpret_cast<Address>(device); }

}  // namespace

lanesort_status HostDevice::open() noexcept {
  lanesort_status status = lanesort_cuda_query(handle_, &capabilities_);
  for (Stream& lane : streams_) {
    if (status == LANESORT_OK) status = check(driver()->cuStreamCreate(&lane, kNonBlocking), "making a stream");
  }
  for (Event& event : marks_) {
    if (status == LANESORT_OK) status = check(driver()->cuEventCreate(&event, 0), "making an event");
  }
  return status;
}

HostDevice::~HostDevice() {
  const auto destroy = [](Event event) {
    if (event != nullptr) driver()->cuEventDestroy_v2(event);
  };
  for (Event event : marks_) destroy(event);
  for (Event event : begins_) destroy(event);
  for (Event event : ends_) destroy(event);
  for (Stream lane : streams_) {
    if (lane != nullptr) driver()->cuStreamDestroy_v2(lane);
  }
}

lanesort_status HostDevice::attach() noexcept {
  return check(driver()->cuCtxPushCurrent_v2(handle_->context), "making the context current to a thread");
}

void HostDevice::detach() noexcept {
  Context popped = nullptr;
  driver()->cuCtxPopCurrent_v2(&popped);
}

lanesort_status HostDevice::free_bytes(std::uint64_t* bytes) noexcept {
  std::size_t free = 0, total = 0;
  const lanesort_status status = check(driver()->cuMemGetInfo_v2(&free, &total), "asking for the device's free memory");
  *bytes = free - free / 16;  // allocations are rounded up
  return status;
}

lanesort_status HostDevice::allocate(std::uint64_t bytes, void** device) noexcept {
  Address address = 0;
  const Result result = driver()->cuMemAlloc_v2(&address, bytes);
  *device = reinterpret_cast<void*>(address);
  if (result != kOutOfMemory) return check(result, "allocating device memory");
  return api::fail(LANESORT_OUT_OF_MEMORY, "the device has no %llu bytes free; sort fewer items at once, or use the cpu back end",
                   static_cast<unsigned long long>(bytes));
}

void HostDevice::release(void* device) noexcept { driver()->cuMemFree_v2(address(device)); }

lanesort_status HostDevice::allocate_pinned(std::uint64_t bytes, void** host) noexcept {
  return handle_->pinned.take(bytes, host);
}

void HostDevice::release_pinned(void* host) noexcept { handle_->pinned.give_back(host); }

bool HostDevice::is_pinned(const void* host) noexcept {
  int type = 0;  // memory that the driver does not know is an error to it
  return driver()->cuPointerGetAttribute(&type, kMemoryType, address(host)) == kSuccess && type == kHostMemory;
}

lanesort_status HostDevice::upload(void* device, const void* host, std::uint64_t bytes) noexcept {
  return check(driver()->cuMemcpyHtoDAsync_v2(address(device), host, bytes, stream(pipeline::Lane::up)), "copying to the device");
}

lanesort_status HostDevice::download(void* host, const void* device, std::uint64_t bytes) noexcept {
  return check(driver()->cuMemcpyDtoHAsync_v2(host, address(device), bytes, stream(pipeline::Lane::down)), "copying from the device");
}

lanesort_status HostDevice::scratch_bytes(lanesort_operation operation, const lanesort_sort_desc& desc, std::uint64_t* bytes) noexcept {
  return lanesort_scratch_bytes(operation, &desc, &capabilities_, bytes);
}

// A timed event in the sort's stream.
lanesort_status HostDevice::note(std::vector<Event>* instants) noexcept {
  Event event = nullptr;
  lanesort_status status = check(driver()->cuEventCreate(&event, 0), "making an event");
  if (status != LANESORT_OK) return status;
  try {
    instants->push_back(event);
  } catch (const std::bad_alloc&) {
    driver()->cuEventDestroy_v2(event);
    return api::fail(LANESORT_OUT_OF_MEMORY, "the host has no memory to note when a sort began");
  }
  return check(driver()->cuEventRecord(event, stream(pipeline::Lane::sort)), "recording an event");
}

lanesort_status HostDevice::sort(lanesort_operation operation, const lanesort_sort_desc& desc) noexcept {
  lanesort_status status = note(&begins_);
  if (status == LANESORT_OK) status = record(handle_, stream(pipeline::Lane::sort), operation, &desc);
  return status == LANESORT_OK ? note(&ends_) : status;
}

lanesort_status HostDevice::sort_seconds(double* seconds) const noexcept {
  *seconds = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    float milliseconds = 0;
    const lanesort_status status =
        check(driver()->cuEventElapsedTime(&milliseconds, begins_[i], ends_[i]), "reading the device's clock");
    if (status != LANESORT_OK) return status;
    *seconds += static_cast<double>(milliseconds) * 1e-3;
  }
  return LANESORT_OK;
}

lanesort_status HostDevice::mark(pipeline::Mark mark, pipeline::Lane lane) noexcept {
  return check(driver()->cuEventRecord(marks_[mark], stream(lane)), "recording an event");
}

lanesort_status HostDevice::wait(pipeline::Lane lane, pipeline::Mark mark) noexcept {
  return check(driver()->cuStreamWaitEvent(stream(lane), marks_[mark], 0), "making a stream wait");
}

lanesort_status HostDevice::finish(pipeline::Mark mark) noexcept {
  return check(driver()->cuEventSynchronize(marks_[mark]), "waiting for the device");
}

lanesort_status HostDevice::finish_all() noexcept {
  lanesort_status first = LANESORT_OK;
  for (Stream lane : streams_) {
    if (lane == nullptr) continue;
    const lanesort_status status = check(driver()->cuStreamSynchronize(lane), "waiting for the device");
    if (first == LANESORT_OK) first = status;
  }
  return first;
}

lanesort_status record(const ::lanesort_cuda* handle, Stream stream, lanesort_operation operation, const lanesort_sort_desc* desc) noexcept {
  switch (operation) {
    case LANESORT_OP_SORT:
      return lanesort_cuda_sort(handle, stream, desc, nullptr);
    case LANESORT_OP_SORT_PAIRS:
      return lanesort_cuda_sort_pairs(handle, stream, desc, nullptr);
    case LANESORT_OP_TOP_K:
      return lanesort_cuda_top_k(handle, stream, desc, nullptr);
    default:
      return lanesort_cuda_argsort(handle, stream, desc, nullptr);
  }
}

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
