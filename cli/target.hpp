// What an output is written as: what the suffix of its name says, else what its input is.
// Invariant: a conversion is exact, or refused in words before anything is written.
#pragma once
#include <cstdint>
#include <string>

#include "io/output.hpp"
#include "options.hpp"
#include "source.hpp"

namespace lanesort::cli {

Format output_format(const std::string& path, Format otherwise);
constexpr bool is_binary(Format format) { return format == Format::raw || format == Format::npy; }

// Throws where the raw suffix of a name is that of another dtype than what would go there.
void expect_named_for(const std::string& path, lanesort_dtype dtype, const std::string& what);

// Throws where keys cannot be written under that name.
void expect_writable(const Source& keys, const std::string& path);

// Keys as people write them, one a line or as a JSON array.
void write_keys(io::Output& output, lanesort_dtype dtype, std::span<const std::byte> keys, bool json, io::Meter* meter);

// Options whose index width is the one that the suffix of the name where indices go says.
Options with_index_of_suffix(const Options& options, const std::string& path);
// shape: of the .npy, where it is not one-dimensional.
std::uint64_t indices_bytes(Format format, std::uint64_t count, std::uint32_t index_bytes,
                            const std::vector<std::uint64_t>& shape);
void write_indices(io::Output& output, Format format, const io::Buffer& indices, std::uint32_t index_bytes,
                   io::Meter* meter, const std::vector<std::uint64_t>& shape = {});

}  // namespace lanesort::cli
