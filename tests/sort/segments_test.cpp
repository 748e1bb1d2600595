// Segments against the oracle: random offsets with gaps and empty ones, every operation, dtype, order, bit range, value
// width, buffer arrangement and thread count. What lies between segments, and around the buffers, must stay as it was.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "support/call.hpp"
#include "support/draw.hpp"
#include "support/effort.hpp"
#include "support/guarded.hpp"
#include "support/offsets.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

using Bytes = std::vector<unsigned char>;

struct Trial {
  lanesort_operation operation;
  OrderSpec order;
  Pattern pattern;
  std::uint64_t count = 0;
  Offsets offsets;
  std::uint32_t value_bytes = 0;
  bool keys_in_place = false, values_in_place = false, initial_values = false, local = false;
  std::uint32_t threads = 0;
  std::uint64_t misalignment = 0;

  bool argsort() const { return operation == LANESORT_OP_ARGSORT; }
  bool has_values() const { return operation == LANESORT_OP_SORT_PAIRS || initial_values; }
  std::string text() const {
    return "operation " + std::to_string(operation) + " dtype " + lanesort_dtype_name(order.dtype) + " count " +
           std::to_string(count) + " segments " + std::to_string(offsets.begins.size()) + " joined " +
           std::to_string(offsets.joined) + " pattern " + pattern_name(pattern) + (order.descending ? " desc" : " asc") +
           " floats " + std::to_string(order.float_order) + " bits " + std::to_string(order.bit_begin) + ":" +
           std::to_string(order.bit_end) + " value_bytes " + std::to_string(value_bytes) + " in place " +
           std::to_string(keys_in_place) + std::to_string(values_in_place) + " initial " +
           std::to_string(initial_values) + " local " + std::to_string(local) + " threads " + std::to_string(threads) +
           " misalignment " + std::to_string(misalignment);
  }
};

// What a buffer is to hold: `sorted` in the segments, what it was elsewhere.
Bytes merged(const Bytes& before, const Bytes& sorted, const Offsets& offsets, std::uint32_t width) {
  Bytes want = before;
  for (std::size_t s = 0; s < offsets.begins.size(); ++s)
    std::copy(sorted.begin() + static_cast<std::ptrdiff_t>(offsets.begins[s] * width),
              sorted.begin() + static_cast<std::ptrdiff_t>(offsets.ends[s] * width),
              want.begin() + static_cast<std::ptrdiff_t>(offsets.begins[s] * width));
  return want;
}

std::vector<std::uint64_t> segmented_order(const Trial& trial, const Bytes& keys) {
  const std::uint32_t bytes = lanesort_dtype_bytes(trial.order.dtype);
  std::vector<std::uint64_t> order(trial.count);
  for (std::uint64_t i = 0; i < trial.count; ++i) order[i] = i;
  for (std::size_t s = 0; s < trial.offsets.begins.size(); ++s) {
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(trial.offsets.begins[s]),
                     order.begin() + static_cast<std::ptrdiff_t>(trial.offsets.ends[s]),
                     [&](std::uint64_t i, std::uint64_t j) {
                       return before(trial.order, raw_at(keys, bytes, i), raw_at(keys, bytes, j));
                     });
  }
  return order;
}

lanesort_sort_desc describe(const Trial& trial) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = trial.order.dtype;
  desc.order = trial.order.descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
  desc.float_order = trial.order.float_order;
  desc.bit_begin = trial.order.bit_begin;
  desc.bit_end = trial.order.bit_end;
  desc.value_bytes = trial.value_bytes;
  desc.threads = trial.threads;
  desc.count = trial.count;
  desc.local_indices = trial.local;
  return desc;
}

