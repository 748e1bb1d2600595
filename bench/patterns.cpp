// How the patterns are made: a pattern gives each index a 64-bit position, a dtype turns positions into keys without
// ever reversing their order, and a few patterns then overlay bytes of their own. So sorted positions give sorted keys
// of every dtype, and a pattern is written once.
#include "bench/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "bench/digits.hpp"
#include "bench/key_formats.hpp"
#include "bench/nearest.hpp"
#include "bench/random.hpp"
#include "bench/zipf.hpp"

namespace lanesort::bench {
namespace {

using std::uint64_t;

static_assert(std::endian::native == std::endian::little, "keys are written as the machine holds them");

enum StreamNumber : uint64_t { kPositions = 0, kChoices = 64, kValues = 65, kSwaps = 66 };  // entropy takes 0 to 63

constexpr unsigned kMaxDraws = 32;

struct Recipe {
  KeyFormat format;
  uint64_t count = 0, step = 0;
  unsigned draws = 1;
  Stream positions, choices, values;
  std::array<Stream, kMaxDraws> anded{};
  const ZipfTable* zipf = nullptr;
};

uint64_t uniform(const Recipe& r, uint64_t i) { return r.positions(i); }

uint64_t anded(const Recipe& r, uint64_t i) {
  uint64_t bits = r.positions(i);
  for (unsigned k = 1; k < r.draws; ++k) bits &= r.anded[k](i);
  return bits;
}

// Rising, with gaps as irregular as those of sorted random numbers.
uint64_t ramp(const Recipe& r, uint64_t i) { return i * r.step + below(r.positions(i), r.step); }
uint64_t falling(const Recipe& r, uint64_t i) { return ramp(r, r.count - 1 - i); }
uint64_t organ_pipe(const Recipe& r, uint64_t i) { return ramp(r, std::min(i, r.count - 1 - i) * 2); }
uint64_t constant(const Recipe& r, uint64_t) { return r.values(0); }

// 2^Bits values, one from each equal part of the range, so that they differ in every dtype that has as many.
template <unsigned Bits>
uint64_t few(const Recipe& r, uint64_t i) {
  const uint64_t which = r.choices(i) >> (64 - Bits);
  return which << (64 - Bits) | r.values(which) >> Bits;
}

uint64_t zipf(const Recipe& r, uint64_t i) { return r.values(r.zipf->rank(r.choices(i))); }

uint64_t constant_byte(const Recipe& r, uint64_t, uint64_t key) {
  const unsigned shift = r.format.bits / 16 * 8;  // the byte above the middle
  return (key & ~(uint64_t{0xFF} << shift)) | uint64_t{0x5A} << shift;
}

uint64_t special_float(const KeyFormat& format, uint64_t choice, uint64_t random) {
  const uint64_t sign = (choice & 8) << (format.bits - 4);
  const uint64_t fraction = (uint64_t{1} << format.mantissa_bits) - 1;
  const uint64_t quiet = uint64_t{1} << (format.mantissa_bits - 1);
  const uint64_t infinity = (format.mask() >> 1) & ~fraction;
  switch (choice & 7) {
    case 0:
      return sign;
    case 1:
      return sign | infinity;
    case 2:
      return sign | infinity | quiet | (random & fraction);
    case 3:
      return sign | infinity | (random & fraction & ~quiet) | 1;  // signalling
    case 4:
      return sign | (random & fraction);  // subnormal
    case 5:
      return sign | 1;  // the least magnitude
    case 6:
      return sign | (infinity - 1);  // the greatest finite one
    default:
      return sign | (fraction + 1);  // the least normal one
  }
}

uint64_t special_whole(const KeyFormat& format, uint64_t choice, uint64_t random) {
  const uint64_t top = uint64_t{1} << (format.bits - 1);
  switch (choice & 7) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return top;
    case 3:
      return top - 1;
    case 4:
      return top + 1;
    case 5:
      return ~uint64_t{0};
    case 6:
      return ~uint64_t{1};
    default:
      return random;  // for bool: a true of any byte
  }
}

uint64_t specials(const Recipe& r, uint64_t i, uint64_t key) {
  const uint64_t choice = r.choices(i);
  if (choice >> 63 != 0) return key;
  const auto special = r.format.kind == Kind::floating ? special_float : special_whole;
  return special(r.format, choice & 15, r.values(i));
}

// What a sort that pads its tiles with ones could confuse with its padding.
uint64_t ones(const Recipe& r, uint64_t i, uint64_t key) {
  switch (r.choices(i) & 7) {
    case 0:
      return key;
    case 1:
      return r.format.mask() >> 1;
    case 2:
      return ~uint64_t{1};
    default:
      return ~uint64_t{0};
  }
}

uint64_t raw_bits(const Recipe& r, uint64_t i, uint64_t) { return r.values(i); }

using Fill = void(const Recipe&, uint64_t begin, std::span<uint64_t> out);

template <uint64_t (*PositionAt)(const Recipe&, uint64_t)>
void fill(const Recipe& recipe, uint64_t begin, std::span<uint64_t> out) {
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = PositionAt(recipe, begin + j);
}

template <uint64_t (*KeyAt)(const Recipe&, uint64_t, uint64_t)>
void overlay(const Recipe& recipe, uint64_t begin, std::span<uint64_t> keys) {
  for (std::size_t j = 0; j < keys.size(); ++j) keys[j] = KeyAt(recipe, begin + j, keys[j]);
}

struct Pattern {
  std::string_view name, help;
  Fill* positions;
  Fill* overlay = nullptr;
  unsigned draws = 1;
  bool swapped = false, nan = false;
};

constexpr std::string_view kEntropyHelp =
    "bits that are the AND of k draws (entropy of a bit 1, .811, .544, .337, .201)";

constexpr Pattern kPatterns[] = {
    {"uniform", "every key as likely; floats evenly in [-1, 1)", fill<uniform>},
    {"entropy1", kEntropyHelp, fill<anded>},
    {"entropy2", kEntropyHelp, fill<anded>, nullptr, 2},
    {"entropy3", kEntropyHelp, fill<anded>, nullptr, 3},
    {"entropy4", kEntropyHelp, fill<anded>, nullptr, 4},
    {"entropy5", kEntropyHelp, fill<anded>, nullptr, 5},
    {"sorted", "ascending", fill<ramp>},
    {"reversed", "descending", fill<falling>},
    {"organ", "ascending, then back down over the same keys", fill<organ_pipe>},
    {"equal", "one key", fill<constant>},
    {"few2", "2 different keys", fill<few<1>>},
    {"few16", "16 different keys", fill<few<4>>},
    {"zipf", "a million different keys, the r-th most frequent 1/r as often as the first", fill<zipf>},
    {"nearly", "ascending, then count/100 swaps of two keys each", fill<ramp>, nullptr, 1, true},
    {"constbyte", "uniform but for one byte that never changes", fill<uniform>, overlay<constant_byte>},
    {"special", "half uniform, half zeros, infinities, NaNs with payloads, subnormals, extremes; both signs",
     fill<uniform>, overlay<specials>, 1, false, true},
    {"ones", "mostly all ones, with their neighbours in bits", fill<uniform>, overlay<ones>, 1, false, true},
    {"bits", "random bytes; floats with NaNs, bools of any byte", fill<uniform>, overlay<raw_bits>, 1, false, true},
};

[[noreturn]] void refuse_pattern(std::string_view name) {
  std::vector<std::string> names;
  for (const Pattern& pattern : kPatterns) names.emplace_back(pattern.name);
  throw Error(fmt::format("pattern '{}' is unknown; known: {}, and entropy:k for k from 1 to {}{}", name,
                          pattern_names(), kMaxDraws, suggestion(std::string(name), names)));
}

// The draws of "entropy7" or "entropy:7".
std::optional<unsigned> entropy_draws(std::string_view name) {
  constexpr std::string_view kEntropy = "entropy";
  if (!name.starts_with(kEntropy)) return std::nullopt;
  name.remove_prefix(kEntropy.size());
  if (name.starts_with(':')) name.remove_prefix(1);
  const auto draws = plain_number(name);
  if (!draws || *draws < 1 || *draws > kMaxDraws) return std::nullopt;
  return static_cast<unsigned>(*draws);
}

Pattern find_pattern(std::string_view name) {
  if (const auto draws = entropy_draws(name)) return {"entropy", kEntropyHelp, fill<anded>, nullptr, *draws};
  const auto found =
      std::find_if(std::begin(kPatterns), std::end(kPatterns), [&](const Pattern& p) { return p.name == name; });
  if (found == std::end(kPatterns)) refuse_pattern(name);
  return *found;
}

Recipe make_recipe(const PatternSpec& spec, const Pattern& pattern) {
  Recipe recipe;
  recipe.format = key_format(spec.dtype);
  recipe.count = spec.count;
  recipe.step = spec.count == 0 ? 0 : ~uint64_t{0} / spec.count;
  recipe.draws = pattern.draws;
  recipe.positions = Stream(spec.seed, kPositions);
  recipe.choices = Stream(spec.seed, kChoices);
  recipe.values = Stream(spec.seed, kValues);
  for (unsigned k = 1; k < pattern.draws; ++k) recipe.anded[k] = Stream(spec.seed, kPositions + k);
  if (pattern.positions == fill<zipf>) recipe.zipf = &zipf_table();
  return recipe;
}

template <class Word>
void store_as(std::span<const uint64_t> keys, std::byte* out) {
  for (const uint64_t key : keys) {
    const Word word = static_cast<Word>(key);
    std::memcpy(out, &word, sizeof(word));
    out += sizeof(word);
  }
}

void store(std::span<const uint64_t> keys, unsigned key_bytes, std::byte* out) {
  switch (key_bytes) {
    case 1:
      return store_as<std::uint8_t>(keys, out);
    case 2:
      return store_as<std::uint16_t>(keys, out);
    case 4:
      return store_as<std::uint32_t>(keys, out);
    default:
      return store_as<uint64_t>(keys, out);
  }
}

void make_range(const Recipe& recipe, const Pattern& pattern, uint64_t begin, uint64_t end, std::byte* out) {
  constexpr uint64_t kBlock = 1024;  // positions of a block stay in the first-level cache
  std::array<uint64_t, kBlock> buffer;
  const unsigned key_bytes = recipe.format.bits / 8;
  for (uint64_t first = begin; first < end; first += kBlock) {
    const std::span block(buffer.data(), static_cast<std::size_t>(std::min(kBlock, end - first)));
    pattern.positions(recipe, first, block);
    recipe.format.to_keys(block);
    if (pattern.overlay != nullptr) pattern.overlay(recipe, first, block);
    store(block, key_bytes, out + first * key_bytes);
  }
}

// One after the other, because a later swap may meet a key that an earlier one moved.
void swap_some(const PatternSpec& spec, unsigned key_bytes, std::byte* keys) {
  const Stream swaps(spec.seed, kSwaps);
  for (uint64_t s = 0; s < spec.count / 100; ++s) {
    std::byte* const a = keys + below(swaps(2 * s), spec.count) * key_bytes;
    std::byte* const b = keys + below(swaps(2 * s + 1), spec.count) * key_bytes;
    std::swap_ranges(a, a + (a == b ? 0 : key_bytes), b);
  }
}

unsigned all_threads() {
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  const bool known = lanesort_query_capabilities(LANESORT_BACKEND_CPU, &capabilities) == LANESORT_OK;
  return known ? capabilities.threads : 1;
}

void in_parallel(uint64_t count, unsigned threads, const auto& make) {
  constexpr uint64_t kLeastPerThread = 1 << 16;
  if (threads == 0) threads = all_threads();
  const uint64_t parts = std::clamp<uint64_t>(count / kLeastPerThread, 1, threads);
  const auto border = [&](uint64_t part) { return static_cast<uint64_t>(Wide{count} * part / parts); };
  std::vector<std::jthread> others;
  for (uint64_t part = 1; part < parts; ++part)
    others.emplace_back([=, &make] { make(border(part), border(part + 1)); });
  make(0, border(1));
}

}  // namespace

