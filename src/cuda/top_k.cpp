// Top-k: check, plan, launch. Sorts of what was selected are recorded through the door that callers use.
#include "api/check.hpp"
#include "cuda/launch.hpp"
#include "cuda/run.hpp"
#include "kernels/cuda/top_k_params.hpp"
#include "lanesort/cuda.h"
#include "plan/cuda_top_k.hpp"
#include "tune/cuda_top_k.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {
namespace {

using Handle = ::lanesort_cuda;
using u64 = unsigned long long;

struct Rows {
  std::uint64_t count;
  bool batched;  // else one, of all items
};

// The sizes of several rows, where they are not those of one.
lanesort_status check_rows(const lanesort_sort_desc& desc, const cpu::Request& request, std::uint64_t row_count) {
  const std::uint64_t widest = std::max(request.key.bytes, request.value_bytes), limit = api::count_limit(widest);
  if (request.count != 0 && row_count > limit / request.count) {
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "%llu rows of %llu items are more than any memory holds (limit %llu items); was a size negative?",
                     static_cast<u64>(row_count), static_cast<u64>(request.count), static_cast<u64>(limit));
  }
  const std::uint64_t items = row_count * request.count, kept = row_count * std::min(request.k, request.count);
  const struct Span {
    const char* name;
    const void* data;
    std::uint64_t bytes;
  } read[] = {{"keys_src", desc.keys_src, items * request.key.bytes},
              {"values_src", desc.values_src, items * request.value_bytes}},
    written[] = {{"keys_dst", desc.keys_dst, kept * request.key.bytes},
                 {"values_dst", desc.values_dst, kept * request.value_bytes},
                 {"scratch", desc.scratch, desc.scratch_bytes}};
  const auto apart = [](const Span& a, const Span& b) -> lanesort_status {
    const auto from_a = reinterpret_cast<std::uintptr_t>(a.data), from_b = reinterpret_cast<std::uintptr_t>(b.data);
    if (a.data == nullptr || b.data == nullptr || from_a >= from_b + b.bytes || from_b >= from_a + a.bytes)
      return LANESORT_OK;
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "%s (%p, %llu bytes of all rows) overlaps %s (%p, %llu bytes); give buffers apart from each other",
                     a.name, a.data, static_cast<u64>(a.bytes), b.name, b.data, static_cast<u64>(b.bytes));
  };
  for (std::size_t w = 0; w < 3; ++w) {
    for (const Span& source : read) {
      if (const lanesort_status status = apart(written[w], source); status != LANESORT_OK) return status;
    }
    if (const lanesort_status status = apart(written[w], written[(w + 1) % 3]); status != LANESORT_OK) return status;
  }
  return LANESORT_OK;
}

