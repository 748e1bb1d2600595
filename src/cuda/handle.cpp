#include "cuda/handle.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>
#include <new>

#include "api/backend.hpp"
#include "api/status.hpp"
#include "lanesort/cuda.h"
#include "tune/cuda_segments.hpp"
#include "tune/cuda_shapes.hpp"
#include "tune/cuda_top_k.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {
namespace {

using Handle = ::lanesort_cuda;

lanesort_status no_kernels() {
  return api::fail(LANESORT_DEVICE_UNAVAILABLE,
                   "this build of lanesort %s has no CUDA kernels: it was made without nvcc. Build it where the CUDA "
                   "toolkit is, or use the cpu back end",
                   lanesort_version_string());
}

lanesort_status describe(Handle& handle) {
  const Driver& cu = *driver();
  DeviceId device = 0;
  lanesort_status status = check(cu.cuCtxGetDevice(&device), "asking for the context's device");
  if (status != LANESORT_OK) return status;
  int multiprocessors = 0, cooperative = 0, shared_bytes = 0;
  cu.cuDeviceGetName(handle.device, sizeof handle.device, device);
  cu.cuDeviceGetAttribute(&multiprocessors, kMultiprocessors, device);
  cu.cuDeviceGetAttribute(&cooperative, kCooperativeLaunch, device);
  cu.cuDeviceGetAttribute(&shared_bytes, kSharedBytesOfBlock, device);
  int major = 0;
  cu.cuDeviceGetAttribute(&major, kMajor, device);
  handle.clusters = major >= 9;
  handle.multiprocessors = static_cast<std::uint32_t>(multiprocessors);
  handle.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  handle.driver_version = cu.version;
  if (cooperative == 0) {
    return api::fail(LANESORT_DEVICE_UNAVAILABLE,
                     "%s cannot launch cooperative grids, which lanesort's sorts are; use the cpu back end",
                     handle.device);
  }
  constexpr std::uint32_t most = std::max(tune::most_shared_bytes(), tune::most_shared_bytes_of_segments());
  if (handle.shared_bytes < most) {
    return api::fail(LANESORT_DEVICE_UNAVAILABLE,
                     "%s gives a block %u bytes of shared memory, lanesort's kernels take up to %u; use the cpu or the "
                     "webgpu back end",
                     handle.device, handle.shared_bytes, most);
  }
  return LANESORT_OK;
}

lanesort_status load_module(Handle& handle, std::uint32_t width) {
  const Driver& cu = *driver();
  const Result result = cu.cuModuleLoadData(&handle.modules[width], image(width));
  if (result != kNoBinaryForDevice) return check(result, "loading the kernels");
  DeviceId device = 0;
  int major = 0, minor = 0;
  cu.cuCtxGetDevice(&device);
  cu.cuDeviceGetAttribute(&major, kMajor, device);
  cu.cuDeviceGetAttribute(&minor, kMinor, device);
  return api::fail(LANESORT_DEVICE_UNAVAILABLE,
                   "%s has compute capability %d.%d; this build of lanesort %s has kernels for %s. Build with "
                   "LANESORT_CUDA_ARCHS=%d%d, or use the cpu back end",
                   handle.device, major, minor, lanesort_version_string(), architectures(), major, minor);
}

lanesort_status find(const Handle& handle, std::uint32_t width, const char* name, Function* function) {
  const lanesort_status status = check(driver()->cuModuleGetFunction(function, handle.modules[width], name), name);
  return status;
}

// Null without clusters; code for older devices, which newer ones may be running, has no such kernel either.
void find_of_cluster(const Handle& handle, std::uint32_t width, const char* name, Function* function) {
  if (!handle.clusters || driver()->cuModuleGetFunction(function, handle.modules[width], name) != kSuccess) *function = nullptr;
}

lanesort_status find_with_room(const Handle& handle, std::uint32_t width, const char* name, std::uint32_t shared_bytes,
                               Function* function) {
  const lanesort_status status = find(handle, width, name, function);
  return status != LANESORT_OK
             ? status
             : check(driver()->cuFuncSetAttribute(*function, kMaxDynamicSharedBytes, static_cast<int>(shared_bytes)),
                     name);
}

lanesort_status find_kernel(const Handle& handle, std::uint32_t width, const char* name, std::uint32_t threads,
                            std::uint32_t shared_bytes, Handle::Kernel* kernel) {
  lanesort_status status = find_with_room(handle, width, name, shared_bytes, &kernel->function);
  if (status != LANESORT_OK) return status;
  int blocks = 0;
  status = check(driver()->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel->function,
                                                                       static_cast<int>(threads), shared_bytes),
                 name);
  kernel->resident = static_cast<std::uint32_t>(blocks) * handle.multiprocessors;
  return status;
}

