/* cuda.h: lanesort on CUDA devices, through the driver API. Include it beside lanesort.h; it includes no CUDA header.
 *
 * A handle holds every kernel of one context, loaded once; it is immutable, so any threads may use it at once. Calls
 * record work on the caller's stream and return: none synchronises, allocates or copies to or from the host, so each
 * may be captured into a graph and replayed on other data. Work that was recorded ends in the order of its stream.
 *
 * The order, the meaning of the descriptor's fields and the bytes of the result are those of lanesort.h. All pointers
 * of the descriptor (keys, values, scratch) are device addresses valid in the handle's context; keys and values are
 * aligned to their own width (keys at multiples of 16 are sorted sooner). Values have 1, 2, 4, 8 or 16 bytes; other
 * widths are LANESORT_UNSUPPORTED. scratch is required: its content need not be anything before and is nothing after,
 * and it must not be used by other work that may run at the same time. threads and executor are not looked at.
 *
 * Segments of the sorts are offsets in device memory too, aligned to 8 and read when the work runs, so a graph may be
 * replayed with others; segment_count is the host's, and empty segments are nothing, so it may be a bound. Nobody can
 * refuse them: offsets past the items (or the device's count) are taken as their end, and where begins fall or segments
 * overlap, what is in them afterwards is not defined, but nothing else is written and the work ends. Scratch does not
 * depend on how many there are: ask lanesort_scratch_bytes() with segment_begins set to any address.
 *
 * device_count: NULL, or the device address of a 64-bit count, aligned to 8, read when the work runs. Then
 * desc->count is the bound: a larger device count is taken as the bound, items past the count stay as they were, and
 * launches are sized by the bound (so a far too large bound is slower, never wrong). */
#ifndef LANESORT_CUDA_H
#define LANESORT_CUDA_H

#include "lanesort.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUctx_st;
struct CUstream_st;

typedef struct lanesort_cuda lanesort_cuda;

/* Loads the kernels into a context (NULL: the one current to the calling thread) and returns its handle, to be given
 * back by lanesort_cuda_destroy() before the context is destroyed.
 * The driver is libcuda.so.1, or the file that LANESORT_CUDA_DRIVER in the environment names.
 * LANESORT_DEVICE_UNAVAILABLE, with the versions found and needed: no driver, a driver or device too old, no context,
 * or a library built without the CUDA toolkit. */
LANESORT_API lanesort_status lanesort_cuda_create(struct CUctx_st* context, lanesort_cuda** handle) LANESORT_NOEXCEPT;

/* NULL is nothing. No recorded work may still be running. */
LANESORT_API void lanesort_cuda_destroy(lanesort_cuda* handle) LANESORT_NOEXCEPT;

/* What the handle's device can do, to be given to lanesort_scratch_bytes(). Without a handle,
 * lanesort_scratch_bytes() with capabilities of LANESORT_BACKEND_CUDA and a zero device says what suffices on all. */
LANESORT_API lanesort_status lanesort_cuda_query(const lanesort_cuda* handle,
                                                 lanesort_capabilities* capabilities) LANESORT_NOEXCEPT;

/* The operations of lanesort.h. In place or src -> dst; src is kept. */
LANESORT_API lanesort_status lanesort_cuda_sort(const lanesort_cuda* handle, struct CUstream_st* stream,
                                                const lanesort_sort_desc* desc,
                                                const uint64_t* device_count) LANESORT_NOEXCEPT;
LANESORT_API lanesort_status lanesort_cuda_sort_pairs(const lanesort_cuda* handle, struct CUstream_st* stream,
                                                      const lanesort_sort_desc* desc,
                                                      const uint64_t* device_count) LANESORT_NOEXCEPT;
LANESORT_API lanesort_status lanesort_cuda_argsort(const lanesort_cuda* handle, struct CUstream_st* stream,
                                                   const lanesort_sort_desc* desc,
                                                   const uint64_t* device_count) LANESORT_NOEXCEPT;

/* As lanesort_top_k(). src is read once; where a sample has misled, which is rare, also once for each 11 bits of the
 * key and once more (five reads for 32 bits). Where more than three in four would be kept, all are sorted. With
 * device_count, min(k, that) results are written. Scratch: lanesort_scratch_bytes(). */
