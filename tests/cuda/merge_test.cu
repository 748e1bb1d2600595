// lanesort/merge.cuh: its arithmetic on the host, everywhere, and the sort on a GPU where there is one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "lanesort/merge.cuh"

namespace {

using namespace lanesort::cuda;
namespace md = lanesort::cuda::merge_detail;
using md::u16;
using md::u32;
using md::u64;

struct Less {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

// Ordered by key alone: which of two equals stands first is seen by the place.
template <u32 kWords>
struct Record {
  u32 key, place, rest[kWords - 2];
};
using Record12 = Record<3>;
using Record32 = Record<8>;
using Record160 = Record<40>;

struct alignas(16) Wide {
  u64 key, place;
  Wide() = delete;
  Wide(u64 k, u64 p) : key(k), place(p) {}
};

struct ByKey {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a.key < b.key;
  }
};

template <class T>
T make_item(u64 key, u64 place) {
  if constexpr (std::is_arithmetic_v<T>) {
    (void)place;
    return static_cast<T>(key);
  } else if constexpr (std::is_same_v<T, Wide>) {
    return Wide(key, place);
  } else {
    T item{};
    item.key = static_cast<u32>(key);
    item.place = static_cast<u32>(place);
    for (u32& word : item.rest) word = static_cast<u32>(place * 3 + 1);
    return item;
  }
}

const char* const kPatterns[] = {"random", "few", "equal", "sorted", "reversed", "organ", "blocks"};

template <class T>
std::vector<T> make_items(const std::string& pattern, u64 count, u64 seed) {
  std::mt19937_64 random(seed);
  std::vector<T> items;
  items.reserve(count);
  for (u64 i = 0; i < count; ++i) {
    const u64 key = pattern == "random"     ? random()
                    : pattern == "few"      ? random() % 5
                    : pattern == "equal"    ? 7
                    : pattern == "sorted"   ? i / 3
                    : pattern == "reversed" ? (count - i) / 3
                    : pattern == "organ"    ? std::min(i, count - i)
                                            : (i / 1000 * 7919) % 64;  // blocks
    items.push_back(make_item<T>(key, i));
  }
  return items;
}

template <class T>
using LessOf = std::conditional_t<std::is_arithmetic_v<T>, Less, ByKey>;

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// ---- the host: the functions that the kernels are made of, thread by thread

template <class K, class V, class L, class S>
struct HostBlock {
  using Layout = md::Layout<K, V, S>;
  std::vector<u64> buffers = std::vector<u64>(Layout::kSharedBytes / 8 + 16, 0xCDCDCDCDCDCDCDCDu);
  md::Runs runs{};
  const K* keys;
  u64 count, address;
  L less;
  md::Tile<K, L, Layout::kKeep, Layout::kOrder> tile;

  HostBlock(const K* keys_, u64 count_, u64 address_, L less_)
      : keys(keys_), count(count_), address(address_), less(less_),
        tile{buffer(), buffer() + 0, nullptr, nullptr, keys_, &runs, less} {
    unsigned char* const bytes = reinterpret_cast<unsigned char*>(buffers.data());
    tile.to = reinterpret_cast<K*>(bytes + Layout::kKeyBytes);
    tile.order_from = reinterpret_cast<u16*>(bytes + Layout::kKeyBytes * Layout::kKeyBuffers);
    tile.order_to = tile.order_from + Layout::kOrderBytes / 2;
  }
  K* buffer() { return reinterpret_cast<K*>((reinterpret_cast<std::uintptr_t>(buffers.data()) + 15) / 16 * 16); }

