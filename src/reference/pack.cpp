#include <algorithm>

#include "reference/kernels.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

// A word that only the start of belongs to the keys keeps its rest.
void pack(const Work& work, std::uint32_t workgroup) {
  const std::uint32_t bits = work.step.narrow_bits, per_word = 32 / bits;
  const std::uint64_t mask = (1u << bits) - 1;
  const std::uint64_t count = std::min(work.control().load(contract::kControlCount), work.step.kept);
  each_item(work, workgroup, (count + per_word - 1) / per_word, [&](std::uint64_t word) {
    std::uint64_t packed = work.key(contract::kSideDst, word);
    for (std::uint32_t k = 0; k < per_word && word * per_word + k < count; ++k) {
      packed = (packed & ~(mask << k * bits)) | work.key(contract::kSideAlt, word * per_word + k) << k * bits;
    }
    work.set_key(contract::kSideDst, word, packed);
  });
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
