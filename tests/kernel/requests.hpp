// The portable plan's requests as tests write them: dtypes by name, and what a test does not name is plain.
#pragma once
#include "lanesort/lanesort.h"
#include "plan/portable/plan.hpp"

namespace lanesort::test {

// The key's kind and widths of a dtype of the C interface.
inline void set_dtype(plan::PortableRequest& request, lanesort_dtype dtype) {
  const bool is_float = dtype >= LANESORT_F16;
  const bool is_signed =
      dtype == LANESORT_I8 || dtype == LANESORT_I16 || dtype == LANESORT_I32 || dtype == LANESORT_I64;
  request.kind = dtype == LANESORT_BOOL ? KeyKind::boolean
                 : is_float             ? KeyKind::floating
                 : is_signed            ? KeyKind::signed_integer
                                        : KeyKind::unsigned_integer;
  request.key_bits = 8 * lanesort_dtype_bytes(dtype);
  const std::uint32_t mantissas[] = {10, 7, 23, 52};
  request.mantissa_bits = is_float ? mantissas[dtype - LANESORT_F16] : 0;
  request.bit_end = request.key_bits;
}

inline plan::PortableRequest portable_request(plan::PortableOperation operation, lanesort_dtype dtype,
                                              std::uint64_t count, std::uint32_t value_bytes = 0) {
  plan::PortableRequest request;
  request.operation = operation;
  request.count = count;
  request.value_bytes = value_bytes;
  set_dtype(request, dtype);
  return request;
}

}  // namespace lanesort::test
