// Top-k on a device against the CPU engine, byte for byte; and its arithmetic, which needs none. Without a device the
// tests of the former are skipped in words.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cuda/fixture.hpp"
#include "kernels/cuda/top_k_params.hpp"
#include "lanesort/cuda.h"
#include "plan/cuda_top_k.hpp"

namespace lanesort::test {
namespace {

// ---- what needs no device ----

constexpr std::uint32_t kKeyWidths[] = {1, 2, 4, 8}, kValueWidths[] = {0, 1, 2, 4, 8, 16};

TEST(TopKPlan, StretchesOfScratchStandApartAndHoldWhatTheyShould) {
  for (std::uint32_t key_bytes : kKeyWidths) {
    for (std::uint32_t value_bytes : kValueWidths) {
      for (std::uint64_t count = 1; count < std::uint64_t{1} << 34; count += 1 + count / 3) {
        for (std::uint64_t k = 1; k < 2 * count; k += 1 + k) {
          const plan::CudaTopKPlan plan = plan::plan_cuda_top_k({key_bytes, value_bytes, count, k}, {});
          ASSERT_EQ(plan.kept, std::min(k, count));
          if (plan.way == plan::CudaTopKWay::rows) continue;
          const plan::CudaTopKScratch& at = plan.scratch;
          if (plan.way == plan::CudaTopKWay::selects) {
            ASSERT_GE(plan.room, plan.kept);
            ASSERT_LE(plan.room, tune::kTopMostRoom);
            ASSERT_LE(4 * plan.room, 3 * count + 4) << count << " k " << k;
            ASSERT_GE(plan.clear_bytes, sizeof(kernels::TopControl));
            ASSERT_GE(at.block_sides, plan.clear_bytes);
            ASSERT_GE(plan.tiles * tune::top_tile(key_bytes), count);
            ASSERT_GE(at.keys, at.block_sides + plan.tiles * 8);
            ASSERT_GE(at.indices, at.keys + plan.room * key_bytes);
            ASSERT_GE(at.sort, at.indices + plan.room * plan.index_bytes);
          } else {
            ASSERT_GE(at.sort, at.indices + count * plan.index_bytes);
          }
          ASSERT_GE(at.bytes, at.sort + plan.sort_bytes + 255);
          ASSERT_TRUE(plan.index_bytes == (value_bytes == 0                                     ? 0u
                                           : value_bytes == 8 || count > std::uint64_t{1} << 32 ? 8u
                                                                                                : 4u));
        }
      }
    }
  }
}

TEST(TopKPlan, FewAreSelectedInLittleScratch) {
  constexpr std::uint64_t n = std::uint64_t{1} << 28;
  for (std::uint64_t k : {1u, 10u, 512u, 1000u, 100000u}) {
    const plan::CudaTopKPlan plan = plan::plan_cuda_top_k({4, 4, n, k}, {});
    EXPECT_EQ(plan.way, plan::CudaTopKWay::selects);
    EXPECT_EQ(plan.row_finish, k <= 512);
    EXPECT_LE(plan.scratch.bytes, 6 * k * 16 + (8u << 20)) << k;
  }
  EXPECT_EQ(plan::plan_cuda_top_k({4, 4, n, n}, {}).way, plan::CudaTopKWay::sorts);
  EXPECT_EQ(plan::plan_cuda_top_k({4, 4, n, n / 2}, {}).way, plan::CudaTopKWay::selects);
  EXPECT_EQ(plan::plan_cuda_top_k({4, 4, 10000, 32, 10000}, {}).way, plan::CudaTopKWay::rows);
  EXPECT_EQ(plan::plan_cuda_top_k({4, 4, 1000000, 32, 100}, {}).way, plan::CudaTopKWay::rows);
  EXPECT_EQ(plan::plan_cuda_top_k({4, 4, 1000000, 32, 1}, {}).way, plan::CudaTopKWay::selects);
  EXPECT_EQ(plan::plan_cuda_top_k({4, 4, 0, 32}, {}).way, plan::CudaTopKWay::nothing);
  EXPECT_EQ(plan::plan_cuda_top_k({4, 4, n, 0}, {}).way, plan::CudaTopKWay::nothing);
}

// The margins hold for keys in any order: of ranks 0 to n-1, one from each stretch of a shuffled array.
TEST(TopKPlan, TheSampleHardlyEverMisses) {
  Random random = seeded();
  int misses = 0, trials = 0;
  for (std::uint64_t n : {40000u, 300000u, 1000000u}) {
    const std::uint32_t bits = tune::top_sample_bits(n);
    std::vector<std::uint32_t> ranks(n), sample(std::size_t{1} << bits);
    for (std::uint64_t i = 0; i < n; ++i) ranks[i] = static_cast<std::uint32_t>(i);
    for (int trial = 0; trial < 10; ++trial) {
      for (std::uint64_t i = n - 1; i != 0; --i) std::swap(ranks[i], ranks[random.below(i + 1)]);
      for (std::uint64_t i = 0; i < sample.size(); ++i) {
        const std::uint64_t begin = i * n >> bits, end = (i + 1) * n >> bits;
        sample[i] = ranks[begin + random.below(end - begin)];
      }
      std::sort(sample.begin(), sample.end());
      for (std::uint64_t k : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{1000}, n / 10, n / 2}) {
        const std::uint64_t rank = tune::top_sample_rank(k, n, bits);
        ASSERT_LE(rank, sample.size());
        const std::uint64_t below = sample[rank - 1];
        ++trials;
        misses += below + 1 < k || below > tune::top_most_below(rank, n, bits);
      }
    }
  }
  EXPECT_EQ(misses, 0) << "of " << trials;
}

// ---- on the device ----

class TopK : public OnCuda {};

struct Case {
  lanesort_dtype dtype = LANESORT_F32;
  std::uint32_t value_bytes = 4;
  lanesort_order order = LANESORT_ASCENDING;
  lanesort_float_order float_order = LANESORT_FLOAT_NUMERIC;
  std::uint32_t bit_begin = 0, bit_end = LANESORT_ALL_BITS;
  bool wants_keys = true, own_values = false, batched = false;
  std::uint64_t rows = 1, count = 0, k = 0;
  std::uint64_t bound = 0;  // not 0: the count stands on the device
  Pattern pattern = Pattern::uniform;

