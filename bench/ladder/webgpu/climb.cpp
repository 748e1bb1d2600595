#include "bench/ladder/webgpu/climb.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "bench/ladder/budget.hpp"
#include "bench/ladder/crossover.hpp"
#include "bench/ladder/webgpu/recipes.hpp"
#include "bench/ladder/webgpu/runner.hpp"
#include "bench/ladder/webgpu/rungs.hpp"
#include "bench/machine.hpp"

namespace lanesort::bench::ladder_webgpu {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr char kOnDevice[] = "in_place", kMoved[] = "in_place, pageable host memory", kCpu[] = "lanesort on the CPU";
constexpr int kFewestRuns = 6;  // three on the device, three with transfers
constexpr double kEnough_s = 0.4, kSlow_s = 1;

struct Taken {
  std::vector<double> seconds;
  std::string fault;

  Timing timing() const {
    if (!fault.empty() || seconds.empty()) return {};
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) {
      return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
    };
    return {at(0.5), at(0.25), at(0.75), static_cast<uint32_t>(sorted.size())};
  }
};

// Sorts the keys that it is given and says what it took.
using Sort = std::function<double(std::span<uint32_t>)>;

class Climb {
 public:
  Climb(const LadderOptions& options, const Gpu& gpu)
      : options_(options), handle_(*gpu.webgpu), runner_(handle_), timed_(runner_.has_clock()) {}

  Ladder result() {
    describe();
    std::vector<uint64_t> counts = options_.counts;
    std::sort(counts.begin(), counts.end());
    for (const uint64_t count : counts) add(count);
    if (timed_) add_crossovers();
    for (const std::string& remark : ladder_.remarks) ladder_.report.notes.push_back(remark);
    return std::move(ladder_);
  }

 private:
  void describe() {
    Environment& e = ladder_.report.environment;
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    lanesort_webgpu_capabilities(&handle_, &capabilities);
    e.device = capabilities.device;
    if (const std::size_t split = e.device.find("; "); split != std::string::npos)
      e.driver = e.device.substr(split + 2), e.device.resize(split);
    e.compiler = compiler_name(), e.commit = build_commit(), e.date = utc_date(), e.isa = capabilities.isa;
    e.load_average = load_average(), e.device_clock = true;
    constexpr uint64_t kWords = uint64_t{1} << 26;  // more than a cache holds
    if (timed_) e.copy_bytes_per_s = 8.0 * kWords / runner_.seconds_of(copy_recipe(kWords));
    if (!timed_)
      ladder_.remarks.push_back("no GPU, or one without a clock: every rung was proved, and none was timed");
    for (const Rung& rung : ladder_rungs()) {
      if (rung.entry.run != nullptr) ladder_.report.rungs.push_back(text_of(rung));
      if (std::string_view(rung.name) != "lanesort") continue;
      ladder_.report.rungs.push_back(text_of(rung));
      ladder_.report.rungs.back().name = kCpu;
    }
    for (const DeviceRung& rung : device_rungs()) ladder_.report.rungs.push_back(text_of(rung.words));
    for (const Rung& rung : lanesort_rungs()) ladder_.report.rungs.push_back(text_of(rung));
  }

  // One count.

  void add(uint64_t count) {
    say(count, "making the input");
    keys_.resize(count);
    generate({options_.pattern, LANESORT_U32, count, options_.seed}, std::as_writable_bytes(std::span(keys_)));
    sorted_ = keys_;
    sort_on_cpu(sorted_);
    Row row = row_of(count, kOnDevice), moved = row_of(count, kMoved);
    add_cpu_rungs(row, moved);
    for (const DeviceRung& rung : device_rungs()) add_device_rung(rung, row, moved);
    for (const Rung& rung : lanesort_rungs()) add_lanesort(rung, row, moved);
    ladder_.report.rows.push_back(std::move(row));
    if (timed_) ladder_.report.rows.push_back(std::move(moved));
  }

  void add_cpu_rungs(Row& row, Row& moved) {
    if (!timed_) return;  // `lanesort bench --ladder` has them
    const auto one = [&](const char* name, const char* version, const Sort& sort) {
      try_few(name, sort);
      const std::string why = over_budget(3 * expected_seconds(name, row.count), options_.budget_s);
      if (!why.empty()) return leave_out(name, why);
      const Taken taken = take(name, sort);
      remember(name, row.count, taken);
      put(row, name, version, taken, 0), put(moved, name, version, taken, 0);
    };
    for (const Rung& rung : ladder_rungs()) {
      if (rung.entry.run == nullptr) continue;
      one(rung.name, rung.entry.version, [&](std::span<uint32_t> keys) {
        const RivalCase request{LANESORT_OP_SORT, LANESORT_U32, LANESORT_ASCENDING, 0, 1, false, keys.size()};
        const double begin = seconds_now();
        if (!rung.entry.run(request, keys_.data(), keys.data())) throw Error("it gave up");
        return seconds_now() - begin;
      });
    }
    one(kCpu, lanesort_version_string(), [this](std::span<uint32_t> keys) { return sort_on_cpu(keys); });
  }

