// merge.hpp. Items carry the index they had in the input, so that one look proves order, permutation and stability.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <lanesort/merge.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/effort.hpp"
#include "support/random.hpp"

namespace {
using lanesort::MergeOptions;
using lanesort::test::Random;
using lanesort::test::run_seed;
using lanesort::test::share_of;

struct Record {  // the 32 bytes that the bench sorts
  std::uint64_t key, place, more[2];
};

// Finds itself again wherever it was moved: bytes alone do not move it.
struct Anchored {
  Anchored(std::uint64_t k, std::uint64_t p) : key(k), place(p), self(this) {}
  Anchored(Anchored&& other) noexcept : key(other.key), place(other.place), self(this) { other.check(); }
  Anchored& operator=(Anchored&& other) noexcept {
    check(), other.check();
    key = other.key, place = other.place;
    return *this;
  }
  ~Anchored() { check(), self = nullptr; }
  void check() const { EXPECT_EQ(self, this); }
  std::uint64_t key, place;
  const Anchored* self;
};

// No default, no copy, and memory that is lost or freed twice where a move goes wrong.
struct Owner {
  Owner(std::uint64_t k, std::uint64_t p) : key(k), owned(std::make_unique<std::uint64_t>(p)) {}
  std::uint64_t key;
  std::unique_ptr<std::uint64_t> owned;
};

// Trivially copyable, and neither to be made from nothing nor copied.
struct Sealed {
  Sealed(std::uint64_t k, std::uint64_t p) : key(k), place(p) {}
  Sealed(Sealed&&) = default;
  Sealed& operator=(Sealed&&) = default;
  std::uint64_t key, place;
};

struct Wide {
  std::uint64_t key, place;
  std::array<char, 200> more;
};

template <class T>
T made(std::uint64_t key, std::uint64_t place) {
  if constexpr (std::is_aggregate_v<T>)
    return T{key, place, {}};
  else
    return T(key, place);
}

template <class T>
std::uint64_t place_of(const T& item) {
  if constexpr (std::same_as<T, Owner>)
    return item.owned ? *item.owned : UINT64_MAX;
  else
    return item.place;
}

template <class T>
std::vector<T> made_all(const std::vector<std::uint64_t>& keys) {
  std::vector<T> items;
  items.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) items.push_back(made<T>(keys[i], i));
  return items;
}

enum class Shape { random, few, rising, falling, equal, organ, nearly, runs, saw, count };

std::vector<std::uint64_t> keys_of(Shape shape, std::size_t count, Random& random) {
  std::vector<std::uint64_t> keys(count);
  const std::uint64_t period = 1 + random.below(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    switch (shape) {
      case Shape::random: keys[i] = random.next(); break;
      case Shape::few: keys[i] = random.below(3); break;
      case Shape::rising: keys[i] = i / 2; break;
      case Shape::falling: keys[i] = count - i; break;
      case Shape::equal: keys[i] = 7; break;
      case Shape::organ: keys[i] = std::min(i, count - i); break;
      case Shape::nearly: keys[i] = random.chance(50) ? random.below(count) : i; break;
      case Shape::runs: keys[i] = i % period; break;
      default: keys[i] = count - i % period; break;
    }
  }
  return keys;
}

template <class T>
std::vector<std::uint64_t> places_of(const std::vector<T>& items) {
  std::vector<std::uint64_t> places;
  for (const T& item : items) places.push_back(place_of(item));
  return places;
}

std::vector<std::uint64_t> stable_places(const std::vector<std::uint64_t>& keys, std::uint64_t modulus = 0) {
  const auto key = [&](std::uint64_t i) { return modulus == 0 ? keys[i] : keys[i] % modulus; };
  std::vector<std::uint64_t> places(keys.size());
  std::iota(places.begin(), places.end(), std::uint64_t{0});
  std::stable_sort(places.begin(), places.end(), [&](auto i, auto j) { return key(i) < key(j); });
  return places;
}

template <class T>
void expect_permutation(const std::vector<T>& items) {
  std::vector<std::uint64_t> places = places_of(items);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(places[i], i);
}

// The caller's threads: as many as tasks, last one first.
struct Crowd {
  lanesort_executor executor{sizeof(lanesort_executor), 4, this, &Crowd::run};
  std::uint32_t runs = 0;
  static void run(void* context, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
    ++static_cast<Crowd*>(context)->runs;
    std::vector<std::thread> threads;
    for (std::uint32_t i = count; i-- > 0;) threads.emplace_back(task, argument, i);
    for (std::thread& thread : threads) thread.join();
  }
};

