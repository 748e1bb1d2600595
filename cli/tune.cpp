// bench --tune: one sort by every shape of tiles that a WebGPU device holds, each proved, and the row that the fastest makes.
// The kernels of WebGPU are text into which a shape is written, so any machine can try them all.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "bench.hpp"
#include "bench/report/verdict.hpp"
#include "commands.hpp"
#include "device.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {

constexpr char kForced[] = "LANESORT_FORCE_FORM";

struct Shape {
  std::uint32_t workgroup, items;
};

std::vector<Shape> shapes_of(const std::string& text) {
  std::vector<Shape> shapes;
  if (text == "*") {
    for (const std::uint32_t workgroup : {64u, 128u, 256u, 512u, 1024u})
      for (const std::uint32_t items : {4u, 6u, 8u, 10u, 12u, 14u, 15u, 16u, 20u, 24u})
        shapes.push_back({workgroup, items});
    return shapes;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, comma - begin);
    Shape shape{};
    int end = 0;
    if (std::sscanf(word.c_str(), "%4ux%3u%n", &shape.workgroup, &shape.items, &end) != 2 ||
        static_cast<std::size_t>(end) != word.size() || shape.workgroup == 0 || shape.items == 0)
      throw Usage("--tune=" + text + ": shapes are invocations x items of each, as in 256x8,512x12");
    shapes.push_back(shape);
    begin = comma + 1;
  }
  return shapes;
}

// A device of its own, with a shape forced upon it.
class Tuned {
 public:
  Tuned(const bench::Gpu& like, const std::string& form, const Shape& shape) : gpu_(like) {
    setenv(kForced, fmt::format("{},workgroup={},items={}", form, shape.workgroup, shape.items).c_str(), 1);
    gpu_.webgpu = nullptr;
    if (lanesort_webgpu_open(nullptr, gpu_.index, &gpu_.webgpu) != LANESORT_OK)
      throw DeviceMissing(lanesort_last_error());
  }
  ~Tuned() {
    lanesort_webgpu_destroy(gpu_.webgpu);
    unsetenv(kForced);
  }
  Tuned(const Tuned&) = delete;
  Tuned& operator=(const Tuned&) = delete;
  const bench::Gpu& gpu() const { return gpu_; }

 private:
  bench::Gpu gpu_;
};

lanesort_sort_desc describe_sort(const bench::BenchOptions& o) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = o.dtype;
  desc.count = o.counts[0];
  desc.value_bytes = o.op != LANESORT_OP_SORT && o.value_bytes == 0 ? 4 : o.value_bytes;
  return desc;
}

lanesort_webgpu_tiles tiles_of(const bench::Gpu& gpu, const bench::BenchOptions& o) {
  const lanesort_sort_desc desc = describe_sort(o);
  lanesort_webgpu_tiles tiles{};
  return lanesort_webgpu_tiles_of(gpu.webgpu, o.op, &desc, &tiles) == LANESORT_OK ? tiles : lanesort_webgpu_tiles{};
}

bench::BenchOptions tune_options(const Options& options) {
  if (!options.device.starts_with("webgpu"))
    throw Usage(
        "--tune goes with --device webgpu, whose kernels take any shape; those of cuda are compiled for the shapes of "
        "src/tune/cuda_shapes.hpp, and the cpu has none");
  if (std::getenv(kForced) != nullptr) throw Usage(std::string("--tune forces shapes itself; unset ") + kForced);
  if (!options.segments.empty()) throw Usage("--tune sorts the whole; leave --segments out");
  bench::BenchOptions o = bench_options(options);
  if (o.counts.size() != 1) throw Usage("--tune takes one --count");
  if (o.op == LANESORT_OP_TOP_K || o.by_comparator) throw Usage("--tune knows sort, sort_pairs and argsort");
  o.rivals.clear();
  if (!options.bench.budget_s) o.seconds_per_contender = 1;
  return o;
}

std::string milliseconds(const bench::Row& row) {
  return row.verified ? fmt::format("{:.4f}", row.timing.median_s * 1e3) : "WRONG";
}

