// The CUDA engine against the CPU engine, byte for byte. Needs a device; without one every test is skipped in words.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "cuda/fixture.hpp"
#include "kernels/cuda/params.hpp"
#include "lanesort/cuda.h"
#include "tune/cuda_shapes.hpp"

namespace lanesort::test {
namespace {

struct HandleDeleter {
  void operator()(lanesort_cuda* handle) const { lanesort_cuda_destroy(handle); }
};
using HandlePointer = std::unique_ptr<lanesort_cuda, HandleDeleter>;

HandlePointer make_handle() {
  lanesort_cuda* handle = nullptr;
  if (lanesort_cuda_create(nullptr, &handle) != LANESORT_OK) ADD_FAILURE() << lanesort_last_error();
  return HandlePointer(handle);
}

class Device : public OnCuda {
 protected:
  // Blocks that take several tiles, and fewer of them than there are tiles, as they come with many items only.
  static void draw_limits(Random& random) {
    handle_->limits.rounds = 1 + static_cast<std::uint32_t>(random.below(4));
    handle_->limits.most_blocks = 2 + static_cast<std::uint32_t>(random.below(4));
  }
};

// One request, with what is particular about it.
struct Case {
  lanesort_operation op = LANESORT_OP_SORT;
  lanesort_dtype dtype = LANESORT_U32;
  std::uint32_t value_bytes = 0;
  lanesort_order order = LANESORT_ASCENDING;
  lanesort_float_order float_order = LANESORT_FLOAT_NUMERIC;
  std::uint32_t bit_begin = 0, bit_end = LANESORT_ALL_BITS;
  bool keys_in_place = true, values_in_place = true, own_indices = false;
  std::uint64_t count = 0;  // on the device, or
  std::uint64_t bound = 0;  // with a bound the count stands on the device
  Pattern pattern = Pattern::uniform;

  std::string words() const {
    return std::string(op == LANESORT_OP_SORT         ? "sort "
                       : op == LANESORT_OP_SORT_PAIRS ? "pairs "
                                                      : "argsort ") +
           lanesort_dtype_name(dtype) + "+" + std::to_string(value_bytes) + (order ? " descending" : "") +
           " float order " + std::to_string(float_order) + " bits " + std::to_string(bit_begin) + ".." +
           std::to_string(bit_end) + (keys_in_place ? " in place" : " src dst") +
           (values_in_place ? "" : " values src dst") + (own_indices ? " own indices" : "") + " n " +
           std::to_string(count) + " bound " + std::to_string(bound) + " " + pattern_name(pattern);
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
  desc.count = c.count;
  return desc;
}

lanesort_status record(const lanesort_cuda* handle, CUstream_st* stream, lanesort_operation op,
                       const lanesort_sort_desc& desc, const std::uint64_t* count) {
  switch (op) {
    case LANESORT_OP_SORT:
      return lanesort_cuda_sort(handle, stream, &desc, count);
    case LANESORT_OP_SORT_PAIRS:
      return lanesort_cuda_sort_pairs(handle, stream, &desc, count);
    default:
      return lanesort_cuda_argsort(handle, stream, &desc, count);
  }
}

lanesort_status on_cpu(lanesort_operation op, const lanesort_sort_desc& desc) {
  switch (op) {
    case LANESORT_OP_SORT:
      return lanesort_sort(&desc);
    case LANESORT_OP_SORT_PAIRS:
      return lanesort_sort_pairs(&desc);
    default:
      return lanesort_argsort(&desc);
  }
}

Bytes make_values(std::uint64_t count, std::uint32_t bytes) {
  Bytes values(count * bytes);
  for (std::uint64_t i = 0; i < count; ++i) std::memcpy(values.data() + i * bytes, &i, std::min(bytes, 8u));
  return values;
}

// What is on the device while one case runs, and the bytes that must come out.
struct Bench {
  Case c;
  plan::CudaLimits limits;
  std::uint32_t key_bytes;
  std::uint64_t bound;
  Bytes keys, values, want_keys, want_values;
  DeviceBuffer keys_src, keys_dst, values_src, values_dst, count;
  std::unique_ptr<DeviceBuffer> scratch;
  lanesort_sort_desc desc;

  Bench(const Case& of, Random& random, std::size_t offset = 0, const plan::CudaLimits& shrunk = {})
      : c(of),
        limits(shrunk),
        key_bytes(lanesort_dtype_bytes(of.dtype)),
        bound(of.bound != 0 ? of.bound : of.count),
        keys(make_keys(random, of.pattern, key_bytes, bound)),
        values(make_values(bound, of.value_bytes)),
        keys_src(keys, offset * key_bytes),
        keys_dst(keys.size(), offset * key_bytes),
        values_src(values, offset * of.value_bytes),
        values_dst(values.size(), offset * of.value_bytes),
        count(8) {
    expect();
    describe();
  }

  bool argsort() const { return c.op == LANESORT_OP_ARGSORT; }
  std::uint64_t sorted_count() const { return std::min(c.count, bound); }

  // The CPU engine sorts the first items; those past the count stay as the destination had them.
  void expect() {
    const std::uint64_t n = sorted_count();
    want_keys = c.keys_in_place ? keys : Bytes(keys.size(), DeviceBuffer::kCanary);
    want_values = c.values_in_place && !argsort() ? values : Bytes(values.size(), DeviceBuffer::kCanary);
    lanesort_sort_desc d = descriptor(c);
    d.count = n;
    d.keys_src = keys.data();
    d.keys_dst = argsort() ? nullptr : want_keys.data();
    if (c.op == LANESORT_OP_SORT_PAIRS || (argsort() && c.own_indices)) d.values_src = values.data();
    if (c.op != LANESORT_OP_SORT) d.values_dst = want_values.data();
    // In place for the CPU too where it is so for us.
    if (d.keys_dst != nullptr && c.keys_in_place) d.keys_src = want_keys.data();
    if (c.op == LANESORT_OP_SORT_PAIRS && c.values_in_place) d.values_src = want_values.data();
    EXPECT_EQ(on_cpu(c.op, d), LANESORT_OK) << lanesort_last_error();
  }

