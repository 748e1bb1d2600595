// Keys of few values that may stand for one another: found out by a sample, counted by comparing each key with each value,
// a register of them at a time, and filled. A key that is none of the values ends it, and nothing has been written.
#pragma once
#include "cpu/sorter-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

template <class K>
struct FewValues {
  static constexpr unsigned kMost = 16;
  unsigned size = 0;
  K values[kMost];
  std::uint64_t counts[kMost];
};

// Values that a sample of the keys holds; size 0: too many.
template <class K>
FewValues<K> sample_values(const Raw<K>* keys, std::uint64_t count) {
  constexpr std::uint64_t kSamples = 512;
  FewValues<K> few;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const K key = keys[count / kSamples * i].bits;
    unsigned v = 0;
    while (v < few.size && few.values[v] != key) ++v;
    if (v < few.size) continue;
    if (few.size == FewValues<K>::kMost) return {};
    few.values[few.size++] = key;
  }
  return few;
}

// False: some key is another one.
template <class K>
[[gnu::noinline]] bool count_values(const Raw<K>* keys, std::uint64_t count, FewValues<K>& few) {
  constexpr std::uint64_t kBlock = 4096;  // so that 16 bits count a block
  for (unsigned v = 0; v < few.size; ++v) few.counts[v] = 0;
  for (std::uint64_t begin = 0; begin < count; begin += kBlock) {
    const std::uint64_t end = begin + kBlock < count ? begin + kBlock : count;
    std::uint64_t known = 0;
    for (unsigned v = 0; v < few.size; ++v) {
      const K value = few.values[v];
      K here = 0;  // as wide as a key, so that compared lanes add up as they are
      for (std::uint64_t i = begin; i < end; ++i) here = static_cast<K>(here + (keys[i].bits == value));
      few.counts[v] += here;
      known += here;
    }
    if (known != end - begin) return false;
  }
  return true;
}

// True if it was done.
template <class K>
bool sort_few_values(const KeyOrder<K>& order, const Range<K, NoValue>& range, Raw<K>* dst, Team& team,
                     std::uint32_t parts) {
  constexpr std::uint64_t kWorthSampling = 8192;
  if (sizeof(K) == 1 || range.count < kWorthSampling) return false;
  const Raw<K>* const keys = range.lanes.keys;
  FewValues<K> few = sample_values(keys, range.count);
  if (few.size == 0) return false;
  for (unsigned v = 1; v < few.size; ++v) {
    const K value = few.values[v];
    unsigned place = v;
    for (; place > 0 && order.image(value) < order.image(few.values[place - 1]); --place)
      few.values[place] = few.values[place - 1];
    few.values[place] = value;
  }
  FewValues<K> of_part[kMaxThreads];
  bool known[kMaxThreads];
  const auto begin_of = [&](std::uint32_t p) { return range.count * p / parts; };
  team.run(parts, [&](std::uint32_t p) {
    FewValues<K> mine = few;  // not beside another thread's counts
    known[p] = count_values(keys + begin_of(p), begin_of(p + 1) - begin_of(p), mine);
    of_part[p] = mine;
  });
  for (unsigned v = 0; v < few.size; ++v) few.counts[v] = 0;
  for (std::uint32_t p = 0; p < parts; ++p) {
    if (!known[p]) return false;
    for (unsigned v = 0; v < few.size; ++v) few.counts[v] += of_part[p].counts[v];
  }
  team.run(parts, [&](std::uint32_t p) {
    fill_runs([&](std::uint32_t v) { return few.values[v]; }, [&](std::uint32_t v) { return few.counts[v]; },
              begin_of(p), begin_of(p + 1), dst);
  });
  return true;
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
