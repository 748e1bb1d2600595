// How a pass moves a tile: the twin of kernels/wgsl/load.wgsl and move.wgsl.
#pragma once
#include <vector>

#include "reference/course.hpp"
#include "reference/ranks.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

inline std::vector<std::uint64_t> load_keys(const Work& work, const Course& course, std::uint64_t begin, std::uint64_t end) {
  const std::uint32_t side = side_read(course, work.flag(contract::kFlagKeysInPlace));
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = begin; i < end; ++i) keys.push_back(work.key(side, i));
  return keys;
}

inline std::vector<std::uint32_t> digits_of(const Work& work, const std::vector<std::uint64_t>& keys) {
  std::vector<std::uint32_t> digits;
  for (const std::uint64_t key : keys) digits.push_back(key_digit(work.step, key_order(work.step, key)));
  return digits;
}

// Of the items in the order of their ranks.
inline std::vector<std::uint32_t> find_targets(const std::vector<std::uint32_t>& digits, const Ranks& ranked,
                                        const std::vector<std::uint32_t>& bases) {
  std::vector<std::uint32_t> targets;
  for (std::uint32_t p = 0; p < digits.size(); ++p) {
    targets.push_back(bases[digits[p]] + p - ranked.digit_starts[digits[p]]);
  }
  return targets;
}

inline void scatter_keys(const Work& work, const Course& course, const std::vector<std::uint64_t>& keys,
                  const std::vector<std::uint32_t>& targets) {
  if (work.flag(contract::kFlagArgsort) && course.nth + 1 == course.pass_total) return;  // nobody reads them
  const std::uint32_t side = side_written(course, course.nth, work.flag(contract::kFlagKeysInPlace));
  for (std::size_t p = 0; p < keys.size(); ++p) work.set_key(side, targets[p], keys[p]);
}

// first: what an argsort's indices count from.
inline void move_values(const Work& work, const Course& course, std::uint64_t begin, std::uint64_t first,
                        const Ranks& ranked, const std::vector<std::uint32_t>& targets) {
  const bool in_place = work.flag(contract::kFlagValuesInPlace);
  const bool from_indices = course.nth == 0 && work.flag(contract::kFlagIota);
  std::vector<Value> values;
  for (std::uint64_t i = begin; i < begin + targets.size(); ++i) {
    values.push_back(from_indices ? Work::value_of_index(i - first) : work.value(side_read(course, in_place), i));
  }
  values = staged(values, ranked);
  const std::uint32_t side = side_written(course, course.nth, in_place);
  for (std::size_t p = 0; p < values.size(); ++p) work.set_value(side, targets[p], values[p]);
}

// A tile to where `bases` say that its digits go on, and they go on behind it.
inline void scatter_tile(const Work& work, const Course& course, std::uint64_t begin, std::uint64_t end,
                         std::uint64_t first, std::vector<std::uint32_t>& bases) {
  std::vector<std::uint64_t> keys = load_keys(work, course, begin, end);
  const Ranks ranked = rank_keys(digits_of(work, keys), work.shape.radix());
  keys = staged(keys, ranked);
  const std::vector<std::uint32_t> targets = find_targets(digits_of(work, keys), ranked, bases);
  scatter_keys(work, course, keys, targets);
  if (work.value_words != 0) move_values(work, course, begin, first, ranked, targets);
  for (std::size_t digit = 0; digit < bases.size(); ++digit) bases[digit] += ranked.digit_counts[digit];
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
