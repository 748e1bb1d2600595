// The portable plan, run by the twins of its kernels, gives the bytes that the CPU engine gives: every dtype, operation,
// order, bit range, value width and arrangement of buffers, counts on the device, and limits shrunk until few items are
// many tiles. The twins check every access; canaries stand round what they cannot see.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/run.hpp"
#include "reference/work.hpp"
#include "requests.hpp"
#include "support/call.hpp"
#include "support/effort.hpp"
#include "support/offsets.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

using Bytes = std::vector<unsigned char>;
using plan::BufferRole;
using plan::PortableCapabilities;
using plan::PortableLimits;
using plan::PortableOperation;
using plan::PortablePlan;
using plan::PortableRequest;

constexpr std::size_t kFence = 64;
constexpr unsigned char kCanary = 0xA5;

// A caller's buffer: whole words, noise in it, canaries round it.
class Guarded {
 public:
  Guarded(Random& random, std::uint64_t bytes, const Bytes& content = {})
      : memory_((bytes + 3) / 4 * 4 + 2 * kFence, kCanary) {
    for (unsigned char& byte : span()) byte = static_cast<unsigned char>(random.next());
    std::copy(content.begin(), content.end(), span().begin());
    before_ = bytes_now();
  }
  std::span<unsigned char> span() { return {memory_.data() + kFence, memory_.size() - 2 * kFence}; }
  Bytes bytes_now() const { return {memory_.begin() + kFence, memory_.end() - kFence}; }
  const Bytes& bytes_before() const { return before_; }
  bool intact() const {
    const auto canary = [](unsigned char byte) { return byte == kCanary; };
    return std::all_of(memory_.begin(), memory_.begin() + kFence, canary) &&
           std::all_of(memory_.end() - kFence, memory_.end(), canary);
  }

 private:
  Bytes memory_, before_;
};

struct Trial {
  PortableRequest request;
  PortableCapabilities capabilities;
  PortableLimits limits;
  OrderSpec order;
  Pattern pattern = Pattern::uniform;
  std::uint32_t bound = 0;  // of this run; the plan's count or less
  bool count_on_device = false;
  std::uint32_t device_count = 0, count_word = 0;
  std::optional<std::uint32_t> args_workgroups;
  Offsets offsets;  // of the request's segments, or of fewer

  bool argsort() const { return request.operation == PortableOperation::argsort; }
  bool top_k() const { return request.operation == PortableOperation::top_k; }
  bool keys_given_out() const { return top_k() ? request.keys_wanted : !argsort(); }
  bool values_given() const { return request.operation == PortableOperation::sort_pairs || request.initial_values; }
  // How many items there are in the end.
  std::uint64_t items() const {
    return count_on_device ? std::min(bound, device_count) : bound;
  }
  // Of so many the results have room at most for those that are asked for.
  std::uint64_t given_of(std::uint64_t count) const { return top_k() ? std::min(request.k, count) : count; }
  std::string text() const {
    const auto list = [](const char* name, std::initializer_list<std::uint64_t> numbers) {
      std::string out = std::string(" ") + name;
      for (const std::uint64_t number : numbers) out += ' ' + std::to_string(number);
      return out;
    };
    const PortableRequest& r = request;
    return std::string(lanesort_dtype_name(order.dtype)) + " pattern " + pattern_name(pattern) +
           list("operation", {static_cast<std::uint64_t>(r.operation)}) + list("descending", {r.descending}) +
           list("floats", {order.float_order}) + list("bits", {r.bit_begin, r.bit_end}) +
           list("value_bytes", {r.value_bytes}) + list("initial", {r.initial_values}) +
           list("in place", {r.keys_in_place, r.values_in_place}) + list("count", {r.count, bound}) + list("k", {r.k, r.keys_wanted}) +
           list("on device", {count_on_device, device_count, count_word}) +
           list("limits", {limits.workgroup, limits.items, limits.radix_bits, limits.groups, limits.no_small}) +
           list("form", {static_cast<std::uint64_t>(limits.form), limits.withheld}) +
           list("subgroups", {capabilities.subgroups, capabilities.subgroup_min, capabilities.subgroup_max}) +
           list("args", {args_workgroups.value_or(0)}) +
           list("segments", {r.segmented, r.segment_count, offsets.begins.size(), offsets.joined, r.local_indices});
  }
};

