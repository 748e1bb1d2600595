// One sweep a digit: keys are read once and written once, because a workgroup learns from those before it, while they run,
// where its keys go. The plainest form: nothing staged, nothing overlapped.
#include <utility>

#include "bench/ladder/cuda/ranks.cuh"

namespace lanesort::bench::device {
namespace {

constexpr Rung kRung{
    .name = "onesweep, plain",
    .backend = "cuda",
    .idea = "The digits of all passes are counted first. In a pass a workgroup takes a ticket, counts its tile, publishes "
            "the counts, and looks back over the tiles before, adding theirs, until one tells the sum of all before "
            "it; then it publishes that sum with its own, and moves its keys.",
    .time = "n times the bytes of a key",
    .space = "n keys, and 256 words a tile of 4096",
    .traffic = "a read that counts; then a read and a write a pass, and a sixteenth of a word a key for the look-back",
    .launches = "2, and 1 a pass",
    .limits = "needs a device on which a workgroup that waits does not keep the one that it waits for from running; 2^30 "
              "keys, as counts share a word with two flags; keys leave singly, not in whole lines",
    .source = "Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back, 2016; Adinets and Merrill, "
              "Onesweep, 2022",
};

constexpr u32 kThreads = 256, kWarps = kThreads / kWarp, kItems = 16, kTile = kThreads * kItems, kBits = 8, kBins = 256;
// A word of look-back is cleared to "nothing yet"; then it holds the tile's own count, then the sum up to the tile's end.
// Flag and count are one word, so that nothing else need be in order for the reader.
constexpr u32 kOwn = 1u << 30, kSum = 2u << 30, kCount = kOwn - 1;
constexpr u32 kMostPolls = 1u << 22;  // seconds; a sort that waits longer has lost a signal, and says so

template <class K>
__device__ u32 digit_of(K key, u32 pass) {
  return static_cast<u32>(key >> (pass * kBits)) & (kBins - 1);
}

// Digits of all passes at once: a pass moves keys, and leaves which there are.
template <class K>
__global__ void __launch_bounds__(kThreads) count_all_digits(const K* keys, u64 count, u32* counts) {
  __shared__ u32 mine[sizeof(K)][kBins];
  for (u32 pass = 0; pass < sizeof(K); ++pass) mine[pass][threadIdx.x] = 0;
  __syncthreads();  // the counters are clear
  for (u64 i = thread_index(); i < count; i += u64{gridDim.x} * kThreads)
    for (u32 pass = 0; pass < sizeof(K); ++pass) atomicAdd(&mine[pass][digit_of(keys[i], pass)], 1u);
  __syncthreads();  // all are counted
  for (u32 pass = 0; pass < sizeof(K); ++pass)
    if (mine[pass][threadIdx.x] != 0) atomicAdd(&counts[pass * kBins + threadIdx.x], mine[pass][threadIdx.x]);
}

// A workgroup a pass: counts become the places where the digits begin. 256 are few enough to be summed up naively.
__global__ void __launch_bounds__(kBins) begin_digits(u32* counts) {
  __shared__ u32 sums[kBins];
  u32* const own = counts + blockIdx.x * kBins;
  const u32 mine = own[threadIdx.x];
  sums[threadIdx.x] = mine;
  for (u32 distance = 1; distance < kBins; distance *= 2) {
    __syncthreads();  // all have written
    const u32 left = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();  // all have read
    sums[threadIdx.x] += left;
  }
  own[threadIdx.x] = sums[threadIdx.x] - mine;
}

// Keys of this digit in all tiles before. Words are read past the nearest cache (volatile), which would keep old ones.
__device__ u32 look_back(const volatile u32* words, u32 tile, u32 digit, u32* fault) {
  u32 before = 0, polls = 0;
  for (u32 at = tile; at > 0;) {
    const u32 word = words[u64{at - 1} * kBins + digit];
    if (word == 0) {
      if (++polls < kMostPolls) continue;
      *fault = 1;
      return before;
    }
    before += word & kCount;
    if (word >= kSum) break;
    --at;
  }
  return before;
}

// Tickets hand out tiles in the order in which workgroups begin, so that who is waited for has begun. `begins` has the
// ticket behind the places of this pass's digits.
template <class K>
__global__ void __launch_bounds__(kThreads) sweep(const K* src, K* dst, u64 count, u32 pass, const u32* begins, u32* ticket, volatile u32* words,
                      u32* fault) {
  __shared__ u32 of_warp[kWarps][kBins], taken;
  if (threadIdx.x == 0) taken = atomicAdd(ticket, 1u);
  for (u32 warp = 0; warp < kWarps; ++warp) of_warp[warp][threadIdx.x] = 0;
  __syncthreads();  // the ticket is taken and the counters are clear
  const u32 tile = taken, warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  // A warp has 16 x 32 keys that follow each other; 32 at a time are ranked behind those of their digit before.
  const u64 begin = tile * u64{kTile} + warp * (kItems * kWarp) + lane;
  K keys[kItems];
  u32 ranks[kItems];
  for (u32 i = 0; i < kItems; ++i) {
    const bool there = begin + i * kWarp < count;
    keys[i] = there ? src[begin + i * kWarp] : K{0};
    const u32 digit = digit_of(keys[i], pass), lanes = lanes_of_digit<kBits>(digit, there);
    const u32 before = there ? of_warp[warp][digit] : 0;
    ranks[i] = before + __popc(lanes & lanes_below());
    __syncwarp();  // all lanes have read
    if (there && (lanes & lanes_below()) == 0) of_warp[warp][digit] = before + __popc(lanes);
    __syncwarp();  // the counters are those of the next 32
  }
  __syncthreads();  // all warps have counted
  u32 own = 0;  // of digit threadIdx.x: the warps' counts become sums of the warps before
  for (u32 w = 0; w < kWarps; ++w) {
    const u32 keys_of_warp = of_warp[w][threadIdx.x];
    of_warp[w][threadIdx.x] = own;
    own += keys_of_warp;
  }
  words[u64{tile} * kBins + threadIdx.x] = kOwn | own;
  const u32 before = look_back(words, tile, threadIdx.x, fault);
  words[u64{tile} * kBins + threadIdx.x] = kSum | ((before + own) & kCount);
  const u32 place = begins[threadIdx.x] + before;
  for (u32 w = 0; w < kWarps; ++w) of_warp[w][threadIdx.x] += place;
  __syncthreads();  // the sums are places
  for (u32 i = 0; i < kItems; ++i) {
    const u64 to = of_warp[warp][digit_of(keys[i], pass)] + ranks[i];
    if (begin + i * kWarp < count && to < count) dst[to] = keys[i];  // past the end only after a lost signal
  }
}

struct Onesweep {
  template <class K>
  static K* sort(Work& work) {
    K* src = static_cast<K*>(work.keys);
    K* dst = static_cast<K*>(work.other);
    const u64 tiles = divide_up(work.count, kTile);
    if (tiles == 0) return src;
    u32* const begins = reinterpret_cast<u32*>(work.scratch);
    u32* const tickets = begins + sizeof(K) * kBins;
    u32* const words = tickets + kBins;
    must(cudaMemsetAsync(begins, 0, (sizeof(K) + 1) * kBins * sizeof(u32), work.stream));
    launch(work, count_all_digits<K>, std::min<u64>(tiles, 1024), kThreads, src, work.count, begins);
    launch(work, begin_digits, sizeof(K), kBins, begins);
    for (u32 pass = 0; pass < sizeof(K); ++pass) {
      must(cudaMemsetAsync(words, 0, tiles * kBins * sizeof(u32), work.stream));
      launch(work, sweep<K>, tiles, kThreads, src, dst, work.count, pass, begins + pass * kBins, tickets + pass, words,
             work.fault);
      std::swap(src, dst);
    }
    return src;
  }
};

u64 scratch_bytes(u32 key_bytes, u64 count) { return ((key_bytes + 1) + divide_up(count, kTile)) * kBins * sizeof(u32); }

// A word of look-back is cleared, written twice and read once or more.
double bytes_per_key(double key_bytes, double) {
  return key_bytes + key_bytes * (2 * key_bytes + 4.0 * kBins * sizeof(u32) / kTile);
}

}  // namespace

std::vector<DeviceRung> onesweep_rungs() {
  return {device_rung<Onesweep>(complete(kRung, bytes_per_key, {}), u64{1} << 28, scratch_bytes)};
}

}  // namespace lanesort::bench::device
