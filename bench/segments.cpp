#include "bench/segments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/patterns.hpp"
#include "bench/random.hpp"

namespace lanesort::bench {
namespace {
constexpr std::uint64_t kLongest = 1'000'000;
constexpr std::uint64_t kStream = 0x5E6;  // apart from those of the keys

// One over a uniform number: every octave of lengths has as many items as the next.
std::uint64_t zipf_length(std::uint64_t random) {
  return std::clamp<std::uint64_t>(UINT64_MAX / std::max<std::uint64_t>(random, 1), 1, kLongest);
}
}  // namespace

std::vector<std::uint64_t> make_offsets(const std::string& text, std::uint64_t count, std::uint64_t seed) {
  const bool zipf = text == "zipf";
  const std::uint64_t even = zipf ? 0 : parse_count(text);
  if (!zipf && even == 0) throw Error("segments of 0 keys never end; give a length of 1 or more, or zipf");
  const Stream stream(seed, kStream);
  std::vector<std::uint64_t> offsets{0};
  while (offsets.back() < count) {
    const std::uint64_t length = zipf ? zipf_length(stream(offsets.size())) : even;
    offsets.push_back(offsets.back() + std::min(length, count - offsets.back()));
  }
  return offsets;
}

}  // namespace lanesort::bench
