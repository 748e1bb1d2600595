#include <algorithm>

#include "reference/kernels.hpp"
#include "reference/messages.hpp"
#include "reference/survey.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

void count_tile(const Work& work, std::uint64_t begin, std::uint64_t end, std::uint32_t side) {
  const std::uint32_t radix = work.shape.radix();
  if (work.step.pass_count == 0) return;  // no bits: bit_begin may be the key's width
  for (std::uint64_t i = begin; i < end; ++i) {
    std::uint64_t rest = (key_order(work.step, work.key(side, i)) & range_of(work.step)) >> work.step.bit_begin;
    for (std::uint32_t pass = 0; pass < work.step.pass_count; ++pass, rest /= radix) {
      work.control().add(contract::kControlTotals + pass * radix + rest % radix, 1);
    }
  }
}

}  // namespace

void tally(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  const std::uint32_t side = work.flag(contract::kFlagKeysInPlace) ? contract::kSideDst : contract::kSideSrc;
  Survey survey;
  for (std::uint64_t group = workgroup; group < course.groups; group += work.workgroups) {
    const Tiles tiles = tiles_of(work, course, static_cast<std::uint32_t>(group));
    for (std::uint64_t tile = tiles.begin; tile < tiles.end; ++tile) {
      const std::uint64_t begin = tile * work.shape.tile();
      const std::uint64_t end = std::min<std::uint64_t>(begin + work.shape.tile(), course.count);
      count_tile(work, begin, end, side);
      survey_tile(work, 0, begin, end, course.count, side, survey);
      wipe_messages(work, messages_of(work, course, 0), tile);
    }
  }
  publish_survey(work, survey);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
