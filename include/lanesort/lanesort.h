/* lanesort.h: the C interface of lanesort, a stable sorting engine with the same bytes on every back end.
 *
 * C99, <stdint.h> and <stddef.h> only. No call prints, aborts, throws or keeps a pointer after it returns.
 * A call that does not return LANESORT_OK has left every caller's buffer as it was, scratch excepted, and
 * lanesort_last_error() says in words what was wrong, with the value, the limit and the remedy.
 *
 * The order (docs/order.md shows it by example). Always stable, in both directions: keys that compare equal
 * keep the order they came in. Integers by value. bool: zero before any non-zero byte. Floats in
 * LANESORT_FLOAT_NUMERIC: -0.0 equals +0.0, and every NaN, of either sign and any payload, stands after all
 * numbers in both directions. Keys are moved, never rewritten: signs of zero and NaN payloads survive.
 *
 * Units: a name ending in _bytes counts bytes, in _bits or _bit bits; count counts items. */
#ifndef LANESORT_LANESORT_H
#define LANESORT_LANESORT_H

#include <stddef.h>
#include <stdint.h>

/* The one place where the version stands; the build reads it from here. */
#define LANESORT_VERSION_MAJOR 0
#define LANESORT_VERSION_MINOR 1
#define LANESORT_VERSION_PATCH 0

#if defined(_WIN32) && !defined(LANESORT_STATIC)
#  if defined(LANESORT_BUILDING)
#    define LANESORT_API __declspec(dllexport)
#  else
#    define LANESORT_API __declspec(dllimport)
#  endif
#elif defined(__GNUC__)
#  define LANESORT_API __attribute__((visibility("default")))
#else
#  define LANESORT_API
#endif

