// Names of the compilations of radix_unit.cpp.
#pragma once
#include "cpu/target.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

template <unsigned kBytes>
struct UnsignedOfBytes;
template <>
struct UnsignedOfBytes<1> {
  using Type = std::uint8_t;
};
template <>
struct UnsignedOfBytes<2> {
  using Type = std::uint16_t;
};
template <>
struct UnsignedOfBytes<4> {
  using Type = std::uint32_t;
};
template <>
struct UnsignedOfBytes<8> {
  using Type = std::uint64_t;
};
template <unsigned kBytes>
using UnsignedOf = typename UnsignedOfBytes<kBytes>::Type;

using SortFunction = void(const Request&, const Environment&) noexcept;
using SelectFunction = void(const Selection&, Team&) noexcept;

#define LANESORT_DECLARE_UNITS(isa)                                                 \
  namespace isa {                                                                   \
  template <unsigned kKeyBytes>                                                     \
  void sort_width(const Request& request, const Environment& environment) noexcept; \
  template <>                                                                       \
  SortFunction sort_width<1>;                                                       \
  template <>                                                                       \
  SortFunction sort_width<2>;                                                       \
  template <>                                                                       \
  SortFunction sort_width<4>;                                                       \
  template <>                                                                       \
  SortFunction sort_width<8>;                                                       \
  template <unsigned kKeyBytes>                                                     \
  void select_width(const Selection& selection, Team& team) noexcept;               \
  template <>                                                                       \
  SelectFunction select_width<1>;                                                   \
  template <>                                                                       \
  SelectFunction select_width<2>;                                                   \
  template <>                                                                       \
  SelectFunction select_width<4>;                                                   \
  template <>                                                                       \
  SelectFunction select_width<8>;                                                   \
  }
LANESORT_DECLARE_UNITS(baseline)
#if defined(__x86_64__)
LANESORT_DECLARE_UNITS(avx2)
LANESORT_DECLARE_UNITS(avx512)
#endif
#undef LANESORT_DECLARE_UNITS

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
