// The C ABI's refusals and its terms: every error says its cause, value, limit and remedy and leaves all data as it
// was; what is allowed at the edges (no items, NULL, shared sources) works.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/call.hpp"

namespace lanesort::test {
namespace {

constexpr lanesort_operation kOperations[] = {LANESORT_OP_SORT, LANESORT_OP_SORT_PAIRS, LANESORT_OP_ARGSORT};

// One arena for all buffers, so that "nothing was written" is one comparison. Slots of kCount u32 each.
class Arena {
 public:
  static constexpr std::uint64_t kCount = 64;
  enum Slot { keys_src, keys_dst, values_src, values_dst, scratch, spare };

  Arena() : words_(kCount * 16) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = static_cast<std::uint32_t>((i * 2654435761u) ^ 0x5bd1e995u);
    untouched_ = words_;
  }
  std::uint32_t* at(Slot slot) { return words_.data() + kCount * static_cast<std::size_t>(slot); }
  bool untouched() const { return words_ == untouched_; }

  lanesort_sort_desc request(lanesort_operation operation) {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = kCount;
    desc.keys_src = at(keys_src);
    if (operation != LANESORT_OP_ARGSORT) desc.keys_dst = at(keys_dst);
    if (operation != LANESORT_OP_SORT) {
      desc.value_bytes = 4;
      desc.values_src = at(values_src);
      desc.values_dst = at(values_dst);
    }
    return desc;
  }

