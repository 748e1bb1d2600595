// The digits of a finite number in base ten, whatever base it was written in. For the inside of the room.
//
// Invariant: the value is 0.DDDD * 10^exponent and the first digit is not zero, unless the number is zero.
// The digits are looked at where they stand; only hex numbers are converted, into a buffer of fixed size.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "io/number.hpp"

namespace lanesort::io {

// Digits as one integer, padded with zeros at its end; more says that a digit other than zero follows.
struct DigitBlock {
  std::uint64_t value = 0;
  bool more = false;
};

class Decimal {
 public:
  explicit Decimal(const NumberParts& parts);
  Decimal(const Decimal&) = delete;
  Decimal& operator=(const Decimal&) = delete;

  bool is_zero() const { return digits_.empty(); }
  std::int64_t exponent() const { return exponent_; }
  std::string_view digits() const { return digits_; }  // with a point in it, perhaps
  DigitBlock block(std::uint64_t skip, std::uint32_t count) const;

 private:
  static constexpr std::size_t kLimbDigits = 19;
  static constexpr std::size_t kLimbs = kMaxHexDigits * 1205 / 1000 / kLimbDigits + 2;  // log10(16) is 1.2041...
  void convert_hex(std::string_view hex);

  std::string_view digits_;
  std::int64_t exponent_ = 0;
  std::array<char, kLimbs * kLimbDigits> buffer_;  // not cleared: only hex numbers use it
};

std::weak_ordering compare_magnitudes(const Decimal& a, const Decimal& b);

// The absolute value, if it is whole and fits u64; and whether it is whole at all.
std::optional<std::uint64_t> whole_magnitude(const NumberParts& parts);
bool is_whole(const NumberParts& parts);

// Equal but for the case of the letters; word is in lower case.
bool same_word(std::string_view text, std::string_view word);

}  // namespace lanesort::io
