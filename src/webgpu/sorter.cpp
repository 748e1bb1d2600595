#include "webgpu/sorter.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "api/check.hpp"
#include "api/status.hpp"
#include "webgpu/error_scope.hpp"
#include "webgpu/text.hpp"

namespace lanesort {
inline namespace v1 {
namespace webgpu {
namespace {

using Sorter = ::lanesort_webgpu_sorter;
using u64 = unsigned long long;

constexpr const char* kRoleNames[] = {"scratch",    "keys_src",     "keys_dst",       "values_src",
                                      "values_dst", "count_buffer", "segment_begins", "segment_ends"};
constexpr std::size_t kScratch = static_cast<std::size_t>(plan::BufferRole::scratch);
constexpr std::size_t kCount = static_cast<std::size_t>(plan::BufferRole::count);
constexpr std::size_t kGroupsKept = 8;  // sets of buffers: frames in flight, and some more

lanesort_status request_of(lanesort_operation operation, const lanesort_sort_desc* desc, plan::PortableRequest* out) {
  cpu::Request request;
  lanesort_status status = api::check_request(operation, api::Use::size_only, desc, 1, &request, kOffer);
  if (status == LANESORT_OK && operation == LANESORT_OP_TOP_K) status = api::check_top_k_results(*desc);
  if (status != LANESORT_OK) return status;
  const std::uint32_t value_bytes = request.value_bytes;
  if (value_bytes != 0 && value_bytes != 4 && value_bytes != 8 && value_bytes != 16) {
    return api::fail(
        LANESORT_UNSUPPORTED,
        "values of %u bytes do not travel on a WebGPU device; 4, 8 and 16 do. Sort indices by an argsort and gather",
        value_bytes);
  }
  const bool top_k = operation == LANESORT_OP_TOP_K;
  *out = {};
  out->operation = static_cast<plan::PortableOperation>(operation);
  out->kind = request.key.kind;
  out->key_bits = 8 * request.key.bytes;
  out->mantissa_bits = request.key.mantissa_bits;
  out->descending = request.key.descending;
  out->nan = request.key.nan;
  out->bit_begin = request.key.bit_begin;
  out->bit_end = request.key.bit_end;
  out->value_bytes = value_bytes;
  out->initial_values = (request.argsort || top_k) && desc->values_src != nullptr;
  out->count = request.count;
  out->k = request.k;
  out->keys_wanted = !top_k || desc->keys_dst != nullptr;
  if (top_k) return LANESORT_OK;  // never in place
  out->keys_in_place = !request.argsort && desc->keys_src == desc->keys_dst;
  out->values_in_place =
      value_bytes != 0 && desc->values_src == desc->values_dst && (!request.argsort || out->initial_values);
  out->segmented = desc->segment_begins != nullptr;
  if (out->segmented) {
    out->segment_count = desc->segment_count;
    out->segment_ends = desc->segment_ends != nullptr;
    out->local_indices = request.local_indices;
  }
  return LANESORT_OK;
}

lanesort_status refused(const plan::PortablePlan& plan) {
  switch (plan.refusal) {
    case plan::PortableRefusal::none:
      return LANESORT_OK;
    case plan::PortableRefusal::no_shape:
      return api::fail(LANESORT_UNSUPPORTED,
                       "no kernel fits a device with %llu bytes of workgroup memory; WebGPU promises 16384",
                       static_cast<u64>(plan.asked));
    case plan::PortableRefusal::binding_too_large:
      return api::fail(
          LANESORT_UNSUPPORTED,
          "a buffer of %llu bytes would have to be bound, and this device was made with maxStorageBufferBindingSize "
          "%llu; ask the adapter for more (lanesort_webgpu_query()), or sort less at once",
          static_cast<u64>(plan.asked), static_cast<u64>(plan.limit));
    case plan::PortableRefusal::scratch_too_large:
      return api::fail(LANESORT_UNSUPPORTED,
                       "scratch of %llu bytes is needed, and this device was made with maxBufferSize %llu; ask the "
                       "adapter for more (lanesort_webgpu_query()), or sort less at once",
                       static_cast<u64>(plan.asked), static_cast<u64>(plan.limit));
  }
  return LANESORT_UNSUPPORTED;
}

abi::Buffer make_uniform(const lanesort_webgpu& handle, std::uint64_t bytes, const char* name) {
  abi::BufferDescriptor descriptor;
  descriptor.label = view(name);
  descriptor.usage = abi::usage::kUniform | abi::usage::kCopyDst;
  descriptor.size = bytes;
  return handle.api.wgpuDeviceCreateBuffer(handle.device, &descriptor);
}

// Steps, the ring of requests, and the bind group that shows both.
lanesort_status make_uniforms(Sorter& sorter) {
  const Api& api = sorter.handle.api;
  constexpr std::uint32_t kStride = contract::kLimitStepStrideBytes;
  ErrorScope scope(sorter.handle);
  sorter.steps = make_uniform(sorter.handle, std::uint64_t{kStride} * sorter.plan.step_count, "lanesort steps");
  sorter.requests = make_uniform(sorter.handle, std::uint64_t{kStride} * sorter.slots, "lanesort requests");
  for (std::uint32_t i = 0; i < sorter.plan.step_count; ++i)
    api.wgpuQueueWriteBuffer(sorter.handle.queue, sorter.steps, std::uint64_t{kStride} * i, &sorter.plan.steps[i],
                             sizeof(contract::Step));
  abi::BindGroupEntry entries[2];
  entries[contract::kUniformStep].binding = contract::kUniformStep;
  entries[contract::kUniformStep].buffer = sorter.steps;
  entries[contract::kUniformStep].size = sizeof(contract::Step);
  entries[contract::kUniformRequest].binding = contract::kUniformRequest;
  entries[contract::kUniformRequest].buffer = sorter.requests;
  entries[contract::kUniformRequest].size = sizeof(contract::Request);
  const abi::BindGroupDescriptor descriptor{nullptr, view("lanesort uniforms"), sorter.handle.layouts[1], 2, entries};
  sorter.uniforms = api.wgpuDeviceCreateBindGroup(sorter.handle.device, &descriptor);
  const std::string words = scope.close();
  return words.empty()
             ? LANESORT_OK
             : api::fail(LANESORT_DEVICE_ERROR, "the WebGPU device refused a sorter's parameters: %s", words.c_str());
}

// Of a top-k that does not sort everything.
std::string search_words(const plan::PortablePlan& plan) {
  if (plan.dispatch_count < 2 || plan.dispatches[1].kernel != contract::Kernel::probe) return {};
  const contract::Step& step = plan.steps[0];
  return "the first " + std::to_string(step.kept) + " searched for by up to " + std::to_string(step.pass_count) +
         " digits, and up to " + std::to_string(step.room) + " items sorted by ";
}

std::string explanation(const Sorter& sorter) {
  const plan::PortablePlan& plan = sorter.plan;
  const plan::PortableCapabilities& device = sorter.handle.capabilities;
  const std::string ranking =
      plan.shape.rows != 0
          ? "by subgroups of " + std::to_string(device.subgroup_min) + " to " + std::to_string(device.subgroup_max) +
                " lanes"
          : std::string(device.subgroups ? "in workgroup memory, where subgroups' counters do not fit"
                                         : "in workgroup memory, for the device was made without subgroups");
  const bool sweeps = plan.form == plan::PortableForm::single_pass;
  const std::string form = sweeps               ? "a single pass a digit: "
                           : sorter.segmented ? "segments that fit a tile at once, longer ones by reduce then scan: "
                                              : "reduce then scan: ";
  return search_words(plan) + form + std::to_string(plan.dispatch_count) + " dispatches, digits of " +
         std::to_string(plan.shape.radix_bits) + " bits, tiles of " + std::to_string(plan.shape.tile()) + " keys by " +
         std::to_string(plan.shape.workgroup) + " invocations, ranked " + ranking + "; scratch " +
         std::to_string(plan.scratch_bytes) + " bytes";
}

lanesort_status fill(Sorter& sorter, const plan::PortableRequest& request) {
  sorter.plan = plan::plan_portable_sort(request, sorter.handle.capabilities, sorter.handle.limits);
  const lanesort_status status = refused(sorter.plan);
  if (status != LANESORT_OK) return status;
  sorter.bound = static_cast<std::uint32_t>(request.count);
  sorter.segment_bound = static_cast<std::uint32_t>(request.segment_count);
  sorter.segmented = request.segmented;
  sorter.words = explanation(sorter);
  if (!sorter.segmented) sorter.args = args_text(sorter.plan);  // nothing of segments goes by the caller's arguments
  for (std::uint32_t i = 0; i < sorter.plan.dispatch_count; ++i) {
    sorter.pipelines[i] = pipeline_of(sorter.handle, sorter.plan, sorter.plan.dispatches[i].kernel);
    if (sorter.pipelines[i] == nullptr) return LANESORT_DEVICE_ERROR;  // said already
  }
  return sorter.plan.step_count == 0 ? LANESORT_OK : make_uniforms(sorter);
}

// Encoding.

Sorter::Slices slices_of(const lanesort_webgpu_buffers& buffers) {
  return {buffers.scratch,    buffers.keys_src,     buffers.keys_dst,       buffers.values_src,
          buffers.values_dst, buffers.count_buffer, buffers.segment_begins, buffers.segment_ends};
}

// The end of what the plan binds of a role, 0 where it binds nothing, or all that there is (count).
std::uint64_t extent_of(const plan::PortablePlan& plan, std::size_t role) {
  if (role == kScratch) return plan.scratch_bytes;
  std::uint64_t end = 0;
  for (std::uint32_t set = 0; set < plan.binding_count; ++set) {
    for (const plan::Slice& slice : plan.bindings[set]) {
      if (static_cast<std::size_t>(slice.role) == role) end = std::max(end, slice.offset + slice.bytes);
    }
  }
  return end;
}

lanesort_status check_slice(const Sorter& sorter, std::size_t role, const lanesort_webgpu_slice& slice) {
  const std::uint64_t needed = extent_of(sorter.plan, role);
  if (needed == 0) return LANESORT_OK;
  const char* const name = kRoleNames[role];
  if (slice.buffer == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "buffers.%s has no buffer, and this sorter needs %llu bytes of it",
                     name, static_cast<u64>(needed));
  if (slice.offset_bytes % contract::kLimitSliceAlignBytes != 0)
    return api::fail(LANESORT_INVALID_ARGUMENT, "buffers.%s begins at byte %llu; WebGPU binds at multiples of %u", name,
                     static_cast<u64>(slice.offset_bytes), contract::kLimitSliceAlignBytes);
  const std::uint64_t size = sorter.handle.api.wgpuBufferGetSize(slice.buffer);
  if (slice.offset_bytes > size || size - slice.offset_bytes < needed) {
    return api::fail(role == kScratch ? LANESORT_SCRATCH_TOO_SMALL : LANESORT_INVALID_ARGUMENT,
                     "buffers.%s has %llu bytes from byte %llu on, this sorter needs %llu", name,
                     static_cast<u64>(size > slice.offset_bytes ? size - slice.offset_bytes : 0),
                     static_cast<u64>(slice.offset_bytes), static_cast<u64>(needed));
  }
  if ((sorter.handle.api.wgpuBufferGetUsage(slice.buffer) & abi::usage::kStorage) == 0)
    return api::fail(LANESORT_INVALID_ARGUMENT, "buffers.%s was not made with WGPUBufferUsage_Storage", name);
  return LANESORT_OK;
}

lanesort_status check_apart(const Sorter& sorter, const Sorter::Slices& slices) {
  for (std::size_t a = 0; a < slices.size(); ++a) {
    for (std::size_t b = a + 1; b < slices.size(); ++b) {
      const std::uint64_t a_bytes = extent_of(sorter.plan, a), b_bytes = extent_of(sorter.plan, b);
      if (a_bytes == 0 || b_bytes == 0 || slices[a].buffer != slices[b].buffer) continue;
      if (slices[a].offset_bytes < slices[b].offset_bytes + b_bytes &&
          slices[b].offset_bytes < slices[a].offset_bytes + a_bytes)
        return api::fail(
            LANESORT_INVALID_ARGUMENT,
            "buffers.%s and buffers.%s overlap; give slices apart from each other, or prepare the sort in place",
            kRoleNames[a], kRoleNames[b]);
    }
  }
  return LANESORT_OK;
}

lanesort_status check_count(const Sorter& sorter, const lanesort_webgpu_buffers& buffers) {
  const lanesort_webgpu_slice& count = buffers.count_buffer;
  if (count.buffer == nullptr) {
    if (buffers.count <= sorter.bound) return LANESORT_OK;
    return api::fail(LANESORT_INVALID_ARGUMENT, "buffers.count is %u, and the sorter was prepared for %u items at most",
                     buffers.count, sorter.bound);
  }
  const std::uint64_t size = sorter.handle.api.wgpuBufferGetSize(count.buffer);
  if (count.offset_bytes % 4 != 0 || size < 4 || count.offset_bytes > size - 4)
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "buffers.count_buffer: a count at byte %llu of %llu; it stands at a multiple of 4 inside",
                     static_cast<u64>(count.offset_bytes), static_cast<u64>(size));
  if ((sorter.handle.api.wgpuBufferGetUsage(count.buffer) & abi::usage::kStorage) == 0)
    return api::fail(LANESORT_INVALID_ARGUMENT, "buffers.count_buffer was not made with WGPUBufferUsage_Storage");
  return LANESORT_OK;
}

lanesort_status check_args(const Sorter& sorter, const lanesort_webgpu_slice& args) {
  if (args.buffer == nullptr) return LANESORT_OK;
  const std::uint64_t size = sorter.handle.api.wgpuBufferGetSize(args.buffer);
  if (args.offset_bytes % 4 != 0 || size < 12 || args.offset_bytes > size - 12)
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "buffers.args: 12 bytes at byte %llu of %llu; they stand at a multiple of 4 inside",
                     static_cast<u64>(args.offset_bytes), static_cast<u64>(size));
  if ((sorter.handle.api.wgpuBufferGetUsage(args.buffer) & abi::usage::kIndirect) == 0)
    return api::fail(LANESORT_INVALID_ARGUMENT, "buffers.args was not made with WGPUBufferUsage_Indirect");
  return LANESORT_OK;
}

lanesort_status check_buffers(const Sorter* sorter, const lanesort_webgpu_buffers* buffers) {
  if (sorter == nullptr || buffers == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "sorter and buffers must not be NULL");
  if (buffers->struct_bytes != sizeof *buffers)
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "buffers.struct_bytes is %u, this library knows %zu; start from LANESORT_WEBGPU_BUFFERS_INIT",
                     buffers->struct_bytes, sizeof *buffers);
  const Sorter::Slices slices = slices_of(*buffers);
  lanesort_status status = check_count(*sorter, *buffers);
  if (status == LANESORT_OK && buffers->segment_count > sorter->segment_bound)
    status = api::fail(LANESORT_INVALID_ARGUMENT,
                       "buffers.segment_count is %u, and the sorter was prepared for %u segments at most",
                       buffers->segment_count, sorter->segment_bound);
  for (std::size_t role = 0; role < slices.size() && status == LANESORT_OK; ++role)
    status = check_slice(*sorter, role, slices[role]);
  if (status == LANESORT_OK) status = check_apart(*sorter, slices);
  if (status == LANESORT_OK) status = check_args(*sorter, buffers->args);
  return status;
}

// The binding that the plan's slice becomes. Without a buffer for the count, what the other kernels have there stands in.
abi::BindGroupEntry entry_of(const Sorter& sorter, const Sorter::Slices& slices, std::uint32_t set,
                             std::uint32_t binding) {
  plan::Slice slice = sorter.plan.bindings[set][binding];
  if (slice.role == plan::BufferRole::count && slices[kCount].buffer == nullptr)
    slice = sorter.plan.bindings[1][binding];
  const lanesort_webgpu_slice& buffer = slices[static_cast<std::size_t>(slice.role)];
  abi::BindGroupEntry entry;
  entry.binding = binding;
  entry.buffer = buffer.buffer;
  entry.offset = buffer.offset_bytes + slice.offset;
  entry.size = slice.bytes;
  if (slice.role == plan::BufferRole::count) {
    entry.offset = buffer.offset_bytes / contract::kLimitSliceAlignBytes * contract::kLimitSliceAlignBytes;
    entry.size = buffer.offset_bytes + 4 - entry.offset;
  }
  return entry;
}

bool same_slices(const Sorter::Slices& a, const Sorter::Slices& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const lanesort_webgpu_slice& x, const lanesort_webgpu_slice& y) {
    return x.buffer == y.buffer && x.offset_bytes == y.offset_bytes;
  });
}

