// Texts with one number a line, from the bytes read to the bytes written.
#include "io/text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <locale>

#include "decimal_oracle.hpp"
#include "number_maker.hpp"
#include "text_sorting.hpp"

namespace lanesort::io {
namespace {

Sorting by(lanesort_dtype dtype, lanesort_order order = LANESORT_ASCENDING,
           lanesort_float_order floats = LANESORT_FLOAT_NUMERIC) {
  Sorting sorting;
  sorting.rule = {dtype, order, floats};
  return sorting;
}

// The same answer from every chunk size and number of threads, or it is no answer.
SortedText sort_in_chunks(std::string_view text, Sorting sorting) {
  const SortedText whole = sort_text(text, sorting);
  for (const unsigned threads : {1U, 3U}) {
    for (std::uint64_t chunk_bytes = 1; chunk_bytes <= 16; ++chunk_bytes) {
      sorting.threads = threads;
      sorting.chunk_bytes = chunk_bytes;
      const SortedText other = sort_text(text, sorting);
      EXPECT_EQ(other.output, whole.output) << chunk_bytes << " bytes a chunk";
      EXPECT_EQ(other.error, whole.error) << chunk_bytes << " bytes a chunk";
      EXPECT_EQ(other.error_line, whole.error_line);
      EXPECT_EQ(other.error_column, whole.error_column);
    }
  }
  return whole;
}

std::string sorted(std::string_view text, const Sorting& sorting = {}) {
  const SortedText result = sort_in_chunks(text, sorting);
  EXPECT_EQ(result.error, "") << text;
  return result.output;
}

std::string error(std::string_view text, const Sorting& sorting = {}) {
  const SortedText result = sort_in_chunks(text, sorting);
  EXPECT_EQ(result.output, "");
  return result.error;
}

TEST(Lines, AreSortedByExactValue) {
  EXPECT_EQ(sorted("1e+2\n5\n1e-5\n2E3\n-1e-3\n"), "-1e-3\n1e-5\n5\n1e+2\n2E3\n");
  EXPECT_EQ(sorted("NaN\nNaN\n3.0\n2.0\n-inf\nInfinity\nnan\n"), "-inf\n2.0\n3.0\nInfinity\nNaN\nNaN\nnan\n");
  EXPECT_EQ(sorted("9007199254740993\n9007199254740992\n18446744073709551615\n9223372036854775807\n"),
            "9007199254740992\n9007199254740993\n9223372036854775807\n18446744073709551615\n");
  EXPECT_EQ(sorted("1.5\n1.25\n10\n"), "1.25\n1.5\n10\n");
  EXPECT_EQ(sorted("0.10\n0.1\n-0\n0\n0x10\n16\n1e400\n"), "-0\n0\n0.10\n0.1\n0x10\n16\n1e400\n");
}

TEST(Lines, EndInEveryWay) {
  EXPECT_EQ(sorted("3\r\n1\r\n2"), "1\n2\n3\n");
  EXPECT_EQ(sorted("3\r1\r2\r"), "1\n2\n3\n");
  EXPECT_EQ(sorted("3\r\n1\n2\r4"), "1\n2\n3\n4\n");
  EXPECT_EQ(sorted("12\r\n34\r\n5\r\n"), "5\n12\n34\n");
  EXPECT_EQ(sorted("2.5\r\n1.5\r\n"), "1.5\n2.5\n");
  EXPECT_EQ(sorted("\t 3 \n 1\t\r\n\t2 "), "1\n2\n3\n");
  EXPECT_EQ(sorted("\xef\xbb\xbf"
                   "2\n1\n"),
            "1\n2\n");
  EXPECT_EQ(sorted(""), "");
  EXPECT_EQ(sorted("\xef\xbb\xbf"), "");
  EXPECT_EQ(sorted("7"), "7\n");
}

TEST(Lines, AreCountedForErrors) {
  EXPECT_EQ(error("1\n2\nabc\n4\nxyz\n"), "line 3: 'abc' is not a number");
  EXPECT_EQ(error("1\r\n2\r\nabc"), "line 3: 'abc' is not a number");
  EXPECT_EQ(error("1\r2\rabc\r"), "line 3: 'abc' is not a number");
  EXPECT_EQ(error("1 2\n"), "line 1: '1 2' is not a number");
  EXPECT_EQ(error("1\n\n2\n"), "line 2: there is nothing where a number should be");
  EXPECT_EQ(error("\n"), "line 1: there is nothing where a number should be");
  EXPECT_EQ(error("1\n  "), "line 2: there is nothing where a number should be");
  EXPECT_EQ(error("1\r\r\n2"), "line 2: there is nothing where a number should be");
  EXPECT_EQ(error("1\n1,5\n"), "line 2: '1,5' is not a number");
  EXPECT_EQ(error(std::string("1\n2\0\n", 5)), "line 2: '2\\x00' is not a number");
  EXPECT_EQ(error("1\n-\n"), "line 2: '-' is not a number");
}

TEST(Lines, KeepWithinTheDtype) {
  EXPECT_EQ(error("300\n-1\n5\n", by(LANESORT_U8)), "line 1: 300 does not fit u8 (0 to 255)");
  EXPECT_EQ(error("5\n-1\n300\n", by(LANESORT_U8)), "line 2: -1 does not fit u8 (0 to 255)");
  EXPECT_EQ(error("1\n1e400\n", by(LANESORT_F32)), "line 2: 1e400 does not fit f32 (up to 3.4028235e38)");
  EXPECT_EQ(error("1\nnan\n", by(LANESORT_I32)),
            "line 2: nan is not a whole number, as i32 (-2147483648 to 2147483647) needs");
  EXPECT_EQ(sorted("255\n0\n7\n", by(LANESORT_U8)), "0\n7\n255\n");
  EXPECT_EQ(sorted("127\n-128\n0\n-1\n", by(LANESORT_I8)), "-128\n-1\n0\n127\n");
  EXPECT_EQ(sorted("18446744073709551615\n0\n9223372036854775808\n9223372036854775807\n", by(LANESORT_U64)),
            "0\n9223372036854775807\n9223372036854775808\n18446744073709551615\n");
  EXPECT_EQ(sorted("9223372036854775807\n-9223372036854775808\n-1\n", by(LANESORT_I64)),
            "-9223372036854775808\n-1\n9223372036854775807\n");
  const std::string room(60, '0');  // behind them, so that none is read the careful way for want of room
  EXPECT_EQ(sorted("9223372036854775807\n-9223372036854775808\n-1\n" + room, by(LANESORT_I64)),
            "-9223372036854775808\n-1\n" + room + "\n9223372036854775807\n");
  EXPECT_EQ(sorted("9223372036854775808\n-9223372036854775808\n-1\n" + room),
            "-9223372036854775808\n-1\n" + room + "\n9223372036854775808\n");
  EXPECT_EQ(error("1\n9223372036854775808\n" + room, by(LANESORT_I64)),
            "line 2: 9223372036854775808 does not fit i64 (-9223372036854775808 to 9223372036854775807)");
  EXPECT_EQ(sorted("true\n0\n1\nfalse\n", by(LANESORT_BOOL)), "0\nfalse\ntrue\n1\n");
  // Equal as f32, though not as numbers: stable.
  EXPECT_EQ(sorted("16777217\n16777216\n16777215\n", by(LANESORT_F32)), "16777215\n16777217\n16777216\n");
}

TEST(Lines, AreStableInBothDirections) {
  const char* text = "1.0\n2\n1\nnan\n2.0\n-nan\n+1\n";
  EXPECT_EQ(sorted(text), "1.0\n1\n+1\n2\n2.0\nnan\n-nan\n");
  EXPECT_EQ(sorted(text, by(kExactNumbers, LANESORT_DESCENDING)), "2\n2.0\n1.0\n1\n+1\nnan\n-nan\n");
  EXPECT_EQ(sorted(text, by(kExactNumbers, LANESORT_ASCENDING, LANESORT_FLOAT_NAN_FIRST)),
            "nan\n-nan\n1.0\n1\n+1\n2\n2.0\n");
  EXPECT_EQ(sorted(text, by(kExactNumbers, LANESORT_DESCENDING, LANESORT_FLOAT_NAN_FIRST)),
            "nan\n-nan\n2\n2.0\n1.0\n1\n+1\n");
  EXPECT_EQ(sorted(text, by(LANESORT_F16, LANESORT_DESCENDING)), "2\n2.0\n1.0\n1\n+1\nnan\n-nan\n");
  EXPECT_EQ(sorted(text, by(LANESORT_F16, LANESORT_ASCENDING, LANESORT_FLOAT_NAN_FIRST)),
            "nan\n-nan\n1.0\n1\n+1\n2\n2.0\n");
  EXPECT_EQ(sorted(text, by(LANESORT_F64, LANESORT_ASCENDING, LANESORT_FLOAT_BITS)), "-nan\n1.0\n1\n+1\n2\n2.0\nnan\n");
}

TEST(Lines, NeedNoTiesResolvedWhereAllAreWholeAndShort) {
  EXPECT_EQ(sort_text("5\n-7\n+3\n9187201950435737471\n1e2\n", {}).form, KeyForm::exact);
  EXPECT_EQ(sort_text("5\n-9223372036854775808\n", {}).form, KeyForm::exact);
  EXPECT_EQ(sort_text("5\n0.5\n", {}).form, KeyForm::prefix);
  EXPECT_EQ(sort_text("5\n9223372036854775807\n", {}).form, KeyForm::prefix);
  EXPECT_EQ(sort_text("0.5\n", by(LANESORT_F64)).form, KeyForm::exact);
}

TEST(Lines, OfEveryLengthAreRead) {
  // Round the eight digits that are taken at a time, and past what a reference can say of a length.
  for (std::size_t length = 1; length <= 40; ++length) {
    const std::string nines(length, '9');
    const std::string ones(length, '1');
    EXPECT_EQ(sorted(nines + "\n" + ones + "\n-" + nines + "\r\n-" + ones + "\n0"),
              "-" + nines + "\n-" + ones + "\n0\n" + ones + "\n" + nines + "\n");
    // Behind these, so that nothing is read the careful way for want of room.
    const std::string padding = "1e98\n" + std::string(60, '0') + "1e99\n";
    const std::string fraction = "." + ones + "\r\n-." + ones + "\n" + ones + ".\n" + nines + "." + ones + "\n" + ones +
                                 "." + nines + "\n" + ones + "." + ones + "\n";
    EXPECT_EQ(sorted(fraction + padding), "-." + ones + "\n." + ones + "\n" + ones + ".\n" + ones + "." + ones + "\n" +
                                              ones + "." + nines + "\n" + nines + "." + ones + "\n" + padding);
    EXPECT_EQ(sorted(nines + "\n" + ones + "\r-" + nines + "\n-" + ones + "\n" + padding),
              "-" + nines + "\n-" + ones + "\n" + ones + "\n" + nines + "\n" + padding);
  }
  const std::string giant(kLongReference + 5, '7');
  const std::string less = giant.substr(1) + "6";
  const SortedText result = sort_text(giant + "\r\n8\r\n" + less + "\r\n", {});
  EXPECT_EQ(result.error, "");
  EXPECT_TRUE(result.output == "8\n" + less + "\n" + giant + "\n");
}

struct CommaForPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(Lines, KeepTheLocaleOut) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaForPoint));
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
  EXPECT_EQ(sorted("1.5\n1.25\n10\n"), "1.25\n1.5\n10\n");
  EXPECT_EQ(sorted("1.5\n1.25\n10\n", by(LANESORT_F64)), "1.25\n1.5\n10\n");
  EXPECT_EQ(sorted("1.00048828125\n1.0004882812500000000001\n1\n", by(LANESORT_F16, LANESORT_DESCENDING)),
            "1.0004882812500000000001\n1.00048828125\n1\n");
  EXPECT_EQ(error("1,5\n"), "line 1: '1,5' is not a number");
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
}