lanesort_status load_sort(Handle& handle, std::uint32_t width, std::uint32_t value, plan::CudaKernel which) {
  constexpr const char* kNames[] = {"pass", "passes", "small0", "small1"};
  const std::uint32_t key_bytes = 1u << width, value_bytes = value == 0 ? 0 : 1u << (value - 1),
                      w = static_cast<std::uint32_t>(which);
  if (which == plan::CudaKernel::whole && !tune::has_small_tiles(key_bytes, value_bytes)) return LANESORT_OK;
  if (which == plan::CudaKernel::small0 && !tune::has_small_shapes(value_bytes)) return LANESORT_OK;
  const tune::Shape shape = w < tune::kPassShapes ? tune::pass_shape(key_bytes, value_bytes, w)
                                                  : tune::small_shape(key_bytes, value_bytes, w - tune::kPassShapes);
  char name[64];
  std::snprintf(name, sizeof name, "lanesort_%s_k%u_v%u", kNames[w], key_bytes, value_bytes);
  const std::uint32_t shared_bytes = w < tune::kPassShapes ? shape.shared_bytes() : tune::small_shared_bytes(shape);
  return find_kernel(handle, width, name, shape.threads, shared_bytes, &handle.sorts[width][value][w]);
}

lanesort_status load_begin(Handle& handle, std::uint32_t width) {
  char name[64];
  std::snprintf(name, sizeof name, "lanesort_begin_k%u", 1u << width);
  return find_kernel(handle, width, name, tune::kBeginThreads, tune::kBeginSharedBytes, &handle.begin[width]);
}

lanesort_status load_buckets(Handle& handle, std::uint32_t width, std::uint32_t value) {
  const std::uint32_t key_bytes = 1u << width, value_bytes = value == 0 ? 0 : 1u << (value - 1);
  char name[64];
  lanesort_status status = LANESORT_OK;
  std::snprintf(name, sizeof name, "lanesort_prepare_k%u", key_bytes);
  if (tune::sorts_by_counts(key_bytes, value_bytes))
    return find_with_room(handle, width, name, tune::kPrepareSharedBytes, &handle.prepare[width]);
  if (!tune::sorts_by_buckets(key_bytes, value_bytes) ||
      handle.shared_bytes < tune::most_shared_bytes_of_buckets(key_bytes, value_bytes))
    return LANESORT_OK;
  if (value == 0) {
    status = find_with_room(handle, width, name, tune::kPrepareSharedBytes, &handle.prepare[width]);
    std::snprintf(name, sizeof name, "lanesort_prepare_by_cluster_k%u", key_bytes);
    find_of_cluster(handle, width, name, &handle.prepare_by_cluster[width]);
  }
  Handle::BucketKernels& kernels = handle.buckets[width][value];
  for (std::uint32_t which = 0; which < tune::kSplitShapes && status == LANESORT_OK; ++which) {
    std::snprintf(name, sizeof name, "lanesort_split%u_k%u_v%u", which, key_bytes, value_bytes);
    status =
        find_with_room(handle, width, name, tune::split_shared_bytes(tune::split_shape(key_bytes, value_bytes, which)),
                       &kernels.splits[which]);
  }
  for (std::uint32_t which = 0; which < tune::kFinishShapes; ++which) {
    if (!tune::has_finish(key_bytes, which)) continue;
    const std::uint32_t shared_bytes = tune::finish_shape(key_bytes, value_bytes, which).shared_bytes();
    std::snprintf(name, sizeof name, "lanesort_finish%u_k%u_v%u", which, key_bytes, value_bytes);
    if (status == LANESORT_OK) status = find_with_room(handle, width, name, shared_bytes, &kernels.finish[which]);
  }
  std::snprintf(name, sizeof name, "lanesort_hard_k%u_v%u", key_bytes, value_bytes);
  if (status != LANESORT_OK) return status;
  return find_with_room(handle, width, name, tune::hard_shape(key_bytes, value_bytes).shared_bytes(), &kernels.hard);
}

lanesort_status load_top(Handle& handle) {
  lanesort_status status = load_module(handle, kTopKImage);
  for (std::uint32_t width = 0; width < kWidths; ++width) {
    const struct {
      const char* stem;
      Handle::Kernel* kernel;
    } kernels[] = {{"find_threshold", &handle.top[width].find},
                   {"keep_candidates", &handle.top[width].keep},
                   {"select_rows", &handle.top[width].rows}};
    for (const auto& each : kernels) {
      char name[64];
      std::snprintf(name, sizeof name, "lanesort_%s_k%u", each.stem, 1u << width);
      if (status == LANESORT_OK) status = find_kernel(handle, kTopKImage, name, tune::kTopThreads, 0, each.kernel);
    }
  }
  return status == LANESORT_OK ? find(handle, kTopKImage, "lanesort_deliver_top", &handle.deliver_top) : status;
}

