// The quantile map on the host: positions never fall, every bucket's least key is the least, places come back.
#include "kernels/cuda/quantile_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random.hpp"

namespace lanesort::test {
namespace {

using namespace kernels;

struct Table {
  std::vector<std::uint32_t> begins;
  std::uint32_t bits, above;
};

Table random_table(Random& random, std::uint32_t key_bits) {
  Table table{std::vector<std::uint32_t>(kCells + 1), 8 + static_cast<std::uint32_t>(random.below(9)),
              12 + static_cast<std::uint32_t>(random.below(key_bits - 11))};
  std::vector<std::uint32_t> counts(kCells);
  const std::uint64_t kind = random.below(4);
  for (std::uint32_t& count : counts) {
    count = static_cast<std::uint32_t>(kind == 0   ? random.below(1000)
                                       : kind == 1 ? (random.chance(50) ? random.below(100000) : 0)
                                       : kind == 2 ? std::uint64_t{1} << random.below(12)
                                                   : random.below(3));
  }
  counts[random.below(kCells)] += 5;
  std::uint32_t whole = 0, before = 0;
  for (std::uint32_t count : counts) whole += cell_weight(count);
  const std::uint64_t scale = position_scale(whole, table.bits);
  for (std::uint32_t i = 0; i < kCells; ++i) {
    before += cell_weight(counts[i]);
    table.begins[i + 1] = position_at(before, scale);
  }
  return table;
}

template <class K>
void check_maps(Random& random) {
  constexpr std::uint32_t kBits = sizeof(K) * 8;
  for (int round = 0; round < 200; ++round) {
    const Table table = random_table(random, kBits);
    const QuantileMap<K> map{table.begins.data(), kBits - table.above};
    const K window = table.above == kBits ? static_cast<K>(~K{0}) : static_cast<K>((K{1} << table.above) - 1),
            prefix = static_cast<K>(static_cast<K>(random.next()) & ~window);
    const std::uint32_t buckets = 1u << table.bits;
    const auto bucket_of = [&](K key) { return map.position_of(key) >> kPositionBits; };
    for (int i = 0; i < 2000; ++i) {
      const K a = static_cast<K>(prefix | (static_cast<K>(random.next()) & window)),
              b = static_cast<K>(prefix | (static_cast<K>(random.next()) & window));
      ASSERT_LE(map.position_of(std::min(a, b)), map.position_of(std::max(a, b)));
      const std::uint32_t bucket = bucket_of(a);
      ASSERT_LT(bucket, buckets);
      const K least = map.lowest_key_of(bucket, buckets, prefix),
              last = static_cast<K>(map.lowest_key_of(bucket + 1, buckets, prefix) - 1);
      ASSERT_LE(least, a);
      ASSERT_GE(last, a);
      ASSERT_EQ(bucket_of(least), bucket);
      ASSERT_EQ(bucket_of(last), bucket);
      if (least != prefix) { ASSERT_LT(bucket_of(static_cast<K>(least - 1)), bucket); }
    }
  }
}

TEST(QuantileMap, RisesAndKnowsTheLeastKeyOfEveryBucket) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(run_seed()));
  Random random(run_seed());
  check_maps<std::uint32_t>(random);
  check_maps<std::uint64_t>(random);
}

TEST(QuantileMap, PlacesComeBack) {
  for (std::uint32_t size = 1; size <= kMostPlaces; ++size) {
    const std::uint32_t factor = place_factor(size);
    for (std::uint32_t place = 0, last = 0; place < size; ++place) {
      const std::uint32_t spread = spread_place(place, factor);
      ASSERT_TRUE(place == 0 || spread > last) << place << " of " << size;
      ASSERT_LT(spread, 1u << kPlaceBits);
      ASSERT_EQ(place_back(spread, size), place) << "of " << size;
      last = spread;
    }
  }
}

TEST(QuantileMap, BinsHoldOneWordWhereThereAreEnough) {
  for (std::uint32_t bins : {2048u, 4096u}) {
    for (std::uint32_t most = 1; most < 3 * bins; ++most) {
      const int up = __builtin_clz(most);
      const std::uint32_t factor = bin_factor(most << up, bins);
      ASSERT_LT(high_product(most << up, factor), bins);
      const bool apart = high_product(most << up, factor) != high_product((most - 1) << up, factor);
      if (most < bins) { ASSERT_TRUE(apart) << most; }
    }
  }
}

}  // namespace
}  // namespace lanesort::test
