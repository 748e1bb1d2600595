// One number: grammar, exact comparison, keys of every dtype.
#include "io/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "decimal_oracle.hpp"
#include "io/floating.hpp"
#include "number_maker.hpp"

namespace lanesort::io {
namespace {

std::string flaw_of(const std::string& text, lanesort_dtype dtype) {
  std::string flaw;
  EXPECT_FALSE(number_key(text, NumberRule{dtype, LANESORT_ASCENDING, LANESORT_FLOAT_NUMERIC}, &flaw)) << text;
  return flaw;
}

TEST(Grammar, TakesWhatIsANumber) {
  for (const char* text : {"0",
                           "-0",
                           "+0",
                           "007",
                           "1.",
                           ".5",
                           "-.5",
                           "1.5e3",
                           "1e+2",
                           "2E3",
                           "1e-000000000000000000000000005",
                           "0x10",
                           "-0Xff",
                           "+0x0",
                           "inf",
                           "-INF",
                           "+Infinity",
                           "nan",
                           "-NaN",
                           "1e999999999999999999"}) {
    EXPECT_TRUE(parse_number(text)) << text;
  }
}

TEST(Grammar, RefusesWhatIsNone) {
  for (const char* text : {"",      "-",   "+",     ".",       "e5",
                           ".e5",   "1e",  "1e+",   "1e1.5",   "1,5",
                           "1_000", "--1", "+-1",   "0x",      "0xg",
                           "x10",   "1 2", " 1",    "1 ",      "infin",
                           "nano",  "in",  "1.2.3", "0x1.8p3", "1e1000000000000000000",
                           "½"}) {
    std::string flaw;
    EXPECT_FALSE(parse_number(text, &flaw)) << text;
    EXPECT_NE(flaw, "") << text;
  }
  EXPECT_FALSE(parse_number(std::string_view("1\0", 2)));
  EXPECT_TRUE(parse_number("0x000" + std::string(kMaxHexDigits, 'f')));
  EXPECT_FALSE(parse_number("0x" + std::string(kMaxHexDigits + 1, 'f')));
}

TEST(Grammar, NamesWhatItRefuses) {
  EXPECT_EQ(flaw_of("abc", kExactNumbers), "'abc' is not a number");
  EXPECT_EQ(flaw_of("a\tb\xff", kExactNumbers), "'a\\x09b\\xff' is not a number");
  EXPECT_EQ(flaw_of(std::string(50, 'a'), kExactNumbers),
            "'" + std::string(40, 'a') + "...' (50 bytes) is not a number");
  EXPECT_EQ(flaw_of("", LANESORT_F32), "there is nothing where a number should be");
  EXPECT_EQ(flaw_of("1e1234567890123456789", kExactNumbers),
            "'1e1234567890123456789' has an exponent of 19 digits, more than the 18 that are read");
}

TEST(ExactOrder, HoldsForTheHardOnes) {
  const std::vector<std::vector<const char*>> rising = {{"-inf", "-Infinity"},
                                                        {"-1e999999999999999999"},
                                                        {"-1e400"},
                                                        {"-18446744073709551616"},
                                                        {"-1.50", "-15e-1", "-1.5"},
                                                        {"-1e-400"},
                                                        {"0", "-0", "0.0", "0e7", "0x0", "-0x00"},
                                                        {"1e-999999999999999999"},
                                                        {"1e-401"},
                                                        {"1e-400", "10e-401"},
                                                        {"0.1", "0.10", ".1", "1e-1", "0.1e0"},
                                                        {"0.10000000000000000000000000001"},
                                                        {"15.999999999999999999999999"},
                                                        {"16", "0x10", "1.6e1", "016"},
                                                        {"9007199254740992"},
                                                        {"9007199254740993"},
                                                        {"9223372036854775807", "0x7fffffffffffffff"},
                                                        {"18446744073709551615", "0xffffffffffffffff"},
                                                        {"18446744073709551616", "0x10000000000000000"},
                                                        {"1e400"},
                                                        {"1.0000000000000000001e400"},
                                                        {"1e401"},
                                                        {"1e999999999999999999"},
                                                        {"inf", "+Infinity"},
                                                        {"nan", "-nan"}};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j) {
      for (const char* a : rising[i]) {
        for (const char* b : rising[j]) EXPECT_TRUE(compare_numbers(a, b) == (i <=> j)) << a << " and " << b;
      }
    }
  }
}

// Of two numbers that share an inexact prefix key, by the keys of the steps that follow.
int order_by_steps(const std::string& a, const std::string& b, std::uint64_t prefix_key) {
  std::uint64_t skip = key_has_digits(prefix_key) ? kPrefixDigits : 0;
  std::uint64_t key_a = exponent_key(a);
  std::uint64_t key_b = exponent_key(b);
  while (key_a == key_b && key_is_inexact(key_a)) {
    key_a = tail_key(a, skip);
    key_b = tail_key(b, skip);
    skip += kTailDigits;
  }
  return key_a < key_b ? -1 : key_a > key_b ? 1 : 0;
}

