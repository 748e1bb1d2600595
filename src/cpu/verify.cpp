// Checks that share no code with the sorts: keys are placed by arithmetic on sign and magnitude, not by the key order's
// xors; no digit, survey or pass of the engine is used.
#include <algorithm>
#include <cstring>

#include "cpu/engine.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace {

// Where a key stands in the order asked for, as an unsigned number: the mapped key of docs/order.md, bits selected.
template <class U>
class Placement {
 public:
  explicit Placement(const KeySpec& spec) : spec_(spec) {
    const std::uint64_t one = 1;
    infinity_ = spec.kind == KeyKind::floating ? kMagnitudes - (one << spec.mantissa_bits) : kMagnitudes;
    const std::uint32_t width = spec.bit_end - spec.bit_begin;
    selected_ = width >= 64 ? ~std::uint64_t{0} : (one << width) - 1;
  }

  std::uint64_t of(U raw) const {
    const std::uint64_t place = whole(raw);
    return spec_.bit_begin >= 64 ? 0 : (place >> spec_.bit_begin) & selected_;
  }

 private:
  static constexpr std::uint64_t kMagnitudes = std::uint64_t{1} << (sizeof(U) * 8 - 1);  // also the sign bit's weight
  static constexpr std::uint64_t kHighest = kMagnitudes - 1 + kMagnitudes;

  std::uint64_t whole(U raw) const {
    const std::uint64_t value = raw;
    const bool negative = value >= kMagnitudes;
    std::uint64_t place = value;
    switch (spec_.kind) {
      case KeyKind::boolean:
        place = value == 0 ? 0 : 1;
        break;
      case KeyKind::unsigned_integer:
        break;
      case KeyKind::signed_integer:
        place = negative ? value - kMagnitudes : value + kMagnitudes;
        break;
      case KeyKind::floating: {
        const std::uint64_t magnitude = negative ? value - kMagnitudes : value;
        if (spec_.nan != NanPlace::by_bits) {
          if (magnitude > infinity_) return spec_.nan == NanPlace::last ? kHighest : 0;
          if (magnitude == 0) return spec_.descending ? kHighest - kMagnitudes : kMagnitudes;
        }
        place = negative ? kMagnitudes - 1 - magnitude : kMagnitudes + magnitude;
        break;
      }
    }
    return spec_.descending ? kHighest - place : place;
  }

  const KeySpec spec_;
  std::uint64_t infinity_;
  std::uint64_t selected_;
};

template <class U>
U key_at(const void* keys, std::uint64_t i) {
  U key;
  std::memcpy(&key, static_cast<const char*>(keys) + i * sizeof(U), sizeof(U));
  return key;
}

std::uint64_t index_at(const void* indices, std::uint32_t index_bytes, std::uint64_t i) {
  return index_bytes == 4 ? key_at<std::uint32_t>(indices, i) : key_at<std::uint64_t>(indices, i);
}

// Calls body with a value of the unsigned type of that many bytes.
template <class Body>
auto with_width(std::uint32_t bytes, Body&& body) {
  switch (bytes) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    default:
      return body(std::uint64_t{});
  }
}

// The least of what find(begin, end) returns over parts of [1, count); find returns count for "nothing".
template <class Find>
std::uint64_t first_in_parts(const Request& request, Find&& find) {
  if (request.count < 2) return request.count;
  Team team(useful_threads(request.count, request.threads), request.executor);
  const std::uint32_t parts = useful_threads(request.count, request.threads);
  const std::uint64_t steps = request.count - 1;
  std::uint64_t found[kMaxThreads];
  team.run(parts, [&](std::uint32_t p) { found[p] = find(1 + steps * p / parts, 1 + steps * (p + 1) / parts); });
  for (std::uint32_t p = 0; p < parts; ++p) {
    if (found[p] != request.count) return found[p];
  }
  return request.count;
}

template <class U>
std::uint64_t first_disorder_as(const Request& request) {
  const Placement<U> placement(request.key);
  return first_in_parts(request, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t before = placement.of(key_at<U>(request.keys_src, begin - 1));
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t here = placement.of(key_at<U>(request.keys_src, i));
      if (here < before) return i;
      before = here;
    }
    return request.count;
  });
}