lanesort_status load_segments(Handle& handle, std::uint32_t width) {
  const std::uint32_t image = kSegmentImages + width, key_bytes = 1u << width;
  Handle::SegmentKernels& kernels = handle.segments[width];
  char name[64];
  lanesort_status status = load_module(handle, image);
  const auto load = [&](std::uint32_t shared_bytes, Function* function) {
    if (status == LANESORT_OK) status = find_with_room(handle, image, name, shared_bytes, function);
  };
  for (std::uint32_t values = 0; values < 2; ++values) {
    std::snprintf(name, sizeof name, "lanesort_short_segments_k%u_p%u", key_bytes, values);
    load(0, &kernels.sort_short[values]);
  }
  std::snprintf(name, sizeof name, "lanesort_count_segments_k%u", key_bytes);
  load(0, &kernels.count);
  for (std::uint32_t which = 0; which < tune::kBlockSegmentShapes; ++which) {
    for (std::uint32_t places = 0; places < 2; ++places) {
      std::snprintf(name, sizeof name, "lanesort_block_segments%u_k%u_p%u", which, key_bytes, places);
      load(tune::block_segment_shape(key_bytes, places != 0, which).shared_bytes(places != 0 ? 16 : 0),
           &kernels.block[which][places]);
    }
  }
  for (std::uint32_t value = 0; value < Handle::kValueWidths; ++value) {
    const std::uint32_t value_bytes = value == 0 ? 0 : 1u << (value - 1);
    std::snprintf(name, sizeof name, "lanesort_pass_segments_k%u_v%u", key_bytes, value_bytes);
    load(tune::pass_shape(key_bytes, value_bytes, 0).shared_bytes(), &kernels.pass[value]);
  }
  if (width != 0 || status != LANESORT_OK) return status;
  status = find(handle, image, "lanesort_begin_segments", &handle.begin_segments);
  return status == LANESORT_OK ? find(handle, image, "lanesort_end_segments", &handle.end_segments) : status;
}

lanesort_status load_all(Handle& handle) {
  lanesort_status status = describe(handle);
  for (std::uint32_t width = 0; width < kWidths && status == LANESORT_OK; ++width) {
    status = load_module(handle, width);
    if (status == LANESORT_OK) status = load_begin(handle, width);
    for (std::uint32_t value = 0; value < Handle::kValueWidths && status == LANESORT_OK; ++value) {
      for (std::uint32_t which = 0; which < Handle::kSortKernels && status == LANESORT_OK; ++which) {
        status = load_sort(handle, width, value, static_cast<plan::CudaKernel>(which));
      }
      if (status == LANESORT_OK) status = load_buckets(handle, width, value);
    }
    char name[64];
    const struct {
      const char* stem;
      Function* function;
    } checks[] = {{"check_sorted", &handle.check_sorted[width]},
                  {"verify_records", &handle.verify_records[width]},
                  {"verify_argsort", &handle.verify_argsort[width]}};
    for (const auto& each : checks) {
      std::snprintf(name, sizeof name, "lanesort_%s_k%u", each.stem, 1u << width);
      if (status == LANESORT_OK) status = find(handle, width, name, each.function);
    }
    if (status == LANESORT_OK) status = load_segments(handle, width);
  }
  if (status == LANESORT_OK) status = find(handle, 0, "lanesort_end", &handle.end);
  if (status == LANESORT_OK) status = find(handle, 0, "lanesort_bytes_by_block", &handle.bytes_by_block);
  find_of_cluster(handle, 0, "lanesort_bytes_by_cluster", &handle.bytes_by_cluster);
  if (status == LANESORT_OK) status = find(handle, 0, "lanesort_settle_answer", &handle.settle_answer);
  return status == LANESORT_OK ? load_top(handle) : status;
}

void unload(Handle& handle) {
  handle.pinned.empty();
  for (Module module : handle.modules) {
    if (module != nullptr) driver()->cuModuleUnload(module);
  }
}

}  // namespace

Current::Current(Context context) noexcept
    : status_(check(driver()->cuCtxPushCurrent_v2(context), "making the handle's context current")) {}
Current::~Current() {
  Context popped = nullptr;
  if (status_ == LANESORT_OK) driver()->cuCtxPopCurrent_v2(&popped);
}

}  // namespace cuda

