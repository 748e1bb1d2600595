// The patterns: specs, bytes that never change, and that each is what it says.
#include "bench/patterns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "bench_words.hpp"
#include "patterns_golden.hpp"
#include "support/effort.hpp"

namespace lanesort::bench {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const PatternSpec& spec, unsigned threads = 1) {
  Bytes bytes(spec.count * lanesort_dtype_bytes(spec.dtype), std::byte{0xCD});
  generate(spec, bytes, threads);
  return bytes;
}

template <class T>
std::vector<T> keys_of(std::string_view spec_text) {
  const PatternSpec spec = parse_pattern_spec(spec_text);
  std::vector<T> keys(spec.count);
  generate(spec, std::as_writable_bytes(std::span(keys)), 1);
  return keys;
}

std::vector<std::string> known_patterns() {
  std::istringstream names(pattern_names());
  return {std::istream_iterator<std::string>(names), {}};
}

// FNV-1a: nothing of the generator's own.
std::uint64_t hash_of(const Bytes& bytes) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001B3u;
  return hash;
}

// ---- specs ----------------------------------------------------------------------------------------------------------

TEST(Counts, AreReadAsPeopleWriteThem) {
  const std::map<std::string, std::uint64_t> good = {
      {"0", 0},          {"1000", 1000},        {"1e8", 100'000'000},           {"2.5e6", 2'500'000},
      {"100k", 100'000}, {"100M", 100'000'000}, {"1G", 1'000'000'000},          {"1_000_000", 1'000'000},
      {"2^20", 1 << 20}, {"1.50e1", 15},        {"2^32+1", (1ull << 32) + 1},   {"2^10-1", 1023},
      {"1.0", 1},        {"1E+3", 1000},        {"18446744073709551615", ~0ull}};
  for (const auto& [text, count] : good) EXPECT_EQ(parse_count(text), count) << text;
}

TEST(Counts, RefuseWhatIsNone) {
  for (const char* text : {"",
                           "x",
                           "-1",
                           "1e",
                           "e3",
                           "1.5",
                           "1.25e1",
                           "1e20",
                           "2^64",
                           "2^",
                           "2^x",
                           "2^3+",
                           "18446744073709551616",
                           "20000000000G",
                           "1 000",
                           ".",
                           "1e-3",
                           "k",
                           "1kk",
                           "0x10",
                           "1..0e3"}) {
    EXPECT_THROW((void)parse_count(text), Error) << text;
  }
  EXPECT_NE(what_is_said([] { parse_count("many"); }).find("count 'many' is not a number"), std::string::npos);
}

TEST(Specs, AreRead) {
  const PatternSpec spec = parse_pattern_spec("uniform:u32:1e8:seed=7");
  EXPECT_EQ(spec.pattern, "uniform");
  EXPECT_EQ(spec.dtype, LANESORT_U32);
  EXPECT_EQ(spec.count, 100'000'000u);
  EXPECT_EQ(spec.seed, 7u);
  EXPECT_EQ(parse_pattern_spec("zipf:f64:10").seed, kDefaultSeed);
  EXPECT_EQ(parse_pattern_spec("entropy:3:i16:10").pattern, "entropy3");
  EXPECT_EQ(parse_pattern_spec("entropy3:i16:10").pattern, "entropy3");
}

TEST(Specs, SayWhatIsWrong) {
  const auto said = [](const char* text) { return what_is_said([&] { (void)parse_pattern_spec(text); }); };
  for (const char* text : {"", "gauss:u32:10", "entropy:u32:10", "entropy0:u32:10", "entropy:33:u32:10"}) {
    for (const auto& name : known_patterns())
      EXPECT_NE(said(text).find(name), std::string::npos) << text << ": " << said(text);
  }
  EXPECT_NE(said("uniform").find("dtype and count"), std::string::npos);
  EXPECT_NE(said("uniform:u32").find("lacks its count"), std::string::npos);
  EXPECT_NE(said("uniform:u128:5").find("128"), std::string::npos);
  EXPECT_NE(said("uniform:u32:5:sed=1").find("sed=1"), std::string::npos);
  EXPECT_NE(said("uniform:u32:5:seed=x").find("seed=x"), std::string::npos);
}

