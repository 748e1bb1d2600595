// Random requests against the oracle: every operation, dtype, order, bit range, value width, buffer arrangement and
// thread count, with canaries round every buffer, dirty scratch of exactly the stated size, and misaligned addresses.
#include <gtest/gtest.h>

#include <string>

#include "support/call.hpp"
#include "support/draw.hpp"
#include "support/effort.hpp"
#include "support/guarded.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

struct Trial {
  lanesort_operation operation;
  OrderSpec order;
  Pattern pattern;
  std::uint64_t count;
  std::uint32_t value_bytes;
  bool keys_in_place, values_in_place, initial_values;
  std::uint32_t threads;
  std::uint64_t misalignment;

  std::string text() const {
    return "operation " + std::to_string(operation) + " dtype " + lanesort_dtype_name(order.dtype) + " count " +
           std::to_string(count) + " pattern " + pattern_name(pattern) + (order.descending ? " desc" : " asc") +
           " floats " + std::to_string(order.float_order) + " bits " + std::to_string(order.bit_begin) + ":" +
           std::to_string(order.bit_end) + " value_bytes " + std::to_string(value_bytes) + " in place " +
           std::to_string(keys_in_place) + std::to_string(values_in_place) + " initial " +
           std::to_string(initial_values) + " threads " + std::to_string(threads) + " misalignment " +
           std::to_string(misalignment);
  }
};

