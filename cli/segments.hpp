// What sorts by itself: the stretches that --segments says, or the rows of an array along its last axis.
#pragma once
#include <cstdint>

#include "options.hpp"
#include "source.hpp"

namespace lanesort::cli {

// Rows along the last axis are segments.
bool has_rows(const Source& keys);

// Throws where the options do not go with the input: before anything but its header is read.
void expect_segments(const Options& options, const Source& keys);

// Bytes that offsets take; where a file holds them, they are not counted before it is read.
std::uint64_t segment_bytes(const Options& options, const Source& keys);

// The options with the offsets filled in; the count of keys is known.
Options with_segments(const Options& options, const Source& keys);

}  // namespace lanesort::cli
