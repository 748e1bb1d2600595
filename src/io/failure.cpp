#include "io/failure.hpp"

#include <cstdio>
#include <cstring>

namespace lanesort::io {

Failure system_failure(const std::string& path, const std::string& what, int error) {
  return Failure(printable(path) + ": " + what + ": " + std::strerror(error));
}

std::string printable(std::string_view name) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string shown;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F)
      shown += c;
    else
      (((shown += "\\x") += kHex[byte >> 4]) += kHex[byte & 15]);
  }
  return shown;
}

std::string bytes_in_words(std::uint64_t bytes) {
  std::string words = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  if (bytes < 10000) return words;
  static constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double scaled = static_cast<double>(bytes) / 1000;
  int unit = 0;
  for (; scaled >= 1000 && unit < 5; ++unit) scaled /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, " (%.3g %s)", scaled, kUnits[unit]);
  return words + text;
}

}  // namespace lanesort::io
