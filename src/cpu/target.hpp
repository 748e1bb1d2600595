// What is compiled once per instruction set. The sources are the -inl.hpp files, included by radix_unit.cpp, which
// the build compiles once for each (instruction set, key width).
#pragma once
#include <cstdint>

#include "cpu/engine.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

struct Selection;

struct Environment {
  Team* team;
  std::uint64_t cache_bytes;  // what one thread may keep close: its level 2 cache
};

struct Target {
  const char* isa;
  // By key width 1, 2, 4, 8. Values of 0, 1, 2, 4, 8, 16 bytes; scratch in its prescribed layout (scratch.hpp).
  void (*sort[4])(const Request& request, const Environment& environment) noexcept;
  void (*select[4])(const Selection& selection, Team& team) noexcept;  // selection.hpp
};

extern const Target kBaseline;
#if defined(__x86_64__)
extern const Target kAvx2;
extern const Target kAvx512;
#endif

// The best one for this machine, or the one that LANESORT_FORCE_ISA in the environment names, if the machine has it.
const Target& chosen_target() noexcept;

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
