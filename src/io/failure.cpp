#include "io/failure.hpp"

#include <cstdio>
#include <cstring>

namespace lanesort::io {

Failure system_failure(const std::string& path, const std::string& what, int error) {
  return Failure(path + ": " + what + ": " + std::strerror(error));
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
