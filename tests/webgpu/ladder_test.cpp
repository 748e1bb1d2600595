// The ladder's rungs against std::sort, on sizes about those where they change their ways; and the climb as a whole. What a
// rung's kernels are wrong about shows as keys out of order here, where no GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "bench/ladder/webgpu/climb.hpp"
#include "bench/ladder/webgpu/recipes.hpp"
#include "bench/ladder/webgpu/runner.hpp"
#include "bench/ladder/webgpu/rungs.hpp"
#include "bench/patterns.hpp"

namespace lanesort::bench::ladder_webgpu {
namespace {

// Never given back: a driver may have torn itself down before the process ends.
lanesort_webgpu& device() {
  static lanesort_webgpu* handle = nullptr;
  if (handle == nullptr && lanesort_webgpu_open(nullptr, 0, &handle) != LANESORT_OK) {
    std::fprintf(stderr, "%s\n", lanesort_last_error());
    std::exit(77);
  }
  return *handle;
}

std::vector<std::uint32_t> keys_of(const char* pattern, std::uint64_t count) {
  std::vector<std::uint32_t> keys(count);
  generate({pattern, LANESORT_U32, count, kDefaultSeed}, std::as_writable_bytes(std::span(keys)), 1);
  return keys;
}

class Rungs : public testing::TestWithParam<std::size_t> {};

TEST_P(Rungs, Sort) {
  const DeviceRung rung = device_rungs().at(GetParam());
  Runner runner(device());
  // A key, a workgroup's, a chunk's, a tile's and one more or less of each; histograms that are no power of two of them.
  for (const std::uint64_t count : {1, 2, 3, 255, 257, 511, 513, 2047, 4095, 4096, 4097, 9000, 12'289}) {
    for (const char* const pattern : {"uniform", "ones", "few2"}) {
      std::vector<std::uint32_t> keys = keys_of(pattern, count), sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      runner.sort_with_transfers(rung.words.name, rung.recipe(count), keys);
      ASSERT_EQ(keys, sorted) << rung.words.name << ", " << pattern << ", " << count << ", seed " << kDefaultSeed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ladder, Rungs, testing::Range(std::size_t{0}, device_rungs().size()));

// Of a scan by digits: 256 counts a histogram in blocks of 2048, rows above rows.
TEST(Ladder, ScansRowsAboveRows) {
  const auto launches = [](std::uint64_t count, std::string_view kernel) {
    const Recipe recipe = radix_recipe(Layout::digit_major, 1, count);
    return std::count_if(recipe.launches.begin(), recipe.launches.end(),
                         [&](const Launch& launch) { return launch.kernel == kernel; });
  };
  EXPECT_EQ(launches(256 * 8, "scan_blocks"), 4);  // one block
  EXPECT_EQ(launches(256 * 8 + 1, "scan_blocks"), 4 * 2);
  EXPECT_EQ(launches(256 * 8 + 1, "add_totals"), 4);
  EXPECT_EQ(launches(256 * 8 * 2048 + 1, "scan_blocks"), 4 * 3);
  EXPECT_EQ(launches(256 * 8 * 2048 + 1, "add_totals"), 4 * 2);
}

TEST(Ladder, EveryRungSaysWhatItIs) {
  for (const DeviceRung& rung : device_rungs()) {
    const Rung& words = rung.words;
    for (const char* const text :
         {words.name, words.idea, words.time, words.space, words.traffic, words.launches, words.limits, words.source})
      EXPECT_NE(std::string(text), "") << words.name;
    EXPECT_GE(words.bytes_per_key(4, 1 << 20), 48) << words.name;
    const Recipe recipe = rung.recipe(5000);
    EXPECT_FALSE(recipe.text.empty()) << words.name;
    for (const Launch& launch : recipe.launches) EXPECT_GT(launch.workgroups, 0u) << words.name << ", " << launch.kernel;
  }
  EXPECT_EQ(device_rungs()[1].words.bytes_per_key(4, 1 << 20), 8 * 20 * 21 / 2);  // bitonic, a column a dispatch
  EXPECT_EQ(bitonic_global_recipe(1 << 20).launches.size(), 20u * 21 / 2);
  EXPECT_EQ(device_rungs()[2].words.bytes_per_key(4, 1 << 20), 8 * (1 + 8 + 8 * 9 / 2));
  EXPECT_EQ(bitonic_shared_recipe(1 << 20).launches.size(), 1u + 8 + 8 * 9 / 2);
}

}  // namespace
}  // namespace lanesort::bench::ladder_webgpu
