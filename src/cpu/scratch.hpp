// The layout of scratch: the alternate lanes, then the parallel partition's counters, then the room of a sort by words. One
// function says where each part begins; its end is what sort_scratch_bytes() reports.
#pragma once
#include <bit>
#include <cstdint>

#include "cpu/engine.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

inline constexpr std::uint32_t kBucketLimit = 256;  // buckets of one partition
inline constexpr std::uint32_t kCellBits = 12;      // leading bits that a partition looks at
inline constexpr std::uint32_t kCells = 1u << kCellBits;

// Below it a second thread costs more than it brings (docs/cpu-notes.md).
inline constexpr std::uint64_t kKeysPerThread = std::uint64_t{1} << 16;

// A sort by words (words-inl.hpp): for keys and values of 4 bytes each.
inline constexpr std::uint64_t kLeastWords = std::uint64_t{1} << 16;
inline constexpr std::uint32_t kWordCells = 2048;
inline constexpr std::uint32_t kMostWordBuckets = 16384;  // of uniform keys

struct ScratchLayout {
  std::uint64_t keys = 0;      // count keys
  std::uint64_t keys_dst = 0;  // argsort: a second lane of count keys, since the caller gave none to write
  std::uint64_t values = 0;    // count values
  std::uint64_t counters = 0;  // threads * kCells 64-bit counters, at an 8-byte boundary of the scratch's address
  std::uint64_t words = 0;     // WordRoom's, at a 64-byte boundary; empty where there is no sort by words
  std::uint64_t end = 0;
};

// Always inlined, because units of several instruction sets include it (see key_order.hpp).
// Products that do not fit 64 bits cannot be had either; they end as the largest number there is.
[[gnu::always_inline]] inline std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

[[gnu::always_inline]] inline std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

// Items that a bucket of words is to hold: as many as leave room in 32 bits for the bits that order the bucket beside a
// place in it, if keys are uniform (2 log2 of the bucket + 32 - log2 of count), and some less for those that are not.
[[gnu::always_inline]] inline std::uint64_t word_bucket_items(std::uint64_t count) noexcept {
  // The whole root by Newton's steps from above: no call into libm, which programs in C do not link.
  std::uint64_t root = std::uint64_t{1} << ((std::bit_width(count) + 1) / 2);
  while (root != 0 && root > count / root) root = (root + count / root) / 2;
  const std::uint64_t few = root * 2 / 5, least = count / kMostWordBuckets;
  return few > least ? few : least;
}

// Where the parts of the room lie, in bytes from its begin.
struct WordRoom {
  std::uint64_t bucket_limit = 0;  // see plan_words()
  std::uint64_t entries = 0;       // kWordCells numbers of 32 bits
  std::uint64_t begins = 0;        // bucket_limit + 1 numbers of 32 bits
  std::uint64_t shifts = 0;        // bucket_limit bytes
  std::uint64_t parts = 0;         // one after another
  std::uint64_t firsts = 0;        // in a part: bucket_limit numbers of 32 bits, after as many lines of 64 bytes
  std::uint64_t places = 0;        // likewise
  std::uint64_t part_bytes = 0;
};

[[gnu::always_inline]] inline std::uint64_t in_lines(std::uint64_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

[[gnu::always_inline]] inline WordRoom layout_words(std::uint64_t count) noexcept {
  WordRoom room;
  room.bucket_limit = kWordCells + 3 * (count / word_bucket_items(count)) / 2;
  room.begins = in_lines(kWordCells * 4);
  room.shifts = room.begins + in_lines((room.bucket_limit + 1) * 4);
  room.parts = room.shifts + in_lines(room.bucket_limit);
  room.firsts = room.bucket_limit * 64;
  room.places = room.firsts + in_lines(room.bucket_limit * 4);
  room.part_bytes = room.places + in_lines(room.bucket_limit * 4);
  return room;
}

// Threads that share the partition of a sort by words; 0: there is none. More threads never get less.
[[gnu::always_inline]] inline std::uint32_t word_parts(std::uint64_t count, std::uint32_t key_bytes,
                                                       std::uint32_t value_bytes, std::uint32_t threads) noexcept {
  if (key_bytes != 4 || value_bytes != 4 || count < kLeastWords || count > UINT32_MAX) return 0;
  // Of an item's scratch, which is not to be 16 in all; and of all of it, which is to be the lanes and little more.
  constexpr std::uint64_t kMostItemBytes = 3, kMostBytes = std::uint64_t{4} << 20;
  const std::uint64_t room = kMostItemBytes * count < kMostBytes ? kMostItemBytes * count : kMostBytes;
  const std::uint64_t fed = room / layout_words(count).part_bytes;
  return fed < threads ? static_cast<std::uint32_t>(fed) : threads;
}

[[gnu::always_inline]] inline ScratchLayout layout_scratch(std::uint64_t count, std::uint32_t key_bytes,
                                                           std::uint32_t value_bytes, bool argsort,
                                                           std::uint32_t threads) noexcept {
  ScratchLayout layout;
  const std::uint64_t key_lane = saturating_product(count, key_bytes);
  layout.keys_dst = key_lane;
  layout.values = saturating_sum(layout.keys_dst, argsort ? key_lane : 0);
  layout.counters = saturating_sum(layout.values, saturating_product(count, value_bytes));
  const std::uint64_t counter_bytes =
      threads > 1 ? saturating_product(threads, kCells * sizeof(std::uint64_t)) + sizeof(std::uint64_t) : 0;
  layout.words = saturating_sum(layout.counters, counter_bytes);
  layout.end = layout.words;
  if (const std::uint32_t parts = word_parts(count, key_bytes, value_bytes, threads); parts != 0) {
    const WordRoom room = layout_words(count);
    layout.end += 63 + room.parts + parts * room.part_bytes;
  }
  return layout;
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
