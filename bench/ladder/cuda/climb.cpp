#include "bench/ladder/cuda/climb.hpp"

#include <algorithm>
#include <map>

#include "bench/ladder/budget.hpp"
#include "bench/ladder/cuda/arena.hpp"
#include "bench/machine.hpp"
#include "bench/patterns.hpp"

namespace lanesort::bench::device {
namespace {

constexpr int kFewestRuns = 3;           // two on the device, one with transfers
constexpr double kSlow_s = 0.25;         // a run that takes longer has no need of another one to warm up before it
constexpr double kVerySlow_s = 1;        // one run tells enough, and nobody would see the transfers in it
constexpr double kEnough_s = 0.4;        // of runs, where there are three
constexpr std::size_t kMostSamples = 9;

struct Samples {
  std::vector<double> seconds;
  std::string fault;
};

// Every run is proved. The first one is a sample only where it is slow.
template <class OneRun>
Samples take(const OneRun& one_run, std::size_t fewest) {
  Samples samples;
  double spent = 0;
  for (bool first = true;; first = false) {
    const Run run = one_run();
    samples.fault = run.fault;
    if (!run.fault.empty()) return samples;
    if (!first || run.seconds > kSlow_s || fewest == 1) samples.seconds.push_back(run.seconds);
    spent += run.seconds;
    if (run.seconds > kVerySlow_s) return samples;
    const std::size_t taken = samples.seconds.size(), least = run.seconds > kSlow_s ? std::min<std::size_t>(fewest, 2) : fewest;
    if (taken >= kMostSamples || (taken >= least && (spent > kEnough_s || fewest == 1))) return samples;
  }
}

Timing summary(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) {
    return seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.25), at(0.75), static_cast<u32>(seconds.size())};
}

class Climb {
 public:
  Climb(const ClimbOptions& options, const std::function<void(const Climbed&)>& after_each)
      : options_(options), after_each_(after_each), rungs_(device_rungs()), begin_s_(seconds_now()) {}

  Climbed result() {
    describe();
    std::vector<u64> counts = options_.counts;
    std::sort(counts.begin(), counts.end());  // what a rung takes at one tells what it will at the next
    for (const u64 count : counts)
      for (const lanesort_dtype dtype : options_.dtypes)
        if (!go_on(dtype, count)) return std::move(climbed_);
    return std::move(climbed_);
  }

 private:
  double left_s() const { return options_.limit_s - (seconds_now() - begin_s_); }

  bool go_on(lanesort_dtype dtype, u64 count) {
    try {
      if (left_s() <= 0) throw Error("the climb's time is over; --limit raises it");
      add(dtype, count);
    } catch (const std::exception& error) {  // no memory, say, or a device that has failed: what is there stays
      climbed_.trouble = std::string("ended before ") + lanesort_dtype_name(dtype) + ", " + std::to_string(count) +
                         " keys: " + error.what();
      const std::size_t rows = climbed_.ladder.report.rows.size();
      std::erase_if(climbed_.ladder.left_out, [rows](const LeftOut& left) { return left.row >= rows; });
      std::erase_if(climbed_.variants, [rows](const Variant& variant) { return variant.row >= rows; });
      return false;
    }
    after_each_(climbed_);
    return true;
  }

  void describe() {
    BenchReport& report = climbed_.ladder.report;
    const DeviceWords device = device_words();
    report.environment = {.device = device.name, .driver = device.driver,
                          .compiler = compiler_name() + ", kernels by nvcc", .commit = build_commit(),
                          .date = utc_date(), .isa = "sm_90", .copy_bytes_per_s = device_copy_bytes_per_s(),
                          .load_average = load_average(), .device_clock = true};
    for (const Rung& rung : ladder_rungs())
      if (rung.entry.run != nullptr) report.rungs.push_back(text_of(rung));
    for (const Rung& rung : ladder_rungs())
      if (std::string_view(rung.name) == "lanesort") {
        report.rungs.push_back(text_of(rung));
        report.rungs.back().name = kHostLanesort;
      }
    for (const DeviceRung& rung : rungs_)
      if (rung.variant_of.empty()) report.rungs.push_back(text_of(rung.words));
    lanesort_capabilities host = LANESORT_CAPABILITIES_INIT;
    if (lanesort_query_capabilities(LANESORT_BACKEND_CPU, &host) == LANESORT_OK)
      report.notes.push_back(std::string("the host: ") + host.device + ", " + host.isa + "; " + kHostLanesort + " has " +
                             std::to_string(host.threads) + " threads, the CPU's other rungs one");
  }

