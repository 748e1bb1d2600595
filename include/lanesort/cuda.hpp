// cuda.hpp: the C++20 face of cuda.h. Header-only over the C ABI; includes no CUDA header. Spans here are of device memory:
// they are never looked into. Order, stability, overlap, scratch and synchronisation are those of cuda.h.
//
//   auto gpu = lanesort::cuda::Context::create();                       // once per context; loads every kernel
//   if (!gpu.ok()) return std::puts(lanesort::last_error());
//   auto bytes = gpu.value.sort_scratch_bytes<float>(n);
//   status = gpu.value.sort(stream, keys, {.scratch = scratch});        // recorded on the stream, in place
#ifndef LANESORT_CUDA_HPP
#define LANESORT_CUDA_HPP

#include <utility>

#include "cuda.h"
#include "lanesort.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {

// What the operations below take last. scratch: device memory, as much as the *_scratch_bytes say.
struct DeviceOptions {
  Order order = Order::ascending;
  FloatOrder float_order = FloatOrder::numeric;
  BitRange bits{};
  std::span<std::byte> scratch{};
  const std::uint64_t* device_count = nullptr;  // a count on the device; the spans' size is then its bound
  std::optional<Segments> segments{};           // of the sorts: spans of device memory; none: one, all items
};

// A lanesort_cuda handle that destroys itself. Movable; calls may be made from any threads.
class Context {
 public:
  Context() = default;
  ~Context() { lanesort_cuda_destroy(handle_); }
  Context(Context&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Context& operator=(Context&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  // nullptr: the context that is current to the calling thread.
  static Result<Context> create(CUctx_st* context = nullptr) noexcept {
    Result<Context> made;
    made.status = detail::to_status(lanesort_cuda_create(context, &made.value.handle_));
    return made;
  }

  lanesort_cuda* get() const noexcept { return handle_; }

  // In place.
  template <Key K>
  Status sort(CUstream_st* stream, std::span<K> keys, const DeviceOptions& options) const noexcept {
    return sort(stream, std::span<const K>(keys), keys, options);
  }

  // From src to dst, which holds as many items; src is kept.
  template <Key K>
  Status sort(CUstream_st* stream, std::span<const K> src, std::span<K> dst,
              const DeviceOptions& options) const noexcept {
    Status status = check_segments(options);
    if (status == Status::ok) status = detail::check_count("dst", dst.size(), src.size());
    if (status != Status::ok) return status;
    lanesort_sort_desc desc = describe(src, options);
    desc.keys_dst = dst.data();
    return detail::to_status(lanesort_cuda_sort(handle_, stream, &desc, options.device_count));
  }

  // In place; as many values as keys, of 1, 2, 4, 8 or 16 bytes.
  template <Key K, Value V>
  Status sort_pairs(CUstream_st* stream, std::span<K> keys, std::span<V> values,
                    const DeviceOptions& options) const noexcept {
    return sort_pairs(stream, std::span<const K>(keys), std::span<const V>(values), keys, values, options);
  }

  template <Key K, Value V>
  Status sort_pairs(CUstream_st* stream, std::span<const K> keys_src, std::span<const V> values_src,
                    std::span<K> keys_dst, std::span<V> values_dst, const DeviceOptions& options) const noexcept {
    Status status = detail::check_count("values_src", values_src.size(), keys_src.size());
    if (status == Status::ok) status = detail::check_count("keys_dst", keys_dst.size(), keys_src.size());
    if (status == Status::ok) status = detail::check_count("values_dst", values_dst.size(), keys_src.size());
    if (status == Status::ok) status = check_segments(options);
    if (status != Status::ok) return status;
    lanesort_sort_desc desc = describe(keys_src, options);
    desc.keys_dst = keys_dst.data();
    desc.value_bytes = sizeof(V);
    desc.values_src = values_src.data();
    desc.values_dst = values_dst.data();
    return detail::to_status(lanesort_cuda_sort_pairs(handle_, stream, &desc, options.device_count));
  }

  // The indices that sort the keys; keys are kept.
  template <Key K, Index I>
  Status argsort(CUstream_st* stream, std::span<const K> keys, std::span<I> indices,
                 const DeviceOptions& options) const noexcept {
    Status status = check_segments(options);
    if (status == Status::ok) status = detail::check_count("indices", indices.size(), keys.size());
    if (status != Status::ok) return status;
    lanesort_sort_desc desc = describe(keys, options);
    desc.value_bytes = sizeof(I);
    desc.values_dst = indices.data();
    return detail::to_status(lanesort_cuda_argsort(handle_, stream, &desc, options.device_count));
  }

  // The first min(kept.size(), keys.size()) keys of a sort.
  template <Key K>
  Status top_k(CUstream_st* stream, std::span<const K> keys, std::span<K> kept,
               const DeviceOptions& options) const noexcept {
    lanesort_sort_desc desc = describe(keys, options);
    desc.keys_dst = kept.data();
    desc.k = kept.size();
    return detail::to_status(lanesort_cuda_top_k(handle_, stream, &desc, options.device_count));
  }

  // And their indices, as many; kept empty: these alone.
  template <Key K, Index I>
  Status top_k(CUstream_st* stream, std::span<const K> keys, std::span<K> kept, std::span<I> indices,
               const DeviceOptions& options) const noexcept {
    return top_k_rows(stream, keys, 1, kept, indices, options);
  }

  // The same of each of row_count rows, which keys holds one after the other; results are too, and indices count from
  // their row's begin.
  template <Key K, Index I>
  Status top_k_rows(CUstream_st* stream, std::span<const K> keys, std::uint64_t row_count, std::span<K> kept,
                    std::span<I> indices, const DeviceOptions& options) const noexcept {
    if (row_count == 0) return Status::ok;
    if (!kept.empty()) {
      if (const Status status = detail::check_count("kept", kept.size(), indices.size()); status != Status::ok)
        return status;
    }
    lanesort_sort_desc desc = describe(keys, options);
    desc.count = keys.size() / row_count;
    desc.keys_dst = kept.empty() ? nullptr : kept.data();
    desc.k = indices.size() / row_count;
    desc.value_bytes = sizeof(I);
    desc.values_dst = indices.data();
    return detail::to_status(lanesort_cuda_top_k_rows(handle_, stream, &desc, row_count, options.device_count));
  }

  // Writes the lowest i whose key must stand before key i-1, or the count, to device memory.
  template <Key K>
  Status first_disorder(CUstream_st* stream, std::span<const K> keys, std::uint64_t* device_answer,
                        const DeviceOptions& options = {}) const noexcept {
    const lanesort_sort_desc desc = describe(keys, options);
    return detail::to_status(lanesort_cuda_is_sorted(handle_, stream, &desc, options.device_count, device_answer));
  }

  // Scratch for at most count items on this device. segments: of a call that has some, however many.
  template <Key K>
  Result<std::uint64_t> sort_scratch_bytes(std::uint64_t count, bool segments = false) const noexcept {
    return scratch_bytes(LANESORT_OP_SORT, lanesort::detail::dtype_of<K>(), count, 0, 0, segments);
  }
  template <Key K, Value V>
  Result<std::uint64_t> sort_pairs_scratch_bytes(std::uint64_t count, bool segments = false) const noexcept {
    return scratch_bytes(LANESORT_OP_SORT_PAIRS, lanesort::detail::dtype_of<K>(), count, sizeof(V), 0, segments);
  }
  template <Key K, Index I>
  Result<std::uint64_t> argsort_scratch_bytes(std::uint64_t count, bool segments = false) const noexcept {
    return scratch_bytes(LANESORT_OP_ARGSORT, lanesort::detail::dtype_of<K>(), count, sizeof(I), 0, segments);
  }
  // index_bytes: of the indices wanted, 0 for keys alone. That of one row suffices for many.
  template <Key K>
  Result<std::uint64_t> top_k_scratch_bytes(std::uint64_t count, std::uint64_t k,
                                            std::uint32_t index_bytes = 0) const noexcept {
    return scratch_bytes(LANESORT_OP_TOP_K, lanesort::detail::dtype_of<K>(), count, index_bytes, k);
  }

 private:
  static Status check_segments(const DeviceOptions& options) noexcept {
    Options host;
    host.segments = options.segments;
    return detail::check_segments(host);
  }

  template <Key K>
  static lanesort_sort_desc describe(std::span<const K> keys, const DeviceOptions& options) noexcept {
    Options host;
    host.order = options.order;
    host.float_order = options.float_order;
    host.bits = options.bits;
    host.scratch = options.scratch;
    host.segments = options.segments;
    return detail::describe(keys, host);
  }

  Result<std::uint64_t> scratch_bytes(lanesort_operation operation, lanesort_dtype dtype, std::uint64_t count,
                                      std::uint32_t value_bytes, std::uint64_t k = 0, bool segments = false) const noexcept {
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = dtype;
    desc.count = count;
    desc.value_bytes = value_bytes;
    desc.k = k;
    if (segments) detail::describe(Segments{}, desc);
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    Result<std::uint64_t> result;
    result.status = detail::to_status(lanesort_cuda_query(handle_, &capabilities));
    if (result.ok())
      result.status = detail::to_status(lanesort_scratch_bytes(operation, &desc, &capabilities, &result.value));
    return result;
  }

  lanesort_cuda* handle_ = nullptr;
};

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
#endif  // LANESORT_CUDA_HPP