 private:
  std::vector<std::uint32_t> words_, untouched_;
};

void expect_words(const std::vector<std::string>& words) {
  const std::string said = lanesort_last_error();
  for (const std::string& word : words) EXPECT_NE(said.find(word), std::string::npos) << "no '" << word << "' in: " << said;
}

struct Refusal {
  const char* name;
  lanesort_operation operation;
  std::function<void(lanesort_sort_desc&, Arena&)> spoil;
  lanesort_status status;
  std::vector<std::string> words;  // cause, value, limit, remedy
};

lanesort_executor serial_executor() {
  return {sizeof(lanesort_executor), 4, nullptr, [](void*, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
            for (std::uint32_t i = 0; i < count; ++i) task(argument, i);
          }};
}

const std::vector<Refusal>& refusals() {
  static const std::string descriptor_bytes = std::to_string(sizeof(lanesort_sort_desc));
  static lanesort_executor executors[3] = {serial_executor(), serial_executor(), serial_executor()};
  executors[0].struct_bytes = 7;
  executors[1].run = nullptr;
  executors[2].threads = 0;
  using D = lanesort_sort_desc&;
  using A = Arena&;
  constexpr auto sort = LANESORT_OP_SORT;
  constexpr auto pairs = LANESORT_OP_SORT_PAIRS;
  constexpr auto argsort = LANESORT_OP_ARGSORT;
  constexpr auto invalid = LANESORT_INVALID_ARGUMENT;
  static const std::vector<Refusal> list = {
      {"larger descriptor", sort, [](D d, A) { d.struct_bytes += 8; }, invalid, {"struct_bytes", std::to_string(sizeof(lanesort_sort_desc) + 8), descriptor_bytes, "LANESORT_SORT_INIT"}},
      {"smaller descriptor", pairs, [](D d, A) { d.struct_bytes -= 8; }, invalid, {"struct_bytes", descriptor_bytes, lanesort_version_string(), "LANESORT_SORT_INIT"}},
      {"no struct_bytes", argsort, [](D d, A) { d.struct_bytes = 0; }, invalid, {"struct_bytes is 0", descriptor_bytes}},
      {"dtype 0", sort, [](D d, A) { d.dtype = 0; }, invalid, {"dtype is 0", "LANESORT_BOOL"}},
      {"dtype past the last", sort, [](D d, A) { d.dtype = LANESORT_F64 + 1; }, invalid, {"dtype is 14", "LANESORT_F64"}},
      {"order", pairs, [](D d, A) { d.order = 2; }, invalid, {"order is 2", "LANESORT_ASCENDING", "LANESORT_DESCENDING"}},
      {"float order", argsort, [](D d, A) { d.float_order = 3; }, invalid, {"float_order is 3", "LANESORT_FLOAT_NUMERIC"}},
      {"bits past the key", sort, [](D d, A) { d.bit_end = 33; }, invalid, {"[0, 33)", "32 bits of u32", "end <= 32", "LANESORT_ALL_BITS"}},
      {"bits turned round", sort, [](D d, A) { d.bit_begin = 9, d.bit_end = 8; }, invalid, {"[9, 8)", "begin <= end"}},
      {"bits begin past the key", sort, [](D d, A) { d.bit_begin = 40; }, invalid, {"[40, 32)", "begin <= end <= 32"}},
      {"values in a sort", sort, [](D d, A) { d.value_bytes = 4; }, invalid, {"value_bytes is 4", "lanesort_sort_pairs"}},
      {"pairs without width", pairs, [](D d, A) { d.value_bytes = 0; }, invalid, {"value_bytes is 0", "lanesort_sort"}},
      {"indices of 3 bytes", argsort, [](D d, A) { d.value_bytes = 3; }, invalid, {"value_bytes is 3", "4 or 8"}},
      {"indices of 16 bytes", argsort, [](D d, A) { d.value_bytes = 16; }, invalid, {"value_bytes is 16", "4 or 8"}},
      {"more than 2^32 short indices", argsort, [](D d, A) { d.count = (std::uint64_t{1} << 32) + 1, d.values_src = nullptr; }, invalid, {"4294967297", "2^32", "value_bytes to 8"}},
      {"count of minus one", sort, [](D d, A) { d.count = UINT64_MAX; }, invalid, {"18446744073709551615", "limit", "negative"}},
      {"count whose bytes overflow", pairs, [](D d, A) { d.count = UINT64_MAX / 64, d.value_bytes = 4000; }, invalid, {"count is 288230376151711743", "limit"}},
      {"executor of another size", sort, [](D d, A) { d.executor = &executors[0]; }, invalid, {"executor.struct_bytes is 7", std::to_string(sizeof(lanesort_executor))}},
      {"executor without run", sort, [](D d, A) { d.executor = &executors[1]; }, invalid, {"executor.run is NULL", "no executor"}},
      {"executor without threads", sort, [](D d, A) { d.executor = &executors[2]; }, invalid, {"executor.threads is 0", "1 or more"}},
      {"no keys", sort, [](D d, A) { d.keys_src = nullptr; }, invalid, {"keys_src is NULL", "count is not 0", "address"}},
      {"nowhere to go", sort, [](D d, A) { d.keys_dst = nullptr; }, invalid, {"keys_dst is NULL"}},
      {"no values", pairs, [](D d, A) { d.values_src = nullptr; }, invalid, {"values_src is NULL"}},
      {"values go nowhere", pairs, [](D d, A) { d.values_dst = nullptr; }, invalid, {"values_dst is NULL"}},
      {"indices go nowhere", argsort, [](D d, A) { d.values_dst = nullptr; }, invalid, {"values_dst is NULL"}},
      {"argsort told to move keys", argsort, [](D d, A a) { d.keys_dst = a.at(Arena::keys_dst); }, invalid, {"keys_dst is set", "argsort moves no keys", "lanesort_sort_pairs"}},
      {"keys overlap by all but one item", sort, [](D d, A a) { d.keys_dst = a.at(Arena::keys_src) + 1; }, invalid, {"keys_src", "keys_dst", "overlap in part", "256 bytes", "same address"}},
      {"keys overlap by one byte", sort, [](D d, A a) { d.keys_dst = reinterpret_cast<char*>(a.at(Arena::keys_dst)) - 1; }, invalid, {"overlap in part"}},
      {"dst before src", sort, [](D d, A a) { d.keys_src = a.at(Arena::keys_dst) + 1, d.keys_dst = a.at(Arena::keys_dst); }, invalid, {"overlap in part"}},
      {"values overlap in part", pairs, [](D d, A a) { d.values_dst = a.at(Arena::values_src) + 5; }, invalid, {"values_src", "values_dst", "overlap in part"}},
      {"initial indices overlap in part", argsort, [](D d, A a) { d.values_dst = a.at(Arena::values_src) + 5; }, invalid, {"values_src", "values_dst", "overlap in part"}},
      {"keys and values to one place", pairs, [](D d, A a) { d.values_dst = a.at(Arena::keys_dst); }, invalid, {"keys_dst", "overlaps", "values_dst", "apart"}},
      {"values into the keys that are read", pairs, [](D d, A a) { d.values_dst = a.at(Arena::keys_src) + 3; }, invalid, {"keys_src", "overlaps", "values_dst"}},
      {"keys into the values that are read", pairs, [](D d, A a) { d.keys_dst = a.at(Arena::values_src) + 3; }, invalid, {"keys_dst", "overlaps", "values_src"}},
      {"keys in place under values", pairs, [](D d, A a) { d.keys_dst = a.at(Arena::keys_src), d.values_src = a.at(Arena::keys_src); }, invalid, {"overlaps", "values_src"}},
      {"indices over the keys", argsort, [](D d, A a) { d.values_dst = a.at(Arena::keys_src); }, invalid, {"keys_src", "overlaps", "values_dst"}},
      {"scratch in keys_src", sort, [](D d, A a) { d.scratch = a.at(Arena::keys_src) + 63, d.scratch_bytes = 4096; }, invalid, {"scratch", "overlaps", "keys_src", "4096 bytes"}},
      {"scratch in keys_dst", sort, [](D d, A a) { d.scratch = a.at(Arena::keys_dst), d.scratch_bytes = 256; }, invalid, {"scratch", "overlaps", "keys_dst"}},
      {"scratch in values_src", pairs, [](D d, A a) { d.scratch = a.at(Arena::values_src) + 1, d.scratch_bytes = 4; }, invalid, {"scratch", "overlaps", "values_src"}},
      {"scratch in values_dst", pairs, [](D d, A a) { d.scratch = a.at(Arena::values_dst) + 1, d.scratch_bytes = 4; }, invalid, {"scratch", "overlaps", "values_dst"}},
      {"scratch lost", sort, [](D d, A) { d.scratch_bytes = 4096; }, invalid, {"scratch is NULL", "4096", "allocation"}},
      {"scratch too small", sort, [](D d, A a) { d.scratch = a.at(Arena::scratch), d.scratch_bytes = 1; }, LANESORT_SCRATCH_TOO_SMALL, {"scratch has 1 bytes", "needs", "give that much"}},
      {"scratch of 0 bytes at an address", sort, [](D d, A a) { d.scratch = a.at(Arena::scratch); }, LANESORT_SCRATCH_TOO_SMALL, {"scratch has 0 bytes"}},
  };
  return list;
}

TEST(Refusals, SayWhyAndLeaveEverythingAsItWas) {
  for (const Refusal& refusal : refusals()) {
    SCOPED_TRACE(refusal.name);
    Arena arena;
    lanesort_sort_desc desc = arena.request(refusal.operation);
    refusal.spoil(desc, arena);
    EXPECT_EQ(call(refusal.operation, desc), refusal.status);
    expect_words(refusal.words);
    EXPECT_TRUE(arena.untouched());
  }
}

TEST(Refusals, TheUnspoiledRequestIsTaken) {
  for (const lanesort_operation operation : kOperations) {
    Arena arena;
    EXPECT_EQ(call(operation, arena.request(operation)), LANESORT_OK) << lanesort_last_error();
    EXPECT_FALSE(arena.untouched());
  }
}

TEST(Refusals, OfNullDescriptorsAndResults) {
  std::uint64_t number = 0;
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  for (const lanesort_status status : {lanesort_sort(nullptr), lanesort_sort_pairs(nullptr), lanesort_argsort(nullptr), lanesort_is_sorted(nullptr, &number),
                                       lanesort_verify(LANESORT_OP_SORT, nullptr, &verdict), lanesort_scratch_bytes(LANESORT_OP_SORT, nullptr, nullptr, &number)}) {
    EXPECT_EQ(status, LANESORT_INVALID_ARGUMENT);
    expect_words({"descriptor is NULL", "LANESORT_SORT_INIT"});
  }
  EXPECT_EQ(lanesort_is_sorted(&desc, nullptr), LANESORT_INVALID_ARGUMENT);
  expect_words({"first_offender", "NULL"});
  EXPECT_EQ(lanesort_verify(LANESORT_OP_SORT, &desc, nullptr), LANESORT_INVALID_ARGUMENT);
  expect_words({"verdict", "NULL"});
  EXPECT_EQ(lanesort_scratch_bytes(LANESORT_OP_SORT, &desc, nullptr, nullptr), LANESORT_INVALID_ARGUMENT);
  expect_words({"bytes", "NULL"});
  EXPECT_EQ(lanesort_query_capabilities(LANESORT_BACKEND_CPU, nullptr), LANESORT_INVALID_ARGUMENT);
  expect_words({"capabilities", "NULL"});
  lanesort_dtype dtype = 0;
  EXPECT_EQ(lanesort_dtype_from_name(nullptr, &dtype), LANESORT_INVALID_ARGUMENT);
  EXPECT_EQ(lanesort_dtype_from_name("u8", nullptr), LANESORT_INVALID_ARGUMENT);
}

TEST(Refusals, OfUnknownOperationsAndBackEnds) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  std::uint64_t bytes = 0;
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  EXPECT_EQ(lanesort_scratch_bytes(8, &desc, nullptr, &bytes), LANESORT_INVALID_ARGUMENT);
  expect_words({"operation 8", "LANESORT_OP_SORT"});
  EXPECT_EQ(lanesort_verify(9, &desc, &verdict), LANESORT_INVALID_ARGUMENT);
  expect_words({"operation 9"});

  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  EXPECT_EQ(lanesort_query_capabilities(77, &capabilities), LANESORT_INVALID_ARGUMENT);
  expect_words({"77", "LANESORT_BACKEND_CPU"});
  capabilities.struct_bytes = 12;
  EXPECT_EQ(lanesort_query_capabilities(LANESORT_BACKEND_CPU, &capabilities), LANESORT_INVALID_ARGUMENT);
  expect_words({"struct_bytes is 12", std::to_string(sizeof capabilities), "LANESORT_CAPABILITIES_INIT"});
  EXPECT_EQ(lanesort_scratch_bytes(LANESORT_OP_SORT, &desc, &capabilities, &bytes), LANESORT_INVALID_ARGUMENT);
  expect_words({"struct_bytes is 12", "lanesort_query_capabilities"});
  capabilities = LANESORT_CAPABILITIES_INIT;
  capabilities.backend = LANESORT_BACKEND_WEBGPU;
  EXPECT_EQ(lanesort_scratch_bytes(LANESORT_OP_SORT, &desc, &capabilities, &bytes), LANESORT_INVALID_ARGUMENT);
  expect_words({"another back end"});
  capabilities = LANESORT_CAPABILITIES_INIT;  // never filled in
  EXPECT_EQ(lanesort_scratch_bytes(LANESORT_OP_SORT, &desc, &capabilities, &bytes), LANESORT_INVALID_ARGUMENT);
  expect_words({"threads is 0", "lanesort_query_capabilities"});

