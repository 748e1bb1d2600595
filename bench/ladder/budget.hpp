// What a rung will take at a size, from what it took at a smaller one; and whether that is too long.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>

#include "bench/report/words.hpp"

namespace lanesort::bench {

// Sorting grows like n log n, give or take a factor of log n.
inline double scaled_seconds(std::uint64_t from, double seconds, std::uint64_t to) {
  if (from == 0) return 0;
  const double n = static_cast<double>(to), m = static_cast<double>(from);
  return seconds * n / m * std::log2(n + 2) / std::log2(m + 2);
}

// "" where it is not.
inline std::string over_budget(double seconds, double budget_s) {
  if (seconds <= budget_s) return {};
  return "past its budget: " + duration_words(seconds) + " expected, " + duration_words(budget_s) +
         " allowed; --budget raises it";
}

}  // namespace lanesort::bench
