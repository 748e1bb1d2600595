#include "cpu/segments.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

std::uint64_t first_of_batch(const Segments& segments, std::uint32_t batch, std::uint32_t batch_count) noexcept {
  if (batch == 0 || segments.count == 0) return 0;
  if (batch == batch_count) return segments.count;
  constexpr std::uint64_t kItemsPerSegment = 4;  // what a segment costs by being one
  // Rises with s, so that the first segment at or past a share of it is found by halving.
  const auto before = [&](std::uint64_t s) { return segments.begins[s] - segments.begins[0] + kItemsPerSegment * s; };
  const std::uint64_t all = segments.span() + kItemsPerSegment * segments.count;
  const std::uint64_t share = all / batch_count * batch + all % batch_count * batch / batch_count;
  std::uint64_t low = 0, high = segments.count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (before(middle) < share)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
