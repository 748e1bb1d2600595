#include "api/dtype.hpp"

#include <cstring>

#include "api/status.hpp"

namespace lanesort {
inline namespace v1 {
namespace api {
namespace {

constexpr DtypeFacts kDtypes[] = {
    {LANESORT_BOOL, "bool", KeyKind::boolean, 1, 0},      {LANESORT_U8, "u8", KeyKind::unsigned_integer, 1, 0},
    {LANESORT_I8, "i8", KeyKind::signed_integer, 1, 0},   {LANESORT_U16, "u16", KeyKind::unsigned_integer, 2, 0},
    {LANESORT_I16, "i16", KeyKind::signed_integer, 2, 0}, {LANESORT_U32, "u32", KeyKind::unsigned_integer, 4, 0},
    {LANESORT_I32, "i32", KeyKind::signed_integer, 4, 0}, {LANESORT_U64, "u64", KeyKind::unsigned_integer, 8, 0},
    {LANESORT_I64, "i64", KeyKind::signed_integer, 8, 0}, {LANESORT_F16, "f16", KeyKind::floating, 2, 10},
    {LANESORT_BF16, "bf16", KeyKind::floating, 2, 7},     {LANESORT_F32, "f32", KeyKind::floating, 4, 23},
    {LANESORT_F64, "f64", KeyKind::floating, 8, 52},
};

constexpr const char* kKnownNames = "bool u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64";

}  // namespace

const DtypeFacts* find_dtype(lanesort_dtype dtype) noexcept {
  for (const DtypeFacts& facts : kDtypes) {
    if (facts.dtype == dtype) return &facts;
  }
  return nullptr;
}

}  // namespace api
}  // namespace v1
}  // namespace lanesort

namespace api = lanesort::api;

uint32_t lanesort_dtype_bytes(lanesort_dtype dtype) noexcept {
  const api::DtypeFacts* const facts = api::find_dtype(dtype);
  return facts == nullptr ? 0 : facts->bytes;
}

const char* lanesort_dtype_name(lanesort_dtype dtype) noexcept {
  const api::DtypeFacts* const facts = api::find_dtype(dtype);
  return facts == nullptr ? nullptr : facts->name;
}

lanesort_status lanesort_dtype_from_name(const char* name, lanesort_dtype* dtype) noexcept {
  if (name == nullptr || dtype == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "lanesort_dtype_from_name: name and dtype must not be NULL");
  for (const api::DtypeFacts& facts : api::kDtypes) {
    if (std::strcmp(facts.name, name) == 0) {
      *dtype = facts.dtype;
      return LANESORT_OK;
    }
  }
  if (std::strcmp(name, "u128") == 0 || std::strcmp(name, "i128") == 0 || std::strcmp(name, "f128") == 0) {
    return api::fail(LANESORT_UNSUPPORTED, "dtype %s: 128-bit keys are not offered; the widest are u64, i64 and f64",
                     name);
  }
  return api::fail(LANESORT_INVALID_ARGUMENT, "dtype '%.40s' is not known; the dtypes are %s", name, api::kKnownNames);
}