// What the CPU engine makes of the first items; the rest stays as it was.
struct Wanted {
  Bytes keys, values;
};

Wanted by_cpu(const Trial& trial, const Guarded& keys, const Guarded& keys_dst, const Guarded& values,
              const Guarded& values_dst) {
  Wanted want{keys_dst.bytes_before(), values_dst.bytes_before()};
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = trial.order.dtype;
  desc.order = trial.order.descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
  desc.float_order = trial.order.float_order;
  desc.bit_begin = trial.request.bit_begin;
  desc.bit_end = trial.request.bit_end;
  desc.value_bytes = trial.request.value_bytes;
  desc.threads = 1;
  desc.count = trial.items();
  desc.k = trial.request.k;
  desc.keys_src = keys.bytes_before().data();
  if (trial.keys_given_out()) desc.keys_dst = want.keys.data();
  if (trial.values_given()) desc.values_src = values.bytes_before().data();
  if (trial.request.value_bytes != 0) desc.values_dst = want.values.data();
  const auto operation = static_cast<lanesort_operation>(trial.request.operation);
  Offsets offsets = clamped(trial.offsets, trial.items());
  if (trial.request.segmented) {
    if (are_broken(trial.offsets)) return want;
    offsets.begins.push_back(0);  // so that there is an address
    desc.segment_begins = offsets.begins.data();
    desc.segment_ends = offsets.ends.data();
    desc.segment_count = trial.offsets.begins.size();
    desc.local_indices = trial.request.local_indices;
    if (desc.segment_count == 0) return want;
  }
  EXPECT_EQ(call(operation, desc), LANESORT_OK) << lanesort_last_error();
  return want;
}

std::uint32_t sorted_count(const Trial& trial, const Bytes& keys) {
  const std::uint32_t width = trial.request.bit_end - trial.request.bit_begin;
  const std::uint64_t ones = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t range = width == 0 ? 0 : ones << trial.request.bit_begin;
  std::uint32_t out = 0;
  for (std::uint64_t i = 0; i < trial.items(); ++i) {
    const std::uint64_t raw = raw_at(keys, trial.request.key_bits / 8, i);
    out += (mapped_key(trial.order, raw) & range) != range ? 1 : 0;
  }
  return static_cast<std::uint32_t>(trial.given_of(out));
}

void expect_same(const char* what, const Bytes& want, const Bytes& got, std::uint32_t item_bytes) {
  ASSERT_EQ(want.size(), got.size());
  for (std::size_t i = 0, shown = 0; i < want.size() && shown < 10; ++i) {
    if (want[i] == got[i]) continue;
    ADD_FAILURE() << what << ' ' << i / item_bytes << " byte " << i % item_bytes << ": want " << int{want[i]}
                  << ", got " << int{got[i]};
    ++shown;
  }
}

