/* webgpu.h: lanesort on WebGPU devices. Include it beside lanesort.h; it includes no webgpu.h, and goes with any Dawn.
 *
 *   lanesort_webgpu_create(device, getter, &gpu)         once per device
 *   lanesort_webgpu_prepare(gpu, operation, &desc, slots, &sorter)    once per kind of sort: shaders are compiled
 *   lanesort_webgpu_encode(sorter, encoder, &buffers)    every frame: records, and nothing else
 *
 * The operations are those of lanesort.h: sort, sort_pairs, argsort and top_k.
 * Encoding neither submits, maps, waits nor makes GPU memory; it may make bind groups, which are kept for the next
 * time the same buffers come. The work runs where its commands stand among the caller's own, after what was encoded
 * before it and before what comes after. No kernel waits for another workgroup without an end, so none can hang.
 *
 * The order, the meaning of the descriptor's fields and the bytes of the result are those of lanesort.h. Values have 4,
 * 8 or 16 bytes. Everything lies in buffers of the caller's with WGPUBufferUsage_Storage, at offsets that are multiples
 * of 256; keys of 1 or 2 bytes lie close together, and their buffers are as long as whole words of 4 bytes need. A
 * buffer that is bound must fit the device's maxStorageBufferBindingSize; more is LANESORT_UNSUPPORTED, in words.
 *
 * Segments are those of lanesort.h, but for offsets, which stand in buffers too, as u32, and are read when the work
 * runs. Offsets past the items (or past the device's count) are taken as their end, and empty segments are nothing, so
 * segment_count may be a bound. Nobody can refuse offsets that fall, or segments that overlap: then nothing is written
 * but scratch. Segments that fit a workgroup are sorted as many at a time as fill it, longer ones all together, digit
 * by digit, so that no mix of lengths is a bad one. Scratch does not depend on the offsets: ask
 * lanesort_webgpu_scratch_bytes() with segment_begins set to any address. The sorted count and dispatch arguments are of whole sorts alone. */
#ifndef LANESORT_WEBGPU_H
#define LANESORT_WEBGPU_H

#include "lanesort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What webgpu.h calls WGPUAdapter, WGPUDevice and so on is a pointer to these. */
struct WGPUAdapterImpl;
struct WGPUDeviceImpl;
struct WGPUBufferImpl;
struct WGPUCommandEncoderImpl;
struct WGPUComputePassEncoderImpl;
struct WGPUBindGroupLayoutImpl;
struct WGPUQuerySetImpl;

typedef struct lanesort_webgpu lanesort_webgpu;
typedef struct lanesort_webgpu_sorter lanesort_webgpu_sorter;

/* The address of a function of webgpu.h by its name, such as "wgpuDeviceCreateBuffer", or NULL. As an argument NULL
 * stands for the functions that the program itself is linked with. */
typedef void* (*lanesort_webgpu_getter)(const char* name);

/* Devices. */

/* What to ask an adapter for, so that sorts run as fast as it can; each is optional, and without any of them sorts are
 * right all the same. Numbers are those of the webgpu.h that the getter's functions were built with. */
typedef struct lanesort_webgpu_needs {
  uint32_t struct_bytes; /* set by the caller: sizeof(lanesort_webgpu_needs) */
  uint32_t feature_count;
  uint32_t features[2];             /* for WGPUDeviceDescriptor::requiredFeatures */
  uint32_t workgroup_storage_bytes; /* maxComputeWorkgroupStorageSize */
  uint32_t workgroup_invocations;   /* maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX */
  uint64_t storage_binding_bytes;   /* maxStorageBufferBindingSize */
  uint64_t buffer_bytes;            /* maxBufferSize */
  char why[256];                    /* in words */
} lanesort_webgpu_needs;

#define LANESORT_WEBGPU_NEEDS_INIT                                                                 \
  {                                                                                                \
    (uint32_t)sizeof(lanesort_webgpu_needs), 0u, {0u, 0u}, 0u, 0u, (uint64_t)0, (uint64_t)0, { 0 } \
  }

LANESORT_API lanesort_status lanesort_webgpu_query(struct WGPUAdapterImpl* adapter, lanesort_webgpu_getter getter,
                                                   lanesort_webgpu_needs* needs) LANESORT_NOEXCEPT;

/* A handle for a device of the caller's, which it keeps alive, to be given back by lanesort_webgpu_destroy(). It may be
 * used from any threads from which the WebGPU implementation allows its device to be used. */
LANESORT_API lanesort_status lanesort_webgpu_create(struct WGPUDeviceImpl* device, lanesort_webgpu_getter getter,
                                                    lanesort_webgpu** handle) LANESORT_NOEXCEPT;

