// Segments, each sorted by itself. Threads take batches of segments of about equal items; inside a batch a segment costs
// one direct call and its offsets. Short ones are sorted by ranks, middle ones by the engine with alternate lanes on the
// stack, which stay in cache where those of the whole array would not; few and large ones by all threads, one by one.
#pragma once
#include <atomic>

#include "cpu/rank-inl.hpp"
#include "cpu/sort-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

inline constexpr std::uint64_t kNearBytes = 32 * 1024;  // a first-level cache: alternate lanes of middle segments
inline constexpr std::uint32_t kBatchesPerThread = 16;
inline constexpr std::uint32_t kLargePerThread = 4;  // a segment is large if fewer than so many fill a thread's share

template <class K, class V>
class SegmentSorter {
 public:
  SegmentSorter(const Request& request, const Environment& environment)
      : request_(request),
        segments_(request.segments),
        environment_(environment),
        ordering_(request),
        whole_(lay_out<K, V>(request)),
        result_(whole_.to.result()) {
    const std::uint32_t threads = environment.team->threads();
    const std::uint64_t share = segments_.span() / (kLargePerThread * threads);
    large_items_ = threads == 1 ? UINT64_MAX : share > 2 * kKeysPerThread ? share : 2 * kKeysPerThread;
    // The quicksort in registers is faster from 64 keys of 32 bits on, and needs keys that may stand for one another.
    const bool interchangeable = ordering_.bit_mask == static_cast<K>(~K{0}) && ordering_.order.invertible();
    if (!kHasValue<V> && kHasVectors<K> && interchangeable) rank_limit_ = 4 * kRankLanes<K>;
    batch_count_ = threads == 1 ? 1 : kBatchesPerThread * threads;
  }

  void sort() {
    environment_.team->run(batch_count_, [this](std::uint32_t batch) {
      sort_batch(first_of_batch(segments_, batch, batch_count_), first_of_batch(segments_, batch + 1, batch_count_));
    });
    const std::uint32_t size = large_size_.load(std::memory_order_relaxed);  // run() has joined those who counted
    for (std::uint32_t i = 0; i < size; ++i) {
      Job<K, V> job = job_of(large_[i]);
      job.parts = useful_threads(job.range.count, environment_.team->threads());
      sort_job(job, ordering_, environment_);
    }
  }

 private:
  void sort_batch(std::uint64_t begin, std::uint64_t end) {
    alignas(64) unsigned char near_by[kNearBytes];
    const KeyOrder<K> order = ordering_.order;
    for (std::uint64_t s = begin; s < end; ++s) {
      const std::uint64_t first = segments_.begins[s], count = segments_.ends[s] - first;
      if (count == 0) continue;
      if (count <= rank_limit_) {
        const Range<K, V> range = range_of(s);
        const Lanes<K, V> out = result_.from(first);
        if (count <= kFew)
          sort_few<K, V>(order, ordering_.bit_mask, range, out);
        else
          sort_by_ranks<K, V>(order, ordering_.bit_mask, range, out);
      } else if (count < large_items_) {
        Job<K, V> job = job_of(s);
        if (count * item_bytes() <= kNearBytes) move_near(job, near_by);
        sort_job(job, ordering_, environment_);
      } else {
        large_[large_size_.fetch_add(1, std::memory_order_relaxed)] = s;
      }
    }
  }

  Range<K, V> range_of(std::uint64_t s) const {
    Range<K, V> range = whole_.range.part(segments_.begins[s], segments_.ends[s]);
    if (request_.local_indices) range.first_index = 0;
    return range;
  }

  // A job for the calling thread.
  Job<K, V> job_of(std::uint64_t s) const {
    return {range_of(s), whole_.to.from(segments_.begins[s]), whole_.counters, 1};
  }

  // Bytes of scratch for each item.
  std::uint64_t item_bytes() const {
    return (ordering_.one_way ? 2 : 1) * sizeof(Raw<K>) + (kHasValue<V> ? sizeof(Raw<V>) : 0);
  }

  void move_near(Job<K, V>& job, unsigned char* near_by) const {
    job.to.alternate.keys = reinterpret_cast<Raw<K>*>(near_by);
    near_by += job.range.count * sizeof(Raw<K>);
    if (ordering_.one_way) {
      job.to.dst.keys = reinterpret_cast<Raw<K>*>(near_by);
      near_by += job.range.count * sizeof(Raw<K>);
    }
    if constexpr (kHasValue<V>) job.to.alternate.values = reinterpret_cast<Raw<V>*>(near_by);
  }

  const Request& request_;
  const Segments segments_;
  const Environment& environment_;
  const Ordering<K> ordering_;
  const Job<K, V> whole_;
  const Lanes<K, V> result_;
  std::uint64_t large_items_;
  std::uint64_t rank_limit_ = kRankLimit<K>;
  std::uint32_t batch_count_;
  // Segments that wait for all threads, and so are no more than fill their shares.
  std::atomic<std::uint32_t> large_size_{0};
  std::uint64_t large_[kLargePerThread * kMaxThreads];
};

template <class K, class V>
void sort_values(const Request& request, const Environment& environment) {
  if (request.segments.present()) return SegmentSorter<K, V>(request, environment).sort();
  sort_lanes<K, V>(request, environment);
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
