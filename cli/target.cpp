#include "target.hpp"

#include <cstring>

#include "io/failure.hpp"
#include "key_text.hpp"
#include "list.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
std::optional<lanesort_dtype> raw_dtype_of(const std::string& path) {
  lanesort_dtype dtype = 0;
  if (format_of_suffix(path) != Format::raw) return std::nullopt;
  if (lanesort_dtype_from_name(suffix_of(path).c_str(), &dtype) != LANESORT_OK) return std::nullopt;
  return dtype;
}
}  // namespace

Format output_format(const std::string& path, Format otherwise) { return format_of_suffix(path).value_or(otherwise); }

void expect_named_for(const std::string& path, lanesort_dtype dtype, const std::string& what) {
  const auto named = raw_dtype_of(path);
  if (!named || *named == dtype) return;
  const std::string holds = lanesort_dtype_name(dtype);
  throw Usage(io::printable(path) + ": is named for " + lanesort_dtype_name(*named) + ", and " + what + " are " + holds +
              "; name it ." + holds + " or .bin");
}

void expect_writable(const Source& keys, const std::string& path) {
  expect_named_for(path, keys.dtype, "the keys of " + keys.name());
  if (!keys.is_time || is_binary(output_format(path, keys.format))) return;
  throw Usage(io::printable(path) + ": the keys of " + keys.name() + " are times, '" + keys.npy->descr +
              "', which are not written as numbers; name it .npy, or .i64 for their ticks");
}

void write_keys(io::Output& output, lanesort_dtype dtype, std::span<const std::byte> keys, bool json, io::Meter* meter) {
  const std::uint32_t width = lanesort_dtype_bytes(dtype);
  write_list(output, keys.size() / width, json, meter, [&](std::uint64_t i) {
    std::string number = key_text(dtype, keys.data() + i * width);
    if (json && number.find_first_of("ni") != std::string::npos)
      throw io::Failure(io::printable(output.name()) + ": JSON has no " + number + "; write text or .npy");
    return number;
  });
}

Options with_index_of_suffix(const Options& options, const std::string& path) {
  Options named = options;
  const auto dtype = raw_dtype_of(path);
  if (!dtype) return named;
  if (*dtype == LANESORT_U32) named.index_bytes = 4;
  if (*dtype == LANESORT_U64) named.index_bytes = 8;
  const bool contradicts = options.index_bytes != 0 && options.index_bytes != named.index_bytes;
  if (contradicts || (*dtype != LANESORT_U32 && *dtype != LANESORT_U64)) {
    throw Usage(io::printable(path) + ": is named for " + lanesort_dtype_name(*dtype) + ", and indices are " +
                (options.index_bytes == 0 ? "u32 or u64" : options.index_bytes == 4 ? "u32" : "u64") +
                " here; name it so, or .bin");
  }
  return named;
}

namespace {
std::string indices_header(Format format, std::uint64_t count, std::uint32_t index_bytes,
                           const std::vector<std::uint64_t>& shape) {
  if (format != Format::npy) return {};
  const char* const descr = index_bytes == 4 ? "<u4" : "<u8";
  return shape.size() > 1 ? io::make_npy_header(descr, shape) : io::make_npy_header(descr, count);
}
}  // namespace

std::uint64_t indices_bytes(Format format, std::uint64_t count, std::uint32_t index_bytes,
                            const std::vector<std::uint64_t>& shape) {
  return indices_header(format, count, index_bytes, shape).size() + count * index_bytes;
}

void write_indices(io::Output& output, Format format, const io::Buffer& indices, std::uint32_t index_bytes,
                   io::Meter* meter, const std::vector<std::uint64_t>& shape) {
  const std::uint64_t count = indices.size() / index_bytes;
  if (!is_binary(format)) {
    return write_keys(output, index_bytes == 4 ? LANESORT_U32 : LANESORT_U64, indices.bytes(), format == Format::json,
                      meter);
  }
  output.write(indices_header(format, count, index_bytes, shape));
  output.write(std::span<const std::byte>(indices.bytes()), meter);
}

}  // namespace lanesort::cli
