// Items in memory: read, brought into the machine's order, and back under their header.
#include <cstring>

#include "io/failure.hpp"
#include "source.hpp"
#include "target.hpp"

namespace lanesort::cli {
namespace {
template <class U>
void swap_each(std::byte* data, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    U value;
    std::memcpy(&value, data + i * sizeof(U), sizeof(U));
    if constexpr (sizeof(U) == 2)
      value = __builtin_bswap16(value);
    else if constexpr (sizeof(U) == 4)
      value = __builtin_bswap32(value);
    else
      value = __builtin_bswap64(value);
    std::memcpy(data + i * sizeof(U), &value, sizeof(U));
  }
}
}  // namespace

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
    expect_one_each(source, data.size(), *key_count);
    const std::uint64_t width = *key_count == 0 ? 1 : data.size() / *key_count;
    if (width == 0 || width > UINT32_MAX)
      throw io::Failure(source.name() + ": " + std::to_string(width) + " bytes are no width of a value");
    source.item_bytes = static_cast<std::uint32_t>(width);
    return data;
  }
  expect_whole_items(source, data.size());
  source.count = data.size() / source.item_bytes;
  if (source.npy && source.npy->big_endian) swap_bytes(data.bytes(), source.item_bytes);
  if (wants_time_shift(source, options)) shift_times(data.bytes(), -1);
  return data;
}

void expect_one_each(const Source& source, std::uint64_t bytes, std::uint64_t key_count) {
  const bool divides = key_count == 0 ? bytes == 0 : bytes % key_count == 0;
  if (source.count.value_or(key_count) == key_count && divides) return;
  throw io::Failure(source.name() + ": holds " +
                    (source.npy ? std::to_string(*source.count) + " items" : io::bytes_in_words(bytes)) +
                    ", and there are " + std::to_string(key_count) +
                    " keys; every key needs one value, all of one width");
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

namespace {
std::string header_for(const Source& source, const std::string& path) {
  const Format format = output_format(path, source.format);
  if (source.dtype == 0 && source.npy && format != Format::npy)
    throw io::Failure(io::printable(path) + ": the values of " + source.name() + " are a .npy; name it so");
  if (source.npy && format == Format::npy) return source.npy->bytes;
  if (format != Format::npy) return {};
  if (source.dtype == 0)
    throw io::Failure(path + ": raw values do not say what they hold, so no .npy header can be made; name it .bin");
  return io::make_npy_header(npy_descr(source.dtype), source.count.value_or(0));
}
}  // namespace

std::uint64_t output_bytes(const Source& source, const std::string& path) {
  return header_for(source, path).size() + source.data_bytes.value_or(0);
}

void store_header(io::Output& output, const Source& source) { output.write(header_for(source, output.name())); }

void store(io::Output& output, const Source& source, const Options& options, io::Buffer& keys, io::Meter* meter) {
  if (wants_time_shift(source, options)) shift_times(keys.bytes(), 1);
  const Format format = output_format(output.name(), source.format);
  if (source.dtype != 0 && !is_binary(format))
    return write_keys(output, source.dtype, keys.bytes(), format == Format::json, meter);
  if (source.dtype != 0 && format == Format::npy && source.npy && source.npy->big_endian)
    swap_bytes(keys.bytes(), source.item_bytes);
  store_header(output, source);
  output.write(std::span<const std::byte>(keys.bytes()), meter);
}

std::string npy_descr(lanesort_dtype dtype) {
  std::string descr = io::npy_descr(dtype);
  if (!descr.empty()) return descr;
  const char* const name = lanesort_dtype_name(dtype);
  throw io::Failure(std::string("numpy has no dtype for ") + name + "; name the output .bin or ." + name +
                    " and it is written raw");
}

}  // namespace lanesort::cli
