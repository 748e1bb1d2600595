#include "bench/key_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "bench/patterns.hpp"

namespace lanesort::bench {

using std::uint64_t;

namespace {

template <unsigned Bits, bool Signed>
constexpr uint64_t whole_at(uint64_t position) {
  const uint64_t value = position >> (64 - Bits);
  return Signed ? value ^ (uint64_t{1} << (Bits - 1)) : value;
}

// Evenly spaced over [-1, 1), as random numbers commonly are made: 2^24 values, 2^53 for doubles; narrower formats
// round them towards zero. A negative zero never comes of it.
template <unsigned Mantissa, unsigned Exponent>
constexpr uint64_t float_at(uint64_t position) {
  constexpr unsigned kFixedBits = std::max(Mantissa + 1, 24u);
  constexpr int kBias = (1 << (Exponent - 1)) - 1;
  const auto fixed = static_cast<std::int64_t>(position >> (64 - kFixedBits)) - (std::int64_t{1} << (kFixedBits - 1));
  if (fixed == 0) return 0;
  const uint64_t magnitude = static_cast<uint64_t>(fixed < 0 ? -fixed : fixed);
  const uint64_t sign = static_cast<uint64_t>(fixed < 0) << (Mantissa + Exponent);
  const unsigned top = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
  const int exponent = static_cast<int>(top) - static_cast<int>(kFixedBits - 1) + kBias;
  if constexpr (kBias < static_cast<int>(kFixedBits)) {
    if (exponent <= 0) return sign | magnitude << (static_cast<unsigned>(kBias) + Mantissa - kFixedBits);  // subnormal
  }
  const uint64_t below_top = magnitude ^ (uint64_t{1} << top);
  const uint64_t fraction = top > Mantissa ? below_top >> (top - Mantissa) : below_top << (Mantissa - top);
  return sign | static_cast<uint64_t>(exponent) << Mantissa | fraction;
}

template <uint64_t (*KeyAt)(uint64_t)>
void convert(std::span<uint64_t> positions) {
  for (uint64_t& item : positions) item = KeyAt(item);
}

}  // namespace

KeyFormat key_format(lanesort_dtype dtype) {
  switch (dtype) {
    case LANESORT_BOOL:
      return {Kind::boolean, 8, 0, convert<whole_at<1, false>>};
    case LANESORT_U8:
      return {Kind::whole, 8, 0, convert<whole_at<8, false>>};
    case LANESORT_I8:
      return {Kind::whole, 8, 0, convert<whole_at<8, true>>};
    case LANESORT_U16:
      return {Kind::whole, 16, 0, convert<whole_at<16, false>>};
    case LANESORT_I16:
      return {Kind::whole, 16, 0, convert<whole_at<16, true>>};
    case LANESORT_U32:
      return {Kind::whole, 32, 0, convert<whole_at<32, false>>};
    case LANESORT_I32:
      return {Kind::whole, 32, 0, convert<whole_at<32, true>>};
    case LANESORT_U64:
      return {Kind::whole, 64, 0, convert<whole_at<64, false>>};
    case LANESORT_I64:
      return {Kind::whole, 64, 0, convert<whole_at<64, true>>};
    case LANESORT_F16:
      return {Kind::floating, 16, 10, convert<float_at<10, 5>>};
    case LANESORT_BF16:
      return {Kind::floating, 16, 7, convert<float_at<7, 8>>};
    case LANESORT_F32:
      return {Kind::floating, 32, 23, convert<float_at<23, 8>>};
    case LANESORT_F64:
      return {Kind::floating, 64, 52, convert<float_at<52, 11>>};
    default:
      throw Error(
          fmt::format("dtype number {} is none; lanesort.h lists LANESORT_BOOL (1) to LANESORT_F64 (13)", dtype));
  }
}

}  // namespace lanesort::bench
