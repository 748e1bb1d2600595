// The ladder's rungs on CUDA, their kernels run on the host (support/cuda_on_host), against std::sort; and what the program
// that times them reckons.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "bench/ladder/cuda/words.hpp"
#include "bench/patterns.hpp"
#include "bench/report/read.hpp"

namespace lanesort::bench::device {

// Stand-ins for what needs a GPU: the CPU engine under the name of ours.
DeviceRung lanesort_on_cuda() {
  const auto sort = [](Work& work) {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = work.key_bytes == 1 ? LANESORT_U8 : LANESORT_U32;
    desc.count = work.count;
    desc.keys_src = desc.keys_dst = work.keys;
    EXPECT_EQ(lanesort_sort(&desc), LANESORT_OK);
    return work.keys;
  };
  Rung words = prefix_sum_words();
  words.name = "lanesort";
  return {.words = words, .most_u8 = UINT64_MAX, .most_u32 = UINT64_MAX, .scratch_bytes = [](u32, u64) { return u64{0}; },
          .sort = sort};
}

// A rung that leaves the keys as they are, and one that gives up.
std::vector<DeviceRung> library_rungs() {
  Rung words = prefix_sum_words();
  words.name = "does nothing";
  DeviceRung idle{.words = words, .most_u8 = 5000, .most_u32 = 5000, .scratch_bytes = [](u32, u64) { return u64{0}; },
                  .sort = [](Work& work) { return work.keys; }};
  DeviceRung weary = lanesort_on_cuda();
  weary.words.name = "gives up";
  weary.sort = [](Work& work) {
    *work.fault = 1;
    return lanesort_on_cuda().sort(work);
  };
  return {idle, weary};
}

namespace {

// Memory with a border on both sides that nobody may touch.
class Guarded {
 public:
  explicit Guarded(u64 bytes) : bytes_(bytes), memory_(bytes + 2 * kBorder, kMark) {}
  std::byte* data() { return memory_.data() + kBorder; }
  bool border_stands() const {
    const auto stands = [](std::span<const std::byte> part) {
      return std::all_of(part.begin(), part.end(), [](std::byte b) { return b == kMark; });
    };
    const std::span all(memory_);
    return stands(all.first(kBorder)) && stands(all.subspan(kBorder + bytes_));
  }

