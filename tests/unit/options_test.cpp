#include "options.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include "bench/nearest.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {

Parsed parse(std::initializer_list<const char*> words) {
  std::vector<const char*> argv = {"lanesort"};
  argv.insert(argv.end(), words);
  return parse_options(static_cast<int>(argv.size()), argv.data(), true);
}

TEST(Options, WithoutACommandItSorts) {
  const Parsed parsed = parse({"-r", "x.npy", "-o", "y.npy"});
  ASSERT_FALSE(parsed.exit_status);
  EXPECT_EQ(parsed.options.command, Command::sort);
  EXPECT_EQ(parsed.options.order, LANESORT_DESCENDING);
  EXPECT_EQ(parsed.options.input, "x.npy");
  EXPECT_EQ(parsed.options.output, "y.npy");
  EXPECT_EQ(parse({"-"}).options.input, "-");
  EXPECT_EQ(parse({}).exit_status, kTrouble);  // a person at a terminal, who typed nothing
}

TEST(Options, TopK) {
  const Options options = parse({"topk", "x.npy", "-k", "010", "-o", "y", "--indices", "i"}).options;
  EXPECT_EQ(options.command, Command::topk);
  EXPECT_EQ(options.k, 10u);
  EXPECT_EQ(options.order, LANESORT_DESCENDING);  // the largest, unless
  EXPECT_EQ(options.indices_out, "i");
  EXPECT_EQ(parse({"topk", "x", "-k", "1", "--smallest"}).options.order, LANESORT_ASCENDING);
  EXPECT_EQ(parse({"topk", "x"}).exit_status, kTrouble);
  EXPECT_EQ(parse({"topk", "x", "-k", "1", "--smallest", "--largest"}).exit_status, kTrouble);
  EXPECT_THROW(parse({"topk", "x", "-k", "1", "-o", "y", "--indices", "y"}), Usage);
}

TEST(Options, CheckLetters) {
  for (const char* word : {"-c", "--check", "--check=diagnose-first"}) {
    const Options options = parse({word, "x"}).options;
    EXPECT_EQ(options.command, Command::check) << word;
    EXPECT_FALSE(options.silent_check) << word;
    EXPECT_EQ(options.input, "x") << word;
  }
  for (const char* word : {"-C", "--check=quiet", "--check=silent"})
    EXPECT_TRUE(parse({word, "x"}).options.silent_check) << word;
}

TEST(Options, MemorySizesAsGnuSort) {
  EXPECT_EQ(parse_memory_size("7"), 7u << 10);
  EXPECT_EQ(parse_memory_size("7b"), 7u);
  EXPECT_EQ(parse_memory_size("7k"), 7u << 10);
  EXPECT_EQ(parse_memory_size("3M"), 3u << 20);
  EXPECT_EQ(parse_memory_size("15E"), std::uint64_t{15} << 60);
  EXPECT_EQ(parse_memory_size("3m"), 3u << 20);
  EXPECT_EQ(parse_memory_size("3MiB"), 3u << 20);
  EXPECT_EQ(parse_memory_size("3kiB"), 3u << 10);
  EXPECT_GT(parse_memory_size("50%"), std::uint64_t{1} << 20);
  for (const char* text : {"", "M", "-1", "1.5G", "16E", "101%", "7 M", "7MB", "7Mi", "7biB", "7%iB", "7iB", "7B", "99999999999999999999"})
    EXPECT_THROW(parse_memory_size(text), Usage) << text;
}

TEST(Options, BitRanges) {
  std::uint32_t begin = 9, end = 9;
  parse_bit_range("5:5", begin, end);
  EXPECT_EQ(begin * 100 + end, 505u);
  parse_bit_range("0:64", begin, end);
  EXPECT_EQ(begin * 100 + end, 64u);
  for (const char* text : {"", ":", "5", "5:", ":5", "6:5", "0:65", "0:8x", "-1:8", "0:99999999999"})
    EXPECT_THROW(parse_bit_range(text, begin, end), Usage) << text;
}

TEST(Options, TheNearestWord) {
  EXPECT_EQ(bench::nearest("--revers", {"--order", "--reverse"}), "--reverse");
  EXPECT_EQ(bench::nearest("srot", {"argsort", "sort"}), "sort");
  EXPECT_EQ(bench::nearest("--par", {"--parallel", "--bits"}), "--parallel");
  EXPECT_EQ(bench::nearest("keys.npy", {"sort", "check"}), "");
}

TEST(Options, MistakesAreTextsAndNeverCrash) {
  for (const auto& words : {std::initializer_list<const char*>{"sort", "--revers"},
                            {"sort", "a", "b"},
                            {"gen"},
                            {"verify", "a"},
                            {"sort", "--threads", "x"},
                            {"-Z"},
                            {"--"},
                            {"sort", "--", "-x", "y"}}) {
    const Parsed parsed = parse(words);
    EXPECT_TRUE(parsed.exit_status == kTrouble || !parsed.exit_status);
    EXPECT_EQ(parsed.exit_status.has_value(), !parsed.text.empty());
  }
}

}  // namespace
}  // namespace lanesort::cli