  void load(const std::vector<u64>& begin, const std::vector<u64>& end) {
    runs.ways = static_cast<u32>(begin.size());
    u32 start = 0, offset = 0;
    for (u32 r = 0; r < md::kMostWays; ++r) {
      const u64 from = r < runs.ways ? begin[r] : count;
      const u32 run_count = r < runs.ways ? static_cast<u32>(end[r] - begin[r]) : 0;
      const md::RunLoad load = md::plan_load<K>(address, from, run_count, count, Layout::kKeep != md::Keep::far);
      runs.start[r] = start + load.head;
      runs.offset[r] = offset;
      runs.delta[r] = from - runs.start[r];
      if constexpr (Layout::kKeep != md::Keep::far) {
        const u64 first = load.bulk ? from - load.head : from, items = load.bulk ? load.items : run_count;
        if (load.bulk) {
          ASSERT_EQ((address + first * sizeof(K)) % 16, 0u);
          ASSERT_EQ(items * sizeof(K) % 16, 0u);
          ASSERT_EQ(start * sizeof(K) % 16, 0u);
        }
        ASSERT_LE(first + items, count);
        const u32 at = load.bulk ? start : start + load.head;
        ASSERT_LE((at + items) * sizeof(K), Layout::kKeyBytes);
        if (items != 0) std::memcpy(static_cast<void*>(tile.from + at), keys + first, items * sizeof(K));
      }
      start += md::run_span<K>(load);
      offset += run_count;
    }
    runs.offset[md::kMostWays] = offset;
  }
  void store(u32 tile_count, K* keys_to, const V* values, V* values_to) {
    for (u32 i = 0; i < tile_count; ++i) {
      if constexpr (Layout::kKeep == md::Keep::copies)
        std::memcpy(static_cast<void*>(keys_to + i), tile.from + i, sizeof(K));
      else if constexpr (Layout::kKeep == md::Keep::near)
        std::memcpy(static_cast<void*>(keys_to + i), tile.from + tile.order_from[i], sizeof(K));
      else
        std::memcpy(static_cast<void*>(keys_to + i), keys + runs.place(tile.order_from[i]), sizeof(K));
      if constexpr (Layout::kValues) values_to[i] = values[runs.place(tile.order_from[i])];
    }
  }
};

template <class S, class K, class V, class L>
void sort_on_host(std::vector<K>& keys, std::vector<V>& values, L less, u64 address) {
  using Layout = md::Layout<K, V, S>;
  const u64 count = keys.size(), tiles = (count + Layout::kTile - 1) / Layout::kTile;
  std::vector<K> other = keys;
  std::vector<V> other_values = values;
  const auto tile_count = [&](u64 t) { return static_cast<u32>(std::min<u64>(Layout::kTile, count - t * Layout::kTile)); };
  for (u64 t = 0; t < tiles; ++t) {
    HostBlock<K, V, L, S> block(keys.data(), count, address, less);
    block.load({t * Layout::kTile}, {t * Layout::kTile + tile_count(t)});
    for (u32 thread = 0; thread < S::threads; ++thread)
      md::sort_thread<S::items>(block.tile, block.runs.start[0], thread * S::items, tile_count(t));
    for (u32 width = 1; width * S::items < tile_count(t); width *= 2) {
      block.tile.turn();
      for (u32 thread = 0; thread < S::threads; ++thread)
        md::merge_round<S::items>(block.tile, width, tile_count(t), thread);
    }
    block.tile.turn();
    const u64 base = t * Layout::kTile;
    block.store(tile_count(t), other.data() + base, values.data(), other_values.data() + base);
  }
  keys.swap(other);
  values.swap(other_values);
  const u32 levels = md::levels_of(tiles), passes = (levels + S::levels - 1) / S::levels;
  for (u32 p = 0, done = 0; p < passes; ++p) {
    const u32 next = levels * (p + 1) / passes;
    constexpr u32 kWays = Layout::kWays;
    const md::Pass<kWays> pass{count, done, next - done};
    ASSERT_LE(pass.levels, S::levels);
    const u64 group = u64{1} << (pass.run_level + pass.levels);
    std::vector<std::vector<u64>> at(tiles), at_end(tiles);
    for (u64 t = 0; t < tiles; ++t) {
      const u64 rank = t % group * Layout::kTile, rank_end = rank + tile_count(t);
      u64 begin[kWays], end[kWays], split[kWays];
      pass.template group_of<Layout::kTile>(t, begin, end);
      if constexpr (S::levels == 1) {  // each block by itself
        const u64 a_count = end[0] - begin[0], b_count = end[1] - begin[1];
        const K *const a = keys.data() + begin[0], *const b = keys.data() + begin[1];
        const u64 first = md::split_two(a, a_count, b, b_count, rank, less, 0);
        const u64 last = md::split_two(a, a_count, b, b_count, rank_end, less, 16);
        at[t] = {begin[0] + first, begin[1] + rank - first};
        at_end[t] = {begin[0] + last, begin[1] + rank_end - last};
      } else {
        md::split_runs<u32>(keys.data(), begin, end, rank, less, split);
        at[t].assign(split, split + (1u << pass.levels));
        if (rank != 0) at_end[t - 1] = at[t];
        at_end[t].assign(end, end + (1u << pass.levels));
      }
    }
    for (u64 t = 0; t < tiles; ++t) {
      HostBlock<K, V, L, S> block(keys.data(), count, address, less);
      block.load(at[t], at_end[t]);
      ASSERT_EQ(block.runs.offset[md::kMostWays], tile_count(t));
      for (u32 thread = 0; thread < S::threads; ++thread) md::merge_level<S::items, true>(block.tile, block.runs, 0, thread);
      for (u32 level = 1; level < pass.levels; ++level) {
        block.tile.turn();
        for (u32 thread = 0; thread < S::threads; ++thread)
          md::merge_level<S::items, false>(block.tile, block.runs, level, thread);
      }
      block.tile.turn();
      const u64 base = t * Layout::kTile;
      block.store(tile_count(t), other.data() + base, values.data(), other_values.data() + base);
    }
    keys.swap(other);
    values.swap(other_values);
    done = next;
  }
}

template <class S, class K>
void host_sorts(u64 most) {
  for (const char* pattern : kPatterns) {
    for (u64 count = 0; count <= most; count = count < 400 ? count + 1 : count + 97 + count / 8) {
      SCOPED_TRACE(std::string(pattern) + " " + std::to_string(count));
      std::vector<K> keys = make_items<K>(pattern, count, count), expected = keys;
      std::stable_sort(expected.begin(), expected.end(), LessOf<K>{});
      std::vector<u32> places(count);
      std::iota(places.begin(), places.end(), 0u);
      std::vector<u32> expected_places = places;
      std::stable_sort(expected_places.begin(), expected_places.end(),
                       [&](u32 a, u32 b) { return LessOf<K>{}(keys[a], keys[b]); });
      std::vector<md::NoValue> none(count);
      std::vector<K> alone = keys;
      sort_on_host<S>(alone, none, LessOf<K>{}, 4096 + count % 3 * alignof(K));
      ASSERT_TRUE(same(alone, expected));
      sort_on_host<S>(keys, places, LessOf<K>{}, 4096 + count % 5 * alignof(K));
      ASSERT_TRUE(same(keys, expected));
      ASSERT_TRUE(same(places, expected_places));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(MergeOnHost, SortsInEveryShape) {
  host_sorts<MergeShape<32, 1, 3>, u32>(1500);
  host_sorts<MergeShape<32, 3, 1>, u32>(1500);
  host_sorts<MergeShape<32, 3, 2>, std::uint8_t>(3000);
  host_sorts<MergeShape<64, 5, 3>, u32>(9000);
  host_sorts<MergeShape<32, 3, 3>, u64>(3000);
  host_sorts<MergeShape<32, 3, 2>, float>(1000);
  host_sorts<MergeShape<32, 3, 3>, Record12>(1500);
  host_sorts<MergeShape<32, 3, 3>, Record32>(1500);
  host_sorts<MergeShape<32, 1, 3>, Record160>(700);
  host_sorts<MergeShape<32, 3, 2>, Wide>(1500);
}

TEST(MergeOnHost, SortsInTheShapesThatAreUsed) {
  host_sorts<md::DefaultShape<u32, md::NoValue>, u32>(30000);
  host_sorts<md::SmallShape<u32>, u32>(30000);
  host_sorts<md::DefaultShape<Record32, md::NoValue>, Record32>(6000);
  host_sorts<md::SmallShape<Record32>, Record32>(6000);
}

// Splits against a merge that was carried out.
template <u32 kWays>
void splits_are_where_the_merge_stands(std::mt19937_64& random, u64 values) {
  std::vector<u32> keys;
  u64 begin[kWays], end[kWays], at[kWays], at_wide[kWays];
  for (u32 r = 0; r < kWays; ++r) {
    begin[r] = keys.size();
    const u64 length = random() % 4 == 0 ? 0 : random() % 40;
    for (u64 i = 0; i < length; ++i) keys.push_back(static_cast<u32>(random() % values));
    end[r] = keys.size();
    std::sort(keys.begin() + static_cast<std::ptrdiff_t>(begin[r]), keys.end());
  }
  std::vector<u64> order(keys.size());
  std::iota(order.begin(), order.end(), u64{0});
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return keys[a] < keys[b]; });
  for (u64 rank = 0; rank <= keys.size(); ++rank) {
    md::split_runs<u32>(keys.data(), begin, end, rank, Less{}, at);
    md::split_runs<u64>(keys.data(), begin, end, rank, Less{}, at_wide);
    for (u32 r = 0; r < kWays; ++r) {
      const auto of_run = static_cast<u64>(std::count_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rank),
                                                         [&](u64 i) { return begin[r] <= i && i < end[r]; }));
      ASSERT_EQ(at[r] - begin[r], of_run) << "rank " << rank << " run " << r;
      ASSERT_EQ(at_wide[r], at[r]);
    }
    if constexpr (kWays == 2)
      ASSERT_EQ(at[0], md::split_two(keys.data(), end[0], keys.data() + end[0], end[1] - end[0], rank, Less{}, 0));
  }
}

