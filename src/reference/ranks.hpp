// The place of each of a tile's items when the tile is sorted by digit, stably: the twin of the files
// kernels/wgsl/rank_*.wgsl, by counting.
#pragma once
#include <cstdint>
#include <vector>

namespace lanesort {
inline namespace v1 {
namespace reference {

struct Ranks {
  std::vector<std::uint32_t> ranks, digit_starts, digit_counts;
};

inline Ranks rank_keys(const std::vector<std::uint32_t>& digits, std::uint32_t radix) {
  Ranks out;
  out.digit_counts.resize(radix);
  for (const std::uint32_t digit : digits) ++out.digit_counts.at(digit);
  std::uint32_t start = 0;
  for (const std::uint32_t count : out.digit_counts) {
    out.digit_starts.push_back(start);
    start += count;
  }
  std::vector<std::uint32_t> next = out.digit_starts;
  for (const std::uint32_t digit : digits) out.ranks.push_back(next[digit]++);
  return out;
}

// The items into the order of their ranks.
template <class Item>
std::vector<Item> staged(const std::vector<Item>& items, const Ranks& ranked) {
  std::vector<Item> out(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) out[ranked.ranks[i]] = items[i];
  return out;
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