// Lines joined with every kind of end, some with blanks.
std::string join(NumberMaker& maker, const std::vector<std::string>& numbers) {
  const char* const ends[] = {"\n", "\r\n", "\r"};
  const bool mixed = maker.chance(50);
  const char* const usual = ends[maker.below(3)];
  std::string text;
  for (const std::string& number : numbers) {
    text += maker.chance(10) ? " " + number + "\t" : number;
    text += mixed ? ends[maker.below(3)] : usual;
  }
  if (maker.chance(30)) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  }
  return text;
}

std::string expected_output(std::vector<std::string> numbers, const NumberRule& rule) {
  std::vector<std::pair<oracle::Number, std::string>> read;
  for (const std::string& number : numbers) read.emplace_back(oracle::read(number), number);
  const bool nan_first = rule.float_order == LANESORT_FLOAT_NAN_FIRST;
  std::stable_sort(read.begin(), read.end(), [&](const auto& a, const auto& b) {
    const bool nan_a = a.first.rank == 2;
    const bool nan_b = b.first.rank == 2;
    if (nan_a || nan_b) return nan_a != nan_b && nan_a == nan_first;
    const int order = oracle::compare(a.first, b.first);
    return rule.order == LANESORT_DESCENDING ? order > 0 : order < 0;
  });
  std::string text;
  for (const auto& [number, spelling] : read) text += spelling + "\n";
  return text;
}

