// Times merge.hpp on structs of 32 bytes against the stable sorts that take a comparator: a program of its own, because
// a comparator cannot be passed through the C symbol by which the command line's bench reaches rivals.
//   merge_bench [count] [threads] [results.json]
// Same rules as docs/benchmarking.md: all in turn, fresh input per sample, every result verified, quartiles.
#include <algorithm>
#include <boost/sort/sort.hpp>
#include <boost/version.hpp>
#include <cstdlib>
#include <cstring>
#include <execution>
#include <lanesort/merge.hpp>
#include <memory>
#include <oneapi/tbb/global_control.h>
#include <thread>
#include <vector>

#include "bench/harness.hpp"
#include "bench/machine.hpp"

namespace lanesort::bench {
namespace {
struct Item {
  std::uint64_t key, place, more[2];
};

bool before(const Item& a, const Item& b) { return a.key < b.key; }
constexpr auto kBefore = [](const Item& a, const Item& b) { return a.key < b.key; };

struct Contender {
  std::string name, version;
  std::function<void(std::vector<Item>&)> sort;
  std::vector<double> seconds;
  bool verified = true;
};

Timing timing_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) { return seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))]; };
  return {at(0.5), at(0.25), at(0.75), static_cast<std::uint32_t>(seconds.size())};
}

bool is_stable_sort(const std::vector<Item>& input, const std::vector<Item>& items) {
  std::uint64_t places = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].place >= input.size() || input[items[i].place].key != items[i].key) return false;
    places += items[i].place;
    if (i > 0 && (before(items[i], items[i - 1]) || (!before(items[i - 1], items[i]) && items[i].place <= items[i - 1].place)))
      return false;  // places rise among equals and keys rise strictly otherwise, so none stands twice
  }
  return places == std::uint64_t{input.size()} * (input.size() - 1) / 2;
}

BenchReport measure(std::size_t count, std::uint32_t threads) {
  std::vector<Item> input(count), items;
  std::uint64_t state = kDefaultSeed;
  for (std::size_t i = 0; i < count; ++i) {  // SplitMix64
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    input[i] = {z ^ z >> 31, i, {0, 0}};
  }
  std::vector<std::byte> scratch(merge_sort_scratch_bytes<Item>(count));
  const std::string library = "libstdc++ " + std::to_string(__GLIBCXX__);
  std::vector<Contender> all = {
      {"lanesort", "", [&](auto& v) { merge_sort(v, kBefore, {}, {.threads = threads, .scratch = scratch}); }, {}},
      {"lanesort (own scratch)", lanesort_version_string(), [&](auto& v) { merge_sort(v, kBefore, {}, {.threads = threads}); }, {}},
      {"std::stable_sort(par)", library, [](auto& v) { std::stable_sort(std::execution::par, v.begin(), v.end(), kBefore); }, {}},
      {"std::stable_sort", library, [](auto& v) { std::stable_sort(v.begin(), v.end(), kBefore); }, {}},
      {"boost::parallel_stable_sort", BOOST_LIB_VERSION, [&](auto& v) { boost::sort::parallel_stable_sort(v.begin(), v.end(), kBefore, threads); }, {}}};
  BenchReport report;
  report.environment.compiler = compiler_name();
  report.environment.commit = build_commit();
  report.environment.date = utc_date();
  report.environment.threads = threads;
  report.environment.load_average = load_average();
  report.environment.copy_bytes_per_s = copy_bytes_per_s(threads);
  report.environment.device = "cpu";
  report.environment.isa = "baseline";
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, threads);
  for (int sample = -1; sample < 7; ++sample) {  // the first is not timed
    for (Contender& contender : all) {
      items = input;
      const double begin = seconds_now();
      contender.sort(items);
      if (sample >= 0) contender.seconds.push_back(seconds_now() - begin);
      contender.verified = contender.verified && is_stable_sort(input, items);
    }
  }
  Row row;
  row.backend = "cpu", row.op = "merge_sort", row.key = "u64", row.pattern = "uniform", row.order = "asc";
  row.form = "in_place", row.engine = "merge", row.value_bytes = sizeof(Item) - sizeof(Item::key), row.count = count;
  row.timing = timing_of(all[0].seconds);
  row.verified = all[0].verified;
  row.keys_per_s = static_cast<double>(count) / row.timing.median_s;
  row.copy_share = 2 * static_cast<double>(count * sizeof(Item)) / report.environment.copy_bytes_per_s / row.timing.median_s;
  for (std::size_t i = 1; i < all.size(); ++i)
    row.rivals.push_back({all[i].name, all[i].version, timing_of(all[i].seconds), all[i].verified, all[i].verified ? "" : "not a stable sort"});
  report.rows.push_back(row);
  return report;
}
}  // namespace
}  // namespace lanesort::bench

int main(int argc, char** argv) {
  using namespace lanesort::bench;
  const std::size_t count = argc > 1 ? static_cast<std::size_t>(std::strtod(argv[1], nullptr)) : 1000000;
  const BenchReport report = measure(count, argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 2);
  print_table(report, stdout);
  if (argc > 3) write_json(report, argv[3]);
  return all_verified(report) ? 0 : 1;
}
