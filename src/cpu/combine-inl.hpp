// A stable scatter to many far places at once, written in whole cache lines. A plain store to one of 256 bins misses
// the cache and the TLB and reads the line it is about to overwrite; here each bin collects a line's worth of items in
// a small buffer that stays in the first-level cache, and the full line leaves past the cache (software write
// combining; Satish et al., SIGMOD 2010, Polychroniou and Ross, SIGMOD 2014).
#pragma once
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "cpu/radix-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

inline constexpr std::uint64_t kLineBytes = 64;

// dst and src are at multiples of kLineBytes. Ordered against other threads by stream_fence() only.
[[gnu::always_inline]] inline void stream_line(void* dst, const void* src) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(dst), _mm512_load_si512(src));
#elif defined(__AVX__)
  for (int i = 0; i < 2; ++i)
    _mm256_stream_si256(static_cast<__m256i*>(dst) + i, _mm256_load_si256(static_cast<const __m256i*>(src) + i));
#elif defined(__SSE2__)
  for (int i = 0; i < 4; ++i)
    _mm_stream_si128(static_cast<__m128i*>(dst) + i, _mm_load_si128(static_cast<const __m128i*>(src) + i));
#else
  __builtin_memcpy(dst, src, kLineBytes);
#endif
}

inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

template <class T>
struct alignas(kLineBytes) CombinerLine {
  Raw<T> items[kLineBytes / sizeof(Raw<T>)];
};

// One lane's line buffers, one for each bin. Place p of the lane has slot (p + skew) % kItems, so that a full buffer is one
// line of memory. Its address stays with the caller's loop, so that its members are registers there.
template <class T>
class Combiner {
 public:
  using Line = CombinerLine<T>;
  static constexpr std::uint64_t kItems = kLineBytes / sizeof(Raw<T>);

  Combiner(Raw<T>* lane, Line* lines) : lines_(lines), lane_(lane) {
    const auto address = reinterpret_cast<std::uintptr_t>(lane);
    aligned_ = address % sizeof(Raw<T>) == 0;
    skew_ = aligned_ ? address / sizeof(Raw<T>) % kItems : 0;
  }

  // first[bin]: the bin's first place in this scatter, before which nothing may be written.
  template <class Place>
  [[gnu::always_inline]] void put(std::uint32_t bin, std::uint64_t place, T item, const Place* first) const {
    const std::uint64_t slot = (place + skew_) % kItems;
    lines_[bin].items[slot].bits = item;
    if (slot == kItems - 1) [[unlikely]]
      leave(bin, place, first[bin]);
  }

  // What is left in a bin's buffer; end is the place after its last item.
  void drain(std::uint32_t bin, std::uint64_t first, std::uint64_t end) const {
    const std::uint64_t fill = (end + skew_) % kItems;
    const std::uint64_t left = fill < end - first ? fill : end - first;
    __builtin_memcpy(lane_ + (end - left), lines_[bin].items + (fill - left), left * sizeof(Raw<T>));
  }

 private:
  [[gnu::always_inline]] void leave(std::uint32_t bin, std::uint64_t place, std::uint64_t first) const {
    const std::uint64_t begin =
        place + 1 - kItems;  // wraps round where the line starts before the lane, and is not used then
    if (aligned_ && place + 1 >= first + kItems)
      stream_line(lane_ + begin, lines_[bin].items);
    else
      drain_line(lines_[bin], place, first, lane_);
  }

  [[gnu::noinline]] static void drain_line(const Line& line, std::uint64_t place, std::uint64_t first, Raw<T>* lane) {
    const std::uint64_t held = place + 1 - first < kItems ? place + 1 - first : kItems;
    __builtin_memcpy(lane + (place + 1 - held), line.items + (kItems - held), held * sizeof(Raw<T>));
  }

  Line* const lines_;
  Raw<T>* const lane_;
  std::uint64_t skew_;
  bool aligned_;
};

template <>
struct CombinerLine<NoValue> {};
template <>
class Combiner<NoValue> {
 public:
  using Line = CombinerLine<NoValue>;
  Combiner(Raw<NoValue>*, Line*) {}
  void drain(std::uint32_t, std::uint64_t, std::uint64_t) const {}
};

// As scatter_range, to places[bin] onwards; dst's keys are written.
template <bool kFirst, class K, class V, class Codec, class Bin>
[[gnu::noinline]] void scatter_combined(const Codec codec, const Range<K, V>& src, const Bin bin_of, std::uint32_t bins,
                                        Lanes<K, V> dst, std::uint64_t* places) {
  typename Combiner<K>::Line key_lines[kBucketLimit];
  typename Combiner<V>::Line value_lines[kBucketLimit];
  const Combiner<K> keys(dst.keys, key_lines);
  const Combiner<V> values(dst.values, value_lines);
  std::uint64_t first[kBucketLimit];
  for (std::uint32_t b = 0; b < bins; ++b) first[b] = places[b];
  const Raw<K>* const from_keys = src.lanes.keys;
  const Raw<V>* const from_values = src.lanes.values;
  for (std::uint64_t i = 0; i < src.count; ++i) {
    const K carried = codec.template load<kFirst>(from_keys[i].bits);
    const std::uint32_t bin = bin_of(codec.mapped(carried));
    const std::uint64_t place = places[bin]++;
    keys.put(bin, place, carried, first);
    if constexpr (kHasValue<V>) {
      values.put(bin, place,
                 kFirst && kCanCount<V> && from_values == nullptr ? counted_value<V>(src.first_index + i)
                                                                  : from_values[i].bits,
                 first);
    }
  }
  for (std::uint32_t b = 0; b < bins; ++b) {
    keys.drain(b, first[b], places[b]);
    values.drain(b, first[b], places[b]);
  }
  stream_fence();
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
