// Any bytes as the beginning of a .npy file. What is accepted must be sound: sizes that multiply to no overflow, a
// header that is read again to the same, and (where it is plain) one that our own writer could have meant.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "io/failure.hpp"
#include "io/npy.hpp"

namespace {
void require(bool truth) {
  if (!truth) std::abort();
}

void check_header(std::string_view bytes) {
  using namespace lanesort::io;
  const auto raw = std::as_bytes(std::span(bytes.data(), bytes.size()));
  const std::size_t size = npy_header_bytes(raw.first(std::min(raw.size(), kNpyPreambleBytes)));
  require(size >= 10 && size <= 12 + kNpyHeaderLimit);
  const NpyHeader header = parse_npy_header(bytes.substr(0, size));
  std::uint64_t count = 1;
  for (const std::uint64_t length : header.shape)
    require(!__builtin_mul_overflow(count, length, &count) || header.count == 0);
  require(header.count == 0 || header.count == count);
  std::uint64_t total = 0;
  require(!__builtin_mul_overflow(header.count, std::uint64_t{header.item_bytes}, &total) && total <= INT64_MAX);
  require(parse_npy_header(header.bytes).descr == header.descr);
  if (header.kind != 0 && header.descr.find_first_of("'\"\\") == std::string::npos) {
    const NpyHeader again = parse_npy_header(make_npy_header(header.descr, header.count));
    require(again.kind == header.kind && again.item_bytes == header.item_bytes &&
            again.big_endian == header.big_endian && again.count == header.count);
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check_header({reinterpret_cast<const char*>(data), size});
  } catch (const lanesort::io::Failure&) {
  }
  return 0;
}
