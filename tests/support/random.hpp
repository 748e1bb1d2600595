// Seeds that are printed, and keys that are unkind.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "lanesort/lanesort.h"

namespace lanesort::test {

// LANESORT_SEED in the environment repeats a run; else a new one each time.
inline std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const char* const text = std::getenv("LANESORT_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : static_cast<unsigned long long>(std::random_device{}());
  }();
  return seed;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // SplitMix64 (Steele, Lea, Flood 2014)
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }

 private:
  std::uint64_t state_;
};

enum class Pattern { uniform, few, narrow, sorted, reversed, equal, ones, gaps, skewed, runs, count };

inline const char* pattern_name(Pattern pattern) {
  constexpr const char* kNames[] = {"uniform", "few",  "narrow", "sorted", "reversed",
                                    "equal",   "ones", "gaps",   "skewed", "runs"};
  return kNames[static_cast<int>(pattern)];
}

// Raw patterns of `bytes` each. Floats get their specials because every bit pattern is drawn, and some are drawn often.
inline std::vector<unsigned char> make_keys(Random& random, Pattern pattern, std::uint32_t bytes, std::uint64_t count) {
  const std::uint64_t all = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  const std::uint64_t specials[] = {0,
                                    sign,
                                    all,
                                    all >> 1,
                                    sign | 1,
                                    0x7f80000000000000u >> (64 - 8 * bytes),
                                    0x7c00u & all,
                                    0x7ff0000000000000u >> (64 - 8 * bytes)};
  const std::uint64_t few[] = {random.next(), random.next(), random.next(), 0, all};
  const unsigned shift = static_cast<unsigned>(random.below(8 * bytes));
  const std::uint64_t hole = random.next() & random.next();
  const std::uint64_t step = random.chance(2) ? 1 : 3;  // falling keys, each once or three times
  const std::uint64_t sprinkle = random.chance(2) ? 0 : 1 + random.below(40);
  std::vector<unsigned char> keys(count * bytes);
  std::uint64_t walk = random.next();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t key = 0;
    switch (pattern) {
      case Pattern::uniform:
        key = random.next();
        break;
      case Pattern::few:
        key = few[random.below(5)];
        break;
      case Pattern::narrow:
        key = few[0] ^ ((random.next() & 255) << shift);
        break;
      case Pattern::sorted:
        key = i / 3;
        break;
      case Pattern::reversed:
        key = (count - i) / step;
        break;
      case Pattern::equal:
        key = few[0];
        break;
      case Pattern::ones:
        key = random.chance(3) ? random.next() : all;
        break;
      case Pattern::gaps:
        key = random.next() & hole;
        break;
      case Pattern::skewed:
        key = random.next() >> random.below(64);
        break;
      case Pattern::runs:
        key = random.chance(50) ? (walk = random.next()) : walk;
        break;
      case Pattern::count:
        break;
    }
    if (sprinkle != 0 && pattern != Pattern::sorted && pattern != Pattern::reversed && random.chance(sprinkle))
      key = specials[random.below(8)];
    key &= all;
    std::memcpy(keys.data() + i * bytes, &key, bytes);
  }
  return keys;
}

}  // namespace lanesort::test
