"""Every dtype, every format, both byte orders, against plain Python and (where it is installed) numpy."""
import json
import math
import os
import random
import struct
import unittest

from support import CODES, DESCRS, Case, fewer, main, npy_header, oracle_order, pack, split_npy

try:
    import numpy
except ImportError:
    numpy = None

SPECIALS = [0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan, -math.nan, 2.0 ** -14, -0.0, 0.0]


def some_values(dtype, count, seed=1):
    rng = random.Random(seed)
    if dtype == "bool":
        return [rng.choice([0, 0, 1, 2, 255]) for _ in range(count)]
    if dtype.startswith("f"):
        return [rng.choice(SPECIALS) if rng.random() < 0.3 else float(rng.randrange(-50, 50)) / 4 for _ in range(count)]
    width = struct.calcsize(CODES[dtype]) * 8
    low, high = (0, 2 ** width) if dtype.startswith("u") else (-2 ** (width - 1), 2 ** (width - 1))
    pool = [low, high - 1, low + 1, 0, 1] + [rng.randrange(low, high) for _ in range(20)]
    return [rng.choice(pool) if rng.random() < 0.5 else rng.randrange(low, high) for _ in range(count)]


def unpack(dtype, data, big=False):
    return struct.unpack((">" if big else "<") + str(len(data) // struct.calcsize(CODES[dtype])) + CODES[dtype], data)


def permuted(dtype, data, order):
    """The items' bytes in that order. NaN payloads survive; a trip through Python's floats promises no such thing."""
    width = struct.calcsize(CODES[dtype])
    return b"".join(data[i * width:(i + 1) * width] for i in order)


class Dtypes(Case):
    def test_every_dtype_direction_and_nan_place(self):
        for dtype in CODES:
            for count in fewer((0, 1, 2, 5, 33, 1000, 5000)):
                values = some_values(dtype, count, count + 1)
                data = pack(dtype, values)
                values = unpack(dtype, data)
                self.write("x." + dtype, data)
                for words, reverse, first in fewer((([], False, False), (["-r"], True, False),
                                                    (["--nan", "first"], False, True), (["-r", "--nan=first"], True, True))):
                    with self.subTest(dtype=dtype, count=count, words=words):
                        order = oracle_order(values, reverse, first, truth=dtype == "bool")
                        self.assertEqual(self.good("x." + dtype, *words).stdout, permuted(dtype, data, order))
                        self.assertEqual(self.good("argsort", "x." + dtype, *words).stdout, pack("u32", order))

    def test_bf16_is_a_float(self):
        patterns = [0x4040, 0x7FC0, 0x3F80, 0xFF80, 0xFFC0, 0x4000]  # 3 nan 1 -inf -nan 2
        self.write("x.bf16", pack("u16", patterns))
        self.assertEqual(unpack("u32", self.good("argsort", "x.bf16").stdout), (3, 2, 5, 0, 1, 4))
        self.write("x.npy", npy_header("<V2", (6,)) + pack("u16", patterns))
        self.bad(2, "x.npy", says=["<V2", "void"])
        self.assertEqual(unpack("u16", split_npy(self.good("x.npy", "--dtype", "bf16").stdout)[1]),
                         (0xFF80, 0x3F80, 0x4000, 0x4040, 0x7FC0, 0xFFC0))

    def test_nan_bits_is_total_order(self):
        patterns = [0x7FC00001, 0xFFC00001, 0x00000000, 0x80000000, 0x3F800000, 0xBF800000]
        self.write("x.f32", pack("u32", patterns))
        self.assertEqual(unpack("u32", self.good("x.f32", "--nan", "bits").stdout),
                         (0xFFC00001, 0xBF800000, 0x80000000, 0x00000000, 0x3F800000, 0x7FC00001))

    def test_bits(self):
        values = some_values("u32", 2000)
        data = pack("u32", values)
        self.write("x.u32", data)
        self.assertEqual(self.good("x.u32", "--bits", "5:5").stdout, data)
        self.assertEqual(self.good("x.u32", "--bits", "0:32").stdout, pack("u32", sorted(values)))
        self.assertEqual(self.good("x.u32", "--bits", "8:16").stdout,
                         pack("u32", sorted(values, key=lambda v: v >> 8 & 255)))
        self.assertEqual(self.good("x.u32", "-r", "--bits", "8:16").stdout,
                         pack("u32", sorted(values, key=lambda v: v >> 8 & 255, reverse=True)))
        self.good("check", "x.u32", "--bits", "5:5")

    def test_index_widths(self):
        self.write("x.u8", b"\3\1\2")
        self.assertEqual(self.good("argsort", "x.u8", "--index", "u32").stdout, pack("u32", [1, 2, 0]))
        self.assertEqual(self.good("argsort", "x.u8", "--index", "u64").stdout, pack("u64", [1, 2, 0]))


class Raw(Case):
    def test_what_raw_data_hold_must_be_said(self):
        self.write("x.bin", pack("i32", [4, 1, -3]))
        self.bad(2, "x.bin", says=["lanesort sort x.bin --dtype u32"])
        self.assertEqual(self.good("x.bin", "--dtype", "i32").stdout, pack("i32", [-3, 1, 4]))
        self.assertEqual(self.good("--format", "raw", "--dtype", "i32", "x.bin").stdout, pack("i32", [-3, 1, 4]))
        self.write("data", b"\0\1\2\3")
        self.bad(2, "data", says=["lanesort sort data --dtype u32"])

    def test_left_over_bytes(self):
        self.write("x.bin", bytes.fromhex("04000000010000000300"))
        self.bad(2, "x.bin", "--dtype", "i32", "-o", "y", says=["x.bin", "10 bytes", "2 left over"])
        self.bad(2, "--dtype", "i32", "-o", "y", stdin=bytes(10), says=["2 left over"])
        self.bad(2, "check", "--dtype", "i32", stdin=bytes(10), says=["2 left over"])
        self.only_files("x.bin")

    def test_raw_to_npy(self):
        self.write("x.f32", pack("f32", [2.0, -1.0]))
        self.good("x.f32", "-o", "y.npy")
        header, data = split_npy(self.read("y.npy"))
        self.assertEqual((header, data),
                         ({"descr": "<f4", "fortran_order": False, "shape": (2,)}, pack("f32", [-1.0, 2.0])))
        self.good("argsort", "x.f32", "-o", "i.npy")
        self.assertEqual(split_npy(self.read("i.npy")),
                         ({"descr": "<u4", "fortran_order": False, "shape": (2,)}, pack("u32", [1, 0])))
        self.write("x.bf16", bytes(4))
        self.bad(2, "x.bf16", "-o", "z.npy", says=["bf16"])


class Names(Case):
    """Magic, suffix, content say what an input is; the suffix what an output is to be. Nothing is shuffled silently."""

    def test_text_stays_text_when_a_dtype_is_given(self):
        text, want = b"40\n7\n-3\n", b"-3\n7\n40\n"
        for name in ("nums", "nums.csv", "nums.txt"):
            self.write(name, text)
            self.good(name, "-o", name, "--dtype", "i16")
            self.assertEqual(self.read(name), want)
        self.assertEqual(self.good("--dtype", "i16", stdin=text).stdout, want)
        self.assertEqual(self.good("--dtype", "i16", stdin=b"[40, 7, -3]").stdout, b"[-3, 7, 40]\n")
        raw = self.good("--dtype", "u8", "--format", "raw", stdin=text).stdout
        self.assertEqual(raw, bytes(sorted(text)))
        self.assertEqual(self.good("--dtype", "u8", stdin=b"\3\1\0").stdout, b"\0\1\3")

    def test_a_raw_suffix_over_a_text_is_refused(self):
        for text, form in ((b"40\n7\n-3\n", "text"), (b"[40, 7, -3]", "json"), (b"12K\ta\n7K\tb\n" * 100, "text")):
            for name in ("n.u8", "n.bin", "n.raw"):
                self.write(name, text)
                self.bad(2, name, "-o", name, "--dtype", "u8", says=["--format " + form, "--format raw"])
                self.assertEqual(self.read(name), text)
                self.good(name, "--dtype", "u8", "--format", "raw")
        self.write("n.u8", b"40\n7\n-3\n")
        self.assertEqual(self.good("n.u8", "--format", "text", "-o", "-").stdout, b"-3\n7\n40\n")

    def test_what_is_printable_and_no_number_is_shown(self):
        for text in (b"bytes\n12\n", b"12K\n", b"1,234\n", b"#comment\n1\n", "n\u00fcll\n".encode()):
            for words in ([], ["--dtype", "u8"]):
                done = self.bad(2, *words, stdin=text, says=["line 1: '", "' is not a number"])
                self.assertNotIn(b"raw", done.stderr)
        self.bad(2, stdin=b'{"a": 1}', says=["an array of numbers is expected"])

    def test_npy_is_read_as_what_it_is(self):
        self.write("x.npy", npy_header("<i4", (2,)) + pack("i32", [2, -1]))
        self.good("x.npy", "--dtype", "i32")
        for dtype in ("f32", "u32", "i16", "i64", "bf16"):
            self.bad(2, "x.npy", "--dtype", dtype, says=["<i4", dtype])
        self.write("x.npy", npy_header("<u2", (2,)) + pack("u16", [0x4000, 0xBF80]))
        self.assertEqual(split_npy(self.good("x.npy", "--dtype", "bf16").stdout)[1], pack("u16", [0xBF80, 0x4000]))

    def test_the_suffix_of_an_output_decides(self):
        values = [300, -7, 12]
        self.write("x.npy", npy_header(">i2", (3,)) + pack("i16", values, big=True))
        self.write("x.i16", pack("i16", values))
        self.write("x.txt", b"300\n-7\n12\n")
        self.write("x.json", b"[300, -7, 12]")
        results = {"npy": pack("i16", sorted(values)), "i16": pack("i16", sorted(values)),
                   "bin": pack("i16", sorted(values)), "txt": b"-7\n12\n300\n", "json": b"[-7, 12, 300]\n"}
        indices = {"npy": pack("u32", [1, 2, 0]), "u32": pack("u32", [1, 2, 0]), "u64": pack("u64", [1, 2, 0]),
                   "txt": b"1\n2\n0\n", "json": b"[1, 2, 0]\n", "bin": pack("u32", [1, 2, 0])}
        for source in ("x.npy", "x.i16", "x.txt", "x.json"):
            for wanted, words in ((results, []), (indices, ["argsort"])):
                for suffix, want in wanted.items():
                    with self.subTest(source=source, suffix=suffix, words=words):
                        self.good(*words, source, "--dtype", "i16", "-o", "y." + suffix)
                        got = self.read("y." + suffix)
                        if suffix == "npy" and source == "x.npy" and not words:
                            want = pack("i16", sorted(values), big=True)
                        self.assertEqual(split_npy(got)[1] if suffix == "npy" else got, want)
            self.bad(2, source, "--dtype", "i16", "-o", "z.u16", says=["z.u16", "named for u16", "are i16"])
            self.bad(2, "argsort", source, "--dtype", "i16", "-o", "z.f32", says=["z.f32", "u32 or u64"])
            self.bad(2, "argsort", source, "--dtype", "i16", "--index", "u32", "-o", "z.u64", says=["z.u64", "u32"])
        for name in ("z.npy", "z.i16", "z.bin"):
            self.bad(2, "x.txt", "-o", name, says=[name, "--dtype"])
        self.bad(2, "gen", "uniform:u32:3", "-o", "z.f32", says=["z.f32", "u32"])
        self.write("x.txt", b"0x10\n1\n")
        self.bad(2, "x.txt", "-o", "z.json", says=["0x10"])
        self.write("x.f32", pack("f32", [1.0, math.nan]))
        self.bad(2, "x.f32", "-o", "z.json", says=["nan"])
        self.write("t.npy", npy_header("<M8[s]", (1,)) + bytes(8))
        self.bad(2, "t.npy", "-o", "z.txt", says=["times"])
        self.assertFalse([name for name in os.listdir(self.dir) if name.startswith("z")])

    def test_text_to_floats_keeps_every_bit(self):
        numbers = [1.5, -0.0, 0.0, -math.inf, 1e-3, -2.25, math.inf]
        self.write("x.txt", "".join("%r\n" % v for v in numbers).encode())
        for dtype in ("f16", "f32", "f64"):
            self.good("x.txt", "--dtype", dtype, "-o", "y." + dtype)
            order = oracle_order(numbers)
            self.assertEqual(self.read("y." + dtype), permuted(dtype, pack(dtype, numbers), order))

    def test_bits_of_a_text_with_a_dtype(self):
        values = some_values("u16", 500)
        self.write("x.txt", b"".join(b"%d\n" % v for v in values))
        got = [int(v) for v in self.good("x.txt", "--dtype", "u16", "--bits", "4:9").stdout.split()]
        self.assertEqual(got, sorted(values, key=lambda v: v >> 4 & 31))
        order = [int(v) for v in self.good("argsort", "x.txt", "--dtype", "u16", "--bits", "4:9").stdout.split()]
        self.assertEqual([values[i] for i in order], got)
        self.bad(2, "x.txt", "--dtype", "u16", "--bits", "0:17", says=["u16 has 16 bits"])
        self.write("x.u32", bytes(4))
        self.assertNotIn(b"ALL_BITS", self.bad(2, "x.u32", "--bits", "0:64", says=["u32 has 32 bits"]).stderr)


class Npy(Case):
    def test_versions_byte_orders_and_padding(self):
        for dtype in CODES:
            values = some_values(dtype, 100)
            for version in fewer((1, 2, 3)):
                for big in (False, True):
                    if big and struct.calcsize(CODES[dtype]) == 1:
                        continue
                    data = pack(dtype, values, big)
                    mark = "|" if DESCRS[dtype][0] == "|" else ">" if big else "<"
                    header = npy_header(mark + DESCRS[dtype][1:], (100,), version, pad=version * 517)
                    self.write("x.npy", header + data)
                    order = oracle_order(unpack(dtype, data, big), truth=dtype == "bool")
                    with self.subTest(dtype=dtype, version=version, big=big):
                        self.good("x.npy", "-o", "y.npy")
                        self.assertEqual(self.read("y.npy"), header + permuted(dtype, data, order))
                        self.good("check", "y.npy")
                        self.good("verify", "x.npy", "y.npy")
                        self.assertEqual(split_npy(self.good("argsort", "x.npy").stdout)[1], pack("u32", order))

    def test_shapes(self):
        for shape, values in (((), [5.0]), ((0,), []), ((1,), [5.0]), ((3,), [3.0, 1.0, 2.0])):
            self.write("x.npy", npy_header("<f4", shape) + pack("f32", values))
            self.assertEqual(self.good("x.npy").stdout, npy_header("<f4", shape) + pack("f32", sorted(values)))

    def test_keys_of_the_header_in_any_order_and_python_2(self):
        body = "{\"shape\":(2L,) , 'fortran_order' : False,'descr':\"<u2\"}"
        self.write("x.npy", npy_header("", (), text=body) + b"\2\0\1\0")
        self.assertEqual(self.good("x.npy").stdout, npy_header("", (), text=body) + b"\1\0\2\0")
        self.write("x.npy",
                   npy_header("<u2", (2,), fortran=True) + b"\2\0\1\0")  # one dimension: the order means nothing
        self.good("x.npy")

    def test_what_cannot_be_sorted_is_named(self):
        for descr, says in (("<c8", "complex"), ("<c16", "complex"), ("|O", "object"), ("|S5", "string"),
                            ("<U5", "string"), ("|V8", "void"),
                            ("<f16", "128-bit"), ("<i16", "128-bit")):
            self.write("x.npy", npy_header(descr, (1,)) + bytes(64))
            self.bad(2, "x.npy", "-o", "y.npy", says=["x.npy", says, descr])
        self.write("x.npy", npy_header([("i", "<i8"), ("k", "<f8")], (1,)) + bytes(16))
        self.bad(2, "x.npy", "-o", "y.npy", says=["structured"])
        self.write("x.npy", npy_header("<f8", (2, 3), fortran=True) + bytes(48))
        self.bad(2, "x.npy", "-o", "y.npy", says=["2 dimensions", "Fortran"])
        self.only_files("x.npy")

    def test_broken_files(self):
        good = npy_header("<u4", (3,)) + pack("u32", [3, 1, 2])
        for name, data, says in (
            ("empty", b"", "not a .npy"),
            ("text", b"hello, world", "not a .npy"),
            ("magic only", good[:6], "6 bytes"),
            ("half a header", good[:40], "ends after"),
            ("no data", good[:-12], "0 are there"),
            ("short data", good[:-1], "11 are there"),
            ("long data", good + b"x", "13 are there"),
            ("version 9", good[:6] + b"\x09" + good[7:], "9.0"),
            ("huge header", b"\x93NUMPY\2\0\xff\xff\xff\xff{'descr'", "4294967295"),
            ("huge shape", npy_header("<u4", (2 ** 62, 8)), "2^63"),
            ("too many", npy_header("<u4", (2 ** 60,)) + bytes(8), "8 are there"),
            ("negative", npy_header("<u4", (-1,)), "length"),
            ("no tuple", npy_header("", (), text="{'descr': '<u4', 'fortran_order': False, 'shape': (3)}"), "tuple"),
            ("twice",
             npy_header("", (),
                        text="{'descr': '<u4', 'descr': '<u4', 'fortran_order': False, 'shape': (3,)}"), "twice"),
            ("lacks", npy_header("", (), text="{'descr': '<u4', 'shape': (3,)}"), "fortran_order"),
            ("unknown", npy_header("", (), text="{'descr': '<u4', 'fortran_order': False, 'shape': (3,), 'x': 1}"),
             "unknown key"),
            ("tail", npy_header("", (), text="{'descr': '<u4', 'fortran_order': False, 'shape': (3,)} 5"), "goes on"),
            ("dtype", npy_header("<q4", (3,)), "<q4"),
        ):
            with self.subTest(name):
                self.write("x.npy", data)
                self.bad(2, "x.npy", "-o", "y.npy", says=[says])
                self.bad(2, "check", "x.npy", says=[says])
                if data[:6] == b"\x93NUMPY":  # through a pipe the size is not known beforehand
                    self.bad(2, "-o", "y.npy", stdin=data)
        self.only_files("x.npy")

    def test_times(self):
        nat = -2 ** 63
        for unit in ("<M8[ns]", "<m8[s]", ">M8[D]", "<M8[25us]"):
            big = unit[0] == ">"
            values = [5, nat, -7, 2 ** 63 - 1, nat, 0, nat + 1, -7]
            self.write("x.npy", npy_header(unit, (8,)) + pack("i64", values, big))
            for words, want in (
                ([], [6, 2, 7, 5, 0, 3, 1, 4]),
                (["-r"], [3, 0, 5, 2, 7, 6, 1, 4]),
                (["--nan=first"], [1, 4, 6, 2, 7, 5, 0, 3]),
                (["-r", "--nan=first"], [1, 4, 3, 0, 5, 2, 7, 6]),
                (["--nan=bits"], [1, 4, 6, 2, 7, 5, 0, 3]),
            ):
                with self.subTest(unit=unit, words=words):
                    header, data = split_npy(self.good("x.npy", *words, "-o", "-").stdout)
                    self.assertEqual((header["descr"], data), (unit, pack("i64", [values[i] for i in want], big)))
                    self.assertEqual(split_npy(self.good("argsort", "x.npy", *words).stdout)[1], pack("u32", want))
                    self.good("x.npy", *words, "-o", "y.npy")
                    self.good("check", *words, "y.npy")
                    self.good("verify", *words, "x.npy", "y.npy")
        self.write("y.npy", npy_header("<M8[ns]", (2,)) + pack("i64", [nat, 5]))
        self.bad(1, "check", "y.npy", says=["y.npy:2: disorder: 5"])


class Values(Case):
    def test_one_array_of_any_width(self):
        keys = some_values("f32", 500)
        self.write("k.f32", pack("f32", keys))
        order = oracle_order(unpack("f32", pack("f32", keys)))
        for width in (1, 2, 3, 4, 5, 8, 12, 16, 40):
            values = [bytes([i % 251] * (width - 1)) + bytes([i // 251]) for i in range(500)]
            self.write("v.bin", b"".join(values))
            self.good("k.f32", "-o", "s.f32", "--values", "v.bin", "--values-out", "w.bin")
            with self.subTest(width):
                self.assertEqual(self.read("w.bin"), b"".join(values[i] for i in order))
                self.assertEqual(self.read("s.f32"), permuted("f32", pack("f32", keys), order))
                piped = self.good("k.f32", "-o", "s.f32", "--values", "-", "--values-out", "-", stdin=b"".join(values))
                self.assertEqual(piped.stdout, b"".join(values[i] for i in order))

    def test_values_longer_than_a_block(self):
        keys, width = [3, 1, 2, 1], 9 << 20
        self.write("k.u32", pack("u32", keys))
        self.write("v.bin", b"".join(bytes([65 + i]) * width for i in range(4)))
        self.good("k.u32", "-o", "s.u32", "--values", "v.bin", "--values-out", "w.bin")
        self.assertEqual([self.read("w.bin")[i * width] for i in range(4)], [66, 68, 67, 65])
        self.assertEqual(self.read("w.bin").count(b"B"), width)
        keys = [i * 7919 % 300007 for i in range(300007)]  # many blocks
        self.write("k.u32", pack("u32", keys))
        items = pack("u64", keys)
        self.write("v.bin", b"".join(items[8 * i:8 * i + 8] * 5 for i in range(len(keys))))
        self.good("k.u32", "-o", "s.u32", "--values", "v.bin", "--values-out", "w.bin")
        self.assertEqual(self.read("w.bin"), b"".join(struct.pack("<Q", i) * 5 for i in range(len(keys))))

    def test_several_arrays_by_one(self):
        keys = [3, 1, 2, 1]
        self.write("k.npy", npy_header(">i4", (4,)) + pack("i32", keys, big=True))
        order = [1, 3, 2, 0]
        self.write("a.npy", npy_header("<U1", (4,)) + b"".join(c.encode("utf-32-le") for c in "abcd"))
        self.write("b.npy", npy_header("<f8", (4, 2)) + pack("f64", [0, 1, 2, 3, 4, 5, 6, 7]))
        self.write("c.u8", b"wxyz")
        self.write("d.npy", npy_header([("i", "<i2"), ("k", "|u1")], (4,)) + b"aaabbbcccddd")
        done = self.good("k.npy", "-o", "k2.npy", "--values", "a.npy", "b.npy", "c.u8", "d.npy")
        self.assertIn(b"c.sorted.u8", done.stderr)
        self.assertEqual(split_npy(self.read("k2.npy"))[1], pack("i32", [1, 1, 2, 3], big=True))
        self.assertEqual(self.read("a.sorted.npy"),
                         npy_header("<U1", (4,)) + b"".join("abcd"[i].encode("utf-32-le") for i in order))
        self.assertEqual(split_npy(self.read("b.sorted.npy")),
                         ({"descr": "<f8", "fortran_order": False, "shape": (4, 2)},
                          pack("f64", [2, 3, 6, 7, 4, 5, 0, 1])))
        self.assertEqual(self.read("c.sorted.u8"), b"xzyw")
        self.assertEqual(split_npy(self.read("d.sorted.npy"))[1], b"bbbdddcccaaa")

    def test_what_does_not_fit_is_refused_and_nothing_written(self):
        self.write("k.u32", pack("u32", [3, 1, 2]))
        self.write("v.bin", b"1234567")
        self.write("w.npy", npy_header("<u4", (4,)) + bytes(16))
        self.write("o.npy", npy_header("|O", (3,)) + bytes(24))
        self.write("f.npy", npy_header("<u4", (3, 2), fortran=True) + bytes(24))
        before = ("f.npy", "k.u32", "o.npy", "v.bin", "w.npy")
        for values, says in ((["v.bin"], "3 keys"), (["w.npy"], "4 items"), (["o.npy"], "objects"),
                             (["f.npy"], "Fortran"), (["w.npy", "v.bin"], "4 items"),
                             (["missing"], "missing")):
            self.bad(2, "k.u32", "-o", "out.u32", "--values", *values, says=[says])
            self.only_files(*before)
        self.bad(2, "k.u32", "-o", "out.u32", "--values", "k.u32", "--values-out", "out.npy", says=["out.npy", ".bin"])
        self.only_files(*before)
        self.assertEqual(self.bad(2, "k.u32", "--values", "v.bin", "w.npy").stdout, b"")  # the keys neither

    def test_two_results_under_one_name_are_refused(self):
        self.write("k.u32", pack("u32", [3, 1, 2]))
        self.write("v.u8", b"abc")
        for words in (["-o", "out", "--values", "v.u8", "--values-out", "./out"],
                      ["-o", "out", "--values", "v.u8", "v.u8", "--values-out", "w", "w"],
                      ["-o", "out", "--values", "v.u8", "v.u8"]):
            self.bad(2, "k.u32", *words, says=["two results"])
        self.only_files("k.u32", "v.u8")
        self.good("k.u32", "-o", "/dev/null", "--values", "v.u8", "--values-out", "/dev/null")

    def test_empty(self):
        self.write("k.u32", b"")
        self.write("v.bin", b"")
        self.good("k.u32", "-o", "s.u32", "--values", "v.bin", "--values-out", "w.bin")
        self.assertEqual((self.read("s.u32"), self.read("w.bin")), (b"", b""))


class Texts(Case):
    def test_spelling_is_kept_and_order_exact(self):
        for text, want in (
            (b"1e+2\n5\n1e-5\n2E3\n-1e-3\n", b"-1e-3\n1e-5\n5\n1e+2\n2E3\n"),
            (b"NaN\nNaN\n3.0\n2.0\n-inf\nInfinity\nnan\n", b"-inf\n2.0\n3.0\nInfinity\nNaN\nNaN\nnan\n"),
            (b"9007199254740993\n9007199254740992\n18446744073709551615\n9223372036854775807\n",
             b"9007199254740992\n9007199254740993\n9223372036854775807\n18446744073709551615\n"),
            (b"3\r\n1\r\n2", b"1\n2\n3\n"),
            (b"0x10\n15\n017\n", b"15\n0x10\n017\n"),
            (b"1.0000000000000000000000002\n1.0000000000000000000000001\n",
             b"1.0000000000000000000000001\n1.0000000000000000000000002\n"),
            (b"", b""),
            (b"7", b"7\n"),
        ):
            self.assertEqual(self.good("--format", "text", stdin=text).stdout, want)
            self.write("x.txt", text)
            self.assertEqual(self.good("x.txt").stdout, want)
            self.write("y.txt", want)
            self.good("check", "y.txt")
            indices = [int(line) for line in self.good("argsort", "x.txt").stdout.split()]
            lines = text.split()
            self.assertEqual([lines[i] for i in indices], want.split())

    def test_flaws_name_the_line(self):
        for text, words, line in ((b"1\n2\nabc\n", [], "line 3"), (b"300\n-1\n5\n", ["--dtype", "u8"], "line 1"),
                                  (b"5\n-1\n", ["--dtype", "u8"], "line 2"),
                                  (b"1\nnan\n", ["--dtype", "i32"], "line 2"), (b"1\n\n2\n", [], "line 2")):
            self.write("x.txt", text)
            self.bad(2, "x.txt", "-o", "y.txt", *words, says=["x.txt", line])
        self.only_files("x.txt")

    def test_options_that_texts_do_not_have(self):
        self.write("x.txt", b"2\n1\n")
        self.bad(2, "x.txt", "--bits", "0:8", says=["--bits"])
        self.bad(2, "x.txt", "--nan", "bits", says=["--nan bits"])
        self.bad(2, "x.txt", "-o", "y.npy", says=[".npy"])
        self.bad(2, "x.txt", "--values", "x.txt", says=["--values"])

    def test_argsort_to_npy(self):
        self.write("x.txt", b"3\n1\n2\n1\n")
        self.good("argsort", "x.txt", "-o", "i.npy")
        self.assertEqual(split_npy(self.read("i.npy")),
                         ({"descr": "<u4", "fortran_order": False, "shape": (4,)}, pack("u32", [1, 3, 2, 0])))
        # Ties that only the text can break.
        self.write("x.txt", b"1.00000000000000000002\n1.00000000000000000001\n")
        self.good("argsort", "x.txt", "-o", "i.npy")
        self.assertEqual(split_npy(self.read("i.npy"))[1], pack("u32", [1, 0]))
        self.good("argsort", "x.txt", "-o", "i.npy", "--index", "u64")
        self.assertEqual(split_npy(self.read("i.npy"))[1], pack("u64", [1, 0]))

    def test_json(self):
        self.write("x.json", b"[3, 1.50,\n 2e0]")
        self.assertEqual(self.good("x.json").stdout, b"[1.50, 2e0, 3]\n")
        self.assertEqual(self.good(stdin=b" [2,1]").stdout, b"[1, 2]\n")
        self.assertEqual(json.loads(self.good("argsort", "x.json").stdout), [1, 2, 0])
        self.assertEqual(json.loads(self.good("--format=json", stdin=b"[]").stdout), [])
        for text in (b"[1, 2", b"[1,,2]", b"{\"a\": 1}", b"[1, \"2\"]", b"[1] 2", b"[01]"):
            self.bad(2, "--format=json", stdin=text, says=["line 1"])


@unittest.skipIf(numpy is None, "numpy is not installed here")
class Numpy(Case):
    def test_same_order_as_numpy(self):
        rng = numpy.random.default_rng(5)
        for descr in fewer(("?", "u1", "i1", "<u2", ">i2", "<u4", ">i4", "<u8", ">i8", "<f2", "<f4", ">f4", "<f8", ">f8",
                            "<M8[ns]", ">m8[s]")):
            for count in (0, 1, 1000, 70000):
                array = numpy.frombuffer(rng.bytes(count * numpy.dtype(descr).itemsize),
                                         descr if descr != "?" else "u1")
                if descr == "?":
                    array = (array & 1).astype("?")
                numpy.save(self.path("x.npy"), array)
                self.good("x.npy", "-o", "y.npy")
                self.good("argsort", "x.npy", "-o", "i.npy")
                indices = numpy.argsort(array, kind="stable")
                with self.subTest(descr=descr, count=count):
                    self.assertEqual(numpy.load(self.path("i.npy")).tolist(), indices.tolist())
                    self.assertEqual(numpy.load(self.path("y.npy")).tobytes(), array[indices].tobytes())


if __name__ == "__main__":
    main()
