// bench: the harness with the options filled in. The table is the result, or the results file is where --json - asks
// for it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "bench/harness.hpp"
#include "commands.hpp"
#include "device.hpp"
#include "engine.hpp"
#include "io/output.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
std::vector<std::uint64_t> counts_of(const std::string& text) {
  std::vector<std::uint64_t> counts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    counts.push_back(bench::parse_count(text.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return counts;
}

bench::BenchOptions bench_options(const Options& options) {
  bench::BenchOptions o;
  o.op = options.bench.op == "sort"      ? LANESORT_OP_SORT
         : options.bench.op == "argsort" ? LANESORT_OP_ARGSORT
         : options.bench.op == "top_k"   ? LANESORT_OP_TOP_K
                                         : LANESORT_OP_SORT_PAIRS;
  o.by_comparator = options.bench.op == "merge";
  o.k = options.bench.k;
  const lanesort_dtype usual = o.by_comparator ? LANESORT_U64 : LANESORT_U32;
  o.dtype = options.bench.dtype.empty() ? usual : parse_dtype(options.bench.dtype);
  o.value_bytes = options.bench.value_bytes;
  o.counts = counts_of(options.bench.counts);
  o.pattern = options.bench.pattern;
  o.segments = options.segments;
  o.seed = options.bench.seed;
  o.order = options.order;
  o.bit_begin = options.bit_begin;
  o.bit_end = options.bit_end;
  expect_bits(options, o.dtype);
  o.gpu = gpu_of(options);
  o.threads = options.threads;
  o.form = options.bench.src_dst ? bench::Form::src_dst : bench::Form::in_place;
  o.rivals = options.bench.rivals;
  if (!options.quiet && isatty(STDERR_FILENO)) {
    o.progress = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  }
  return o;
}
}  // namespace

int bench_command(const Options& options) {
  const bench::BenchOptions asked = bench_options(options);
  std::optional<io::Output> results;  // before the work: a place that cannot be written is found out now
  if (!options.bench.json_file.empty()) results.emplace(options.bench.json_file, std::nullopt, false);
  const bench::BenchReport report = bench::run(asked);
  const bool json_on_stdout = options.bench.json_file == "-";
  std::FILE* table = json_on_stdout ? stderr : stdout;
  const char* no_colour = std::getenv("NO_COLOR");
  bench::print_table(report, table, isatty(fileno(table)) && (no_colour == nullptr || *no_colour == '\0'));
  if (results) {
    results->write(bench::results_json(report));
    results->commit();
  }
  return bench::all_verified(report) ? kGood : kSaysNo;
}

}  // namespace lanesort::cli
