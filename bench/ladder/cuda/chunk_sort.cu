// The sort of the WebGPU tutorials on CUDA: two bits a round, in chunks of 512. bench/ladder/wgsl/chunk_sort.wgsl is the
// same step by step, for keys with ids; here are keys alone, as on the other rungs.
#include "bench/ladder/cuda/launch.cuh"

namespace lanesort::bench::device {
namespace {

constexpr Rung kRung{
    .name = "chunks, 2 bits a round",
    .backend = "cuda",
    .idea = "A workgroup ranks the keys of its chunk: four flags a key, one a digit, each summed up over the chunk. One "
            "workgroup sums up the chunks' totals; then every key goes to its place.",
    .time = "n times half the bits of a key, at a barrier a step of the sums",
    .space = "n keys, a rank for each, and four totals a chunk",
    .traffic = "a round reads a key twice and writes it once, writes its rank and reads it",
    .launches = "3 a round: 48 for u32, 12 for u8",
    .limits = "one workgroup sums up all totals, and 4 x 512 fit its memory: 512 chunks, 262,144 keys",
    .source = "Blelloch, Prefix sums and their applications, 1990; Harris, Sengupta and Owens, GPU Gems 3, chapter 39, "
              "2007",
};

constexpr u32 kThreads = 256, kChunk = 512, kDigits = 4, kMostChunks = 512, kTotals = kDigits * kMostChunks;

// Shared memory has 32 banks and a scan walks by powers of two: an empty word after each 32 spreads its steps over them.
__device__ constexpr u32 slot(u32 index) { return index + index / 32; }

template <class K>
__device__ u32 digit_of(K key, u32 shift) {
  return (key >> shift) & (kDigits - 1);
}

// Exclusive sums in place of `count` words, a power of two, in shared memory. The whole sum is lost.
__device__ void scan(u32* words, u32 count) {
  for (u32 stride = 1; stride < count; stride *= 2) {
    __syncthreads();  // the level below is whole
    for (u32 last = (threadIdx.x + 1) * stride * 2 - 1; last < count; last += kThreads * stride * 2)
      words[slot(last)] += words[slot(last - stride)];
  }
  __syncthreads();  // the whole sum is there
  if (threadIdx.x == 0) words[slot(count - 1)] = 0;
  for (u32 stride = count / 2; stride > 0; stride /= 2) {
    __syncthreads();  // the level above is whole
    for (u32 last = (threadIdx.x + 1) * stride * 2 - 1; last < count; last += kThreads * stride * 2) {
      const u32 left = words[slot(last - stride)];
      words[slot(last - stride)] = words[slot(last)];
      words[slot(last)] += left;
    }
  }
  __syncthreads();  // the sums of all are there
}

// A workgroup a chunk. Past the count stand no flags.
template <class K>
__global__ void __launch_bounds__(kThreads) rank_chunk(const K* keys, u32* ranks, u32* totals, u32 row, u32 shift, u32 count) {
  __shared__ u32 flags[kDigits][slot(kChunk)];
  const u32 begin = blockIdx.x * kChunk;
  for (u32 place = threadIdx.x; place < kChunk; place += kThreads)
    for (u32 digit = 0; digit < kDigits; ++digit)
      flags[digit][slot(place)] = begin + place < count && digit_of(keys[begin + place], shift) == digit;
  for (u32 digit = 0; digit < kDigits; ++digit) scan(flags[digit], kChunk);
  for (u32 place = threadIdx.x; place < kChunk && begin + place < count; place += kThreads) {
    const u32 digit = digit_of(keys[begin + place], shift);
    ranks[begin + place] = flags[digit][slot(place)];
  }
  if (threadIdx.x >= kDigits) return;
  const u32 last = min(begin + kChunk, count) - 1;
  totals[threadIdx.x * row + blockIdx.x] =
      flags[threadIdx.x][slot(last - begin)] + (digit_of(keys[last], shift) == threadIdx.x);
}

// One workgroup in all: where the keys of each digit of each chunk begin. What a row has past its chunks counts as zero.
__global__ void __launch_bounds__(kThreads) scan_totals(u32* totals, u32 row, u32 chunks) {
  __shared__ u32 sums[slot(kTotals)];
  const u32 count = kDigits * row;
  for (u32 i = threadIdx.x; i < count; i += kThreads) sums[slot(i)] = i % row < chunks ? totals[i] : 0;
  scan(sums, count);
  for (u32 i = threadIdx.x; i < count; i += kThreads) totals[i] = sums[slot(i)];
}

template <class K>
__global__ void __launch_bounds__(kThreads) move_keys(const K* src, K* dst, const u32* ranks, const u32* totals, u32 row, u32 shift, u32 count) {
  const u32 begin = blockIdx.x * kChunk;
  for (u32 place = threadIdx.x; place < kChunk && begin + place < count; place += kThreads) {
    const K key = src[begin + place];
    dst[totals[digit_of(key, shift) * row + blockIdx.x] + ranks[begin + place]] = key;
  }
}

struct ChunkSort {
  template <class K>
  static K* sort(Work& work) {
    K* src = static_cast<K*>(work.keys);
    K* dst = static_cast<K*>(work.other);
    const u32 count = static_cast<u32>(work.count), chunks = static_cast<u32>(divide_up(count, kChunk));
    if (chunks == 0) return src;
    u32 row = 1;  // totals of a digit: the chunks, up to the next power of two
    while (row < chunks) row *= 2;
    u32* const totals = reinterpret_cast<u32*>(work.scratch);
    u32* const ranks = totals + kTotals;
    for (u32 shift = 0; shift < 8 * sizeof(K); shift += 2) {
      launch(work, rank_chunk<K>, chunks, kThreads, src, ranks, totals, row, shift, count);
      launch(work, scan_totals, 1, kThreads, totals, row, chunks);
      launch(work, move_keys<K>, chunks, kThreads, src, dst, ranks, totals, row, shift, count);
      std::swap(src, dst);
    }
    return src;  // an even number of rounds
  }
};

u64 scratch_bytes(u32, u64 count) { return (kTotals + count) * sizeof(u32); }

double bytes_per_key(double key_bytes, double) { return 4 * key_bytes * (3 * key_bytes + 8); }

}  // namespace

std::vector<DeviceRung> chunk_sort_rungs() {
  return {device_rung<ChunkSort>(complete(kRung, bytes_per_key, {}), u64{kMostChunks} * kChunk, scratch_bytes)};
}

}  // namespace lanesort::bench::device
