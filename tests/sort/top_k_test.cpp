// The first k against the oracle's permutation: every dtype, order, bit range, pattern, kind of value and number of
// threads, with canaries, dirty scratch of exactly the stated size, and misaligned addresses.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "support/call.hpp"
#include "support/draw.hpp"
#include "support/effort.hpp"
#include "support/guarded.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

enum class Kind { keys, indices, both, values, keys_and_values, count };

struct Request {
  OrderSpec order;
  Pattern pattern = Pattern::uniform;
  std::uint64_t count = 0, k = 0;
  Kind kind = Kind::both;
  std::uint32_t value_bytes = 4;  // of an index, or of a value
  std::uint32_t threads = 1;
  std::uint64_t misalignment = 0;

  bool writes_keys() const { return kind != Kind::indices && kind != Kind::values; }
  bool writes_values() const { return kind != Kind::keys; }
  bool has_values() const { return kind == Kind::values || kind == Kind::keys_and_values; }
  std::uint64_t kept() const { return std::min(k, count); }

  std::string text() const {
    return std::string("dtype ") + lanesort_dtype_name(order.dtype) + " count " + std::to_string(count) + " k " +
           std::to_string(k) + " pattern " + pattern_name(pattern) + (order.descending ? " desc" : " asc") + " floats " +
           std::to_string(order.float_order) + " bits " + std::to_string(order.bit_begin) + ":" +
           std::to_string(order.bit_end) + " kind " + std::to_string(static_cast<int>(kind)) + " value_bytes " +
           std::to_string(value_bytes) + " threads " + std::to_string(threads) + " misalignment " +
           std::to_string(misalignment);
  }
};

lanesort_sort_desc describe(const Request& request) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = request.order.dtype;
  desc.order = request.order.descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
  desc.float_order = request.order.float_order;
  desc.bit_begin = request.order.bit_begin;
  desc.bit_end = request.order.bit_end;
  desc.value_bytes = request.writes_values() ? request.value_bytes : 0;
  desc.threads = request.threads;
  desc.count = request.count;
  desc.k = request.k;
  return desc;
}

void expect_items(const std::vector<unsigned char>& want, const std::vector<unsigned char>& got, std::uint32_t bytes,
                  const char* what) {
  ASSERT_EQ(want.size(), got.size());
  for (std::size_t i = 0, shown = 0; i < want.size() / bytes && shown < 10; ++i) {
    if (std::memcmp(want.data() + i * bytes, got.data() + i * bytes, bytes) == 0) continue;
    ADD_FAILURE() << what << " " << i << " differs";
    ++shown;
  }
}

