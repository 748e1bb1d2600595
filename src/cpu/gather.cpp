#include "cpu/gather.hpp"

#include <cstring>

#include "cpu/engine.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace {

// Bodies get [begin, end) of the items, one part a thread.
template <class Body>
void for_parts(std::uint64_t count, Team& team, Body&& body) {
  const std::uint32_t parts = useful_threads(count, team.threads());
  team.run(parts, [&](std::uint32_t p) { body(count * p / parts, count * (p + 1) / parts); });
}

template <class I>
void count_up_as(char* indices, std::uint64_t count, Team& team) {
  for_parts(count, team, [=](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const I index = static_cast<I>(i);
      std::memcpy(indices + i * sizeof(I), &index, sizeof(I));
    }
  });
}

// Places [begin, end) of the result.
template <class I>
void gather_as(const char* src, const char* indices, char* dst, Values values, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kAhead = 16;  // the source is read at random: ask for it in time
  const auto index_at = [=](std::uint64_t i) {
    I index;
    std::memcpy(&index, indices + i * sizeof(I), sizeof(I));
    return std::uint64_t{index};
  };
  for (std::uint64_t i = begin; i < end; ++i) {
    if (i + kAhead < end) __builtin_prefetch(src + index_at(i + kAhead) * values.bytes);
    std::memcpy(dst + i * values.bytes, src + index_at(i) * values.bytes, values.bytes);
  }
}

}  // namespace

void count_up(void* indices, std::uint32_t index_bytes, std::uint64_t count, Team& team) noexcept {
  if (index_bytes == 4)
    count_up_as<std::uint32_t>(static_cast<char*>(indices), count, team);
  else
    count_up_as<std::uint64_t>(static_cast<char*>(indices), count, team);
}

void copy_values(const void* src, void* dst, Values values, Team& team) noexcept {
  for_parts(values.count, team, [=](std::uint64_t begin, std::uint64_t end) {
    std::memcpy(static_cast<char*>(dst) + begin * values.bytes, static_cast<const char*>(src) + begin * values.bytes,
                (end - begin) * values.bytes);
  });
}

void gather_values(const void* src, const void* indices, std::uint32_t index_bytes, void* dst, Values values,
                   Team& team) noexcept {
  const auto gather = index_bytes == 4 ? gather_as<std::uint32_t> : gather_as<std::uint64_t>;
  for_parts(values.count, team, [=](std::uint64_t begin, std::uint64_t end) {
    gather(static_cast<const char*>(src), static_cast<const char*>(indices), static_cast<char*>(dst), values, begin, end);
  });
}

void gather_segments(const void* src, const void* indices, std::uint32_t index_bytes, void* dst, Values values,
                     const Segments& segments, Team& team) noexcept {
  const auto gather = index_bytes == 4 ? gather_as<std::uint32_t> : gather_as<std::uint64_t>;
  const std::uint32_t batches = useful_threads(segments.span(), team.threads());
  team.run(batches, [=](std::uint32_t batch) {
    const std::uint64_t end = first_of_batch(segments, batch + 1, batches);
    for (std::uint64_t s = first_of_batch(segments, batch, batches); s < end; ++s) {
      gather(static_cast<const char*>(src), static_cast<const char*>(indices), static_cast<char*>(dst), values,
             segments.begins[s], segments.ends[s]);
    }
  });
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