#ifdef __cplusplus
#  define LANESORT_NOEXCEPT noexcept
extern "C" {
#else
#  define LANESORT_NOEXCEPT
#endif

/* Status. */

typedef int32_t lanesort_status;
enum {
  LANESORT_OK = 0,
  LANESORT_INVALID_ARGUMENT = 1,   /* the request contradicts this header */
  LANESORT_UNSUPPORTED = 2,        /* a sound request that this back end or build cannot run */
  LANESORT_SCRATCH_TOO_SMALL = 3,  /* lanesort_scratch_bytes() says how much it takes */
  LANESORT_OUT_OF_MEMORY = 4,      /* the call was to own its scratch and could not get it */
  LANESORT_DEVICE_UNAVAILABLE = 5, /* the back end is not built in, or its driver or device is missing */
  LANESORT_DEVICE_ERROR = 6        /* the driver refused; the error text has its words */
};

/* The constant's name, such as "LANESORT_INVALID_ARGUMENT"; "unknown status" for other numbers. Never NULL. */
LANESORT_API const char* lanesort_status_name(lanesort_status status) LANESORT_NOEXCEPT;

/* What the last failing call of the calling thread said: cause, value, limit, remedy. Never NULL; "" before
 * the first failure. The text stays valid until the thread's next failing call. */
LANESORT_API const char* lanesort_last_error(void) LANESORT_NOEXCEPT;

/* For faces in other languages, whose arrays know their sizes: keeps the words "<buffer> holds count items, where
 * expected are needed" for lanesort_last_error() and returns LANESORT_INVALID_ARGUMENT. */
LANESORT_API lanesort_status lanesort_refuse_count(const char* buffer, uint64_t count, uint64_t expected) LANESORT_NOEXCEPT;

/* "0.1.0", and the same as a number: major * 1000000 + minor * 1000 + patch. Of the library, not of this file. */
LANESORT_API const char* lanesort_version_string(void) LANESORT_NOEXCEPT;
LANESORT_API uint32_t lanesort_version_number(void) LANESORT_NOEXCEPT;

/* What is sorted, and in which order. */

typedef uint32_t lanesort_dtype;
enum {
  LANESORT_BOOL = 1, /* one byte; every non-zero byte is true, and stays the byte it was */
  LANESORT_U8 = 2,
  LANESORT_I8 = 3,
  LANESORT_U16 = 4,
  LANESORT_I16 = 5,
  LANESORT_U32 = 6,
  LANESORT_I32 = 7,
  LANESORT_U64 = 8,
  LANESORT_I64 = 9,
  LANESORT_F16 = 10,  /* IEEE binary16, stored as its 16-bit pattern */
  LANESORT_BF16 = 11, /* bfloat16, stored as its 16-bit pattern */
  LANESORT_F32 = 12,
  LANESORT_F64 = 13
};

/* Bytes of one key, 0 for a number that is no dtype; "f32" and the like, NULL for a number that is no dtype;
 * and back (LANESORT_INVALID_ARGUMENT names the known ones; 128-bit types are refused by name). */
LANESORT_API uint32_t lanesort_dtype_bytes(lanesort_dtype dtype) LANESORT_NOEXCEPT;
LANESORT_API const char* lanesort_dtype_name(lanesort_dtype dtype) LANESORT_NOEXCEPT;
LANESORT_API lanesort_status lanesort_dtype_from_name(const char* name, lanesort_dtype* dtype) LANESORT_NOEXCEPT;

typedef uint32_t lanesort_order;
enum { LANESORT_ASCENDING = 0, LANESORT_DESCENDING = 1 };

typedef uint32_t lanesort_float_order;
enum {
  LANESORT_FLOAT_NUMERIC = 0,   /* NaN after all numbers in both directions; -0.0 equals +0.0 */
  LANESORT_FLOAT_NAN_FIRST = 1, /* NaN before all numbers in both directions; -0.0 equals +0.0 */
  LANESORT_FLOAT_BITS = 2       /* IEEE 754 totalOrder by bit pattern, -0.0 before +0.0; the fastest */
};

#define LANESORT_ALL_BITS UINT32_MAX /* as bit_end: up to the key's last bit */

typedef uint32_t lanesort_operation;
enum {
  LANESORT_OP_SORT = 0,       /* keys */
  LANESORT_OP_SORT_PAIRS = 1, /* keys, and a value that travels with each */
  LANESORT_OP_ARGSORT = 2,    /* indices that would sort the keys; the keys stay */
  LANESORT_OP_TOP_K = 3       /* the first k of what a sort would give: keys, indices or both */
};

/* Who does the work. */

/* The caller's own threads, in place of those a call would start. run() calls task(argument, i) once for each i
 * below task_count, on any threads, in any order, one after the other or at once, and returns when all have
 * returned. A task never waits for another one, and needs up to 256 KiB of stack. threads is the number of tasks that
 * can really run at once. run() must not throw, and must run every task: what is left out is left unsorted. */
typedef struct lanesort_executor {
  uint32_t struct_bytes; /* sizeof(lanesort_executor) */
  uint32_t threads;
  void* context;
  void (*run)(void* context, uint32_t task_count, void (*task)(void* argument, uint32_t index), void* argument);
} lanesort_executor;

/* One request. Make it with LANESORT_SORT_INIT, then set what differs:
 *
 *   lanesort_sort_desc desc = LANESORT_SORT_INIT;
 *   desc.dtype = LANESORT_F32;
 *   desc.count = n;
 *   desc.keys_src = desc.keys_dst = keys;      (in place)
 *   if (lanesort_sort(&desc) != LANESORT_OK) puts(lanesort_last_error());
 *
 *   desc.value_bytes = 4;                      (argsort: 32-bit indices, which go where values would)
 *   desc.keys_dst = NULL;
 *   desc.values_dst = indices;
 *   lanesort_argsort(&desc);
 *
 * Buffers hold count items and need no alignment. src == dst sorts in place; otherwise src is only read, and dst
 * must not overlap it. Values must not overlap keys. With count 0 every pointer may be NULL.
 * bit_begin and bit_end select bits [begin, end) of the mapped key, the unsigned number whose order is the order
 * asked for (docs/order.md): keys equal in these bits are ties. begin == end makes all keys equal.
 * Segments: sort, sort_pairs and argsort sort each segment by itself, is_sorted looks at each by itself. Begins rise, each
 * end is at or after its begin and at most the next begin and count; an empty one is nothing. Items between segments stay
 * as they are in place, and are not written in dst. Offsets that overlap, fall or pass count are
 * LANESORT_INVALID_ARGUMENT, with the first wrong one, before anything is written. They are host memory apart from what
 * is written, and scratch does not depend on them: it is that of one segment of all items.
 * scratch: lanesort_scratch_bytes() bytes of the caller's, any alignment, any content, and the call allocates
 * nothing but its threads; or NULL with scratch_bytes 0, and the call allocates and frees as much for itself. */
typedef struct lanesort_sort_desc {
  uint32_t struct_bytes; /* sizeof(lanesort_sort_desc); a size this library does not know is refused */
  lanesort_dtype dtype;
  lanesort_order order;
  lanesort_float_order float_order; /* looked at for floating dtypes only */
  uint32_t bit_begin;
  uint32_t bit_end;     /* LANESORT_ALL_BITS: the key's last bit */
  uint32_t value_bytes; /* sort_pairs: bytes of one value, 1 or more; argsort: of one index, 4 or 8; sort: 0; top_k: any of these */
  uint32_t threads;     /* 0: all of the machine, or of the executor; more than there are is fewer */
  uint64_t count;
  const void* keys_src;
  void* keys_dst;         /* argsort: NULL */
  const void* values_src; /* argsort: the values to permute, or NULL for 0, 1, ... count-1 */
  void* values_dst;       /* argsort: the sorted indices */
  void* scratch;
  uint64_t scratch_bytes;
  const lanesort_executor* executor; /* NULL: the call starts its own threads and joins them before it returns */
  uint64_t k;                        /* top_k: how many; more than count is count */
  uint64_t segment_count;            /* of the following; not looked at without segment_begins */
  const uint64_t* segment_begins;    /* NULL: one segment, all items. Else segment_count offsets, in items */
  const uint64_t* segment_ends;      /* as many; NULL: each segment ends where the next begins, and segment_begins has segment_count + 1 */
  uint32_t local_indices;            /* segments of an argsort: 1: indices count from their segment's begin, 0: from the first item */
  uint32_t reserved;                 /* 0 */
} lanesort_sort_desc;

#define LANESORT_SORT_INIT                                                                                  \
  {                                                                                                         \
    (uint32_t)sizeof(lanesort_sort_desc), LANESORT_U32, LANESORT_ASCENDING, LANESORT_FLOAT_NUMERIC, 0u,     \
        LANESORT_ALL_BITS, 0u, 0u, (uint64_t)0, NULL, NULL, NULL, NULL, NULL, (uint64_t)0, NULL,            \
        (uint64_t)0, (uint64_t)0, NULL, NULL, 0u, 0u                                                        \
  }

/* Back ends. */

typedef uint32_t lanesort_backend;
enum { LANESORT_BACKEND_CPU = 0, LANESORT_BACKEND_CUDA = 1, LANESORT_BACKEND_WEBGPU = 2 };

typedef struct lanesort_capabilities {
  uint32_t struct_bytes; /* set by the caller: sizeof(lanesort_capabilities) */
  lanesort_backend backend;
  uint32_t threads;   /* threads a call uses when not told otherwise; at most LANESORT_MAX_THREADS */
  uint32_t reserved;
  uint64_t max_count; /* items one call may sort, of up to 16 bytes */
  char isa[16];       /* "avx512", "avx2", "baseline": the code path in use; LANESORT_FORCE_ISA in the environment forces one */
  char device[64];    /* the device's own name */
} lanesort_capabilities;

#define LANESORT_CAPABILITIES_INIT { (uint32_t)sizeof(lanesort_capabilities), 0u, 0u, 0u, (uint64_t)0, {0}, {0} }
#define LANESORT_MAX_THREADS 64

/* "cpu", "cuda", "webgpu" for the i-th back end of this build; NULL from the first i past the last. */
LANESORT_API const char* lanesort_backend_name(uint32_t i) LANESORT_NOEXCEPT;

/* What a back end can do on this machine, as one more argument for lanesort_scratch_bytes().
 * LANESORT_DEVICE_UNAVAILABLE where it is not built in or finds no device. */
LANESORT_API lanesort_status lanesort_query_capabilities(lanesort_backend backend, lanesort_capabilities* capabilities) LANESORT_NOEXCEPT;

/* Scratch that the operation needs for the request; pointers are looked at only for whether src equals dst.
 * capabilities NULL: a number that suffices on every machine, and no device is touched. With capabilities: the
 * exact number, one byte less is refused. Neither depends on the keys. At least 1.
 * Beyond a constant and a small part per thread: sort count * key bytes, sort_pairs count * (key + value bytes),
 * argsort count * (2 * key + index bytes); values of a width other than 1, 2, 4, 8, 16 go by indices and cost
 * count * (2 * key + 2 * index + value bytes). top_k: 2 * k * (key + index bytes), and from
 * 3/4 of count on 2 * count of them; or, if that is more, where k is small beside count, k + 4 * k a thread of them, of the
 * latter count / 8 in all at most. An index has 8 bytes where a value has or count is above 2^32, else 4; none without values. */
LANESORT_API lanesort_status lanesort_scratch_bytes(lanesort_operation operation, const lanesort_sort_desc* desc,
                                                    const lanesort_capabilities* capabilities, uint64_t* bytes) LANESORT_NOEXCEPT;

/* Operations on host memory. */
/* Each returns when the work is done. Calls on disjoint buffers may run at once from any threads. */

/* Sorts count keys from keys_src to keys_dst. */
LANESORT_API lanesort_status lanesort_sort(const lanesort_sort_desc* desc) LANESORT_NOEXCEPT;

/* Sorts count keys and moves values_src to values_dst with them. Keys in place and values not, or the other way
 * round, is allowed. */
LANESORT_API lanesort_status lanesort_sort_pairs(const lanesort_sort_desc* desc) LANESORT_NOEXCEPT;

/* Writes to values_dst the indices (or values_src, permuted) that sort keys_src, ties in rising order of place.
 * With 4-byte indices and no values_src, count must be at most 2^32. */
LANESORT_API lanesort_status lanesort_argsort(const lanesort_sort_desc* desc) LANESORT_NOEXCEPT;

/* The first k of what lanesort_sort() and lanesort_argsort() would give, sorted, ties in rising order of place: ascending the
 * smallest, descending the largest. Of count keys at keys_src min(k, count) go to keys_dst, unless it is NULL, and as
 * many indices (or items of values_src) to values_dst, unless value_bytes is 0. Nothing is done in place. */
LANESORT_API lanesort_status lanesort_top_k(const lanesort_sort_desc* desc) LANESORT_NOEXCEPT;

/* Is keys_src in the order the request describes? *first_offender is count if it is, else the lowest i for which
 * key i must stand before key i-1. One read; allocates nothing but its threads. */
LANESORT_API lanesort_status lanesort_is_sorted(const lanesort_sort_desc* desc, uint64_t* first_offender) LANESORT_NOEXCEPT;

typedef struct lanesort_verdict {
  uint32_t struct_bytes;   /* set by the caller: sizeof(lanesort_verdict) */
  uint32_t good;           /* 1: ordered and nothing lost, added or changed */
  uint64_t first_offender; /* first place in dst that breaks the order, or (argsort) is no index, is a second
                              one of the same, or stands before a lower index with an equal key; count if none */
  uint64_t src_hash[2];    /* 128-bit order-free hashes over records (key and value); argsort: 0 */
  uint64_t dst_hash[2];
} lanesort_verdict;

#define LANESORT_VERDICT_INIT { (uint32_t)sizeof(lanesort_verdict), 0u, (uint64_t)0, {0, 0}, {0, 0} }

/* Is dst a right result of the operation on src? Fills the verdict; the status says only whether it could be
 * found out. Shares no code with the sorts. sort and sort_pairs: dst is ordered and holds the records of src,
 * compared by a 128-bit order-free hash; of records with equal keys the order is not known and not judged.
 * argsort (values_src NULL): values_dst is a permutation that orders keys_src, ties rising; needs
 * count / 8 + 16 bytes of scratch, taken as the sorts take theirs. */
LANESORT_API lanesort_status lanesort_verify(lanesort_operation operation, const lanesort_sort_desc* desc, lanesort_verdict* verdict) LANESORT_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* LANESORT_LANESORT_H */
