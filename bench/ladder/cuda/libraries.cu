// What one gets without writing a kernel: thrust, CUB, and our merge sort for any comparator. Each in the form that sorts
// keys alone fastest, with memory that is there before.
#include <cmath>
#include <cub/device/device_merge_sort.cuh>
#include <span>

#include "bench/ladder/cuda/launch.cuh"
#include "cuda/rivals.hpp"
#include "lanesort/merge.cuh"

namespace lanesort::bench::cuda {
bool sort_by_rival_u8(RivalCall&);
bool sort_by_rival_u32(RivalCall&);
}  // namespace lanesort::bench::cuda

namespace lanesort::bench::device {
namespace {

constexpr Rung kMerge{
    .name = "lanesort/merge.cuh",
    .backend = "cuda",
    .idea = "Tiles sorted in registers and shared memory; then eight runs are merged at once, split by selection in all "
            "of them.",
    .time = "n log n, divided evenly",
    .space = "n keys",
    .traffic = "a read and a write for the tiles and for every eightfold of the runs",
    .launches = "1, and 2 a pass",
    .limits = "compares, where keys of few bits could be counted; no less general for it",
    .source = "include/lanesort/merge.cuh; Odeh et al., 2012; Varman et al., Merging multiple lists, 1991",
};

constexpr Rung kCubMerge{
    .name = "cub::DeviceMergeSort",
    .backend = "cuda",
    .idea = "Tiles sorted in a workgroup, then runs merged two by two along merge paths.",
    .time = "n log n, divided evenly",
    .space = "n keys",
    .traffic = "a read and a write for the tiles and for every doubling of the runs",
    .launches = "1, and 2 a doubling",
    .limits = "all keys through memory for a single doubling",
    .source = "CUB; Green, McColl and Bader, GPU Merge Path, 2012",
};

constexpr Rung kThrust{
    .name = "thrust::sort",
    .backend = "cuda",
    .idea = "CUB's radix sort behind an interface of iterators, in place.",
    .time = "n times the bytes of a key",
    .space = "n keys",
    .traffic = "as cub::DeviceRadixSort, and a copy where its passes are odd",
    .launches = "as cub::DeviceRadixSort",
    .limits = "its memory comes from the caller here; by itself it allocates and waits",
    .source = "thrust, over CUB",
};

constexpr Rung kCubRadix{
    .name = "cub::DeviceRadixSort",
    .backend = "cuda",
    .idea = "Onesweep with keys staged in shared memory, so that they leave in runs.",
    .time = "n times the bytes of a key",
    .space = "n keys",
    .traffic = "a read that counts, and a read and a write a pass",
    .launches = "2, and 1 a pass; one below some thousand keys",
    .limits = "the same work whatever the keys are",
    .source = "CUB; Adinets and Merrill, Onesweep, 2022",
};

struct Less {
  template <class K>
  __host__ __device__ bool operator()(const K& a, const K& b) const {
    return a < b;
  }
};

struct OurMerge {
  template <class K>
  static K* sort(Work& work) {
    const std::span scratch(work.scratch, work.scratch_bytes);
    must(lanesort::cuda::merge_sort(work.stream, std::span(static_cast<K*>(work.keys), work.count), Less{}, scratch));
    return static_cast<K*>(work.keys);
  }
};

u64 our_merge_bytes(u32 key_bytes, u64 count) {
  return key_bytes == 1 ? lanesort::cuda::merge_sort_scratch_bytes<u8>(count)
                        : lanesort::cuda::merge_sort_scratch_bytes<u32>(count);
}

template <class K>
std::size_t cub_merge(void* temp, std::size_t bytes, K* keys, u64 count, cudaStream_t stream) {
  must(cub::DeviceMergeSort::SortKeys(temp, bytes, keys, count, Less{}, stream));
  return bytes;
}

u64 cub_merge_bytes(u32 key_bytes, u64 count) {
  return key_bytes == 1 ? cub_merge<u8>(nullptr, 0, nullptr, count, nullptr)
                        : cub_merge<u32>(nullptr, 0, nullptr, count, nullptr);
}

struct CubMerge {
  template <class K>
  static K* sort(Work& work) {
    cub_merge(work.scratch, work.scratch_bytes, static_cast<K*>(work.keys), work.count, work.stream);
    return static_cast<K*>(work.keys);
  }
};

template <cuda::RivalForm kForm>
cuda::RivalCall call_of(const Work& work) {
  cuda::RivalCall call{};
  call.key = work.key_bytes == 1 ? cuda::KeyType::u8 : cuda::KeyType::u32;
  call.form = kForm;
  call.keys = work.keys;
  call.keys_other = work.other;
  call.count = work.count;
  call.stream = work.stream;
  call.temp = work.scratch;
  call.temp_bytes = work.scratch_bytes;
  return call;
}

void call_rival(cuda::RivalCall& call) {
  (call.key == cuda::KeyType::u8 ? cuda::sort_by_rival_u8 : cuda::sort_by_rival_u32)(call);
}

template <cuda::RivalForm kForm>
void* by_rival(Work& work) {
  cuda::RivalCall call = call_of<kForm>(work);
  call_rival(call);
  must(cudaGetLastError());
  return call.selected ? work.other : work.keys;
}

template <cuda::RivalForm kForm>
u64 rival_bytes(u32 key_bytes, u64 count) {
  Work work;
  work.key_bytes = key_bytes;
  work.count = count;
  cuda::RivalCall call = call_of<kForm>(work);
  call_rival(call);  // without memory it says how much it takes
  return call.temp_bytes;
}

template <cuda::RivalForm kForm>
DeviceRung rival(const Rung& words) {
  return {.words = complete(words, [](double key_bytes, double) { return key_bytes * (1 + 2 * key_bytes); }, {}),
          .most_u8 = u64{1} << 28, .most_u32 = u64{1} << 28, .scratch_bytes = rival_bytes<kForm>,
          .sort = by_rival<kForm>, .version = LANESORT_CUB_VERSION};
}

double doublings(double count, double tile) { return std::max(0.0, std::log2(std::max(count, 1.0) / tile)); }

}  // namespace

// Tiles: about 6000 keys of 4 bytes in ours; CUB's is no part of its interface, so that its traffic is not reckoned.
std::vector<DeviceRung> library_rungs() {
  const auto our_bytes = [](double key_bytes, double count) {
    return 2 * key_bytes * (1 + std::ceil(doublings(count, 252 * 25) / 3));
  };
  DeviceRung cub_merge = device_rung<CubMerge>(kCubMerge, u64{1} << 28, cub_merge_bytes);
  cub_merge.version = LANESORT_CUB_VERSION;
  return {std::move(cub_merge),
          device_rung<OurMerge>(complete(kMerge, our_bytes, {}), u64{1} << 28, our_merge_bytes),
          rival<cuda::RivalForm::thrust>(kThrust), rival<cuda::RivalForm::double_buffer>(kCubRadix)};
}

}  // namespace lanesort::bench::device
