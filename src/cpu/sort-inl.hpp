// A whole sort: survey, then the cheapest of: nothing to do, reverse, count and fill, quicksort in vector registers, LSD in
// cache, MSD partitions down to ranges that suit these. Stable in every branch; an unstable or filling step only where keys are
// interchangeable.
#pragma once
#include "cpu/counting-inl.hpp"
#include "cpu/survey-inl.hpp"
#include "cpu/target.hpp"
#include "cpu/tiny-inl.hpp"
#include "cpu/vector_sort-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

template <class K, class V, class Codec>
class Sorter {
 public:
  Sorter(const Codec& codec, const Environment& environment, std::uint32_t parts, std::uint64_t* counters)
      : codec_(codec),
        team_(environment.team),
        parts_(parts),
        counters_(counters),
        cache_items_(environment.cache_bytes / (2 * (sizeof(Raw<K>) + (kHasValue<V> ? sizeof(Raw<V>) : 0)))) {}

  // All threads on one range.
  void sort_together(const Range<K, V>& range, K varying, const Destination<K, V>& to) {
    if (varying == 0) return finish_range(codec_, range, to);
    if (parts_ == 1 || range.count < 2 * kKeysPerThread) return sort_alone(range, varying, to);
    if (to.interchangeable && worth_counting(range.count, varying)) {
      return count_and_fill_together(codec_, range, leading_digit(varying), to, *team_, parts_, counters_);
    }
    Buckets buckets;
    const Digit<K> digit = leading_digit(varying);
    const Range<K, V> partitioned = partition(range, digit, to, parts_, counters_, buckets);
    const std::uint64_t large = range.count / (2 * parts_);
    sort_small_buckets(partitioned, digit, varying, to, buckets, large);
    for (std::uint32_t b = 0; b < buckets.size; ++b) {
      if (items(buckets, b) > large)
        sort_together(bucket_range(partitioned, buckets, b), bits_left(digit, varying, buckets, b),
                      to.from(buckets.begins[b]));
    }
  }

  // The calling thread on one range.
  void sort_alone(const Range<K, V>& range, K varying, const Destination<K, V>& to) {
    if (varying == 0) return finish_range(codec_, range, to);
    if (range.count <= kTiny) return sort_tiny(codec_, range, varying, to);
    if (stands_sorted(range, varying)) return finish_range(codec_, range, to);
    if (to.interchangeable && worth_counting(range.count, varying))
      return count_and_fill(codec_, range, leading_digit(varying), to);
    if constexpr (kByVectors) {
      if (to.interchangeable && range.count <= kVectorBytes / sizeof(K)) return sort_by_vectors(codec_, range, to);
    }
    if (range.count <= cache_items_) return sort_cached(codec_, range, varying, to);
    Buckets buckets;
    const Digit<K> digit = leading_digit(varying);
    const Range<K, V> partitioned = partition_alone(range, digit, to, buckets);
    for (std::uint32_t b = 0; b < buckets.size; ++b) {
      if (items(buckets, b) != 0)
        sort_alone(bucket_range(partitioned, buckets, b), bits_left(digit, varying, buckets, b),
                   to.from(buckets.begins[b]));
    }
  }

 private:
  // Images alone, and keys alone: the vector sort is not stable.
  static constexpr bool kByVectors = !kHasValue<V> && kHasVectors<K> && std::is_same_v<Codec, ImageCodec<K>>;
  // Larger ranges are partitioned first: a level of the quicksort reads and writes all of them.
  static constexpr std::uint64_t kVectorBytes = std::uint64_t{64} << 20;

  // Counting costs a step for each value that the varying bits could have.
  static bool worth_counting(std::uint64_t count, K varying) {
    const Digit<K> digit = leading_digit(varying);
    return digit.shift == static_cast<unsigned>(__builtin_ctzll(varying)) &&
           count >= (std::uint64_t{1} << digit.bits) / 2;
  }

  // Ends at the first disorder, so it costs nothing where keys are mixed, and spares all passes where a bucket holds
  // one value or was in order from the start.
  bool stands_sorted(const Range<K, V>& range, K varying) const {
    const Raw<K>* const keys = range.lanes.keys;
    K before = static_cast<K>(mapped(range, keys[0].bits) & varying);
    for (std::uint64_t i = 1; i < range.count; ++i) {
      const K here = static_cast<K>(mapped(range, keys[i].bits) & varying);
      if (here < before) return false;
      before = here;
    }
    return true;
  }
  K mapped(const Range<K, V>& range, K key) const {
    return codec_.mapped(range.raw ? codec_.template load<true>(key) : key);
  }

  static std::uint64_t items(const Buckets& buckets, std::uint32_t b) {
    return buckets.begins[b + 1] - buckets.begins[b];
  }

  static Range<K, V> bucket_range(const Range<K, V>& range, const Buckets& buckets, std::uint32_t b) {
    return range.part(buckets.begins[b], buckets.begins[b + 1]);
  }

  static K bits_left(Digit<K> digit, K varying, const Buckets& buckets, std::uint32_t b) {
    return static_cast<K>(varying & BitMask<K>::of(0, digit.shift + buckets.buckets[b].cell_bits).mask);
  }

