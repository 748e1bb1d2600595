#include "io/number.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "io/decimal.hpp"
#include "io/floating.hpp"

namespace lanesort::io {
namespace {

// Magnitudes of prefix keys, from small to large: one for all below 10^kLowestExponent, then kPrefixDigits digits under
// each exponent, one for all above, and infinity. Doubled, so that the lowest bit can say "and more digits follow":
// such a number is larger than the one that ends there, so the bit fits the order. Zero is the middle of the u64.
constexpr std::uint64_t kZeroKey = std::uint64_t{1} << 63;
constexpr std::uint64_t kLeast = 1'000'000'000'000'000;  // the least integer of kPrefixDigits digits
constexpr std::uint64_t kPerExponent = 9 * kLeast;
constexpr std::int64_t kLowestExponent = -254;
constexpr std::int64_t kHighestExponent = 255;
constexpr std::uint64_t kTiny = 1;
constexpr std::uint64_t kHuge = 1 + kPerExponent * (kHighestExponent - kLowestExponent + 2);
constexpr std::uint64_t kInfinity = kHuge + 1;
static_assert(kInfinity < (std::uint64_t{1} << 62));

std::uint64_t signed_key(bool negative, std::uint64_t magnitude) {
  return negative ? kZeroKey - magnitude : kZeroKey + magnitude;
}

// Of a number that is not zero: its exponent, and what stands first in its digits.
std::uint64_t finite_key(bool negative, std::int64_t exponent, DigitBlock block) {
  if (exponent < kLowestExponent) return signed_key(negative, 2 * kTiny + 1);
  if (exponent > kHighestExponent) return signed_key(negative, 2 * kHuge + 1);
  const auto index = static_cast<std::uint64_t>(exponent - kLowestExponent + 1);
  const std::uint64_t magnitude = 1 + index * kPerExponent + (block.value - kLeast);
  return signed_key(negative, 2 * magnitude + (block.more ? 1 : 0));
}

std::uint64_t prefix_key(const NumberParts& parts) {
  if (parts.kind == NumberClass::infinite) return signed_key(parts.negative, 2 * kInfinity);
  const Decimal decimal(parts);
  if (decimal.is_zero()) return kZeroKey;
  return finite_key(parts.negative, decimal.exponent(), decimal.block(0, kPrefixDigits));
}

constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// Digits of an integer from 1 to 10^19 - 1: 1233 / 4096 is log10(2) as closely as this takes.
std::uint32_t count_digits(std::uint64_t value) {
  const auto guess = static_cast<std::uint32_t>(std::bit_width(value)) * 1233 >> 12;
  return guess + (value >= kPowersOfTen[guess] ? 1 : 0);
}

struct IntegerType {
  bool is_signed;
  unsigned bits;
  std::uint64_t magnitude_limit(bool negative) const {
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    if (negative) return is_signed ? top : 0;
    return is_signed ? top - 1 : top - 1 + top;
  }
  std::string words() const {
    std::string words = is_signed ? "i" : "u";
    words += std::to_string(bits);
    words += is_signed ? " (-" : " (";
    words += std::to_string(magnitude_limit(true));
    words += " to ";
    words += std::to_string(magnitude_limit(false));
    return words += ')';
  }
};

std::optional<IntegerType> integer_type(lanesort_dtype dtype) {
  switch (dtype) {
    case LANESORT_U8:
      return IntegerType{false, 8};
    case LANESORT_I8:
      return IntegerType{true, 8};
    case LANESORT_U16:
      return IntegerType{false, 16};
    case LANESORT_I16:
      return IntegerType{true, 16};
    case LANESORT_U32:
      return IntegerType{false, 32};
    case LANESORT_I32:
      return IntegerType{true, 32};
    case LANESORT_U64:
      return IntegerType{false, 64};
    case LANESORT_I64:
      return IntegerType{true, 64};
    default:
      return std::nullopt;
  }
}

// A number as it stands in a message that has already accepted it as a number.
std::string shortened(std::string_view text) {
  constexpr std::size_t kShown = 40;
  if (text.size() <= kShown) return std::string(text);
  return std::string(text.substr(0, kShown)) + "... (" + std::to_string(text.size()) + " characters)";
}

void complain(std::string* flaw, std::string words) {
  if (flaw) *flaw = std::move(words);
}

std::optional<std::uint64_t> integer_key(std::string_view text, const NumberParts& parts, IntegerType type,
                                         std::string* flaw) {
  const std::optional<std::uint64_t> magnitude = whole_magnitude(parts);
  if (!magnitude && !is_whole(parts)) {
    complain(flaw, shortened(text) + " is not a whole number, as " + type.words() + " needs");
    return std::nullopt;
  }
  if (!magnitude || *magnitude > type.magnitude_limit(parts.negative)) {
    complain(flaw, shortened(text) + " does not fit " + type.words());
    return std::nullopt;
  }
  const std::uint64_t zero = type.magnitude_limit(true);  // the key of zero
  return parts.negative ? zero - *magnitude : zero + *magnitude;
}

std::optional<std::uint64_t> bool_key(std::string_view text, const std::optional<NumberParts>& parts,
                                      std::string* flaw) {
  if (same_word(text, "false")) return 0;
  if (same_word(text, "true")) return 1;
  if (parts && is_whole(*parts)) return parts->digits.empty() ? 0 : 1;
  if (parts) complain(flaw, shortened(text) + " does not fit bool (false, true or a whole number: 0 is false)");
  return std::nullopt;
}

std::uint64_t nan_key(const NumberRule& rule, std::uint64_t highest) {
  const bool descending = rule.order == LANESORT_DESCENDING;
  const bool first = rule.float_order == LANESORT_FLOAT_NAN_FIRST;
  return descending == first ? highest : 0;
}

std::optional<std::uint64_t> float_key(std::string_view text, const NumberParts& parts, const NumberRule& rule,
                                       FloatShape shape, std::string* flaw) {
  const unsigned width = shape.bits();
  const std::uint64_t highest = ~std::uint64_t{0} >> (64 - width);
  const bool by_bits = rule.float_order == LANESORT_FLOAT_BITS;
  if (parts.kind == NumberClass::nan && !by_bits) return nan_key(rule, highest);
  const std::optional<std::uint64_t> bits = float_bits(text, parts, shape);
  if (!bits) {
    complain(flaw, shortened(text) + " does not fit " + shape.name + " (up to " + shape.largest + ")");
    return std::nullopt;
  }
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  if (*bits == sign && !by_bits) return sign;  // -0 is +0
  return (*bits & sign) != 0 ? ~*bits & highest : *bits | sign;
}

}  // namespace

std::uint64_t short_decimal_key(const ShortDecimal& number) {
  if (number.whole == 0) {
    if (number.fraction == 0) return kZeroKey;
    const std::uint32_t digits = count_digits(number.fraction);
    return finite_key(number.negative, static_cast<std::int64_t>(digits) - number.fraction_digits,
                      {number.fraction * kPowersOfTen[kPrefixDigits - digits], false});
  }
  const std::uint32_t digits = count_digits(number.whole);
  if (digits > kPrefixDigits) {
    const std::uint64_t cut = kPowersOfTen[digits - kPrefixDigits];
    return finite_key(number.negative, digits, {number.whole / cut, number.whole % cut != 0 || number.fraction != 0});
  }
  const std::uint32_t room = kPrefixDigits - digits;  // for digits of the fraction
  DigitBlock block{number.whole * kPowersOfTen[room], false};
  if (number.fraction_digits <= room) {
    block.value += number.fraction * kPowersOfTen[room - number.fraction_digits];
  } else {
    const std::uint64_t cut = kPowersOfTen[number.fraction_digits - room];
    block.value += number.fraction / cut;
    block.more = number.fraction % cut != 0;
  }
  return finite_key(number.negative, digits, block);
}

WholeRange whole_range(lanesort_dtype dtype) {
  if (dtype == kExactNumbers) {
    // Every byte of the bias is in its middle, so that small numbers of both signs differ in their low bytes only and
    // a radix sort skips the others. The largest i64 numbers would wrap round; they take the prefix form.
    constexpr std::uint64_t kMiddle = 0x8080808080808080;
    return {INT64_MIN, static_cast<std::int64_t>(UINT64_MAX - kMiddle), kMiddle};
  }
  const std::optional<IntegerType> type = integer_type(dtype);
  if (!type) return {};
  const std::uint64_t below = type->magnitude_limit(true);
  const std::uint64_t above = std::min(type->magnitude_limit(false), static_cast<std::uint64_t>(INT64_MAX));
  return {static_cast<std::int64_t>(~below + 1), static_cast<std::int64_t>(above), below};
}

std::optional<std::int64_t> number_as_i64(std::string_view text) {
  const std::optional<NumberParts> parts = parse_number(text);
  const std::optional<std::uint64_t> magnitude = parts ? whole_magnitude(*parts) : std::nullopt;
  if (!magnitude || *magnitude > IntegerType{true, 64}.magnitude_limit(parts->negative)) return std::nullopt;
  return static_cast<std::int64_t>(parts->negative ? ~*magnitude + 1 : *magnitude);
}

std::optional<std::uint64_t> number_key(std::string_view text, const NumberRule& rule, std::string* flaw) {
  const std::optional<NumberParts> parts = parse_number(text, flaw);
  if (rule.dtype == LANESORT_BOOL) return bool_key(text, parts, flaw);
  if (!parts) return std::nullopt;
  if (rule.dtype == kExactNumbers)
    return parts->kind == NumberClass::nan ? nan_key(rule, UINT64_MAX) : prefix_key(*parts);
  if (const auto type = integer_type(rule.dtype)) return integer_key(text, *parts, *type, flaw);
  if (const auto shape = float_shape(rule.dtype)) return float_key(text, *parts, rule, *shape, flaw);
  complain(flaw, "dtype number " + std::to_string(rule.dtype) + " is none that text can be read as");
  return std::nullopt;
}

// The key by bits, undone.
std::uint64_t number_bits(std::string_view text, lanesort_dtype dtype) {
  const std::uint64_t key = number_key(text, {dtype, LANESORT_ASCENDING, LANESORT_FLOAT_BITS}).value_or(0);
  const auto shape = float_shape(dtype);
  if (!shape) return key - whole_range(dtype).bias;
  const std::uint64_t sign = std::uint64_t{1} << (shape->bits() - 1);
  return (key & sign) != 0 ? key ^ sign : ~key & (sign | (sign - 1));
}

std::weak_ordering compare_numbers(std::string_view a, std::string_view b) {
  const NumberParts left = parse_number(a).value_or(NumberParts{});
  const NumberParts right = parse_number(b).value_or(NumberParts{});
  // Classes in rising order: -infinity, negative, zero, positive, +infinity, NaN.
  const auto place = [](const NumberParts& parts) {
    if (parts.kind == NumberClass::nan) return 3;
    const int size = parts.kind == NumberClass::infinite ? 2 : parts.digits.empty() ? 0 : 1;
    return parts.negative ? -size : size;
  };
  const int left_place = place(left);
  if (left_place != place(right)) return left_place <=> place(right);
  if (left_place != 1 && left_place != -1) return std::weak_ordering::equivalent;
  const std::weak_ordering size = compare_magnitudes(Decimal(left), Decimal(right));
  return left.negative ? 0 <=> size : size;
}

std::uint64_t exponent_key(std::string_view number) {
  constexpr std::int64_t kMiddle = std::int64_t{1} << 61;  // exponents end far short of it
  const NumberParts parts = parse_number(number).value_or(NumberParts{});
  return signed_key(parts.negative, 2 * static_cast<std::uint64_t>(Decimal(parts).exponent() + kMiddle) + 1);
}

std::uint64_t tail_key(std::string_view number, std::uint64_t skipped_digits) {
  const NumberParts parts = parse_number(number).value_or(NumberParts{});
  const DigitBlock block = Decimal(parts).block(skipped_digits, kTailDigits);
  return signed_key(parts.negative, 2 * block.value + (block.more ? 1 : 0));
}

bool key_has_digits(std::uint64_t prefix_key) {
  const std::uint64_t magnitude = (prefix_key < kZeroKey ? kZeroKey - prefix_key : prefix_key - kZeroKey) / 2;
  return magnitude > kTiny && magnitude < kHuge;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  constexpr const char* kHex = "0123456789abcdef";
  std::string words = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      words += c;
    } else {
      words += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return text.size() > kShown ? words + "...' (" + std::to_string(text.size()) + " bytes)" : words + "'";
}

}  // namespace lanesort::io
