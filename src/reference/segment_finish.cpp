#include "reference/course.hpp"
#include "reference/kernels.hpp"
#include "reference/offsets.hpp"
#include "reference/settle.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void segment_finish(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  for (std::uint64_t index = workgroup; index < course.groups; index += work.workgroups) {
    const Chunk chunk = take_chunk(work, index);
    for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) settle(work, course, i, first_index(work, chunk));
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