TEST(Patterns, RefuseAShortBuffer) {
  Bytes bytes(39);
  EXPECT_THROW(generate({"uniform", LANESORT_U32, 10, 1}, bytes), Error);
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

// A changed byte is a changed pattern: files that people made, and figures that were measured, would lose their
// meaning.
TEST(Patterns, NeverChangeTheirBytes) {
  std::ostringstream actual;
  bool same = true;
  for (const auto& pattern : known_patterns()) {
    actual << "    {\"" << pattern << "\", {";
    for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64; ++dtype) {
      const auto hash = static_cast<std::uint32_t>(hash_of(bytes_of({pattern, dtype, 1000, 7})) >> 32);
      actual << "0x" << std::hex << hash << std::dec << (dtype == LANESORT_F64 ? "}},\n" : ", ");
      const auto golden = kGoldenHashes.find(pattern);
      same = same && golden != kGoldenHashes.end() && golden->second[dtype - LANESORT_BOOL] == hash;
    }
  }
  EXPECT_TRUE(same) << actual.str();
  EXPECT_EQ(kGoldenHashes.size(), known_patterns().size());
}

TEST(Patterns, AreTheSameForEveryThreadCount) {
  for (const auto& pattern : known_patterns()) {
    for (const lanesort_dtype dtype : {LANESORT_U8, LANESORT_BF16, LANESORT_F32, LANESORT_I64}) {
      const PatternSpec spec{pattern, dtype, 300'001, 3};
      const Bytes one = bytes_of(spec, 1);
      for (const unsigned threads : {3u, 0u, 2u, 7u}) {
        EXPECT_EQ(bytes_of(spec, threads), one) << pattern << " " << dtype;
        if (test::kThreadsAlone) break;
      }
    }
  }
}

TEST(Patterns, DependOnTheSeed) {
  for (const auto& pattern : known_patterns()) {
    EXPECT_NE(bytes_of({pattern, LANESORT_U64, 1000, 1}), bytes_of({pattern, LANESORT_U64, 1000, 2})) << pattern;
  }
}

TEST(Patterns, TakeAnyCountAndAnyAddress) {
  for (const auto& pattern : known_patterns()) {
    for (const std::uint64_t count : {0, 1, 2, 3, 1023, 1024, 1025}) {
      for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64; ++dtype) {
        const PatternSpec spec{pattern, dtype, count, 5};
        const Bytes aligned = bytes_of(spec);
        Bytes shifted(aligned.size() + 2, std::byte{0xCD});
        generate(spec, std::span(shifted).subspan(1, aligned.size()), 1);
        EXPECT_TRUE(std::equal(aligned.begin(), aligned.end(), shifted.begin() + 1)) << pattern << " " << count;
        EXPECT_EQ(shifted.front(), std::byte{0xCD});
        EXPECT_EQ(shifted.back(), std::byte{0xCD});
      }
    }
  }
}

// ---- meaning --------------------------------------------------------------------------------------------------------

std::uint64_t first_offender(const PatternSpec& spec, lanesort_order order) {
  const Bytes bytes = bytes_of(spec);
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = spec.dtype;
  desc.order = order;
  desc.count = spec.count;
  desc.keys_src = bytes.data();
  std::uint64_t offender = 0;
  EXPECT_EQ(lanesort_is_sorted(&desc, &offender), LANESORT_OK) << lanesort_last_error();
  return offender;
}

TEST(Patterns, SortedAndReversedAreWhatTheySay) {
  constexpr std::uint64_t kCount = 50'000;
  for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64; ++dtype) {
    EXPECT_EQ(first_offender({"sorted", dtype, kCount, 1}, LANESORT_ASCENDING), kCount) << dtype;
    EXPECT_EQ(first_offender({"reversed", dtype, kCount, 1}, LANESORT_DESCENDING), kCount) << dtype;
    EXPECT_EQ(first_offender({"equal", dtype, kCount, 1}, LANESORT_DESCENDING), kCount) << dtype;
    EXPECT_LT(first_offender({"nearly", dtype, kCount, 1}, LANESORT_ASCENDING), kCount) << dtype;
    EXPECT_LT(first_offender({"uniform", dtype, kCount, 1}, LANESORT_ASCENDING), kCount) << dtype;
  }
}

