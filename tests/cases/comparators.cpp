// The comparators that cases ask for, under merge.hpp. Items carry their places.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <lanesort/merge.hpp>
#include <string_view>
#include <vector>

#include "support/random.hpp"

namespace lanesort::test {
namespace {

struct Item {
  std::uint64_t key, place;
};

template <class Before>
void sort_items(std::vector<Item>& items, const Before& before, std::uint32_t threads) {
  merge_sort(items, before, {}, {.threads = threads});
}

bool pair_before(const Item& a, const Item& b) {
  const std::uint64_t a_high = a.key >> 32, b_high = b.key >> 32;
  return a_high != b_high ? a_high < b_high : (a.key & 0xFFFFFFFFu) < (b.key & 0xFFFFFFFFu);
}

}  // namespace
}  // namespace lanesort::test

using namespace lanesort::test;

#pragma GCC visibility push(default)
extern "C" {

void cases_merge_sort(const char* comparator, std::uint32_t threads, const std::uint64_t* keys, std::uint64_t count,
                      std::uint64_t* places) {
  std::vector<Item> items(count);
  for (std::uint64_t i = 0; i < count; ++i) items[i] = {keys[i], i};
  const std::string_view name = comparator;
  std::atomic<std::uint64_t> draws{1};
  if (name == "less") sort_items(items, [](const Item& a, const Item& b) { return a.key < b.key; }, threads);
  if (name == "pairs") sort_items(items, pair_before, threads);
  if (name == "modulo 4") sort_items(items, [](const Item& a, const Item& b) { return a.key % 4 < b.key % 4; }, threads);
  if (name == "random")
    sort_items(items, [&](const Item&, const Item&) { return Random(draws.fetch_add(1)).chance(2); }, threads);
  for (std::uint64_t i = 0; i < count; ++i) places[i] = items[i].place;
}

// Sorts, scrambles and sorts again. "" where every result was right.
const char* cases_merge_soak(std::uint64_t count, std::uint32_t repeats, std::uint64_t seed) {
  Random random(seed);
  std::vector<Item> items(count);
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      items[i] = {random.next() & 0xFFFFFFFFu, i};
      sum += items[i].key * i;
    }
    sort_items(items, [](const Item& a, const Item& b) { return a.key < b.key; }, 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      sum -= items[i].key * items[i].place;
      if (i == 0) continue;
      if (items[i].key < items[i - 1].key) return "not in order";
      if (items[i].key == items[i - 1].key && items[i].place <= items[i - 1].place) return "equal items changed places";
    }
    if (sum != 0) return "items were lost or changed";
  }
  return "";
}
}
#pragma GCC visibility pop
