// A results file (docs/benchmarking.md) back into the values it was written from. The file is somebody else's: what
// is no schema 1, lacks a field, or holds a number that no measurement gives is refused with file, place and value.
#pragma once
#include <string>
#include <string_view>

#include "bench/harness.hpp"

namespace lanesort::bench {

// Throws Error.
BenchReport read_results(std::string_view text, const std::string& file);

}  // namespace lanesort::bench
