// One key as people write it.
#include "key_text.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace lanesort::cli {
namespace {
template <class T>
std::string integer_text(const std::byte* key) {
  T value;
  std::memcpy(&value, key, sizeof value);
  return std::to_string(value);
}

template <class F>
std::string float_text(F value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

template <class T>
T read_as(const std::byte* key) {
  T value;
  std::memcpy(&value, key, sizeof value);
  return value;
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  const std::uint32_t magnitude = half & 0x7FFFu;
  if (magnitude >= 0x7C00u) return std::bit_cast<float>(sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
  const float value = magnitude < 0x400u ? static_cast<float>(magnitude) * 0x1p-24f
                                         : std::bit_cast<float>((magnitude << 13) + (112u << 23));
  return sign != 0 ? -value : value;
}

}  // namespace

std::string key_text(lanesort_dtype dtype, const std::byte* key) {
  switch (dtype) {
    case LANESORT_BOOL:
    case LANESORT_U8:
      return integer_text<std::uint8_t>(key);
    case LANESORT_I8:
      return integer_text<std::int8_t>(key);
    case LANESORT_U16:
      return integer_text<std::uint16_t>(key);
    case LANESORT_I16:
      return integer_text<std::int16_t>(key);
    case LANESORT_U32:
      return integer_text<std::uint32_t>(key);
    case LANESORT_I32:
      return integer_text<std::int32_t>(key);
    case LANESORT_U64:
      return integer_text<std::uint64_t>(key);
    case LANESORT_I64:
      return integer_text<std::int64_t>(key);
    case LANESORT_F16:
      return float_text(half_to_float(read_as<std::uint16_t>(key)));
    case LANESORT_BF16:
      return float_text(std::bit_cast<float>(std::uint32_t{read_as<std::uint16_t>(key)} << 16));
    case LANESORT_F32:
      return float_text(read_as<float>(key));
    case LANESORT_F64:
      return float_text(read_as<double>(key));
    default:
      return "?";
  }
}

}  // namespace lanesort::cli
