// From which count on one way to sort is faster than another, for good.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/report/words.hpp"

namespace lanesort::bench {

struct CountSeconds {
  std::uint64_t count;
  double seconds;
};

struct Crossover {
  enum class Kind { unknown, never, always, at } kind = Kind::unknown;
  double count = 0;  // at: where the lines between the measured counts meet, both axes logarithmic
  std::uint64_t first = 0, last = 0;  // of the counts at which both were measured
};

// Both in the order of their counts. Looks at the last change alone: what is faster below it may be slower again above.
inline Crossover crossover(std::span<const CountSeconds> rung, std::span<const CountSeconds> yardstick) {
  Crossover found;
  double before = 0, count_before = 0;
  for (const CountSeconds& mine : rung)
    for (const CountSeconds& other : yardstick) {
      if (mine.count != other.count || !(mine.seconds > 0) || !(other.seconds > 0)) continue;
      const double lead = std::log(other.seconds / mine.seconds), at = std::log(static_cast<double>(mine.count));
      if (found.kind == Crossover::Kind::unknown) {
        found.first = mine.count;
        found.kind = lead > 0 ? Crossover::Kind::always : Crossover::Kind::never;
      } else if (lead > 0 && before <= 0) {
        found.kind = Crossover::Kind::at;
        found.count = std::exp(count_before + (at - count_before) * before / (before - lead));
      } else if (lead <= 0) {
        found.kind = Crossover::Kind::never;
      }
      found.last = mine.count;
      before = lead, count_before = at;
    }
  return found;
}

inline std::string crossover_words(const Crossover& crossover) {
  switch (crossover.kind) {
    case Crossover::Kind::at:
      return "from " + significant(crossover.count, 2);
    case Crossover::Kind::always:
      return "from " + std::to_string(crossover.first) + " or less";
    case Crossover::Kind::never:
      return "not up to " + std::to_string(crossover.last);
    default:
      return "not measured";
  }
}

}  // namespace lanesort::bench