  std::string words() const {
    return std::string("top_k ") + lanesort_dtype_name(dtype) + "+" + std::to_string(value_bytes) +
           (order ? " descending" : "") + " float order " + std::to_string(float_order) + " bits " +
           std::to_string(bit_begin) + ".." + std::to_string(bit_end) + (wants_keys ? "" : " no keys") +
           (own_values ? " own values" : "") + " rows " + std::to_string(rows) + " n " + std::to_string(count) +
           " bound " + std::to_string(bound) + " k " + std::to_string(k) + " " + pattern_name(pattern);
  }
};

lanesort_sort_desc descriptor(const Case& c) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = c.dtype;
  desc.order = c.order;
  desc.float_order = c.float_order;
  desc.bit_begin = c.bit_begin;
  desc.bit_end = c.bit_end;
  desc.value_bytes = c.value_bytes;
  desc.k = c.k;
  return desc;
}

// What is on the device while one case runs, and the bytes that must come out.
struct Bench {
  Case c;
  std::uint32_t key_bytes;
  std::uint64_t bound, room;  // items of a row, results of a row
  Bytes keys, values, want_keys, want_values;
  DeviceBuffer keys_src, keys_dst, values_src, values_dst, count;
  std::unique_ptr<DeviceBuffer> scratch;
  lanesort_sort_desc desc;

