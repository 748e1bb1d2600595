// Interchangeable keys of a few different values, whatever their bits: a sample shows the values, one read counts how
// often each occurs and holds all keys against them, and the passes' first kernel fills the result in.
#pragma once
#include "kernels/cuda/words.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// A slot holds a mapped key plus one; 0 is empty. So the largest 64-bit key has none, and where it occurs this is not
// the way.
template <class K>
struct FewValues {
  static constexpr u32 kSlots = Buckets::kFewSlots, kProbes = 16, kCopies = 8;
  static_assert(kSlots * (sizeof(u64) + kCopies * 4) <= 32768);
  Buckets& b;

  __device__ static u32 slot_of(u64 entry) { return static_cast<u32>((entry * 0x9e3779b97f4a7c15ull) >> 55); }
  static_assert(kSlots == 512);

  // Some sampled key of each thread.
  __device__ __forceinline__ void note(K m) {
    const u64 entry = static_cast<u64>(m) + 1;
    u32 slot = slot_of(entry);
    bool noted = false;
    for (u32 probe = 0; probe < kProbes && !noted && entry != 0; ++probe) {
      u64 there = load(&b.few[slot]);
      if (there == 0)
        there = atomicCAS(reinterpret_cast<unsigned long long*>(&b.few[slot]), 0ull,
                          static_cast<unsigned long long>(entry));
      noted = there == 0 || there == entry;
      slot = (slot + 1) % kSlots;
    }
    if (!noted) atomicOr(&b.many, 1u);
  }

  // All keys, by all blocks. room: of shared memory, kSlots entries and their counters in copies.
  template <class ReadAll>
  __device__ __forceinline__ void count(u32* room, const ReadAll& read_all) {
    u64* const entries = reinterpret_cast<u64*>(room);
    u32* const counters = room + 2 * kSlots;
    for (u32 i = threadIdx.x; i < kSlots; i += blockDim.x) entries[i] = load(&b.few[i]);
    for (u32 i = threadIdx.x; i < kSlots * kCopies; i += blockDim.x) counters[i] = 0;
    __syncthreads();
    u32* const mine = counters + threadIdx.x % kCopies;
    bool missing = false;
    read_all([&](K m) {
      const u64 entry = static_cast<u64>(m) + 1;
      u32 slot = slot_of(entry), left = kProbes;
      while (entries[slot] != entry && --left != 0) slot = (slot + 1) % kSlots;
      missing |= left == 0 || entry == 0;  // an empty slot is no match
      atomicAdd(&mine[slot * kCopies], 1u);
    });
    if (__syncthreads_or(missing) && threadIdx.x == 0) atomicOr(&b.missing, 1u);
    for (u32 i = threadIdx.x; i < kSlots; i += blockDim.x) {
      u32 sum = 0;
#pragma unroll
      for (u32 c = 0; c < kCopies; ++c) sum += counters[i * kCopies + c];
      if (sum != 0) atomicAdd(&b.few_count[i], sum);
    }
  }

  // One block: values in order, and where each begins.
  __device__ __forceinline__ void place(u32* room, u32 n) {
    u64* const entries = reinterpret_cast<u64*>(room);
    __shared__ u32 values;
    if (threadIdx.x == 0) values = 0;
    for (u32 i = threadIdx.x; i < kSlots; i += blockDim.x) entries[i] = load(&b.few[i]);
    __syncthreads();
    for (u32 i = threadIdx.x; i < kSlots; i += blockDim.x) {
      if (entries[i] == 0) continue;
      u32 rank = 0, before = 0;
      for (u32 j = 0; j < kSlots; ++j) {
        if (entries[j] == 0 || entries[j] >= entries[i]) continue;
        ++rank;
        before += load(&b.few_count[j]);
      }
      b.few_sorted[rank] = entries[i] - 1;
      b.cursor[rank] = before;
      atomicAdd(&values, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      b.cursor[values] = n;
      b.count = values;
      b.by_values = 1;
    }
  }
};

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