void run_trial(const Trial& trial, Random& random) {
  SCOPED_TRACE(trial.text());
  const PortableRequest& request = trial.request;
  const PortablePlan plan = plan_portable_sort(request, trial.capabilities, trial.limits);
  ASSERT_EQ(plan.refusal, plan::PortableRefusal::none);
  // Tiles that tests have shrunk have more messages than the bound knows of.
  if ((plan.form != plan::PortableForm::single_pass && !request.segmented) || trial.limits.workgroup == 0) {
    ASSERT_LE(plan.scratch_bytes, portable_scratch_bound(request));
  }

  const std::uint32_t key_bytes = request.key_bits / 8;
  const std::uint64_t all_keys = request.count * key_bytes, all_values = request.count * request.value_bytes;
  const bool keys_in_place = request.keys_in_place && !trial.argsort();
  const bool values_in_place = request.values_in_place && trial.values_given();
  Guarded keys_src(random, all_keys, make_keys(random, trial.pattern, key_bytes, request.count));
  Guarded values_src(random, trial.values_given() ? all_values : 0);
  const std::uint64_t given = trial.given_of(request.count);
  Guarded keys_dst(random, !trial.keys_given_out() || keys_in_place ? 0 : given * key_bytes);
  Guarded values_dst(random, values_in_place ? 0 : given * request.value_bytes);
  Guarded counts(random, trial.count_on_device ? 4 * (trial.count_word + 1) : 0);
  if (trial.count_on_device) std::memcpy(counts.span().data() + 4 * trial.count_word, &trial.device_count, 4);
  const Bytes counts_before = counts.bytes_now();
  const auto words_of = [&](std::vector<std::uint32_t> list, std::uint64_t room) {
    Bytes bytes(4 * list.size());
    if (!list.empty()) std::memcpy(bytes.data(), list.data(), bytes.size());
    return Guarded(random, request.segmented ? 4 * room : 0, request.segmented ? bytes : Bytes{});
  };
  Guarded begins = words_of(begin_words(trial.offsets), request.segment_count + (request.segment_ends ? 0 : 1));
  Guarded ends = words_of(end_words(trial.offsets), request.segment_ends ? request.segment_count : 0);
  Guarded scratch(random, plan.scratch_bytes);
  ASSERT_EQ(scratch.span().size(), plan.scratch_bytes) << "scratch is whole words";
  Guarded& keys_out = keys_in_place ? keys_src : keys_dst;
  Guarded& values_out = values_in_place ? values_src : values_dst;
  const Wanted want = by_cpu(trial, keys_src, keys_out, values_src, values_out);

  reference::Buffers buffers;
  const auto lend = [&buffers](BufferRole role, Guarded& buffer) {
    buffers[static_cast<std::size_t>(role)] = buffer.span();
  };
  lend(BufferRole::scratch, scratch);
  // In place there is one buffer: what asks for the source has made a mistake, and finds nothing.
  if (!keys_in_place) lend(BufferRole::keys_src, keys_src);
  if (!values_in_place) lend(BufferRole::values_src, values_src);
  lend(BufferRole::keys_dst, keys_out);
  lend(BufferRole::values_dst, values_out);
  lend(BufferRole::count, counts);
  lend(BufferRole::segment_begins, begins);
  lend(BufferRole::segment_ends, ends);
  contract::Request words;
  words.segment_count = static_cast<std::uint32_t>(trial.offsets.begins.size());
  words.bound = trial.bound;
  words.count_word = trial.count_word;
  words.count_on_device = trial.count_on_device ? 1 : 0;
  reference::RunOptions options;
  options.args_workgroups = trial.args_workgroups;
  options.backwards = random.chance(2);
  std::uint32_t ran = 0;
  options.after = [&ran](std::uint32_t index, const plan::Dispatch&) { EXPECT_EQ(index, ran++); };
  ASSERT_NO_THROW(reference::run(plan, buffers, words, options));
  ASSERT_EQ(ran, plan.dispatch_count);

  if (trial.keys_given_out()) expect_same("key", want.keys, keys_out.bytes_now(), key_bytes);
  if (request.value_bytes != 0) expect_same("value", want.values, values_out.bytes_now(), request.value_bytes);
  if (!keys_in_place) expect_same("source key", keys_src.bytes_before(), keys_src.bytes_now(), key_bytes);
  if (trial.values_given() && !values_in_place) {
    expect_same("source value", values_src.bytes_before(), values_src.bytes_now(), request.value_bytes);
  }
  expect_same("count", counts_before, counts.bytes_now(), 4);
  for (const Guarded* buffer : {&begins, &ends}) expect_same("offset", buffer->bytes_before(), buffer->bytes_now(), 4);
  for (const Guarded* buffer : {&keys_src, &keys_dst, &values_src, &values_dst, &counts, &scratch, &begins, &ends}) {
    EXPECT_TRUE(buffer->intact()) << "a canary died";
  }
  if (given == 0 || request.segmented) return;
  std::uint32_t counted = 0;
  std::memcpy(&counted, scratch.span().data() + plan.sorted_count_offset, 4);
  EXPECT_EQ(counted, sorted_count(trial, keys_src.bytes_before()));
  std::memcpy(&counted, scratch.span().data() + plan.kept_count_offset(), 4);
  EXPECT_EQ(counted, trial.given_of(trial.items()));
}

template <class T>
T one_of(Random& random, std::initializer_list<T> choices) {
  return choices.begin()[random.below(choices.size())];
}

