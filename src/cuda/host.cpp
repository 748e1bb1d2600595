// An operation on host memory by a device whose context the library retains: up, sort, down.
#include <algorithm>
#include <new>

#include "api/check.hpp"
#include "api/status.hpp"
#include "cuda/handle.hpp"
#include "cuda/run.hpp"
#include "lanesort/cuda.h"

namespace lanesort {
inline namespace v1 {
namespace cuda {
namespace {

// Device memory for as long as it lives; nothing where no bytes are asked for.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory() {
    if (address_ != 0) driver()->cuMemFree_v2(address_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  lanesort_status allocate(std::uint64_t bytes, const char* what) {
    if (bytes == 0) return LANESORT_OK;
    const Result result = driver()->cuMemAlloc_v2(&address_, bytes);
    if (result != kOutOfMemory) return check(result, what);
    return api::fail(LANESORT_OUT_OF_MEMORY,
                     "%s: the device has no %llu bytes free; sort fewer items at once, or use the cpu back end", what,
                     static_cast<unsigned long long>(bytes));
  }
  Address address() const { return address_; }
  void* data() const { return reinterpret_cast<void*>(address_); }

 private:
  Address address_ = 0;
};

// Two instants on the device.
class Clock {
 public:
  ~Clock() {
    for (Event event : events_) {
      if (event != nullptr) driver()->cuEventDestroy_v2(event);
    }
  }
  lanesort_status note(int which) {
    lanesort_status status = check(driver()->cuEventCreate(&events_[which], 0), "making an event");
    return status == LANESORT_OK ? check(driver()->cuEventRecord(events_[which], nullptr), "recording an event")
                                 : status;
  }
  lanesort_status read(double* seconds) const {
    float milliseconds = 0;
    const lanesort_status status =
        check(driver()->cuEventElapsedTime(&milliseconds, events_[0], events_[1]), "reading the device's clock");
    *seconds = static_cast<double>(milliseconds) * 1e-3;
    return status;
  }

 private:
  Event events_[2] = {};
};

lanesort_status record(const lanesort_cuda* handle, lanesort_operation operation, const lanesort_sort_desc* desc) {
  switch (operation) {
    case LANESORT_OP_SORT:
      return lanesort_cuda_sort(handle, nullptr, desc, nullptr);
    case LANESORT_OP_SORT_PAIRS:
      return lanesort_cuda_sort_pairs(handle, nullptr, desc, nullptr);
    case LANESORT_OP_TOP_K:
      return lanesort_cuda_top_k(handle, nullptr, desc, nullptr);
    default:
      return lanesort_cuda_argsort(handle, nullptr, desc, nullptr);
  }
}

lanesort_status upload(const DeviceMemory& to, const void* from, std::uint64_t bytes) {
  if (from == nullptr || bytes == 0) return LANESORT_OK;
  return check(driver()->cuMemcpyHtoDAsync_v2(to.address(), from, bytes, nullptr), "copying to the device");
}
lanesort_status download(void* to, const DeviceMemory& from, std::uint64_t bytes) {
  if (to == nullptr || bytes == 0) return LANESORT_OK;
  return check(driver()->cuMemcpyDtoHAsync_v2(to, from.address(), bytes, nullptr), "copying from the device");
}

lanesort_status run(const lanesort_cuda* handle, lanesort_operation operation, const lanesort_sort_desc& host,
                    double* device_seconds) {
  cpu::Request request;
  lanesort_sort_desc desc = host;
  desc.scratch = nullptr;
  desc.scratch_bytes = 0;
  const bool top_k = operation == LANESORT_OP_TOP_K;
  lanesort_status status =
      top_k ? check_top_k(&desc, api::Use::sort, &request) : check_sort(operation, &desc, &request);
  const std::uint64_t results = top_k ? std::min(request.k, request.count) : request.count;
  if (status != LANESORT_OK || results == 0) return status;
  const std::uint64_t key_bytes = request.count * request.key.bytes,
                      value_bytes = top_k && request.values_src == nullptr ? 0 : request.count * request.value_bytes;
  // Only a top-k has its results apart from what it reads.
  const std::uint64_t keys_out = request.keys_dst == nullptr ? 0 : results * request.key.bytes,
                      values_out = results * request.value_bytes;
  DeviceMemory keys, values, top_keys, top_values, scratch;
  status = keys.allocate(key_bytes, "memory for the keys");
  if (status == LANESORT_OK) status = values.allocate(value_bytes, "memory for the values");
  if (status == LANESORT_OK && top_k) status = top_keys.allocate(keys_out, "memory for the first keys");
  if (status == LANESORT_OK && top_k) status = top_values.allocate(values_out, "memory for the first values");
  if (status != LANESORT_OK) return status;
  const DeviceMemory &keys_dst = top_k ? top_keys : keys, &values_dst = top_k ? top_values : values;
  desc.keys_src = keys.data();
  desc.keys_dst = request.keys_dst == nullptr ? nullptr : keys_dst.data();
  desc.values_src = request.values_src == nullptr ? nullptr : values.data();
  desc.values_dst = values_out == 0 ? nullptr : values_dst.data();
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  status = lanesort_cuda_query(handle, &capabilities);
  if (status == LANESORT_OK) status = lanesort_scratch_bytes(operation, &desc, &capabilities, &desc.scratch_bytes);
  if (status == LANESORT_OK) status = scratch.allocate(desc.scratch_bytes, "scratch");
  desc.scratch = scratch.data();
  if (status == LANESORT_OK) status = upload(keys, request.keys_src, key_bytes);
  if (status == LANESORT_OK) status = upload(values, request.values_src, value_bytes);
  Clock clock;
  if (status == LANESORT_OK) status = clock.note(0);
  if (status == LANESORT_OK) status = record(handle, operation, &desc);
  if (status == LANESORT_OK) status = clock.note(1);
  if (status == LANESORT_OK) status = download(request.keys_dst, keys_dst, keys_out);
  if (status == LANESORT_OK) status = download(request.values_dst, values_dst, values_out);
  // Whatever came before, nothing may still run when memory goes.
  const lanesort_status ended = check(driver()->cuStreamSynchronize(nullptr), "waiting for the device");
  if (status == LANESORT_OK) status = ended;
  return status == LANESORT_OK && device_seconds != nullptr ? clock.read(device_seconds) : status;
}

}  // namespace
}  // namespace cuda
}  // namespace v1
}  // namespace lanesort

