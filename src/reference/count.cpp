#include <algorithm>
#include <vector>

#include "reference/course.hpp"
#include "reference/kernels.hpp"
#include "reference/survey.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

void count_tile(const Work& work, std::uint64_t begin, std::uint64_t end, std::uint32_t side,
                std::vector<std::uint32_t>& histogram) {
  for (std::uint64_t i = begin; i < end; ++i) {
    ++histogram[key_digit(work.step, key_order(work.step, work.key(side, i)))];
  }
}

}  // namespace

void count(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  const bool surveys = work.flag(contract::kFlagSurvey), in_place = work.flag(contract::kFlagKeysInPlace);
  if (!surveys && !course.runs) return;
  // The first count finds the keys where the caller left them, whichever pass will be the first to move them.
  const std::uint32_t start = in_place ? contract::kSideDst : contract::kSideSrc;
  const std::uint32_t side = surveys ? start : side_read(course, in_place);
  Survey survey;
  for (std::uint64_t group = workgroup; group < course.groups; group += work.workgroups) {
    std::vector<std::uint32_t> histogram(work.shape.radix());
    const Tiles tiles = tiles_of(work, course, static_cast<std::uint32_t>(group));
    for (std::uint64_t tile = tiles.begin; tile < tiles.end; ++tile) {
      const std::uint64_t begin = tile * work.shape.tile();
      const std::uint64_t end = std::min<std::uint64_t>(begin + work.shape.tile(), course.count);
      count_tile(work, begin, end, side, histogram);
      if (surveys) survey_tile(work, begin, end, course.count, side, survey);
    }
    for (std::uint64_t digit = 0; digit < histogram.size(); ++digit) {
      work.counts().store(digit * course.groups + group, histogram[digit]);
    }
  }
  if (surveys) publish_survey(work, survey);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