void draw_request(Trial& trial, Random& random, std::uint64_t largest) {
  PortableRequest& request = trial.request;
  request.operation = static_cast<PortableOperation>(random.below(4));
  trial.order.dtype = static_cast<lanesort_dtype>(1 + random.below(13));
  set_dtype(request, trial.order.dtype);
  trial.order.descending = request.descending = random.chance(2);
  trial.order.float_order = static_cast<lanesort_float_order>(random.below(3));
  request.nan = static_cast<NanPlace>(trial.order.float_order);
  if (random.chance(3)) {
    request.bit_begin = static_cast<std::uint32_t>(random.below(request.key_bits + 1));
    request.bit_end = request.bit_begin + static_cast<std::uint32_t>(random.below(request.key_bits - request.bit_begin + 1));
  }
  trial.order.bit_begin = request.bit_begin;
  trial.order.bit_end = request.bit_end;
  request.count = random.below(1 + (largest >> random.below(12)));
  request.keys_in_place = !trial.argsort() && !trial.top_k() && random.chance(2);
  if (request.operation == PortableOperation::sort_pairs) {
    request.value_bytes = one_of(random, {4u, 8u, 16u});
    request.values_in_place = random.chance(2);
  } else if (trial.argsort()) {
    request.value_bytes = one_of(random, {4u, 8u});
    request.initial_values = random.chance(2);
    request.values_in_place = request.initial_values && random.chance(2);
  } else if (trial.top_k()) {
    request.k = one_of<std::uint64_t>(random, {0, 1, random.below(1 + request.count / 32), random.below(request.count + 1),
                                               request.count, request.count + 1});
    request.initial_values = random.chance(2);
    request.value_bytes = request.initial_values ? one_of(random, {4u, 8u, 16u}) : one_of(random, {0u, 4u, 8u});
    request.keys_wanted = request.value_bytes == 0 || random.chance(2);
  }
  trial.pattern = static_cast<Pattern>(random.below(static_cast<std::uint64_t>(Pattern::count)));
}

void draw_device(Trial& trial, Random& random) {
  PortableLimits& limits = trial.limits;
  if (!random.chance(4)) {
    limits.workgroup = one_of(random, {4u, 5u, 8u, 16u, 33u, 64u});
    limits.items = 1 + static_cast<std::uint32_t>(random.below(4));
    limits.radix_bits = one_of(random, {0u, 4u, 8u});
  }
  limits.groups = one_of(random, {0u, 0u, 1u, 2u, 7u, 100u});
  limits.no_small = random.chance(2);
  limits.no_subgroups = random.chance(4);
  limits.form = one_of(random, {plan::PortableForm::tuned, plan::PortableForm::single_pass});
  limits.withheld = one_of(random, {0u, 1u, 2u, 3u});
  PortableCapabilities& device = trial.capabilities;
  device.subgroups = random.chance(2);
  device.subgroup_min = one_of(random, {4u, 8u, 16u, 32u, 64u, 128u});
  device.subgroup_max = std::max(device.subgroup_min, one_of(random, {4u, 32u, 128u}));
  device.workgroup_bytes = one_of(random, {16384u, 32768u, 65536u});
  // Eight bits a digit are scanned by 256 workgroups.
  if (random.chance(4)) device.workgroups = limits.radix_bits == 8 ? 256 : one_of(random, {16u, 100u, 256u});
}

void draw_counts(Trial& trial, Random& random) {
  trial.bound = static_cast<std::uint32_t>(trial.request.count);
  if (random.chance(4)) trial.bound = static_cast<std::uint32_t>(random.below(trial.bound + 1));
  trial.count_on_device = random.chance(2);
  if (!trial.count_on_device) return;
  const std::uint32_t bound = trial.bound;
  trial.count_word = static_cast<std::uint32_t>(random.below(5));
  trial.device_count = one_of(random, {bound, bound + 1, static_cast<std::uint32_t>(random.below(bound + 1)), 0u, 1u,
                                       0xffffffffu, static_cast<std::uint32_t>(random.below(bound + 1))});
  // Arguments of none are right for no items, and for nothing else.
  if (random.chance(2)) trial.args_workgroups = (trial.items() != 0 ? 1 : 0) + static_cast<std::uint32_t>(random.below(40));
}

Trial draw_trial(Random& random, std::uint64_t largest) {
  Trial trial;
  draw_request(trial, random, largest);
  draw_device(trial, random);
  draw_counts(trial, random);
  return trial;
}

TEST(Reference, RandomRequestsMatchTheCpu) {
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(6000) && !HasFailure(); ++i) run_trial(draw_trial(random, 3000), random);
}

