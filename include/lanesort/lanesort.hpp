// lanesort.hpp: the C++20 face of lanesort.h. Header-only over the C ABI, so no std type crosses the library's
// border; nothing throws, prints or allocates beyond what lanesort.h says. Order, stability, overlap and scratch
// rules are those of lanesort.h.
#ifndef LANESORT_LANESORT_HPP
#define LANESORT_LANESORT_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "lanesort.h"

namespace lanesort {
inline namespace v1 {

enum class [[nodiscard]] Status : std::int32_t {
  ok = LANESORT_OK,
  invalid_argument = LANESORT_INVALID_ARGUMENT,
  unsupported = LANESORT_UNSUPPORTED,
  scratch_too_small = LANESORT_SCRATCH_TOO_SMALL,
  out_of_memory = LANESORT_OUT_OF_MEMORY,
  device_unavailable = LANESORT_DEVICE_UNAVAILABLE,
  device_error = LANESORT_DEVICE_ERROR,
};

// A value, or the status that says why there is none.
template <class T>
struct [[nodiscard]] Result {
  T value{};
  Status status = Status::ok;
  explicit operator bool() const noexcept { return status == Status::ok; }
};

// Floats of 16 bits, as their patterns; they sort as floats.
struct f16 { std::uint16_t bits; };
struct bf16 { std::uint16_t bits; };

namespace detail {
template <class T, class... U>
concept one_of = (std::same_as<T, U> || ...);

template <class K>
consteval lanesort_dtype dtype_of() {
  if constexpr (std::same_as<K, bool>) return LANESORT_BOOL;
  else if constexpr (std::same_as<K, f16>) return LANESORT_F16;
  else if constexpr (std::same_as<K, bf16>) return LANESORT_BF16;
  else if constexpr (std::same_as<K, float>) return LANESORT_F32;
  else if constexpr (std::same_as<K, double>) return LANESORT_F64;
  else {  // by width and sign, so that long and long long both find their place
    constexpr bool is_signed = std::is_signed_v<K>;
    if constexpr (sizeof(K) == 1) return is_signed ? LANESORT_I8 : LANESORT_U8;
    else if constexpr (sizeof(K) == 2) return is_signed ? LANESORT_I16 : LANESORT_U16;
    else if constexpr (sizeof(K) == 4) return is_signed ? LANESORT_I32 : LANESORT_U32;
    else return is_signed ? LANESORT_I64 : LANESORT_U64;
  }
}
}  // namespace detail

template <class K>
concept Key = detail::one_of<K, bool, f16, bf16, float, double> ||
              (std::integral<K> && sizeof(K) <= 8 && !detail::one_of<K, wchar_t, char8_t, char16_t, char32_t>);

template <class V>
concept Value = std::is_trivially_copyable_v<V>;

template <class I>
concept Index = std::unsigned_integral<I> && (sizeof(I) == 4 || sizeof(I) == 8);

enum class Order : std::uint32_t { ascending = LANESORT_ASCENDING, descending = LANESORT_DESCENDING };

enum class FloatOrder : std::uint32_t {
  numeric = LANESORT_FLOAT_NUMERIC,
  nan_first = LANESORT_FLOAT_NAN_FIRST,
  bits = LANESORT_FLOAT_BITS,
};

struct BitRange { std::uint32_t begin = 0, end = LANESORT_ALL_BITS; };

// What the operations below take last. An empty scratch means that the call owns its own.
struct Options {
  Order order = Order::ascending;
  FloatOrder float_order = FloatOrder::numeric;
  BitRange bits{};
  std::uint32_t threads = 0;
  std::span<std::byte> scratch{};
  const lanesort_executor* executor = nullptr;
};

namespace detail {
template <Key K>
lanesort_sort_desc describe(std::span<const K> src, K* dst, const Options& options) noexcept {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = dtype_of<K>();
  desc.order = static_cast<std::uint32_t>(options.order);
  desc.float_order = static_cast<std::uint32_t>(options.float_order);
  desc.bit_begin = options.bits.begin;
  desc.bit_end = options.bits.end;
  desc.threads = options.threads;
  desc.count = src.size();
  desc.keys_src = src.data();
  desc.keys_dst = dst;
  desc.scratch = options.scratch.data();
  desc.scratch_bytes = options.scratch.size();
  desc.executor = options.executor;
  return desc;
}

template <class V>
void attach_values(lanesort_sort_desc& desc, const V* src, V* dst) noexcept {
  desc.value_bytes = sizeof(V);
  desc.values_src = src;
  desc.values_dst = dst;
}

inline Status to_status(lanesort_status status) noexcept { return static_cast<Status>(status); }

inline Status check_count(const char* buffer, std::uint64_t count, std::uint64_t expected) noexcept {
  return count == expected ? Status::ok : to_status(lanesort_refuse_count(buffer, count, expected));
}

inline Result<std::uint64_t> scratch_bytes(lanesort_operation operation, const lanesort_sort_desc& desc) noexcept {
  Result<std::uint64_t> result;
  result.status = to_status(lanesort_scratch_bytes(operation, &desc, nullptr, &result.value));
  return result;
}
}  // namespace detail

// What the calling thread's last failing call said; "" before the first.
inline const char* last_error() noexcept { return lanesort_last_error(); }

// Sorts in place.
template <Key K>
Status sort(std::span<K> keys, const Options& options = {}) noexcept {
  const auto desc = detail::describe<K>(keys, keys.data(), options);
  return detail::to_status(lanesort_sort(&desc));
}

// Sorts src into dst, which holds as many items and does not overlap it; src is kept.
template <Key K>
Status sort(std::span<const K> src, std::type_identity_t<std::span<K>> dst, const Options& options = {}) noexcept {
  if (const Status status = detail::check_count("dst", dst.size(), src.size()); status != Status::ok) return status;
  const auto desc = detail::describe<K>(src, dst.data(), options);
  return detail::to_status(lanesort_sort(&desc));
}

// Sorts keys and values in place; as many values as keys.
template <Key K, Value V>
Status sort_pairs(std::span<K> keys, std::span<V> values, const Options& options = {}) noexcept {
  if (const Status status = detail::check_count("values", values.size(), keys.size()); status != Status::ok) return status;
  auto desc = detail::describe<K>(keys, keys.data(), options);
  detail::attach_values<V>(desc, values.data(), values.data());
  return detail::to_status(lanesort_sort_pairs(&desc));
}

// The same from one pair of arrays to another; the first pair is kept.
template <Key K, Value V>
Status sort_pairs(std::span<const K> keys_src, std::span<const V> values_src, std::type_identity_t<std::span<K>> keys_dst,
                  std::type_identity_t<std::span<V>> values_dst, const Options& options = {}) noexcept {
  Status status = detail::check_count("values_src", values_src.size(), keys_src.size());
  if (status == Status::ok) status = detail::check_count("keys_dst", keys_dst.size(), keys_src.size());
  if (status == Status::ok) status = detail::check_count("values_dst", values_dst.size(), keys_src.size());
  if (status != Status::ok) return status;
  auto desc = detail::describe<K>(keys_src, keys_dst.data(), options);
  detail::attach_values<V>(desc, values_src.data(), values_dst.data());
  return detail::to_status(lanesort_sort_pairs(&desc));
}

// Writes the indices that sort keys; keys are kept.
template <Key K, Index I>
Status argsort(std::span<const K> keys, std::span<I> indices, const Options& options = {}) noexcept {
  if (const Status status = detail::check_count("indices", indices.size(), keys.size()); status != Status::ok) return status;
  auto desc = detail::describe<K>(keys, nullptr, options);
  detail::attach_values<I>(desc, nullptr, indices.data());
  return detail::to_status(lanesort_argsort(&desc));
}

// The same with values of the caller's in the indices' place: a chain of these, the least important key first, sorts by
// several keys.
template <Key K, Index I>
Status argsort_values(std::span<const K> keys, std::span<const I> values, std::type_identity_t<std::span<I>> sorted, const Options& options = {}) noexcept {
  Status status = detail::check_count("values", values.size(), keys.size());
  if (status == Status::ok) status = detail::check_count("sorted", sorted.size(), keys.size());
  if (status != Status::ok) return status;
  auto desc = detail::describe<K>(keys, nullptr, options);
  detail::attach_values<I>(desc, values.data(), sorted.data());
  return detail::to_status(lanesort_argsort(&desc));
}

// The lowest i whose key must stand before key i-1; keys.size() where all is in order.
template <Key K>
Result<std::uint64_t> is_sorted(std::span<const K> keys, const Options& options = {}) noexcept {
  const auto desc = detail::describe<K>(keys, nullptr, options);
  Result<std::uint64_t> result;
  result.status = detail::to_status(lanesort_is_sorted(&desc, &result.value));
  return result;
}

// True if after is a sort of before: ordered, and the same multiset of keys by a 128-bit hash.
template <Key K>
Result<bool> verify(std::span<const K> before, std::span<const K> after, const Options& options = {}) noexcept {
  if (const Status status = detail::check_count("after", after.size(), before.size()); status != Status::ok) return {false, status};
  const auto desc = detail::describe<K>(before, const_cast<K*>(after.data()), options);  // verify only reads dst
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  const Status status = detail::to_status(lanesort_verify(LANESORT_OP_SORT, &desc, &verdict));
  return {verdict.good != 0, status};
}

// Scratch that suffices for each operation on count items, on every machine.
template <Key K>
Result<std::uint64_t> sort_scratch_bytes(std::uint64_t count, const Options& options = {}) noexcept {
  auto desc = detail::describe<K>({}, nullptr, options);
  desc.count = count;
  return detail::scratch_bytes(LANESORT_OP_SORT, desc);
}

template <Key K, Value V>
Result<std::uint64_t> sort_pairs_scratch_bytes(std::uint64_t count, const Options& options = {}) noexcept {
  auto desc = detail::describe<K>({}, nullptr, options);
  desc.count = count;
  detail::attach_values<V>(desc, nullptr, nullptr);
  return detail::scratch_bytes(LANESORT_OP_SORT_PAIRS, desc);
}

template <Key K, Index I>
Result<std::uint64_t> argsort_scratch_bytes(std::uint64_t count, const Options& options = {}) noexcept {
  auto desc = detail::describe<K>({}, nullptr, options);
  desc.count = count;
  detail::attach_values<I>(desc, nullptr, nullptr);
  return detail::scratch_bytes(LANESORT_OP_ARGSORT, desc);
}

}  // namespace v1
}  // namespace lanesort
#endif  // LANESORT_LANESORT_HPP
