#include "engine.hpp"

#include <algorithm>
#include <exception>
#include <cstring>
#include <thread>
#include <vector>

#include "device.hpp"
#include "io/failure.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
void expect_ok(lanesort_status status) {
  if (status == LANESORT_OK) return;
  const std::string words = lanesort_last_error();
  if (status == LANESORT_DEVICE_UNAVAILABLE) throw DeviceMissing(words);
  throw io::Failure(words.empty() ? lanesort_status_name(status) : words);
}

template <class I>
void gather_range(const std::byte* items, std::uint32_t width, const std::byte* indices, std::byte* to,
                  std::uint64_t begin, std::uint64_t end) {
  const auto copy = [&](auto fixed) {
    for (std::uint64_t i = begin; i < end; ++i) {
      I index;
      std::memcpy(&index, indices + i * sizeof(I), sizeof(I));
      if constexpr (fixed() == 0)
        std::memcpy(to + i * width, items + std::uint64_t{index} * width, width);
      else
        std::memcpy(to + i * fixed(), items + std::uint64_t{index} * fixed(), fixed());
    }
  };
  using std::integral_constant;
  if (width == 1)
    copy(integral_constant<std::size_t, 1>{});
  else if (width == 2)
    copy(integral_constant<std::size_t, 2>{});
  else if (width == 4)
    copy(integral_constant<std::size_t, 4>{});
  else if (width == 8)
    copy(integral_constant<std::size_t, 8>{});
  else
    copy(integral_constant<std::size_t, 0>{});
}

template <class I>
void count_up(const io::Buffer& indices) {
  for (std::uint64_t i = 0; i < indices.size() / sizeof(I); ++i) {
    const I index = static_cast<I>(i);
    std::memcpy(indices.data() + i * sizeof(I), &index, sizeof(I));
  }
}

void number(const io::Buffer& indices, std::uint32_t index_bytes) {
  if (index_bytes == 4)
    count_up<std::uint32_t>(indices);
  else
    count_up<std::uint64_t>(indices);
}
}  // namespace

lanesort_capabilities cpu_capabilities() {
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  expect_ok(lanesort_query_capabilities(LANESORT_BACKEND_CPU, &capabilities));
  return capabilities;
}

unsigned thread_count(const Options& options) {
  const unsigned all = cpu_capabilities().threads;
  return options.threads == 0 ? all : std::min(options.threads, all);
}

void require_device(const Options& options) { gpu_of(options); }

lanesort_sort_desc describe(const Options& options, lanesort_dtype dtype, std::uint64_t count) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = dtype;
  desc.order = options.order;
  desc.float_order = options.float_order;
  desc.bit_begin = options.bit_begin;
  desc.bit_end = options.bit_end;
  desc.threads = options.threads;
  desc.count = count;
  if (!options.segment_offsets.empty()) {
    desc.segment_begins = options.segment_offsets.data();
    desc.segment_count = options.segment_offsets.size() - 1;
    desc.local_indices = options.local_indices;
  }
  return desc;
}

void expect_bits(const Options& options, lanesort_dtype dtype) {
  const std::uint32_t width = 8 * lanesort_dtype_bytes(dtype);
  if (options.whole_key() || options.bit_end <= width) return;
  throw Usage("--bits " + std::to_string(options.bit_begin) + ":" + std::to_string(options.bit_end) + ": " +
              lanesort_dtype_name(dtype) + " has " + std::to_string(width) + " bits, 0:" + std::to_string(width));
}

std::uint64_t scratch_bytes(lanesort_operation operation, const lanesort_sort_desc& desc) {
  const lanesort_capabilities capabilities = cpu_capabilities();
  std::uint64_t bytes = 0;
  expect_ok(lanesort_scratch_bytes(operation, &desc, &capabilities, &bytes));
  return bytes;
}

void run(const Options& options, lanesort_operation operation, lanesort_sort_desc desc) {
  if (const bench::Gpu* const gpu = gpu_of(options)) return expect_ok(gpu->run(operation, desc, nullptr));
  const io::Buffer scratch(scratch_bytes(operation, desc));
  desc.scratch = scratch.data();
  desc.scratch_bytes = scratch.size();
  expect_ok(operation == LANESORT_OP_SORT         ? lanesort_sort(&desc)
            : operation == LANESORT_OP_SORT_PAIRS ? lanesort_sort_pairs(&desc)
                                                  : lanesort_argsort(&desc));
}

void sort_keys(const Options& options, lanesort_dtype dtype, std::uint64_t count, io::Buffer& keys) {
  lanesort_sort_desc desc = describe(options, dtype, count);
  desc.keys_src = desc.keys_dst = keys.data();
  run(options, LANESORT_OP_SORT, desc);
}

void sort_pairs(const Options& options, lanesort_dtype dtype, std::uint64_t count, io::Buffer& keys, io::Buffer& values,
                std::uint32_t value_bytes) {
  lanesort_sort_desc desc = describe(options, dtype, count);
  desc.keys_src = desc.keys_dst = keys.data();
  desc.values_src = desc.values_dst = values.data();
  desc.value_bytes = value_bytes;
  run(options, LANESORT_OP_SORT_PAIRS, desc);
}