// Offsets in order and within the items, past them, and now and then neither.
void draw_segments(Trial& trial, Random& random) {
  PortableRequest& request = trial.request;
  request.segmented = true;
  request.local_indices = random.chance(2);
  trial.offsets = draw_offsets(random, request.count);
  Offsets& offsets = trial.offsets;
  if (!offsets.ends.empty() && random.chance(4)) offsets.ends.back() += random.below(10);
  if (!offsets.ends.empty() && random.chance(6)) {
    const std::size_t s = random.below(offsets.begins.size());
    offsets.begins[s] = random.below(request.count + 10);
    if (offsets.joined && s != 0) offsets.ends[s - 1] = offsets.begins[s];
  }
  request.segment_ends = !offsets.joined;
  request.segment_count = offsets.begins.size() + random.below(3);
  trial.args_workgroups.reset();
}

TEST(Reference, SegmentsMatchTheCpu) {
  const std::uint64_t seed = run_seed() + 2;
  std::printf("seed %llu (LANESORT_SEED is two less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(6000) && !HasFailure(); ++i) {
    Trial trial = draw_trial(random, 3000);
    if (trial.request.operation == PortableOperation::top_k) continue;
    draw_segments(trial, random);
    run_trial(trial, random);
  }
}

TEST(Reference, CountsPastABlockOfTheScan) {
  const std::uint64_t seed = run_seed() + 1;
  std::printf("seed %llu (LANESORT_SEED is one less)\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (std::uint64_t i = 0; i < share_of(40) && !HasFailure(); ++i) {
    Trial trial = draw_trial(random, 1);
    trial.request.count = trial.bound = static_cast<std::uint32_t>(4000 + random.below(4000));
    trial.limits.workgroup = 4;
    trial.limits.items = 1;
    trial.limits.groups = tune::kPortableGroups;
    trial.limits.form = plan::PortableForm::reduce_then_scan;
    trial.capabilities.workgroups = 65535;
    trial.count_on_device = false;
    trial.args_workgroups.reset();
    run_trial(trial, random);
  }
}

// The order of keys is told apart from how they are moved: every pattern of 16 bits, in every 16-bit dtype and order.
TEST(Reference, EveryPatternOfSixteenBits) {
  Random random(1);
  for (const lanesort_dtype dtype : {LANESORT_U16, LANESORT_I16, LANESORT_F16, LANESORT_BF16}) {
    for (const bool descending : {false, true}) {
      for (std::uint32_t floats = 0; floats < (is_float(dtype) ? 3u : 1u); ++floats) {
        Trial trial;
        trial.request = portable_request(PortableOperation::argsort, dtype, 1);
        trial.order = {dtype, descending, floats, 0, 16};
        trial.request.descending = descending;
        trial.request.nan = static_cast<NanPlace>(floats);
        const contract::Step step = plan_portable_sort(trial.request, {}, {}).steps[0];
        for (std::uint32_t raw = 0; raw < 65536; ++raw) {
          ASSERT_EQ(reference::key_order(step, raw), mapped_key(trial.order, raw)) << trial.text() << " raw " << raw;
        }
      }
    }
  }
}

TEST(Reference, AnAccessOutsideASliceIsAnError) {
  PortableRequest request = portable_request(PortableOperation::sort, LANESORT_U32, 1000);
  request.keys_in_place = true;
  PortablePlan plan = plan_portable_sort(request, {}, {64, 4, 8, 0, false, false});
  Bytes scratch(plan.scratch_bytes), keys(4000);
  reference::Buffers buffers;
  buffers[static_cast<std::size_t>(BufferRole::scratch)] = scratch;
  buffers[static_cast<std::size_t>(BufferRole::keys_dst)] = keys;
  EXPECT_NO_THROW(reference::run(plan, buffers, {1000, 0, 0, 0}));
  EXPECT_THROW(reference::run(plan, buffers, {1001, 0, 0, 0}), std::out_of_range) << "a key past the slice";
  Bytes count(4, 0xff);
  buffers[static_cast<std::size_t>(BufferRole::count)] = count;
  EXPECT_THROW(reference::run(plan, buffers, {1000, 1, 1, 0}), std::out_of_range) << "a count past the buffer";
  buffers[static_cast<std::size_t>(BufferRole::scratch)] = std::span(scratch).first(scratch.size() - 4);
  plan.bindings[1][contract::kBindingKeysAlt].bytes = scratch.size() - plan.bindings[1][contract::kBindingKeysAlt].offset;
  EXPECT_THROW(reference::run(plan, buffers, {1000, 0, 0, 0}), std::out_of_range) << "a slice past the buffer";
}

}  // namespace
}  // namespace lanesort::test
