// doctor: does each back end of this machine sort right? A few small sorts on each, held to the standard library's. A back
// end that is not there is no fault, but says what it lacks.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "device.hpp"
#include "engine.hpp"
#include "report.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {

// The same numbers on every machine (splitmix64).
class Numbers {
 public:
  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

 private:
  std::uint64_t state_ = 1;
};

std::vector<std::uint32_t> whole_numbers(std::size_t count) {
  Numbers numbers;
  std::vector<std::uint32_t> keys(count);
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(numbers.next());
  return keys;
}

// Many equal ones, both zeros and NaN among them, so that stability shows.
std::vector<float> fractions(std::size_t count) {
  Numbers numbers;
  std::vector<float> keys(count);
  for (float& key : keys) {
    const std::uint64_t x = numbers.next();
    key = x % 16 == 0 ? std::nanf("") : static_cast<float>(static_cast<std::int64_t>(x % 64) - 32) * 0.25f;
    if (key == 0 && x / 64 % 2 == 1) key = -key;
  }
  return keys;
}

// Sorts on the device that `options` names.
lanesort_status sort_there(const Options& options, lanesort_operation operation, lanesort_sort_desc desc) {
  if (const bench::Gpu* const gpu = gpu_of(options)) return gpu->run(operation, desc, nullptr);
  std::vector<std::byte> scratch(scratch_bytes(operation, desc));
  desc.scratch = scratch.data();
  desc.scratch_bytes = scratch.size();
  return operation == LANESORT_OP_SORT ? lanesort_sort(&desc) : lanesort_sort_pairs(&desc);
}

// Empty where it is right; else what is wrong.
std::string try_keys(const Options& options, std::size_t count) {
  std::vector<std::uint32_t> keys = whole_numbers(count), want = keys;
  std::sort(want.begin(), want.end());
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_U32;
  desc.count = count;
  desc.keys_src = desc.keys_dst = keys.data();
  if (sort_there(options, LANESORT_OP_SORT, desc) != LANESORT_OK) return lanesort_last_error();
  return keys == want ? "" : std::to_string(count) + " u32 keys came out WRONG";
}

std::string try_pairs(const Options& options, std::size_t count) {
  const std::vector<float> keys = fractions(count);
  std::vector<std::uint32_t> places(count), moved(count);
  std::iota(places.begin(), places.end(), 0u);
  std::vector<float> sorted(count);
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_F32;
  desc.count = count;
  desc.value_bytes = 4;
  desc.keys_src = keys.data();
  desc.keys_dst = sorted.data();
  desc.values_src = places.data();
  desc.values_dst = moved.data();
  if (sort_there(options, LANESORT_OP_SORT_PAIRS, desc) != LANESORT_OK) return lanesort_last_error();
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::isnan(keys[b]) ? !std::isnan(keys[a]) : keys[a] < keys[b];
  });
  const auto bits = [](float key) { return std::bit_cast<std::uint32_t>(key); };
  bool right = moved == places;
  for (std::size_t i = 0; i < count && right; ++i) right = bits(sorted[i]) == bits(keys[places[i]]);
  return right ? "" : std::to_string(count) + " f32 keys with values came out WRONG";
}

// What to say of one back end, and whether it is at fault.
std::pair<std::string, bool> examine(const Options& asked, const char* device) {
  Options options = asked;
  options.device = device;
  try {
    const std::string name = device_words(options), there = name == device ? "" : name + ": ";
    std::size_t trials = 0;
    // A software GPU takes seconds to compile what many items need, and is nobody's engine.
    const bool software = name.find("software") != name.npos;
    for (const std::size_t count : {std::size_t{1000}, std::size_t{200'000}}) {
      if (count > 1000 && software) continue;
      for (const auto& trial : {try_keys, try_pairs}) {
        if (const std::string wrong = trial(options, count); !wrong.empty()) return {there + wrong, true};
        ++trials;
      }
    }
    return {there + "sorts right, " + std::to_string(trials) + " trials", false};
  } catch (const DeviceMissing& missing) {
    const std::string words = missing.what();
    return {"not here: " + words.substr(0, words.find('\n')), false};
  }
}

}  // namespace

int doctor_command(const Options& options) {
  Report report(options, "doctor");
  report.add("version", std::string(lanesort_version_string()));
  bool good = true;
  for (const char* device : {"cpu", "cuda", "webgpu"}) {
    const auto [words, fault] = examine(options, device);
    report.add(device, words);
    good = good && !fault;
  }
  report.add("good", good);
  report.print_result();
  return good ? kGood : kSaysNo;
}

}  // namespace lanesort::cli
