// One array of keys, on the host and on a CUDA device, and runs of rungs over it: each on fresh keys, proved each time.
#pragma once
#include <memory>
#include <string>

#include "bench/ladder/cuda/device_rung.hpp"
#include "bench/ladder/cuda/verify.hpp"

namespace lanesort::bench::device {

struct Run {
  double seconds = 0;   // by the device's events round all that the sort records; with transfers by the host's clock
  std::string fault;    // why the result is wrong
  u64 launches = 0;
  double scans_s = 0;   // of a rung with counters, where asked for
};

enum class Kind { on_device, with_transfers, with_scans };

class Arena {
 public:
  // scratch_bytes: the most that a rung will ask for. pinned: the host's arrays; else they are pageable.
  Arena(lanesort_dtype dtype, u64 count, const std::string& pattern, u64 seed, u64 scratch_bytes, bool pinned);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Run run(const DeviceRung& rung, Kind kind);
  Run run_on_host(const RivalEntry& entry);  // one of the CPU's rungs, on the same keys
  Run run_lanesort_on_host();

 private:
  struct Memory;
  std::string fault_of(const void* sorted);
  std::string host_fault_of();

  lanesort_dtype dtype_;
  u32 key_bytes_;
  u64 count_;
  std::unique_ptr<Memory> memory_;
};

struct DeviceWords {
  std::string name, driver;
};
DeviceWords device_words();         // throws Error where there is none
double device_copy_bytes_per_s();   // bytes read and bytes written, both counted
u64 device_free_bytes();

// Of 32-bit words, exclusive, proved against the host; seconds of each run.
struct SumRuns {
  std::vector<double> seconds;
  std::string fault;
};
SumRuns time_prefix_sum(u64 count, int runs);

}  // namespace lanesort::bench::device