void give_up(const Api& api, Sorter::Groups& groups) {
  for (abi::BindGroup& group : groups.groups) {
    if (group != nullptr) api.wgpuBindGroupRelease(group);
    group = nullptr;
  }
}

const Sorter::Groups& groups_for(Sorter& sorter, const Sorter::Slices& slices) {
  for (const Sorter::Groups& groups : sorter.kept) {
    if (same_slices(groups.slices, slices)) return groups;
  }
  const Api& api = sorter.handle.api;
  Sorter::Groups* place = nullptr;
  if (sorter.kept.size() < kGroupsKept) {
    place = &sorter.kept.emplace_back();
  } else {
    place = &sorter.kept[sorter.oldest];
    sorter.oldest = (sorter.oldest + 1) % kGroupsKept;
    give_up(api, *place);
  }
  place->slices = slices;
  for (std::uint32_t set = 0; set < sorter.plan.binding_count; ++set) {
    abi::BindGroupEntry entries[std::tuple_size_v<plan::BindingSet>];
    for (std::uint32_t binding = 0; binding < std::size(entries); ++binding)
      entries[binding] = entry_of(sorter, slices, set, binding);
    const abi::BindGroupDescriptor descriptor{nullptr, view("lanesort buffers"), sorter.handle.layouts[0],
                                              std::size(entries), entries};
    place->groups[set] = api.wgpuDeviceCreateBindGroup(sorter.handle.device, &descriptor);
  }
  return *place;
}

