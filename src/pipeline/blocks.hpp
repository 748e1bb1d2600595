// Where the sorted runs of a sort in chunks stand: in blocks of the array of the results, and of some spare memory. A range of
// the results is put to its place when the blocks there have been moved to others whose items are no longer needed.
#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "pipeline/carrier.hpp"
#include "pipeline/cuts.hpp"
#include "pipeline/trip.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {

// An array of keys and one of values, either may be none.
struct Columns {
  std::byte *keys = nullptr, *values = nullptr;
};

class Blocks {
 public:
  // spare: of plan.spare_blocks().
  Blocks(const plan::BlockPlan& plan, const cpu::KeySpec& key, std::uint32_t value_bytes, const Columns& results,
         const Columns& spare);

  const Runs& runs() const { return runs_; }
  // Where the first trip puts a run: whole, one block after the other.
  Columns place_of_run(std::uint64_t r) const { return at(plan_.first_block(r)); }

  // The second trip. All items before these, of each run, are in the results, and nobody reads them here any more.
  void give_back(const std::vector<std::uint64_t>& before);
  // Nothing that is needed stands in the i-th range's place any more, nor will. Ranges are cleared in turn.
  void clear(std::uint64_t range, Carrier& copier);
  // Items [begin, end) of a run.
  void add_to(Load* load, std::uint64_t run, std::uint64_t begin, std::uint64_t end) const;

 private:
  static constexpr std::uint64_t kNone = UINT64_MAX;

  Columns at(std::uint64_t place) const;  // of that number: the spare ones first
  void put(std::uint64_t block, std::uint64_t place);
  void move(const std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& to, Carrier& copier);

  const plan::BlockPlan plan_;
  const std::uint32_t value_bytes_;
  const Columns results_, spare_;
  Runs runs_;
  std::vector<std::uint64_t> places_;  // of the blocks, run after run
  std::vector<std::uint64_t> owners_;  // of the places: a block that is needed, or none
  std::vector<std::uint64_t> given_;   // of each run, blocks that are not needed
  std::set<std::uint64_t> free_;       // places for whole blocks, none of them in a range that was cleared
  std::uint64_t cleared_ = 0;          // places before it, from the first behind the spare ones
};

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