lanesort_status check_call(const Call& call, const lanesort_sort_desc* desc, const Rows& rows, cpu::Request* request) {
  if (call.handle == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle is NULL; make one by lanesort_cuda_create()");
  lanesort_status status = check_top_k(desc, rows.count == 0 ? api::Use::size_only : api::Use::sort, request);
  if (status == LANESORT_OK && rows.batched) status = check_rows(*desc, *request, rows.count);
  const std::uint32_t value_bytes = std::max(request->value_bytes, 1u);
  if (status == LANESORT_OK) status = check_aligned("keys_src", request->keys_src, request->key.bytes);
  if (status == LANESORT_OK) status = check_aligned("keys_dst", request->keys_dst, request->key.bytes);
  if (status == LANESORT_OK) status = check_aligned("values_src", request->values_src, value_bytes);
  if (status == LANESORT_OK) status = check_aligned("values_dst", request->values_dst, value_bytes);
  if (status == LANESORT_OK) status = check_aligned("device_count", call.device_count, 8);
  return status;
}

const Handle::TopKernels& kernels_of(const Call& call, const cpu::Request& request) {
  return call.handle->top[width_index(request.key.bytes)];
}

kernels::TopRowsParams rows_params(const cpu::Request& request, const Call& call, std::uint64_t row_count) {
  kernels::TopRowsParams p{};
  p.keys_src = request.keys_src;
  p.keys_dst = request.keys_dst;
  p.values_src = request.values_src;
  p.values_dst = request.value_bytes == 0 ? nullptr : request.values_dst;
  p.device_count = call.device_count;
  p.count = request.count;
  p.row_count = row_count;
  p.order = order_words(request.key);
  p.bit_begin = request.key.bit_begin;
  p.bit_end = request.key.bit_end;
  p.k = static_cast<std::uint32_t>(std::min(request.k, request.count));
  p.value_bytes = request.value_bytes;
  return p;
}

lanesort_status launch_rows(const Call& call, const cpu::Request& request, kernels::TopRowsParams p) {
  const std::uint64_t most = 0x7fffffff;  // blocks of a grid
  return launch(call, kernels_of(call, request).rows.function, static_cast<std::uint32_t>(std::min(p.row_count, most)),
                tune::kTopThreads, 0, &p);
}

lanesort_status deliver(const Call& call, const cpu::Request& request, const plan::CudaTopKPlan& plan,
                        kernels::TopDeliverParams p) {
  p.device_count = call.device_count;
  p.count = request.count;
  p.k = plan.kept;
  p.key_bytes = request.key.bytes;
  p.index_bytes = plan.index_bytes;
  p.value_bytes = request.value_bytes;
  const std::uint64_t blocks = plan.kept / 1024 + 1, most = std::uint64_t{call.handle->multiprocessors} * 8;
  return launch(call, call.handle->deliver_top, static_cast<std::uint32_t>(std::min(blocks, most)), 256, 0, &p);
}

// A sort of scratch's own: keys, and indices with them where there are any.
lanesort_sort_desc inner_sort(const lanesort_sort_desc& desc, const plan::CudaTopKPlan& plan, std::byte* scratch) {
  lanesort_sort_desc inner = desc;
  inner.value_bytes = plan.index_bytes;
  inner.keys_dst = nullptr;
  inner.values_src = inner.values_dst = nullptr;
  inner.scratch = scratch + plan.scratch.sort;
  inner.scratch_bytes = plan.sort_bytes;
  inner.threads = 0;
  inner.executor = nullptr;
  return inner;
}

// More than three in four would be kept: all are sorted, and the first of them go to the caller.
lanesort_status sort_all(const Call& call, const lanesort_sort_desc& desc, const cpu::Request& request,
                         const plan::CudaTopKPlan& plan, std::byte* scratch) {
  lanesort_sort_desc inner = inner_sort(desc, plan, scratch);
  kernels::TopDeliverParams p{};
  lanesort_status status = LANESORT_OK;
  p.keys_dst = request.keys_dst;
  if (plan.index_bytes == 0) {
    p.keys = inner.keys_dst = scratch + plan.scratch.keys;
    status = lanesort_cuda_sort(call.handle, call.stream, &inner, call.device_count);
  } else {
    p.indices = inner.values_dst = scratch + plan.scratch.indices;
    p.keys_src = request.keys_src;
    p.values_src = request.values_src;
    p.values_dst = request.values_dst;
    status = lanesort_cuda_argsort(call.handle, call.stream, &inner, call.device_count);
  }
  return status == LANESORT_OK ? deliver(call, request, plan, p) : status;
}

// Candidates by a threshold that a sample gives; and once more, in launches that return at once where that went well,
// by the exact one.
lanesort_status keep_candidates(const Call& call, const cpu::Request& request, const plan::CudaTopKPlan& plan,
                                std::byte* scratch) {
  const Handle::TopKernels& kernel = kernels_of(call, request);
  kernels::TopParams p{};
  p.keys_src = request.keys_src;
  p.keys_to = scratch + plan.scratch.keys;
  p.indices_to = scratch + plan.scratch.indices;
  p.device_count = call.device_count;
  p.count = request.count;
  p.k = plan.kept;
  p.control = reinterpret_cast<kernels::TopControl*>(scratch + plan.scratch.control);
  p.block_sides = reinterpret_cast<std::uint64_t*>(scratch + plan.scratch.block_sides);
  p.order = order_words(request.key);
  p.bit_begin = request.key.bit_begin;
  p.bit_end = request.key.bit_end;
  p.index_bytes = plan.index_bytes;
  p.room = static_cast<std::uint32_t>(plan.room);
  p.sample_bits = plan.sample_bits;
  p.hold_every = call.handle->limits.hold_every;
  const auto fitting = [&](std::uint64_t useful, std::uint32_t resident) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>({useful, resident, call.handle->limits.most_blocks}));
  };
  lanesort_status status = clear(call, scratch, plan.clear_bytes, 0);
  for (p.step = 0; p.step < 2 && status == LANESORT_OK; ++p.step) {
    status = launch_together(call, kernel.find.function, fitting(plan.find_blocks[p.step], kernel.find.resident),
                             tune::kTopThreads, 0, &p);
    if (status == LANESORT_OK)
      status = launch_together(call, kernel.keep.function, fitting(plan.tiles, kernel.keep.resident), tune::kTopThreads,
                               0, &p);
  }
  return status;
}