std::string canonical_pattern(std::string_view name) {
  const Pattern pattern = find_pattern(name);
  return pattern.name == "entropy" ? fmt::format("entropy{}", pattern.draws) : std::string(pattern.name);
}

bool may_hold_nan(std::string_view name) { return find_pattern(name).nan; }

std::string pattern_names() {
  std::string names;
  for (const Pattern& pattern : kPatterns) names.append(names.empty() ? "" : " ").append(pattern.name);
  return names;
}

std::string pattern_help() {
  std::string help;
  for (const Pattern& pattern : kPatterns) {
    if (pattern.help != kEntropyHelp)
      help += fmt::format("  {:<10} {}\n", pattern.name, pattern.help);
    else if (pattern.draws == 1)
      help += fmt::format("  {:<10} {}\n", "entropy:k", kEntropyHelp);
  }
  return help;
}

void generate(const PatternSpec& spec, std::span<std::byte> out, unsigned threads) {
  const Pattern pattern = find_pattern(spec.pattern);
  const Recipe recipe = make_recipe(spec, pattern);
  const unsigned key_bytes = recipe.format.bits / 8;
  if (out.size() / key_bytes < spec.count) {
    throw Error(
        fmt::format("a buffer of {} bytes is too short for {} keys of {} bytes", out.size(), spec.count, key_bytes));
  }
  in_parallel(spec.count, threads,
              [&](uint64_t begin, uint64_t end) { make_range(recipe, pattern, begin, end, out.data()); });
  if (pattern.swapped) swap_some(spec, key_bytes, out.data());
}

}  // namespace lanesort::bench
