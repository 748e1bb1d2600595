// The harness and its report: small runs against every rival that is built, and a made-up report.
#include "bench/harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "bench_words.hpp"

namespace lanesort::bench {
namespace {

BenchOptions quick(lanesort_operation op, lanesort_dtype dtype, std::vector<std::uint64_t> counts) {
  BenchOptions options;
  options.op = op;
  options.dtype = dtype;
  options.counts = std::move(counts);
  options.rivals = "*";
  options.threads = 1;  // hundreds of short arrays: starting threads for each would be most of the test
  options.seconds_per_contender = 0.01;
  return options;
}

void expect_sane(const Timing& timing) {
  EXPECT_GT(timing.q1_s, 0);
  EXPECT_LE(timing.q1_s, timing.median_s);
  EXPECT_LE(timing.median_s, timing.q3_s);
  EXPECT_GE(timing.samples, 3u);
}

// Every rival is right on what it was asked, and so are we: a fault in the comparators or in the proof shows here.
void expect_all_right(const BenchReport& report, const std::set<std::string>& wrong_by_nature = {}) {
  EXPECT_TRUE(all_verified(report));
  for (const Row& row : report.rows) {
    EXPECT_EQ(row.fault, "");
    expect_sane(row.timing);
    for (const Rival& rival : row.rivals) {
      if (wrong_by_nature.contains(rival.name)) continue;
      EXPECT_TRUE(rival.verified) << rival.name << ": " << rival.fault;
      EXPECT_NE(rival.version, "");
      if (rival.verified) expect_sane(rival.timing);
    }
  }
}

bool has_rival(const Row& row, const std::string& name) {
  return std::any_of(row.rivals.begin(), row.rivals.end(), [&](const Rival& rival) { return rival.name == name; });
}

TEST(Harness, SortsKeysOfEveryDtypeAgainstItsRivals) {
  for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64; ++dtype) {
    BenchOptions options = quick(LANESORT_OP_SORT, dtype, {1000});
    const BenchReport report = run(options);
    // Highway before 1.1 sorts some floats wrongly; the bench shows it, and it is not ours to mend.
    expect_all_right(report, {"vqsort"});
    EXPECT_TRUE(has_rival(report.rows[0], "std::sort")) << dtype << " " << testing::PrintToString(report.notes);
    options.pattern = "special";
    expect_all_right(run(options));
  }
}

TEST(Harness, SortsPairsAndIndices) {
  const std::pair<lanesort_dtype, std::uint32_t> widths[] = {
      {LANESORT_U32, 4}, {LANESORT_I64, 8}, {LANESORT_F32, 8}, {LANESORT_F64, 4}};
  for (const auto& [dtype, value_bytes] : widths) {
    for (const char* pattern : {"few16", "special"}) {
      BenchOptions options = quick(LANESORT_OP_SORT_PAIRS, dtype, {1000});
      options.value_bytes = value_bytes;
      options.pattern = pattern;
      const BenchReport pairs = run(options);
      expect_all_right(pairs);
      EXPECT_TRUE(has_rival(pairs.rows[0], "std::stable_sort(structs)"));
      options.op = LANESORT_OP_ARGSORT;
      const BenchReport indices = run(options);
      expect_all_right(indices);
      EXPECT_TRUE(has_rival(indices.rows[0], "std::stable_sort(indices)"));
      EXPECT_EQ(indices.rows[0].form, "src_dst");
    }
  }
}

TEST(Harness, TakesEveryCountFormAndWidth) {
  for (const Form form : {Form::in_place, Form::src_dst}) {
    BenchOptions options = quick(LANESORT_OP_SORT, LANESORT_F32, {0, 1, 100'000});
    options.form = form;
    options.order = LANESORT_DESCENDING;
    expect_all_right(run(options));
    options.order = LANESORT_ASCENDING;
    options.threads = 2;
    expect_all_right(run(options), {"vqsort"});
    options.threads = 1;
    options.op = LANESORT_OP_SORT_PAIRS;
    for (const std::uint32_t value_bytes : {0u, 1u, 2u, 12u, 16u}) {
      options.value_bytes = value_bytes;
      expect_all_right(run(options));
    }
  }
}

TEST(Harness, KeepsTheFirstBesideASortOfAll) {
  for (const std::uint32_t value_bytes : {0u, 4u, 8u}) {
    for (const std::uint64_t k : {1u, 100u, 5000u}) {
      BenchOptions options = quick(LANESORT_OP_TOP_K, LANESORT_F32, {3000});
      options.value_bytes = value_bytes;
      options.k = k;
      options.pattern = "special";
      const BenchReport report = run(options);
      expect_all_right(report);
      const Row& row = report.rows[0];
      EXPECT_EQ(row.op, "top_k");
      EXPECT_EQ(row.pattern, "special, k " + std::to_string(k));
      EXPECT_TRUE(has_rival(row, value_bytes == 0 ? "lanesort, sort of all" : "lanesort, argsort of all"));
    }
  }
}

TEST(Harness, SortsRecordsByAComparator) {
  BenchOptions options = quick(LANESORT_OP_SORT_PAIRS, LANESORT_U64, {5000});
  options.by_comparator = true;
  for (const char* pattern : {"uniform", "few16"}) {
    options.pattern = pattern;
    const BenchReport report = run(options);
    expect_all_right(report);
    EXPECT_EQ(report.rows[0].op, "merge_sort");
    EXPECT_EQ(report.rows[0].value_bytes, 24u);
    EXPECT_TRUE(has_rival(report.rows[0], "std::stable_sort(structs)"));
  }
}

// Other bits alone order otherwise, which the proof sees; rivals know whole keys only.
TEST(Harness, SortsBySomeBits) {
  BenchOptions options = quick(LANESORT_OP_ARGSORT, LANESORT_F32, {1000});
  options.bit_begin = 16;
  options.bit_end = 32;
  const BenchReport report = run(options);
  expect_all_right(report);
  EXPECT_TRUE(report.rows[0].rivals.empty());
  EXPECT_NE(testing::PrintToString(report.notes).find("no rivals: none orders by some bits"), std::string::npos);
  EXPECT_NE(results_json(report).find("\"bits\": \"16:32\""), std::string::npos);
  options.bit_end = 33;
  EXPECT_NE(what_is_said([&] { (void)run(options); }).find("33"), std::string::npos);
}

TEST(Harness, RefusesWhatItCannotDo) {
  const auto said = [](auto change) {
    BenchOptions options = quick(LANESORT_OP_SORT, LANESORT_U32, {10});
    change(options);
    return what_is_said([&] { (void)run(options); });
  };
  EXPECT_NE(said([](BenchOptions& o) { o.value_bytes = 4; }).find("sort_pairs"), std::string::npos);
  EXPECT_NE(said([](BenchOptions& o) { o.dtype = 99; }).find("99"), std::string::npos);
  EXPECT_NE(said([](BenchOptions& o) { o.pattern = "gauss"; }).find("gauss"), std::string::npos);
  EXPECT_NE(said([](BenchOptions& o) { o.op = LANESORT_OP_TOP_K; }).find("how many"), std::string::npos);
  EXPECT_NE(said([](BenchOptions& o) { o.k = 3; }).find("top_k"), std::string::npos);
  EXPECT_NE(said([](BenchOptions& o) { o.by_comparator = true; }).find("u64"), std::string::npos);
  EXPECT_NE(said([](BenchOptions& o) { o.op = LANESORT_OP_ARGSORT, o.value_bytes = 2; }).find("4 and 8"),
            std::string::npos);
}

std::string table_of(const BenchReport& report) {
  std::FILE* const file = std::tmpfile();
  print_table(report, file);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

// Made up, so that each verdict occurs.
BenchReport sample_report() {
  BenchReport report;
  Row won;
  won.backend = "cpu", won.op = "sort", won.key = "u32", won.count = 1'234'567, won.pattern = "uniform";
  won.order = "asc", won.form = "in_place", won.engine = "avx2", won.verified = true;
  won.timing = {0.010, 0.009, 0.011, 9};
  won.rivals = {{"slow", "1", {0.100, 0.090, 0.110, 5}, true, ""},
                {"level", "1", {0.0085, 0.008, 0.0095, 5}, true, ""}};
  Row lost = won;
  lost.pattern = "zipf";
  lost.rivals = {{"slow", "1", {0.100, 0.090, 0.110, 5}, true, ""},
                 {"quick", "2", {0.005, 0.004, 0.006, 5}, true, ""},
                 {"broken", "3", {}, false, "key 7 stands before its time"}};
  report.rows = {won, lost};
  report.notes = {"a note"};
  return report;
}

TEST(Report, ShowsLossesFirstAndNoTimeOfAWrongResult) {
  const std::string table = table_of(sample_report());
  EXPECT_LT(table.find("zipf"), table.find("uniform")) << table;
  EXPECT_LT(table.find("quick"), table.find("lanesort")) << table;
  EXPECT_NE(table.find("1 losses in 5 comparisons"), std::string::npos) << table;
  EXPECT_NE(table.find("1,234,567 keys"), std::string::npos) << table;
  EXPECT_NE(table.find("no difference shown"), std::string::npos) << table;
  EXPECT_NE(table.find("10.00x"), std::string::npos) << table;
  EXPECT_NE(table.find("WRONG  key 7"), std::string::npos) << table;
  EXPECT_NE(table.find("note: a note"), std::string::npos) << table;
  EXPECT_EQ(table.find('\033'), std::string::npos) << table;
}

TEST(Report, ResultsFileHasEveryFieldInEveryRow) {
  const auto json = nlohmann::json::parse(results_json(run(quick(LANESORT_OP_SORT, LANESORT_U32, {1000, 2000}))));
  EXPECT_EQ(json["schema"], 1);
  for (const char* field : {"device", "driver", "compiler", "commit", "date", "clock", "copy_bytes_per_s", "threads", "isa"}) {
    EXPECT_TRUE(json["environment"].contains(field)) << field;
  }
  EXPECT_GT(json["environment"]["copy_bytes_per_s"], 1e8);
  ASSERT_EQ(json["rows"].size(), 2u);
  for (const auto& row : json["rows"]) {
    for (const char* field :
         {"backend", "op", "key", "value_bytes", "count", "pattern", "order", "form", "bits", "engine", "median_s", "q1_s",
          "q3_s", "samples", "keys_per_s", "copy_share", "verified", "rivals"}) {
      EXPECT_TRUE(row.contains(field)) << field;
    }
    EXPECT_EQ(row["backend"], "cpu");
    EXPECT_TRUE(row["verified"].get<bool>());
    EXPECT_GT(row["copy_share"], 0);
    EXPECT_FALSE(row["rivals"].empty());
    for (const auto& rival : row["rivals"]) {
      for (const char* field : {"name", "version", "median_s", "q1_s", "q3_s", "samples", "verified"}) {
        EXPECT_TRUE(rival.contains(field)) << field;
      }
    }
  }
  const auto made_up = nlohmann::json::parse(results_json(sample_report()));
  EXPECT_TRUE(made_up["rows"][1]["rivals"][2]["median_s"].is_null());
}

}  // namespace
}  // namespace lanesort::bench