void run_trial(const Trial& trial, Random& random, const lanesort_executor* executor = nullptr) {
  SCOPED_TRACE(trial.text());
  const std::uint32_t key_bytes = lanesort_dtype_bytes(trial.order.dtype), value_bytes = trial.value_bytes;
  const Bytes keys = make_keys(random, trial.pattern, key_bytes, trial.count);
  Bytes values(trial.has_values() ? trial.count * value_bytes : 0);
  for (unsigned char& byte : values) byte = static_cast<unsigned char>(random.next());
  Guarded keys_src(keys, trial.misalignment), keys_dst(trial.keys_in_place ? 0 : keys.size(), trial.misalignment);
  Guarded values_src(values, trial.misalignment),
      values_dst(trial.values_in_place ? 0 : trial.count * value_bytes, trial.misalignment);
  std::vector<std::uint64_t> list = trial.offsets.begins;  // n+1 where joined
  if (trial.offsets.joined) list.push_back(trial.offsets.ends.empty() ? 0 : trial.offsets.ends.back());

  lanesort_sort_desc desc = describe(trial);
  desc.executor = executor;
  desc.keys_src = keys_src.data();
  if (!trial.argsort()) desc.keys_dst = trial.keys_in_place ? keys_src.data() : keys_dst.data();
  if (trial.has_values()) desc.values_src = values_src.data();
  if (value_bytes != 0) desc.values_dst = trial.values_in_place ? values_src.data() : values_dst.data();
  const std::uint64_t none = 0;
  desc.segment_count = trial.offsets.begins.size();
  desc.segment_begins = list.empty() ? &none : list.data();
  if (!trial.offsets.joined && !list.empty()) desc.segment_ends = trial.offsets.ends.data();

  lanesort_capabilities machine = LANESORT_CAPABILITIES_INIT;
  ASSERT_EQ(lanesort_query_capabilities(LANESORT_BACKEND_CPU, &machine), LANESORT_OK);
  std::uint64_t exact = 0, whole = 0;
  ASSERT_EQ(lanesort_scratch_bytes(trial.operation, &desc, &machine, &exact), LANESORT_OK) << lanesort_last_error();
  lanesort_sort_desc one = desc;
  one.segment_begins = one.segment_ends = nullptr;
  ASSERT_EQ(lanesort_scratch_bytes(trial.operation, &one, &machine, &whole), LANESORT_OK) << lanesort_last_error();
  EXPECT_EQ(exact, whole);  // as lanesort.h promises
  Guarded scratch(exact, random.below(16));
  desc.scratch = scratch.data();
  desc.scratch_bytes = exact;
  ASSERT_EQ(call(trial.operation, desc), LANESORT_OK) << lanesort_last_error();

  const std::vector<std::uint64_t> order = segmented_order(trial, keys);
  const Bytes untouched_keys(keys.size(), kDirt), untouched_values(trial.count * value_bytes, kDirt);
  if (!trial.argsort()) {
    const Bytes want = merged(trial.keys_in_place ? keys : untouched_keys, gathered(keys, key_bytes, order),
                              trial.offsets, key_bytes);
    EXPECT_TRUE((trial.keys_in_place ? keys_src : keys_dst).content() == want) << "keys differ";
    std::uint64_t offender = 0;
    lanesort_sort_desc check = desc;
    check.keys_src = desc.keys_dst;
    ASSERT_EQ(lanesort_is_sorted(&check, &offender), LANESORT_OK) << lanesort_last_error();
    EXPECT_EQ(offender, trial.count);
  }
  if (value_bytes != 0) {
    std::vector<std::uint64_t> indices = order;
    for (std::size_t s = 0; s < trial.offsets.begins.size() && trial.local; ++s)
      for (std::uint64_t i = trial.offsets.begins[s]; i < trial.offsets.ends[s]; ++i)
        indices[i] -= trial.offsets.begins[s];
    const Bytes sorted =
        trial.has_values() ? gathered(values, value_bytes, order) : index_bytes_of(indices, value_bytes);
    const Bytes want =
        merged(trial.values_in_place ? values : untouched_values, sorted, trial.offsets, value_bytes);
    EXPECT_TRUE((trial.values_in_place ? values_src : values_dst).content() == want) << "values differ";
  }
  if (trial.argsort() || !trial.keys_in_place) { EXPECT_TRUE(keys_src.content() == keys) << "the source was written"; }
  if (trial.has_values() && !trial.values_in_place) {
    EXPECT_TRUE(values_src.content() == values) << "the values' source was written";
  }
  for (const Guarded* guarded : {&keys_src, &keys_dst, &values_src, &values_dst, &scratch})
    EXPECT_TRUE(guarded->intact()) << "a canary died";
}

