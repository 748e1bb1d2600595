// Every rung against std::sort, on sizes about those where it changes its ways; and the ladder as a whole.
#include "bench/ladder/ladder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "bench/ladder/budget.hpp"
#include "bench/ladder/cpu_rung.hpp"
#include "bench/ladder/crossover.hpp"
#include "bench/patterns.hpp"
#include "bench_words.hpp"

namespace lanesort::bench {
namespace {

std::vector<std::uint64_t> sizes() {
  std::vector<std::uint64_t> sizes{513, 3000, 70'001};
  for (std::uint64_t n = 0; n <= 70; ++n) sizes.push_back(n);
  for (unsigned power = 7; power <= 14; ++power)
    for (const std::uint64_t n : {(1u << power) - 1, 1u << power, (1u << power) + 1}) sizes.push_back(n);
  return sizes;
}

template <class K>
void expect_sorted(const Rung& rung, lanesort_dtype dtype, const char* pattern, std::uint64_t count) {
  std::vector<K> keys(count + 2, K{0x5A});  // a key before and behind that nobody may touch
  generate({pattern, dtype, count, kDefaultSeed}, std::as_writable_bytes(std::span(keys).subspan(1, count)), 1);
  std::vector<K> sorted = keys;
  std::sort(sorted.begin() + 1, sorted.end() - 1);
  const RivalCase request{LANESORT_OP_SORT, dtype, LANESORT_ASCENDING, 0, 1, false, count};
  ASSERT_TRUE(rung.entry.can(request)) << rung.name;
  ASSERT_TRUE(rung.entry.run(request, nullptr, keys.data() + 1)) << rung.name;
  EXPECT_EQ(keys, sorted) << rung.name << ", " << lanesort_dtype_name(dtype) << ", " << pattern << ", " << count
                          << ", seed " << kDefaultSeed;
}

TEST(Ladder, EveryRungSorts) {
  int tried = 0;
  for (const Rung& rung : ladder_rungs()) {
    if (rung.entry.run == nullptr) continue;  // bench/rivals' and lanesort's, which the harness's tests hold to it
    ++tried;
    for (const char* pattern :
         {"uniform", "sorted", "reversed", "organ", "equal", "few2", "zipf", "nearly", "ones", "special"}) {
      for (const std::uint64_t count : sizes()) {
        expect_sorted<std::uint8_t>(rung, LANESORT_U8, pattern, count);
        expect_sorted<std::uint32_t>(rung, LANESORT_U32, pattern, count);
      }
    }
  }
  EXPECT_EQ(tried, 5);
}

TEST(Ladder, EveryRungSaysWhatItIs) {
  std::set<std::string> names;
  for (const Rung& rung : ladder_rungs()) {
    EXPECT_TRUE(names.insert(rung.name).second) << rung.name;
    for (const char* text :
         {rung.backend, rung.idea, rung.time, rung.space, rung.traffic, rung.launches, rung.limits, rung.source})
      EXPECT_NE(std::string(text), "") << rung.name;
    if (rung.bytes_per_key == nullptr) continue;
    for (const double count : {0.0, 1.0, 2.0, 1e3, 1e9})
      EXPECT_GE(rung.bytes_per_key(4, count), 0) << rung.name << " " << count;
    EXPECT_GE(rung.bytes_per_key(4, 1e6), 8) << rung.name;
  }
}

// Reckoned by hand: 2^20 keys take 20 widths, even; u8 takes a pass and a copy, u32 four.
TEST(Ladder, ReckonsTraffic) {
  EXPECT_EQ(merge_bottom_up_rung().bytes_per_key(4, 1 << 20), 20 * 8);
  EXPECT_EQ(merge_bottom_up_rung().bytes_per_key(4, (1 << 20) + 1), 22 * 8);
  EXPECT_EQ(merge_top_down_rung().bytes_per_key(4, 1 << 20), 20 * 16);
  EXPECT_EQ(radix_lsd_rung().bytes_per_key(4, 1e6), 4 * (1 + 8));
  EXPECT_EQ(radix_lsd_rung().bytes_per_key(1, 1e6), 1 + 4);
}

TEST(Ladder, GoesOnPastARungThatIsOverItsBudget) {
  LadderOptions options;
  options.dtypes = {LANESORT_U8};
  options.counts = {2000, 100};
  options.budget_s = 1e-9;
  const Ladder ladder = run_ladder(options);
  ASSERT_EQ(ladder.report.rows.size(), 2u);
  EXPECT_TRUE(all_verified(ladder));
  EXPECT_EQ(ladder.report.rows[0].rivals.size(), 5u);  // nothing was known of them yet
  EXPECT_TRUE(ladder.report.rows[1].rivals.empty());
  EXPECT_GT(ladder.report.rows[1].timing.median_s, 0);
  const auto over = std::count_if(ladder.left_out.begin(), ladder.left_out.end(), [](const LeftOut& left) {
    return left.row == 1 && left.why.starts_with("past its budget");
  });
  EXPECT_EQ(over, 5);
  for (const Rival& rival : ladder.report.rows[0].rivals) EXPECT_GT(rival.bound_s, 0) << rival.name;
  options.dtypes = {LANESORT_F32};
  EXPECT_NE(what_is_said([&] { (void)run_ladder(options); }).find("f32"), std::string::npos);
}

// Each rung is a file that one reads at a sitting, and its head says all that there is to say.
TEST(Ladder, FilesAreShortAndSayWhatTheyAre) {
  int files = 0, rungs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(LANESORT_LADDER_DIR)) {
    const std::string kind = entry.path().extension();
    if (kind != ".cpp" && kind != ".cu" && kind != ".wgsl") continue;
    std::ifstream file(entry.path());
    std::stringstream all;
    all << file.rdbuf();
    const std::string text = all.str();
    ++files;
    if (kind == ".cpp") continue;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 200) << entry.path();
    EXPECT_EQ(text.substr(0, 3), "// ") << entry.path();
    if (kind == ".wgsl" || text.find("constexpr Rung k") == std::string::npos) continue;
    ++rungs;
    for (const char* word : {".name = ", ".idea = ", ".time = ", ".space = ", ".traffic = ", ".launches = ", ".limits = ", ".source = "})
      EXPECT_NE(text.find(word), std::string::npos) << entry.path() << " lacks " << word;
  }
  EXPECT_GE(files, 20);
  EXPECT_GE(rungs, 11);
}

TEST(Ladder, PredictsAndRefuses) {
  EXPECT_EQ(scaled_seconds(0, 1, 1000), 0);
  EXPECT_DOUBLE_EQ(scaled_seconds(1022, 1, 1022), 1);
  EXPECT_DOUBLE_EQ(scaled_seconds(1022, 1, 1048574), 1048574.0 / 1022 * 2);
  EXPECT_EQ(over_budget(2, 2), "");
  EXPECT_NE(over_budget(2.1, 2).find("past its budget"), std::string::npos);
}

// Times of 1 ms for each thousand against 4 ms whatever the count is: they meet at 4000.
TEST(Ladder, FindsTheCrossover) {
  const std::vector<CountSeconds> line{{1000, 1e-3}, {10'000, 1e-2}, {100'000, 0.1}};
  const std::vector<CountSeconds> flat{{1000, 4e-3}, {10'000, 4e-3}, {100'000, 4e-3}};
  const Crossover found = crossover(flat, line);
  ASSERT_EQ(found.kind, Crossover::Kind::at);
  EXPECT_NEAR(found.count, 4000, 1);
  EXPECT_EQ(crossover_words(found), "from 4000");
  EXPECT_EQ(crossover(line, flat).kind, Crossover::Kind::never);
  EXPECT_EQ(crossover_words(crossover(line, flat)), "not up to 100000");
  const std::vector<CountSeconds> fast{{1000, 1e-6}, {10'000, 1e-6}};
  EXPECT_EQ(crossover_words(crossover(fast, line)), "from 1000 or less");
  EXPECT_EQ(crossover(fast, {}).kind, Crossover::Kind::unknown);
  const std::vector<CountSeconds> other{{500, 1}};
  EXPECT_EQ(crossover(fast, other).kind, Crossover::Kind::unknown);
}

}  // namespace
}  // namespace lanesort::bench
