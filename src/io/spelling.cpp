// The hash of a text's numbers as they are spelled, in whatever order they stand.
//
// Invariant: the sum over numbers, so that order does not matter and one missing, doubled or changed number shows.
// Prior art: the checksum of valsort, which adds up one CRC per record.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "io/chunk.hpp"
#include "io/text.hpp"
#include "io/workers.hpp"

namespace lanesort::io {
namespace {

// The finish of splitmix64: every bit of the input turns every bit of the output with about even odds.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

SpellingHash hash_spelling(std::string_view number) {
  SpellingHash hash{number.size(), ~number.size()};
  while (!number.empty()) {
    std::uint64_t word = 0;
    const std::size_t bytes = std::min(number.size(), sizeof word);
    std::memcpy(&word, number.data(), bytes);
    number.remove_prefix(bytes);
    hash = {mix(hash.first + word), mix(hash.second ^ mix(word + 0x9e3779b97f4a7c15))};
  }
  return hash;
}

}  // namespace

SpellingHash hash_spellings(const NumberText& job, std::span<const std::uint64_t> refs) {
  constexpr std::size_t kPart = std::size_t{1} << 16;
  std::atomic<std::uint64_t> low = 0;
  std::atomic<std::uint64_t> high = 0;
  run_tasks(job.threads, (refs.size() + kPart - 1) / kPart, [&](std::size_t part) {
    SpellingHash sum{0, 0};
    for (const std::uint64_t ref : refs.subspan(part * kPart, std::min(kPart, refs.size() - part * kPart))) {
      const SpellingHash one = hash_spelling(number_at(job, ref));
      sum = {sum.first + one.first, sum.second + one.second};
    }
    low += sum.first;
    high += sum.second;
  });
  return {low, high};
}

}  // namespace lanesort::io
