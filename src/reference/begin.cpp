#include <algorithm>

#include "reference/item_count.hpp"
#include "reference/kernels.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void begin(const Work& work, std::uint32_t) {
  const std::uint32_t count = item_count(work);
  for (std::uint32_t word = 0; word < work.step.control_words; ++word) work.control().store(word, 0);
  const std::uint64_t tiles = (std::uint64_t{count} + work.shape.tile() - 1) / work.shape.tile();
  work.control().store(contract::kControlCount, count);
  work.control().store(contract::kControlGroups,
                       static_cast<std::uint32_t>(std::min<std::uint64_t>(tiles, work.step.max_groups)));
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
