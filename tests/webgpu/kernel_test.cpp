// Each kernel against its twin: a plan runs dispatch by dispatch on the device and in src/reference, and after each
// dispatch every buffer must hold the same words.
#include <gtest/gtest.h>

#include "lanesort/webgpu.h"
#include "reference/run.hpp"
#include "support/offsets.hpp"
#include "support/random.hpp"
#include "webgpu/callers_device.hpp"
#include "webgpu/sorter.hpp"

namespace lanesort::test {
namespace {

constexpr const char* kRoles[] = {"scratch",    "keys_src", "keys_dst",       "values_src",
                                  "values_dst", "count",    "segment_begins", "segment_ends"};
using Bytes = std::vector<unsigned char>;
using Memory = std::array<Bytes, plan::kBufferRoles>;

enum class Cut { whole, joined, apart };

struct Case {
  const char* name;
  lanesort_operation operation;
  lanesort_dtype dtype;
  std::uint32_t value_bytes;
  bool in_place, descending;
  Pattern pattern;
  std::uint64_t count;
  plan::PortableLimits limits;
  std::uint64_t k = 0;
  bool top_k() const { return operation == LANESORT_OP_TOP_K; }
  Cut cut = Cut::whole;
  bool local = false;
};

constexpr plan::PortableLimits kSubgroups{.workgroup = 64, .items = 2, .groups = 3, .no_small = true};
constexpr plan::PortableLimits kPlain{
    .workgroup = 64, .items = 3, .radix_bits = 4, .groups = 5, .no_small = true, .no_subgroups = true};
// A block of the scan is four counts of each invocation.
constexpr plan::PortableLimits kScanBlocks{
    .workgroup = 16, .items = 2, .radix_bits = 4, .groups = 200, .no_small = true, .no_subgroups = true};
// As many as there are tiles by then, and too few.
constexpr plan::PortableLimits kSweeps{.workgroup = 64,
                                       .items = 2,
                                       .groups = 8,
                                       .no_small = true,
                                       .form = plan::PortableForm::single_pass};
constexpr plan::PortableLimits kWithheld{.workgroup = 64,
                                         .items = 3,
                                         .radix_bits = 4,
                                         .groups = 3,
                                         .no_small = true,
                                         .no_subgroups = true,
                                         .form = plan::PortableForm::single_pass,
                                         .looks = 1,
                                         .withheld = 2};
constexpr plan::PortableLimits kOneWorkgroup{.workgroup = 64, .items = 2};
// Two tiles a chunk and more, where there are so many.
constexpr plan::PortableLimits kChunks{.workgroup = 64, .items = 2, .groups = 8};
constexpr Case kCases[] = {
    {"PairsInPlace", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, true, false, Pattern::uniform, 1000, kSubgroups},
    {"KeysFromHereToThere", LANESORT_OP_SORT, LANESORT_F32, 0, false, true, Pattern::uniform, 777, kSubgroups},
    {"WideKeysAndValues", LANESORT_OP_SORT_PAIRS, LANESORT_F64, 8, false, false, Pattern::gaps, 500, kSubgroups},
    {"NarrowArgsort", LANESORT_OP_ARGSORT, LANESORT_I8, 4, false, true, Pattern::uniform, 1001, kSubgroups},
    {"NarrowInPlace", LANESORT_OP_SORT, LANESORT_F16, 0, true, false, Pattern::uniform, 999, kSubgroups},
    {"SortedAlready", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, false, false, Pattern::sorted, 1000, kSubgroups},
    {"WithoutSubgroups", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, true, false, Pattern::narrow, 1000, kPlain},
    {"FewDifferent", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, true, false, Pattern::few, 1000, kSubgroups},
    {"SomeBlocksOfTheScan", LANESORT_OP_SORT, LANESORT_U32, 0, true, false, Pattern::uniform, 4793, kScanBlocks},
    {"Sweeps", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, true, false, Pattern::uniform, 1000, kSweeps},
    {"SweepsOfWideKeys", LANESORT_OP_SORT_PAIRS, LANESORT_F64, 8, false, true, Pattern::gaps, 500, kSweeps},
    {"SweepsForAnArgsort", LANESORT_OP_ARGSORT, LANESORT_I16, 4, false, false, Pattern::uniform, 1001, kSweeps},
    {"SweepsOfSortedKeys", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, false, false, Pattern::sorted, 1000, kSweeps},
    {"SweepsWithSignalsWithheld", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, true, false, Pattern::uniform, 2000, kWithheld},
    {"FirstOfMany", LANESORT_OP_TOP_K, LANESORT_U32, 4, false, false, Pattern::uniform, 3000, kSubgroups, 200},
    {"FirstWithoutSubgroups", LANESORT_OP_TOP_K, LANESORT_U32, 4, false, true, Pattern::gaps, 2000, kPlain, 300},
    {"FirstOfWideKeysAndValues", LANESORT_OP_TOP_K, LANESORT_F64, 8, false, true, Pattern::gaps, 1500, kSubgroups, 300},
    {"FirstOfEqualKeys", LANESORT_OP_TOP_K, LANESORT_F32, 4, false, false, Pattern::few, 1000, kSubgroups, 333},
    {"FirstOfNarrowKeys", LANESORT_OP_TOP_K, LANESORT_I16, 4, false, true, Pattern::uniform, 1001, kSubgroups, 77},
    {"FirstByOneWorkgroup", LANESORT_OP_TOP_K, LANESORT_U32, 4, false, false, Pattern::uniform, 1000, kOneWorkgroup, 50},
    {"MostOfThem", LANESORT_OP_TOP_K, LANESORT_U32, 0, false, false, Pattern::uniform, 1000, kSubgroups, 800},
    {"OneWorkgroup", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, true, false, Pattern::few, 100, kOneWorkgroup},
    {"Segments", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, true, false, Pattern::uniform, 4000, kChunks, 0, Cut::joined},
    {"SegmentsOfNarrowKeys", LANESORT_OP_SORT_PAIRS, LANESORT_I8, 4, false, false, Pattern::uniform, 4001, kChunks,
     0, Cut::apart},
    {"SegmentsForAnArgsort", LANESORT_OP_ARGSORT, LANESORT_F16, 4, false, true, Pattern::uniform, 3001, kChunks,
     0, Cut::apart, true},
    {"SegmentsSortedAlready", LANESORT_OP_SORT_PAIRS, LANESORT_U32, 4, false, false, Pattern::sorted, 4000, kChunks,
     0, Cut::apart},
    {"SegmentsOfOneTile", LANESORT_OP_SORT_PAIRS, LANESORT_F32, 4, true, false, Pattern::few, 100, kChunks, 0, Cut::apart},
};

class Kernels : public OnCallersDevice, public testing::WithParamInterface<Case> {
 protected:
  void TearDown() override {
    for (const abi::Buffer buffer : buffers_) {
      if (buffer != nullptr) gpu_->api.wgpuBufferRelease(buffer);
    }
    lanesort_webgpu_release(sorter_);
    OnCallersDevice::TearDown();
  }

