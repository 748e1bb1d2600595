#include "io/npy.hpp"

#include "io/failure.hpp"

namespace lanesort::io {
namespace {
constexpr std::size_t kMostDimensions = 64;  // numpy 2's own limit

unsigned char_at(std::span<const std::byte> bytes, std::size_t i) { return std::to_integer<unsigned>(bytes[i]); }

// The part of Python's literals that numpy writes: a flat dictionary of strings, booleans, tuples of integers, and
// (for structured dtypes) brackets that are skipped as a whole.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  void read(NpyHeader& header) {
    bool have_descr = false, have_order = false, have_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr")
        read_once(have_descr, key), descr(header);
      else if (key == "fortran_order")
        read_once(have_order, key), header.fortran_order = boolean();
      else if (key == "shape")
        read_once(have_shape, key), header.shape = tuple();
      else
        fail("has the unknown key '" + key + "'");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    space();
    if (at_ != text_.size()) fail("goes on after its closing bracket");
    if (!have_descr || !have_order || !have_shape) {
      fail(std::string("lacks '") + (!have_descr ? "descr" : !have_order ? "fortran_order" : "shape") + "'");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Failure(".npy header " + what + " (at its byte " + std::to_string(at_) + ")");
  }

  void read_once(bool& have, const std::string& key) const {
    if (have) fail("has '" + key + "' twice");
    have = true;
  }

  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  bool accept(char wanted) {
    space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("has no '") + wanted + "' where one is due");
  }

  bool accept_word(std::string_view word) {
    space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string string() {
    space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("has no string where one is due");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("has a string without an end");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    if (value.find('\\') != std::string::npos) fail("has a backslash in a string");
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    fail("has a fortran_order that is neither True nor False");
  }

  std::uint64_t integer() {
    space();
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (value > (INT64_MAX - digit) / 10) fail("has a length above 2^63 - 1");
      value = value * 10 + digit;
    }
    if (at_ == begin) fail("has no length where one is due");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // written by Python 2
    return value;
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == kMostDimensions) fail("has more than " + std::to_string(kMostDimensions) + " dimensions");
      shape.push_back(integer());
      const bool comma = accept(',');
      if (!comma && shape.size() == 1) fail("has a shape that is a number in brackets and no tuple");
      if (!comma) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  void descr(NpyHeader& header) {
    space();
    if (at_ < text_.size() && text_[at_] == '[') {
      header.descr = std::string(brackets());
    } else {
      header.descr = string();
      plain_descr(header);
    }
  }

  // A structured dtype, up to the bracket that closes it. Its fields are nobody's business here.
  std::string_view brackets() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        string();
        continue;
      }
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      ++at_;
      if (depth == 0) return text_.substr(begin, at_ - begin);
    }
    fail("has a dtype without a closing bracket");
  }

  // [<>|=] letter [digits] [unit in square brackets]
  void plain_descr(NpyHeader& header) const {
    std::string_view rest = header.descr;
    const auto bad = [&]() {
      return Failure(".npy header has the dtype '" + header.descr + "', which is none of numpy's");
    };
    if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
      header.big_endian = rest[0] == '>';
      rest.remove_prefix(1);
    }
    if (rest.empty() || std::string_view("biufcmMOSUVa?").find(rest[0]) == std::string_view::npos) throw bad();
    header.kind = rest[0] == '?' ? 'b' : rest[0] == 'a' ? 'S' : rest[0];
    const bool lone = rest == "?" || rest == "O";
    rest.remove_prefix(1);
    std::uint64_t digits_value = 0;
    std::size_t digits = 0;
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
      digits_value = digits_value * 10 + static_cast<std::uint64_t>(rest[digits] - '0');
      if (digits_value > INT32_MAX) throw bad();
    }
    const std::string_view unit = rest.substr(digits);
    if (digits == 0 && !lone) throw bad();
    if (lone) digits_value = header.kind == 'O' ? 8 : 1;
    if (!unit.empty() && !(header.is_time() && unit.size() > 2 && unit.front() == '[' && unit.back() == ']'))
      throw bad();
    if (header.kind == 'U') digits_value *= 4;  // code points of four bytes
    if (header.kind == 'b' && digits_value != 1) throw bad();
    if (header.is_time() && digits_value != 8) throw bad();
    if (digits_value > INT32_MAX) throw bad();
    header.item_bytes = static_cast<std::uint32_t>(digits_value);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void count_items(NpyHeader& header) {
  header.count = 1;
  bool empty = false;
  for (const std::uint64_t length : header.shape) empty |= length == 0;
  if (empty) {
    header.count = 0;
    return;
  }
  const std::uint64_t item = header.item_bytes == 0 ? 1 : header.item_bytes;
  for (const std::uint64_t length : header.shape) {
    if (header.count > INT64_MAX / item / length) throw Failure(".npy header has a shape of more than 2^63 - 1 bytes");
    header.count *= length;
  }
}
}  // namespace

