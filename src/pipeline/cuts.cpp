#include "pipeline/cuts.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace lanesort {
inline namespace v1 {
namespace pipeline {
namespace {

template <class U>
class Cutter {
 public:
  explicit Cutter(const Runs& runs)
      : runs_(runs),
        order_(make_key_order<U>(runs.key.kind, runs.key.descending, runs.key.nan, runs.key.mantissa_bits)),
        shift_(runs.key.bit_begin),
        largest_(runs.key.bit_end == runs.key.bit_begin ? 0 : ~std::uint64_t{0} >> (64 - runs.key.bit_end + runs.key.bit_begin)) {}

  std::vector<std::uint64_t> cut(std::uint64_t place, const std::vector<std::uint64_t>& from) const {
    // The digit of the item at `place`: the lowest of which, or below, there are more than `place` items. Where a digit is
    // below that of the earlier cut, the counts are the cut's, whose sum is not above `place` either.
    std::vector<std::uint64_t> low = from, high(runs_.runs()), at(runs_.runs());
    for (std::uint64_t r = 0; r < runs_.runs(); ++r) high[r] = runs_.length_of(r);
    std::uint64_t least = 0, most = largest_;
    while (least < most) {
      const std::uint64_t middle = least + (most - least) / 2;
      for (std::uint64_t r = 0; r < at.size(); ++r) at[r] = first_above(r, low[r], high[r], middle);
      if (sum(at) > place) {
        most = middle;
        high = at;
      } else {
        least = middle + 1;
        low = at;
      }
    }
    // Now low is what stands before the items of that digit. The rest is of them, run after run.
    std::uint64_t rest = place - sum(low);
    for (std::uint64_t r = 0; r < low.size() && rest != 0; ++r) {
      const std::uint64_t taken = std::min(rest, first_above(r, low[r], high[r], least) - low[r]);
      low[r] += taken;
      rest -= taken;
    }
    return low;
  }

 private:
  static std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  std::uint64_t digit(std::uint64_t run, std::uint64_t i) const {
    U raw;
    std::memcpy(&raw, runs_.key_at(run, i), sizeof(U));
    return shift_ == 64 ? 0 : (std::uint64_t{order_.map(raw)} >> shift_) & largest_;
  }
  // The first of the run's items [low, high) whose digit is above the one given.
  std::uint64_t first_above(std::uint64_t run, std::uint64_t low, std::uint64_t high, std::uint64_t given) const {
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (digit(run, middle) > given)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  const Runs& runs_;
  KeyOrder<U> order_;
  std::uint32_t shift_;
  std::uint64_t largest_;  // digit there is
};

}  // namespace

std::vector<std::uint64_t> cut_runs(const Runs& runs, std::uint64_t place, const std::vector<std::uint64_t>& from) {
  if (place >= runs.count) {
    std::vector<std::uint64_t> all(runs.runs());
    for (std::uint64_t r = 0; r < all.size(); ++r) all[r] = runs.length_of(r);
    return all;
  }
  switch (runs.key.bytes) {
    case 1:
      return Cutter<std::uint8_t>(runs).cut(place, from);
    case 2:
      return Cutter<std::uint16_t>(runs).cut(place, from);
    case 4:
      return Cutter<std::uint32_t>(runs).cut(place, from);
    default:
      return Cutter<std::uint64_t>(runs).cut(place, from);
  }
}

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
