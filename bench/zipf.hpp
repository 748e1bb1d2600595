// Ranks of which the r-th is drawn 1/r as often as the first. Rank r of kRanks has weight floor(2^44 / r); a draw below
// the sum of the weights is looked up in the running sums, between two guide posts. Whole numbers throughout, so no libm
// decides a byte.
#pragma once
#include <cstdint>
#include <vector>

namespace lanesort::bench {

struct ZipfTable {
  static constexpr std::uint64_t kRanks = 1'000'000;
  static constexpr unsigned kGuideBits = 20;
  std::vector<std::uint64_t> sums;             // sums[r]: weights of ranks up to and with r, counted from 0
  std::vector<std::uint32_t> first_rank;       // of a draw whose upper bits are the index
  unsigned shift = 0;

  ZipfTable();

  std::uint64_t rank(std::uint64_t random) const;
};

const ZipfTable& zipf_table();  // made when it is first asked for

}  // namespace lanesort::bench
