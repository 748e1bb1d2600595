// The key order against the oracle, which knows it by value: every 8- and 16-bit pattern, and for wider keys the edges
// of every field. A mapped key is right if it orders as the oracle does; since the documentation states it bit for bit
// (bit ranges are cut from it), it must also be the very number that the oracle computes.
#include <gtest/gtest.h>

#include <string>

#include "kernels/key_order.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

struct Dtype {
  lanesort_dtype id;
  KeyKind kind;
  unsigned mantissa_bits;
};

constexpr Dtype kBytes[] = {{LANESORT_BOOL, KeyKind::boolean, 0}, {LANESORT_U8, KeyKind::unsigned_integer, 0}, {LANESORT_I8, KeyKind::signed_integer, 0}};
constexpr Dtype kHalves[] = {{LANESORT_U16, KeyKind::unsigned_integer, 0},
                             {LANESORT_I16, KeyKind::signed_integer, 0},
                             {LANESORT_F16, KeyKind::floating, 10},
                             {LANESORT_BF16, KeyKind::floating, 7}};
constexpr Dtype kWords[] = {{LANESORT_U32, KeyKind::unsigned_integer, 0}, {LANESORT_I32, KeyKind::signed_integer, 0}, {LANESORT_F32, KeyKind::floating, 23}};
constexpr Dtype kLongs[] = {{LANESORT_U64, KeyKind::unsigned_integer, 0}, {LANESORT_I64, KeyKind::signed_integer, 0}, {LANESORT_F64, KeyKind::floating, 52}};

template <class U>
std::vector<U> every_pattern() {
  std::vector<U> all;
  for (std::uint32_t i = 0; i < 1u << 8 * sizeof(U); ++i) all.push_back(static_cast<U>(i));
  return all;
}

// Both neighbours of every power of two and of every special, with either sign, and some of no account.
template <class U>
std::vector<U> edges() {
  std::vector<U> list;
  const U sign = KeyOrder<U>::kSign;
  const auto add = [&](U centre) {
    for (int step = -2; step <= 2; ++step) {
      const U near = static_cast<U>(centre + static_cast<U>(step));
      list.insert(list.end(), {near, static_cast<U>(near ^ sign), static_cast<U>(~near)});
    }
  };
  for (unsigned bit = 0; bit < 8 * sizeof(U); ++bit) {
    add(static_cast<U>(U{1} << bit));
    add(static_cast<U>(static_cast<U>(~U{0}) << bit));
  }
  Random random(5);
  for (int i = 0; i < 64; ++i) list.push_back(static_cast<U>(random.next()));
  return list;
}

template <class U>
class Checker {
 public:
  Checker(const Dtype& dtype, bool descending, lanesort_float_order floats)
      : spec_{dtype.id, descending, floats, 0, LANESORT_ALL_BITS},
        order_(make_key_order<U>(dtype.kind, descending, kPlaces[floats], dtype.mantissa_bits)) {}

  std::string text() const {
    return std::string(lanesort_dtype_name(spec_.dtype)) + (spec_.descending ? " desc" : " asc") + " floats " + std::to_string(spec_.float_order);
  }

  void check_one(U raw) const {
    ASSERT_EQ(order_.map(raw), static_cast<U>(mapped_key(spec_, raw))) << text() << " raw " << std::hex << +raw;
    ASSERT_EQ(order_.restore(order_.image(raw)), raw) << text() << " raw " << std::hex << +raw;
    ASSERT_EQ(order_.image(order_.restore(raw)), raw) << text() << " mapped " << std::hex << +raw;
    const bool merges = is_float(spec_.dtype) && spec_.float_order != LANESORT_FLOAT_BITS;
    const double value = is_float(spec_.dtype) ? key_float(spec_.dtype, raw) : 0;
    const bool special = merges && (std::isnan(value) || raw == KeyOrder<U>::kSign);
    ASSERT_EQ(order_.special(raw), special) << text() << " raw " << std::hex << +raw;
    ASSERT_EQ(order_.invertible(), !merges && spec_.dtype != LANESORT_BOOL) << text();
    if (!special && spec_.dtype != LANESORT_BOOL) {
      ASSERT_EQ(order_.image(raw), order_.map(raw)) << text() << " raw " << std::hex << +raw;
    }
  }

  void check_two(U a, U b) const {
    ASSERT_EQ(order_.map(a) < order_.map(b), before(spec_, a, b)) << text() << " raw " << std::hex << +a << " and " << +b;
  }

 private:
  static constexpr NanPlace kPlaces[] = {NanPlace::last, NanPlace::first, NanPlace::by_bits};
  OrderSpec spec_;
  KeyOrder<U> order_;
};

template <class U, std::size_t N>
void check_all(const Dtype (&dtypes)[N], const std::vector<U>& raws, bool every_pair) {
  Random random(11);
  for (const Dtype& dtype : dtypes) {
    for (const bool descending : {false, true}) {
      for (lanesort_float_order floats : {LANESORT_FLOAT_NUMERIC, LANESORT_FLOAT_NAN_FIRST, LANESORT_FLOAT_BITS}) {
        const Checker<U> checker(dtype, descending, floats);
        for (const U raw : raws) checker.check_one(raw);
        if (testing::Test::HasFatalFailure()) return;
        // Neighbours by index are neighbours by value for the exhaustive lists; partners at random cover the rest.
        for (std::size_t i = 0; i < raws.size(); ++i) {
          checker.check_two(raws[i], raws[(i + 1) % raws.size()]);
          if (every_pair) {
            for (const U other : raws) checker.check_two(raws[i], other);
          } else {
            for (int k = 0; k < 4; ++k) checker.check_two(raws[i], raws[random.below(raws.size())]);
          }
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(KeyOrder, EveryBytePattern) { check_all(kBytes, every_pattern<std::uint8_t>(), true); }
TEST(KeyOrder, Every16BitPattern) { check_all(kHalves, every_pattern<std::uint16_t>(), false); }
TEST(KeyOrder, EdgesOf32Bits) { check_all(kWords, edges<std::uint32_t>(), true); }
TEST(KeyOrder, EdgesOf64Bits) { check_all(kLongs, edges<std::uint64_t>(), false); }

}  // namespace
}  // namespace lanesort::test
