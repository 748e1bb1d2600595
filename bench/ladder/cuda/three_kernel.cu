// Radix sort in three kernels a digit: count, sum up, move. The widest spread design, because no workgroup ever waits for
// another one; what it costs is that keys are read twice a digit, and that counts of all workgroups go through memory.
#include <utility>

#include "bench/ladder/cuda/ranks.cuh"

namespace lanesort::bench::device {
namespace {

constexpr Rung kRung{
    .name = "three-kernel radix",
    .backend = "cuda",
    .idea = "For each digit from the lowest: every workgroup counts its keys' digits; a prefix sum over all counts, digit "
            "by digit, tells where each workgroup's keys of each digit go; it reads its keys again and moves them.",
    .time = "n times the bits of a key over those of a digit",
    .space = "n keys, and a count for each digit and workgroup: n / 16 words here",
    .traffic = "a pass reads keys twice, writes them once, and moves every count six times",
    .launches = "7 a pass or fewer, five of them the prefix sum's",
    .limits = "counts are words of 32 bits; keys leave singly, as they stand in a warp, and not in whole lines",
    .source = "Zagha and Blelloch, Radix sort for vector multiprocessors, 1991; Satish, Harris and Garland, 2009",
};

constexpr u32 kThreads = 256, kWarps = kThreads / kWarp;

// Where the count of a digit of a workgroup lies. Digit-major: those of a digit side by side, so that the prefix sum reads
// them in order and a workgroup writes far and wide. Workgroup-major: the other way round.
struct Layout {
  u32 digit_step, group_step;
  __device__ u64 at(u32 digit, u32 group) const { return u64{digit} * digit_step + u64{group} * group_step; }
};

template <u32 kBits, class K>
__device__ u32 digit_of(K key, u32 shift) {
  return static_cast<u32>(key >> shift) & ((1u << kBits) - 1);
}

template <u32 kBits, u32 kRounds, class K>
__global__ void __launch_bounds__(kThreads) count_digits(const K* keys, u64 count, u32 shift, u32* counts, Layout layout) {
  __shared__ u32 mine[1u << kBits];
  if (threadIdx.x < 1u << kBits) mine[threadIdx.x] = 0;
  __syncthreads();  // the counters are clear
  const u64 begin = blockIdx.x * u64{kThreads * kRounds} + threadIdx.x;
  for (u32 round = 0; round < kRounds; ++round) {
    const u64 place = begin + round * kThreads;
    if (place < count) atomicAdd(&mine[digit_of<kBits>(keys[place], shift)], 1u);  // any order: counts only grow
  }
  __syncthreads();  // all keys are counted
  if (threadIdx.x < 1u << kBits) counts[layout.at(threadIdx.x, blockIdx.x)] = mine[threadIdx.x];
}

// Rounds of 256 keys in their order. In a round: each warp ranks its keys and counts them, digit by digit; then the
// warps' counts become places, behind those of the rounds before.
template <u32 kBits, u32 kRounds, class K>
__global__ void __launch_bounds__(kThreads) move_keys(const K* src, K* dst, u64 count, u32 shift, const u32* places, Layout layout) {
  constexpr u32 kBins = 1u << kBits;
  __shared__ u32 next[kBins], of_warp[kWarps][kBins];
  if (threadIdx.x < kBins) next[threadIdx.x] = places[layout.at(threadIdx.x, blockIdx.x)];
  const u32 warp = threadIdx.x / kWarp;
  const u64 begin = blockIdx.x * u64{kThreads * kRounds} + threadIdx.x;
  for (u32 round = 0; round < kRounds; ++round) {
    for (u32 i = threadIdx.x; i < kWarps * kBins; i += kThreads) of_warp[i / kBins][i % kBins] = 0;
    __syncthreads();  // the counters are clear
    const u64 place = begin + round * kThreads;
    const bool there = place < count;
    const K key = there ? src[place] : K{0};
    const u32 digit = digit_of<kBits>(key, shift), lanes = lanes_of_digit<kBits>(digit, there);
    const u32 rank = __popc(lanes & lanes_below());
    if (there && rank == 0) of_warp[warp][digit] = __popc(lanes);
    __syncthreads();  // all warps have counted
    if (threadIdx.x < kBins) {
      u32 at = next[threadIdx.x];
      for (u32 w = 0; w < kWarps; ++w) {
        const u32 keys = of_warp[w][threadIdx.x];
        of_warp[w][threadIdx.x] = at;
        at += keys;
      }
      next[threadIdx.x] = at;
    }
    __syncthreads();  // the counts are places
    if (there) dst[of_warp[warp][digit] + rank] = key;
    __syncthreads();  // nobody needs them any more
  }
}

template <u32 kBits, u32 kRounds>
u64 counters(u64 count) {
  return divide_up(count, kThreads * kRounds) << kBits;
}

template <u32 kBits, u32 kRounds, bool kDigitMajor>
struct ThreeKernel {
  template <class K>
  static K* sort(Work& work) {
    K* src = static_cast<K*>(work.keys);
    K* dst = static_cast<K*>(work.other);
    const u64 groups = divide_up(work.count, kThreads * kRounds), all = counters<kBits, kRounds>(work.count);
    u32* const counts = reinterpret_cast<u32*>(work.scratch);
    const Layout layout = kDigitMajor ? Layout{static_cast<u32>(groups), 1} : Layout{1, 1u << kBits};
    for (u32 shift = 0; shift < 8 * sizeof(K) && groups != 0; shift += kBits) {
      launch(work, count_digits<kBits, kRounds, K>, groups, kThreads, src, work.count, shift, counts, layout);
      begin_span(work);
      prefix_sum(work, counts, all, kDigitMajor ? 0 : 1u << kBits, counts + all);
      end_span(work);
      launch(work, move_keys<kBits, kRounds, K>, groups, kThreads, src, dst, work.count, shift, counts, layout);
      std::swap(src, dst);
    }
    return src;
  }
};

template <u32 kBits, u32 kRounds>
u64 scratch_bytes(u32, u64 count) {
  const u64 all = counters<kBits, kRounds>(count);
  return all * sizeof(u32) + prefix_sum_bytes(all);
}

template <u32 kBits, u32 kRounds>
double bytes_per_key(double key_bytes, double) {
  const double counts = static_cast<double>(1u << kBits) / (kThreads * kRounds);
  return 8 * key_bytes / kBits * (3 * key_bytes + 6 * 4 * counts);
}

template <u32 kBits, u32 kRounds>
DeviceRung shaped(bool digit_major) {
  DeviceRung rung = device_rung<ThreeKernel<kBits, kRounds, true>>(complete(kRung, bytes_per_key<kBits, kRounds>, {}),
                                                                   u64{1} << 28, scratch_bytes<kBits, kRounds>);
  if (!digit_major) rung.sort = sort_by_width<ThreeKernel<kBits, kRounds, false>>;
  rung.counters = counters<kBits, kRounds>;
  rung.variant_of = kRung.name;
  rung.name = std::string(kRung.name) + ": " + std::to_string(kBits) + (kBits == 1 ? " bit" : " bits") +
              (digit_major ? ", digit-major" : ", workgroup-major") + ", " + (kRounds == 1 ? "" : "16x") + "256 keys";
  return rung;
}

template <u32 kBits>
void add_shapes(std::vector<DeviceRung>& rungs) {
  for (const bool digit_major : {true, false}) {
    rungs.push_back(shaped<kBits, 1>(digit_major));
    rungs.push_back(shaped<kBits, 16>(digit_major));
  }
}

}  // namespace

// The rung itself: 8 bits, digit-major, 16x256 keys.
std::vector<DeviceRung> three_kernel_rungs() {
  std::vector<DeviceRung> rungs{shaped<8, 16>(true)};
  rungs[0].variant_of.clear();
  add_shapes<1>(rungs);
  add_shapes<2>(rungs);
  add_shapes<4>(rungs);
  add_shapes<8>(rungs);
  return rungs;
}

}  // namespace lanesort::bench::device