void run_request(const Request& request, Random& random) {
  SCOPED_TRACE(request.text());
  const std::uint32_t key_bytes = lanesort_dtype_bytes(request.order.dtype);
  const auto keys = make_keys(random, request.pattern, key_bytes, request.count);
  std::vector<unsigned char> values(request.has_values() ? request.count * request.value_bytes : 0);
  for (unsigned char& byte : values) byte = static_cast<unsigned char>(random.next());
  Guarded keys_src(keys, request.misalignment), values_src(values, request.misalignment);
  Guarded keys_dst(request.writes_keys() ? request.kept() * key_bytes : 0, request.misalignment);
  Guarded values_dst(request.writes_values() ? request.kept() * request.value_bytes : 0, request.misalignment);

  // Asked before there are pointers, as callers do.
  lanesort_sort_desc desc = describe(request);
  lanesort_capabilities machine = LANESORT_CAPABILITIES_INIT;
  ASSERT_EQ(lanesort_query_capabilities(LANESORT_BACKEND_CPU, &machine), LANESORT_OK);
  std::uint64_t enough = 0, exact = 0, with_pointers = 0;
  ASSERT_EQ(lanesort_scratch_bytes(LANESORT_OP_TOP_K, &desc, nullptr, &enough), LANESORT_OK) << lanesort_last_error();
  ASSERT_EQ(lanesort_scratch_bytes(LANESORT_OP_TOP_K, &desc, &machine, &exact), LANESORT_OK) << lanesort_last_error();
  desc.keys_src = keys_src.data();
  if (request.writes_keys()) desc.keys_dst = keys_dst.data();
  if (request.has_values()) desc.values_src = values_src.data();
  if (request.writes_values()) desc.values_dst = values_dst.data();
  ASSERT_EQ(lanesort_scratch_bytes(LANESORT_OP_TOP_K, &desc, &machine, &with_pointers), LANESORT_OK);
  ASSERT_EQ(exact, with_pointers);
  ASSERT_LE(exact, enough);
  Guarded scratch(exact, random.below(16));
  desc.scratch = scratch.data();
  if (request.count != 0) {
    desc.scratch_bytes = exact - 1;
    ASSERT_EQ(lanesort_top_k(&desc), LANESORT_SCRATCH_TOO_SMALL);
  }
  desc.scratch_bytes = exact;
  ASSERT_EQ(lanesort_top_k(&desc), LANESORT_OK) << lanesort_last_error();

  auto order = sorted_indices(request.order, keys);
  order.resize(request.kept());
  const auto prefix = [&](const std::vector<unsigned char>& items, std::uint32_t bytes) {
    auto all = gathered(items, bytes, order);
    all.resize(order.size() * bytes);
    return all;
  };
  if (request.writes_keys()) expect_items(prefix(keys, key_bytes), keys_dst.content(), key_bytes, "key");
  if (request.writes_values()) {
    expect_items(request.has_values() ? prefix(values, request.value_bytes) : index_bytes_of(order, request.value_bytes),
                 values_dst.content(), request.value_bytes, "value");
  }
  EXPECT_EQ(keys_src.content(), keys) << "the keys' source was written";
  EXPECT_EQ(values_src.content(), values) << "the values' source was written";
  for (const Guarded* guarded : {&keys_src, &keys_dst, &values_src, &values_dst, &scratch})
    EXPECT_TRUE(guarded->intact()) << "a canary died";
}

std::uint64_t draw_k(Random& random, std::uint64_t count) {
  switch (random.below(5)) {
    case 0:
      return random.below(4);
    case 1:
      return count / 2 + random.below(count + 2);
    case 2:
      return count - std::min<std::uint64_t>(count, random.below(4)) + random.below(3);
    case 3:
      return random.below(1 + (count >> random.below(16)));
    default:
      return count / 16 / (1 + random.below(4)) + random.below(3);  // where a filter becomes a count
  }
}

Request draw_request(Random& random, std::uint64_t largest) {
  constexpr std::uint32_t kWidths[] = {1, 2, 3, 4, 8, 12, 16, 24};
  Request request;
  request.order = draw_order(random);
  request.pattern = static_cast<Pattern>(random.below(static_cast<std::uint64_t>(Pattern::count)));
  request.count = random.below(1 + (largest >> random.below(20)));
  request.k = draw_k(random, request.count);
  request.kind = static_cast<Kind>(random.below(static_cast<std::uint64_t>(Kind::count)));
  request.value_bytes = request.has_values() ? kWidths[random.below(8)] : random.chance(2) ? 4 : 8;
  request.threads = static_cast<std::uint32_t>(random.below(5));
  request.misalignment = random.chance(2) ? 0 : random.below(16);
  return request;
}

TEST(TopK, SmallRequests) {
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(3000) && !HasFailure(); ++i) run_request(draw_request(random, 3000), random);
}

// Past the first candidates of a filter, on one thread.
TEST(TopK, RequestsPastTheFirstCandidates) {
  const std::uint64_t seed = run_seed() + 1;
  std::printf("seed %llu (LANESORT_SEED is one less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(150) && !HasFailure(); ++i) {
    Request request = draw_request(random, 1000);
    request.count = 4000 + random.below(30000);
    request.k = draw_k(random, request.count);
    run_request(request, random);
  }
}

