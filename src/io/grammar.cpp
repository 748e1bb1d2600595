// The grammar of number.hpp. Invariant: the parts point into the text they were parsed from.
#include <algorithm>

#include "io/decimal.hpp"
#include "io/number.hpp"

namespace lanesort::io {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
bool is_hex_digit(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }

const char* skip_zeros(const char* at, const char* end) {
  while (at != end && *at == '0') ++at;
  return at;
}

const char* skip_digits(const char* at, const char* end) {
  while (at != end && is_digit(*at)) ++at;
  return at;
}

std::string_view view(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

class Grammar {
 public:
  Grammar(std::string_view text, std::string* flaw) : text_(text), end_(text.data() + text.size()), flaw_(flaw) {}

  std::optional<NumberParts> parse() {
    const char* at = text_.data();
    if (at == end_) return refuse("there is nothing where a number should be");
    if (*at == '-' || *at == '+') parts_.negative = *at++ == '-';
    if (end_ - at > 2 && at[0] == '0' && lower(at[1]) == 'x') return hex(at + 2);
    if (at != end_ && (is_digit(*at) || *at == '.')) return decimal(at);
    return word(view(at, end_));
  }

 private:
  std::nullopt_t refuse(std::string words) {
    if (flaw_) *flaw_ = std::move(words);
    return std::nullopt;
  }
  std::nullopt_t refuse() { return flaw_ ? refuse(quoted(text_) + " is not a number") : std::nullopt; }

  std::optional<NumberParts> word(std::string_view rest) {
    if (same_word(rest, "nan")) {
      parts_.kind = NumberClass::nan;
    } else if (same_word(rest, "inf") || same_word(rest, "infinity")) {
      parts_.kind = NumberClass::infinite;
    } else {
      return refuse();
    }
    return parts_;
  }

  std::optional<NumberParts> hex(const char* at) {
    parts_.kind = NumberClass::hex;
    if (!std::all_of(at, end_, is_hex_digit)) return refuse();
    at = skip_zeros(at, end_);
    parts_.digits = view(at, end_);
    if (parts_.digits.size() > kMaxHexDigits) {
      return refuse(quoted(text_) + " has " + std::to_string(parts_.digits.size()) + " hex digits, more than the " +
                    std::to_string(kMaxHexDigits) + " that are read; write it in decimal");
    }
    return parts_;
  }

  std::optional<NumberParts> decimal(const char* whole) {
    const char* const whole_end = skip_digits(whole, end_);
    const char* const fraction = whole_end != end_ && *whole_end == '.' ? whole_end + 1 : whole_end;
    const char* const fraction_end = fraction != whole_end ? skip_digits(fraction, end_) : fraction;
    if (whole == whole_end && fraction == fraction_end) return refuse();
    std::int64_t exponent = 0;
    if (fraction_end != end_ && !read_exponent(fraction_end, exponent)) return std::nullopt;

    const char* first = skip_zeros(whole, whole_end);
    if (first != whole_end) {
      exponent += whole_end - first;
    } else {
      first = skip_zeros(fraction, fraction_end);
      exponent -= first - fraction;
    }
    parts_.digits = view(first, fraction_end);
    parts_.exponent = parts_.digits.empty() ? 0 : exponent;
    return parts_;
  }

  bool read_exponent(const char* at, std::int64_t& exponent) {
    bool negative = false;
    if (lower(*at) != 'e') return refuse(), false;
    if (++at != end_ && (*at == '-' || *at == '+')) negative = *at++ == '-';
    if (at == end_ || skip_digits(at, end_) != end_) return refuse(), false;
    at = skip_zeros(at, end_);
    if (end_ - at > kMaxExponentDigits) {
      refuse(quoted(text_) + " has an exponent of " + std::to_string(end_ - at) + " digits, more than the " +
             std::to_string(kMaxExponentDigits) + " that are read");
      return false;
    }
    for (; at != end_; ++at) exponent = exponent * 10 + (*at - '0');
    if (negative) exponent = -exponent;
    return true;
  }

  std::string_view text_;
  const char* end_;
  std::string* flaw_;
  NumberParts parts_;
};

}  // namespace

bool same_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) { return lower(a) == b; });
}

std::optional<NumberParts> parse_number(std::string_view text, std::string* flaw) {
  return Grammar(text, flaw).parse();
}

}  // namespace lanesort::io
