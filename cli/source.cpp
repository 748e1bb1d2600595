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

// Could be the beginning of numbers written out, one a line.
bool looks_like_text(std::span<const std::byte> head) {
  if (head.size() >= 3 && std::memcmp(head.data(), "\xEF\xBB\xBF", 3) == 0) head = head.subspan(3);
  static constexpr std::string_view kAllowed = "0123456789+-.\r\n\t abcdefxABCDEFXinftyINFTY";
  return std::all_of(head.begin(), head.end(),
                     [](std::byte b) { return kAllowed.find(static_cast<char>(b)) != std::string_view::npos; });
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

void expect_sortable_shape(const Source& source) {
  if (source.npy->shape.size() <= 1) return;
  throw io::Failure(source.name() + ": has " + std::to_string(source.npy->shape.size()) + " dimensions, shape " +
                    shape_text(*source.npy) + (source.npy->fortran_order ? " in Fortran order" : "") +
                    "; one-dimensional arrays are sorted, so flatten it first");
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

void open_npy_keys(Source& source, const Options& options) {
  read_npy_header(source);
  const io::NpyHeader& npy = *source.npy;
  if (options.dtype) {  // the user knows better, as where bfloat16 is stored as '<V2'
    source.dtype = *options.dtype;
    if (npy.kind == 'O' || npy.item_bytes != lanesort_dtype_bytes(source.dtype)) {
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
  expect_sortable_shape(source);
  source.item_bytes = npy.item_bytes;
  source.count = npy.count;
  source.data_bytes = npy.count * npy.item_bytes;
  expect_npy_size(source);
}

void open_raw_keys(Source& source, const std::string& path, const Options& options) {
  const auto by_suffix = dtype_of_suffix(suffix_of(path));
  if (!options.dtype && !by_suffix) {
    throw io::Failure(source.name() + ": raw data do not say what they hold; name it, as in\n  lanesort sort " + path +
                      " --dtype u32 -o sorted.u32");
  }
  source.dtype = options.dtype ? *options.dtype : *by_suffix;
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

void expect_whole_items(const Source& source, std::uint64_t bytes) {
  const std::uint64_t left_over = bytes % source.item_bytes;
  if (left_over == 0) return;
  throw io::Failure(source.name() + ": " + std::to_string(bytes) + " bytes are no whole number of " +
                    lanesort_dtype_name(source.dtype) + " (" + std::to_string(source.item_bytes) +
                    " bytes each): " + std::to_string(left_over) + " left over");
}

Source open_keys(const std::string& path, const Options& options) {
  Source source(path, thread_count(options));
  source.format = find_format(source, path, options);
  if (source.format == Format::npy) open_npy_keys(source, options);
  if (source.format == Format::raw) open_raw_keys(source, path, options);
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
