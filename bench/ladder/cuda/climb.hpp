// All rungs on a CUDA device and on its host, over counts and dtypes: what they take, with and without transfers.
#pragma once
#include "bench/ladder/cuda/device_rung.hpp"
#include "bench/ladder/ladder.hpp"

namespace lanesort::bench::device {

struct ClimbOptions : LadderOptions {
  std::vector<u64> variant_counts;  // at which variants run too
  double variant_budget_s = 2;
  double host_budget_s = 1;  // the CPU's rungs, but for std::sort and one run of it
  double limit_s = 100;  // for the whole climb: rungs that would take longer than what is left of it are left out
  bool pinned = true;    // host arrays
  std::size_t fewest_samples = 3;  // of what is quick; 1: no more than one, for a trial
};

// A variant at a size, with what its histogram took.
struct Variant {
  std::size_t row;
  std::string name;
  double bytes_per_key;
  u64 counters = 0;
  double scans_s = 0;
};

struct Climbed {
  Ladder ladder;  // two rows a size: on the device, and with transfers
  std::vector<Variant> variants;
  std::string trouble;  // that ended it early
};

inline constexpr char kHostLanesort[] = "lanesort on the CPU";

std::string transfers_form(bool pinned);

// From the plainest to ours, without the host's.
std::vector<DeviceRung> device_rungs();

// after_each: with what there is so far.
Climbed climb(const ClimbOptions& options, const std::function<void(const Climbed&)>& after_each);

}  // namespace lanesort::bench::device
