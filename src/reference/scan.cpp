#include "reference/course.hpp"
#include "reference/kernels.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void scan(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  if (!course.runs) return;
  const std::uint64_t first = std::uint64_t{workgroup} * course.groups;
  std::uint32_t running = 0;
  for (std::uint32_t group = 0; group < course.groups; ++group) {
    const std::uint32_t count = work.counts().load(first + group);
    work.counts().store(first + group, running);
    running += count;
  }
  work.control().store(contract::kControlTotals + workgroup, running);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
