// Blocks of one cluster: who they are, where they meet, and what they read of each other.
#pragma once
#include "kernels/cuda/words.cuh"

namespace lanesort {
inline namespace v1 {
namespace kernels {

__device__ __forceinline__ u32 cluster_rank() {
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// What a block wrote before it, to shared or to device memory, is seen by all blocks of the cluster after it.
__device__ __forceinline__ void cluster_barrier() {
  __syncthreads();  // whole warps arrive
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ u32 load_of_block(const u32* shared, u32 rank) {
  u32 x = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  u32 address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(static_cast<u32>(__cvta_generic_to_shared(shared))), "r"(rank));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
#endif
  return x;
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
