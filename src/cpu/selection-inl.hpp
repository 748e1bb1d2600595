// The first k of many keys. By counting: a histogram of the leading varying bits tells in which cell the k-th key lies;
// what lies in lower cells is kept, and the cell looked into by its next bits (MSD radix selection). By a filter, where
// k is small: each part holds candidates and the key of its k-th best so far; one vectorised compare passes over all
// keys that are no better, and candidates are thinned out by counting when their room is full. Keys in falling order
// are candidates all; thinning four k out to one at a time keeps that linear.
#pragma once
#include "cpu/partition-inl.hpp"
#include "cpu/selection.hpp"
#include "cpu/survey-inl.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {
namespace LANESORT_ISA {

// The mapped key, of which only the bits asked for are compared.
template <class K>
struct Comparison {
  KeyOrder<K> order;
  K bit_mask;
  [[gnu::always_inline]] K of(K raw) const { return static_cast<K>(order.map(raw) & bit_mask); }
};

// Of the bits `high`, keys below the prefix are kept, and the first `ties` of those that have the prefix.
template <class K>
struct Cut {
  K high = 0;
  K prefix = 0;
  std::uint64_t ties = 0;
  [[gnu::always_inline]] bool below(K mapped) const { return static_cast<K>(mapped & high) < prefix; }
  [[gnu::always_inline]] bool at(K mapped) const { return static_cast<K>(mapped & high) == prefix; }
  // No key on the kept side is above it.
  [[gnu::always_inline]] K last(K bit_mask) const { return static_cast<K>(prefix | (bit_mask & static_cast<K>(~high))); }
};

// Who works on an array: one part by the calling thread, or all parts by the team. counters: parts * kCells.
struct Crew {
  Team* team;
  std::uint32_t parts;
  std::uint64_t* counters;

