// Argument checks: a descriptor of the C ABI in, a request of the CPU room out.
#pragma once
#include "cpu/engine.hpp"
#include "lanesort/lanesort.h"

namespace lanesort {
inline namespace v1 {
namespace api {

// What a call is going to do with the descriptor's buffers.
enum class Use { size_only, sort, read_keys, verify };

// What the back end that asks can do beyond whole sorts; the rest is refused in words.
enum class Offer { whole_sorts, everything };

// The most items of so many bytes that a call takes: the sizes of all its lanes still fit 64 bits.
constexpr std::uint64_t count_limit(std::uint64_t item_bytes) { return UINT64_MAX / 64 / item_bytes; }

// Fills the request, scratch excepted. `threads` is what threads = 0 means.
lanesort_status check_request(lanesort_operation operation, Use use, const lanesort_sort_desc* desc,
                              std::uint32_t threads, cpu::Request* request,
                              Offer offer = Offer::whole_sorts) noexcept;

// What a top_k gives out by its pointers: something at all, and indices of a width that holds them.
lanesort_status check_top_k_results(const lanesort_sort_desc& desc) noexcept;

// The descriptor's executor in the CPU room's words; only for a descriptor that has been checked.
cpu::Executor executor_of(const lanesort_sort_desc& desc) noexcept;

}  // namespace api
}  // namespace v1
}  // namespace lanesort
