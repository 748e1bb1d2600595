// A whole sort: survey, then the cheapest of: nothing to do, reverse, by words, by lanes. Stable in every branch; an unstable
// or filling step only where keys are interchangeable.
#pragma once
#include "cpu/few-inl.hpp"
#include "cpu/nearly-inl.hpp"
#include "cpu/words-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

// Items [begin, end) of the lower half and their opposites in the upper one, from src to dst or within one of them.
template <class T>
void reverse_ends(const Raw<T>* src, Raw<T>* dst, std::uint64_t begin, std::uint64_t end, std::uint64_t last) {
  constexpr std::uint64_t kBlock = 64 / sizeof(T);
  std::uint64_t i = begin;
  for (; i + kBlock <= end; i += kBlock) {  // both blocks are read before one is written
    const std::uint64_t opposite = last - i - (kBlock - 1);
    T low[kBlock], high[kBlock];
    __builtin_memcpy(low, src + i, sizeof low);
    __builtin_memcpy(high, src + opposite, sizeof high);
    T turned_low[kBlock], turned_high[kBlock];
    for (std::uint64_t l = 0; l < kBlock; ++l) turned_low[l] = low[kBlock - 1 - l];
    for (std::uint64_t l = 0; l < kBlock; ++l) turned_high[l] = high[kBlock - 1 - l];
    __builtin_memcpy(static_cast<void*>(dst + i), turned_high, sizeof turned_high);
    __builtin_memcpy(static_cast<void*>(dst + opposite), turned_low, sizeof turned_low);
  }
  for (; i < end; ++i) {
    const T low = src[i].bits, high = src[last - i].bits;
    dst[i].bits = high;
    dst[last - i].bits = low;
  }
}

// A falling source, turned round into the result.
template <class K, class V>
void reverse_range(const Range<K, V>& range, const Destination<K, V>& to, Team& team, std::uint32_t parts) {
  const Lanes<K, V> src = range.lanes;
  const Lanes<K, V> dst = to.result();
  const std::uint64_t last = range.count - 1;
  // Both ends at once, so that it also works in place; the middle item of an odd count meets itself.
  const std::uint64_t pairs = range.count - range.count / 2;
  team.run(parts, [&](std::uint32_t p) {
    const std::uint64_t begin = pairs * p / parts, end = pairs * (p + 1) / parts;
    if (dst.keys != nullptr) reverse_ends(src.keys, dst.keys, begin, end, last);
    if constexpr (kHasValue<V>) {
      if (src.values != nullptr) return reverse_ends(src.values, dst.values, begin, end, last);
      for (std::uint64_t i = begin; i < end; ++i) {
        dst.values[i].bits = counted_value<V>(range.first_index + last - i);
        dst.values[last - i].bits = counted_value<V>(range.first_index + i);
      }
    }
  });
}

// May equal keys stand for one another? Only where nothing can tell them apart: no values, the whole key compared, and a
// map that gives each pattern a place of its own for all the keys that were seen. Says alone where a step may be
// unstable, or count keys instead of moving them.
template <class K, class V>
bool keys_interchangeable(const KeyOrder<K>& order, K bit_mask, const Survey<K>& survey) {
  return !kHasValue<V> && bit_mask == static_cast<K>(~K{0}) && !survey.special && order.truth_mask == 0;
}

template <class K, class V, class Codec>
void sort_surveyed(const Job<K, V>& job, const Codec codec, K varying, const Environment& environment) {
  if constexpr (sizeof(K) == 4 && std::is_same_v<V, std::uint32_t> && kHasVectors<K>) {
    // Where most threads would watch the partition, lanes are the better way.
    if (job.word_parts != 0 && 2 * job.word_parts >= job.parts && WordSorter<Codec>::suits(varying))
      return WordSorter<Codec>(codec, environment, job, varying).sort();
  }
  Sorter<K, V, Codec> sorter(codec, environment, job.parts, job.counters);
  sorter.sort_together(job.range, varying, job.to);
}

// What orders the keys of a request.
template <class K>
struct Ordering {
  KeyOrder<K> order;
  K bit_mask;
  bool one_way;  // an argsort: no keys are written

  explicit Ordering(const Request& request)
      : order(make_key_order<K>(request.key.kind, request.key.descending, request.key.nan, request.key.mantissa_bits)),
        bit_mask(BitMask<K>::of(request.key.bit_begin, request.key.bit_end).mask),
        one_way(request.argsort) {}
};

template <class K, class V>
void sort_job(Job<K, V> job, const Ordering<K>& ordering, const Environment& environment) {
  const KeyOrder<K> order = ordering.order;
  const K bit_mask = ordering.bit_mask;
  const RawCodec<K> whole_map{order};
  if (job.range.count <= kTiny) return sort_tiny(whole_map, job.range, bit_mask, job.to);

  Team& team = *environment.team;
  if constexpr (sizeof(K) == 1 && !kHasValue<V>) {
    constexpr std::uint64_t kWorthTables = 4096;
    if (order.invertible() && bit_mask == 0xff && job.range.count >= kWorthTables)
      return sort_bytes(order, job.range.lanes.keys, job.range.count, job.to.dst.keys, team, job.parts, job.counters);
  }
  const Survey<K> survey = survey_keys(job.range.lanes.keys, job.range.count, order, bit_mask, team, job.parts);
  if (survey.rising) {
    team.run(job.parts, [&](std::uint32_t p) {
      const std::uint64_t begin = job.range.count * p / job.parts, end = job.range.count * (p + 1) / job.parts;
      finish_range(whole_map, job.range.part(begin, end), job.to.from(begin));
    });
    return;
  }
  job.to.interchangeable = keys_interchangeable<K, V>(order, bit_mask, survey);
  if (survey.falling || (survey.sinking && job.to.interchangeable)) {
    return reverse_range(job.range, job.to, team, job.parts);
  }
  if constexpr (!kHasValue<V>) {
    if (job.to.interchangeable) {
      if (sort_few_values(order, job.range, job.to.dst.keys, team, job.parts)) return;
      if constexpr (kHasVectors<K>) {
        constexpr std::uint32_t kMostParts = 3;  // one thread does it as fast as so many sort
        if (job.parts <= kMostParts && sort_nearly_sorted(ImageCodec<K>{order}, job.range, job.to)) return;
      }
    }
  }

  // Images can be turned back unless some key is special; nor is it asked for where no keys are written.
  if (survey.special || order.truth_mask != 0) {
    if constexpr (kCanCount<V>) {
      if (ordering.one_way) return sort_surveyed(job, OneWayCodec<K>{order}, survey.varying, environment);
    }
    return sort_surveyed(job, whole_map, survey.varying, environment);
  }
  const ImageCodec<K> images{order};
  sort_surveyed(job, images, survey.varying, environment);
}

template <class K, class V>
void sort_lanes(const Request& request, const Environment& environment) {
  sort_job(lay_out<K, V>(request), Ordering<K>(request), environment);
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
