// lanesort_merge_bench: lanesort/merge.cuh and cub::DeviceMergeSort in one process, on the same buffers, in turn; results
// as `lanesort bench` writes them. Times are of device events round all that a call records; fresh input for every sample.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "bench/machine.hpp"
#include "cuda/merge.hpp"
#include "cuda/summary.hpp"

namespace lanesort::bench::cuda {
namespace {

struct Item {
  const char *name, *key;
  std::uint32_t key_bytes, value_bytes;
  std::uint64_t count;
};
constexpr Item kItems[] = {{"u32", "u32", 4, 0, std::uint64_t{1} << 28},
                           {"u64", "u64", 8, 0, std::uint64_t{1} << 28},
                           {"u32+u32", "u32", 4, 4, std::uint64_t{1} << 28},
                           {"struct32", "struct32", 32, 0, std::uint64_t{1} << 25}};

// What is measured when nothing is asked for. count 0: the item's own.
struct Task {
  const char *item, *pattern;
  std::uint64_t count;
};
constexpr Task kQuick[] = {{"u32", "uniform", 0},
                           {"u64", "uniform", 0},
                           {"u32+u32", "uniform", 0},
                           {"struct32", "uniform", 0},
                           {"u32", "few16", 0},
                           {"u32", "sorted", 0},
                           {"u32", "reversed", 0},
                           {"u64", "few16", 0},
                           {"u64", "sorted", 0},
                           {"u64", "reversed", 0},
                           {"u32", "uniform", 1 << 12},
                           {"u32", "uniform", 1 << 14},
                           {"u32", "uniform", 1 << 16},
                           {"u32", "uniform", 1 << 18},
                           {"u32", "uniform", 1 << 20},
                           {"u32", "uniform", 1 << 22},
                           {"u32", "uniform", 1 << 23},
                           {"u32", "uniform", 1 << 24},
                           {"u32", "uniform", 1 << 26},
                           {"u64", "uniform", 1 << 16},
                           {"u64", "uniform", 1 << 20},
                           {"u64", "uniform", 1 << 24},
                           {"u32+u32", "uniform", 1 << 16},
                           {"u32+u32", "uniform", 1 << 20},
                           {"u32+u32", "uniform", 1 << 24},
                           {"struct32", "uniform", 1 << 16},
                           {"struct32", "uniform", 1 << 20}};

Row row_of(const Item& item, const MergeWork& work, const MergeTimes& ours, const MergeTimes& cub, double copy_rate) {
  Row row;
  row.backend = "cuda";
  row.op = item.value_bytes != 0 ? "merge_sort_pairs" : "merge_sort";
  row.key = item.key;
  row.value_bytes = item.value_bytes;
  row.count = work.count;
  row.pattern = work.pattern;
  row.order = "ascending";
  row.form = "in_place";
  row.engine = "merge " + ours.name;
  row.timing = summary(ours.seconds);
  row.keys_per_s = static_cast<double>(work.count) / row.timing.median_s;
  row.copy_share = 2.0 * static_cast<double>(work.count) * (item.key_bytes + item.value_bytes) / copy_rate / row.timing.median_s;
  row.verified = ours.verified;
  row.rivals.push_back({"cub merge", cub_version(), summary(cub.seconds), cub.verified, cub.verified ? "" : "another order"});
  return row;
}

int run(int argc, char** argv) {
  MergeWork work{"", "uniform", 0, 5, false, {}};
  std::vector<std::string> items, shapes, patterns;
  std::vector<std::uint64_t> counts;
  std::string output;
  bool all_shapes = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--item" && more)
      items.push_back(argv[++i]);
    else if (word == "--shape" && more)
      shapes.push_back(argv[++i]);
    else if (word == "--all-shapes")
      all_shapes = true;
    else if (word == "--count" && more)
      counts.push_back(parse_count(argv[++i]));
    else if (word == "--pattern" && more)
      patterns.push_back(argv[++i]);
    else if (word == "--samples" && more)
      work.samples = std::max(1, std::atoi(argv[++i]));
    else if (word == "--phases")
      work.phases = true;
    else if (word == "--json" && more)
      output = argv[++i];
    else
      throw Error(
          "usage: lanesort_merge_bench [--item u32|u64|u32+u32|struct32]... [--shape THREADSxITEMSxLEVELS]... [--all-shapes] "
          "[--count N]... [--pattern uniform|few16|sorted|reversed]... [--samples N] [--phases] [--json FILE]\n"
          "without items, counts and patterns: a list of them");
  }
  std::vector<Task> tasks;
  if (items.empty() && counts.empty() && patterns.empty()) tasks.assign(std::begin(kQuick), std::end(kQuick));
  if (counts.empty()) counts.push_back(0);
  if (patterns.empty()) patterns.push_back("uniform");
  if (tasks.empty())
    for (const Item& item : kItems)
      for (const std::string& pattern : patterns)
        for (const std::uint64_t count : counts)
          if (items.empty() || std::find(items.begin(), items.end(), item.name) != items.end())
            tasks.push_back({item.name, pattern.c_str(), count});
  BenchReport report;
  report.environment.device = device_name();
  report.environment.driver = device_driver();
  report.environment.compiler = compiler_name() + ", kernels by nvcc";
  report.environment.commit = build_commit();
  report.environment.date = utc_date();
  report.environment.isa = "sm_90";
  report.environment.device_clock = true;
  report.environment.copy_bytes_per_s = device_copy_bytes_per_s();
  std::printf("%s, %s, copies %.2f TB/s\n", report.environment.device.c_str(), report.environment.driver.c_str(),
              report.environment.copy_bytes_per_s * 1e-12);
  for (const Task& task : tasks) {
    const Item& item = *std::find_if(std::begin(kItems), std::end(kItems),
                                     [&](const Item& i) { return std::string(i.name) == task.item; });
    work.item = item.name;
    work.pattern = task.pattern;
    work.count = task.count != 0 ? task.count : item.count;
    work.shapes = all_shapes ? merge_shapes(item.name, work.count) : shapes;
    const std::vector<MergeTimes> times = measure_merges(work);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      const Row row = row_of(item, work, times[i], times.back(), report.environment.copy_bytes_per_s);
      std::printf("%-9s %-8s %10llu  %-9s %9.4f ms  cub %9.4f  ratio %5.2f  %s%s\n", item.name, work.pattern.c_str(),
                  static_cast<unsigned long long>(work.count), times[i].name.c_str(), row.timing.median_s * 1e3,
                  row.rivals[0].timing.median_s * 1e3, row.rivals[0].timing.median_s / row.timing.median_s,
                  row.verified ? "ok" : "WRONG", times.back().verified ? "" : " (cub: WRONG)");
      if (!times[i].phases.empty()) {
        std::printf("   ");
        for (const auto& [name, seconds] : times[i].phases) std::printf(" %s %.3f;", name.c_str(), seconds * 1e3);
        std::printf("\n");
      }
      std::fflush(stdout);
      report.rows.push_back(row);
    }
    if (!output.empty()) write_json(report, output);
  }
  return all_verified(report) ? 0 : 1;
}

}  // namespace
}  // namespace lanesort::bench::cuda

int main(int argc, char** argv) {
  try {
    return lanesort::bench::cuda::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
