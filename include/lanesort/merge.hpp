// merge.hpp: stable comparator merge sort and merge, for any movable type and any strict weak order. Header-only,
// because the comparator is the caller's code; of lanesort.h it takes the executor alone, and needs no library to link.
//
//   lanesort::merge_sort(people, std::ranges::less{}, &Person::age);                  // stable, in place, all threads
//   lanesort::merge_sort(rows, by_date, {}, {.threads = 2});
//   lanesort::merge(left, right, both);                                               // left first among equals
//
// Exceptions: unlike the C interface, which has statuses, these calls throw: what the caller's comparator, projection
// or moves throw, from whichever thread, and std::bad_alloc. A sort that throws leaves a permutation of its input where
// moves do not throw, and valid items where they do. A comparator that is no strict weak order gives some permutation.
// Threads: comparator and projection are shared by all threads and called by them at once; threads = 1 is the caller's
// alone. Memory: a sort takes scratch for count items, of the caller's or its own; sorted input takes none and one read.
//
// Invariant: every step fills its output range with the items of its input range, whatever the comparator does; a step
// whose comparator threw does so without comparing on. So no step has to undo another one.
// Prior art: merge path (Odeh, Green, Mwassi, Shmueli, Birk 2012); merging from both ends without branches (Peters,
// glidesort 2023; driftsort, 2024); natural runs (Knuth 5.2.4).
#ifndef LANESORT_MERGE_HPP
#define LANESORT_MERGE_HPP

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <ranges>
#include <span>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

#include "lanesort.h"

namespace lanesort {
inline namespace v1 {

struct MergeOptions {
  std::uint32_t threads = 0;               // 0: all of the machine, or of the executor
  std::span<std::byte> scratch{};          // any alignment and content; less than merge_sort_scratch_bytes is not used
  const lanesort_executor* executor = nullptr;  // null: the call starts its own threads and joins them
};

// Scratch with which a sort of count items allocates nothing but its threads.
template <class T>
constexpr std::uint64_t merge_sort_scratch_bytes(std::uint64_t count) noexcept {
  return count * sizeof(T) + alignof(T) - 1;
}

namespace detail {
// Items that copy as bytes: their merges copy ahead of knowing, without branches, and scratch needs no construction.
template <class T>
inline constexpr bool kPlainItem = std::is_trivially_copyable_v<T>;
template <class T>
inline constexpr bool kSmallItem = kPlainItem<T> && sizeof(T) <= 64;

inline constexpr std::size_t kNetworkLeaf = 32;
template <class T>
inline constexpr std::size_t kLeafCount = kSmallItem<T> ? kNetworkLeaf : 16;
inline constexpr std::size_t kParallelCount = std::size_t{1} << 14;  // below, starting threads costs more than it gains
inline constexpr std::size_t kTrimCount = 256;  // shorter merges are over before a search pays
inline constexpr std::uint32_t kMostTasks = 8 * LANESORT_MAX_THREADS;

// The first exception of any thread.
class MergeFailure {
 public:
  bool happened() const noexcept { return happened_.load(std::memory_order_relaxed); }
  void keep() noexcept {
    if (!happened_.exchange(true, std::memory_order_relaxed)) cause_ = std::current_exception();
  }
  void rethrow() {  // once the threads are joined, which makes cause_ visible
    if (cause_) std::rethrow_exception(std::move(cause_));
  }

 private:
  std::atomic<bool> happened_{false};
  std::exception_ptr cause_;
};

template <class Compare, class Projection>
struct Precedes {
  Compare& compare;
  Projection& projection;
  template <class A, class B>
  bool operator()(A& a, B& b) const {
    return static_cast<bool>(std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b)));
  }
};

// Items are moved out of a sort's buffers and copied out of a merge's inputs, which are const.
template <class S, class T>
T* take_items(S* from, S* from_end, T* to) {
  if constexpr (kPlainItem<T>) {
    const auto count = static_cast<std::size_t>(from_end - from);
    if (count != 0) std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), count * sizeof(T));
    return to + count;
  } else {
    for (; from != from_end; ++from, ++to) *to = std::move(*from);
    return to;
  }
}

