"""liblanesort by ctypes: the descriptors of lanesort.h, and one call of each operation on bytes."""
import ctypes
import time
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_uint32, c_uint64, c_void_p

OK, INVALID_ARGUMENT, UNSUPPORTED, SCRATCH_TOO_SMALL, OUT_OF_MEMORY = range(5)
SORT, SORT_PAIRS, ARGSORT = range(3)
OPERATIONS = dict(sort_keys=SORT, sort_pairs=SORT_PAIRS, argsort=ARGSORT)
ALL_BITS = 0xFFFFFFFF


class Descriptor(Structure):
    _fields_ = [("struct_bytes", c_uint32), ("dtype", c_uint32), ("order", c_uint32), ("float_order", c_uint32),
                ("bit_begin", c_uint32), ("bit_end", c_uint32), ("value_bytes", c_uint32), ("threads", c_uint32),
                ("count", c_uint64), ("keys_src", c_void_p), ("keys_dst", c_void_p), ("values_src", c_void_p),
                ("values_dst", c_void_p), ("scratch", c_void_p), ("scratch_bytes", c_uint64), ("executor", c_void_p),
                ("k", c_uint64), ("segment_count", c_uint64), ("segment_begins", c_void_p), ("segment_ends", c_void_p),
                ("local_indices", c_uint32), ("reserved", c_uint32)]


class Capabilities(Structure):
    _fields_ = [("struct_bytes", c_uint32), ("backend", c_uint32), ("threads", c_uint32), ("reserved", c_uint32),
                ("max_count", c_uint64), ("isa", c_char * 16), ("device", c_char * 64)]


class Recipe(Structure):
    _fields_ = [("kind", c_uint32), ("dtype", c_uint32), ("count", c_uint64), ("mul", c_uint64), ("add", c_uint64),
                ("mask", c_uint64), ("seed", c_uint64), ("low", c_double), ("high", c_double)]


