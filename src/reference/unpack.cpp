#include "reference/kernels.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void unpack(const Work& work, std::uint32_t workgroup) {
  const std::uint32_t bits = work.step.narrow_bits, per_word = 32 / bits;
  const std::uint32_t side = work.flag(contract::kFlagKeysInPlace) ? contract::kSideDst : contract::kSideSrc;
  each_item(work, workgroup, work.control().load(contract::kControlCount), [&](std::uint64_t index) {
    const std::uint64_t packed = work.key(side, index / per_word);
    work.set_key(contract::kSideAlt, index, packed >> index % per_word * bits & ((1u << bits) - 1));
  });
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
