// What host and device say to each other about a top-k.
#pragma once
#include "kernels/cuda/params.hpp"
#include "tune/cuda_top_k.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// At the start of scratch, zeroed by the recorded work.
struct TopControl {
  static constexpr std::uint32_t kCells = 1u << tune::kTopCellBits;
  std::uint64_t candidates;  // kept so far: those that may be among the first k
  std::uint64_t threshold;   // of the fields: those before it are kept
  std::uint64_t ties;        // and so many of those equal to it
  std::uint32_t missed;      // the threshold of the sample kept too few, or more than there is room for
  std::uint32_t barrier[4];  // of both searches, then of both reads that keep
  std::uint32_t padding[5];
  std::uint64_t cells[2][3][kCells];  // of both searches: a level counts in one, its next one is being cleared
};

struct TopParams {
  const void* keys_src;
  void *keys_to, *indices_to;         // room for `room` candidates; indices_to null: nobody needs them
  const std::uint64_t* device_count;  // null: count
  std::uint64_t count, k;
  TopControl* control;
  std::uint64_t* block_sides;  // of each block that keeps: keys before the threshold, ties in the lower half
  OrderWords order;
  std::uint32_t bit_begin, bit_end;
  std::uint32_t index_bytes;
  std::uint32_t room;
  std::uint32_t sample_bits;
  std::uint32_t step;  // 0: by a sample; 1: by all keys, where the sample has missed
  std::uint32_t hold_every;
};

// Rows of count keys each, of which the first k go to row * k on.
struct TopRowsParams {
  const void* keys_src;
  void* keys_dst;                     // null: not wanted
  const void* values_src;             // null: indices within the row
  void* values_dst;                   // null: not wanted
  const std::uint64_t* device_count;  // of each row
  std::uint64_t count, row_count;
  OrderWords order;
  std::uint32_t bit_begin, bit_end;
  std::uint32_t k, value_bytes;
};

// The first min(k, count) of what is sorted, to the caller.
struct TopDeliverParams {
  const void *keys, *keys_src;  // the sorted ones, or (keys null) those that the indices say
  const void* indices;
  void* keys_dst;          // null: they stand there already, or are not wanted
  const void* values_src;  // null: the indices are the values
  void* values_dst;        // null: as keys_dst
  const std::uint64_t* device_count;
  std::uint64_t count, k;
  std::uint32_t key_bytes, index_bytes, value_bytes;
};

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
