// The entry points for host memory: check, find scratch, hand over to the CPU room.
#include <cstdlib>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "api/check.hpp"
#include "api/status.hpp"
#include "lanesort/lanesort.h"
#include "plan/cuda_segments.hpp"
#include "plan/cuda_top_k.hpp"

namespace lanesort {
inline namespace v1 {
namespace api {
namespace {

// First touch of fresh memory costs as much as a sort; in huge pages it costs a fifth. A hint: refusal changes nothing.
void advise_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::uint64_t bytes) noexcept {
#if defined(__linux__)
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(data) + kHugePage - 1) & ~(kHugePage - 1);
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(data) + bytes) & ~(kHugePage - 1);
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

// The scratch of one call: the caller's, or our own for the length of the call.
class Scratch {
 public:
  ~Scratch() { std::free(owned_); }
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  lanesort_status obtain(const lanesort_sort_desc& desc, std::uint64_t needed) noexcept {
    if (desc.scratch == nullptr && desc.scratch_bytes == 0) {
      data_ = owned_ = needed > SIZE_MAX ? nullptr : std::malloc(static_cast<std::size_t>(needed));
      if (owned_ != nullptr) {
        advise_huge_pages(owned_, needed);
        return LANESORT_OK;
      }
      return fail(LANESORT_OUT_OF_MEMORY,
                  "no memory for %llu bytes of scratch; free some, or give the call scratch of your own",
                  static_cast<unsigned long long>(needed));
    }
    if (desc.scratch == nullptr) {
      return fail(LANESORT_INVALID_ARGUMENT,
                  "scratch is NULL but scratch_bytes is %llu; was an allocation left unchecked?",
                  static_cast<unsigned long long>(desc.scratch_bytes));
    }
    if (desc.scratch_bytes < needed) {
      return fail(
          LANESORT_SCRATCH_TOO_SMALL,
          "scratch has %llu bytes, this request needs %llu; give that much, or NULL for scratch of the call's own",
          static_cast<unsigned long long>(desc.scratch_bytes), static_cast<unsigned long long>(needed));
    }
    data_ = desc.scratch;
    return LANESORT_OK;
  }

  void* data() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
  void* owned_ = nullptr;
};

std::uint64_t at_least_one(std::uint64_t bytes) { return bytes == 0 ? 1 : bytes; }

std::uint64_t scratch_bytes(lanesort_operation operation, const cpu::Request& request) {
  if (request.count == 0) return 1;
  return at_least_one(operation == LANESORT_OP_TOP_K ? cpu::top_k_scratch_bytes(request) : cpu::sort_scratch_bytes(request));
}

lanesort_status run_sort(lanesort_operation operation, const lanesort_sort_desc* desc) noexcept {
  cpu::Request request;
  lanesort_status status = check_request(operation, Use::sort, desc, cpu::this_machine().threads, &request, Offer::everything);
  if (status != LANESORT_OK || request.count == 0) return status;
  Scratch scratch;
  status = scratch.obtain(*desc, scratch_bytes(operation, request));
  if (status != LANESORT_OK) return status;
  request.scratch = scratch.data();
  const cpu::Executor executor = executor_of(*desc);
  request.executor = desc->executor == nullptr ? nullptr : &executor;
  if (operation == LANESORT_OP_TOP_K)
    cpu::top_k(request);
  else
    cpu::sort(request);
  return LANESORT_OK;
}

lanesort_status verify_argsort(const lanesort_sort_desc& desc, cpu::Request& request,
                               lanesort_verdict* verdict) noexcept {
  if (desc.values_src != nullptr) {
    return fail(
        LANESORT_UNSUPPORTED,
        "values_src is set: an argsort of the caller's own values is verified as sort_pairs, with the sorted keys");
  }
  Scratch scratch;
  const lanesort_status status = scratch.obtain(desc, cpu::verify_argsort_scratch_bytes(request.count));
  if (status != LANESORT_OK) return status;
  request.scratch = scratch.data();
  verdict->first_offender = cpu::first_wrong_index(request);
  verdict->good = verdict->first_offender == request.count;
  return LANESORT_OK;
}

void verify_records(cpu::Request& request, lanesort_verdict* verdict) noexcept {
  const RecordHash src = cpu::digest_records(request, request.keys_src, request.values_src);
  const RecordHash dst = cpu::digest_records(request, request.keys_dst, request.values_dst);
  request.keys_src = request.keys_dst;
  verdict->first_offender = cpu::first_disorder(request);
  verdict->src_hash[0] = src.first;
  verdict->src_hash[1] = src.second;
  verdict->dst_hash[0] = dst.first;
  verdict->dst_hash[1] = dst.second;
  verdict->good = verdict->first_offender == request.count && src.first == dst.first && src.second == dst.second;
}

}  // namespace
}  // namespace api
}  // namespace v1
}  // namespace lanesort

