"""--segments, and arrays of several dimensions, against plain Python and, where it is there, NumPy."""
import json
import random
import struct
import unittest

from support import Case, SANITIZED, main, npy_header, oracle_order, pack, split_npy

try:
    import numpy
except ImportError:
    numpy = None


def segmented_order(values, offsets, reverse=False):
    order = list(range(len(values)))
    for begin, end in zip(offsets, offsets[1:]):
        order[begin:end] = [begin + i for i in oracle_order(values[begin:end], reverse)]
    return order


def u64(values):
    return struct.pack(f"<{len(values)}Q", *values)


class Segments(Case):
    def test_of_one_length(self):
        values = [random.randrange(50) for _ in range(60)]
        self.write("x.u32", pack("u32", values))
        order = segmented_order(values, range(0, 61, 12), reverse=True)
        self.good("sort", "x.u32", "--segments", "12", "-r", "-o", "y.u32")
        self.assertEqual(self.read("y.u32"), pack("u32", [values[i] for i in order]))
        self.good("argsort", "x.u32", "--segments=12", "-r", "-o", "i.u64")
        self.assertEqual(self.read("i.u64"), u64(order))
        self.good("argsort", "x.u32", "--segments", "12", "-r", "--local", "-o", "i.u32")
        self.assertEqual(self.read("i.u32"), pack("u32", [i % 12 for i in order]))
        self.assertEqual(self.good("sort", "--dtype", "u32", "--format", "raw", "--segments", "12", "-r",
                                   stdin=self.read("x.u32")).stdout, self.read("y.u32"))

    def test_by_offsets_keeps_what_is_outside(self):
        values = [random.uniform(-9, 9) for _ in range(1000)]
        offsets = sorted(random.randrange(5, 990) for _ in range(80))
        offsets.insert(40, offsets[40])
        self.write("x.npy", npy_header("<f8", (1000,)) + pack("f64", values))
        self.write("o.bin", u64(offsets))
        self.write("o.npy", npy_header("<i8", (len(offsets),)) + u64(offsets))
        order = segmented_order(values, offsets)
        sorted_values = pack("f64", [values[i] for i in order])
        for name in ("o.bin", "o.npy"):
            self.good("x.npy", "--segments", name, "-o", "y.npy")
            self.assertEqual(split_npy(self.read("y.npy"))[1], sorted_values)
        self.good("argsort", "x.npy", "--segments", "o.bin", "-o", "i.u32")
        self.assertEqual(self.read("i.u32"), pack("u32", order))
        with open(self.path("o.bin"), "rb") as pipe:
            self.good("x.npy", "--segments", "-", "-o", "z.npy", stdin=pipe.read())
        self.assertEqual(self.read("z.npy"), self.read("y.npy"))

    def test_values_move_inside_their_segment(self):
        values = [random.randrange(9) for _ in range(300)]
        order = segmented_order(values, range(0, 301, 30))
        for width in (1, 4, 7):  # with the keys, and by indices
            rows = [bytes([i & 255] * width) for i in range(300)]
            self.write("x.u8", pack("u8", values))
            self.write("v.bin", b"".join(rows))
            self.good("x.u8", "--segments", "30", "--values", "v.bin", "--values-out", "w.bin", "-o", "y.u8")
            self.assertEqual(self.read("w.bin"), b"".join(rows[i] for i in order))
            self.assertEqual(self.read("y.u8"), pack("u8", [values[i] for i in order]))

    def test_refusals(self):
        self.write("x.u32", pack("u32", range(10)))
        self.write("x.txt", b"3\n1\n2\n")
        self.write("empty.u64", b"")
        self.write("falls.u64", u64([0, 5, 4, 10]))
        self.write("far.u64", u64([0, 5, 11]))
        self.write("odd.u64", b"1234567")
        self.write("o.f64", pack("f64", [0, 10]))
        self.write("m.npy", npy_header("<u4", (2, 5)) + pack("u32", range(10)))
        for words, says in [(["x.u32", "--segments", "3"], ["10 keys", "segments of 3", "1 left over"]),
                            (["x.u32", "--segments", "0"], ["between 1 and"]),
                            (["x.u32", "--segments", "falls.u64"], ["falls.u64: offset 2 is 4", "below the one before it, 5"]),
                            (["x.u32", "--segments", "far.u64"], ["far.u64: offset 2 is 11", "10 keys"]),
                            (["x.u32", "--segments", "odd.u64"], ["odd.u64"]),
                            (["x.u32", "--segments", "o.f64"], ["u64 or i64"]),
                            (["x.u32", "--segments", "empty.u64"], ["holds no offset"]),
                            (["x.u32", "--segments", "none.u64"], ["none.u64"]),
                            (["x.txt", "--segments", "1"], ["--segments", "text"]),
                            (["m.npy", "--segments", "5"], ["rows"]),
                            (["x.u32", "--segments", "5", "-c"], ["--check"])]:
            output = [] if "-c" in words else ["-o", "y.u32"]
            self.bad(2, "sort", *words, *output, says=says)
        self.bad(2, "argsort", "x.u32", "--local", says=["--local", "--segments"])
        self.bad(2, "sort", "-", "--segments", "-", "--dtype", "u32", "--format", "raw", stdin=b"1234", says=["standard input"])
        self.bad(2, "sort", "m.npy", "--axis", "0", says=["last axis"])
        self.only_files("x.u32", "x.txt", "empty.u64", "falls.u64", "far.u64", "odd.u64", "o.f64", "m.npy")


