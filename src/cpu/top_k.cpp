// Top-k: the selection leaves the first k keys in the order of their places, the engine sorts those, and the caller's
// values, if any, are fetched by index at last. Most of the keys are not selected but sorted with the rest.
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
  std::uint64_t sorted = 0;  // kept, or all where a selection would cost more than it spares
  std::uint32_t index_bytes = 0;
  std::uint64_t keys = 0;  // sorted keys, behind as many indices
  std::uint64_t work = 0;  // of the selection, and then of the sort
  std::uint64_t end = 0;
};

// Keys and indices, from the source or in place.
Request sort_of_lanes(const Request& request, const TopKPlan& plan) {
  Request sort = request;
  sort.argsort = false;
  sort.value_bytes = plan.index_bytes;
  sort.count = plan.sorted;
  sort.values_src = nullptr;
  return sort;
}

TopKPlan plan_top_k(const Request& request) {
  TopKPlan plan;
  plan.kept = std::min(request.k, request.count);
  plan.sorted = plan.kept > request.count - request.count / 4 ? request.count : plan.kept;
  if (request.value_bytes != 0) plan.index_bytes = request.value_bytes == 8 || request.count > std::uint64_t{1} << 32 ? 8 : 4;
  plan.keys = saturating_product(plan.sorted, plan.index_bytes);
  plan.work = saturating_sum(plan.keys, saturating_product(plan.sorted, request.key.bytes));
  if (plan.kept == 0) return plan;
  if (plan.sorted < request.count) plan.end = layout_selection(request.count, plan.kept, request.key.bytes, plan.index_bytes,
                                                             useful_threads(request.count, request.threads))
                                                .end;
  plan.end = saturating_sum(plan.work, std::max(plan.end, sort_scratch_bytes(sort_of_lanes(request, plan))));
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
  char* const indices = static_cast<char*>(request.scratch);
  char* const keys = indices + plan.keys;
  const bool gathers = plan.index_bytes != 0 && request.values_src != nullptr;
  const bool fits = plan.sorted == plan.kept;  // the caller's room holds all that is sorted
  Team team(useful_threads(request.count, request.threads), request.executor);

  Request sort = sort_of_lanes(request, plan);
  sort.scratch = indices + plan.work;
  if (request.keys_dst == nullptr || !fits) sort.keys_dst = keys;
  if (gathers || !fits) sort.values_dst = indices;
  if (plan.sorted < request.count) {
    select(request, plan, sort.keys_dst, sort.values_dst, team);
    sort.keys_src = sort.keys_dst;
    sort.values_src = sort.values_dst;
  } else if (request.keys_dst == nullptr) {
    sort.argsort = true;  // its second lane of keys is where the keys would have gone
    sort.keys_dst = nullptr;
    sort.scratch = keys;
  }
  cpu::sort(sort);

  if (request.keys_dst != nullptr && !fits) copy_values(keys, request.keys_dst, {request.key.bytes, plan.kept}, team);
  if (gathers)
    gather_values(request.values_src, indices, plan.index_bytes, request.values_dst, {request.value_bytes, plan.kept}, team);
  else if (plan.index_bytes != 0 && !fits)
    copy_values(indices, request.values_dst, {plan.index_bytes, plan.kept}, team);
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
