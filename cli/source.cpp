#include "source.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "io/failure.hpp"

namespace lanesort::cli {
namespace {
constexpr std::size_t kSniffBytes = 512;

std::string suffix_of(const std::string& path) {
  const auto slash = path.rfind('/');
  const auto dot = path.rfind('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return {};
  std::string suffix = path.substr(dot + 1);
  for (char& c : suffix)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return suffix;
}

std::optional<lanesort_dtype> dtype_of_suffix(const std::string& suffix) {
  lanesort_dtype dtype = 0;
  if (lanesort_dtype_from_name(suffix.c_str(), &dtype) != LANESORT_OK) return std::nullopt;
  return dtype;
}

// Could be the beginning of numbers written out, one a line.
bool looks_like_text(std::span<const std::byte> head) {
  if (head.size() >= 3 && std::memcmp(head.data(), "\xEF\xBB\xBF", 3) == 0) head = head.subspan(3);
  static constexpr std::string_view kAllowed = "0123456789+-.\r\n\t abcdefxABCDEFXinftyINFTY";
  return std::all_of(head.begin(), head.end(), [](std::byte b) { return kAllowed.find(static_cast<char>(b)) != std::string_view::npos; });
}

bool looks_like_json(std::span<const std::byte> head) {
  for (const std::byte b : head) {
    const char c = static_cast<char>(b);
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c == '[';
  }
  return false;
}

// --format, magic, suffix, then (where no --dtype says that it is raw) content.
Format find_format(Source& source, const std::string& path, const Options& options) {
  if (options.format != Format::automatic) return options.format;
  const auto head = source.input.peek(kSniffBytes);
  if (io::is_npy(head)) return Format::npy;
  const std::string suffix = suffix_of(path);
  if (suffix == "npy") return Format::npy;
  if (suffix == "txt" || suffix == "text") return Format::text;
  if (suffix == "json") return Format::json;
  if (suffix == "bin" || suffix == "raw" || dtype_of_suffix(suffix) || options.dtype) return Format::raw;
  if (looks_like_json(head)) return Format::json;
  if (looks_like_text(head)) return Format::text;
  throw io::Failure(source.name() + ": neither .npy, text nor JSON by its first bytes; if it is raw, say what it holds, as in\n  lanesort sort " +
                    path + " --dtype u32 -o sorted.u32");
}

void read_npy_header(Source& source) {
  try {
    const std::size_t size = io::npy_header_bytes(source.input.peek(io::kNpyPreambleBytes));
    std::string bytes(size, '\0');
    const std::size_t got = source.input.read_some(std::as_writable_bytes(std::span(bytes)));
    if (got != size) throw io::Failure(".npy header claims to be " + std::to_string(size) + " bytes long and ends after " + std::to_string(got));
    source.npy = io::parse_npy_header(bytes);
  } catch (const io::Failure& failure) {
    throw io::Failure(source.name() + ": " + failure.what());
  }
}

std::string shape_text(const io::NpyHeader& npy) {
  std::string text = "(";
  for (std::size_t i = 0; i < npy.shape.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(npy.shape[i]);
  }
  return text + (npy.shape.size() == 1 ? ",)" : ")");
}

// Why keys of this dtype cannot be sorted; empty if they can.
std::string why_unsortable(const io::NpyHeader& npy) {
  switch (npy.kind) {
    case 0: return "structured";
    case 'c': return "complex";
    case 'O': return "object";
    case 'S': return "byte string";
    case 'U': return "string";
    case 'V': return "void";
    case 'f': return npy.item_bytes > 8 ? "128-bit float" : "";
    case 'i': case 'u': return npy.item_bytes > 8 ? "128-bit integer" : "";
    default: return "";
  }
}

lanesort_dtype dtype_of_npy(const io::NpyHeader& npy) {
  const std::uint32_t width = npy.item_bytes;
  switch (npy.kind) {
    case 'b': return LANESORT_BOOL;
    case 'm': case 'M': return LANESORT_I64;
    case 'u': return width == 1 ? LANESORT_U8 : width == 2 ? LANESORT_U16 : width == 4 ? LANESORT_U32 : width == 8 ? LANESORT_U64 : 0;
    case 'i': return width == 1 ? LANESORT_I8 : width == 2 ? LANESORT_I16 : width == 4 ? LANESORT_I32 : width == 8 ? LANESORT_I64 : 0;
    case 'f': return width == 2 ? LANESORT_F16 : width == 4 ? LANESORT_F32 : width == 8 ? LANESORT_F64 : 0;
    default: return 0;
  }
}

void expect_sortable_shape(const Source& source) {
  if (source.npy->shape.size() <= 1) return;
  throw io::Failure(source.name() + ": has " + std::to_string(source.npy->shape.size()) + " dimensions, shape " + shape_text(*source.npy) +
                    (source.npy->fortran_order ? " in Fortran order" : "") + "; one-dimensional arrays are sorted, so flatten it first");
}

void expect_npy_size(const Source& source) {
  const auto there = source.input.remaining_bytes();
  if (!there || !source.data_bytes || *there == *source.data_bytes) return;
  const std::string holds = source.name() + ": shape " + shape_text(*source.npy) + " of '" + source.npy->descr + "' takes " +
                            std::to_string(*source.data_bytes) + " bytes of data, and " + std::to_string(*there) + " are there";
  throw io::Failure(holds + (*there < *source.data_bytes ? " (the file was cut short)" : " (something follows the data)"));
}

void open_npy_keys(Source& source, const Options& options) {
  read_npy_header(source);
  const io::NpyHeader& npy = *source.npy;
  if (options.dtype) {  // the user knows better, as where bfloat16 is stored as '<V2'
    source.dtype = *options.dtype;
    if (npy.kind == 'O' || npy.item_bytes != lanesort_dtype_bytes(source.dtype)) {
      throw io::Failure(source.name() + ": holds '" + npy.descr + "', which cannot be read as --dtype " + lanesort_dtype_name(source.dtype) +
                        "; leave --dtype out, the file itself says what it holds");
    }
  } else {
    const std::string why = why_unsortable(npy);
    source.dtype = dtype_of_npy(npy);
    if (!why.empty() || source.dtype == 0) {
      throw io::Failure(source.name() + ": dtype '" + npy.descr + "'" + (why.empty() ? "" : " (" + why + ")") +
                        " cannot be sorted; bool, integers and floats of up to 64 bits, datetime64 and timedelta64 can");
    }
    source.is_time = npy.is_time();
  }
  expect_sortable_shape(source);
  source.item_bytes = npy.item_bytes;
  source.count = npy.count;
  source.data_bytes = npy.count * npy.item_bytes;
  expect_npy_size(source);
}

void expect_whole_items(const Source& source, std::uint64_t bytes) {
  const std::uint64_t left_over = bytes % source.item_bytes;
  if (left_over == 0) return;
  throw io::Failure(source.name() + ": " + std::to_string(bytes) + " bytes are no whole number of " + lanesort_dtype_name(source.dtype) + " (" +
                    std::to_string(source.item_bytes) + " bytes each): " + std::to_string(left_over) + " left over");
}

void open_raw_keys(Source& source, const std::string& path, const Options& options) {
  const auto by_suffix = dtype_of_suffix(suffix_of(path));
  if (!options.dtype && !by_suffix) {
    throw io::Failure(source.name() + ": raw data do not say what they hold; name it, as in\n  lanesort sort " + path + " --dtype u32 -o sorted.u32");
  }
  source.dtype = options.dtype ? *options.dtype : *by_suffix;
  source.item_bytes = lanesort_dtype_bytes(source.dtype);
  source.data_bytes = source.input.remaining_bytes();
  if (source.data_bytes) {
    expect_whole_items(source, *source.data_bytes);
    source.count = *source.data_bytes / source.item_bytes;
  }
}

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
  const float value = magnitude < 0x400u ? static_cast<float>(magnitude) * 0x1p-24f : std::bit_cast<float>((magnitude << 13) + (112u << 23));
  return sign != 0 ? -value : value;
}

template <class U>
void swap_each(std::byte* data, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    U value;
    std::memcpy(&value, data + i * sizeof(U), sizeof(U));
    if constexpr (sizeof(U) == 2) value = __builtin_bswap16(value);
    else if constexpr (sizeof(U) == 4) value = __builtin_bswap32(value);
    else value = __builtin_bswap64(value);
    std::memcpy(data + i * sizeof(U), &value, sizeof(U));
  }
}
}  // namespace

