// The GPU that --device asks for, opened once a process.
#pragma once
#include <string>

#include "bench/gpu.hpp"
#include "options.hpp"

namespace lanesort::cli {

// NULL where the CPU does the work. Throws DeviceMissing where the device that was asked for cannot be had, Usage for a
// name that is none.
const bench::Gpu* gpu_of(const Options& options);

// "cpu", or "webgpu (<name>)", or "cuda (<name>)".
std::string device_words(const Options& options);

// A line of /proc/meminfo in bytes; 0 where there is none.
std::uint64_t meminfo_bytes(const std::string& name);

}  // namespace lanesort::cli
