// Numbers as the nearest value of a binary floating dtype, ties to even. For the inside of the room.
//
// Invariant: the value is rounded once, however it is spelled: what a narrower type would take from an f64 that lies
// just between two of its values is decided by the text itself.
// Prior art: std::from_chars for f64 (correctly rounded, deaf to the locale).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "io/number.hpp"

namespace lanesort::io {

struct FloatShape {
  const char* name;
  const char* largest;  // in words
  unsigned exponent_bits;
  unsigned fraction_bits;
  unsigned bits() const { return 1 + exponent_bits + fraction_bits; }
};

std::optional<FloatShape> float_shape(lanesort_dtype dtype);

// The bit pattern, in the low bits; nothing if a finite number is too large. text is what the parts were parsed from.
std::optional<std::uint64_t> float_bits(std::string_view text, const NumberParts& parts, FloatShape shape);

}  // namespace lanesort::io
