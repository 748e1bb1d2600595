// Highway's vqsort: a vectorised quicksort that picks the instruction set itself. Unstable, keys of 16 to 64 bits.
// It promises nothing about NaN payloads, so it is not asked where NaNs can occur.
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>

#include <bit>
#include <memory>

#include "bench/rivals/catalogue.hpp"
#include "bench/rivals/shapes.hpp"

namespace lanesort::bench {
namespace {

const hwy::Sorter& sorter() {
  static const hwy::Sorter instance;
  return instance;
}

template <class K>
bool sort_as(const RivalCase& request, void* data) {
  sorter()(static_cast<K*>(data), request.count, hwy::SortAscending());
  return true;
}

bool sort_keys(const RivalCase& request, const void*, void* data) {
  switch (request.dtype) {
    case LANESORT_U16:
      return sort_as<std::uint16_t>(request, data);
    case LANESORT_I16:
      return sort_as<std::int16_t>(request, data);
    case LANESORT_U32:
      return sort_as<std::uint32_t>(request, data);
    case LANESORT_I32:
      return sort_as<std::int32_t>(request, data);
    case LANESORT_U64:
      return sort_as<std::uint64_t>(request, data);
    case LANESORT_I64:
      return sort_as<std::int64_t>(request, data);
    case LANESORT_F32:
      return sort_as<float>(request, data);
    case LANESORT_F64:
      return sort_as<double>(request, data);
    default:
      return false;
  }
}

bool can_sort_keys(const RivalCase& request) {
  const bool narrow = request.dtype == LANESORT_U16 || request.dtype == LANESORT_I16;
  return request.op == LANESORT_OP_SORT && !request.nan_possible &&
         (narrow ? request.order == LANESORT_ASCENDING : in_scope<Scope::common_dtypes>(request));
}

// The trick with which an unstable sort makes a stable argsort of 32-bit keys: (key in unsigned order, index) as one
// number of 64 bits. Packing and unpacking are part of the work.
std::uint32_t unsigned_order(std::uint32_t bits, lanesort_dtype dtype) {
  constexpr std::uint32_t kSign = 0x80000000u;
  if (dtype == LANESORT_U32) return bits;
  if (dtype == LANESORT_I32) return bits ^ kSign;
  if (bits == kSign) bits = 0;  // the zeros are equal
  return bits & kSign ? ~bits : bits | kSign;
}

bool argsort_packed(const RivalCase& request, const void* keys, void* data) {
  return unless_thrown([&] {
    const auto* const bits = static_cast<const std::uint32_t*>(keys);
    auto* const indices = static_cast<std::uint32_t*>(data);
    const auto packed = std::make_unique_for_overwrite<std::uint64_t[]>(request.count);
    for (std::uint64_t i = 0; i < request.count; ++i) {
      packed[i] = std::uint64_t{unsigned_order(bits[i], request.dtype)} << 32 | i;
    }
    sorter()(packed.get(), request.count, hwy::SortAscending());
    for (std::uint64_t i = 0; i < request.count; ++i) indices[i] = static_cast<std::uint32_t>(packed[i]);
    return true;
  });
}

bool can_argsort_packed(const RivalCase& request) {
  const bool has_dtype =
      request.dtype == LANESORT_U32 || request.dtype == LANESORT_I32 || request.dtype == LANESORT_F32;
  return request.op == LANESORT_OP_ARGSORT && request.order == LANESORT_ASCENDING && request.value_bytes == 4 &&
         has_dtype && !request.nan_possible;
}

}  // namespace

void add_vqsort(std::vector<RivalEntry>& entries) {
  const char* const version =
      LANESORT_TEXT_OF(HWY_MAJOR) "." LANESORT_TEXT_OF(HWY_MINOR) "." LANESORT_TEXT_OF(HWY_PATCH);
  entries.push_back({"vqsort", version, false, false, can_sort_keys, sort_keys});
  entries.push_back({"vqsort(packed)", version, true, false, can_argsort_packed, argsort_packed});
}

}  // namespace lanesort::bench