  Bench(const Case& of, Bytes with_keys, Random& random, std::size_t offset, const plan::CudaLimits& limits)
      : c(of),
        key_bytes(lanesort_dtype_bytes(of.dtype)),
        bound(of.bound != 0 ? of.bound : of.count),
        room(std::min(of.k, bound)),
        keys(std::move(with_keys)),
        values(random_values(random, of.own_values ? of.rows * bound : 0, of.value_bytes)),
        keys_src(keys, offset * key_bytes),
        keys_dst(of.rows * room * key_bytes, offset * key_bytes),
        values_src(values, offset * of.value_bytes),
        values_dst(of.rows * room * of.value_bytes, offset * of.value_bytes),
        count(8) {
    expect();
    desc = descriptor(c);
    desc.count = bound;
    desc.keys_src = keys_src.data();
    desc.keys_dst = c.wants_keys ? keys_dst.data() : nullptr;
    desc.values_src = c.own_values ? values_src.data() : nullptr;
    desc.values_dst = c.value_bytes != 0 ? values_dst.data() : nullptr;
    if (c.bound != 0) LANESORT_MUST(cuMemcpyHtoD_v2(count.address(), &c.count, 8));
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    capabilities.backend = LANESORT_BACKEND_CUDA;
    std::uint64_t bytes = 0;
    EXPECT_EQ(lanesort_scratch_bytes(LANESORT_OP_TOP_K, &desc, &capabilities, &bytes), LANESORT_OK)
        << lanesort_last_error();
    const std::uint64_t planned =
        plan::plan_cuda_top_k({key_bytes, c.value_bytes, bound, c.k, c.rows}, limits).scratch.bytes;
    const plan::CudaLimits tuned;
    if (limits.top_rows_up_to == tuned.top_rows_up_to && limits.top_room == tuned.top_room &&
        limits.top_sample_bits == tuned.top_sample_bits && c.rows < tune::kTopManyRows) {
      EXPECT_EQ(bytes, planned);
    }
    scratch = std::make_unique<DeviceBuffer>(planned, 3);
    scratch->fill(0xCD);
    desc.scratch = scratch->data();
    desc.scratch_bytes = planned;
  }

  // Each row by the CPU engine; what lies past the results stays as it was.
  void expect() {
    const std::uint64_t n = std::min(c.count, bound);
    want_keys = Bytes(c.rows * room * key_bytes, DeviceBuffer::kCanary);
    want_values = Bytes(c.rows * room * c.value_bytes, DeviceBuffer::kCanary);
    lanesort_sort_desc d = descriptor(c);
    d.count = n;
    d.threads = 1;
    for (std::uint64_t r = 0; r < c.rows; ++r) {
      d.keys_src = keys.data() + r * bound * key_bytes;
      d.keys_dst = c.wants_keys ? want_keys.data() + r * room * key_bytes : nullptr;
      d.values_src = c.own_values ? values.data() + r * bound * c.value_bytes : nullptr;
      d.values_dst = c.value_bytes != 0 ? want_values.data() + r * room * c.value_bytes : nullptr;
      ASSERT_EQ(lanesort_top_k(&d), LANESORT_OK) << lanesort_last_error();
    }
  }

  const std::uint64_t* device_count() const {
    return c.bound != 0 ? reinterpret_cast<const std::uint64_t*>(count.data()) : nullptr;
  }

  lanesort_status record(const lanesort_cuda* handle, CUstream_st* stream) const {
    return c.batched ? lanesort_cuda_top_k_rows(handle, stream, &desc, c.rows, device_count())
                     : lanesort_cuda_top_k(handle, stream, &desc, device_count());
  }

  void judge() const {
    if (c.wants_keys) {
      const Bytes got = keys_dst.get();
      EXPECT_TRUE(got == want_keys) << c.words() << " keys" << first_difference(got, want_keys, key_bytes);
    }
    if (c.value_bytes != 0) {
      const Bytes got = values_dst.get();
      EXPECT_TRUE(got == want_values) << c.words() << " values" << first_difference(got, want_values, c.value_bytes);
    }
    EXPECT_TRUE(keys_src.get() == keys) << c.words() << ": the source changed";
    const DeviceBuffer* const buffers[] = {&keys_src, &keys_dst, &values_src, &values_dst, &count, scratch.get()};
    for (const DeviceBuffer* buffer : buffers)
      EXPECT_TRUE(buffer->canaries_stand()) << c.words() << ": written outside a buffer";
  }
};

void run_with_keys(const lanesort_cuda* handle, CUstream_st* stream, const Case& c, Bytes keys, Random& random,
                   std::size_t offset = 0) {
  const Bench bench(c, std::move(keys), random, offset, handle->limits);
  ASSERT_EQ(bench.record(handle, stream), LANESORT_OK) << c.words() << ": " << lanesort_last_error();
  ASSERT_EQ(Cuda::get().cuStreamSynchronize(stream), 0) << c.words();
  bench.judge();
}

