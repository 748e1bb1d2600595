// Lengths of segments for the bench: all alike, or as uneven as data are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lanesort::bench {

// n+1 offsets from 0 to count. text: a length, as counts are written (the last segment may be shorter), or "zipf", lengths of
// 1 to a million, of which every octave has as many items as the next. Throws Error for other texts.
std::vector<std::uint64_t> make_offsets(const std::string& text, std::uint64_t count, std::uint64_t seed);

}  // namespace lanesort::bench
