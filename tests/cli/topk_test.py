"""topk: the first k of what sort and argsort write, in every format, and what it refuses."""
import json
import math
import os
import random

from support import CODES, Case, fewer, main, npy_header, oracle_order, pack, split_npy
from formats_test import permuted, some_values, unpack


class Prefix(Case):
    def test_every_dtype_and_direction(self):
        for dtype in CODES:
            for count in fewer((0, 1, 5, 1000, 9000)):
                data = pack(dtype, some_values(dtype, count, count + 2))
                values = unpack(dtype, data)
                self.write("x." + dtype, data)
                for words, largest in fewer((([], True), (["--largest"], True), (["--smallest"], False))):
                    order = oracle_order(values, largest, truth=dtype == "bool")
                    for k in {0, 1, 10, count // 2, count, count + 5}:
                        with self.subTest(dtype=dtype, count=count, words=words, k=k):
                            self.good("topk", "x." + dtype, "-k", k, "-o", "y." + dtype, "--indices", "i.u64", *words)
                            self.assertEqual(self.read("y." + dtype), permuted(dtype, data, order[:k]))
                            self.assertEqual(self.read("i.u64"), pack("u64", order[:k]))

    def test_it_is_the_prefix_of_sort_and_argsort(self):
        rng = random.Random(3)
        self.write("x.f32", pack("f32", [rng.choice([0.0, -0.0, 1.5, float("nan"), rng.random()]) for _ in range(20000)]))
        for words, sort_words in ((["--largest"], ["-r"]), (["--smallest"], []), (["--nan", "first"], ["-r", "--nan", "first"]),
                                  (["--smallest", "--bits", "20:32"], ["--bits", "20:32"])):
            for k in (7, 600, 15000):
                self.assertEqual(self.good("topk", "x.f32", "-k", k, *words, "--indices", "i.bin").stdout,
                                 self.good("x.f32", *sort_words).stdout[:4 * k])
                self.assertEqual(self.read("i.bin"), self.good("argsort", "x.f32", *sort_words).stdout[:4 * k])

    def test_npy_and_json_and_text_names(self):
        self.write("x.npy", npy_header("<i2", (5,)) + pack("i16", [3, -7, 9, 9, 0]))
        self.good("topk", "x.npy", "-k", 3, "-o", "y.npy", "--indices", "i.npy")
        header, body = split_npy(self.read("y.npy"))
        self.assertEqual((header["shape"], header["descr"], body), ((3,), "<i2", pack("i16", [9, 9, 3])))
        header, body = split_npy(self.read("i.npy"))
        self.assertEqual((header["shape"], header["descr"], body), ((3,), "<u4", pack("u32", [2, 3, 0])))
        self.good("topk", "x.npy", "-k", 2, "--index", "u64", "--smallest", "-o", "y.txt", "--indices", "i.json")
        self.assertEqual(self.read("y.txt"), b"-7\n0\n")
        self.assertEqual(json.loads(self.read("i.json")), [1, 4])
        self.write("big.npy", npy_header(">u4", (3,)) + pack("u32", [1, 3, 2], big=True))
        self.good("topk", "big.npy", "-k", 2, "-o", "y.npy")
        self.assertEqual(unpack("u32", split_npy(self.read("y.npy"))[1], big=">" in split_npy(self.read("y.npy"))[0]["descr"]), (3, 2))

    def test_times_with_nat(self):
        nat = -2 ** 63
        self.write("t.npy", npy_header("<M8[s]", (4,)) + pack("i64", [5, nat, -3, 8]))
        for words, want in (([], [8, 5, -3]), (["--smallest"], [-3, 5, 8])):
            self.good("topk", "t.npy", "-k", 3, "-o", "y.npy", *words)
            header, body = split_npy(self.read("y.npy"))
            self.assertEqual((header["descr"], body), ("<M8[s]", pack("i64", want)))

    def test_more_than_there_are_is_all_of_them(self):
        self.write("x.u8", b"\x01\x03\x02")
        for k in (3, 4, 2 ** 64 - 1, 2 ** 64, 10 ** 30):
            self.assertEqual(self.good("topk", "x.u8", "-k", k).stdout, b"\x03\x02\x01", k)

    def test_a_pipe_of_raw_data(self):
        self.assertEqual(self.good("topk", "-k", 2, "--format", "raw", "--dtype", "u8", stdin=b"\x03\xff\x07").stdout, b"\xff\x07")


class Rows(Case):
    """Along the last axis, as argsort goes, with places in the row."""

    def expect_rows(self, dtype, descr, shape, k, *words):
        count = math.prod(shape)
        values = unpack(dtype, pack(dtype, some_values(dtype, count, count + k)))
        self.write("x.npy", npy_header(descr, shape) + pack(dtype, values))
        self.good("topk", "x.npy", "-k", k, "-o", "y.npy", "--indices", "i.npy", *words)
        length, kept = shape[-1], min(k, shape[-1])
        keys, places = [], []
        for begin in range(0, count, length or 1):
            row = values[begin:begin + length]
            order = oracle_order(row, "--smallest" not in words)[:kept]
            keys += [row[i] for i in order]
            places += order
        header, body = split_npy(self.read("y.npy"))
        self.assertEqual((header["descr"], header["shape"], body), (descr, shape[:-1] + (kept,), pack(dtype, keys)))
        header, body = split_npy(self.read("i.npy"))
        self.assertEqual((header["descr"], header["shape"], body), ("<u4", shape[:-1] + (kept,), pack("u32", places)))

    def test_shapes_and_k(self):
        for shape in fewer(((1, 5), (4, 1), (3, 7), (2, 3, 4), (200, 50), (2, 0), (0, 3))):
            for k in (0, 1, 3, 100):
                for words in ([], ["--smallest"]):
                    with self.subTest(shape=shape, k=k, words=words):
                        self.expect_rows("i16", "<i2", shape, k, *words)
                        self.expect_rows("f64", "<f8", shape, k, *words)

    def test_many_over_threads(self):
        self.expect_rows("i32", "<i4", (3000, 40), 5, "--threads", "4")
        self.expect_rows("i32", "<i4", (2, 270000), 5, "--threads", "4")

    def test_a_text_has_them_one_after_another(self):
        self.write("x.npy", npy_header("<i4", (2, 3)) + pack("i32", [1, 3, 2, 6, 5, 4]))
        self.assertEqual(self.good("topk", "x.npy", "-k", 2, "-o", "y.txt").stdout, b"")
        self.assertEqual(self.read("y.txt"), b"3\n2\n6\n5\n")


class Texts(Case):
    def test_numbers_are_spelled_as_they_came(self):
        text = b"1e2\n-5\n100.0\n0.1\n100\n99999999999999999999999\n0x1\n"[:-4]
        self.write("x.txt", text)
        self.good("topk", "x.txt", "-k", 3, "-o", "y.txt", "--indices", "i.txt")
        self.assertEqual(self.read("y.txt"), b"99999999999999999999999\n1e2\n100.0\n")
        self.assertEqual(self.read("i.txt"), b"5\n0\n2\n")
        self.assertEqual(self.good("topk", "x.txt", "-k", 2, "--smallest").stdout, b"-5\n0.1\n")
        self.assertEqual(self.good("topk", "x.txt", "-k", 0).stdout, b"")

    def test_indices_are_those_of_argsort(self):
        rng = random.Random(4)
        self.write("x.txt", b"".join(b"%d.%d\n" % (rng.randrange(30), rng.randrange(30)) for _ in range(3000)))
        for k in (1, 50, 2999, 5000):
            self.good("topk", "x.txt", "-k", k, "-o", "y.txt", "--indices", "i.txt")
            self.assertEqual(self.read("i.txt").split(), self.good("argsort", "x.txt", "-r").stdout.split()[:k])
            self.assertEqual(self.read("y.txt").split(), self.good("x.txt", "-r").stdout.split()[:k])

    def test_other_formats(self):
        self.write("x.json", b"[3, 1.5, 2]")
        self.assertEqual(json.loads(self.good("topk", "x.json", "-k", 2).stdout), [3, 2])
        self.good("topk", "x.json", "-k", 2, "--dtype", "f32", "-o", "y.f32", "--indices", "i.u32")
        self.assertEqual((self.read("y.f32"), self.read("i.u32")), (pack("f32", [3, 2]), pack("u32", [0, 2])))
        self.bad(2, "topk", "x.json", "-k", 2, "-o", "z.f32", says=["--dtype"])
        self.assertFalse(os.path.exists(self.path("z.f32")))


class Refusals(Case):
    def test_what_is_wrong_is_said_and_nothing_is_written(self):
        self.write("x.u32", pack("u32", [3, 1, 2]))
        self.write("two.npy", npy_header("<i4", (2, 2), fortran=True) + pack("i32", [1, 2, 3, 4]))
        self.bad(2, "topk", "x.u32", says=["-k"])
        for k in ("-1", "x", "1.5", "1e3", ""):
            self.bad(2, "topk", "x.u32", "-k", k, "-o", "y")
        self.bad(2, "topk", "x.u32", "-k", 1, "--largest", "--smallest", says=["smallest"])
        self.bad(2, "topk", "x.u32", "-k", 1, "-r")
        self.bad(2, "topk", "x.u32", "-k", 1, "--indices", "-", says=["cannot both"])
        self.bad(2, "topk", "x.u32", "-k", 1, "-o", "y", "--indices", "y", says=["cannot both"])
        self.bad(2, "topk", "x.u32", "-k", 1, "-o", "y", "--indices", "i.f32", says=["i.f32", "u32 or u64"])
        self.bad(2, "topk", "x.u32", "-k", 1, "-o", "y", "--indices", "i.u64", "--index", "u32", says=["i.u64"])
        self.bad(2, "topk", "x.u32", "-k", 1, "-o", "y", "--bits", "0:33", says=["32 bits"])
        self.bad(2, "topk", "two.npy", "-k", 1, "-o", "y", says=["2 dimensions", "Fortran"])
        self.bad(2, "topk", "x.u32", "-k", 1, "-o", "y", "-S", "1b", says=["-S"])
        self.bad(3, "topk", "x.u32", "-k", 1, "-o", "y", "--device", "cuda:99", says=["cuda"])
        self.only_files("x.u32", "two.npy")

    def test_a_device_that_is_not_there_is_missing(self):
        self.write("x.u32", pack("u32", [3, 1, 2]))
        self.bad(3, "topk", "x.u32", "-k", 1, "-o", "y", "--device", "webgpu", env={"LANESORT_WEBGPU_LIB": "/nowhere.so"}, says=["webgpu"])
        self.only_files("x.u32")
        for device in ("cpu", "auto"):
            self.assertEqual(self.good("topk", "x.u32", "-k", 1, "--device", device).stdout, pack("u32", [3]))


class Talk(Case):
    def test_json_says_what_was_done(self):
        self.write("x.u32", pack("u32", range(100)))
        told = json.loads(self.good("topk", "x.u32", "-k", 7, "-o", "y.u32", "--json").stdout)
        self.assertEqual((told["command"], told["k"], told["count"], told["kept"]), ("topk", 7, 100, 7))
        dry = json.loads(self.good("topk", "x.u32", "-k", 7, "-o", "z.u32", "--dry-run", "--json").stdout)
        self.assertGreater(dry["memory_bytes"], 400)
        self.assertFalse(os.path.exists(self.path("z.u32")))
        self.assertIn(b"select", self.good("topk", "x.u32", "-k", 7, "-o", "y.u32", "--stats").stderr)

    def test_the_input_may_be_the_output(self):
        self.write("x.u32", pack("u32", [3, 1, 2]))
        self.good("topk", "x.u32", "-k", 2, "-o", "x.u32")
        self.assertEqual(self.read("x.u32"), pack("u32", [3, 2]))


if __name__ == "__main__":
    main()