  void prepare(const Case& c) {
    handle_->limits = c.limits;
    int there = 0, here = 0;
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = c.dtype;
    desc.order = c.descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
    desc.count = c.count;
    desc.value_bytes = c.value_bytes;
    desc.k = c.k;
    desc.keys_src = &here;
    desc.keys_dst = c.operation == LANESORT_OP_ARGSORT ? nullptr : c.in_place ? &here : &there;
    if (c.operation == LANESORT_OP_SORT_PAIRS || (c.top_k() && c.value_bytes == 8)) desc.values_src = &here;
    if (c.value_bytes != 0) desc.values_dst = c.in_place ? &here : &there;
    const std::uint64_t marker = 0;
    if (c.cut != Cut::whole) desc.segment_begins = &marker;
    if (c.cut == Cut::apart) desc.segment_ends = &marker;
    desc.segment_count = offsets_.begins.size();
    desc.local_indices = c.local;
    ASSERT_EQ(lanesort_webgpu_prepare(handle_, c.operation, &desc, 1, &sorter_), LANESORT_OK) << lanesort_last_error();
  }

  Memory make_memory(const Case& c, Random& random) const {
    Memory memory;
    const auto dirty = [&](std::uint64_t bytes) {
      Bytes out((bytes + 3) / 4 * 4);
      for (unsigned char& byte : out) byte = static_cast<unsigned char>(random.next());
      return out;
    };
    const std::uint64_t key_bytes = c.count * lanesort_dtype_bytes(c.dtype), value_bytes = c.count * c.value_bytes;
    memory[0] = dirty(sorter_->plan.scratch_bytes);
    for (const std::size_t role : {1u, 2u}) memory[role] = dirty(role == 2 && c.top_k() ? key_bytes * c.k / c.count : key_bytes);
    for (const std::size_t role : {3u, 4u}) memory[role] = dirty(role == 4 && c.top_k() ? value_bytes * c.k / c.count : value_bytes);
    const Bytes keys = make_keys(random, c.pattern, lanesort_dtype_bytes(c.dtype), c.count);
    std::copy(keys.begin(), keys.end(), memory[c.in_place ? 2 : 1].begin());
    const auto bytes_of = [](const std::vector<std::uint32_t>& words) {
      Bytes out(4 * words.size());
      if (!words.empty()) std::memcpy(out.data(), words.data(), out.size());
      return out;
    };
    if (c.cut != Cut::whole) memory[6] = bytes_of(begin_words(offsets_));
    if (c.cut != Cut::whole) memory[7] = bytes_of(end_words(offsets_));
    return memory;
  }

