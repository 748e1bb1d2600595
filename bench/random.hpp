// Random bits as a pure function of seed, stream and index. Integer arithmetic alone, so every machine agrees.
#pragma once
#include <cstdint>

namespace lanesort::bench {

inline constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;

constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// SplitMix64 read at any counter. Streams of one seed are unrelated, and so are the same streams of two seeds.
struct Stream {
  std::uint64_t key = 0;
  constexpr Stream() = default;
  constexpr Stream(std::uint64_t seed, std::uint64_t number) : key(mix(mix(seed + kGolden) + number * kGolden)) {}
  constexpr std::uint64_t operator()(std::uint64_t i) const { return mix(key + (i + 1) * kGolden); }
};

__extension__ typedef unsigned __int128 Wide;

// A whole number below bound, every one as likely as the next (to one part in 2^64 / bound).
constexpr std::uint64_t below(std::uint64_t random, std::uint64_t bound) {
  return static_cast<std::uint64_t>((Wide{random} * bound) >> 64);
}

}  // namespace lanesort::bench
