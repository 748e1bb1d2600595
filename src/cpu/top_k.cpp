// Top-k: the selection leaves the first k keys in the order of their places, the engine sorts those, and the caller's
// values, if any, are fetched by index at last. k as large as the array is a sort.
#include <algorithm>

#include "cpu/engine.hpp"
#include "cpu/gather.hpp"
#include "cpu/scratch.hpp"
#include "cpu/selection.hpp"
#include "cpu/target.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace {

// Scratch, in this order, whatever the caller's pointers are, so that its size does not depend on them.
struct TopKPlan {
  std::uint64_t kept = 0;
  std::uint32_t index_bytes = 0;
  std::uint64_t keys = 0;  // kept keys, behind as many indices
  std::uint64_t work = 0;  // of the selection, and then of the sort
  std::uint64_t end = 0;
};

// Of the lanes of what is kept; the result of a sort of all of them or, in place, of a part.
Request sort_of_kept(const Request& request, const TopKPlan& plan) {
  Request sort = request;
  sort.argsort = false;
  sort.value_bytes = plan.index_bytes;
  sort.count = plan.kept;
  sort.values_src = nullptr;
  return sort;
}

TopKPlan plan_top_k(const Request& request) {
  TopKPlan plan;
  plan.kept = std::min(request.k, request.count);
  if (request.value_bytes != 0) plan.index_bytes = request.value_bytes == 8 || request.count > std::uint64_t{1} << 32 ? 8 : 4;
  plan.keys = saturating_product(plan.kept, plan.index_bytes);
  plan.work = saturating_sum(plan.keys, saturating_product(plan.kept, request.key.bytes));
  if (plan.kept == 0) return plan;
  if (plan.kept < request.count) plan.end = layout_selection(request.count, plan.kept, request.key.bytes, plan.index_bytes,
                                                             useful_threads(request.count, request.threads))
                                                .end;
  plan.end = saturating_sum(plan.work, std::max(plan.end, sort_scratch_bytes(sort_of_kept(request, plan))));
  return plan;
}

void select(const Request& request, const TopKPlan& plan, void* keys, void* indices, Team& team) {
  Selection selection;
  selection.key = request.key;
  selection.keys_src = request.keys_src;
  selection.count = request.count;
  selection.k = plan.kept;
  selection.index_bytes = plan.index_bytes;
  selection.keys = keys;
  selection.indices = indices;
  selection.scratch = static_cast<char*>(request.scratch) + plan.work;
  selection.parts = team.threads();
  chosen_target().select[__builtin_ctz(request.key.bytes)](selection, team);
}

}  // namespace

std::uint64_t top_k_scratch_bytes(const Request& request) noexcept { return plan_top_k(request).end; }

void top_k(const Request& request) noexcept {
  const TopKPlan plan = plan_top_k(request);
  if (plan.kept == 0) return;
  char* const scratch = static_cast<char*>(request.scratch);
  const bool gathers = plan.index_bytes != 0 && request.values_src != nullptr;
  Team team(useful_threads(request.count, request.threads), request.executor);

  Request sort = sort_of_kept(request, plan);
  sort.values_dst = gathers ? scratch : request.values_dst;
  sort.scratch = scratch + plan.work;
  if (plan.kept < request.count) {
    if (sort.keys_dst == nullptr) sort.keys_dst = scratch + plan.keys;
    select(request, plan, sort.keys_dst, sort.values_dst, team);
    sort.keys_src = sort.keys_dst;
    sort.values_src = sort.values_dst;
  } else if (sort.keys_dst == nullptr) {
    sort.argsort = true;  // its second lane of keys is where the keys would have gone
    sort.scratch = scratch + plan.keys;
  }
  cpu::sort(sort);
  if (gathers)
    gather_values(request.values_src, scratch, plan.index_bytes, request.values_dst, {request.value_bytes, plan.kept}, team);
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
