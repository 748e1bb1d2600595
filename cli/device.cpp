#include "device.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "bench/nearest.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {

// "webgpu:1", "cuda:0+cpu" in parts.
struct DeviceName {
  lanesort_backend backend = LANESORT_BACKEND_CPU;
  std::uint32_t index = 0;
  bool with_cpu = false;
};

lanesort_backend backend_of(const std::string& name) {
  if (name == "cpu") return LANESORT_BACKEND_CPU;
  if (name == "cuda") return LANESORT_BACKEND_CUDA;
  if (name == "webgpu") return LANESORT_BACKEND_WEBGPU;
  throw Usage("--device " + name + ": no such device; there are auto, cpu, cuda[:i], cuda[:i]+cpu and webgpu[:i]" +
              bench::suggestion(name, device_names()));
}

DeviceName parse_device(std::string text) {
  constexpr std::string_view kWithCpu = "+cpu";
  const bool with_cpu = text.starts_with("cuda") && text.ends_with(kWithCpu);
  if (with_cpu) text.resize(text.size() - kWithCpu.size());
  const auto colon = text.find(':');
  DeviceName name{backend_of(text.substr(0, colon)), 0, with_cpu};
  if (colon == std::string::npos) return name;
  const std::string index = text.substr(colon + 1);
  const bool digits = !index.empty() && index.size() <= 4 &&
                      std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || name.backend == LANESORT_BACKEND_CPU)
    throw Usage("--device " + text + ": only cuda and webgpu take a number, as in cuda:0");
  name.index = static_cast<std::uint32_t>(std::stoul(index));
  return name;
}

[[noreturn]] void refuse(const Options& options, const std::string& why) {
  throw DeviceMissing(
      "--device " + options.device + " cannot be had: " + why +
      "\n  --device auto or cpu sorts the same bytes on this machine; lanesort info lists what is built in");
}

}  // namespace

const bench::Gpu* gpu_of(const Options& options) {
  const DeviceName name = options.device == "auto" ? DeviceName{} : parse_device(options.device);
  if (options.gpu_memory_bytes != 0 && name.backend != LANESORT_BACKEND_CUDA)
    throw Usage("--gpu-mem: limits --device cuda alone, and the device is " + options.device);
  if (name.backend == LANESORT_BACKEND_CPU) return nullptr;
  // Never given back: at the end of the process the driver may have torn itself down before us, and then calls crash.
  static bench::Gpu cuda, webgpu;
  if (name.backend == LANESORT_BACKEND_CUDA) {
    if (cuda.cuda == nullptr && lanesort_cuda_open(name.index, &cuda.cuda) != LANESORT_OK)
      refuse(options, lanesort_last_error());
    cuda.index = name.index;
    cuda.with_cpu = name.with_cpu;
    cuda.memory_bytes = options.gpu_memory_bytes;
    return &cuda;
  }
  if (webgpu.webgpu == nullptr && lanesort_webgpu_open(nullptr, name.index, &webgpu.webgpu) != LANESORT_OK)
    refuse(options, lanesort_last_error());
  webgpu.index = name.index;
  return &webgpu;
}

std::uint64_t meminfo_bytes(const std::string& name) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name + ":")) continue;
    std::uint64_t kilobytes = 0;
    std::istringstream(line.substr(name.size() + 1)) >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

std::string device_words(const Options& options) {
  const bench::Gpu* const gpu = gpu_of(options);
  if (gpu == nullptr) return "cpu";
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  gpu->query(&capabilities);
  return std::string(gpu->name()) + " (" + capabilities.device + ")";
}

}  // namespace lanesort::cli
