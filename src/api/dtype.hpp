// The table of dtypes: the one place that says what each is.
#pragma once
#include <cstdint>

#include "kernels/key_order.hpp"
#include "lanesort/lanesort.h"

namespace lanesort {
inline namespace v1 {
namespace api {

struct DtypeFacts {
  lanesort_dtype dtype;
  const char* name;
  KeyKind kind;
  std::uint32_t bytes;
  std::uint32_t mantissa_bits;  // stored fraction bits of floats
};

// nullptr for a number that is no dtype.
const DtypeFacts* find_dtype(lanesort_dtype dtype) noexcept;

}  // namespace api
}  // namespace v1
}  // namespace lanesort
