// The words in which the workgroups of a single pass tell each other: the twin of kernels/wgsl/messages.wgsl.
#pragma once
#include "reference/course.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

inline std::uint64_t tiles_in(const Work& work, const Course& course) {
  return (std::uint64_t{course.count} + work.shape.tile() - 1) / work.shape.tile();
}

inline std::uint64_t messages_of(const Work& work, const Course& course, std::uint32_t nth) {
  return work.step.control_words + (nth & 1) * tiles_in(work, course) * work.shape.radix();
}

inline void wipe_messages(const Work& work, std::uint64_t messages, std::uint64_t tile) {
  const std::uint64_t radix = work.shape.radix();
  for (std::uint64_t digit = 0; digit < radix; ++digit) work.control().store(messages + tile * radix + digit, 0);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
