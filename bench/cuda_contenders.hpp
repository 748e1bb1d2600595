// lanesort and its rivals on arrays that lie in a CUDA device's memory, all on the same ones, by the device's clock.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bench/contenders.hpp"
#include "bench/cuda/table.hpp"

namespace lanesort::bench {

// Ours first. Rivals: those that know the task and whose names begin with options.rivals ("*": all). They keep
// references to the arena and the options' device.
std::vector<std::unique_ptr<Contender>> make_cuda_contenders(const Arena& arena, const BenchOptions& options,
                                                             const cuda::Table& table);

// Device to device, bytes read and bytes written both counted.
double cuda_copy_bytes_per_s(const cuda::Table& table);

}  // namespace lanesort::bench
