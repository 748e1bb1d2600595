#include "bench/report/words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace lanesort::bench {
namespace {

struct Unit {
  double size;
  const char* name;
};

template <std::size_t N>
std::string in_units(double value, const std::array<Unit, N>& units) {
  for (const Unit& unit : units)
    if (value >= unit.size * 0.9995) return significant(value / unit.size, 3) + " " + unit.name;
  return significant(value / units.back().size, 3) + " " + units.back().name;
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace

std::string decimal(double value, int places) {
  std::array<char, 400> text;
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, places);
  std::string digits(text.data(), error == std::errc{} ? end : text.data());
  if (digits.find('.') != digits.npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
  }
  return digits == "-0" ? "0" : digits;
}

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return decimal(value, 0);
  const int before = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  return decimal(value, std::clamp(digits - before, 0, 12));
}

std::string duration_words(double seconds) {
  static constexpr std::array<Unit, 4> kUnits{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  return in_units(seconds, kUnits);
}

std::string rate_words(double keys_per_s) {
  static constexpr std::array<Unit, 5> kUnits{{{1e12, "T/s"}, {1e9, "G/s"}, {1e6, "M/s"}, {1e3, "k/s"}, {1, "/s"}}};
  return in_units(keys_per_s, kUnits);
}

std::string bandwidth_words(double bytes_per_s) {
  static constexpr std::array<Unit, 3> kUnits{{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}}};
  return in_units(bytes_per_s, kUnits);
}

std::string bytes_words(double bytes) {
  static constexpr std::array<Unit, 4> kUnits{{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
  return in_units(bytes, kUnits);
}

std::string superscript(std::uint64_t number) {
  static constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : std::to_string(number)) text += kDigits[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string count_words(std::uint64_t count) {
  if (count < 1000) return std::to_string(count);
  if (std::has_single_bit(count)) return "2" + superscript(static_cast<std::uint64_t>(std::countr_zero(count)));
  std::uint64_t head = count, zeros = 0;
  for (; head % 10 == 0; head /= 10) ++zeros;
  if (head == 1) return "10" + superscript(zeros);
  if (head < 10) return std::to_string(head) + "·10" + superscript(zeros);
  return with_commas(count);
}

std::string percent_words(double share) { return significant(100 * share, share < 0.1 ? 2 : 3) + " %"; }

std::string ratio_words(double ratio) { return significant(ratio, 3) + "x"; }

}  // namespace lanesort::bench
