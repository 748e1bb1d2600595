// info: what this build and this machine can do.
#include <unistd.h>

#include <cstdlib>

#include "commands.hpp"
#include "device.hpp"
#include "engine.hpp"
#include "report.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
std::string back_ends() {
  std::string names;
  for (std::uint32_t i = 0; lanesort_backend_name(i) != nullptr; ++i) {
    if (i != 0) names += ' ';
    names += lanesort_backend_name(i);
  }
  return names;
}

// What --device cuda would use, or why it cannot be had.
void add_cuda(Report& report) {
  lanesort_capabilities gpu = LANESORT_CAPABILITIES_INIT;
  if (lanesort_query_capabilities(LANESORT_BACKEND_CUDA, &gpu) != LANESORT_OK)
    return report.add("cuda_missing", std::string(lanesort_last_error()));
  report.add("cuda_device", std::string(gpu.device));
  report.add("cuda_isa", std::string(gpu.isa));
}

// What --device webgpu would use; nothing where no library is named. Returns how it ranks keys.
std::string add_webgpu(Report& report) {
  const char* const library = std::getenv("LANESORT_WEBGPU_LIB");
  if (library == nullptr || *library == '\0') return {};
  lanesort_capabilities gpu = LANESORT_CAPABILITIES_INIT;
  if (lanesort_query_capabilities(LANESORT_BACKEND_WEBGPU, &gpu) != LANESORT_OK) {
    report.add("webgpu_missing", std::string(lanesort_last_error()));
    return {};
  }
  report.add("webgpu_device", std::string(gpu.device));
  report.add("webgpu_isa", std::string(gpu.isa));
  report.add("webgpu_most_items", gpu.max_count);
  return gpu.isa;
}
}  // namespace

int info_command(const Options& options) {
  const lanesort_capabilities cpu = cpu_capabilities();
  Report report(options, "info");
  report.add("version", std::string(lanesort_version_string()));
  report.add("back_ends", back_ends());
  report.add("device", std::string(cpu.device));
  report.add("isa", std::string(cpu.isa));
  report.add("threads", std::uint64_t{cpu.threads});
  report.add("most_threads", std::uint64_t{LANESORT_MAX_THREADS});
  report.add("most_items", cpu.max_count);
  report.add("memory_bytes", meminfo_bytes("MemTotal"));
  report.add("memory_free_bytes", meminfo_bytes("MemAvailable"));
  add_cuda(report);
  const std::string webgpu_isa = add_webgpu(report);
  if (const char* const forced = std::getenv("LANESORT_FORCE_ISA")) {
    const bool in_force = forced == std::string(cpu.isa) || forced == webgpu_isa;
    report.add("force_isa", std::string(forced));
    report.add("force_isa_in_force", in_force);
    if (!in_force)
      report.note("LANESORT_FORCE_ISA=" + std::string(forced) + " is not in force: this machine or build has none such");
  }
  report.print_result();
  return kGood;
}

}  // namespace lanesort::cli
