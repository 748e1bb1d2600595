// One read of the keys before any sort: is it sorted, is it falling (then a reversal sorts it, and stably if
// strictly so, since no two keys are equal), which bits of the mapped keys vary, and does any key need the whole map.
// Written so that the compiler vectorises it: blocks, no early exit inside one, flags gathered by or.
#pragma once
#include "cpu/codec-inl.hpp"
#include "cpu/team.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

template <class K>
struct Survey {
  bool rising = true;    // no key is below the one before it
  bool falling = true;   // every key is below the one before it
  bool sinking = true;   // no key is above the one before it
  bool special = false;  // some key that KeyOrder::special() names
  K varying = 0;         // mapped bits, of those asked for, in which keys differ
};

template <class K>
struct BitMask {
  K mask;
  static BitMask of(unsigned begin, unsigned end) {
    const unsigned width = sizeof(K) * 8;
    const K below_end = end >= width ? static_cast<K>(~K{0}) : static_cast<K>((K{1} << end) - 1);
    return {begin >= width ? K{0} : static_cast<K>(below_end & static_cast<K>(~K{0} << begin))};
  }
};

// The keys [begin, end), each compared with the one before it; `first` is the mapped key that varying bits are
// counted against, the same for all parts of an array.
template <class K>
[[gnu::noinline]] Survey<K> survey_part(const Raw<K>* keys, std::uint64_t begin, std::uint64_t end,
                                        const KeyOrder<K>& key_order, K bit_mask, K first) {
  constexpr std::uint64_t kBlock = 4096;
  const KeyOrder<K> order = key_order;
  Survey<K> survey;
  K varying = 0, special = 0;
  for (std::uint64_t block = begin; block < end; block += kBlock) {
    const std::uint64_t stop = block + kBlock < end ? block + kBlock : end;
    if (survey.rising || survey.sinking) {
      K not_rising = 0, not_falling = 0, not_sinking = 0;
      for (std::uint64_t i = block == 0 ? 1 : block; i < stop; ++i) {
        const K here = static_cast<K>(order.map(keys[i].bits) & bit_mask);
        const K before = static_cast<K>(order.map(keys[i - 1].bits) & bit_mask);
        not_rising = static_cast<K>(not_rising | (here < before));
        not_falling = static_cast<K>(not_falling | (here >= before));
        not_sinking = static_cast<K>(not_sinking | (here > before));
      }
      survey.rising = survey.rising && not_rising == 0;
      survey.falling = survey.falling && not_falling == 0;
      survey.sinking = survey.sinking && not_sinking == 0;
    }
    for (std::uint64_t i = block; i < stop; ++i) {
      const K raw = keys[i].bits;
      special = static_cast<K>(special | order.special(raw));
      varying = static_cast<K>(varying | (order.map(raw) ^ first));
    }
  }
  survey.varying = static_cast<K>(varying & bit_mask);
  survey.special = special != 0;
  return survey;
}

template <class K>
Survey<K> survey_keys(const Raw<K>* keys, std::uint64_t count, const KeyOrder<K>& order, K bit_mask, Team& team,
                      std::uint32_t parts) {
  const K first = order.map(keys[0].bits);
  Survey<K> results[kMaxThreads];
  team.run(parts, [&](std::uint32_t p) {
    results[p] = survey_part(keys, count * p / parts, count * (p + 1) / parts, order, bit_mask, first);
  });
  Survey<K> all = results[0];
  for (std::uint32_t p = 1; p < parts; ++p) {
    all.rising = all.rising && results[p].rising;
    all.falling = all.falling && results[p].falling;
    all.sinking = all.sinking && results[p].sinking;
    all.special = all.special || results[p].special;
    all.varying = static_cast<K>(all.varying | results[p].varying);
  }
  return all;
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