  void upload(const Memory& memory) {
    for (std::size_t role = 0; role < memory.size(); ++role) {
      if (memory[role].empty()) continue;
      buffers_[role] = gpu_->make_buffer(memory[role].size());
      gpu_->upload(buffers_[role], memory[role].data(), memory[role].size());
    }
  }

  // One dispatch of the plan by itself.
  void run_on_device(const plan::Dispatch& dispatch, abi::ComputePipeline pipeline) {
    sorter_->plan.dispatch_count = 1;
    sorter_->plan.dispatches[0] = dispatch;
    sorter_->pipelines[0] = pipeline;
    lanesort_webgpu_buffers buffers = LANESORT_WEBGPU_BUFFERS_INIT;
    buffers.count = sorter_->bound;
    buffers.scratch.buffer = buffers_[0];
    buffers.keys_src.buffer = buffers_[1];
    buffers.keys_dst.buffer = buffers_[2];
    buffers.values_src.buffer = buffers_[3];
    buffers.values_dst.buffer = buffers_[4];
    buffers.segment_count = sorter_->segment_bound;
    buffers.segment_begins.buffer = buffers_[6];
    buffers.segment_ends.buffer = buffers_[7];
    const abi::CommandEncoder commands = gpu_->api.wgpuDeviceCreateCommandEncoder(gpu_->device, nullptr);
    ASSERT_EQ(lanesort_webgpu_encode(sorter_, commands, &buffers), LANESORT_OK) << lanesort_last_error();
    gpu_->submit(commands);
  }

  // Names the first wrong word by its slice, its place there and, of keys, its tile.
  void expect_same(const plan::PortablePlan& plan, const plan::Dispatch& dispatch, std::size_t role, const Bytes& got,
                   const Bytes& want) const {
    if (got == want) return;
    const std::size_t byte =
        static_cast<std::size_t>(std::mismatch(got.begin(), got.end(), want.begin()).first - got.begin());
    std::string place = std::string(kRoles[role]) + " byte " + std::to_string(byte);
    const plan::BindingSet& bound = plan.bindings[dispatch.bindings];
    for (std::size_t binding = 0; binding < bound.size(); ++binding) {
      const plan::Slice& slice = bound[binding];
      if (static_cast<std::size_t>(slice.role) != role || byte < slice.offset || byte >= slice.offset + slice.bytes)
        continue;
      const std::uint64_t word = (byte - slice.offset) / 4;
      place += ", word " + std::to_string(word) + " of binding " + std::to_string(binding);
      if (binding <= contract::kBindingKeysAlt)
        place += ", in tile " + std::to_string(word / plan.key_words / plan.shape.tile());
    }
    ADD_FAILURE() << "first wrong: " << place;
  }

  // Short ones, empty ones, and one of many tiles.
  void draw_segments(const Case& c, Random& random) {
    const std::uint64_t some = c.count / 2;
    do {
      offsets_ = draw_offsets(random, some);
    } while (offsets_.joined != (c.cut == Cut::joined));
    offsets_.begins.push_back(offsets_.ends.empty() ? 0 : offsets_.ends.back());
    offsets_.ends.push_back(offsets_.begins.back() + c.count - some);
  }

  lanesort_webgpu_sorter* sorter_ = nullptr;
  std::array<abi::Buffer, plan::kBufferRoles> buffers_{};
  Offsets offsets_;
};

TEST_P(Kernels, StepByStep) {
  const Case& c = GetParam();
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  if (c.cut != Cut::whole) draw_segments(c, random);
  prepare(c);
  if (HasFatalFailure()) return;
  Memory twin = make_memory(c, random);
  upload(twin);
  const plan::PortablePlan plan = sorter_->plan;
  const auto pipelines = sorter_->pipelines;
  reference::Buffers spans;
  for (std::size_t role = 0; role < twin.size(); ++role) spans[role] = twin[role];
  contract::Request request;
  request.bound = sorter_->bound;
  request.segment_count = sorter_->segment_bound;
  reference::RunOptions options;
  options.after = [&](std::uint32_t index, const plan::Dispatch& dispatch) {
    if (HasFailure()) return;
    SCOPED_TRACE("after dispatch " + std::to_string(index) + ", " +
                 contract::kKernelNames[static_cast<std::uint32_t>(dispatch.kernel)]);
    run_on_device(dispatch, pipelines[index]);
    for (std::size_t role = 0; role < twin.size(); ++role) {
      if (!twin[role].empty())
        expect_same(plan, dispatch, role, gpu_->download<unsigned char>(buffers_[role], twin[role].size()), twin[role]);
    }
  };
  reference::run(plan, spans, request, options);
}

INSTANTIATE_TEST_SUITE_P(Twins, Kernels, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lanesort::test