void run_case(const lanesort_cuda* handle, CUstream_st* stream, const Case& c, Random& random, std::size_t offset = 0) {
  const std::uint64_t bound = c.bound != 0 ? c.bound : c.count;
  run_with_keys(handle, stream, c, make_keys(random, c.pattern, lanesort_dtype_bytes(c.dtype), c.rows * bound), random,
                offset);
}

// What a k can be near.
std::uint64_t draw_k(Random& random, std::uint64_t n) {
  switch (random.below(6)) {
    case 0:
      return random.below(4);
    case 1:
      return n - std::min(n, random.below(3));
    case 2:
      return n + random.below(3);
    case 3:
      return random.below(n + 1);
    case 4:
      return (std::uint64_t{1} << random.below(18)) + random.below(3) - 1;
    default:
      return random.below(n / 50 + 2);
  }
}

Case random_case(Random& random, std::uint64_t most) {
  Case c;
  c.dtype = kDtypes[random.below(13)];
  c.order = static_cast<lanesort_order>(random.below(2));
  c.float_order = static_cast<lanesort_float_order>(random.below(3));
  c.own_values = random.chance(2);
  c.value_bytes = c.own_values ? 1u << random.below(5) : random.chance(3) ? 0 : 4u << random.below(2);
  c.wants_keys = c.value_bytes == 0 || !random.chance(4);
  const std::uint32_t bits = 8 * lanesort_dtype_bytes(c.dtype);
  if (random.chance(4)) {
    c.bit_begin = static_cast<std::uint32_t>(random.below(bits + 1));
    c.bit_end = c.bit_begin + static_cast<std::uint32_t>(random.below(bits - c.bit_begin + 1));
  }
  c.count = random.below(most);
  if (random.chance(4)) c.bound = 1 + random.below(most);
  c.k = draw_k(random, c.count);
  c.pattern = kPatterns[random.below(10)];
  return c;
}

TEST_F(TopK, Smoke) {
  Random random = seeded();
  for (std::uint64_t n : {0, 1, 2, 100, 1000, 32768, 32769, 100000, 1000003}) {
    for (std::uint64_t k : {0, 1, 2, 10, 100, 1000, 10000}) {
      Case c;
      c.count = n;
      c.k = k;
      run_case(handle_, stream_, c, random);
      if (HasFailure()) return;
    }
  }
}