  // body(p, begin, end)
  template <class Body>
  void run(std::uint64_t count, Body&& body) const {
    if (parts == 1) return body(0u, std::uint64_t{0}, count);
    const std::uint32_t of = parts;
    team->run(of, [&](std::uint32_t p) { body(p, count * p / of, count * (p + 1) / of); });
  }
  std::uint64_t* counters_of(std::uint32_t p) const { return counters + std::uint64_t{p} * kCells; }
};

// body(i) for each i of [begin, end) whose mapped key the test takes. For tests that most blocks fail as a whole.
template <class K, class Test, class Body>
[[gnu::always_inline]] inline void for_each_hit(const Raw<K>* keys, std::uint64_t begin, std::uint64_t end,
                                                const Comparison<K> comparison, const Test test, Body&& body) {
  for (std::uint64_t block = begin; block < end; block += kFilterBlock) {
    const std::uint64_t size = end - block < kFilterBlock ? end - block : kFilterBlock;
    K any = 0;
    for (std::uint64_t i = 0; i < size; ++i) any = static_cast<K>(any | K{test(comparison.of(keys[block + i].bits))});
    if (any == 0) continue;
    std::uint8_t hits[kFilterBlock] = {};
    for (std::uint64_t i = 0; i < size; ++i) hits[i] = test(comparison.of(keys[block + i].bits));
    for (std::uint64_t i = 0; i < size; i += 8) {
      std::uint64_t eight;
      __builtin_memcpy(&eight, hits + i, 8);
      for (std::uint64_t at = i; eight != 0; ++at, eight >>= 8) {
        if constexpr (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
          const auto skip = static_cast<unsigned>(__builtin_ctzll(eight)) / 8;
          at += skip;
          eight >>= 8 * skip;
          body(block + at);
        } else if (hits[at] != 0) {
          body(block + at);
        }
      }
    }
  }
}

// Compared bits in which the keys differ.
template <class K>
[[gnu::noinline]] K varying_part(const Raw<K>* keys, std::uint64_t begin, std::uint64_t end, const Comparison<K>& by,
                                 K first) {
  const Comparison<K> comparison = by;
  K varying = 0;
  for (std::uint64_t i = begin; i < end; ++i) varying = static_cast<K>(varying | (comparison.of(keys[i].bits) ^ first));
  return varying;
}

template <class K>
K varying_bits(const Raw<K>* keys, std::uint64_t count, const Comparison<K>& comparison, const Crew& crew) {
  K parts[kMaxThreads];
  const K first = comparison.of(keys[0].bits);
  crew.run(count, [&](std::uint32_t p, std::uint64_t begin, std::uint64_t end) {
    parts[p] = varying_part(keys, begin, end, comparison, first);
  });
  K varying = 0;
  for (std::uint32_t p = 0; p < crew.parts; ++p) varying = static_cast<K>(varying | parts[p]);
  return varying;
}

// Counts the digit of the keys at the cut.
template <class K>
[[gnu::noinline]] void count_at_cut(const Raw<K>* keys, std::uint64_t begin, std::uint64_t end, const Comparison<K>& by,
                                    const Cut<K>& at, Digit<K> digit, std::uint64_t* cells) {
  const Comparison<K> comparison = by;
  const Cut<K> cut = at;
  __builtin_memset(cells, 0, (std::size_t{1} << digit.bits) * sizeof *cells);
  for (std::uint64_t i = begin; i < end; ++i) {
    const K mapped = comparison.of(keys[i].bits);
    if (cut.at(mapped)) ++cells[digit.of(mapped)];
  }
}

template <class K>
[[gnu::noinline]] void collect_at_cut(const Raw<K>* keys, std::uint64_t begin, std::uint64_t end,
                                      const Comparison<K>& comparison, const Cut<K>& at, Raw<K>* to) {
  const Cut<K> cut = at;
  for_each_hit(
      keys, begin, end, comparison, [cut](K mapped) { return cut.at(mapped); },
      [&](std::uint64_t i) { (to++)->bits = keys[i].bits; });
}

// The cell of the need-th key; need becomes its rank there. Leaves each part's count in that cell in its counter 0.
struct Cell {
  std::uint32_t number;
  std::uint64_t keys;
};

inline Cell find_cell(const Crew& crew, std::uint32_t cells, std::uint64_t& need) {
  for (std::uint32_t c = 0; c < cells; ++c) {
    std::uint64_t keys = 0;
    for (std::uint32_t p = 0; p < crew.parts; ++p) keys += crew.counters_of(p)[c];
    if (keys < need) {
      need -= keys;
      continue;
    }
    for (std::uint32_t p = 0; p < crew.parts; ++p) crew.counters_of(p)[0] = crew.counters_of(p)[c];
    return {c, keys};
  }
  return {0, 0};  // never: there are at least `need` keys at the cut
}

// Few keys are not worth looking through many cells.
inline unsigned cell_bits_for(std::uint64_t count) { return count < 16 * kCells ? 8 : kCellBits; }

// Where the first k keys end, 1 <= k <= count. spare: room for spare_count keys, in which a cell's keys are laid out to
// be looked at alone. varying: the compared bits in which keys differ. The cut's bits need not be all: it ends where a cell is kept whole.
template <class K>
[[gnu::noinline]] Cut<K> find_cut(const Raw<K>* keys, std::uint64_t count, std::uint64_t k, const Comparison<K>& comparison,
                                  const Crew& crew, Raw<K>* spare, std::uint64_t spare_count, K varying) {
  Cut<K> cut;
  cut.high = static_cast<K>(comparison.bit_mask & ~varying);
  cut.prefix = static_cast<K>(comparison.of(keys[0].bits) & cut.high);
  cut.ties = k;
  std::uint64_t inside = count;
  while (varying != 0 && cut.ties != inside) {
    const Digit<K> digit = leading_digit(varying, cell_bits_for(count));
    crew.run(count, [&](std::uint32_t p, std::uint64_t begin, std::uint64_t end) {
      count_at_cut(keys, begin, end, comparison, cut, digit, crew.counters_of(p));
    });
    const Cell cell = find_cell(crew, 1u << digit.bits, cut.ties);
    inside = cell.keys;
    const K digit_mask = static_cast<K>(static_cast<K>((std::uint64_t{1} << digit.bits) - 1) << digit.shift);
    cut.high = static_cast<K>(cut.high | (digit_mask & comparison.bit_mask));
    cut.prefix = static_cast<K>(cut.prefix | static_cast<K>(static_cast<K>(cell.number) << digit.shift));
    varying = static_cast<K>(varying & BitMask<K>::of(0, digit.shift).mask);
    if (varying == 0 || cut.ties == inside || inside > spare_count || inside > count / 4) continue;

    std::uint64_t places[kMaxThreads + 1] = {0};
    for (std::uint32_t p = 0; p < crew.parts; ++p) places[p + 1] = places[p] + crew.counters_of(p)[0];
    crew.run(count, [&](std::uint32_t p, std::uint64_t begin, std::uint64_t end) {
      collect_at_cut(keys, begin, end, comparison, cut, spare + places[p]);
    });
    const Crew smaller{crew.team, inside < 2 * kKeysPerThread ? 1 : crew.parts, crew.counters};
    return find_cut<K>(spare, inside, cut.ties, comparison, smaller, nullptr, 0, varying_bits(spare, inside, comparison, smaller));
  }
  return cut;
}

// By the calling thread.
template <class K>
[[gnu::noinline]] Cut<K> find_cut_alone(const Raw<K>* keys, std::uint64_t count, std::uint64_t k,
                                        const Comparison<K>& comparison) {
  std::uint64_t counters[kCells];
  const Crew alone{nullptr, 1, counters};
  const K varying = varying_bits(keys, count, comparison, alone);
  return find_cut<K>(keys, count, k, comparison, alone, nullptr, 0, varying);
}

// Moves up to `room` of the items on the kept side of the cut to `to`, which may be where they come from. index: of the
// first one, where values count up.
template <class K, class V>
[[gnu::noinline]] void keep_part(Lanes<K, V> from, std::uint64_t count, std::uint64_t index, const Comparison<K>& by,
                                 Cut<K> cut, Lanes<K, V> to, std::uint64_t room) {
  const Comparison<K> comparison = by;
  std::uint64_t place = 0;
  for (std::uint64_t block = 0; block < count && place < room; block += kFilterBlock) {
    const std::uint64_t size = count - block < kFilterBlock ? count - block : kFilterBlock;
    const Lanes<K, V> items = from.from(block);
    std::uint8_t kept[kFilterBlock];
    const K high = cut.high, prefix = cut.prefix;
    K any_tied = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      const K mapped = static_cast<K>(comparison.of(items.keys[i].bits) & high);
      kept[i] = mapped < prefix;
      any_tied = static_cast<K>(any_tied | K{mapped == prefix});
    }
    for (std::uint64_t i = 0; any_tied != 0 && cut.ties != 0 && i < size; ++i) {
      const bool tied = cut.at(comparison.of(items.keys[i].bits));
      kept[i] = static_cast<std::uint8_t>(kept[i] | tied);
      cut.ties -= tied;
    }
    for (std::uint64_t i = 0; i < size && place < room; ++i) {
      to.keys[place].bits = items.keys[i].bits;
      if constexpr (kHasValue<V>)
        to.values[place].bits = from.values == nullptr ? counted_value<V>(index + block + i) : items.values[i].bits;
      place += kept[i];
    }
  }
}

