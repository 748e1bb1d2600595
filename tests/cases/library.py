"""liblanesort by ctypes: the descriptors of lanesort.h, and one call of each operation on bytes."""
import ctypes
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_uint32, c_uint64, c_void_p

OK, INVALID_ARGUMENT, UNSUPPORTED, SCRATCH_TOO_SMALL, OUT_OF_MEMORY = range(5)
SORT, SORT_PAIRS, ARGSORT = range(3)
OPERATIONS = dict(sort_keys=SORT, sort_pairs=SORT_PAIRS, argsort=ARGSORT)
ALL_BITS = 0xFFFFFFFF


class Descriptor(Structure):
    _fields_ = [("struct_bytes", c_uint32), ("dtype", c_uint32), ("order", c_uint32), ("float_order", c_uint32),
                ("bit_begin", c_uint32), ("bit_end", c_uint32), ("value_bytes", c_uint32), ("threads", c_uint32),
                ("count", c_uint64), ("keys_src", c_void_p), ("keys_dst", c_void_p), ("values_src", c_void_p),
                ("values_dst", c_void_p), ("scratch", c_void_p), ("scratch_bytes", c_uint64), ("executor", c_void_p)]


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

    def run(self, operation, dtype, keys, options, in_place=False, values=None, value_bytes=4, threads=0, scratch=None):
        """(keys, values) as bytes after one call that must succeed. keys: bytes. argsort: keys is None in the answer."""
        count = len(keys) // self.c.lanesort_dtype_bytes(self.dtype(dtype))
        source = ctypes.create_string_buffer(keys, max(1, len(keys)))
        target = source if in_place else ctypes.create_string_buffer(max(1, len(keys)))
        descriptor = self.describe(operation, dtype, count, options, value_bytes)
        descriptor.threads = threads
        descriptor.keys_src = ctypes.addressof(source)
        if operation != ARGSORT:
            descriptor.keys_dst = ctypes.addressof(target)
        payload = ctypes.create_string_buffer(max(1, count * value_bytes))
        if operation == SORT_PAIRS:
            payload = ctypes.create_string_buffer(values, max(1, len(values)))
            descriptor.values_src = ctypes.addressof(payload)
        if operation != SORT:
            descriptor.values_dst = ctypes.addressof(payload)
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
        self.c.cases_write.argtypes = [POINTER(Recipe), c_char_p]
        self.c.cases_ratio_to_std_sort.argtypes = [POINTER(Recipe), c_uint32]
        self.c.cases_ratio_to_std_sort.restype = c_double
        self.c.cases_ratio_to_stable_sort.argtypes = [c_void_p, c_uint64]
        self.c.cases_ratio_to_stable_sort.restype = c_double

    def draw(self, seed, count):
        out = (c_uint64 * count)()
        self.c.cases_draw(seed, count, out)
        return list(out)

    def run(self, recipe, operation, repeats=1):
        """(flaw, bytes of scratch): the flaw is "" where the result was right."""
        scratch = c_uint64()
        flaw = self.c.cases_run(byref(recipe), operation, repeats, byref(scratch)).decode()
        return flaw, scratch.value
