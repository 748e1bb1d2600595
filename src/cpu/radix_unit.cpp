// One compilation of the engine, for one instruction set (LANESORT_ISA) and one key width (LANESORT_KEY_BYTES).
#include "cpu/segments-inl.hpp"
#include "cpu/units.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

template <>
void sort_width<LANESORT_KEY_BYTES>(const Request& request, const Environment& environment) noexcept {
  using K = UnsignedOf<LANESORT_KEY_BYTES>;
  switch (request.value_bytes) {
    case 0:
      return sort_values<K, NoValue>(request, environment);
    case 1:
      return sort_values<K, std::uint8_t>(request, environment);
    case 2:
      return sort_values<K, std::uint16_t>(request, environment);
    case 4:
      return sort_values<K, std::uint32_t>(request, environment);
    case 8:
      return sort_values<K, std::uint64_t>(request, environment);
    default:
      return sort_values<K, Wide>(request, environment);
  }
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
