#include "reference/course.hpp"

#include <algorithm>

namespace lanesort {
inline namespace v1 {
namespace reference {

namespace {

// Does pass `index` look at a bit that differs between keys?
bool pass_varies(const Work& work, std::uint32_t index, std::uint64_t differing) {
  const std::uint32_t begin = work.step.bit_begin + index * work.step.radix_bits;
  return (differing >> begin & ((1u << work.step.radix_bits) - 1)) != 0;
}

}  // namespace

Course take_course(const Work& work) {
  const View& control = work.control();
  Course course;
  course.count = control.load(contract::kControlCount);
  course.groups = control.load(contract::kControlGroups);
  if (control.load(contract::kControlUnsorted) == 0) return course;
  const std::uint64_t differing =
      joined(control.load(contract::kControlVaryingLo), control.load(contract::kControlVaryingHi));
  for (std::uint32_t index = 0; index < work.step.pass_count; ++index) {
    if (!pass_varies(work, index, differing)) continue;
    course.nth += index < work.step.pass_index ? 1 : 0;
    course.runs |= index == work.step.pass_index;
    ++course.pass_total;
  }
  return course;
}

std::uint32_t side_written(const Course& course, std::uint32_t nth, bool in_place) {
  const std::uint32_t steps = in_place ? nth + 1 : course.pass_total - 1 - nth;
  return steps % 2 == 0 ? contract::kSideDst : contract::kSideAlt;
}

std::uint32_t side_read(const Course& course, bool in_place) {
  if (course.nth == 0) return in_place ? contract::kSideDst : contract::kSideSrc;
  return side_written(course, course.nth - 1, in_place);
}

Tiles tiles_of(const Work& work, const Course& course, std::uint32_t group) {
  const std::uint64_t tiles = (std::uint64_t{course.count} + work.shape.tile() - 1) / work.shape.tile();
  const std::uint64_t share = (tiles + course.groups - 1) / course.groups;
  return {std::min(group * share, tiles), std::min((group + 1) * share, tiles)};
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
