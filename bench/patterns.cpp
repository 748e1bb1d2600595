// How the patterns are made: a pattern gives each index a 64-bit position, a dtype turns positions into keys without
// ever reversing their order, and a few patterns then overlay bytes of their own. So sorted positions give sorted keys
// of every dtype, and a pattern is written once.
#include "bench/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace lanesort::bench {
namespace {

using std::uint64_t;

static_assert(std::endian::native == std::endian::little, "keys are written as the machine holds them");

// ---- random bits ---------------------------------------------------------------------------------------------------

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15u;

constexpr uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// SplitMix64 read at any counter. Streams of one seed are unrelated, and so are the same streams of two seeds.
struct Stream {
  uint64_t key = 0;
  constexpr Stream() = default;
  constexpr Stream(uint64_t seed, uint64_t number) : key(mix(mix(seed + kGolden) + number * kGolden)) {}
  constexpr uint64_t operator()(uint64_t i) const { return mix(key + (i + 1) * kGolden); }
};

enum StreamNumber : uint64_t { kPositions = 0, kChoices = 64, kValues = 65, kSwaps = 66 };  // entropy takes 0 to 63

constexpr unsigned kMaxDraws = 32;

__extension__ typedef unsigned __int128 Wide;

// A whole number below bound, every one as likely as the next (to one part in 2^64 / bound).
constexpr uint64_t below(uint64_t random, uint64_t bound) {
  return static_cast<uint64_t>((Wide{random} * bound) >> 64);
}

// ---- dtypes: positions to keys -------------------------------------------------------------------------------------

enum class Kind { boolean, whole, floating };

struct KeyFormat {
  Kind kind = Kind::whole;
  unsigned bits = 0, mantissa_bits = 0;
  void (*to_keys)(std::span<uint64_t> positions) = nullptr;
  uint64_t mask() const { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
};

template <unsigned Bits, bool Signed>
constexpr uint64_t whole_at(uint64_t position) {
  const uint64_t value = position >> (64 - Bits);
  return Signed ? value ^ (uint64_t{1} << (Bits - 1)) : value;
}

// Evenly spaced over [-1, 1), as random numbers commonly are made: 2^24 values, 2^53 for doubles; narrower formats
// round them towards zero. A negative zero never comes of it.
template <unsigned Mantissa, unsigned Exponent>
constexpr uint64_t float_at(uint64_t position) {
  constexpr unsigned kFixedBits = std::max(Mantissa + 1, 24u);
  constexpr int kBias = (1 << (Exponent - 1)) - 1;
  const auto fixed = static_cast<std::int64_t>(position >> (64 - kFixedBits)) - (std::int64_t{1} << (kFixedBits - 1));
  if (fixed == 0) return 0;
  const uint64_t magnitude = static_cast<uint64_t>(fixed < 0 ? -fixed : fixed);
  const uint64_t sign = static_cast<uint64_t>(fixed < 0) << (Mantissa + Exponent);
  const unsigned top = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
  const int exponent = static_cast<int>(top) - static_cast<int>(kFixedBits - 1) + kBias;
  if constexpr (kBias < static_cast<int>(kFixedBits)) {
    if (exponent <= 0) return sign | magnitude << (static_cast<unsigned>(kBias) + Mantissa - kFixedBits);  // subnormal
  }
  const uint64_t below_top = magnitude ^ (uint64_t{1} << top);
  const uint64_t fraction = top > Mantissa ? below_top >> (top - Mantissa) : below_top << (Mantissa - top);
  return sign | static_cast<uint64_t>(exponent) << Mantissa | fraction;
}

template <uint64_t (*KeyAt)(uint64_t)>
void convert(std::span<uint64_t> positions) {
  for (uint64_t& item : positions) item = KeyAt(item);
}

KeyFormat key_format(lanesort_dtype dtype) {
  switch (dtype) {
    case LANESORT_BOOL:
      return {Kind::boolean, 8, 0, convert<whole_at<1, false>>};
    case LANESORT_U8:
      return {Kind::whole, 8, 0, convert<whole_at<8, false>>};
    case LANESORT_I8:
      return {Kind::whole, 8, 0, convert<whole_at<8, true>>};
    case LANESORT_U16:
      return {Kind::whole, 16, 0, convert<whole_at<16, false>>};
    case LANESORT_I16:
      return {Kind::whole, 16, 0, convert<whole_at<16, true>>};
    case LANESORT_U32:
      return {Kind::whole, 32, 0, convert<whole_at<32, false>>};
    case LANESORT_I32:
      return {Kind::whole, 32, 0, convert<whole_at<32, true>>};
    case LANESORT_U64:
      return {Kind::whole, 64, 0, convert<whole_at<64, false>>};
    case LANESORT_I64:
      return {Kind::whole, 64, 0, convert<whole_at<64, true>>};
    case LANESORT_F16:
      return {Kind::floating, 16, 10, convert<float_at<10, 5>>};
    case LANESORT_BF16:
      return {Kind::floating, 16, 7, convert<float_at<7, 8>>};
    case LANESORT_F32:
      return {Kind::floating, 32, 23, convert<float_at<23, 8>>};
    case LANESORT_F64:
      return {Kind::floating, 64, 52, convert<float_at<52, 11>>};
    default:
      throw Error(
          fmt::format("dtype number {} is none; lanesort.h lists LANESORT_BOOL (1) to LANESORT_F64 (13)", dtype));
  }
}

// ---- zipf ----------------------------------------------------------------------------------------------------------

// Rank r of kRanks has weight floor(2^44 / r); a draw below the sum of the weights is looked up in the running sums,
// between two guide posts. Whole numbers throughout, so no libm decides a byte.
struct ZipfTable {
  static constexpr uint64_t kRanks = 1'000'000;
  static constexpr unsigned kGuideBits = 20;
  std::vector<uint64_t> sums;             // sums[r]: weights of ranks up to and with r, counted from 0
  std::vector<std::uint32_t> first_rank;  // of a draw whose upper bits are the index
  unsigned shift = 0;

