// The engine with a cache of 4 KiB, so that arrays of some thousand items take the ways of arrays of many millions:
// partitions within partitions, buckets larger than a thread's share, counting and filling by all threads.
#include <gtest/gtest.h>

#include <string>

#include "cpu/scratch.hpp"
#include "cpu/target.hpp"
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
  for (const Pattern pattern : {Pattern::uniform, Pattern::skewed, Pattern::few, Pattern::gaps}) {
    const Shape& shape = kShapes[random.below(9)];
    run_shrunk(random, shape, pattern, 4 * cpu::kKeysPerThread + random.below(1000), random.chance(2) ? 0 : 4,
               2 + static_cast<std::uint32_t>(random.below(3)));
  }
}

}  // namespace
}  // namespace lanesort::test