TEST(TopK, RequestsOverThreads) {
  const std::uint64_t seed = run_seed() + 2;
  std::printf("seed %llu (LANESORT_SEED is two less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(24) && !HasFailure(); ++i) {
    Request request = draw_request(random, 1000);
    request.count = 131072 + random.below(300000);
    request.k = draw_k(random, request.count);
    request.threads = 1 + static_cast<std::uint32_t>(random.below(4));
    run_request(request, random);
  }
}

TEST(TopK, EdgesOfSizeAndOfK) {
  Random random(11);
  for (const std::uint64_t count : {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 4095, 4096, 4097, 5249}) {
    for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, count / 16, count / 16 + 1, count / 2,
                                  count - 1, count, count + 1, UINT64_MAX}) {
      if (k == UINT64_MAX && count == 0) continue;  // count - 1 of 0 is the same
      for (const Pattern pattern : {Pattern::uniform, Pattern::equal, Pattern::sorted, Pattern::reversed}) {
        Request request;
        request.order.dtype = LANESORT_F32;
        request.pattern = pattern;
        request.count = count;
        request.k = k;
        run_request(request, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(TopK, ByAnExecutorOverThreads) {
  const std::uint64_t count = 140000;
  Random random(5);
  const auto keys = make_keys(random, Pattern::uniform, 4, count);
  const OrderSpec spec{LANESORT_F32, true};
  const auto order = sorted_indices(spec, keys);
  const auto run = [](void* calls, std::uint32_t tasks, void (*task)(void*, std::uint32_t), void* argument) {
    ++*static_cast<int*>(calls);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < tasks; ++i) threads.emplace_back(task, argument, i);
    for (std::thread& thread : threads) thread.join();
  };
  for (const std::uint64_t k : {std::uint64_t{100}, count / 3}) {
    int calls = 0;
    const lanesort_executor executor{sizeof executor, 4, &calls, run};
    std::vector<std::uint32_t> places(k);
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = spec.dtype;
    desc.order = LANESORT_DESCENDING;
    desc.count = count;
    desc.k = k;
    desc.value_bytes = 4;
    desc.keys_src = keys.data();
    desc.values_dst = places.data();
    desc.executor = &executor;
    ASSERT_EQ(lanesort_top_k(&desc), LANESORT_OK) << lanesort_last_error();
    EXPECT_GT(calls, 0) << "the executor was not asked";
    EXPECT_TRUE(std::equal(places.begin(), places.end(), order.begin())) << k;
  }
}

// Not a test of time, but of work: keys of which each is better than all before it end too.
TEST(TopK, FallingKeysOfEveryK) {
  const std::uint64_t count = 1 << 20;
  std::vector<std::uint32_t> keys(count), first(count);
  for (std::uint64_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>(2 * (count - i) + (i * 7919 >> 5 & 1));
  for (std::uint64_t k = 1; k < count; k = 4 * k + 1) {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = count;
    desc.k = k;
    desc.keys_src = keys.data();
    desc.keys_dst = first.data();
    desc.threads = 1;
    ASSERT_EQ(lanesort_top_k(&desc), LANESORT_OK) << lanesort_last_error();
    for (std::uint64_t i = 0; i < k; ++i) ASSERT_EQ(first[i], keys[count - 1 - i]) << k;
  }
}

TEST(TopK, ScratchIsWhatTheHeaderStates) {
  for (const std::uint64_t count : {std::uint64_t{1000}, std::uint64_t{100000}, std::uint64_t{100000000}, std::uint64_t{1} << 33}) {
    for (std::uint64_t k = 1; k <= count; k = k * 3 + 1) {
      for (const std::uint32_t value_bytes : {0u, 4u, 8u, 24u}) {
        lanesort_sort_desc desc = LANESORT_SORT_INIT;
        desc.dtype = LANESORT_F64;
        desc.count = count;
        desc.k = k;
        desc.value_bytes = value_bytes;
        std::uint64_t bytes = 0;
        ASSERT_EQ(lanesort_scratch_bytes(LANESORT_OP_TOP_K, &desc, nullptr, &bytes), LANESORT_OK) << lanesort_last_error();
        const std::uint64_t index_bytes = value_bytes == 0 ? 0 : value_bytes == 8 || count > std::uint64_t{1} << 32 ? 8 : 4;
        const std::uint64_t small = std::uint64_t{LANESORT_MAX_THREADS} * 4 * 32768, threads = LANESORT_MAX_THREADS;
        const std::uint64_t candidates = std::min(4 * k * threads, count / 8);
        const std::uint64_t kept = 4 * k < 3 * count ? k : count;
        EXPECT_LE(bytes, (kept + std::max(kept, candidates)) * (8 + index_bytes) + small) << count << " " << k << " " << value_bytes;
      }
    }
  }
}

class Refused : public ::testing::Test {
 protected:
  std::uint32_t keys_[4] = {3, 1, 2, 0}, out_[4] = {}, indices_[4] = {};
  lanesort_sort_desc desc_ = LANESORT_SORT_INIT;
  Refused() {
    desc_.count = 4;
    desc_.k = 2;
    desc_.value_bytes = 4;
    desc_.keys_src = keys_;
    desc_.keys_dst = out_;
    desc_.values_dst = indices_;
  }
  void expect_refused(lanesort_status status, const char* words) {
    EXPECT_EQ(lanesort_top_k(&desc_), status);
    EXPECT_NE(std::string(lanesort_last_error()).find(words), std::string::npos) << lanesort_last_error();
    EXPECT_EQ(out_[0] | out_[1] | indices_[0] | indices_[1], 0u) << "a refused call wrote";
    EXPECT_EQ(keys_[0], 3u);
  }
};

TEST_F(Refused, InPlace) {
  desc_.keys_dst = keys_ + 1;
  expect_refused(LANESORT_INVALID_ARGUMENT, "overlaps");
  desc_.keys_dst = keys_;
  expect_refused(LANESORT_INVALID_ARGUMENT, "overlaps");
}
TEST_F(Refused, ResultsOverEachOther) {
  desc_.values_dst = out_ + 1;
  expect_refused(LANESORT_INVALID_ARGUMENT, "overlaps");
  desc_.values_dst = keys_;
  expect_refused(LANESORT_INVALID_ARGUMENT, "overlaps");
}
TEST_F(Refused, NothingToWrite) {
  desc_.keys_dst = nullptr;
  desc_.value_bytes = 0;
  expect_refused(LANESORT_INVALID_ARGUMENT, "would write nothing");
}
TEST_F(Refused, NoPlaceForIndices) {
  desc_.values_dst = nullptr;
  expect_refused(LANESORT_INVALID_ARGUMENT, "values_dst is NULL");
}
TEST_F(Refused, IndicesOfAnOddWidth) {
  desc_.value_bytes = 2;
  expect_refused(LANESORT_INVALID_ARGUMENT, "indices of 4 or 8 bytes");
}
TEST_F(Refused, Segments) {
  const std::uint64_t begins[] = {0, 4};
  desc_.segment_begins = begins;
  desc_.segment_count = 1;
  expect_refused(LANESORT_UNSUPPORTED, "top_k does not know segments");
}
TEST_F(Refused, ByVerify) {
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  EXPECT_EQ(lanesort_verify(LANESORT_OP_TOP_K, &desc_, &verdict), LANESORT_UNSUPPORTED);
  EXPECT_NE(std::string(lanesort_last_error()).find("top_k"), std::string::npos);
}

}  // namespace
}  // namespace lanesort::test
