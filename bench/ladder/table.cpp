// The ladder as a table: the rungs in their order, each beside std::sort, the best, and its own traffic bound.
#include <algorithm>

#include "bench/ladder/ladder.hpp"
#include "bench/report/words.hpp"

namespace lanesort::bench {
namespace {

struct Step {
  Timing timing;
  bool verified;
  std::string fault;
  double bound_s;
};

std::optional<Step> step_of(const Row& row, const std::string& name) {
  if (name == "lanesort") return Step{row.timing, row.verified, row.fault, 0};
  for (const Rival& rival : row.rivals)
    if (rival.name == name) return Step{rival.timing, rival.verified, rival.fault, rival.bound_s};
  return std::nullopt;
}

double median_of(const Row& row, const std::string& name) {
  const std::optional<Step> step = step_of(row, name);
  return step && step->verified ? step->timing.median_s : 0;
}

double best_of(const Row& row) {
  double best = 0;
  for (const Rung& rung : ladder_rungs()) {
    const double median = median_of(row, rung.name);
    if (median > 0 && (best == 0 || median < best)) best = median;
  }
  return best;
}

void print_step(const Row& row, const std::string& name, const Step& step, std::FILE* to) {
  if (!step.verified) {
    std::fprintf(to, "  %-26s WRONG: %s\n", name.c_str(), step.fault.c_str());
    return;
  }
  const double median = step.timing.median_s, yardstick = median_of(row, "std::sort");
  const auto ratio = [median](double other) {
    return other > 0 && median > 0 ? ratio_words(other / median) : std::string();
  };
  const double gkeys = median > 0 ? static_cast<double>(row.count) / median / 1e9 : 0;
  std::fprintf(to, "  %-26s %9s %9s %9s %9s %9s %9s\n", name.c_str(), duration_words(median).c_str(),
               significant(gkeys, 3).c_str(), ratio(yardstick).c_str(), ratio(best_of(row)).c_str(),
               step.bound_s > 0 ? duration_words(step.bound_s).c_str() : "",
               step.bound_s > 0 && median > 0 ? percent_words(step.bound_s / median).c_str() : "");
}

}  // namespace

void print_ladder(const Ladder& ladder, std::FILE* to, bool colour) {
  const Environment& e = ladder.report.environment;
  std::fprintf(to, "%s, %s, %u thread%s; copies %s; %s; commit %s; %s\n", e.device.c_str(), e.isa.c_str(), e.threads,
               e.threads == 1 ? "" : "s", bandwidth_words(e.copy_bytes_per_s).c_str(), e.compiler.c_str(),
               e.commit.c_str(), e.date.c_str());
  std::fprintf(
      to,
      "x: how many times as fast. bound: the traffic of the rung's passes at copy speed, and its share of the time\n");
  for (std::size_t r = 0; r < ladder.report.rows.size(); ++r) {
    const Row& row = ladder.report.rows[r];
    std::fprintf(to, "\n%s%s, %llu keys, %s%s\n  %-26s %9s %9s %9s %9s %9s %9s\n", colour ? "\033[1m" : "",
                 row.key.c_str(), static_cast<unsigned long long>(row.count), row.pattern.c_str(),
                 colour ? "\033[0m" : "", "", "time", "Gkeys/s", "std::sort", "best", "bound", "of bound");
    for (const Rung& rung : ladder_rungs()) {
      if (const std::optional<Step> step = step_of(row, rung.name)) print_step(row, rung.name, *step, to);
      for (const LeftOut& left : ladder.left_out)
        if (left.row == r && left.rung == rung.name)
          std::fprintf(to, "  %-26s left out: %s\n", rung.name, left.why.c_str());
    }
  }
}

}  // namespace lanesort::bench
