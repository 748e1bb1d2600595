"""sort -u: the first of equal keys, with what moves with it, in every format, and what it refuses."""
import json
import random

from support import CODES, Case, fewer, main, npy_header, oracle_order, pack, split_npy
from formats_test import permuted, some_values, unpack


def firsts(values, order, same):
    kept = []
    for i in order:
        if not kept or not same(values[kept[-1]], values[i]):
            kept.append(i)
    return kept


def same_number(a, b):
    return a == b or (a != a and b != b)


class Keys(Case):
    def test_every_dtype_and_direction(self):
        rng = random.Random(5)
        for dtype in CODES:
            for count in fewer((0, 1, 2, 40, 3000)):
                few = some_values(dtype, max(count // 3, 1), count + 1)
                values = unpack(dtype, pack(dtype, [rng.choice(few) for _ in range(count)]))
                data = pack(dtype, values)
                self.write("x." + dtype, data)
                for words in ([], ["-r"], ["--nan", "first"]):
                    order = oracle_order(values, "-r" in words, "first" in words, truth=dtype == "bool")
                    same = (lambda a, b: bool(a) == bool(b)) if dtype == "bool" else same_number
                    with self.subTest(dtype=dtype, count=count, words=words):
                        self.good("sort", "-u", "x." + dtype, "-o", "y." + dtype, *words)
                        self.assertEqual(self.read("y." + dtype), permuted(dtype, data, firsts(values, order, same)))

    def test_zeros_and_nans_are_told_apart_by_bits_alone(self):
        keys = [0x80000000, 0, 0x7fc00001, 0x7fc00002, 0x7fc00001, 0, 0xffc00000]
        self.write("x.f32", pack("u32", keys))
        self.assertEqual(self.good("sort", "-u", "x.f32").stdout, pack("u32", [0x80000000, 0x7fc00001]))
        self.assertEqual(self.good("sort", "-u", "x.f32", "--nan", "bits").stdout,
                         pack("u32", [0xffc00000, 0x80000000, 0, 0x7fc00001, 0x7fc00002]))

    def test_bits_alone_make_equal(self):
        self.write("x.u16", pack("u16", [0x1203, 0x3401, 0x5603, 0x7802]))
        self.assertEqual(self.good("sort", "-u", "x.u16", "--bits", "0:8").stdout, pack("u16", [0x3401, 0x7802, 0x1203]))
        self.assertEqual(self.good("sort", "-u", "x.u16", "--bits", "5:5").stdout, pack("u16", [0x1203]))
        self.write("x.i8", pack("i8", [-1, 127, 0, -128]))
        self.assertEqual(self.good("sort", "-u", "x.i8", "--bits", "7:8").stdout, pack("i8", [-1, 127]))

    def test_npy_says_how_many_are_left(self):
        for descr, dtype, big in (("<i4", "i32", False), (">i4", "i32", True), ("<M8[s]", "i64", False)):
            self.write("x.npy", npy_header(descr, (5,)) + pack(dtype, [5, 3, 5, 3, 9], big))
            self.good("sort", "-u", "x.npy", "-o", "y.npy")
            header, body = split_npy(self.read("y.npy"))
            self.assertEqual((header["descr"], header["shape"], body), (descr, (3,), pack(dtype, [3, 5, 9], big)))

    def test_one_number_without_dimensions(self):
        self.write("x.npy", npy_header("<i4", ()) + pack("i32", [5]))
        self.assertEqual(self.good("sort", "-u", "x.npy").stdout, self.read("x.npy"))

    def test_in_place_and_past_the_cache(self):
        rng = random.Random(6)
        values = [rng.randrange(50000) for _ in range(300000)]
        self.write("x.u32", pack("u32", values))
        told = json.loads(self.good("sort", "-u", "x.u32", "-o", "x.u32", "--json").stdout)
        self.assertEqual(self.read("x.u32"), pack("u32", sorted(set(values))))
        self.assertEqual((told["count"], told["kept"]), (300000, len(set(values))))


class Values(Case):
    def test_the_values_of_the_first_stay(self):
        rng = random.Random(7)
        keys = [rng.randrange(200) for _ in range(2000)]
        kept = firsts(keys, sorted(range(2000), key=lambda i: keys[i]), same_number)
        self.write("k.u16", pack("u16", keys))
        for width in (1, 3, 4, 16, 20):  # by way of pairs, and of indices
            rows = [bytes(rng.randrange(256) for _ in range(width)) for _ in keys]
            self.write("v.bin", b"".join(rows))
            self.good("sort", "-u", "k.u16", "-o", "y.u16", "--values", "v.bin", "--values-out", "w.bin")
            self.assertEqual(self.read("y.u16"), pack("u16", [keys[i] for i in kept]))
            self.assertEqual(self.read("w.bin"), b"".join(rows[i] for i in kept), width)

    def test_several_arrays_with_headers_of_their_own(self):
        self.write("k.u8", bytes([2, 1, 2, 1]))
        self.write("rows.npy", npy_header("<f8", (4, 3)) + pack("f64", range(12)))
        fields = [("name", "<i2"), ("shape", "<u1")]
        self.write("records.npy", npy_header(fields, (4,)) + bytes(range(12)))
        self.good("sort", "-u", "k.u8", "-o", "y.u8", "--values", "rows.npy", "records.npy", "--values-out", "r.npy", "s.npy")
        self.assertEqual(self.read("y.u8"), bytes([1, 2]))
        header, body = split_npy(self.read("r.npy"))
        self.assertEqual((header["descr"], header["shape"], body), ("<f8", (2, 3), pack("f64", [3, 4, 5, 0, 1, 2])))
        header, body = split_npy(self.read("s.npy"))
        self.assertEqual((header["descr"], header["shape"], body), (fields, (2,), bytes([3, 4, 5, 0, 1, 2])))


class Texts(Case):
    def test_the_first_spelling_stays(self):
        self.write("x.txt", b"3\n1e0\n3.0\n2\n1\n99999999999999999999\n99999999999999999999.0\n99999999999999999998\nnan\n-nan\n-0\n0\n")
        self.assertEqual(self.good("sort", "-u", "x.txt").stdout,
                         b"-0\n1e0\n2\n3\n99999999999999999998\n99999999999999999999\nnan\n")
        self.write("x.json", b"[2, 1.0, 1, 2.0]")
        self.assertEqual(json.loads(self.good("sort", "-u", "x.json").stdout), [1.0, 2])
        self.good("sort", "-u", "x.json", "--dtype", "f32", "-o", "y.npy")
        header, body = split_npy(self.read("y.npy"))
        self.assertEqual((header["shape"], body), ((2,), pack("f32", [1, 2])))

    def test_as_the_system_sorts_whole_numbers(self):
        rng = random.Random(8)
        values = [rng.randrange(-300, 300) for _ in range(5000)]
        text = b"".join(b"%d\n" % v for v in values)
        self.assertEqual(self.good("-u", stdin=text).stdout, b"".join(b"%d\n" % v for v in sorted(set(values))))
        self.assertEqual(self.good("-u", "-r", stdin=text).stdout, b"".join(b"%d\n" % v for v in sorted(set(values), reverse=True)))
        self.assertEqual(self.good("-u", stdin=b"").stdout, b"")


class Refusals(Case):
    def test_what_does_not_go_with_it(self):
        self.write("x.u32", pack("u32", [3, 1, 2, 1]))
        self.write("x.f32", pack("f32", [3, 1, 2, 1]))
        self.write("two.npy", npy_header("<i4", (2, 2)) + pack("i32", [1, 2, 3, 4]))
        self.bad(2, "sort", "-u", "x.u32", "-o", "y", "--segments", 2, says=["-u", "segment"])
        self.bad(2, "sort", "-u", "two.npy", "-o", "y", says=["-u", "row"])
        self.bad(2, "sort", "-u", "x.f32", "-o", "y", "--bits", "0:8", says=["integers"])
        self.bad(2, "sort", "-u", "-c", "x.u32", says=["-u"])
        self.bad(2, "argsort", "-u", "x.u32")
        self.only_files("x.u32", "x.f32", "two.npy")


if __name__ == "__main__":
    main()
