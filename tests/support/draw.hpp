// What random requests have in common.
#pragma once
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {

// Any dtype and direction, any order of floats, and now and then a bit range, which may be empty.
inline OrderSpec draw_order(Random& random) {
  OrderSpec order;
  order.dtype = static_cast<lanesort_dtype>(1 + random.below(13));
  order.descending = random.chance(2);
  order.float_order = static_cast<lanesort_float_order>(random.below(3));
  const std::uint32_t bits = 8 * lanesort_dtype_bytes(order.dtype);
  if (random.chance(3)) {
    order.bit_begin = static_cast<std::uint32_t>(random.below(bits + 1));
    order.bit_end = order.bit_begin + static_cast<std::uint32_t>(random.below(bits - order.bit_begin + 1));
  }
  return order;
}

}  // namespace lanesort::test
