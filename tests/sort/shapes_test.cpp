// Keys alone in the shapes that the engine has ways of their own for: few values, in order but for some, falling, rising and
// falling. Each way decides by a sample or a part; here is also what a sample does not show, and what must be given up.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "support/effort.hpp"
#include "support/guarded.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

using Keys = std::vector<std::uint64_t>;

struct Shape {
  const char* name;
  std::function<void(Random&, Keys&)> make;  // of keys that rise
};

void swap_some(Random& random, Keys& keys, std::uint64_t swaps) {
  for (std::uint64_t i = 0; i < swaps; ++i) std::swap(keys[random.below(keys.size())], keys[random.below(keys.size())]);
}

void keep_values(Random& random, Keys& keys, std::uint64_t values) {
  const Keys some(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(values));
  for (auto& key : keys) key = some[random.below(values)];
}

const Shape kShapes[] = {
    {"two values", [](Random& r, Keys& k) { keep_values(r, k, 2); }},
    {"sixteen values", [](Random& r, Keys& k) { keep_values(r, k, 16); }},
    {"seventeen values", [](Random& r, Keys& k) { keep_values(r, k, 17); }},
    {"sixteen values and one key more",
     [](Random& r, Keys& k) {
       const auto last = k.back();
       keep_values(r, k, 16), k[k.size() - 2] = last;
     }},
    {"one value and one key more",
     [](Random& r, Keys& k) {
       const auto last = k.back();
       keep_values(r, k, 1), k[r.below(k.size())] = last;
     }},
    {"one swap", [](Random& r, Keys& k) { swap_some(r, k, 1); }},
    {"a hundredth swapped", [](Random& r, Keys& k) { swap_some(r, k, k.size() / 100); }},
    {"a twentieth swapped", [](Random& r, Keys& k) { swap_some(r, k, k.size() / 20); }},
    {"a tenth swapped", [](Random& r, Keys& k) { swap_some(r, k, k.size() / 10); }},
    {"neighbours swapped",
     [](Random& r, Keys& k) {
       for (std::uint64_t i = 0; i < k.size() / 50; ++i) {
         const auto p = r.below(k.size() - 1);
         std::swap(k[p], k[p + 1]);
       }
     }},
    {"the highest first", [](Random&, Keys& k) { std::rotate(k.begin(), k.end() - 1, k.end()); }},
    {"the lowest last", [](Random&, Keys& k) { std::rotate(k.begin(), k.begin() + 1, k.end()); }},
    {"some of the highest early",
     [](Random& r, Keys& k) {
       for (std::uint64_t i = 1; i < 30; ++i) std::swap(k[100 + r.below(50) + i], k[k.size() - i]);
     }},
    {"two halves",
     [](Random&, Keys& k) { std::rotate(k.begin(), k.begin() + static_cast<std::ptrdiff_t>(k.size() / 2), k.end()); }},
    {"unsorted at the end",
     [](Random& r, Keys& k) {
       for (std::uint64_t i = k.size() - k.size() / 20; i < k.size(); ++i) k[i] = r.next();
     }},
    {"few values, nearly sorted",
     [](Random& r, Keys& k) {
       for (auto& key : k) key &= ~std::uint64_t{0} << 40;
       swap_some(r, k, k.size() / 200);
     }},
    {"falling", [](Random&, Keys& k) { std::reverse(k.begin(), k.end()); }},
    {"falling with repetitions",
     [](Random&, Keys& k) {
       for (std::size_t i = 1; i < k.size(); i += 3) k[i] = k[i - 1];
       std::reverse(k.begin(), k.end());
     }},
    {"rising and falling",
     [](Random&, Keys& k) {
       for (std::size_t i = 0; i < k.size() / 4; ++i) std::swap(k[2 * i + 1], k[k.size() - 1 - 2 * i]);
       std::sort(k.begin(), k.begin() + static_cast<std::ptrdiff_t>(k.size() / 2));
       std::sort(k.rbegin(), k.rend() - static_cast<std::ptrdiff_t>(k.size() / 2));
     }},
};

void run_shape(Random& random, const Shape& shape, lanesort_dtype dtype, std::uint64_t count, bool descending,
               bool in_place, std::uint32_t threads) {
  const std::uint32_t width = lanesort_dtype_bytes(dtype);
  SCOPED_TRACE(std::string(shape.name) + ", " + lanesort_dtype_name(dtype) + ", " + std::to_string(count) + " keys" +
               (descending ? ", descending" : "") + (in_place ? ", in place" : "") + ", threads " +
               std::to_string(threads));
  // Numbers that rise in the order asked for: of 64 bits, cut down to the key, as numbers of the dtype.
  OrderSpec order{dtype, descending, LANESORT_FLOAT_BITS, 0, LANESORT_ALL_BITS};
  Keys keys(count);
  for (auto& key : keys) key = random.next();
  std::sort(keys.begin(), keys.end());
  shape.make(random, keys);
  std::vector<unsigned char> source(count * width);
  const std::uint64_t sign = std::uint64_t{1} << (8 * width - 1), all = sign | (sign - 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t raw = keys[i] >> (64 - 8 * width);
    if (descending) raw = ~raw & all;
    if (dtype == LANESORT_I32 || dtype == LANESORT_I64) raw ^= sign;
    if (dtype == LANESORT_F32 || dtype == LANESORT_F64) raw = (raw & sign) != 0 ? raw ^ sign : ~raw & all;
    std::memcpy(source.data() + i * width, &raw, width);
  }
  Guarded from(source, random.below(16)), to(source.size(), random.below(16));
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = dtype;
  desc.order = descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
  desc.float_order = order.float_order;
  desc.count = count;
  desc.threads = threads;
  desc.keys_src = from.data();
  desc.keys_dst = in_place ? from.data() : to.data();
  ASSERT_EQ(lanesort_sort(&desc), LANESORT_OK) << lanesort_last_error();
  const auto want = gathered(source, width, sorted_indices(order, source));
  EXPECT_TRUE((in_place ? from : to).content() == want);
  if (!in_place) { EXPECT_TRUE(from.content() == source) << "the source was written"; }
  EXPECT_TRUE(from.intact() && to.intact()) << "a canary died";
}

TEST(Shapes, OfKeysAloneOverThreads) {
  const std::uint64_t seed = run_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  constexpr lanesort_dtype kTypes[] = {LANESORT_U16, LANESORT_U32, LANESORT_I32, LANESORT_F32,
                                       LANESORT_U64, LANESORT_I64, LANESORT_F64};
  std::uint64_t turn = random.below(5);
  for (const Shape& shape : kShapes) {
    if (kThreadsAlone && turn++ % 5 != 0) continue;
    for (std::uint64_t i = 0, first = random.below(7); i < share_of(7) && !kThreadsAlone; ++i) {  // by one thread
      const std::uint64_t count = random.chance(3) ? 8190 + random.below(5) : 8192 + random.below(40000 / kFewerBy);
      run_shape(random, shape, kTypes[(first + i) % 7], count, random.chance(2), random.chance(2), 1);
      if (HasFailure()) return;
    }
    const std::uint64_t count = 140000 + random.below(200000 / kFewerBy);
    run_shape(random, shape, kTypes[random.below(7)], count, random.chance(2), random.chance(2),
              2 + static_cast<std::uint32_t>(random.below(3)));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lanesort::test
