// What the commands that measure share.
#pragma once
#include <optional>

#include "bench/harness.hpp"
#include "io/output.hpp"
#include "options.hpp"

namespace lanesort::cli {

bench::BenchOptions bench_options(const Options& options);

// Opened before the work, so that a place that cannot be written is found out then.
std::optional<io::Output> results_of(const Options& options);

}  // namespace lanesort::cli