class Rows(Case):
    def test_sorted_along_the_last_axis(self):
        values = [random.randrange(-99, 99) for _ in range(2 * 3 * 4)]
        header = npy_header("<i2", (2, 3, 4))
        self.write("x.npy", header + pack("i16", values))
        order = segmented_order(values, range(0, 25, 4))
        self.good("x.npy", "-o", "y.npy", "--axis", "-1")
        self.assertEqual(self.read("y.npy"), header + pack("i16", [values[i] for i in order]))
        self.good("argsort", "x.npy", "-o", "i.npy")
        shape, data = split_npy(self.read("i.npy"))
        self.assertEqual(shape, {"descr": "<u4", "fortran_order": False, "shape": (2, 3, 4)})
        self.assertEqual(data, pack("u32", [i % 4 for i in order]))
        self.good("x.npy", "-o", "y.i16")
        self.assertEqual(self.read("y.i16"), pack("i16", [values[i] for i in order]))

    def test_of_no_items(self):
        for shape in ((0, 3), (3, 0), (0, 0)):
            self.write("x.npy", npy_header("<f4", shape))
            self.good("x.npy", "-o", "y.npy")
            self.assertEqual(split_npy(self.read("y.npy")), split_npy(self.read("x.npy")))
            self.good("argsort", "x.npy", "-o", "i.npy")
            self.assertEqual(split_npy(self.read("i.npy"))[0]["shape"], shape)

    def test_other_commands_take_one_dimension(self):
        self.write("x.npy", npy_header("<u4", (2, 2)) + pack("u32", range(4)))
        self.bad(2, "check", "x.npy", says=["2 dimensions"])
        self.bad(2, "x.npy", "-c", says=["2 dimensions"])

    @unittest.skipUnless(numpy, "no numpy")
    def test_like_numpy(self):
        draw = numpy.random.default_rng(random.randrange(1 << 30))
        for descr in ("<f4", ">f8", "<i8", "|u1", "<f2", "<M8[s]"):
            for shape in ((7, 100), (300, 3), (1, 5000), (2000, 1), (3, 4, 50)):
                array = draw.integers(-30, 30, shape).astype("i8").astype(descr)
                if array.dtype.kind == "f":
                    array[draw.random(shape) < 0.1] = numpy.nan
                numpy.save(self.path("x.npy"), array)
                self.good("x.npy", "-o", "y.npy")
                self.good("argsort", "x.npy", "-o", "i.npy", "--index", "u64")
                result, indices = numpy.load(self.path("y.npy")), numpy.load(self.path("i.npy"))
                self.assertEqual(result.dtype, array.dtype)
                numpy.testing.assert_array_equal(result, numpy.sort(array, axis=-1, kind="stable"))
                numpy.testing.assert_array_equal(indices, numpy.argsort(array, axis=-1, kind="stable"))

    def test_many_over_threads(self):
        rows, width = (2000, 128) if SANITIZED else (20000, 128)
        values = [random.randrange(1 << 32) for _ in range(rows * width)]
        self.write("x.npy", npy_header("<u4", (rows, width)) + pack("u32", values))
        self.good("x.npy", "-o", "y.npy")
        want = [v for r in range(rows) for v in sorted(values[r * width:(r + 1) * width])]
        self.assertEqual(split_npy(self.read("y.npy"))[1], pack("u32", want))


class Bench(Case):
    def test_segments_are_proved(self):
        for how in (["--segments", "100"], ["--segments", "zipf", "--op", "argsort"], ["--segments=7", "--op", "sort_pairs"]):
            done = self.good("bench", *how, "--count", "1e4", "--rivals=std::", "--json", "-", "-q")
            row = json.loads(done.stdout)["rows"][0]
            self.assertTrue(row["verified"])
            self.assertIn("segments", row["pattern"])
            self.assertTrue(all(rival["verified"] for rival in row["rivals"] if "verified" in rival), row)
        self.bad(2, "bench", "--segments", "0", "--count", "10", says=["segments of 0"])


if __name__ == "__main__":
    main()
