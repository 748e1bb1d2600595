// What a report looks like: a table for people, a results file for programs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness.hpp"
#include "bench/report/verdict.hpp"

namespace lanesort::bench {
namespace {

// ---- the table ------------------------------------------------------------------------------------------------------

bool is_loss(const Row& row, const Rival& rival) {
  return row.verified && rival.verified && judge(rival.timing, row.timing) == Verdict::faster;
}

std::size_t losses_in(const Row& row) {
  return static_cast<std::size_t>(
      std::count_if(row.rivals.begin(), row.rivals.end(), [&](const Rival& rival) { return is_loss(row, rival); }));
}

std::string with_commas(std::uint64_t number) {
  const std::string tail = fmt::format("{:03}", number % 1000);
  return number < 1000 ? fmt::format("{}", number) : with_commas(number / 1000) + "," + tail;
}

std::string duration(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s ", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.1f} ns", seconds * 1e9);
}

// One line of a table; lines are ordered by time, so that whoever beats us stands above us.
struct Line {
  std::string name;
  bool verified = false;
  Timing timing;
  std::string remark;
  const char* paint = "";
};

Line our_line(const Row& row) {
  constexpr const char* kBold = "\033[1m";
  Line line{"lanesort", row.verified, row.timing, row.fault, kBold};
  if (row.verified && row.copy_share > 0) line.remark = fmt::format("{:.0f} % of copy speed", 100 * row.copy_share);
  return line;
}

Line rival_line(const Row& row, const Rival& rival) {
  constexpr const char *kRed = "\033[31m", *kNone = "";
  Line line{fmt::format("{} ({})", rival.name, rival.version), rival.verified, rival.timing, rival.fault, kRed};
  if (!rival.verified || !row.verified) return line;
  switch (judge(rival.timing, row.timing)) {
    case Verdict::faster:
      line.remark = "faster: a loss";
      break;
    case Verdict::slower:
      line.remark = "slower", line.paint = kNone;
      break;
    default:
      line.remark = "no difference shown", line.paint = kNone;
  }
  return line;
}

std::vector<Line> lines_of(const Row& row) {
  std::vector<Line> lines{our_line(row)};
  for (const Rival& rival : row.rivals) lines.push_back(rival_line(row, rival));
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.verified != b.verified ? a.verified : a.timing.median_s < b.timing.median_s;
  });
  return lines;
}

std::string format_line(const Row& row, const Line& line, std::size_t name_width) {
  if (!line.verified) return fmt::format("  {:<{}}  {:>11}  {}", line.name, name_width, "WRONG", line.remark);
  const Timing& timing = line.timing;
  const double half_spread = timing.median_s > 0 ? (timing.q3_s - timing.q1_s) / 2 / timing.median_s : 0;
  const double keys_per_s = timing.median_s > 0 ? static_cast<double>(row.count) / timing.median_s : 0;
  const std::string ratio = row.verified ? fmt::format("{:.2f}x", row.timing.median_s > 0 ? timing.median_s / row.timing.median_s : 1) : "";
  const std::string rate =
      row.backend == "cpu" ? fmt::format("{:.1f}", keys_per_s / 1e6) : fmt::format("{:.3f}", keys_per_s / 1e9);
  return fmt::format("  {:<{}}  {:>11} ± {:4.1f} %  {:>9}  {:>8}  {:>7}  {}", line.name, name_width,
                     duration(timing.median_s), 100 * half_spread, rate, ratio, timing.samples, line.remark);
}

bool has_whole_keys(const Row& row) { return row.bit_begin == 0 && row.bit_end == LANESORT_ALL_BITS; }

std::string bits_of(const Row& row) {
  return has_whole_keys(row) ? "all" : fmt::format("{}:{}", row.bit_begin, row.bit_end);
}

std::string title_of(const Row& row) {
  std::string what = fmt::format("{} {}", row.op, row.key);
  if (row.value_bytes != 0) what += fmt::format(" + {} bytes", row.value_bytes);
  if (!has_whole_keys(row)) what += fmt::format(", bits {}", bits_of(row));
  return fmt::format("{}, {} keys, {}, {}, {}, {} {}", what, with_commas(row.count), row.pattern, row.order, row.form,
                     row.backend, row.engine);
}

void print_row(const Row& row, std::FILE* to, bool colour) {
  const auto lines = lines_of(row);
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.name.size());
  fmt::print(to, "\n{}\n  {:<{}}  {:>11} ± {:>6}  {:>9}  {:>8}  {:>7}\n", title_of(row), "", width, "median", "spread",
             row.backend == "cpu" ? "Mkeys/s" : "Gkeys/s", "time", "samples");
  for (const Line& line : lines) {
    const bool painted = colour && line.paint[0] != '\0';
    fmt::print(to, "{}{}{}\n", painted ? line.paint : "", format_line(row, line, width), painted ? "\033[0m" : "");
  }
}

