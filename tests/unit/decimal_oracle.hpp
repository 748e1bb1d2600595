// Numbers compared the slow way: written out in full as strings of digits, hex by schoolbook multiplication.
// Shares nothing with the room it judges.
#pragma once
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace oracle {

inline constexpr std::size_t kPlaces = 2600;  // before and behind the point; enough for what the tests make

// The digits are 2 * kPlaces characters, so strings compare as magnitudes do.
struct Number {
  int rank = 0;  // 0 finite, 1 infinite, 2 nan
  bool negative = false;
  std::string digits;
};

inline Number read(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  Number number;
  if (text[0] == '-' || text[0] == '+') {
    number.negative = text[0] == '-';
    text.erase(0, 1);
  }
  if (text == "nan") return number.rank = 2, number;
  if (text[0] == 'i') return number.rank = 1, number;
  number.digits.assign(2 * kPlaces, '0');
  if (text.rfind("0x", 0) == 0) {
    for (const char c : text.substr(2)) {
      int carry = c <= '9' ? c - '0' : c - 'a' + 10;
      for (std::size_t i = kPlaces; i-- > 0;) {
        const int wide = (number.digits[i] - '0') * 16 + carry;
        number.digits[i] = static_cast<char>('0' + wide % 10);
        carry = wide / 10;
      }
    }
  } else {
    long exponent = 0;
    if (const auto e = text.find('e'); e != text.npos) {
      exponent = std::strtol(text.c_str() + e + 1, nullptr, 10);
      text.resize(e);
    }
    auto point = text.find('.');
    if (point == text.npos) {
      point = text.size();
    } else {
      text.erase(point, 1);
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
      const long place = static_cast<long>(kPlaces) + static_cast<long>(i) - static_cast<long>(point) - exponent;
      if (text[i] != '0') number.digits.at(static_cast<std::size_t>(place)) = text[i];
    }
  }
  if (number.digits.find_first_not_of('0') == std::string::npos) number.negative = false;
  return number;
}

// -1, 0, 1. NaN above everything and equal to itself.
inline int compare(const Number& a, const Number& b) {
  const auto side = [](const Number& n) { return n.rank == 2 ? 2 : n.rank == 1 ? (n.negative ? -1 : 1) : 0; };
  if (side(a) != side(b)) return side(a) < side(b) ? -1 : 1;
  if (side(a) != 0) return 0;
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  const int size = a.digits.compare(b.digits);
  const int sign = size < 0 ? -1 : size > 0 ? 1 : 0;
  return a.negative ? -sign : sign;
}

}  // namespace oracle