TEST(Lines, AgreeWithNumbersWrittenOut) {
  const unsigned seed = 20263;
  std::printf("seed %u\n", seed);
  NumberMaker maker(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> numbers;
    const unsigned groups = 1 + maker.below(6);
    for (unsigned i = 0; i < groups; ++i) {
      for (std::string& number : maker.make_related(1 + maker.below(maker.chance(20) ? 40 : 8)))
        numbers.push_back(std::move(number));
    }
    Sorting sorting;
    sorting.rule.order = maker.chance(50) ? LANESORT_DESCENDING : LANESORT_ASCENDING;
    sorting.rule.float_order = maker.chance(50) ? LANESORT_FLOAT_NAN_FIRST : LANESORT_FLOAT_NUMERIC;
    sorting.threads = 1 + maker.below(3);
    sorting.chunk_bytes = maker.below(17);
    const std::string text = join(maker, numbers);
    const SortedText result = sort_text(text, sorting);
    ASSERT_EQ(result.error, "") << "seed " << seed << " round " << round << "\n" << text;
    ASSERT_EQ(result.output, expected_output(numbers, sorting.rule)) << "seed " << seed << " round " << round << "\n"
                                                                     << text;
  }
}

TEST(Lines, WithOnePrefixAreResolvedInGoodTime) {
  // One run of equal keys, longer than a part, of which many are equal and the rest differ far behind.
  std::vector<std::string> numbers;
  const std::string stem = "1234567890123456";
  for (unsigned i = 0; i < 200000; ++i) {
    const unsigned scrambled = i * 2654435761U >> 14;
    numbers.push_back(stem + (i % 3 == 0 ? "5" : std::to_string(1000000 + scrambled)) +
                      (i % 2 == 0 ? "" : "000000000000000001"));
  }
  for (const lanesort_order order : {LANESORT_ASCENDING, LANESORT_DESCENDING}) {
    std::string text;
    for (const std::string& number : numbers) text += number + "\n";
    Sorting sorting;
    sorting.rule.order = order;
    sorting.threads = 2;
    std::vector<std::string> expected = numbers;
    std::stable_sort(expected.begin(), expected.end(), [&](const std::string& a, const std::string& b) {
      const std::string& low = order == LANESORT_DESCENDING ? b : a;
      const std::string& high = order == LANESORT_DESCENDING ? a : b;
      return low.size() != high.size() ? low.size() < high.size() : low < high;
    });
    std::string joined;
    for (const std::string& number : expected) joined += number + "\n";
    EXPECT_TRUE(sort_text(text, sorting).output == joined);
  }
}

