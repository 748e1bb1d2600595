// Specs and counts as people write them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/digits.hpp"
#include "bench/nearest.hpp"
#include "bench/patterns.hpp"

namespace lanesort::bench {

using std::uint64_t;

namespace {

constexpr std::string_view kCountForms = "write it like 1000, 1e8, 2.5e6, 100k, 100M, 1G or 2^20";

[[noreturn]] void refuse_count(std::string_view text, std::string_view cause) {
  throw Error(fmt::format("count '{}' {}; {}", text, cause, kCountForms));
}

uint64_t times(uint64_t value, uint64_t factor, std::string_view text) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(value, factor, &product)) refuse_count(text, "does not fit 64 bits");
  return product;
}

// "2^32", with "+1" or "-1" behind it.
std::optional<uint64_t> power_count(std::string_view number, std::string_view text) {
  if (!number.starts_with("2^")) return std::nullopt;
  const auto sign = number.find_first_of("+-");
  const auto exponent = plain_number(number.substr(2, sign == number.npos ? number.npos : sign - 2));
  if (!exponent) refuse_count(text, "is not a number");
  if (*exponent > 63) refuse_count(text, "does not fit 64 bits");
  const uint64_t power = uint64_t{1} << *exponent;
  if (sign == number.npos) return power;
  const auto offset = plain_number(number.substr(sign + 1));
  if (!offset || *offset > power) refuse_count(text, "is not a number");
  return number[sign] == '+' ? power + *offset : power - *offset;
}

// The power of ten that a suffix or exponent stands for; takes it off the number.
unsigned take_scale(std::string_view& number, std::string_view text) {
  constexpr std::string_view kSuffixes = "kMGT";
  if (number.empty()) refuse_count(text, "is not a number");
  if (const auto suffix = kSuffixes.find(number.back()); suffix != kSuffixes.npos) {
    number.remove_suffix(1);
    return static_cast<unsigned>(3 * (suffix + 1));
  }
  const auto e = number.find_first_of("eE");
  if (e == number.npos) return 0;
  auto exponent_text = number.substr(e + 1);
  if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  const auto exponent = plain_number(exponent_text);
  if (!exponent) refuse_count(text, "is not a number");
  if (*exponent > 19) refuse_count(text, "does not fit 64 bits");
  number = number.substr(0, e);
  return static_cast<unsigned>(*exponent);
}

lanesort_dtype parse_dtype(const std::string& name) {
  lanesort_dtype dtype = 0;
  if (lanesort_dtype_from_name(name.c_str(), &dtype) != LANESORT_OK)
    throw Error(lanesort_last_error() + suggestion(name, dtype_names()));
  return dtype;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    fields.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

}  // namespace

uint64_t parse_count(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  std::string_view number = digits;
  if (const auto power = power_count(number, text)) return *power;
  unsigned scale = take_scale(number, text);
  std::string whole(number);
  if (const auto point = whole.find('.'); point != whole.npos) {
    while (whole.back() == '0') whole.pop_back();
    const std::size_t fraction_digits = whole.size() - point - 1;
    if (fraction_digits > scale) refuse_count(text, "is not a whole number");
    scale -= static_cast<unsigned>(fraction_digits);
    whole.erase(point, 1);
  }
  if (whole.empty() || whole.find_first_not_of("0123456789") != whole.npos) refuse_count(text, "is not a number");
  const auto value = plain_number(whole);
  if (!value) refuse_count(text, "does not fit 64 bits");
  uint64_t count = *value;
  for (; scale > 0; --scale) count = times(count, 10, text);
  return count;
}

PatternSpec parse_pattern_spec(std::string_view text) {
  auto fields = split(text, ':');
  PatternSpec spec;
  std::string name(fields.front());
  fields.erase(fields.begin());
  if (name == "entropy" && !fields.empty()) {
    name.append(":").append(fields.front());
    fields.erase(fields.begin());
  }
  spec.pattern = canonical_pattern(name);
  if (fields.size() < 2) {
    throw Error(
        fmt::format("spec '{}' lacks its {}; write PATTERN:DTYPE:COUNT[:seed=N], such as uniform:u32:1e8:seed=7", text,
                    fields.empty() ? "dtype and count" : "count"));
  }
  spec.dtype = parse_dtype(std::string(fields[0]));
  spec.count = parse_count(fields[1]);
  for (const std::string_view field : std::span(fields).subspan(2)) {
    const auto seed = field.starts_with("seed=") ? plain_number(field.substr(5)) : std::nullopt;
    if (!seed)
      throw Error(fmt::format("'{}' in spec '{}' is no setting; the only one is seed=N, N a whole number of 64 bits",
                              field, text));
    spec.seed = *seed;
  }
  return spec;
}

}  // namespace lanesort::bench
