// An operation on host memory by a device of the library's own: up, sort, down.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <new>
#include <vector>

#include "api/check.hpp"
#include "api/status.hpp"
#include "webgpu/sorter.hpp"

namespace lanesort {
inline namespace v1 {
namespace webgpu {
namespace {

constexpr std::uint64_t kReadBytes = std::uint64_t{64} << 20;  // of one staging buffer

class HostBuffer {
 public:
  HostBuffer(const lanesort_webgpu& handle, std::uint64_t bytes, abi::Flags usage) : handle_(handle) {
    abi::BufferDescriptor descriptor;
    descriptor.usage = usage;
    descriptor.size = std::max<std::uint64_t>(4, (bytes + 3) / 4 * 4);
    if (bytes != 0) buffer_ = handle.api.wgpuDeviceCreateBuffer(handle.device, &descriptor);
  }
  ~HostBuffer() {
    if (buffer_ == nullptr) return;
    handle_.api.wgpuBufferDestroy(buffer_);  // at once, not when the last command that names it is gone
    handle_.api.wgpuBufferRelease(buffer_);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  abi::Buffer get() const { return buffer_; }

  // Whole words, and the last bytes with a word of their own.
  void write(const void* data, std::uint64_t bytes) const {
    const std::uint64_t whole = bytes / 4 * 4;
    if (whole != 0) handle_.api.wgpuQueueWriteBuffer(handle_.queue, buffer_, 0, data, whole);
    if (whole == bytes) return;
    std::uint32_t last = 0;
    std::memcpy(&last, static_cast<const std::byte*>(data) + whole, bytes - whole);
    handle_.api.wgpuQueueWriteBuffer(handle_.queue, buffer_, whole, &last, 4);
  }

 private:
  const lanesort_webgpu& handle_;
  abi::Buffer buffer_ = nullptr;
};

void submit(const lanesort_webgpu& handle, abi::CommandEncoder encoder) {
  const abi::CommandBuffer commands = handle.api.wgpuCommandEncoderFinish(encoder, nullptr);
  handle.api.wgpuQueueSubmit(handle.queue, 1, &commands);
  handle.api.wgpuCommandBufferRelease(commands);
  handle.api.wgpuCommandEncoderRelease(encoder);
}

lanesort_status map(const lanesort_webgpu& handle, abi::Buffer staging, std::uint64_t bytes) {
  std::string words;
  abi::CallbackInfo<abi::BufferMapCallback> info;
  info.mode = abi::kWaitAnyOnly;
  info.callback = [](abi::Enum status, abi::StringView message, void* userdata, void*) {
    if (status != abi::kStatusSuccess)
      *static_cast<std::string*>(userdata) = "reading back failed: " + words_of(message);
  };
  info.userdata1 = &words;
  abi::FutureWaitInfo wait{handle.api.wgpuBufferMapAsync(staging, abi::kMapRead, 0, bytes, info), 0};
  handle.api.wgpuInstanceWaitAny(handle.instance, 1, &wait, UINT64_MAX);
  return words.empty() ? LANESORT_OK : api::fail(LANESORT_DEVICE_ERROR, "the WebGPU device: %s", words.c_str());
}

lanesort_status read(const lanesort_webgpu& handle, abi::Buffer from, void* to, std::uint64_t bytes) {
  const std::uint64_t step = std::min(kReadBytes, handle.capabilities.buffer_bytes / 4 * 4);
  const HostBuffer staging(handle, std::min(step, bytes), abi::usage::kMapRead | abi::usage::kCopyDst);
  for (std::uint64_t done = 0; done < bytes; done += step) {
    const std::uint64_t part = std::min(step, bytes - done), words = (part + 3) / 4 * 4;
    const abi::CommandEncoder encoder = handle.api.wgpuDeviceCreateCommandEncoder(handle.device, nullptr);
    handle.api.wgpuCommandEncoderCopyBufferToBuffer(encoder, from, done, staging.get(), 0, words);
    submit(handle, encoder);
    const lanesort_status status = map(handle, staging.get(), words);
    if (status != LANESORT_OK) return status;
    std::memcpy(static_cast<std::byte*>(to) + done, handle.api.wgpuBufferGetConstMappedRange(staging.get(), 0, words),
                part);
    handle.api.wgpuBufferUnmap(staging.get());
  }
  return LANESORT_OK;
}

lanesort_status complaint_of(lanesort_webgpu& handle) {
  const std::lock_guard lock(handle.complaint_mutex);
  if (handle.complaint.empty()) return LANESORT_OK;
  const std::string words = std::move(handle.complaint);
  handle.complaint.clear();
  return api::fail(LANESORT_DEVICE_ERROR, "the WebGPU device: %s", words.c_str());
}

// Two instants on the device, round a pass; none where the device has no timestamps.
class Clock {
 public:
  explicit Clock(const lanesort_webgpu& handle, bool wanted)
      : handle_(handle),
        ticks_(handle, wanted ? sizeof(std::uint64_t) * 2 : 0, abi::usage::kQueryResolve | abi::usage::kCopySrc) {
    if (!wanted) return;
    const abi::QuerySetDescriptor descriptor{nullptr, view("lanesort clock"), abi::kTimestampQuery, 2};
    writes_.querySet = handle.api.wgpuDeviceCreateQuerySet(handle.device, &descriptor);
  }
  ~Clock() {
    if (writes_.querySet == nullptr) return;
    handle_.api.wgpuQuerySetDestroy(writes_.querySet);
    handle_.api.wgpuQuerySetRelease(writes_.querySet);
  }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  abi::ComputePass begin_pass(abi::CommandEncoder encoder) const {
    const abi::ComputePassDescriptor descriptor{nullptr, view("lanesort"),
                                                writes_.querySet != nullptr ? &writes_ : nullptr};
    return handle_.api.wgpuCommandEncoderBeginComputePass(encoder, &descriptor);
  }
  void end_pass(abi::CommandEncoder encoder, abi::ComputePass pass) const {
    handle_.api.wgpuComputePassEncoderEnd(pass);
    handle_.api.wgpuComputePassEncoderRelease(pass);
    if (writes_.querySet != nullptr)
      handle_.api.wgpuCommandEncoderResolveQuerySet(encoder, writes_.querySet, 0, 2, ticks_.get(), 0);
  }

  lanesort_status read_seconds(double* seconds) const {
    if (writes_.querySet == nullptr) return LANESORT_OK;
    std::uint64_t ns[2] = {0, 0};
    const lanesort_status status = read(handle_, ticks_.get(), ns, sizeof ns);
    if (ns[1] > ns[0]) *seconds = static_cast<double>(ns[1] - ns[0]) * 1e-9;
    return status;
  }

 private:
  const lanesort_webgpu& handle_;
  abi::PassTimestampWrites writes_{nullptr, nullptr, 0, 1};
  HostBuffer ticks_;
};

// Ends all that was given to the queue so far.
lanesort_status settle(const lanesort_webgpu& handle) {
  const HostBuffer word(handle, 4, abi::usage::kCopyDst | abi::usage::kCopySrc);
  std::uint32_t waited_for = 0;
  return read(handle, word.get(), &waited_for, 4);
}

// What a timed sort in place is given again for every run, which leaves it sorted.
struct Refill {
  abi::Buffer from = nullptr, to = nullptr;
  std::uint64_t bytes = 0;
};
using Refills = std::array<Refill, 2>;

void refill(const lanesort_webgpu& handle, abi::CommandEncoder encoder, const Refills& refills) {
  for (const Refill& part : refills) {
    if (part.bytes == 0) continue;
    const std::uint64_t words = (part.bytes + 3) / 4 * 4;
    handle.api.wgpuCommandEncoderCopyBufferToBuffer(encoder, part.from, 0, part.to, 0, words);
  }
}

// So that what is read back is the timed run's.
void forget(const lanesort_webgpu& handle, abi::CommandEncoder encoder, std::initializer_list<abi::Buffer> results) {
  for (const abi::Buffer buffer : results) {
    if (buffer != nullptr) handle.api.wgpuCommandEncoderClearBuffer(encoder, buffer, 0, abi::kWholeSize);
  }
}

// Sorts the same items again and again until a device that had nothing to do runs at its full clock: those of NVIDIA's
// take more than a tenth of a second for it, and are up to five times slower before.
lanesort_status warm_up(const lanesort_webgpu& handle, lanesort_webgpu_sorter* sorter,
                        const lanesort_webgpu_buffers& buffers, const Refills& refills) {
  using Time = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kEnough{200}, kBatch{10};
  constexpr int kMostAtOnce = 64;
  const auto begin = Time::now();
  for (int at_once = 1; Time::now() - begin < kEnough;) {
    const auto batch_begin = Time::now();
    const abi::CommandEncoder encoder = handle.api.wgpuDeviceCreateCommandEncoder(handle.device, nullptr);
    lanesort_status status = LANESORT_OK;
    for (int i = 0; i < at_once && status == LANESORT_OK; ++i) {
      refill(handle, encoder, refills);
      status = lanesort_webgpu_encode(sorter, encoder, &buffers);
    }
    submit(handle, encoder);
    if (status == LANESORT_OK) status = settle(handle);
    if (status != LANESORT_OK) return status;
    if (Time::now() - batch_begin < kBatch) at_once = std::min(2 * at_once, kMostAtOnce);
  }
  return LANESORT_OK;
}

// Offsets as kernels read them. They were checked against a count that fits 32 bits.
std::vector<std::uint32_t> narrowed(const std::uint64_t* offsets, std::uint64_t count) {
  std::vector<std::uint32_t> words(offsets == nullptr ? 0 : count);
  for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(offsets[i]);
  return words;
}

struct SorterHolder {
  lanesort_webgpu_sorter* sorter = nullptr;
  ~SorterHolder() { lanesort_webgpu_release(sorter); }
};

// Results are read into the caller's buffers only when the device has said nothing against them.
lanesort_status run(lanesort_webgpu& handle, lanesort_operation operation, const lanesort_sort_desc& desc,
                    double* device_seconds) {
  SorterHolder holder;
  lanesort_status status = lanesort_webgpu_prepare(&handle, operation, &desc, 1, &holder.sorter);
  const bool top_k = operation == LANESORT_OP_TOP_K;
  const std::uint64_t given = top_k ? std::min(desc.k, desc.count) : desc.count;  // out
  if (status != LANESORT_OK || holder.sorter->plan.dispatch_count == 0) return status;
  const std::uint64_t key_bytes = desc.count * lanesort_dtype_bytes(desc.dtype),
                      value_bytes = desc.count * desc.value_bytes;
  const bool keys_wanted = desc.keys_dst != nullptr;
  const std::uint64_t keys_dst_bytes = keys_wanted ? given * lanesort_dtype_bytes(desc.dtype) : 0,
                      values_dst_bytes = given * desc.value_bytes;
  const bool keys_in_place = keys_wanted && desc.keys_src == desc.keys_dst;
  const bool has_values = value_bytes != 0, values_given = has_values && desc.values_src != nullptr;
  const bool values_in_place = values_given && desc.values_src == desc.values_dst;
  // What stands in results before is still there after: in place, and between segments.
  const bool segmented = holder.sorter->segmented;
  const bool keys_stay = keys_wanted && (keys_in_place || segmented);
  const bool values_stay = has_values && (values_in_place || segmented);
  const std::uint64_t begin_count = desc.segment_count + (desc.segment_ends == nullptr ? 1 : 0);
  const std::vector<std::uint32_t> begins = narrowed(desc.segment_begins, begin_count),
                                   ends = narrowed(desc.segment_ends, desc.segment_count);
  constexpr abi::Flags kUsage = abi::usage::kStorage | abi::usage::kCopyDst | abi::usage::kCopySrc;
  const HostBuffer keys_src(handle, keys_in_place ? 0 : key_bytes, kUsage),
      keys_dst(handle, keys_dst_bytes, kUsage);
  const HostBuffer values_src(handle, values_given && !values_in_place ? value_bytes : 0, kUsage),
      values_dst(handle, values_dst_bytes, kUsage);
  const HostBuffer scratch(handle, holder.sorter->plan.scratch_bytes, abi::usage::kStorage | abi::usage::kCopyDst);
  const bool timed = device_seconds != nullptr &&
                     handle.api.wgpuDeviceHasFeature(handle.device, handle.api.features.timestamp_query) != 0;
  constexpr abi::Flags kKept = abi::usage::kCopyDst | abi::usage::kCopySrc;
  const HostBuffer keys_kept(handle, timed && keys_stay ? key_bytes : 0, kKept),
      values_kept(handle, timed && values_stay ? value_bytes : 0, kKept);
  const HostBuffer begins_there(handle, 4 * begins.size(), kUsage), ends_there(handle, 4 * ends.size(), kUsage);
  const Refills refills{{{keys_kept.get(), keys_dst.get(), keys_kept.get() != nullptr ? key_bytes : 0},
                         {values_kept.get(), values_dst.get(), values_kept.get() != nullptr ? value_bytes : 0}}};
  if (!keys_in_place) keys_src.write(desc.keys_src, key_bytes);
  if (keys_stay) (timed ? keys_kept : keys_dst).write(desc.keys_dst, key_bytes);
  if (values_given && !values_in_place) values_src.write(desc.values_src, value_bytes);
  if (values_stay) (timed ? values_kept : values_dst).write(desc.values_dst, value_bytes);
  begins_there.write(begins.data(), 4 * begins.size());
  ends_there.write(ends.data(), 4 * ends.size());

  lanesort_webgpu_buffers buffers = LANESORT_WEBGPU_BUFFERS_INIT;
  buffers.count = static_cast<std::uint32_t>(desc.count);
  buffers.keys_src.buffer = keys_src.get();
  buffers.keys_dst.buffer = keys_dst.get();
  buffers.values_src.buffer = values_src.get();
  buffers.values_dst.buffer = values_dst.get();
  buffers.scratch.buffer = scratch.get();
  buffers.segment_count = holder.sorter->segment_bound;
  buffers.segment_begins.buffer = begins_there.get();
  buffers.segment_ends.buffer = ends_there.get();
  if (timed) status = warm_up(handle, holder.sorter, buffers, refills);
  if (status != LANESORT_OK) return status;
  const Clock clock(handle, timed);
  const abi::CommandEncoder encoder = handle.api.wgpuDeviceCreateCommandEncoder(handle.device, nullptr);
  refill(handle, encoder, refills);
  if (timed)
    forget(handle, encoder, {keys_stay ? nullptr : keys_dst.get(), values_stay ? nullptr : values_dst.get()});
  const abi::ComputePass pass = clock.begin_pass(encoder);
  status = lanesort_webgpu_encode_pass(holder.sorter, pass, &buffers);
  clock.end_pass(encoder, pass);
  submit(handle, encoder);
  if (status == LANESORT_OK) status = complaint_of(handle);
  if (status == LANESORT_OK && keys_wanted) status = read(handle, keys_dst.get(), desc.keys_dst, keys_dst_bytes);
  if (status == LANESORT_OK && has_values) status = read(handle, values_dst.get(), desc.values_dst, values_dst_bytes);
  if (status == LANESORT_OK && timed) status = clock.read_seconds(device_seconds);
  if (status == LANESORT_OK) status = complaint_of(handle);
  return status;
}

}  // namespace
}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort

namespace api = lanesort::api;

lanesort_status lanesort_webgpu_run(lanesort_webgpu* handle, lanesort_operation operation,
                                    const lanesort_sort_desc* desc, double* device_seconds) noexcept try {
  if (device_seconds != nullptr) *device_seconds = 0;
  if (handle == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle is NULL; make one by lanesort_webgpu_open()");
  if (handle->instance == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "a handle for a device of the caller's cannot wait; encode into his own commands, or make a "
                     "handle by lanesort_webgpu_open()");
  lanesort::cpu::Request request;
  const lanesort_status status =
      api::check_request(operation, api::Use::sort, desc, 1, &request, lanesort::webgpu::kOffer);
  if (status != LANESORT_OK) return status;
  return lanesort::webgpu::run(*handle, operation, *desc, device_seconds);
} catch (const std::bad_alloc&) { return api::fail(LANESORT_OUT_OF_MEMORY, "no memory for the operation"); }