template <class K>
[[gnu::noinline]] void count_sides(const Raw<K>* keys, std::uint64_t begin, std::uint64_t end, const Comparison<K>& by,
                                   const Cut<K>& at, std::uint64_t& below, std::uint64_t& tied) {
  const Comparison<K> comparison = by;
  const Cut<K> cut = at;
  constexpr std::uint64_t kBlock = sizeof(K) == 1 ? 128 : 4096;  // what a K can count
  below = tied = 0;
  for (std::uint64_t block = begin; block < end; block += kBlock) {
    const std::uint64_t stop = end - block < kBlock ? end : block + kBlock;
    K b = 0, t = 0;
    for (std::uint64_t i = block; i < stop; ++i) {
      const K mapped = comparison.of(keys[i].bits);
      b = static_cast<K>(b + K{cut.below(mapped)});
      t = static_cast<K>(t + K{cut.at(mapped)});
    }
    below += b;
    tied += t;
  }
}

// The first k of the items, to `to`.
template <class K, class V>
void keep_first(Lanes<K, V> from, std::uint64_t count, std::uint64_t k, const Comparison<K>& comparison, const Cut<K>& cut,
                const Crew& crew, Lanes<K, V> to) {
  if (crew.parts == 1) return keep_part(from, count, 0, comparison, cut, to, k);
  std::uint64_t below[kMaxThreads], tied[kMaxThreads];
  crew.run(count, [&](std::uint32_t p, std::uint64_t begin, std::uint64_t end) {
    count_sides(from.keys, begin, end, comparison, cut, below[p], tied[p]);
  });
  Cut<K> cuts[kMaxThreads];
  std::uint64_t places[kMaxThreads + 1] = {0};
  std::uint64_t ties = cut.ties;
  for (std::uint32_t p = 0; p < crew.parts; ++p) {
    cuts[p] = cut;
    cuts[p].ties = tied[p] < ties ? tied[p] : ties;
    ties -= cuts[p].ties;
    places[p + 1] = places[p] + below[p] + cuts[p].ties;
  }
  crew.run(count, [&](std::uint32_t p, std::uint64_t begin, std::uint64_t end) {
    keep_part(from.from(begin), end - begin, begin, comparison, cuts[p], to.from(places[p]), places[p + 1] - places[p]);
  });
}

