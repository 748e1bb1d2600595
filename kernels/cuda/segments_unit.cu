// The kernels of segments for keys of LANESORT_KEY_BYTES, an image a width.
#include "kernels/cuda/segment_passes.cuh"

namespace ls = lanesort::v1;

#define LANESORT_JOIN_(a, b) a##b
#define LANESORT_JOIN(a, b) LANESORT_JOIN_(a, b)
#define LANESORT_NAME(stem) LANESORT_JOIN(stem, LANESORT_KEY_BYTES)

using Key = ls::kernels::Unsigned<LANESORT_KEY_BYTES>;

// values: go with the keys, or are made.
#define LANESORT_SHORT(values)                                                                                     \
  extern "C" __global__ void __launch_bounds__(ls::tune::kWarpSegmentThreads,                                      \
                                               ls::tune::warp_segment_blocks(values))          \
      LANESORT_JOIN(LANESORT_NAME(lanesort_short_segments_k), _p##values)(const ls::kernels::SegmentParams p) {    \
    ls::kernels::sort_short_segments<values, Key>(p);                                                              \
  }
LANESORT_SHORT(0)
LANESORT_SHORT(1)
extern "C" __global__ void __launch_bounds__(ls::tune::kSegmentCountThreads, ls::tune::kSegmentCountBlocks)
    LANESORT_NAME(lanesort_count_segments_k)(const ls::kernels::SegmentParams p) {
  ls::kernels::count_large_segments<Key>(p);
}

// places: values go with the keys.
#define LANESORT_BLOCK(which, places)                                                                             \
  extern "C" __global__ void __launch_bounds__(                                                                   \
      ls::tune::block_segment_shape(LANESORT_KEY_BYTES, places, which).threads,                                   \
      ls::tune::block_segment_shape(LANESORT_KEY_BYTES, places, which).blocks)                                    \
      LANESORT_JOIN(LANESORT_NAME(lanesort_block_segments##which##_k), _p##places)(const ls::kernels::SegmentParams p) { \
    ls::kernels::sort_block_segments<ls::tune::block_segment_shape(LANESORT_KEY_BYTES, places, which), which>(p); \
  }
LANESORT_BLOCK(0, 0)
LANESORT_BLOCK(0, 1)
LANESORT_BLOCK(1, 0)
LANESORT_BLOCK(1, 1)

#define LANESORT_PASS(value_bytes)                                                                              \
  extern "C" __global__ void __launch_bounds__(ls::tune::pass_shape(LANESORT_KEY_BYTES, value_bytes, 0).threads, \
                                               ls::tune::pass_shape(LANESORT_KEY_BYTES, value_bytes, 0).blocks) \
      LANESORT_JOIN(LANESORT_NAME(lanesort_pass_segments_k), _v##value_bytes)(const ls::kernels::SegmentParams p) { \
    ls::kernels::pass_large_segments<ls::tune::pass_shape(LANESORT_KEY_BYTES, value_bytes, 0)>(p);              \
  }
LANESORT_PASS(0)
LANESORT_PASS(1)
LANESORT_PASS(2)
LANESORT_PASS(4)
LANESORT_PASS(8)
LANESORT_PASS(16)

#if LANESORT_KEY_BYTES == 1
extern "C" __global__ void __launch_bounds__(256) lanesort_begin_segments(const ls::kernels::SegmentParams p) {
  ls::kernels::begin_large_segments(p);
}
extern "C" __global__ void __launch_bounds__(256) lanesort_end_segments(const ls::kernels::SegmentParams p) {
  ls::kernels::end_large_segments(p);
}
#endif
