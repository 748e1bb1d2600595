// The CPU engine's door: a request in plain terms, already checked by the api room. Nothing here fails, allocates
// or prints; buffers are as large as the request says, and scratch is as large as scratch_bytes() says.
#pragma once
#include <cstdint>

#include "cpu/segments.hpp"
#include "cpu/team.hpp"
#include "kernels/key_order.hpp"
#include "kernels/record_hash.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

struct KeySpec {
  KeyKind kind = KeyKind::unsigned_integer;
  NanPlace nan = NanPlace::last;
  std::uint32_t bytes = 4;
  std::uint32_t mantissa_bits = 0;
  std::uint32_t bit_begin = 0, bit_end = 32;  // of the mapped key, begin <= end <= 8 * bytes
  bool descending = false;
};

struct Request {
  KeySpec key;
  std::uint32_t value_bytes = 0;  // 0: no values
  bool argsort = false;           // keys_dst is absent; values_src may be absent and then counts up from 0
  std::uint64_t count = 0;
  std::uint64_t k = 0;  // top_k only
  Segments segments;           // absent: one, all items
  bool local_indices = false;  // argsort without values_src: each segment counts up from 0
  const void* keys_src = nullptr;
  void* keys_dst = nullptr;
  const void* values_src = nullptr;
  void* values_dst = nullptr;
  void* scratch = nullptr;
  std::uint32_t threads = 1;
  const Executor* executor = nullptr;
};

struct Machine {
  std::uint32_t threads;
  const char* isa;
  char device[64];
};
const Machine& this_machine() noexcept;

// Threads that a sort of count keys really uses when it may use `threads`.
std::uint32_t useful_threads(std::uint64_t count, std::uint32_t threads) noexcept;

// Bytes of scratch for the request at request.threads. Depends on shapes and on src == dst only. Saturates.
std::uint64_t sort_scratch_bytes(const Request& request) noexcept;
std::uint64_t verify_argsort_scratch_bytes(std::uint64_t count) noexcept;

void sort(const Request& request) noexcept;

// The first request.k of a sort. keys_dst may be absent; values_src absent: values_dst gets indices.
std::uint64_t top_k_scratch_bytes(const Request& request) noexcept;
void top_k(const Request& request) noexcept;

// The lowest i whose key must stand before key i-1; count if there is none.
std::uint64_t first_disorder(const Request& request) noexcept;

// Order-free: equal for equal multisets of records, keys with values of records.value_bytes each.
RecordHash digest_records(const Request& records, const void* keys, const void* values) noexcept;

// First place of values_dst that is out of range, a repetition, or out of order with the place before; count if none.
std::uint64_t first_wrong_index(const Request& request) noexcept;

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