bool is_npy(std::span<const std::byte> head) {
  if (head.size() < kNpyMagic.size()) return false;
  for (std::size_t i = 0; i < kNpyMagic.size(); ++i)
    if (static_cast<char>(head[i]) != kNpyMagic[i]) return false;
  return true;
}

std::size_t npy_header_bytes(std::span<const std::byte> preamble) {
  if (!is_npy(preamble)) throw Failure("is not a .npy file: it does not begin with the six bytes \\x93NUMPY");
  if (preamble.size() < 10) throw Failure(".npy header ends after " + std::to_string(preamble.size()) + " bytes");
  const unsigned major = char_at(preamble, 6), minor = char_at(preamble, 7);
  if (major < 1 || major > 3 || minor != 0) {
    throw Failure(".npy format version " + std::to_string(major) + "." + std::to_string(minor) +
                  " is unknown; 1.0, 2.0 and 3.0 are read");
  }
  const std::size_t width = major == 1 ? 2 : 4;
  if (preamble.size() < 8 + width)
    throw Failure(".npy header ends after " + std::to_string(preamble.size()) + " bytes");
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < width; ++i) length |= std::uint64_t{char_at(preamble, 8 + i)} << (8 * i);
  if (length > kNpyHeaderLimit) {
    throw Failure(".npy header claims to be " + std::to_string(length) + " bytes long; at most " +
                  std::to_string(kNpyHeaderLimit) + " are read");
  }
  return static_cast<std::size_t>(8 + width + length);
}

NpyHeader parse_npy_header(std::string_view bytes) {
  const auto raw = std::as_bytes(std::span(bytes.data(), bytes.size()));
  const std::size_t size = npy_header_bytes(raw);
  if (size != bytes.size()) {
    throw Failure(".npy header claims " + std::to_string(size) + " bytes and " + std::to_string(bytes.size()) +
                  " are there");
  }
  NpyHeader header;
  header.bytes = std::string(bytes);
  HeaderReader(bytes.substr(bytes[6] == 1 ? 10 : 12)).read(header);
  count_items(header);
  return header;
}

namespace {
struct NamedDtype {
  lanesort_dtype dtype;
  char kind;
  std::uint32_t item_bytes;
};

constexpr NamedDtype kDtypes[] = {
    {LANESORT_BOOL, 'b', 1}, {LANESORT_U8, 'u', 1},  {LANESORT_I8, 'i', 1},  {LANESORT_U16, 'u', 2},
    {LANESORT_I16, 'i', 2},  {LANESORT_U32, 'u', 4}, {LANESORT_I32, 'i', 4}, {LANESORT_U64, 'u', 8},
    {LANESORT_I64, 'i', 8},  {LANESORT_F16, 'f', 2}, {LANESORT_F32, 'f', 4}, {LANESORT_F64, 'f', 8},
};
}  // namespace

lanesort_dtype npy_dtype(const NpyHeader& header) {
  if (header.is_time()) return LANESORT_I64;
  for (const NamedDtype& known : kDtypes)
    if (known.kind == header.kind && known.item_bytes == header.item_bytes) return known.dtype;
  return 0;
}

std::string npy_descr(lanesort_dtype dtype) {
  for (const NamedDtype& known : kDtypes)
    if (known.dtype == dtype)
      return std::string(known.item_bytes == 1 ? "|" : "<") + known.kind + std::to_string(known.item_bytes);
  return {};
}

std::string make_npy_header(std::string_view descr, std::uint64_t count) {
  return make_npy_header(descr, std::vector<std::uint64_t>{count});
}

std::string make_npy_header(std::string_view descr, const std::vector<std::uint64_t>& shape) {
  std::string sizes;
  for (const std::uint64_t size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  std::string dictionary = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + sizes +
                           (shape.size() == 1 ? ",), }" : "), }");
  while ((10 + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string header(kNpyMagic);
  header += {'\1', '\0', static_cast<char>(dictionary.size() & 0xFF), static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

}  // namespace lanesort::io
