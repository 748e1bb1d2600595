// The first k of each row, a block a row. Threads know the least key of each of up to 1024 groups of the row; the k-th
// least of those is no lower than the k-th least key, and hardly any more keys stand at or before it. A second look, by
// then at L1 or L2, gathers these, each with its place, and they are sorted in shared memory. Where they do not fit
// (many equal keys; k near the number of groups), the digits of the row are counted and the threshold is exact.
#pragma once
#include "kernels/cuda/top_k.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

template <class K>
struct RowSelect {
  static constexpr u32 kPack = 16 / sizeof(K), kFlight = sizeof(K) >= 4 ? 4 : sizeof(K), kGroups = 4;  // a thread
  static constexpr u32 kRoom = tune::kTopRowRoom, kThreads = tune::kTopThreads;
  static constexpr u32 kMostByGroups = kThreads * (kPack < kGroups ? kPack : kGroups) / 2;

  struct Shared {
    K field[kRoom];
    u32 place[kRoom];
    u32 counters[kDigits];
    u32 sums[8], count, of_warp[kTopWarps];
    u32 found_need, found_digit;
  };

  Shared& shared;
  const Order<K> order;
  const K* keys;
  u32 n, k;

  // look(first place, keys of one pack): every pack once, then what does not fill one, key by key. The same thread
  // sees the same keys each time.
  template <class Look>
  __device__ __forceinline__ void read_row(const Look& look) const {
    const u32 t = threadIdx.x;
    const u32 skew = static_cast<u32>(reinterpret_cast<u64>(keys) % 16) / static_cast<u32>(sizeof(K));
    const u32 head = skew == 0 ? 0 : min(kPack - skew, n), packs = (n - head) / kPack;
    const uint4* const from = reinterpret_cast<const uint4*>(keys + head);
    for (u32 first = t; first < packs; first += kFlight * kThreads) {
      uint4 x[kFlight];
#pragma unroll
      for (u32 j = 0; j < kFlight; ++j) {
        if (first + j * kThreads < packs) x[j] = __ldg(from + first + j * kThreads);
      }
#pragma unroll
      for (u32 j = 0; j < kFlight; ++j) {
        if (first + j * kThreads >= packs) break;
        K key[kPack];
        memcpy(key, &x[j], 16);
        look(head + (first + j * kThreads) * kPack, key, std::integral_constant<u32, kPack>{});
      }
    }
    const u32 rest = n - packs * kPack;  // fewer than two packs: before and behind
    if (t < rest) {
      const u32 at = t < head ? t : t + packs * kPack;
      const K key = load(keys + at);
      look(at, &key, std::integral_constant<u32, 1>{});
    }
  }

  // Sum over the block of a count of each thread; `sum` was zero.
  __device__ __forceinline__ u32 count_block(u32 mine, u32* sum) const {
    mine = __reduce_add_sync(kFullWarp, mine);
    if ((threadIdx.x & 31) == 0 && mine != 0) atomicAdd(sum, mine);
    __syncthreads();
    return *sum;
  }

  // No lower than the k-th least of view(key), and hardly any higher. counters are zero before.
  template <class View>
  __device__ __forceinline__ K bound(const View& view) const {
    K least[kGroups];
#pragma unroll
    for (u32 g = 0; g < kGroups; ++g) least[g] = static_cast<K>(~K{0});
    read_row([&](u32, const K* key, auto size) {
#pragma unroll
      for (u32 e = 0; e < size.value; ++e) least[e % kGroups] = min(least[e % kGroups], view(key[e]));
    });
    const u32 enough = k + k / 4 + 16;
    K prefix = 0;
    for (u32 bit = sizeof(K) * 8; bit-- != 0;) {
      const K last = static_cast<K>(prefix | static_cast<K>((K{1} << bit) - 1));
      u32 mine = 0;
#pragma unroll
      for (u32 g = 0; g < kGroups; ++g) mine += least[g] <= last;
      const u32 all = count_block(mine, &shared.counters[bit]);
      if (all < k)
        prefix |= static_cast<K>(K{1} << bit);
      else if (all <= enough)
        return last;
    }
    return prefix;
  }

