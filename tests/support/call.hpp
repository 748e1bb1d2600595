// An operation by its number.
#pragma once
#include "lanesort/lanesort.h"

namespace lanesort::test {

inline lanesort_status call(lanesort_operation operation, const lanesort_sort_desc& desc) {
  switch (operation) {
    case LANESORT_OP_SORT:
      return lanesort_sort(&desc);
    case LANESORT_OP_SORT_PAIRS:
      return lanesort_sort_pairs(&desc);
    case LANESORT_OP_TOP_K:
      return lanesort_top_k(&desc);
    default:
      return lanesort_argsort(&desc);
  }
}

}  // namespace lanesort::test
