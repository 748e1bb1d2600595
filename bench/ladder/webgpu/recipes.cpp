#include "bench/ladder/webgpu/recipes.hpp"

#include <algorithm>
#include <bit>

namespace lanesort::bench::ladder_webgpu {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr uint64_t kLanes = 256;  // of a workgroup, in every kernel

struct Part {
  const char *name, *text;
};

// bench/ladder/wgsl, brought in when this is built.
constexpr Part kParts[] = {
#include "ladder_wgsl.inc"
};

std::string text_of(std::string_view name) {
  for (const Part& part : kParts)
    if (name == part.name) return part.text;
  return {};
}

constexpr uint64_t blocks(uint64_t items, uint64_t of) { return (items + of - 1) / of; }
constexpr uint32_t word(uint64_t number) { return static_cast<uint32_t>(number); }

// Longer merges of a bitonic network: of runs of `run` keys on, columns of strides down to `shortest`.
void add_merge(Recipe& recipe, uint64_t count, uint64_t run, uint64_t shortest) {
  const uint64_t exchanges = std::bit_ceil(count) / 2;
  const auto column = [&](uint64_t stride, bool mirrored) {
    recipe.launches.push_back(
        {"exchange", 0, blocks(exchanges, kLanes), {word(count), word(stride), mirrored ? 1u : 0u}});
  };
  column(run, true);
  for (uint64_t stride = run / 2; stride >= shortest && stride != 0; stride /= 2) column(stride, false);
}

// Rows of sums above the counts, each a block's, until a block holds a row: where they begin and how long they are.
struct Level {
  uint64_t begin, length;
};

std::vector<Level> levels_of(uint64_t counts) {
  constexpr uint64_t kBlock = 8 * kLanes;  // of scan_blocks
  std::vector<Level> levels{{0, counts}};
  do levels.push_back({levels.back().begin + levels.back().length, blocks(levels.back().length, kBlock)});
  while (levels.back().length > 1);
  return levels;
}

void add_digit_major_scan(Recipe& recipe, Params params) {
  const std::vector<Level> levels = levels_of(kBins * params[1]);
  const auto launch = [&](const char* kernel, std::size_t level) {
    params[3] = word(levels[level].begin), params[4] = word(levels[level].length);
    params[5] = word(levels[level + 1].begin);
    recipe.launches.push_back({kernel, 0, levels[level + 1].length, params});
  };
  for (std::size_t level = 0; level + 1 < levels.size(); ++level) launch("scan_blocks", level);
  for (std::size_t level = levels.size() - 2; level-- > 0;) launch("add_totals", level);
}

void add_group_major_scan(Recipe& recipe, Params params) {
  const uint64_t groups = params[1];
  const auto launch = [&](const char* kernel, uint64_t length, uint64_t workgroups) {
    params[4] = word(length);
    if (workgroups != 0) recipe.launches.push_back({kernel, 0, workgroups, params});
  };
  for (uint64_t length = 1; 2 * length <= groups; length *= 2) launch("sweep_up", length, groups / (2 * length));
  for (uint64_t length = std::bit_floor(groups) / 2; length != 0; length /= 2)
    launch("sweep_down", length, (groups - length) / (2 * length));
  launch("find_begins", 0, 1);
}

}  // namespace

Recipe chunk_sort_recipe(uint64_t count) {
  constexpr uint64_t kChunk = 512, kDigits = 4, kDigitBits = 2;
  const uint64_t chunks = blocks(count, kChunk), row = std::bit_ceil(chunks), bytes = 4 * count;
  Recipe recipe{text_of("chunk_sort"), {"rank_chunk", "scan_totals", "move_items"}, {}, 2, {}, {}, {}, 0};
  recipe.buffers = {bytes, bytes, bytes, bytes, bytes, 4 * kDigits * row};  // keys, ids; those again; ranks; totals
  recipe.bindings = {{0, 1, 2, 3, 4, 5}, {2, 3, 0, 1, 4, 5}};
  for (uint32_t shift = 0; shift < 32; shift += kDigitBits) {
    const std::size_t bindings = shift / kDigitBits % 2;
    const Params params{word(count), word(chunks), word(row), shift};
    recipe.launches.push_back({"rank_chunk", bindings, chunks, params});
    recipe.launches.push_back({"scan_totals", bindings, 1, params});
    recipe.launches.push_back({"move_items", bindings, chunks, params});
  }
  return recipe;
}

Recipe bitonic_global_recipe(uint64_t count) {
  Recipe recipe{text_of("bitonic_global"), {"exchange"}, {}, 0, {4 * count}, {{0}}, {}, 0};
  for (uint64_t run = 1; run < count; run *= 2) add_merge(recipe, count, run, 1);
  return recipe;
}

Recipe bitonic_shared_recipe(uint64_t count) {
  constexpr uint64_t kTile = 4096;
  Recipe recipe{text_of("bitonic_shared"), {"sort_tile", "exchange", "merge_tile"}, {}, 0, {4 * count}, {{0}}, {}, 0};
  const Params params{word(count)};
  recipe.launches.push_back({"sort_tile", 0, blocks(count, kTile), params});
  for (uint64_t run = kTile; run < count; run *= 2) {
    add_merge(recipe, count, run, kTile);
    recipe.launches.push_back({"merge_tile", 0, blocks(count, kTile), params});
  }
  return recipe;
}

uint64_t radix_histograms(uint32_t rounds, uint64_t count) { return blocks(count, rounds * kLanes); }

Recipe radix_recipe(Layout layout, uint32_t rounds, uint64_t count) {
  const bool digit_major = layout == Layout::digit_major;
  const uint64_t groups = radix_histograms(rounds, count), counts = kBins * groups;
  Recipe recipe{text_of("radix_three_kernels") + text_of(digit_major ? "radix_digit_major" : "radix_group_major"),
                digit_major ? std::vector{"count", "scan_blocks", "add_totals", "scatter"}
                            : std::vector{"count", "sweep_up", "sweep_down", "find_begins", "scatter"},
                {{"kRounds", rounds}}, 0, {}, {{0, 1, 2}, {1, 0, 2}}, {}, 0};
  const Level above = levels_of(counts).back();
  recipe.buffers = {4 * count, 4 * count, 4 * (digit_major ? above.begin + above.length : counts + kBins)};
  for (uint32_t shift = 0; shift < 32; shift += 8) {
    const std::size_t bindings = shift / 8 % 2;
    const Params params{word(count), word(groups), shift};
    recipe.launches.push_back({"count", bindings, groups, params});
    digit_major ? add_digit_major_scan(recipe, params) : add_group_major_scan(recipe, params);
    recipe.launches.push_back({"scatter", bindings, groups, params});
  }
  return recipe;
}

Recipe copy_recipe(uint64_t words) {
  Recipe recipe{text_of("copy"), {"copy"}, {}, 0, {4 * words, 4 * words}, {{0, 1}}, {}, 0};
  recipe.launches.push_back({"copy", 0, blocks(words / 4, kLanes), {word(words / 4)}});
  return recipe;
}

}  // namespace lanesort::bench::ladder_webgpu