Source open_keys(const std::string& path, const Options& options) {
  Source source(path);
  source.format = find_format(source, path, options);
  if (source.format == Format::npy) open_npy_keys(source, options);
  if (source.format == Format::raw) open_raw_keys(source, path, options);
  return source;
}

Source open_values(const std::string& path, const Options& options) {
  Source source(path);
  const bool npy = options.format == Format::npy || suffix_of(path) == "npy" || io::is_npy(source.input.peek(io::kNpyMagic.size()));
  source.format = npy ? Format::npy : Format::raw;
  if (!npy) {
    source.data_bytes = source.input.remaining_bytes();
    return source;
  }
  read_npy_header(source);
  const io::NpyHeader& header = *source.npy;
  if (header.kind == 'O' || header.descr.find("'|O") != std::string::npos || header.descr.find("'O") != std::string::npos) {
    throw io::Failure(source.name() + ": holds Python objects, which cannot be moved; store plain numbers");
  }
  if (header.fortran_order && header.shape.size() > 1) {
    throw io::Failure(source.name() + ": is in Fortran order, so that its rows do not lie together; store it in C order");
  }
  source.count = header.shape.empty() ? 1 : header.shape[0];
  if (header.item_bytes != 0) {
    source.data_bytes = header.count * header.item_bytes;
    expect_npy_size(source);
  } else {
    source.data_bytes = source.input.remaining_bytes();  // a structured item is as wide as the file says
  }
  return source;
}

