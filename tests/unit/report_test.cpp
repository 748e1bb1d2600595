// The report of results files: what is read and what is refused, verdicts, escaping, and what never stands in a chart.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/report/page.hpp"
#include "bench/report/read.hpp"
#include "bench/report/sections.hpp"
#include "bench_words.hpp"

namespace lanesort::bench {
namespace {

using Json = nlohmann::ordered_json;

Row row_of(std::uint64_t count, Timing timing, std::string pattern = "uniform") {
  Row row;
  row.backend = "cpu", row.op = "sort", row.key = "u32", row.count = count, row.pattern = std::move(pattern);
  row.order = "asc", row.form = "in_place", row.engine = "avx2", row.verified = true, row.timing = timing;
  if (timing.median_s > 0) row.keys_per_s = static_cast<double>(count) / timing.median_s;
  return row;
}

BenchReport report_of(std::vector<Row> rows) {
  BenchReport report;
  report.environment = {"A processor", "", "g++", "0123456789ab", "2026-11-30T00:00:00Z", "avx2", 2, 20e9, 0, false};
  report.rows = std::move(rows);
  return report;
}

std::string page_of(std::vector<BenchReport> reports) {
  std::vector<ResultsFile> files;
  for (BenchReport& report : reports)
    files.push_back({"file" + std::to_string(files.size()) + ".json", std::move(report)});
  return make_page(files);
}

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

const Timing kTen{0.010, 0.0099, 0.0101, 9};

BenchReport full_report() {
  Row pairs = row_of(1 << 20, kTen);
  pairs.op = "sort_pairs", pairs.value_bytes = 4, pairs.scratch_bytes = 8 << 20, pairs.call = {0.03, 0.02, 0.04, 9};
  pairs.bit_begin = 8, pairs.bit_end = 16;
  Row wrong = row_of(77, {});
  wrong.verified = false, wrong.fault = "key 7 stands before its time";
  BenchReport report = report_of({row_of(1 << 20, kTen), pairs, wrong});
  report.rows[0].rivals = {{"std::sort", "1", {0.1, 0.09, 0.11, 5}, true, "", 0.05},
                           {"broken", "2", {}, false, "it gave up"}};
  report.notes = {"a note"};
  report.rungs = {{"std::sort", "idea", "time", "space", "traffic", "launches", "limits", "source"}};
  return report;
}

TEST(Read, GivesBackWhatWasWritten) {
  const std::string text = results_json(full_report());
  EXPECT_EQ(results_json(read_results(text, "f")), text);
}

// Each spoiled in one place of a good file; the complaint names the file, the place and the value.
TEST(Read, RefusesWhatNoBenchWrites) {
  const auto said = [](auto spoil) {
    Json json = Json::parse(results_json(full_report()));
    spoil(json);
    return what_is_said([&] { (void)read_results(json.dump(), "bad.json"); });
  };
  const auto expect = [](const std::string& words, std::initializer_list<const char*> parts) {
    EXPECT_TRUE(words.starts_with("bad.json: ")) << words;
    for (const char* part : parts) EXPECT_NE(words.find(part), words.npos) << part << " in: " << words;
  };
  expect(said([](Json& j) { j["schema"] = 2; }), {"schema is 2", "has to be 1"});
  expect(said([](Json& j) { j.erase("schema"); }), {"lacks the field 'schema'"});
  expect(said([](Json& j) { j.erase("rows"); }), {"no results file"});
  expect(said([](Json& j) { j = Json::array(); }), {"is []", "object"});
  expect(said([](Json& j) { j["rows"] = 3; }), {"rows is 3", "a list"});
  expect(said([](Json& j) { j["rows"][1] = nullptr; }), {"rows[1] is null", "object"});
  expect(said([](Json& j) { j["rows"][0].erase("count"); }), {"rows[0] lacks the field 'count'"});
  expect(said([](Json& j) { j["rows"][0]["count"] = -5; }), {"rows[0].count is -5", "whole number"});
  expect(said([](Json& j) { j["rows"][0]["count"] = 1e30; }), {"rows[0].count is 1e+30"});
  expect(said([](Json& j) { j["rows"][0]["median_s"] = nullptr; }), {"rows[0].median_s is null"});
  expect(said([](Json& j) { j["rows"][0]["median_s"] = -1.0; }), {"rows[0].median_s is -1"});
  expect(said([](Json& j) { j["rows"][0]["median_s"] = "fast"; }), {"rows[0].median_s is \"fast\""});
  expect(said([](Json& j) { j["rows"][0]["q1_s"] = 5.0; }), {"rows[0].q1_s is 5", "at most median_s"});
  expect(said([](Json& j) { j["rows"][0]["q3_s"] = 0.0; }), {"rows[0].q3_s is 0", "at least median_s"});
  expect(said([](Json& j) { j["rows"][0]["q1_s"] = 1e-300; }), {"rows[0].q1_s is 1e-300", "clock"});
  expect(said([](Json& j) { j["rows"][0]["verified"] = "yes"; }), {"rows[0].verified is \"yes\"", "true or false"});
  expect(said([](Json& j) { j["rows"][0]["bits"] = "8-16"; }), {"rows[0].bits is \"8-16\"", "LOW:HIGH"});
  expect(said([](Json& j) { j["rows"][0]["pattern"] = std::string(3000, 'x'); }),
         {"rows[0].pattern has 3000 bytes", "200"});
  expect(said([](Json& j) { j["rows"][0]["rivals"][0]["q3_s"] = nullptr; }), {"rows[0].rivals[0].q3_s is null"});
  expect(said([](Json& j) { j["environment"]["clock"] = "sundial"; }), {"environment.clock is \"sundial\""});
  expect(said([](Json& j) { j["environment"]["copy_bytes_per_s"] = -1; }), {"environment.copy_bytes_per_s is -1"});
  expect(said([](Json& j) { j["notes"] = Json::array({1}); }), {"notes"});
  for (const char* text : {"", "{", "NaN", "{\"schema\": NaN}", "{\"schema\": 1e999}", "\xFF", "[[[[[["})
    expect(what_is_said([&] { (void)read_results(text, "bad.json"); }), {"is no JSON", "lanesort bench --json"});
  (void)what_is_said([] { (void)read_results(std::string(2'000'000, '['), "deep.json"); });
}

Verdict verdict_of(Timing before, Timing now) {
  const std::vector<ResultsFile> files{{"before", report_of({row_of(1000, before)})},
                                       {"now", report_of({row_of(1000, now)})}};
  const std::vector<Run> runs = make_runs(files);
  EXPECT_EQ(runs.size(), 2u);  // one commit, and yet the same case twice
  const std::vector<Pair> pairs = compare(runs[0], runs[1]);
  EXPECT_EQ(pairs.size(), 1u);
  return pairs[0].verdict;
}

TEST(Verdicts, AreReachedEach) {
  EXPECT_EQ(verdict_of(kTen, kTen), Verdict::same);
  EXPECT_EQ(verdict_of(kTen, {0.0102, 0.0100, 0.0103, 9}), Verdict::same);
  EXPECT_EQ(verdict_of(kTen, {0.0098, 0.0097, 0.00989, 9}), Verdict::faster);
  EXPECT_EQ(verdict_of(kTen, {0.0103, 0.01011, 0.0105, 9}), Verdict::slower);
  EXPECT_EQ(verdict_of(kTen, {0.010, 0.0080, 0.0120, 9}), Verdict::unclear);  // too wide to be the same
  EXPECT_EQ(verdict_of(kTen, {0.005, 0.0040, 0.0099, 9}), Verdict::unclear);  // half the time, yet the intervals meet
  EXPECT_EQ(verdict_of(kTen, {0.010, 0.0099, 0.0101, 2}), Verdict::unclear);  // two samples show nothing
  const std::vector<ResultsFile> files{{"before", report_of({row_of(1000, kTen), row_of(2000, kTen)})},
                                       {"now", report_of({row_of(1000, kTen), row_of(3000, kTen)})}};
  std::vector<ResultsFile> unverified = files;
  unverified[1].report.rows[0].verified = false;
  const auto missing = [](const std::vector<ResultsFile>& set) {
    const auto runs = make_runs(set);
    const std::vector<Pair> pairs = compare(runs[0], runs[1]);
    return std::count_if(pairs.begin(), pairs.end(), [](const Pair& p) { return p.verdict == Verdict::missing; });
  };
  EXPECT_EQ(missing(files), 2);
  EXPECT_EQ(missing(unverified), 3);
  const std::string page = make_page(files);
  EXPECT_NE(page.find("only in A"), page.npos);
  EXPECT_NE(page.find("only in B"), page.npos);
  EXPECT_NE(make_page(unverified).find("not verified in B"), std::string::npos);
}

TEST(Runs, AreOneForOneCommitOnOneMachine) {
  BenchReport other = report_of({row_of(2000, kTen)});
  std::vector<ResultsFile> files{{"a", report_of({row_of(1000, kTen)})}, {"b", other}, {"c", other}};
  files[2].report.environment.commit = "another";
  const auto runs = make_runs(files);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].entries.size(), 2u);
  EXPECT_EQ(runs[1].machine, 0u);  // in the same charts
  files[2].report.environment.threads = 1;
  EXPECT_EQ(make_runs(files)[1].machine, 1u);
}

