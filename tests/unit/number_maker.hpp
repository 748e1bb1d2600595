// Numbers for tests, made to meet: the same value in several spellings, values that differ in a far digit, and the
// ends of every range that the room knows of.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

class NumberMaker {
 public:
  explicit NumberMaker(unsigned seed) : random_(seed) {}

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  bool chance(unsigned percent) { return below(100) < percent; }

  std::string digits(unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += static_cast<char>('0' + (chance(30) ? 0 : chance(30) ? 9 : below(10)));
    return text;
  }

  std::string sign() { return chance(40) ? "-" : chance(20) ? "+" : ""; }

  std::string make_decimal() {
    std::string text = sign() + digits(1 + below(chance(20) ? 60 : 18));
    if (chance(40)) text += "." + digits(below(chance(20) ? 50 : 6));
    if (chance(30)) text += (chance(50) ? "e" : "E") + exponent();
    return text;
  }

  // Near what a float can tell apart, and near the ends of its range.
  std::string make_float_text() {
    const int powers[] = {0, -38, -45, 38, -308, -323, -324, 308};
    return sign() + std::to_string(1 + below(9)) + "." + digits(below(22)) + "e" + std::to_string(powers[below(8)]);
  }

  std::string make() {
    switch (below(12)) {
      case 0:
        return sign() + (chance(50) ? "inf" : "Infinity");
      case 1:
        return sign() + (chance(50) ? "nan" : "NaN");
      case 2:
        return sign() + "0x" + hex(1 + below(chance(20) ? 300 : 18));
      case 3:
        return sign() + (chance(50) ? "0.00" : "0e5");
      case 4:
      case 5:
      case 6:
        return sign() + digits(1 + below(19));
      default:
        return make_decimal();
    }
  }

  // Some that have much to do with each other.
  std::vector<std::string> make_related(unsigned count) {
    std::vector<std::string> texts;
    const std::string stem = digits(1 + below(40));
    const std::string power = exponent();
    while (texts.size() < count) {
      switch (below(6)) {
        case 0:
          texts.push_back(make());
          break;
        case 1:
          texts.push_back(sign() + stem + digits(below(4)) + "e" + power);
          break;
        case 2:
          texts.push_back(sign() + stem + "." + digits(below(30)));
          break;
        case 3:
          texts.push_back(sign() + "00" + stem + std::string(below(3), '0'));
          break;
        case 4:
          texts.push_back(sign() + "0." + std::string(below(3), '0') + stem + digits(below(20)));
          break;
        default:
          texts.push_back(texts.empty() ? stem : respelled(texts[below(static_cast<unsigned>(texts.size()))]));
          break;
      }
    }
    return texts;
  }

 private:
  std::string exponent() {
    const int edges[] = {0, 1, 15, 16, 17, 253, 254, 255, 256, 308, 400, 1000};
    const int power = edges[below(12)] + static_cast<int>(below(5)) - 2;
    return std::to_string(chance(50) ? -power : power);
  }

  std::string hex(unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += (chance(50) ? "0123456789abcdef" : "0123456789ABCDEF")[below(16)];
    return text;
  }

  // The same number, if it is a plain one: a point and zeros, or an exponent, behind it.
  std::string respelled(const std::string& text) {
    if (text.find_first_not_of("+-0123456789") != std::string::npos) return text;
    return text + (chance(50) ? ".000" : "e0");
  }

  std::mt19937_64 random_;
};

