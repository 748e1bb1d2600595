// How a row comes about: make the input, let every contender sort it once and prove the result, then go round the
// contenders, a sample each, until each has said enough.
#include "bench/harness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "bench/contenders.hpp"
#include "bench/cuda_contenders.hpp"
#include "bench/proof.hpp"
#include "bench/rivals.hpp"
#include "bench/segments.hpp"
#include "trace/phase.hpp"

namespace lanesort::bench {
namespace {

using std::uint64_t;

struct Samples {
  std::unique_ptr<Contender> contender;
  std::vector<double> seconds;  // of one array
  std::vector<double> calls;    // of one array too, by the host's clock; only where the contender has one of its own
  double spent_s = 0;           // on the host's clock
  std::uint32_t least = 0;
  std::string fault;
  bool done = false;
};

// Sorts every array of a sample; seconds per array, or a negative number where the contender gave up.
double take_sample(const Arena& arena, Samples& samples) {
  Contender& contender = *samples.contender;
  {
    const trace::Phase phase("fresh input");
    contender.prepare();
  }
  const trace::Phase phase(contender.name().c_str());
  double own_s = 0;
  bool has_own = false;
  const double begin = seconds_now();
  for (uint64_t a = 0; a < arena.arrays; ++a) {
    if (!contender.sort_array(a)) return -1;
    const std::optional<double> seconds = contender.own_seconds();
    has_own = seconds.has_value();
    own_s += seconds.value_or(0);
  }
  const double spent_s = seconds_now() - begin;
  samples.spent_s += spent_s;
  if (has_own) samples.calls.push_back(spent_s / static_cast<double>(arena.arrays));
  return (has_own ? own_s : spent_s) / static_cast<double>(arena.arrays);
}

// Values are put out of order first, so that a contender that does nothing cannot pass on what another one left.
void prove(const Arena& arena, Samples& samples, double budget_s) {
  std::memset(arena.work.data(), 0xCD, arena.work.span().size());
  const double seconds = take_sample(arena, samples);
  if (seconds < 0) {
    samples.fault = samples.contender->name() == "lanesort" ? lanesort_last_error() : "it gave up";
  }
  for (uint64_t a = 0; a < arena.arrays && samples.fault.empty(); ++a) samples.fault = samples.contender->fault_of(a);
  samples.done = !samples.fault.empty();
  constexpr std::uint32_t kLeast = 5, kLeastOfSlow = 3;
  samples.least = samples.spent_s > budget_s ? kLeastOfSlow : kLeast;
  samples.spent_s = 0;
  samples.calls.clear();
}

Timing summarise(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(seconds.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, seconds.size() - 1);
    return seconds[below] + (place - static_cast<double>(below)) * (seconds[above] - seconds[below]);
  };
  return {quantile(0.5), quantile(0.25), quantile(0.75), static_cast<std::uint32_t>(seconds.size())};
}

// Enough when the median is known to half a percent (McGill's notch, 1.57 IQR / sqrt n), or the time is spent.
bool enough(const Samples& samples, double budget_s) {
  constexpr std::size_t kMost = 1000;
  if (samples.seconds.size() < samples.least) return false;
  if (samples.spent_s >= budget_s || samples.seconds.size() >= kMost) return true;
  const Timing timing = summarise(samples.seconds);
  return 1.57 * (timing.q3_s - timing.q1_s) / std::sqrt(timing.samples) < 0.005 * timing.median_s;
}

void go_round(const Arena& arena, std::vector<Samples>& all, double budget_s) {
  for (bool working = true; working;) {
    working = false;
    for (Samples& samples : all) {
      if (samples.done) continue;
      working = true;
      const double seconds = take_sample(arena, samples);
      if (seconds < 0) samples.fault = "it gave up in the middle";
      samples.seconds.push_back(seconds);
      samples.done = !samples.fault.empty() || enough(samples, budget_s);
    }
  }
}

const char* op_name(lanesort_operation op) {
  switch (op) {
    case LANESORT_OP_SORT:
      return "sort";
    case LANESORT_OP_SORT_PAIRS:
      return "sort_pairs";
    default:
      return "argsort";
  }
}

bool is_float(lanesort_dtype dtype) { return dtype >= LANESORT_F16; }

// gpu NULL: of the CPU.
lanesort_capabilities ask_device(const Gpu* gpu) {
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  const lanesort_status status =
      gpu != nullptr ? gpu->query(&capabilities) : lanesort_query_capabilities(LANESORT_BACKEND_CPU, &capabilities);
  if (status != LANESORT_OK) throw Error(lanesort_last_error());
  return capabilities;
}

// CUB's shared object, where arrays on the device are sorted beside it; NULL: host arrays, or the CPU.
const cuda::Table* device_arrays(const BenchOptions& options) {
  const bool asked = options.gpu != nullptr && options.gpu->cuda != nullptr && !options.gpu->with_cpu &&
                     !options.rivals.empty() && options.op != LANESORT_OP_TOP_K;
  return asked ? installed_cuda_rivals().table : nullptr;
}

std::vector<Samples> enter(const Arena& arena, const BenchOptions& options, const lanesort_capabilities& capabilities) {
  std::vector<Samples> all;
  const Task& task = arena.task;
  if (task.k != 0) {
    all.emplace_back().contender = make_top_k(arena, capabilities, options.gpu);
    const char* const whole = task.op == LANESORT_OP_SORT ? "lanesort, sort of all" : "lanesort, argsort of all";
    all.emplace_back().contender = options.gpu != nullptr
                                       ? make_lanesort_on(arena, options.form, *options.gpu, whole, Clock::device)
                                       : make_lanesort(arena, options.form, capabilities, whole);
    return all;
  }
  if (const cuda::Table* const table = device_arrays(options)) {
    for (auto& contender : make_cuda_contenders(arena, options, *table))
      all.emplace_back().contender = std::move(contender);
    return all;
  }
  if (options.gpu != nullptr) {
    const Gpu& gpu = *options.gpu;
    all.emplace_back().contender =
        make_lanesort_on(arena, options.form, gpu, "lanesort", gpu.with_cpu ? Clock::host : Clock::device);
    if (!gpu.with_cpu) return all;
    Gpu alone = gpu;
    alone.with_cpu = false;
    all.emplace_back().contender =
        make_lanesort_on(arena, options.form, alone, "lanesort, the device alone", Clock::host);
    all.emplace_back().contender = make_lanesort(arena, options.form, ask_device(nullptr), "lanesort, the cpu alone");
    return all;
  }
  const RivalCase request{task.op,          task.dtype,   task.order,
                          task.value_bytes, task.threads, is_float(task.dtype) && may_hold_nan(options.pattern),
                          task.count};
  all.emplace_back().contender = options.by_comparator
                                     ? make_rival(arena, options.form, merge_sort_entry(), request)
                                     : make_lanesort(arena, options.form, capabilities);
  for (const RivalEntry& entry : options.entries) {
    if (task.whole_key() && entry.can(request)) all.emplace_back().contender = make_rival(arena, options.form, entry, request);
  }
  if (options.rivals.empty() || !task.whole_key()) return all;
  for (const RivalEntry& entry : installed_rivals().entries) {
    const bool wanted = options.rivals == "*" || std::string_view(entry.name).starts_with(options.rivals);
    if (wanted && entry.can(request)) all.emplace_back().contender = make_rival(arena, options.form, entry, request);
  }
  return all;
}

// And what was forced upon it, lest a row with signals withheld pass for one without.
std::string webgpu_engine(const Task& task, const Gpu& gpu) {
  const lanesort_sort_desc desc = describe(task);
  std::string engine = lanesort_webgpu_engine(gpu.webgpu, task.op, &desc);
  if (const char* const forced = std::getenv("LANESORT_FORCE_FORM")) {
    if (const char* const more = std::strchr(forced, ',')) engine += more;
  }
  return engine;
}

Row describe_row(const Task& task, const BenchOptions& options, const lanesort_capabilities& capabilities) {
  Row row;
  row.backend = options.gpu != nullptr ? options.gpu->name() : "cpu";
  row.op = task.k != 0 ? "top_k" : options.by_comparator ? "merge_sort" : op_name(task.op);
  row.key = lanesort_dtype_name(task.dtype);
  row.value_bytes = task.value_bytes;
  row.count = task.count;
  row.pattern = options.pattern;
  if (task.k != 0) row.pattern += fmt::format(", k {}", task.k);
  if (!options.segments.empty()) row.pattern += ", segments " + options.segments;
  row.order = task.order == LANESORT_ASCENDING ? "asc" : "desc";
  row.form = options.form == Form::in_place ? "in_place" : "src_dst";
  row.engine = options.gpu != nullptr && options.gpu->webgpu != nullptr ? webgpu_engine(task, *options.gpu) : options.by_comparator ? "merge" : capabilities.isa;
  if (std::string_view(capabilities.isa) == "no_subgroups") row.engine += ", no subgroups";
  row.bit_begin = task.bit_begin;
  row.bit_end = task.bit_end;
  return row;
}

// Bytes that one pass over the task reads and writes at least.
double pass_bytes(const Task& task) {
  const double key = task.key_bytes, value = task.value_bytes;
  if (task.k != 0) return static_cast<double>(task.count) * key;
  return static_cast<double>(task.count) * (task.op == LANESORT_OP_ARGSORT ? key + value : 2 * (key + value));
}

Row measure(const Task& task, const BenchOptions& options, const lanesort_capabilities& capabilities,
            double copy_speed) {
  const auto say = [&](const std::string& text) {
    if (options.progress) options.progress(fmt::format("{} keys: {}", task.count, text));
  };
  say("making the input");
  const Arena arena = [&] {
    const trace::Phase phase("make the input");
    return make_arena(task, options);
  }();
  std::vector<Samples> all = enter(arena, options, capabilities);
  for (Samples& samples : all) {
    say("verifying " + samples.contender->name());
    const trace::Phase phase("prove");
    prove(arena, samples, options.seconds_per_contender);
  }
  say("measuring");
  go_round(arena, all, options.seconds_per_contender);

  Row row = describe_row(task, options, capabilities);
  row.scratch_bytes = all.front().contender->scratch_bytes();
  if (const auto share = all.front().contender->host_share())
    row.engine += fmt::format(", {:.0f} % by the cpu", 100 * *share);
  row.fault = all.front().fault;
  row.verified = row.fault.empty();
  if (row.verified) {
    row.timing = summarise(all.front().seconds);
    if (device_arrays(options) == nullptr) row.call = summarise(all.front().calls);
    if (row.timing.median_s > 0) row.keys_per_s = static_cast<double>(task.count) / row.timing.median_s;
    if (copy_speed > 0) row.copy_share = pass_bytes(task) / copy_speed / row.timing.median_s;
  }
  for (const Samples& samples : std::span(all).subspan(1)) {
    const bool verified = samples.fault.empty();
    row.rivals.push_back({samples.contender->name(), samples.contender->version(),
                          verified ? summarise(samples.seconds) : Timing{}, verified, samples.fault});
  }
  return row;
}

Task make_task(const BenchOptions& options, std::uint32_t threads) {
  Task task{options.op, options.dtype, options.order, lanesort_dtype_bytes(options.dtype), options.value_bytes, threads,
            options.bit_begin, options.bit_end, 0, 0, {}};
  if (task.key_bytes == 0) throw Error(fmt::format("dtype number {} is none; lanesort.h lists them", options.dtype));
  if (options.by_comparator) {
    if (task.dtype != LANESORT_U64 || (task.value_bytes != 0 && task.value_bytes != 24))
      throw Error("records of merge.hpp are structs of 32 bytes here: keys of u64, values of 24 bytes");
    task.value_bytes = 24;
  }
  if (options.op == LANESORT_OP_TOP_K) {
    if (options.k == 0) throw Error("top_k keeps k keys; say how many, at least 1");
    if (!options.segments.empty()) throw Error("top_k takes the whole; leave segments out");
    task.k = options.k;
    task.op = task.value_bytes == 0 ? LANESORT_OP_SORT : LANESORT_OP_ARGSORT;
  } else if (options.k != 0) {
    throw Error("k is top_k's; the other operations order all keys");
  }
  if (options.gpu != nullptr && options.gpu->with_cpu && task.k != 0)
    throw Error("top_k is one device's alone; leave the CPU out");
  if (options.gpu != nullptr && options.by_comparator) throw Error("merge.hpp runs on the CPU; leave the device out");
  if (options.gpu != nullptr && options.gpu->memory_bytes != 0 && device_arrays(options) != nullptr)
    throw Error(
        "rivals sort what lies on the device; a limit of its memory is for host arrays, so leave one of the two out");
  if (task.op == LANESORT_OP_SORT && task.value_bytes != 0) {
    throw Error(
        fmt::format("sort has no values, but {} bytes of value were asked for; use sort_pairs", task.value_bytes));
  }
  if (task.op != LANESORT_OP_SORT && task.value_bytes == 0) task.value_bytes = 4;
  if (task.op == LANESORT_OP_ARGSORT && task.value_bytes != 4 && task.value_bytes != 8) {
    throw Error(fmt::format("an index of {} bytes is not offered; argsort has 4 and 8", task.value_bytes));
  }
  return task;
}

Environment describe_environment(const lanesort_capabilities& device, std::uint32_t threads, bool by_host_clock) {
  Environment environment{device.device, "", compiler_name(), build_commit(), utc_date(), device.isa, threads, 0, load_average()};
  if (device.backend == LANESORT_BACKEND_CPU) {
    environment.copy_bytes_per_s = copy_bytes_per_s(threads);
    return environment;
  }
  if (const std::size_t split = environment.device.find("; "); split != std::string::npos) {
    environment.driver = environment.device.substr(split + 2);
    environment.device.resize(split);
  }
  environment.threads = by_host_clock ? threads : 0;
  environment.device_clock = !by_host_clock;
  return environment;
}

// What a reader of the report has to know of how it came about.
std::vector<std::string> remarks(const BenchOptions& options, const Environment& environment) {
  std::vector<std::string> notes;
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  if (environment.load_average > 0.5 * processors) {
    notes.push_back(
        fmt::format("the machine was busy before the first sample (load average {:.1f} on {} processors); "
                    "trust ratios more than times",
                    environment.load_average, processors));
  }
  if (environment.driver.starts_with("software")) notes.push_back("a software driver: no figure of it says anything about a GPU");
  if (options.rivals.empty() || options.op == LANESORT_OP_TOP_K) return notes;
  if (options.gpu != nullptr && options.gpu->with_cpu)
    notes.push_back("no rivals: none shares its work between a device and the CPU");
  else if (options.gpu != nullptr && options.gpu->cuda == nullptr)
    notes.push_back("no rivals: none is on a WebGPU device yet");
  else if (options.bit_begin != 0 || options.bit_end != LANESORT_ALL_BITS)
    notes.push_back("no rivals: none orders by some bits of the key");
  else if (options.gpu != nullptr)
    notes.push_back(device_arrays(options) == nullptr ? installed_cuda_rivals().trouble
                                                      : "arrays on the device; of the rivals' forms, cub may use both "
                                                        "buffers of a pair, cub plain keeps its input");
  else if (installed_rivals().entries.empty())
    notes.push_back(installed_rivals().trouble);
  return notes;
}

}  // namespace