Trial draw_trial(Random& random, std::uint64_t count) {
  constexpr std::uint32_t kWidths[] = {1, 2, 3, 4, 8, 12, 16, 24};
  Trial trial{};
  trial.operation = static_cast<lanesort_operation>(random.below(3));
  trial.order = draw_order(random);
  trial.pattern = static_cast<Pattern>(random.below(static_cast<std::uint64_t>(Pattern::count)));
  trial.count = count;
  trial.offsets = draw_offsets(random, count);
  trial.keys_in_place = random.chance(2) && !trial.argsort();
  if (trial.operation == LANESORT_OP_SORT_PAIRS) {
    trial.value_bytes = kWidths[random.below(8)];
    trial.values_in_place = random.chance(2);
  } else if (trial.argsort()) {
    trial.value_bytes = random.chance(2) ? 4 : 8;
    trial.initial_values = random.chance(3);
    trial.values_in_place = trial.initial_values && random.chance(2);
  }
  trial.local = random.chance(2);
  trial.threads = static_cast<std::uint32_t>(random.below(5));
  trial.misalignment = random.chance(2) ? 0 : random.below(16);
  return trial;
}

TEST(Segments, SmallRequests) {
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(3000) && !HasFailure(); ++i)
    run_trial(draw_trial(random, random.below(1 + (4000u >> random.below(12)))), random);
}

// Every length up to past the limits of the ways to sort a segment.
TEST(Segments, EveryLength) {
  const std::uint64_t seed = run_seed() + 1;
  std::printf("seed %llu (LANESORT_SEED is one less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64 && !HasFailure(); ++dtype) {
    Trial trial = draw_trial(random, 0);
    trial.order = {dtype, random.chance(2), static_cast<lanesort_float_order>(random.below(3)), 0, LANESORT_ALL_BITS};
    trial.offsets = {};
    for (std::uint64_t length = 0; length <= share_of(600); ++length) {
      trial.offsets.begins.push_back(trial.count);
      trial.offsets.ends.push_back(trial.count += length);
    }
    run_trial(trial, random);
  }
}

TEST(Segments, LargeOnesOverThreads) {
  const std::uint64_t seed = run_seed() + 2;
  std::printf("seed %llu (LANESORT_SEED is two less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(12) && !HasFailure(); ++i) {
    Trial trial = draw_trial(random, 200000 + random.below(400000));
    trial.threads = 2 + static_cast<std::uint32_t>(random.below(3));
    if (random.chance(2)) {  // one for all threads among many for one each
      trial.offsets = draw_offsets(random, 20000);
      const std::uint64_t end = trial.offsets.ends.back();
      trial.offsets.begins.push_back(end);
      trial.offsets.ends.push_back(std::min(trial.count, end + 150000 + random.below(100000)));
    }
    run_trial(trial, random);
  }
}

// Tasks one after the other on one thread of the caller's, and each on one of its own.
TEST(Segments, OnTheCallersExecutorOverThreads) {
  Random random(run_seed() + 3);
  static std::atomic<std::uint32_t> calls;
  calls = 0;
  lanesort_executor executor{sizeof(lanesort_executor), 4, nullptr,
                             [](void*, std::uint32_t task_count, void (*task)(void*, std::uint32_t), void* argument) {
                               ++calls;
                               std::vector<std::jthread> threads;
                               for (std::uint32_t i = 0; i < task_count; ++i) threads.emplace_back(task, argument, i);
                             }};
  for (std::uint64_t i = 0; i < 3 && !HasFailure(); ++i) {
    Trial trial = draw_trial(random, 300000);
    trial.threads = 0;
    run_trial(trial, random, &executor);
  }
  EXPECT_GT(calls.load(), 0u);
}

TEST(Segments, NoneAtAll) {
  std::uint32_t keys[] = {3, 1, 2};
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.count = 3;
  desc.keys_src = desc.keys_dst = keys;
  const std::uint64_t begin = 0;
  desc.segment_begins = &begin;
  ASSERT_EQ(lanesort_sort(&desc), LANESORT_OK) << lanesort_last_error();
  EXPECT_EQ(keys[0], 3u);
  EXPECT_EQ(keys[2], 2u);
}

