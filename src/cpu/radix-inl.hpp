// The passes of a radix sort over lanes: histograms, the stable scatter by a digit, and the LSD sort of a range that
// stays in cache. A pass reads src and writes dst, which do not overlap.
#pragma once
#include "cpu/codec-inl.hpp"
#include "cpu/scratch.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

inline constexpr unsigned kDigitBits = 8;
inline constexpr unsigned kBins = 1u << kDigitBits;

// Where a range stands: in the lanes of the result (or in some of them, as when only the keys are sorted in place),
// in the alternate ones, or in a source that is to be kept.
enum class Where { dst, alternate, source };

// raw: keys are still as the caller gave them. Values that are not stored yet count up from first_index.
template <class K, class V>
struct Range {
  Lanes<K, V> lanes;
  std::uint64_t count = 0;
  std::uint64_t first_index = 0;
  Where where = Where::source;
  bool raw = true;

  Range part(std::uint64_t begin, std::uint64_t end) const {
    return {lanes.from(begin), end - begin, first_index + begin, where, raw};
  }
};

template <class K, class V>
struct Destination {
  Lanes<K, V> dst;
  Lanes<K, V> alternate;
  bool writes_keys = true;       // false: dst.keys is scratch like alternate.keys, and the result holds values only
  bool interchangeable = false;  // keys that are equal in the varying bits are the same key

  Destination from(std::uint64_t offset) const {
    return {dst.from(offset), alternate.from(offset), writes_keys, interchangeable};
  }
  Lanes<K, V> result() const { return {writes_keys ? dst.keys : nullptr, dst.values}; }
};

// Values that may be indices, and so need not be stored before the first pass.
template <class V>
inline constexpr bool kCanCount = __is_same(V, std::uint32_t) || __is_same(V, std::uint64_t);

template <class V>
[[gnu::always_inline]] inline V counted_value(std::uint64_t index) {
  if constexpr (kCanCount<V>)
    return static_cast<V>(index);
  else
    return V{};
}

// dst = src, keys through the codec's two ends. Also in place, to turn images back.
template <bool kFirst, bool kLast, class K, class V, class Codec>
void move_range(const Codec codec, const Range<K, V>& src, Lanes<K, V> dst) {
  if (dst.keys != nullptr && (dst.keys != src.lanes.keys || (Codec::kImages && kFirst != kLast))) {
    for (std::uint64_t i = 0; i < src.count; ++i) {
      dst.keys[i].bits = codec.template store<kLast>(codec.template load<kFirst>(src.lanes.keys[i].bits));
    }
  }
  if constexpr (kHasValue<V>) {
    if (src.lanes.values == nullptr) {
      for (std::uint64_t i = 0; i < src.count; ++i) dst.values[i].bits = counted_value<V>(src.first_index + i);
    } else if (dst.values != src.lanes.values) {
      for (std::uint64_t i = 0; i < src.count; ++i) dst.values[i].bits = src.lanes.values[i].bits;
    }
  }
}

// The stable scatter: each item to the next free place of its bin.
template <bool kFirst, bool kLast, class K, class V, class Codec, class Bin, class Place>
void scatter_range(const Codec codec, const Range<K, V>& src, const Bin bin_of, Lanes<K, V> dst,
                   Place* __restrict next) {
  const Raw<K>* const keys = src.lanes.keys;
  const Raw<V>* const values = src.lanes.values;
  for (std::uint64_t i = 0; i < src.count; ++i) {
    const K carried = codec.template load<kFirst>(keys[i].bits);
    const Place place = next[bin_of(codec.mapped(carried))]++;
    if (!kLast || dst.keys != nullptr) dst.keys[place].bits = codec.template store<kLast>(carried);
    if constexpr (kHasValue<V>) {
      dst.values[place].bits =
          kFirst && kCanCount<V> && values == nullptr ? counted_value<V>(src.first_index + i) : values[i].bits;
    }
  }
}

// Digits that cover the varying bits above and including low_bit, lowest first; bits that do not vary cost nothing.
template <class K>
struct DigitList {
  Digit<K> digits[sizeof(K)];
  unsigned size = 0;
  explicit DigitList(K varying) {
    while (varying != 0) {
      const auto low = static_cast<unsigned>(__builtin_ctzll(varying));
      const auto top = static_cast<unsigned>(63 - __builtin_clzll(varying));
      const unsigned bits = top - low + 1 < kDigitBits ? top - low + 1 : kDigitBits;
      digits[size++] = {low, bits};
      varying = low + bits >= sizeof(K) * 8 ? K{0} : static_cast<K>(varying >> (low + bits) << (low + bits));
    }
  }
};