LANESORT_API lanesort_status lanesort_cuda_top_k(const lanesort_cuda* handle, struct CUstream_st* stream,
                                                 const lanesort_sort_desc* desc,
                                                 const uint64_t* device_count) LANESORT_NOEXCEPT;

/* The same of each of row_count rows: sources hold row_count * count items, row after row, results row_count *
 * min(k, count). Indices count from their row's begin. device_count is of each row, which begin where they did.
 * Scratch is that of one row. k up to 1024 is one launch for all rows, as long as there are many or they are short;
 * else the rows are recorded one after the other. */
LANESORT_API lanesort_status lanesort_cuda_top_k_rows(const lanesort_cuda* handle, struct CUstream_st* stream,
                                                      const lanesort_sort_desc* desc, uint64_t row_count,
                                                      const uint64_t* device_count) LANESORT_NOEXCEPT;

/* As lanesort_is_sorted(); the answer is written to device memory, 8 bytes aligned to 8, when the work runs. */
LANESORT_API lanesort_status lanesort_cuda_is_sorted(const lanesort_cuda* handle, struct CUstream_st* stream,
                                                     const lanesort_sort_desc* desc, const uint64_t* device_count,
                                                     uint64_t* device_first_offender) LANESORT_NOEXCEPT;

/* As lanesort_verify(); the verdict is written to device memory, aligned to 8, when the work runs. */
LANESORT_API lanesort_status lanesort_cuda_verify(const lanesort_cuda* handle, struct CUstream_st* stream,
                                                  lanesort_operation operation, const lanesort_sort_desc* desc,
                                                  const uint64_t* device_count,
                                                  lanesort_verdict* device_verdict) LANESORT_NOEXCEPT;

/* Host memory. */

/* A handle with the primary context of the device_index-th device, which it retains until it is destroyed. */
LANESORT_API lanesort_status lanesort_cuda_open(uint32_t device_index, lanesort_cuda** handle) LANESORT_NOEXCEPT;

/* The operation of lanesort.h on host memory by this device; returns when the work is done. Streams and device memory are
 * made and given back by the call; pinned memory to copy through, 16 MiB each way where it is needed, stays with the handle
 * for the next one. scratch is not looked at; threads and executor only where the host ends what the device cannot.
 * device_bytes: of the device's memory that may be used; 0: all that is free. Keys, values and lanesort_scratch_bytes()
 * of them go to the device at once where that holds them. Else they go in chunks, some tens of them or as many as it takes,
 * and twice, once to be sorted into runs and once to be sorted, range by range, to their places; uploads, sorts and downloads
 * go on side by side. Runs stand in the arrays of the results; the call makes host memory of three chunks and a little, and
 * an argsort as much more as the keys have. top_k does not go in chunks.
 * Pinned host memory (cuMemAllocHost, cuMemHostRegister) is copied as it lies; other memory, unless it is small, through
 * pinned pieces that several threads each way fill and empty.
 * Nothing is written before the first sort is over. When a device fails later in a sort in chunks and in place, the CPU
 * engine ends it, and takes as much host memory as that needs; src of src -> dst is kept always.
 * LANESORT_OUT_OF_MEMORY, with the numbers: the device holds not even one item, or the host has no memory for chunks.
 * device_seconds: NULL, or what the device's clock says the sorts took without the copies; 0 where nothing was to do. */
LANESORT_API lanesort_status lanesort_cuda_run(const lanesort_cuda* handle, lanesort_operation operation,
                                               const lanesort_sort_desc* desc, uint64_t device_bytes,
                                               double* device_seconds) LANESORT_NOEXCEPT;

/* lanesort_cuda_run() of which the CPU engine does a part, with the descriptor's threads and executor. Items go in 32 or
 * more chunks and twice, even where the device would hold all, and the call makes as much host memory as the items have:
 * device and host take chunks from the two ends, and who is faster does more. So it can only gain where the device's
 * memory does not hold the items. top_k is the device's alone.
 * host_share: NULL, or the part of the chunks that the host did, 0 to 1. */
LANESORT_API lanesort_status lanesort_cuda_run_with_cpu(const lanesort_cuda* handle, lanesort_operation operation,
                                                        const lanesort_sort_desc* desc, uint64_t device_bytes,
                                                        double* host_share) LANESORT_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* LANESORT_CUDA_H */
