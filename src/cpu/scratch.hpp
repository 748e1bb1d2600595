// The layout of scratch: the alternate lanes, then the parallel partition's counters. One function says where each
// part begins; its end is what sort_scratch_bytes() reports.
#pragma once
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

struct ScratchLayout {
  std::uint64_t keys = 0;      // count keys
  std::uint64_t keys_dst = 0;  // argsort: a second lane of count keys, since the caller gave none to write
  std::uint64_t values = 0;    // count values
  std::uint64_t counters = 0;  // threads * kCells 64-bit counters, at an 8-byte boundary of the scratch's address
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
  layout.end = saturating_sum(layout.counters, counter_bytes);
  return layout;
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