 private:
  static constexpr u64 kBorder = 256;
  static constexpr std::byte kMark{0xA5};
  u64 bytes_;
  std::vector<std::byte> memory_;
};

template <class K>
void expect_sorted(const DeviceRung& rung, lanesort_dtype dtype, const char* pattern, u64 count) {
  const std::string what = rung.title() + ", " + lanesort_dtype_name(dtype) + ", " + pattern + ", " +
                           std::to_string(count) + " keys, seed " + std::to_string(kDefaultSeed);
  std::vector<K> sorted(count);
  generate({pattern, dtype, count, kDefaultSeed}, std::as_writable_bytes(std::span(sorted)), 1);
  Guarded keys(count * sizeof(K)), other(count * sizeof(K)), scratch(rung.scratch_bytes(sizeof(K), count));
  if (count != 0) std::memcpy(keys.data(), sorted.data(), count * sizeof(K));
  std::sort(sorted.begin(), sorted.end());
  u32 fault = 0;
  Work work{.key_bytes = sizeof(K), .count = count, .keys = keys.data(), .other = other.data(),
            .scratch = scratch.data(), .fault = &fault};
  const void* const result = rung.sort(work);
  ASSERT_TRUE(result == keys.data() || result == other.data()) << what;
  std::vector<K> got(count);
  if (count != 0) std::memcpy(got.data(), result, count * sizeof(K));
  EXPECT_EQ(got, sorted) << what;
  EXPECT_TRUE(keys.border_stands() && other.border_stands() && scratch.border_stands()) << what;
  EXPECT_EQ(fault, 0u) << what;
}

std::vector<u64> sizes_of(const DeviceRung& rung) {
  if (!rung.variant_of.empty()) return {513, 4097};
  return {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 511, 512, 513, 2049, 4095, 4096, 4097, 8193};
}

TEST(CudaRungs, SortOnTheHost) {
  for (const DeviceRung& rung : own_rungs()) {
    for (const u64 count : sizes_of(rung)) {
      expect_sorted<u8>(rung, LANESORT_U8, "uniform", count);
      expect_sorted<u32>(rung, LANESORT_U32, "uniform", count);
    }
    if (!rung.variant_of.empty()) continue;
    for (const char* pattern : {"ones", "reversed", "few2", "sorted"}) {
      expect_sorted<u8>(rung, LANESORT_U8, pattern, 1000);
      expect_sorted<u32>(rung, LANESORT_U32, pattern, 1000);
    }
  }
}

// Rows of 3 columns: the columns one after the other, as a plain sum of a transposed copy tells. 2048 is a tile.
TEST(CudaRungs, PrefixSumOfRowsAndColumns) {
  for (const u64 rows : {1u, 2u, 683u, 5000u}) {
    for (const u64 columns : {0u, 3u}) {
      const u64 count = rows * 3;
      Guarded counts(count * sizeof(u32)), sums(prefix_sum_bytes(count));
      u32* const words = reinterpret_cast<u32*>(counts.data());
      for (u64 i = 0; i < count; ++i) words[i] = static_cast<u32>(i * 2654435761u >> 7 & 1023);
      std::vector<u32> want(count);
      u32 sum = 0;
      for (u64 i = 0; i < count; ++i) {
        const u64 place = columns == 0 ? i : i % rows * 3 + i / rows;
        want[place] = sum;
        sum += words[place];
      }
      Work work;
      prefix_sum(work, words, count, columns, reinterpret_cast<u32*>(sums.data()));
      EXPECT_EQ(std::vector<u32>(words, words + count), want) << rows << " rows, " << columns;
      EXPECT_TRUE(counts.border_stands() && sums.border_stands()) << rows << " rows, " << columns;
    }
  }
}

TEST(CudaRungs, SayWhatTheyAre) {
  std::set<std::string> names;
  std::vector<DeviceRung> rungs = own_rungs();
  rungs.push_back({.words = prefix_sum_words(), .most_u8 = 1, .most_u32 = 1});
  for (const DeviceRung& rung : rungs) {
    EXPECT_TRUE(names.insert(rung.title()).second) << rung.title();
    EXPECT_TRUE(rung.variant_of.empty() || names.contains(rung.variant_of)) << rung.title();
    const Rung& words = rung.words;
    for (const char* text : {words.idea, words.time, words.space, words.traffic, words.launches, words.limits, words.source})
      EXPECT_NE(std::string(text), "") << words.name;
    EXPECT_STREQ(words.backend, "cuda");
    EXPECT_TRUE(rung.most_u8 != 0 && rung.most_u32 != 0) << words.name;
    ASSERT_NE(words.bytes_per_key, nullptr) << words.name;
    for (const double count : {0.0, 1.0, 2.0, 1e3, 1e9}) EXPECT_GE(words.bytes_per_key(4, count), 0) << words.name;
    EXPECT_GE(words.bytes_per_key(4, 1e6), 8) << words.name;
  }
}

const DeviceRung& rung_named(const std::vector<DeviceRung>& rungs, const std::string& name) {
  return *std::find_if(rungs.begin(), rungs.end(), [&](const DeviceRung& rung) { return rung.title() == name; });
}

u64 launches_of(const std::string& name, u64 count) {
  const std::vector<DeviceRung> rungs = own_rungs();
  const DeviceRung& rung = rung_named(rungs, name);
  std::vector<u32> keys(count), other(count);
  std::vector<std::byte> scratch(rung.scratch_bytes(4, count));
  u32 fault = 0;
  Work work{.key_bytes = 4, .count = count, .keys = keys.data(), .other = other.data(), .scratch = scratch.data(),
            .fault = &fault};
  rung.sort(work);
  return work.launches;
}

// What the heads of the files say, reckoned by hand.
TEST(CudaRungs, LaunchAsOftenAsTheySay) {
  EXPECT_EQ(launches_of("merge, host recursion", 1024), 1023u);
  EXPECT_EQ(launches_of("merge, a thread a merge", 1024), 10u);
  EXPECT_EQ(launches_of("merge, a thread a merge", 1025), 11u);
  EXPECT_EQ(launches_of("odd-even merge", 1024), 10u * 11 / 2);
  EXPECT_EQ(launches_of("bitonic", 1024), 10u * 11 / 2);
  EXPECT_EQ(launches_of("bitonic, shared memory", 4096), 1u);
  EXPECT_EQ(launches_of("bitonic, shared memory", 16384), 1u + 2 * 5 / 2);
  EXPECT_EQ(launches_of("merge path", 3840 * 4), 3u);
  EXPECT_EQ(launches_of("chunks, 2 bits a round", 1024), 48u);
  EXPECT_EQ(launches_of("onesweep, plain", 1024), 2u + 4);
}

const Rival* rival_of(const Row& row, const std::string& name) {
  for (const Rival& rival : row.rivals)
    if (rival.name == name) return &rival;
  return nullptr;
}

// The program as a whole, but for its command line: what is right is timed, what is wrong or gives up is said to be, what is
// past its limit or budget is left out, and the report can be read.
TEST(CudaRungs, Climb) {
  ClimbOptions options;
  options.dtypes = {LANESORT_U8};
  options.counts = {300, 70'000};
  options.variant_counts = {300};
  options.budget_s = 0.05;
  options.fewest_samples = 1;
  int written = 0;
  const Climbed climbed = climb(options, [&](const Climbed&) { ++written; });
  EXPECT_EQ(written, 2);
  const std::vector<Row>& rows = climbed.ladder.report.rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].form, "in_place");
  EXPECT_EQ(rows[1].form, "in_place, pinned host memory");
  EXPECT_FALSE(all_verified(climbed.ladder));
  for (const Row& row : rows) {
    EXPECT_TRUE(row.verified);
    EXPECT_GT(row.timing.median_s, 0);
    for (const Rival& rival : row.rivals)
      EXPECT_EQ(rival.verified, rival.name != "does nothing" && rival.name != "gives up") << rival.name;
  }
  EXPECT_EQ(rival_of(rows[0], "does nothing")->fault.substr(4), "keys are less than the one before");
  EXPECT_EQ(rival_of(rows[0], "gives up")->fault, "it gave up waiting");
  EXPECT_GT(rival_of(rows[0], "odd-even merge")->bound_s, 0);
  EXPECT_NE(rival_of(rows[1], "onesweep, plain"), nullptr);
  EXPECT_EQ(rival_of(rows[2], "merge, host recursion"), nullptr);
  std::string left_out;
  for (const std::string& line : left_out_lines(climbed)) left_out += line + "\n";
  EXPECT_NE(left_out.find("u8: no merge, host recursion at 7·10⁴ keys: past its limit of 2¹⁶"), std::string::npos) << left_out;
  EXPECT_NE(left_out.find("odd-even merge at 7·10⁴ keys: past its budget"), std::string::npos) << left_out;
  EXPECT_EQ(climbed.variants.size(), 25u);
  EXPECT_FALSE(crossover_lines(climbed).empty());
  const BenchReport read = read_results(results_json(climbed.ladder.report), "climb");
  EXPECT_EQ(read.rows.size(), 4u);
  EXPECT_EQ(read.rungs.size(), climbed.ladder.report.rungs.size());
  print_ladder(climbed.ladder, stdout);
}

}  // namespace
}  // namespace lanesort::bench::device
