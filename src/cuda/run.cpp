// The operations: check, plan, launch. Nothing here waits, allocates or reads the device.
#include "cuda/run.hpp"

#include <algorithm>
#include <cstddef>

#include "api/check.hpp"
#include "api/status.hpp"
#include "cuda/handle.hpp"
#include "cuda/launch.hpp"
#include "kernels/cuda/params.hpp"
#include "lanesort/cuda.h"
#include "tune/cuda_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {
namespace {

using Handle = ::lanesort_cuda;

std::uint32_t value_index(std::uint32_t bytes) { return bytes == 0 ? 0 : width_index(bytes) + 1; }

bool sorts_all_bits(const cpu::Request& request) {
  return request.key.bit_begin == 0 && request.key.bit_end == 8 * request.key.bytes;
}

// What the handle has for these widths.
const Handle::Kernel& kernel_of(const Call& call, const cpu::Request& request, plan::CudaKernel kernel) {
  return call.handle
      ->sorts[width_index(request.key.bytes)][value_index(request.value_bytes)][static_cast<std::uint32_t>(kernel)];
}
const Handle::BucketKernels& bucket_kernels_of(const Call& call, const cpu::Request& request) {
  return call.handle->buckets[width_index(request.key.bytes)][value_index(request.value_bytes)];
}

lanesort_status check_call(const Call& call, lanesort_operation operation, api::Use use, const lanesort_sort_desc* desc,
                           cpu::Request* request) {
  if (call.handle == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "handle is NULL; make one by lanesort_cuda_create()");
  lanesort_status status = use == api::Use::sort ? check_sort(operation, desc, request)
                                                 : api::check_request(operation, use, desc, 1, request);
  if (status != LANESORT_OK) return status;
  const std::uint32_t key_bytes = request->key.bytes,
                      value_bytes = request->value_bytes == 0 ? 1 : request->value_bytes;
  status = check_aligned("keys_src", request->keys_src, key_bytes);
  if (status == LANESORT_OK && use != api::Use::read_keys)
    status = check_aligned("keys_dst", request->keys_dst, key_bytes);
  if (status == LANESORT_OK && use == api::Use::sort)
    status = check_aligned("values_src", request->values_src, value_bytes);
  if (status == LANESORT_OK && use == api::Use::sort)
    status = check_aligned("values_dst", request->values_dst, value_bytes);
  if (status == LANESORT_OK) status = check_aligned("device_count", call.device_count, 8);
  return status;
}

kernels::SortParams params_of(const cpu::Request& request, const plan::CudaPlan& plan, const Call& call,
                              std::byte* scratch) {
  kernels::SortParams p{};
  p.keys = {request.keys_src, request.keys_dst, {scratch + plan.scratch.keys[0], scratch + plan.scratch.keys[1]}};
  if (request.value_bytes != 0)
    p.values = {request.values_src, request.values_dst, {scratch + plan.scratch.values, nullptr}};
  p.device_count = call.device_count;
  p.count = request.count;
  p.control = reinterpret_cast<kernels::Control*>(scratch);
  p.lookback = reinterpret_cast<std::uint32_t*>(scratch + plan.scratch.lookback);
  p.lookback_words = plan.lookback_words;
  p.order = order_words(request.key);
  p.key_bytes = request.key.bytes;
  p.value_bytes = request.value_bytes;
  p.bit_begin = request.key.bit_begin;
  p.bit_end = request.key.bit_end;
  p.portion = static_cast<std::uint32_t>(plan.portion);
  p.hold_every = call.handle->limits.hold_every;
  if (request.value_bytes == 0 && sorts_all_bits(request) && request.key.kind != KeyKind::boolean)
    p.flags |= kernels::kWholeKeys;
  return p;
}

// The first kernel of the way by buckets where it is one cluster; null where it is not. Floats want quantiles, which
// the whole device makes.
Function cluster_of(const Call& call, const cpu::Request& request, const plan::CudaPlan& plan) {
  const bool uneven = request.key.kind == KeyKind::floating &&
                      tune::takes_quantiles(request.key.bytes, request.value_bytes);
  return plan.buckets.by_cluster && !uneven ? call.handle->prepare_by_cluster[width_index(request.key.bytes)] : nullptr;
}

// The way by buckets: every kernel looks whether the first one chose it.
lanesort_status sort_by_buckets(const Call& call, const cpu::Request& request, const plan::CudaPlan& plan,
                                const kernels::SortParams& sort, std::byte* scratch) {
  const plan::CudaBuckets& buckets = plan.buckets;
  const Handle::BucketKernels& kernel = bucket_kernels_of(call, request);

  kernels::BucketParams p{};
  p.device_count = sort.device_count;
  p.count = sort.count;
  p.control = sort.control;
  p.buckets = reinterpret_cast<kernels::Buckets*>(scratch + plan.scratch.buckets);
  p.lookback = sort.lookback;
  p.lookback_words = buckets.lookback_words;
  p.bits = buckets.bits;
  p.second_bits = buckets.second_bits;
  p.tile = buckets.tile;
  p.room = buckets.room;
  p.most_room = buckets.most_room;
  if (tune::takes_quantiles(request.key.bytes, request.value_bytes)) p.lowest = scratch + plan.scratch.lowest;
  p.whole_keys = sort.flags & kernels::kWholeKeys;
  p.hold_every = sort.hold_every;
  p.keys_from = sort.keys.src;
  p.values_from = sort.values.src;
  p.order = sort.order;
  const Function by_cluster = cluster_of(call, request, plan);
  const std::uint32_t blocks = std::min(buckets.prepare_blocks, call.handle->multiprocessors);
  lanesort_status status = by_cluster != nullptr
                               ? launch(call, by_cluster, tune::kClusterBlocks, tune::kPrepareThreads, 0, &p)
                               : launch_together(call, call.handle->prepare[width_index(request.key.bytes)], blocks,
                                                 tune::kPrepareThreads, buckets.prepare_shared_bytes, &p);
  if (buckets.only_counts) return status;
  const tune::Shape split = tune::split_shape(request.key.bytes, request.value_bytes, buckets.split);
  const tune::FinishShape finish = tune::finish_shape(request.key.bytes, request.value_bytes, buckets.finish),
                          hard = tune::hard_shape(request.key.bytes, request.value_bytes);
  // Two splits end in the destination and the finish works there; one ends in the alternate.
  void* const keys_last = sort.keys.dst != nullptr ? sort.keys.dst : sort.keys.alternate[1];
  const std::uint32_t steps = buckets.second_bits == 0 ? 1 : 2;
  for (p.step = 0; p.step < steps && status == LANESORT_OK; ++p.step) {
    p.keys_to = p.step == 0 ? sort.keys.alternate[0] : keys_last;
    p.values_to = p.step == 0 ? sort.values.alternate[0] : sort.values.dst;
    status = launch(call, kernel.splits[buckets.split], buckets.split_blocks[p.step], split.threads,
                    tune::split_shared_bytes(split), &p);
    p.keys_from = p.keys_to;
    p.values_from = p.values_to;
    p.order.base = p.order.flip = 0;  // keys are mapped from here on
  }
  p.order = sort.order;
  p.keys_to = sort.keys.dst;
  p.values_to = sort.values.dst;
  if (status == LANESORT_OK)
    status =
        launch(call, kernel.finish[buckets.finish], buckets.finish_blocks, finish.threads, finish.shared_bytes(), &p);
  if (status == LANESORT_OK)
    status = launch(call, kernel.hard, call.handle->multiprocessors, hard.threads, hard.shared_bytes(), &p);
  return status;
}

// Passes, a launch for each digit and portion: those that the data does not need return at once.
lanesort_status sort_by_passes(const Call& call, const cpu::Request& request, const plan::CudaPlan& plan,
                               kernels::SortParams& p) {
  const Handle& handle = *call.handle;
  const Handle::Kernel& kernel = kernel_of(call, request, plan.kernel);
  const auto fitting = [&](std::uint32_t useful, std::uint32_t resident) {
    return std::min({useful, resident, handle.limits.most_blocks});
  };
  if (plan.kernel == plan::CudaKernel::whole) {
    return launch_together(call, kernel.function, fitting(plan.most_blocks, kernel.resident), plan.threads,
                           plan.shared_bytes, &p);
  }
  const Handle::Kernel& begin = handle.begin[width_index(request.key.bytes)];
  lanesort_status status = launch_together(call, begin.function, fitting(plan.begin_blocks, begin.resident),
                                           tune::kBeginThreads, plan.begin_shared_bytes, &p);
  // Keys of one digit that are interchangeable are counted and filled by then.
  const std::uint32_t runs = (request.key.bit_end - request.key.bit_begin + 7) / 8;
  if (runs == 1 && (p.flags & kernels::kWholeKeys) != 0 && request.key.kind != KeyKind::floating) return status;
  const std::uint64_t tile = tune::pass_shape(request.key.bytes, request.value_bytes, 0).tile();
  for (p.run = p.step = 0; p.run < runs; ++p.run) {
    for (p.first = 0; p.first < request.count && status == LANESORT_OK; p.first += plan.portion, ++p.step) {
      const std::uint64_t items = request.count - p.first < plan.portion ? request.count - p.first : plan.portion,
                          tiles = (items + tile - 1) / tile;
      p.rounds = handle.limits.rounds != 0 ? handle.limits.rounds : tune::rounds(tiles, kernel.resident);
      status = launch(call, kernel.function, static_cast<std::uint32_t>((tiles + p.rounds - 1) / p.rounds),
                      plan.threads, plan.shared_bytes, &p);
    }
  }
  const bool in_place =
      request.keys_dst == request.keys_src || (request.value_bytes != 0 && request.values_dst == request.values_src);
  if (status == LANESORT_OK && in_place) status = launch(call, handle.end, handle.multiprocessors * 8, 256, 0, &p);
  return status;
}

bool suits_buckets(const Call& call, const cpu::Request& request, const plan::CudaPlan& plan) {
  const bool loaded = plan.buckets.only_counts || bucket_kernels_of(call, request).splits[0] != nullptr;
  return plan.buckets.tried && loaded && sorts_all_bits(request) &&
         reinterpret_cast<std::uintptr_t>(request.keys_src) % 16 == 0;  // keys are read 16 bytes at a time
}

// The kernel that counts keys of one byte and fills them in, where they may stand for one another; null elsewhere.
Function bytes_kernel_of(const Call& call, const cpu::Request& request, const kernels::SortParams& p) {
  if (request.key.bytes != 1 || (p.flags & kernels::kWholeKeys) == 0 || request.count < tune::kBytesFrom ||
      request.count > call.handle->limits.small)
    return nullptr;
  if (request.count <= tune::kBytesOfBlockUpTo) return call.handle->bytes_by_block;
  return request.count <= tune::kClusterUpTo ? call.handle->bytes_by_cluster : nullptr;
}

lanesort_status sort(lanesort_operation operation, const Call& call, const lanesort_sort_desc* desc) {
  if (desc != nullptr && desc->struct_bytes == sizeof *desc && desc->segment_begins != nullptr)
    return sort_segments(operation, call.handle, call.stream, desc, call.device_count);
  cpu::Request request;
  lanesort_status status = check_call(call, operation, api::Use::sort, desc, &request);
  if (status != LANESORT_OK || request.count == 0) return status;
  const plan::CudaPlan plan = plan::plan_cuda_sort(
      {request.key.bytes, request.value_bytes, request.argsort, request.count}, call.handle->limits);
  status = check_scratch(*desc, plan.scratch.bytes);
  if (status != LANESORT_OK) return status;
  const Current current(call.handle->context);
  if (current.status() != LANESORT_OK) return current.status();
  std::byte* const scratch = aligned_scratch(*desc);
  kernels::SortParams params = params_of(request, plan, call, scratch);
  if (const Function bytes = bytes_kernel_of(call, request, params); bytes != nullptr) {
    const std::uint32_t blocks = bytes == call.handle->bytes_by_block ? 1 : tune::kClusterBlocks;
    return launch(call, bytes, blocks, tune::kByteThreads, 0, &params);
  }
  if (plan.kernel >= plan::CudaKernel::small0) {
    return launch(call, kernel_of(call, request, plan.kernel).function, 1, plan.threads, plan.shared_bytes, &params);
  }
  const bool buckets = suits_buckets(call, request, plan);
  if (!buckets || cluster_of(call, request, plan) == nullptr) status = clear(call, scratch, plan.clear_bytes, 0);
  if (status != LANESORT_OK) return status;
  if (buckets) {
    status = sort_by_buckets(call, request, plan, params, scratch);
    if (status != LANESORT_OK) return status;
    params.flags |= kernels::kSurveyed;
    params.buckets = reinterpret_cast<const kernels::Buckets*>(scratch + plan.scratch.buckets);
  }
  return sort_by_passes(call, request, plan, params);
}

kernels::CheckParams check_params(const cpu::Request& request, const Call& call, void* answer) {
  kernels::CheckParams p{};
  p.keys_src = request.keys_src;
  p.keys_dst = request.keys_dst;
  p.values_src = request.values_src;
  p.values_dst = request.values_dst;
  p.device_count = call.device_count;
  p.count = request.count;
  p.answer = static_cast<std::uint64_t*>(answer);
  p.order = order_words(request.key);
  p.bit_begin = request.key.bit_begin;
  p.bit_end = request.key.bit_end;
  p.value_bytes = request.value_bytes;
  return p;
}

// The check itself, as wide as the device; then one thread for "nothing found".
lanesort_status launch_check(const Call& call, Function function, kernels::CheckParams& params) {
  const std::uint64_t useful = params.count / 256 + 1, most = std::uint64_t{call.handle->multiprocessors} * 8;
  const lanesort_status status =
      launch(call, function, static_cast<std::uint32_t>(useful < most ? useful : most), 256, 0, &params);
  return status == LANESORT_OK ? launch(call, call.handle->settle_answer, 1, 1, 0, &params) : status;
}

lanesort_status is_sorted(const Call& call, const lanesort_sort_desc* desc, std::uint64_t* first_offender) {
  cpu::Request request;
  if (first_offender == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "device_first_offender must not be NULL");
  lanesort_status status = check_aligned("device_first_offender", first_offender, 8);
  if (status == LANESORT_OK) status = check_call(call, LANESORT_OP_SORT, api::Use::read_keys, desc, &request);
  if (status != LANESORT_OK) return status;
  const Current current(call.handle->context);
  if (current.status() != LANESORT_OK) return current.status();
  status = clear(call, first_offender, 8, ~0u);
  kernels::CheckParams params = check_params(request, call, first_offender);
  params.keys_dst = nullptr;
  params.values_dst = nullptr;
  return status == LANESORT_OK ? launch_check(call, call.handle->check_sorted[width_index(request.key.bytes)], params)
                               : status;
}

lanesort_status verify(const Call& call, lanesort_operation operation, const lanesort_sort_desc* desc,
                       lanesort_verdict* verdict) {
  static_assert(sizeof(lanesort_verdict) == 48 && offsetof(lanesort_verdict, first_offender) == 8 &&
                offsetof(lanesort_verdict, dst_hash) == 32);
  cpu::Request request;
  if (verdict == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "device_verdict must not be NULL");
  lanesort_status status = check_aligned("device_verdict", verdict, 8);
  if (status == LANESORT_OK) status = check_call(call, operation, api::Use::verify, desc, &request);
  if (status != LANESORT_OK) return status;
  if (request.argsort && desc->values_src != nullptr) {
    return api::fail(
        LANESORT_UNSUPPORTED,
        "values_src is set: an argsort of the caller's own values is verified as sort_pairs, with the sorted keys");
  }
  const Current current(call.handle->context);
  if (current.status() != LANESORT_OK) return current.status();
  status = clear(call, verdict, sizeof *verdict, 0);
  if (status == LANESORT_OK) status = clear(call, reinterpret_cast<std::byte*>(verdict) + 8, 8, ~0u);
  if (status != LANESORT_OK) return status;
  kernels::CheckParams params = check_params(request, call, verdict);
  // settle_answer tells a verdict by a destination; an empty one has none to show.
  if (params.keys_dst == nullptr && params.values_dst == nullptr) params.values_dst = verdict;
  const std::uint32_t width = width_index(request.key.bytes);
  return launch_check(call, request.argsort ? call.handle->verify_argsort[width] : call.handle->verify_records[width],
                      params);
}

}  // namespace

