// The vector sort by itself, for the instruction set that this file is compiled for: every small size, keys that crowd, every
// arrangement of buffers, and pivots that never suit, so that the passes take over.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cpu/vector_sort-inl.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

using namespace lanesort::cpu;
using namespace lanesort::cpu::LANESORT_ISA;

bool machine_has_it() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif
}

template <class K>
Raw<K>* raw(std::vector<K>& keys) {
  return reinterpret_cast<Raw<K>*>(keys.data());
}

template <class K>
std::vector<K> draw(Random& random, std::uint64_t count, unsigned pattern) {
  std::vector<K> keys(count);
  for (K& key : keys) {
    const std::uint64_t word = random.next();
    key = static_cast<K>(pattern == 0 ? word : pattern == 1 ? word % 3 : pattern == 2 ? ~(word % 2) : word & 0xff);
  }
  return keys;
}

template <class K>
class VectorSort : public testing::Test {
 protected:
  void SetUp() override {
    if (!machine_has_it()) GTEST_SKIP() << "this machine has not the instructions";
  }
};
using Widths = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(VectorSort, Widths);

TYPED_TEST(VectorSort, EverySizeAndArrangement) {
  using K = TypeParam;
  Random random(run_seed());
  const ImageCodec<K> codec{make_key_order<K>(KeyKind::signed_integer, true, NanPlace::last, 0)};
  constexpr K kCanary = 77;
  for (std::uint64_t count = 1; count < 900; ++count) {
    for (unsigned pattern = 0; pattern < 4; ++pattern) {
      const std::vector<K> keys = draw<K>(random, count, pattern);
      std::vector<K> want = keys, images = keys;
      std::sort(want.begin(), want.end(), [&](K a, K b) { return codec.order.map(a) < codec.order.map(b); });
      for (K& image : images) image = codec.order.image(image);
      for (const Where where : {Where::source, Where::alternate, Where::dst}) {
        std::vector<K> source = keys, dst(count + 1, kCanary), alternate(count + 1, kCanary);
        std::vector<K>& at = where == Where::source ? source : where == Where::dst ? dst : alternate;
        if (where != Where::source) std::copy(images.begin(), images.end(), at.begin());
        sort_by_vectors<K>(codec, {{raw(at), nullptr}, count, 0, where, where == Where::source},
                           {{raw(dst), nullptr}, {raw(alternate), nullptr}});
        EXPECT_EQ(dst.back(), kCanary);
        EXPECT_EQ(alternate.back(), kCanary);
        EXPECT_TRUE(where != Where::source || source == keys);
        dst.pop_back();
        ASSERT_EQ(dst, want) << "count " << count << " pattern " << pattern << " where " << static_cast<int>(where);
      }
    }
  }
}

TYPED_TEST(VectorSort, BadPivotsAreLeftToThePasses) {
  using K = TypeParam;
  Random random(run_seed() + 1);
  const ImageCodec<K> codec{make_key_order<K>(KeyKind::unsigned_integer, false, NanPlace::last, 0)};
  for (unsigned depth = 0; depth < 6; ++depth) {
    for (const bool in_dst : {false, true}) {
      std::vector<K> want = draw<K>(random, 20000, depth % 4), dst(want.size()), alternate(want.size());
      std::vector<K>& here = in_dst ? dst : alternate;
      here = want;
      std::sort(want.begin(), want.end());
      VectorSorter<K>(codec, raw(dst)).sort(raw(here), raw(in_dst ? alternate : dst), 0, want.size(), depth);
      ASSERT_EQ(dst, want) << "depth " << depth;
    }
  }
}

}  // namespace
}  // namespace lanesort::test
