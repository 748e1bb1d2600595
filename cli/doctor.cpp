// doctor: does each back end of this machine sort right? A few small sorts on each, held to the standard library's. A back
// end that is not there is no fault, but says what it lacks.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/patterns.hpp"
#include "commands.hpp"
#include "device.hpp"
#include "engine.hpp"
#include "io/failure.hpp"
#include "report.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {

template <class T>
std::span<T> items(io::Buffer& buffer) {
  return {reinterpret_cast<T*>(buffer.data()), buffer.size() / sizeof(T)};
}

io::Buffer keys_of(const char* pattern, lanesort_dtype dtype, std::size_t count) {
  io::Buffer keys(count * lanesort_dtype_bytes(dtype));
  bench::generate({pattern, dtype, count}, {keys.data(), keys.size()});
  return keys;
}

// Empty where it is right; else what is wrong.
std::string try_keys(const Options& options, std::size_t count) {
  io::Buffer keys = keys_of("uniform", LANESORT_U32, count);
  std::vector<std::uint32_t> want(items<std::uint32_t>(keys).begin(), items<std::uint32_t>(keys).end());
  std::sort(want.begin(), want.end());
  sort_keys(options, LANESORT_U32, count, keys);
  return std::ranges::equal(items<std::uint32_t>(keys), want) ? "" : std::to_string(count) + " u32 keys came out WRONG";
}

// Zeros of both signs, infinities and NaNs among them, so that stability shows.
std::string try_pairs(const Options& options, std::size_t count) {
  io::Buffer keys = keys_of("special", LANESORT_F32, count), values(count * sizeof(std::uint32_t));
  const std::vector<float> before(items<float>(keys).begin(), items<float>(keys).end());
  std::vector<std::uint32_t> places(count);
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::copy(places, items<std::uint32_t>(values).begin());
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::isnan(before[b]) ? !std::isnan(before[a]) : before[a] < before[b];
  });
  sort_pairs(options, LANESORT_F32, count, keys, values, sizeof(std::uint32_t));
  const auto bits = [](float key) { return std::bit_cast<std::uint32_t>(key); };
  bool right = std::ranges::equal(items<std::uint32_t>(values), places);
  for (std::size_t i = 0; i < count && right; ++i) right = bits(items<float>(keys)[i]) == bits(before[places[i]]);
  return right ? "" : std::to_string(count) + " f32 keys with values came out WRONG";
}

// What to say of one back end, and whether it is at fault.
std::pair<std::string, bool> examine(const Options& asked, const char* device) {
  Options options = asked;
  options.device = device;
  std::string there;
  try {
    const std::string name = device_words(options);
    there = name == device ? "" : name + ": ";
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
  } catch (const io::Failure& failure) { return {there + failure.what(), true}; }
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
