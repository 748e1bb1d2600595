// How positions, 64-bit numbers spread over the whole range, become keys of a dtype. Invariant: the order of two
// positions is never reversed, so sorted positions give sorted keys of every dtype.
#pragma once
#include <lanesort/lanesort.h>

#include <cstdint>
#include <span>

namespace lanesort::bench {

enum class Kind { boolean, whole, floating };

struct KeyFormat {
  Kind kind = Kind::whole;
  unsigned bits = 0, mantissa_bits = 0;
  void (*to_keys)(std::span<std::uint64_t> positions) = nullptr;
  std::uint64_t mask() const { return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }
};

// Throws Error for a dtype that is none.
KeyFormat key_format(lanesort_dtype dtype);

}  // namespace lanesort::bench
