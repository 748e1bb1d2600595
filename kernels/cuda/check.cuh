// Is it sorted, and is it a right result: one read each, answers by atomicMin and sums. They share no step with the
// sorts but the key order.
#pragma once
#include "kernels/cuda/movement.cuh"
#include "kernels/record_hash.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// The least place a block's threads have found goes to the answer.
__device__ __forceinline__ void answer_least(u64* answer, u64 found) {
  if (__syncthreads_or(found != ~u64{0}) && found != ~u64{0}) {
    atomicMin(reinterpret_cast<unsigned long long*>(answer), static_cast<unsigned long long>(found));
  }
}

template <class K>
__device__ __forceinline__ u64 first_disorder(const K* keys, u64 n, const Order<K>& order) {
  const Share share;
  for (u64 i = share.first + 1; i < n; i += share.stride) {
    if (order.field(load(keys + i)) < order.field(load(keys + i - 1))) return i;
  }
  return ~u64{0};
}

template <class K>
__device__ __forceinline__ void check_sorted(const CheckParams& p) {
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  answer_least(p.answer, first_disorder(static_cast<const K*>(p.keys_src), real_count(p.device_count, p.count), order));
}

// Part of a value as hash_record() takes it; the value may stand at any address.
__device__ __forceinline__ u64 word_of(const u8* value, u32 value_bytes, u32 i) {
  u64 word = 0;
  for (u32 b = i * 8; b < value_bytes && b < i * 8 + 8; ++b) word |= u64{value[b]} << (b % 8 * 8);
  return word;
}

template <class K>
__device__ __forceinline__ void hash_records(const void* keys, const void* values, u32 value_bytes, u64 n, u64* sums) {
  const Share share;
  RecordHash sum;
  for (u64 i = share.first; i < n; i += share.stride) {
    const u8* const value = static_cast<const u8*>(values) + i * value_bytes;
    sum.add(hash_record(load(static_cast<const K*>(keys) + i), value_bytes,
                        [&](u32 w) { return word_of(value, value_bytes, w); }));
  }
  u64 first = sum.first, second = sum.second;
#pragma unroll
  for (u32 d = 16; d != 0; d /= 2) {
    first += __shfl_xor_sync(kFullWarp, first, d);
    second += __shfl_xor_sync(kFullWarp, second, d);
  }
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(sums), static_cast<unsigned long long>(first));
    atomicAdd(reinterpret_cast<unsigned long long*>(sums) + 1, static_cast<unsigned long long>(second));
  }
}

// answer: the verdict as 64-bit words.
template <class K>
__device__ __forceinline__ void verify_records(const CheckParams& p) {
  const u64 n = real_count(p.device_count, p.count);
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  hash_records<K>(p.keys_src, p.values_src, p.value_bytes, n, p.answer + 2);
  hash_records<K>(p.keys_dst, p.values_dst, p.value_bytes, n, p.answer + 4);
  answer_least(p.answer + 1, first_disorder(static_cast<const K*>(p.keys_dst), n, order));
}

// Each index in range, and each (key, index) after the one before: then no index stands twice.
template <class K>
__device__ __forceinline__ void verify_argsort(const CheckParams& p) {
  const u64 n = real_count(p.device_count, p.count);
  const Order<K> order(p.order, p.bit_begin, p.bit_end);
  const K* const keys = static_cast<const K*>(p.keys_src);
  const auto index = [&](u64 i) -> u64 {
    return p.value_bytes == 4 ? load(static_cast<const u32*>(p.values_dst) + i)
                              : load(static_cast<const u64*>(p.values_dst) + i);
  };
  u64 found = ~u64{0};
  const Share share;
  for (u64 i = share.first; i < n && found == ~u64{0}; i += share.stride) {
    const u64 here = index(i);
    if (here >= n) {
      found = i;
    } else if (i != 0) {
      const u64 before = index(i - 1);
      if (before < n) {
        const u64 a = order.field(load(keys + before)), b = order.field(load(keys + here));
        if (b < a || (a == b && here <= before)) found = i;
      }
    }
  }
  answer_least(p.answer + 1, found);
}

// "Nothing found" becomes the count, and a verdict gets its heading.
__device__ __forceinline__ void settle_answer(const CheckParams& p) {
  const u64 n = real_count(p.device_count, p.count);
  if (p.keys_dst == nullptr && p.values_dst == nullptr) {
    if (*p.answer > n) *p.answer = n;
    return;
  }
  if (p.answer[1] > n) p.answer[1] = n;
  const bool good = p.answer[1] == n && p.answer[2] == p.answer[4] && p.answer[3] == p.answer[5];
  p.answer[0] = 48 | u64{good} << 32;
}

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
