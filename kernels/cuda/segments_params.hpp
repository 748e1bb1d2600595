// What host and device say to each other about segments.
#pragma once
#include "kernels/cuda/params.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// At the start of scratch, zeroed by the recorded work.
struct SegmentControl {
  std::uint64_t block_count[2];  // segments for a block, of each shape
  std::uint64_t large_count, tiles, portions;
  std::uint64_t block_ticket[2];
  std::uint32_t ticket[8];  // tiles handed out, of each pass
  std::uint32_t varying;    // digits in which keys of some large segment differ
  std::uint32_t specials;   // some key of a large one is NaN or negative zero in an order that folds them
  std::uint32_t broken;     // offsets fall or overlap: large segments stay as they are
  std::uint32_t padding[3];
};

struct BlockSegment {
  std::uint64_t begin, count;
};
struct LargeSegment {
  std::uint64_t begin, count, first_tile, first_portion;
  std::uint32_t skewed;  // passes in which many keys share a digit
  std::uint32_t padding;
};

// A tile of which there is no segment.
constexpr std::uint32_t kNoSegment = ~0u;

struct SegmentParams {
  Route keys, values;                 // values.src null: indices
  const std::uint64_t* device_count;  // null: count
  std::uint64_t count;
  const std::uint64_t *begins, *ends;
  std::uint64_t segment_count;
  SegmentControl* control;
  BlockSegment* block_segments[2];
  LargeSegment* large;
  std::uint32_t* segment_of_tile;
  std::uint64_t* histogram;     // of each large segment, 256 a pass: counts, then begins
  std::uint64_t* portion_word;  // 256 a portion after a segment's first: how many stand before it, and of which pass
  std::uint32_t* lookback;      // 256 a tile
  std::uint64_t block_room[2], large_room, tile_room, portion_room;  // how many of each there is space for
  OrderWords order;
  std::uint32_t key_bytes, value_bytes;
  std::uint32_t bit_begin, bit_end;
  std::uint32_t per_warp;  // segments that a warp takes at a time, at most 32
  std::uint32_t of_team, of_block[2];  // most items
  std::uint32_t tile, portion_tiles;
  std::uint32_t whole_keys;     // as kWholeKeys
  std::uint32_t local_indices;  // count from the segment's begin
  std::uint32_t hold_every;
  std::uint32_t pass;  // of a launch of a pass
};

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
