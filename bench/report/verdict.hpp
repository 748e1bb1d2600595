// What two measurements of the same work say of each other. Invariant: faster and slower are said only where the
// quartile intervals do not meet, and what is unclear never passes for either. The five words are nvbench's idea.
#pragma once
#include <string_view>

#include "bench/harness.hpp"

namespace lanesort::bench {

enum class Verdict { same, faster, slower, unclear, missing };

// Of `now`, beside `before`. Intervals that meet are the same only where both lie within 5 % of the median before, and
// stand for three samples or more.
Verdict judge(const Timing& now, const Timing& before);

std::string_view verdict_name(Verdict verdict);

}  // namespace lanesort::bench