// The same with each segment by itself.
template <class U>
std::uint64_t first_disorder_in_segments_as(const Request& request) {
  const Placement<U> placement(request.key);
  const Segments& segments = request.segments;
  const std::uint32_t parts = useful_threads(segments.span(), request.threads);
  Team team(parts, request.executor);
  std::uint64_t found[kMaxThreads];
  team.run(parts, [&](std::uint32_t p) {
    found[p] = request.count;
    const std::uint64_t end = first_of_batch(segments, p + 1, parts);
    for (std::uint64_t s = first_of_batch(segments, p, parts); s < end; ++s) {
      for (std::uint64_t i = segments.begins[s] + 1; i < segments.ends[s]; ++i) {
        if (placement.of(key_at<U>(request.keys_src, i)) >= placement.of(key_at<U>(request.keys_src, i - 1))) continue;
        found[p] = i;
        return;
      }
    }
  });
  return *std::min_element(found, found + parts);
}

template <class U>
std::uint64_t first_misplaced_index_as(const Request& request) {
  const Placement<U> placement(request.key);
  return first_in_parts(request, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t a = index_at(request.values_dst, request.value_bytes, i - 1);
      const std::uint64_t b = index_at(request.values_dst, request.value_bytes, i);
      if (a >= request.count || b >= request.count) return i;
      const std::uint64_t before = placement.of(key_at<U>(request.keys_src, a));
      const std::uint64_t here = placement.of(key_at<U>(request.keys_src, b));
      if (here < before || (here == before && b < a)) return i;
    }
    return request.count;
  });
}

std::uint64_t first_repeated_index(const Request& request) {
  const std::uint64_t words = (request.count + 63) / 64;
  const auto address = (reinterpret_cast<std::uintptr_t>(request.scratch) + 7) & ~std::uintptr_t{7};
  auto* const seen = reinterpret_cast<std::uint64_t*>(address);
  std::memset(seen, 0, words * sizeof *seen);
  for (std::uint64_t i = 0; i < request.count; ++i) {
    const std::uint64_t index = index_at(request.values_dst, request.value_bytes, i);
    if (index >= request.count) return i;
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    if ((seen[index / 64] & bit) != 0) return i;
    seen[index / 64] |= bit;
  }
  return request.count;
}

// Part of a value as hash_record() takes it.
std::uint64_t word_of(const char* value, std::uint32_t value_bytes, std::uint32_t i) {
  if (i * 8 + 8 <= value_bytes) return key_at<std::uint64_t>(value, i);
  std::uint64_t rest = 0;
  std::memcpy(&rest, value + i * 8, value_bytes - i * 8);
  return rest;
}

}  // namespace

std::uint64_t verify_argsort_scratch_bytes(std::uint64_t count) noexcept { return (count / 64 + 2) * 8; }

std::uint64_t first_disorder(const Request& request) noexcept {
  return with_width(request.key.bytes, [&](auto width) {
    using U = decltype(width);
    return request.segments.present() ? first_disorder_in_segments_as<U>(request) : first_disorder_as<U>(request);
  });
}

std::uint64_t first_wrong_index(const Request& request) noexcept {
  const std::uint64_t repeated = first_repeated_index(request);
  const std::uint64_t misplaced =
      with_width(request.key.bytes, [&](auto width) { return first_misplaced_index_as<decltype(width)>(request); });
  return repeated < misplaced ? repeated : misplaced;
}

RecordHash digest_records(const Request& records, const void* keys, const void* values) noexcept {
  const std::uint32_t parts = useful_threads(records.count, records.threads);
  const std::uint32_t bytes = records.value_bytes;
  Team team(parts, records.executor);
  RecordHash found[kMaxThreads] = {};
  team.run(parts, [&](std::uint32_t p) {
    with_width(records.key.bytes, [&](auto width) {
      RecordHash sum;
      const std::uint64_t end = records.count * (p + 1) / parts;
      for (std::uint64_t i = records.count * p / parts; i < end; ++i) {
        const char* const value = static_cast<const char*>(values) + i * bytes;
        sum.add(hash_record(key_at<decltype(width)>(keys, i), bytes,
                            [&](std::uint32_t w) { return word_of(value, bytes, w); }));
      }
      found[p] = sum;
    });
  });
  RecordHash all;
  for (std::uint32_t p = 0; p < parts; ++p) all.add(found[p]);
  return all;
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