// A text that would be an element, an attribute, a script, an entity, a closing CDATA, a control or a turned line.
TEST(Page, EscapesEveryTextOfAFile) {
  const std::string evil = "<script>evil</script>\"'&<img onerror=evil>]]>\x01\xE2\x80\xAE\xEF\xBF\xBF";
  BenchReport report = full_report();
  report.environment.device = report.environment.driver = report.environment.compiler = report.environment.commit =
      report.environment.date = report.environment.isa = evil;
  report.notes = {evil};
  for (Row& row : report.rows)
    row.backend = row.op = row.key = row.pattern = row.order = row.form = row.engine = row.fault = evil;
  for (Rival& rival : report.rows[0].rivals) rival.name = rival.version = rival.fault = evil;
  report.rows.push_back(row_of(1000, kTen));
  report.rows.push_back(row_of(2000, kTen));
  for (std::size_t r : {3u, 4u}) report.rows[r].rivals = {{evil, evil, {0.1, 0.09, 0.11, 5}, true, "", 0}};
  report.rungs = {{evil, evil, evil, evil, evil, evil, evil, evil}};
  const std::vector<ResultsFile> files{{evil, report}, {evil + ".json", report}};
  const std::vector<Figure> figures = make_figures(files);
  EXPECT_GT(figures.size(), 1u);
  std::vector<std::string> documents{make_page(files)};
  for (const Figure& figure : figures) {
    documents.push_back(svg_document(figure));
    EXPECT_EQ(figure.slug.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << figure.slug;
  }
  for (const std::string& text : documents) {
    EXPECT_NE(text.find("&lt;script&gt;evil"), text.npos);
    EXPECT_EQ(text.find("<script>evil"), text.npos);
    EXPECT_EQ(text.find("<img"), text.npos);
    EXPECT_EQ(text.find("\"'&"), text.npos);
    EXPECT_EQ(text.find("]]>"), text.npos);
    EXPECT_EQ(text.find('\x01'), text.npos);
    EXPECT_EQ(text.find("\xE2\x80\xAE"), text.npos);
    EXPECT_EQ(text.find("\xEF\xBF\xBF"), text.npos);
  }
  EXPECT_EQ(occurrences(documents[0], "<script>"), 1u);  // ours
}

TEST(Page, LeavesOutWhatHasNoData) {
  const std::string page = page_of({report_of({row_of(1000, kTen)})});
  for (const char* id : {"losses", "faults", "comparison", "bound", "patterns", "segments", "top-k", "transfers",
                         "ladder", "scratch", "ratios"})
    EXPECT_EQ(page.find(std::string("id=\"") + id + "\""), page.npos) << id;
  EXPECT_NE(page.find("id=\"throughput\""), page.npos);
  const std::string full = page_of({full_report()});
  for (const char* id :
       {"losses", "faults", "throughput", "bound", "roofline", "ladder", "transfers", "scratch", "ratios", "rows"})
    EXPECT_NE(full.find(std::string("id=\"") + id + "\""), full.npos) << id;
  EXPECT_EQ(page_of({report_of({})}).find("<svg"), std::string::npos);
}

TEST(Page, LacksTheBoundWhereNoCopyWasMeasured) {
  BenchReport report = report_of({row_of(1000, kTen), row_of(2000, kTen)});
  EXPECT_NE(page_of({report}).find("id=\"bound\""), std::string::npos);
  report.environment.copy_bytes_per_s = 0;
  const std::string page = page_of({report});
  EXPECT_EQ(page.find("id=\"bound\""), page.npos);
  EXPECT_EQ(page.find("id=\"roofline\""), page.npos);
  EXPECT_NE(page.find("not measured: shares of the traffic bound are left out"), page.npos);
}

TEST(Page, ShowsNoTimeOfASoftwareDriverOrOfAnUnverifiedRow) {
  for (const bool software : {true, false}) {
    BenchReport report =
        report_of({row_of(1000, {0.123457, 0.123456, 0.123458, 9}), row_of(2000, {0.123457, 0.123456, 0.123458, 9})});
    report.rows[0].rivals = {{"rival", "1", {0.0123457, 0.0123456, 0.0123458, 9}, true, "", 0}};
    if (software)
      report.environment.driver = "software, llvmpipe";
    else
      report.rows[0].verified = report.rows[1].verified = report.rows[0].rivals[0].verified = false;
    const std::string page = page_of({report, report});
    EXPECT_EQ(page.find("<svg"), page.npos);
    EXPECT_EQ(page.find("0.12345"), page.npos);
    EXPECT_EQ(page.find("123 ms"), page.npos);
    EXPECT_EQ(page.find("12.3 ms"), page.npos);
  }
  Environment environment;
  for (const char* device : {"llvmpipe (LLVM 15)", "Google SwiftShader", "Microsoft Basic Render Driver"}) {
    environment.device = device;
    EXPECT_TRUE(is_software(environment)) << device;
  }
  environment.device = "NVIDIA H200";
  EXPECT_FALSE(is_software(environment));
}

TEST(Page, StaysBelowAMegabyteAndNeedsNothingElse) {
  std::vector<Row> rows;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    rows.push_back(row_of(1000 + i, kTen, i % 2 == 0 ? "uniform" : "<" + std::string(150, '&') + std::to_string(i)));
    rows.back().key = i % 3 == 0 ? "u32" : std::string(180, '"') + std::to_string(i % 100);
    for (int r = 0; r < 8; ++r)
      rows.back().rivals.push_back(
          {"rival " + std::to_string(r) + std::string(150, '<'), "1", {0.009, 0.0089, 0.0091, 9}, true, "", 0});
  }
  BenchReport report = report_of(std::move(rows));
  report.notes = std::vector<std::string>(100, std::string(2000, '&'));
  BenchReport later = report;
  later.environment.commit = "another";
  const std::string page = page_of({report, later});
  EXPECT_LT(page.size(), kMostPageBytes);
  EXPECT_GT(page.size(), kMostPageBytes / 2);
  EXPECT_NE(page.find("more charts are left out"), page.npos);
  EXPECT_NE(page.find("more lines are left out"), page.npos);
  const std::string usual = page_of({full_report()});
  for (const char* word : {" src=", "href=", "url(", "@import", "fetch("})
    EXPECT_EQ(usual.find(word), usual.npos) << word;
  EXPECT_EQ(occurrences(usual, "://"),
            occurrences(usual, "http://www.w3.org/2000/svg"));  // a name, which nobody looks up
}

