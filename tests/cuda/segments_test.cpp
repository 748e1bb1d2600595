// Segments on a device against the CPU engine, byte for byte; and their plan, which needs none. Without a device the
// tests of the former are skipped in words.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cuda/fixture.hpp"
#include "kernels/cuda/segments_params.hpp"
#include "lanesort/cuda.h"
#include "plan/cuda_segments.hpp"
#include "tune/cuda_segments.hpp"

namespace lanesort::test {
namespace {

using Offsets = std::vector<std::uint64_t>;

// ---- what needs no device ----

TEST(SegmentPlan, StretchesOfScratchStandApartAndHoldWhatTheyShould) {
  for (std::uint32_t key_bytes : {1u, 2u, 4u, 8u}) {
    for (std::uint32_t value_bytes : {0u, 1u, 2u, 4u, 8u, 16u}) {
      for (std::uint64_t count = 1; count < std::uint64_t{1} << 36; count += 1 + count / 2) {
        for (bool argsort : {false, true}) {
          if (argsort && value_bytes != 4 && value_bytes != 8) continue;
          const plan::CudaSegmentPlan plan = plan::plan_cuda_segments({key_bytes, value_bytes, argsort, count}, {});
          const plan::CudaSegmentScratch& at = plan.scratch;
          ASSERT_LE(plan.of_team, plan.of_block[0]);
          ASSERT_LE(plan.of_block[0], plan.of_block[1]);
          ASSERT_GE(at.block_segments[0], sizeof(kernels::SegmentControl));
          ASSERT_GE(at.block_segments[1], at.block_segments[0] + plan.block_room[0] * sizeof(kernels::BlockSegment));
          ASSERT_GE(at.large, at.block_segments[1] + plan.block_room[1] * sizeof(kernels::BlockSegment));
          ASSERT_GE(at.segment_of_tile, at.large + plan.large_room * sizeof(kernels::LargeSegment));
          ASSERT_GE(at.histogram, at.segment_of_tile + plan.tile_room * 4);
          ASSERT_GE(at.portion_word, at.histogram + plan.large_room * key_bytes * 256 * 8);
          ASSERT_GE(at.lookback, at.portion_word + plan.portion_room * 256 * 8);
          ASSERT_GE(at.keys[0], at.lookback + plan.tile_room * 256 * 4);
          ASSERT_GE(at.bytes, at.values + (plan.large_room != 0 ? count * value_bytes : 0) + 255);
          ASSERT_LE(std::uint64_t{plan.portion_tiles} * plan.tile, std::uint64_t{1} << 28);
          if (plan.large_room == 0) continue;
          ASSERT_GE(at.keys[1], at.keys[0] + count * key_bytes);
          ASSERT_GE(at.values, at.keys[1] + (argsort ? count * key_bytes : 0));
        }
      }
    }
  }
}

// However items are shared out, the lists hold all segments.
TEST(SegmentPlan, ListsHoldTheWorstOffsets) {
  for (std::uint32_t key_bytes : {1u, 4u, 8u}) {
    for (std::uint64_t count : {1000u, 20000u, 50000u, 1000000u}) {
      const plan::CudaSegmentPlan plan = plan::plan_cuda_segments({key_bytes, 0, false, count}, {});
      EXPECT_GE(plan.block_room[0], count / (plan.of_team + 1));
      EXPECT_GE(plan.block_room[1], count / (plan.of_block[0] + 1));
      for (std::uint64_t length = plan.of_block[1] + 1; length <= count; length += 1 + length / 3) {
        const std::uint64_t segments = count / length, tiles = (length + plan.tile - 1) / plan.tile;
        EXPECT_GE(plan.large_room, segments);
        EXPECT_GE(plan.tile_room, segments * tiles) << count << " in " << length;
        EXPECT_GE(plan.portion_room, segments * ((tiles - 1) / plan.portion_tiles));
      }
    }
  }
}

// ---- on the device ----

class Segments : public OnCuda {};

struct Case {
  lanesort_operation op = LANESORT_OP_SORT;
  lanesort_dtype dtype = LANESORT_U32;
  std::uint32_t value_bytes = 0;
  lanesort_order order = LANESORT_ASCENDING;
  lanesort_float_order float_order = LANESORT_FLOAT_NUMERIC;
  std::uint32_t bit_begin = 0, bit_end = LANESORT_ALL_BITS;
  bool keys_in_place = false, values_in_place = false, own_values = false, local = false, joined = false;
  std::uint64_t count = 0;
  std::uint64_t real_count = UINT64_MAX;  // not that: on the device
  Pattern pattern = Pattern::uniform;
  std::string shape = "given";