  __device__ __forceinline__ void put(u32 at, K field, u32 place) const {
    if (at >= kRoom) return;
    shared.field[at] = field;
    shared.place[at] = place;
  }
  __device__ __forceinline__ void clear() const {
    __syncthreads();  // who looked at them has done so
    shared.counters[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.count = 0;
    __syncthreads();
  }

  // Candidates by bounds: their number, which may be too few where a view puts keys too early, or more than fit.
  template <class View>
  __device__ __forceinline__ u32 gather(const View& view, bool folds) const {
    clear();
    const K last = bound(view);
    const K limit = folds ? QuickLook<K>::limit(order, last) : last;
    read_row([&](u32 at, const K* key, auto size) {
      bool any = false;
#pragma unroll
      for (u32 e = 0; e < size.value; ++e) any |= view(key[e]) <= limit;
      if (!any) return;
#pragma unroll
      for (u32 e = 0; e < size.value; ++e) {
        if (view(key[e]) > limit) continue;
        const K field = order.field(key[e]);
        if (field <= last) put(atomicAdd(&shared.count, 1u), field, at + e);
      }
    });
    __syncthreads();
    return shared.count;
  }

  // By counting digits, from the highest. Exactly k candidates; of those at the threshold the first ones.
  __device__ __forceinline__ void gather_exactly() const {
    const u32 t = threadIdx.x;
    K high = 0, prefix = 0;
    u32 need = k;
    for (u32 left = order.end - order.begin; left != 0;) {
      const u32 bits = left < 8 ? left : 8, shift = left - bits, mask = (1u << bits) - 1;
      clear();
      read_row([&](u32, const K* key, auto size) {
#pragma unroll
        for (u32 e = 0; e < size.value; ++e) {
          const K field = order.field(key[e]);
          if (static_cast<K>(field & high) == prefix)
            atomicAdd(&shared.counters[static_cast<u32>(field >> shift) & mask], 1u);
        }
      });
      __syncthreads();
      const u32 here = shared.counters[t], before = exclusive_scan_256(here, shared.sums);
      if (before < need && need <= before + here) {
        shared.found_need = need - before;
        shared.found_digit = t;
      }
      __syncthreads();
      need = shared.found_need;
      high |= static_cast<K>(static_cast<K>(mask) << shift);
      prefix |= static_cast<K>(static_cast<K>(shared.found_digit) << shift);
      left = shift;
    }
    clear();
    read_row([&](u32 at, const K* key, auto size) {
#pragma unroll
      for (u32 e = 0; e < size.value; ++e) {
        const K field = order.field(key[e]);
        if (field < prefix) put(atomicAdd(&shared.count, 1u), field, at + e);
      }
    });
    const u32 below = k - need;
    for (u32 first = 0, found = 0; first < n && found < need; first += kThreads) {
      const bool tied = first + t < n && order.field(load(keys + first + t)) == prefix;
      const u32 votes = __ballot_sync(kFullWarp, tied);
      if ((t & 31) == 0) shared.of_warp[t >> 5] = __popc(votes);
      __syncthreads();
      u32 before = found, all = 0;
      for (u32 w = 0; w < kTopWarps; ++w) {
        before += w < t >> 5 ? shared.of_warp[w] : 0;
        all += shared.of_warp[w];
      }
      before += __popc(votes & ((1u << (t & 31)) - 1));
      if (tied && before < need) put(below + before, prefix, first + t);
      found += all;
      __syncthreads();  // of_warp has been read
    }
    __syncthreads();
  }

  __device__ __forceinline__ bool stands_before(u32 a, K field, u32 place) const {
    return shared.field[a] < field || (shared.field[a] == field && shared.place[a] < place);
  }

  // write(rank, place) for the first k of m candidates, by comparing each with all: there are few.
  template <class Write>
  __device__ __forceinline__ void rank_few(u32 m, const Write& write) const {
    const u32 t = threadIdx.x;
    if (t >= m) return;
    const K field = shared.field[t];
    const u32 place = shared.place[t];
    u32 rank = 0;
#pragma unroll 4
    for (u32 i = 0; i < m; ++i) rank += stands_before(i, field, place);
    if (rank < k) write(rank, place);
  }

  // Bitonic, by field and then by place.
  template <class Write>
  __device__ __forceinline__ void sort_many(u32 m, const Write& write) const {
    u32 whole = kThreads;
    while (whole < m) whole *= 2;
    for (u32 i = m + threadIdx.x; i < whole; i += kThreads) put(i, static_cast<K>(~K{0}), ~0u);
    __syncthreads();
    for (u32 size = 2; size <= whole; size *= 2) {
      for (u32 apart = size / 2; apart != 0; apart /= 2) {
        for (u32 i = threadIdx.x; i < whole / 2; i += kThreads) {
          const u32 a = i / apart * 2 * apart + i % apart, b = a + apart;
          const bool rising = (a & size) == 0;
          const K field = shared.field[b];
          const u32 place = shared.place[b];
          if (stands_before(a, field, place) != rising) {
            shared.field[b] = shared.field[a];
            shared.place[b] = shared.place[a];
            shared.field[a] = field;
            shared.place[a] = place;
          }
        }
        __syncthreads();
      }
    }
    for (u32 i = threadIdx.x; i < k; i += kThreads) write(i, shared.place[i]);
  }
};

template <class V>
__device__ __forceinline__ void write_value(const TopRowsParams& p, u64 from, u32 place, u64 to) {
  static_cast<V*>(p.values_dst)[to] =
      p.values_src == nullptr ? counting_value<V>(place) : load(static_cast<const V*>(p.values_src) + from + place);
}

template <class K>
__device__ __forceinline__ void select_rows(const TopRowsParams& p) {
  using Select = RowSelect<K>;
  __shared__ typename Select::Shared shared;
  const u32 n = static_cast<u32>(real_count(p.device_count, p.count)), k = min(p.k, n);
  if (k == 0) return;
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  for (u64 row = blockIdx.x; row < p.row_count; row += gridDim.x) {
    const u64 from = row * p.count, to = row * p.k;
    const K* const keys = static_cast<const K*>(p.keys_src) + from;
    const Select select{shared, order, keys, n, k};
    u32 m = 0;
    if (k <= Select::kMostByGroups) {
      const auto field = [&](K raw) { return order.field(raw); };
      if (QuickLook<K>(order).quick) m = select.gather([&](K raw) { return order.map.image(raw); }, true);
      if (m < k) m = select.gather(field, false);
    }
    if (m < k || m > tune::kTopRowRoom) {
      select.gather_exactly();
      m = k;
    }
    const auto write = [&](u32 rank, u32 place) {
      if (p.keys_dst != nullptr) static_cast<K*>(p.keys_dst)[to + rank] = load(keys + place);
      if (p.values_dst == nullptr) return;
      by_width(p.value_bytes, [&](auto value) { write_value<decltype(value)>(p, from, place, to + rank); });
    };
    if (m <= Select::kThreads)
      select.rank_few(m, write);
    else
      select.sort_many(m, write);
  }
}

// to[i] = from[indices[i]]
__device__ __forceinline__ void gather_items(const void* from, const void* indices, u32 index_bytes, void* to,
                                             u32 item_bytes, u64 n) {
  by_width(item_bytes, [&](auto item) {
    using T = decltype(item);
    for (u64 i = Share().first; i < n; i += Share().stride) {
      const u64 at =
          index_bytes == 4 ? load(static_cast<const u32*>(indices) + i) : load(static_cast<const u64*>(indices) + i);
      static_cast<T*>(to)[i] = load(static_cast<const T*>(from) + at);
    }
  });
}

__device__ __forceinline__ void deliver_top(const TopDeliverParams& p) {
  const u64 n = real_count(p.device_count, p.count), kept = p.k < n ? p.k : n;
  if (p.keys_dst != nullptr && p.keys != nullptr) copy_items(p.keys, p.keys_dst, p.key_bytes, kept);
  if (p.keys_dst != nullptr && p.keys == nullptr)
    gather_items(p.keys_src, p.indices, p.index_bytes, p.keys_dst, p.key_bytes, kept);
  if (p.values_dst != nullptr && p.values_src == nullptr) copy_items(p.indices, p.values_dst, p.index_bytes, kept);
  if (p.values_dst != nullptr && p.values_src != nullptr)
    gather_items(p.values_src, p.indices, p.index_bytes, p.values_dst, p.value_bytes, kept);
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