  for (lanesort_backend absent : {LANESORT_BACKEND_CUDA, LANESORT_BACKEND_WEBGPU}) {
    bool built_in = false;
    for (std::uint32_t i = 0; lanesort_backend_name(i) != nullptr; ++i) {
      built_in = built_in || std::string(lanesort_backend_name(i)) == (absent == LANESORT_BACKEND_CUDA ? "cuda" : "webgpu");
    }
    if (built_in) continue;
    capabilities = LANESORT_CAPABILITIES_INIT;
    EXPECT_EQ(lanesort_query_capabilities(absent, &capabilities), LANESORT_DEVICE_UNAVAILABLE);
    expect_words({"not in this build", lanesort_version_string()});
  }
}

TEST(Refusals, OfVerdicts) {
  Arena arena;
  lanesort_sort_desc desc = arena.request(LANESORT_OP_ARGSORT);
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  EXPECT_EQ(lanesort_verify(LANESORT_OP_ARGSORT, &desc, &verdict), LANESORT_UNSUPPORTED);
  expect_words({"values_src is set", "sort_pairs"});
  desc.values_src = nullptr;
  desc.scratch = arena.at(Arena::scratch);
  desc.scratch_bytes = 1;
  EXPECT_EQ(lanesort_verify(LANESORT_OP_ARGSORT, &desc, &verdict), LANESORT_SCRATCH_TOO_SMALL);
  desc.scratch_bytes = Arena::kCount / 8 + 16;  // what the header states
  EXPECT_EQ(lanesort_verify(LANESORT_OP_ARGSORT, &desc, &verdict), LANESORT_OK) << lanesort_last_error();
  EXPECT_EQ(verdict.good, 0u);
  for (const Arena::Slot slot : {Arena::keys_src, Arena::values_dst}) {
    Arena untouched;
    lanesort_sort_desc overlapping = untouched.request(LANESORT_OP_ARGSORT);
    overlapping.values_src = nullptr;
    overlapping.scratch = untouched.at(slot);
    overlapping.scratch_bytes = desc.scratch_bytes;
    EXPECT_EQ(lanesort_verify(LANESORT_OP_ARGSORT, &overlapping, &verdict), LANESORT_INVALID_ARGUMENT);
    expect_words({"scratch", "overlaps"});
    EXPECT_TRUE(untouched.untouched());
  }
  verdict.struct_bytes = 1;
  EXPECT_EQ(lanesort_verify(LANESORT_OP_SORT, &desc, &verdict), LANESORT_INVALID_ARGUMENT);
  expect_words({"struct_bytes is 1", std::to_string(sizeof verdict), "LANESORT_VERDICT_INIT"});
}