// A choice without a branch, which would be mispredicted every other time. The empty assembly hides from compilers that
// this is a choice; clang would make it a branch again.
template <class S>
S* choose(bool second, S* a, S* b) noexcept {
  const auto at_a = reinterpret_cast<std::uintptr_t>(a), at_b = reinterpret_cast<std::uintptr_t>(b);
  std::uintptr_t mask = std::uintptr_t{0} - std::uintptr_t{second};
#if defined(__GNUC__)
  asm("" : "+r"(mask));
#endif
  return reinterpret_cast<S*>(at_a ^ ((at_a ^ at_b) & mask));
}

// The plain merge. The pointers tell how far it came when the comparator throws.
template <class S, class T, class Less>
void merge_forward(S*& a, S* a_end, S*& b, S* b_end, T*& out, const Less& less) {
  while (a != a_end && b != b_end) {
    const bool right = less(*b, *a);
    S* const from = right ? b : a;
    *out = std::move(*from);
    ++out;
    a += !right;
    b += right;
  }
}

// Merges plain items from both ends at once: two chains of dependent loads run side by side. As many steps as the
// shorter run has items cannot leave either run, whatever is answered. False: the ends did not meet, because the
// comparator contradicts itself; the inputs are as they were.
template <class S, class T, class Less>
bool merge_both_ends(S* a, S* a_end, S* b, S* b_end, T* out, const Less& less) {
  T* out_end = out + (a_end - a) + (b_end - b);
  for (;;) {
    const std::ptrdiff_t steps = a_end - a < b_end - b ? a_end - a : b_end - b;
    if (steps == 0) break;
    for (std::ptrdiff_t i = 0; i < steps; ++i) {
      const bool right = less(*b, *a);
      *out++ = std::move(*detail::choose(right, a, b));
      b += right;
      a += !right;
      const bool left = less(b_end[-1], a_end[-1]);
      *--out_end = std::move(*(detail::choose(left, b_end, a_end) - 1));
      a_end -= left;
      b_end -= !left;
    }
    if (a > a_end || b > b_end) return false;
  }
  detail::take_items(b, b_end, detail::take_items(a, a_end, out));
  return true;
}

// The first of [first, last) that item stands before, searched for in doubling steps from the front.
template <class S, class Less>
S* first_after(S* first, S* last, S& item, const Less& less) {
  std::ptrdiff_t step = 1;
  while (step < last - first && !less(item, first[step - 1])) first += step, step *= 2;
  S* end = step < last - first ? first + step : last;
  while (first != end) {
    S* const middle = first + (end - first) / 2;
    if (less(item, *middle))
      end = middle;
    else
      first = middle + 1;
  }
  return first;
}

// The end of what stands before item, searched for from the back.
template <class S, class Less>
S* end_before(S* first, S* last, S& item, const Less& less) {
  std::ptrdiff_t step = 1;
  while (step < last - first && !less(last[-step], item)) last -= step, step *= 2;
  S* begin = step < last - first ? last - step : first;
  while (begin != last) {
    S* const middle = begin + (last - begin) / 2;
    if (less(*middle, item))
      begin = middle + 1;
    else
      last = middle;
  }
  return begin;
}

// Merges two runs into out. A long merge first sets aside what stands in place already.
template <class S, class T, class Less>
void merge_runs(S* a, S* a_end, S* b, S* b_end, T* out, const Less& less, MergeFailure& failure) noexcept {
  try {
    if (a != a_end && b != b_end && !failure.happened() && less(*b, a_end[-1])) {
      S* b_stop = b_end;
      if ((a_end - a) + (b_end - b) >= static_cast<std::ptrdiff_t>(kTrimCount)) {
        S* const start = detail::first_after(a, a_end, *b, less);
        if (start != a_end) b_stop = detail::end_before(b, b_end, a_end[-1], less);
        out = detail::take_items(a, start, out);
        a = start;
      }
      bool merged = false;
      if constexpr (kPlainItem<T>) merged = detail::merge_both_ends(a, a_end, b, b_stop, out, less);
      if (merged) {
        out += (a_end - a) + (b_stop - b);
        a = a_end;
        b = b_stop;
      } else {
        detail::merge_forward(a, a_end, b, b_stop, out, less);
      }
    }
  } catch (...) {
    failure.keep();
  }
  try {
    detail::take_items(b, b_end, detail::take_items(a, a_end, out));
  } catch (...) {  // a move threw
    failure.keep();
  }
}