TEST(MergeOnHost, SplitsAreWhereTheMergeStands) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    splits_are_where_the_merge_stands<2>(random, round % 2 ? 6 : 1000);
    splits_are_where_the_merge_stands<4>(random, round % 2 ? 6 : 1000);
    splits_are_where_the_merge_stands<8>(random, round % 2 ? 6 : 1000);
    if (HasFatalFailure()) return;
  }
}

struct Counted {
  u64* calls;
  __host__ __device__ bool operator()(u32 a, u32 b) const {
    ++*calls;
    return a < b;
  }
};

// A step is a round of loads from memory: their number is what a split takes.
TEST(MergeOnHost, SplitsTakeFewSteps) {
  constexpr u32 kWays = 8, kRun = 1 << 14;
  for (const char* pattern : kPatterns) {
    std::vector<u32> keys = make_items<u32>(pattern, kWays * kRun, 1);
    u64 begin[kWays], end[kWays], at[kWays];
    for (u32 r = 0; r < kWays; ++r) {
      begin[r] = r * kRun;
      end[r] = begin[r] + kRun;
      std::sort(keys.begin() + r * kRun, keys.begin() + (r + 1) * kRun);
    }
    u64 compared = 0;
    const Counted counted{&compared};
    for (u64 rank = 0; rank <= keys.size(); rank += 4099) {
      compared = 0;
      md::split_runs<u32>(keys.data(), begin, end, rank, counted, at);
      EXPECT_LE(compared / (kWays * (kWays - 1) / 2 * 4), 24u) << pattern << " " << rank;
    }
  }
}

