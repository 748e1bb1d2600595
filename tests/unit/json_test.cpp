// One JSON array of numbers, from the bytes read to the bytes written.
#include <gtest/gtest.h>

#include <cstdio>

#include "io/text.hpp"
#include "number_maker.hpp"
#include "text_sorting.hpp"

namespace lanesort::io {
namespace {

SortedText sort_json(std::string_view text, NumberRule rule = {}) {
  Sorting sorting;
  sorting.format = TextFormat::json;
  sorting.rule = rule;
  const SortedText whole = sort_text(text, sorting);
  for (const unsigned threads : {1U, 3U}) {
    for (std::uint64_t chunk_bytes = 1; chunk_bytes <= 16; ++chunk_bytes) {
      sorting.threads = threads;
      sorting.chunk_bytes = chunk_bytes;
      const SortedText other = sort_text(text, sorting);
      EXPECT_EQ(other.output, whole.output) << text << " in chunks of " << chunk_bytes;
      EXPECT_EQ(other.error.empty(), whole.error.empty()) << text << " in chunks of " << chunk_bytes;
      EXPECT_EQ(other.error_column, whole.error_column) << text << " in chunks of " << chunk_bytes;
    }
  }
  return whole;
}

std::string sorted(std::string_view text, NumberRule rule = {}) {
  const SortedText result = sort_json(text, rule);
  EXPECT_EQ(result.error, "") << text;
  return result.output;
}

TEST(Json, ArraysAreSorted) {
  EXPECT_EQ(sorted("[3, 1, 2]"), "[1, 2, 3]\n");
  EXPECT_EQ(sorted(" \r\n[\t3 ,1e2,\n-0.5]\n "), "[-0.5, 3, 1e2]\n");
  EXPECT_EQ(sorted("[]"), "[]\n");
  EXPECT_EQ(sorted(" [ \n ] "), "[]\n");
  EXPECT_EQ(sorted("[7]"), "[7]\n");
  EXPECT_EQ(sorted("[0.12345678901234567892, 0.12345678901234567891, 1E+400]"),
            "[0.12345678901234567891, 0.12345678901234567892, 1E+400]\n");
  EXPECT_EQ(sorted("[1.0, 2, 1, 2.0]", {kExactNumbers, LANESORT_DESCENDING, LANESORT_FLOAT_NUMERIC}),
            "[2, 2.0, 1.0, 1]\n");
  EXPECT_EQ(sorted("[9007199254740993,9007199254740992]"), "[9007199254740992, 9007199254740993]\n");
}

TEST(Json, FlawsAreNamedWithTheirPlace) {
  const std::pair<const char*, const char*> flaws[] = {
      {"", "line 1, column 1: the text is empty; a JSON array of numbers should be there"},
      {"\n ", "line 2, column 2: the text is empty; a JSON array of numbers should be there"},
      {"{\"a\": 1}", "line 1, column 1: '{' begins an object; an array of numbers is expected"},
      {"17", "line 1, column 1: '17' stands where '[' should begin an array of numbers"},
      {"[", "line 1, column 2: the text ends where a number should be"},
      {"[1", "line 1, column 3: the text ends inside the array; ']' is missing"},
      {"[1,", "line 1, column 4: the text ends where a number should be"},
      {"[1, ]", "line 1, column 5: ']' stands where a number should be, after a comma"},
      {"[,1]", "line 1, column 2: ',' stands where a number should be"},
      {"[1,,2]", "line 1, column 4: ',' stands where a number should be"},
      {"[1 2]", "line 1, column 4: '2' stands where ',' or ']' should"},
      {"[1, [2]]", "line 1, column 5: '[' begins something nested; only one array of numbers can be sorted"},
      {"[1,\n {}]", "line 2, column 2: '{' begins something nested; only one array of numbers can be sorted"},
      {"[1,\r\n\"2\"]", "line 2, column 1: '\"' begins a string; only numbers can be sorted"},
      {"[NaN]", "line 1, column 2: 'NaN' is not a JSON number"},
      {"[1, null]", "line 1, column 5: 'null' is not a JSON number"},
      {"[01]", "line 1, column 2: '01' is not a JSON number"},
      {"[+1]", "line 1, column 2: '+1' is not a JSON number"},
      {"[.5]", "line 1, column 2: '.5' is not a JSON number"},
      {"[1.]", "line 1, column 2: '1.' is not a JSON number"},
      {"[-]", "line 1, column 2: '-' is not a JSON number"},
      {"[1e]", "line 1, column 2: '1e' is not a JSON number"},
      {"[0x10]", "line 1, column 2: '0x10' is not a JSON number"},
      {"[1] 2", "line 1, column 5: something follows the end of the array"},
      {"[1], 2", "line 1, column 4: something follows the end of the array"},
      {"[], 2", "line 1, column 3: something follows the end of the array"},
      {"[1] , [2]", "line 1, column 5: something follows the end of the array"},
      {"[1e1234567890123456789]",
       "line 1, column 2: '1e1234567890123456789' has an exponent of 19 digits, more than the 18 that are read"},
  };
  for (const auto& [text, error] : flaws) EXPECT_EQ(sort_json(text).error, error) << text;
  EXPECT_EQ(sort_json("[1, 300]", {LANESORT_U8, LANESORT_ASCENDING, LANESORT_FLOAT_NUMERIC}).error,
            "line 1, column 5: 300 does not fit u8 (0 to 255)");
}

// A number of the JSON grammar, or "" if the maker's one is none.
std::string as_json(std::string text) {
  if (text[0] == '+') text.erase(0, 1);
  const std::size_t first = text[0] == '-' ? 1 : 0;
  while (text.size() > first + 1 && text[first] == '0' && text[first + 1] >= '0' && text[first + 1] <= '9')
    text.erase(first, 1);
  const bool is_word = text.find_first_not_of("-+.eE0123456789") != std::string::npos;
  const std::size_t point = text.find('.');
  const bool bare_point =
      point != text.npos && (point + 1 == text.size() || text[point + 1] < '0' || text[point + 1] > '9');
  return is_word || bare_point ? "" : text;
}

TEST(Json, OrdersAsLinesDo) {
  const unsigned seed = 20264;
  std::printf("seed %u\n", seed);
  NumberMaker maker(seed);
  const char* const spaces[] = {"", " ", "\n", "\t\r\n "};
  for (int round = 0; round < 300; ++round) {
    std::string lines, array = "[";
    const unsigned count = 1 + maker.below(30);
    for (const std::string& made : maker.make_related(count)) {
      const std::string number = as_json(made);
      if (number.empty()) continue;
      if (!lines.empty()) array += ",";
      lines += number + "\n";
      array += spaces[maker.below(4)] + number + spaces[maker.below(4)];
    }
    array += "]";
    Sorting sorting;
    sorting.rule.order = maker.chance(50) ? LANESORT_DESCENDING : LANESORT_ASCENDING;
    sorting.threads = 1 + maker.below(3);
    sorting.chunk_bytes = maker.below(17);
    std::string expected = "[";
    for (const char c : sort_text(lines, sorting).output) expected += c == '\n' ? ", " : std::string(1, c);
    if (expected.size() > 1) expected.resize(expected.size() - 2);
    sorting.format = TextFormat::json;
    const SortedText result = sort_text(array, sorting);
    ASSERT_EQ(result.error, "") << "seed " << seed << " round " << round << "\n" << array;
    ASSERT_EQ(result.output, expected + "]\n") << "seed " << seed << " round " << round << "\n" << array;
  }
}

}  // namespace
}  // namespace lanesort::io