TEST(Lines, BeyondAllKeysAreResolvedStepByStep) {
  const unsigned seed = 20266;
  std::printf("seed %u\n", seed);
  NumberMaker maker(seed);
  for (int round = 0; round < 12; ++round) {
    // Many with one key: exponents out of reach, or digits alike for up to a dozen steps.
    std::vector<std::string> numbers;
    const std::string stem = "1" + maker.digits(15 + maker.below(200));
    for (unsigned i = 0; i < 300; ++i) {
      const std::string far = stem + maker.digits(1 + maker.below(2)) + std::string(maker.below(3), '0');
      const std::string power = (maker.chance(50) ? "e-" : "e") + std::to_string(500 + maker.below(4));
      numbers.push_back((maker.chance(50) ? "-" : "") + (round % 2 == 0     ? far
                                                         : maker.chance(50) ? far + power
                                                                            : maker.digits(2) + power));
    }
    Sorting sorting;
    sorting.rule.order = round % 4 < 2 ? LANESORT_ASCENDING : LANESORT_DESCENDING;
    const SortedText result = sort_text(join(maker, numbers), sorting);
    ASSERT_EQ(result.error, "");
    ASSERT_TRUE(result.output == expected_output(numbers, sorting.rule)) << "seed " << seed << " round " << round;
  }
}