  std::string words() const {
    constexpr const char* kOps[] = {"sort", "pairs", "argsort"};
    return std::string(kOps[op]) + " " + lanesort_dtype_name(dtype) + "+" + std::to_string(value_bytes) +
           (order ? " descending" : "") + " float order " + std::to_string(float_order) + " bits " +
           std::to_string(bit_begin) + ".." + std::to_string(bit_end) + (keys_in_place ? " keys in place" : "") +
           (values_in_place ? " values in place" : "") + (own_values ? " own values" : "") + (local ? " local" : "") +
           (joined ? " joined" : "") + " n " + std::to_string(count) + " real " + std::to_string(real_count) + " " +
           pattern_name(pattern) + " segments " + shape;
  }
};

struct Stretches {
  Offsets begins, ends;
  void add(std::uint64_t begin, std::uint64_t end) {
    begins.push_back(begin);
    ends.push_back(end);
  }
};

// Lengths up to `most`, one after the other or with gaps between, empty ones among them, to about `count` in all.
Stretches draw_segments(Random& random, std::uint64_t count, bool joined, std::string* shape) {
  const std::uint64_t kind = random.below(6), most = std::max<std::uint64_t>(1, std::min<std::uint64_t>(count, std::uint64_t{1} << random.below(18)));
  constexpr std::uint64_t kBorders[] = {1, 8, 32, 64, 128, 256, 2048, 8192, 9216, 10240, 12288, 20480, 24576};
  *shape = std::to_string(kind) + " of up to " + std::to_string(most);
  Stretches s;
  std::uint64_t at = joined || random.chance(2) ? 0 : random.below(most + 1);
  while (at < count && s.begins.size() < 100000) {
    std::uint64_t length = 0;
    switch (kind) {
      case 0: length = most; break;
      case 1: length = random.below(most + 1); break;
      case 2: length = std::max<std::uint64_t>(1, most / (1 + random.below(most))); break;  // zipf
      case 3: length = kBorders[random.below(13)] + random.below(3) - 1; break;
      case 4: length = random.chance(3) ? 0 : random.below(12); break;
      default: length = random.chance(20) ? random.below(most + 1) : random.below(40); break;
    }
    length = std::min(length, count - at);
    s.add(at, at + length);
    at += length;
    if (!joined && random.chance(3)) at += random.below(random.chance(4) ? 300 : 4);
    if (length == 0 && random.chance(50)) ++at;
  }
  if (joined) {
    for (std::size_t i = 0; i + 1 < s.begins.size(); ++i) s.ends[i] = s.begins[i + 1];
  }
  if (s.begins.empty()) s.add(0, 0);
  return s;
}

lanesort_sort_desc descriptor(const Case& c) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = c.dtype;
  desc.order = c.order;
  desc.float_order = c.float_order;
  desc.bit_begin = c.bit_begin;
  desc.bit_end = c.bit_end;
  desc.value_bytes = c.value_bytes;
  desc.local_indices = c.local ? 1 : 0;
  return desc;
}

Bytes bytes_of(const Offsets& offsets) {
  Bytes bytes(offsets.size() * 8);
  if (!offsets.empty()) std::memcpy(bytes.data(), offsets.data(), bytes.size());
  return bytes;
}

// What is on the device while one case runs, and the bytes that must come out.
struct Bench {
  Case c;
  std::uint32_t key_bytes;
  Stretches segments;
  Bytes keys, values, want_keys, want_values;
  DeviceBuffer keys_src, keys_dst, values_src, values_dst, begins, ends, count;
  std::unique_ptr<DeviceBuffer> scratch;
  lanesort_sort_desc desc;

