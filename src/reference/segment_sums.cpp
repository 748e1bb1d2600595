#include "reference/kernels.hpp"
#include "reference/offsets.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void segment_sums(const Work& work, std::uint32_t workgroup) {
  const std::uint32_t items = work.control().load(contract::kControlCount);
  const Stretch stretch = stretch_at(work, workgroup);
  std::uint32_t chunks = 0;
  for (std::uint64_t index = stretch.begin; index < stretch.end; ++index) {
    const std::uint32_t begin = begin_of(work, index);
    if (begin > end_of(work, index) || (index != 0 && end_of(work, index - 1) > begin))
      work.control().store(contract::kControlBroken, 1);
    chunks += chunks_of(work, segment_at(work, index, items).count);
  }
  work.control().store(work.step.control_words + workgroup, chunks);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
