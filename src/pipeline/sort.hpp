// Sorts host arrays of any size by a device that holds part of them.
//
// All that fits goes up, is sorted and comes down: one load. Else two trips: the first makes sorted runs, chunk by chunk; the
// second takes ranges of the whole, cut exactly out of all runs, and sorts each to its place. Every item crosses the link
// twice each way, however many runs there are. The runs stand in the arrays of the results and some spare memory (blocks.hpp).
// A range is sorted, not merged: a radix sort takes less time than its way over the link.
#pragma once
#include <cstdint>

#include "cpu/engine.hpp"
#include "pipeline/device.hpp"
#include "tune/host_copies.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {

struct Room {
  std::uint64_t device_bytes = 0;  // at most; 0: as much as is free
  tune::HostCopies copies;
  bool host_helps = false;  // the host's engine takes loads too, of two trips, even where the device would hold all
  double* host_share = nullptr;  // out: of the loads that the host did; may be NULL
};

// request: of the descriptor, checked; no segments. Stable, as the operation is on every back end. Until the first sort is
// over nothing is written. In place, when a device fails after that, the host's own engine ends a sort in chunks.
lanesort_status sort(Device& device, lanesort_operation operation, const lanesort_sort_desc& desc, const cpu::Request& request,
                     const Room& room) noexcept;

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
