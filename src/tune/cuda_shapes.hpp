// Tile shapes of the CUDA kernels by widths. Each row is what measured best on an H200 (docs/cuda-notes.md).
#pragma once
#include <cstdint>
#include <initializer_list>

namespace lanesort {
inline namespace v1 {
namespace tune {

// One block's share of a pass: threads * items keys; `blocks` of them fit a multiprocessor.
struct Shape {
  std::uint32_t key_bytes, value_bytes, threads, items, blocks;

  constexpr std::uint32_t tile() const { return threads * items; }
  constexpr std::uint32_t warps() const { return threads / 32; }
  // Counters and masks of every warp first, the tile in the order of its digits afterwards.
  constexpr std::uint32_t shared_bytes() const {
    const std::uint32_t ranking = warps() * 2 * 256 * 4,
                        staging = (tile() * key_bytes + 15) / 16 * 16 + tile() * value_bytes;
    return ranking > staging ? ranking : staging;
  }
};

// which 0: large counts, a launch for each pass; 1: small tiles for counts that would leave multiprocessors idle, all
// passes in one launch.
constexpr std::uint32_t kPassShapes = 2;
constexpr Shape pass_shape(std::uint32_t key_bytes, std::uint32_t value_bytes, std::uint32_t which) {
  const std::uint32_t item = key_bytes + value_bytes;
  if (which == 1) return {key_bytes, value_bytes, 256, 8, 3};
  if (value_bytes == 0)
    return key_bytes == 8   ? Shape{8, 0, 512, 12, 2}
           : key_bytes == 4 ? Shape{4, 0, 512, 24, 2}
                            : Shape{key_bytes, 0, 256, 32, 3};
  if (key_bytes >= 4 && (value_bytes == 4 || value_bytes == 8))
    return {key_bytes, value_bytes, 512, item == 8 ? 20u : item == 12 ? 12u : 10u, 2};
  if (item <= 8) return {key_bytes, value_bytes, 256, 24, 3};
  if (item <= 12) return {key_bytes, value_bytes, 256, 20, 3};
  if (item <= 16) return {key_bytes, value_bytes, 256, 16, 3};
  return {key_bytes, value_bytes, 256, 16, 2};
}
// Up to here the small tiles are taken, where there are any. Narrow keys have so few passes that launches cost little.
constexpr std::uint64_t small_tiles_up_to(std::uint32_t key_bytes) {
  return key_bytes == 4 ? std::uint64_t{1} << 20 : std::uint64_t{1} << 19;
}
constexpr bool has_small_tiles(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  return key_bytes >= 4 && (value_bytes == 0 || value_bytes == 4 || value_bytes == 8);
}

// One row of keys in so many finds its equals by votes, the others by masks.
constexpr std::uint32_t kVotesEvery = 2;

// Tiles that a block of a pass takes one after the other: several where there are many, so that passes that the data
// does not need are short, and one where the device would not be busy to the end.
constexpr std::uint32_t rounds(std::uint64_t tiles, std::uint32_t resident) {
  const std::uint64_t fair = tiles / (4 * std::uint64_t{resident} + 1);
  return fair < 1 ? 1 : fair > 4 ? 4 : static_cast<std::uint32_t>(fair);
}

// Histograms of all digits: as many columns of counters as fit, one a lane at most.
constexpr std::uint32_t kBeginThreads = 1024, kBeginSharedBytes = 128 << 10;
constexpr std::uint32_t digit_columns(std::uint32_t key_bytes, std::uint32_t shared_bytes) {
  std::uint32_t columns = 32;
  while (columns > 1 && columns * key_bytes * 1024 > shared_bytes) columns /= 2;
  return columns;
}

// Kernels of small and of tiny counts are made for the usual widths only.
constexpr bool has_small_shapes(std::uint32_t value_bytes) {
  return value_bytes == 0 || value_bytes == 4 || value_bytes == 8;
}

// One block sorts everything: the smallest of these that holds it.
constexpr std::uint32_t kSmallShapes = 2;
constexpr Shape small_shape(std::uint32_t key_bytes, std::uint32_t value_bytes, std::uint32_t which) {
  return which == 0 ? Shape{key_bytes, value_bytes, 256, 4, 1} : Shape{key_bytes, value_bytes, 1024, 4, 1};
}

// By bins first: many keys whose words, with a place of 13 bits for pairs, have 64 bits and leave room for the values.
constexpr bool small_by_bins(const Shape& shape) {
  return shape.threads == 1024 &&
         (shape.value_bytes == 0 || (shape.key_bytes <= 4 && (shape.value_bytes == 4 || shape.value_bytes == 8)));
}
constexpr std::uint32_t small_shared_bytes(const Shape& shape) {
  const std::uint32_t word = shape.key_bytes == 8 || shape.value_bytes != 0 ? 8 : 4,
                      bins = shape.tile() * (4 + word + shape.value_bytes) + 32 * word;
  return small_by_bins(shape) && bins > shape.shared_bytes() ? bins : shape.shared_bytes();
}

// ---- sorts by buckets: keys of 4 and 8 bytes, values of none, 4 or 8 ----

constexpr std::uint32_t kPrepareThreads = 1024, kPrepareSharedBytes = 65536 * 2;  // 16-bit counters
constexpr std::uint32_t kFewestLowBits =
    11;  // varying bits below a bucket's number; with fewer the finish meets too many equal keys
constexpr std::uint32_t kAhead = 132;                // tiles that a tile's prefetch looks ahead: one a multiprocessor
constexpr std::uint32_t kFewestTopBitsOfPairs = 13;  // the place in the bucket takes 13 bits of the finish's word

constexpr bool sorts_by_buckets(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  return (key_bytes == 4 || key_bytes == 8) && (value_bytes == 0 || value_bytes == 4 || value_bytes == 8);
}
// Keys of 2 bytes that are interchangeable are their counts.
constexpr bool sorts_by_counts(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  return key_bytes == 2 && value_bytes == 0;
}

// Splits: small tiles for counts that would leave multiprocessors idle, and large ones.
constexpr std::uint32_t kSplitShapes = 2;
constexpr Shape split_shape(std::uint32_t key_bytes, std::uint32_t value_bytes, std::uint32_t which) {
  if (value_bytes == 0) {
    if (which == 0) return {key_bytes, 0, 512, 8, 4};
    return key_bytes == 4 ? Shape{4, 0, 512, 28, 2} : Shape{8, 0, 512, 20, 2};
  }
  if (which == 0) return {key_bytes, value_bytes, 256, 16, 3};
  return {key_bytes, value_bytes, 1024,
          key_bytes + value_bytes == 8    ? 20u
          : key_bytes + value_bytes == 12 ? 16u
                                          : 12u,
          1};
}
constexpr std::uint64_t large_tiles_from(std::uint32_t value_bytes) {
  return value_bytes == 0 ? std::uint64_t{3} << 20 : (std::uint64_t{1} << 20) + 1;
}

// Up to here one cluster counts in one launch, instead of the whole device between barriers.
constexpr std::uint64_t kClusterUpTo = std::uint64_t{1} << 20;
constexpr std::uint32_t kClusterBlocks = 8;

// Interchangeable keys of one byte are counted and filled in by one block up to so many of them, by one cluster up to
// kClusterUpTo; fewer than the least are sorted sooner.
constexpr std::uint32_t kByteThreads = 1024;
constexpr std::uint64_t kBytesFrom = 1025, kBytesOfBlockUpTo = 16384;

// By the quantiles of a sample where top bits are uneven: pairs of wide keys would need words of more than 64 bits.
constexpr bool takes_quantiles(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  return sorts_by_buckets(key_bytes, value_bytes) && (key_bytes == 4 || value_bytes == 0);
}
constexpr std::uint32_t kFewestDigitsOfQuantiles = 3, kSamplesPerThread = 4, kGoesOfFinish = 3, kMixedCells = 2;

// Fewer keys than these are sorted sooner by the passes' one launch; more than these may not fit 65,536 buckets.
constexpr std::uint64_t buckets_from(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  if (key_bytes == 2) return std::uint64_t{1} << 21;
  return value_bytes == 0 || key_bytes == 4 ? 4097 : std::uint64_t{3} << 20;
}
constexpr std::uint64_t kBucketsUpTo = (std::uint64_t{1} << 28) + (std::uint64_t{1} << 20);

// Bits of a bucket's number: buckets of 2048 to 4096 keys.
constexpr std::uint32_t bucket_bits(std::uint64_t count, std::uint32_t key_bytes, std::uint32_t value_bytes) {
  const std::uint32_t least = value_bytes == 0 || key_bytes == 4 ? 8 : kFewestTopBitsOfPairs;
  std::uint32_t bits = least;
  while (bits < 16 && count > std::uint64_t{4096} << bits) ++bits;
  return bits;
}

// Keys alone need no counters of their own in front of the stage.
constexpr std::uint32_t split_shared_bytes(const Shape& shape) {
  return shape.value_bytes == 0 ? shape.tile() * shape.key_bytes : shape.shared_bytes();
}

struct FinishShape {
  std::uint32_t key_bytes, value_bytes, word_bytes, threads, items, blocks, reach, bins;

  constexpr std::uint32_t room() const { return threads * items; }
  constexpr std::uint32_t shared_bytes() const {
    return bins * 4 + (room() * value_bytes + 15) / 16 * 16 + (room() + items + 24) * word_bytes;
  }
};

// which 0: many buckets; 1, for keys of 4 bytes: few, which want more threads each, and words of 64 bits for pairs.
constexpr std::uint32_t kFinishShapes = 2;
constexpr FinishShape finish_shape(std::uint32_t key_bytes, std::uint32_t value_bytes, std::uint32_t which) {
  if (key_bytes == 8 && value_bytes == 0) return {8, 0, 8, 256, 19, 3, 6, 4096};
  if (key_bytes == 8) return {8, value_bytes, 8, 512, 9, 2, 6, 4096};
  if (which == 1) return {4, value_bytes, value_bytes == 0 ? 4u : 8u, 512, 9, value_bytes == 0 ? 3u : 2u, 6, 4096};
  if (value_bytes == 0) return {4, 0, 4, 256, 19, 5, 8, 2048};
  return {4, value_bytes, 4, 256, 19, value_bytes == 4 ? 4u : 3u, 8, 2048};
}
// The same for buckets that are not easy, larger ones among them: words that hold every key and place.
constexpr FinishShape hard_shape(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  return {key_bytes, value_bytes, key_bytes == 8 || value_bytes != 0 ? 8u : 4u, 512, 13, 1, 6, 4096};
}
constexpr bool has_finish(std::uint32_t key_bytes, std::uint32_t which) { return which == 0 || key_bytes == 4; }
constexpr std::uint32_t finish_of(std::uint32_t key_bytes, std::uint32_t value_bytes, std::uint32_t bits) {
  return key_bytes == 4 && bits < (value_bytes == 0 ? 11 : kFewestTopBitsOfPairs) ? 1 : 0;
}

// Shared memory of the largest block, what the kernels declare themselves included: of those that every sort may need,
// and of those of the way by buckets, which a device with less goes without.
constexpr std::uint32_t kDeclaredBytes = 12 << 10;  // the quantiles' table is 8 KiB of them
constexpr std::uint32_t most_shared_bytes() {
  std::uint32_t most = kBeginSharedBytes > kPrepareSharedBytes ? kBeginSharedBytes : kPrepareSharedBytes;
  for (std::uint32_t key : {1u, 2u, 4u, 8u}) {
    for (std::uint32_t value : {0u, 1u, 2u, 4u, 8u, 16u}) {
      for (std::uint32_t bytes : {pass_shape(key, value, 0).shared_bytes(), small_shared_bytes(small_shape(key, value, 1))})
        most = bytes > most ? bytes : most;
    }
  }
  return most + kDeclaredBytes;
}
constexpr std::uint32_t most_shared_bytes_of_buckets(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  std::uint32_t most = hard_shape(key_bytes, value_bytes).shared_bytes();
  for (std::uint32_t bytes : {split_shared_bytes(split_shape(key_bytes, value_bytes, 0)),
                              split_shared_bytes(split_shape(key_bytes, value_bytes, 1)),
                              finish_shape(key_bytes, value_bytes, 0).shared_bytes(),
                              has_finish(key_bytes, 1) ? finish_shape(key_bytes, value_bytes, 1).shared_bytes() : 0}) {
    most = bytes > most ? bytes : most;
  }
  return most + kDeclaredBytes;
}

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