// How many of the first `diagonal` merged items come from a: merge path. first_a and first_b are the split before, which
// no answer of the comparator takes this one below.
template <class S, class Less>
std::size_t split_merge(S* a, std::size_t a_count, std::size_t first_a, S* b, std::size_t b_count, std::size_t first_b,
                        std::size_t diagonal, const Less& less, MergeFailure& failure) noexcept {
  std::size_t low = diagonal > b_count ? diagonal - b_count : 0, high = diagonal - first_b;
  if (low < first_a) low = first_a;
  if (high > a_count) high = a_count;
  try {
    while (low < high && !failure.happened()) {
      const std::size_t middle = low + (high - low) / 2;
      if (less(b[diagonal - 1 - middle], a[middle]))
        high = middle;
      else
        low = middle + 1;
    }
  } catch (...) {
    failure.keep();
  }
  return low;
}

// Who runs tasks.
struct MergeTeam {
  explicit MergeTeam(const MergeOptions& options) noexcept : executor(options.executor) {
    const std::uint32_t there = executor != nullptr ? executor->threads : std::thread::hardware_concurrency();
    threads = options.threads == 0 || options.threads > there ? there : options.threads;
    if (threads == 0) threads = 1;
    if (threads > LANESORT_MAX_THREADS) threads = LANESORT_MAX_THREADS;
  }

  // Calls task(i), which does not throw, once for each i below count; count is at most kMostTasks.
  template <class Task>
  void run(std::uint32_t count, const Task& task) const noexcept {
    std::atomic<bool> begun[kMostTasks];
    for (std::uint32_t i = 0; i < count; ++i) begun[i].store(false, std::memory_order_relaxed);
    const auto once = [&](std::uint32_t i) {
      if (!begun[i].exchange(true, std::memory_order_relaxed)) task(i);
    };
    if (threads > 1 && count > 1) run_at_once(count, once);
    for (std::uint32_t i = 0; i < count; ++i) once(i);  // what an executor left out would be lost
  }

  std::uint32_t threads = 1;
  const lanesort_executor* executor;

 private:
  template <class Task>
  void run_at_once(std::uint32_t count, const Task& task) const noexcept {
    if (executor != nullptr) {
      const auto call = [](void* argument, std::uint32_t i) { (*static_cast<const Task*>(argument))(i); };
      return executor->run(executor->context, count, call, const_cast<Task*>(std::addressof(task)));
    }
    std::atomic<std::uint32_t> next{0};
    const auto work = [&] {
      for (std::uint32_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i);
    };
    std::thread helpers[LANESORT_MAX_THREADS];
    try {
      for (std::uint32_t t = 1; t < threads && t < count; ++t) helpers[t] = std::thread(work);
    } catch (...) {  // fewer threads do the same work
    }
    work();
    for (std::thread& helper : helpers)
      if (helper.joinable()) helper.join();
  }
};

// A part of a merge: item ranges by their places.
template <class S, class T>
struct MergePiece {
  S *a, *a_end, *b, *b_end;
  T* out;
};

// Cuts the merge of two runs into parts of one length that know nothing of each other.
template <class S, class T, class Less>
MergePiece<S, T>* cut_merge(S* a, std::size_t a_count, S* b, std::size_t b_count, T* out, std::size_t parts,
                            MergePiece<S, T>* pieces, const Less& less, MergeFailure& failure) noexcept {
  const std::size_t count = a_count + b_count;
  std::size_t at = 0, at_a = 0;
  for (std::size_t part = 1; part <= parts; ++part) {
    const std::size_t end = part == parts ? count : count / parts * part;
    const std::size_t end_a =
        part == parts ? a_count : split_merge(a, a_count, at_a, b, b_count, at - at_a, end, less, failure);
    *pieces++ = {a + at_a, a + end_a, b + (at - at_a), b + (end - end_a), out + at};
    at = end;
    at_a = end_a;
  }
  return pieces;
}

