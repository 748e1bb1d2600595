// The engine with a cache of 4 KiB, so that arrays of some thousand items take the ways of arrays of many millions:
// partitions within partitions, buckets larger than a thread's share, counting and filling by all threads.
#include <gtest/gtest.h>

#include <string>

#include "cpu/scratch.hpp"
#include "cpu/target.hpp"
#include "support/effort.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

struct Shape {
  lanesort_dtype dtype;
  KeyKind kind;
  std::uint32_t mantissa_bits;
};
constexpr Shape kShapes[] = {{LANESORT_BOOL, KeyKind::boolean, 0},       {LANESORT_U8, KeyKind::unsigned_integer, 0},
                             {LANESORT_I16, KeyKind::signed_integer, 0}, {LANESORT_BF16, KeyKind::floating, 7},
                             {LANESORT_F16, KeyKind::floating, 10},      {LANESORT_U32, KeyKind::unsigned_integer, 0},
                             {LANESORT_F32, KeyKind::floating, 23},      {LANESORT_I64, KeyKind::signed_integer, 0},
                             {LANESORT_F64, KeyKind::floating, 52}};

// Sorts with the given number of threads allowed and compares with the oracle.
void run_shrunk(Random& random, const Shape& shape, Pattern pattern, std::uint64_t count, std::uint32_t value_bytes,
                std::uint32_t threads) {
  OrderSpec order{shape.dtype, random.chance(2), static_cast<lanesort_float_order>(random.below(3)), 0,
                  LANESORT_ALL_BITS};
  SCOPED_TRACE(std::string(lanesort_dtype_name(shape.dtype)) + " " + pattern_name(pattern) + " count " +
               std::to_string(count) + " value_bytes " + std::to_string(value_bytes) + " threads " +
               std::to_string(threads) + (order.descending ? " desc" : " asc") + " floats " +
               std::to_string(order.float_order));
  const std::uint32_t key_bytes = lanesort_dtype_bytes(shape.dtype);
  const std::vector<unsigned char> source = make_keys(random, pattern, key_bytes, count);
  std::vector<unsigned char> keys = source, values(count * value_bytes);
  for (std::uint64_t i = 0; i < count && value_bytes != 0; ++i)
    std::memcpy(values.data() + i * value_bytes, &i, std::min(value_bytes, 8u));
  const std::vector<unsigned char> values_before = values;

  constexpr NanPlace kPlaces[] = {NanPlace::last, NanPlace::first, NanPlace::by_bits};
  cpu::Request request;
  request.key = {shape.kind,      kPlaces[order.float_order], key_bytes, shape.mantissa_bits, 0, 8 * key_bytes,
                 order.descending};
  request.value_bytes = value_bytes;
  request.count = count;
  request.keys_src = request.keys_dst = keys.data();
  request.values_src = request.values_dst = value_bytes == 0 ? nullptr : values.data();
  request.threads = threads;
  std::vector<unsigned char> scratch(cpu::sort_scratch_bytes(request), 0xCD);
  request.scratch = scratch.data();
  cpu::Team team(cpu::useful_threads(count, threads), nullptr);
  cpu::chosen_target().sort[__builtin_ctz(key_bytes)](request, cpu::Environment{&team, 4096});

  const std::vector<std::uint64_t> want = sorted_indices(order, source);
  EXPECT_TRUE(keys == gathered(source, key_bytes, want)) << "keys differ";
  if (value_bytes != 0) { EXPECT_TRUE(values == gathered(values_before, value_bytes, want)) << "values differ"; }
}

TEST(ShrunkLimits, EveryPatternTakesTheLongWay) {
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (const Shape& shape : kShapes) {
    for (int p = 0; p < static_cast<int>(Pattern::count) && !HasFailure(); ++p) {
      constexpr std::uint32_t kWidths[] = {0, 1, 2, 4, 8, 16};
      run_shrunk(random, shape, static_cast<Pattern>(p), 3000 + random.below(9000), kWidths[random.below(6)], 1);
    }
  }
}