namespace api = lanesort::api;
namespace cpu = lanesort::cpu;
namespace plan = lanesort::plan;

lanesort_status lanesort_scratch_bytes(lanesort_operation operation, const lanesort_sort_desc* desc,
                                       const lanesort_capabilities* capabilities, uint64_t* bytes) noexcept {
  if (bytes == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "lanesort_scratch_bytes: bytes must not be NULL");
  if (capabilities != nullptr && capabilities->struct_bytes != sizeof *capabilities) {
    return api::fail(
        LANESORT_INVALID_ARGUMENT,
        "capabilities.struct_bytes is %u, this library knows %zu; fill it by lanesort_query_capabilities()",
        capabilities->struct_bytes, sizeof *capabilities);
  }
  const bool cuda = capabilities != nullptr && capabilities->backend == LANESORT_BACKEND_CUDA;
  if (capabilities != nullptr && capabilities->backend != LANESORT_BACKEND_CPU && !cuda) {
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "the capabilities are of another back end (%u), and this request runs on the CPU",
                     capabilities->backend);
  }
  cpu::Request request;
  if (cuda) {
    const lanesort_status status =
        api::check_request(operation, api::Use::size_only, desc, 1, &request, api::Offer::everything);
    const plan::CudaRequest sort{request.key.bytes, request.value_bytes, request.argsort, request.count};
    if (status == LANESORT_OK) {
      *bytes = operation == LANESORT_OP_TOP_K
                   ? plan::plan_cuda_top_k({request.key.bytes, request.value_bytes, request.count, request.k}, {}).scratch.bytes
               : desc->segment_begins != nullptr ? plan::plan_cuda_segments(sort, {}).scratch.bytes
                                                 : plan::plan_cuda_sort(sort, {}).scratch.bytes;
    }
    return status;
  }
  if (capabilities != nullptr && capabilities->threads == 0) {
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "capabilities.threads is 0; fill the struct by lanesort_query_capabilities()");
  }
  const std::uint32_t threads = capabilities == nullptr ? LANESORT_MAX_THREADS : capabilities->threads;
  const lanesort_status status = api::check_request(operation, api::Use::size_only, desc, threads, &request, api::Offer::everything);
  if (status == LANESORT_OK) *bytes = api::scratch_bytes(operation, request);
  return status;
}

lanesort_status lanesort_sort(const lanesort_sort_desc* desc) noexcept { return api::run_sort(LANESORT_OP_SORT, desc); }
lanesort_status lanesort_sort_pairs(const lanesort_sort_desc* desc) noexcept {
  return api::run_sort(LANESORT_OP_SORT_PAIRS, desc);
}
lanesort_status lanesort_argsort(const lanesort_sort_desc* desc) noexcept {
  return api::run_sort(LANESORT_OP_ARGSORT, desc);
}

lanesort_status lanesort_top_k(const lanesort_sort_desc* desc) noexcept { return api::run_sort(LANESORT_OP_TOP_K, desc); }

lanesort_status lanesort_is_sorted(const lanesort_sort_desc* desc, uint64_t* first_offender) noexcept {
  if (first_offender == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "lanesort_is_sorted: first_offender must not be NULL");
  cpu::Request request;
  const lanesort_status status =
      api::check_request(LANESORT_OP_SORT, api::Use::read_keys, desc, cpu::this_machine().threads, &request, api::Offer::everything);
  if (status != LANESORT_OK) return status;
  const cpu::Executor executor = api::executor_of(*desc);
  request.executor = desc->executor == nullptr ? nullptr : &executor;
  *first_offender = cpu::first_disorder(request);
  return LANESORT_OK;
}

lanesort_status lanesort_verify(lanesort_operation operation, const lanesort_sort_desc* desc,
                                lanesort_verdict* verdict) noexcept {
  if (verdict == nullptr) return api::fail(LANESORT_INVALID_ARGUMENT, "lanesort_verify: verdict must not be NULL");
  if (verdict->struct_bytes != sizeof *verdict) {
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "verdict.struct_bytes is %u, this library knows %zu; start from LANESORT_VERDICT_INIT",
                     verdict->struct_bytes, sizeof *verdict);
  }
  cpu::Request request;
  const lanesort_status status =
      api::check_request(operation, api::Use::verify, desc, cpu::this_machine().threads, &request, api::Offer::everything);
  if (status != LANESORT_OK) return status;
  const cpu::Executor executor = api::executor_of(*desc);
  request.executor = desc->executor == nullptr ? nullptr : &executor;
  *verdict = LANESORT_VERDICT_INIT;
  if (operation == LANESORT_OP_ARGSORT) return api::verify_argsort(*desc, request, verdict);
  api::verify_records(request, verdict);
  return LANESORT_OK;
}
