#include <algorithm>
#include <vector>

#include "reference/course.hpp"
#include "reference/histogram.hpp"
#include "reference/kernels.hpp"
#include "reference/survey.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
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
      if (surveys) survey_tile(work, 0, begin, end, course.count, side, survey);
    }
    write_counts(work, group, course.groups, histogram);
  }
  if (surveys) publish_survey(work, survey);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
