// Numbers in a text that lies in memory as a whole: one a line, or one JSON array. Read to (key, reference) pairs,
// which the caller sorts, and written out in the order of the references, each spelled as it was read.
//
//   NumberText job{text, TextFormat::lines, rule, threads};
//   auto layout = count_numbers(job);                      layout.value.count is n
//   auto form = read_numbers(job, layout.value, keys, refs);
//   (sort: LANESORT_U64 keys in place, in rule.order, refs as 8-byte values)
//   resolve_ties(job, form.value, keys, refs);
//   write_numbers(job, refs, sink);
//
// Invariant: beyond the text, n keys and n references nothing proportional to n is held.
// Lines end with LF, CRLF or a lone CR; the last one may lack its end. Blanks (space, tab) round a number are not part
// of it. An empty line is no number and is refused. A UTF-8 byte order mark in front is skipped.
// Prior art: GNU sort for the line format; RFC 8259 for JSON.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/number.hpp"

namespace lanesort::io {

enum class TextFormat : std::uint8_t { lines, json };

struct NumberText {
  std::span<const char> text;
  TextFormat format = TextFormat::lines;
  NumberRule rule;
  unsigned threads = 1;
  std::uint64_t chunk_bytes = 0;  // about how much one thread takes at a time; 0: a good size. Tests shrink it
};

// What is wrong with a text, and where, counted from 1. message is whole: "line 3: 'abc' is not a number", and for
// JSON "line 3, column 5: ...".
struct TextFlaw {
  std::uint64_t line = 0;
  std::uint64_t column = 0;  // in bytes
  std::string message;
};

template <class T>
struct TextResult {
  T value{};
  std::optional<TextFlaw> flaw;
  explicit operator bool() const { return !flaw; }
};

// Where the text is cut for the threads: always between two numbers. first is the number of numbers before it.
struct TextChunk {
  std::uint64_t begin_bytes = 0;
  std::uint64_t first = 0;
};

struct TextLayout {
  std::uint64_t count = 0;
  std::vector<TextChunk> chunks;
};

// exact: equal keys are equal numbers. prefix: inexact keys (key_is_inexact) need resolve_ties() after the sort.
enum class KeyForm : std::uint8_t { exact, prefix };

// A reference: 40 bits of offset, 24 bits of length above them; kLongReference as the length means "that or longer".
inline constexpr std::uint32_t kOffsetBits = 40;
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << kOffsetBits;
inline constexpr std::uint64_t kLongReference = (std::uint64_t{1} << 24) - 1;

// How many numbers there are. One read of the text; refused only if it is too large or (JSON) visibly no array.
TextResult<TextLayout> count_numbers(const NumberText& job);

// Fills keys and refs, layout.count of each. The flaw is the first one of the text.
// With no dtype the keys are exact if every number is whole and lies in whole_range(kExactNumbers), nearly all of i64.
TextResult<KeyForm> read_numbers(const NumberText& job, const TextLayout& layout, std::span<std::uint64_t> keys,
                                 std::span<std::uint64_t> refs);

// The number a reference stands for, as spelled.
std::string_view number_at(const NumberText& job, std::uint64_t ref);

// Finishes a stable sort of (keys, refs) by job.rule.order: puts runs of equal inexact keys in exact order, stably.
// Never quadratic; does nothing for KeyForm::exact. The keys are used up. A run takes 16 bytes a number while it is
// worked on.
void resolve_ties(const NumberText& job, KeyForm form, std::span<std::uint64_t> keys, std::span<std::uint64_t> refs);

// The first i for which number i must stand before number i-1; the count if the numbers are in the rule's order.
std::uint64_t first_unsorted(const NumberText& job, KeyForm form, std::span<const std::uint64_t> keys,
                             std::span<const std::uint64_t> refs);

// The same by the spellings alone, which are compared digit by digit: a key that the sorter got wrong does not pass.
// Keys have a say only where the rule is about them: bool, floats by bits, and floats that round to one another.
std::uint64_t first_misplaced(const NumberText& job, std::span<const std::uint64_t> refs);

// Order-free hash of the spellings, to tell whether two texts hold the same numbers written the same way.
using SpellingHash = std::pair<std::uint64_t, std::uint64_t>;
SpellingHash hash_spellings(const NumberText& job, std::span<const std::uint64_t> refs);

// Takes the next bytes of the output; false ends the writing. Never called by two threads at once, but by any thread.
using TextSink = std::function<bool(std::span<const char>)>;

// Writes the numbers in the order of refs: one a line with '\n', or "[a, b, c]\n". False if the sink said so.
bool write_numbers(const NumberText& job, std::span<const std::uint64_t> refs, const TextSink& sink);

}  // namespace lanesort::io