TEST(ExactOrder, AgreesWithNumbersWrittenOut) {
  const unsigned seed = 20261;
  std::printf("seed %u\n", seed);
  NumberMaker maker(seed);
  for (int round = 0; round < 400; ++round) {
    const std::vector<std::string> texts = maker.make_related(8);
    for (const std::string& a : texts) {
      for (const std::string& b : texts) {
        const int expected = oracle::compare(oracle::read(a), oracle::read(b));
        ASSERT_TRUE(compare_numbers(a, b) == (expected <=> 0)) << "seed " << seed << ": " << a << " and " << b;
        const std::uint64_t key_a = number_key(a, {}).value();
        const std::uint64_t key_b = number_key(b, {}).value();
        if (key_a != key_b) {
          ASSERT_EQ(key_a < key_b, expected < 0) << "seed " << seed << ": " << a << " and " << b;
        } else if (!key_is_inexact(key_a)) {
          ASSERT_EQ(expected, 0) << "seed " << seed << ": " << a << " and " << b;
        } else {
          ASSERT_EQ(order_by_steps(a, b, key_a), expected) << "seed " << seed << ": " << a << " and " << b;
        }
      }
    }
  }
}

struct Limits {
  lanesort_dtype dtype;
  const char* low;
  const char* below;
  const char* high;
  const char* above;
  const char* words;
};
constexpr Limits kLimits[] = {
    {LANESORT_U8, "0", "-1", "255", "256", "u8 (0 to 255)"},
    {LANESORT_I8, "-128", "-129", "127", "128", "i8 (-128 to 127)"},
    {LANESORT_U16, "0", "-1", "65535", "65536", "u16 (0 to 65535)"},
    {LANESORT_I16, "-32768", "-32769", "32767", "32768", "i16 (-32768 to 32767)"},
    {LANESORT_U32, "0", "-1", "4294967295", "4294967296", "u32 (0 to 4294967295)"},
    {LANESORT_I32, "-2147483648", "-2147483649", "2147483647", "2147483648", "i32 (-2147483648 to 2147483647)"},
    {LANESORT_U64, "0", "-1", "18446744073709551615", "18446744073709551616", "u64 (0 to 18446744073709551615)"},
    {LANESORT_I64, "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808",
     "i64 (-9223372036854775808 to 9223372036854775807)"}};

TEST(IntegerKeys, KeepTheLimitsOfTheirDtype) {
  for (const Limits& limits : kLimits) {
    const NumberRule rule{limits.dtype, LANESORT_ASCENDING, LANESORT_FLOAT_NUMERIC};
    EXPECT_EQ(number_key(limits.low, rule), 0U) << limits.words;
    EXPECT_EQ(number_key("1", rule).value() - number_key("-0", rule).value(), 1U);
    EXPECT_EQ(number_key("1e2", rule).value() - number_key("0x10", rule).value(), 84U);
    EXPECT_EQ(number_key("120.00", rule), number_key("+120", rule));
    EXPECT_GT(number_key(limits.high, rule).value(), number_key("1", rule).value());
    for (const char* outside : {limits.below, limits.above, "1e30", "-1e400", "0x10000000000000000"}) {
      EXPECT_EQ(flaw_of(outside, limits.dtype), std::string(outside) + " does not fit " + limits.words);
    }
    for (const char* broken : {"1.5", "1e-400", "inf", "nan", "100000000000000000000000000000.5"}) {
      EXPECT_EQ(flaw_of(broken, limits.dtype),
                std::string(broken) + " is not a whole number, as " + limits.words + " needs");
    }
  }
}

TEST(IntegerKeys, AreTheSameTheShortWay) {
  for (const Limits& limits : kLimits) {
    const WholeRange range = whole_range(limits.dtype);
    for (const std::int64_t whole :
         {range.low, range.low + 1, std::int64_t{0}, std::int64_t{1}, std::int64_t{100}, range.high - 1, range.high}) {
      EXPECT_EQ(range.key(whole),
                number_key(std::to_string(whole), {limits.dtype, LANESORT_ASCENDING, LANESORT_FLOAT_NUMERIC}));
    }
    EXPECT_TRUE(range.low == INT64_MIN || !range.holds(range.low - 1));
    EXPECT_TRUE(range.high == INT64_MAX || !range.holds(range.high + 1));
  }
  const WholeRange exact = whole_range(kExactNumbers);
  std::uint64_t last = 0;
  for (const std::int64_t whole : {INT64_MIN, INT64_MIN + 1, std::int64_t{-70000}, std::int64_t{-1}, std::int64_t{0},
                                   std::int64_t{1}, std::int64_t{70000}, exact.high}) {
    ASSERT_TRUE(exact.holds(whole));
    EXPECT_TRUE(whole == INT64_MIN || exact.key(whole) > last) << whole;
    last = exact.key(whole);
  }
  EXPECT_EQ((exact.key(100) ^ exact.key(-100)) >> 8, 0U) << "small numbers of both signs differ in one byte only";
  for (const lanesort_dtype dtype : {LANESORT_BOOL, LANESORT_F16, LANESORT_BF16, LANESORT_F32, LANESORT_F64})
    EXPECT_TRUE(whole_range(dtype).empty());
}

