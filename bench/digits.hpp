// Whole numbers as a part of what people write.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lanesort::bench {

// Digits and nothing else, of a number that fits.
inline std::optional<std::uint64_t> plain_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace lanesort::bench
