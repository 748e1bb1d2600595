// lanesort.hpp: the C++20 face of lanesort.h. Header-only over the C ABI, so no std type crosses the library's
// border; nothing throws, prints or allocates beyond what lanesort.h says. Order, stability, overlap and scratch
// rules are those of lanesort.h. Arrays are contiguous ranges: vectors, arrays, spans, C arrays.
//
//   std::vector<float> keys = ...;  std::vector<std::uint32_t> values = ..., order(keys.size());
//   lanesort::Status status = lanesort::sort(keys);                                  // in place
//   status = lanesort::sort(keys, sorted, {.order = lanesort::Order::descending});   // keys are kept
//   status = lanesort::sort_pairs(keys, values);                                     // values move with their keys
//   status = lanesort::argsort(keys, order);                                         // order[0] is the first one's place
//   status = lanesort::top_k(keys, 10, largest, places, {.order = lanesort::Order::descending});
//   if (status != lanesort::Status::ok) std::puts(lanesort::last_error());
#ifndef LANESORT_LANESORT_HPP
#define LANESORT_LANESORT_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>

#include "lanesort.h"

namespace lanesort {
inline namespace v1 {

enum class [[nodiscard]] Status : std::int32_t{
    ok = LANESORT_OK,
    invalid_argument = LANESORT_INVALID_ARGUMENT,
    unsupported = LANESORT_UNSUPPORTED,
    scratch_too_small = LANESORT_SCRATCH_TOO_SMALL,
    out_of_memory = LANESORT_OUT_OF_MEMORY,
    device_unavailable = LANESORT_DEVICE_UNAVAILABLE,
    device_error = LANESORT_DEVICE_ERROR,
};

// A value, or the status that says why there is none. Not a bool, which would leave open whether it means the status or
// the value.
template <class T>
struct [[nodiscard]] Result {
  T value{};
  Status status = Status::ok;
  bool ok() const noexcept { return status == Status::ok; }
};

// Floats of 16 bits, as their patterns; they sort as floats.
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};

namespace detail {
template <class T, class... U>
concept one_of = (std::same_as<T, U> || ...);

template <class K>
consteval lanesort_dtype dtype_of() {
  if constexpr (std::same_as<K, bool>)
    return LANESORT_BOOL;
  else if constexpr (std::same_as<K, f16>)
    return LANESORT_F16;
  else if constexpr (std::same_as<K, bf16>)
    return LANESORT_BF16;
  else if constexpr (std::same_as<K, float>)
    return LANESORT_F32;
  else if constexpr (std::same_as<K, double>)
    return LANESORT_F64;
  else {  // by width and sign, so that long and long long both find their place
    constexpr bool is_signed = std::is_signed_v<K>;
    if constexpr (sizeof(K) == 1)
      return is_signed ? LANESORT_I8 : LANESORT_U8;
    else if constexpr (sizeof(K) == 2)
      return is_signed ? LANESORT_I16 : LANESORT_U16;
    else if constexpr (sizeof(K) == 4)
      return is_signed ? LANESORT_I32 : LANESORT_U32;
    else
      return is_signed ? LANESORT_I64 : LANESORT_U64;
  }
}
}  // namespace detail

template <class K>
concept Key = detail::one_of<K, bool, f16, bf16, float, double> ||
    (std::integral<K>&& std::same_as<K, std::remove_cv_t<K>> && sizeof(K) <= 8 &&
     !detail::one_of<K, wchar_t, char8_t, char16_t, char32_t>);

template <class V>
concept Value = std::is_trivially_copyable_v<V>;

template <class I>
concept Index = std::unsigned_integral<I> &&(sizeof(I) == 4 || sizeof(I) == 8);

// An array of keys, values or indices; one that is written to must not be of const items.
template <class R>
concept Array = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;
template <class R>
using ItemOf = std::ranges::range_value_t<R>;
template <class R>
concept Writable = Array<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

template <class R>
concept KeyArray = Array<R> && Key<ItemOf<R>>;
template <class R>
concept ValueArray = Array<R> && Value<ItemOf<R>>;
template <class R>
concept IndexArray = Array<R> && Index<ItemOf<R>>;

enum class Order : std::uint32_t { ascending = LANESORT_ASCENDING, descending = LANESORT_DESCENDING };

enum class FloatOrder : std::uint32_t {
  numeric = LANESORT_FLOAT_NUMERIC,
  nan_first = LANESORT_FLOAT_NAN_FIRST,
  bits = LANESORT_FLOAT_BITS,
};

struct BitRange {
  std::uint32_t begin = 0, end = LANESORT_ALL_BITS;
};

// Stretches of the arrays that are sorted each by itself, in items, as lanesort.h says of segments.
//   lanesort::sort(keys, {.segments = lanesort::Segments{.begins = offsets}});
struct Segments {
  std::span<const std::uint64_t> begins{};
  std::optional<std::span<const std::uint64_t>> ends{};  // none: each ends where the next begins, and there is one begin more
  bool local_indices = false;                            // argsort: indices count from their segment's begin
};

// What the operations below take last. An empty scratch means that the call owns its own.
struct Options {
  Order order = Order::ascending;
  FloatOrder float_order = FloatOrder::numeric;
  BitRange bits{};
  std::uint32_t threads = 0;
  std::span<std::byte> scratch{};
  const lanesort_executor* executor = nullptr;
  std::optional<Segments> segments{};  // none: one, all items
};

namespace detail {
inline void describe(const Segments& segments, lanesort_sort_desc& desc) noexcept {
  static constexpr std::uint64_t kNowhere = 0;  // no segments are none, not one
  const bool joined = !segments.ends;
  desc.segment_begins = segments.begins.empty() ? &kNowhere : segments.begins.data();
  desc.segment_count = segments.begins.size() - (joined && !segments.begins.empty());
  if (!joined) desc.segment_ends = segments.ends->empty() ? &kNowhere : segments.ends->data();
  desc.local_indices = segments.local_indices;
}

inline lanesort_sort_desc describe(lanesort_dtype dtype, std::uint64_t count, const Options& options) noexcept {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = dtype;
  desc.count = count;
  desc.order = static_cast<std::uint32_t>(options.order);
  desc.float_order = static_cast<std::uint32_t>(options.float_order);
  desc.bit_begin = options.bits.begin;
  desc.bit_end = options.bits.end;
  desc.threads = options.threads;
  desc.scratch = options.scratch.data();
  desc.scratch_bytes = options.scratch.size();
  desc.executor = options.executor;
  if (options.segments) describe(*options.segments, desc);
  return desc;
}

// A descriptor for the keys, with keys_src set.
template <KeyArray Keys>
lanesort_sort_desc describe(const Keys& keys, const Options& options) noexcept {
  lanesort_sort_desc desc = describe(dtype_of<ItemOf<Keys>>(), std::ranges::size(keys), options);
  desc.keys_src = std::ranges::data(keys);
  return desc;
}

template <KeyArray Keys>
lanesort_sort_desc describe_top_k(const Keys& keys, std::uint64_t k, const Options& options) noexcept {
  lanesort_sort_desc desc = describe(keys, options);
  desc.k = k;
  return desc;
}

inline std::uint64_t kept(const lanesort_sort_desc& desc) noexcept { return desc.k < desc.count ? desc.k : desc.count; }

inline Status to_status(lanesort_status status) noexcept { return static_cast<Status>(status); }

inline Status check_count(const char* array, std::uint64_t count, std::uint64_t expected) noexcept {
  return count == expected ? Status::ok : to_status(lanesort_refuse_count(array, count, expected));
}

using Operation = lanesort_status(const lanesort_sort_desc*);

// Arrays of offsets know their sizes, which the descriptor cannot tell the library.
inline Status check_segments(const Options& options) noexcept {
  if (!options.segments) return Status::ok;
  const Segments& segments = *options.segments;
  if (segments.ends) return check_count("segments.ends", segments.ends->size(), segments.begins.size());
  return segments.begins.empty() ? check_count("segments.begins", 0, 1) : Status::ok;
}

inline Status run(Operation* operation, const lanesort_sort_desc& desc, const Options& options) noexcept {
  const Status status = check_segments(options);
  return status == Status::ok ? to_status(operation(&desc)) : status;
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
template <KeyArray Keys>
requires Writable<Keys> Status sort(Keys&& keys, const Options& options = {})
noexcept {
  auto desc = detail::describe(keys, options);
  desc.keys_dst = std::ranges::data(keys);
  return detail::run(lanesort_sort, desc, options);
}

// Sorts src into dst, which holds as many items and does not overlap it; src is kept.
template <KeyArray Src, KeyArray Dst>
requires Writable<Dst> && std::same_as<ItemOf<Src>, ItemOf<Dst>> Status sort(const Src& src, Dst&& dst,
                                                                             const Options& options = {})
noexcept {
  if (const Status status = detail::check_count("dst", std::ranges::size(dst), std::ranges::size(src));
      status != Status::ok)
    return status;
  auto desc = detail::describe(src, options);
  desc.keys_dst = std::ranges::data(dst);
  return detail::run(lanesort_sort, desc, options);
}

// Sorts keys and values in place; as many values as keys.
template <KeyArray Keys, ValueArray Values>
requires Writable<Keys> && Writable<Values> Status sort_pairs(Keys&& keys, Values&& values, const Options& options = {})
noexcept {
  if (const Status status = detail::check_count("values", std::ranges::size(values), std::ranges::size(keys));
      status != Status::ok)
    return status;
  auto desc = detail::describe(keys, options);
  desc.keys_dst = std::ranges::data(keys);
  desc.value_bytes = sizeof(ItemOf<Values>);
  desc.values_src = desc.values_dst = std::ranges::data(values);
  return detail::run(lanesort_sort_pairs, desc, options);
}

// The same from one pair of arrays to another; the first pair is kept.
template <KeyArray KeysSrc, ValueArray ValuesSrc, KeyArray KeysDst, ValueArray ValuesDst>
requires Writable<KeysDst> && Writable<ValuesDst> && std::same_as<ItemOf<KeysSrc>, ItemOf<KeysDst>> &&
    std::same_as<ItemOf<ValuesSrc>, ItemOf<ValuesDst>>
        Status sort_pairs(const KeysSrc& keys_src, const ValuesSrc& values_src, KeysDst&& keys_dst,
                          ValuesDst&& values_dst, const Options& options = {})
noexcept {
  const std::uint64_t count = std::ranges::size(keys_src);
  Status status = detail::check_count("values_src", std::ranges::size(values_src), count);
  if (status == Status::ok) status = detail::check_count("keys_dst", std::ranges::size(keys_dst), count);
  if (status == Status::ok) status = detail::check_count("values_dst", std::ranges::size(values_dst), count);
  if (status != Status::ok) return status;
  auto desc = detail::describe(keys_src, options);
  desc.keys_dst = std::ranges::data(keys_dst);
  desc.value_bytes = sizeof(ItemOf<ValuesSrc>);
  desc.values_src = std::ranges::data(values_src);
  desc.values_dst = std::ranges::data(values_dst);
  return detail::run(lanesort_sort_pairs, desc, options);
}

// Writes the indices that sort keys; keys are kept.
template <KeyArray Keys, IndexArray Indices>
requires Writable<Indices> Status argsort(const Keys& keys, Indices&& indices, const Options& options = {})
noexcept {
  if (const Status status = detail::check_count("indices", std::ranges::size(indices), std::ranges::size(keys));
      status != Status::ok)
    return status;
  auto desc = detail::describe(keys, options);
  desc.value_bytes = sizeof(ItemOf<Indices>);
  desc.values_dst = std::ranges::data(indices);
  return detail::run(lanesort_argsort, desc, options);
}

// The same with values of the caller's in the indices' place: a chain of these, the least important key first, sorts by
// several keys.
template <KeyArray Keys, IndexArray Values, IndexArray Sorted>
requires Writable<Sorted> && std::same_as<ItemOf<Values>, ItemOf<Sorted>> Status argsort(const Keys& keys,
                                                                                         const Values& values,
                                                                                         Sorted&& sorted,
                                                                                         const Options& options = {})
noexcept {
  Status status = detail::check_count("values", std::ranges::size(values), std::ranges::size(keys));
  if (status == Status::ok) status = detail::check_count("sorted", std::ranges::size(sorted), std::ranges::size(keys));
  if (status != Status::ok) return status;
  auto desc = detail::describe(keys, options);
  desc.value_bytes = sizeof(ItemOf<Values>);
  desc.values_src = std::ranges::data(values);
  desc.values_dst = std::ranges::data(sorted);
  return detail::run(lanesort_argsort, desc, options);
}

// The first k of what sort() would write: ascending the smallest, descending the largest, ties in rising order of place.
// keys are kept; keys_out holds min(k, number of keys) items and does not overlap them.
template <KeyArray Keys, KeyArray Out>
requires Writable<Out> && std::same_as<ItemOf<Keys>, ItemOf<Out>> Status top_k(const Keys& keys, std::uint64_t k,
                                                                               Out&& keys_out,
                                                                               const Options& options = {})
noexcept {
  auto desc = detail::describe_top_k(keys, k, options);
  if (const Status status = detail::check_count("keys_out", std::ranges::size(keys_out), detail::kept(desc)); status != Status::ok)
    return status;
  desc.keys_dst = std::ranges::data(keys_out);
  return detail::to_status(lanesort_top_k(&desc));
}

// The same, and where each of them stands in keys.
template <KeyArray Keys, KeyArray Out, IndexArray Indices>
requires Writable<Out> && Writable<Indices> && std::same_as<ItemOf<Keys>, ItemOf<Out>> Status
top_k(const Keys& keys, std::uint64_t k, Out&& keys_out, Indices&& indices, const Options& options = {})
noexcept {
  auto desc = detail::describe_top_k(keys, k, options);
  Status status = detail::check_count("keys_out", std::ranges::size(keys_out), detail::kept(desc));
  if (status == Status::ok) status = detail::check_count("indices", std::ranges::size(indices), detail::kept(desc));
  if (status != Status::ok) return status;
  desc.keys_dst = std::ranges::data(keys_out);
  desc.value_bytes = sizeof(ItemOf<Indices>);
  desc.values_dst = std::ranges::data(indices);
  return detail::to_status(lanesort_top_k(&desc));
}

// Only where they stand: the first k of what argsort() would write.
template <KeyArray Keys, IndexArray Indices>
requires Writable<Indices> Status top_k_indices(const Keys& keys, std::uint64_t k, Indices&& indices,
                                                const Options& options = {})
noexcept {
  auto desc = detail::describe_top_k(keys, k, options);
  if (const Status status = detail::check_count("indices", std::ranges::size(indices), detail::kept(desc)); status != Status::ok)
    return status;
  desc.value_bytes = sizeof(ItemOf<Indices>);
  desc.values_dst = std::ranges::data(indices);
  return detail::to_status(lanesort_top_k(&desc));
}

// Keys and values: the first k of what sort_pairs() would write; values has as many items as keys.
template <KeyArray Keys, ValueArray Values, KeyArray KeysOut, ValueArray ValuesOut>
requires Writable<KeysOut> && Writable<ValuesOut> && std::same_as<ItemOf<Keys>, ItemOf<KeysOut>> &&
    std::same_as<ItemOf<Values>, ItemOf<ValuesOut>>
        Status top_k_pairs(const Keys& keys, const Values& values, std::uint64_t k, KeysOut&& keys_out,
                           ValuesOut&& values_out, const Options& options = {})
noexcept {
  auto desc = detail::describe_top_k(keys, k, options);
  Status status = detail::check_count("values", std::ranges::size(values), std::ranges::size(keys));
  if (status == Status::ok) status = detail::check_count("keys_out", std::ranges::size(keys_out), detail::kept(desc));
  if (status == Status::ok) status = detail::check_count("values_out", std::ranges::size(values_out), detail::kept(desc));
  if (status != Status::ok) return status;
  desc.keys_dst = std::ranges::data(keys_out);
  desc.value_bytes = sizeof(ItemOf<Values>);
  desc.values_src = std::ranges::data(values);
  desc.values_dst = std::ranges::data(values_out);
  return detail::to_status(lanesort_top_k(&desc));
}

// The lowest i whose key must stand before key i-1; the number of keys where all is in order.
template <KeyArray Keys>
Result<std::uint64_t> first_disorder(const Keys& keys, const Options& options = {}) noexcept {
  // With segments: inside one of them.
  const auto desc = detail::describe(keys, options);
  Result<std::uint64_t> result;
  result.status = detail::check_segments(options);
  if (result.ok()) result.status = detail::to_status(lanesort_is_sorted(&desc, &result.value));
  return result;
}

template <KeyArray Keys>
Result<bool> is_sorted(const Keys& keys, const Options& options = {}) noexcept {
  const Result<std::uint64_t> found = first_disorder(keys, options);
  return {found.ok() && found.value == std::ranges::size(keys), found.status};
}

// True if after is a sort of before: ordered, and the same multiset of keys by a 128-bit hash.
template <KeyArray Before, KeyArray After>
requires std::same_as<ItemOf<Before>, ItemOf<After>> Result<bool> verify(const Before& before, const After& after,
                                                                         const Options& options = {})
noexcept {
  if (const Status status = detail::check_count("after", std::ranges::size(after), std::ranges::size(before));
      status != Status::ok)
    return {false, status};
  auto desc = detail::describe(before, options);
  desc.keys_dst = const_cast<ItemOf<After>*>(std::ranges::data(after));  // verify only reads it
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  const Status status = detail::to_status(lanesort_verify(LANESORT_OP_SORT, &desc, &verdict));
  return {verdict.good != 0, status};
}

// Scratch that suffices for each operation on count items, on every machine.
template <Key K>
Result<std::uint64_t> sort_scratch_bytes(std::uint64_t count, const Options& options = {}) noexcept {
  return detail::scratch_bytes(LANESORT_OP_SORT, detail::describe(detail::dtype_of<K>(), count, options));
}

template <Key K, Value V>
Result<std::uint64_t> sort_pairs_scratch_bytes(std::uint64_t count, const Options& options = {}) noexcept {
  auto desc = detail::describe(detail::dtype_of<K>(), count, options);
  desc.value_bytes = sizeof(V);
  return detail::scratch_bytes(LANESORT_OP_SORT_PAIRS, desc);
}

// V: what top_k_pairs moves, or the index that is written; void where only keys are.
template <Key K, class V = void>
Result<std::uint64_t> top_k_scratch_bytes(std::uint64_t count, std::uint64_t k, const Options& options = {}) noexcept {
  auto desc = detail::describe(detail::dtype_of<K>(), count, options);
  desc.k = k;
  if constexpr (!std::is_void_v<V>) desc.value_bytes = sizeof(V);
  return detail::scratch_bytes(LANESORT_OP_TOP_K, desc);
}

template <Key K, Index I>
Result<std::uint64_t> argsort_scratch_bytes(std::uint64_t count, const Options& options = {}) noexcept {
  auto desc = detail::describe(detail::dtype_of<K>(), count, options);
  desc.value_bytes = sizeof(I);
  return detail::scratch_bytes(LANESORT_OP_ARGSORT, desc);
}

}  // namespace v1
}  // namespace lanesort
#endif  // LANESORT_LANESORT_HPP
