// Texts with one number a line. Invariant: each line is read once, and most of them eight digits at a time.
// Prior art: the digit arithmetic within a register, as in simdjson and fast_float.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "io/chunk.hpp"

namespace lanesort::io {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_line(char c) { return c == '\n' || c == '\r'; }

// Behind the line end that stands at `at`.
std::size_t after_line_end(std::span<const char> text, std::size_t at) {
  const bool pair = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
  return at + (pair ? 2 : 1);
}

// Up to eight digits at the front of eight bytes: how many, and their value.
struct Digits {
  unsigned count;
  std::uint64_t value;

  explicit Digits(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    word ^= 0x3030303030303030;  // a digit is now its value, any other byte is 10 or more
    const std::uint64_t others = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
    count = others == 0 ? 8 : static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (count == 0) {
      value = 0;
      return;
    }
    word <<= 8 * (8 - count);  // zeros in front
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ff;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffff;
    value = (word * 10000 + (word >> 32)) & 0xffffffff;
  }
};

constexpr std::array<std::int64_t, 9> kPowers = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// A line that is nothing but [-] and 1 to 15 digits, as most are.
struct PlainLine {
  static constexpr std::size_t kLook = 24;  // bytes it may touch
  std::int64_t value = 0;
  std::size_t length = 0;  // of the number; 0: it is not such a line
  std::size_t line = 0;    // with the line's end

  explicit PlainLine(const char* at) {
    const std::size_t sign = *at == '-' ? 1 : 0;
    const Digits high(at + sign);
    if (high.count == 0) return;
    std::size_t end = sign + high.count;
    value = static_cast<std::int64_t>(high.value);
    if (high.count == 8) {
      const Digits low(at + end);
      if (low.count == 8) return;
      value = value * kPowers[low.count] + static_cast<std::int64_t>(low.value);
      end += low.count;
    }
    if (sign != 0) value = -value;
    if (at[end] == '\n') {
      line = end + 1;
    } else if (at[end] == '\r') {
      line = end + (at[end + 1] == '\n' ? 2 : 1);
    } else {
      return;
    }
    length = end;
  }
};

class LineReader {
 public:
  LineReader(const Chunk& chunk, const KeyMaker& maker) : chunk_(chunk), maker_(maker) {}

  std::optional<ChunkFlaw> read() {
    std::size_t at = chunk_.begin;
    const bool short_way = std::endian::native == std::endian::little && !maker_.range.empty();
    for (std::uint64_t i = 0; i < chunk_.count; ++i) {
      if (short_way) i = read_plain_lines(i, at);
      if (i == chunk_.count) break;
      if (auto flaw = read_line(i, at)) return flaw;
    }
    return std::nullopt;
  }

 private:
  // Stops at the first line that is not plain.
  std::uint64_t read_plain_lines(std::uint64_t i, std::size_t& at) {
    const char* const text = chunk_.text.data();
    const WholeRange range = maker_.range;
    std::size_t next = at;
    for (; i < chunk_.count && chunk_.text.size() - next >= PlainLine::kLook; ++i) {
      const PlainLine plain(text + next);
      if (plain.length == 0 || !range.holds(plain.value)) break;
      chunk_.keys[i] = range.key(plain.value);
      chunk_.refs[i] = make_reference(next, plain.length);
      next += plain.line;
    }
    at = next;
    return i;
  }

  std::optional<ChunkFlaw> read_line(std::uint64_t i, std::size_t& at) {
    std::size_t end = at;
    while (end < chunk_.end && !ends_line(chunk_.text[end])) ++end;
    std::size_t first = at;
    std::size_t last = end;
    while (first < last && is_blank(chunk_.text[first])) ++first;
    while (first < last && is_blank(chunk_.text[last - 1])) --last;
    const std::string_view number(chunk_.text.data() + first, last - first);
    ChunkFlaw flaw{first, i, {}};
    const std::optional<std::uint64_t> key = maker_.key(number, &flaw.words);
    if (!key) return flaw;
    chunk_.keys[i] = *key;
    chunk_.refs[i] = make_reference(first, number.size());
    at = end < chunk_.end ? after_line_end(chunk_.text, end) : end;
    return std::nullopt;
  }

  const Chunk& chunk_;
  const KeyMaker& maker_;
};

}  // namespace

// In steps short enough for a byte to count, so that the compiler counts in bytes of a register.
std::uint64_t count_bytes(std::span<const char> text, char byte) {
  constexpr std::size_t kStep = 192;
  std::uint64_t total = 0;
  std::size_t at = 0;
  for (; text.size() - at >= kStep; at += kStep) {
    std::uint8_t found = 0;
    for (std::size_t i = 0; i < kStep; ++i) found = static_cast<std::uint8_t>(found + (text[at + i] == byte ? 1 : 0));
    total += found;
  }
  return total + static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), byte));
}

std::size_t next_line_cut(std::span<const char> text, std::size_t at) {
  while (at < text.size() && !ends_line(text[at])) ++at;
  return at < text.size() ? after_line_end(text, at) : at;
}

std::uint64_t count_lines(std::span<const char> text, std::size_t begin, std::size_t end) {
  const std::string_view part(text.data() + begin, end - begin);
  if (part.empty()) return 0;
  std::uint64_t ends = count_bytes(text.subspan(begin, end - begin), '\n');
  for (std::size_t at = part.find('\r'); at != part.npos; at = part.find('\r', at + 1)) {
    if (at + 1 == part.size() || part[at + 1] != '\n') ++ends;
  }
  return ends + (ends_line(part.back()) ? 0 : 1);
}

std::optional<ChunkFlaw> read_lines(const Chunk& chunk, const KeyMaker& maker) { return LineReader(chunk, maker).read(); }

}  // namespace lanesort::io