bool all_verified(const BenchReport& report) {
  return std::all_of(report.rows.begin(), report.rows.end(), [](const Row& row) { return row.verified; });
}

BenchReport run(const BenchOptions& asked) {
  BenchOptions options = asked;
  options.pattern = canonical_pattern(asked.pattern);
  if (options.op == LANESORT_OP_ARGSORT || options.op == LANESORT_OP_TOP_K) options.form = Form::src_dst;
  const lanesort_capabilities capabilities = ask_device(options.gpu);
  const std::uint32_t processors = ask_device(nullptr).threads;
  const std::uint32_t threads = options.threads == 0 ? processors : std::min(options.threads, processors);
  Task task = make_task(options, threads);

  BenchReport report;
  report.environment = describe_environment(capabilities, threads, options.gpu != nullptr && options.gpu->with_cpu);
  if (const cuda::Table* const table = device_arrays(options)) {
    if (!table->choose_device(static_cast<int>(options.gpu->index)))
      throw Error(std::string("CUB's runtime: ") + table->trouble());
    const int version = table->driver_version();
    report.environment.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
    report.environment.copy_bytes_per_s = cuda_copy_bytes_per_s(*table);
  }
  report.notes = remarks(options, report.environment);
  for (const uint64_t count : options.counts) {
    task.count = count;
    std::vector<uint64_t> offsets;
    if (!options.segments.empty()) offsets = make_offsets(options.segments, count, options.seed);
    task.offsets = offsets;
    report.rows.push_back(measure(task, options, capabilities, report.environment.copy_bytes_per_s));
  }
  return report;
}

}  // namespace lanesort::bench