  Bench(const Case& of, Stretches with, Bytes with_keys, Random& random, std::size_t offset,
        const plan::CudaLimits& limits, std::uint64_t room_for_segments = 0)
      : c(of),
        key_bytes(lanesort_dtype_bytes(of.dtype)),
        segments(std::move(with)),
        keys(std::move(with_keys)),
        values(random_values(random, of.own_values ? of.count : 0, of.value_bytes)),
        keys_src(keys, offset * key_bytes),
        keys_dst(of.count * key_bytes, offset * key_bytes),
        values_src(values, offset * of.value_bytes),
        values_dst(of.count * of.value_bytes, offset * of.value_bytes),
        begins(8 * std::max<std::uint64_t>(room_for_segments, segments.begins.size() + 1)),
        ends(8 * std::max<std::uint64_t>(room_for_segments, segments.begins.size() + 1)),
        count(8) {
    desc = descriptor(c);
    desc.count = c.count;
    desc.keys_src = keys_src.data();
    if (c.op != LANESORT_OP_ARGSORT) desc.keys_dst = c.keys_in_place ? keys_src.data() : keys_dst.data();
    if (c.own_values) desc.values_src = values_src.data();
    if (c.value_bytes != 0) desc.values_dst = c.values_in_place ? values_src.data() : values_dst.data();
    put_segments();
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    capabilities.backend = LANESORT_BACKEND_CUDA;
    std::uint64_t bytes = 0;
    EXPECT_EQ(lanesort_scratch_bytes(c.op, &desc, &capabilities, &bytes), LANESORT_OK) << lanesort_last_error();
    const plan::CudaRequest request{key_bytes, c.value_bytes, c.op == LANESORT_OP_ARGSORT, c.count};
    EXPECT_EQ(bytes, plan::plan_cuda_segments(request, {}).scratch.bytes);
    const std::uint64_t planned = plan::plan_cuda_segments(request, limits).scratch.bytes;
    scratch = std::make_unique<DeviceBuffer>(planned, 3);
    scratch->fill(0xCD);
    desc.scratch = scratch->data();
    desc.scratch_bytes = planned;
    expect();
  }

  void put_segments() {
    Offsets first = segments.begins;
    if (c.joined) first.push_back(segments.ends.empty() ? 0 : segments.ends.back());
    begins.put(bytes_of(first));
    if (!c.joined) ends.put(bytes_of(segments.ends));
    desc.segment_begins = static_cast<const std::uint64_t*>(begins.data());
    desc.segment_ends = c.joined ? nullptr : static_cast<const std::uint64_t*>(ends.data());
    desc.segment_count = segments.begins.size();
    LANESORT_MUST(cuMemcpyHtoD_v2(count.address(), &c.real_count, 8));
  }

