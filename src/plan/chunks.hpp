// How host arrays are cut for a device whose memory may not hold them. Pure arithmetic.
#pragma once
#include <algorithm>
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace plan {

// Chunks that a device works on at once when there are several: one comes, one is sorted, one goes.
inline constexpr std::uint32_t kChunkSlots = 3;
inline constexpr std::uint64_t kBlockUnit = 64;  // blocks of more items begin at lines of the cache

struct ChunkPlan {
  std::uint64_t chunk = 0;   // items of each, but the last may have fewer
  std::uint64_t chunks = 0;  // 0: not even one item fits
  std::uint32_t slots = 0;
};

// The fewest chunks of count items that fit device_bytes: items of item_bytes in each slot, and scratch_bytes(items), which
// rises with its argument, for the one that is sorted. Chunks are as even as can be.
template <class Scratch>
ChunkPlan plan_chunks(std::uint64_t count, std::uint64_t item_bytes, std::uint64_t device_bytes, Scratch&& scratch_bytes) {
  const auto fits = [&](std::uint64_t items, std::uint32_t slots) {
    const std::uint64_t each = slots * item_bytes;
    return items <= device_bytes / each && scratch_bytes(items) <= device_bytes - items * each;
  };
  if (fits(count, 1)) return {count, 1, 1};
  std::uint64_t most = 0, beyond = count;  // most fits, beyond does not or is all, which did not in one slot
  while (beyond - most > 1) {
    const std::uint64_t middle = most + (beyond - most) / 2;
    (fits(middle, kChunkSlots) ? most : beyond) = middle;
  }
  if (most == 0) return {};
  const std::uint64_t chunks = (count + most - 1) / most;
  return {(count + chunks - 1) / chunks, chunks, kChunkSlots};
}

// Chunks of whole blocks. Runs stand in the array of the results and `spare` blocks before it, run 0 at the end of the spare
// ones and each other run one chunk before the chunk that it was made of: where it is written, the chunk has gone up.
struct BlockPlan {
  std::uint64_t count = 0, chunk = 0, block = 0;  // items
  bool apart = false;                             // runs have an array of their own, and stay where they are

  std::uint64_t chunks() const { return (count + chunk - 1) / chunk; }
  std::uint64_t blocks_of_chunk() const { return chunk / block; }
  // Before range i comes down, its place is cleared, when the ranges up to i - kChunkSlots are down. What is still needed then
  // stands outside of that place and of those before, and each run may have a block of which part is needed.
  std::uint64_t spare_blocks() const { return apart ? 0 : kChunkSlots * blocks_of_chunk() + chunks() + 3; }
  std::uint64_t first_block(std::uint64_t run) const {
    return apart ? run * blocks_of_chunk() : spare_blocks() + run * blocks_of_chunk() - blocks_of_chunk();
  }
};

// Chunks of at most `most` items, `chunks` of them or as many more as that takes.
inline BlockPlan plan_blocks(std::uint64_t count, std::uint64_t most, std::uint64_t chunks,
                             std::uint64_t blocks_of_chunk) {
  const std::uint64_t wanted = chunks == 0 ? most : std::min(most, (count + chunks - 1) / chunks);
  std::uint64_t block = std::max<std::uint64_t>(1, wanted / blocks_of_chunk);
  if (block > kBlockUnit) block -= block % kBlockUnit;
  return {count, wanted - wanted % block, block, false};
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
