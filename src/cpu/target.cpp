#include "cpu/target.hpp"

#include <cstdlib>
#include <cstring>

#include "cpu/units.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

const Target kBaseline = {
    "baseline", {baseline::sort_width<1>, baseline::sort_width<2>, baseline::sort_width<4>, baseline::sort_width<8>}};
#if defined(LANESORT_HAS_avx2)
const Target kAvx2 = {"avx2", {avx2::sort_width<1>, avx2::sort_width<2>, avx2::sort_width<4>, avx2::sort_width<8>}};
#endif
#if defined(LANESORT_HAS_avx512)
const Target kAvx512 = {"avx512",
                        {avx512::sort_width<1>, avx512::sort_width<2>, avx512::sort_width<4>, avx512::sort_width<8>}};
#endif

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
