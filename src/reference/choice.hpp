// What top-k's search knows of the last key to be kept: the twin of kernels/wgsl/choice.wgsl and source.wgsl.
#pragma once
#include "reference/work.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

struct Choice {
  std::uint64_t prefix = 0, mask = 0;
  std::uint32_t less = 0, inside = 0;
};

inline bool fits(const Work& work, const Choice& choice) { return choice.less + choice.inside <= work.step.room; }
inline std::uint32_t kept_of(const Work& work, const Choice& choice) {
  return fits(work, choice) ? choice.less + choice.inside : work.step.kept;
}

inline std::uint32_t choice_at(std::uint32_t pass_index) {
  return contract::kControlChoices + pass_index % 2 * contract::kChoiceWords;
}

inline Choice load_choice(const Work& work, std::uint32_t pass_index) {
  const auto word = [&](std::uint32_t i) { return work.control().load(choice_at(pass_index) + i); };
  return {joined(word(contract::kChoicePrefixLo), word(contract::kChoicePrefixHi)),
          joined(word(contract::kChoiceMaskLo), word(contract::kChoiceMaskHi)), word(contract::kChoiceLess),
          word(contract::kChoiceInside)};
}

inline void store_choice(const Work& work, std::uint32_t pass_index, const Choice& choice) {
  const auto set = [&](std::uint32_t i, std::uint64_t value) {
    work.control().store(choice_at(pass_index) + i, static_cast<std::uint32_t>(value));
  };
  set(contract::kChoicePrefixLo, choice.prefix);
  set(contract::kChoicePrefixHi, choice.prefix >> 32);
  set(contract::kChoiceMaskLo, choice.mask);
  set(contract::kChoiceMaskHi, choice.mask >> 32);
  set(contract::kChoiceLess, choice.less);
  set(contract::kChoiceInside, choice.inside);
}

inline std::uint64_t less_of(const Work& work, std::uint64_t group) {
  return std::uint64_t{work.shape.radix()} * work.step.max_groups + group;
}
inline std::uint64_t inside_of(const Work& work, std::uint64_t group) {
  return (std::uint64_t{work.shape.radix()} + 1) * work.step.max_groups + group;
}

inline std::uint64_t source_key(const Work& work, std::uint64_t index) {
  const std::uint32_t bits = work.step.narrow_bits, per_word = 32 / bits;
  if (bits == 32) return work.key(contract::kSideSrc, index);
  return work.key(contract::kSideSrc, index / per_word) >> index % per_word * bits & ((1u << bits) - 1);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