/* The same with a device of the handle's own: the adapter_index-th kind of adapter (0: the default, 1: the fallback) of
 * the library at `path`; NULL: the one that LANESORT_WEBGPU_LIB in the environment names. The library stays open.
 * LANESORT_FORCE_ISA=no_subgroups in the environment makes the device without subgroups. LANESORT_FORCE_FORM, one of
 * reduce_then_scan and single_pass, is as lanesort_webgpu_use_form(); for measuring it may be followed by ",groups=N"
 * (workgroups), ",workgroup=N" (invocations), ",items=N" (of each), and single_pass by ",looks=N" (at a message that is
 * not there, before its tile is counted) and ",withheld=N" (every N-th tile tells nothing). LANESORT_DEVICE_UNAVAILABLE,
 * in words: no library, no adapter. */
LANESORT_API lanesort_status lanesort_webgpu_open(const char* path, uint32_t adapter_index,
                                                  lanesort_webgpu** handle) LANESORT_NOEXCEPT;

/* NULL is nothing. Its sorters are given back first. */
LANESORT_API void lanesort_webgpu_destroy(lanesort_webgpu* handle) LANESORT_NOEXCEPT;

/* device: "name; driver", and "name; software, driver" where a processor stands in for a GPU. isa: how keys are ranked,
 * "subgroups" or "no_subgroups", as far as the device was made with them. */
LANESORT_API lanesort_status lanesort_webgpu_capabilities(const lanesort_webgpu* handle,
                                                          lanesort_capabilities* capabilities) LANESORT_NOEXCEPT;

/* How sorts go whose items do not fit one workgroup; the results are the same. */
typedef enum lanesort_webgpu_form {
  LANESORT_WEBGPU_FORM_TUNED = 0,            /* the one that was measured to be faster on such devices */
  LANESORT_WEBGPU_FORM_REDUCE_THEN_SCAN = 1, /* three kernels a digit; no workgroup waits for another */
  /* One kernel a digit. A workgroup waits for others, and does their counting for them when that takes long; so it is
   * right on every device. Where memory does not suffice for it, it is reduce then scan. */
  LANESORT_WEBGPU_FORM_SINGLE_PASS = 2
} lanesort_webgpu_form;

/* For what is prepared, and run, from now on. */
LANESORT_API lanesort_status lanesort_webgpu_use_form(lanesort_webgpu* handle,
                                                      lanesort_webgpu_form form) LANESORT_NOEXCEPT;

/* "reduce_then_scan" or "single_pass": what the request would be sorted by; "" where it would be refused. */
LANESORT_API const char* lanesort_webgpu_engine(const lanesort_webgpu* handle, lanesort_operation operation,
                                                const lanesort_sort_desc* desc) LANESORT_NOEXCEPT;

/* The tiles that the request would be cut into. */
typedef struct lanesort_webgpu_tiles {
  uint32_t workgroup;  /* invocations */
  uint32_t items;      /* of each invocation */
  uint32_t radix_bits; /* of a digit */
  uint32_t subgroups;  /* 1: keys are ranked by subgroups; 0: in workgroup memory */
} lanesort_webgpu_tiles;
LANESORT_API lanesort_status lanesort_webgpu_tiles_of(const lanesort_webgpu* handle, lanesort_operation operation,
                                                      const lanesort_sort_desc* desc,
                                                      lanesort_webgpu_tiles* tiles) LANESORT_NOEXCEPT;

/* Layout of bind group 0 (the eight storage buffers) or 1 (the two uniforms), which all kernels share; the handle's. */
LANESORT_API struct WGPUBindGroupLayoutImpl* lanesort_webgpu_bind_group_layout(const lanesort_webgpu* handle,
                                                                               uint32_t group) LANESORT_NOEXCEPT;

/* Sorters. */

/* Bytes of scratch that a sorter of this request needs. handle NULL: what suffices on every device, and none is
 * touched. */
LANESORT_API lanesort_status lanesort_webgpu_scratch_bytes(const lanesort_webgpu* handle, lanesort_operation operation,
                                                           const lanesort_sort_desc* desc,
                                                           uint64_t* bytes) LANESORT_NOEXCEPT;

/* Compiles what the request needs and makes its parameters. Of the descriptor's pointers only this is looked at:
 * keys_src == keys_dst is in place (so both NULL are), values_src == values_dst likewise, an argsort with
 * values_src NULL makes the indices, segment_begins not NULL sorts segments, and segment_ends not NULL gives them ends
 * of their own. A top_k is never in place: keys are given out if keys_dst is not NULL, whatever else it is, and with
 * value_bytes the items of values_src, or indices where that is NULL; k is the most items that are given out. count and
 * segment_count are the most that an encoding may name. slots: how many encodings may
 * be recorded and not yet have run; 1 or more. A sorter belongs to one thread at a time. Give it back by
 * lanesort_webgpu_release() before its handle. */
LANESORT_API lanesort_status lanesort_webgpu_prepare(lanesort_webgpu* handle, lanesort_operation operation,
                                                     const lanesort_sort_desc* desc, uint32_t slots,
                                                     lanesort_webgpu_sorter** sorter) LANESORT_NOEXCEPT;
LANESORT_API void lanesort_webgpu_release(lanesort_webgpu_sorter* sorter) LANESORT_NOEXCEPT;

typedef struct lanesort_webgpu_slice {
  struct WGPUBufferImpl* buffer;
  uint64_t offset_bytes;
} lanesort_webgpu_slice;

