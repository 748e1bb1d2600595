// What a rival is to the harness: a row of names and two functions, reached through one C symbol of a shared object
// that is opened at run time. So the command line links to no rival, and works where none is installed.
// Invariant: run() does the whole of what a user of that library would call, and nothing else.
#pragma once
#include <lanesort/lanesort.h>

#include <cstdint>

namespace lanesort::bench {

struct RivalCase {
  lanesort_operation op;
  lanesort_dtype dtype;
  lanesort_order order;
  std::uint32_t value_bytes;  // argsort: of an index
  std::uint32_t threads;      // 1 or more
  bool nan_possible;          // the comparator must put NaN last; without, operator< is what everybody writes
  std::uint64_t count;
};

// sort: data holds the keys, sorted in place. sort_pairs: data holds count records, a key directly followed by its
// value with the alignment of a struct of the two, sorted in place. argsort: keys are kept, data receives the indices.
struct RivalEntry {
  const char* name;
  const char* version;
  bool stable;    // keeps the order of equal keys, and is held to it
  bool threaded;  // heeds threads
  bool (*can)(const RivalCase& request);
  bool (*run)(const RivalCase& request, const void* keys, void* data);  // false: it gave up, for want of memory say
};

struct RivalTable {
  std::uint32_t entry_bytes;  // sizeof(RivalEntry): tells a stale shared object
  std::uint32_t count;
  const RivalEntry* entries;
};

inline constexpr char kRivalTableSymbol[] = "lanesort_bench_rivals";
using RivalTableFunction = RivalTable();

// Layout of a record of a pair, shared by those who pack and those who sort.
struct RecordLayout {
  std::uint32_t value_offset, record_bytes;
};

constexpr RecordLayout record_layout(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  const std::uint32_t value_align = value_bytes < 8 ? value_bytes : 8;
  const std::uint32_t align = key_bytes > value_align ? key_bytes : value_align;
  const auto round_up = [](std::uint32_t x, std::uint32_t to) { return (x + to - 1) / to * to; };
  const std::uint32_t offset = round_up(key_bytes, value_align);
  return {offset, round_up(offset + value_bytes, align)};
}

}  // namespace lanesort::bench