// What the api room's table asks: is there a device at all, and which?
lanesort_status api::query_cuda(lanesort_capabilities* out) noexcept {
  if (cuda::image(0) == nullptr) return cuda::no_kernels();
  const cuda::Driver* const cu = cuda::driver();
  if (cu == nullptr) return LANESORT_DEVICE_UNAVAILABLE;
  int devices = 0;
  cuda::DeviceId device = 0;
  if (cu->cuDeviceGetCount(&devices) != cuda::kSuccess || devices == 0 ||
      cu->cuDeviceGet(&device, 0) != cuda::kSuccess) {
    return api::fail(
        LANESORT_DEVICE_UNAVAILABLE,
        "the CUDA driver (CUDA %d.%d) shows no device; is one visible to this process (CUDA_VISIBLE_DEVICES)?",
        cu->version / 1000, cu->version % 1000 / 10);
  }
  cu->cuDeviceGetName(out->device, sizeof out->device, device);
  int multiprocessors = 0, major = 0, minor = 0;
  cu->cuDeviceGetAttribute(&multiprocessors, cuda::kMultiprocessors, device);
  cu->cuDeviceGetAttribute(&major, cuda::kMajor, device);
  cu->cuDeviceGetAttribute(&minor, cuda::kMinor, device);
  out->backend = LANESORT_BACKEND_CUDA;
  out->threads = static_cast<std::uint32_t>(multiprocessors);
  out->max_count = UINT64_MAX / 64;
  std::snprintf(out->isa, sizeof out->isa, "sm_%d%d", major, minor);
  return LANESORT_OK;
}

}  // namespace v1
}  // namespace lanesort

namespace cuda = lanesort::cuda;
namespace api = lanesort::api;

lanesort_status lanesort_cuda_create(struct CUctx_st* context, lanesort_cuda** handle) noexcept {
  if (handle == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "lanesort_cuda_create: handle must not be NULL");
  *handle = nullptr;
  if (cuda::image(0) == nullptr) return cuda::no_kernels();
  const cuda::Driver* const cu = cuda::driver();
  if (cu == nullptr) return LANESORT_DEVICE_UNAVAILABLE;
  if (context == nullptr && (cu->cuCtxGetCurrent(&context) != cuda::kSuccess || context == nullptr)) {
    return api::fail(
        LANESORT_DEVICE_UNAVAILABLE,
        "no CUDA context is current to this thread; make one current, or pass it to lanesort_cuda_create()");
  }
  std::unique_ptr<lanesort_cuda> made(new (std::nothrow) lanesort_cuda);
  if (made == nullptr)
    return api::fail(LANESORT_OUT_OF_MEMORY, "no memory for a handle of %zu bytes", sizeof(lanesort_cuda));
  made->context = context;
  const cuda::Current current(context);
  lanesort_status status = current.status();
  if (status == LANESORT_OK) status = cuda::load_all(*made);
  if (status != LANESORT_OK) {
    if (current.status() == LANESORT_OK) cuda::unload(*made);
    return status;
  }
  *handle = made.release();
  return LANESORT_OK;
}

void lanesort_cuda_destroy(lanesort_cuda* handle) noexcept {
  if (handle == nullptr) return;
  {
    const cuda::Current current(handle->context);
    if (current.status() == LANESORT_OK) cuda::unload(*handle);
  }
  if (handle->retained >= 0) cuda::driver()->cuDevicePrimaryCtxRelease_v2(handle->retained);
  delete handle;
}

lanesort_status lanesort_cuda_query(const lanesort_cuda* handle, lanesort_capabilities* capabilities) noexcept {
  if (handle == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle is NULL; make one by lanesort_cuda_create()");
  if (capabilities == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "lanesort_cuda_query: capabilities must not be NULL");
  if (capabilities->struct_bytes != sizeof *capabilities) {
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "capabilities.struct_bytes is %u, this library knows %zu; start from LANESORT_CAPABILITIES_INIT",
                     capabilities->struct_bytes, sizeof *capabilities);
  }
  const cuda::Current current(handle->context);
  if (current.status() != LANESORT_OK) return current.status();
  *capabilities = LANESORT_CAPABILITIES_INIT;
  const cuda::Driver& cu = *cuda::driver();
  cuda::DeviceId device = 0;
  int major = 0, minor = 0;
  cu.cuCtxGetDevice(&device);
  cu.cuDeviceGetAttribute(&major, cuda::kMajor, device);
  cu.cuDeviceGetAttribute(&minor, cuda::kMinor, device);
  capabilities->backend = LANESORT_BACKEND_CUDA;
  capabilities->threads = handle->multiprocessors;
  capabilities->max_count = UINT64_MAX / 64;
  std::snprintf(capabilities->isa, sizeof capabilities->isa, "sm_%d%d", major, minor);
  std::snprintf(capabilities->device, sizeof capabilities->device, "%s", handle->device);
  return LANESORT_OK;
}
