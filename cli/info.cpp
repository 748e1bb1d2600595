// info: what this build and this machine can do.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "commands.hpp"
#include "engine.hpp"
#include "report.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
// A line of /proc/meminfo in bytes; 0 where there is none.
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

std::string back_ends() {
  std::string names;
  for (std::uint32_t i = 0; lanesort_backend_name(i) != nullptr; ++i) {
    if (i != 0) names += ' ';
    names += lanesort_backend_name(i);
  }
  return names;
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
  if (const char* const forced = std::getenv("LANESORT_FORCE_ISA")) {
    const bool in_force = cpu.isa == std::string(forced);
    report.add("force_isa", std::string(forced));
    report.add("force_isa_in_force", in_force);
    if (!in_force)
      report.note("LANESORT_FORCE_ISA=" + std::string(forced) + " is not in force: this machine or build has none such");
  }
  report.print_result();
  return kGood;
}

}  // namespace lanesort::cli