/* Which buffers an encoding works on, each as long as the prepared count needs; the dst of a top_k as long as the smaller of
 * k and that count needs. src and dst are as prepared: in place, the dst alone is looked at. A top_k leaves its src as it
 * was, and dst past the items given out. */
typedef struct lanesort_webgpu_buffers {
  uint32_t struct_bytes; /* sizeof(lanesort_webgpu_buffers) */
  uint32_t count;        /* items, at most the prepared count; not looked at with count_buffer */
  lanesort_webgpu_slice keys_src, keys_dst, values_src, values_dst;
  /* The sorter's bytes; any content before, none after but the sorted and the kept count. */
  lanesort_webgpu_slice scratch;
  /* Or NULL: a u32 at a multiple of 4 that is read when the work runs. More than the prepared count is taken as that;
   * items past it stay as they were. A top_k of fewer than k gives out all of them. */
  lanesort_webgpu_slice count_buffer;
  /* Or NULL: three u32 made by lanesort_write_args(), see lanesort_webgpu_args_wgsl(); usage Indirect. */
  lanesort_webgpu_slice args;
  /* Or NULL: dispatch i writes queries 2i and 2i+1, each kernel in a pass of its own. */
  struct WGPUQuerySetImpl* timestamps;
  /* Of a sort of segments: at most the prepared segment_count. Offsets are u32, in items: segment_count begins and as
   * many ends, or, prepared without ends, segment_count + 1 begins; each buffer as long as the prepared segment_count
   * needs. They are only read, when the work runs. */
  uint32_t segment_count;
  uint32_t reserved;
  lanesort_webgpu_slice segment_begins, segment_ends;
} lanesort_webgpu_buffers;

#define LANESORT_WEBGPU_BUFFERS_INIT                                                                                 \
  {                                                                                                                  \
    (uint32_t)sizeof(lanesort_webgpu_buffers), 0u, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, \
        {NULL, 0}, NULL, 0u, 0u, {NULL, 0}, {NULL, 0}                                                                \
  }

/* Records the sort into an encoder (in a compute pass that is opened and closed), or into an open compute pass, whose
 * pipeline and bind groups 0 and 1 are changed. */
LANESORT_API lanesort_status lanesort_webgpu_encode(lanesort_webgpu_sorter* sorter,
                                                    struct WGPUCommandEncoderImpl* encoder,
                                                    const lanesort_webgpu_buffers* buffers) LANESORT_NOEXCEPT;
LANESORT_API lanesort_status lanesort_webgpu_encode_pass(lanesort_webgpu_sorter* sorter,
                                                         struct WGPUComputePassEncoderImpl* pass,
                                                         const lanesort_webgpu_buffers* buffers) LANESORT_NOEXCEPT;

/* What a sorter does, in words and figures; the sorter's. */
LANESORT_API const char* lanesort_webgpu_explain(const lanesort_webgpu_sorter* sorter) LANESORT_NOEXCEPT;
/* Kernels in the order in which they are dispatched; NULL past the last. */
LANESORT_API const char* lanesort_webgpu_kernel_name(const lanesort_webgpu_sorter* sorter,
                                                     uint32_t dispatch) LANESORT_NOEXCEPT;
/* Where in scratch a u32 stands, after the work, that says how many of the items given out are not of the last key there is. Culled
 * items that were given that key (unsigned integers: all ones; floats: NaN) stand at the end, and this many before
 * them. */
LANESORT_API uint64_t lanesort_webgpu_sorted_count_offset(const lanesort_webgpu_sorter* sorter) LANESORT_NOEXCEPT;
/* The same of a u32 that says how many items were given out: of a top_k the smaller of k and the count, whichever the
 * latter was; else the count. It too stands only where there is something to do: not with a prepared count or k of 0. */
LANESORT_API uint64_t lanesort_webgpu_kept_count_offset(const lanesort_webgpu_sorter* sorter) LANESORT_NOEXCEPT;
/* WGSL text of fn lanesort_write_args(count: u32) -> vec3<u32>, for the caller's own shader that knows the count: what
 * to store as args. Args larger or smaller than the count needs are safe, only slower; 0 sorts nothing. */
LANESORT_API const char* lanesort_webgpu_args_wgsl(const lanesort_webgpu_sorter* sorter) LANESORT_NOEXCEPT;

/* Host memory. */

/* The operation of lanesort.h on host memory by this device: uploads, sorts, reads back and waits, with GPU memory that
 * the call makes and frees. scratch, threads and executor are not looked at. For a handle of lanesort_webgpu_open().
 * device_seconds: NULL, or what the device's clock says from the start of the first kernel to the end of the last, all
 * else being done before or after; 0 where the device has no timestamps, or nothing to do. */
LANESORT_API lanesort_status lanesort_webgpu_run(lanesort_webgpu* handle, lanesort_operation operation,
                                                 const lanesort_sort_desc* desc,
                                                 double* device_seconds) LANESORT_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* LANESORT_WEBGPU_H */