template <class T>
class MergeSort : public testing::Test {
 protected:
  void SetUp() override { RecordProperty("seed", std::to_string(run_seed())); }
  void expect_sorts(const std::vector<std::uint64_t>& keys, const MergeOptions& options = {}) {
    std::vector<T> items = made_all<T>(keys);
    lanesort::merge_sort(items, {}, &T::key, options);
    ASSERT_EQ(places_of(items), stable_places(keys)) << keys.size() << " items, seed " << run_seed();
  }
};
using Items = testing::Types<Record, Anchored, Owner, Sealed, Wide>;
TYPED_TEST_SUITE(MergeSort, Items);

TYPED_TEST(MergeSort, EverySizeOfEveryShape) {
  Random random(run_seed());
  for (std::size_t count = 0; count <= 300; count += share_of(4) == 1 ? 1 + random.below(5) : 1)
    for (int shape = 0; shape < static_cast<int>(Shape::count); ++shape)
      this->expect_sorts(keys_of(static_cast<Shape>(shape), count, random), {.threads = 1});
}

TYPED_TEST(MergeSort, LargeOverThreads) {
  Random random(run_seed());
  for (int shape = 0; shape < static_cast<int>(Shape::count); shape += lanesort::test::kThreadsAlone ? 4 : 1) {
    for (std::uint32_t threads : {2u, 3u, 8u}) {
      Crowd crowd;
      crowd.executor.threads = 8;
      const auto keys = keys_of(static_cast<Shape>(shape), share_of(30000) + 16384 + random.below(5000), random);
      this->expect_sorts(keys, {.threads = threads, .executor = &crowd.executor});
      this->expect_sorts(keys, {.threads = threads});
    }
  }
}

TYPED_TEST(MergeSort, CoarseOrders) {
  Random random(run_seed());
  for (std::uint64_t modulus : {1u, 2u, 4u, 100u}) {
    const auto keys = keys_of(Shape::random, 3000 + random.below(500), random);
    auto items = made_all<TypeParam>(keys);
    lanesort::merge_sort(items, [&](const TypeParam& a, const TypeParam& b) { return a.key % modulus < b.key % modulus; });
    ASSERT_EQ(places_of(items), stable_places(keys, modulus));
  }
}

TYPED_TEST(MergeSort, ThrowingComparisonsLeaveAPermutation) {
  Random random(run_seed());
  for (int shape = 0; shape < static_cast<int>(Shape::count); ++shape) {
    const auto keys = keys_of(static_cast<Shape>(shape), 200, random);
    for (int when = 0;; when += static_cast<int>(share_of(4) == 1 ? 1 + random.below(20) : 1)) {
      auto items = made_all<TypeParam>(keys);
      int calls = 0;
      bool thrown = false;
      try {
        lanesort::merge_sort(items, [&](const auto& a, const auto& b) {
          if (calls++ == when) throw when;
          return a < b;
        }, &TypeParam::key, {.threads = 1});
      } catch (int what) {
        ASSERT_EQ(what, when);
        thrown = true;
      }
      ASSERT_EQ(thrown, calls > when);
      ASSERT_TRUE(!thrown || calls == when + 1) << "compared on after an exception";
      expect_permutation(items);
      if (!thrown) break;
    }
  }
}

TYPED_TEST(MergeSort, ThrowingComparisonsOverThreads) {
  Random random(run_seed());
  const auto keys = keys_of(Shape::random, 40000, random);
  for (std::uint64_t trial = 0; trial < share_of(60); ++trial) {
    auto items = made_all<TypeParam>(keys);
    std::atomic<std::uint64_t> calls{0};
    const std::uint64_t when = random.below(trial % 2 == 0 ? 500000 : 800000);
    try {
      lanesort::merge_sort(items, [&](const auto& a, const auto& b) {
        if (calls.fetch_add(1, std::memory_order_relaxed) == when) throw std::string("thrown");
        return a < b;
      }, &TypeParam::key, {.threads = 8});
      EXPECT_LE(calls.load(), when);
    } catch (const std::string& what) {
      EXPECT_EQ(what, "thrown");
    }
    expect_permutation(items);
  }
}

TYPED_TEST(MergeSort, OrdersThatAreNone) {
  Random random(run_seed());
  for (std::size_t count : {std::size_t{2}, std::size_t{31}, std::size_t{32}, std::size_t{33}, std::size_t{300},
                            std::size_t{5000}, std::size_t{40000}}) {
    for (int kind = 0; kind < 5; ++kind) {
      auto items = made_all<TypeParam>(keys_of(Shape::random, count, random));
      std::atomic<std::uint64_t> draws{random.next()};
      lanesort::merge_sort(items, [&](std::uint64_t a, std::uint64_t b) {
        if (kind < 2) return kind == 0;
        if (kind == 2) return a <= b;
        if (kind == 3) return ((a - b) & 2) != 0;
        return (Random(draws.fetch_add(1, std::memory_order_relaxed)).next() & 1) != 0;
      }, &TypeParam::key, {.threads = 4});
      expect_permutation(items);
    }
  }
}