  // By the CPU engine, of the offsets as far as they lie within the items.
  void expect() {
    const std::uint64_t n = std::min(c.count, c.real_count);
    want_keys = c.keys_in_place ? keys : Bytes(keys.size(), DeviceBuffer::kCanary);
    want_values = c.values_in_place ? values : Bytes(c.count * c.value_bytes, DeviceBuffer::kCanary);
    Stretches within;
    for (std::size_t i = 0; i < segments.begins.size(); ++i)
      within.add(std::min(segments.begins[i], n), std::min(segments.ends[i], n));
    lanesort_sort_desc d = descriptor(c);
    d.count = n;
    d.threads = 1;
    const Bytes keys_from = keys, values_from = values;
    d.keys_src = c.keys_in_place ? want_keys.data() : keys_from.data();
    if (c.op != LANESORT_OP_ARGSORT) d.keys_dst = want_keys.data();
    if (c.own_values) d.values_src = c.values_in_place ? want_values.data() : values_from.data();
    if (c.value_bytes != 0) d.values_dst = want_values.data();
    d.segment_begins = within.begins.data();
    d.segment_ends = within.ends.data();
    d.segment_count = within.begins.size();
    const lanesort_status status = c.op == LANESORT_OP_SORT         ? lanesort_sort(&d)
                                   : c.op == LANESORT_OP_SORT_PAIRS ? lanesort_sort_pairs(&d)
                                                                    : lanesort_argsort(&d);
    ASSERT_EQ(status, LANESORT_OK) << c.words() << ": " << lanesort_last_error();
  }

  lanesort_status record(const lanesort_cuda* handle, CUstream_st* stream) const {
    const std::uint64_t* const real =
        c.real_count == UINT64_MAX ? nullptr : static_cast<const std::uint64_t*>(count.data());
    return c.op == LANESORT_OP_SORT         ? lanesort_cuda_sort(handle, stream, &desc, real)
           : c.op == LANESORT_OP_SORT_PAIRS ? lanesort_cuda_sort_pairs(handle, stream, &desc, real)
                                            : lanesort_cuda_argsort(handle, stream, &desc, real);
  }

  void guard() const {
    const DeviceBuffer* const buffers[] = {&keys_src, &keys_dst, &values_src, &values_dst, &begins, &ends, &count,
                                           scratch.get()};
    for (const DeviceBuffer* buffer : buffers)
      EXPECT_TRUE(buffer->canaries_stand()) << c.words() << ": written outside a buffer";
  }

