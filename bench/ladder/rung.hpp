// A rung of the ladder: one way to sort, in a file of its own that one can read at a sitting, with what it costs and
// where it comes from. From the plainest to ours; the table is ladder_rungs(), and a new rung is a file and a line in it.
// Invariant: a rung sorts keys of u8 and u32, ascending, with counts of 64 bits, and is proved on every run before it
// is timed.
#pragma once
#include <cstdint>
#include <span>

#include "bench/rivals/rival.hpp"

namespace lanesort::bench {

struct Rung {
  const char* name;
  const char* backend;  // cpu; rungs of devices stand in the same table
  const char *idea, *time, *space, *traffic, *launches, *limits, *source;
  // Bytes that all passes read and write for a key, were none of them in a cache; NULL: not reckoned.
  double (*bytes_per_key)(double key_bytes, double count) = nullptr;
  RivalEntry entry{};  // without run: the entry of bench/rivals of that name, or lanesort itself
};

std::span<const Rung> ladder_rungs();

// A file's head says what its rung is; below it stand what that moves, and the sort.
constexpr Rung complete(Rung rung, double (*bytes_per_key)(double key_bytes, double count), RivalEntry entry) {
  rung.bytes_per_key = bytes_per_key;
  rung.entry = entry;
  return rung;
}

}  // namespace lanesort::bench
