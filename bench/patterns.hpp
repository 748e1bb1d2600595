// Test patterns: the same bytes for a spec on every machine, for every thread count, for ever.
// Invariant: item i is a pure function of (pattern, dtype, count, seed, i), made of integer arithmetic alone, so the
// generator is parallel and tests can hold it to golden hashes. Random bits are SplitMix64 (Steele, Lea, Flood:
// "Fast splittable pseudorandom number generators", OOPSLA 2014) read at counter i. The list of patterns follows the
// sorting literature: ANDed entropy from Thearling and Smith ("An improved supercomputer sorting benchmark", 1992).
#pragma once
#include <lanesort/lanesort.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lanesort::bench {

// A wrong request: what() has cause, value and remedy, ready to print.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr std::uint64_t kDefaultSeed = 1;

struct PatternSpec {
  std::string pattern = "uniform";
  lanesort_dtype dtype = LANESORT_U32;
  std::uint64_t count = 0;
  std::uint64_t seed = kDefaultSeed;
};

// "uniform:u32:1e8", "entropy:3:f32:2^20:seed=7". Throws Error.
PatternSpec parse_pattern_spec(std::string_view text);

// 1000, 1e8, 2.5e6, 100k, 100M, 1G, 2^20, 2^32+1, 1_000_000. Whole numbers of 64 bits only. Throws Error.
std::uint64_t parse_count(std::string_view text);

// The pattern's canonical name ("entropy:3" becomes "entropy3"); an unknown one throws Error that lists the known.
std::string canonical_pattern(std::string_view name);

// True if the pattern makes NaNs of floating dtypes. Throws Error for an unknown one.
bool may_hold_nan(std::string_view name);

// "uniform entropy1 ... bits", and one line a pattern that says what it is, for help texts.
std::string pattern_names();
std::string pattern_help();

// Writes count * dtype bytes to out, little-endian; out may be longer and needs no alignment. threads 0: as many as
// the library takes. Throws Error for an unknown pattern or dtype, or a short out.
void generate(const PatternSpec& spec, std::span<std::byte> out, unsigned threads = 0);

}  // namespace lanesort::bench