// Four items in order, by five comparisons and no branch; some permutation of them, whatever is answered.
template <class T, class Less>
void sort_four(T* from, T* to, const Less& less) {
  const bool swap_low = less(from[1], from[0]), swap_high = less(from[3], from[2]);
  T *const a = from + swap_low, *const b = from + !swap_low;
  T *const c = from + 2 + swap_high, *const d = from + 2 + !swap_high;
  const bool right_first = less(*c, *a), left_last = less(*d, *b);
  T* const first = detail::choose(right_first, a, c);
  T* const last = detail::choose(left_last, d, b);
  T* const left = detail::choose(right_first, detail::choose(left_last, b, c), a);
  T* const right = detail::choose(left_last, detail::choose(right_first, c, b), d);
  const bool swap_middle = less(*right, *left);
  T first_item = std::move(*first), second_item = std::move(*detail::choose(swap_middle, left, right));
  T third_item = std::move(*detail::choose(swap_middle, right, left)), last_item = std::move(*last);
  to[0] = std::move(first_item);
  to[1] = std::move(second_item);
  to[2] = std::move(third_item);
  to[3] = std::move(last_item);
}

// Places [begin, run_end) known to rise, or to fall strictly.
struct NaturalRun {
  std::size_t end = 0;
  bool falling = false;
};

// The sort of one array: home holds the items at first, other as many places. Results go to either.
template <class T, class Less>
class MergeSorter {
 public:
  MergeSorter(T* home, T* other, const Less& less, MergeFailure& failure) noexcept
      : home_(home), other_(other), less_(less), failure_(failure) {}

  // The run at the front of [begin, end).
  NaturalRun find_run(std::size_t begin, std::size_t end) noexcept {
    if (end - begin < 2 || failure_.happened()) return {end, false};
    try {
      const bool falling = less_(home_[begin + 1], home_[begin]);
      std::size_t i = begin + 2;
      while (i < end && less_(home_[i], home_[i - 1]) == falling) ++i;
      return {i, falling};
    } catch (...) {
      failure_.keep();
      return {end, false};
    }
  }

  void place_run(std::size_t begin, std::size_t end, bool falling, bool at_home) noexcept {
    try {
      if (!falling) {
        if (!at_home) detail::take_items(home_ + begin, home_ + end, other_ + begin);
      } else if (!at_home) {
        for (std::size_t i = begin; i < end; ++i) other_[i] = std::move(home_[begin + end - 1 - i]);
      } else {
        for (std::size_t i = begin, j = end; i + 1 < j; ++i) {
          T item = std::move(home_[i]);
          home_[i] = std::move(home_[--j]);
          home_[j] = std::move(item);
        }
      }
    } catch (...) {
      failure_.keep();
    }
  }

  // Sorts [begin, end). Depth first, so that the lower merges stay in the cache. Each item is looked at for runs once:
  // a run found goes down to the parts that it reaches into.
  void sort(std::size_t begin, std::size_t end, bool to_home, NaturalRun run = {}) noexcept {
    if (run.end <= begin) run = find_run(begin, end);
    if (failure_.happened()) run = {end, false};
    if (run.end >= end) return place_run(begin, end, run.falling, to_home);
    if (end - begin <= kLeafCount<T>) return sort_leaf(begin, end, to_home);
    const std::size_t middle = begin + ((end - begin) / 2 + kLeafCount<T> - 1) / kLeafCount<T> * kLeafCount<T>;
    sort(begin, middle, !to_home, run);
    sort(middle, end, !to_home, run.end > middle ? run : NaturalRun{});
    T* const from = buffer(!to_home);
    detail::merge_runs(from + begin, from + middle, from + middle, from + end, buffer(to_home) + begin, less_, failure_);
  }

  // The same by a team: parts first, then rounds of merges of two, each cut into pieces.
  void sort_together(std::size_t count, bool to_home, const MergeTeam& team) noexcept {
    std::uint32_t parts = 2, rounds = 1;
    for (; parts < 2 * team.threads && parts < LANESORT_MAX_THREADS; parts *= 2) ++rounds;
    bool at_home = to_home == (rounds % 2 == 0);
    const auto bound = [&](std::size_t i) {
      return i == parts ? count : count / parts * i / kLeafCount<T> * kLeafCount<T>;
    };
    team.run(parts, [&](std::uint32_t i) { sort(bound(i), bound(i + 1), at_home); });
    for (std::size_t step = 1; step < parts; step *= 2, at_home = !at_home) {
      MergePiece<T, T> pieces[kMostTasks];
      MergePiece<T, T>* end = pieces;
      const std::size_t pairs = parts / (2 * step), cuts = 4 * team.threads > pairs ? 4 * team.threads / pairs : 1;
      T* const from = buffer(at_home);
      for (std::size_t i = 0; i < parts; i += 2 * step) {
        const std::size_t begin = bound(i), middle = bound(i + step), stop = bound(i + 2 * step);
        end = detail::cut_merge(from + begin, middle - begin, from + middle, stop - middle, buffer(!at_home) + begin, cuts, end,
                        less_, failure_);
      }
      team.run(static_cast<std::uint32_t>(end - pieces), [&](std::uint32_t i) {
        const auto& p = pieces[i];
        detail::merge_runs(p.a, p.a_end, p.b, p.b_end, p.out, less_, failure_);
      });
    }
  }

