// What a sort on a CUDA device launches and where everything stands in scratch: pure arithmetic, made before anything
// runs. Limits are inputs, so tests reach the code for many portions with little data.
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace plan {

struct CudaRequest {
  std::uint32_t key_bytes = 4, value_bytes = 0;
  bool argsort = false;     // the keys go nowhere
  std::uint64_t count = 0;  // the bound, where the count stands on the device
};

struct CudaLimits {
  std::uint64_t portion =
      std::uint64_t{1}
      << 28;  // and what fills its last tile: 32-bit arithmetic inside, 29 bits of count in a word of look-back
  std::uint32_t small = UINT32_MAX;         // most items that go to the one-block kernels
  std::uint32_t rounds = 0;                 // tiles that a block of a pass takes; 0: as tuned
  std::uint32_t most_blocks = UINT32_MAX;   // of cooperative launches
  std::uint32_t hold_every = 0;             // every so many tiles publish late what others wait for; 0: none
  std::uint64_t buckets_from = UINT64_MAX;  // fewest items that go by buckets; UINT64_MAX: as tuned
  std::uint64_t top_rows_up_to = UINT64_MAX;  // longest row of a top-k that a block takes; UINT64_MAX: as tuned
  std::uint32_t top_sample_bits = 0;          // keys that its threshold is drawn from; 0: as tuned
  std::uint64_t top_room = UINT64_MAX;        // candidates that there is room for, beyond those that must be
  std::uint32_t segment_of_team = UINT32_MAX;  // longest segment of one
  std::uint32_t segment_of_block[2] = {UINT32_MAX, UINT32_MAX};
};

// passes: a launch for each of them; whole: all of them in one.
enum class CudaKernel : std::uint32_t { passes, whole, small0, small1, count };

struct CudaScratch {
  std::uint64_t buckets, lowest, lookback, keys[2], values;  // offsets in bytes, from an address that is a multiple of 256
  std::uint64_t bytes;                               // what the caller is asked for: alignment included
};

// The way by buckets, tried first where it may pay; the device leaves it for the passes where keys do not suit it.
struct CudaBuckets {
  bool tried;
  bool only_counts;  // keys of 2 bytes: counted, and filled in by the counts
  bool by_cluster;   // the first kernel is one cluster and clears what it needs; else that is done before
  std::uint32_t bits, second_bits, split, finish, tile, room, most_room;  // split, finish: which of the shapes
  std::uint32_t prepare_blocks, prepare_shared_bytes;  // prepare_blocks: no more than the device's multiprocessors
  std::uint32_t split_blocks[2], finish_blocks;
  std::uint64_t lookback_words;
};

struct CudaPlan {
  CudaKernel kernel;
  std::uint32_t threads, shared_bytes;
  std::uint32_t most_blocks;  // more would have nothing to do
  std::uint64_t portion;      // items, a multiple of the tile
  std::uint64_t lookback_words;
  std::uint32_t begin_blocks, begin_shared_bytes;  // of the kernel before the passes; no more blocks than fit
  std::uint64_t clear_bytes;                       // of scratch's start, to be zeroed first
  CudaBuckets buckets;
  CudaScratch scratch;
};

CudaPlan plan_cuda_sort(const CudaRequest& request, const CudaLimits& limits) noexcept;

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
