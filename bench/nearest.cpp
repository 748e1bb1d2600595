#include "bench/nearest.hpp"

#include <lanesort/lanesort.h>

#include <algorithm>

namespace lanesort::bench {
namespace {

// A letter changed, added, lost, or two neighbours exchanged.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& least = table[i][j];
      least = std::max(i, j);
      if (i == 0 || j == 0) continue;
      least =
          std::min({table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), table[i - 1][j] + 1, table[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        least = std::min(least, table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::min<std::size_t>(word.size() / 2, 3) + 1;
  for (const std::string& candidate : candidates) {
    // A beginning of the right word is nearer than any typing error.
    const std::size_t distance = candidate.starts_with(word) && word.size() > 2 ? 0 : edit_distance(word, candidate);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  return best;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? near : "; did you mean " + near + "?";
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (lanesort_dtype dtype = LANESORT_BOOL; const char* name = lanesort_dtype_name(dtype); ++dtype)
    names.emplace_back(name);
  return names;
}

}  // namespace lanesort::bench
