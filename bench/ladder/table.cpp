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

double best_of(const Row& row, const std::vector<RungText>& rungs) {
  double best = 0;
  for (const RungText& rung : rungs) {
    const double median = median_of(row, rung.name);
    if (median > 0 && (best == 0 || median < best)) best = median;
  }
  return best;
}

void print_step(const Row& row, const std::string& name, const Step& step, double best, std::FILE* to) {
  if (!step.verified) {
    std::fprintf(to, "  %-26s WRONG: %s\n", name.c_str(), step.fault.c_str());
    return;
  }
  if (step.timing.samples == 0) {
    std::fprintf(to, "  %-26s right; not timed\n", name.c_str());
    return;
  }
  const double median = step.timing.median_s, yardstick = median_of(row, "std::sort");
  const auto ratio = [median](double other) {
    return other > 0 && median > 0 ? ratio_words(other / median) : std::string();
  };
  const double gkeys = median > 0 ? static_cast<double>(row.count) / median / 1e9 : 0;
  std::fprintf(to, "  %-26s %9s %9s %9s %9s %9s %9s\n", name.c_str(), duration_words(median).c_str(),
               significant(gkeys, 3).c_str(), ratio(yardstick).c_str(), ratio(best).c_str(),
               step.bound_s > 0 ? duration_words(step.bound_s).c_str() : "",
               step.bound_s > 0 && median > 0 ? percent_words(step.bound_s / median).c_str() : "");
}

std::string machine_words(const Environment& e) {
  if (e.device_clock) return e.device + ", " + e.driver + ", " + e.isa + ", times by the device's clock";
  return e.device + ", " + e.isa + ", " + std::to_string(e.threads) + (e.threads == 1 ? " thread" : " threads");
}

std::string title_of(const Row& row) {
  return row.key + ", " + std::to_string(row.count) + " keys, " + row.pattern +
         (row.form == "in_place" ? "" : ", " + row.form);
}

}  // namespace

void print_ladder(const Ladder& ladder, std::FILE* to, bool colour) {
  const Environment& e = ladder.report.environment;
  std::fprintf(to, "%s; copies %s; %s; commit %s; %s\n", machine_words(e).c_str(),
               bandwidth_words(e.copy_bytes_per_s).c_str(), e.compiler.c_str(), e.commit.c_str(), e.date.c_str());
  std::fprintf(
      to,
      "x: how many times as fast. bound: the traffic of the rung's passes at copy speed, and its share of the time\n");
  for (std::size_t r = 0; r < ladder.report.rows.size(); ++r) {
    const Row& row = ladder.report.rows[r];
    std::fprintf(to, "\n%s%s%s\n  %-26s %9s %9s %9s %9s %9s %9s\n", colour ? "\033[1m" : "", title_of(row).c_str(),
                 colour ? "\033[0m" : "", "", "time", "Gkeys/s", "std::sort", "best", "bound", "of bound");
    const double best = best_of(row, ladder.report.rungs);
    for (const RungText& rung : ladder.report.rungs) {
      if (const std::optional<Step> step = step_of(row, rung.name)) print_step(row, rung.name, *step, best, to);
      for (const LeftOut& left : ladder.left_out)
        if (left.row == r && left.rung == rung.name)
          std::fprintf(to, "  %-26s left out: %s\n", rung.name.c_str(), left.why.c_str());
    }
  }
  if (!ladder.remarks.empty()) std::fprintf(to, "\n");
  for (const std::string& remark : ladder.remarks) std::fprintf(to, "%s\n", remark.c_str());
}

}  // namespace lanesort::bench
