#include <algorithm>

#include "reference/kernels.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void cut(const Work& work, std::uint32_t workgroup) {
  const std::uint32_t kept = std::min(work.control().load(contract::kControlCount), work.step.kept);
  each_item(work, workgroup, kept, [&](std::uint64_t i) {
    if (!work.flag(contract::kFlagArgsort)) work.set_key(contract::kSideDst, i, work.key(contract::kSideAlt, i));
    work.set_value(contract::kSideDst, i, work.value(contract::kSideAlt, i));
  });
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
