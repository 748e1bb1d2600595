// lanesort_ladder_cuda: the rungs on a CUDA device beside those on its host. Prints the table and writes results as
// `lanesort bench` does, for `lanesort report`.
#include <algorithm>
#include <cstdio>

#include "bench/ladder/cuda/arena.hpp"
#include "bench/ladder/cuda/words.hpp"
#include "bench/patterns.hpp"
#include "bench/report/words.hpp"

namespace lanesort::bench::device {
namespace {

constexpr char kUsage[] =
    "usage: lanesort_ladder_cuda [--count N,N...] [--dtype u8|u32] [--pattern P] [--seed N] [--budget S] [--limit S]\n"
    "                            [--pageable] [--trial] [--list] [--quiet] [--json FILE]\n"
    "  --budget    seconds for one rung at one count (default 10); what would take longer is left out\n"
    "  --limit     seconds for all (default 100)\n"
    "  --pageable  host arrays for the runs with transfers are pageable; else they are pinned\n"
    "  --trial     few keys\n"
    "  --list      what the rungs are, without a device\n";

struct Request {
  ClimbOptions climb;
  std::string json;
  bool list = false, trial = false;
};

std::vector<u64> counts_of(const std::string& text) {
  std::vector<u64> counts;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1)
    counts.push_back(parse_count(text.substr(begin, (end = text.find(',', begin)) - begin)));
  return counts;
}

Request parse(int argc, char** argv) {
  Request request;
  ClimbOptions& climb = request.climb;
  bool quiet = false;
  climb.counts = {1 << 10, 1 << 13, 1 << 16, 1 << 18, 1 << 19, 1 << 20, 10'000'000, 1 << 24, 1 << 28};
  climb.variant_counts = {1 << 19, 1 << 24};  // an odd number of widths, and a large count
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&]() -> std::string {
      if (i + 1 == argc) throw Error(word + " wants a value\n" + kUsage);
      return argv[++i];
    };
    if (word == "--count")
      climb.counts = counts_of(next());
    else if (word == "--dtype") {
      const std::string name = next();
      if (name != "u8" && name != "u32") throw Error("the rungs sort u8 and u32, not " + name);
      climb.dtypes = {name == "u8" ? LANESORT_U8 : LANESORT_U32};
    } else if (word == "--pattern")
      climb.pattern = canonical_pattern(next());
    else if (word == "--seed")
      climb.seed = parse_count(next());
    else if (word == "--budget")
      climb.budget_s = std::stod(next());
    else if (word == "--limit")
      climb.limit_s = std::stod(next());
    else if (word == "--pageable")
      climb.pinned = false;
    else if (word == "--json")
      request.json = next();
    else if (word == "--list")
      request.list = true;
    else if (word == "--quiet")
      quiet = true;
    else if (word == "--trial") {
      request.trial = true;
      climb.counts = {3, 513, 1023, 1025, 4097, 1 << 16};
      climb.variant_counts = {513, 4097};
      climb.fewest_samples = 1;
    } else
      throw Error("no option " + word + "\n" + kUsage);
  }
  if (!quiet) climb.progress = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  return request;
}

void print_rung(const Rung& rung) {
  std::printf("%s\n  %s\n  time %s; space %s; traffic: %s; launches: %s\n  limits: %s\n  %s\n\n", rung.name, rung.idea, rung.time,
              rung.space, rung.traffic, rung.launches, rung.limits, rung.source);
}

int list() {
  print_rung(prefix_sum_words());
  for (const DeviceRung& rung : device_rungs())
    if (rung.variant_of.empty()) print_rung(rung.words);
  return 0;
}

// The foundation is no sort: a row of its own.
Row prefix_sum_row(u64 count, double copy_bytes_per_s) {
  const SumRuns runs = time_prefix_sum(count, 5);
  Row row;
  row.backend = "cuda";
  row.op = "prefix_sum";
  row.key = "u32";
  row.count = count;
  row.pattern = "uniform";
  row.order = "asc";
  row.form = "in_place";
  row.engine = "ladder";
  row.verified = runs.fault.empty();
  row.fault = runs.fault;
  if (!row.verified) return row;
  std::vector<double> seconds = runs.seconds;
  std::sort(seconds.begin(), seconds.end());
  row.timing = {seconds[2], seconds[1], seconds[3], 5};
  row.keys_per_s = static_cast<double>(count) / seconds[2];
  row.copy_share = 8.0 * static_cast<double>(count) / copy_bytes_per_s / seconds[2];
  return row;
}

BenchReport with_notes(const Climbed& climbed) {
  BenchReport report = climbed.ladder.report;
  for (const auto lines : {comparison_lines, crossover_lines, variant_lines, left_out_lines})
    for (std::string& line : lines(climbed)) report.notes.push_back(std::move(line));
  constexpr std::size_t kMostNotes = 100;  // that `lanesort report` reads
  if (report.notes.size() > kMostNotes) report.notes.resize(kMostNotes);
  return report;
}

void print_lines(std::FILE* to, const char* title, const std::vector<std::string>& lines) {
  std::fprintf(to, "\n%s\n", title);
  for (const std::string& line : lines) std::fprintf(to, "  %s\n", line.c_str());
}

std::vector<u64> sum_counts(const Request& request, const Climbed& climbed) {
  if (!climbed.trouble.empty()) return {};
  if (request.trial) return {3, 2049, 5'000'000};
  return {1 << 20, 1 << 24, 1 << 28};
}

int run(int argc, char** argv) {
  const Request request = parse(argc, argv);
  if (request.list) return list();
  // Results go to the file as they come, so that what is there outlives a device that fails.
  Climbed climbed = climb(request.climb, [&](const Climbed& so_far) {
    if (!request.json.empty() && request.json != "-") write_json(with_notes(so_far), request.json);
  });
  std::FILE* const to = request.json == "-" ? stderr : stdout;
  print_ladder(climbed.ladder, to);
  print_lines(to, "Host", climbed.ladder.report.notes);
  print_lines(to, "Variants", variant_lines(climbed));
  print_lines(to, "Faster than the CPU, in keys", crossover_lines(climbed));
  BenchReport& report = climbed.ladder.report;
  bool good = climbed.trouble.empty() && all_verified(climbed.ladder);
  std::vector<std::string> sums;
  for (const u64 count : sum_counts(request, climbed)) {
    Row row = prefix_sum_row(count, report.environment.copy_bytes_per_s);
    good = good && row.verified;
    sums.push_back(count_words(count) + " words: " +
                   (row.verified ? duration_words(row.timing.median_s) + ", " + percent_words(row.copy_share) +
                                       " of a copy's speed"
                                 : "WRONG: " + row.fault));
    report.rows.push_back(std::move(row));
  }
  report.rungs.insert(report.rungs.begin(), text_of(prefix_sum_words()));
  if (!request.json.empty()) write_json(with_notes(climbed), request.json);
  print_lines(to, "Prefix sum", sums);
  print_lines(to, "Side by side", comparison_lines(climbed));
  if (!climbed.trouble.empty()) std::fprintf(to, "%s\n", climbed.trouble.c_str());
  std::fprintf(to, "%s\n", good ? "every run of every rung was verified" : "not all is well: see WRONG above");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace lanesort::bench::device

int main(int argc, char** argv) {
  try {
    return lanesort::bench::device::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