// The next slot of the ring takes the request; returns its offset.
std::uint32_t write_request(Sorter& sorter, const lanesort_webgpu_buffers& buffers) {
  contract::Request request;
  request.bound = buffers.count_buffer.buffer != nullptr ? sorter.bound : buffers.count;
  request.segment_count = buffers.segment_count;
  request.count_on_device = buffers.count_buffer.buffer != nullptr ? 1 : 0;
  request.count_word =
      static_cast<std::uint32_t>(buffers.count_buffer.offset_bytes % contract::kLimitSliceAlignBytes / 4);
  const std::uint32_t offset = sorter.next_slot * contract::kLimitStepStrideBytes;
  sorter.next_slot = (sorter.next_slot + 1) % sorter.slots;
  sorter.handle.api.wgpuQueueWriteBuffer(sorter.handle.queue, sorter.requests, offset, &request, sizeof request);
  return offset;
}

// Records dispatch after dispatch, setting only what changes.
class Recorder {
 public:
  Recorder(Sorter& sorter, const lanesort_webgpu_buffers& buffers)
      : sorter_(sorter),
        buffers_(buffers),
        groups_(groups_for(sorter, slices_of(buffers))),
        request_offset_(write_request(sorter, buffers)) {}

  void begin(abi::ComputePass pass) {
    pass_ = pass;
    bindings_ = UINT32_MAX;
  }

