// The C++ face: every function, for every key type, against std::stable_sort.
#include <lanesort/lanesort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "support/random.hpp"

namespace lanesort::test {
namespace {

template <class K>
struct Face : testing::Test {};
using Keys = testing::Types<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long,
                            f16, bf16, float, double>;
TYPED_TEST_SUITE(Face, Keys);

template <class K>
bool before(const K& a, const K& b) {
  if constexpr (std::is_same_v<K, f16> || std::is_same_v<K, bf16>) return a.bits < b.bits;  // positive floats order as their bits
  else return a < b;
}

// std::vector<bool> has no span.
template <class K>
struct Array {
  std::unique_ptr<K[]> items;
  std::size_t size;
  explicit Array(std::size_t n) : items(new K[n]), size(n) {}
  Array(const Array& other) : Array(other.size) { std::copy_n(other.items.get(), size, items.get()); }
  Array(Array&&) = default;
  Array& operator=(Array&&) = default;
  std::span<K> span() { return {items.get(), size}; }
  std::span<const K> read() const { return {items.get(), size}; }
  bool same(const Array& other) const { return size == other.size && std::memcmp(items.get(), other.items.get(), size * sizeof(K)) == 0; }
};

template <class K>
Array<K> some_keys(std::size_t count) {
  Random random(3);
  Array<K> keys(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t draw = random.next();
    if constexpr (std::is_same_v<K, bool>) keys.items[i] = (draw & 1) != 0;
    else if constexpr (std::is_same_v<K, f16> || std::is_same_v<K, bf16>) keys.items[i] = K{static_cast<std::uint16_t>(draw % 0x7c00)};
    else if constexpr (std::is_floating_point_v<K>) keys.items[i] = static_cast<K>(static_cast<std::int64_t>(draw) >> 11) / 1024;
    else keys.items[i] = static_cast<K>(draw);
  }
  return keys;
}

template <class K>
std::vector<std::uint32_t> order_of(const Array<K>& keys, bool descending) {
  std::vector<std::uint32_t> order(keys.size);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return descending ? before(keys.items[b], keys.items[a]) : before(keys.items[a], keys.items[b]);
  });
  return order;
}

TYPED_TEST(Face, DoesAllOfIt) {
  using K = TypeParam;
  for (const std::size_t count : {0u, 1u, 500u, 5000u}) {
    for (const bool descending : {false, true}) {
      Options options;
      options.order = descending ? Order::descending : Order::ascending;
      options.threads = 2;
      const Array<K> keys = some_keys<K>(count);
      const auto order = order_of(keys, descending);
      Array<K> want(count);
      for (std::size_t i = 0; i < count; ++i) want.items[i] = keys.items[order[i]];

      Array<K> in_place = keys, copied(count);
      EXPECT_EQ(sort(in_place.span(), options), Status::ok) << last_error();
      EXPECT_TRUE(in_place.same(want));
      EXPECT_EQ(sort(keys.read(), copied.span(), options), Status::ok) << last_error();
      EXPECT_TRUE(copied.same(want));

      std::vector<std::uint32_t> indices(count);
      EXPECT_EQ(argsort(keys.read(), std::span(indices), options), Status::ok) << last_error();
      EXPECT_EQ(indices, order);
      std::vector<std::uint64_t> long_indices(count);
      EXPECT_EQ(argsort(keys.read(), std::span(long_indices), options), Status::ok) << last_error();
      EXPECT_TRUE(std::equal(order.begin(), order.end(), long_indices.begin(), long_indices.end()));

      struct Odd {
        std::uint32_t index;
        char rest[9];
      };
      std::vector<Odd> values(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = {static_cast<std::uint32_t>(i), {}};
      Array<K> pair_keys = keys;
      EXPECT_EQ(sort_pairs(pair_keys.span(), std::span(values), options), Status::ok) << last_error();
      EXPECT_TRUE(pair_keys.same(want));
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i].index, order[i]);

      const auto disorder = first_disorder(want.read(), options);
      ASSERT_TRUE(disorder.ok());
      EXPECT_EQ(disorder.value, count);
      EXPECT_TRUE(is_sorted(want.read(), options).value);
      const auto right = verify(keys.read(), want.read(), options);
      ASSERT_TRUE(right.ok());
      EXPECT_TRUE(right.value);

      // The caller's scratch, of the size that each question answers.
      const auto sort_bytes = sort_scratch_bytes<K>(count, options);
      const auto pairs_bytes = sort_pairs_scratch_bytes<K, Odd>(count, options);
      const auto index_bytes = argsort_scratch_bytes<K, std::uint32_t>(count, options);
      ASSERT_TRUE(sort_bytes.ok() && pairs_bytes.ok() && index_bytes.ok()) << last_error();
      std::vector<std::byte> scratch(std::max({sort_bytes.value, pairs_bytes.value, index_bytes.value}));
      Options with = options;
      in_place = Array<K>(keys);
      with.scratch = std::span(scratch).first(sort_bytes.value);
      EXPECT_EQ(sort(in_place.span(), with), Status::ok) << last_error();
      EXPECT_TRUE(in_place.same(want));
      with.scratch = std::span(scratch).first(index_bytes.value);
      EXPECT_EQ(argsort(keys.read(), std::span(indices), with), Status::ok) << last_error();
      EXPECT_EQ(indices, order);
      pair_keys = Array<K>(keys);
      with.scratch = std::span(scratch).first(pairs_bytes.value);
      EXPECT_EQ(sort_pairs(pair_keys.span(), std::span(values), with), Status::ok) << last_error();
      EXPECT_TRUE(pair_keys.same(want));
    }
  }
}

