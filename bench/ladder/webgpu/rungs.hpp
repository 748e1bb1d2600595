// The rungs on a WebGPU device: what a rung is, and its recipe. They sort u32, ascending.
#pragma once
#include <vector>

#include "bench/ladder/rung.hpp"
#include "bench/ladder/webgpu/recipe.hpp"

namespace lanesort::bench::ladder_webgpu {

struct DeviceRung {
  Rung words;
  std::uint64_t most = 0;  // keys that it takes at most
  Recipe (*recipe)(std::uint64_t count) = nullptr;
  std::uint64_t (*histograms)(std::uint64_t count) = nullptr;  // of a rung whose scan is of interest apart
};

// From the plainest on; without lanesort's own.
std::vector<DeviceRung> device_rungs();
// lanesort's forms, and what it takes by itself.
std::vector<Rung> lanesort_rungs();

}  // namespace lanesort::bench::ladder_webgpu