TEST(Segments, DisorderCountsInsideOneOnly) {
  const std::uint32_t keys[] = {5, 6, 1, 2, 0, 7, 3};
  const std::uint64_t offsets[] = {0, 2, 4, 4, 6, 7};
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.count = 7;
  desc.keys_src = keys;
  desc.segment_begins = offsets;
  desc.segment_count = 5;
  std::uint64_t offender = 0;
  ASSERT_EQ(lanesort_is_sorted(&desc, &offender), LANESORT_OK);
  EXPECT_EQ(offender, 7u);
  const std::uint64_t one_wrong[] = {0, 2, 5, 7};
  desc.segment_begins = one_wrong;
  desc.segment_count = 3;
  ASSERT_EQ(lanesort_is_sorted(&desc, &offender), LANESORT_OK);
  EXPECT_EQ(offender, 4u);
}

struct Refusal {
  std::vector<std::uint64_t> begins, ends;  // no ends: n+1 offsets
  const char* words;
};

// Refused with the first wrong segment named, and nothing written.
TEST(Segments, WrongOffsets) {
  const Refusal refusals[] = {
      {{0, 3, 9}, {}, "segment 1 is [3, 9)"},
      {{0, 5, 4, 2, 8}, {}, "segment 1 is [5, 4)"},
      {{0, 3, 6}, {4, 5, 8}, "segment 1 is [3, 5)"},
      {{2, 1}, {2, 4}, "segment 1 is [1, 4)"},
      {{5}, {3}, "segment 0 is [5, 3)"},
      {{9}, {9}, "segment 0 is [9, 9)"},
      {{0, UINT64_MAX}, {}, "segment 0 is [0, 18446744073709551615)"},
  };
  for (const Refusal& refusal : refusals) {
    for (const lanesort_operation operation : {LANESORT_OP_SORT, LANESORT_OP_SORT_PAIRS, LANESORT_OP_ARGSORT}) {
      std::uint32_t keys[] = {8, 7, 6, 5, 4, 3, 2, 1}, values[] = {1, 2, 3, 4, 5, 6, 7, 8};
      lanesort_sort_desc desc = LANESORT_SORT_INIT;
      desc.count = 8;
      desc.keys_src = keys;
      desc.keys_dst = operation == LANESORT_OP_ARGSORT ? nullptr : keys;
      desc.value_bytes = operation == LANESORT_OP_SORT ? 0 : 4;
      if (operation != LANESORT_OP_SORT) desc.values_src = desc.values_dst = values;
      desc.segment_begins = refusal.begins.data();
      desc.segment_count = refusal.begins.size() - refusal.ends.empty();
      if (!refusal.ends.empty()) desc.segment_ends = refusal.ends.data();
      EXPECT_EQ(call(operation, desc), LANESORT_INVALID_ARGUMENT);
      EXPECT_NE(std::string(lanesort_last_error()).find(refusal.words), std::string::npos) << lanesort_last_error();
      for (std::uint32_t i = 0; i < 8; ++i) EXPECT_TRUE(keys[i] == 8 - i && values[i] == i + 1);
      std::uint64_t offender = 77;
      EXPECT_EQ(lanesort_is_sorted(&desc, &offender), LANESORT_INVALID_ARGUMENT);
      EXPECT_EQ(offender, 77u);
    }
  }
}

TEST(Segments, OtherWrongRequests) {
  std::uint64_t keys[] = {4, 3, 2, 1}, offsets[] = {0, 4};
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_U64;
  desc.count = 4;
  desc.keys_src = desc.keys_dst = keys;
  desc.segment_begins = offsets;
  desc.segment_count = 1;
  desc.local_indices = 2;
  EXPECT_EQ(lanesort_sort(&desc), LANESORT_INVALID_ARGUMENT);
  desc.local_indices = 0;
  desc.segment_count = UINT64_MAX;
  EXPECT_EQ(lanesort_sort(&desc), LANESORT_INVALID_ARGUMENT);
  desc.segment_count = 1;
  desc.segment_begins = keys + 2;  // would be sorted away while they are read
  EXPECT_EQ(lanesort_sort(&desc), LANESORT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lanesort_last_error()).find("segment_begins"), std::string::npos);
  desc.segment_begins = offsets;
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  EXPECT_EQ(lanesort_verify(LANESORT_OP_SORT, &desc, &verdict), LANESORT_UNSUPPORTED);
  EXPECT_EQ(keys[0], 4u);
}

}  // namespace
}  // namespace lanesort::test