TEST(FaceOptions, ReachTheLibrary) {
  const float nan = std::nanf("");
  std::array<float, 4> keys{1.0f, nan, -2.0f, 0.5f};
  Options options;
  options.float_order = FloatOrder::nan_first;
  ASSERT_EQ(sort(std::span<float>(keys), options), Status::ok);
  EXPECT_TRUE(std::isnan(keys[0]));
  EXPECT_EQ(keys[1], -2.0f);
  options.float_order = FloatOrder::bits;
  options.order = Order::descending;
  ASSERT_EQ(sort(std::span<float>(keys), options), Status::ok);
  EXPECT_TRUE(std::isnan(keys[0]));
  EXPECT_EQ(keys[3], -2.0f);

  std::array<std::uint8_t, 4> bytes{0x13, 0x21, 0x12, 0x20};
  Options low;
  low.bits = {0, 4};
  ASSERT_EQ(sort(std::span<std::uint8_t>(bytes), low), Status::ok);
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 4>{0x20, 0x21, 0x12, 0x13}));

  low.bits = {5, 4};
  EXPECT_EQ(sort(std::span<std::uint8_t>(bytes), low), Status::invalid_argument);
  EXPECT_NE(std::string(last_error()).find("[5, 4)"), std::string::npos);
}

TEST(FaceForms, FromSourceToDestinationAndByTwoKeys) {
  const std::array<std::uint8_t, 4> keys{2, 1, 2, 1};
  const std::array<char, 4> values{'a', 'b', 'c', 'd'};
  std::array<std::uint8_t, 4> keys_dst{};
  std::array<char, 4> values_dst{};
  ASSERT_EQ(sort_pairs(std::span<const std::uint8_t>(keys), std::span<const char>(values), keys_dst, values_dst), Status::ok);
  EXPECT_EQ(keys_dst, (std::array<std::uint8_t, 4>{1, 1, 2, 2}));
  EXPECT_EQ(values_dst, (std::array<char, 4>{'b', 'd', 'a', 'c'}));

  // Rows by (major, minor): indices by the minor key, then those by the major key of their rows.
  const std::array<std::uint8_t, 4> minor{9, 8, 7, 6};
  std::array<std::uint32_t, 4> by_minor{}, order{};
  ASSERT_EQ(argsort(std::span<const std::uint8_t>(minor), std::span<std::uint32_t>(by_minor)), Status::ok);
  std::array<std::uint8_t, 4> major{};
  for (std::size_t i = 0; i < 4; ++i) major[i] = keys[by_minor[i]];
  ASSERT_EQ(argsort(major, by_minor, order), Status::ok);
  EXPECT_EQ(order, (std::array<std::uint32_t, 4>{3, 1, 2, 0}));
}