TEST(Refusals, OfDtypeNames) {
  for (const char* name : {"u128", "i128", "f128"}) {
    lanesort_dtype dtype = 99;
    EXPECT_EQ(lanesort_dtype_from_name(name, &dtype), LANESORT_UNSUPPORTED);
    expect_words({name, "128-bit", "u64, i64 and f64"});
    EXPECT_EQ(dtype, 99u);
  }
  for (const char* name : {"", "U32", "u32 ", "float", "complex64", "u24"}) {
    lanesort_dtype dtype = 99;
    EXPECT_EQ(lanesort_dtype_from_name(name, &dtype), LANESORT_INVALID_ARGUMENT);
    expect_words({name, "bool u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64"});
    EXPECT_EQ(dtype, 99u);
  }
  const std::string endless(5000, 'x');
  lanesort_dtype dtype = 0;
  EXPECT_EQ(lanesort_dtype_from_name(endless.c_str(), &dtype), LANESORT_INVALID_ARGUMENT);
  expect_words({"the dtypes are bool"});
}

TEST(Names, OfDtypesGoThereAndBack) {
  const std::uint32_t bytes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 0};
  for (lanesort_dtype dtype = 0; dtype < 15; ++dtype) {
    EXPECT_EQ(lanesort_dtype_bytes(dtype), bytes[dtype]);
    const char* const name = lanesort_dtype_name(dtype);
    ASSERT_EQ(name != nullptr, bytes[dtype] != 0);
    if (name == nullptr) continue;
    lanesort_dtype back = 0;
    EXPECT_EQ(lanesort_dtype_from_name(name, &back), LANESORT_OK);
    EXPECT_EQ(back, dtype);
  }
}

