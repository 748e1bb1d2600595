#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lanesort::bench::cuda {

struct MergeWork {
  std::string item;     // u32, u64, u32+u32 or struct32
  std::string pattern;  // uniform, few16, sorted, reversed
  std::uint64_t count;
  int samples;
  bool phases;                      // also each launch by itself
  std::vector<std::string> shapes;  // THREADSxITEMSxLEVELS; empty: the one that the header takes
};

struct MergeTimes {
  std::string name;  // a shape, or "cub"
  std::vector<double> seconds;
  bool verified = false;
  std::vector<std::pair<std::string, double>> phases;
};

// Everything in one process on the same buffers, in turn: the last of the answers is CUB's. Throws std::runtime_error.
std::vector<MergeTimes> measure_merges(const MergeWork& work);
std::vector<std::string> merge_shapes(const std::string& item, std::uint64_t count);  // built, the header's own first
double device_copy_bytes_per_s();
std::string device_name();
std::string device_driver();
const char* cub_version();

}  // namespace lanesort::bench::cuda
