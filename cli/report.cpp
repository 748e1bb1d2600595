#include "report.hpp"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "io/failure.hpp"

namespace lanesort::cli {
namespace {
using Clock = std::chrono::steady_clock;
constexpr double kQuietSeconds = 0.5;  // jobs shorter than this say nothing
constexpr auto kTick = std::chrono::milliseconds(100);

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double rate_gb(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0;
}

std::string shown(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return io::printable(*text);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::get<double>(value));
  return text;
}
}  // namespace

Report::Report(const Options& options, std::string command)
    : options_(options), command_(std::move(command)), start_(Clock::now()) {
  terminal_ = !options_.quiet && !options_.json && isatty(STDERR_FILENO);
  if (terminal_) watcher_ = std::thread([this] { watch(); });
}

Report::~Report() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  watcher_.join();
  erase_line();
}

void Report::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kTick, [this] { return stop_; })) {
    const double elapsed_s = seconds_since(start_);
    if (elapsed_s > kQuietSeconds && !current_.empty()) draw(elapsed_s);
  }
}

void Report::draw(double elapsed_s) {
  const std::uint64_t moved = meter_.load(std::memory_order_relaxed);
  const double phase_s = seconds_since(phase_start_);
  char text[160];
  const bool colour = options_.coloured(stderr);
  int length = std::snprintf(text, sizeof text, "\r%s%s%s", colour ? "\033[1m" : "", current_.c_str(), colour ? "\033[0m" : "");
  if (moved != 0 && total_ != 0) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %3.0f %%",
                            100.0 * static_cast<double>(moved) / static_cast<double>(total_));
  }
  if (moved != 0) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %.2f GB at %.2f GB/s",
                            static_cast<double>(moved) / 1e9, rate_gb(moved, phase_s));
  } else if (total_ != 0) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %.2f GB",
                            static_cast<double>(total_) / 1e9);
  }
  std::fprintf(stderr, "%s, %.1f s   ", text, elapsed_s);
  std::fflush(stderr);
  drawn_ = true;
}

void Report::erase_line() {
  if (!std::exchange(drawn_, false)) return;
  std::fprintf(stderr, "\r%*s\r", 78, "");
  std::fflush(stderr);
}

io::Meter* Report::begin(const char* phase, std::uint64_t total_bytes) {
  if (current_ == phase) {  // goes on, with another file
    const std::lock_guard lock(mutex_);
    total_ += total_bytes;
    return &meter_;
  }
  end_phase();
  const std::lock_guard lock(mutex_);
  current_ = phase;
  total_ = total_bytes;
  meter_ = 0;
  phase_start_ = Clock::now();
  return &meter_;
}

void Report::end_phase() {
  const std::lock_guard lock(mutex_);
  if (current_.empty()) return;
  const std::uint64_t moved = meter_.load(std::memory_order_relaxed);
  done_.push_back({current_, moved != 0 ? moved : total_, seconds_since(phase_start_)});
  current_.clear();
}

void Report::note(const std::string& text) {
  if (options_.json) return notes_.push_back(io::printable(text));
  if (options_.quiet) return;
  const std::lock_guard lock(mutex_);
  erase_line();
  std::fprintf(stderr, "lanesort: %s\n", io::printable(text).c_str());
}

void Report::print_phases() const {
  for (const Phase& phase : done_) {
    std::fprintf(stderr, "%-7s %8.3f s  %9.3f MB  %6.2f GB/s\n", phase.name.c_str(), phase.seconds,
                 static_cast<double>(phase.bytes) / 1e6, rate_gb(phase.bytes, phase.seconds));
  }
  std::fprintf(stderr, "%-7s %8.3f s\n", "all", seconds_since(start_));
}

void Report::print_json(std::FILE* to) const {
  nlohmann::ordered_json root;
  root["schema"] = 1;
  root["command"] = command_;
  for (const auto& [name, value] : fields_) {
    std::visit([&root, &key = name](const auto& v) { root[key] = v; }, value);
  }
  if (!done_.empty()) {
    root["phases"] = nlohmann::ordered_json::array();
    for (const Phase& phase : done_)
      root["phases"].push_back({{"name", phase.name}, {"bytes", phase.bytes}, {"seconds", phase.seconds}});
  }
  if (!notes_.empty()) root["notes"] = notes_;
  root["seconds"] = seconds_since(start_);
  // Names of files may be no UTF-8; they are shown with U+FFFD rather than refused.
  std::fprintf(to, "%s\n", root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  std::fflush(to);
}

void Report::finish() {
  end_phase();
  const std::lock_guard lock(mutex_);
  erase_line();
  const bool long_job = terminal_ && seconds_since(start_) > kQuietSeconds;
  if (!options_.quiet && !options_.json && (options_.stats || options_.verbose || long_job)) print_phases();
  const bool data_on_stdout =
      options_.output == "-" &&
      (options_.command == Command::sort || options_.command == Command::argsort || options_.command == Command::merge ||
       options_.command == Command::gen);
  if (options_.json) print_json(data_on_stdout ? stderr : stdout);
}

void Report::print_result() {
  const std::lock_guard lock(mutex_);
  current_.clear();
  erase_line();
  if (options_.json) return print_json(stdout);
  for (const auto& [name, value] : fields_) std::printf("%-20s %s\n", name.c_str(), shown(value).c_str());
  std::fflush(stdout);
}

}  // namespace lanesort::cli