TEST(Names, OfStatusesVersionAndBackEnds) {
  EXPECT_STREQ(lanesort_status_name(LANESORT_OK), "LANESORT_OK");
  EXPECT_STREQ(lanesort_status_name(LANESORT_INVALID_ARGUMENT), "LANESORT_INVALID_ARGUMENT");
  EXPECT_STREQ(lanesort_status_name(LANESORT_UNSUPPORTED), "LANESORT_UNSUPPORTED");
  EXPECT_STREQ(lanesort_status_name(LANESORT_SCRATCH_TOO_SMALL), "LANESORT_SCRATCH_TOO_SMALL");
  EXPECT_STREQ(lanesort_status_name(LANESORT_OUT_OF_MEMORY), "LANESORT_OUT_OF_MEMORY");
  EXPECT_STREQ(lanesort_status_name(LANESORT_DEVICE_UNAVAILABLE), "LANESORT_DEVICE_UNAVAILABLE");
  EXPECT_STREQ(lanesort_status_name(LANESORT_DEVICE_ERROR), "LANESORT_DEVICE_ERROR");
  EXPECT_STREQ(lanesort_status_name(-1), "unknown status");
  EXPECT_STREQ(lanesort_status_name(7), "unknown status");
  const std::string version = std::to_string(LANESORT_VERSION_MAJOR) + "." + std::to_string(LANESORT_VERSION_MINOR) + "." + std::to_string(LANESORT_VERSION_PATCH);
  EXPECT_EQ(lanesort_version_string(), version);
  EXPECT_EQ(lanesort_version_number(), LANESORT_VERSION_MAJOR * 1000000u + LANESORT_VERSION_MINOR * 1000u + LANESORT_VERSION_PATCH);
  EXPECT_STREQ(lanesort_backend_name(0), "cpu");
  EXPECT_EQ(lanesort_backend_name(1000), nullptr);
}

