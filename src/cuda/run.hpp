// What of a request the CUDA room checks beyond the api room.
#pragma once
#include "api/check.hpp"
#include "cpu/engine.hpp"
#include "lanesort/cuda.h"

namespace lanesort {
inline namespace v1 {
namespace cuda {

// Everything that can be checked whether the descriptor's buffers are the host's or the device's.
lanesort_status check_sort(lanesort_operation operation, const lanesort_sort_desc* desc,
                           cpu::Request* request) noexcept;
lanesort_status check_top_k(const lanesort_sort_desc* desc, api::Use use, cpu::Request* request) noexcept;

// What the sorts do with a descriptor that has segments.
lanesort_status sort_segments(lanesort_operation operation, const ::lanesort_cuda* handle, CUstream_st* stream,
                              const lanesort_sort_desc* desc, const std::uint64_t* device_count) noexcept;

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
