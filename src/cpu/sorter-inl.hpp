// The sorter of lanes, when nothing is known but which bits vary: the cheapest of count and fill, quicksort in vector
// registers, LSD in cache, MSD partitions down to ranges that suit these. Stable in every branch; an unstable or filling step
// only where keys are interchangeable.
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
    if constexpr (kByVectors) {
      constexpr std::uint32_t kFewParts = 3;
      if (to.interchangeable && range.raw && parts_ <= kFewParts && range.count <= kVectorBytes / sizeof(K))
        return sort_by_vectors_together(codec_, range, to, *team_);
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
  char* words = nullptr;         // a WordRoom
  std::uint32_t word_parts = 0;  // see word_parts()
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
  job.words = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(lane(request.scratch, layout.words)) + 63) &
                                      ~std::uintptr_t{63});
  job.word_parts = word_parts(request.count, sizeof(Raw<K>), kHasValue<V> ? sizeof(Raw<V>) : 0, parts);
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

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