// Leaves the first k candidates. No key that is not below what it returns, and comes later, can be among them.
template <class K, class V>
[[gnu::noinline]] K thin_out(Lanes<K, V> candidates, std::uint64_t count, std::uint64_t k, const Comparison<K>& comparison) {
  const Cut<K> cut = find_cut_alone(candidates.keys, count, k, comparison);
  keep_part(candidates, count, 0, comparison, cut, candidates, k);
  return cut.last(comparison.bit_mask);
}

// A first bound for a part, from a sample of it, in `room`: at least k keys are at or below it. Taken from all over the
// part, it spares falling keys from being candidates all.
template <class K>
[[gnu::noinline]] K sample_bound(const Raw<K>* keys, std::uint64_t count, std::uint64_t k, const Comparison<K>& comparison,
                                 Raw<K>* room, std::uint64_t size) {
  const std::uint64_t step = count / size;
  for (std::uint64_t i = 0; i < size; ++i) room[i].bits = keys[i * step].bits;
  return find_cut_alone(room, size, k, comparison).last(comparison.bit_mask);
}

// One part of the keys against its own bound: leaves its first k as candidates.
template <class K, class V>
[[gnu::noinline]] void filter_part(const Raw<K>* keys, std::uint64_t begin, std::uint64_t end,
                                   const Comparison<K>& by, std::uint64_t k, Lanes<K, V> candidates,
                                   std::uint64_t capacity) {
  const Comparison<K> comparison = by;
  K bound = sample_bound(keys + begin, end - begin, k, comparison, candidates.keys, capacity - kFilterBlock);
  std::uint64_t size = 0;
  for (;;) {
    while (begin < end && size + kFilterBlock <= capacity) {
      const std::uint64_t stop = end - begin < kFilterBlock ? end : begin + kFilterBlock;
      for_each_hit(
          keys, begin, stop, comparison, [bound](K mapped) { return mapped <= bound; },
          [&](std::uint64_t i) {
            candidates.keys[size].bits = keys[i].bits;
            if constexpr (kHasValue<V>) candidates.values[size].bits = counted_value<V>(i);
            ++size;
          });
      begin = stop;
    }
    if (size > k || begin < end) {
      const K last = thin_out(candidates, size, k, comparison);
      size = k;
      if (last == 0) return;  // nothing is below it, and what is equal comes later
      bound = static_cast<K>(last - 1);
    }
    if (begin == end) return;
  }
}

