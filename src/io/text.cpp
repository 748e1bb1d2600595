#include "io/text.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <limits>
#include <mutex>

#include "io/chunk.hpp"
#include "io/json.hpp"
#include "io/workers.hpp"

namespace lanesort::io {
namespace {

// Of all chunks that fail, the lowest one: what stands first in the text is what is reported.
class FirstFlaw {
 public:
  bool beaten(std::size_t chunk) const { return lowest_.load(std::memory_order_relaxed) < chunk; }
  void report(std::size_t chunk, ChunkFlaw flaw) {
    const std::lock_guard lock(mutex_);
    if (beaten(chunk)) return;
    lowest_.store(chunk, std::memory_order_relaxed);
    flaw_ = std::move(flaw);
  }
  std::size_t chunk() const { return lowest_.load(std::memory_order_relaxed); }
  const std::optional<ChunkFlaw>& flaw() const { return flaw_; }

 private:
  std::atomic<std::size_t> lowest_ = std::numeric_limits<std::size_t>::max();  // read as a hint, written under the lock
  std::mutex mutex_;
  std::optional<ChunkFlaw> flaw_;
};

std::size_t text_begin(const NumberText& job) {
  return std::string_view(job.text.data(), job.text.size()).starts_with("\xef\xbb\xbf") ? 3 : 0;
}

// Line and column of an offset, by the line ends of every system.
TextFlaw place(const NumberText& job, std::size_t at, std::string words) {
  const std::size_t begin = text_begin(job);
  std::size_t line_begin = begin;
  std::uint64_t line = 1;
  for (std::size_t i = begin; i < at; ++i) {
    const char c = job.text[i];
    if (c != '\n' && (c != '\r' || (i + 1 < job.text.size() && job.text[i + 1] == '\n'))) continue;
    ++line;
    line_begin = i + 1;
  }
  TextFlaw flaw{line, at - line_begin + 1, "line " + std::to_string(line)};
  if (job.format == TextFormat::json) flaw.message += ", column " + std::to_string(flaw.column);
  flaw.message += ": " + std::move(words);
  return flaw;
}

std::vector<TextChunk> cut(const NumberText& job, std::size_t begin) {
  constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  constexpr std::size_t kMostChunks = 4096;
  const std::size_t step =
      job.chunk_bytes != 0 ? job.chunk_bytes : std::max(kChunkBytes, job.text.size() / kMostChunks);
  const auto next_cut = job.format == TextFormat::json ? next_json_cut : next_line_cut;
  std::vector<TextChunk> chunks;
  while (begin < job.text.size()) {
    chunks.push_back({begin, 0});
    begin = job.text.size() - begin > step ? next_cut(job.text, begin + step - 1) : job.text.size();
  }
  return chunks;
}

std::size_t chunk_end(const NumberText& job, const TextLayout& layout, std::size_t i) {
  return i + 1 == layout.chunks.size() ? job.text.size() : layout.chunks[i + 1].begin_bytes;
}

// Lets every chunk count its numbers, then puts in each the sum of those before it.
void count_chunks(const NumberText& job, TextLayout& layout) {
  const bool json = job.format == TextFormat::json;
  run_tasks(job.threads, layout.chunks.size(), [&](std::size_t i) {
    TextChunk& chunk = layout.chunks[i];
    const auto part = job.text.subspan(chunk.begin_bytes, chunk_end(job, layout, i) - chunk.begin_bytes);
    chunk.first = json ? count_bytes(part, ',') : count_lines(part);
  });
  for (TextChunk& chunk : layout.chunks) layout.count += std::exchange(chunk.first, layout.count);
  if (json && !layout.chunks.empty()) ++layout.count;
}

Chunk make_chunk(const NumberText& job, const TextLayout& layout, std::size_t i, std::span<std::uint64_t> keys,
                 std::span<std::uint64_t> refs) {
  const TextChunk& place = layout.chunks[i];
  const std::uint64_t next = i + 1 == layout.chunks.size() ? layout.count : layout.chunks[i + 1].first;
  return {job.text,           place.begin_bytes,         chunk_end(job, layout, i),
          next - place.first, keys.data() + place.first, refs.data() + place.first};
}

void read_chunks(const NumberText& job, const TextLayout& layout, const KeyMaker& maker, std::span<std::uint64_t> keys,
                 std::span<std::uint64_t> refs, FirstFlaw& first) {
  const auto read = job.format == TextFormat::json ? read_json : read_lines;
  run_tasks(job.threads, layout.chunks.size(), [&](std::size_t i) {
    if (first.beaten(i)) return;
    if (auto flaw = read(make_chunk(job, layout, i, keys, refs), maker)) first.report(i, std::move(*flaw));
  });
}

}  // namespace

TextResult<TextLayout> count_numbers(const NumberText& job) {
  TextResult<TextLayout> result;
  if (job.text.size() > kMaxTextBytes) {
    result.flaw = TextFlaw{0, 0,
                           "the text has " + std::to_string(job.text.size()) + " bytes, more than the " +
                               std::to_string(kMaxTextBytes) + " that can be read; convert it to .npy"};
    return result;
  }
  std::size_t begin = text_begin(job);
  if (job.format == TextFormat::json) {
    JsonFrame frame;
    if (const auto flaw = find_json_frame(job.text, begin, frame)) {
      result.flaw = place(job, flaw->at, flaw->words);
      return result;
    }
    if (frame.empty) return result;
    begin = frame.inside;
    if (begin == job.text.size()) {
      result.flaw = place(job, begin, "the text ends where a number should be");
      return result;
    }
  }
  result.value.chunks = cut(job, begin);
  count_chunks(job, result.value);
  return result;
}

TextResult<KeyForm> read_numbers(const NumberText& job, const TextLayout& layout, std::span<std::uint64_t> keys,
                                 std::span<std::uint64_t> refs) {
  assert(keys.size() == layout.count && refs.size() == layout.count);
  const bool exact_order = job.rule.dtype == kExactNumbers;
  {
    FirstFlaw first;
    read_chunks(job, layout, {job.rule, whole_range(job.rule.dtype), exact_order}, keys, refs, first);
    if (!first.flaw()) return {KeyForm::exact, {}};
    if (!exact_order) return {KeyForm::exact, place(job, first.flaw()->at, first.flaw()->words)};
  }
  FirstFlaw first;
  read_chunks(job, layout, {job.rule, {}, false}, keys, refs, first);
  TextResult<KeyForm> result{KeyForm::prefix, {}};
  if (first.flaw()) result.flaw = place(job, first.flaw()->at, first.flaw()->words);
  return result;
}

std::string_view number_at(const NumberText& job, std::uint64_t ref) {
  const std::size_t offset = reference_offset(ref);
  std::size_t length = reference_length(ref);
  if (length == kLongReference) {
    const auto ends = [](char c) { return is_json_space(c) || c == ',' || c == ']'; };
    while (offset + length < job.text.size() && !ends(job.text[offset + length])) ++length;
  }
  return {job.text.data() + offset, length};
}

}  // namespace lanesort::io
