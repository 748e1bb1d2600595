// The rungs on the CPU, and what turns a sort into the entry of one.
#pragma once
#include "bench/ladder/rung.hpp"
#include "bench/rivals/shapes.hpp"

namespace lanesort::bench {

// One for each file, in the order of the table.
Rung std_sort_rung();
Rung std_stable_sort_rung();
Rung merge_top_down_rung();
Rung merge_bottom_up_rung();
Rung radix_lsd_rung();
Rung tbb_rung();
Rung vqsort_rung();
Rung lanesort_rung();

// Memory as large as the keys, kept from call to call, as that of lanesort and of a user in a loop is.
void* second_buffer(std::uint64_t bytes);

// Algorithm has sort(K* keys, uint64_t count).
template <class Algorithm>
RivalEntry rung_entry(const char* name, const char* version, bool stable) {
  const auto can = [](const RivalCase& request) {
    return request.op == LANESORT_OP_SORT && request.order == LANESORT_ASCENDING &&
           (request.dtype == LANESORT_U8 || request.dtype == LANESORT_U32);
  };
  const auto run = [](const RivalCase& request, const void*, void* data) {
    return unless_thrown([&] {
      if (request.dtype == LANESORT_U8)
        Algorithm::sort(static_cast<std::uint8_t*>(data), request.count);
      else
        Algorithm::sort(static_cast<std::uint32_t*>(data), request.count);
      return true;
    });
  };
  return {name, version, stable, false, can, run};
}

}  // namespace lanesort::bench
