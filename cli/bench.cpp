// bench: the harness with the options filled in. The table is the result, or the results file is where --json - asks
// for it.
#include "bench.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>

#include "bench/harness.hpp"
#include "bench/ladder/ladder.hpp"
#include "bench/ladder/webgpu/climb.hpp"
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

double budget_of(const Options& options, double usual) {
  const double budget_s = options.bench.budget_s.value_or(usual);
  if (!(budget_s > 0)) throw Usage("--budget takes seconds, more than 0");
  return budget_s;
}

std::function<void(const std::string&)> progress_of(const Options& options) {
  if (options.quiet || !isatty(STDERR_FILENO)) return {};
  return [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
}

}  // namespace

std::optional<io::Output> results_of(const Options& options) {
  std::optional<io::Output> results;
  if (!options.bench.json_file.empty()) results.emplace(options.bench.json_file, std::nullopt, false);
  return results;
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
  o.counts = counts_of(options.bench.counts.value_or("1e7"));
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
  o.seconds_per_contender = budget_of(options, o.seconds_per_contender);
  o.progress = progress_of(options);
  return o;
}

namespace {
// Does a processor stand in for the GPU?
bool is_software(const bench::Gpu& gpu) {
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  return gpu.query(&capabilities) == LANESORT_OK && std::strstr(capabilities.device, "; software") != nullptr;
}

bench::LadderOptions ladder_options(const Options& options) {
  if (options.device.starts_with("cuda:"))
    throw Usage("--ladder --device " + options.device + ": its rungs are the CPU's, CUDA's and WebGPU's; say cpu, cuda or webgpu");
  if (options.bench.op != "sort" || options.bench.value_bytes != 0 || options.bench.k != 0 ||
      options.order != LANESORT_ASCENDING || !options.whole_key() || options.bench.src_dst ||
      !options.segments.empty() || !options.bench.rivals.empty())
    throw Usage(
        "--ladder sorts keys alone, ascending, in place; of the other options it takes --count, --dtype, --pattern, "
        "--seed, --threads, --budget, --json");
  bench::LadderOptions o;
  if (const bench::Gpu* const gpu = options.device == "cuda" ? nullptr : gpu_of(options)) {
    if (gpu->webgpu == nullptr) throw Usage("--ladder --device " + options.device + ": say cpu, cuda or webgpu");
    o.dtypes = {LANESORT_U32};
    o.counts = {1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 25};
    if (is_software(*gpu)) o.counts = {1000, 10'000};  // to be proved
  }
  if (!options.bench.dtype.empty()) o.dtypes = {parse_dtype(options.bench.dtype)};
  if (options.bench.counts) o.counts = counts_of(*options.bench.counts);
  o.pattern = options.bench.pattern;
  o.seed = options.bench.seed;
  o.threads = options.threads;
  o.budget_s = budget_of(options, o.budget_s);
  o.progress = progress_of(options);
  return o;
}

// The table is shown where the results file leaves room for it.
template <class Print>
void show(const Options& options, const bench::BenchReport& report, std::optional<io::Output>& results,
          const Print& print) {
  std::FILE* const table = options.bench.json_file == "-" ? stderr : stdout;
  print(table, options.coloured(table));
  if (!results) return;
  results->write(bench::results_json(report));
  results->commit();
}

int ladder_command(const Options& options) {
  const bench::LadderOptions asked = ladder_options(options);
  if (options.device == "cuda") run_cuda_ladder(options);
  std::optional<io::Output> results = results_of(options);
  const bench::Gpu* const gpu = gpu_of(options);
  const bench::Ladder ladder = gpu != nullptr ? bench::ladder_webgpu::climb(asked, *gpu) : bench::run_ladder(asked);
  show(options, ladder.report, results,
       [&](std::FILE* table, bool colour) { bench::print_ladder(ladder, table, colour); });
  return bench::all_verified(ladder) ? kGood : kSaysNo;
}
}  // namespace

int bench_command(const Options& options) {
  if (!options.bench.tune.empty()) return tune_command(options);
  if (options.bench.ladder) return ladder_command(options);
  const bench::BenchOptions asked = bench_options(options);
  std::optional<io::Output> results = results_of(options);
  const bench::BenchReport report = bench::run(asked);
  show(options, report, results, [&](std::FILE* table, bool colour) { bench::print_table(report, table, colour); });
  return bench::all_verified(report) ? kGood : kSaysNo;
}

}  // namespace lanesort::cli
