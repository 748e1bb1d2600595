// What host and device say to each other: the launch parameters and the control block at the start of scratch.
//
// The control block is zeroed by the recorded work before any kernel reads it, so scratch may hold anything and a
// replayed graph starts afresh.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/cuda/quantile_map.hpp"
#include "kernels/key_order.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// Where items of one kind come from, have to end, and may stand in between. dst null: they are needed on the way
// only (the keys of an argsort), and both alternates are there. src null: values that count up from 0.
struct Route {
  const void* src;
  void* dst;
  void* alternate[2];
};

// KeyOrder of any width, in the low bits.
struct OrderWords {
  std::uint64_t base, flip, largest, nan_image, folded, truth_mask;
};

enum SortFlags : std::uint32_t {
  kWholeKeys = 1,  // no values and all bits sorted: keys that compare equal are the same bytes unless one is special
  kSurveyed = 2,   // an earlier kernel of the same work has filled control->disorder
};

constexpr std::uint32_t kNotAscending = 1, kNotDescending = 2;

// kByQuantiles: by buckets whose number is a place in the distribution of a sample, not the key's top bits.
enum Taken : std::uint32_t { kByPasses = 0, kByBuckets = 1, kByCounts = 2, kByQuantiles = 3 };

// Of a pass that runs: its digit; many keys share a value of it; keys are carried as they are.
enum PassBits : std::uint32_t { kPassMask = 7, kRuns = 8, kSkewed = 16, kRaw = 32 };

struct Control {
  std::uint32_t barrier;         // arrivals at the barrier of the grid that begins the passes, ever rising
  std::uint32_t barrier_before;  // of the grid that prepares buckets
  std::uint32_t ticket[4];       // tiles handed out: by each launch of a pass in turn, or all by the first of them
  // kNotAscending: some key stands before a smaller one; kNotDescending: before one not smaller (or, where equal keys
  // are the same bytes, before a larger one)
  std::uint32_t disorder;
  std::uint32_t specials;  // some key is NaN or negative zero in an order that folds them
  std::uint32_t finished;  // a Taken: who does the sort instead of the passes
  std::uint32_t runs;      // passes that run: none unless begin_passes says so
  std::uint32_t pass[8];   // PassBits of each
  std::uint32_t padding[4];
  std::uint64_t sampled, varying;  // bits of the field in which some key differs from the first: of a sample, of all
  std::uint64_t histogram[8][256];      // counts, then begins where passes run
  std::uint64_t portion_begin[2][256];  // begins of this portion and of the next one, which the last tile writes
};

// The state of a sort by buckets: zeroed with the control block, the list of hard buckets excepted; up to segment_begin
// alone where one cluster prepares, which writes what later kernels read behind it.
struct Buckets {
  static constexpr std::uint32_t kMost = 65536, kLine = 32, kFewSlots = 512;
  std::uint64_t extremes[2];  // by quantiles: the complement of the least mapped key, and the largest
  std::uint64_t prefix;  // the mapped bits that all keys share beside the bucket's number
  std::uint32_t overflow, shift, hard_count, ticket[2];
  std::uint32_t count;    // how many buckets there are
  std::uint32_t lead;     // by quantiles: bits above the window that keys differ in
  std::uint32_t uneven;   // the sample's quantiles do not suit either
  std::uint32_t meetings;  // of blocks' samples
  std::uint32_t many;       // the sample has more than a few different keys
  std::uint32_t missing;    // some key is none of the sample's. Not `many`: that decides who comes to the next barrier
  std::uint32_t by_values;  // the counts are of few_sorted's keys
  std::uint32_t padding[2];
  std::uint32_t sample[256];                            // by the top 8 bits
  std::uint32_t cell_count[kCells];                     // of a larger sample, by the window's top bits
  std::uint32_t segment_begin[260], segment_tile[260];  // of the second split: one segment a digit of the first
  std::uint64_t few[kFewSlots], few_sorted[kFewSlots];  // few_values.cuh: a hash table, and its keys in order
  std::uint32_t few_count[kFewSlots];
  std::uint32_t cell_begin[kCells + 4];                 // positions, the end of all last
  std::uint32_t first_cursor[256 * kLine];              // a 128-byte line each
  std::uint32_t cursor[kMost + 64];                     // counts, then begins, then (splits of keys) ends
  std::uint32_t hard[kMost];
};

static_assert(offsetof(Buckets, cell_begin) % 16 == 0 && offsetof(Buckets, cursor) % 16 == 0, "read 16 bytes at a time");

struct BucketParams {
  const void *keys_from, *values_from;
  void *keys_to, *values_to;
  const std::uint64_t* device_count;
  std::uint64_t count;
  Control* control;
  Buckets* buckets;
  std::uint32_t* lookback;  // of the stable splits, both of them
  std::uint64_t lookback_words;
  OrderWords order;                 // of this step: splits map what they read, the finish restores what it writes
  std::uint32_t bits, second_bits;  // of a bucket's number, and how many of them the second split takes
  std::uint32_t step;               // 0, 1: first and second split
  std::uint32_t tile;               // of the splits
  std::uint32_t room;               // of the finish: the largest bucket it takes
  std::uint32_t most_room;          // of the hard form
  void* lowest;                     // by quantiles: the least key of each bucket; null where there is no such way
  std::uint32_t whole_keys;
  std::uint32_t hold_every;  // as in SortParams
};

struct SortParams {
  Route keys, values;
  const std::uint64_t* device_count;  // null: count
  std::uint64_t count;
  Control* control;
  const Buckets* buckets;   // null where no earlier kernel may take over
  std::uint32_t* lookback;  // 256 words for each tile of a portion
  std::uint64_t lookback_words;
  OrderWords order;
  std::uint32_t key_bytes, value_bytes;
  std::uint32_t bit_begin, bit_end;
  std::uint32_t portion;  // items ranked with 32-bit arithmetic, a multiple of the tile
  std::uint32_t flags;
  std::uint32_t hold_every;  // 0, or by a test: every so many tiles publish late what others wait for
  std::uint32_t run, step;   // of a launch of run_pass: which pass, and its number among all launches
  std::uint32_t rounds;      // tiles that a block takes one after the other
  std::uint64_t first;       // and the first item of its portion
};

struct CheckParams {
  const void *keys_src, *keys_dst, *values_src, *values_dst;
  const std::uint64_t* device_count;
  std::uint64_t count;
  std::uint64_t* answer;  // is_sorted: first offender; verify: the verdict's 64-bit words
  std::uint32_t* seen;    // verify of an argsort: one bit an index
  OrderWords order;
  std::uint32_t bit_begin, bit_end;
  std::uint32_t value_bytes;
  std::uint32_t argsort;
};

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
