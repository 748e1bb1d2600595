// One compilation of the selection, for one instruction set (LANESORT_ISA) and one key width (LANESORT_KEY_BYTES).
#include "cpu/selection-inl.hpp"
#include "cpu/units.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

template <>
void select_width<LANESORT_KEY_BYTES>(const Selection& selection, Team& team) noexcept {
  using K = UnsignedOf<LANESORT_KEY_BYTES>;
  switch (selection.index_bytes) {
    case 0:
      return select_lanes<K, NoValue>(selection, team);
    case 4:
      return select_lanes<K, std::uint32_t>(selection, team);
    default:
      return select_lanes<K, std::uint64_t>(selection, team);
  }
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
