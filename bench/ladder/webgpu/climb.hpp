// All rungs on a WebGPU device, over counts: proved, and timed with and without transfers where the device is a GPU.
#pragma once
#include "bench/gpu.hpp"
#include "bench/ladder/ladder.hpp"

namespace lanesort::bench::ladder_webgpu {

// Two rows a count, on the device and with transfers; one without times where a processor stands in for the GPU. Throws
// Error for a wrong request.
Ladder climb(const LadderOptions& options, const Gpu& gpu);

}  // namespace lanesort::bench::ladder_webgpu