  void describe() {
    desc = descriptor(c);
    desc.count = bound;
    desc.keys_src = keys_src.data();
    desc.keys_dst = argsort() ? nullptr : c.keys_in_place ? keys_src.data() : keys_dst.data();
    if (c.op == LANESORT_OP_SORT_PAIRS || (argsort() && c.own_indices)) desc.values_src = values_src.data();
    if (c.op != LANESORT_OP_SORT)
      desc.values_dst = c.values_in_place && !argsort() ? values_src.data() : values_dst.data();
    if (c.bound != 0) LANESORT_MUST(cuMemcpyHtoD_v2(count.address(), &c.count, 8));
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    capabilities.backend = LANESORT_BACKEND_CUDA;
    std::uint64_t bytes = 0;
    EXPECT_EQ(lanesort_scratch_bytes(c.op, &desc, &capabilities, &bytes), LANESORT_OK) << lanesort_last_error();
    // With the limits shrunk, the public number does not hold; the plan's does.
    if (bound != 0 && (limits.small == 0 || limits.buckets_from != UINT64_MAX))
      bytes = plan::plan_cuda_sort({key_bytes, c.value_bytes, argsort(), bound}, limits).scratch.bytes;
    scratch = std::make_unique<DeviceBuffer>(bytes, 3);
    scratch->fill(0xCD);
    desc.scratch = scratch->data();
    desc.scratch_bytes = bytes;
  }

  const std::uint64_t* device_count() const {
    return c.bound != 0 ? reinterpret_cast<const std::uint64_t*>(count.data()) : nullptr;
  }

