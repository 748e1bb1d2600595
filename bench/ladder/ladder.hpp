// The ladder as a whole: every rung that this machine has, on the same bytes, proved, in turn, and the table of it.
#pragma once
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "bench/ladder/rung.hpp"

namespace lanesort::bench {

struct LadderOptions {
  std::vector<lanesort_dtype> dtypes = {LANESORT_U32, LANESORT_U8};
  std::vector<std::uint64_t> counts = {1000, 100'000, 1'000'000, 10'000'000};
  std::string pattern = "uniform";
  std::uint64_t seed = kDefaultSeed;
  std::uint32_t threads = 0;
  double budget_s = 10;  // for one rung at one size, proof and samples together
  std::function<void(const std::string&)> progress;
};

// What did not run, and why.
struct LeftOut {
  std::size_t row;  // of the report
  std::string rung, why;
};

struct Ladder {
  BenchReport report;  // lanesort, and the rungs beside it
  std::vector<LeftOut> left_out;
  std::vector<std::string> remarks;  // for below the table
};

// Throws Error for a wrong request, std::bad_alloc when memory is short.
Ladder run_ladder(const LadderOptions& options);

RungText text_of(const Rung& rung);  // without its sort, for a report

bool all_verified(const Ladder& ladder);

void print_ladder(const Ladder& ladder, std::FILE* to, bool colour = false);

}  // namespace lanesort::bench
