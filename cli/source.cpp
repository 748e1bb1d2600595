#include "source.hpp"

#include <algorithm>
#include <cstring>

#include "engine.hpp"
#include "io/failure.hpp"

namespace lanesort::cli {
namespace {
constexpr std::size_t kSniffBytes = 512;

std::optional<lanesort_dtype> dtype_of_suffix(const std::string& suffix) {
  lanesort_dtype dtype = 0;
  if (lanesort_dtype_from_name(suffix.c_str(), &dtype) != LANESORT_OK) return std::nullopt;
  return dtype;
}

std::string_view without_mark(std::string_view head) {
  return head.starts_with("\xEF\xBB\xBF") ? head.substr(3) : head;
}

// UTF-8 without control characters. The last character may be cut off.
bool is_printable(std::string_view head) {
  for (std::size_t i = 0; i < head.size();) {
    const auto lead = static_cast<unsigned char>(head[i++]);
    if (lead < 0x20 ? lead < '\t' || lead > '\r' : lead == 0x7F) return false;
    if (lead < 0x80) continue;
    if (lead < 0xC2 || lead > 0xF4) return false;
    for (int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3; more > 0 && i < head.size(); --more)
      if ((static_cast<unsigned char>(head[i++]) & 0xC0) != 0x80) return false;
  }
  return true;
}

// An array, or an object, which the reader of JSON refuses in better words.
bool looks_like_json(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != head.npos && (head[first] == '[' || head[first] == '{');
}

// A few bytes of raw data may happen to be printable; lines, or an array from bracket to bracket, hardly happen.
bool looks_written_out(std::string_view head) {
  if (!is_printable(head) || head.find_first_of("0123456789") == head.npos) return false;
  return head.find('\n') != head.npos || (looks_like_json(head) && (head.size() == kSniffBytes || head.ends_with(']')));
}

// A raw suffix, and numbers written out: to sort the letters as raw items would destroy them.
void expect_raw_content(const Source& source, const std::string& path, std::string_view head) {
  if (!looks_written_out(head)) return;
  throw io::Failure(source.name() + ": is raw by its suffix ." + suffix_of(path) +
                    ", and its first bytes look like a text; say which it is: --format " +
                    (looks_like_json(without_mark(head)) ? "json" : "text") + " or --format raw");
}

// --format, magic, suffix, content. What is printable is a text, whether or not a --dtype is given for its numbers.
Format find_format(Source& source, const std::string& path, const Options& options) {
  if (options.format != Format::automatic) return options.format;
  const auto bytes = source.input.peek(kSniffBytes);
  if (io::is_npy(bytes)) return Format::npy;
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const auto by_suffix = format_of_suffix(path)) {
    if (*by_suffix == Format::raw) expect_raw_content(source, path, head);
    return *by_suffix;
  }
  if (is_printable(head)) return looks_like_json(without_mark(head)) ? Format::json : Format::text;
  if (options.dtype || options.raw_dtype) return Format::raw;
  throw io::Failure(
      source.name() +
      ": neither .npy, text nor JSON by its first bytes; if it is raw, say what it holds, as in\n  lanesort sort " +
      path + " --dtype u32 -o sorted.u32");
}

void read_npy_header(Source& source) {
  try {
    const std::size_t size = io::npy_header_bytes(source.input.peek(io::kNpyPreambleBytes));
    std::string bytes(size, '\0');
    const std::size_t got = source.input.read_some(std::as_writable_bytes(std::span(bytes)));
    if (got != size)
      throw io::Failure(".npy header claims to be " + std::to_string(size) + " bytes long and ends after " +
                        std::to_string(got));
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
    case 0:
      return "structured";
    case 'c':
      return "complex";
    case 'O':
      return "object";
    case 'S':
      return "byte string";
    case 'U':
      return "string";
    case 'V':
      return "void";
    case 'f':
      return npy.item_bytes > 8 ? "128-bit float" : "";
    case 'i':
    case 'u':
      return npy.item_bytes > 8 ? "128-bit integer" : "";
    default:
      return "";
  }
}

constexpr std::size_t kMostDimensions = 64;  // NumPy's own limit

// Rows lie together in C order, and sort, argsort and topk take each by itself.
void expect_sortable_shape(const Source& source, const Options& options) {
  if (source.npy->shape.size() <= 1) return;
  const bool by_rows = options.command == Command::sort || options.command == Command::argsort ||
                       options.command == Command::topk;
  if (by_rows && !source.npy->fortran_order && source.npy->shape.size() <= kMostDimensions) return;
  throw io::Failure(source.name() + ": has " + std::to_string(source.npy->shape.size()) + " dimensions, shape " +
                    shape_text(*source.npy) + (source.npy->fortran_order ? " in Fortran order" : "") +
                    (by_rows && source.npy->fortran_order ? "; its rows do not lie together, so store it in C order"
                                                          : "; one-dimensional arrays are taken here, so flatten it first"));
}

void expect_npy_size(const Source& source) {
  const auto there = source.input.remaining_bytes();
  if (!there || !source.data_bytes || *there == *source.data_bytes) return;
  const std::string holds = source.name() + ": shape " + shape_text(*source.npy) + " of '" + source.npy->descr +
                            "' takes " + std::to_string(*source.data_bytes) + " bytes of data, and " +
                            std::to_string(*there) + " are there";
  throw io::Failure(holds +
                    (*there < *source.data_bytes ? " (the file was cut short)" : " (something follows the data)"));
}

// numpy has no bfloat16: it is stored as items without a meaning, or as their bit patterns.
bool may_hold_bf16(const Source& source) {
  const bool plain = source.npy->kind == 'V' || source.npy->kind == 'u';
  return source.dtype == LANESORT_BF16 && plain && source.npy->item_bytes == 2;
}

void open_npy_keys(Source& source, const Options& options) {
  read_npy_header(source);
  const io::NpyHeader& npy = *source.npy;
  if (options.dtype) {
    source.dtype = *options.dtype;
    if (source.dtype != io::npy_dtype(npy) && !may_hold_bf16(source)) {
      throw io::Failure(source.name() + ": holds '" + npy.descr + "', which cannot be read as --dtype " +
                        lanesort_dtype_name(source.dtype) + "; leave --dtype out, the file itself says what it holds");
    }
  } else {
    const std::string why = why_unsortable(npy);
    source.dtype = io::npy_dtype(npy);
    if (!why.empty() || source.dtype == 0) {
      throw io::Failure(
          source.name() + ": dtype '" + npy.descr + "'" + (why.empty() ? "" : " (" + why + ")") +
          " cannot be sorted; bool, integers and floats of up to 64 bits, datetime64 and timedelta64 can");
    }
    source.is_time = npy.is_time();
  }
  expect_sortable_shape(source, options);
  source.item_bytes = npy.item_bytes;
  source.count = npy.count;
  source.data_bytes = npy.count * npy.item_bytes;
  expect_npy_size(source);
}

void open_raw_keys(Source& source, const std::string& path, const Options& options) {
  const auto by_suffix = dtype_of_suffix(suffix_of(path));
  const auto dtype = options.dtype ? options.dtype : by_suffix ? by_suffix : options.raw_dtype;
  if (!dtype) {
    throw io::Failure(source.name() + ": raw data do not say what they hold; name it, as in\n  lanesort sort " + path +
                      " --dtype u32 -o sorted.u32");
  }
  source.dtype = *dtype;
  source.item_bytes = lanesort_dtype_bytes(source.dtype);
  source.data_bytes = source.input.remaining_bytes();
  if (source.data_bytes) {
    expect_whole_items(source, *source.data_bytes);
    source.count = *source.data_bytes / source.item_bytes;
  }
}

}  // namespace

