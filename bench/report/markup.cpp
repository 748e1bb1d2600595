#include "bench/report/markup.hpp"

#include "bench/report/words.hpp"

namespace lanesort::bench {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes at `at` that neither XML may hold nor a reader should see: controls; U+2028 to 202E and 2066 to 2069, which
// turn the text behind them round; U+FFFE and U+FFFF. 0: none.
std::size_t forbidden_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;
  if (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) return 3;
  if (byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 3;
  if (byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 3;
  return 0;
}

}  // namespace

Markup& Markup::operator<<(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::size_t bytes = forbidden_bytes(text, i); bytes != 0) {
      text_ += kReplacement;
      i += bytes - 1;
      continue;
    }
    switch (text[i]) {
      case '&':
        text_ += "&amp;";
        break;
      case '<':
        text_ += "&lt;";
        break;
      case '>':
        text_ += "&gt;";
        break;
      case '"':
        text_ += "&quot;";
        break;
      case '\'':
        text_ += "&#39;";
        break;
      default:
        text_ += text[i];
    }
  }
  return *this;
}

Markup& Markup::operator<<(double coordinate) { return *this << std::string_view(decimal(coordinate, 1)); }

}  // namespace lanesort::bench