  void judge() const {
    if (!argsort()) {
      const Bytes got = (c.keys_in_place ? keys_src : keys_dst).get();
      EXPECT_TRUE(got == want_keys) << c.words() << " keys" << first_difference(got, want_keys, key_bytes);
    }
    if (c.op != LANESORT_OP_SORT) {
      const Bytes got = (c.values_in_place && !argsort() ? values_src : values_dst).get();
      EXPECT_TRUE(got == want_values) << c.words() << " values" << first_difference(got, want_values, c.value_bytes);
    }
    if (argsort() || !c.keys_in_place) { EXPECT_TRUE(keys_src.get() == keys) << c.words() << ": the source changed"; }
    const DeviceBuffer* const buffers[] = {&keys_src, &keys_dst, &values_src, &values_dst, &count, scratch.get()};
    for (const DeviceBuffer* buffer : buffers)
      EXPECT_TRUE(buffer->canaries_stand()) << c.words() << ": written outside a buffer";
  }
};

void run_case(const lanesort_cuda* handle, CUstream_st* stream, const Case& c, Random& random, std::size_t offset = 0) {
  Bench bench(c, random, offset, handle->limits);
  ASSERT_EQ(record(handle, stream, c.op, bench.desc, bench.device_count()), LANESORT_OK)
      << c.words() << ": " << lanesort_last_error();
  ASSERT_EQ(Cuda::get().cuStreamSynchronize(stream), 0) << c.words();
  bench.judge();
}

Case random_case(Random& random, std::uint64_t most) {
  Case c;
  c.op = static_cast<lanesort_operation>(random.below(3));
  c.dtype = kDtypes[random.below(13)];
  c.value_bytes = c.op == LANESORT_OP_SORT      ? 0
                  : c.op == LANESORT_OP_ARGSORT ? 4u << random.below(2)
                                                : 1u << random.below(5);
  c.order = static_cast<lanesort_order>(random.below(2));
  c.float_order = static_cast<lanesort_float_order>(random.below(3));
  const std::uint32_t bits = 8 * lanesort_dtype_bytes(c.dtype);
  if (random.chance(4)) {
    c.bit_begin = static_cast<std::uint32_t>(random.below(bits + 1));
    c.bit_end = c.bit_begin + static_cast<std::uint32_t>(random.below(bits - c.bit_begin + 1));
  }
  c.keys_in_place = random.chance(2);
  c.values_in_place = random.chance(2);
  c.own_indices = random.chance(2);
  c.count = random.below(most);
  if (random.chance(4)) c.bound = 1 + random.below(most);
  c.pattern = kPatterns[random.below(10)];
  return c;
}

TEST_F(Device, SmokeU32) {
  Random random = seeded();
  for (std::uint64_t n : {0, 1, 2, 1000, 1024, 1025, 4096, 4097, 10000, 100000, 1000003}) {
    for (lanesort_operation op : {LANESORT_OP_SORT, LANESORT_OP_SORT_PAIRS, LANESORT_OP_ARGSORT}) {
      Case c;
      c.op = op;
      c.value_bytes = op == LANESORT_OP_SORT ? 0 : 4;
      c.count = n;
      run_case(handle_, stream_, c, random);
      if (HasFailure()) return;
    }
  }
}

TEST_F(Device, EveryDtypeOrderAndWidth) {
  Random random = seeded();
  for (lanesort_dtype dtype : kDtypes) {
    for (int operation = 0; operation < 8; ++operation) {
      for (int order = 0; order < 6; ++order) {
        Case c;
        c.op = operation == 0 ? LANESORT_OP_SORT : operation < 6 ? LANESORT_OP_SORT_PAIRS : LANESORT_OP_ARGSORT;
        c.value_bytes = operation == 0 ? 0 : operation < 6 ? 1u << (operation - 1) : 4u << (operation - 6);
        c.dtype = dtype;
        c.order = static_cast<lanesort_order>(order % 2);
        c.float_order = static_cast<lanesort_float_order>(order / 2);
        c.keys_in_place = random.chance(2);
        c.values_in_place = random.chance(2);
        c.count = random.chance(2) ? random.below(5000) : 5000 + random.below(60000);
        c.pattern = kPatterns[random.below(10)];
        run_case(handle_, stream_, c, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Device, EveryPatternLarge) {
  Random random = seeded();
  for (Pattern pattern : kPatterns) {
    for (lanesort_dtype dtype : {LANESORT_U32, LANESORT_U64, LANESORT_F32, LANESORT_I64}) {
      for (std::uint32_t value_bytes : {0, 4, 8}) {
        for (bool in_place : {true, false}) {
          Case c;
          c.dtype = dtype;
          c.op = value_bytes == 0 ? LANESORT_OP_SORT : random.chance(2) ? LANESORT_OP_SORT_PAIRS : LANESORT_OP_ARGSORT;
          c.value_bytes = value_bytes;
          c.float_order = random.chance(2) ? LANESORT_FLOAT_BITS : LANESORT_FLOAT_NUMERIC;
          c.pattern = pattern;
          c.keys_in_place = c.values_in_place = in_place;
          c.count = 1000000 + random.below(3000000);
          run_case(handle_, stream_, c, random);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(Device, SizesAroundTiles) {
  Random random = seeded();
  for (std::uint64_t centre :
       {32, 256, 1024, 2048, 4096, 4864, 5120, 6144, 8192, 8192 + 6144, 2 * 8192, 3 * 4096, 16384, 65536, 1 << 20}) {
    for (int delta = -1; delta <= 1; ++delta) {
      for (std::uint32_t value_bytes : {0, 4, 16}) {
        Case c;
        c.op = value_bytes == 0 ? LANESORT_OP_SORT : LANESORT_OP_SORT_PAIRS;
        c.value_bytes = value_bytes;
        c.count = centre + static_cast<std::uint64_t>(delta);
        run_case(handle_, stream_, c, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Device, EveryLengthFromOneTileToTwo) {
  Random random = seeded();
  for (std::uint64_t n = 6144; n <= 2 * 8192; n += 1 + random.below(60)) {
    Case c;
    c.op = n % 2 == 0 ? LANESORT_OP_SORT : LANESORT_OP_SORT_PAIRS;
    c.value_bytes = n % 2 == 0 ? 0 : 4;
    c.count = n;
    run_case(handle_, stream_, c, random);
    if (HasFailure()) return;
  }
}

TEST_F(Device, RandomRequests) {
  Random random = seeded();
  for (int i = 0; i < 600; ++i) {
    run_case(handle_, stream_, random_case(random, random.chance(3) ? 200000 : 20000), random,
             random.chance(2) ? random.below(5) : 0);
    if (HasFailure()) return;
  }
}

TEST_F(Device, RandomRequestsByManyPortions) {
  Random random = seeded();
  for (int i = 0; i < 300; ++i) {
    handle_->limits.portion = 8192 * (1 + random.below(8));
    draw_limits(random);
    handle_->limits.small = 0;
    run_case(handle_, stream_, random_case(random, 150000), random);
    if (HasFailure()) return;
  }
}

// Keys of one byte that are counted by one block, by a cluster, and past it; and those whose bytes do not say all.
TEST_F(Device, BytesByTheirCounts) {
  Random random = seeded();
  constexpr lanesort_dtype kBytes[] = {LANESORT_U8, LANESORT_I8, LANESORT_BOOL};
  for (const std::uint64_t border : {tune::kBytesFrom - 1, tune::kBytesOfBlockUpTo, tune::kClusterUpTo}) {
    for (int i = 0; i < 40; ++i) {
      Case c = random_case(random, 1);
      c.op = LANESORT_OP_SORT;
      c.value_bytes = 0;
      c.dtype = kBytes[random.below(3)];
      c.bit_begin = random.chance(8) ? 1 : 0;
      c.bit_end = LANESORT_ALL_BITS;
      c.count = border - 3 + random.below(7);
      c.bound = random.chance(2) ? 0 : c.count;
      if (c.bound != 0) c.count = random.below(2) == 0 ? random.below(c.bound + 1) : c.count + random.below(3);
      run_case(handle_, stream_, c, random, random.chance(2) ? random.below(17) : 0);
      if (HasFailure()) return;
    }
  }
}

// The way by buckets for counts that would not take it, and for those that would.
TEST_F(Device, RandomRequestsByBuckets) {
  Random random = seeded();
  constexpr lanesort_dtype kWide[] = {LANESORT_U32, LANESORT_I32, LANESORT_F32,
                                      LANESORT_U64, LANESORT_I64, LANESORT_F64};
  for (int i = 0; i < 500; ++i) {
    handle_->limits.small = 0;
    handle_->limits.buckets_from = 0;
    Case c = random_case(random, i % 10 == 0 ? 6000000 : i % 3 == 0 ? 500000 : 20000);
    c.dtype = kWide[random.below(6)];
    c.bit_begin = 0;
    c.bit_end = LANESORT_ALL_BITS;
    if (c.op == LANESORT_OP_SORT_PAIRS) c.value_bytes = 4u << random.below(2);
    run_case(handle_, stream_, c, random);
    if (HasFailure()) return;
  }
}

// Buckets that are hard to finish: few low bits, clusters within each bucket, equal keys.
TEST_F(Device, CrowdedBuckets) {
  Random random = seeded();
  for (int kind = 0; kind < 6; ++kind) {
    for (std::uint32_t value_bytes : {0, 4, 8}) {
      for (lanesort_dtype dtype : {LANESORT_U32, LANESORT_U64}) {
        Case c;
        c.dtype = dtype;
        c.op = value_bytes == 0 ? LANESORT_OP_SORT : LANESORT_OP_SORT_PAIRS;
        c.value_bytes = value_bytes;
        c.count = 1000000 + random.below(1000000);
        Bench bench(c, random);
        const std::uint32_t width = lanesort_dtype_bytes(dtype);
        for (std::uint64_t i = 0; i < c.count; ++i) {
          std::uint64_t key = 0;
          std::memcpy(&key, &bench.keys[i * width], width);
          const unsigned low = 8 * width - 14;
          const std::uint64_t lower = (std::uint64_t{1} << low) - 1, r = random.next();
          if (kind == 0) key &= ~std::uint64_t{0x3f};
          if (kind == 1) key = (key & ~lower) | (r & 15);
          if (kind == 2) key = (key & ~lower) | (r & 1 ? r >> 32 & 255 : (r >> 32 & 255) + (lower >> 1));
          if (kind == 3) key = (key & ~lower) | (r % 7 == 0 ? r >> 20 & lower : lower);
          if (kind == 4) key = (key & ~lower) | ((r & lower) & (r >> 13));
          if (kind == 5) key = (key & ~lower) | (r % 3000 * 17 & lower);
          std::memcpy(&bench.keys[i * width], &key, width);
        }
        bench.keys_src.put(bench.keys);
        bench.expect();
        ASSERT_EQ(record(handle_, stream_, c.op, bench.desc, nullptr), LANESORT_OK) << lanesort_last_error();
        ASSERT_EQ(Cuda::get().cuStreamSynchronize(stream_), 0);
        bench.judge();
        if (HasFailure()) {
          std::printf("kind %d\n", kind);
          return;
        }
      }
    }
  }
}

TEST_F(Device, CountsOnTheDevice) {
  Random random = seeded();
  for (std::uint64_t bound : {1000, 100000, 3000000}) {
    for (std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{1}, bound / 2, bound - 1, bound, bound + 1, ~std::uint64_t{0}}) {
      for (int op = 0; op < 3; ++op) {
        Case c;
        c.op = static_cast<lanesort_operation>(op);
        c.value_bytes = op == 0 ? 0 : 4;
        c.keys_in_place = c.values_in_place = random.chance(2);
        c.count = count;
        c.bound = bound;
        run_case(handle_, stream_, c, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Device, TenThousandRepeatsOnDirtyScratch) {
  Random random = seeded();
  for (std::uint64_t n : {20000, 300000, 700000}) {
    Case c;
    c.op = LANESORT_OP_SORT_PAIRS;
    c.value_bytes = 4;
    c.keys_in_place = c.values_in_place = false;
    c.count = n;
    Bench bench(c, random);
    handle_->limits.buckets_from = n == 700000 ? UINT64_MAX - 1 : UINT64_MAX;  // the last by passes
    bench.limits = handle_->limits;
    bench.describe();
    for (int i = 0; i < 10000; ++i) {
      ASSERT_EQ(record(handle_, stream_, c.op, bench.desc, nullptr), LANESORT_OK) << lanesort_last_error();
      if (i % 500 == 499) {
        LANESORT_MUST(cuStreamSynchronize(stream_));
        bench.judge();
        if (HasFailure()) return;
        bench.keys_dst.fill(0);
        bench.values_dst.fill(0);
      }
    }
  }
}

// Tiles that publish late make the others wait in the look-back, which then sees every state there is.
TEST_F(Device, WithheldSignals) {
  Random random = seeded();
  for (std::uint32_t hold_every : {1u, 3u, 17u}) {
    for (std::uint64_t buckets_from : {std::uint64_t{1}, UINT64_MAX - 1}) {
      for (std::uint64_t n : {60000, 200000, 700000}) {
        Case c;
        c.op = LANESORT_OP_SORT_PAIRS;
        c.dtype = random.chance(2) ? LANESORT_U32 : LANESORT_F32;
        c.value_bytes = random.chance(2) ? 4 : 8;
        c.count = n;
        handle_->limits.hold_every = hold_every;
        handle_->limits.buckets_from = buckets_from;
        run_case(handle_, stream_, c, random);
        draw_limits(random);
        handle_->limits.portion = 50000;
        run_case(handle_, stream_, c, random);
        handle_->limits.portion = std::uint64_t{1} << 28;
        run_case(handle_, stream_, c, random);
        handle_->limits = {};
        if (HasFailure()) return;
      }
    }
  }
}

// More than 2^28, 2^31 and 2^32 items: many copies of one block of random bytes, sorted on the device and held to the
// device's own check, which shares no step with the sorts.
TEST_F(Device, CountsPastPortions) {
  const struct {
    lanesort_dtype dtype;
    std::uint64_t count;
  } rows[] = {{LANESORT_U8, 5'000'000'000},
              {LANESORT_U16, (std::uint64_t{1} << 32) + 1},
              {LANESORT_U32, (std::uint64_t{1} << 31) + 1}};
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 28;
  Random random = seeded();
  for (const auto& row : rows) {
    const std::uint64_t bytes = row.count * lanesort_dtype_bytes(row.dtype);
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = row.dtype;
    desc.count = row.count;
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    std::uint64_t scratch_bytes = 0;
    ASSERT_EQ(lanesort_cuda_query(handle_, &capabilities), LANESORT_OK);
    ASSERT_EQ(lanesort_scratch_bytes(LANESORT_OP_SORT, &desc, &capabilities, &scratch_bytes), LANESORT_OK)
        << lanesort_last_error();
    Address src = 0, dst = 0, scratch = 0, verdict = 0;
    const Cuda& cu = Cuda::get();
    if (cu.cuMemAlloc_v2(&src, bytes) != 0 || cu.cuMemAlloc_v2(&dst, bytes) != 0 ||
        cu.cuMemAlloc_v2(&scratch, scratch_bytes) != 0 || cu.cuMemAlloc_v2(&verdict, sizeof(lanesort_verdict)) != 0) {
      GTEST_SKIP() << "the device has no room for " << row.count << " items";
    }
    const Bytes block = make_keys(random, Pattern::uniform, 8, kBlock / 8);
    LANESORT_MUST(cuMemcpyHtoD_v2(src, block.data(), std::min(kBlock, bytes)));
    for (std::uint64_t at = kBlock; at < bytes; at += kBlock)
      LANESORT_MUST(cuMemcpyDtoDAsync_v2(src + at, src, std::min(kBlock, bytes - at), stream_));
    desc.keys_src = reinterpret_cast<void*>(src);
    desc.keys_dst = reinterpret_cast<void*>(dst);
    desc.scratch = reinterpret_cast<void*>(scratch);
    desc.scratch_bytes = scratch_bytes;
    ASSERT_EQ(lanesort_cuda_sort(handle_, stream_, &desc, nullptr), LANESORT_OK) << lanesort_last_error();
    ASSERT_EQ(lanesort_cuda_verify(handle_, stream_, LANESORT_OP_SORT, &desc, nullptr,
                                   reinterpret_cast<lanesort_verdict*>(verdict)),
              LANESORT_OK)
        << lanesort_last_error();
    LANESORT_MUST(cuStreamSynchronize(stream_));
    lanesort_verdict found = LANESORT_VERDICT_INIT;
    LANESORT_MUST(cuMemcpyDtoH_v2(&found, verdict, sizeof found));
    EXPECT_EQ(found.good, 1u) << lanesort_dtype_name(row.dtype) << " first offender " << found.first_offender << " of "
                              << row.count;
    for (Address address : {src, dst, scratch, verdict}) LANESORT_MUST(cuMemFree_v2(address));
  }
}

TEST_F(Device, CapturedAndReplayedOnOtherData) {
  Random random = seeded();
  const HandlePointer fresh = make_handle();  // its very first sort is the captured one
  for (std::uint64_t n : {3000, 100000, 3000000}) {
    Case c;
    c.op = LANESORT_OP_SORT_PAIRS;
    c.value_bytes = 4;
    c.count = n;
    Bench bench(c, random);
    GraphOf* graph = nullptr;
    ExecOf* exec = nullptr;
    LANESORT_MUST(cuStreamBeginCapture_v2(stream_, 2));
    const lanesort_status status = record(fresh.get(), stream_, c.op, bench.desc, nullptr);
    LANESORT_MUST(cuStreamEndCapture(stream_, &graph));
    ASSERT_EQ(status, LANESORT_OK) << lanesort_last_error();
    LANESORT_MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int replay = 0; replay < 6; ++replay) {
      bench.c.pattern = kPatterns[replay == 0 ? 0 : random.below(10)];
      bench.keys = make_keys(random, bench.c.pattern, 4, n);
      bench.expect();
      bench.keys_src.put(bench.keys);
      bench.values_src.put(bench.values);
      LANESORT_MUST(cuGraphLaunch(exec, stream_));
      LANESORT_MUST(cuStreamSynchronize(stream_));
      bench.judge();
    }
    LANESORT_MUST(cuGraphExecDestroy(exec));
    LANESORT_MUST(cuGraphDestroy(graph));
    if (HasFailure()) return;
  }
}

TEST_F(Device, TwoStreamsAndThreads) {
  const std::uint64_t seed = run_seed();
  std::vector<std::thread> threads;
  for (int s = 0; s < 3; ++s) {
    threads.emplace_back([s, seed] {
      LANESORT_MUST(cuCtxSetCurrent(Cuda::get().context));
      Random random(seed + static_cast<std::uint64_t>(s));
      CUstream_st* stream = nullptr;
      LANESORT_MUST(cuStreamCreate(&stream, 1));
      for (int i = 0; i < 40; ++i) run_case(handle_, stream, random_case(random, 400000), random);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Device, TwoContexts) {
  CUctx_st* other = nullptr;
  if (Cuda::get().cuCtxCreate_v2(&other, 0, 0) != 0) GTEST_SKIP() << "no second context";
  {
    const HandlePointer handle = make_handle();
    CUstream_st* stream = nullptr;
    LANESORT_MUST(cuStreamCreate(&stream, 1));
    Random random = seeded();
    for (int i = 0; i < 20; ++i) run_case(handle.get(), stream, random_case(random, 100000), random);
  }
  LANESORT_MUST(cuCtxSetCurrent(Cuda::get().context));
  LANESORT_MUST(cuCtxDestroy_v2(other));
  Random random = seeded();
  run_case(handle_, stream_, random_case(random, 100000), random);
}

TEST_F(Device, ChecksAgreeWithTheCpu) {
  Random random = seeded();
  for (int i = 0; i < 120; ++i) {
    Case c = random_case(random, 50000);
    c.keys_in_place = c.values_in_place = false;
    c.bound = 0;
    c.own_indices = false;
    if (c.count == 0) c.count = 1;
    Bench bench(c, random);
    ASSERT_EQ(record(handle_, stream_, c.op, bench.desc, nullptr), LANESORT_OK) << lanesort_last_error();
    LANESORT_MUST(cuStreamSynchronize(stream_));
    Bytes keys = bench.want_keys, values = bench.want_values;
    if (random.chance(2)) {  // one thing wrong
      Bytes& spoilt =
          c.op == LANESORT_OP_ARGSORT || (c.op == LANESORT_OP_SORT_PAIRS && random.chance(2)) ? values : keys;
      spoilt[random.below(spoilt.size())] ^= static_cast<unsigned char>(1u << random.below(8));
      (&spoilt == &values ? bench.values_dst : bench.keys_dst).put(spoilt);
    }
    lanesort_sort_desc host = descriptor(c);
    host.keys_src = bench.keys.data();
    host.keys_dst = bench.argsort() ? nullptr : keys.data();
    host.values_src = c.op == LANESORT_OP_SORT_PAIRS ? bench.values.data() : nullptr;
    host.values_dst = c.op == LANESORT_OP_SORT ? nullptr : values.data();
    lanesort_verdict want = LANESORT_VERDICT_INIT, got = LANESORT_VERDICT_INIT;
    ASSERT_EQ(lanesort_verify(c.op, &host, &want), LANESORT_OK) << lanesort_last_error();
    DeviceBuffer answer(sizeof got);
    ASSERT_EQ(lanesort_cuda_verify(handle_, stream_, c.op, &bench.desc, nullptr,
                                   static_cast<lanesort_verdict*>(answer.data())),
              LANESORT_OK)
        << lanesort_last_error();
    LANESORT_MUST(cuStreamSynchronize(stream_));
    std::memcpy(&got, answer.get().data(), sizeof got);
    EXPECT_EQ(std::memcmp(&got, &want, sizeof got), 0)
        << c.words() << ": good " << got.good << " want " << want.good << ", first offender " << got.first_offender
        << " want " << want.first_offender;
    if (bench.argsort()) continue;
    std::uint64_t first = 0, place = 0;
    lanesort_sort_desc of = bench.desc;
    of.keys_src = bench.desc.keys_dst;
    host.keys_src = keys.data();
    ASSERT_EQ(lanesort_is_sorted(&host, &first), LANESORT_OK);
    ASSERT_EQ(lanesort_cuda_is_sorted(handle_, stream_, &of, nullptr, static_cast<std::uint64_t*>(answer.data())),
              LANESORT_OK)
        << lanesort_last_error();
    LANESORT_MUST(cuStreamSynchronize(stream_));
    LANESORT_MUST(cuMemcpyDtoH_v2(&place, answer.address(), 8));
    EXPECT_EQ(place, first) << c.words();
    EXPECT_TRUE(answer.canaries_stand());
    if (HasFailure()) return;
  }
}

// Keys of one width made by a function of the place.
template <class Make>
Bytes keys_by(std::uint32_t bytes, std::uint64_t count, const Make& make) {
  Bytes keys(count * bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t key = make(i);
    std::memcpy(keys.data() + i * bytes, &key, bytes);
  }
  return keys;
}

// taken: who has to do it, if anybody in particular.
void run_with_keys(const lanesort_cuda* handle, CUstream_st* stream, const Case& c, Bytes keys, Random& random,
                   std::optional<kernels::Taken> taken = {}) {
  Bench bench(c, random, 0, handle->limits);
  bench.keys = std::move(keys);
  bench.expect();
  bench.keys_src.put(bench.keys);
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_EQ(record(handle, stream, c.op, bench.desc, bench.device_count()), LANESORT_OK)
        << c.words() << ": " << lanesort_last_error();
    LANESORT_MUST(cuStreamSynchronize(stream));
    bench.judge();
    if (taken) {
      kernels::Control control;
      LANESORT_MUST(cuMemcpyDtoH_v2(&control, (bench.scratch->address() + 255) / 256 * 256, sizeof control));
      EXPECT_EQ(control.finished, *taken) << c.words();
    }
    if (!c.keys_in_place || !c.values_in_place) return;
    bench.keys_src.put(bench.keys);
    bench.values_src.put(bench.values);
  }
}

TEST_F(Device, BucketsOfEverySize) {
  Random random = seeded();
  for (std::uint64_t n : {4097u, 5000u, 8192u, 20001u, 65536u, 262145u, 1048575u, 1048576u, 1048577u, 2097153u,
                          4194304u, 6291456u, 6291457u, 8388608u, 8388609u, 16777216u, 16777217u}) {
    for (lanesort_dtype dtype : {LANESORT_U32, LANESORT_I32, LANESORT_F32, LANESORT_U64, LANESORT_F64}) {
      for (std::uint32_t value_bytes : {0, 4, 8}) {
        if (n > 3000000 && random.chance(3) && dtype != LANESORT_U32 && dtype != LANESORT_U64) continue;
        Case c;
        c.dtype = dtype;
        c.order = static_cast<lanesort_order>(random.below(2));
        c.op = value_bytes == 0 ? LANESORT_OP_SORT : random.chance(2) ? LANESORT_OP_SORT_PAIRS : LANESORT_OP_ARGSORT;
        c.value_bytes = value_bytes;
        c.float_order = dtype == LANESORT_F32 && random.chance(2) ? LANESORT_FLOAT_NUMERIC : LANESORT_FLOAT_BITS;
        c.keys_in_place = random.chance(2);
        c.values_in_place = random.chance(2);
        c.count = n;
        if (random.chance(4)) c.bound = n + random.below(n / 2);
        run_case(handle_, stream_, c, random);
        if (HasFailure()) return;
      }
    }
  }
}

// Uneven in all the ways that numbers are: by bins of one block, and by the quantiles of a sample.
TEST_F(Device, UnevenNumbers) {
  Random random = seeded();
  for (lanesort_dtype dtype : {LANESORT_F32, LANESORT_F64, LANESORT_U32, LANESORT_U64}) {
    const std::uint32_t bytes = lanesort_dtype_bytes(dtype);
    for (std::uint32_t value_bytes : {0, 4, 8}) {
      if (!tune::takes_quantiles(bytes, value_bytes)) continue;
      for (std::uint64_t n : {1025u, 3000u, 4095u, 4096u, 5000u, 60000u, 1000000u, 1048577u, 5000000u}) {
        Case c;
        c.dtype = dtype;
        c.op = value_bytes == 0 ? LANESORT_OP_SORT : random.chance(2) ? LANESORT_OP_SORT_PAIRS : LANESORT_OP_ARGSORT;
        c.value_bytes = value_bytes;
        c.order = static_cast<lanesort_order>(random.below(2));
        c.float_order = random.chance(2) ? LANESORT_FLOAT_NUMERIC : LANESORT_FLOAT_BITS;
        c.keys_in_place = c.values_in_place = random.chance(2);
        c.count = n;
        std::mt19937_64 engine(random.next());
        const auto run = [&](const auto& draw) {
          if (HasFailure()) return;
          const Bytes keys = keys_by(bytes, n, [&](std::uint64_t) {
            const double x = draw();
            if (dtype == LANESORT_F32) return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(x))};
            if (dtype == LANESORT_F64) return std::bit_cast<std::uint64_t>(x);
            return static_cast<std::uint64_t>(std::min(std::abs(x), 1.0) * std::ldexp(0.9999999, 8 * bytes));
          });
          // Fewer, and whole numbers, may fit buckets by their bits; wide floats of both signs have few cells an octave.
          const bool uneven = n >= 1000000 && dtype == LANESORT_F32;
          run_with_keys(handle_, stream_, c, keys, random,
                        uneven ? std::optional(kernels::kByQuantiles) : std::nullopt);
        };
        std::uniform_real_distribution<double> uniform(0.01, 1);
        std::normal_distribution<double> normal(0, 0.2);
        std::exponential_distribution<double> exponential(20);
        run([&] { return dtype == LANESORT_F32 || dtype == LANESORT_F64 ? uniform(engine) : std::pow(uniform(engine), 3); });
        run([&] { return normal(engine) + 1e-9; });
        run([&] { return exponential(engine) + 1e-9; });
        run([&] { return uniform(engine) < 0.5 ? 0.25 + normal(engine) / 10 : 0.75 + normal(engine) / 50; });
      }
    }
  }
}

TEST_F(Device, FewDifferentKeys) {
  Random random = seeded();
  for (lanesort_dtype dtype : {LANESORT_U32, LANESORT_I64, LANESORT_F32, LANESORT_U64}) {
    const std::uint32_t bytes = lanesort_dtype_bytes(dtype);
    for (std::uint64_t different : {2u, 16u, 100u, 200u, 300u, 513u, 2000u}) {
      for (bool extremes : {false, true}) {
        Case c;
        c.dtype = dtype;
        c.order = static_cast<lanesort_order>(random.below(2));
        c.float_order = LANESORT_FLOAT_BITS;
        c.count = 2000000 + random.below(1000000);
        c.keys_in_place = random.chance(2);
        std::vector<std::uint64_t> values(different);
        for (std::uint64_t& value : values) value = random.next();
        if (extremes) values[0] = ~std::uint64_t{0}, values[1] = 0;
        // Hardly ever, what no sample shows: it must not be lost.
        const std::uint64_t rare = random.chance(2) ? random.next() : random.chance(2) ? ~std::uint64_t{0} : 0;
        const bool has_rare = random.chance(2);
        const Bytes keys = keys_by(bytes, c.count, [&](std::uint64_t i) {
          return has_rare && i == c.count / 2 ? rare : values[random.below(different)];
        });
        const bool counted = different <= 200 && !extremes && !has_rare;
        run_with_keys(handle_, stream_, c, keys, random, counted ? std::optional(kernels::kByCounts) : std::nullopt);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Device, BucketsOfUnkindKeys) {
  Random random = seeded();
  for (std::uint32_t bytes : {4, 8}) {
    const unsigned bits = 8 * bytes;
    for (std::uint64_t n : {6000u, 50000u, 1000000u, 3000000u}) {
      for (std::uint32_t value_bytes : {0, 4}) {
        Case c;
        c.dtype = bytes == 4 ? LANESORT_U32 : LANESORT_U64;
        c.op = value_bytes == 0 ? LANESORT_OP_SORT : LANESORT_OP_SORT_PAIRS;
        c.value_bytes = value_bytes;
        c.count = n;
        c.order = static_cast<lanesort_order>(random.below(2));
        const std::uint64_t hot = random.next(), seed = random.next();
        const auto noise = [&](std::uint64_t i) { return Random(seed + i).next(); };
        const auto run = [&](const auto& make) {
          if (!HasFailure()) run_with_keys(handle_, stream_, c, keys_by(bytes, n, make), random);
        };
        run([&](std::uint64_t i) { return noise(i) & 15; });
        run([&](std::uint64_t i) { return noise(i) & 0xffff; });
        run([&](std::uint64_t i) { return noise(i) >> (noise(i + n) & 63); });
        run([&](std::uint64_t i) { return noise(i) & noise(i + n); });
        run([&](std::uint64_t i) { return noise(i) & noise(i + n) & noise(i + 2 * n); });
        for (unsigned kept : {12u, 16u, 20u, 24u, 28u}) run([&](std::uint64_t i) { return noise(i) << (bits - kept); });
        for (unsigned kept : {12u, 16u, 20u, 24u})
          run([&](std::uint64_t i) {
            return noise(i) << (bits - kept) | (hot & ((std::uint64_t{1} << (bits - kept)) - 1));
          });
        run([&](std::uint64_t i) { return noise(i) & ~0xfff0ull; });
        run([&](std::uint64_t i) { return (noise(i) << 16) | (i & 1 ? 0xfff8 : 0) | (noise(i) & 7); });
        // Crowded at another place in each bucket, which no sample of digits shows.
        run([&](std::uint64_t i) {
          const std::uint64_t top = noise(i) >> (64 - 12);
          return (top << (bits - 12)) | ((Random(top).next() >> (64 - bits + 12)) & ~63ull) | (noise(i) & 63);
        });
        run([&](std::uint64_t i) { return i % 3 == 0 ? hot : noise(i); });
        run([&](std::uint64_t i) { return i % 200 == 0 ? hot : noise(i); });
        run([&](std::uint64_t i) { return i % 2000 == 0 ? hot : noise(i); });
        // One bucket of 256 about as large as a block takes.
        for (std::uint64_t size : {4607u, 4608u, 4609u, 4736u, 4737u}) {
          const std::uint64_t others = n - size;
          run([&](std::uint64_t i) {
            return i < size ? noise(i) >> (64 - bits + 8)
                            : (1 + i * 255 / (others + size)) << (bits - 8) | (noise(i) >> (64 - bits + 8));
          });
        }
        run([&](std::uint64_t i) { return i; });
        run([&](std::uint64_t i) { return n - i; });
        run([&](std::uint64_t i) { return i == n / 2 ? 0 : i * ((~std::uint64_t{0} >> (64 - bits)) / n); });
        run([&](std::uint64_t i) { return i < n / 2 ? i << (bits - 30) : (n - i) << (bits - 30); });
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Device, BucketsOfOneSpecialFloat) {
  Random random = seeded();
  for (std::uint64_t n : {30000u, 2000000u}) {
    for (std::uint64_t special : {0x80000000u, 0x7fc00001u, 0xffffffffu, 0x7f800000u, 0x00000000u}) {
      for (lanesort_float_order order : {LANESORT_FLOAT_NUMERIC, LANESORT_FLOAT_BITS}) {
        Case c;
        c.dtype = LANESORT_F32;
        c.float_order = order;
        c.op = random.chance(2) ? LANESORT_OP_SORT : LANESORT_OP_SORT_PAIRS;
        c.value_bytes = c.op == LANESORT_OP_SORT ? 0 : 4;
        c.order = static_cast<lanesort_order>(random.below(2));
        c.count = n;
        const std::uint64_t at = random.below(n);
        // Uniform images of finite numbers: bits below the exponents of NaN.
        run_with_keys(handle_, stream_, c,
                      keys_by(4, n,
                              [&](std::uint64_t i) {
                                return i == at || i == n - 1
                                           ? special
                                           : (random.next() & 1) << 31 | (1 + random.below(0x7f7fffff));
                              }),
                      random);
        if (HasFailure()) return;
      }
    }
  }
}

// A short list for compute-sanitizer: every engine and operation once, small.
TEST_F(Device, Sanitized) {
  Random random = seeded();
  for (std::uint64_t n : {300, 3000, 20003}) {
    for (lanesort_dtype dtype : {LANESORT_U32, LANESORT_F64}) {
      for (int op = 0; op < 3; ++op) {
        for (std::uint64_t from : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
          handle_->limits.buckets_from = from;
          draw_limits(random);
          handle_->limits.portion =
              random.chance(2) ? 9000 : std::uint64_t{1} << 28;  // fewer than the items: a launch for each pass
          Case c;
          c.dtype = dtype;
          c.op = static_cast<lanesort_operation>(op);
          c.value_bytes = op == 0 ? 0 : 4;
          c.float_order = LANESORT_FLOAT_BITS;
          c.keys_in_place = c.values_in_place = from == 0;
          c.count = n;
          run_case(handle_, stream_, c, random);
          if (HasFailure()) return;
        }
      }
    }
  }
  handle_->limits = {};
  for (std::uint64_t n : {3000, 20003}) {  // bytes by one block and by a cluster
    Case c;
    c.dtype = LANESORT_U8;
    c.keys_in_place = n == 3000;
    c.count = n;
    run_case(handle_, stream_, c, random);
    if (HasFailure()) return;
  }
}

TEST_F(Device, HostMemory) {
  Random random = seeded();
  lanesort_cuda* opened = nullptr;
  ASSERT_EQ(lanesort_cuda_open(0, &opened), LANESORT_OK) << lanesort_last_error();
  const HandlePointer handle(opened);
  for (int trial = 0; trial < 100; ++trial) {
    Case c = random_case(random, trial < 60 ? 20000 : 1000000);
    c.bound = 0;
    // As much as is free, or so little that the items go in chunks.
    const std::uint64_t device_bytes = trial % 2 == 0 ? 0 : (std::uint64_t{1} << 21) + c.count * random.below(60);
    const std::uint32_t key_bytes = lanesort_dtype_bytes(c.dtype);
    const Bytes keys = make_keys(random, c.pattern, key_bytes, c.count), values = make_values(c.count, c.value_bytes);
    Bytes got_keys(keys.size()), want_keys(keys.size()), got_values(values.size()), want_values(values.size());
    lanesort_sort_desc desc = descriptor(c);
    desc.keys_src = keys.data();
    if (c.op == LANESORT_OP_SORT_PAIRS || (c.op == LANESORT_OP_ARGSORT && c.own_indices))
      desc.values_src = values.data();
    const auto into = [&](Bytes& sorted, Bytes& moved) {
      desc.keys_dst = c.op == LANESORT_OP_ARGSORT ? nullptr : sorted.data();
      desc.values_dst = c.op == LANESORT_OP_SORT ? nullptr : moved.data();
    };
    into(want_keys, want_values);
    ASSERT_EQ(on_cpu(c.op, desc), LANESORT_OK) << lanesort_last_error();
    into(got_keys, got_values);
    double seconds = -1;
    ASSERT_EQ(lanesort_cuda_run(handle.get(), c.op, &desc, device_bytes, &seconds), LANESORT_OK)
        << c.words() << ": " << lanesort_last_error();
    EXPECT_TRUE(c.count == 0 ? seconds == 0 : seconds > 0) << seconds;
    EXPECT_TRUE(got_keys == want_keys && got_values == want_values) << c.words();
    if (HasFailure()) return;
  }
  lanesort_cuda* none = nullptr;
  EXPECT_EQ(lanesort_cuda_open(4711, &none), LANESORT_DEVICE_UNAVAILABLE);
  EXPECT_NE(std::string(lanesort_last_error()).find("4711"), std::string::npos);
}

TEST_F(Device, RefusalsInWords) {
  Random random = seeded();
  Case c;
  c.count = 10000;
  Bench bench(c, random);
  lanesort_sort_desc bad = bench.desc;
  bad.scratch_bytes -= 1;
  EXPECT_EQ(lanesort_cuda_sort(handle_, stream_, &bad, nullptr), LANESORT_SCRATCH_TOO_SMALL);
  EXPECT_NE(std::string(lanesort_last_error()).find(std::to_string(bench.desc.scratch_bytes)), std::string::npos);
  bad = bench.desc;
  bad.keys_src = bad.keys_dst = static_cast<char*>(bench.keys_src.data()) + 1;
  bad.count -= 1;
  EXPECT_EQ(lanesort_cuda_sort(handle_, stream_, &bad, nullptr), LANESORT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lanesort_last_error()).find("aligned"), std::string::npos);
  bad = bench.desc;
  bad.value_bytes = 3;
  bad.values_src = bad.values_dst = bench.keys_dst.data();
  bad.count = 1000;
  EXPECT_EQ(lanesort_cuda_sort_pairs(handle_, stream_, &bad, nullptr), LANESORT_UNSUPPORTED);
  EXPECT_EQ(lanesort_cuda_sort(nullptr, stream_, &bench.desc, nullptr), LANESORT_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace lanesort::test
