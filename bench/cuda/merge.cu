// One item a compilation: LANESORT_MERGE_ITEM is its name as an identifier, LANESORT_MERGE_KEY and LANESORT_MERGE_VALUE
// its types.
#include <algorithm>
#include <cstdio>
#include <cub/device/device_merge_sort.cuh>
#include <stdexcept>

#include "cuda/merge.hpp"
#include "lanesort/merge.cuh"

namespace lanesort::bench::cuda {
namespace {

namespace md = lanesort::cuda::merge_detail;
using lanesort::cuda::MergeShape;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

void must(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}
#define MUST(call) must((call), #call)

struct Struct32 {
  u32 key, place, rest[6];
};
using NoValue = md::NoValue;
using K = LANESORT_MERGE_KEY;
using V = LANESORT_MERGE_VALUE;
constexpr bool kValues = !std::is_same_v<V, NoValue>;

__host__ __device__ u64 mix(u64 x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

__host__ __device__ u32 order_of(const Struct32& item) { return item.key; }
__host__ __device__ u32 order_of(const u32& item) { return item; }
__host__ __device__ u64 order_of(const u64& item) { return item; }

struct Less {
  __host__ __device__ bool operator()(const K& a, const K& b) const { return order_of(a) < order_of(b); }
};

template <class K, class V>
__global__ void fill(K* keys, V* values, u64 count, int pattern) {
  for (u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x; i < count; i += u64{gridDim.x} * blockDim.x) {
    const u64 bits = pattern == 0 ? mix(i) : pattern == 1 ? mix(i) % 16 : pattern == 2 ? i : count - i;
    if constexpr (std::is_same_v<K, Struct32>) {
      keys[i] = {static_cast<u32>(bits), static_cast<u32>(i)};
      for (u32 w = 0; w < 6; ++w) keys[i].rest[w] = static_cast<u32>(i) + w;
    } else {
      keys[i] = static_cast<K>(bits);
    }
    if constexpr (!std::is_same_v<V, NoValue>) values[i] = static_cast<V>(i);
  }
}

// faults: neighbours out of order, values that are not their keys' places. sum: of the items' hashes.
template <class K, class V>
__global__ void check(const K* src, const K* keys, const V* values, u64 count, u64* faults, u64* sum) {
  u64 wrong = 0, hash = 0;
  for (u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x; i < count; i += u64{gridDim.x} * blockDim.x) {
    const K key = keys[i];
    const bool more = i + 1 < count;
    if (more && order_of(keys[i + 1]) < order_of(key)) ++wrong;
    if constexpr (std::is_same_v<K, Struct32>) {
      if (more && keys[i + 1].key == key.key && keys[i + 1].place <= key.place) ++wrong;
      for (u32 w = 0; w < 6; ++w) wrong += key.rest[w] != key.place + w;
      hash += mix(key.place) ^ key.key;
    } else {
      hash += mix(static_cast<u64>(key));
    }
    if constexpr (!std::is_same_v<V, NoValue>) {
      if (more && keys[i + 1] == key && values[i + 1] <= values[i]) ++wrong;
      if (values[i] >= count || src[values[i]] != key) ++wrong;
      hash += mix(values[i]) * 3;
    }
  }
  if (wrong != 0) atomicAdd(reinterpret_cast<unsigned long long*>(faults), static_cast<unsigned long long>(wrong));
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(hash));
}

template <class T>
struct Memory {
  T* data = nullptr;
  explicit Memory(u64 bytes) { MUST(cudaMalloc(reinterpret_cast<void**>(&data), std::max<u64>(bytes, 256))); }
  ~Memory() { cudaFree(data); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

struct Buffers {
  K *src, *keys;
  V *values_src, *values;
  u64 count;
  std::byte* scratch;
  u64 scratch_bytes;
};

struct Event {
  cudaEvent_t event;
  Event() { MUST(cudaEventCreate(&event)); }
  ~Event() { cudaEventDestroy(event); }
};

// A shape of ours.
struct Contender {
  std::string name;
  u64 (*scratch_bytes)(u64 count);
  void (*sort)(const Buffers&, cudaStream_t);
  void (*phases)(const Buffers&, cudaStream_t, MergeTimes&);
};

// The launches of merge_detail::sort with an event after each.
template <class S>
void launch_phases(const Buffers& b, cudaStream_t stream, MergeTimes& times) {
  const md::Scratch<K, V, S> room(b.count);
  std::byte* const base = reinterpret_cast<std::byte*>(md::round_up(reinterpret_cast<u64>(b.scratch), 256));
  const md::Places<K, V> places{b.keys,
                                {b.keys, reinterpret_cast<K*>(base)},
                                b.values,
                                {b.values, reinterpret_cast<V*>(base + room.values_at)},
                                reinterpret_cast<u64*>(base + room.table_at),
                                b.count};
  const u32 levels = md::levels_of(room.tiles), passes = (levels + S::levels - 1) / S::levels;
  std::vector<Event> events(2 * passes + 2);
  MUST(cudaEventRecord(events[0].event, stream));
  MUST(md::launch_all<S>(stream, places, passes % 2, Less{}, [&](const char* name, u32 ways) {
    times.phases.push_back({name + (ways > 1 ? " " + std::to_string(ways) : ""), 0});
    MUST(cudaEventRecord(events[times.phases.size()].event, stream));
  }));
  MUST(cudaStreamSynchronize(stream));
  for (u32 i = 0; i < times.phases.size(); ++i) {
    float ms = 0;
    MUST(cudaEventElapsedTime(&ms, events[i].event, events[i + 1].event));
    times.phases[i].second = ms * 1e-3;
  }
}

template <class S>
Contender contender() {
  return {std::to_string(S::threads) + "x" + std::to_string(S::items) + "x" + std::to_string(S::levels),
          [](u64 count) { return md::Scratch<K, V, S>(count).bytes; },
          [](const Buffers& b, cudaStream_t stream) {
            MUST((md::sort<S, K, V, Less>(stream, b.keys, b.keys, b.values, b.values, b.count, Less{},
                                          {b.scratch, b.scratch_bytes})));
          },
          launch_phases<S>};
}

// What the header takes for a count comes first.
template <class... Shapes>
std::vector<Contender> all(u64 count) {
  using Small = md::SmallShape<K>;
  using Large = md::DefaultShape<K, V>;
  if (md::is_small<K, V>(count)) return {contender<Small>(), contender<Large>(), contender<Shapes>()...};
  return {contender<Large>(), contender<Small>(), contender<Shapes>()...};
}

std::vector<Contender> contenders(u64 count) {
  if constexpr (kValues)
    return all<MergeShape<256, 17, 3>, MergeShape<256, 11, 2>>(count);
  else if constexpr (sizeof(K) == 4)
    return all<MergeShape<256, 17, 3>, MergeShape<256, 17, 2>, MergeShape<256, 25, 2>, MergeShape<256, 33, 3>,
               MergeShape<128, 17, 3>, MergeShape<1024, 9, 1>, MergeShape<512, 17, 1>, MergeShape<256, 9, 1>,
               MergeShape<1024, 5, 1>>(count);
  else if constexpr (sizeof(K) == 8)
    return all<MergeShape<256, 11, 3>, MergeShape<256, 17, 3>, MergeShape<256, 17, 2>, MergeShape<512, 5, 1>>(count);
  else
    return all<MergeShape<128, 9, 2>, MergeShape<256, 9, 3>, MergeShape<256, 9, 1>>(count);
}

template <class B>
void sort_by_cub(const B& b, void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
  if constexpr (!std::is_same_v<std::remove_pointer_t<decltype(b.values)>, NoValue>)
    MUST(cub::DeviceMergeSort::StableSortPairs(temp, temp_bytes, b.keys, b.values, b.count, Less{}, stream));
  else
    MUST(cub::DeviceMergeSort::StableSortKeys(temp, temp_bytes, b.keys, b.count, Less{}, stream));
}

}  // namespace

#define LANESORT_JOIN_(a, b) a##b
#define LANESORT_JOIN(a, b) LANESORT_JOIN_(a, b)

std::vector<std::string> LANESORT_JOIN(shapes_, LANESORT_MERGE_ITEM)(u64 count) {
  std::vector<std::string> names;
  for (const Contender& c : contenders(count))
    if (std::find(names.begin(), names.end(), c.name) == names.end()) names.push_back(c.name);
  return names;
}

std::vector<MergeTimes> LANESORT_JOIN(measure_, LANESORT_MERGE_ITEM)(const MergeWork& work) {
  const std::vector<Contender> known = contenders(work.count);
  std::vector<Contender> chosen;
  if (work.shapes.empty()) chosen.push_back(known[0]);
  for (const std::string& shape : work.shapes) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const Contender& c) { return c.name == shape; });
    if (found == known.end()) throw std::runtime_error("no shape " + shape + " for " + work.item);
    chosen.push_back(*found);
  }
  const int pattern = work.pattern == "uniform"    ? 0
                      : work.pattern == "few16"    ? 1
                      : work.pattern == "sorted"   ? 2
                      : work.pattern == "reversed" ? 3
                                                   : -1;
  if (pattern < 0) throw std::runtime_error("no pattern " + work.pattern);
  const u64 count = work.count, key_bytes = count * sizeof(K), value_bytes = kValues ? count * sizeof(V) : 0;
  Memory<K> src(key_bytes), keys(key_bytes);
  Memory<V> values_src(value_bytes), values(value_bytes);
  Memory<u64> answers(4 * sizeof(u64));
  Buffers b{src.data, keys.data, values_src.data, values.data, count, nullptr, 0};
  std::size_t temp_bytes = 0;
  sort_by_cub(b, nullptr, temp_bytes, nullptr);
  for (const Contender& c : chosen) b.scratch_bytes = std::max(b.scratch_bytes, c.scratch_bytes(count));
  Memory<std::byte> scratch(std::max<u64>(b.scratch_bytes, temp_bytes));
  b.scratch = scratch.data;
  cudaStream_t stream = nullptr;
  MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Event begin, end;
  fill<<<2048, 256, 0, stream>>>(b.src, b.values_src, count, pattern);
  MUST(cudaGetLastError());