TEST(LastError, BelongsToTheThread) {
  lanesort_sort(nullptr);
  const std::string mine = lanesort_last_error();
  ASSERT_NE(mine, "");
  std::string theirs_before = "unset", theirs_after;
  std::thread([&] {
    theirs_before = lanesort_last_error();
    lanesort_dtype dtype = 0;
    lanesort_dtype_from_name("theirs", &dtype);
    theirs_after = lanesort_last_error();
  }).join();
  EXPECT_EQ(theirs_before, "");
  EXPECT_NE(theirs_after.find("theirs"), std::string::npos);
  EXPECT_EQ(lanesort_last_error(), mine);
  lanesort_sort_desc nothing = LANESORT_SORT_INIT;
  EXPECT_EQ(lanesort_sort(&nothing), LANESORT_OK);
  EXPECT_EQ(lanesort_last_error(), mine) << "a call that succeeds does not touch the text";
}

TEST(NoItems, NeedNoBuffersAndTouchNone) {
  for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64; ++dtype) {
    for (const lanesort_operation operation : kOperations) {
      SCOPED_TRACE(std::string(lanesort_dtype_name(dtype)) + " operation " + std::to_string(operation));
      lanesort_sort_desc desc = LANESORT_SORT_INIT;
      desc.dtype = dtype;
      desc.value_bytes = operation == LANESORT_OP_SORT ? 0 : 4;
      EXPECT_EQ(call(operation, desc), LANESORT_OK) << lanesort_last_error();
      std::uint64_t place = 9, bytes = 0;
      EXPECT_EQ(lanesort_is_sorted(&desc, &place), LANESORT_OK) << lanesort_last_error();
      EXPECT_EQ(place, 0u);
      lanesort_verdict verdict = LANESORT_VERDICT_INIT;
      EXPECT_EQ(lanesort_verify(operation, &desc, &verdict), LANESORT_OK) << lanesort_last_error();
      EXPECT_EQ(verdict.good, 1u);
      EXPECT_EQ(verdict.first_offender, 0u);
      // At least one byte, since an allocation of none may be NULL, which would ask for scratch of the call's own.
      EXPECT_EQ(lanesort_scratch_bytes(operation, &desc, nullptr, &bytes), LANESORT_OK);
      EXPECT_GE(bytes, 1u);

      Arena arena;
      lanesort_sort_desc pointers = arena.request(operation);
      pointers.dtype = dtype;
      pointers.count = 0;
      EXPECT_EQ(call(operation, pointers), LANESORT_OK) << lanesort_last_error();
      EXPECT_TRUE(arena.untouched());
    }
  }
}

TEST(Buffers, TwoSourcesMayBeOne) {
  Arena arena;
  lanesort_sort_desc desc = arena.request(LANESORT_OP_SORT_PAIRS);
  desc.values_src = desc.keys_src;
  ASSERT_EQ(lanesort_sort_pairs(&desc), LANESORT_OK) << lanesort_last_error();
  for (std::size_t i = 0; i < Arena::kCount; ++i) EXPECT_EQ(arena.at(Arena::keys_dst)[i], arena.at(Arena::values_dst)[i]);
}

