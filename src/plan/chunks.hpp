// How host arrays are cut for a device whose memory may not hold them. Pure arithmetic.
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace plan {

// Chunks that a device works on at once when there are several: one comes, one is sorted, one goes.
inline constexpr std::uint32_t kChunkSlots = 3;

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

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
