#include "io/decimal.hpp"

#include <algorithm>

namespace lanesort::io {
namespace {

__extension__ using Wide = unsigned __int128;

unsigned hex_value(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10); }

// The digits one after the other, the point left out.
class DigitWalk {
 public:
  explicit DigitWalk(std::string_view digits) : at_(digits.data()), end_(at_ + digits.size()) {}
  bool done() {
    if (at_ != end_ && *at_ == '.') ++at_;
    return at_ == end_;
  }
  unsigned take() { return static_cast<unsigned>(*at_++ - '0'); }
  void skip(std::uint64_t count) {
    for (; count != 0 && !done(); --count) ++at_;
  }
  bool only_zeros_left() const {
    return std::all_of(at_, end_, [](char c) { return c == '0' || c == '.'; });
  }

 private:
  const char* at_;
  const char* end_;
};

std::uint64_t hex_magnitude(std::string_view hex) {
  std::uint64_t value = 0;
  for (const char c : hex) value = value << 4 | hex_value(c);
  return value;
}

}  // namespace

Decimal::Decimal(const NumberParts& parts) : digits_(parts.digits), exponent_(parts.exponent) {
  if (parts.kind == NumberClass::hex && !digits_.empty()) convert_hex(parts.digits);
}

// Fifteen hex digits at a time into limbs of nineteen decimal ones, the lowest first.
void Decimal::convert_hex(std::string_view hex) {
  constexpr std::uint64_t kLimb = 10'000'000'000'000'000'000U;
  constexpr std::size_t kStep = 15;
  std::array<std::uint64_t, kLimbs> limbs;
  std::size_t used = 0;
  std::size_t take = (hex.size() - 1) % kStep + 1;
  for (std::size_t at = 0; at < hex.size(); at += take, take = kStep) {
    std::uint64_t carry = hex_magnitude(hex.substr(at, take));
    for (std::size_t i = 0; i < used; ++i) {
      const Wide wide = (static_cast<Wide>(limbs[i]) << (4 * kStep)) + carry;
      limbs[i] = static_cast<std::uint64_t>(wide % kLimb);
      carry = static_cast<std::uint64_t>(wide / kLimb);
    }
    if (carry != 0) limbs[used++] = carry;
  }
  char* const end = buffer_.data() + buffer_.size();
  char* at = end;
  for (std::size_t i = 0; i < used; ++i) {
    for (std::size_t digit = 0; digit < kLimbDigits; ++digit, limbs[i] /= 10)
      *--at = static_cast<char>('0' + limbs[i] % 10);
  }
  at = std::find_if(at, end, [](char c) { return c != '0'; });
  digits_ = {at, static_cast<std::size_t>(end - at)};
  exponent_ = end - at;
}

DigitBlock Decimal::block(std::uint64_t skip, std::uint32_t count) const {
  DigitWalk walk(digits_);
  walk.skip(skip);
  DigitBlock block;
  std::uint32_t taken = 0;
  for (; taken < count && !walk.done(); ++taken) block.value = block.value * 10 + walk.take();
  for (; taken < count; ++taken) block.value *= 10;
  block.more = !walk.only_zeros_left();
  return block;
}

std::weak_ordering compare_magnitudes(const Decimal& a, const Decimal& b) {
  if (a.exponent() != b.exponent()) return a.exponent() <=> b.exponent();
  DigitWalk left(a.digits());
  DigitWalk right(b.digits());
  while (!left.done() && !right.done()) {
    const unsigned x = left.take();
    const unsigned y = right.take();
    if (x != y) return x <=> y;
  }
  return static_cast<int>(!left.only_zeros_left()) <=> static_cast<int>(!right.only_zeros_left());
}

bool is_whole(const NumberParts& parts) {
  if (parts.kind == NumberClass::nan || parts.kind == NumberClass::infinite) return false;
  if (parts.kind == NumberClass::hex || parts.digits.empty()) return true;
  if (parts.exponent <= 0) return false;
  DigitWalk walk(parts.digits);
  walk.skip(static_cast<std::uint64_t>(parts.exponent));
  return walk.only_zeros_left();
}

std::optional<std::uint64_t> whole_magnitude(const NumberParts& parts) {
  constexpr std::int64_t kMostDigits = 20;
  if (!is_whole(parts)) return std::nullopt;
  if (parts.kind == NumberClass::hex) {
    return parts.digits.size() <= 16 ? std::optional(hex_magnitude(parts.digits)) : std::nullopt;
  }
  if (parts.exponent > kMostDigits) return std::nullopt;
  DigitWalk walk(parts.digits);
  Wide value = 0;
  for (std::int64_t i = 0; i < parts.exponent; ++i) value = value * 10 + (walk.done() ? 0 : walk.take());
  return value <= UINT64_MAX ? std::optional(static_cast<std::uint64_t>(value)) : std::nullopt;
}

}  // namespace lanesort::io
