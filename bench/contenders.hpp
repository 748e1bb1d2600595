// Whoever sorts the input of an arena, timed in turn.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bench/arena.hpp"

namespace lanesort::bench {

class Contender {
 public:
  Contender(std::string name, std::string version) : name_(std::move(name)), version_(std::move(version)) {}
  virtual ~Contender() = default;
  virtual void prepare() = 0;                    // fresh input for every array, untimed
  virtual bool sort_array(std::uint64_t a) = 0;       // what is timed
  // What a clock of the contender's own says of the array just sorted; none where the harness's is right.
  virtual std::optional<double> own_seconds() const { return {}; }
  virtual std::string fault_of(std::uint64_t a) = 0;  // of the array just sorted
  virtual std::optional<std::uint64_t> scratch_bytes() const { return {}; }  // memory beside the arrays; none: not known
  virtual std::optional<double> host_share() const { return {}; }  // of the work of a device and the CPU together
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }

 private:
  std::string name_, version_;
};

// lanesort/merge.hpp on records.
RivalEntry merge_sort_entry();

// They keep a reference to the arena.
std::unique_ptr<Contender> make_lanesort(const Arena& arena, Form form, const lanesort_capabilities& capabilities,
                                         const char* name = "lanesort");
// The first arena.task.k, from the arena's keys to buffers of its own; by the CPU where gpu is NULL.
std::unique_ptr<Contender> make_top_k(const Arena& arena, const lanesort_capabilities& capabilities, const Gpu* gpu);
enum class Clock { device, host };
std::unique_ptr<Contender> make_lanesort_on(const Arena& arena, Form form, const Gpu& gpu, const char* name,
                                            Clock clock);
std::unique_ptr<Contender> make_rival(const Arena& arena, Form form, const RivalEntry& entry, const RivalCase& request);

}  // namespace lanesort::bench