TEST(Patterns, OrganPipeIsSymmetric) {
  for (const auto* spec : {"organ:i32:1000", "organ:i32:1001"}) {
    const auto keys = keys_of<std::int32_t>(spec);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.begin() + 500));
    EXPECT_TRUE(std::equal(keys.begin(), keys.end(), keys.rbegin()));
  }
}

TEST(Patterns, NearlyHasTheSortedKeysAndFewOutOfPlace) {
  auto nearly = keys_of<std::uint32_t>("nearly:u32:100000:seed=4");
  const auto sorted = keys_of<std::uint32_t>("sorted:u32:100000:seed=4");
  std::size_t moved = 0;
  for (std::size_t i = 0; i < nearly.size(); ++i) moved += nearly[i] != sorted[i];
  EXPECT_GT(moved, 1900u);
  EXPECT_LE(moved, 2000u);
  std::sort(nearly.begin(), nearly.end());
  EXPECT_EQ(nearly, sorted);
}

TEST(Patterns, FewHaveSoManyKeys) {
  const auto different = []<class T>(std::vector<T> keys) { return std::set<T>(keys.begin(), keys.end()).size(); };
  EXPECT_EQ(different(keys_of<std::uint8_t>("few2:bool:1000")), 2u);
  EXPECT_EQ(different(keys_of<std::uint8_t>("few2:u8:1000")), 2u);
  EXPECT_EQ(different(keys_of<float>("few2:f32:1000")), 2u);
  EXPECT_EQ(different(keys_of<std::int8_t>("few16:i8:1000")), 16u);
  EXPECT_EQ(different(keys_of<std::uint16_t>("few16:bf16:1000")), 16u);
  EXPECT_EQ(different(keys_of<double>("few16:f64:1000")), 16u);
  EXPECT_EQ(different(keys_of<std::uint64_t>("equal:u64:1000")), 1u);
}

TEST(Patterns, EntropyIsThatOfTheAnd) {
  double share = 1;
  for (int k = 1; k <= 5; ++k) {
    share /= 2;
    double ones = 0;
    for (const auto key : keys_of<std::uint32_t>("entropy:" + std::to_string(k) + ":u32:100000"))
      ones += std::popcount(key);
    EXPECT_NEAR(ones / 3.2e6, share, 0.002) << k;
  }
}

TEST(Patterns, UniformFillsItsRange) {
  for (const auto& keys : {keys_of<float>("uniform:f32:100000")}) {
    EXPECT_GE(*std::min_element(keys.begin(), keys.end()), -1.0f);
    EXPECT_LT(*std::max_element(keys.begin(), keys.end()), 1.0f);
    EXPECT_NEAR(std::accumulate(keys.begin(), keys.end(), 0.0) / 1e5, 0.0, 0.01);
    double squares = 0;
    for (const float key : keys) squares += double{key} * key;
    EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.01);
  }
  std::vector<int> hits(256);
  for (const auto key : keys_of<std::uint8_t>("uniform:u8:256000")) ++hits[key];
  for (const int hit : hits) EXPECT_NEAR(hit, 1000, 200);
}

// By way of doubles, which hold every f16 and bf16: the same position in four formats, rounded towards zero.
TEST(Patterns, FloatsOfAllFormatsAgree) {
  const auto f64 = keys_of<double>("uniform:f64:10000");
  const auto f32 = keys_of<float>("uniform:f32:10000");
  const auto bf16 = keys_of<std::uint16_t>("uniform:bf16:10000");
  const auto f16 = keys_of<std::uint16_t>("uniform:f16:10000");
  for (std::size_t i = 0; i < f64.size(); ++i) {
    EXPECT_EQ(f32[i], std::floor(f64[i] * 0x1p23) * 0x1p-23);
    EXPECT_EQ(std::bit_cast<float>(std::uint32_t{bf16[i]} << 16),
              std::bit_cast<float>(std::bit_cast<std::uint32_t>(f32[i]) & 0xFFFF0000u));
    const int exponent = std::max(1, f16[i] >> 10 & 31),
              fraction = (f16[i] & 1023) + ((f16[i] >> 10 & 31) != 0 ? 1024 : 0);
    const double half = std::ldexp(f16[i] & 0x8000 ? -fraction : fraction, exponent - 25);
    const double unit = std::ldexp(1.0, exponent - 25);
    EXPECT_EQ(half, std::trunc(double{f32[i]} / unit) * unit);
  }
}

