// The .npy header, versions 1 to 3 (numpy.lib.format): read strictly, written canonically.
// Invariant: no field is believed before it is checked, and no size in it makes us allocate more than kNpyHeaderLimit.
// The header's bytes are kept, so that a sorted array goes out under the header it came in with.
#pragma once
#include <lanesort/lanesort.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanesort::io {

struct NpyHeader {
  std::string bytes;             // preamble and all, as read
  std::string descr;             // the dtype as written, such as "<f4"; a structured one with its brackets
  char kind = 0;                 // numpy's letter: b i u f c m M O S U V; 0 where structured
  std::uint32_t item_bytes = 0;  // of one item; 0 where structured
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  // empty: 0-d, one item
  std::uint64_t count = 1;           // product of the shape

  bool is_time() const { return kind == 'm' || kind == 'M'; }
};

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};
inline constexpr std::size_t kNpyPreambleBytes = 12;  // enough to know the header's size in every version
inline constexpr std::size_t kNpyHeaderLimit = std::size_t{1}
                                               << 20;  // far above any array of numbers, far below memory

bool is_npy(std::span<const std::byte> head);

// Bytes of the whole header, preamble included. Throws Failure on a bad magic, an unknown version or a size past the
// limit. The preamble may be shorter than kNpyPreambleBytes where the file is.
std::size_t npy_header_bytes(std::span<const std::byte> preamble);

// Throws Failure naming what is wrong.
NpyHeader parse_npy_header(std::string_view bytes);

// The dtype that the library sorts such items as (times as i64), 0 if none; and the other way round, "<f4" and the
// like, empty if numpy has none.
lanesort_dtype npy_dtype(const NpyHeader& header);
std::string npy_descr(lanesort_dtype dtype);

// A version 1 header for count items of a little-endian dtype such as "<u4"; or for a C-order array of a shape of few
// dimensions.
std::string make_npy_header(std::string_view descr, std::uint64_t count);
std::string make_npy_header(std::string_view descr, const std::vector<std::uint64_t>& shape);

}  // namespace lanesort::io
