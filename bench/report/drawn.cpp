#include <algorithm>
#include <cctype>
#include <utility>

#include "bench/report/charts.hpp"
#include "bench/report/words.hpp"

namespace lanesort::bench {

namespace {

// The digit that stands raised at `at`, and its bytes; -1: none.
int superscript_at(const std::string& words, std::size_t at, std::size_t& bytes) {
  for (std::uint64_t digit = 0; digit < 10; ++digit) {
    const std::string raised = superscript(digit);
    if (words.compare(at, raised.size(), raised) == 0) return bytes = raised.size(), static_cast<int>(digit);
  }
  return -1;
}

}  // namespace

Measured measured_of(const std::string& name, const Row& row, const Timing& timing) {
  const double count = static_cast<double>(row.count);
  Measured m{0, count / timing.median_s, count / timing.q3_s, count / timing.q1_s, ""};
  m.told = name + ", " + case_words(row) + ": " + rate_words(m.rate) + " (quartiles " + rate_words(m.low) + " to " +
           rate_words(m.high) + "), " + duration_words(timing.median_s) + ", " + std::to_string(timing.samples) +
           " samples, verified";
  return m;
}

std::vector<Drawn> drawn_of(ChartSet& set, const Run& run, const Entry& entry) {
  std::vector<Drawn> all;
  const Row& row = *entry.row;
  if (run.software || row.count == 0) return all;
  const auto alone =
      std::count_if(set.runs.begin(), set.runs.end(), [&](const Run& r) { return r.machine == run.machine; }) == 1;
  const bool first = &set.runs[run.machine] == &run;  // a machine has the number of its first run
  const auto add = [&](const std::string& name, std::size_t look, const Timing& timing, bool ours, double bound_s) {
    if (timing.q1_s > 0) all.push_back({&run, &entry, name, look, measured_of(name, row, timing), ours, bound_s});
  };
  if (row.verified) {
    const std::string name = alone ? "lanesort" : "lanesort " + run.label;
    add(name, first ? 0 : set.looks.of(name), row.timing, true, 0);
  }
  for (const Rival& rival : row.rivals)
    if (rival.verified) add(rival.name, set.looks.of(rival.name), rival.timing, false, rival.bound_s);
  return all;
}

std::string run_words(const Run& run) {
  return machine_words(*run.environment) + " · " + run.label + (run.commit.empty() ? "" : " " + run.commit);
}

std::string slug_of(const std::string& words) {
  std::string slug;
  bool raised = false;  // within a superscript: 2²⁴ is 2-24
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char letter = words[i];
    std::size_t bytes = 0;
    if (const int digit = superscript_at(words, i, bytes); digit >= 0) {
      if (!std::exchange(raised, true)) slug += '-';
      slug += static_cast<char>('0' + digit);
      i += bytes - 1;
      continue;
    }
    raised = false;
    const auto c = static_cast<unsigned char>(letter);
    if (c < 0x80 && std::isalnum(c))
      slug += static_cast<char>(std::tolower(c));
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug.empty() ? "chart" : slug.substr(0, 80);
}

}  // namespace lanesort::bench
