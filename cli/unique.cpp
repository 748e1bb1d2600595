#include "unique.hpp"

#include <cstring>

#include "io/failure.hpp"
#include "segments.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
bool is_float(lanesort_dtype dtype) { return dtype >= LANESORT_F16; }

std::uint64_t infinity_of(lanesort_dtype dtype) {
  switch (dtype) {
    case LANESORT_F16:
      return 0x7C00;
    case LANESORT_BF16:
      return 0x7F80;
    case LANESORT_F32:
      return 0x7F800000;
    default:
      return 0x7FF0000000000000;
  }
}

// What is the same number for equal keys, and another one for others. For integers all of it is in the bits that order.
class Identity {
 public:
  Identity(const Options& options, lanesort_dtype dtype)
      : truth_(dtype == LANESORT_BOOL),
        numeric_(is_float(dtype) && options.float_order != LANESORT_FLOAT_BITS),
        infinity_(numeric_ ? infinity_of(dtype) : 0),
        magnitude_(~std::uint64_t{0} >> (65 - 8 * lanesort_dtype_bytes(dtype))) {
    const std::uint32_t bits = options.bit_end == LANESORT_ALL_BITS ? 64 : options.bit_end;
    if (bits < 64) mask_ = (std::uint64_t{1} << bits) - 1;
    mask_ = options.bit_begin < 64 ? mask_ >> options.bit_begin << options.bit_begin : 0;
  }

  std::uint64_t of(std::uint64_t key) const {
    if (truth_) key = key != 0;
    if (numeric_ && (key & magnitude_) == 0) key = 0;
    if (numeric_ && (key & magnitude_) > infinity_) key = magnitude_;
    return key & mask_;
  }

 private:
  const bool truth_, numeric_;
  const std::uint64_t infinity_, magnitude_;
  std::uint64_t mask_ = ~std::uint64_t{0};
};

template <class K>
std::uint64_t compact(const Identity& identity, std::byte* keys, std::uint64_t count, std::byte* items,
                      std::uint32_t item_bytes) {
  std::uint64_t kept = 0, last = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    K key;
    std::memcpy(&key, keys + i * sizeof key, sizeof key);
    const std::uint64_t here = identity.of(key);
    if (i != 0 && here == last) continue;
    last = here;
    std::memcpy(keys + kept * sizeof key, &key, sizeof key);
    if (item_bytes != 0) std::memmove(items + kept * item_bytes, items + i * item_bytes, item_bytes);
    ++kept;
  }
  return kept;
}
}  // namespace

void expect_unique(const Options& options, const Source& keys) {
  if (!options.unique) return;
  if (!options.segments.empty() || has_rows(keys))
    throw Usage("-u keeps another number of keys in each " + std::string(has_rows(keys) ? "row" : "segment") +
                ", and " + (has_rows(keys) ? "rows are of one length" : "offsets would no longer hold") +
                "; leave one of both out");
  if (keys.is_binary() && is_float(keys.dtype) && !options.whole_key())
    throw Usage("-u with --bits is for integers; floats are equal as numbers, or as bit patterns with --nan bits");
}

std::uint64_t keep_firsts(const Options& options, lanesort_dtype dtype, io::Buffer& keys, io::Buffer& items,
                          std::uint32_t item_bytes) {
  const Identity identity(options, dtype);
  const std::uint32_t width = lanesort_dtype_bytes(dtype);
  const std::uint64_t count = keys.size() / width;
  const auto compact_width = width == 1   ? compact<std::uint8_t>
                             : width == 2 ? compact<std::uint16_t>
                             : width == 4 ? compact<std::uint32_t>
                                          : compact<std::uint64_t>;
  const std::uint64_t kept = count == 0 ? 0 : compact_width(identity, keys.data(), count, items.data(), item_bytes);
  keys.resize(kept * width);
  items.resize(kept * item_bytes);
  return kept;
}

void shorten(Source& source, std::uint64_t kept) {
  source.count = kept;
  source.data_bytes = kept * source.item_bytes;
  if (!source.npy || source.npy->shape.empty() || source.npy->shape[0] == kept) return;
  io::NpyHeader& header = *source.npy;
  if (header.descr.size() > 60000) throw io::Failure(source.name() + ": its dtype is too long to be written again");
  header.shape[0] = kept;
  header.bytes = io::make_npy_header(header.descr, header.shape);
  if (header.kind == 0) {  // a structured dtype is no string: out with its quotes
    const std::size_t begin = header.bytes.find(header.descr) - 1, end = begin + 1 + header.descr.size();
    header.bytes.erase(end, 1).erase(begin, 1).insert(header.bytes.size() - 1, "  ");
  }
  header.count = 1;
  for (const std::uint64_t size : header.shape) header.count *= size;
}

}  // namespace lanesort::cli