  void say(const Row& row, const std::string& name) const {
    if (options_.progress) options_.progress(row.key + ", " + std::to_string(row.count) + " keys: " + name);
  }

  Row new_row(lanesort_dtype dtype, u64 count, const std::string& form) const {
    Row row;
    row.backend = "cuda";
    row.op = "sort";
    row.key = lanesort_dtype_name(dtype);
    row.count = count;
    row.pattern = options_.pattern;
    row.order = "asc";
    row.form = form;
    row.engine = "ladder";
    return row;
  }

  // runs: that it takes at least. Our own engine is quick, and what all others stand beside.
  std::string why_not_long(const std::string& name, const Row& row, double runs, double budget_s) const {
    const auto found = before_.find({row.key, name});
    if (found == before_.end() || name == "lanesort") return {};
    const double one_s = scaled_seconds(found->second.first, found->second.second, row.count);
    const double seconds = one_s * (one_s > kVerySlow_s ? 1 : runs);
    if (seconds > left_s()) return "the climb's time is over: " + duration_words(seconds) + " expected";
    return over_budget(seconds, budget_s);
  }

  std::string why_not(const DeviceRung& rung, u32 key_bytes, const Row& row, u64 free_bytes) const {
    const u64 count = row.count;
    if (count > rung.most(key_bytes)) return "past its limit of " + count_words(rung.most(key_bytes)) + " keys";
    if (3 * count * key_bytes + rung.scratch_bytes(key_bytes, count) + (u64{1} << 28) > free_bytes)
      return "the device has not the memory";
    return why_not_long(rung.title(), row, kFewestRuns, rung.variant_of.empty() ? options_.budget_s : options_.variant_budget_s);
  }

  void put(Row& row, const std::string& name, const char* version, const Samples& samples, double bound_s) {
    const bool verified = samples.fault.empty();
    if (name != "lanesort") {
      row.rivals.push_back({name, version, verified ? summary(samples.seconds) : Timing{}, verified, samples.fault, bound_s});
      return;
    }
    row.verified = verified;
    row.fault = samples.fault;
    if (!verified) return;
    row.timing = summary(samples.seconds);
    row.keys_per_s = static_cast<double>(row.count) / row.timing.median_s;
    const double bytes = 2.0 * static_cast<double>(row.count) * (row.key == "u8" ? 1 : 4);
    row.copy_share = bytes / climbed_.ladder.report.environment.copy_bytes_per_s / row.timing.median_s;
  }

  // An error of the device is the rung's fault; after some of them all that follow have one too.
  template <class OneRun>
  Samples try_to(const OneRun& one_run, std::size_t fewest) {
    try {
      return take(one_run, fewest);
    } catch (const std::exception& error) {
      return {{}, error.what()};
    }
  }

  void climb_device(Arena& arena, const DeviceRung& rung, u32 key_bytes, Row& row, Row& moved) {
    say(row, rung.title());
    const double count = static_cast<double>(row.count);
    double bound_s = 0;
    if (rung.words.bytes_per_key != nullptr)
      bound_s = rung.words.bytes_per_key(key_bytes, count) * count / climbed_.ladder.report.environment.copy_bytes_per_s;
    const Samples alone = try_to([&] { return arena.run(rung, Kind::on_device); }, options_.fewest_samples);
    put(row, rung.title(), rung.version, alone, bound_s);
    if (!alone.fault.empty()) return;
    const Timing timing = summary(alone.seconds);
    before_[{row.key, rung.title()}] = {row.count, timing.median_s};
    if (!rung.variant_of.empty()) {
      Variant variant{climbed_.ladder.report.rows.size(), rung.title(), rung.words.bytes_per_key(key_bytes, count)};
      if (rung.counters != nullptr) {
        variant.counters = rung.counters(row.count);
        variant.scans_s = arena.run(rung, Kind::with_scans).scans_s;
      }
      climbed_.variants.push_back(variant);
      return;
    }
    if (timing.median_s > kVerySlow_s) {
      leave_out(rung.title(), "takes seconds, and transfers a few milliseconds", 1);
      return;
    }
    const Samples all = try_to([&] { return arena.run(rung, Kind::with_transfers); }, timing.median_s > kSlow_s ? 1 : options_.fewest_samples);
    put(moved, rung.title(), rung.version, all, 0);
  }

