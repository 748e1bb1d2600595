// The order of docs/order.md written down a second time, slowly and by value: keys become numbers, NaN is asked for by
// name. Nothing here comes from the library but the dtype constants.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "lanesort/lanesort.h"

namespace lanesort::test {

struct OrderSpec {
  lanesort_dtype dtype = LANESORT_U32;
  bool descending = false;
  lanesort_float_order float_order = LANESORT_FLOAT_NUMERIC;
  std::uint32_t bit_begin = 0;
  std::uint32_t bit_end = LANESORT_ALL_BITS;
};

inline std::uint64_t raw_at(const std::vector<unsigned char>& keys, std::uint32_t bytes, std::uint64_t i) {
  std::uint64_t raw = 0;
  std::memcpy(&raw, keys.data() + i * bytes, bytes);
  return raw;
}

// The value of a float pattern of any width, by ldexp; bf16 and f16 as well.
inline double float_value(std::uint64_t raw, int exponent_bits, int fraction_bits) {
  const std::uint64_t fraction = raw & ((std::uint64_t{1} << fraction_bits) - 1);
  const int exponent = static_cast<int>(raw >> fraction_bits & ((std::uint64_t{1} << exponent_bits) - 1));
  const bool negative = (raw >> (exponent_bits + fraction_bits) & 1) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double magnitude;
  if (exponent == (1 << exponent_bits) - 1)
    magnitude = fraction == 0 ? HUGE_VAL : std::nan("");
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - bias - fraction_bits);
  else
    magnitude =
        std::ldexp(static_cast<double>(fraction | std::uint64_t{1} << fraction_bits), exponent - bias - fraction_bits);
  return negative ? -magnitude : magnitude;
}

inline bool is_float(lanesort_dtype dtype) { return dtype >= LANESORT_F16; }

inline double key_float(lanesort_dtype dtype, std::uint64_t raw) {
  switch (dtype) {
    case LANESORT_F16:
      return float_value(raw, 5, 10);
    case LANESORT_BF16:
      return float_value(raw, 8, 7);
    case LANESORT_F32:
      return float_value(raw, 8, 23);
    default:
      return float_value(raw, 11, 52);
  }
}

inline bool is_signed(lanesort_dtype dtype) {
  return dtype == LANESORT_I8 || dtype == LANESORT_I16 || dtype == LANESORT_I32 || dtype == LANESORT_I64;
}

// The mapped key as the documentation states it, needed for bit ranges only.
inline std::uint64_t mapped_key(const OrderSpec& spec, std::uint64_t raw) {
  const unsigned bits = 8 * lanesort_dtype_bytes(spec.dtype);
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  std::uint64_t mapped = raw;
  if (spec.dtype == LANESORT_BOOL)
    mapped = raw != 0;
  else if (is_signed(spec.dtype))
    mapped = (raw + sign) & all;
  else if (is_float(spec.dtype)) {
    if (spec.float_order != LANESORT_FLOAT_BITS) {
      const double value = key_float(spec.dtype, raw);
      if (std::isnan(value)) return spec.float_order == LANESORT_FLOAT_NUMERIC ? all : 0;
      if (value == 0) raw = 0;
    }
    mapped = (raw & sign) != 0 ? all - raw : raw + sign;
  }
  return spec.descending ? all - mapped : mapped;
}

// True if a key a must stand before a key b.
inline bool before(const OrderSpec& spec, std::uint64_t a, std::uint64_t b) {
  const unsigned bits = 8 * lanesort_dtype_bytes(spec.dtype);
  const bool whole = spec.bit_begin == 0 && (spec.bit_end == LANESORT_ALL_BITS || spec.bit_end == bits);
  if (!whole || (is_float(spec.dtype) && spec.float_order == LANESORT_FLOAT_BITS)) {
    const unsigned end = spec.bit_end == LANESORT_ALL_BITS ? bits : spec.bit_end;
    const auto cut = [&](std::uint64_t raw) {
      std::uint64_t field = 0;
      for (unsigned bit = spec.bit_begin; bit < end; ++bit) field |= mapped_key(spec, raw) & std::uint64_t{1} << bit;
      return field;
    };
    return cut(a) < cut(b);
  }
  if (is_float(spec.dtype)) {
    const double x = key_float(spec.dtype, a), y = key_float(spec.dtype, b);
    if (std::isnan(x) || std::isnan(y))
      return spec.float_order == LANESORT_FLOAT_NUMERIC ? std::isnan(y) && !std::isnan(x)
                                                        : std::isnan(x) && !std::isnan(y);
    return spec.descending ? y < x : x < y;
  }
  if (spec.dtype == LANESORT_BOOL) return spec.descending ? (b == 0 && a != 0) : (a == 0 && b != 0);
  if (is_signed(spec.dtype)) {
    const auto value = [&](std::uint64_t raw) { return static_cast<std::int64_t>(raw << (64 - bits)) >> (64 - bits); };
    return spec.descending ? value(b) < value(a) : value(a) < value(b);
  }
  return spec.descending ? b < a : a < b;
}

// The one right permutation.
inline std::vector<std::uint64_t> sorted_indices(const OrderSpec& spec, const std::vector<unsigned char>& keys) {
  const std::uint32_t bytes = lanesort_dtype_bytes(spec.dtype);
  std::vector<std::uint64_t> order(keys.size() / bytes);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t i, std::uint64_t j) {
    return before(spec, raw_at(keys, bytes, i), raw_at(keys, bytes, j));
  });
  return order;
}

inline std::vector<unsigned char> gathered(const std::vector<unsigned char>& items, std::uint32_t bytes,
                                           const std::vector<std::uint64_t>& order) {
  std::vector<unsigned char> out(items.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(out.data() + i * bytes, items.data() + order[i] * bytes, bytes);
  return out;
}

}  // namespace lanesort::test
