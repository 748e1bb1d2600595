// The shared object that `lanesort bench --device cuda --rivals` opens, so that the command line needs neither CUB nor the
// CUDA runtime. Apart from rivals.hpp, lest CUB be compiled again when the table changes.
#pragma once
#include "rivals.hpp"

namespace lanesort::bench::cuda {

// The shared object: the rivals, and of the CUDA runtime what it takes to time them and lanesort on one stream. The
// runtime works in the device's primary context, as handles of lanesort_cuda_open() do. False or NULL: trouble() says why.
struct Table {
  std::uint32_t table_bytes, call_bytes;  // sizeof(Table), sizeof(RivalCall): tell a stale shared object
  const char* version;                    // of CUB, which thrust comes with
  const char* (*trouble)();
  bool (*choose_device)(int index);  // first of all
  int (*driver_version)();           // 13000: CUDA 13.0; 0: it does not say
  void* (*stream)();
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* memory);
  bool (*copy)(void* to, const void* from, std::size_t bytes);  // in the stream's turn; one may be pageable host memory
  bool (*start_clock)();                                        // when all that the stream was given is done
  bool (*stop_clock)(double* seconds);                          // waits for what was given in between
  bool (*sort)(RivalCall& call);
  bool (*sort_segments)(RivalCall& call, std::size_t segment_count, const std::uint64_t* begins, bool radix);
};

inline constexpr char kTableSymbol[] = "lanesort_bench_cuda_rivals";
using TableFunction = const Table*();

}  // namespace lanesort::bench::cuda