io::Buffer load(Source& source, const Options& options, io::Meter* meter, std::optional<std::uint64_t> key_count) {
  io::Buffer data;
  if (source.npy && source.data_bytes) {
    data.resize(*source.data_bytes);
    source.input.read_exact(data.bytes(), meter);
    source.input.expect_end("the data");
  } else {
    data = source.input.read_rest(options.memory_limit_bytes, meter);
  }
  source.data_bytes = data.size();
  if (key_count) {  // values: as many as keys, whatever their width
    if (!source.count) source.count = *key_count;
    const bool divides = *key_count == 0 ? data.size() == 0 : data.size() % *key_count == 0;
    if (*source.count != *key_count || !divides) {
      throw io::Failure(source.name() + ": holds " + (source.npy ? std::to_string(*source.count) + " items" : io::bytes_in_words(data.size())) + ", and there are " +
                        std::to_string(*key_count) + " keys; every key needs one value, all of one width");
    }
    const std::uint64_t width = *key_count == 0 ? 1 : data.size() / *key_count;
    if (width == 0 || width > UINT32_MAX) throw io::Failure(source.name() + ": " + std::to_string(width) + " bytes are no width of a value");
    source.item_bytes = static_cast<std::uint32_t>(width);
    return data;
  }
  expect_whole_items(source, data.size());
  source.count = data.size() / source.item_bytes;
  if (source.npy && source.npy->big_endian) swap_bytes(data.bytes(), source.item_bytes);
  if (wants_time_shift(source, options)) shift_times(data.bytes(), -1);
  return data;
}

