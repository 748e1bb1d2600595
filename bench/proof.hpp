// Proves a result before anybody times it, by lanesort_verify and the values, which say where each record came from.
#pragma once
#include <lanesort/lanesort.h>

#include <cstdint>
#include <span>
#include <string>

namespace lanesort::bench {

// What is sorted; the same for every contender of a row.
struct Task {
  lanesort_operation op = LANESORT_OP_SORT;
  lanesort_dtype dtype = LANESORT_U32;
  lanesort_order order = LANESORT_ASCENDING;
  std::uint32_t key_bytes = 4, value_bytes = 0, threads = 1;
  std::uint32_t bit_begin = 0, bit_end = LANESORT_ALL_BITS;
  std::uint64_t count = 0;
  std::uint64_t k = 0;  // top_k of so many; `op` then is the sort of all that it spares; 0: the sort
  std::span<const std::uint64_t> offsets;  // of segments, from 0 to count; empty: none

  bool whole_key() const { return bit_begin == 0 && bit_end == LANESORT_ALL_BITS; }
};

lanesort_sort_desc describe(const Task& task);

// Value i tells i: in its first bytes, up to eight and as many as it has; the rest are derived from it.
void number_values(std::byte* values, std::uint32_t value_bytes, std::uint64_t count);

// "" if the result is right, else what is wrong. stable: of equal keys, the order too (values of 4 bytes or more).
std::string find_fault(const Task& task, const std::byte* keys, const std::byte* values, const std::byte* sorted_keys,
                       const std::byte* sorted_values, bool stable);

}  // namespace lanesort::bench