template <unsigned kDigits, bool kFirst, class K, class Codec>
void count_digits(const Codec codec, const Raw<K>* keys, std::uint64_t count, const Digit<K>* digits,
                  std::uint32_t (*bins)[kBins]) {
  Digit<K> d[kDigits];
  for (unsigned p = 0; p < kDigits; ++p) d[p] = digits[p];
  for (std::uint64_t i = 0; i < count; ++i) {
    const K mapped = codec.mapped(codec.template load<kFirst>(keys[i].bits));
    for (unsigned p = 0; p < kDigits; ++p) ++bins[p][d[p].of(mapped)];
  }
}

template <bool kFirst, class K, class Codec, unsigned kDigits = 1>
void count_digit_list(const Codec codec, const Raw<K>* keys, std::uint64_t count, const DigitList<K>& list,
                      std::uint32_t (*bins)[kBins]) {
  if (list.size == kDigits) return count_digits<kDigits, kFirst>(codec, keys, count, list.digits, bins);
  if constexpr (kDigits < sizeof(K)) count_digit_list<kFirst, K, Codec, kDigits + 1>(codec, keys, count, list, bins);
}

// Turns counts into first places; false if one bin holds everything, so that the pass would move nothing.
inline bool counts_to_places(std::uint32_t* bins, std::uint64_t count) {
  std::uint32_t sum = 0, largest = 0;
  for (unsigned b = 0; b < kBins; ++b) {
    const std::uint32_t c = bins[b];
    largest = c > largest ? c : largest;
    bins[b] = sum;
    sum += c;
  }
  return largest != count;
}

// One scatter pass; last tells whether its output is the result, and so raw again.
template <class K, class V, class Codec, class Bin, class Place>
void run_pass(const Codec codec, const Range<K, V>& src, const Bin bin_of, Lanes<K, V> dst, Place* places, bool last) {
  if (src.raw && last) return scatter_range<true, true>(codec, src, bin_of, dst, places);
  if (src.raw) return scatter_range<true, false>(codec, src, bin_of, dst, places);
  if (last) return scatter_range<false, true>(codec, src, bin_of, dst, places);
  scatter_range<false, false>(codec, src, bin_of, dst, places);
}

// The range as it stands is in order: bring it to the result.
template <class K, class V, class Codec>
void finish_range(const Codec codec, const Range<K, V>& range, const Destination<K, V>& to) {
  if (range.raw)
    move_range<true, true>(codec, range, to.result());
  else
    move_range<false, true>(codec, range, to.result());
}

// LSD radix sort of a range of fewer than 2^32 items on its varying bits, into to.dst.
template <class K, class V, class Codec>
void sort_cached(const Codec codec, Range<K, V> range, K varying, const Destination<K, V>& to) {
  const DigitList<K> list(varying);
  std::uint32_t bins[sizeof(K)][kBins];
  __builtin_memset(bins, 0, list.size * sizeof bins[0]);
  if (range.raw)
    count_digit_list<true>(codec, range.lanes.keys, range.count, list, bins);
  else
    count_digit_list<false>(codec, range.lanes.keys, range.count, list, bins);

  unsigned passes[sizeof(K)];
  unsigned pass_count = 0;
  for (unsigned p = 0; p < list.size; ++p) {
    if (counts_to_places(bins[p], range.count)) passes[pass_count++] = p;
  }
  for (unsigned j = 0; j < pass_count; ++j) {
    const bool last = j + 1 == pass_count;
    // From a kept source the parity is ours to choose, so that the last pass writes the result.
    const bool to_alternate = range.where == Where::source ? (pass_count - j) % 2 == 0 : range.where == Where::dst;
    const Digit<K> digit = list.digits[passes[j]];
    const bool ends = last && !to_alternate;
    run_pass(
        codec, range, [digit](K mapped) { return digit.of(mapped); },
        to_alternate ? to.alternate
        : ends       ? to.result()
                     : to.dst,
        bins[passes[j]], ends);
    if (ends) return;
    range.lanes = to_alternate ? to.alternate : to.dst;
    range.where = to_alternate ? Where::alternate : Where::dst;
    range.raw = false;
  }
  finish_range(codec, range, to);
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