TEST(Buffers, NeighboursThatTouchAreApart) {
  std::vector<std::uint8_t> bytes(1001 + 1001 + 4096);  // an odd-sized key buffer, its result and scratch right behind it
  for (std::size_t i = 0; i < 1001; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37);
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_U8;
  desc.count = 1001;
  desc.keys_src = bytes.data();
  desc.keys_dst = bytes.data() + 1001;
  desc.scratch = bytes.data() + 2002;
  desc.scratch_bytes = 4096;
  ASSERT_EQ(lanesort_sort(&desc), LANESORT_OK) << lanesort_last_error();
  std::uint64_t place = 0;
  desc.keys_src = desc.keys_dst;
  ASSERT_EQ(lanesort_is_sorted(&desc, &place), LANESORT_OK);
  EXPECT_EQ(place, 1001u);
}

TEST(IsSorted, FindsTheFirstOffender) {
  for (const std::uint64_t count : {2u, 33u, 5000u, 300000u}) {
    std::vector<std::uint32_t> keys(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>(i);
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = count;
    desc.keys_src = keys.data();
    for (const std::uint64_t at : {std::uint64_t{1}, count / 2, count - 1}) {
      auto broken = keys;
      broken[at] = 0;
      if (broken[at - 1] == 0) broken[at - 1] = 1;
      broken[count - 1] = at == count - 1 ? broken[count - 1] : 0;  // a later one that must not be reported
      desc.keys_src = broken.data();
      std::uint64_t place = 0;
      ASSERT_EQ(lanesort_is_sorted(&desc, &place), LANESORT_OK);
      EXPECT_EQ(place, at) << count;
    }
  }
}

// What verify must notice, each at several places and sizes.
TEST(Verify, SeesWhatIsWrong) {
  for (const std::uint64_t count : {2u, 40u, 200000u}) {
    std::vector<std::uint32_t> keys(count), sorted(count), indices(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>((count - i) / 2 * 2);
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = count;
    desc.keys_src = keys.data();
    desc.keys_dst = sorted.data();
    ASSERT_EQ(lanesort_sort(&desc), LANESORT_OK);
    const auto good = [&](lanesort_operation operation, const lanesort_sort_desc& request) {
      lanesort_verdict verdict = LANESORT_VERDICT_INIT;
      EXPECT_EQ(lanesort_verify(operation, &request, &verdict), LANESORT_OK) << lanesort_last_error();
      return verdict.good != 0;
    };
    EXPECT_TRUE(good(LANESORT_OP_SORT, desc));
    for (const std::uint64_t at : {std::uint64_t{0}, count / 2, count - 1}) {
      const std::uint32_t kept = sorted[at];
      sorted[at] ^= 1;  // still in order, one key changed
      EXPECT_FALSE(good(LANESORT_OP_SORT, desc)) << "a changed key at " << at << " of " << count;
      sorted[at] = kept;
    }
    std::swap(sorted.front(), sorted.back());
    EXPECT_FALSE(good(LANESORT_OP_SORT, desc)) << "two keys exchanged";

    lanesort_sort_desc arg = desc;
    arg.keys_dst = nullptr;
    arg.value_bytes = 4;
    arg.values_dst = indices.data();
    ASSERT_EQ(lanesort_argsort(&arg), LANESORT_OK);
    EXPECT_TRUE(good(LANESORT_OP_ARGSORT, arg));
    const std::uint32_t first = indices[0];
    indices[0] = indices[1];
    EXPECT_FALSE(good(LANESORT_OP_ARGSORT, arg)) << "an index twice";
    indices[0] = static_cast<std::uint32_t>(count);
    EXPECT_FALSE(good(LANESORT_OP_ARGSORT, arg)) << "an index that is none";
    indices[0] = first;
    if (count > 2) {
      std::size_t tie = 0;
      while (keys[indices[tie]] != keys[indices[tie + 1]]) ++tie;
      std::swap(indices[tie], indices[tie + 1]);
      EXPECT_FALSE(good(LANESORT_OP_ARGSORT, arg)) << "ties turned round";
    }
  }
}

}  // namespace
}  // namespace lanesort::test