TEST(ShrunkLimits, ThreadsShareLargeBuckets) {
  const std::uint64_t seed = run_seed() + 1;
  std::printf("seed %llu (LANESORT_SEED is one less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  std::uint64_t turn = random.below(2);
  for (const Pattern pattern : {Pattern::uniform, Pattern::skewed, Pattern::few, Pattern::gaps}) {
    const Shape& shape = kShapes[random.below(9)];
    if (kThreadsAlone && turn++ % 2 != 0) continue;
    run_shrunk(random, shape, pattern, 4 * cpu::kKeysPerThread + random.below(1000), random.chance(2) ? 0 : 4,
               2 + static_cast<std::uint32_t>(random.below(3)));
  }
}

// Keys and values of four bytes from kLeastWords items on share words. Each mix wears out another part of that: buckets as
// meant; one value that fills buckets; buckets that no sample announced, because all the samples' neighbours are one key;
// keys whose last bits alone differ; keys in falling runs; specials among the floats; bits that do not order.
struct WordMix {
  const char* name;
  std::uint32_t (*draw)(Random& random, std::uint64_t i);
};
constexpr WordMix kWordMixes[] = {
    {"uniform", [](Random& random, std::uint64_t) { return static_cast<std::uint32_t>(random.next()); }},
    {"numbers in [0, 2)",
     [](Random& random, std::uint64_t) {
       const float number = static_cast<float>(random.next() >> 40) * 0x1p-23f;
       std::uint32_t bits;
       std::memcpy(&bits, &number, sizeof bits);
       return bits;
     }},
    {"sixteen values",
     [](Random& random, std::uint64_t) { return static_cast<std::uint32_t>(random.below(16)) * 0x11111111u; }},
    {"one value in most places",
     [](Random& random, std::uint64_t) {
       return random.chance(3) ? static_cast<std::uint32_t>(random.next()) : 77u << 16;
     }},
    {"a crowd that samples miss",
     [](Random& random, std::uint64_t i) {
       return i % 4096 < 4000 ? static_cast<std::uint32_t>(random.below(9)) << 29
                              : 0x12345000u | static_cast<std::uint32_t>(random.below(4096));
     }},
    {"a late crowd",
     [](Random& random, std::uint64_t i) {
       return i < 1000 ? static_cast<std::uint32_t>(random.next()) : static_cast<std::uint32_t>(random.below(1u << 24));
     }},
    {"short keys", [](Random& random, std::uint64_t) { return static_cast<std::uint32_t>(random.below(1u << 13)); }},
    {"falling runs",
     [](Random& random, std::uint64_t i) {
       return static_cast<std::uint32_t>(-i * 977) & ~static_cast<std::uint32_t>(random.below(2));
     }},
};

// pairs in place, pairs from a source, argsort
enum class WordUse { in_place, from_source, argsort };

void run_words(Random& random, const WordMix& mix, lanesort_dtype dtype, WordUse use, std::uint32_t threads) {
  const std::uint64_t count = cpu::kLeastWords + random.below(400000 / kFewerBy);
  OrderSpec order{dtype, random.chance(2), static_cast<lanesort_float_order>(random.below(3)), 0, LANESORT_ALL_BITS};
  if (random.chance(4)) {
    order.bit_begin = static_cast<std::uint32_t>(random.below(12));
    order.bit_end = 20 + static_cast<std::uint32_t>(random.below(13));
  }
  SCOPED_TRACE(std::string(mix.name) + " " + lanesort_dtype_name(dtype) + " use " +
               std::to_string(static_cast<int>(use)) + " count " + std::to_string(count) + " threads " +
               std::to_string(threads) + (order.descending ? " desc" : " asc") + " floats " +
               std::to_string(order.float_order) + " bits " + std::to_string(order.bit_begin) + ":" +
               std::to_string(order.bit_end));
  const std::uint64_t misaligned = random.below(4);
  std::vector<unsigned char> source(count * 4), values(count * 4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t key = mix.draw(random, i), value = static_cast<std::uint32_t>(i);
    std::memcpy(source.data() + i * 4, &key, 4);
    std::memcpy(values.data() + i * 4, &value, 4);
  }
  std::vector<unsigned char> keys(count * 4 + misaligned), out(count * 4 + misaligned);
  unsigned char* const keys_dst = keys.data() + misaligned;
  unsigned char* const values_dst = out.data() + misaligned;
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = dtype;
  desc.order = order.descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
  desc.float_order = order.float_order;
  desc.bit_begin = order.bit_begin;
  desc.bit_end = order.bit_end;
  desc.value_bytes = 4;
  desc.count = count;
  desc.threads = threads;
  desc.values_dst = values_dst;
  desc.keys_src = source.data();
  if (use == WordUse::argsort) {
    ASSERT_EQ(lanesort_argsort(&desc), LANESORT_OK) << lanesort_last_error();
  } else {
    desc.keys_dst = keys_dst;
    desc.values_src = values.data();
    if (use == WordUse::in_place) {
      std::memcpy(keys_dst, source.data(), count * 4);
      std::memcpy(values_dst, values.data(), count * 4);
      desc.keys_src = keys_dst;
      desc.values_src = values_dst;
    }
    ASSERT_EQ(lanesort_sort_pairs(&desc), LANESORT_OK) << lanesort_last_error();
  }
  const std::vector<std::uint64_t> want = sorted_indices(order, source);
  EXPECT_EQ(std::memcmp(values_dst, gathered(values, 4, want).data(), count * 4), 0) << "values differ";
  if (use != WordUse::argsort) {
    EXPECT_EQ(std::memcmp(keys_dst, gathered(source, 4, want).data(), count * 4), 0) << "keys differ";
  }
}

TEST(Words, OverThreads) {
  const std::uint64_t seed = run_seed() + 2;
  std::printf("seed %llu (LANESORT_SEED is two less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (const WordMix& mix : kWordMixes) {
    for (std::uint64_t i = 0, first = random.below(3); i < share_of(3); ++i) {
      constexpr WordUse kUses[] = {WordUse::in_place, WordUse::from_source, WordUse::argsort};
      constexpr lanesort_dtype kTypes[] = {LANESORT_U32, LANESORT_I32, LANESORT_F32};
      run_words(random, mix, kTypes[random.below(3)], kUses[(first + i) % 3], 1 + static_cast<std::uint32_t>(random.below(4)));
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace lanesort::test
