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

// One lane's line buffers. Place p of the lane has slot (p + skew) % kItems, so that a full buffer is one line of memory.
template <class T>
class Combiner {
 public:
  static constexpr std::uint64_t kItems = kLineBytes / sizeof(Raw<T>);

  explicit Combiner(Raw<T>* lane) : lane_(lane) {
    const auto address = reinterpret_cast<std::uintptr_t>(lane);
    aligned_ = address % sizeof(Raw<T>) == 0;
    skew_ = aligned_ ? address / sizeof(Raw<T>) % kItems : 0;
  }

  // first: the bin's first place in this scatter, before which nothing may be written.
  [[gnu::always_inline]] void put(std::uint32_t bin, std::uint64_t place, T item, const std::uint64_t* first) {
    const std::uint64_t slot = (place + skew_) % kItems;
    lines_[bin].items[slot].bits = item;
    if (slot == kItems - 1) [[unlikely]]
      leave(bin, place, first[bin]);
  }

  // What is left in a bin's buffer; end is the place after its last item.
  void drain(std::uint32_t bin, std::uint64_t first, std::uint64_t end) {
    const std::uint64_t fill = (end + skew_) % kItems;
    const std::uint64_t left = fill < end - first ? fill : end - first;
    __builtin_memcpy(lane_ + (end - left), lines_[bin].items + (fill - left), left * sizeof(Raw<T>));
  }

 private:
  struct alignas(kLineBytes) Line {
    Raw<T> items[kItems];
  };

  [[gnu::always_inline]] void leave(std::uint32_t bin, std::uint64_t place, std::uint64_t first) {
    const std::uint64_t begin =
        place + 1 - kItems;  // wraps round where the line starts before the lane, and is not used then
    if (aligned_ && place + 1 >= first + kItems)
      stream_line(lane_ + begin, lines_[bin].items);
    else
      drain_line(bin, place, first);
  }

  [[gnu::noinline]] void drain_line(std::uint32_t bin, std::uint64_t place, std::uint64_t first) {
    const std::uint64_t held = place + 1 - first < kItems ? place + 1 - first : kItems;
    __builtin_memcpy(lane_ + (place + 1 - held), lines_[bin].items + (kItems - held), held * sizeof(Raw<T>));
  }

  Line lines_[kBucketLimit];
  Raw<T>* const lane_;
  std::uint64_t skew_;
  bool aligned_;
};

template <>
class Combiner<NoValue> {
 public:
  explicit Combiner(Raw<NoValue>*) {}
  void put(std::uint32_t, std::uint64_t, NoValue, const std::uint64_t*) {}
  void drain(std::uint32_t, std::uint64_t, std::uint64_t) {}
};

// As scatter_range, to places[bin] onwards; dst's keys are written.
template <bool kFirst, class K, class V, class Codec, class Bin>
[[gnu::noinline]] void scatter_combined(const Codec codec, const Range<K, V>& src, const Bin bin_of, std::uint32_t bins,
                                        Lanes<K, V> dst, std::uint64_t* places) {
  Combiner<K> keys(dst.keys);
  Combiner<V> values(dst.values);
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
