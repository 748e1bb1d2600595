#include <algorithm>

#include "reference/kernels.hpp"
#include "reference/messages.hpp"
#include "reference/move.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

// One tile's work; workgroups come one after the other here, so what is not told never will be.
class Sweep {
 public:
  Sweep(const Work& work, const Course& course, std::uint64_t tile)
      : work_(work),
        course_(course),
        tile_(tile),
        begin_(tile * work.shape.tile()),
        keys_(load_keys(work, course, begin_, std::min<std::uint64_t>(begin_ + work.shape.tile(), course.count))),
        ranked_(rank_keys(digits_of(work, keys_), work.shape.radix())) {}

  void run() {
    if (tells()) publish(contract::kMessageReady, std::vector<std::uint32_t>(work_.shape.radix()));
    wipe_messages(work_, messages_of(work_, course_, course_.nth + 1), tile_);
    const std::vector<std::uint32_t> before = look_back();
    if (tells()) publish(contract::kMessageDone, before);
    std::vector<std::uint32_t> bases = before;
    std::uint32_t start = 0;
    for (std::uint32_t digit = 0; digit < bases.size(); ++digit) {
      bases[digit] += start;
      start += work_.control().load(contract::kControlTotals + work_.step.pass_index * work_.shape.radix() + digit);
    }
    const std::vector<std::uint64_t> keys = staged(keys_, ranked_);
    const std::vector<std::uint32_t> targets = find_targets(digits_of(work_, keys), ranked_, bases);
    scatter_keys(work_, course_, keys, targets);
    if (work_.value_words != 0) move_values(work_, course_, begin_, 0, ranked_, targets);
  }

 private:
  bool tells() const { return work_.step.withheld == 0 || tile_ % work_.step.withheld != work_.step.withheld - 1; }

  std::uint64_t message_of(std::uint64_t tile, std::uint32_t digit) const {
    return messages_of(work_, course_, course_.nth) + tile * work_.shape.radix() + digit;
  }

  void publish(std::uint32_t what, const std::vector<std::uint32_t>& before) const {
    for (std::uint32_t digit = 0; digit < before.size(); ++digit)
      work_.control().store(message_of(tile_, digit), what | (before[digit] + ranked_.digit_counts[digit]));
  }

  std::vector<std::uint32_t> look_back() const {
    std::vector<std::uint32_t> before(work_.shape.radix());
    for (std::uint32_t digit = 0; digit < before.size(); ++digit) {
      for (std::uint64_t tile = tile_; tile-- > 0;) {
        if (work_.control().load(message_of(tile, digit)) < contract::kMessageReady) count_missing(tile);
        const std::uint32_t message = work_.control().load(message_of(tile, digit));
        before[digit] += message & contract::kMessageCount;
        if (message >= contract::kMessageDone) break;
      }
    }
    return before;
  }

  void count_missing(std::uint64_t tile) const {
    std::vector<std::uint32_t> counts(work_.shape.radix());
    const std::uint64_t begin = tile * work_.shape.tile();
    for (const std::uint32_t digit : digits_of(work_, load_keys(work_, course_, begin, begin + work_.shape.tile())))
      ++counts[digit];
    for (std::uint32_t digit = 0; digit < counts.size(); ++digit)
      work_.control().store(message_of(tile, digit), contract::kMessageReady | counts[digit]);
  }

  const Work& work_;
  const Course& course_;
  const std::uint64_t tile_, begin_;
  const std::vector<std::uint64_t> keys_;
  const Ranks ranked_;
};

std::uint32_t take_tile(const Work& work) {
  const std::uint32_t ticket = contract::kControlTickets + work.step.pass_index, tile = work.control().load(ticket);
  work.control().store(ticket, tile + 1);
  return tile;
}

}  // namespace

void sweep(const Work& work, std::uint32_t) {
  std::uint64_t tile = take_tile(work);  // whether the pass runs or not
  const Course course = take_course(work);
  if (!course.runs) return;
  const std::uint64_t tiles = tiles_in(work, course);
  for (; tile < tiles; tile = take_tile(work))
    Sweep(work, course, tile).run();
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