template <class K, class V>
void slide(Lanes<K, V> from, std::uint64_t count, Lanes<K, V> to) {
  __builtin_memmove(to.keys, from.keys, count * sizeof(Raw<K>));
  if constexpr (kHasValue<V>) __builtin_memmove(to.values, from.values, count * sizeof(Raw<V>));
}

template <class K, class V>
void select_by_filter(const Selection& selection, const Comparison<K>& comparison, const Crew& crew, Lanes<K, V> candidates,
                      std::uint64_t capacity, Lanes<K, V> to) {
  const Raw<K>* const keys = static_cast<const Raw<K>*>(selection.keys_src);
  const std::uint64_t k = selection.k;
  crew.run(selection.count, [&](std::uint32_t p, std::uint64_t begin, std::uint64_t end) {
    filter_part(keys, begin, end, comparison, k, candidates.from(p * capacity), capacity);
  });
  for (std::uint32_t p = 1; p < crew.parts; ++p) slide(candidates.from(p * capacity), k, candidates.from(p * k));
  if (crew.parts > 1) thin_out(candidates, crew.parts * k, k, comparison);
  slide(candidates, selection.k, to);
}

template <class K, class V>
void select_by_counting(const Selection& selection, const Comparison<K>& comparison, const Crew& crew, Lanes<K, V> to) {
  const std::uint64_t count = selection.count, k = selection.k;
  Lanes<K, V> from;  // const_cast: a source is only read; its lanes share the type of those that are written
  from.keys = static_cast<Raw<K>*>(const_cast<void*>(selection.keys_src));
  const Survey<K> survey =
      survey_keys(from.keys, count, comparison.order, comparison.bit_mask, *crew.team, crew.parts);
  if (survey.rising || survey.falling) {  // a stretch at one end; to be sorted, which costs a look and a reversal
    const std::uint64_t first = survey.rising ? 0 : count - k;
    Cut<K> all;
    all.ties = k;
    crew.run(k, [&](std::uint32_t, std::uint64_t begin, std::uint64_t end) {
      keep_part(from.from(first + begin), end - begin, first + begin, comparison, all, to.from(begin), end - begin);
    });
    return;
  }
  const Cut<K> cut = find_cut(from.keys, count, k, comparison, crew, to.keys, k, survey.varying);
  keep_first(from, count, k, comparison, cut, crew, to);
}

template <class K, class V>
void select_lanes(const Selection& selection, Team& team) {
  const SelectionLayout layout = layout_selection(selection.count, selection.k, sizeof(Raw<K>),
                                                  kHasValue<V> ? sizeof(Raw<V>) : 0, selection.parts);
  char* const scratch = static_cast<char*>(selection.scratch);
  const KeySpec& spec = selection.key;
  const Comparison<K> comparison{make_key_order<K>(spec.kind, spec.descending, spec.nan, spec.mantissa_bits),
                                 BitMask<K>::of(spec.bit_begin, spec.bit_end).mask};
  std::uint64_t own[kCells];
  Crew crew{&team, selection.parts, own};
  if (crew.parts > 1) {
    crew.counters = reinterpret_cast<std::uint64_t*>(
        (reinterpret_cast<std::uintptr_t>(scratch + layout.counters) + 7) & ~std::uintptr_t{7});
  }
  Lanes<K, V> to{static_cast<Raw<K>*>(selection.keys), nullptr};
  if constexpr (kHasValue<V>) to.values = static_cast<Raw<V>*>(selection.indices);
  if (layout.filters != 0) {
    crew.parts = layout.filters;
    Lanes<K, V> candidates{reinterpret_cast<Raw<K>*>(scratch), nullptr};
    if constexpr (kHasValue<V>) candidates.values = reinterpret_cast<Raw<V>*>(scratch + layout.indices);
    return select_by_filter(selection, comparison, crew, candidates, layout.capacity, to);
  }
  select_by_counting(selection, comparison, crew, to);
}

}  // namespace LANESORT_ISA
}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
