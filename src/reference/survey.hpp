// What the first read of the keys sees: the twin of kernels/wgsl/survey.wgsl.
#pragma once
#include "reference/work.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

struct Survey {
  std::uint64_t varying = 0;
  bool unsorted = false;
  std::uint32_t last = 0;
};

// A tile of what is sorted together, from item `first` up to `last`.
inline void survey_tile(const Work& work, std::uint64_t first, std::uint64_t begin, std::uint64_t end,
                        std::uint64_t last, std::uint32_t side, Survey& survey) {
  const std::uint64_t range = range_of(work.step);
  const auto ranged = [&](std::uint64_t i) { return key_order(work.step, work.key(side, i)) & range; };
  const std::uint64_t reference = ranged(first);
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::uint64_t mapped = ranged(i);
    survey.varying |= mapped ^ reference;
    survey.last += mapped == range ? 1 : 0;
    survey.unsorted |= i + 1 < last && ranged(i + 1) < mapped;
  }
}

inline void publish_survey(const Work& work, const Survey& survey) {
  work.control().set_bits(contract::kControlVaryingLo, static_cast<std::uint32_t>(survey.varying));
  work.control().set_bits(contract::kControlVaryingHi, static_cast<std::uint32_t>(survey.varying >> 32));
  work.control().set_bits(contract::kControlUnsorted, survey.unsorted ? 1 : 0);
  work.control().add(contract::kControlLastCount, survey.last);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
