// The rivals' shared objects, each opened once a process.
#pragma once
#include <span>
#include <string>

#include "bench/cuda/table.hpp"
#include "bench/rivals/rival.hpp"

namespace lanesort::bench {

struct Rivals {
  std::span<const RivalEntry> entries;
  std::string trouble;  // why there are none: the places that were looked at, or what the loader said
};

const Rivals& installed_rivals();

// CUB and thrust.
struct CudaRivals {
  const cuda::Table* table = nullptr;
  std::string trouble;  // why there is none
};

const CudaRivals& installed_cuda_rivals();

}  // namespace lanesort::bench