std::string suffix_of(const std::string& path) {
  const auto slash = path.rfind('/');
  const auto dot = path.rfind('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return {};
  std::string suffix = path.substr(dot + 1);
  for (char& c : suffix)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return suffix;
}

std::optional<Format> format_of_suffix(const std::string& path) {
  const std::string suffix = suffix_of(path);
  if (suffix == "npy") return Format::npy;
  if (suffix == "txt" || suffix == "text") return Format::text;
  if (suffix == "json") return Format::json;
  if (suffix == "bin" || suffix == "raw" || dtype_of_suffix(suffix)) return Format::raw;
  return std::nullopt;
}

void expect_whole_items(const Source& source, std::uint64_t bytes) {
  const std::uint64_t left_over = bytes % source.item_bytes;
  if (left_over == 0) return;
  throw io::Failure(source.name() + ": " + std::to_string(bytes) + " bytes are no whole number of " +
                    lanesort_dtype_name(source.dtype) + " (" + std::to_string(source.item_bytes) +
                    " bytes each): " + std::to_string(left_over) + " left over");
}

// Of '<M8[s]' what does not depend on the byte order.
static std::string time_of(const Source& source) {
  return source.is_time ? source.npy->descr.substr(source.npy->descr.find_first_of("mM")) : std::string();
}

void expect_same_times(const Source& before, const Source& after) {
  if (time_of(before) == time_of(after)) return;
  const auto holds = [](const Source& source) {
    return source.name() + " holds '" + (source.npy ? source.npy->descr : lanesort_dtype_name(source.dtype)) + "'";
  };
  throw io::Failure(holds(before) + " and " + holds(after) +
                    ": times of one kind and unit can be compared; --dtype i64 takes both as plain integers");
}

Source open_keys(const std::string& path, const Options& options) {
  Source source(path, thread_count(options));
  source.format = find_format(source, path, options);
  if (source.format == Format::npy) open_npy_keys(source, options);
  if (source.format == Format::raw) open_raw_keys(source, path, options);
  if (source.is_binary()) expect_bits(options, source.dtype);
  return source;
}

Source open_values(const std::string& path, const Options& options) {
  Source source(path, thread_count(options));
  const bool npy =
      options.format == Format::npy || suffix_of(path) == "npy" || io::is_npy(source.input.peek(io::kNpyMagic.size()));
  source.format = npy ? Format::npy : Format::raw;
  if (!npy) {
    source.data_bytes = source.input.remaining_bytes();
    return source;
  }
  read_npy_header(source);
  const io::NpyHeader& header = *source.npy;
  if (header.kind == 'O' || header.descr.find("'|O") != std::string::npos ||
      header.descr.find("'O") != std::string::npos) {
    throw io::Failure(source.name() + ": holds Python objects, which cannot be moved; store plain numbers");
  }
  if (header.fortran_order && header.shape.size() > 1) {
    throw io::Failure(source.name() +
                      ": is in Fortran order, so that its rows do not lie together; store it in C order");
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

}  // namespace lanesort::cli
