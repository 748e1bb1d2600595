// Whether numbers stand in order, told by their spellings and not by the keys that sorted them.
//
// Invariant: the sorter's reading of lines and its keys are not used where the digits themselves tell the order.
#include <algorithm>
#include <atomic>

#include "io/chunk.hpp"
#include "io/floating.hpp"
#include "io/text.hpp"
#include "io/workers.hpp"

namespace lanesort::io {
namespace {

bool is_nan(std::string_view number) {
  const auto letter = number.find_first_not_of("+-");
  return letter != number.npos && (number[letter] == 'n' || number[letter] == 'N');
}

class Judge {
 public:
  explicit Judge(const NumberRule& rule)
      : rule_(rule),
        is_float_(float_shape(rule.dtype).has_value()),
        by_keys_(rule.dtype == LANESORT_BOOL || (is_float_ && rule.float_order == LANESORT_FLOAT_BITS)) {}

  // Must the second number stand before the first?
  bool misplaced(std::string_view first, std::string_view second) const {
    if (by_keys_) return wrong_way(number_key(first, rule_) <=> number_key(second, rule_));
    const bool first_nan = is_nan(first), second_nan = is_nan(second);
    if (first_nan || second_nan) {
      if (first_nan && second_nan) return false;
      return rule_.float_order == LANESORT_FLOAT_NAN_FIRST ? second_nan : first_nan;
    }
    if (!wrong_way(compare_numbers(first, second))) return false;
    return !is_float_ || number_key(first, rule_) != number_key(second, rule_);
  }

 private:
  bool wrong_way(std::partial_ordering order) const {
    return rule_.order == LANESORT_DESCENDING ? order < 0 : order > 0;
  }

  NumberRule rule_;
  bool is_float_;
  bool by_keys_;
};

void lower_to(std::atomic<std::uint64_t>& least, std::uint64_t value) {
  for (std::uint64_t seen = least; value < seen && !least.compare_exchange_weak(seen, value);) {
  }
}

}  // namespace

std::uint64_t first_misplaced(const NumberText& job, std::span<const std::uint64_t> refs) {
  constexpr std::size_t kPart = std::size_t{1} << 14;
  const Judge judge(job.rule);
  std::atomic<std::uint64_t> least = refs.size();
  run_tasks(job.threads, (refs.size() + kPart - 1) / kPart, [&](std::size_t part) {
    const std::size_t end = std::min((part + 1) * kPart, refs.size());
    for (std::size_t i = std::max<std::size_t>(part * kPart, 1); i < end && i < least; ++i) {
      if (judge.misplaced(number_at(job, refs[i - 1]), number_at(job, refs[i]))) return lower_to(least, i);
    }
  });
  return least;
}

}  // namespace lanesort::io
