// An operation on host memory by a device whose context the library retains.
#include <algorithm>

#include "api/check.hpp"
#include "api/status.hpp"
#include "cuda/host_device.hpp"
#include "cuda/run.hpp"
#include "lanesort/cuda.h"
#include "pipeline/carrier.hpp"
#include "pipeline/sort.hpp"
#include "trace/phase.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {
namespace {

using pipeline::Lane;

std::byte* bytes_at(void* data) { return static_cast<std::byte*>(data); }

// Up, the first k, down. All items are on the device at once.
lanesort_status run_top_k(HostDevice& device, const lanesort_sort_desc& host, const cpu::Request& request) {
  const std::uint64_t kept = std::min(request.k, request.count);
  const std::uint64_t key_bytes = request.count * request.key.bytes,
                      value_bytes = request.values_src == nullptr ? 0 : request.count * request.value_bytes,
                      keys_out = request.keys_dst == nullptr ? 0 : kept * request.key.bytes,
                      values_out = kept * request.value_bytes;
  lanesort_sort_desc desc = host;
  lanesort_status status = device.scratch_bytes(LANESORT_OP_TOP_K, desc, &desc.scratch_bytes);
  pipeline::Memory keys(device), values(device), top_keys(device), top_values(device), scratch(device);
  if (status == LANESORT_OK) status = keys.allocate(key_bytes);
  if (status == LANESORT_OK) status = values.allocate(value_bytes);
  if (status == LANESORT_OK) status = top_keys.allocate(keys_out);
  if (status == LANESORT_OK) status = top_values.allocate(values_out);
  if (status == LANESORT_OK) status = scratch.allocate(desc.scratch_bytes);
  desc.keys_src = keys.data();
  desc.keys_dst = top_keys.data();
  desc.values_src = values.data();
  desc.values_dst = top_values.data();
  desc.scratch = scratch.data();
  pipeline::Carrier up(device, Lane::up, {}), down(device, Lane::down, {});
  pipeline::Cargo key_cargo, value_cargo;
  key_cargo.add(static_cast<const std::byte*>(request.keys_src), key_bytes);
  value_cargo.add(static_cast<const std::byte*>(request.values_src), value_bytes);
  if (status == LANESORT_OK) status = up.up(key_cargo, keys.data());
  if (status == LANESORT_OK) status = up.up(value_cargo, values.data());
  if (status == LANESORT_OK) status = device.mark(pipeline::kUploaded, Lane::up);
  if (status == LANESORT_OK) status = device.wait(Lane::sort, pipeline::kUploaded);
  if (status == LANESORT_OK) status = device.sort(LANESORT_OP_TOP_K, desc);
  if (status == LANESORT_OK) status = device.mark(pipeline::kSorted, Lane::sort);
  if (status == LANESORT_OK) status = device.finish(pipeline::kSorted);
  if (status == LANESORT_OK) status = down.down(top_keys.data(), bytes_at(request.keys_dst), keys_out);
  if (status == LANESORT_OK) status = down.down(top_values.data(), bytes_at(request.values_dst), values_out);
  // Whatever came before, nothing may still run when memory goes.
  const lanesort_status ended = device.finish_all();
  return status == LANESORT_OK ? ended : status;
}

// device_seconds: NULL where nobody asks.
lanesort_status run(const ::lanesort_cuda* handle, lanesort_operation operation, const lanesort_sort_desc& host,
                    const pipeline::Room& room, double* device_seconds) {
  cpu::Request request;
  lanesort_sort_desc desc = host;
  desc.scratch = nullptr;
  desc.scratch_bytes = 0;
  const bool top_k = operation == LANESORT_OP_TOP_K;
  const trace::Phase phase(top_k ? "host top-k" : "host sort");
  lanesort_status status = top_k ? check_top_k(&desc, api::Use::sort, &request) : check_sort(operation, &desc, &request);
  if (status != LANESORT_OK || request.count == 0 || (top_k && request.k == 0)) return status;
  HostDevice device(handle);
  status = device.open();
  if (status == LANESORT_OK) {
    status = top_k ? run_top_k(device, desc, request) : pipeline::sort(device, operation, desc, request, room);
  }
  return status == LANESORT_OK && device_seconds != nullptr ? device.sort_seconds(device_seconds) : status;
}

lanesort_status check_and_run(const char* call, const ::lanesort_cuda* handle, lanesort_operation operation,
                              const lanesort_sort_desc* desc, const pipeline::Room& room, double* device_seconds) {
  if (handle == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle is NULL; make one by lanesort_cuda_open()");
  if (desc == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "%s: desc must not be NULL", call);
  const Current current(handle->context);
  return current.status() != LANESORT_OK ? current.status() : run(handle, operation, *desc, room, device_seconds);
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

lanesort_status lanesort_cuda_run(const lanesort_cuda* handle, lanesort_operation operation, const lanesort_sort_desc* desc,
                                  uint64_t device_bytes, double* device_seconds) noexcept {
  if (device_seconds != nullptr) *device_seconds = 0;
  return cuda::check_and_run("lanesort_cuda_run", handle, operation, desc, {device_bytes, {}}, device_seconds);
}

lanesort_status lanesort_cuda_run_with_cpu(const lanesort_cuda* handle, lanesort_operation operation,
                                           const lanesort_sort_desc* desc, uint64_t device_bytes,
                                           double* host_share) noexcept {
  if (host_share != nullptr) *host_share = 0;
  return cuda::check_and_run("lanesort_cuda_run_with_cpu", handle, operation, desc,
                             {device_bytes, {}, true, host_share}, nullptr);
}
