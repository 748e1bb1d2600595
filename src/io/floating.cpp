#include "io/floating.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>

#include "io/decimal.hpp"

namespace lanesort::io {
namespace {

constexpr unsigned kFraction64 = 52;

// The same number, or one that rounds alike, of bounded length: readers of floats stop counting in very long exponents.
std::string condensed(const Decimal& decimal) {
  constexpr std::size_t kEnough = 800;  // more digits than the midpoint of two f64 can have
  std::string spelled = ".";
  bool more = false;
  for (const char c : decimal.digits()) {
    if (c == '.') continue;
    if (spelled.size() <= kEnough) {
      spelled += c;
    } else {
      more |= c != '0';
    }
  }
  if (more) spelled += '1';
  return spelled + "e" + std::to_string(decimal.exponent());
}

// The absolute value of a finite number that is not zero; infinity past the largest f64.
double magnitude_f64(std::string_view text, const NumberParts& parts) {
  constexpr std::int64_t kFarOut = 400;  // past both ends of f64, and short of what from_chars may choke on
  if (parts.exponent > kFarOut) return HUGE_VAL;
  if (parts.exponent < -kFarOut) return 0.0;
  const Decimal decimal(parts);
  std::string_view spelled = text;
  std::string shorter;
  constexpr std::size_t kLong = 512;
  if (parts.kind == NumberClass::hex) {
    spelled = decimal.digits();
  } else if (spelled.size() > kLong) {
    spelled = shorter = condensed(decimal);
  } else if (spelled.front() == '-' || spelled.front() == '+') {
    spelled.remove_prefix(1);
  }
  double value = 0;
  const auto result = std::from_chars(spelled.data(), spelled.data() + spelled.size(), value);
  // Both ends of the range give this error, and the value is left alone.
  if (result.ec == std::errc::result_out_of_range) return decimal.exponent() > 0 ? HUGE_VAL : 0.0;
  return value;
}

// How the number lies to a finite f64 that is its nearest one: by all their digits.
std::weak_ordering compare_with(const NumberParts& parts, double value) {
  constexpr int kAllDigits = 766;  // no f64 has more significant ones
  char buffer[kAllDigits + 16];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, kAllDigits);
  const auto other = parse_number({buffer, static_cast<std::size_t>(result.ptr - buffer)});
  return compare_magnitudes(Decimal(parts), Decimal(other.value_or(NumberParts{})));
}

// value, which is not zero, rounded to the shape; the pattern of infinity if it is too large.
std::uint64_t narrow(double value, const NumberParts& parts, FloatShape shape) {
  const std::uint64_t infinity = ((std::uint64_t{1} << shape.exponent_bits) - 1) << shape.fraction_bits;
  if (std::isinf(value)) return infinity;
  const auto pattern = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>(pattern >> kFraction64) - 1023;
  const int least_exponent = 2 - (1 << (shape.exponent_bits - 1));
  const int below = exponent < least_exponent ? least_exponent - exponent : 0;  // subnormal: by so many bits
  const unsigned shift = kFraction64 - shape.fraction_bits + static_cast<unsigned>(below);
  if (shift > kFraction64 + 1) return 0;
  const std::uint64_t significand =
      (std::uint64_t{1} << kFraction64) | (pattern & ((std::uint64_t{1} << kFraction64) - 1));
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  bool up = rest > half;
  if (rest == half) {
    const std::weak_ordering side = compare_with(parts, value);
    up = side > 0 || (side == 0 && (kept & 1) != 0);
  }
  // A carry out of the fraction steps into the exponent, which is what the next larger value has.
  const std::uint64_t biased = below > 0 ? 0 : static_cast<std::uint64_t>(exponent - least_exponent);
  return std::min((biased << shape.fraction_bits) + kept + (up ? 1 : 0), infinity);
}

}  // namespace

std::optional<FloatShape> float_shape(lanesort_dtype dtype) {
  switch (dtype) {
    case LANESORT_F16:
      return FloatShape{"f16", "65504", 5, 10};
    case LANESORT_BF16:
      return FloatShape{"bf16", "3.3895314e38", 8, 7};
    case LANESORT_F32:
      return FloatShape{"f32", "3.4028235e38", 8, 23};
    case LANESORT_F64:
      return FloatShape{"f64", "1.7976931348623157e308", 11, 52};
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> float_bits(std::string_view text, const NumberParts& parts, FloatShape shape) {
  const std::uint64_t sign = parts.negative ? std::uint64_t{1} << (shape.bits() - 1) : 0;
  const std::uint64_t infinity = ((std::uint64_t{1} << shape.exponent_bits) - 1) << shape.fraction_bits;
  if (parts.kind == NumberClass::infinite) return sign | infinity;
  if (parts.kind == NumberClass::nan) return sign | infinity | std::uint64_t{1} << (shape.fraction_bits - 1);
  if (parts.digits.empty()) return sign;
  const double value = magnitude_f64(text, parts);
  std::uint64_t bits = 0;
  if (shape.fraction_bits == kFraction64) {
    bits = std::bit_cast<std::uint64_t>(value);
  } else if (value != 0) {
    bits = narrow(value, parts, shape);
  }
  return bits == infinity ? std::nullopt : std::optional(sign | bits);
}

}  // namespace lanesort::io