TEST(FaceForms, TakeWhatHoldsAnArray) {
  std::vector<int> keys{3, 1, 2}, sorted(3);
  const std::vector<int> kept = keys;
  std::array<std::uint32_t, 3> order{};
  int plain[] = {2, 1};
  EXPECT_EQ(argsort(keys, order), Status::ok);
  EXPECT_EQ(order, (std::array<std::uint32_t, 3>{1, 2, 0}));
  EXPECT_EQ(sort(kept, sorted, {.order = Order::descending}), Status::ok);
  EXPECT_EQ(sorted, (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(sort(keys), Status::ok);
  EXPECT_EQ(sort(std::span(plain)), Status::ok);
  EXPECT_EQ(plain[0], 1);
  EXPECT_TRUE(is_sorted(keys).value);
  EXPECT_FALSE(is_sorted(std::span(kept)).value);
  EXPECT_TRUE(verify(kept, keys).value);
  EXPECT_FALSE(verify(kept, sorted).value);
}

TEST(FaceForms, TopK) {
  const std::vector<int> keys{3, 1, 4, 1, 5};
  const std::array<char, 5> names{'a', 'b', 'c', 'd', 'e'};
  std::array<int, 2> first{};
  std::array<std::uint32_t, 2> places{};
  std::array<char, 2> named{};
  EXPECT_EQ(top_k(keys, 2, first), Status::ok);
  EXPECT_EQ(first, (std::array<int, 2>{1, 1}));
  EXPECT_EQ(top_k(keys, 2, first, places, {.order = Order::descending}), Status::ok);
  EXPECT_EQ(first, (std::array<int, 2>{5, 4}));
  EXPECT_EQ(places, (std::array<std::uint32_t, 2>{4, 2}));
  EXPECT_EQ(top_k_indices(keys, 2, places), Status::ok);
  EXPECT_EQ(places, (std::array<std::uint32_t, 2>{1, 3}));
  EXPECT_EQ(top_k_pairs(keys, names, 2, first, named), Status::ok);
  EXPECT_EQ(named, (std::array<char, 2>{'b', 'd'}));
  std::vector<std::uint64_t> all(5);
  EXPECT_EQ(top_k_indices(keys, 100, all), Status::ok);
  EXPECT_EQ(all, (std::vector<std::uint64_t>{1, 3, 0, 2, 4}));
  EXPECT_EQ(top_k(keys, 3, first), Status::invalid_argument);
  EXPECT_STREQ(last_error(), "keys_out holds 2 items, where 3 are needed; give spans of one size");
  EXPECT_EQ(top_k_indices(keys, 1, places), Status::invalid_argument);
  const std::vector<int> none;
  std::vector<int> no_keys;
  std::vector<std::array<char, 12>> no_values;
  EXPECT_EQ(top_k_pairs(none, no_values, 3, no_keys, no_values), Status::ok);
  const auto bytes = top_k_scratch_bytes<int, std::uint32_t>(keys.size(), 2);
  ASSERT_TRUE(bytes.ok());
  std::vector<std::byte> scratch(bytes.value);
  EXPECT_EQ(top_k(keys, 2, first, places, {.scratch = scratch}), Status::ok);
}

TEST(FaceSegments, EachByItself) {
  std::array<int, 7> keys{5, 4, 3, 2, 1, 0, 9};
  const std::array<std::uint64_t, 4> offsets{0, 2, 2, 5};
  EXPECT_EQ(sort(keys, {.segments = Segments{.begins = offsets}}), Status::ok) << last_error();
  EXPECT_EQ(keys, (std::array<int, 7>{4, 5, 1, 2, 3, 0, 9}));
  const std::array<std::uint64_t, 2> begins{0, 4}, ends{3, 6};
  std::array<std::uint32_t, 7> order{7, 7, 7, 7, 7, 7, 7};
  EXPECT_EQ(argsort(keys, order, {.segments = Segments{.begins = begins, .ends = ends, .local_indices = true}}), Status::ok);
  EXPECT_EQ(order, (std::array<std::uint32_t, 7>{2, 0, 1, 7, 1, 0, 7}));
  const auto found = first_disorder(keys, {.segments = Segments{.begins = offsets}});
  EXPECT_TRUE(found.ok() && found.value == 7);
}

TEST(FaceSegments, NoneAreNotOne) {
  std::array<int, 3> keys{3, 2, 1};
  const std::vector<std::uint64_t> none, one{0};
  EXPECT_EQ(sort(keys, {.segments = Segments{.begins = none, .ends = none}}), Status::ok);
  EXPECT_EQ(sort(keys, {.segments = Segments{.begins = one}}), Status::ok);
  EXPECT_EQ(sort(keys, {.segments = Segments{.begins = none}}), Status::invalid_argument);
  EXPECT_STREQ(last_error(), "segments.begins holds 0 items, where 1 are needed; give spans of one size");
  EXPECT_EQ(sort(keys, {.segments = Segments{.begins = one, .ends = none}}), Status::invalid_argument);
  EXPECT_EQ(first_disorder(keys, {.segments = Segments{.begins = none}}).status, Status::invalid_argument);
  EXPECT_EQ(keys, (std::array<int, 3>{3, 2, 1}));
}

template <class R>
concept Sortable = requires(R& r) { sort(r); };
static_assert(Sortable<std::vector<int>> && Sortable<std::span<float>> && Sortable<int[4]>);
static_assert(!Sortable<const std::vector<int>> && !Sortable<std::vector<bool>> && !Sortable<std::vector<std::string>>);
// "if (verify(a, b))" would ask whether it could be found out, not what was found: it does not compile.
static_assert(!std::convertible_to<Result<bool>, bool> && !std::constructible_from<bool, Result<bool>>);

TEST(FaceSizes, ThatDifferAreRefused) {
  std::array<int, 3> three{3, 2, 1};
  std::array<int, 2> two{2, 1};
  std::array<std::uint32_t, 2> indices{7, 7};
  const std::span<int> keys(three), fewer(two);
  EXPECT_EQ(sort(std::span<const int>(three), fewer), Status::invalid_argument);
  EXPECT_EQ(sort_pairs(keys, fewer), Status::invalid_argument);
  EXPECT_STREQ(last_error(), "values holds 2 items, where 3 are needed; give spans of one size");
  EXPECT_EQ(argsort(std::span<const int>(three), std::span<std::uint32_t>(indices)), Status::invalid_argument);
  EXPECT_EQ(verify(std::span<const int>(three), std::span<const int>(two)).status, Status::invalid_argument);
  EXPECT_EQ(three, (std::array<int, 3>{3, 2, 1}));
  EXPECT_EQ(two, (std::array<int, 2>{2, 1}));
  EXPECT_EQ(indices, (std::array<std::uint32_t, 2>{7, 7}));
}

static_assert(Key<char> && Key<long> && Key<bool> && Key<f16> && Key<double>);
static_assert(!Key<long double> && !Key<wchar_t> && !Key<char32_t> && !Key<void*> && !Key<std::string>);
static_assert(Index<std::uint32_t> && Index<unsigned long long> && !Index<int> && !Index<std::uint16_t>);
static_assert(!Value<std::string> && Value<std::array<char, 100>>);
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 Uint128;
static_assert(!Key<Uint128>);
#endif

}  // namespace
}  // namespace lanesort::test
