// Segments: check, plan, launch. The launches are the same for all offsets, which the device reads; those that the
// offsets do not need return at once.
#include "api/check.hpp"
#include "cuda/launch.hpp"
#include "cuda/run.hpp"
#include "kernels/cuda/segments_params.hpp"
#include "plan/cuda_segments.hpp"
#include "tune/cuda_segments.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {
namespace {

using u64 = unsigned long long;

// Offsets are device memory: where they stand can be checked, what they are cannot.
lanesort_status check_offsets(const lanesort_sort_desc& desc, const cpu::Request& request) {
  if (desc.segment_count > api::count_limit(sizeof(std::uint64_t))) {
    return api::fail(LANESORT_INVALID_ARGUMENT, "segment_count is %llu, more than any memory holds; was a size negative?",
                     static_cast<u64>(desc.segment_count));
  }
  const bool joined = desc.segment_ends == nullptr;
  struct Span {
    const char* name;
    const void* data;
    std::uint64_t bytes;
  };
  const Span offsets[] = {{"segment_begins", desc.segment_begins, (desc.segment_count + (joined ? 1 : 0)) * 8},
                          {"segment_ends", desc.segment_ends, joined ? 0 : desc.segment_count * 8}},
             written[] = {{"keys_dst", desc.keys_dst, request.count * request.key.bytes},
                          {"values_dst", desc.values_dst, request.count * request.value_bytes},
                          {"scratch", desc.scratch, desc.scratch_bytes}};
  for (const Span& read : offsets) {
    const lanesort_status status = check_aligned(read.name, read.data, 8);
    if (status != LANESORT_OK) return status;
    for (const Span& to : written) {
      const auto a = reinterpret_cast<std::uintptr_t>(read.data), b = reinterpret_cast<std::uintptr_t>(to.data);
      if (read.bytes == 0 || to.data == nullptr || a >= b + to.bytes || b >= a + read.bytes) continue;
      return api::fail(LANESORT_INVALID_ARGUMENT,
                       "%s (%p, %llu bytes) overlaps %s (%p, %llu bytes); give buffers apart from each other", read.name,
                       read.data, static_cast<u64>(read.bytes), to.name, to.data, static_cast<u64>(to.bytes));
    }
  }
  return LANESORT_OK;
}

lanesort_status check_call(const Call& call, lanesort_operation operation, const lanesort_sort_desc& desc,
                           cpu::Request* request) {
  if (call.handle == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle is NULL; make one by lanesort_cuda_create()");
  lanesort_sort_desc whole = desc;
  whole.segment_begins = nullptr;
  lanesort_status status = check_sort(operation, &whole, request);
  const std::uint32_t value_bytes = std::max(request->value_bytes, 1u);
  if (status == LANESORT_OK) status = check_aligned("keys_src", request->keys_src, request->key.bytes);
  if (status == LANESORT_OK) status = check_aligned("keys_dst", request->keys_dst, request->key.bytes);
  if (status == LANESORT_OK) status = check_aligned("values_src", request->values_src, value_bytes);
  if (status == LANESORT_OK) status = check_aligned("values_dst", request->values_dst, value_bytes);
  if (status == LANESORT_OK) status = check_aligned("device_count", call.device_count, 8);
  return status == LANESORT_OK ? check_offsets(desc, *request) : status;
}

kernels::SegmentParams params_of(const Call& call, const lanesort_sort_desc& desc, const cpu::Request& request,
                                 const plan::CudaSegmentPlan& plan) {
  std::byte* const scratch = aligned_scratch(desc);
  const plan::CudaSegmentScratch& at = plan.scratch;
  kernels::SegmentParams p{};
  p.keys = {request.keys_src, request.keys_dst, {scratch + at.keys[0], scratch + at.keys[1]}};
  if (request.value_bytes != 0) p.values = {request.values_src, request.values_dst, {scratch + at.values, nullptr}};
  p.device_count = call.device_count;
  p.count = request.count;
  p.begins = desc.segment_begins;
  p.ends = desc.segment_ends != nullptr ? desc.segment_ends : desc.segment_begins + 1;
  p.segment_count = desc.segment_count;
  p.control = reinterpret_cast<kernels::SegmentControl*>(scratch);
  for (std::uint32_t which = 0; which < tune::kBlockSegmentShapes; ++which) {
    p.block_segments[which] = reinterpret_cast<kernels::BlockSegment*>(scratch + at.block_segments[which]);
    p.block_room[which] = plan.block_room[which];
    p.of_block[which] = plan.of_block[which];
  }
  p.large = reinterpret_cast<kernels::LargeSegment*>(scratch + at.large);
  p.segment_of_tile = reinterpret_cast<std::uint32_t*>(scratch + at.segment_of_tile);
  p.histogram = reinterpret_cast<std::uint64_t*>(scratch + at.histogram);
  p.portion_word = reinterpret_cast<std::uint64_t*>(scratch + at.portion_word);
  p.lookback = reinterpret_cast<std::uint32_t*>(scratch + at.lookback);
  p.large_room = plan.large_room;
  p.tile_room = plan.tile_room;
  p.portion_room = plan.portion_room;
  p.order = order_words(request.key);
  p.key_bytes = request.key.bytes;
  p.value_bytes = request.value_bytes;
  p.bit_begin = request.key.bit_begin;
  p.bit_end = request.key.bit_end;
  p.of_team = plan.of_team;
  p.tile = plan.tile;
  p.portion_tiles = plan.portion_tiles;
  p.whole_keys = request.value_bytes == 0 && request.key.bit_begin == 0 &&
                 request.key.bit_end == 8 * request.key.bytes && request.key.kind != KeyKind::boolean;
  p.local_indices = request.local_indices;
  p.hold_every = call.handle->limits.hold_every;
  return p;
}

std::uint32_t at_most(std::uint64_t useful, std::uint64_t most) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(useful, 1, most));
}