struct Random {  // no order at all
  std::mt19937_64* engine;
  template <class T>
  bool operator()(const T&, const T&) const {
    return (*engine)() % 2 != 0;
  }
};

TEST(MergeOnHost, SplitsOfNoOrderAddUp) {
  constexpr u32 kWays = 4;
  std::mt19937_64 random(2);
  const std::vector<u32> keys(1000);
  for (int round = 0; round < 2000; ++round) {
    const u64 begin[kWays] = {0, 250, 500, 750};
    u64 end[kWays], at[kWays], total = 0, sum = 0;
    for (u32 r = 0; r < kWays; ++r) total += (end[r] = begin[r] + random() % 251) - begin[r];
    const u64 rank = random() % (total + 1);
    md::split_runs<u32>(keys.data(), begin, end, rank, Random{&random}, at);
    for (u32 r = 0; r < kWays; ++r) {
      ASSERT_LE(begin[r], at[r]);
      ASSERT_LE(at[r], end[r]);
      sum += at[r] - begin[r];
    }
    ASSERT_EQ(sum, rank);
    const u64 a_count = random() % 500, b_count = random() % 500, of_both = random() % (a_count + b_count + 1);
    const u64 of_a = md::split_two(keys.data(), a_count, keys.data() + 500, b_count, of_both, Random{&random}, 0);
    ASSERT_LE(of_a, std::min(a_count, of_both));
    ASSERT_LE(of_both - of_a, b_count);
  }
}

