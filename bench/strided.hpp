// Copies items between arrays of structs and arrays of their members.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace lanesort::bench {

template <class Byte>
struct Strided {
  Byte* data;
  std::uint64_t step_bytes;
};

inline void copy_items(Strided<std::byte> to, Strided<const std::byte> from, std::uint32_t item_bytes,
                       std::uint64_t count) {
  const auto copy = [=](auto bytes) {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::memcpy(to.data + i * to.step_bytes, from.data + i * from.step_bytes, bytes);
    }
  };
  switch (item_bytes) {  // a width known to the compiler is a move, not a call
    case 4:
      return copy(std::integral_constant<std::size_t, 4>{});
    case 8:
      return copy(std::integral_constant<std::size_t, 8>{});
    default:
      return copy(std::size_t{item_bytes});
  }
}

}  // namespace lanesort::bench
