#include "io/json.hpp"

#include <algorithm>

#include "io/chunk.hpp"

namespace lanesort::io {
namespace {

// The word, or the single byte, that stands where something else should.
std::string_view stumbling_block(std::string_view text) {
  const auto stops = [](char c) {
    return is_json_space(c) || c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
  };
  const auto end = std::find_if(text.begin(), text.end(), stops);
  return text.substr(0, std::max<std::size_t>(1, static_cast<std::size_t>(end - text.begin())));
}

std::string no_number(std::string_view text) {
  if (text.empty()) return "the text ends where a number should be";
  switch (text.front()) {
    case '[':
    case '{':
      return quoted(text.substr(0, 1)) + " begins something nested; only one array of numbers can be sorted";
    case '"':
      return "'\"' begins a string; only numbers can be sorted";
    case ']':
      return "']' stands where a number should be, after a comma";
    case ',':
      return "',' stands where a number should be";
    default:
      return quoted(stumbling_block(text)) + " is not a JSON number";
  }
}

class ArrayReader {
 public:
  ArrayReader(const Chunk& chunk, const KeyMaker& maker)
      : chunk_(chunk), maker_(maker), text_(chunk.text.data(), chunk.end), at_(chunk.begin) {}

  std::optional<ChunkFlaw> read() {
    for (std::uint64_t i = 0; i < chunk_.count; ++i) {
      if (auto flaw = read_number(i)) return flaw;
      skip_space();
      const char mark = at_ < text_.size() ? text_[at_] : '\0';
      if (mark == ']') return read_end(i);
      if (at_ == text_.size()) return flaw_at(i, "the text ends inside the array; ']' is missing");
      if (mark != ',')
        return flaw_at(i, quoted(stumbling_block(text_.substr(at_))) + " stands where ',' or ']' should");
      ++at_;
    }
    return std::nullopt;
  }

 private:
  std::optional<ChunkFlaw> read_number(std::uint64_t i) {
    skip_space();
    const std::string_view rest = text_.substr(at_);
    const std::size_t length = json_number_length(rest);
    if (length == 0) return flaw_at(i, no_number(rest));
    if (length < rest.size() && !is_json_space(rest[length]) && rest[length] != ',' && rest[length] != ']') {
      return flaw_at(i, quoted(stumbling_block(rest)) + " is not a JSON number");
    }
    ChunkFlaw flaw{at_, i, {}};
    const std::optional<std::uint64_t> key = maker_.key(rest.substr(0, length), &flaw.words);
    if (!key) return flaw;
    chunk_.keys[i] = *key;
    chunk_.refs[i] = make_reference(at_, length);
    at_ += length;
    return std::nullopt;
  }

  // Behind a bracket that comes before the last number is a comma at least: they were counted.
  std::optional<ChunkFlaw> read_end(std::uint64_t i) {
    ++at_;
    skip_space();
    if (at_ == text_.size()) return std::nullopt;
    return flaw_at(i, "something follows the end of the array");
  }

  void skip_space() {
    while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
  }
  ChunkFlaw flaw_at(std::uint64_t i, std::string words) const { return {at_, i, std::move(words)}; }

  const Chunk& chunk_;
  const KeyMaker& maker_;
  std::string_view text_;  // up to the chunk's end
  std::size_t at_;
};

}  // namespace

std::size_t json_number_length(std::string_view text) {
  std::size_t at = 0;
  const auto here = [&](char c) { return at < text.size() && text[at] == c; };
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at != first;
  };
  if (here('-')) ++at;
  if (here('0')) {
    ++at;
  } else if (!digits()) {
    return 0;
  }
  if (here('.') && (++at, !digits())) return 0;
  if (here('e') || here('E')) {
    ++at;
    if (here('+') || here('-')) ++at;
    if (!digits()) return 0;
  }
  return at;
}

std::optional<JsonFrameFlaw> find_json_frame(std::span<const char> text, std::size_t begin, JsonFrame& frame) {
  const auto skip_space = [&](std::size_t at) {
    while (at < text.size() && is_json_space(text[at])) ++at;
    return at;
  };
  const std::size_t open = skip_space(begin);
  if (open == text.size()) return JsonFrameFlaw{open, "the text is empty; a JSON array of numbers should be there"};
  if (text[open] != '[') {
    const std::string_view rest(text.data() + open, text.size() - open);
    if (rest.front() == '{') return JsonFrameFlaw{open, "'{' begins an object; an array of numbers is expected"};
    return JsonFrameFlaw{open, quoted(stumbling_block(rest)) + " stands where '[' should begin an array of numbers"};
  }
  frame.inside = open + 1;
  const std::size_t first = skip_space(frame.inside);
  frame.empty = first < text.size() && text[first] == ']';
  if (!frame.empty) return std::nullopt;
  const std::size_t rest = skip_space(first + 1);
  if (rest < text.size()) return JsonFrameFlaw{rest, "something follows the end of the array"};
  return std::nullopt;
}

std::size_t next_json_cut(std::span<const char> text, std::size_t at) {
  while (at < text.size() && text[at] != ',') ++at;
  return at < text.size() ? at + 1 : at;
}

std::optional<ChunkFlaw> read_json(const Chunk& chunk, const KeyMaker& maker) {
  return ArrayReader(chunk, maker).read();
}

}  // namespace lanesort::io
