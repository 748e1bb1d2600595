#include "bench/ladder/ladder.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "bench/ladder/budget.hpp"
#include "bench/ladder/cpu_rung.hpp"
#include "bench/machine.hpp"
#include "bench/rivals.hpp"

namespace lanesort::bench {
namespace {

constexpr int kFewestRuns = 4;  // one that is proved, three that are timed

using Medians = std::map<std::string, std::pair<std::uint64_t, double>>;  // of the size before

// The rung's own sort, or that of bench/rivals.
std::optional<RivalEntry> entry_of(const Rung& rung) {
  if (rung.entry.run != nullptr) return rung.entry;
  for (const RivalEntry& entry : installed_rivals().entries)
    if (std::string_view(entry.name) == rung.name) return entry;
  return std::nullopt;
}

double predicted_seconds(const Medians& before, const std::string& name, std::uint64_t count) {
  const auto found = before.find(name);
  return found == before.end() ? 0 : scaled_seconds(found->second.first, found->second.second, count);
}

std::string why_not(const Rung& rung, const std::optional<RivalEntry>& entry, const RivalCase& request,
                    const Medians& before, const LadderOptions& options) {
  if (!entry)
    return "not installed; " +
           (installed_rivals().trouble.empty() ? "its library was not there at the build" : installed_rivals().trouble);
  if (!entry->can(request)) return std::string("not for ") + lanesort_dtype_name(request.dtype);
  return over_budget(kFewestRuns * predicted_seconds(before, rung.name, request.count), options.budget_s);
}

void remember(Medians& before, const Row& row) {
  before["lanesort"] = {row.count, row.timing.median_s};
  for (const Rival& rival : row.rivals) before[rival.name] = {row.count, rival.timing.median_s};
}

void predict_bounds(Row& row, double copy_bytes_per_s, double key_bytes) {
  const double count = static_cast<double>(row.count);
  for (const Rung& rung : ladder_rungs())
    for (Rival& rival : row.rivals)
      if (rival.name == rung.name && rung.bytes_per_key != nullptr && copy_bytes_per_s > 0)
        rival.bound_s = rung.bytes_per_key(key_bytes, count) * count / copy_bytes_per_s;
}

class Climb {
 public:
  explicit Climb(const LadderOptions& options) : options_(options) {}

  Ladder result() {
    for (const lanesort_dtype dtype : options_.dtypes) {
      before_.clear();
      std::vector<std::uint64_t> counts = options_.counts;
      std::sort(counts.begin(), counts.end());  // the smaller size tells what the next one takes
      constexpr std::uint64_t kPilot = 50'000;
      if (!counts.empty() && counts.front() > kPilot) remember(before_, measure(dtype, kPilot, nullptr).rows.at(0));
      for (const std::uint64_t count : counts) add(dtype, count);
    }
    for (const Rung& rung : ladder_rungs())
      ladder_.report.rungs.push_back(text_of(rung));
    return std::move(ladder_);
  }

 private:
  // left_out NULL: a trial, of which no more is said.
  BenchReport measure(lanesort_dtype dtype, std::uint64_t count, std::vector<LeftOut>* left_out) {
    BenchOptions bench;
    bench.dtype = dtype;
    bench.counts = {count};
    bench.pattern = options_.pattern;
    bench.seed = options_.seed;
    bench.threads = options_.threads;
    bench.seconds_per_contender = left_out == nullptr ? 0.01 : std::min(1.0, options_.budget_s / 2);
    if (options_.progress)
      bench.progress = [&](const std::string& line) {
        options_.progress(std::string("ladder ") + lanesort_dtype_name(dtype) + ", " + line);
      };
    const RivalCase request{
        LANESORT_OP_SORT, dtype, LANESORT_ASCENDING, 0, std::max(1u, options_.threads), false, count};
    for (const Rung& rung : ladder_rungs()) {
      if (std::string_view(rung.name) == "lanesort") continue;  // the harness has it
      const std::optional<RivalEntry> entry = entry_of(rung);
      const std::string why = why_not(rung, entry, request, before_, options_);
      if (why.empty())
        bench.entries.push_back(*entry);
      else if (left_out != nullptr)
        left_out->push_back({ladder_.report.rows.size(), rung.name, why});
    }
    return run(bench);
  }

  void add(lanesort_dtype dtype, std::uint64_t count) {
    BenchReport one = measure(dtype, count, &ladder_.left_out);
    Row& row = one.rows.at(0);
    remember(before_, row);
    predict_bounds(row, one.environment.copy_bytes_per_s, lanesort_dtype_bytes(dtype));
    const std::size_t place = ladder_.report.rows.size();
    if (place == 0) ladder_.report.environment = one.environment, ladder_.report.notes = one.notes;
    for (const LeftOut& left : ladder_.left_out)
      if (left.row == place)
        ladder_.report.notes.push_back(row.key + ", " + std::to_string(count) + " keys: no " + left.rung + ": " +
                                       left.why);
    ladder_.report.rows.push_back(std::move(row));
  }

  const LadderOptions& options_;
  Ladder ladder_;
  Medians before_;
};

}  // namespace

std::span<const Rung> ladder_rungs() {
  static const std::vector<Rung> rungs{std_sort_rung(),        std_stable_sort_rung(), merge_top_down_rung(),
                                       merge_bottom_up_rung(), radix_lsd_rung(),       tbb_rung(),
                                       vqsort_rung(),          lanesort_rung()};
  return rungs;
}

RungText text_of(const Rung& rung) {
  return {rung.name, rung.idea, rung.time, rung.space, rung.traffic, rung.launches, rung.limits, rung.source};
}

void* second_buffer(std::uint64_t bytes) {
  static Buffer buffer;
  if (buffer.span().size() < bytes)
    buffer = Buffer(), buffer = Buffer(bytes);  // the old one goes before the new one comes
  return buffer.data();
}

Ladder run_ladder(const LadderOptions& options) {
  for (const lanesort_dtype dtype : options.dtypes) {
    if (dtype != LANESORT_U8 && dtype != LANESORT_U32)
      throw Error(std::string("the ladder's rungs sort u8 and u32, not ") + lanesort_dtype_name(dtype) +
                  "; say --dtype u8 or u32, or leave it out for both");
  }
  return Climb(options).result();
}

bool all_verified(const Ladder& ladder) {
  return all_verified(ladder.report) &&
         std::all_of(ladder.report.rows.begin(), ladder.report.rows.end(), [](const Row& row) {
           return std::all_of(row.rivals.begin(), row.rivals.end(), [](const Rival& rival) { return rival.verified; });
         });
}

}  // namespace lanesort::bench
