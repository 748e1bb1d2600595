// One number written out: its grammar, its exact order against another one, and its 64-bit sort key.
//
// Invariant: key(a) < key(b) only if a < b in the order of the rule, and equal keys without the inexact mark stand
// for equal numbers. So a stable sort of the keys, finished among inexact ties by compare_numbers(), is the exact
// order, however long the numbers are. Nothing here looks at the locale.
//
// Grammar: [+-] digits [. digits] [e [+-] digits]  (a digit on one side of the point is enough)
//        | [+-] 0x hexdigits (at most kMaxHexDigits)  | [+-] inf | [+-] infinity | [+-] nan   (letters in any case)
// Prior art: simdjson and fast_float for eight digits at a time; decimal keys as in database collation formats.
#pragma once
#include <lanesort/lanesort.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanesort::io {

inline constexpr lanesort_dtype kExactNumbers = 0;  // as a dtype: the order of the numbers as written, of any length
inline constexpr std::uint32_t kMaxHexDigits = 1024;
inline constexpr std::uint32_t kMaxExponentDigits = 18;  // leading zeros not counted

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }  // whatever the locale

// The order asked for. Keys are made for it: sorted as u64 in the same direction they give it, NaNs included.
struct NumberRule {
  lanesort_dtype dtype = kExactNumbers;
  lanesort_order order = LANESORT_ASCENDING;
  lanesort_float_order float_order = LANESORT_FLOAT_NUMERIC;  // exact numbers have no LANESORT_FLOAT_BITS
};

enum class NumberClass : std::uint8_t { finite, hex, infinite, nan };

// A number taken apart, still pointing into its text. For finite: the value is 0.DDDD * 10^exponent, where DDDD are
// the digits from the first one that is not zero (digits is empty for zero, and may have a point inside).
struct NumberParts {
  NumberClass kind = NumberClass::finite;
  bool negative = false;
  std::string_view digits;
  std::int64_t exponent = 0;
};

// The parts, or nothing and (where a flaw is wanted) what is wrong, in words that follow "line 3: ".
std::optional<NumberParts> parse_number(std::string_view text, std::string* flaw = nullptr);

// Exact order of two numbers that parse. Zeros are equal whatever their sign; NaNs are equal and above everything.
std::weak_ordering compare_numbers(std::string_view a, std::string_view b);

// The u64 key of a number under a rule, or nothing and what is wrong ("300 does not fit u8 (0 to 255)").
// For kExactNumbers it is a prefix of the number (sign, decimal exponent, 16 digits); see key_is_inexact().
std::optional<std::uint64_t> number_key(std::string_view text, const NumberRule& rule, std::string* flaw = nullptr);

// The bit pattern, in the low bits, of a number that number_key() takes for the dtype, which is not kExactNumbers.
std::uint64_t number_bits(std::string_view text, lanesort_dtype dtype);

// A key of the prefix form that several different numbers share.
constexpr bool key_is_inexact(std::uint64_t prefix_key) { return (prefix_key & 1) != 0 && prefix_key != UINT64_MAX; }

// The short way to a key: whole numbers in [low, high] have the key number + bias (modulo 2^64).
struct WholeRange {
  std::int64_t low = 0;
  std::int64_t high = -1;
  std::uint64_t bias = 0;
  bool empty() const { return high < low; }
  bool holds(std::int64_t whole) const { return whole >= low && whole <= high; }
  std::uint64_t key(std::int64_t whole) const { return static_cast<std::uint64_t>(whole) + bias; }
};

// A short number: digits before the point, at most 19, and behind it, at most 16, as two integers.
struct ShortDecimal {
  bool negative = false;
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  std::uint32_t fraction_digits = 0;
};

// Its number_key() as an exact number.
std::uint64_t short_decimal_key(const ShortDecimal& number);

// The range of an integer dtype, whose keys are those of number_key(); empty for the other dtypes. For kExactNumbers,
// keys of a form of their own, for texts that hold such numbers only.
WholeRange whole_range(lanesort_dtype dtype);

// The value as an i64, if it is whole and fits, in whatever way it is spelled.
std::optional<std::int64_t> number_as_i64(std::string_view text);

// What tells finite numbers apart that share an inexact key, step by step, each step a key like a prefix key:
// numbers that agree in all steps before and in this one are equal, or the key is inexact.
// A prefix key with digits leaves off behind kPrefixDigits of them; one without is followed by the exponent first.
inline constexpr std::uint32_t kPrefixDigits = 16;
inline constexpr std::uint32_t kTailDigits = 18;
bool key_has_digits(std::uint64_t prefix_key);
std::uint64_t exponent_key(std::string_view number);
std::uint64_t tail_key(std::string_view number, std::uint64_t skipped_digits);

// As it stands in a message: in quotes, cut short, unprintable bytes as \xHH.
std::string quoted(std::string_view text);

}  // namespace lanesort::io
