#include "bench/report/verdict.hpp"

#include <algorithm>

namespace lanesort::bench {

Verdict judge(const Timing& now, const Timing& before) {
  constexpr std::uint32_t kFewest = 3;
  constexpr double kWithin = 0.05;
  if (now.q3_s < before.q1_s) return Verdict::faster;
  if (now.q1_s > before.q3_s) return Verdict::slower;
  const bool enough = std::min(now.samples, before.samples) >= kFewest;
  const double low = std::min(now.q1_s, before.q1_s), high = std::max(now.q3_s, before.q3_s);
  const bool narrow = low >= (1 - kWithin) * before.median_s && high <= (1 + kWithin) * before.median_s;
  return enough && narrow ? Verdict::same : Verdict::unclear;
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::unclear:
      return "unclear";
    default:
      return "missing";
  }
}

}  // namespace lanesort::bench
