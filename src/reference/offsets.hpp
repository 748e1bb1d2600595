// Segments as the offsets say them, and the chunks of long ones: the twin of kernels/wgsl/offsets.wgsl and chunk.wgsl.
#pragma once
#include <algorithm>

#include "reference/work.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

struct Segment {
  std::uint32_t begin, count;
};

inline std::uint32_t take_items(const Work& work) {
  const bool broken = work.control().load(contract::kControlBroken) != 0;
  return broken ? 0 : work.control().load(contract::kControlCount);
}

inline std::uint32_t begin_of(const Work& work, std::uint64_t index) {
  return work.bound[contract::kOffsetBegins].load(index);
}
inline std::uint32_t end_of(const Work& work, std::uint64_t index) {
  return work.flag(contract::kFlagEnds) ? work.bound[contract::kOffsetEnds].load(index) : begin_of(work, index + 1);
}

inline Segment segment_at(const Work& work, std::uint64_t index, std::uint32_t items) {
  const std::uint32_t begin = std::min(begin_of(work, index), items), end = std::min(end_of(work, index), items);
  return {begin, std::max(begin, end) - begin};
}

inline std::uint32_t chunks_of(const Work& work, std::uint32_t count) {
  const std::uint32_t length = work.step.chunk_tiles * work.shape.tile();
  return count > work.shape.tile() ? (count + length - 1) / length : 0;
}

struct Stretch {
  std::uint64_t begin, end;
};
inline Stretch stretch_at(const Work& work, std::uint64_t stretch) {
  const std::uint64_t all = work.request.segment_count;
  const std::uint64_t share = (all + work.step.stretches - 1) / work.step.stretches;
  return {std::min(stretch * share, all), std::min((stretch + 1) * share, all)};
}

struct Chunk {
  std::uint64_t begin, end, segment_begin, segment_end, first, next;
};
inline std::uint64_t words_of_chunk(const Work& work, std::uint64_t chunk) {
  return work.step.control_words + work.step.stretches + chunk * contract::kChunkWords;
}
inline Chunk take_chunk(const Work& work, std::uint64_t chunk) {
  const std::uint64_t words = words_of_chunk(work, chunk), length = work.step.chunk_tiles * work.shape.tile();
  const std::uint64_t begin = work.control().load(words + contract::kChunkBegin);
  const std::uint64_t count = work.control().load(words + contract::kChunkCount);
  const std::uint64_t first = work.control().load(words + contract::kChunkFirst), start = (chunk - first) * length;
  return {begin + start, begin + std::min(start + length, count), begin, begin + count,
          first,         first + (count + length - 1) / length};
}
// What the indices of an argsort count from.
inline std::uint64_t first_index(const Work& work, const Chunk& chunk) {
  return work.flag(contract::kFlagLocal) ? chunk.segment_begin : 0;
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
