// A sort of 32-bit keys with 32-bit values as words: key and value share one of 64 bits from a partition on, so that an item
// is one store. The partition makes buckets of a few thousand items, so small that the bits which are left of a key fit 32
// bits beside the item's place in the bucket. Such numbers all differ, so the quicksort in registers sorts them, stably
// because of the place; then each fetches its word. Buckets for which that is not so go to the sorter of lanes.
//
// Buckets are marked out by a sample: kWordCells cells by the leading bits, those with few samples joined, those with many
// split by their next bits. So floats, which crowd into few exponents, make buckets as even as uniform keys do. A bucket is
// a whole subtree of the tree of bits. A sample that misled costs time, never order.
//
// Prior art: joined and split cells, as in tries that adapt (Leis et al., 2013), and sample sort (Frazer and McKellar, 1970).
#pragma once
#include <atomic>

#include "cpu/sorter-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

inline constexpr unsigned kWordCellShift = 32 - 11;
static_assert(kWordCells == 1u << 11);
inline constexpr std::uint64_t kSamplesPerBucket = 8;
inline constexpr std::uint64_t kMostSamples =
    11;  // in a bucket that could be split, so at most 3/2 of the buckets meant

// The bits of a mapped key that order a range, moved up to the top of 32 bits. Below `low` lies what must not be looked at.
struct OrderingBits {
  unsigned up, low;

  explicit OrderingBits(std::uint32_t varying)
      : up(static_cast<unsigned>(__builtin_clz(varying))), low(static_cast<unsigned>(__builtin_ctz(varying)) + up) {}
  [[gnu::always_inline]] std::uint32_t of(std::uint32_t mapped) const { return mapped << up; }
};

// Bucket of bits: entry's upper half + (bits >> entry's lowest five bits), of which 16 bits count.
struct WordBuckets {
  std::uint32_t size = 0;
  std::uint32_t* entries;  // of each cell
  std::uint32_t* begins;   // size + 1
  std::uint8_t* shifts;    // keys of the bucket differ below this bit only

  [[gnu::always_inline]] static std::uint32_t of(const std::uint32_t* entries, std::uint32_t bits) {
    const std::uint32_t entry = entries[bits >> kWordCellShift];
    return static_cast<std::uint16_t>((entry >> 16) + (bits >> (entry & 31)));
  }

  // The next 2^splits buckets, of 2^joined cells from this one on.
  void add(std::uint32_t cell, unsigned joined, unsigned splits) {
    const unsigned shift = kWordCellShift + joined - splits;
    const std::uint32_t base = size - (cell << kWordCellShift >> shift);
    for (std::uint32_t c = cell; c < cell + (1u << joined); ++c) entries[c] = base << 16 | shift;
    for (std::uint32_t b = 0; b < 1u << splits; ++b) shifts[size++] = static_cast<std::uint8_t>(shift);
  }
};

// Marks out buckets by the numbers of samples in each cell.
inline void plan_words(const std::uint32_t* samples, unsigned low, WordBuckets& out) {
  for (std::uint32_t cell = 0; cell < kWordCells;) {
    std::uint64_t sum = samples[cell];
    unsigned joined = 0, splits = 0;
    while (kWordCellShift + joined < 31 && cell % (2u << joined) == 0) {
      std::uint64_t both = sum;
      for (std::uint32_t c = cell + (1u << joined); c < cell + (2u << joined); ++c) both += samples[c];
      if (both > kMostSamples) break;
      sum = both;
      ++joined;
    }
    if (joined == 0) {
      while (kWordCellShift - splits > low && sum >> splits > kMostSamples) ++splits;
    }
    out.add(cell, joined, splits);
    cell += 1u << joined;
  }
}

template <class Codec>
class WordSorter {
 public:
  using K = std::uint32_t;
  using V = std::uint32_t;
  using Word = std::uint64_t;

