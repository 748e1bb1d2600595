#include "reference/kernels.hpp"
#include "reference/offsets.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void segment_list(const Work& work, std::uint32_t workgroup) {
  const std::uint32_t items = take_items(work);
  if (items == 0) return;
  std::uint32_t next = 0;
  for (std::uint32_t stretch = 0; stretch < workgroup; ++stretch)
    next += work.control().load(work.step.control_words + stretch);
  const Stretch stretch = stretch_at(work, workgroup);
  for (std::uint64_t index = stretch.begin; index < stretch.end; ++index) {
    const Segment segment = segment_at(work, index, items);
    const std::uint32_t chunks = chunks_of(work, segment.count);
    for (std::uint32_t chunk = next; chunk < next + chunks; ++chunk) {
      const std::uint64_t words = words_of_chunk(work, chunk);
      work.control().store(words + contract::kChunkBegin, segment.begin);
      work.control().store(words + contract::kChunkCount, segment.count);
      work.control().store(words + contract::kChunkFirst, next);
    }
    next += chunks;
  }
  if (workgroup == work.step.stretches - 1) work.control().store(contract::kControlGroups, next);
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