  void record(std::uint32_t index) {
    const plan::Dispatch& dispatch = sorter_.plan.dispatches[index];
    const Api& api = sorter_.handle.api;
    api.wgpuComputePassEncoderSetPipeline(pass_, sorter_.pipelines[index]);
    if (dispatch.bindings != bindings_)
      api.wgpuComputePassEncoderSetBindGroup(pass_, 0, groups_.groups[dispatch.bindings], 0, nullptr);
    bindings_ = dispatch.bindings;
    const std::uint32_t offsets[] = {dispatch.step * contract::kLimitStepStrideBytes, request_offset_};
    api.wgpuComputePassEncoderSetBindGroup(pass_, 1, sorter_.uniforms, 2, offsets);
    if (dispatch.by_args && buffers_.args.buffer != nullptr)
      api.wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass_, buffers_.args.buffer, buffers_.args.offset_bytes);
    else
      api.wgpuComputePassEncoderDispatchWorkgroups(pass_, dispatch.workgroups, 1, 1);
  }

 private:
  Sorter& sorter_;
  const lanesort_webgpu_buffers& buffers_;
  const Sorter::Groups& groups_;
  const std::uint32_t request_offset_;
  abi::ComputePass pass_ = nullptr;
  std::uint32_t bindings_ = UINT32_MAX;
};

