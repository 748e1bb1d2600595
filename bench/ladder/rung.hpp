// A rung of the ladder: one way to sort, in a file of its own that one can read at a sitting, with what it costs and
// where it comes from. From the plainest to ours; the table is ladder_rungs(), and a new rung is a file and a line in it.
// Invariant: a rung sorts keys of u8 and u32, ascending, with counts of 64 bits, and is proved on every run before it
// is timed.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "bench/machine.hpp"
#include "bench/rivals/shapes.hpp"

namespace lanesort::bench {

struct Rung {
  const char* name;
  const char* backend;  // cpu; rungs of devices stand in the same table
  const char *idea, *time, *space, *traffic, *launches, *limits, *source;
  // Bytes that all passes read and write for a key, were none of them in a cache; NULL: not reckoned.
  double (*bytes_per_key)(double key_bytes, double count) = nullptr;
  RivalEntry entry{};  // without run: the entry of bench/rivals of that name, or lanesort itself
};

std::span<const Rung> ladder_rungs();

// A file's head says what its rung is; below it stand what that moves, and the sort.
constexpr Rung complete(Rung rung, double (*bytes_per_key)(double key_bytes, double count), RivalEntry entry) {
  rung.bytes_per_key = bytes_per_key;
  rung.entry = entry;
  return rung;
}

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