  // Whether keys that differ in these bits are for it: wider than cells, so that no cell needs bits that do not order.
  static bool suits(K varying) { return OrderingBits(varying).low <= kWordCellShift; }

  // to.alternate's keys begin room for as many words as there are items; where no keys are written, that of its values is
  // free besides.
  WordSorter(const Codec& codec, const Environment& environment, const Job<K, V>& job, K varying)
      : codec_(codec),
        team_(*environment.team),
        job_(job),
        varying_(varying),
        bits_(varying),
        room_(layout_words(job.range.count)),
        words_(reinterpret_cast<Raw<Word>*>(job.to.alternate.keys)),
        lanes_(codec, environment, job.parts, job.counters) {
    buckets_.entries = reinterpret_cast<std::uint32_t*>(job.words + room_.entries);
    buckets_.begins = reinterpret_cast<std::uint32_t*>(job.words + room_.begins);
    buckets_.shifts = reinterpret_cast<std::uint8_t*>(job.words + room_.shifts);
  }

  void sort() {
    mark_out();
    for_each_part([this](const Part& part) { count_part(part); });
    add_up();
    for_each_part([this](const Part& part) { scatter_part(part); });
    sort_buckets();
  }

 private:
  using Line = Combiner<Word>::Line;

  struct Part {
    Range<K, V> range;
    Line* lines;
    std::uint32_t* firsts;
    std::uint32_t* places;
  };

  Part part(std::uint32_t p) const {
    char* const room = job_.words + room_.parts + p * room_.part_bytes;
    const std::uint64_t count = job_.range.count;
    return {job_.range.part(count * p / job_.word_parts, count * (p + 1) / job_.word_parts),
            reinterpret_cast<Line*>(room), reinterpret_cast<std::uint32_t*>(room + room_.firsts),
            reinterpret_cast<std::uint32_t*>(room + room_.places)};
  }

  template <class Body>
  void for_each_part(Body&& body) {
    team_.run(job_.word_parts, [&](std::uint32_t p) { body(part(p)); });
  }

