// The kernels of one key width, by name; compiled once for each LANESORT_KEY_BYTES.
#include "kernels/cuda/bucket_finish.cuh"
#include "kernels/cuda/byte_counts.cuh"
#include "kernels/cuda/check.cuh"
#include "kernels/cuda/cluster_prepare.cuh"
#include "kernels/cuda/passes.cuh"
#include "kernels/cuda/small.cuh"
#include "kernels/cuda/spread.cuh"

namespace ls = lanesort::v1;

#define LANESORT_NAME_(step, k, v) lanesort_##step##_k##k##_v##v
#define LANESORT_NAME(step, k, v) LANESORT_NAME_(step, k, v)
#define LANESORT_CHECK_NAME_(step, k) lanesort_##step##_k##k
#define LANESORT_CHECK_NAME(step, k) LANESORT_CHECK_NAME_(step, k)

extern "C" __global__ void __launch_bounds__(ls::tune::kBeginThreads, 1)
    LANESORT_CHECK_NAME(begin, LANESORT_KEY_BYTES)(const ls::kernels::SortParams p) {
  ls::kernels::begin_passes<ls::kernels::Unsigned<LANESORT_KEY_BYTES>>(p);
}

#define LANESORT_PASSES(step, body, which, v)                                                              \
  extern "C" __global__ void __launch_bounds__(ls::tune::pass_shape(LANESORT_KEY_BYTES, v, which).threads, \
                                               ls::tune::pass_shape(LANESORT_KEY_BYTES, v, which).blocks)  \
      LANESORT_NAME(step, LANESORT_KEY_BYTES, v)(const ls::kernels::SortParams p) {                        \
    ls::kernels::body<ls::tune::pass_shape(LANESORT_KEY_BYTES, v, which)>(p);                              \
  }
#define LANESORT_SMALL(which, v)                                                                               \
  extern "C" __global__ void __launch_bounds__(ls::tune::small_shape(LANESORT_KEY_BYTES, v, which).threads, 1) \
      LANESORT_NAME(small##which, LANESORT_KEY_BYTES, v)(const ls::kernels::SortParams p) {                    \
    ls::kernels::sort_small<ls::tune::small_shape(LANESORT_KEY_BYTES, v, which)>(p);                           \
  }
#define LANESORT_UNUSUAL(v) LANESORT_PASSES(pass, run_pass, 0, v) LANESORT_SMALL(1, v)
#if LANESORT_KEY_BYTES >= 4
#define LANESORT_USUAL(v) LANESORT_UNUSUAL(v) LANESORT_SMALL(0, v) LANESORT_PASSES(passes, sort_passes, 1, v)
#else
#define LANESORT_USUAL(v) LANESORT_UNUSUAL(v) LANESORT_SMALL(0, v)
#endif

LANESORT_USUAL(0)
LANESORT_UNUSUAL(1)
LANESORT_UNUSUAL(2)
LANESORT_USUAL(4)
LANESORT_USUAL(8)
LANESORT_UNUSUAL(16)

#if LANESORT_KEY_BYTES >= 2
extern "C" __global__ void __launch_bounds__(ls::tune::kPrepareThreads, 1)
    LANESORT_CHECK_NAME(prepare, LANESORT_KEY_BYTES)(const ls::kernels::BucketParams p) {
  ls::kernels::prepare_buckets<ls::kernels::Unsigned<LANESORT_KEY_BYTES>>(p);
}
#endif

#if LANESORT_KEY_BYTES >= 4

#define LANESORT_SPLIT(which, body, v)                                                                      \
  extern "C" __global__ void __launch_bounds__(ls::tune::split_shape(LANESORT_KEY_BYTES, v, which).threads, \
                                               ls::tune::split_shape(LANESORT_KEY_BYTES, v, which).blocks)  \
      LANESORT_NAME(split##which, LANESORT_KEY_BYTES, v)(const ls::kernels::BucketParams p) {               \
    ls::kernels::body<ls::tune::split_shape(LANESORT_KEY_BYTES, v, which)>(p);                              \
  }
#define LANESORT_FINISH_AS(step, shape, hard, v)                                           \
  extern "C" __global__ void __launch_bounds__((shape).threads, (shape).blocks)            \
      LANESORT_NAME(step, LANESORT_KEY_BYTES, v)(const ls::kernels::BucketParams p) {      \
    ls::kernels::finish_buckets<shape, hard>(p);                                           \
  }
#define LANESORT_FINISH(which, v) \
  LANESORT_FINISH_AS(finish##which, ls::tune::finish_shape(LANESORT_KEY_BYTES, v, which), false, v)
#define LANESORT_BUCKETS(body, v) \
  LANESORT_SPLIT(0, body, v)      \
  LANESORT_SPLIT(1, body, v)      \
  LANESORT_FINISH(0, v)           \
  LANESORT_FINISH_AS(hard, ls::tune::hard_shape(LANESORT_KEY_BYTES, v), true, v)

LANESORT_BUCKETS(split_keys, 0)
LANESORT_BUCKETS(spread_pairs, 4)
LANESORT_BUCKETS(spread_pairs, 8)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(ls::tune::kClusterBlocks, 1, 1)
    __launch_bounds__(ls::tune::kPrepareThreads, 1)
        LANESORT_CHECK_NAME(prepare_by_cluster, LANESORT_KEY_BYTES)(const ls::kernels::BucketParams p) {
  ls::kernels::prepare_by_cluster<ls::kernels::Unsigned<LANESORT_KEY_BYTES>>(p);
}
#endif
#endif

#if LANESORT_KEY_BYTES == 4
LANESORT_FINISH(1, 0)
LANESORT_FINISH(1, 4)
LANESORT_FINISH(1, 8)
#endif

#define LANESORT_CHECK(step)                                                            \
  extern "C" __global__ void __launch_bounds__(256)                                     \
      LANESORT_CHECK_NAME(step, LANESORT_KEY_BYTES)(const ls::kernels::CheckParams p) { \
    ls::kernels::step<ls::kernels::Unsigned<LANESORT_KEY_BYTES>>(p);                    \
  }

LANESORT_CHECK(check_sorted)
LANESORT_CHECK(verify_records)
LANESORT_CHECK(verify_argsort)

#if LANESORT_KEY_BYTES == 1
extern "C" __global__ void __launch_bounds__(ls::tune::kByteThreads, 1) lanesort_bytes_by_block(const ls::kernels::SortParams p) {
  ls::kernels::sort_bytes<1>(p);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(ls::tune::kClusterBlocks, 1, 1)
    __launch_bounds__(ls::tune::kByteThreads, 1) lanesort_bytes_by_cluster(const ls::kernels::SortParams p) {
  ls::kernels::sort_bytes<ls::tune::kClusterBlocks>(p);
}
#endif
extern "C" __global__ void __launch_bounds__(256) lanesort_end(const ls::kernels::SortParams p) {
  ls::kernels::end_passes(p);
}
extern "C" __global__ void lanesort_settle_answer(const ls::kernels::CheckParams p) { ls::kernels::settle_answer(p); }
#endif
