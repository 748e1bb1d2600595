// The library's calls, with the options filled in, scratch in huge pages, and a status turned into an exception.
#pragma once
#include <lanesort/lanesort.h>

#include <cstdint>
#include <span>

#include "io/buffer.hpp"
#include "options.hpp"

namespace lanesort::cli {

// Throws DeviceMissing where the device that was asked for cannot be had, Usage for a name that is none.
void require_device(const Options& options);

lanesort_capabilities cpu_capabilities();

// As many as were asked for, and no more than there are.
unsigned thread_count(const Options& options);

// Order, bits and threads as the options say; buffers and value width are left to the caller.
lanesort_sort_desc describe(const Options& options, lanesort_dtype dtype, std::uint64_t count);

// Throws where --bits reaches past the keys.
void expect_bits(const Options& options, lanesort_dtype dtype);

std::uint64_t scratch_bytes(lanesort_operation operation, const lanesort_sort_desc& desc);
void run(const Options& options, lanesort_operation operation, lanesort_sort_desc desc);

// In place.
void sort_keys(const Options& options, lanesort_dtype dtype, std::uint64_t count, io::Buffer& keys);
void sort_pairs(const Options& options, lanesort_dtype dtype, std::uint64_t count, io::Buffer& keys, io::Buffer& values,
                std::uint32_t value_bytes);
io::Buffer argsort(const Options& options, lanesort_dtype dtype, std::uint64_t count, const io::Buffer& keys,
                   std::uint32_t index_bytes);

// The first options.k of what a sort of each row of `count` keys would give, row after row; and their indices in the row
// where index_bytes is not 0.
struct TopK {
  io::Buffer keys, indices;
};
TopK top_k(const Options& options, lanesort_dtype dtype, std::uint64_t rows, std::uint64_t count, const io::Buffer& keys,
           std::uint32_t index_bytes);

// Sorts the keys in place and gives the indices that an argsort would: in less memory, and the keys come along.
io::Buffer sort_and_index(const Options& options, lanesort_dtype dtype, std::uint64_t count, io::Buffer& keys,
                          std::uint32_t index_bytes);

struct IndexSpan {
  const std::byte* data = nullptr;
  std::uint32_t index_bytes = 8;
};

// items[indices[i]] for as many i as fill to.
void gather(const Options& options, const io::Buffer& items, std::uint32_t item_bytes, IndexSpan indices,
            std::span<std::byte> to);

// Throws io::Failure if a plan needs more memory than -S allows.
void expect_memory(const Options& options, std::uint64_t needed_bytes);

std::uint32_t index_bytes_for(const Options& options, std::uint64_t count);

}  // namespace lanesort::cli