lanesort_status check_sort(lanesort_operation operation, const lanesort_sort_desc* desc,
                           cpu::Request* request) noexcept {
  return check_for_device(operation, api::Use::sort, desc, request, api::Offer::whole_sorts,
                          "Sort indices by lanesort_cuda_argsort() and gather");
}

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort

namespace cuda = lanesort::cuda;

lanesort_status lanesort_cuda_sort(const lanesort_cuda* handle, CUstream_st* stream, const lanesort_sort_desc* desc,
                                   const uint64_t* device_count) noexcept {
  return cuda::sort(LANESORT_OP_SORT, {handle, stream, device_count}, desc);
}
lanesort_status lanesort_cuda_sort_pairs(const lanesort_cuda* handle, CUstream_st* stream,
                                         const lanesort_sort_desc* desc, const uint64_t* device_count) noexcept {
  return cuda::sort(LANESORT_OP_SORT_PAIRS, {handle, stream, device_count}, desc);
}
lanesort_status lanesort_cuda_argsort(const lanesort_cuda* handle, CUstream_st* stream, const lanesort_sort_desc* desc,
                                      const uint64_t* device_count) noexcept {
  return cuda::sort(LANESORT_OP_ARGSORT, {handle, stream, device_count}, desc);
}
lanesort_status lanesort_cuda_is_sorted(const lanesort_cuda* handle, CUstream_st* stream,
                                        const lanesort_sort_desc* desc, const uint64_t* device_count,
                                        uint64_t* device_first_offender) noexcept {
  return cuda::is_sorted({handle, stream, device_count}, desc, device_first_offender);
}
lanesort_status lanesort_cuda_verify(const lanesort_cuda* handle, CUstream_st* stream, lanesort_operation operation,
                                     const lanesort_sort_desc* desc, const uint64_t* device_count,
                                     lanesort_verdict* device_verdict) noexcept {
  return cuda::verify({handle, stream, device_count}, operation, desc, device_verdict);
}