// Host arrays through a device stand beside the device's own, and the link beside them is nobody to lose to.
TEST(Page, ShowsTransfersBesideTheKernels) {
  Row host = row_of(1 << 20, kTen);
  host.backend = "cuda", host.form = "in_place, pinned host memory", host.engine = "host";
  host.rivals = {{"link alone", "", {0.008, 0.0079, 0.0081, 9}, true, "", 0}};
  Row kernels = row_of(1 << 20, {0.0002, 0.00019, 0.00021, 9});
  kernels.backend = "cuda";
  const BenchReport report = report_of({kernels, host});
  const std::string page = page_of({report});
  const std::size_t transfers = page.find("id=\"transfers\"");
  ASSERT_NE(transfers, page.npos);
  EXPECT_NE(page.find("kernels alone", transfers), page.npos);
  EXPECT_NE(page.find("whole call", transfers), page.npos);
  EXPECT_NE(page.find("link alone", transfers), page.npos);
  EXPECT_EQ(page.find("id=\"losses\""), page.npos);
  EXPECT_EQ(occurrences(page_of({report_of({host})}), "kernels alone</text>"), 0u);
}

// Losses of ours come before all charts, and only those that the quartiles show.
TEST(Page, ShowsLossesFirst) {
  BenchReport report = report_of({row_of(1000, kTen), row_of(2000, kTen)});
  report.rows[0].rivals = {{"quick", "1", {0.005, 0.004, 0.006, 9}, true, "", 0},
                           {"level", "1", {0.0099, 0.0098, 0.0100, 9}, true, "", 0}};
  const std::string page = page_of({report});
  EXPECT_NE(page.find("1 of 2 comparisons lost"), page.npos);
  EXPECT_LT(page.find("<td>quick"), page.find("<svg"));
  EXPECT_LT(page.find("id=\"losses\""), page.find("id=\"throughput\""));
}

}  // namespace
}  // namespace lanesort::bench
