// What a top-k on a CUDA device launches, and where everything stands in scratch: a value, as the plan of a sort.
#pragma once
#include "plan/cuda_plan.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {

struct CudaTopKRequest {
  std::uint32_t key_bytes = 4, value_bytes = 0;  // the latter of what is written, 0 for keys alone
  std::uint64_t count = 0, k = 0;                // of each row
  std::uint64_t row_count = 1;
};

// nothing: k or count is 0. rows: a block a row, in one launch. sorts: all is sorted. selects: candidates are.
enum class CudaTopKWay : std::uint32_t { nothing, rows, sorts, selects };

// Offsets in bytes, from an address that is a multiple of 256. Those of `selects` alone: control, block_sides.
struct CudaTopKScratch {
  std::uint64_t control, block_sides, keys, indices, sort;
  std::uint64_t bytes;  // what the caller is asked for: alignment included
};

struct CudaTopKPlan {
  CudaTopKWay way;
  bool row_finish;  // selects: one block chooses among the candidates, instead of a sort of them
  std::uint64_t kept;
  std::uint32_t index_bytes;  // of the items' places on the way, 0 where nobody asks for them
  std::uint32_t sample_bits;
  std::uint64_t room;                // candidates
  std::uint64_t tiles, clear_bytes;  // of scratch's start, to be zeroed first
  std::uint32_t find_blocks[2];      // no more than fit: by a sample, by all keys
  std::uint64_t sort_bytes;
  CudaTopKScratch scratch;
};

// Scratch is that of one row whatever row_count is.
CudaTopKPlan plan_cuda_top_k(const CudaTopKRequest& request, const CudaLimits& limits) noexcept;

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
