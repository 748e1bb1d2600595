#include <algorithm>

#include "reference/choice.hpp"
#include "reference/course.hpp"
#include "reference/kernels.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

void write_item(const Work& work, std::uint64_t index, std::uint64_t spot) {
  work.set_key(contract::kSideDst, spot, source_key(work, index));
  if (work.value_words == 0) return;
  work.set_value(contract::kSideDst, spot,
                 work.flag(contract::kFlagIota) ? Work::value_of_index(index) : work.value(contract::kSideSrc, index));
}

}  // namespace

void keep(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  const Choice choice = load_choice(work, work.step.pass_index);
  for (std::uint64_t group = workgroup; group < course.groups; group += work.workgroups) {
    std::uint64_t less_at = 0, inside_at = choice.less;
    for (std::uint64_t other = 0; other < group; ++other) {
      less_at += work.counts().load(less_of(work, other));
      inside_at += work.counts().load(inside_of(work, other));
    }
    const Tiles tiles = tiles_of(work, course, static_cast<std::uint32_t>(group));
    const std::uint64_t end = std::min<std::uint64_t>(tiles.end * work.shape.tile(), course.count);
    for (std::uint64_t i = tiles.begin * work.shape.tile(); i < end; ++i) {
      const std::uint64_t bits = key_order(work.step, source_key(work, i)) & range_of(work.step) & choice.mask;
      if (bits < choice.prefix) write_item(work, i, less_at++);
      if (bits == choice.prefix && inside_at < kept_of(work, choice)) write_item(work, i, inside_at++);
    }
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
