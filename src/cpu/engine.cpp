// Machine facts, the sizes of scratch, and the way of a request to the compiled unit that runs it.
#include "cpu/engine.hpp"

#if defined(__linux__)
#include <sched.h>
#endif
#include <unistd.h>

#include <cstring>
#include <thread>

#include "cpu/gather.hpp"
#include "cpu/scratch.hpp"
#include "cpu/target.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace {

// Values of these widths travel through the passes; others are gathered by sorted indices afterwards.
bool travels(std::uint32_t value_bytes) {
  return value_bytes == 0 || value_bytes == 1 || value_bytes == 2 || value_bytes == 4 || value_bytes == 8 ||
         value_bytes == 16;
}

// Asked once: under a hypervisor each question to cpuid is a trap of some ten microseconds.
std::uint64_t cache_bytes() noexcept {
  static const std::uint64_t bytes = [] {
#if defined(_SC_LEVEL2_CACHE_SIZE)
    const long found = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (found > 0) return static_cast<std::uint64_t>(found);
#endif
    return std::uint64_t{512 * 1024};
  }();
  return bytes;
}

std::uint32_t index_bytes(std::uint64_t count) { return count <= std::uint64_t{1} << 32 ? 4 : 8; }

std::uint64_t lanes_scratch_bytes(const Request& request) {
  const std::uint32_t parts = useful_threads(request.count, request.threads);
  return layout_scratch(request.count, request.key.bytes, request.value_bytes, request.argsort, parts).end;
}

// A request whose values do not travel, turned into one that sorts indices with the keys. The indices are the first
// thing in scratch, then the copy of values that a sort in place gathers from, then the scratch of the pair sort.
struct Gathering {
  Request pairs;
  std::uint64_t copy_offset;
  std::uint64_t pairs_offset;
};

Gathering plan_gathering(const Request& request) {
  Gathering plan{request, 0, 0};
  plan.pairs.value_bytes = index_bytes(request.count);
  plan.copy_offset = saturating_product(request.count, plan.pairs.value_bytes);
  const bool in_place = request.values_src == request.values_dst;
  plan.pairs_offset =
      saturating_sum(plan.copy_offset, in_place ? saturating_product(request.count, request.value_bytes) : 0);
  return plan;
}

void sort_travelling(const Request& request, Team& team) {
  const Environment environment{&team, cache_bytes()};
  chosen_target().sort[__builtin_ctz(request.key.bytes)](request, environment);
}

void sort_gathering(const Request& request, Team& team) {
  Gathering plan = plan_gathering(request);
  char* const scratch = static_cast<char*>(request.scratch);
  const Values values{request.value_bytes, request.count};
  count_up(scratch, plan.pairs.value_bytes, request.count, team);
  plan.pairs.values_src = scratch;
  plan.pairs.values_dst = scratch;
  plan.pairs.scratch = scratch + plan.pairs_offset;
  sort_travelling(plan.pairs, team);

  const void* source = request.values_src;
  if (request.values_src == request.values_dst) {
    copy_values(request.values_src, scratch + plan.copy_offset, values, team);
    source = scratch + plan.copy_offset;
  }
  if (request.segments.present())
    gather_segments(source, scratch, plan.pairs.value_bytes, request.values_dst, values, request.segments, team);
  else
    gather_values(source, scratch, plan.pairs.value_bytes, request.values_dst, values, team);
}

// Processors that this process may run on, which under taskset or in a container are fewer than there are.
std::uint32_t allowed_processors() noexcept {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return static_cast<std::uint32_t>(CPU_COUNT(&allowed));
#endif
  return std::thread::hardware_concurrency();
}

Machine ask_machine() noexcept {
  Machine machine{};
  const std::uint32_t threads = allowed_processors();
  machine.threads = threads == 0 ? 1 : threads > kMaxThreads ? kMaxThreads : threads;
  machine.isa = chosen_target().isa;
  std::strcpy(machine.device, "CPU");
#if defined(__x86_64__)
  // The processor's brand string, leaves 0x80000002 to 4 of cpuid, 48 bytes padded with zeros.
  for (unsigned leaf = 0; leaf < 3; ++leaf) {
    std::uint32_t words[4];
    __asm__("cpuid" : "=a"(words[0]), "=b"(words[1]), "=c"(words[2]), "=d"(words[3]) : "a"(0x80000002u + leaf), "c"(0));
    std::memcpy(machine.device + leaf * 16, words, sizeof words);
  }
#endif
  return machine;
}

}  // namespace

const Machine& this_machine() noexcept {
  static const Machine machine = ask_machine();
  return machine;
}

std::uint32_t useful_threads(std::uint64_t count, std::uint32_t threads) noexcept {
  const std::uint64_t fed = count / kKeysPerThread;
  if (fed <= 1) return 1;
  return fed < threads ? static_cast<std::uint32_t>(fed) : threads;
}

std::uint64_t sort_scratch_bytes(const Request& request) noexcept {
  if (travels(request.value_bytes)) return lanes_scratch_bytes(request);
  const Gathering plan = plan_gathering(request);
  return saturating_sum(plan.pairs_offset, lanes_scratch_bytes(plan.pairs));
}

void sort(const Request& request) noexcept {
  if (request.count == 0) return;
  const std::uint64_t busy_count = request.segments.present() ? request.segments.span() : request.count;
  Team team(useful_threads(busy_count, request.threads), request.executor);
  if (travels(request.value_bytes))
    sort_travelling(request, team);
  else
    sort_gathering(request, team);
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
