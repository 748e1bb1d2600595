// Segments for tests: where they begin and end.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

namespace lanesort::test {

struct Offsets {
  std::vector<std::uint64_t> begins, ends;
  bool joined = false;  // one list of n+1: no gaps
};

// Lengths are drawn around a scale that changes, so that every way of sorting a segment stands beside every other.
inline Offsets draw_offsets(Random& random, std::uint64_t count) {
  Offsets offsets;
  offsets.joined = random.chance(2);
  const std::uint64_t gaps = offsets.joined ? 0 : 1 + random.below(4);
  std::uint64_t at = gaps == 0 || random.chance(2) ? 0 : random.below(count / 4 + 1);
  std::uint64_t scale = 1 + random.below(200);
  while (at < count) {
    if (random.chance(30)) scale = 1 + (random.below(4096) >> random.below(12));
    const std::uint64_t length = random.chance(8) ? 0 : std::min(count - at, random.below(2 * scale + 1));
    offsets.begins.push_back(at);
    offsets.ends.push_back(at += length);
    if (gaps != 0 && random.chance(gaps)) at = std::min(count, at + random.below(scale));
    if (random.chance(2000)) break;
  }
  return offsets;
}

// As a device reads them: begins, where joined and the last one's end.
inline std::vector<std::uint32_t> begin_words(const Offsets& offsets) {
  std::vector<std::uint32_t> words(offsets.begins.begin(), offsets.begins.end());
  if (offsets.joined) words.push_back(offsets.ends.empty() ? 0 : static_cast<std::uint32_t>(offsets.ends.back()));
  return words;
}
inline std::vector<std::uint32_t> end_words(const Offsets& offsets) {
  return offsets.joined ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>(offsets.ends.begin(), offsets.ends.end());
}

// The same, none past `count`.
inline Offsets clamped(Offsets offsets, std::uint64_t count) {
  for (std::uint64_t& begin : offsets.begins) begin = std::min(begin, count);
  for (std::uint64_t& end : offsets.ends) end = std::min(end, count);
  return offsets;
}

// Do they fall or overlap? Then a device sorts nothing.
inline bool are_broken(const Offsets& offsets) {
  std::uint64_t floor = 0;
  for (std::size_t s = 0; s < offsets.begins.size(); floor = offsets.ends[s], ++s)
    if (offsets.begins[s] < floor || offsets.ends[s] < offsets.begins[s]) return true;
  return false;
}

}  // namespace lanesort::test