 private:
  T* buffer(bool home) const noexcept { return home ? home_ : other_; }

  void sort_leaf(std::size_t begin, std::size_t end, bool to_home) noexcept {
    if constexpr (kSmallItem<T>)
      if (end - begin == kNetworkLeaf) return sort_network(begin, to_home);
    insert_all(begin, end, to_home);
  }

  // Fours, then merges of equal runs, to and fro.
  void sort_network(std::size_t begin, bool to_home) noexcept {
    T* from = home_ + begin;
    T* const target = buffer(to_home) + begin;
    try {
      T* to = buffer(!to_home) + begin;
      for (std::size_t i = 0; i < kNetworkLeaf; i += 4) detail::sort_four(from + i, to + i, less_);
      from = to;
      to = target;
      for (std::size_t half = 4; half < kNetworkLeaf; half *= 2) {
        for (std::size_t i = 0; i < kNetworkLeaf; i += 2 * half) merge_halves(from + i, half, to + i);
        std::swap(from, to);
      }
    } catch (...) {
      failure_.keep();
      if (from != target) detail::take_items(from, from + kNetworkLeaf, target);
    }
  }

  void merge_halves(T* from, std::size_t half, T* to) {
    T *a = from, *b = from + half, *const end = b + half;
    if (detail::merge_both_ends(a, b, b, end, to, less_)) return;
    detail::merge_forward(a, from + half, b, end, to, less_);
    detail::take_items(b, end, detail::take_items(a, from + half, to));
  }

  // Binary insertion. All comparisons for an item come before its first move.
  void insert_all(std::size_t begin, std::size_t end, bool to_home) noexcept {
    T *const from = home_ + begin, *const to = buffer(to_home) + begin;
    const std::size_t count = end - begin;
    std::size_t i = 0;
    try {
      for (; i < count; ++i) {
        T* const place = i == 0 || !less_(from[i], to[i - 1]) ? to + i : first_after_of(to, i, from[i]);
        if (place == to + i && from == to) continue;
        T item = std::move(from[i]);
        if (place != to + i) {
          to[i] = std::move(to[i - 1]);
          for (T* gap = to + i - 1; gap != place; --gap) *gap = std::move(gap[-1]);
        }
        *place = std::move(item);
      }
    } catch (...) {
      failure_.keep();
      if (from != to) place_run(begin + i, end, false, to_home);
    }
  }

  T* first_after_of(T* first, std::size_t count, T& item) {
    while (count != 0) {
      const std::size_t half = count / 2;
      if (less_(item, first[half])) {
        count = half;
      } else {
        first += half + 1;
        count -= half + 1;
      }
    }
    return first;
  }

  T* const home_;
  T* const other_;
  const Less& less_;
  MergeFailure& failure_;
};

// Places for count items: the caller's, or its own.
template <class T>
class MergeScratch {
 public:
  MergeScratch(std::size_t count, std::span<std::byte> given) {
    const std::size_t bytes = count * sizeof(T);
    void* at = given.data();
    std::size_t room = given.size();
    if (at != nullptr && std::align(alignof(T), bytes, at, room) != nullptr) {
      items_ = static_cast<T*>(at);
      return;
    }
    own_ = ::operator new(bytes, std::align_val_t{alignof(T)});
    items_ = static_cast<T*>(own_);
  }
  ~MergeScratch() {
    if constexpr (!kPlainItem<T>) std::destroy_n(items_, constructed_);
    if (own_ != nullptr) ::operator delete(own_, std::align_val_t{alignof(T)});
  }
  MergeScratch(const MergeScratch&) = delete;
  MergeScratch& operator=(const MergeScratch&) = delete;

  T* items() const noexcept { return items_; }

