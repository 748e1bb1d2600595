// Words that every CUDA kernel here uses: loads, scans within a block, the key order in registers.
//
// Buffers that one launch both writes and reads are read through L2 (ld.global.cg): L1 is not coherent.
#pragma once
#include "kernels/cuda/params.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kFullWarp = 0xffffffffu;
constexpr u32 kDigits = 256;

template <u32 kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = u8;
};
template <>
struct UnsignedOf<2> {
  using type = u16;
};
template <>
struct UnsignedOf<4> {
  using type = u32;
};
template <>
struct UnsignedOf<8> {
  using type = u64;
};
template <>
struct UnsignedOf<16> {
  using type = ulonglong2;
};
template <>
struct UnsignedOf<0> {
  struct type {};
};
template <u32 kBytes>
using Unsigned = typename UnsignedOf<kBytes>::type;

__device__ __forceinline__ u8 load(const u8* p) { return __ldcg(p); }
__device__ __forceinline__ u16 load(const u16* p) { return __ldcg(p); }
__device__ __forceinline__ u32 load(const u32* p) { return __ldcg(p); }
__device__ __forceinline__ u64 load(const u64* p) { return __ldcg(reinterpret_cast<const unsigned long long*>(p)); }
__device__ __forceinline__ ulonglong2 load(const ulonglong2* p) { return __ldcg(p); }

template <class V>
__device__ __forceinline__ V counting_value(u64 i) {
  if constexpr (sizeof(V) == 16)
    return V{i, 0};
  else
    return static_cast<V>(i);
}

// Hides where a value came from: what follows is computed anew instead of being held in registers.
__device__ __forceinline__ u32 opaque(u32 x) {
  asm volatile("" : "+r"(x));
  return x;
}

__device__ __forceinline__ int leading_zeros(u32 x) { return __clz(static_cast<int>(x)); }
__device__ __forceinline__ int leading_zeros(u64 x) { return __clzll(static_cast<long long>(x)); }

// The order of one width, and the bits of the mapped key that are looked at.
template <class K>
struct Order {
  KeyOrder<K> map;
  u32 begin, end;
  K decides;   // which bits of a mapped key that is shifted down by `begin`
  bool plain;  // the map has no exceptions

  __device__ Order(const OrderWords& words, u32 bit_begin, u32 bit_end) : begin(bit_begin), end(bit_end) {
    constexpr u32 kBits = sizeof(K) * 8;
    map.base = static_cast<K>(words.base);
    map.flip = static_cast<K>(words.flip);
    map.largest = static_cast<K>(words.largest);
    map.nan_image = static_cast<K>(words.nan_image);
    map.folded = static_cast<K>(words.folded);
    map.truth_mask = static_cast<K>(words.truth_mask);
    decides = end <= begin ? K{0} : static_cast<K>(static_cast<K>(~K{0}) >> (kBits - (end - begin)));
    plain = map.invertible();
  }

  __device__ __forceinline__ K mapped(K raw) const { return plain ? map.image(raw) : map.map(raw); }

  // Only the bits that decide; comparing fields is comparing keys.
  __device__ __forceinline__ K field(K raw) const {
    return static_cast<K>(static_cast<K>(mapped(raw) >> (begin & (sizeof(K) * 8 - 1))) & decides);
  }

  __device__ u32 passes() const { return (end - begin + 7) / 8; }
};

// One digit: 8 bits, or what the bit range leaves of them.
struct Digit {
  u32 shift, mask;
  template <class K>
  __device__ Digit(const Order<K>& order, u32 pass) : shift(order.begin + 8 * pass) {
    const u32 left = order.end - shift;
    mask = left >= 8 ? 255u : (1u << left) - 1;
  }
};

__device__ __forceinline__ u64 real_count(const u64* device_count, u64 bound) {
  if (device_count == nullptr) return bound;
  const u64 count = load(device_count);
  return count < bound ? count : bound;
}

// Some 200 microseconds, for tests that let one block wait for another.
__device__ __noinline__ void hold_back() {
  const long long begin = clock64();
  while (clock64() - begin < 400000) {}
}
__device__ __forceinline__ bool is_held(u32 tile, u32 hold_every) { return hold_every != 0 && tile % hold_every == 0; }

// Meeting point of all blocks of a cooperative grid. What a block wrote before it is seen by all after it.
class GridBarrier {
 public:
  __device__ explicit GridBarrier(u32* arrivals) : arrivals_(arrivals) {}
  __device__ __forceinline__ void wait() {
    target_ += gridDim.x;
    __syncthreads();  // the block's writes come before thread 0's release
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrivals_, 1u);
      while (*reinterpret_cast<volatile u32*>(arrivals_) < target_) {}
      __threadfence();
    }
    __syncthreads();
  }

 private:
  u32* arrivals_;
  u32 target_ = 0;
};

