// Exact cuts through sorted runs: for each run, how many of its items stand before a given place of the sorted whole. Equal
// keys stand in the order of their runs, so ranges between cuts, each sorted by itself, give the stable order of all.
// Selection in several sorted runs: Varman et al., "Merging multiple lists on hierarchical-memory multiprocessors", 1991.
#pragma once
#include <cstdint>
#include <vector>

#include "cpu/engine.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {

// Sorted runs in blocks of as many items, which stand anywhere; a run's last may have fewer.
struct Runs {
  cpu::KeySpec key;
  std::uint64_t count = 0;               // of all
  std::uint64_t run = 0;                 // items of a run; the last may have fewer
  std::uint64_t block = 0;               // items; a run is whole blocks
  std::vector<const std::byte*> blocks;  // of keys, run after run

  std::uint64_t runs() const { return (count + run - 1) / run; }
  std::uint64_t length_of(std::uint64_t r) const { return r + 1 < runs() ? run : count - r * run; }
  std::uint64_t block_of(std::uint64_t r, std::uint64_t item) const { return r * (run / block) + item / block; }
  const std::byte* key_at(std::uint64_t r, std::uint64_t item) const {
    return blocks[block_of(r, item)] + item % block * key.bytes;
  }
};

// The first `place` items of the sorted whole: cuts[r] of each run r. `from`: an earlier cut; what stands before it is not
// read. At most key bits * runs * log2(run) reads.
std::vector<std::uint64_t> cut_runs(const Runs& runs, std::uint64_t place, const std::vector<std::uint64_t>& from);

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
