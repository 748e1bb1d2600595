// A monotone map that spreads unevenly distributed keys evenly over buckets: the distribution function of a sample,
// linear inside each of 2048 cells of the mapped keys' window. Invariant: position_of never falls as keys rise, and
// lowest_key_of(b) is the least key whose position is b << 16 or more.
//
// Prior art: interpolation and learned sorts, whose model is the same function (Kristo et al., The Case for a Learned
// Sorting Algorithm, 2020); the two levels of linear pieces and their exact inverse are our own.
#pragma once
#include <cstdint>

#if defined(__CUDACC__)
#  define LANESORT_ON_BOTH __host__ __device__ __forceinline__
#else
#  define LANESORT_ON_BOTH inline
#endif

namespace lanesort {
inline namespace v1 {
namespace kernels {

constexpr std::uint32_t kCellBits = 11, kCells = 1u << kCellBits, kPositionBits = 16;

LANESORT_ON_BOTH std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __umulhi(a, b);
#else
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
#endif
}

// Keys whose bits from `above` on are all the same: the window is what is below them.
template <class K>
struct QuantileMap {
  static constexpr std::uint32_t kBits = sizeof(K) * 8;
  const std::uint32_t* begins;  // of the cells, and the end of the last: positions in 65,536ths of a bucket
  std::uint32_t lead;           // kBits - above

  LANESORT_ON_BOTH static std::uint32_t cell_of(K m, std::uint32_t lead) {
    return static_cast<std::uint32_t>(static_cast<K>(m << lead) >> (kBits - kCellBits));
  }
  // 32 bits after the cell's.
  LANESORT_ON_BOTH static std::uint32_t part_of(K m, std::uint32_t lead) {
    return static_cast<std::uint32_t>(static_cast<K>(m << (lead + kCellBits)) >> (kBits - 32));
  }
  LANESORT_ON_BOTH std::uint32_t position_of(K m) const {
    const std::uint32_t* const cell = begins + cell_of(m, lead);
    return cell[0] + high_product(part_of(m, lead), cell[1] - cell[0]);
  }

  // prefix: the bits from `above` on. Past the last bucket: the key after the window's last, which may be 0.
  LANESORT_ON_BOTH K lowest_key_of(std::uint32_t bucket, std::uint32_t buckets, K prefix) const {
    if (bucket == 0) return prefix;
    if (bucket >= buckets) return lead == 0 ? K{0} : static_cast<K>(prefix + (K{1} << (kBits - lead)));
    const std::uint32_t position = bucket << kPositionBits;
    std::uint32_t low = 0, high = kCells - 1;  // the last cell that begins before the position
    while (low < high) {
      const std::uint32_t middle = (low + high + 1) / 2;
      if (begins[middle] < position)
        low = middle;
      else
        high = middle - 1;
    }
    const std::uint64_t into = position - begins[low], width = begins[low + 1] - begins[low];
    // In units of the window's 2^-(11 + 32), or of its last bit where it has fewer; a carry is the next cell's first.
    constexpr std::uint32_t kPartBits = kBits - kCellBits < 32 ? kBits - kCellBits : 32;
    const std::uint64_t part = into >= width ? std::uint64_t{1} << 32 : ((into << 32) + width - 1) / width;
    const std::uint64_t rounded = (part + (std::uint64_t{1} << (32 - kPartBits)) - 1) >> (32 - kPartBits);
    const std::uint64_t at = (std::uint64_t{low} << kPartBits) + rounded;
    if (at >> (kCellBits + kPartBits) != 0) return lowest_key_of(buckets, buckets, prefix);
    const K aligned = static_cast<K>(static_cast<K>(at) << (kBits - kCellBits - kPartBits));
    const K rest = lead == 0 ? K{0} : static_cast<K>(aligned << (kBits - lead));
    return static_cast<K>(prefix + static_cast<K>(aligned >> lead) + (rest != 0 ? 1 : 0));
  }
};

// The share of a cell that `count` keys of the sample fell into. Small counts may be small by chance, so they get
// more: two standard deviations.
LANESORT_ON_BOTH std::uint32_t cell_weight(std::uint32_t count) {
#if defined(__CUDA_ARCH__)
  const float root = __fsqrt_rn(static_cast<float>(count));
#else
  const float root = __builtin_sqrtf(static_cast<float>(count));
#endif
  return count + 2 * static_cast<std::uint32_t>(root);
}
// Positions of one unit of weight, in 2^-32.
LANESORT_ON_BOTH std::uint64_t position_scale(std::uint32_t whole_weight, std::uint32_t bits) {
  return (((std::uint64_t{1} << (bits + kPositionBits)) - 1) << 32) / whole_weight;
}
LANESORT_ON_BOTH std::uint32_t position_at(std::uint32_t weight_before, std::uint64_t scale) {
  return static_cast<std::uint32_t>(weight_before * scale >> 32);
}

// The place of an item among `size` others, spread over 13 bits, and back: so that equal keys that are told apart by
// their place fall into different bins. Exact while size / 2^13 + size^2 / 2^29 < 1.
constexpr std::uint32_t kPlaceBits = 13, kMostPlaces = 7168;
LANESORT_ON_BOTH std::uint32_t place_factor(std::uint32_t size) {
  return (std::uint32_t{1} << (kPlaceBits + 16)) / (size == 0 ? 1 : size);
}
LANESORT_ON_BOTH std::uint32_t spread_place(std::uint32_t place, std::uint32_t factor) { return place * factor >> 16; }
LANESORT_ON_BOTH std::uint32_t place_back(std::uint32_t spread, std::uint32_t size) {
  return (spread * size + (1u << kPlaceBits) - 1) >> kPlaceBits;
}

// Bins of words from 0 to `most`: a shift that brings the top bit up, and a factor. A bin holds one word only where
// most < bins.
LANESORT_ON_BOTH std::uint32_t bin_factor(std::uint32_t most_shifted, std::uint32_t bins) {
  return static_cast<std::uint32_t>((std::uint64_t{bins} << 32) / (std::uint64_t{most_shifted} + 1));
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