// ---- the results file -----------------------------------------------------------------------------------------------

using Json = nlohmann::ordered_json;

// A time that was not verified is no number.
Json number_if(bool verified, double value) { return verified ? Json(value) : Json(nullptr); }

void put_timing(Json& object, const Timing& timing, bool verified) {
  object["median_s"] = number_if(verified, timing.median_s);
  object["q1_s"] = number_if(verified, timing.q1_s);
  object["q3_s"] = number_if(verified, timing.q3_s);
  object["samples"] = timing.samples;
}

Json to_json(const Environment& environment) {
  return {{"device", environment.device},
          {"driver", environment.driver},
          {"compiler", environment.compiler},
          {"commit", environment.commit},
          {"date", environment.date},
          {"clock", environment.device_clock ? "device" : "host"},
          {"copy_bytes_per_s", number_if(environment.copy_bytes_per_s > 0, environment.copy_bytes_per_s)},
          {"threads", environment.threads},
          {"isa", environment.isa},
          {"load_average", environment.load_average}};
}

Json to_json(const Rival& rival) {
  Json object = {{"name", rival.name}, {"version", rival.version}};
  put_timing(object, rival.timing, rival.verified);
  object["verified"] = rival.verified;
  object["fault"] = rival.fault;
  if (rival.bound_s > 0) object["bound_s"] = rival.bound_s;
  return object;
}

Json to_json(const RungText& rung) {
  return {{"name", rung.name},         {"idea", rung.idea},         {"time", rung.time},     {"space", rung.space},
          {"traffic", rung.traffic},   {"launches", rung.launches}, {"limits", rung.limits}, {"source", rung.source}};
}

Json to_json(const Row& row) {
  Json object = {
      {"backend", row.backend}, {"op", row.op},           {"key", row.key},     {"value_bytes", row.value_bytes},
      {"count", row.count},     {"pattern", row.pattern}, {"order", row.order}, {"form", row.form},
      {"bits", bits_of(row)},   {"engine", row.engine}};
  put_timing(object, row.timing, row.verified);
  object["keys_per_s"] = number_if(row.verified, row.keys_per_s);
  object["copy_share"] = number_if(row.verified && row.copy_share > 0, row.copy_share);
  object["verified"] = row.verified;
  object["fault"] = row.fault;
  const bool called = row.verified && row.call.samples != 0;
  object["call_median_s"] = number_if(called, row.call.median_s);
  object["call_q1_s"] = number_if(called, row.call.q1_s);
  object["call_q3_s"] = number_if(called, row.call.q3_s);
  object["scratch_bytes"] = row.scratch_bytes ? Json(*row.scratch_bytes) : Json(nullptr);
  object["rivals"] = Json::array();
  for (const Rival& rival : row.rivals) object["rivals"].push_back(to_json(rival));
  return object;
}

}  // namespace

void print_table(const BenchReport& report, std::FILE* to, bool colour) {
  const Environment& e = report.environment;
  const std::string copies =
      e.copy_bytes_per_s > 0
          ? fmt::format("; copies {:.{}f} GB/s", e.copy_bytes_per_s / 1e9, e.device_clock ? 0 : 1)
          : "";
  const std::string driver = e.driver.empty() ? "" : e.driver + ", ";
  const std::string machine = e.device_clock
                                  ? fmt::format("{}, {}{}{}; times by the device's own clock, kernels alone",
                                                e.device, driver, e.isa, copies)
                                  : fmt::format("{}, {}, {} thread{}{}", e.device, e.isa, e.threads,
                                                e.threads == 1 ? "" : "s", copies);
  fmt::print(to, "{}; {}; commit {}; {}\n", machine, e.compiler, e.commit, e.date);
  for (const std::string& note : report.notes) fmt::print(to, "note: {}\n", note);
  std::vector<const Row*> rows;
  std::size_t comparisons = 0, losses = 0;
  for (const Row& row : report.rows) {
    rows.push_back(&row);
    comparisons += row.rivals.size();
    losses += losses_in(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) {
    return a->verified != b->verified ? !a->verified : losses_in(*a) > losses_in(*b);
  });
  if (comparisons > 0) fmt::print(to, "{} losses in {} comparisons\n", losses, comparisons);
  for (const Row* row : rows) print_row(*row, to, colour);
}

std::string results_json(const BenchReport& report) {
  Json object = {{"schema", 1}, {"environment", to_json(report.environment)}, {"notes", report.notes}};
  object["rows"] = Json::array();
  for (const Row& row : report.rows) object["rows"].push_back(to_json(row));
  for (const RungText& rung : report.rungs) object["rungs"].push_back(to_json(rung));
  return object.dump(2) + "\n";
}

}  // namespace lanesort::bench