TEST_F(TopK, EveryDtypeOrderAndPattern) {
  Random random = seeded();
  for (lanesort_dtype dtype : kDtypes) {
    for (Pattern pattern : kPatterns) {
      for (int order = 0; order < 6; ++order) {
        Case c = random_case(random, random.chance(2) ? 5000 : 150000);
        c.dtype = dtype;
        c.pattern = pattern;
        c.bit_begin = 0;
        c.bit_end = LANESORT_ALL_BITS;
        c.order = static_cast<lanesort_order>(order % 2);
        c.float_order = static_cast<lanesort_float_order>(order / 2);
        run_case(handle_, stream_, c, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(TopK, AroundPowers) {
  Random random = seeded();
  for (std::uint64_t n : {20000u, 32768u, 65536u, 200000u}) {
    for (std::uint64_t centre : {256u, 512u, 1024u, 4096u, 16384u, 32768u}) {
      for (int delta = -1; delta <= 1; ++delta) {
        Case c;
        c.dtype = random.chance(2) ? LANESORT_F32 : LANESORT_U64;
        c.count = n;
        c.k = centre + static_cast<std::uint64_t>(delta);
        run_case(handle_, stream_, c, random);
        if (HasFailure()) return;
      }
    }
  }
  for (std::uint64_t tile : {8192u, 16384u, 65536u}) {
    for (int delta = -1; delta <= 1; ++delta) {
      Case c;
      handle_->limits.top_rows_up_to = 0;
      c.dtype = tile == 65536 ? LANESORT_U16 : tile == 16384 ? LANESORT_F32 : LANESORT_I64;
      c.count = 4 * tile + static_cast<std::uint64_t>(delta);
      c.k = 3000;
      run_case(handle_, stream_, c, random);
      if (HasFailure()) return;
    }
  }
}

TEST_F(TopK, RandomRequests) {
  Random random = seeded();
  for (int i = 0; i < 800; ++i) {
    run_case(handle_, stream_, random_case(random, random.chance(3) ? 400000 : 40000), random,
             random.chance(2) ? random.below(5) : 0);
    if (HasFailure()) return;
  }
}

// Samples that mislead, room that does not suffice, few blocks: the second launches with little data.
TEST_F(TopK, RandomRequestsWithLimitsShrunk) {
  Random random = seeded();
  for (int i = 0; i < 800; ++i) {
    handle_->limits = {};
    handle_->limits.top_rows_up_to = random.chance(2) ? 0 : 3000;
    handle_->limits.top_sample_bits = 1 + static_cast<std::uint32_t>(random.below(12));
    if (!random.chance(4)) handle_->limits.top_room = random.below(3000);
    if (random.chance(2)) handle_->limits.most_blocks = 1 + static_cast<std::uint32_t>(random.below(5));
    if (random.chance(4)) handle_->limits.hold_every = 1 + static_cast<std::uint32_t>(random.below(5));
    run_case(handle_, stream_, random_case(random, random.chance(3) ? 400000 : 40000), random,
             random.chance(2) ? random.below(5) : 0);
    if (HasFailure()) return;
  }
}

// Ties at the threshold, among keys in every mixture of few values; NaN and zeros of both signs.
TEST_F(TopK, HeavyTies) {
  Random random = seeded();
  constexpr std::uint32_t kFloats[] = {0,           0x80000000u, 0x7fc00000u, 0xffc00001u,
                                       0x7f800000u, 0xff800000u, 1,           0x80000001u};
  for (std::uint64_t n : {5000u, 30000u, 70000u, 500000u}) {
    for (unsigned values : {1u, 2u, 3u, 8u}) {
      for (int order = 0; order < 6; ++order) {
        for (std::uint64_t k : {std::uint64_t{1}, std::uint64_t{300}, std::uint64_t{900}, n / 5, n / 2, n - 1}) {
          Case c;
          c.order = static_cast<lanesort_order>(order % 2);
          c.float_order = static_cast<lanesort_float_order>(order / 2);
          c.count = n;
          c.k = k;
          const std::uint64_t turn = random.below(8);
          Bytes keys(n * 4);
          for (std::uint64_t i = 0; i < n; ++i)
            std::memcpy(&keys[i * 4], &kFloats[(turn + random.below(values)) % 8], 4);
          run_with_keys(handle_, stream_, c, keys, random);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// As many candidates side by side as a warp may stage, one more, one fewer, and far more; with ties and without. No room
// for what a sample's threshold keeps, so that the exact one keeps these and no others.
TEST_F(TopK, CandidatesSideBySide) {
  Random random = seeded();
  handle_->limits.top_rows_up_to = 0;
  handle_->limits.top_room = 1;
  for (std::uint64_t clump : {tune::kTopStaged - 1, tune::kTopStaged, tune::kTopStaged + 1, 3 * tune::kTopStaged}) {
    for (std::uint32_t values : {1u, 2u, 1u << 20}) {
      for (std::uint64_t k : {clump / 2, clump - 1, clump, clump + 1, 2 * clump}) {
        for (std::uint32_t blocks : {1u, 2u, UINT32_MAX}) {
          handle_->limits.most_blocks = blocks;
          Case c;
          c.dtype = LANESORT_U32;
          c.count = 40000 + random.below(40000);
          c.k = k;
          Bytes keys(c.count * 4);
          const std::uint64_t first = random.below(c.count - clump);
          for (std::uint64_t i = 0; i < c.count; ++i) {
            const bool inside = i - first < clump;
            const auto key = static_cast<std::uint32_t>(random.below(values) + (inside ? 0 : 1u << 21));
            std::memcpy(&keys[i * 4], &key, 4);
          }
          run_with_keys(handle_, stream_, c, keys, random);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(TopK, LargeOfEveryPattern) {
  Random random = seeded();
  for (Pattern pattern : kPatterns) {
    for (std::uint64_t k : {10u, 1000u, 100000u, 1500000u}) {
      for (lanesort_dtype dtype : {LANESORT_F32, LANESORT_U64, LANESORT_U16}) {
        Case c;
        c.dtype = dtype;
        c.order = static_cast<lanesort_order>(random.below(2));
        c.value_bytes = random.chance(3) ? 0 : 4;
        c.pattern = pattern;
        c.count = 3000000 + random.below(3000000);
        c.k = k;
        run_case(handle_, stream_, c, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(TopK, CountsOnTheDevice) {
  Random random = seeded();
  for (std::uint64_t bound : {1000, 100000, 2000000}) {
    for (std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{1}, bound / 2, bound - 1, bound, bound + 1, ~std::uint64_t{0}}) {
      for (std::uint64_t k : {std::uint64_t{1}, std::uint64_t{100}, bound / 3, bound}) {
        Case c;
        c.count = count;
        c.bound = bound;
        c.k = k;
        c.own_values = random.chance(2);
        run_case(handle_, stream_, c, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(TopK, Rows) {
  Random random = seeded();
  for (int i = 0; i < 300; ++i) {
    Case c = random_case(random, random.chance(4) ? 20000 : 2000);
    c.batched = true;
    c.rows = random.chance(4) ? random.below(3) : 1 + random.below(random.chance(3) ? 300 : 20);
    if (c.k > 1024 && c.rows > 20) c.rows = 20;
    handle_->limits = {};
    if (random.chance(4)) handle_->limits.top_rows_up_to = 500;
    run_case(handle_, stream_, c, random, random.chance(2) ? random.below(5) : 0);
    if (HasFailure()) return;
  }
  Case c;
  c.batched = true;
  c.rows = 40;
  c.count = 100003;
  for (std::uint64_t k : {1u, 32u, 512u, 513u, 1024u}) {
    for (Pattern pattern : kPatterns) {
      c.k = k;
      c.pattern = pattern;
      run_case(handle_, stream_, c, random);
      if (HasFailure()) return;
    }
  }
}

TEST_F(TopK, CaptureAndReplay) {
  Random random = seeded();
  for (std::uint64_t k : {10u, 3000u, 90000u}) {
    for (bool shrunk : {false, true}) {
      handle_->limits = {};
      if (shrunk) handle_->limits.top_room = handle_->limits.top_sample_bits = 1;
      Case c;
      c.count = c.bound = 100000;
      c.k = k;
      Bench bench(c, make_keys(random, Pattern::uniform, 4, c.bound), random, 0, handle_->limits);
      Cuda& cu = Cuda::get();
      LANESORT_MUST(cuStreamBeginCapture_v2(stream_, 0));
      ASSERT_EQ(bench.record(handle_, stream_), LANESORT_OK) << lanesort_last_error();
      GraphOf* graph = nullptr;
      ExecOf* exec = nullptr;
      LANESORT_MUST(cuStreamEndCapture(stream_, &graph));
      LANESORT_MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
      for (int replay = 0; replay < 8; ++replay) {
        bench.c.count = replay == 0 ? c.bound : random.below(c.bound + 1);
        bench.c.pattern = kPatterns[random.below(10)];
        bench.keys = make_keys(random, bench.c.pattern, 4, c.bound);
        bench.keys_src.put(bench.keys);
        bench.keys_dst.fill(DeviceBuffer::kCanary);
        bench.values_dst.fill(DeviceBuffer::kCanary);
        LANESORT_MUST(cuMemcpyHtoD_v2(bench.count.address(), &bench.c.count, 8));
        bench.expect();
        LANESORT_MUST(cuGraphLaunch(exec, stream_));
        LANESORT_MUST(cuStreamSynchronize(stream_));
        bench.judge();
        if (HasFailure()) return;
      }
      cu.cuGraphExecDestroy(exec);
      cu.cuGraphDestroy(graph);
    }
  }
}

TEST_F(TopK, ThousandRepeatsOnDirtyScratch) {
  Random random = seeded();
  for (std::uint64_t k : {10u, 3000u}) {
    Case c;
    c.count = 1000000;
    c.k = k;
    Bench bench(c, make_keys(random, Pattern::uniform, 4, c.count), random, 0, handle_->limits);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(bench.record(handle_, stream_), LANESORT_OK) << lanesort_last_error();
      if (i % 100 == 99) {
        LANESORT_MUST(cuStreamSynchronize(stream_));
        bench.judge();
        if (HasFailure()) return;
        bench.keys_dst.fill(0);
        bench.values_dst.fill(0);
      }
    }
  }
}

TEST_F(TopK, HostMemory) {
  Random random = seeded();
  for (int i = 0; i < 40; ++i) {
    Case c = random_case(random, i < 30 ? 20000 : 300000);
    c.bound = 0;
    const std::uint32_t key_bytes = lanesort_dtype_bytes(c.dtype);
    const std::uint64_t kept = std::min(c.k, c.count);
    const Bytes keys = make_keys(random, c.pattern, key_bytes, c.count),
                values = random_values(random, c.own_values ? c.count : 0, c.value_bytes);
    Bytes got_keys(kept * key_bytes), want_keys = got_keys, got_values(kept * c.value_bytes), want_values = got_values;
    lanesort_sort_desc desc = descriptor(c);
    desc.count = c.count;
    desc.keys_src = keys.data();
    desc.values_src = c.own_values ? values.data() : nullptr;
    const auto into = [&](Bytes& first_keys, Bytes& first_values) {
      desc.keys_dst = c.wants_keys ? first_keys.data() : nullptr;
      desc.values_dst = c.value_bytes != 0 ? first_values.data() : nullptr;
    };
    into(want_keys, want_values);
    ASSERT_EQ(lanesort_top_k(&desc), LANESORT_OK) << lanesort_last_error();
    into(got_keys, got_values);
    ASSERT_EQ(lanesort_cuda_run(handle_, LANESORT_OP_TOP_K, &desc, 0, nullptr), LANESORT_OK)
        << c.words() << ": " << lanesort_last_error();
    EXPECT_TRUE(got_keys == want_keys && got_values == want_values) << c.words();
    if (HasFailure()) return;
  }
}

// A short list for compute-sanitizer.
TEST_F(TopK, Sanitized) {
  Random random = seeded();
  for (int i = 0; i < 24; ++i) {
    handle_->limits = {};
    handle_->limits.top_rows_up_to = i % 2 == 0 ? 0 : UINT64_MAX;
    handle_->limits.top_sample_bits = i % 4 == 0 ? 3 : 0;
    Case c = random_case(random, 20000);
    if (i % 3 == 0) {
      c.batched = true;
      c.rows = 3;
    }
    run_case(handle_, stream_, c, random);
    if (HasFailure()) return;
  }
}

TEST_F(TopK, RefusalsInWords) {
  Random random = seeded();
  Case c;
  c.count = 100000;
  c.k = 5000;
  Bench bench(c, make_keys(random, Pattern::uniform, 4, c.count), random, 0, handle_->limits);
  const auto refused = [&](const lanesort_sort_desc& bad, lanesort_status status, const char* words,
                           std::uint64_t rows = 1) {
    EXPECT_EQ(rows == 1 ? lanesort_cuda_top_k(handle_, stream_, &bad, nullptr)
                        : lanesort_cuda_top_k_rows(handle_, stream_, &bad, rows, nullptr),
              status);
    EXPECT_NE(std::string(lanesort_last_error()).find(words), std::string::npos) << lanesort_last_error();
  };
  lanesort_sort_desc bad = bench.desc;
  bad.scratch_bytes -= 1;
  refused(bad, LANESORT_SCRATCH_TOO_SMALL, std::to_string(bench.desc.scratch_bytes).c_str());
  bad = bench.desc;
  bad.values_dst = static_cast<char*>(bench.desc.values_dst) + 2;
  refused(bad, LANESORT_INVALID_ARGUMENT, "aligned");
  bad = bench.desc;
  bad.keys_dst = bench.keys_src.data();
  refused(bad, LANESORT_INVALID_ARGUMENT, "overlaps");
  bad = bench.desc;
  bad.keys_src = bench.desc.keys_dst;
  bad.keys_dst = static_cast<char*>(bench.desc.keys_dst) + 4 * 100000;
  refused(bad, LANESORT_INVALID_ARGUMENT, "overlaps", 2);
  refused(bench.desc, LANESORT_INVALID_ARGUMENT, "memory holds", std::uint64_t{1} << 60);
  bad = bench.desc;
  bad.values_src = bench.keys_src.data();
  bad.value_bytes = 3;
  refused(bad, LANESORT_UNSUPPORTED, "3 bytes");
  EXPECT_EQ(lanesort_cuda_top_k(nullptr, stream_, &bench.desc, nullptr), LANESORT_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace lanesort::test