  // The host's clock, and no transfers: the two yardsticks stand in both rows.
  void climb_host(Arena& arena, Row& row, Row& moved) {
    const auto one = [&](const std::string& name, const char* version, const auto& run) {
      const std::string why = why_not_long(name, row, 1, name == "std::sort" ? options_.budget_s : options_.host_budget_s);
      if (!why.empty()) {
        leave_out(name, why);
        return;
      }
      say(row, name);
      const Samples samples = try_to(run, options_.fewest_samples);
      if (samples.fault.empty()) before_[{row.key, name}] = {row.count, summary(samples.seconds).median_s};
      put(row, name, version, samples, 0);
      if (name == "std::sort" || name == kHostLanesort) put(moved, name, version, samples, 0);
    };
    for (const Rung& rung : ladder_rungs())
      if (rung.entry.run != nullptr)
        one(rung.name, rung.entry.version, [&] { return arena.run_on_host(rung.entry); });
    one(kHostLanesort, lanesort_version_string(), [&] { return arena.run_lanesort_on_host(); });
  }

  // row: 0, of the size's first, or 1, of that with transfers.
  void leave_out(const std::string& name, const std::string& why, std::size_t row = 0) {
    climbed_.ladder.left_out.push_back({climbed_.ladder.report.rows.size() + row, name, why});
  }

  void add(lanesort_dtype dtype, u64 count) {
    const u32 key_bytes = lanesort_dtype_bytes(dtype);
    Row row = new_row(dtype, count, "in_place"), moved = new_row(dtype, count, transfers_form(options_.pinned));
    say(row, "making the input");
    const bool with_variants = std::count(options_.variant_counts.begin(), options_.variant_counts.end(), count) != 0;
    const u64 free_bytes = device_free_bytes();
    std::vector<const DeviceRung*> chosen;
    u64 scratch_bytes = 0;
    for (const DeviceRung& rung : rungs_) {
      if (!rung.variant_of.empty() && !with_variants) continue;
      if (const std::string why = why_not(rung, key_bytes, row, free_bytes); !why.empty()) {
        leave_out(rung.title(), why);
        continue;
      }
      scratch_bytes = std::max(scratch_bytes, rung.scratch_bytes(key_bytes, count));
      chosen.push_back(&rung);
    }
    Arena arena(dtype, count, options_.pattern, options_.seed, scratch_bytes, options_.pinned);
    climb_host(arena, row, moved);
    for (const DeviceRung* const rung : chosen) climb_device(arena, *rung, key_bytes, row, moved);
    climbed_.ladder.report.rows.push_back(std::move(row));
    climbed_.ladder.report.rows.push_back(std::move(moved));
  }

  const ClimbOptions& options_;
  const std::function<void(const Climbed&)>& after_each_;
  std::vector<DeviceRung> rungs_;
  double begin_s_;
  std::map<std::pair<std::string, std::string>, std::pair<u64, double>> before_;  // of key and rung: a count, seconds
  Climbed climbed_;
};

}  // namespace

std::string transfers_form(bool pinned) {
  return std::string("in_place, ") + (pinned ? "pinned" : "pageable") + " host memory";
}

std::vector<DeviceRung> device_rungs() {
  std::vector<DeviceRung> all = own_rungs();
  for (DeviceRung& rung : library_rungs()) all.push_back(std::move(rung));
  all.push_back(lanesort_on_cuda());
  return all;
}

Climbed climb(const ClimbOptions& options, const std::function<void(const Climbed&)>& after_each) {
  return Climb(options, after_each).result();
}

}  // namespace lanesort::bench::device
