// A rung on a CUDA device, as the program that climbs sees it; no CUDA header is needed for that.
// Invariant: a rung is given keys and as much room beside them, both on the device, sorts u8 and u32 upwards, counts in
// 64 bits, and says in which of the two its result lies. It writes nothing else but its scratch and the fault word.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/ladder/rung.hpp"

struct CUstream_st;
struct CUevent_st;

namespace lanesort::bench::device {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// A part of a rung that is timed apart: an event before and one behind, each time it runs.
struct Watch {
  std::vector<std::pair<CUevent_st*, CUevent_st*>> spans;
};

struct Work {
  u32 key_bytes = 4;
  u64 count = 0;
  void *keys = nullptr, *other = nullptr;
  std::byte* scratch = nullptr;  // aligned to 256
  u64 scratch_bytes = 0;         // as many as the rung has asked for, or more
  u32* fault = nullptr;          // on the device, zero before: a rung that gave up writes there
  CUstream_st* stream = nullptr;
  u64 launches = 0;        // out
  Watch* scans = nullptr;  // NULL: nobody asks
};

struct DeviceRung {
  Rung words;
  u64 most_u8 = 0, most_u32 = 0;  // keys that it takes at most
  u64 (*scratch_bytes)(u32 key_bytes, u64 count) = nullptr;
  void* (*sort)(Work& work) = nullptr;  // work.keys or work.other; throws Error for what the device says
  std::string variant_of{};             // the name of the rung of which this is one with another parameter
  std::string name{};                    // of a variant; a rung's stands in its words
  u64 (*counters)(u64 count) = nullptr;  // of a histogram with a scan that can be timed
  const char* version = lanesort_version_string();

  std::string title() const { return variant_of.empty() ? words.name : name; }
  u64 most(u32 key_bytes) const { return key_bytes == 1 ? most_u8 : most_u32; }
};

// One for each file, from the plainest on; first the rung, then its variants.
std::vector<DeviceRung> merge_recursive_rungs();
std::vector<DeviceRung> merge_thread_rungs();
std::vector<DeviceRung> merge_path_rungs();
std::vector<DeviceRung> odd_even_rungs();
std::vector<DeviceRung> bitonic_rungs();
std::vector<DeviceRung> bitonic_shared_rungs();
std::vector<DeviceRung> chunk_sort_rungs();
std::vector<DeviceRung> three_kernel_rungs();
std::vector<DeviceRung> onesweep_rungs();
std::vector<DeviceRung> library_rungs();  // thrust, CUB and lanesort/merge.cuh
DeviceRung lanesort_on_cuda();

// Those that need no library of others: what the tests run on the host.
std::vector<DeviceRung> own_rungs();

// Exclusive sums, in place, of counts that lie as rows of `columns`, read column after column; columns 0: one after the
// other. sums: scratch of prefix_sum_bytes(count).
void prefix_sum(Work& work, u32* counts, u64 count, u64 columns, u32* sums);
u64 prefix_sum_bytes(u64 count);
Rung prefix_sum_words();

}  // namespace lanesort::bench::device
