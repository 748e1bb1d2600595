// Median and quartiles of samples.
#pragma once
#include <algorithm>
#include <vector>

#include "bench/harness.hpp"

namespace lanesort::bench::cuda {

inline Timing summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.25), at(0.75), static_cast<std::uint32_t>(times.size())};
}

}  // namespace lanesort::bench::cuda
