// A rung on a WebGPU device as data: which kernels run over which buffers, in what order. rungs.cpp writes them, runner.cpp
// runs them.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

struct lanesort_webgpu_sorter;

namespace lanesort::bench::ladder_webgpu {

using Params = std::array<std::uint32_t, 6>;  // the kernels' uniform, words that a kernel has no use for being 0

struct Launch {
  const char* kernel;
  std::size_t bindings = 0;  // a set of Recipe::bindings
  std::uint64_t workgroups = 1;
  Params params{};
};

struct Recipe {
  std::string text;                             // WGSL
  std::vector<const char*> kernels;             // all of its entry points, whichever a count needs
  std::vector<std::pair<const char*, double>> constants;  // its overrides
  std::uint32_t read_only = 0;                  // so many first bindings are only read
  std::vector<std::uint64_t> buffers;           // bytes; the keys come in the first one
  std::vector<std::vector<std::size_t>> bindings;  // sets of buffers, in the order of their bindings
  std::vector<Launch> launches;
  std::size_t result = 0;                       // the buffer where the sorted keys stand at the end
  // In place of launches: lanesort's own, in place, the buffers being keys and scratch.
  lanesort_webgpu_sorter* sorter = nullptr;
};

}  // namespace lanesort::bench::ladder_webgpu
