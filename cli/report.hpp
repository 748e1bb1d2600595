// What a command tells about itself: a progress line on a terminal, phases with their rates, one JSON object.
// Invariant: standard output carries results only; all of this goes to standard error, but for --json where no
// data goes to standard output.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "io/file.hpp"
#include "options.hpp"

namespace lanesort::cli {

using Value = std::variant<std::string, std::uint64_t, double, bool>;
using Fields = std::vector<std::pair<std::string, Value>>;

class Report {
 public:
  Report(const Options& options, std::string command);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  // Ends the phase before, unless it has the same name: then it goes on. The meter counts bytes as they move;
  // total_bytes is what there is to do, 0 if not known.
  io::Meter* begin(const char* phase, std::uint64_t total_bytes);
  void end_phase();

  void add(std::string name, Value value) { fields_.emplace_back(std::move(name), std::move(value)); }

  // A remark for people: on standard error, unless -q; with --json a part of the object.
  void note(const std::string& text);

  // Ends the last phase and says how it went, as far as that was asked for.
  void finish();

  // Says nothing about phases: the fields are the result. On standard output, as JSON with --json.
  void print_result();

 private:
  struct Phase {
    std::string name;
    std::uint64_t bytes = 0;
    double seconds = 0;
  };

  void watch();
  void draw(double elapsed_s);
  void erase_line();
  void print_phases() const;
  void print_json(std::FILE* to) const;

  const Options& options_;
  std::string command_;
  Fields fields_;
  std::vector<Phase> done_;
  std::vector<std::string> notes_;

  std::mutex mutex_;  // guards what the watcher reads: current_, total_, drawn_, stop_
  std::condition_variable wake_;
  std::string current_;
  std::uint64_t total_ = 0;
  io::Meter meter_{0};
  bool drawn_ = false, stop_ = false;
  std::chrono::steady_clock::time_point start_, phase_start_;
  bool terminal_ = false;
  std::thread watcher_;
};

}  // namespace lanesort::cli