  ZipfTable() : sums(kRanks) {
    uint64_t sum = 0;
    for (uint64_t r = 0; r < kRanks; ++r) sums[r] = sum += (uint64_t{1} << 44) / (r + 1);
    shift = static_cast<unsigned>(std::bit_width(sum)) - kGuideBits;
    first_rank.resize((sum >> shift) + 2);
    std::uint32_t rank = 0;
    for (uint64_t post = 0; post < first_rank.size(); ++post) {
      while (rank + 1 < kRanks && sums[rank] <= post << shift) ++rank;
      first_rank[post] = rank;
    }
  }

  uint64_t rank(uint64_t random) const {
    const uint64_t draw = below(random, sums.back());
    const auto post = static_cast<std::size_t>(draw >> shift);
    const auto from = sums.begin() + first_rank[post], to = sums.begin() + first_rank[post + 1];
    return static_cast<uint64_t>(std::upper_bound(from, to, draw) - sums.begin());
  }
};

const ZipfTable& zipf_table() {
  static const ZipfTable table;
  return table;
}

// ---- patterns: indices to positions --------------------------------------------------------------------------------

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

// ---- overlays: keys that no position stands for --------------------------------------------------------------------

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

// ---- the table -----------------------------------------------------------------------------------------------------

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
  throw Error(fmt::format("pattern '{}' is unknown; known: {}, and entropy:k for k from 1 to {}", name, pattern_names(),
                          kMaxDraws));
}

std::optional<uint64_t> plain_number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
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

// ---- making the bytes ----------------------------------------------------------------------------------------------

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

// ---- reading specs -------------------------------------------------------------------------------------------------

constexpr std::string_view kCountForms = "write it like 1000, 1e8, 2.5e6, 100k, 100M, 1G or 2^20";

[[noreturn]] void refuse_count(std::string_view text, std::string_view cause) {
  throw Error(fmt::format("count '{}' {}; {}", text, cause, kCountForms));
}

uint64_t times(uint64_t value, uint64_t factor, std::string_view text) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(value, factor, &product)) refuse_count(text, "does not fit 64 bits");
  return product;
}