  const auto fresh = [&] {
    MUST(cudaMemcpyAsync(b.keys, b.src, key_bytes, cudaMemcpyDeviceToDevice, stream));
    if (value_bytes != 0)
      MUST(cudaMemcpyAsync(b.values, b.values_src, value_bytes, cudaMemcpyDeviceToDevice, stream));
    MUST(cudaStreamSynchronize(stream));
  };
  const auto sort = [&](std::size_t who) {
    if (who < chosen.size())
      chosen[who].sort(b, stream);
    else
      sort_by_cub(b, scratch.data, temp_bytes, stream);
  };
  const auto good = [&] {
    MUST(cudaMemsetAsync(answers.data, 0, 4 * sizeof(u64), stream));
    check<<<2048, 256, 0, stream>>>(b.src, b.keys, b.values, count, answers.data, answers.data + 1);
    check<<<2048, 256, 0, stream>>>(b.src, b.src, b.values_src, count, answers.data + 2, answers.data + 3);
    MUST(cudaGetLastError());
    u64 found[4];
    MUST(cudaMemcpyAsync(found, answers.data, sizeof found, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    if (found[0] != 0) std::fprintf(stderr, "%llu faults\n", static_cast<unsigned long long>(found[0]));
    return found[0] == 0 && found[1] == found[3];
  };

  std::vector<MergeTimes> times(chosen.size() + 1);
  for (std::size_t who = 0; who < times.size(); ++who) {
    times[who].name = who < chosen.size() ? chosen[who].name : "cub";
    fresh();
    sort(who);
    times[who].verified = good();
    if (work.phases && who < chosen.size()) {
      fresh();
      chosen[who].phases(b, stream, times[who]);
    }
  }
  for (int s = 0; s < work.samples; ++s) {
    for (std::size_t who = 0; who < times.size(); ++who) {
      fresh();
      MUST(cudaEventRecord(begin.event, stream));
      sort(who);
      MUST(cudaEventRecord(end.event, stream));
      MUST(cudaEventSynchronize(end.event));
      float ms = 0;
      MUST(cudaEventElapsedTime(&ms, begin.event, end.event));
      times[who].seconds.push_back(ms * 1e-3);
    }
  }
  MUST(cudaStreamDestroy(stream));
  return times;
}

}  // namespace lanesort::bench::cuda
