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

struct Finding {
  std::string words, limits, mend;  // limits: where it is here; mend: where it is not, or sorts wrong
  bool fault = false;
};

std::string gigabytes(std::uint64_t bytes) { return std::to_string(bytes / 1'000'000'000) + " GB"; }

std::string limits_of(const Options& options) {
  const bench::Gpu* const gpu = gpu_of(options);
  lanesort_capabilities able = LANESORT_CAPABILITIES_INIT;
  if (gpu == nullptr) {
    able = cpu_capabilities();
    return std::string(able.isa) + ", " + std::to_string(able.threads) + " threads, memory " +
           gigabytes(meminfo_bytes("MemTotal")) + ", of which " + gigabytes(meminfo_bytes("MemAvailable")) +
           " are free";
  }
  gpu->query(&able);
  return std::string(able.isa) + ", at most " + std::to_string(able.max_count) + " items a call";
}

std::string mend_of(const std::string& device) {
  if (device == "cuda")
    return "it takes a build where nvcc is, and an NVIDIA driver that is not older than that nvcc (nvidia-smi, nvcc "
           "--version)";
  return "it takes LANESORT_WEBGPU_LIB to name a shared library of Dawn's ('npm ci' in web/ brings "
         "node_modules/bun-webgpu-linux-x64/libwebgpu_wrapper.so) and a Vulkan driver (vulkaninfo --summary)";
}

std::string mend_of_wrong(const std::string& device) {
  return device == "cpu"
             ? "a fault of lanesort's: please report it with what 'lanesort info' says; LANESORT_FORCE_ISA=baseline "
               "may do"
             : "update the driver and report it with what 'lanesort info' says; --device cpu sorts the same bytes";
}

Finding examine(const Options& asked, const char* device) {
  Options options = asked;
  options.device = device;
  std::string there, limits;
  const auto fault = [&](const std::string& words) {
    return Finding{there + words, limits, mend_of_wrong(device), true};
  };
  try {
    const std::string name = device_words(options);
    there = name == device ? "" : name + ": ";
    limits = limits_of(options);
    std::size_t trials = 0;
    // A software GPU takes seconds to compile what many items need, and is nobody's engine.
    const bool software = name.find("software") != name.npos;
    for (const std::size_t count : {std::size_t{1000}, std::size_t{200'000}}) {
      if (count > 1000 && software) continue;
      for (const auto& trial : {try_keys, try_pairs}) {
        if (const std::string wrong = trial(options, count); !wrong.empty()) return fault(wrong);
        ++trials;
      }
    }
    return {there + "sorts right, " + std::to_string(trials) + " trials", limits, {}};
  } catch (const DeviceMissing& missing) {
    const std::string words = missing.what();
    return {"not here: " + words.substr(0, words.find('\n')), {}, mend_of(device)};
  } catch (const io::Failure& failure) { return fault(failure.what()); }
}

}  // namespace

int doctor_command(const Options& options) {
  Report report(options, "doctor");
  report.add("version", std::string(lanesort_version_string()));
  bool good = true;
  for (const char* device : {"cpu", "cuda", "webgpu"}) {
    const Finding found = examine(options, device);
    report.add(device, found.words);
    if (!found.limits.empty()) report.add(std::string(device) + "_limits", found.limits);
    if (!found.mend.empty()) report.add(std::string(device) + "_mend", found.mend);
    good = good && !found.fault;
  }
  report.add("good", good);
  report.print_result();
  return good ? kGood : kSaysNo;
}

}  // namespace lanesort::cli