TEST(MergeOnHost, ScratchGrowsWithTheItems) {
  EXPECT_EQ(merge_sort_scratch_bytes<u32>(0), 0u);
  EXPECT_EQ(merge_sort_scratch_bytes<u32>(1000), 0u);
  EXPECT_EQ(merge_sort_scratch_bytes<Record160>(0), 0u);
  for (u64 count : {u64{100000}, u64{1} << 28, u64{1} << 36}) {
    EXPECT_GE(merge_sort_scratch_bytes<u32>(count), count * 4);
    EXPECT_LE(merge_sort_scratch_bytes<u32>(count), count * 4 + count / 50 + 1024);
    EXPECT_GE((merge_sort_pairs_scratch_bytes<u32, u64>(count)), count * 12);
  }
}

// ---- the device

#define CUDA_OK(call)                                                          \
  do {                                                                         \
    const cudaError_t error_ = (call);                                         \
    ASSERT_EQ(error_, cudaSuccess) << #call << ": " << cudaGetErrorString(error_); \
  } while (false)

class MergeOnDevice : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) GTEST_SKIP() << "no CUDA device: " << cudaGetErrorString(error);
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (stream != nullptr) EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
  cudaStream_t stream = nullptr;
};

// Device memory between canaries, at an offset from a multiple of 256.
template <class T>
class Memory {
 public:
  static constexpr std::size_t kGuard = 512;
  static constexpr unsigned char kCanary = 0xA5;
  explicit Memory(u64 count, std::size_t offset = 0) : bytes_(count * sizeof(T)), front_(kGuard + offset) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&base_), bytes_ + front_ + kGuard), cudaSuccess);
    EXPECT_EQ(cudaMemset(base_, kCanary, bytes_ + front_ + kGuard), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  explicit Memory(const std::vector<T>& items, std::size_t offset = 0) : Memory(items.size(), offset) { put(items); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { cudaFree(base_); }
  T* data() const { return reinterpret_cast<T*>(base_ + front_); }
  std::span<T> span() const { return {data(), bytes_ / sizeof(T)}; }
  void put(const std::vector<T>& items) {
    EXPECT_EQ(cudaMemcpy(data(), items.data(), bytes_, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  bool holds(const std::vector<T>& items) const {
    std::vector<unsigned char> found(bytes_ + 1);
    EXPECT_EQ(cudaMemcpy(found.data(), data(), bytes_, cudaMemcpyDeviceToHost), cudaSuccess);
    return items.size() * sizeof(T) == bytes_ && (bytes_ == 0 || std::memcmp(found.data(), items.data(), bytes_) == 0);
  }
  bool canaries_stand() const {
    std::vector<unsigned char> front(front_), back(kGuard);
    EXPECT_EQ(cudaMemcpy(front.data(), base_, front_, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(back.data(), base_ + front_ + bytes_, kGuard, cudaMemcpyDeviceToHost), cudaSuccess);
    const auto good = [](unsigned char c) { return c == kCanary; };
    return std::all_of(front.begin(), front.end(), good) && std::all_of(back.begin(), back.end(), good);
  }

 private:
  unsigned char* base_ = nullptr;
  std::size_t bytes_, front_;
};


struct Wider {
  u32 place, rest[8];
};

template <class S, class K, class L>
void device_sorts(cudaStream_t stream, const std::vector<K>& keys, L less, std::size_t skew) {
  const u64 count = keys.size();
  std::vector<u32> places(count), expected_places(count);
  std::iota(places.begin(), places.end(), 0u);
  expected_places = places;
  std::stable_sort(expected_places.begin(), expected_places.end(), [&](u32 a, u32 b) { return less(keys[a], keys[b]); });
  std::vector<K> expected;
  expected.reserve(count);
  for (u32 place : expected_places) expected.push_back(keys[place]);
  const std::size_t offset = skew * alignof(K);
  {  // in place
    Memory<K> sorted(keys, offset);
    Memory<std::byte> scratch(md::Scratch<K, md::NoValue, S>(count).bytes, skew);
    const cudaError_t error = md::sort<S, K, md::NoValue>(stream, sorted.data(), sorted.data(), nullptr, nullptr, count, less,
                                                          scratch.span());
    CUDA_OK(error);
    CUDA_OK(cudaStreamSynchronize(stream));
    ASSERT_TRUE(sorted.holds(expected));
    ASSERT_TRUE(sorted.canaries_stand() && scratch.canaries_stand());
  }
  {  // from src to dst, with values, twice with the same scratch
    Memory<K> src(keys, offset), dst(count, offset);
    Memory<u32> values(places, skew * 4), values_dst(count, skew * 4);
    Memory<std::byte> scratch(md::Scratch<K, u32, S>(count).bytes, 3 * skew);
    for (int time = 0; time < 2; ++time) {
      CUDA_OK((md::sort<S, K, u32>(stream, src.data(), dst.data(), values.data(), values_dst.data(), count, less,
                                   scratch.span())));
      CUDA_OK(cudaStreamSynchronize(stream));
      ASSERT_TRUE(dst.holds(expected) && values_dst.holds(expected_places));
    }
    ASSERT_TRUE(src.holds(keys) && values.holds(places));
    ASSERT_TRUE(src.canaries_stand() && dst.canaries_stand() && values.canaries_stand() && values_dst.canaries_stand() &&
                scratch.canaries_stand());
  }
  {  // wide values, in place
    std::vector<Wider> wide(count), expected_wide(count);
    for (u32 i = 0; i < count; ++i) {
      wide[i] = {i, {i + 1, i + 2}};
      expected_wide[i] = {expected_places[i], {expected_places[i] + 1, expected_places[i] + 2}};
    }
    Memory<K> sorted(keys, offset);
    Memory<Wider> moved(wide);
    Memory<std::byte> scratch(md::Scratch<K, Wider, S>(count).bytes, skew);
    CUDA_OK((md::sort<S, K, Wider>(stream, sorted.data(), sorted.data(), moved.data(), moved.data(), count, less,
                                   scratch.span())));
    CUDA_OK(cudaStreamSynchronize(stream));
    ASSERT_TRUE(sorted.holds(expected) && moved.holds(expected_wide));
    ASSERT_TRUE(sorted.canaries_stand() && moved.canaries_stand() && scratch.canaries_stand());
  }
}

template <class S, class K>
void device_sorts_all(cudaStream_t stream, const std::vector<u64>& counts) {
  for (u64 count : counts) {
    for (const char* pattern : kPatterns) {
      SCOPED_TRACE(std::string(pattern) + " " + std::to_string(count));
      device_sorts<S, K>(stream, make_items<K>(pattern, count, count + 1), LessOf<K>{}, count % 4);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class S, class K>
std::vector<u64> counts_of(std::initializer_list<u64> tiles) {
  constexpr u64 tile = md::Layout<K, md::NoValue, S>::kTile;
  std::vector<u64> counts = {0, 1, 2, 3, 17, 33, 1000};
  for (u64 n : tiles)
    for (u64 off : {-1, 0, 1}) counts.push_back(n * tile + off);
  return counts;
}

template <class K>
class MergeOfType : public MergeOnDevice {};
using Types = testing::Types<std::uint8_t, u32, u64, float, Record12, Wide, Record32, Record160>;
TYPED_TEST_SUITE(MergeOfType, Types);

template <class K>
using LargeOf = md::DefaultShape<K, md::NoValue>;

TYPED_TEST(MergeOfType, SortsAroundTiles) {
  device_sorts_all<LargeOf<TypeParam>, TypeParam>(this->stream, counts_of<LargeOf<TypeParam>, TypeParam>({1, 2, 3, 8, 9, 64, 65}));
}

TYPED_TEST(MergeOfType, SortsAroundSmallTiles) {
  using S = md::SmallShape<TypeParam>;
  device_sorts_all<S, TypeParam>(this->stream, counts_of<S, TypeParam>({1, 2, 3, 9}));
}

TYPED_TEST(MergeOfType, SortsManyTiles) {
  const u64 most = sizeof(TypeParam) <= 16 ? u64{1} << 20 : u64{1} << 17;
  device_sorts_all<LargeOf<TypeParam>, TypeParam>(this->stream, {most + 3});
  device_sorts_all<md::SmallShape<TypeParam>, TypeParam>(this->stream, {most + 3});
}

TEST_F(MergeOnDevice, SortsEverySizeInSmallShapes) {
  for (u64 count = 0; count < 900; ++count) {
    SCOPED_TRACE(count);
    device_sorts<MergeShape<32, 3, 3>, u32>(stream, make_items<u32>("few", count, count), Less{}, count % 4);
    device_sorts<MergeShape<32, 1, 2>, u64>(stream, make_items<u64>("random", count, count), Less{}, count % 4);
    device_sorts<MergeShape<64, 3, 1>, Record12>(stream, make_items<Record12>("few", count, count), ByKey{}, count % 4);
    if (HasFatalFailure()) return;
  }
}

TEST_F(MergeOnDevice, SortsBigArrays) {
  device_sorts<LargeOf<u32>, u32>(stream, make_items<u32>("random", (u64{1} << 24) + 12345, 5), Less{}, 1);
  device_sorts<LargeOf<u64>, u64>(stream, make_items<u64>("few", (u64{1} << 23) + 777, 6), Less{}, 0);
}

// Shapes change here, and with them what scratch holds.
TEST_F(MergeOnDevice, SortsWhereShapesChange) {
  for (u64 off : {0, 1}) {
    const u64 count = md::kSmallBytes / 8 + off;
    ASSERT_EQ((md::is_small<u32, u32>(count)), off == 0);
    std::vector<u32> keys = make_items<u32>("random", count, off), values(count);
    std::iota(values.begin(), values.end(), 0u);
    Memory<u32> src(keys), moved(values), dst(count), moved_dst(count);
    Memory<std::byte> scratch(merge_sort_pairs_scratch_bytes<u32, u32>(count));
    CUDA_OK(merge_sort_pairs(stream, std::span<const u32>(src.span()), std::span<const u32>(moved.span()), dst.span(),
                             moved_dst.span(), Less{}, scratch.span()));
    CUDA_OK(cudaStreamSynchronize(stream));
    std::stable_sort(values.begin(), values.end(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
    std::vector<u32> expected;
    for (u32 place : values) expected.push_back(keys[place]);
    EXPECT_TRUE(dst.holds(expected) && moved_dst.holds(values) && scratch.canaries_stand());
  }
}

// Places in a table that only the device has: a comparator with state, which would read wild for anything but input.
struct ByTable {
  const u32* table;
  __device__ bool operator()(u32 a, u32 b) const { return table[a] < table[b]; }
};

TEST_F(MergeOnDevice, ComparatorsHaveStateAndSeeItemsAlone) {
  const u64 count = 300007;
  std::vector<u32> table(count), keys(count);
  std::mt19937_64 random(9);
  for (u64 i = 0; i < count; ++i) {
    table[i] = static_cast<u32>(random() % 1000);
    keys[i] = static_cast<u32>(random() % count);
  }
  std::vector<u32> expected = keys;
  std::stable_sort(expected.begin(), expected.end(), [&](u32 a, u32 b) { return table[a] < table[b]; });
  Memory<u32> device_table(table), sorted(keys);
  Memory<std::byte> scratch(merge_sort_scratch_bytes<u32>(count));
  CUDA_OK(merge_sort(stream, sorted.span(), ByTable{device_table.data()}, scratch.span()));
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT_TRUE(sorted.holds(expected));
}

template <class S>
void replays_in_a_graph(cudaStream_t stream, u64 count) {
  std::vector<u32> keys = make_items<u32>("random", count, 1), values(count);
  std::iota(values.begin(), values.end(), 0u);
  Memory<u32> src(keys), moved(values), dst(count), moved_dst(count);
  Memory<std::byte> scratch(md::Scratch<u32, u32, S>(count).bytes);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA_OK((md::sort<S, u32, u32>(stream, src.data(), dst.data(), moved.data(), moved_dst.data(), count, Less{},
                                 scratch.span())));
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
  for (u64 time = 0; time < 4; ++time) {
    keys = make_items<u32>(kPatterns[time], count, time + 10);
    src.put(keys);
    std::vector<u32> order = values, expected;
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
    for (u32 place : order) expected.push_back(keys[place]);
    CUDA_OK(cudaGraphLaunch(exec, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    EXPECT_TRUE(dst.holds(expected) && moved_dst.holds(order)) << kPatterns[time];
  }
  CUDA_OK(cudaGraphExecDestroy(exec));
  CUDA_OK(cudaGraphDestroy(graph));
}

TEST_F(MergeOnDevice, ReplaysInAGraphOnOtherData) {
  replays_in_a_graph<md::SmallShape<u32>>(stream, 100003);
  replays_in_a_graph<md::DefaultShape<u32, u32>>(stream, 200003);
}

struct Contrary {
  u32 how;
  __host__ __device__ bool operator()(u32 a, u32 b) const {
    return how == 0 ? true : how == 1 ? ((a * 2654435761u) ^ b) % 2 == 0 : (a ^ (b * 40503u)) % 7 < 3;
  }
};

template <class S, class K, class L>
void stays_in_bounds(cudaStream_t stream, const std::vector<K>& keys, L less, std::size_t skew) {
  Memory<K> sorted(keys, skew * sizeof(K));
  Memory<std::byte> scratch(md::Scratch<K, md::NoValue, S>(keys.size()).bytes, skew);
  CUDA_OK((md::sort<S, K, md::NoValue>(stream, sorted.data(), sorted.data(), nullptr, nullptr, keys.size(), less,
                                       scratch.span())));
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT_TRUE(sorted.canaries_stand() && scratch.canaries_stand());
}

TEST_F(MergeOnDevice, NoOrderStaysInBounds) {
  for (u64 count : {u64{5000}, u64{100003}, u64{1000003}}) {
    for (u32 how = 0; how < 3; ++how) {
      stays_in_bounds<md::SmallShape<u32>>(stream, make_items<u32>("random", count, count), Contrary{how}, how);
      stays_in_bounds<LargeOf<u32>>(stream, make_items<u32>("random", count, count), Contrary{how}, how);
    }
    std::vector<float> floats = make_items<float>("random", count, 3);
    for (u64 i = 0; i < count; i += 3) floats[i] = std::numeric_limits<float>::quiet_NaN();
    stays_in_bounds<md::SmallShape<float>>(stream, floats, Less{}, 0);
    stays_in_bounds<LargeOf<float>>(stream, floats, Less{}, 1);
  }
}

TEST_F(MergeOnDevice, RefusesWhatCannotBe) {
  const u64 count = 100000;
  const std::vector<u32> keys = make_items<u32>("random", count, 4);
  Memory<u32> src(keys), dst(count), short_dst(count - 1);
  Memory<std::byte> scratch(merge_sort_scratch_bytes<u32>(count));
  const std::span<const u32> from(src.span());
  const auto refused = [&](cudaError_t error) { return error == cudaErrorInvalidValue; };
  EXPECT_TRUE(refused(merge_sort(stream, from, short_dst.span(), Less{}, scratch.span())));
  EXPECT_TRUE(refused(merge_sort(stream, from, dst.span(), Less{}, scratch.span().first(scratch.span().size() - 1))));
  EXPECT_TRUE(refused(merge_sort(stream, std::span<u32>(static_cast<u32*>(nullptr), count), Less{}, scratch.span())));
  EXPECT_TRUE(refused(merge_sort(stream, std::span<u32>(reinterpret_cast<u32*>(1), count), Less{}, scratch.span())));
  EXPECT_TRUE(refused(merge_sort(stream, from.first(count - 1), std::span<u32>(src.data() + 1, count - 1), Less{}, scratch.span())));
  EXPECT_TRUE(refused(merge_sort(stream, src.span(), Less{}, std::span<std::byte>(reinterpret_cast<std::byte*>(src.data()), scratch.span().size()))));
  EXPECT_TRUE(refused(merge_sort(stream, std::span<std::uint8_t>(reinterpret_cast<std::uint8_t*>(src.data()), u64{1} << 61), Less{}, scratch.span())));
  EXPECT_TRUE(refused(merge_sort_pairs(stream, src.span(), short_dst.span(), Less{}, scratch.span())));
  EXPECT_TRUE(refused(merge_sort_pairs(stream, src.span(), src.span(), Less{}, scratch.span())));
  EXPECT_EQ(merge_sort(stream, std::span<u32>(), Less{}, {}), cudaSuccess);
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT_TRUE(src.holds(keys) && dst.canaries_stand());
}

}  // namespace