TEST(Check, FindsTheFirstLineOutOfOrder) {
  const auto first = [](std::string_view bytes, lanesort_order order) {
    const TightText text(bytes);
    const NumberText job{text.span(), TextFormat::lines, {kExactNumbers, order, LANESORT_FLOAT_NUMERIC}, 1, 0};
    const auto layout = count_numbers(job);
    std::vector<std::uint64_t> keys(layout.value.count), refs(layout.value.count);
    const auto form = read_numbers(job, layout.value, keys, refs);
    const std::uint64_t unsorted = first_unsorted(job, form.value, keys, refs);
    EXPECT_EQ(first_misplaced(job, refs), unsorted) << bytes;
    return unsorted;
  };
  EXPECT_EQ(first("1\n1.0\n2\nnan\n", LANESORT_ASCENDING), 4U);
  EXPECT_EQ(first("1\n3\n2\n", LANESORT_ASCENDING), 2U);
  EXPECT_EQ(first("3\n2\n2\nnan\n", LANESORT_DESCENDING), 4U);
  EXPECT_EQ(first("0.12345678901234567892\n0.12345678901234567891\n", LANESORT_ASCENDING), 1U);
  EXPECT_EQ(first("0.12345678901234567892\n0.12345678901234567891\n", LANESORT_DESCENDING), 2U);
  EXPECT_EQ(first("", LANESORT_ASCENDING), 0U);
}

// Where number i must stand before number i-1, by the spellings.
std::uint64_t misplaced(std::string_view bytes, NumberRule rule, unsigned threads = 1) {
  const TightText text(bytes);
  const NumberText job{text.span(), TextFormat::lines, rule, threads, 0};
  const auto layout = count_numbers(job);
  std::vector<std::uint64_t> keys(layout.value.count), refs(layout.value.count);
  EXPECT_TRUE(read_numbers(job, layout.value, keys, refs));
  std::fill(keys.begin(), keys.end(), 7);  // whatever the sorter made of them
  return first_misplaced(job, refs);
}