void run_trial(const Trial& trial, Random& random) {
  SCOPED_TRACE(trial.text());
  const std::uint32_t key_bytes = lanesort_dtype_bytes(trial.order.dtype);
  const bool argsort = trial.operation == LANESORT_OP_ARGSORT;
  const bool has_values = trial.operation == LANESORT_OP_SORT_PAIRS || trial.initial_values;
  const std::vector<unsigned char> keys = make_keys(random, trial.pattern, key_bytes, trial.count);
  std::vector<unsigned char> values(has_values ? trial.count * trial.value_bytes : 0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(random.next());

  Guarded keys_src(keys, trial.misalignment), keys_dst(trial.keys_in_place ? 0 : keys.size(), trial.misalignment);
  Guarded values_src(values, trial.misalignment),
      values_dst(trial.values_in_place ? 0 : trial.count * trial.value_bytes, trial.misalignment);

  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = trial.order.dtype;
  desc.order = trial.order.descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
  desc.float_order = trial.order.float_order;
  desc.bit_begin = trial.order.bit_begin;
  desc.bit_end = trial.order.bit_end;
  desc.value_bytes = trial.value_bytes;
  desc.threads = trial.threads;
  desc.count = trial.count;
  desc.keys_src = keys_src.data();
  if (!argsort) desc.keys_dst = trial.keys_in_place ? keys_src.data() : keys_dst.data();
  if (has_values) desc.values_src = values_src.data();
  if (trial.value_bytes != 0) desc.values_dst = trial.values_in_place ? values_src.data() : values_dst.data();

  lanesort_capabilities machine = LANESORT_CAPABILITIES_INIT;
  ASSERT_EQ(lanesort_query_capabilities(LANESORT_BACKEND_CPU, &machine), LANESORT_OK);
  std::uint64_t enough = 0, exact = 0;
  ASSERT_EQ(lanesort_scratch_bytes(trial.operation, &desc, nullptr, &enough), LANESORT_OK) << lanesort_last_error();
  ASSERT_EQ(lanesort_scratch_bytes(trial.operation, &desc, &machine, &exact), LANESORT_OK) << lanesort_last_error();
  ASSERT_LE(exact, enough);
  ASSERT_GE(exact, 1u);
  Guarded scratch(exact, random.below(16));
  desc.scratch = scratch.data();
  desc.scratch_bytes = exact;

  if (trial.count != 0) {
    desc.scratch_bytes = exact - 1;
    ASSERT_EQ(call(trial.operation, desc), LANESORT_SCRATCH_TOO_SMALL);
    desc.scratch_bytes = exact;
  }
  ASSERT_EQ(call(trial.operation, desc), LANESORT_OK) << lanesort_last_error();

  const std::vector<std::uint64_t> order = sorted_indices(trial.order, keys);
  if (!argsort) {
    const std::vector<unsigned char> want = gathered(keys, key_bytes, order);
    const std::vector<unsigned char> got = (trial.keys_in_place ? keys_src : keys_dst).content();
    for (std::size_t i = 0, shown = 0; i < trial.count && shown < 10; ++i) {
      if (std::memcmp(want.data() + i * key_bytes, got.data() + i * key_bytes, key_bytes) != 0) {
        ADD_FAILURE() << "key " << i << ": want " << std::hex << raw_at(want, key_bytes, i) << ", got "
                      << raw_at(got, key_bytes, i);
        ++shown;
      }
    }
  }
  if (trial.value_bytes != 0) {
    const std::vector<unsigned char> want =
        has_values ? gathered(values, trial.value_bytes, order) : index_bytes_of(order, trial.value_bytes);
    const std::vector<unsigned char> got = (trial.values_in_place ? values_src : values_dst).content();
    for (std::size_t i = 0, shown = 0; i < trial.count && shown < 10; ++i) {
      if (std::memcmp(want.data() + i * trial.value_bytes, got.data() + i * trial.value_bytes, trial.value_bytes) !=
          0) {
        ADD_FAILURE() << "value " << i << " differs";
        ++shown;
      }
    }
  }
  if (argsort || !trial.keys_in_place) { EXPECT_EQ(keys_src.content(), keys) << "the source was written"; }
  if (has_values && !trial.values_in_place) {
    EXPECT_EQ(values_src.content(), values) << "the values' source was written";
  }
  for (const Guarded* guarded : {&keys_src, &keys_dst, &values_src, &values_dst, &scratch})
    EXPECT_TRUE(guarded->intact()) << "a canary died";

  lanesort_sort_desc check = desc;
  check.keys_src = argsort ? keys_src.data() : desc.keys_dst;
  if (!argsort) {
    std::uint64_t offender = 0;
    ASSERT_EQ(lanesort_is_sorted(&check, &offender), LANESORT_OK) << lanesort_last_error();
    EXPECT_EQ(offender, trial.count);
  }
  if (!(argsort && has_values)) {
    check.scratch = nullptr;
    check.scratch_bytes = 0;
    lanesort_verdict verdict = LANESORT_VERDICT_INIT;
    Guarded before_keys(keys, 1), before_values(values, 3);
    check.keys_src = before_keys.data();
    if (has_values) check.values_src = before_values.data();
    ASSERT_EQ(lanesort_verify(trial.operation, &check, &verdict), LANESORT_OK) << lanesort_last_error();
    EXPECT_EQ(verdict.good, 1u) << "verify says no at " << verdict.first_offender;
  }
}

Trial draw_trial(Random& random, std::uint64_t largest) {
  constexpr std::uint32_t kWidths[] = {1, 2, 3, 4, 8, 12, 16, 24};
  Trial trial{};
  trial.operation = static_cast<lanesort_operation>(random.below(3));
  trial.order = draw_order(random);
  trial.pattern = static_cast<Pattern>(random.below(static_cast<std::uint64_t>(Pattern::count)));
  trial.count = random.below(1 + (largest >> random.below(20)));
  trial.keys_in_place = random.chance(2) && trial.operation != LANESORT_OP_ARGSORT;
  if (trial.operation == LANESORT_OP_SORT_PAIRS) {
    trial.value_bytes = kWidths[random.below(8)];
    trial.values_in_place = random.chance(2);
  } else if (trial.operation == LANESORT_OP_ARGSORT) {
    trial.value_bytes = random.chance(2) ? 4 : 8;
    trial.initial_values = random.chance(3);
    trial.values_in_place = trial.initial_values && random.chance(2);
  }
  trial.threads = static_cast<std::uint32_t>(random.below(5));
  trial.misalignment = random.chance(2) ? 0 : random.below(16);
  return trial;
}

TEST(Property, SmallRequests) {
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(4000) && !HasFailure(); ++i) run_trial(draw_trial(random, 3000), random);
}

TEST(Property, RequestsPastTheCacheAndOverThreads) {
  const std::uint64_t seed = run_seed() + 1;
  std::printf("seed %llu (LANESORT_SEED is one less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(16) && !HasFailure(); ++i) {
    Trial trial = draw_trial(random, 1000);
    trial.count = 100000 + random.below(500000);
    run_trial(trial, random);
  }
}

}  // namespace
}  // namespace lanesort::test