  // Of a rung on the CPU that was not measured at a smaller count.
  void try_few(const char* name, const Sort& sort) {
    constexpr std::size_t kFew = 50'000;
    if (before_.contains(name) || keys_.size() <= kFew) return;
    std::vector<uint32_t> few(keys_.begin(), keys_.begin() + kFew);
    before_[name] = {kFew, sort(few)};
  }

  void add_device_rung(const DeviceRung& rung, Row& row, Row& moved) {
    const char* const name = rung.words.name;
    if (row.count > rung.most)
      return leave_out(name, "past its limit of " + std::to_string(rung.most) + " keys");
    const double count = static_cast<double>(row.count), copy = ladder_.report.environment.copy_bytes_per_s;
    const double bound_s = timed_ ? rung.words.bytes_per_key(4, count) * count / copy : 0;
    if (add_recipe(name, rung.recipe(row.count), bound_s, row, moved) && rung.histograms != nullptr)
      note_kernels(name, row.count, rung.histograms(row.count));
  }

  // Was it timed?
  bool add_recipe(const char* name, const Recipe& recipe, double bound_s, Row& row, Row& moved) {
    for (const uint64_t bytes : recipe.buffers)
      if (recipe.sorter == nullptr && bytes > handle_.capabilities.binding_bytes) {
        leave_out(name, "a buffer of " + std::to_string(bytes) + " bytes, and the device binds " +
                            std::to_string(handle_.capabilities.binding_bytes) + " at most");
        return false;
      }
    if (const std::string why = over_budget(kFewestRuns * expected_seconds(name, row.count), options_.budget_s);
        !why.empty()) {
      leave_out(name, why);
      return false;
    }
    const char* const version = lanesort_version_string();
    const auto transfers = [&](std::span<uint32_t> keys) { return runner_.sort_with_transfers(name, recipe, keys); };
    if (!timed_) {
      put(row, name, version, prove(name, transfers), 0);
      return false;
    }
    const Taken all = take(name, transfers);
    put(moved, name, version, all, 0);
    remember(name, row.count, all);
    const auto alone = [&](std::span<uint32_t> keys) { return runner_.sort_on_device(name, recipe, keys); };
    put(row, name, version, take(name, alone), bound_s);
    return all.fault.empty();
  }

  // What a histogram's layout and length cost shows in its scan.
  void note_kernels(const char* name, uint64_t count, uint64_t histograms) {
    std::string line = std::string(name) + ", " + count_words(count) + " keys: " + count_words(histograms) + " histograms";
    for (const auto& [kernel, seconds] : runner_.seconds_by_kernel())
      line += ", " + kernel + " " + duration_words(seconds);
    ladder_.remarks.push_back(line);
  }

  void add_lanesort(const Rung& rung, Row& row, Row& moved) {
    const std::string_view name = rung.name;
    const plan::PortableForm kept = handle_.limits.form;
    if (name != "lanesort")
      handle_.limits.form = name.ends_with("scan") ? plan::PortableForm::reduce_then_scan : plan::PortableForm::single_pass;
    const lanesort_sort_desc desc = describe_sort(nullptr, keys_.size());
    lanesort_webgpu_sorter* sorter = nullptr;
    lanesort_status status =
        lanesort_webgpu_prepare(&handle_, LANESORT_OP_SORT, &desc, 2 * kMostAtOnce, &sorter);
    uint64_t scratch_bytes = 0;
    if (status == LANESORT_OK) status = lanesort_webgpu_scratch_bytes(&handle_, LANESORT_OP_SORT, &desc, &scratch_bytes);
    handle_.limits.form = kept;
    if (status != LANESORT_OK) return leave_out(rung.name, lanesort_last_error());
    Recipe recipe;
    recipe.buffers = {4 * row.count, scratch_bytes};
    recipe.sorter = sorter;
    add_recipe(rung.name, recipe, 0, row, moved);
    runner_.forget();
    lanesort_webgpu_release(sorter);
  }

  double sort_on_cpu(std::span<uint32_t> keys) const {
    lanesort_sort_desc desc = describe_sort(keys.data(), keys.size());
    desc.threads = options_.threads;
    const double begin = seconds_now();
    if (lanesort_sort(&desc) != LANESORT_OK) throw Error(lanesort_last_error());
    return seconds_now() - begin;
  }

  static lanesort_sort_desc describe_sort(uint32_t* keys, uint64_t count) {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = LANESORT_U32;
    desc.count = count;
    desc.keys_src = desc.keys_dst = keys;
    return desc;
  }

  // One rung.

