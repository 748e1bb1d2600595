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

struct Runs {
  cpu::KeySpec key;
  const std::byte* keys = nullptr;  // the runs one after the other, each in the key's order
  std::uint64_t count = 0;          // of all
  std::uint64_t run = 0;            // items of a run; the last may have fewer

  std::uint64_t runs() const { return (count + run - 1) / run; }
  std::uint64_t begin_of(std::uint64_t r) const { return r * run; }
  std::uint64_t length_of(std::uint64_t r) const { return r + 1 < runs() ? run : count - r * run; }
};

// The first `place` items of the sorted whole: cuts[r] of each run r. At most key bits * runs * log2(run) reads.
std::vector<std::uint64_t> cut_runs(const Runs& runs, std::uint64_t place);

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
