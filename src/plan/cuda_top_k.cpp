#include "plan/cuda_top_k.hpp"

#include <algorithm>

#include "kernels/cuda/top_k_params.hpp"
#include "plan/layout.hpp"
#include "tune/cuda_top_k.hpp"

namespace lanesort {
inline namespace v1 {
namespace plan {
namespace {

// Ties of the threshold are kept beside what stands before it, as far as that is cheap.
constexpr std::uint64_t kTiesBeside = std::uint64_t{1} << 20;

std::uint64_t room_for(std::uint64_t kept, std::uint64_t count, std::uint32_t sample_bits) {
  const std::uint64_t below = tune::top_most_below(tune::top_sample_rank(kept, count, sample_bits), count, sample_bits);
  return std::min(count, std::max(below, kept) + std::min(kept, kTiesBeside));
}

std::uint32_t at_most(std::uint64_t blocks, std::uint64_t most) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks, 1, most));
}

std::uint64_t sort_bytes(std::uint32_t key_bytes, std::uint32_t value_bytes, bool argsort, std::uint64_t count,
                         const CudaLimits& limits) {
  return plan_cuda_sort({key_bytes, value_bytes, argsort, count}, limits).scratch.bytes;
}

// Everything is sorted, by indices where they are asked for.
void plan_sort(CudaTopKPlan& plan, const CudaTopKRequest& request, const CudaLimits& limits) {
  Layout layout;
  const bool by_index = plan.index_bytes != 0;
  plan.way = CudaTopKWay::sorts;
  plan.scratch.keys = layout.take(by_index ? 0 : request.count * request.key_bytes);
  plan.scratch.indices = layout.take(request.count * plan.index_bytes);
  plan.sort_bytes = sort_bytes(request.key_bytes, plan.index_bytes, by_index, request.count, limits);
  plan.scratch.sort = layout.take(plan.sort_bytes);
  plan.scratch.bytes = layout.bytes();
}

void plan_selection(CudaTopKPlan& plan, const CudaTopKRequest& request, const CudaLimits& limits) {
  Layout layout;
  const std::uint64_t tile = tune::top_tile(request.key_bytes);
  plan.way = CudaTopKWay::selects;
  plan.tiles = (request.count + tile - 1) / tile;
  plan.find_blocks[0] =
      at_most(std::min(request.count, std::uint64_t{1} << plan.sample_bits) / (4 * tune::kTopThreads), 1024);
  plan.find_blocks[1] = at_most(request.count / (16 * tune::kTopThreads), 65536);
  plan.row_finish = plan.kept <= tune::kTopRowRoom / 2 && plan.room <= tune::kTopCandidatesUpTo;
  plan.scratch.control = layout.take(sizeof(kernels::TopControl));
  plan.scratch.block_sides = layout.take(plan.tiles * sizeof(std::uint64_t));
  plan.clear_bytes = sizeof(kernels::TopControl);
  plan.scratch.keys = layout.take(plan.room * request.key_bytes);
  plan.scratch.indices = layout.take(plan.room * plan.index_bytes);
  plan.sort_bytes = plan.row_finish ? plan.kept * plan.index_bytes
                                    : sort_bytes(request.key_bytes, plan.index_bytes, false, plan.room, limits);
  plan.scratch.sort = layout.take(plan.sort_bytes);
  plan.scratch.bytes = layout.bytes();
}

}  // namespace

CudaTopKPlan plan_cuda_top_k(const CudaTopKRequest& request, const CudaLimits& limits) noexcept {
  CudaTopKPlan plan{};
  plan.kept = std::min(request.k, request.count);
  plan.scratch.bytes = 1;
  if (plan.kept == 0) return plan;
  if (request.value_bytes != 0)
    plan.index_bytes = request.value_bytes == 8 || request.count > std::uint64_t{1} << 32 ? 8 : 4;
  const bool fits_a_block = plan.kept <= tune::kTopRowRoom && request.count < std::uint64_t{1} << 32;
  const std::uint64_t rows_up_to = limits.top_rows_up_to == UINT64_MAX ? tune::kTopRowsUpTo : limits.top_rows_up_to;
  if (fits_a_block && request.count <= rows_up_to) {
    plan.way = CudaTopKWay::rows;
    return plan;
  }
  plan.sample_bits = limits.top_sample_bits != 0 ? limits.top_sample_bits : tune::top_sample_bits(request.count);
  const std::uint64_t fair = room_for(plan.kept, request.count, plan.sample_bits);
  plan.room = std::max(plan.kept, std::min(fair, limits.top_room));
  if (tune::top_sorts_all(plan.room, request.count) || plan.room > tune::kTopMostRoom)
    plan_sort(plan, request, limits);
  else
    plan_selection(plan, request, limits);
  if (fits_a_block && request.row_count >= tune::kTopManyRows) plan.way = CudaTopKWay::rows;
  return plan;
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