void record_in_own_passes(Sorter& sorter, abi::CommandEncoder encoder, const lanesort_webgpu_buffers& buffers) {
  const Api& api = sorter.handle.api;
  Recorder recorder(sorter, buffers);
  abi::ComputePass pass = nullptr;
  for (std::uint32_t i = 0; i < sorter.plan.dispatch_count; ++i) {
    if (pass == nullptr) {
      const abi::PassTimestampWrites writes{nullptr, buffers.timestamps, 2 * i, 2 * i + 1};
      const abi::ComputePassDescriptor descriptor{nullptr, view("lanesort"),
                                                  buffers.timestamps != nullptr ? &writes : nullptr};
      pass = api.wgpuCommandEncoderBeginComputePass(encoder, &descriptor);
      recorder.begin(pass);
    }
    recorder.record(i);
    if (buffers.timestamps == nullptr && i + 1 < sorter.plan.dispatch_count) continue;
    api.wgpuComputePassEncoderEnd(pass);
    api.wgpuComputePassEncoderRelease(pass);
    pass = nullptr;
  }
}

}  // namespace
}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort

namespace api = lanesort::api;
namespace plan = lanesort::plan;
namespace webgpu = lanesort::webgpu;

lanesort_webgpu_sorter::~lanesort_webgpu_sorter() {
  for (Groups& groups : kept) webgpu::give_up(handle.api, groups);
  if (uniforms != nullptr) handle.api.wgpuBindGroupRelease(uniforms);
  for (const webgpu::abi::Buffer buffer : {steps, requests}) {
    if (buffer != nullptr) handle.api.wgpuBufferRelease(buffer);
  }
}

