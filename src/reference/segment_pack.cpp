#include "reference/kernels.hpp"
#include "reference/offsets.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

// Of those that begin no later, the last one alone can reach so far.
bool is_in_segment(const Work& work, std::uint64_t index, std::uint32_t items) {
  std::uint64_t low = 0, high = work.request.segment_count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (begin_of(work, middle) <= index)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return false;
  const Segment segment = segment_at(work, low - 1, items);
  return index < std::uint64_t{segment.begin} + segment.count;
}

}  // namespace

void segment_pack(const Work& work, std::uint32_t workgroup) {
  const std::uint32_t bits = work.step.narrow_bits, per_word = 32 / bits, items = take_items(work);
  const std::uint64_t mask = (1u << bits) - 1;
  each_item(work, workgroup, (items + per_word - 1) / per_word, [&](std::uint64_t word) {
    std::uint64_t packed = work.key(contract::kSideDst, word);
    for (std::uint32_t k = 0; k < per_word; ++k) {
      const std::uint64_t index = word * per_word + k;
      if (index >= items || !is_in_segment(work, index, items)) continue;
      packed = (packed & ~(mask << k * bits)) | work.key(contract::kSideAlt, index) << k * bits;
    }
    work.set_key(contract::kSideDst, word, packed);
  });
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