TEST(ExactKeys, AreTheSameTheShortWay) {
  const unsigned seed = 20265;
  std::printf("seed %u\n", seed);
  NumberMaker maker(seed);
  for (int round = 0; round < 20000; ++round) {
    const std::string whole = maker.chance(30) ? "0" : maker.digits(1 + maker.below(19));
    const std::string fraction = maker.digits(maker.below(17));
    const bool negative = maker.chance(50);
    const ShortDecimal number{negative, std::stoull(whole), fraction.empty() ? 0 : std::stoull(fraction),
                              static_cast<std::uint32_t>(fraction.size())};
    const std::string text = (negative ? "-" : "") + whole + "." + fraction;
    ASSERT_EQ(short_decimal_key(number), number_key(text, {})) << text;
  }
}

TEST(BoolKeys, AreFalseOnlyForZero) {
  const NumberRule rule{LANESORT_BOOL, LANESORT_ASCENDING, LANESORT_FLOAT_NUMERIC};
  for (const char* text : {"0", "false", "FALSE", "0.0", "-0", "0x0"}) EXPECT_EQ(number_key(text, rule), 0U) << text;
  for (const char* text : {"1", "true", "True", "1.0", "10e-1", "0x1", "2", "-1", "255", "1e30"}) EXPECT_EQ(number_key(text, rule), 1U) << text;
  for (const char* text : {"0.5", "1e-30", "nan", "inf"}) {
    EXPECT_EQ(flaw_of(text, LANESORT_BOOL), std::string(text) + " does not fit bool (false, true or a whole number: 0 is false)");
  }
  EXPECT_EQ(flaw_of("yes", LANESORT_BOOL), "'yes' is not a number");
}

std::uint64_t bits_of(const std::string& text, lanesort_dtype dtype) {
  return float_bits(text, parse_number(text).value(), float_shape(dtype).value()).value();
}

TEST(FloatBits, AreThoseOfTheCLibrary) {
  const unsigned seed = 20262;
  std::printf("seed %u\n", seed);
  NumberMaker maker(seed);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = i % 2 == 0 ? maker.make_decimal() : maker.make_float_text();
    const double wide = std::strtod(text.c_str(), nullptr);
    const float narrow = std::strtof(text.c_str(), nullptr);
    const NumberParts parts = parse_number(text).value();
    const auto wide_bits = float_bits(text, parts, *float_shape(LANESORT_F64));
    const auto narrow_bits = float_bits(text, parts, *float_shape(LANESORT_F32));
    ASSERT_EQ(wide_bits, std::isinf(wide) ? std::nullopt : std::optional(std::bit_cast<std::uint64_t>(wide))) << text;
    ASSERT_EQ(narrow_bits,
              std::isinf(narrow) ? std::nullopt : std::optional<std::uint64_t>(std::bit_cast<std::uint32_t>(narrow)))
        << text;
  }
  const std::string zeros(70000, '0');  // beyond what from_chars counts in an exponent
  EXPECT_EQ(bits_of("0." + zeros + "15e70001", LANESORT_F64), std::bit_cast<std::uint64_t>(1.5));
  EXPECT_EQ(bits_of("15" + zeros + "e-70001", LANESORT_F64), std::bit_cast<std::uint64_t>(1.5));
  EXPECT_EQ(bits_of("-0x18" + std::string(100, '0'), LANESORT_F64),
            std::bit_cast<std::uint64_t>(-std::ldexp(24.0, 400)));
}

// The value of a finite pattern that is not negative.
double value_of(std::uint64_t pattern, const FloatShape& shape) {
  const int exponent = static_cast<int>(pattern >> shape.fraction_bits);
  const auto fraction = static_cast<double>(pattern & ((std::uint64_t{1} << shape.fraction_bits) - 1));
  const int bias = (1 << (shape.exponent_bits - 1)) - 1;
  const double step = std::ldexp(1.0, std::max(exponent, 1) - bias - static_cast<int>(shape.fraction_bits));
  return step * (exponent == 0 ? fraction : fraction + std::ldexp(1.0, static_cast<int>(shape.fraction_bits)));
}

