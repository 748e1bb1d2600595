#include "bench/zipf.hpp"

#include <algorithm>
#include <bit>

#include "bench/random.hpp"

namespace lanesort::bench {

using std::uint64_t;

ZipfTable::ZipfTable() : sums(kRanks) {
  uint64_t sum = 0;
  for (uint64_t r = 0; r < kRanks; ++r) sums[r] = sum += (uint64_t{1} << 44) / (r + 1);
  shift = static_cast<unsigned>(std::bit_width(sum)) - kGuideBits;
  first_rank.resize((sum >> shift) + 2);
  std::uint32_t rank = 0;
  for (uint64_t post = 0; post < first_rank.size(); ++post) {
    while (rank + 1 < kRanks && sums[rank] <= post << shift) ++rank;
    first_rank[post] = rank;
  }
}

uint64_t ZipfTable::rank(uint64_t random) const {
  const uint64_t draw = below(random, sums.back());
  const auto post = static_cast<std::size_t>(draw >> shift);
  const auto from = sums.begin() + first_rank[post], to = sums.begin() + first_rank[post + 1];
  return static_cast<uint64_t>(std::upper_bound(from, to, draw) - sums.begin());
}

const ZipfTable& zipf_table() {
  static const ZipfTable table;
  return table;
}

}  // namespace lanesort::bench
