#include "cpu/target.hpp"

#include <cstdlib>
#include <cstring>

#include "cpu/units.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

#define LANESORT_BY_WIDTH(function) {function<1>, function<2>, function<4>, function<8>}
const Target kBaseline = {"baseline", LANESORT_BY_WIDTH(baseline::sort_width), LANESORT_BY_WIDTH(baseline::select_width)};
#if defined(LANESORT_HAS_avx2)
const Target kAvx2 = {"avx2", LANESORT_BY_WIDTH(avx2::sort_width), LANESORT_BY_WIDTH(avx2::select_width)};
#endif
#if defined(LANESORT_HAS_avx512)
const Target kAvx512 = {"avx512", LANESORT_BY_WIDTH(avx512::sort_width), LANESORT_BY_WIDTH(avx512::select_width)};
#endif
#undef LANESORT_BY_WIDTH

namespace {

struct Candidate {
  const Target* target;
  bool (*runs_here)();
};

// What the units are compiled for (CMakeLists.txt), and no more.
#if defined(LANESORT_HAS_avx2)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#endif
#if defined(LANESORT_HAS_avx512)
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

// The best first.
const Candidate kCandidates[] = {
#if defined(LANESORT_HAS_avx512)
    {&kAvx512, has_avx512},
#endif
#if defined(LANESORT_HAS_avx2)
    {&kAvx2, has_avx2},
#endif
    {&kBaseline, [] { return true; }},
};

const Target& choose() noexcept {
  const char* const forced = std::getenv("LANESORT_FORCE_ISA");
  if (forced != nullptr) {
    for (const Candidate& candidate : kCandidates) {
      if (std::strcmp(candidate.target->isa, forced) == 0 && candidate.runs_here()) return *candidate.target;
    }
  }
  for (const Candidate& candidate : kCandidates) {
    if (candidate.runs_here()) return *candidate.target;
  }
  return kBaseline;
}

}  // namespace

const Target& chosen_target() noexcept {
  static const Target& chosen = choose();
  return chosen;
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