lanesort_status lanesort_webgpu_scratch_bytes(const lanesort_webgpu* handle, lanesort_operation operation,
                                              const lanesort_sort_desc* desc, uint64_t* bytes) noexcept {
  if (bytes == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "bytes must not be NULL");
  plan::PortableRequest request;
  lanesort_status status = webgpu::request_of(operation, desc, &request);
  if (status != LANESORT_OK) return status;
  if (handle == nullptr) {
    *bytes = plan::portable_scratch_bound(request);
    return LANESORT_OK;
  }
  const plan::PortablePlan made = plan::plan_portable_sort(request, handle->capabilities, handle->limits);
  status = webgpu::refused(made);
  if (status == LANESORT_OK) *bytes = made.scratch_bytes;
  return status;
}

const char* lanesort_webgpu_engine(const lanesort_webgpu* handle, lanesort_operation operation,
                                   const lanesort_sort_desc* desc) noexcept {
  plan::PortableRequest request;
  if (handle == nullptr || webgpu::request_of(operation, desc, &request) != LANESORT_OK) return "";
  const plan::PortablePlan made = plan::plan_portable_sort(request, handle->capabilities, handle->limits);
  if (made.refusal != plan::PortableRefusal::none) return "";
  return made.form == plan::PortableForm::single_pass ? "single_pass" : "reduce_then_scan";
}