std::string all_digits(double value) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.300e", value);
  return buffer;
}

// A number that only a reader of all digits tells from the one whose last digits stand before the exponent.
std::string nudged(const std::string& text, bool up) {
  const std::size_t e = text.find('e');
  if (up) return text.substr(0, e) + "0001" + text.substr(e);
  std::string digits = text.substr(0, e);  // a borrow: 1.2500 -> 1.2499
  std::size_t at = digits.size() - 1;
  for (; digits[at] == '0' || digits[at] == '.'; --at) {
    if (digits[at] == '0') digits[at] = '9';
  }
  --digits[at];
  return digits + text.substr(e);
}

TEST(FloatBits, AreRoundedOnceWhereTwoValuesAreEquallyNear) {
  for (const lanesort_dtype dtype : {LANESORT_F16, LANESORT_BF16}) {
    const FloatShape shape = float_shape(dtype).value();
    const std::uint64_t infinity = ((std::uint64_t{1} << shape.exponent_bits) - 1) << shape.fraction_bits;
    const std::uint64_t sign = std::uint64_t{1} << 15;
    for (std::uint64_t low = 0; low + 1 < infinity; low += low < 40 || low + 40 > infinity ? 1 : 7) {
      const std::string exact = all_digits(value_of(low, shape));
      const std::string middle = all_digits((value_of(low, shape) + value_of(low + 1, shape)) / 2);
      ASSERT_EQ(bits_of(exact, dtype), low) << exact;
      ASSERT_EQ(bits_of("-" + exact, dtype), low | sign) << exact;
      ASSERT_EQ(bits_of(middle, dtype), low + (low & 1)) << shape.name << " " << middle;
      ASSERT_EQ(bits_of(nudged(middle, true), dtype), low + 1) << shape.name << " " << middle;
      ASSERT_EQ(bits_of("-" + nudged(middle, false), dtype), low | sign) << shape.name << " " << middle;
    }
    const std::string edge =
        all_digits(value_of(infinity - 1, shape) + (value_of(infinity - 1, shape) - value_of(infinity - 2, shape)) / 2);
    EXPECT_EQ(bits_of(nudged(edge, false), dtype), infinity - 1);
    EXPECT_NE(flaw_of(edge, dtype), "");
  }
  EXPECT_EQ(flaw_of("65520", LANESORT_F16), "65520 does not fit f16 (up to 65504)");
  EXPECT_EQ(flaw_of("-1e400", LANESORT_F32), "-1e400 does not fit f32 (up to 3.4028235e38)");
  EXPECT_EQ(flaw_of("1e309", LANESORT_F64), "1e309 does not fit f64 (up to 1.7976931348623157e308)");
}

TEST(FloatKeys, FollowTheOrderOfTheRule) {
  for (const lanesort_dtype dtype : {LANESORT_F16, LANESORT_BF16, LANESORT_F32, LANESORT_F64}) {
    const auto key = [&](const char* text, lanesort_order order, lanesort_float_order float_order) {
      return number_key(text, NumberRule{dtype, order, float_order}).value();
    };
    for (const lanesort_order order : {LANESORT_ASCENDING, LANESORT_DESCENDING}) {
      for (const lanesort_float_order floats :
           {LANESORT_FLOAT_NUMERIC, LANESORT_FLOAT_NAN_FIRST, LANESORT_FLOAT_BITS}) {
        const char* rising[] = {"-inf", "-1000", "-1.5", "-1e-7", "0", "1e-7", "1.5", "1000", "inf"};
        for (std::size_t i = 1; i < std::size(rising); ++i)
          EXPECT_LT(key(rising[i - 1], order, floats), key(rising[i], order, floats)) << rising[i];
        const bool by_bits = floats == LANESORT_FLOAT_BITS;
        EXPECT_EQ(key("-0", order, floats) == key("0", order, floats), !by_bits);
        EXPECT_EQ(key("nan", order, floats) == key("-nan", order, floats), !by_bits);
        const bool nan_high = by_bits || (order == LANESORT_DESCENDING) == (floats == LANESORT_FLOAT_NAN_FIRST);
        EXPECT_EQ(key("nan", order, floats) > key("inf", order, floats), nan_high);
        EXPECT_EQ(key("nan", order, floats) < key("-inf", order, floats), !nan_high);
        if (by_bits) {
          EXPECT_LT(key("-0", order, floats), key("0", order, floats));
          EXPECT_LT(key("-nan", order, floats), key("-inf", order, floats));
        }
      }
    }
  }
}

}  // namespace
}  // namespace lanesort::io
