// One input of fixed-width items: what the file says it is, and its keys in memory as the library sorts them.
// Invariant: keys in memory are of the machine's byte order, and times are shifted (see wants_time_shift)
// until they are written.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "io/buffer.hpp"
#include "io/file.hpp"
#include "io/npy.hpp"
#include "io/output.hpp"
#include "options.hpp"

namespace lanesort::cli {

struct Source {
  Source(const std::string& path, unsigned threads) : input(path, threads) {}

  io::Input input;
  Format format = Format::raw;
  std::optional<io::NpyHeader> npy;
  lanesort_dtype dtype = 0;                 // 0 for values and texts
  std::uint32_t item_bytes = 0;             // 0: not known before the data are read
  std::optional<std::uint64_t> count;       // nullopt for raw pipes
  std::optional<std::uint64_t> data_bytes;  // what follows the header

  bool is_time = false;  // datetime64, timedelta64

  bool is_binary() const { return format == Format::raw || format == Format::npy; }
  const std::string& name() const { return input.name(); }
};

// Opens a file of keys: finds its format by --format, magic, suffix, content, and its dtype by header, --dtype, suffix.
// A raw suffix over what looks like a text is refused.
Source open_keys(const std::string& path, const Options& options);

// Opens a file whose items travel with count keys; any width, any numpy dtype but objects, rows of a C-order array.
Source open_values(const std::string& path, const Options& options);

// The part of a name after its last dot, in small letters.
std::string suffix_of(const std::string& path);

// What a name says about its content: .npy, .txt or .text, .json, and raw: .bin, .raw or a dtype. Nothing: nothing.
std::optional<Format> format_of_suffix(const std::string& path);

void expect_whole_items(const Source& source, std::uint64_t bytes);

// Reads the data. Afterwards source.count and item_bytes are known. key_count: for values, what they must match.
io::Buffer load(Source& source, const Options& options, io::Meter* meter, std::optional<std::uint64_t> key_count = {});

// Throws where bytes of values are not one value for every key, all of one width.
void expect_one_each(const Source& source, std::uint64_t bytes, std::uint64_t key_count);

// NaT is the smallest i64 and is to stand where NaN does. One subtracted from every key makes it the largest, and
// leaves the others in order: so it stands last ascending, and first descending.
bool wants_time_shift(const Source& source, const Options& options);
void shift_times(std::span<std::byte> keys, std::int64_t by);

// Throws where the keys of two files are times of different kinds or units, or those of one alone are times.
void expect_same_times(const Source& before, const Source& after);

void swap_bytes(std::span<std::byte> items, std::uint32_t item_bytes);

// Writes keys in the format of the output's name, and .npy under the header it came in with. Uses up the buffer.
std::uint64_t output_bytes(const Source& source, const std::string& path);
void store_header(io::Output& output, const Source& source);
void store(io::Output& output, const Source& source, const Options& options, io::Buffer& keys, io::Meter* meter);

// "<f4" and the like; throws where numpy has no such dtype.
std::string npy_descr(lanesort_dtype dtype);

}  // namespace lanesort::cli
