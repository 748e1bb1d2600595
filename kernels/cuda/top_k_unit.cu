// The kernels of top-k, of every key width, in an image of their own.
#include <type_traits>

#include "kernels/cuda/top_rows.cuh"

namespace ls = lanesort::v1;

#define LANESORT_TOP_K(bytes)                                                                           \
  extern "C" __global__ void __launch_bounds__(ls::tune::kTopThreads, ls::tune::kTopFindBlocks)         \
      lanesort_find_threshold_k##bytes(const ls::kernels::TopParams p) {                                \
    ls::kernels::find_threshold<ls::kernels::Unsigned<bytes>>(p);                                       \
  }                                                                                                     \
  extern "C" __global__ void __launch_bounds__(ls::tune::kTopThreads, ls::tune::top_keep_blocks(bytes)) \
      lanesort_keep_candidates_k##bytes(const ls::kernels::TopParams p) {                               \
    ls::kernels::keep_candidates<ls::kernels::Unsigned<bytes>>(p);                                      \
  }                                                                                                     \
  extern "C" __global__ void __launch_bounds__(ls::tune::kTopThreads, ls::tune::top_row_blocks(bytes))  \
      lanesort_select_rows_k##bytes(const ls::kernels::TopRowsParams p) {                               \
    ls::kernels::select_rows<ls::kernels::Unsigned<bytes>>(p);                                          \
  }

LANESORT_TOP_K(1)
LANESORT_TOP_K(2)
LANESORT_TOP_K(4)
LANESORT_TOP_K(8)

extern "C" __global__ void __launch_bounds__(256) lanesort_deliver_top(const ls::kernels::TopDeliverParams p) {
  ls::kernels::deliver_top(p);
}
