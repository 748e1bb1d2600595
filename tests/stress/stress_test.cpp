// The engine used hard: the same dirty scratch ten thousand times, many callers at once, a fork after a sort with
// threads, and one array of more than 2^32 keys.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "support/call.hpp"
#include "support/effort.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

// One random request on buffers of the caller's, judged by lanesort_verify, which shares no code with the sorts.
struct Caller {
  Caller(std::uint64_t seed, std::uint64_t largest_count)
      : random(seed), largest(largest_count), keys(largest * 8), out(largest * 8), values(largest * 8), values_out(largest * 8) {
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<unsigned char>(random.next());
  }

  std::string sort_once(std::uint32_t threads, std::vector<unsigned char>* scratch) {
    const auto operation = static_cast<lanesort_operation>(random.below(3));
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = static_cast<lanesort_dtype>(1 + random.below(13));
    desc.order = static_cast<lanesort_order>(random.below(2));
    desc.float_order = static_cast<lanesort_float_order>(random.below(3));
    desc.count = random.below(1 + (largest >> random.below(16)));
    desc.threads = threads;
    desc.keys_src = keys.data() + random.below(8);
    desc.count = desc.count > 8 ? desc.count - 8 : desc.count;
    if (operation != LANESORT_OP_ARGSORT) desc.keys_dst = out.data();
    if (operation == LANESORT_OP_SORT_PAIRS) {
      desc.value_bytes = 1u << random.below(4);
      desc.values_src = values.data();
    }
    if (operation == LANESORT_OP_ARGSORT) desc.value_bytes = random.chance(2) ? 4 : 8;
    if (operation != LANESORT_OP_SORT) desc.values_dst = values_out.data();
    if (scratch != nullptr) {
      std::uint64_t bytes = 0;
      if (lanesort_scratch_bytes(operation, &desc, nullptr, &bytes) != LANESORT_OK) return lanesort_last_error();
      if (bytes > scratch->size()) scratch->resize(bytes, 0xCD);
      desc.scratch = scratch->data();
      desc.scratch_bytes = bytes;
    }
    if (call(operation, desc) != LANESORT_OK) return lanesort_last_error();
    desc.scratch = nullptr;
    desc.scratch_bytes = 0;
    lanesort_verdict verdict = LANESORT_VERDICT_INIT;
    if (lanesort_verify(operation, &desc, &verdict) != LANESORT_OK) return lanesort_last_error();
    if (verdict.good != 0) return "";
    return "wrong at " + std::to_string(verdict.first_offender) + ": operation " + std::to_string(operation) + ", " + lanesort_dtype_name(desc.dtype) +
           ", order " + std::to_string(desc.order) + ", floats " + std::to_string(desc.float_order) + ", count " + std::to_string(desc.count) +
           ", value_bytes " + std::to_string(desc.value_bytes);
  }

  Random random;
  std::uint64_t largest;
  std::vector<unsigned char> keys, out, values, values_out;
};

TEST(Stress, TheSameDirtyScratchAllTheTime) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(run_seed()));
  Caller caller(run_seed(), 20000);
  std::vector<unsigned char> scratch;
  for (std::uint64_t round = 0; round < share_of(10000); ++round) ASSERT_EQ(caller.sort_once(1, &scratch), "") << "round " << round;
}

TEST(Stress, EightCallersAtOnce) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(run_seed()));
  std::vector<std::thread> threads;
  std::vector<std::string> flaws(8);
  for (std::uint64_t i = 0; i < 8; ++i) {
    threads.emplace_back([i, &flaws] {
      Caller caller(run_seed() + i, 200000);
      for (std::uint64_t round = 0; round < share_of(40) && flaws[i].empty(); ++round) flaws[i] = caller.sort_once(i % 2 == 0 ? 2 : 4, nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& flaw : flaws) EXPECT_EQ(flaw, "");
}

TEST(Stress, ForkAfterASortWithThreads) {
  Caller caller(run_seed(), 400000);
  ASSERT_EQ(caller.sort_once(4, nullptr), "");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // a child that waits for threads it does not have is to end, too
    for (int i = 0; i < 5; ++i) {
      if (!caller.sort_once(4, nullptr).empty()) _exit(1);
    }
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the child's sorts went wrong or never ended";
  EXPECT_EQ(caller.sort_once(4, nullptr), "");
}

std::uint64_t available_bytes() {
  std::uint64_t kib = 0;
  if (std::FILE* const file = std::fopen("/proc/meminfo", "r")) {
    char line[128];
    unsigned long long value = 0;
    while (std::fgets(line, sizeof line, file) != nullptr) {
      if (std::sscanf(line, "MemAvailable: %llu", &value) == 1) kib = value;
    }
    std::fclose(file);
  }
  return kib * 1024;
}

// The recipe of a public report (case OV-01), two keys longer: 2^32 + 1, in place. Each byte value comes
// up a known number of times, so the result is known whole.
TEST(Past32Bits, KeysInPlace) {
  constexpr std::uint64_t kCount = (std::uint64_t{1} << 32) + 1;
  const std::uint64_t available = available_bytes();
  if (available < std::uint64_t{12} << 30) GTEST_SKIP() << "needs 12 GiB of free memory, " << (available >> 30) << " GiB are";
  const std::unique_ptr<unsigned char[]> keys(new unsigned char[kCount]);
  std::uint64_t counts[256] = {};
  for (std::uint64_t i = 0; i < kCount; ++i) {
    keys[i] = static_cast<unsigned char>(167 * i + 13);
    ++counts[keys[i]];
  }
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_U8;
  desc.count = kCount;
  desc.keys_src = desc.keys_dst = keys.get();
  ASSERT_EQ(lanesort_sort(&desc), LANESORT_OK) << lanesort_last_error();
  std::uint64_t at = 0;
  for (unsigned value = 0; value < 256; ++value) {
    const std::uint64_t end = at + counts[value];
    while (at < end && keys[at] == value) ++at;
    ASSERT_EQ(at, end) << "value " << value;
  }
  ASSERT_EQ(at, kCount);

  // The same by the bits but the lowest, where no count-and-fill is allowed: the stable path past 2^32. The two values
  // of a tie come in turns, for 167 is odd and each value stands once in every run of 256 keys.
  for (std::uint64_t i = 0; i < kCount; ++i) keys[i] = static_cast<unsigned char>(167 * i + 13);
  std::uint64_t first_place[256];
  for (unsigned i = 256; i-- > 0;) first_place[keys[i]] = i;
  desc.bit_begin = 1;
  ASSERT_EQ(lanesort_sort(&desc), LANESORT_OK) << lanesort_last_error();
  at = 0;
  for (unsigned even = 0; even < 256; even += 2) {
    const std::uint64_t end = at + counts[even] + counts[even + 1];
    unsigned want = first_place[even] < first_place[even + 1] ? even : even + 1;
    for (; at < end && keys[at] == want; ++at) want ^= 1;
    ASSERT_EQ(at, end) << "values " << even << " and " << even + 1;
  }
  EXPECT_EQ(at, kCount);
}

}  // namespace
}  // namespace lanesort::test