// Those that no block can hold: counted, then passed over by each digit.
lanesort_status sort_large(const Call& call, const ::lanesort_cuda::SegmentKernels& kernel, kernels::SegmentParams& p) {
  const std::uint64_t multiprocessors = call.handle->multiprocessors;
  const std::uint32_t most = call.handle->limits.most_blocks;
  const auto blocks = [&](std::uint64_t useful, std::uint64_t each) {
    return std::min(at_most(useful, multiprocessors * each), most);
  };
  const tune::Shape shape = tune::pass_shape(p.key_bytes, p.value_bytes, 0);
  lanesort_status status =
      launch(call, kernel.count, blocks(p.tile_room, tune::kSegmentCountBlocks), tune::kSegmentCountThreads, 0, &p);
  if (status == LANESORT_OK) status = launch(call, call.handle->begin_segments, blocks(p.tile_room, 8), 256, 0, &p);
  const std::uint32_t passes = (p.bit_end - p.bit_begin + 7) / 8,
                      value = p.value_bytes == 0 ? 0 : width_index(p.value_bytes) + 1;
  for (p.pass = 0; p.pass < passes && status == LANESORT_OK; ++p.pass) {
    status = launch(call, kernel.pass[value], blocks(p.tile_room, shape.blocks), shape.threads, shape.shared_bytes(), &p);
  }
  return status == LANESORT_OK ? launch(call, call.handle->end_segments, blocks(p.tile_room, 8), 256, 0, &p) : status;
}

}  // namespace

lanesort_status sort_segments(lanesort_operation operation, const ::lanesort_cuda* handle, CUstream_st* stream,
                              const lanesort_sort_desc* desc, const std::uint64_t* device_count) noexcept {
  const Call call{handle, stream, device_count};
  cpu::Request request;
  lanesort_status status = check_call(call, operation, *desc, &request);
  if (status != LANESORT_OK || request.count == 0 || desc->segment_count == 0) return status;
  const plan::CudaSegmentPlan plan = plan::plan_cuda_segments(
      {request.key.bytes, request.value_bytes, request.argsort, request.count}, handle->limits);
  status = check_scratch(*desc, plan.scratch.bytes);
  if (status != LANESORT_OK) return status;
  const Current current(handle->context);
  if (current.status() != LANESORT_OK) return current.status();
  kernels::SegmentParams p = params_of(call, *desc, request, plan);
  const ::lanesort_cuda::SegmentKernels& kernel = handle->segments[width_index(request.key.bytes)];
  const std::uint32_t places = request.value_bytes != 0 ? 1 : 0;
  const std::uint64_t multiprocessors = handle->multiprocessors;
  const std::uint64_t most_short = multiprocessors * tune::warp_segment_blocks(request.value_bytes != 0),
                      warps = tune::kWarpSegmentThreads / 32;
  p.per_warp = at_most((desc->segment_count + most_short * warps - 1) / (most_short * warps), 32);
  status = clear(call, p.control, sizeof(kernels::SegmentControl), 0);
  if (status == LANESORT_OK) {
    status = launch(call, kernel.sort_short[places], at_most((desc->segment_count + p.per_warp * warps - 1) / (p.per_warp * warps), most_short),
                    tune::kWarpSegmentThreads, 0, &p);
  }
  for (std::uint32_t which = tune::kBlockSegmentShapes; which-- != 0 && status == LANESORT_OK;) {  // long ones first
    const tune::BlockSegmentShape shape = tune::block_segment_shape(request.key.bytes, places != 0, which);
    if (plan.block_room[which] == 0) continue;
    status = launch(call, kernel.block[which][places], at_most(plan.block_room[which], multiprocessors * shape.blocks),
                    shape.threads, shape.shared_bytes(request.value_bytes), &p);
  }
  return status == LANESORT_OK && plan.large_room != 0 ? sort_large(call, kernel, p) : status;
}

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
