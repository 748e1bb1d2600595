// The work's terms: the caller's executor in any shape, any number of threads, the caller's scratch or the call's own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "support/call.hpp"
#include "support/effort.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace {
std::atomic<std::size_t> largest_allocation{0};
std::atomic<bool> refuse_allocations{false};
}  // namespace

extern "C" {
// The linker sends the library's malloc here (-Wl,--wrap=malloc).
void* __real_malloc(std::size_t bytes);
void* __wrap_malloc(std::size_t bytes);
void* __wrap_malloc(std::size_t bytes) {
  std::size_t largest = largest_allocation;
  while (bytes > largest && !largest_allocation.compare_exchange_weak(largest, bytes)) {
  }
  return refuse_allocations ? nullptr : __real_malloc(bytes);
}
}

void* operator new(std::size_t bytes) {
  std::size_t largest = largest_allocation;
  while (bytes > largest && !largest_allocation.compare_exchange_weak(largest, bytes)) {
  }
  if (void* const memory = __real_malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
// Not inlined: GCC 12 would take the pair for a mismatch.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace lanesort::test {
namespace {

constexpr std::uint64_t kCount = kThreadsAlone ? 140000 : 300000;  // enough for two threads, or for several
const std::vector<std::uint32_t> kThreads = kThreadsAlone ? std::vector<std::uint32_t>{0, 2, 65}
                                                          : std::vector<std::uint32_t>{0, 1, 2, 3, 5, 63, 64, 65, 1000, UINT32_MAX};

std::vector<unsigned char> some_keys(std::uint32_t bytes) {
  Random random(7);
  return make_keys(random, Pattern::uniform, bytes, kCount);
}

struct Job {
  lanesort_operation operation;
  std::uint32_t value_bytes;
};
constexpr Job kJobs[] = {{LANESORT_OP_SORT, 0}, {LANESORT_OP_SORT_PAIRS, 4}, {LANESORT_OP_SORT_PAIRS, 12}, {LANESORT_OP_ARGSORT, 4}, {LANESORT_OP_ARGSORT, 8}};

// One call of each kind; what it wrote.
std::vector<unsigned char> run_job(const Job& job, const std::vector<unsigned char>& keys, std::uint32_t threads, const lanesort_executor* executor,
                                   bool own_scratch = true) {
  std::vector<unsigned char> out(keys.size()), values(kCount * job.value_bytes), values_out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(i * 31 >> 3);
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_F32;
  desc.count = kCount;
  desc.threads = threads;
  desc.executor = executor;
  desc.keys_src = keys.data();
  desc.value_bytes = job.value_bytes;
  if (job.operation != LANESORT_OP_ARGSORT) desc.keys_dst = out.data();
  if (job.operation == LANESORT_OP_SORT_PAIRS) desc.values_src = values.data();
  if (job.value_bytes != 0) desc.values_dst = values_out.data();
  std::vector<unsigned char> scratch;
  if (!own_scratch) {
    std::uint64_t bytes = 0;
    EXPECT_EQ(lanesort_scratch_bytes(job.operation, &desc, nullptr, &bytes), LANESORT_OK) << lanesort_last_error();
    scratch.assign(bytes, 0xCD);
    desc.scratch = scratch.data();
    desc.scratch_bytes = bytes;
    largest_allocation = 0;
  }
  EXPECT_EQ(call(job.operation, desc), LANESORT_OK) << lanesort_last_error();
  if (!own_scratch) {
    EXPECT_LT(largest_allocation, 65536u) << "with scratch given, nothing may grow with the count";
  }
  out.insert(out.end(), values_out.begin(), values_out.end());
  return out;
}

using Run = void (*)(void*, std::uint32_t, void (*)(void*, std::uint32_t), void*);

struct Shape {
  const char* name;
  Run run;
};
const Shape kShapes[] = {
    {"in turn",
     [](void* calls, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
       ++*static_cast<int*>(calls);
       for (std::uint32_t i = 0; i < count; ++i) task(argument, i);
     }},
    {"backwards",
     [](void* calls, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
       ++*static_cast<int*>(calls);
       for (std::uint32_t i = count; i-- > 0;) task(argument, i);
     }},
    {"a thread for each task",
     [](void* calls, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
       ++*static_cast<int*>(calls);
       std::vector<std::thread> threads;
       for (std::uint32_t i = 0; i < count; ++i) threads.emplace_back(task, argument, i);
       for (std::thread& thread : threads) thread.join();
     }},
};

TEST(Executor, OfAnyShapeGivesTheSameBytes) {
  const auto keys = some_keys(4);
  for (const Job& job : kJobs) {
    const auto want = run_job(job, keys, 1, nullptr);
    for (const Shape& shape : kShapes) {
      for (const std::uint32_t threads : kThreads) {
        if (threads == 0 || threads > 1000) continue;  // an executor has some, and not endlessly many
        SCOPED_TRACE(std::string(shape.name) + ", threads " + std::to_string(threads) + ", operation " + std::to_string(job.operation) + ", value_bytes " +
                     std::to_string(job.value_bytes));
        int calls = 0;
        const lanesort_executor executor{sizeof(lanesort_executor), threads, &calls, shape.run};
        EXPECT_EQ(run_job(job, keys, 0, &executor, false), want);
        if (threads > 1) {
          EXPECT_GT(calls, 0) << "the executor was not asked";
        }
      }
    }
  }
}

TEST(Executor, ServesTheReadersToo) {
  const auto keys = some_keys(4);
  for (const Shape& shape : kShapes) {
    int calls = 0;
    const lanesort_executor executor{sizeof(lanesort_executor), 4, &calls, shape.run};
    std::vector<unsigned char> sorted(keys.size());
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = kCount;
    desc.keys_src = keys.data();
    desc.keys_dst = sorted.data();
    desc.executor = &executor;
    ASSERT_EQ(lanesort_sort(&desc), LANESORT_OK);
    lanesort_verdict verdict = LANESORT_VERDICT_INIT;
    ASSERT_EQ(lanesort_verify(LANESORT_OP_SORT, &desc, &verdict), LANESORT_OK);
    EXPECT_EQ(verdict.good, 1u);
    std::uint64_t place = 0;
    desc.keys_src = sorted.data();
    ASSERT_EQ(lanesort_is_sorted(&desc, &place), LANESORT_OK);
    EXPECT_EQ(place, kCount);
  }
}

TEST(Threads, OfAnyNumberGiveTheSameBytes) {
  const auto keys = some_keys(4);
  for (const Job& job : kJobs) {
    const auto want = run_job(job, keys, 1, nullptr);
    for (const std::uint32_t threads : kThreads) EXPECT_EQ(run_job(job, keys, threads, nullptr, false), want) << threads;
  }
}

TEST(Scratch, RefusedByTheSystemIsAnErrorAndTheNextCallWorks) {
  const auto keys = some_keys(4);
  for (const Job& job : kJobs) {
    std::vector<unsigned char> work = keys, values(kCount * job.value_bytes, 1);
    const auto values_before = values;
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = kCount;
    desc.keys_src = work.data();
    desc.value_bytes = job.value_bytes;
    if (job.operation != LANESORT_OP_ARGSORT) desc.keys_dst = work.data();
    if (job.value_bytes != 0) desc.values_src = desc.values_dst = values.data();
    refuse_allocations = true;
    const lanesort_status status = call(job.operation, desc);
    refuse_allocations = false;
    EXPECT_EQ(status, LANESORT_OUT_OF_MEMORY);
    const std::string said = lanesort_last_error();
    EXPECT_NE(said.find("no memory for "), std::string::npos) << said;
    EXPECT_NE(said.find("scratch of your own"), std::string::npos) << said;
    EXPECT_EQ(work, keys);
    EXPECT_EQ(values, values_before);
    EXPECT_EQ(call(job.operation, desc), LANESORT_OK) << lanesort_last_error();
  }
}

TEST(Scratch, NeedsNeitherDataNorDevice) {
  for (const Job& job : kJobs) {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = kCount;
    desc.value_bytes = job.value_bytes;
    std::uint64_t without_pointers = 0, with_pointers = 0;
    ASSERT_EQ(lanesort_scratch_bytes(job.operation, &desc, nullptr, &without_pointers), LANESORT_OK) << lanesort_last_error();
    desc.keys_src = reinterpret_cast<const void*>(std::uintptr_t{64});  // never read
    ASSERT_EQ(lanesort_scratch_bytes(job.operation, &desc, nullptr, &with_pointers), LANESORT_OK) << lanesort_last_error();
    EXPECT_GE(without_pointers, 1u);
    EXPECT_LE(with_pointers, without_pointers);
  }
}

// The multiples that the header states, with a small part per thread on top.
TEST(Scratch, IsWhatTheHeaderStates) {
  const std::uint64_t count = 100000000;
  const auto bytes_of = [&](lanesort_operation operation, std::uint32_t value_bytes) {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = LANESORT_F64;
    desc.count = count;
    desc.value_bytes = value_bytes;
    std::uint64_t bytes = 0;
    EXPECT_EQ(lanesort_scratch_bytes(operation, &desc, nullptr, &bytes), LANESORT_OK) << lanesort_last_error();
    return bytes;
  };
  const std::uint64_t small = std::uint64_t{LANESORT_MAX_THREADS} * 65536 + 4096;
  EXPECT_LE(bytes_of(LANESORT_OP_SORT, 0), count * 8 + small);
  EXPECT_LE(bytes_of(LANESORT_OP_SORT_PAIRS, 4), count * 12 + small);
  EXPECT_LE(bytes_of(LANESORT_OP_SORT_PAIRS, 16), count * 24 + small);
  EXPECT_LE(bytes_of(LANESORT_OP_ARGSORT, 4), count * 20 + small);
  EXPECT_LE(bytes_of(LANESORT_OP_SORT_PAIRS, 24), count * (16 + 8 + 24) + small);
}

// Keys and values of four bytes, which share words, in scratch of at most 16 bytes an item however many threads there are.
TEST(Scratch, OfKeysWithFourBytesIsAtMostSixteenAnItem) {
  for (const std::uint64_t count : {std::uint64_t{1} << 16, std::uint64_t{100000}, std::uint64_t{1} << 17, std::uint64_t{300000}, std::uint64_t{1} << 20, std::uint64_t{10000000},
                                    std::uint64_t{100000000}, std::uint64_t{UINT32_MAX}}) {
    for (const lanesort_operation operation : {LANESORT_OP_SORT_PAIRS, LANESORT_OP_ARGSORT}) {
      lanesort_sort_desc desc = LANESORT_SORT_INIT;
      desc.dtype = LANESORT_F32;
      desc.count = count;
      desc.value_bytes = 4;
      std::uint64_t before = 0;
      for (const std::uint32_t threads : {1u, 2u, 3u, 8u, 64u}) {
        desc.threads = threads;
        std::uint64_t bytes = 0;
        ASSERT_EQ(lanesort_scratch_bytes(operation, &desc, nullptr, &bytes), LANESORT_OK) << lanesort_last_error();
        EXPECT_LE(bytes, count * (operation == LANESORT_OP_ARGSORT ? 12 : 8) + (8 << 20)) << count << " items, " << threads << " threads";
        EXPECT_LE(bytes, count * 16) << count << " items, " << threads << " threads";
        EXPECT_GE(bytes, before) << count << " items, " << threads << " threads";
        before = bytes;
      }
    }
  }
}

TEST(Capabilities, SayWhatTheEnvironmentForced) {
  lanesort_capabilities machine = LANESORT_CAPABILITIES_INIT;
  ASSERT_EQ(lanesort_query_capabilities(LANESORT_BACKEND_CPU, &machine), LANESORT_OK);
  EXPECT_EQ(machine.backend, LANESORT_BACKEND_CPU);
  EXPECT_GE(machine.threads, 1u);
  EXPECT_LE(machine.threads, std::uint32_t{LANESORT_MAX_THREADS});
  EXPECT_GT(machine.max_count, std::uint64_t{1} << 40);
  EXPECT_NE(std::string(machine.device), "");
  const std::string isa = machine.isa;
  EXPECT_TRUE(isa == "baseline" || isa == "avx2" || isa == "avx512") << isa;
  const char* const forced = std::getenv("LANESORT_FORCE_ISA");
  if (forced == nullptr) return;
  if (isa != forced) GTEST_SKIP() << "this machine has no " << forced << "; " << isa << " was taken";
}

}  // namespace
}  // namespace lanesort::test