  Range<K, V> partition(const Range<K, V>& range, Digit<K> digit, const Destination<K, V>& to, std::uint32_t parts,
                        std::uint64_t* counters, Buckets& buckets) {
    const bool to_alternate = range.where != Where::alternate;
    Range<K, V> out = range;
    out.lanes = to_alternate ? to.alternate : to.dst;
    out.where = to_alternate ? Where::alternate : Where::dst;
    out.raw = false;
    const std::uint64_t fair_share = range.count / (8 * std::uint64_t{parts});
    const std::uint64_t small_enough = fair_share < cache_items_ / 4 ? fair_share : cache_items_ / 4;
    partition_range(codec_, range, digit, small_enough, out.lanes, team_, parts, counters, buckets);
    return out;
  }

  [[gnu::noinline]] Range<K, V> partition_alone(const Range<K, V>& range, Digit<K> digit, const Destination<K, V>& to,
                                                Buckets& buckets) {
    std::uint64_t counters[kCells];
    return partition(range, digit, to, 1, counters, buckets);
  }

  // Every bucket of at most `large` items, the largest first, each by one thread.
  void sort_small_buckets(const Range<K, V>& partitioned, Digit<K> digit, K varying, const Destination<K, V>& to,
                          const Buckets& buckets, std::uint64_t large) {
    std::uint8_t order[kBucketLimit];
    std::uint32_t size = 0;
    for (std::uint32_t b = 0; b < buckets.size; ++b) {
      if (items(buckets, b) == 0 || items(buckets, b) > large) continue;
      std::uint32_t i = size++;
      for (; i > 0 && items(buckets, order[i - 1]) < items(buckets, b); --i) order[i] = order[i - 1];
      order[i] = static_cast<std::uint8_t>(b);
    }
    team_->run(size, [&](std::uint32_t i) {
      const std::uint32_t b = order[i];
      sort_alone(bucket_range(partitioned, buckets, b), bits_left(digit, varying, buckets, b),
                 to.from(buckets.begins[b]));
    });
  }

  const Codec codec_;
  Team* const team_;
  const std::uint32_t parts_;
  std::uint64_t* const counters_;
  const std::uint64_t cache_items_;
};

template <class K, class V>
struct Job {
  Range<K, V> range;
  Destination<K, V> to;
  std::uint64_t* counters;
  std::uint32_t parts;
};

template <class K, class V>
Job<K, V> lay_out(const Request& request) {
  const auto lane = [](void* scratch, std::uint64_t offset) { return static_cast<char*>(scratch) + offset; };
  const std::uint32_t parts = useful_threads(request.count, request.threads);
  const ScratchLayout layout =
      layout_scratch(request.count, sizeof(Raw<K>), kHasValue<V> ? sizeof(Raw<V>) : 0, request.argsort, parts);
  Job<K, V> job{};
  job.parts = parts;
  job.counters = reinterpret_cast<std::uint64_t*>(
      (reinterpret_cast<std::uintptr_t>(lane(request.scratch, layout.counters)) + 7) & ~std::uintptr_t{7});
  // const_cast: a source is only read; its lanes share the type of those that are written.
  job.range.lanes.keys = static_cast<Raw<K>*>(const_cast<void*>(request.keys_src));
  job.range.count = request.count;
  job.to.alternate.keys = reinterpret_cast<Raw<K>*>(lane(request.scratch, layout.keys));
  job.to.dst.keys = request.argsort ? reinterpret_cast<Raw<K>*>(lane(request.scratch, layout.keys_dst))
                                    : static_cast<Raw<K>*>(request.keys_dst);
  job.to.writes_keys = !request.argsort;
  if constexpr (kHasValue<V>) {
    job.range.lanes.values = static_cast<Raw<V>*>(const_cast<void*>(request.values_src));
    job.to.alternate.values = reinterpret_cast<Raw<V>*>(lane(request.scratch, layout.values));
    job.to.dst.values = static_cast<Raw<V>*>(request.values_dst);
  }
  const bool shares_dst =
      request.keys_src == request.keys_dst || (kHasValue<V> && request.values_src == request.values_dst);
  job.range.where = shares_dst ? Where::dst : Where::source;
  return job;
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
    if (dst.keys != nullptr) {
      for (std::uint64_t i = begin; i < end; ++i) {
        const K low = src.keys[i].bits, high = src.keys[last - i].bits;
        dst.keys[i].bits = high;
        dst.keys[last - i].bits = low;
      }
    }
    if constexpr (kHasValue<V>) {
      for (std::uint64_t i = begin; i < end; ++i) {
        const bool counted = src.values == nullptr;
        const V low = counted ? counted_value<V>(range.first_index + i) : src.values[i].bits;
        const V high = counted ? counted_value<V>(range.first_index + last - i) : src.values[last - i].bits;
        dst.values[i].bits = high;
        dst.values[last - i].bits = low;
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

  if constexpr (kCanCount<V>) {
    if (ordering.one_way) return sort_surveyed(job, OneWayCodec<K>{order}, survey.varying, environment);
  }
  // Images can be turned back unless some key is special.
  if (survey.special || order.truth_mask != 0) return sort_surveyed(job, whole_map, survey.varying, environment);
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