namespace cuda = lanesort::cuda;
namespace api = lanesort::api;

lanesort_status lanesort_cuda_open(uint32_t device_index, lanesort_cuda** handle) noexcept {
  if (handle == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "lanesort_cuda_open: handle must not be NULL");
  *handle = nullptr;
  lanesort_capabilities first = LANESORT_CAPABILITIES_INIT;
  lanesort_status status =
      lanesort_query_capabilities(LANESORT_BACKEND_CUDA, &first);  // with its words where there is none
  if (status != LANESORT_OK) return status;
  const cuda::Driver& cu = *cuda::driver();
  int devices = 0;
  cuda::DeviceId device = 0;
  cu.cuDeviceGetCount(&devices);
  if (device_index >= static_cast<unsigned>(devices) ||
      cu.cuDeviceGet(&device, static_cast<int>(device_index)) != cuda::kSuccess) {
    return api::fail(LANESORT_DEVICE_UNAVAILABLE, "CUDA device %u: the driver shows %d, counted from 0", device_index,
                     devices);
  }
  cuda::Context context = nullptr;
  status = cuda::check(cu.cuDevicePrimaryCtxRetain(&context, device), "retaining the device's context");
  if (status != LANESORT_OK) return status;
  status = lanesort_cuda_create(context, handle);
  if (status == LANESORT_OK)
    (*handle)->retained = device;
  else
    cu.cuDevicePrimaryCtxRelease_v2(device);
  return status;
}

lanesort_status lanesort_cuda_run(const lanesort_cuda* handle, lanesort_operation operation,
                                  const lanesort_sort_desc* desc, double* device_seconds) noexcept {
  if (device_seconds != nullptr) *device_seconds = 0;
  if (handle == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle is NULL; make one by lanesort_cuda_open()");
  if (desc == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "lanesort_cuda_run: desc must not be NULL");
  const cuda::Current current(handle->context);
  return current.status() != LANESORT_OK ? current.status() : cuda::run(handle, operation, *desc, device_seconds);
}
