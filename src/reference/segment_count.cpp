#include "reference/course.hpp"
#include "reference/histogram.hpp"
#include "reference/kernels.hpp"
#include "reference/offsets.hpp"
#include "reference/survey.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void segment_count(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  const bool surveys = work.flag(contract::kFlagSurvey), in_place = work.flag(contract::kFlagKeysInPlace);
  if (!surveys && !course.runs) return;
  const std::uint32_t start = in_place ? contract::kSideDst : contract::kSideSrc;
  const std::uint32_t side = surveys ? start : side_read(course, in_place);
  Survey survey;
  for (std::uint64_t index = workgroup; index < course.groups; index += work.workgroups) {
    const Chunk chunk = take_chunk(work, index);
    std::vector<std::uint32_t> histogram(work.shape.radix());
    count_tile(work, chunk.begin, chunk.end, side, histogram);
    if (surveys) survey_tile(work, chunk.segment_begin, chunk.begin, chunk.end, chunk.segment_end, side, survey);
    write_counts(work, index, course.groups, histogram);
  }
  if (surveys) publish_survey(work, survey);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