bool wants_time_shift(const Source& source, const Options& options) {
  if (!source.is_time || options.float_order == LANESORT_FLOAT_BITS) return false;
  return (options.order == LANESORT_DESCENDING) == (options.float_order == LANESORT_FLOAT_NAN_FIRST);
}

void shift_times(std::span<std::byte> keys, std::int64_t by) {
  for (std::size_t i = 0; i + 8 <= keys.size(); i += 8) {
    std::uint64_t key;
    std::memcpy(&key, keys.data() + i, 8);
    key += static_cast<std::uint64_t>(by);
    std::memcpy(keys.data() + i, &key, 8);
  }
}

void swap_bytes(std::span<std::byte> items, std::uint32_t item_bytes) {
  if (item_bytes == 2) swap_each<std::uint16_t>(items.data(), items.size() / 2);
  if (item_bytes == 4) swap_each<std::uint32_t>(items.data(), items.size() / 4);
  if (item_bytes == 8) swap_each<std::uint64_t>(items.data(), items.size() / 8);
}

Format output_format(const Source& source, const std::string& path) {
  return source.format == Format::raw && suffix_of(path) == "npy" ? Format::npy : source.format;
}

namespace {
std::string header_for(const Source& source, const std::string& path) {
  if (source.npy) return source.npy->bytes;
  if (output_format(source, path) == Format::npy) return io::make_npy_header(npy_descr(source.dtype), source.count.value_or(0));
  return {};
}
}  // namespace

std::uint64_t output_bytes(const Source& source, const std::string& path) { return header_for(source, path).size() + source.data_bytes.value_or(0); }

void store(io::Output& output, const Source& source, const Options& options, io::Buffer& keys, io::Meter* meter) {
  if (wants_time_shift(source, options)) shift_times(keys.bytes(), 1);
  if (source.dtype != 0 && source.npy && source.npy->big_endian) swap_bytes(keys.bytes(), source.item_bytes);
  output.write(header_for(source, output.name()));
  output.write(std::span<const std::byte>(keys.bytes()), meter);
}

std::string npy_descr(lanesort_dtype dtype) {
  switch (dtype) {
    case LANESORT_BOOL: return "|b1";
    case LANESORT_U8: return "|u1";
    case LANESORT_I8: return "|i1";
    case LANESORT_U16: return "<u2";
    case LANESORT_I16: return "<i2";
    case LANESORT_U32: return "<u4";
    case LANESORT_I32: return "<i4";
    case LANESORT_U64: return "<u8";
    case LANESORT_I64: return "<i8";
    case LANESORT_F16: return "<f2";
    case LANESORT_F32: return "<f4";
    case LANESORT_F64: return "<f8";
    default: throw io::Failure(std::string("numpy has no dtype for ") + lanesort_dtype_name(dtype) + "; name the output .bin or ." + lanesort_dtype_name(dtype) + " and it is written raw");
  }
}

std::string key_text(lanesort_dtype dtype, const std::byte* key) {
  switch (dtype) {
    case LANESORT_BOOL: case LANESORT_U8: return integer_text<std::uint8_t>(key);
    case LANESORT_I8: return integer_text<std::int8_t>(key);
    case LANESORT_U16: return integer_text<std::uint16_t>(key);
    case LANESORT_I16: return integer_text<std::int16_t>(key);
    case LANESORT_U32: return integer_text<std::uint32_t>(key);
    case LANESORT_I32: return integer_text<std::int32_t>(key);
    case LANESORT_U64: return integer_text<std::uint64_t>(key);
    case LANESORT_I64: return integer_text<std::int64_t>(key);
    case LANESORT_F16: return float_text(half_to_float(read_as<std::uint16_t>(key)));
    case LANESORT_BF16: return float_text(std::bit_cast<float>(std::uint32_t{read_as<std::uint16_t>(key)} << 16));
    case LANESORT_F32: return float_text(read_as<float>(key));
    case LANESORT_F64: return float_text(read_as<double>(key));
    default: return "?";
  }
}

}  // namespace lanesort::cli
