// Shapes and margins of the CUDA top-k. Included by host and device code alike.
#pragma once
#include <cmath>
#include <cstdint>

#include "kernels/key_order.hpp"

namespace lanesort {
inline namespace v1 {
namespace tune {

constexpr std::uint32_t kTopThreads = 256;
// Blocks that shall fit a multiprocessor. Narrow keys are many to a register's worth of loads.
constexpr std::uint32_t kTopFindBlocks = 4;
constexpr std::uint32_t top_keep_blocks(std::uint32_t key_bytes) { return key_bytes >= 4 ? 4 : 3; }
constexpr std::uint32_t top_row_blocks(std::uint32_t key_bytes) { return key_bytes == 4 ? 5 : 4; }
constexpr std::uint32_t kTopCellBits = 11;

// One block's least share of the read that keeps: warps take stretches of rounds, so many packs of 16 bytes a lane.
constexpr std::uint32_t kTopRounds = 4;
constexpr std::uint32_t top_round_packs(std::uint32_t key_bytes) { return key_bytes >= 4 ? 4 : key_bytes; }
constexpr std::uint32_t top_tile(std::uint32_t key_bytes) {
  return kTopThreads * kTopRounds * top_round_packs(key_bytes) * 16 / key_bytes;
}

// Candidates of a warp's stretch that wait in shared memory. Of 2^28 keys on 132 multiprocessors k = 10^5 has 40.
constexpr std::uint32_t kTopStaged = 256;

// One block does a whole row: candidates that it holds, and so the largest k. Up to the half of it the least keys of
// groups tell the threshold; above, every digit of the row is counted.
constexpr std::uint32_t kTopRowRoom = 1024;
constexpr std::uint64_t kTopRowsUpTo = std::uint64_t{1}
                                       << 15;  // longest row that one block takes where there are few rows
constexpr std::uint64_t kTopManyRows = 32;     // from here on it takes longer ones too
constexpr std::uint64_t kTopCandidatesUpTo = std::uint64_t{1} << 16;  // one block chooses among so many candidates

// 2^bits keys are drawn from count of them: enough that candidates are few beside the keys, few enough to be no read.
constexpr std::uint32_t top_sample_bits(std::uint64_t count) {
  std::uint32_t bits = 12;
  while (bits < 18 && (std::uint64_t{64} << (bits + 1)) <= count) ++bits;
  return bits;
}

// On the host by Newton's steps from above, because the library must link without libm.
LANESORT_HOST_DEVICE inline double top_root(double x) {
#if defined(__CUDA_ARCH__)
  return sqrt(x);
#else
  if (!(x > 0)) return 0;
  double root = x < 1 ? 1 : x;
  for (double next = (root + x / root) / 2; next < root; next = (root + x / root) / 2) root = next;
  return root;
#endif
}

// The place in the sorted sample of a key that hardly ever stands before the kept-th of all: six deviations and eight.
LANESORT_HOST_DEVICE inline std::uint64_t top_sample_rank(std::uint64_t kept, std::uint64_t count,
                                                          std::uint32_t sample_bits) {
  const double expected =
      static_cast<double>(kept) * static_cast<double>(std::uint64_t{1} << sample_bits) / static_cast<double>(count);
  return static_cast<std::uint64_t>(expected + 6 * top_root(expected) + 8);
}

// Keys before the one at that place: hardly ever more. One deviation of seven is for a search that
// stops so many places too far.
inline std::uint64_t top_most_below(std::uint64_t rank, std::uint64_t count, std::uint32_t sample_bits) {
  const double most = static_cast<double>(rank) + 7 * top_root(static_cast<double>(rank)) + 16;
  return static_cast<std::uint64_t>(most * static_cast<double>(count) /
                                    static_cast<double>(std::uint64_t{1} << sample_bits)) +
         1;
}

// Selecting more than three keys in four would cost more than it spares; counts of candidates end at 2^30.
constexpr std::uint64_t kTopMostRoom = (std::uint64_t{1} << 30) - 1;
constexpr bool top_sorts_all(std::uint64_t kept, std::uint64_t count) { return kept > count - count / 4; }

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
