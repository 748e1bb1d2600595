#include "bench/report/runs.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <tuple>

#include "bench/report/words.hpp"

namespace lanesort::bench {
namespace {

auto machine_of(const Environment& e) { return std::tie(e.device, e.driver, e.isa, e.threads, e.device_clock); }

bool same_run(const Environment& a, const Environment& b) {
  return machine_of(a) == machine_of(b) && a.commit == b.commit && a.compiler == b.compiler;
}

std::set<std::string> cases_of(const BenchReport& report) {
  std::set<std::string> cases;
  for (const Row& row : report.rows) cases.insert(row.backend + " " + case_of(row));
  return cases;
}

std::string label_of(std::size_t i) {
  std::string label(1, static_cast<char>('A' + i % 26));
  return i < 26 ? label : label + std::to_string(i / 26);
}

Run begin_run(std::vector<Run>& runs, const Environment& environment) {
  std::size_t machine = runs.size();
  for (const Run& other : runs)
    if (machine_of(*other.environment) == machine_of(environment)) machine = std::min(machine, other.machine);
  return {label_of(runs.size()), environment.commit, machine, is_software(environment), &environment, {}, {}, {}, {}};
}

}  // namespace

std::vector<Run> make_runs(const std::vector<ResultsFile>& files) {
  std::vector<Run> runs;
  std::vector<std::set<std::string>> taken;
  for (const ResultsFile& file : files) {
    const std::set<std::string> cases = cases_of(file.report);
    std::size_t r = 0;
    for (; r < runs.size(); ++r) {
      const bool twice = std::any_of(cases.begin(), cases.end(), [&](const auto& c) { return taken[r].contains(c); });
      if (same_run(*runs[r].environment, file.report.environment) && !twice) break;
    }
    if (r == runs.size()) {
      runs.push_back(begin_run(runs, file.report.environment));
      taken.emplace_back();
    }
    taken[r].insert(cases.begin(), cases.end());
    runs[r].files.push_back(file.name);
    runs[r].reports.push_back(&file.report);
    for (const std::string& note : file.report.notes) runs[r].notes.push_back(file.name + ": " + note);
    for (const Row& row : file.report.rows) runs[r].entries.push_back({&row, &file.report.environment});
  }
  return runs;
}

bool is_software(const Environment& environment) {
  if (environment.driver.starts_with("software")) return true;
  std::string words = environment.device + " " + environment.driver;
  for (char& letter : words) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  for (const char* name : {"llvmpipe", "lavapipe", "swiftshader", "basic render"})
    if (words.find(name) != words.npos) return true;
  return false;
}

std::string machine_words(const Environment& e) {
  const std::string device = e.device.substr(0, e.device.find_last_not_of(' ') + 1);  // some processors pad their names
  if (e.device_clock) return device;
  return device + ", " + std::to_string(e.threads) + (e.threads == 1 ? " thread" : " threads");
}

std::string bits_words(const Row& row) {
  if (row.bit_begin == 0 && row.bit_end == LANESORT_ALL_BITS) return "all";
  return std::to_string(row.bit_begin) + ":" + std::to_string(row.bit_end);
}

std::string case_of(const Row& row) { return kind_words(row) + " " + std::to_string(row.count) + " " + row.pattern; }

std::string kind_words(const Row& row) {
  std::string words = row.op + " " + row.key;
  if (row.value_bytes != 0) words += " + " + std::to_string(row.value_bytes) + " bytes";
  if (bits_words(row) != "all") words += ", bits " + bits_words(row);
  if (row.order != "asc") words += ", " + row.order;
  const bool usual = row.form == (row.op == "argsort" || row.op == "top_k" ? "src_dst" : "in_place");
  return usual ? words : words + ", " + row.form;
}

std::string case_words(const Row& row) { return kind_words(row) + ", " + count_words(row.count) + " " + row.pattern; }

bool on_host(const Row& row) { return row.form.find("host memory") != row.form.npos; }

bool is_limit(const Rival& rival) { return rival.name.starts_with("link alone"); }

std::string pattern_of(const Row& row) { return row.pattern.substr(0, row.pattern.find(", ")); }

std::string variant_of(const Row& row) {
  const std::size_t comma = row.pattern.find(", ");
  return comma == row.pattern.npos ? "" : row.pattern.substr(comma + 2);
}

double key_bytes(const Row& row) {
  lanesort_dtype dtype = 0;
  if (lanesort_dtype_from_name(row.key.c_str(), &dtype) == LANESORT_OK) return lanesort_dtype_bytes(dtype);
  unsigned bytes = 0;
  if (row.key.starts_with("struct")) std::from_chars(row.key.data() + 6, row.key.data() + row.key.size(), bytes);
  return bytes;
}

double pass_bytes(const Row& row) {
  const double key = key_bytes(row), value = row.value_bytes, count = static_cast<double>(row.count);
  if (key == 0) return 0;
  if (row.op == "top_k") return count * key;
  return count * (row.op == "argsort" ? key + value : 2 * (key + value));
}

double copy_share(const Entry& entry, const Timing& timing) {
  if (on_host(*entry.row) || entry.environment->copy_bytes_per_s <= 0 || timing.median_s <= 0) return 0;
  return pass_bytes(*entry.row) / entry.environment->copy_bytes_per_s / timing.median_s;
}

}  // namespace lanesort::bench