lanesort_status lanesort_webgpu_tiles_of(const lanesort_webgpu* handle, lanesort_operation operation,
                                         const lanesort_sort_desc* desc, lanesort_webgpu_tiles* tiles) noexcept {
  if (handle == nullptr || tiles == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle and tiles must not be NULL");
  plan::PortableRequest request;
  lanesort_status status = webgpu::request_of(operation, desc, &request);
  if (status != LANESORT_OK) return status;
  const plan::PortablePlan made = plan::plan_portable_sort(request, handle->capabilities, handle->limits);
  status = webgpu::refused(made);
  if (status == LANESORT_OK)
    *tiles = {made.shape.workgroup, made.shape.items, made.shape.radix_bits, made.shape.rows != 0 ? 1u : 0u};
  return status;
}

lanesort_status lanesort_webgpu_prepare(lanesort_webgpu* handle, lanesort_operation operation,
                                        const lanesort_sort_desc* desc, uint32_t slots,
                                        lanesort_webgpu_sorter** sorter) noexcept try {
  if (handle == nullptr || sorter == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle and sorter must not be NULL");
  if (slots == 0 || slots > 4096)
    return api::fail(LANESORT_INVALID_ARGUMENT, "slots is %u; say how many encodings may be waiting to run, 1 to 4096",
                     slots);
  plan::PortableRequest request;
  lanesort_status status = webgpu::request_of(operation, desc, &request);
  if (status != LANESORT_OK) return status;
  auto made = std::make_unique<lanesort_webgpu_sorter>(*handle);
  made->slots = slots;
  made->kept.reserve(webgpu::kGroupsKept);
  status = webgpu::fill(*made, request);
  if (status == LANESORT_OK) *sorter = made.release();
  return status;
} catch (const std::bad_alloc&) { return api::fail(LANESORT_OUT_OF_MEMORY, "no memory for a WebGPU sorter"); }

void lanesort_webgpu_release(lanesort_webgpu_sorter* sorter) noexcept { delete sorter; }

lanesort_status lanesort_webgpu_encode(lanesort_webgpu_sorter* sorter, struct WGPUCommandEncoderImpl* encoder,
                                       const lanesort_webgpu_buffers* buffers) noexcept {
  const lanesort_status status = webgpu::check_buffers(sorter, buffers);
  if (status != LANESORT_OK || sorter->plan.dispatch_count == 0) return status;
  if (encoder == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "encoder must not be NULL");
  webgpu::record_in_own_passes(*sorter, encoder, *buffers);
  return LANESORT_OK;
}

lanesort_status lanesort_webgpu_encode_pass(lanesort_webgpu_sorter* sorter, struct WGPUComputePassEncoderImpl* pass,
                                            const lanesort_webgpu_buffers* buffers) noexcept {
  const lanesort_status status = webgpu::check_buffers(sorter, buffers);
  if (status != LANESORT_OK || sorter->plan.dispatch_count == 0) return status;
  if (pass == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "pass must not be NULL");
  if (buffers->timestamps != nullptr)
    return api::fail(
        LANESORT_INVALID_ARGUMENT,
        "timestamps stand between passes; in a pass of the caller's there are none, so give NULL or an encoder");
  webgpu::Recorder recorder(*sorter, *buffers);
  recorder.begin(pass);
  for (std::uint32_t i = 0; i < sorter->plan.dispatch_count; ++i) recorder.record(i);
  return LANESORT_OK;
}

const char* lanesort_webgpu_explain(const lanesort_webgpu_sorter* sorter) noexcept {
  return sorter == nullptr ? "" : sorter->words.c_str();
}

const char* lanesort_webgpu_kernel_name(const lanesort_webgpu_sorter* sorter, uint32_t dispatch) noexcept {
  if (sorter == nullptr || dispatch >= sorter->plan.dispatch_count) return nullptr;
  return lanesort::contract::kKernelNames[static_cast<std::uint32_t>(sorter->plan.dispatches[dispatch].kernel)];
}

uint64_t lanesort_webgpu_sorted_count_offset(const lanesort_webgpu_sorter* sorter) noexcept {
  return sorter == nullptr ? 0 : sorter->plan.sorted_count_offset;
}

uint64_t lanesort_webgpu_kept_count_offset(const lanesort_webgpu_sorter* sorter) noexcept {
  return sorter == nullptr ? 0 : sorter->plan.kept_count_offset();
}

const char* lanesort_webgpu_args_wgsl(const lanesort_webgpu_sorter* sorter) noexcept {
  return sorter == nullptr ? "" : sorter->args.c_str();
}