// Medians by workgroup and items; a dash where the device does not hold the shape.
void print_grid(const std::vector<std::pair<Shape, bench::Row>>& tried, const std::vector<Shape>& asked,
                std::FILE* to) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> cells;
  std::set<std::uint32_t> workgroups, items;
  for (const Shape& shape : asked) workgroups.insert(shape.workgroup), items.insert(shape.items);
  for (const auto& [shape, row] : tried) cells[{shape.workgroup, shape.items}] = milliseconds(row);
  fmt::print(to, "ms, workgroups across, items down\n{:>5}", "");
  for (const std::uint32_t workgroup : workgroups) fmt::print(to, "{:>10}", workgroup);
  for (const std::uint32_t each : items) {
    fmt::print(to, "\n{:>5}", each);
    for (const std::uint32_t workgroup : workgroups) {
      const auto cell = cells.find({workgroup, each});
      fmt::print(to, "{:>10}", cell == cells.end() ? "-" : cell->second);
    }
  }
  fmt::print(to, "\n");
}

void print_row(const std::pair<Shape, bench::Row>& best, const lanesort_webgpu_tiles& used,
               const bench::BenchReport& report, std::FILE* to) {
  const bench::Row& now = report.rows.front();
  const auto& [shape, row] = best;
  const bench::Environment& e = report.environment;
  if (e.driver.starts_with("software")) {
    fmt::print(to, "no row: it would tune a processor\n");
    return;
  }
  if (bench::judge(row.timing, now.timing) != bench::Verdict::faster) {
    fmt::print(to, "the shape in use, {} x {}, stands: none is shown to be faster than its {} ms\n", used.workgroup,
               used.items, milliseconds(now));
    return;
  }
  fmt::print(to,
             "for {} in src/tune/portable_shapes.hpp, before the row in use:\n    {{{}, {}, {}, 0, 0}},  // {}, {}, "
             "{}: {} {} + {} bytes, {} items in {} ms, by {} x {} in {}\n",
             used.subgroups != 0 ? "kSubgroupShapes" : "kPlainShapes", shape.workgroup, shape.items, used.radix_bits,
             e.device, e.driver, e.date.substr(0, 10), row.op, row.key, row.value_bytes, row.count, milliseconds(row),
             used.workgroup, used.items, milliseconds(now));
}

}  // namespace

int tune_command(const Options& options) {
  const std::vector<Shape> asked = shapes_of(options.bench.tune);
  bench::BenchOptions o = tune_options(options);
  const bench::Gpu in_use = *o.gpu;
  const lanesort_webgpu_tiles used = tiles_of(in_use, o);
  if (o.counts[0] <= std::uint64_t{used.workgroup} * used.items)
    throw Usage("--count fits one workgroup, so that there are no tiles to tune; take more");
  std::optional<io::Output> results = results_of(options);
  const lanesort_sort_desc desc = describe_sort(o);
  const std::string form = lanesort_webgpu_engine(in_use.webgpu, o.op, &desc);

  bench::BenchReport report = bench::run(o);
  std::vector<std::pair<Shape, bench::Row>> tried;
  for (const Shape& shape : asked) {
    const Tuned tuned(in_use, form, shape);
    const lanesort_webgpu_tiles tiles = tiles_of(tuned.gpu(), o);
    if (tiles.workgroup != shape.workgroup || tiles.items != shape.items || tiles.radix_bits != used.radix_bits ||
        tiles.subgroups != used.subgroups)
      continue;
    o.gpu = &tuned.gpu();
    tried.emplace_back(shape, bench::run(o).rows.front());
    report.rows.push_back(tried.back().second);
  }
  std::FILE* const table = options.bench.json_file == "-" ? stderr : stdout;
  for (const std::string& note : report.notes) fmt::print(table, "note: {}\n", note);
  print_grid(tried, asked, table);
  const auto best = std::min_element(tried.begin(), tried.end(), [](const auto& a, const auto& b) {
    return a.second.verified != b.second.verified ? a.second.verified
                                                  : a.second.timing.median_s < b.second.timing.median_s;
  });
  if (best == tried.end()) throw Usage("--tune=" + options.bench.tune + ": the device holds none of these shapes");
  if (best->second.verified) print_row(*best, used, report, table);
  if (results) {
    results->write(bench::results_json(report));
    results->commit();
  }
  return bench::all_verified(report) ? kGood : kSaysNo;
}

}  // namespace lanesort::cli
