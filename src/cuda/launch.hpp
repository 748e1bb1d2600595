// Recording on the caller's stream: the words that every operation uses.
#pragma once
#include <algorithm>
#include <bit>

#include "api/check.hpp"
#include "api/status.hpp"
#include "cpu/engine.hpp"
#include "cuda/handle.hpp"
#include "kernels/cuda/params.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {

struct Call {
  const ::lanesort_cuda* handle;
  Stream stream;
  const std::uint64_t* device_count;
};

template <class U>
kernels::OrderWords words_of(const cpu::KeySpec& key) {
  const KeyOrder<U> order = make_key_order<U>(key.kind, key.descending, key.nan, key.mantissa_bits);
  return {order.base, order.flip, order.largest, order.nan_image, order.folded, order.truth_mask};
}
inline kernels::OrderWords order_words(const cpu::KeySpec& key) {
  switch (key.bytes) {
    case 1:
      return words_of<std::uint8_t>(key);
    case 2:
      return words_of<std::uint16_t>(key);
    case 4:
      return words_of<std::uint32_t>(key);
    default:
      return words_of<std::uint64_t>(key);
  }
}

inline std::uint32_t width_index(std::uint32_t bytes) { return static_cast<std::uint32_t>(std::countr_zero(bytes)); }

inline lanesort_status check_aligned(const char* name, const void* data, std::uint32_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(data) % bytes == 0) return LANESORT_OK;
  return api::fail(LANESORT_INVALID_ARGUMENT,
                   "%s (%p) is not aligned to its items' %u bytes; on a CUDA device buffers must be", name, data,
                   bytes);
}

inline lanesort_status launch(const Call& call, Function function, std::uint32_t blocks, std::uint32_t threads,
                              std::uint32_t shared_bytes, void* params) {
  const LaunchConfig config{blocks, 1, 1, threads, 1, 1, shared_bytes, call.stream, nullptr, 0};
  void* arguments[] = {params};
  return check(driver()->cuLaunchKernelEx(&config, function, arguments, nullptr), "launching a kernel");
}

// Blocks that wait for each other: they must fit the device at once.
inline lanesort_status launch_together(const Call& call, Function function, std::uint32_t blocks, std::uint32_t threads,
                                       std::uint32_t shared_bytes, void* params) {
  void* arguments[] = {params};
  return check(
      driver()->cuLaunchCooperativeKernel(function, blocks, 1, 1, threads, 1, 1, shared_bytes, call.stream, arguments),
      "launching a cooperative kernel");
}

inline lanesort_status clear(const Call& call, void* data, std::uint64_t bytes, std::uint32_t word) {
  return check(driver()->cuMemsetD32Async(reinterpret_cast<Address>(data), word, bytes / 4, call.stream),
               "clearing scratch");
}

inline lanesort_status check_scratch(const lanesort_sort_desc& desc, std::uint64_t needed) {
  const std::uint64_t there = desc.scratch == nullptr ? 0 : desc.scratch_bytes;
  if (desc.scratch != nullptr && there >= needed) return LANESORT_OK;
  return api::fail(LANESORT_SCRATCH_TOO_SMALL,
                   "scratch has %llu bytes, this request needs %llu of the device's memory; ask "
                   "lanesort_scratch_bytes() with the capabilities of lanesort_cuda_query()",
                   static_cast<unsigned long long>(there), static_cast<unsigned long long>(needed));
}

// A caller's descriptor as a device sees it: the host's threads and executor are nothing to it. remedy: what to do about
// values of a width that does not travel.
inline lanesort_status check_for_device(lanesort_operation operation, api::Use use, const lanesort_sort_desc* desc,
                                        cpu::Request* request, api::Offer offer, const char* remedy) {
  lanesort_sort_desc here = LANESORT_SORT_INIT;
  if (desc != nullptr && desc->struct_bytes == sizeof here) {
    here = *desc;
    here.threads = 0;
    here.executor = nullptr;
    desc = &here;
  }
  const lanesort_status status = api::check_request(operation, use, desc, 1, request, offer);
  const std::uint32_t bytes = request->value_bytes;
  if (status != LANESORT_OK || bytes == 0 || (std::has_single_bit(bytes) && bytes <= 16)) return status;
  return api::fail(LANESORT_UNSUPPORTED, "values of %u bytes do not travel on a CUDA device; 1, 2, 4, 8 and 16 do. %s",
                   bytes, remedy);
}

inline std::byte* aligned_scratch(const lanesort_sort_desc& desc) {
  return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(desc.scratch) + 255) / 256 * 256);
}

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