// "2^32", with "+1" or "-1" behind it.
std::optional<uint64_t> power_count(std::string_view number, std::string_view text) {
  if (!number.starts_with("2^")) return std::nullopt;
  const auto sign = number.find_first_of("+-");
  const auto exponent = plain_number(number.substr(2, sign == number.npos ? number.npos : sign - 2));
  if (!exponent) refuse_count(text, "is not a number");
  if (*exponent > 63) refuse_count(text, "does not fit 64 bits");
  const uint64_t power = uint64_t{1} << *exponent;
  if (sign == number.npos) return power;
  const auto offset = plain_number(number.substr(sign + 1));
  if (!offset || *offset > power) refuse_count(text, "is not a number");
  return number[sign] == '+' ? power + *offset : power - *offset;
}

// The power of ten that a suffix or exponent stands for; takes it off the number.
unsigned take_scale(std::string_view& number, std::string_view text) {
  constexpr std::string_view kSuffixes = "kMGT";
  if (number.empty()) refuse_count(text, "is not a number");
  if (const auto suffix = kSuffixes.find(number.back()); suffix != kSuffixes.npos) {
    number.remove_suffix(1);
    return static_cast<unsigned>(3 * (suffix + 1));
  }
  const auto e = number.find_first_of("eE");
  if (e == number.npos) return 0;
  auto exponent_text = number.substr(e + 1);
  if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  const auto exponent = plain_number(exponent_text);
  if (!exponent) refuse_count(text, "is not a number");
  if (*exponent > 19) refuse_count(text, "does not fit 64 bits");
  number = number.substr(0, e);
  return static_cast<unsigned>(*exponent);
}

lanesort_dtype parse_dtype(const std::string& name) {
  lanesort_dtype dtype = 0;
  if (lanesort_dtype_from_name(name.c_str(), &dtype) != LANESORT_OK) throw Error(lanesort_last_error());
  return dtype;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    fields.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

}  // namespace

uint64_t parse_count(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  std::string_view number = digits;
  if (const auto power = power_count(number, text)) return *power;
  unsigned scale = take_scale(number, text);
  std::string whole(number);
  if (const auto point = whole.find('.'); point != whole.npos) {
    while (whole.back() == '0') whole.pop_back();
    const std::size_t fraction_digits = whole.size() - point - 1;
    if (fraction_digits > scale) refuse_count(text, "is not a whole number");
    scale -= static_cast<unsigned>(fraction_digits);
    whole.erase(point, 1);
  }
  if (whole.empty() || whole.find_first_not_of("0123456789") != whole.npos) refuse_count(text, "is not a number");
  const auto value = plain_number(whole);
  if (!value) refuse_count(text, "does not fit 64 bits");
  uint64_t count = *value;
  for (; scale > 0; --scale) count = times(count, 10, text);
  return count;
}

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

PatternSpec parse_pattern_spec(std::string_view text) {
  auto fields = split(text, ':');
  PatternSpec spec;
  std::string name(fields.front());
  fields.erase(fields.begin());
  if (name == "entropy" && !fields.empty()) {
    name.append(":").append(fields.front());
    fields.erase(fields.begin());
  }
  spec.pattern = canonical_pattern(name);
  if (fields.size() < 2) {
    throw Error(
        fmt::format("spec '{}' lacks its {}; write PATTERN:DTYPE:COUNT[:seed=N], such as uniform:u32:1e8:seed=7", text,
                    fields.empty() ? "dtype and count" : "count"));
  }
  spec.dtype = parse_dtype(std::string(fields[0]));
  spec.count = parse_count(fields[1]);
  for (const std::string_view field : std::span(fields).subspan(2)) {
    const auto seed = field.starts_with("seed=") ? plain_number(field.substr(5)) : std::nullopt;
    if (!seed)
      throw Error(fmt::format("'{}' in spec '{}' is no setting; the only one is seed=N, N a whole number of 64 bits",
                              field, text));
    spec.seed = *seed;
  }
  return spec;
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
