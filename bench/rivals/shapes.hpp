// Turns a comparator sort of somebody else's into rivals: over keys, over structs of key and value, over indices.
// Invariant: the comparator is a strict weak order for every input it is used on. operator< where no NaN can occur,
// as everybody writes it; with the NaNs last where they can.
// Ascending only: what a rival does downwards is the same work.
#pragma once
#include <algorithm>
#include <numeric>

#include "bench/rivals/rival.hpp"

namespace lanesort::bench {

// Floats of 16 bits and bools as their users would wrap them.
template <unsigned MantissaBits>
struct Half {
  std::uint16_t bits;
  int magnitude() const { return bits & 0x7FFF; }
  int number() const { return bits & 0x8000 ? -magnitude() : magnitude(); }
  bool is_nan() const { return magnitude() > (0x7FFF & ~((1 << MantissaBits) - 1)); }
  friend bool operator<(Half a, Half b) { return a.number() < b.number(); }
};

struct Truth {
  std::uint8_t byte;
  friend bool operator<(Truth a, Truth b) { return (a.byte != 0) < (b.byte != 0); }
};

template <class K>
constexpr bool kHasNan = false;
template <>
inline constexpr bool kHasNan<float> = true;
template <>
inline constexpr bool kHasNan<double> = true;
template <unsigned MantissaBits>
constexpr bool kHasNan<Half<MantissaBits>> = true;

inline bool is_nan(float x) { return x != x; }
inline bool is_nan(double x) { return x != x; }
template <unsigned MantissaBits>
bool is_nan(Half<MantissaBits> x) {
  return x.is_nan();
}

struct Less {
  template <class K>
  bool operator()(K a, K b) const {
    return a < b;
  }
};

struct LessNanLast {
  template <class K>
  bool operator()(K a, K b) const {
    return is_nan(b) ? !is_nan(a) : a < b && !is_nan(a);
  }
};

template <class K, class V>
struct Record {
  K key;
  V value;
};

// What a rival is built for. Every comparator and dtype is one more copy of its code to compile, and some take long, so
// only the yardsticks are built for all; signed integers cost the others what unsigned ones do.
enum class Scope {
  all_dtypes,
  common_dtypes,
  core_dtypes
};  // common: 32 and 64 bits; core: of these, not i32, i64, NaNs

// Calls f with a pointer to the keys' type and the comparator; false outside the scope.
template <Scope kScope>
bool with_keys(const RivalCase& request, const auto& f) {
  const auto call = [&]<class K>(K* keys) {
    if (kHasNan<K> && request.nan_possible) {
      if constexpr (kHasNan<K> && kScope != Scope::core_dtypes) return f(keys, LessNanLast{}), true;
      return false;
    }
    return f(keys, Less{}), true;
  };
  switch (request.dtype) {
    case LANESORT_U32:
      return call(static_cast<std::uint32_t*>(nullptr));
    case LANESORT_U64:
      return call(static_cast<std::uint64_t*>(nullptr));
    case LANESORT_F32:
      return call(static_cast<float*>(nullptr));
    case LANESORT_F64:
      return call(static_cast<double*>(nullptr));
    default:
      break;
  }
  if constexpr (kScope != Scope::core_dtypes) {
    if (request.dtype == LANESORT_I32) return call(static_cast<std::int32_t*>(nullptr));
    if (request.dtype == LANESORT_I64) return call(static_cast<std::int64_t*>(nullptr));
  }
  if constexpr (kScope == Scope::all_dtypes) {
    switch (request.dtype) {
      case LANESORT_BOOL:
        return call(static_cast<Truth*>(nullptr));
      case LANESORT_U8:
        return call(static_cast<std::uint8_t*>(nullptr));
      case LANESORT_I8:
        return call(static_cast<std::int8_t*>(nullptr));
      case LANESORT_U16:
        return call(static_cast<std::uint16_t*>(nullptr));
      case LANESORT_I16:
        return call(static_cast<std::int16_t*>(nullptr));
      case LANESORT_F16:
        return call(static_cast<Half<10>*>(nullptr));
      case LANESORT_BF16:
        return call(static_cast<Half<7>*>(nullptr));
      default:
        break;
    }
  }
  return false;
}

template <Scope kScope>
bool in_scope(const RivalCase& request) {
  return request.order == LANESORT_ASCENDING && with_keys<kScope>(request, [](auto*, auto) {});
}

// A sort that runs out of memory, or throws for another reason, has given up.
bool unless_thrown(const auto& body) noexcept {
  try {
    return body();
  } catch (...) {
    return false;
  }
}

// An Algorithm has: kScope, kStable, and sort(first, last, before, threads). Records and indices are offered for the
// common dtypes at most.
template <class Algorithm>
constexpr Scope kNarrowScope = Algorithm::kScope == Scope::all_dtypes ? Scope::common_dtypes : Algorithm::kScope;

template <class Algorithm>
struct OnKeys {
  static bool can(const RivalCase& request) {
    return request.op == LANESORT_OP_SORT && in_scope<Algorithm::kScope>(request);
  }
  static bool run(const RivalCase& request, const void*, void* data) {
    return unless_thrown([&] {
      return with_keys<Algorithm::kScope>(request, [&]<class K>(K*, auto before) {
        K* const keys = static_cast<K*>(data);
        Algorithm::sort(keys, keys + request.count, before, request.threads);
      });
    });
  }
};

// What a record of a struct's usual size holds beside a u64.
struct Rest {
  std::uint64_t words[3];
};

// Records are sorted as they lie: neither packing nor unpacking is in the time.
template <class Algorithm>
struct OnStructs {
  static bool can(const RivalCase& request) {
    const bool narrow = request.value_bytes == 4 || request.value_bytes == 8;
    const bool struct_of_32 = request.value_bytes == sizeof(Rest) && request.dtype == LANESORT_U64;
    return request.op == LANESORT_OP_SORT_PAIRS && (narrow || struct_of_32) && in_scope<kNarrowScope<Algorithm>>(request);
  }
  template <class K, class V>
  static void sort_records(const RivalCase& request, void* data, auto before) {
    static_assert(sizeof(Record<K, V>) == record_layout(sizeof(K), sizeof(V)).record_bytes);
    auto* const records = static_cast<Record<K, V>*>(data);
    const auto by_key = [before](const Record<K, V>& a, const Record<K, V>& b) { return before(a.key, b.key); };
    Algorithm::sort(records, records + request.count, by_key, request.threads);
  }
  template <class V>
  static bool run_with(const RivalCase& request, void* data) {
    return with_keys<kNarrowScope<Algorithm>>(
        request, [&]<class K>(K*, auto before) { sort_records<K, V>(request, data, before); });
  }
  static bool run(const RivalCase& request, const void*, void* data) {
    return unless_thrown([&] {
      if (request.value_bytes == sizeof(Rest)) {
        sort_records<std::uint64_t, Rest>(request, data, Less{});
        return true;
      }
      return request.value_bytes == 4 ? run_with<std::uint32_t>(request, data) : run_with<std::uint64_t>(request, data);
    });
  }
};

// Indices sorted by the keys they point to, numbering them included. An unstable sort needs the index as tie-breaker.
template <class Algorithm>
struct OnIndices {
  static bool can(const RivalCase& request) {
    return request.op == LANESORT_OP_ARGSORT && in_scope<kNarrowScope<Algorithm>>(request);
  }
  template <class I>
  static bool run_with(const RivalCase& request, const void* data, void* result) {
    return with_keys<kNarrowScope<Algorithm>>(request, [&]<class K>(K*, auto before) {
      const K* const keys = static_cast<const K*>(data);
      I* const indices = static_cast<I*>(result);
      std::iota(indices, indices + request.count, I{0});
      const auto by_key = [keys, before](I a, I b) {
        if constexpr (Algorithm::kStable)
          return before(keys[a], keys[b]);
        else
          return before(keys[a], keys[b]) || (!before(keys[b], keys[a]) && a < b);
      };
      Algorithm::sort(indices, indices + request.count, by_key, request.threads);
    });
  }
  static bool run(const RivalCase& request, const void* keys, void* data) {
    return unless_thrown([&] {
      return request.value_bytes == 4 ? run_with<std::uint32_t>(request, keys, data)
                                      : run_with<std::uint64_t>(request, keys, data);
    });
  }
};

template <class Shape, class Algorithm>
constexpr RivalEntry rival(const char* name, const char* version, bool threaded) {
  return {name, version, Algorithm::kStable, threaded, Shape::can, Shape::run};
}

}  // namespace lanesort::bench
