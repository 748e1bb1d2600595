#include <algorithm>

#include "reference/course.hpp"
#include "reference/kernels.hpp"
#include "reference/settle.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void finish(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  const std::uint32_t kept = std::min(course.count, work.step.kept);
  each_item(work, workgroup, kept, [&](std::uint64_t i) { settle(work, course, i, 0); });
  if (workgroup == 0) {
    const std::uint32_t before_last = course.count - work.control().load(contract::kControlLastCount);
    work.control().store(contract::kControlSortedCount, std::min(before_last, work.step.kept));
    work.control().store(contract::kControlKept, kept);
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
