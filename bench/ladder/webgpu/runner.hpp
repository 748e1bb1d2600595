// Runs recipes on the device of a handle of lanesort's: keys up, the launches, keys down; by the device's clock and by the
// host's.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/ladder/webgpu/recipe.hpp"
#include "webgpu/handle.hpp"

namespace lanesort::bench::ladder_webgpu {

inline constexpr int kMostAtOnce = 64;  // sorts given to the queue before any of them is waited for

class Buffer;
class Prepared;
class Program;

class Runner {
 public:
  explicit Runner(lanesort_webgpu& handle);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Sorts the keys and says what that took, by the device's clock: its launches alone. name: the rung; what was made for it
  // and the count is kept until another one comes. Throws Error with the device's words.
  double sort_on_device(const std::string& name, const Recipe& recipe, std::span<std::uint32_t> keys);
  // The same by the host's clock, from here and back again.
  double sort_with_transfers(const std::string& name, const Recipe& recipe, std::span<std::uint32_t> keys);
  // The recipe's launches by the device's clock, those of each kernel that follow one another in a pass of their own: seconds
  // by kernel. Of the keys of the last sort.
  std::map<std::string, double> seconds_by_kernel();
  // The launches alone, on memory as it is: the least of some runs. 0: the device has no clock.
  double seconds_of(const Recipe& recipe);

  // What was made for the last rung and count.
  void forget();

  bool has_clock() const;
  lanesort_webgpu& handle() { return handle_; }

 private:
  void prepare(const std::string& name, const Recipe& recipe);
  void warm_up();
  void done();

  lanesort_webgpu& handle_;
  std::map<std::string, std::unique_ptr<Program>> programs_;  // by rung
  std::unique_ptr<Prepared> prepared_;
  std::string prepared_for_;
  double idle_since_s_ = 0;
};

}  // namespace lanesort::bench::ladder_webgpu
