// sort -u: of keys that compare equal the first stays, and what moves with it.
// Invariant: what is kept is what the stable sort put first among its equals, so the first of the input.
#pragma once
#include <cstdint>

#include "options.hpp"
#include "source.hpp"

namespace lanesort::cli {

// Throws where -u does not go with the rest, before anything but the header is read.
void expect_unique(const Options& options, const Source& keys);

// Keys that are in order, and items of item_bytes beside them (0: none). Returns how many stay, at the front of both,
// which are cut to their size.
std::uint64_t keep_firsts(const Options& options, lanesort_dtype dtype, io::Buffer& keys, io::Buffer& items,
                          std::uint32_t item_bytes);

// The header of a source whose first dimension is now `kept`.
void shorten(Source& source, std::uint64_t kept);

}  // namespace lanesort::cli