TEST(Patterns, ZipfFallsAsTheRank) {
  std::map<std::uint64_t, int> hits;
  for (const auto key : keys_of<std::uint64_t>("zipf:u64:1000000")) ++hits[key];
  std::vector<int> counts;
  for (const auto& [key, count] : hits) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  double harmonic = 0;
  for (int rank = 1; rank <= 1'000'000; ++rank) harmonic += 1.0 / rank;
  for (const std::size_t rank : {1, 2, 3, 5, 10, 100}) {
    const double expected = 1e6 / (harmonic * static_cast<double>(rank));
    EXPECT_NEAR(counts[rank - 1], expected, 5 * std::sqrt(expected)) << rank;
  }
  EXPECT_GT(hits.size(), 200'000u);
  EXPECT_LT(hits.size(), 300'000u);
}

TEST(Patterns, ConstByteHoldsOneByteOnly) {
  const auto keys = keys_of<std::uint32_t>("constbyte:u32:10000");
  std::uint32_t changing = 0;
  for (const auto key : keys) changing |= key ^ keys[0];
  EXPECT_EQ(changing, 0xFF00FFFFu);
}

TEST(Patterns, SpecialHasEverySpecial) {
  std::set<int> seen;
  std::set<std::uint32_t> payloads;
  for (const float key : keys_of<float>("special:f32:10000")) {
    const int sign = std::signbit(key) ? 100 : 0;
    seen.insert(sign + std::fpclassify(key));
    if (!std::isnan(key)) continue;
    const auto bits = std::bit_cast<std::uint32_t>(key);
    payloads.insert(bits & 0x3FFFFF);
    seen.insert(sign + (bits & 0x400000 ? 51 : 52));
  }
  EXPECT_EQ(seen.size(), 2u * (5 + 2));  // nan, inf, zero, subnormal, normal; quiet and signalling; of both signs
  EXPECT_GT(payloads.size(), 1000u);
  EXPECT_TRUE(may_hold_nan("special") && may_hold_nan("ones") && may_hold_nan("bits"));
  EXPECT_FALSE(may_hold_nan("uniform"));
}

// The rivals' comparators rely on it.
TEST(Patterns, HoldNanOnlyWhereTheySaySo) {
  for (const auto& pattern : known_patterns()) {
    if (may_hold_nan(pattern)) continue;
    for (const lanesort_dtype dtype : {LANESORT_F16, LANESORT_BF16, LANESORT_F32, LANESORT_F64}) {
      const Bytes bytes = bytes_of({pattern, dtype, 20'000, 9});
      const std::size_t width = lanesort_dtype_bytes(dtype);
      const unsigned exponent_bits = dtype == LANESORT_F16 ? 5 : dtype == LANESORT_F64 ? 11 : 8;
      for (std::size_t i = 0; i < bytes.size(); i += width) {
        std::uint64_t key = 0;
        std::memcpy(&key, &bytes[i], width);
        const std::uint64_t all_ones = (1u << exponent_bits) - 1;
        ASSERT_NE(key >> (8 * width - 1 - exponent_bits) & all_ones, all_ones) << pattern << " " << dtype;
      }
    }
  }
}

TEST(Patterns, OnesAreMostlyOnes) {
  const auto keys = keys_of<std::uint64_t>("ones:u64:10000");
  EXPECT_NEAR(static_cast<double>(std::count(keys.begin(), keys.end(), ~0ull)), 6250, 300);
  EXPECT_GT(std::count(keys.begin(), keys.end(), ~0ull >> 1), 1000);
  EXPECT_GT(std::count(keys.begin(), keys.end(), ~1ull), 1000);
}

}  // namespace
}  // namespace lanesort::bench
