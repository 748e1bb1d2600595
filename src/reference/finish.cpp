#include <algorithm>

#include "reference/course.hpp"
#include "reference/kernels.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void finish(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  const bool odd = course.pass_total % 2 != 0, none = course.pass_total == 0;
  const bool keys_in_place = work.flag(contract::kFlagKeysInPlace);
  const bool values_in_place = work.flag(contract::kFlagValuesInPlace);
  const bool keys_wanted = !work.flag(contract::kFlagArgsort);
  const std::uint32_t kept = std::min(course.count, work.step.kept);
  each_item(work, workgroup, kept, [&](std::uint64_t i) {
    using namespace contract;
    if (keys_wanted && odd && keys_in_place) work.set_key(kSideDst, i, work.key(kSideAlt, i));
    if (keys_wanted && none && !keys_in_place) work.set_key(kSideDst, i, work.key(kSideSrc, i));
    if (work.value_words == 0) return;
    if (odd && values_in_place) work.set_value(kSideDst, i, work.value(kSideAlt, i));
    if (none && !values_in_place) {
      work.set_value(kSideDst, i, work.flag(kFlagIota) ? Work::value_of_index(i) : work.value(kSideSrc, i));
    }
  });
  if (workgroup == 0) {
    const std::uint32_t before_last = course.count - work.control().load(contract::kControlLastCount);
    work.control().store(contract::kControlSortedCount, std::min(before_last, work.step.kept));
    work.control().store(contract::kControlKept, kept);
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
