// Is it sorted, and are they the same keys? Looked at where the keys lie, after every run of every rung.
#include "bench/ladder/cuda/launch.cuh"
#include "bench/ladder/cuda/verify.hpp"

namespace lanesort::bench::device {
namespace {

constexpr u32 kThreads = 256, kMostBlocks = 2048;

// SplitMix64's finaliser: sums of these over both arrays differ where the arrays hold other keys, but for one case in 2^64.
__device__ u64 mix(u64 x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

template <class K>
__global__ void look_at(const K* keys, u64 count, u64* found) {
  u64 falls = 0, sum = 0;
  for (u64 i = thread_index(); i < count; i += u64{gridDim.x} * blockDim.x) {
    const K key = keys[i];
    if (i + 1 < count && keys[i + 1] < key) ++falls;
    sum += mix(key);
  }
  if (falls != 0) atomicAdd(reinterpret_cast<unsigned long long*>(found), static_cast<unsigned long long>(falls));
  atomicAdd(reinterpret_cast<unsigned long long*>(found + 1), static_cast<unsigned long long>(sum));
}

}  // namespace

KeysFound find_keys(Work& work, const void* keys, u64* room) {
  must(cudaMemsetAsync(room, 0, sizeof(KeysFound), work.stream));
  Work uncounted = work;
  const u64 blocks = std::clamp<u64>(divide_up(work.count, kThreads), 1, kMostBlocks);
  if (work.key_bytes == 1)
    launch(uncounted, look_at<u8>, blocks, kThreads, static_cast<const u8*>(keys), work.count, room);
  else
    launch(uncounted, look_at<u32>, blocks, kThreads, static_cast<const u32*>(keys), work.count, room);
  KeysFound found;
  must(cudaMemcpyAsync(&found, room, sizeof found, cudaMemcpyDeviceToHost, work.stream));
  must(cudaStreamSynchronize(work.stream));
  return found;
}

}  // namespace lanesort::bench::device
