// The part of RFC 8259 that one array of numbers needs. For the inside of the room.
//
// Invariant: strict. No NaN, no leading zero or plus, no comma at the end, nothing nested, nothing after the array.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lanesort::io {

constexpr bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The length of the JSON number that text begins with; 0 if it begins with none.
std::size_t json_number_length(std::string_view text);

// What stands between the brackets of a text that looks like an array from both ends.
struct JsonFrame {
  std::size_t inside = 0;  // behind the opening bracket
  bool empty = false;      // [ ]
};

// The frame of the array that begins at or after begin, or what is wrong, and where.
struct JsonFrameFlaw {
  std::size_t at = 0;
  std::string words;
};
std::optional<JsonFrameFlaw> find_json_frame(std::span<const char> text, std::size_t begin, JsonFrame& frame);

}  // namespace lanesort::io
