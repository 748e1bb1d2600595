// The parts of a report that are tables. Each is empty where there is nothing to say, and keeps to a number of bytes:
// what would pass it is counted instead.
#pragma once
#include <string>
#include <vector>

#include "bench/report/markup.hpp"
#include "bench/report/runs.hpp"
#include "bench/report/verdict.hpp"

namespace lanesort::bench {

// Lines of a table, as many as fit.
class Lines {
 public:
  explicit Lines(std::size_t most_bytes) : left_bytes_(most_bytes) {}
  void add(const Markup& line);
  const Markup& markup() const { return lines_; }
  std::size_t count() const { return count_; }
  // "3 more are left out ...", or nothing.
  Markup rest(const std::string& what) const;

 private:
  Markup lines_;
  std::size_t left_bytes_, count_ = 0, left_out_ = 0;
};

// How many rows, comparisons, losses: what stands first.
struct Score {
  std::size_t rows = 0, verified = 0, software = 0, comparisons = 0, losses = 0, undecided = 0;
};
Score score_of(const std::vector<Run>& runs);

// One case in two runs; a missing side has no row.
struct Pair {
  const Row *before = nullptr, *now = nullptr;
  Verdict verdict = Verdict::missing;
};
std::vector<Pair> compare(const Run& before, const Run& now);

Markup environment_section(const std::vector<Run>& runs);
Markup losses_section(const std::vector<Run>& runs);
Markup faults_section(const std::vector<Run>& runs);  // what was not verified
Markup comparison_section(const std::vector<Run>& runs);
Markup scratch_section(const std::vector<Run>& runs);
Markup rungs_section(const std::vector<Run>& runs);
Markup ratios_section(const std::vector<Run>& runs);
Markup rows_section(const std::vector<Run>& runs, std::size_t most_bytes);

}  // namespace lanesort::bench