TEST(Judge, GoesByTheSpellings) {
  const auto rule = [](lanesort_dtype dtype, lanesort_order order = LANESORT_ASCENDING,
                       lanesort_float_order floats = LANESORT_FLOAT_NUMERIC) {
    return NumberRule{dtype, order, floats};
  };
  // All of one key, in the wrong order.
  for (const char* text : {"1.00000000000000000002\n1.00000000000000000001\n", "2e999\n1e999\n", "2e-999\n1e-999\n",
                           "-12345678901234567890\n-12345678901234567891\n"}) {
    EXPECT_EQ(number_key(std::string_view(text).substr(0, std::string_view(text).find('\n')), {}),
              number_key(std::string_view(text).substr(std::string_view(text).find('\n') + 1,
                                                       std::string_view(text).size() / 2 - 1), {})) << text;
    EXPECT_EQ(misplaced(text, rule(kExactNumbers)), 1U) << text;
    EXPECT_EQ(misplaced(text, rule(kExactNumbers, LANESORT_DESCENDING)), 2U) << text;
  }
  EXPECT_EQ(misplaced("5\n4\n", rule(LANESORT_U8)), 1U);
  EXPECT_EQ(misplaced("0.1000000000001\n0.1\n", rule(LANESORT_F32)), 2U);  // one f32
  EXPECT_EQ(misplaced("0.1000000000001\n0.1\n", rule(LANESORT_F64)), 1U);
  EXPECT_EQ(misplaced("0\n-0\n", rule(LANESORT_F64)), 2U);
  EXPECT_EQ(misplaced("0\n-0\n", rule(LANESORT_F64, LANESORT_ASCENDING, LANESORT_FLOAT_BITS)), 1U);
  EXPECT_EQ(misplaced("-nan\n1\n+NaN\n", rule(LANESORT_F64, LANESORT_ASCENDING, LANESORT_FLOAT_BITS)), 3U);
  EXPECT_EQ(misplaced("7\ntrue\n1\n0\n", rule(LANESORT_BOOL)), 3U);
  for (const lanesort_order order : {LANESORT_ASCENDING, LANESORT_DESCENDING}) {
    EXPECT_EQ(misplaced("1\n-nan\nnan\n", rule(kExactNumbers, order)), 3U);
    EXPECT_EQ(misplaced("nan\n1\n", rule(kExactNumbers, order)), 1U);
    EXPECT_EQ(misplaced("nan\n1\n", rule(kExactNumbers, order, LANESORT_FLOAT_NAN_FIRST)), 2U);
    EXPECT_EQ(misplaced("1\nnan\n", rule(kExactNumbers, order, LANESORT_FLOAT_NAN_FIRST)), 1U);
  }
}

TEST(Judge, FindsTheFirstWhateverTheThreads) {
  std::string text;
  for (unsigned i = 0; i < 100000; ++i) text += std::to_string(i == 33000 || i == 90000 ? 0 : i) + "\n";
  for (const unsigned threads : {1U, 2U, 5U}) EXPECT_EQ(misplaced(text, {}, threads), 33000U);
}

TEST(Hash, KnowsSpellingsAndNotTheirOrder) {
  const auto hash = [](std::string_view bytes) {
    const TightText text(bytes);
    const NumberText job{text.span(), TextFormat::lines, {}, 2, 3};
    const auto layout = count_numbers(job);
    std::vector<std::uint64_t> keys(layout.value.count), refs(layout.value.count);
    EXPECT_TRUE(read_numbers(job, layout.value, keys, refs));
    return hash_spellings(job, refs);
  };
  EXPECT_EQ(hash("1\n2\n12345678901\n"), hash("12345678901\r\n2\r\n 1"));
  EXPECT_NE(hash("1\n2\n"), hash("1\n3\n"));
  EXPECT_NE(hash("1\n1\n"), hash("1\n"));
  EXPECT_NE(hash("1.0\n"), hash("1\n"));
  EXPECT_NE(hash("12\n3\n"), hash("1\n23\n"));
  EXPECT_NE(hash("12345678901\n"), hash("12345678902\n"));
}

TEST(Output, ComesInBlocksAndEndsWhenTheSinkSaysSo) {
  std::string bytes;
  for (unsigned i = 0; i < 500000; ++i) bytes += std::to_string(i * 2654435761U) + "\n";
  const TightText text(bytes);
  for (const unsigned threads : {1U, 2U, 4U}) {
    const NumberText job{text.span(), TextFormat::lines, {}, threads, 0};
    const auto layout = count_numbers(job);
    std::vector<std::uint64_t> keys(layout.value.count), refs(layout.value.count);
    ASSERT_TRUE(read_numbers(job, layout.value, keys, refs));
    std::string written;
    EXPECT_TRUE(write_numbers(job, refs, [&](std::span<const char> block) {
      written.append(block.data(), block.size());
      return true;
    }));
    EXPECT_TRUE(written == bytes);
    unsigned calls = 0;
    EXPECT_FALSE(write_numbers(job, refs, [&](std::span<const char>) { return ++calls < 3; }));
    EXPECT_EQ(calls, 3U);
  }
}

}  // namespace
}  // namespace lanesort::io