  // Sorts once. The result is proved by comparing: of u32 keys there is one right order.
  Taken prove(const char* name, const Sort& sort) {
    Taken taken;
    say(keys_.size(), name);
    work_ = keys_;
    try {
      taken.seconds.push_back(sort(work_));
    } catch (const std::exception& error) {
      taken.fault = error.what();
    }
    if (taken.fault.empty() && work_ != sorted_) taken.fault = "not the keys in order";
    if (!timed_) taken.seconds.clear();
    return taken;
  }

  // Every run is proved. The first one only warms, but where it takes long enough by itself.
  Taken take(const char* name, const Sort& sort) {
    constexpr std::size_t kFewest = 3, kMost = 9;
    const double begin = seconds_now();
    Taken all = prove(name, sort);
    if (seconds_now() - begin > kSlow_s) return all;
    std::vector<double> samples;
    while (all.fault.empty() && samples.size() < kMost) {
      if (samples.size() >= kFewest && seconds_now() - begin > kEnough_s) break;
      const Taken one = prove(name, sort);
      all.fault = one.fault;
      samples.insert(samples.end(), one.seconds.begin(), one.seconds.end());
    }
    all.seconds = samples;
    return all;
  }

  void put(Row& row, const std::string& name, const char* version, const Taken& taken, double bound_s) const {
    const bool verified = taken.fault.empty();
    if (name != "lanesort") {
      row.rivals.push_back({name, version, taken.timing(), verified, taken.fault, bound_s});
      return;
    }
    row.verified = verified, row.fault = taken.fault, row.timing = taken.timing();
    if (row.timing.median_s <= 0) return;
    row.keys_per_s = static_cast<double>(row.count) / row.timing.median_s;
    if (row.form == kOnDevice)
      row.copy_share = 8.0 * row.keys_per_s / ladder_.report.environment.copy_bytes_per_s;
  }

  Row row_of(uint64_t count, const char* form) const {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = LANESORT_U32;
    desc.count = count;
    Row row;
    row.backend = "webgpu", row.op = "sort", row.key = "u32", row.count = count, row.pattern = options_.pattern;
    row.order = "asc", row.form = form, row.engine = lanesort_webgpu_engine(&handle_, LANESORT_OP_SORT, &desc);
    return row;
  }

  void say(uint64_t count, const std::string& what) const {
    if (options_.progress) options_.progress("ladder u32, " + std::to_string(count) + " keys: " + what);
  }
  void leave_out(const std::string& name, const std::string& why) {
    ladder_.left_out.push_back({ladder_.report.rows.size(), name, why});
    ladder_.report.notes.push_back("u32, " + std::to_string(keys_.size()) + " keys: no " + name + ": " + why);
  }
  void remember(const std::string& name, uint64_t count, const Taken& taken) {
    if (taken.fault.empty()) before_[name] = {count, taken.timing().median_s};
  }
  double expected_seconds(const std::string& name, uint64_t count) const {
    const auto found = before_.find(name);
    return found == before_.end() ? 0 : scaled_seconds(found->second.first, found->second.second, count);
  }

  std::vector<CountSeconds> curve_of(const std::string& name, const char* form) const {
    std::vector<CountSeconds> curve;
    for (const Row& row : ladder_.report.rows) {
      if (row.form != form) continue;
      if (name == "lanesort" && row.verified) curve.push_back({row.count, row.timing.median_s});
      for (const Rival& rival : row.rivals)
        if (rival.name == name && rival.verified) curve.push_back({row.count, rival.timing.median_s});
    }
    return curve;
  }

  // From how many keys on a device is worth the way to it.
  void add_crossovers() {
    const auto add = [this](const char* name) {
      std::string line = std::string(name) + " is faster";
      for (const char* const form : {kOnDevice, kMoved}) {
        line += form == kMoved ? "; with transfers" : "";
        for (const char* const yardstick : {"std::sort", kCpu})
          line += std::string(yardstick == kCpu ? ", than " : " than ") + yardstick + " " +
                  crossover_words(crossover(curve_of(name, form), curve_of(yardstick, form)));
      }
      ladder_.remarks.push_back(line);
    };
    for (const DeviceRung& rung : device_rungs()) add(rung.words.name);
    for (const Rung& rung : lanesort_rungs()) add(rung.name);
  }

  const LadderOptions& options_;
  lanesort_webgpu& handle_;
  Runner runner_;
  const bool timed_;
  std::vector<uint32_t> keys_, sorted_, work_;
  std::map<std::string, std::pair<uint64_t, double>> before_;  // of the count before
  Ladder ladder_;
};

}  // namespace

Ladder climb(const LadderOptions& options, const Gpu& gpu) {
  if (options.dtypes != std::vector<lanesort_dtype>{LANESORT_U32})
    throw Error("the rungs on a WebGPU device sort u32 alone; say --dtype u32, or leave it out");
  return Climb(options, gpu).result();
}

}  // namespace lanesort::bench::ladder_webgpu