// A thread's share of a grid-wide loop.
struct Share {
  u64 first, stride;
  __device__ Share() : first(u64{blockIdx.x} * blockDim.x + threadIdx.x), stride(u64{gridDim.x} * blockDim.x) {}
};

// 16 bytes of keys from a 16-byte boundary.
template <class K>
__device__ __forceinline__ void load_pack(const K* from, K* key) {
  const uint4 x = __ldcs(reinterpret_cast<const uint4*>(from));
  memcpy(key, &x, 16);
}

__device__ __forceinline__ void prefetch_line(const void* from) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from)));
}

// Brings about `bytes`, a multiple of 16, around an address into L2 without waiting.
__device__ __forceinline__ void prefetch_l2(const void* from, u32 bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from) & ~size_t{15}),
               "r"(bytes)
               : "memory");
#endif
}

// The lanes of a warp that hold the same digit of 8 bits, by a vote on each bit. As PTX, because compilers make twice
// the instructions of it.
__device__ __forceinline__ u32 lanes_alike(u32 digit) {
  u32 alike = kFullWarp;
#pragma unroll
  for (u32 bit = 0; bit < 8; ++bit) {
    u32 votes;
    asm volatile(
        "{\n.reg .pred has;\n.reg .b32 masked;\n"
        "and.b32 masked, %1, %2;\nsetp.ne.u32 has, masked, 0;\n"
        "vote.sync.ballot.b32 %0, has, 0xffffffff;\n@!has not.b32 %0, %0;\n}"
        : "=r"(votes)
        : "r"(digit), "r"(1u << bit));
    alike &= votes;
  }
  return alike;
}

// The lane below's; narrow words travel as wide ones.
template <class K>
__device__ __forceinline__ K shuffle_up(K x) {
  if constexpr (sizeof(K) < 4)
    return static_cast<K>(__shfl_up_sync(kFullWarp, static_cast<u32>(x), 1));
  else
    return __shfl_up_sync(kFullWarp, x, 1);
}

template <class T>
__device__ __forceinline__ T inclusive_scan_warp(T x) {
  const u32 lane = threadIdx.x & 31;
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    const T y = __shfl_up_sync(kFullWarp, x, d);
    if (lane >= d) x += y;
  }
  return x;
}

template <class T>
__device__ __forceinline__ T reduce_min_warp(T x) {
  if constexpr (sizeof(T) <= 4) {
    return static_cast<T>(__reduce_min_sync(kFullWarp, static_cast<u32>(x)));
  } else {
#pragma unroll
    for (u32 d = 16; d != 0; d /= 2) x = min(x, __shfl_xor_sync(kFullWarp, x, d));
    return x;
  }
}
template <class T>
__device__ __forceinline__ T reduce_max_warp(T x) {
  return static_cast<T>(~reduce_min_warp(static_cast<T>(~x)));
}

// Exclusive scan of one value for each of the first kCount threads; every thread must call it. One barrier.
template <u32 kCount>
__device__ __forceinline__ u32 exclusive_scan_threads(u32 x, u32* warp_sums) {
  constexpr u32 kSums = kCount / 32;
  const u32 t = threadIdx.x, warp = t >> 5, lane = t & 31;
  u32 inclusive = 0;
  if (t < kCount) {
    inclusive = inclusive_scan_warp(x);
    if (lane == 31) warp_sums[warp] = inclusive;
  }
  __syncthreads();
  if (t >= kCount) return 0;
  const u32 sum = lane < kSums ? warp_sums[lane] : 0;
  return __reduce_add_sync(kFullWarp, lane < warp ? sum : 0) + inclusive - x;
}

// Exclusive scan of one value for each of the first 256 threads; every thread must call it. One barrier; `sums` may
// be used again after the next one.
template <class T>
__device__ __forceinline__ T exclusive_scan_256(T x, T* sums) {
  const u32 t = threadIdx.x, warp = t >> 5;
  T inclusive = 0;
  if (t < kDigits) {
    inclusive = inclusive_scan_warp(x);
    if ((t & 31) == 31) sums[warp] = inclusive;
  }
  __syncthreads();
  T before = 0;
  if (t < kDigits) {
#pragma unroll
    for (u32 i = 0; i < 8; ++i) before += i < warp ? sums[i] : T{0};
  }
  return before + inclusive - x;
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