  // Moves items here. Where a move throws they are moved back.
  void fill_from(T* items, std::size_t count) {
    try {
      for (; constructed_ < count; ++constructed_)
        ::new (static_cast<void*>(items_ + constructed_)) T(std::move(items[constructed_]));
    } catch (...) {
      detail::take_items(items_, items_ + constructed_, items);
      throw;
    }
  }

 private:
  T* items_ = nullptr;
  void* own_ = nullptr;
  std::size_t constructed_ = 0;
};

template <class T, class Less>
void merge_sort(T* items, std::size_t count, const Less& less, const MergeOptions& options, MergeFailure& failure) {
  {
    MergeSorter<T, Less> alone(items, nullptr, less, failure);
    const NaturalRun run = alone.find_run(0, count);
    if (run.end >= count) return alone.place_run(0, count, run.falling && !failure.happened(), true);
  }
  const MergeTeam team(options);
  MergeScratch<T> scratch(count, options.scratch);
  constexpr bool kToHome = kPlainItem<T>;  // plain items begin in the array, others in scratch that they construct
  if constexpr (!kPlainItem<T>) scratch.fill_from(items, count);
  T* const home = kToHome ? items : scratch.items();
  MergeSorter<T, Less> sorter(home, kToHome ? scratch.items() : items, less, failure);
  if (team.threads > 1 && count >= kParallelCount)
    sorter.sort_together(count, kToHome, team);
  else
    sorter.sort(0, count, kToHome);
}
}  // namespace detail

// Sorts a contiguous range (vector, array, span, C array) in place, stably, by compare(projection(a), projection(b)).
template <std::ranges::contiguous_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires std::ranges::sized_range<R> && std::sortable<std::ranges::iterator_t<R>, Compare, Projection>
void merge_sort(R&& range, Compare compare = {}, Projection projection = {}, const MergeOptions& options = {}) {
  const detail::Precedes<Compare, Projection> less{compare, projection};
  detail::MergeFailure failure;
  detail::merge_sort(std::ranges::data(range), static_cast<std::size_t>(std::ranges::size(range)), less, options,
                     failure);
  failure.rethrow();
}

// Merges two sorted ranges into out, which overlaps neither, holds as many items and keeps what is past them. Of equal
// items those of a stand first. Inputs are copied; scratch is not used. Returns what was written. Where out is too short
// it throws std::length_error before anything is written; where the caller's code throws, the inputs are as they were.
template <std::ranges::contiguous_range A, std::ranges::contiguous_range B, std::ranges::contiguous_range Out,
          class Compare = std::ranges::less, class Projection = std::identity, class T = std::ranges::range_value_t<Out>>
requires std::ranges::sized_range<A> && std::ranges::sized_range<B> && std::ranges::sized_range<Out> &&
    std::same_as<T, std::ranges::range_value_t<A>> && std::same_as<T, std::ranges::range_value_t<B>> &&
    std::copyable<T> && std::indirect_strict_weak_order<Compare, std::projected<const T*, Projection>>
std::span<T> merge(const A& a, const B& b, Out&& out, Compare compare = {}, Projection projection = {},
                   const MergeOptions& options = {}) {
  const auto a_count = static_cast<std::size_t>(std::ranges::size(a)), b_count = static_cast<std::size_t>(std::ranges::size(b));
  const std::size_t count = a_count + b_count;
  if (static_cast<std::size_t>(std::ranges::size(out)) < count)
    throw std::length_error("lanesort::merge: out holds fewer items than a and b together");
  const T *const a_items = std::ranges::data(a), *const b_items = std::ranges::data(b);
  T* const out_items = std::ranges::data(out);
  const detail::Precedes<Compare, Projection> less{compare, projection};
  const detail::MergeTeam team(options);
  detail::MergeFailure failure;
  detail::MergePiece<const T, T> pieces[detail::kMostTasks];
  const std::uint32_t parts = count < detail::kParallelCount || team.threads == 1 ? 1 : 4 * team.threads;
  detail::cut_merge(a_items, a_count, b_items, b_count, out_items, parts, pieces, less, failure);
  team.run(parts, [&](std::uint32_t i) {
    const auto& p = pieces[i];
    detail::merge_runs(p.a, p.a_end, p.b, p.b_end, p.out, less, failure);
  });
  failure.rethrow();
  return {out_items, count};
}

}  // namespace v1
}  // namespace lanesort
#endif  // LANESORT_MERGE_HPP
