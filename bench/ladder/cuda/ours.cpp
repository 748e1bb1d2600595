// The top rung: lanesort's own engine, by its public interface, in place.
#include <lanesort/cuda.h>

#include "bench/ladder/cuda/device_rung.hpp"
#include "bench/patterns.hpp"

namespace lanesort::bench::device {
namespace {

constexpr Rung kRung{
    .name = "lanesort",
    .backend = "cuda",
    .idea = "A read finds what can be saved: order, bytes that do not vary, few values. Below a hundred thousand keys one "
            "launch; large arrays are parted into buckets by what their keys are like, and each bucket is finished in "
            "shared memory; else one sweep a digit, staged and overlapped.",
    .time = "n times the bytes of a key at most",
    .space = "n keys",
    .traffic = "not reckoned: it depends on the keys",
    .launches = "one for few keys, else about ten",
    .limits = "more code than all other rungs together",
    .source = "docs/cuda-notes.md",
};

// In the context that is current when it is first asked for, and as long as the program.
lanesort_cuda* handle() {
  static lanesort_cuda* const handle = [] {
    lanesort_cuda* opened = nullptr;
    if (lanesort_cuda_create(nullptr, &opened) != LANESORT_OK) throw Error(lanesort_last_error());
    return opened;
  }();
  return handle;
}

lanesort_sort_desc describe(u32 key_bytes, u64 count, void* keys) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = key_bytes == 1 ? LANESORT_U8 : LANESORT_U32;
  desc.count = count;
  desc.keys_src = desc.keys_dst = keys;
  return desc;
}

u64 scratch_bytes(u32 key_bytes, u64 count) {
  const lanesort_sort_desc desc = describe(key_bytes, count, nullptr);
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  u64 bytes = 0;
  if (lanesort_cuda_query(handle(), &capabilities) != LANESORT_OK ||
      lanesort_scratch_bytes(LANESORT_OP_SORT, &desc, &capabilities, &bytes) != LANESORT_OK)
    throw Error(lanesort_last_error());
  return bytes;
}

void* sort(Work& work) {
  lanesort_sort_desc desc = describe(work.key_bytes, work.count, work.keys);
  desc.scratch = work.scratch;
  desc.scratch_bytes = work.scratch_bytes;
  if (lanesort_cuda_sort(handle(), work.stream, &desc, nullptr) != LANESORT_OK) throw Error(lanesort_last_error());
  return work.keys;
}

}  // namespace

DeviceRung lanesort_on_cuda() {
  return {.words = kRung, .most_u8 = UINT64_MAX, .most_u32 = UINT64_MAX, .scratch_bytes = scratch_bytes, .sort = sort,
          .version = lanesort_version_string()};
}

}  // namespace lanesort::bench::device
