// A stretch of a text between two numbers, as one thread reads it. For the inside of the room.
//
// Invariant: a chunk is read without a look at any other, and writes its own keys and references only.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/number.hpp"
#include "io/text.hpp"

namespace lanesort::io {

// How a number becomes a key.
struct KeyMaker {
  NumberRule rule;
  WholeRange range;         // numbers that may take the short way
  bool whole_only = false;  // no other ones are wanted: the reader starts over with prefix keys

  std::optional<std::uint64_t> key(std::string_view number, std::string* flaw) const {
    if (!whole_only) return number_key(number, rule, flaw);
    const std::optional<std::int64_t> whole = number_as_i64(number);
    return whole && range.holds(*whole) ? std::optional(range.key(*whole)) : std::nullopt;
  }
};

struct Chunk {
  std::span<const char> text;  // all of it: a chunk may look past its end, and not past the text's
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t count = 0;  // numbers to be found
  std::uint64_t* keys = nullptr;
  std::uint64_t* refs = nullptr;
  bool is_last() const { return end == text.size(); }
};

struct ChunkFlaw {
  std::size_t at = 0;        // offset in the text
  std::uint64_t number = 0;  // numbers of the chunk before it
  std::string words;
};

constexpr std::uint64_t make_reference(std::size_t offset, std::size_t length) {
  const std::uint64_t kept = length < kLongReference ? length : kLongReference;
  return static_cast<std::uint64_t>(offset) | kept << kOffsetBits;
}
constexpr std::size_t reference_offset(std::uint64_t ref) { return ref & (kMaxTextBytes - 1); }
constexpr std::size_t reference_length(std::uint64_t ref) { return ref >> kOffsetBits; }

// The first offset above at where a chunk may begin; the text's size if there is none.
std::size_t next_line_cut(std::span<const char> text, std::size_t at);
std::size_t next_json_cut(std::span<const char> text, std::size_t at);

std::uint64_t count_bytes(std::span<const char> text, char byte);

// Lines of a text from cut to cut.
std::uint64_t count_lines(std::span<const char> text);

// Nothing if all is well. A flaw without words: a number that whole_only does not take.
std::optional<ChunkFlaw> read_lines(const Chunk& chunk, const KeyMaker& maker);
std::optional<ChunkFlaw> read_json(const Chunk& chunk, const KeyMaker& maker);

}  // namespace lanesort::io