  void judge() const {
    if (c.op != LANESORT_OP_ARGSORT) {
      const Bytes got = (c.keys_in_place ? keys_src : keys_dst).get();
      EXPECT_TRUE(got == want_keys) << c.words() << " keys" << first_difference(got, want_keys, key_bytes);
    }
    if (c.value_bytes != 0) {
      const Bytes got = (c.values_in_place ? values_src : values_dst).get();
      EXPECT_TRUE(got == want_values) << c.words() << " values" << first_difference(got, want_values, c.value_bytes);
    }
    if (!c.keys_in_place) {
      EXPECT_TRUE(keys_src.get() == keys) << c.words() << ": the source changed";
    }
    if (c.own_values && !c.values_in_place) {
      EXPECT_TRUE(values_src.get() == values) << c.words() << ": values changed";
    }
    guard();
  }
};

void run_with(const lanesort_cuda* handle, CUstream_st* stream, const Case& c, Stretches segments, Bytes keys,
              Random& random, std::size_t offset = 0) {
  const Bench bench(c, std::move(segments), std::move(keys), random, offset, handle->limits);
  ASSERT_EQ(bench.record(handle, stream), LANESORT_OK) << c.words() << ": " << lanesort_last_error();
  ASSERT_EQ(Cuda::get().cuStreamSynchronize(stream), 0) << c.words();
  bench.judge();
}

void run_segments(const lanesort_cuda* handle, CUstream_st* stream, const Case& c, Stretches segments, Random& random,
                  std::size_t offset = 0) {
  run_with(handle, stream, c, std::move(segments),
           make_keys(random, c.pattern, lanesort_dtype_bytes(c.dtype), c.count), random, offset);
}

void run_case(const lanesort_cuda* handle, CUstream_st* stream, Case c, Random& random, std::size_t offset = 0) {
  Stretches segments = draw_segments(random, c.count, c.joined, &c.shape);
  run_segments(handle, stream, c, std::move(segments), random, offset);
}

Case random_case(Random& random, std::uint64_t most) {
  Case c;
  c.op = static_cast<lanesort_operation>(random.below(3));
  c.dtype = kDtypes[random.below(13)];
  c.order = static_cast<lanesort_order>(random.below(2));
  c.float_order = static_cast<lanesort_float_order>(random.below(3));
  if (c.op == LANESORT_OP_SORT_PAIRS) c.value_bytes = 1u << random.below(5);
  if (c.op == LANESORT_OP_ARGSORT) c.value_bytes = 4u << random.below(2);
  c.own_values = c.op == LANESORT_OP_SORT_PAIRS || (c.op == LANESORT_OP_ARGSORT && random.chance(4));
  c.keys_in_place = c.op != LANESORT_OP_ARGSORT && random.chance(2);
  c.values_in_place = c.own_values && random.chance(2);
  c.local = random.chance(3);
  c.joined = random.chance(3);
  const std::uint32_t bits = 8 * lanesort_dtype_bytes(c.dtype);
  if (random.chance(5)) {
    c.bit_begin = static_cast<std::uint32_t>(random.below(bits + 1));
    c.bit_end = c.bit_begin + static_cast<std::uint32_t>(random.below(bits - c.bit_begin + 1));
  }
  c.count = random.below(most);
  if (random.chance(5)) c.real_count = random.below(c.count + 10);
  c.pattern = kPatterns[random.below(10)];
  return c;
}

TEST_F(Segments, Smoke) {
  Random random = seeded();
  for (std::uint64_t n : {0, 1, 2, 3, 100, 5000, 100000, 1000003}) {
    for (std::uint64_t length : {1, 2, 7, 8, 9, 100, 256, 257, 1000, 2048, 2049, 10000, 12289, 50000, 1000000}) {
      for (lanesort_operation op : {LANESORT_OP_SORT, LANESORT_OP_SORT_PAIRS, LANESORT_OP_ARGSORT}) {
        if (n / length > 20000) continue;
        Case c;
        c.op = op;
        c.value_bytes = op == LANESORT_OP_SORT ? 0 : 4;
        c.own_values = op == LANESORT_OP_SORT_PAIRS;
        c.keys_in_place = op != LANESORT_OP_ARGSORT;
        c.values_in_place = c.own_values;
        c.count = n;
        c.shape = "of " + std::to_string(length);
        Stretches s;
        for (std::uint64_t at = 0; at < n; at += length) s.add(at, std::min(at + length, n));
        run_segments(handle_, stream_, c, s, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Segments, EveryDtypeOrderAndPattern) {
  Random random = seeded();
  for (lanesort_dtype dtype : kDtypes) {
    for (Pattern pattern : kPatterns) {
      for (int order = 0; order < 6; ++order) {
        Case c = random_case(random, random.chance(2) ? 5000 : 60000);
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

// One less, as many and one more than each kernel takes, side by side, with a gap of one between.
TEST_F(Segments, AroundEveryLimit) {
  Random random = seeded();
  for (lanesort_dtype dtype : {LANESORT_U8, LANESORT_F16, LANESORT_U32, LANESORT_F32, LANESORT_I64}) {
    for (std::uint32_t value_bytes : {0u, 1u, 4u, 8u, 16u}) {
      Case c;
      c.dtype = dtype;
      c.op = value_bytes == 0 ? LANESORT_OP_SORT : LANESORT_OP_SORT_PAIRS;
      c.value_bytes = value_bytes;
      c.own_values = value_bytes != 0;
      c.keys_in_place = random.chance(2);
      c.values_in_place = c.own_values && random.chance(2);
      const plan::CudaSegmentPlan plan = plan::plan_cuda_segments({lanesort_dtype_bytes(dtype), value_bytes, false, 0}, {});
      Stretches s;
      std::uint64_t at = 1;
      for (std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{16}, std::uint64_t{32}, std::uint64_t{64},
                                  std::uint64_t{128}, std::uint64_t{plan.of_team}, std::uint64_t{512},
                                  std::uint64_t{plan.of_block[0]}, std::uint64_t{4096}, std::uint64_t{plan.of_block[1]},
                                  std::uint64_t{plan.tile}, 2 * std::uint64_t{plan.tile}}) {
        for (std::uint64_t length = limit - 1; length <= limit + 1; ++length, ++at) {
          s.add(at, at + length);
          at += length;
        }
      }
      c.count = at;
      c.shape = "around limits";
      for (Pattern pattern : {Pattern::uniform, Pattern::few, Pattern::equal}) {
        c.pattern = pattern;
        run_segments(handle_, stream_, c, s, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Segments, RandomRequests) {
  Random random = seeded();
  for (int i = 0; i < 800; ++i) {
    run_case(handle_, stream_, random_case(random, random.chance(3) ? 300000 : 30000), random,
             random.chance(2) ? random.below(5) : 0);
    if (HasFailure()) return;
  }
}

// Every way with little data: short segments as if they were long, portions of one tile, late publishers, few blocks.
TEST_F(Segments, RandomRequestsWithLimitsShrunk) {
  Random random = seeded();
  for (int i = 0; i < 800; ++i) {
    plan::CudaLimits& limits = handle_->limits;
    limits = {};
    const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random.below(bound)); };
    if (random.chance(2)) limits.segment_of_team = below(257);
    if (random.chance(2)) limits.segment_of_block[0] = below(2000);
    if (random.chance(2)) limits.segment_of_block[1] = below(5000);
    if (random.chance(2)) limits.portion = 1 + random.below(30000);
    if (random.chance(2)) limits.most_blocks = 1 + below(5);
    if (random.chance(4)) limits.hold_every = 1 + below(5);
    run_case(handle_, stream_, random_case(random, random.chance(3) ? 300000 : 30000), random,
             random.chance(2) ? random.below(5) : 0);
    if (HasFailure()) return;
  }
}

// Ties of every kind of special, stable in each way.
TEST_F(Segments, HeavyTies) {
  Random random = seeded();
  constexpr std::uint32_t kFloats[] = {0,           0x80000000u, 0x7fc00000u, 0xffc00001u,
                                       0x7f800000u, 0xff800000u, 1,           0x80000001u};
  for (std::uint64_t length : {5u, 30u, 200u, 1500u, 9000u, 30000u}) {
    for (unsigned values : {1u, 2u, 8u}) {
      for (int order = 0; order < 6; ++order) {
        for (std::uint32_t value_bytes : {0u, 4u}) {
          Case c;
          c.dtype = LANESORT_F32;
          c.op = value_bytes == 0 ? LANESORT_OP_SORT : LANESORT_OP_ARGSORT;
          c.value_bytes = value_bytes;
          c.order = static_cast<lanesort_order>(order % 2);
          c.float_order = static_cast<lanesort_float_order>(order / 2);
          c.count = std::max<std::uint64_t>(5 * length, 2000);
          c.shape = "of " + std::to_string(length);
          Stretches s;
          for (std::uint64_t at = 0; at < c.count; at += length) s.add(at, std::min(at + length, c.count));
          const std::uint64_t turn = random.below(8);
          Bytes keys(c.count * 4);
          for (std::uint64_t i = 0; i < c.count; ++i)
            std::memcpy(&keys[i * 4], &kFloats[(turn + random.below(values)) % 8], 4);
          run_with(handle_, stream_, c, s, keys, random);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(Segments, OffsetsPastTheItemsAreClamped) {
  Random random = seeded();
  for (int i = 0; i < 40; ++i) {
    Case c = random_case(random, 50000);
    c.joined = false;
    Stretches s = draw_segments(random, c.count, false, &c.shape);
    const std::uint64_t last = s.ends.back();
    s.ends.back() = random.chance(2) ? UINT64_MAX : last + random.below(100000);
    if (s.ends.back() != UINT64_MAX) s.add(s.ends.back() + 1, UINT64_MAX);
    s.add(UINT64_MAX, UINT64_MAX);
    c.shape += ", past the end";
    run_segments(handle_, stream_, c, s, random);
    if (HasFailure()) return;
  }
}

// What such segments hold is nobody's promise, but work ends and writes nowhere else.
TEST_F(Segments, OffsetsInDisorderHarmNothingElse) {
  Random random = seeded();
  for (int i = 0; i < 60; ++i) {
    Case c = random_case(random, 60000);
    c.joined = false;
    Bench bench(c, {{0}, {0}}, make_keys(random, c.pattern, lanesort_dtype_bytes(c.dtype), c.count), random, 0,
                handle_->limits, 2000);
    bench.segments = {};
    const std::uint64_t wildness = std::uint64_t{1} << random.below(63);
    for (std::uint64_t s = 1 + random.below(1500); s != 0; --s) {
      const std::uint64_t bound = random.chance(5) ? wildness : c.count + 1;
      bench.segments.add(random.below(bound), random.below(bound));
    }
    bench.put_segments();
    ASSERT_EQ(bench.record(handle_, stream_), LANESORT_OK) << lanesort_last_error();
    ASSERT_EQ(Cuda::get().cuStreamSynchronize(stream_), 0) << c.words();
    bench.guard();
    if (HasFailure()) return;
  }
}

TEST_F(Segments, LargeOfEveryPattern) {
  Random random = seeded();
  for (Pattern pattern : kPatterns) {
    for (lanesort_dtype dtype : {LANESORT_U32, LANESORT_F64, LANESORT_U8}) {
      Case c = random_case(random, 100);
      c.dtype = dtype;
      c.bit_begin = 0;
      c.bit_end = LANESORT_ALL_BITS;
      c.pattern = pattern;
      c.count = 2000000 + random.below(2000000);
      c.real_count = UINT64_MAX;
      run_case(handle_, stream_, c, random);
      c.shape = "one of all";
      Stretches whole;
      whole.add(0, c.count);
      run_segments(handle_, stream_, c, whole, random);
      if (HasFailure()) return;
    }
  }
}

TEST_F(Segments, CaptureAndReplayWithOtherOffsets) {
  Random random = seeded();
  for (bool shrunk : {false, true}) {
    handle_->limits = {};
    if (shrunk) {
      handle_->limits.segment_of_team = 20;
      handle_->limits.segment_of_block[0] = 100;
      handle_->limits.segment_of_block[1] = 1000;
      handle_->limits.portion = 1;
    }
    Case c;
    c.op = LANESORT_OP_SORT_PAIRS;
    c.value_bytes = 4;
    c.own_values = true;
    c.count = 100000;
    c.real_count = c.count;
    constexpr std::uint64_t kSegments = 3000;
    const auto offsets = [&] {
      Stretches s = draw_segments(random, c.count, false, &c.shape);
      s.begins.resize(kSegments, c.count);
      s.ends.resize(kSegments, c.count);
      return s;
    };
    Bench bench(c, offsets(), make_keys(random, Pattern::uniform, 4, c.count), random, 0, handle_->limits);
    Cuda& cu = Cuda::get();
    LANESORT_MUST(cuStreamBeginCapture_v2(stream_, 0));
    ASSERT_EQ(bench.record(handle_, stream_), LANESORT_OK) << lanesort_last_error();
    GraphOf* graph = nullptr;
    ExecOf* exec = nullptr;
    LANESORT_MUST(cuStreamEndCapture(stream_, &graph));
    LANESORT_MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int replay = 0; replay < 12; ++replay) {
      bench.c.real_count = replay == 0 ? c.count : random.below(c.count + 1000);
      bench.segments = offsets();
      bench.c.shape = c.shape;
      bench.c.pattern = kPatterns[random.below(10)];
      bench.keys = make_keys(random, bench.c.pattern, 4, c.count);
      bench.keys_src.put(bench.keys);
      bench.keys_dst.fill(DeviceBuffer::kCanary);
      bench.values_dst.fill(DeviceBuffer::kCanary);
      bench.put_segments();
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

TEST_F(Segments, HundredsOfRepeatsOnDirtyScratch) {
  Random random = seeded();
  for (std::uint64_t most : {200u, 3000u, 11000u, 200000u}) {
    Case c;
    c.op = LANESORT_OP_ARGSORT;
    c.value_bytes = 4;
    c.count = 1000000;
    c.shape = "up to " + std::to_string(most);
    Stretches s;
    for (std::uint64_t at = 0; at < c.count;) {
      const std::uint64_t end = std::min(c.count, at + 1 + random.below(most));
      s.add(at, end);
      at = end;
    }
    const Bench bench(c, s, make_keys(random, Pattern::uniform, 4, c.count), random, 0, handle_->limits);
    for (int i = 0; i < 300; ++i) {
      ASSERT_EQ(bench.record(handle_, stream_), LANESORT_OK) << lanesort_last_error();
      if (i % 100 != 99) continue;
      LANESORT_MUST(cuStreamSynchronize(stream_));
      bench.judge();
      if (HasFailure()) return;
    }
  }
}

// A short list for compute-sanitizer.
TEST_F(Segments, Sanitized) {
  Random random = seeded();
  for (int i = 0; i < 24; ++i) {
    handle_->limits = {};
    if (i % 2 == 0) handle_->limits.segment_of_block[1] = 600;
    if (i % 4 == 0) handle_->limits.portion = 1;
    run_case(handle_, stream_, random_case(random, 30000), random);
    if (HasFailure()) return;
  }
}

TEST_F(Segments, RefusalsInWords) {
  Random random = seeded();
  Case c;
  c.op = LANESORT_OP_SORT_PAIRS;
  c.value_bytes = 4;
  c.own_values = true;
  c.count = 100000;
  Stretches s;
  s.add(0, c.count);
  Bench bench(c, s, make_keys(random, Pattern::uniform, 4, c.count), random, 0, handle_->limits);
  const auto refused = [&](const lanesort_sort_desc& bad, lanesort_status status, const char* words) {
    EXPECT_EQ(lanesort_cuda_sort_pairs(handle_, stream_, &bad, nullptr), status);
    EXPECT_NE(std::string(lanesort_last_error()).find(words), std::string::npos) << lanesort_last_error();
  };
  const auto beside = [](const void* at, std::ptrdiff_t bytes) {
    return reinterpret_cast<const std::uint64_t*>(static_cast<const char*>(at) + bytes);
  };
  lanesort_sort_desc bad = bench.desc;
  bad.scratch_bytes -= 1;
  refused(bad, LANESORT_SCRATCH_TOO_SMALL, std::to_string(bench.desc.scratch_bytes).c_str());
  bad = bench.desc;
  bad.segment_begins = beside(bench.begins.data(), 4);
  refused(bad, LANESORT_INVALID_ARGUMENT, "aligned");
  bad = bench.desc;
  bad.segment_ends = beside(bench.keys_dst.data(), 8);
  refused(bad, LANESORT_INVALID_ARGUMENT, "overlaps");
  bad = bench.desc;
  bad.segment_count = UINT64_MAX;
  refused(bad, LANESORT_INVALID_ARGUMENT, "segment_count");
  bad = bench.desc;
  bad.local_indices = 2;
  refused(bad, LANESORT_INVALID_ARGUMENT, "local_indices");
  bad = bench.desc;
  bad.value_bytes = 3;
  refused(bad, LANESORT_UNSUPPORTED, "3 bytes");
  EXPECT_EQ(lanesort_cuda_sort_pairs(nullptr, stream_, &bench.desc, nullptr), LANESORT_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace lanesort::test