class Library:
    def __init__(self, path):
        self.path = path
        self.c = ctypes.CDLL(path)
        self.c.lanesort_last_error.restype = c_char_p
        self.c.lanesort_dtype_bytes.restype = c_uint32
        self.c.lanesort_scratch_bytes.argtypes = [c_uint32, POINTER(Descriptor), c_void_p, POINTER(c_uint64)]
        self.calls = [self.c.lanesort_sort, self.c.lanesort_sort_pairs, self.c.lanesort_argsort]

    def error(self):
        return self.c.lanesort_last_error().decode()

    def dtype(self, name):
        out = c_uint32()
        status = self.c.lanesort_dtype_from_name(name.encode(), byref(out))
        return out.value if status == OK else None

    def isa(self):
        machine = Capabilities(struct_bytes=ctypes.sizeof(Capabilities))
        assert self.c.lanesort_query_capabilities(0, byref(machine)) == OK
        return machine.isa.decode()

    def describe(self, operation, dtype, count, options, value_bytes=4):
        return Descriptor(
            struct_bytes=ctypes.sizeof(Descriptor), dtype=self.dtype(dtype), count=count,
            order=options.get("order") == "desc", bit_begin=options.get("begin_bit", 0),
            bit_end=options.get("end_bit", ALL_BITS), value_bytes=0 if operation == SORT else value_bytes)

    def scratch_bytes(self, operation, descriptor):
        out = c_uint64()
        status = self.c.lanesort_scratch_bytes(operation, byref(descriptor), None, byref(out))
        assert status == OK, self.error()
        return out.value

    def call(self, operation, descriptor):
        return self.calls[operation](byref(descriptor))

    def set_segments(self, descriptor, pairs):
        """[(begin, end)] of the arrays; the descriptor keeps the two arrays alive."""
        descriptor.begins = (c_uint64 * max(1, len(pairs)))(*[begin for begin, _ in pairs])
        descriptor.ends = (c_uint64 * max(1, len(pairs)))(*[end for _, end in pairs])
        descriptor.segment_count = len(pairs)
        descriptor.segment_begins, descriptor.segment_ends = ctypes.addressof(descriptor.begins), ctypes.addressof(descriptor.ends)

    def seconds(self, operation, dtype, keys, segments=None):
        """Of one call in place, with scratch that has been touched."""
        data = ctypes.create_string_buffer(keys, len(keys))
        descriptor = self.describe(operation, dtype, len(keys) // self.c.lanesort_dtype_bytes(self.dtype(dtype)), {})
        descriptor.keys_src = descriptor.keys_dst = ctypes.addressof(data)
        if segments is not None:
            self.set_segments(descriptor, segments)
        size = self.scratch_bytes(operation, descriptor)
        scratch = ctypes.create_string_buffer(b"\xcd" * size, size)
        descriptor.scratch, descriptor.scratch_bytes = ctypes.addressof(scratch), size
        begin = time.monotonic()
        assert self.call(operation, descriptor) == OK, self.error()
        return time.monotonic() - begin

    def run(self, operation, dtype, keys, options, in_place=False, values=None, value_bytes=4, threads=0, scratch=None,
            segments=None, fill=b"\0"):
        """(keys, values) as bytes after one call that must succeed. keys: bytes. argsort: keys is None in the answer.
        fill: what stands in the buffers that are written, before."""
        count = len(keys) // self.c.lanesort_dtype_bytes(self.dtype(dtype))
        source = ctypes.create_string_buffer(keys, max(1, len(keys)))
        target = source if in_place else ctypes.create_string_buffer(fill * max(1, len(keys)), max(1, len(keys)))
        descriptor = self.describe(operation, dtype, count, options, value_bytes)
        descriptor.threads = threads
        descriptor.keys_src = ctypes.addressof(source)
        if operation != ARGSORT:
            descriptor.keys_dst = ctypes.addressof(target)
        payload = ctypes.create_string_buffer(fill * max(1, count * value_bytes), max(1, count * value_bytes))
        if operation == SORT_PAIRS:
            payload = ctypes.create_string_buffer(values, max(1, len(values)))
            descriptor.values_src = ctypes.addressof(payload)
        if operation != SORT:
            descriptor.values_dst = ctypes.addressof(payload)
        if segments is not None:
            self.set_segments(descriptor, segments)
        if scratch is not None:
            descriptor.scratch, descriptor.scratch_bytes = ctypes.addressof(scratch), len(scratch)
        status = self.call(operation, descriptor)
        assert status == OK, self.error()
        if operation == ARGSORT or not in_place:
            assert source.raw[: len(keys)] == keys, "the source was written"
        return (None if operation == ARGSORT else target.raw[: len(keys)],
                None if operation == SORT else payload.raw[: count * value_bytes])


class Helper:
    """large.cpp."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.cases_draw.argtypes = [c_uint64, c_uint64, POINTER(c_uint64)]
        self.c.cases_run.argtypes = [POINTER(Recipe), c_uint32, c_uint32, POINTER(c_uint64)]
        self.c.cases_run.restype = c_char_p
        self.c.cases_merge_sort.argtypes = [c_char_p, c_uint32, POINTER(c_uint64), c_uint64, POINTER(c_uint64)]
        self.c.cases_merge_soak.argtypes = [c_uint64, c_uint32, c_uint64]
        self.c.cases_merge_soak.restype = c_char_p
        self.c.cases_write.argtypes = [POINTER(Recipe), c_char_p]
        self.c.cases_ratio_to_std_sort.argtypes = [POINTER(Recipe), c_uint32]
        self.c.cases_ratio_to_std_sort.restype = c_double
        self.c.cases_ratio_to_stable_sort.argtypes = [c_void_p, c_uint64]
        self.c.cases_ratio_to_stable_sort.restype = c_double

    def merge_sort(self, comparator, keys, threads=0):
        """The places that merge.hpp gives u64 keys under a comparator of comparators.cpp."""
        source, places = (c_uint64 * max(1, len(keys)))(*keys), (c_uint64 * max(1, len(keys)))()
        self.c.cases_merge_sort(comparator.encode(), threads, source, len(keys), places)
        return list(places)[:len(keys)]

    def draw(self, seed, count):
        out = (c_uint64 * count)()
        self.c.cases_draw(seed, count, out)
        return list(out)

    def run(self, recipe, operation, repeats=1):
        """(flaw, bytes of scratch): the flaw is "" where the result was right."""
        scratch = c_uint64()
        flaw = self.c.cases_run(byref(recipe), operation, repeats, byref(scratch)).decode()
        return flaw, scratch.value