io::Buffer argsort(const Options& options, lanesort_dtype dtype, std::uint64_t count, const io::Buffer& keys,
                   std::uint32_t index_bytes) {
  io::Buffer indices(count * index_bytes);
  lanesort_sort_desc desc = describe(options, dtype, count);
  // What stands in no segment keeps its place.
  if (desc.segment_begins != nullptr) number(indices, index_bytes);
  desc.keys_src = keys.data();
  desc.values_dst = indices.data();
  desc.value_bytes = index_bytes;
  run(options, LANESORT_OP_ARGSORT, desc);
  return indices;
}

namespace {
// One row after the other; the device has all of its own for each.
void top_k_on_gpu(const bench::Gpu& gpu, lanesort_sort_desc desc, std::uint64_t rows, std::uint64_t row_bytes, const TopK& first) {
  for (std::uint64_t row = 0; row < rows; ++row) {
    desc.keys_dst = first.keys.data() + first.keys.size() / rows * row;
    desc.values_dst = first.indices.data() + first.indices.size() / rows * row;
    expect_ok(gpu.run(LANESORT_OP_TOP_K, desc, nullptr));
    desc.keys_src = static_cast<const std::byte*>(desc.keys_src) + row_bytes;
  }
}
}  // namespace

TopK top_k(const Options& options, lanesort_dtype dtype, std::uint64_t rows, std::uint64_t count, const io::Buffer& keys,
           std::uint32_t index_bytes) {
  const std::uint64_t kept = std::min(options.k, count), width = lanesort_dtype_bytes(dtype);
  TopK first{io::Buffer(rows * kept * width), io::Buffer(rows * kept * index_bytes)};
  lanesort_sort_desc row_desc = describe(options, dtype, count);
  row_desc.k = options.k;
  row_desc.value_bytes = index_bytes;
  row_desc.keys_src = keys.data();
  if (const bench::Gpu* const gpu = gpu_of(options)) {
    top_k_on_gpu(*gpu, row_desc, rows, count * width, first);
    return first;
  }
  // Rows that a thread is done with soon are shared out whole.
  constexpr std::uint64_t kLongRow = std::uint64_t{1} << 18;
  const std::uint64_t threads = thread_count(options);
  const std::uint64_t parts = count >= kLongRow ? 1 : std::max<std::uint64_t>(1, std::min(rows, threads));
  std::vector<std::exception_ptr> troubles(parts);
  const auto part = [&](std::uint64_t p) noexcept {
    try {
      lanesort_sort_desc desc = row_desc;
      if (parts > 1) desc.threads = 1;
      const io::Buffer scratch(scratch_bytes(LANESORT_OP_TOP_K, desc));
      desc.scratch = scratch.data();
      desc.scratch_bytes = scratch.size();
      for (std::uint64_t row = rows * p / parts; row < rows * (p + 1) / parts; ++row) {
        desc.keys_src = keys.data() + row * count * width;
        desc.keys_dst = first.keys.data() + row * kept * width;
        desc.values_dst = first.indices.data() + row * kept * index_bytes;
        expect_ok(lanesort_top_k(&desc));
      }
    } catch (...) {
      troubles[p] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::uint64_t p = 1; p < parts; ++p) helpers.emplace_back(part, p);
    part(0);
  }
  for (const std::exception_ptr& trouble : troubles)
    if (trouble) std::rethrow_exception(trouble);
  return first;
}

io::Buffer sort_and_index(const Options& options, lanesort_dtype dtype, std::uint64_t count, io::Buffer& keys,
                          std::uint32_t index_bytes) {
  io::Buffer indices(count * index_bytes);
  number(indices, index_bytes);
  sort_pairs(options, dtype, count, keys, indices, index_bytes);
  return indices;
}

void gather(const Options& options, const io::Buffer& items, std::uint32_t item_bytes, IndexSpan indices,
            std::span<std::byte> to) {
  const std::uint64_t count = to.size() / item_bytes;
  const std::uint64_t threads = count < 65536 ? 1 : thread_count(options);
  const auto part = [&](std::uint64_t t) {
    const std::uint64_t begin = count / threads * t, end = t + 1 == threads ? count : count / threads * (t + 1);
    if (indices.index_bytes == 4)
      gather_range<std::uint32_t>(items.data(), item_bytes, indices.data, to.data(), begin, end);
    else
      gather_range<std::uint64_t>(items.data(), item_bytes, indices.data, to.data(), begin, end);
  };
  std::vector<std::jthread> helpers;
  for (std::uint64_t t = 1; t < threads; ++t) helpers.emplace_back(part, t);
  part(0);
}

void expect_memory(const Options& options, std::uint64_t needed_bytes) {
  if (needed_bytes <= options.memory_limit_bytes) return;
  throw io::Failure("-S allows " + io::bytes_in_words(options.memory_limit_bytes) + " and this takes " +
                    io::bytes_in_words(needed_bytes) + "; raise -S to at least " +
                    std::to_string((needed_bytes + 1023) / 1024) + "K (files larger than memory are not sorted yet)");
}

std::uint32_t index_bytes_for(const Options& options, std::uint64_t count) {
  constexpr std::uint64_t kMostNarrow = std::uint64_t{1} << 32;
  if (options.index_bytes == 0) return count <= kMostNarrow ? 4 : 8;
  if (options.index_bytes == 4 && count > kMostNarrow) {
    throw io::Failure("--index u32 reaches 2^32 items and there are " + std::to_string(count) + "; use --index u64");
  }
  return options.index_bytes;
}

}  // namespace lanesort::cli
