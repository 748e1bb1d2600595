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

// Up to nineteen digits, which is what a u64 holds of any kind; more of them count as twenty.
struct DigitRun {
  static constexpr unsigned kMost = 19;
  unsigned count;
  std::uint64_t value;

  explicit DigitRun(const char* at) {
    static constexpr std::array<std::uint64_t, 9> kPowers = {1,      10,      100,      1000,     10000,
                                                             100000, 1000000, 10000000, 100000000};
    const Digits high(at);
    count = high.count;
    value = high.value;
    if (count < 8) return;
    const Digits low(at + 8);
    count += low.count;
    value = value * kPowers[low.count] + low.value;
    if (low.count < 8) return;
    const Digits rest(at + 16);
    count = std::min(16 + rest.count, kMost + 1);
    if (count <= kMost) value = value * kPowers[rest.count] + rest.value;
  }
};

// A line that is nothing but [-] digits [. digits], as few as a ShortDecimal holds, as most are.
struct PlainLine {
  static constexpr std::size_t kLook = 48;  // bytes it may touch
  ShortDecimal number;
  bool has_point = false;
  std::size_t length = 0;  // of the number; 0: it is not such a line
  std::size_t line = 0;    // with the line's end

  explicit PlainLine(const char* at) {
    number.negative = *at == '-';
    std::size_t end = number.negative ? 1 : 0;
    const DigitRun whole(at + end);
    number.whole = whole.value;
    end += whole.count;
    unsigned digits = whole.count;
    if (digits > DigitRun::kMost) return;
    has_point = at[end] == '.';
    if (has_point) {
      const DigitRun fraction(at + end + 1);
      if (fraction.count > kPrefixDigits) return;
      number.fraction = fraction.value;
      number.fraction_digits = fraction.count;
      end += 1 + fraction.count;
      digits += fraction.count;
    }
    if (digits == 0) return;
    if (at[end] == '\n') {
      line = end + 1;
    } else if (at[end] == '\r') {
      line = end + (at[end + 1] == '\n' ? 2 : 1);
    } else {
      return;
    }
    length = end;
  }

  std::int64_t whole() const {
    const auto value = static_cast<std::int64_t>(number.whole);
    return number.negative ? -value : value;
  }
};

class LineReader {
 public:
  LineReader(const Chunk& chunk, const KeyMaker& maker) : chunk_(chunk), maker_(maker) {}

  std::optional<ChunkFlaw> read() {
    std::size_t at = chunk_.begin;
    for (std::uint64_t i = 0; i < chunk_.count; ++i) {
      if (std::endian::native == std::endian::little) i = read_plain_lines(i, at);
      if (i == chunk_.count) break;
      if (auto flaw = read_line(i, at)) return flaw;
    }
    return std::nullopt;
  }

 private:
  std::uint64_t read_plain_lines(std::uint64_t i, std::size_t& at) {
    const WholeRange range = maker_.range;
    if (!range.empty()) {
      return read_plain_lines(i, at, [range](const PlainLine& plain, std::uint64_t& key) {
        if (plain.has_point || plain.number.whole > INT64_MAX || !range.holds(plain.whole())) return false;
        key = range.key(plain.whole());
        return true;
      });
    }
    if (maker_.rule.dtype != kExactNumbers) return i;
    return read_plain_lines(i, at, [](const PlainLine& plain, std::uint64_t& key) {
      key = short_decimal_key(plain.number);
      return true;
    });
  }

  // Stops at the first line that is not plain or has no key of this kind.
  template <class MakeKey>
  std::uint64_t read_plain_lines(std::uint64_t i, std::size_t& at, const MakeKey& make_key) {
    const char* const text = chunk_.text.data();
    std::size_t next = at;
    for (; i < chunk_.count && chunk_.text.size() - next >= PlainLine::kLook; ++i) {
      const PlainLine plain(text + next);
      if (plain.length == 0 || !make_key(plain, chunk_.keys[i])) break;
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
  return total +
         static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), byte));
}

std::size_t next_line_cut(std::span<const char> text, std::size_t at) {
  while (at < text.size() && !ends_line(text[at])) ++at;
  return at < text.size() ? after_line_end(text, at) : at;
}

std::uint64_t count_lines(std::span<const char> text) {
  if (text.empty()) return 0;
  const std::string_view part(text.data(), text.size());
  std::uint64_t ends = count_bytes(text, '\n');
  for (std::size_t at = part.find('\r'); at != part.npos; at = part.find('\r', at + 1)) {
    if (at + 1 == part.size() || part[at + 1] != '\n') ++ends;
  }
  return ends + (ends_line(part.back()) ? 0 : 1);
}

std::optional<ChunkFlaw> read_lines(const Chunk& chunk, const KeyMaker& maker) {
  return LineReader(chunk, maker).read();
}

}  // namespace lanesort::io