// The first of the candidates, sorted, to the caller.
lanesort_status finish(const Call& call, const lanesort_sort_desc& desc, const cpu::Request& request,
                       const plan::CudaTopKPlan& plan, std::byte* scratch) {
  std::byte* const keys = scratch + plan.scratch.keys;
  std::byte* const indices = scratch + plan.scratch.indices;
  const std::uint64_t* const candidates =
      &reinterpret_cast<const kernels::TopControl*>(scratch + plan.scratch.control)->candidates;
  kernels::TopDeliverParams p{};
  p.values_src = request.values_src;
  const bool gathers = plan.index_bytes != 0 && request.values_src != nullptr;
  if (plan.row_finish) {
    const Call of_candidates{call.handle, call.stream, candidates};
    kernels::TopRowsParams row = rows_params(request, of_candidates, 1);
    row.count = plan.room;
    row.keys_src = keys;
    row.values_src = indices;
    row.value_bytes = plan.index_bytes;
    p.indices = scratch + plan.scratch.sort;
    if (gathers) row.values_dst = scratch + plan.scratch.sort;
    const lanesort_status status = launch_rows(call, request, row);
    p.values_dst = request.values_dst;
    return status == LANESORT_OK && gathers ? deliver(call, request, plan, p) : status;
  }
  lanesort_sort_desc inner = inner_sort(desc, plan, scratch);
  inner.count = plan.room;
  inner.keys_src = inner.keys_dst = keys;
  if (plan.index_bytes != 0) inner.values_src = inner.values_dst = indices;
  const lanesort_status status = plan.index_bytes == 0
                                     ? lanesort_cuda_sort(call.handle, call.stream, &inner, candidates)
                                     : lanesort_cuda_sort_pairs(call.handle, call.stream, &inner, candidates);
  p.keys = keys;
  p.keys_dst = request.keys_dst;
  p.indices = indices;
  p.values_dst = plan.index_bytes == 0 ? nullptr : request.values_dst;
  return status == LANESORT_OK ? deliver(call, request, plan, p) : status;
}

// One row, its buffers in `desc` and `request`.
lanesort_status top_k_of_row(const Call& call, const lanesort_sort_desc& desc, const cpu::Request& request,
                             const plan::CudaTopKPlan& plan) {
  std::byte* const scratch = aligned_scratch(desc);
  if (plan.way == plan::CudaTopKWay::sorts) return sort_all(call, desc, request, plan, scratch);
  const lanesort_status status = keep_candidates(call, request, plan, scratch);
  return status == LANESORT_OK ? finish(call, desc, request, plan, scratch) : status;
}

const void* at(const void* data, std::uint64_t bytes) {
  return data == nullptr ? nullptr : static_cast<const std::byte*>(data) + bytes;
}
void* at(void* data, std::uint64_t bytes) { return data == nullptr ? nullptr : static_cast<std::byte*>(data) + bytes; }

lanesort_status top_k(const Call& call, const lanesort_sort_desc* desc, const Rows& rows) {
  cpu::Request request;
  lanesort_status status = check_call(call, desc, rows, &request);
  if (status != LANESORT_OK) return status;
  const plan::CudaTopKPlan plan = plan::plan_cuda_top_k(
      {request.key.bytes, request.value_bytes, request.count, request.k, rows.count}, call.handle->limits);
  if (plan.way == plan::CudaTopKWay::nothing || rows.count == 0) return LANESORT_OK;
  status = check_scratch(*desc, plan.scratch.bytes);
  if (status != LANESORT_OK) return status;
  const Current current(call.handle->context);
  if (current.status() != LANESORT_OK) return current.status();
  if (plan.way == plan::CudaTopKWay::rows) return launch_rows(call, request, rows_params(request, call, rows.count));
  lanesort_sort_desc row = *desc;
  for (std::uint64_t r = 0; r < rows.count && status == LANESORT_OK; ++r) {
    row.keys_src = request.keys_src = at(desc->keys_src, r * request.count * request.key.bytes);
    request.keys_dst = at(desc->keys_dst, r * plan.kept * request.key.bytes);
    request.values_src = at(desc->values_src, r * request.count * request.value_bytes);
    request.values_dst = at(desc->values_dst, r * plan.kept * request.value_bytes);
    status = top_k_of_row(call, row, request, plan);
  }
  return status;
}

}  // namespace

lanesort_status check_top_k(const lanesort_sort_desc* desc, api::Use use, cpu::Request* request) noexcept {
  return check_for_device(LANESORT_OP_TOP_K, use, desc, request, api::Offer::everything,
                          "Ask for indices (values_src NULL) and gather");
}

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort

namespace cuda = lanesort::cuda;

lanesort_status lanesort_cuda_top_k(const lanesort_cuda* handle, CUstream_st* stream, const lanesort_sort_desc* desc,
                                    const uint64_t* device_count) noexcept {
  return cuda::top_k({handle, stream, device_count}, desc, {1, false});
}
lanesort_status lanesort_cuda_top_k_rows(const lanesort_cuda* handle, CUstream_st* stream,
                                         const lanesort_sort_desc* desc, uint64_t row_count,
                                         const uint64_t* device_count) noexcept {
  return cuda::top_k({handle, stream, device_count}, desc, {row_count, true});
}