struct Brittle {  // the moves throw
  Brittle(std::uint64_t k, std::uint64_t) : key(k) { ++alive; }
  Brittle(Brittle&& other) : key(other.key) { tick(), ++alive; }
  Brittle& operator=(Brittle&& other) {
    tick();
    key = other.key;
    return *this;
  }
  ~Brittle() { --alive; }
  static void tick() {
    if (armed && moves++ == when) throw 5;
  }
  std::uint64_t key;
  static inline int alive = 0, moves = 0, when = 0;
  static inline bool armed = false;
};

TEST(MergeSortMoves, MayThrowAndNothingLeaks) {
  Random random(run_seed());
  const auto keys = keys_of(Shape::random, 100, random);
  for (Brittle::when = 0;; ++Brittle::when) {
    auto items = made_all<Brittle>(keys);
    Brittle::moves = 0;
    Brittle::armed = true;
    bool thrown = false;
    try {
      lanesort::merge_sort(items, {}, &Brittle::key);
    } catch (int what) {
      ASSERT_EQ(what, 5);
      thrown = true;
    }
    Brittle::armed = false;
    ASSERT_EQ(Brittle::alive, 100);
    if (!thrown) break;
  }
}

TEST(MergeSortScratch, OfTheCallersAtAnyAlignmentIsAllThatIsUsed) {
  Random random(run_seed());
  const auto keys = keys_of(Shape::random, 1000, random);
  const std::uint64_t bytes = lanesort::merge_sort_scratch_bytes<Record>(1000);
  for (std::size_t shift = 0; shift < 9; ++shift) {
    std::vector<std::byte> memory(bytes + 32, std::byte{0xCD});
    auto items = made_all<Record>(keys);
    lanesort::merge_sort(items, {}, &Record::key, {.scratch = {memory.data() + shift, bytes}});
    EXPECT_EQ(places_of(items), stable_places(keys));
    for (std::size_t i = 0; i < shift; ++i) EXPECT_EQ(memory[i], std::byte{0xCD});
    for (std::size_t i = shift + bytes; i < memory.size(); ++i) EXPECT_EQ(memory[i], std::byte{0xCD});
    EXPECT_NE(std::count(memory.begin(), memory.end(), std::byte{0xCD}), static_cast<std::ptrdiff_t>(memory.size()));
  }
  std::vector<std::byte> little(100, std::byte{0xCD});
  auto items = made_all<Record>(keys);
  lanesort::merge_sort(items, {}, &Record::key, {.scratch = little});
  EXPECT_EQ(places_of(items), stable_places(keys));
  EXPECT_EQ(std::count(little.begin(), little.end(), std::byte{0xCD}), 100);
}

TEST(MergeSortEffort, SortedAndFallingInputIsLinearAndRunsAreFound) {
  const std::size_t n = 50000;
  const auto comparisons = [&](auto key) {
    std::vector<std::uint64_t> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = key(i);
    std::uint64_t count = 0;
    lanesort::merge_sort(items, [&](auto a, auto b) { return ++count, a < b; }, {}, {.threads = 1});
    EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
    return count;
  };
  EXPECT_EQ(comparisons([](auto i) { return i; }), n - 1);
  EXPECT_EQ(comparisons([&](auto i) { return n - i; }), n - 1);
  EXPECT_EQ(comparisons([](auto) { return std::size_t{1}; }), n - 1);
  EXPECT_LT(comparisons([&](auto i) { return i < n / 2 ? i : i - n / 2; }), 3 * n);   // two runs
  EXPECT_LT(comparisons([&](auto i) { return std::min(i, n - i); }), 3 * n);          // up and down
  EXPECT_LT(comparisons([&](auto i) { return i == n / 3 ? n : i; }), 3 * n);          // one astray
}

TEST(MergeSortEffort, ExecutorsDoAllOfItEvenWhereTheyLeaveTasksOut) {
  Random random(run_seed());
  const auto keys = keys_of(Shape::random, 50000, random);
  Crowd crowd;
  auto items = made_all<Record>(keys);
  lanesort::merge_sort(items, {}, &Record::key, {.executor = &crowd.executor});
  EXPECT_GT(crowd.runs, 1u);
  EXPECT_EQ(places_of(items), stable_places(keys));
  lanesort_executor lazy{sizeof(lanesort_executor), 4, nullptr, [](void*, std::uint32_t count, auto task, void* argument) {
                           for (std::uint32_t i = 0; i < count; i += 2) task(argument, i);
                         }};
  items = made_all<Record>(keys);
  lanesort::merge_sort(items, {}, &Record::key, {.executor = &lazy});
  EXPECT_EQ(places_of(items), stable_places(keys));
}

