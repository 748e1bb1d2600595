// What the passes left undone of an item: the twin of kernels/wgsl/settle.wgsl.
#pragma once
#include "reference/course.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

inline void settle(const Work& work, const Course& course, std::uint64_t index, std::uint64_t first) {
  using namespace contract;
  const bool odd = course.pass_total % 2 != 0, none = course.pass_total == 0;
  const bool keys_in_place = work.flag(kFlagKeysInPlace), keys_wanted = !work.flag(kFlagArgsort);
  if (keys_wanted && odd && keys_in_place) work.set_key(kSideDst, index, work.key(kSideAlt, index));
  if (keys_wanted && none && !keys_in_place) work.set_key(kSideDst, index, work.key(kSideSrc, index));
  if (work.value_words == 0) return;
  const bool values_in_place = work.flag(kFlagValuesInPlace);
  if (odd && values_in_place) work.set_value(kSideDst, index, work.value(kSideAlt, index));
  if (none && !values_in_place) {
    const Value value = work.flag(kFlagIota) ? Work::value_of_index(index - first) : work.value(kSideSrc, index);
    work.set_value(kSideDst, index, value);
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