  // One sample of each stride, at a place in it that no period of the keys follows.
  void mark_out() {
    std::uint32_t samples[kWordCells] = {};
    const std::uint64_t count = job_.range.count;
    const std::uint64_t size = kSamplesPerBucket * (count / word_bucket_items(count));
    const std::uint64_t stride = count / size;
    std::uint64_t random = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const Raw<K> key = job_.range.lanes.keys[i * stride + ((random >> 32) * stride >> 32)];
      ++samples[bits_.of(codec_.mapped(codec_.template load<true>(key.bits))) >> kWordCellShift];
    }
    plan_words(samples, bits_.low, buckets_);
  }

  [[gnu::noinline]] void count_part(const Part& part) const {
    const Codec codec = codec_;
    const OrderingBits bits = bits_;
    const std::uint32_t* const entries = buckets_.entries;
    std::uint32_t* const counts = part.places;
    __builtin_memset(counts, 0, buckets_.size * sizeof *counts);
    const Raw<K>* const keys = part.range.lanes.keys;
    for (std::uint64_t i = 0; i < part.range.count; ++i)
      ++counts[WordBuckets::of(entries, bits.of(codec.mapped(codec.template load<true>(keys[i].bits))))];
  }

  // Counts become first places: bucket by bucket, parts in their order, so the scatter is stable.
  void add_up() {
    std::uint32_t sum = 0;
    for (std::uint32_t b = 0; b < buckets_.size; ++b) {
      buckets_.begins[b] = sum;
      for (std::uint32_t p = 0; p < job_.word_parts; ++p) {
        const Part of = part(p);
        const std::uint32_t count = of.places[b];
        of.firsts[b] = of.places[b] = sum;
        sum += count;
      }
    }
    buckets_.begins[buckets_.size] = sum;
  }

  [[gnu::noinline]] void scatter_part(const Part& part) const {
    const Codec codec = codec_;
    const OrderingBits bits = bits_;
    const std::uint32_t* const entries = buckets_.entries;
    std::uint32_t* const places = part.places;
    const std::uint32_t* const firsts = part.firsts;
    const Combiner<Word> words(words_, part.lines);
    const Raw<K>* const keys = part.range.lanes.keys;
    const Raw<V>* const values = part.range.lanes.values;
    const std::uint64_t first_index = part.range.first_index;
    const auto scatter = [&](const auto value_at) {
      for (std::uint64_t i = 0; i < part.range.count; ++i) {
        const K carried = codec.template load<true>(keys[i].bits);
        const std::uint32_t bucket = WordBuckets::of(entries, bits.of(codec.mapped(carried)));
        words.put(bucket, places[bucket]++, Word{carried} << 32 | value_at(i), firsts);
      }
    };
    if (values == nullptr)
      scatter([&](std::uint64_t i) { return static_cast<V>(first_index + i); });
    else
      scatter([&](std::uint64_t i) { return values[i].bits; });
    for (std::uint32_t b = 0; b < buckets_.size; ++b) words.drain(b, firsts[b], places[b]);
    stream_fence();
  }

  void sort_buckets() {
    constexpr std::uint32_t kInTask = 16;  // a bucket is too little to ask for alone
    // A bucket that would keep one thread waiting for another is left to all of them.
    const std::uint32_t count = static_cast<std::uint32_t>(job_.range.count);
    const std::uint32_t large = job_.parts == 1 ? count : count / (kLarge * job_.parts);
    std::uint32_t left[kLarge * kMaxThreads];
    std::atomic<std::uint32_t> left_size{0};
    team_.run((buckets_.size + kInTask - 1) / kInTask, [&](std::uint32_t task) {
      const std::uint32_t end = (task + 1) * kInTask < buckets_.size ? (task + 1) * kInTask : buckets_.size;
      for (std::uint32_t b = task * kInTask; b < end; ++b) {
        if (!sort_bucket(b, large)) left[left_size.fetch_add(1, std::memory_order_relaxed)] = b;
      }
    });
    const std::uint32_t size = left_size.load(std::memory_order_relaxed);  // run() has joined those who counted
    for (std::uint32_t i = 0; i < size; ++i) {
      const Unpacked lanes = unpack(left[i]);
      lanes_.sort_together(lanes.range, bits_left(left[i]), lanes.to);
    }
  }

  // False: it is larger than `large`, and not sorted.
  bool sort_bucket(std::uint32_t b, std::uint32_t large) {
    const std::uint32_t begin = buckets_.begins[b], count = buckets_.begins[b + 1] - begin;
    if (count == 0) return true;
    const Raw<Word>* const words = words_ + begin;
    const Lanes<K, V> out = job_.to.result().from(begin);
    if (stands_sorted(words, count, b)) {
      write(
          words, count, [](std::uint32_t i) { return i; }, out);
      return true;
    }
    const unsigned place_bits = static_cast<unsigned>(32 - __builtin_clz(count - 1));
    if (buckets_.shifts[b] - bits_.low + place_bits <= 32) {
      sort_by_places(words, count, b, place_bits, out);
    } else if (count <= large) {
      const Unpacked lanes = unpack(b);
      lanes_.sort_alone(lanes.range, bits_left(b), lanes.to);
    } else {
      return false;
    }
    return true;
  }

  // What orders keys within the bucket.
  struct BucketBits {
    Codec codec;
    OrderingBits bits;
    std::uint32_t mask;
    [[gnu::always_inline]] std::uint32_t of(Word word) const {
      return (bits.of(codec.mapped(static_cast<K>(word >> 32))) & mask) >> bits.low;
    }
  };
  BucketBits bucket_bits(std::uint32_t b) const { return {codec_, bits_, (1u << buckets_.shifts[b]) - 1}; }

  // Ends at the first disorder.
  bool stands_sorted(const Raw<Word>* words, std::uint32_t count, std::uint32_t b) const {
    const BucketBits bits = bucket_bits(b);
    std::uint32_t before = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t here = bits.of(words[i].bits);
      if (here < before) return false;
      before = here;
    }
    return true;
  }

  [[gnu::noinline]] void sort_by_places(const Raw<Word>* words, std::uint32_t count, std::uint32_t b,
                                        unsigned place_bits, const Lanes<K, V>& out) const {
    constexpr std::uint32_t kNear = 8192;
    alignas(64) Raw<K> near_here[kNear], near_there[kNear];
    // What does not fit there is sorted where the result and scratch lie.
    const bool near = count <= kNear;
    Raw<K>* const here = near ? near_here : spare_keys(buckets_.begins[b]);
    Raw<K>* const sorted = near ? near_there : out.values;
    const BucketBits bits = bucket_bits(b);
    for (std::uint32_t i = 0; i < count; ++i) here[i].bits = bits.of(words[i].bits) << place_bits | i;
    const ImageCodec<K> as_they_are{};
    sort_by_vectors(as_they_are, Range<K, NoValue>{{here, nullptr}, count, 0, Where::alternate, false},
                    Destination<K, NoValue>{{sorted, nullptr}, {here, nullptr}});
    const std::uint32_t place = (1u << place_bits) - 1;
    write(
        words, count, [=](std::uint32_t i) { return sorted[i].bits & place; }, out);
  }

  // Word number place_of(i) to place i of the result.
  template <class PlaceOf>
  [[gnu::always_inline]] void write(const Raw<Word>* words, std::uint32_t count, PlaceOf place_of,
                                    Lanes<K, V> out) const {
    const Codec codec = codec_;
    if (out.keys == nullptr) {
      for (std::uint32_t i = 0; i < count; ++i) out.values[i].bits = static_cast<V>(words[place_of(i)].bits);
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const Word word = words[place_of(i)].bits;
      out.keys[i].bits = codec.template store<true>(static_cast<K>(word >> 32));
      out.values[i].bits = static_cast<V>(word);
    }
  }

  // A lane of keys beside the words: the result's or, where none are written, that of the alternate values.
  Raw<K>* spare_keys(std::uint64_t begin) const {
    return job_.to.writes_keys ? job_.to.dst.keys + begin : reinterpret_cast<Raw<K>*>(job_.to.alternate.values + begin);
  }

  struct Unpacked {
    Range<K, V> range;
    Destination<K, V> to;
  };

  // The bucket as lanes, where the result is to be; what its words took is their alternate.
  Unpacked unpack(std::uint32_t b) const {
    const std::uint64_t begin = buckets_.begins[b], count = buckets_.begins[b + 1] - begin;
    Raw<K>* const room = reinterpret_cast<Raw<K>*>(words_ + begin);
    Unpacked lanes{{}, job_.to};
    lanes.to.dst = {spare_keys(begin), job_.to.dst.values + begin};
    lanes.to.alternate = {room, room + count};
    lanes.range = {lanes.to.dst, count, 0, Where::dst, false};
    for (std::uint64_t i = 0; i < count; ++i) {
      const Word word = words_[begin + i].bits;
      lanes.to.dst.keys[i].bits = static_cast<K>(word >> 32);
      lanes.to.dst.values[i].bits = static_cast<V>(word);
    }
    return lanes;
  }

  K bits_left(std::uint32_t b) const { return varying_ & ((1u << buckets_.shifts[b]) - 1) >> bits_.up; }

  static constexpr std::uint32_t kLarge = 8;  // buckets beyond a share of a thread's share

  const Codec codec_;
  Team& team_;
  const Job<K, V>& job_;
  const K varying_;
  const OrderingBits bits_;
  const WordRoom room_;
  Raw<Word>* const words_;
  WordBuckets buckets_;
  Sorter<K, V, Codec> lanes_;
};

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