TEST(MergeSortFace, TakesWhatTheStandardSortsTake) {
  int array[] = {3, 1, 2};
  lanesort::merge_sort(array);
  EXPECT_TRUE(std::ranges::is_sorted(array));
  std::vector<std::string> words = {"pear", "fig", "apple", "kiwi", "date"};
  lanesort::merge_sort(std::span(words), std::greater<>{}, &std::string::size);
  EXPECT_EQ(words, (std::vector<std::string>{"apple", "pear", "kiwi", "date", "fig"}));
  lanesort::merge_sort(words);
  EXPECT_TRUE(std::ranges::is_sorted(words));
  std::array<double, 0> none;
  lanesort::merge_sort(none);
}

// The names inside are the header's own, whatever the namespace of the items offers.
namespace greedy {
struct Item {
  std::uint64_t key, place;
};
template <class... A> void take_items(A&&...) = delete;
template <class... A> void choose(A&&...) = delete;
template <class... A> void merge_runs(A&&...) = delete;
template <class... A> void merge_forward(A&&...) = delete;
template <class... A> void merge_both_ends(A&&...) = delete;
template <class... A> void cut_merge(A&&...) = delete;
template <class... A> void sort_four(A&&...) = delete;
template <class... A> void first_after(A&&...) = delete;
template <class... A> void end_before(A&&...) = delete;
template <class... A> void split_merge(A&&...) = delete;
template <class... A> void merge_sort(A&&...) = delete;
}  // namespace greedy

TEST(MergeSortFace, IsDeafToTheNamespaceOfItsItems) {
  Random random(run_seed());
  const auto keys = keys_of(Shape::random, 20000, random);
  std::vector<greedy::Item> items, out(20000);
  for (std::size_t i = 0; i < keys.size(); ++i) items.push_back({keys[i], i});
  lanesort::merge_sort(items, {}, &greedy::Item::key);
  EXPECT_EQ(places_of(items), stable_places(keys));
  lanesort::merge(items, std::span<greedy::Item>(), out, {}, &greedy::Item::key);
  EXPECT_EQ(places_of(out), places_of(items));
}

TEST(Merge, IsTheStandardsMergeOverThreads) {
  Random random(run_seed());
  const auto less = [](const Record& a, const Record& b) { return a.key < b.key; };
  for (std::uint64_t trial = 0; trial < share_of(300); ++trial) {
    const bool large = trial % 20 == 0;
    std::vector<Record> sides[2];
    for (int side = 0; side < 2; ++side) {
      const std::size_t count = random.chance(8) ? random.below(3) : random.below(large ? 40000 : 400);
      const std::uint64_t range = 1 + random.below(2 * count + 2);
      for (std::size_t i = 0; i < count; ++i)
        sides[side].push_back({random.below(range), i + static_cast<std::uint64_t>(side) * 1000000, {}});
      std::stable_sort(sides[side].begin(), sides[side].end(), less);
    }
    const std::size_t count = sides[0].size() + sides[1].size();
    std::vector<Record> want(count), got(count + 2, Record{1, 2, {3, 4}});
    std::merge(sides[0].begin(), sides[0].end(), sides[1].begin(), sides[1].end(), want.begin(), less);
    const auto written = lanesort::merge(sides[0], sides[1], got, less, {}, {.threads = 1 + static_cast<std::uint32_t>(random.below(8))});
    ASSERT_EQ(written.size(), count);
    ASSERT_EQ(got[count].place, 2u);
    got.resize(count);
    ASSERT_EQ(places_of(got), places_of(want)) << "seed " << run_seed();
  }
}

TEST(Merge, CopiesWhatIsNotPlainAndSaysWhatWasThrown) {
  const std::vector<std::string> a = {"a", "c", "e"}, b = {"b", "c", "d", "f"};
  std::vector<std::string> out(7);
  lanesort::merge(a, b, out);
  EXPECT_EQ(out, (std::vector<std::string>{"a", "b", "c", "c", "d", "e", "f"}));
  EXPECT_EQ(a[0], "a");
  std::vector<std::string> small(6);
  EXPECT_THROW(lanesort::merge(a, b, small), std::length_error);
  EXPECT_EQ(small, std::vector<std::string>(6));
  EXPECT_THROW(lanesort::merge(a, b, out, [](const auto&, const auto&) -> bool { throw 3; }), int);
  EXPECT_EQ(b, (std::vector<std::string>{"b", "c", "d", "f"}));
}
}  // namespace
