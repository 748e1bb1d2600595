"""merge: the bytes that a sort of all inputs together gives; what is not sorted is refused by name and place."""
import random

from support import Case, fewer, main, npy_header, pack, split_npy


class Merge(Case):
    def both(self, names, *words):
        """merge against sort of one behind the other, for inputs of raw data or lines."""
        self.write("joined." + names[0].rsplit(".", 1)[1], b"".join(self.read(name) for name in names))
        joined = "joined." + names[0].rsplit(".", 1)[1]
        want = self.good("sort", joined, *words).stdout
        self.assertEqual(self.good("merge", *names, *words).stdout, want, (names, words))
        return want

    def test_is_the_sort_of_all_inputs_for_every_dtype_and_order(self):
        draw = random.Random(5)
        for dtype in fewer(("u8", "i16", "u32", "i64", "f16", "f32", "f64")):
            for words in ((), ("-r",), ("--nan", "first"), ("--nan", "bits", "-r"), ("--bits", "0:3")):
                names = []
                for i, count in enumerate((0, 1, 700, 1500)):
                    keys = [draw.choice([0.0, -0.0, float("nan"), 1.5, -2.0, float("-inf")]) if dtype[0] == "f" else
                            draw.randrange(100) for _ in range(count)]
                    self.write(f"{i}.{dtype}", pack(dtype, keys))
                    self.good("sort", f"{i}.{dtype}", "-o", f"{i}.{dtype}", *words)
                    names.append(f"{i}.{dtype}")
                self.assertEqual(len(self.both(names, *words)), len(pack(dtype, [0] * 2201)))

    def test_texts_keep_their_spellings_and_the_order_of_the_files(self):
        self.write("a.txt", b"1\n3\n5.0\n1e400\n")
        self.write("b.txt", b"+1\n2\n3.0\n5")
        self.write("c.json", b"[1.00, 1e1]")
        self.assertEqual(self.good("merge", "a.txt", "b.txt").stdout, b"1\n+1\n2\n3\n3.0\n5.0\n5\n1e400\n")
        self.assertEqual(self.good("merge", "b.txt", "a.txt").stdout, b"+1\n1\n2\n3.0\n3\n5\n5.0\n1e400\n")
        self.assertEqual(self.good("merge", "c.json", "a.txt").stdout, b"[1.00, 1, 3, 5.0, 1e1, 1e400]\n")
        self.good("merge", "a.txt", "c.json", "-o", "out.json")
        self.assertEqual(self.read("out.json"), b"[1, 1.00, 3, 5.0, 1e1, 1e400]\n")
        self.bad(2, "merge", "b.txt", "-o", "out2.json", says=["+1"])
        self.write("d.txt", b"9\n4\n4.0\n")
        self.write("e.txt", b"8\n4.00\n")
        self.assertEqual(self.good("merge", "-r", "d.txt", "e.txt").stdout, b"9\n8\n4\n4.0\n4.00\n")
        self.write("empty.txt", b"")
        self.assertEqual(self.good("merge", "empty.txt", "a.txt", "empty.txt").stdout, self.read("a.txt"))
        self.only_files("a.txt", "b.txt", "c.json", "d.txt", "e.txt", "empty.txt", "out.json")

    def test_npy_keeps_the_first_header_s_dtype_and_counts_all(self):
        self.write("a.npy", npy_header(">i4", (3,)) + pack("i32", [-5, 2, 9], big=True))
        self.write("b.npy", npy_header("<i4", (2,)) + pack("i32", [-7, 2]))
        self.write("c.i32", pack("i32", [100]))
        self.good("merge", "a.npy", "b.npy", "c.i32", "-o", "out.npy")
        header, data = split_npy(self.read("out.npy"))
        self.assertEqual((header["descr"], header["shape"]), (">i4", (6,)))
        self.assertEqual(data, pack("i32", [-7, -5, 2, 2, 9, 100], big=True))
        self.good("merge", "a.npy", "-o", "a.npy")
        self.assertEqual(split_npy(self.read("a.npy"))[1], pack("i32", [-5, 2, 9], big=True))
        self.write("t.npy", npy_header("<M8[s]", (2,)) + pack("i64", [3, -2**63]))
        self.write("s.npy", npy_header("<M8[s]", (2,)) + pack("i64", [-4, -2**63]))
        self.good("merge", "t.npy", "s.npy", "-o", "ts.npy")
        self.assertEqual(split_npy(self.read("ts.npy"))[1], pack("i64", [-4, 3, -2**63, -2**63]))
        self.write("ms.npy", npy_header("<M8[ms]", (1,)) + pack("i64", [3]))
        self.bad(2, "merge", "t.npy", "ms.npy", says=["M8[ms]", "M8[s]", "--dtype i64"])

    def test_one_input_may_be_a_pipe_and_the_output_an_input(self):
        self.write("a.txt", b"1\n4\n")
        self.assertEqual(self.good("merge", "-", "a.txt", stdin=b"1.0\n3\n").stdout, b"1.0\n1\n3\n4\n")
        self.assertEqual(self.good("merge", "a.txt", "-", "--format", "text", stdin=b"1.0\n3\n").stdout, b"1\n1.0\n3\n4\n")
        self.good("merge", "a.txt", "a.txt", "-o", "a.txt")
        self.assertEqual(self.read("a.txt"), b"1\n1\n4\n4\n")
        raw = pack("u16", [1, 500])
        self.assertEqual(self.good("merge", "-", "--dtype", "u16", "--format", "raw", stdin=raw).stdout, raw)
        self.bad(2, "merge", "-", "-", says=["standard input"])
        self.bad(2, "merge", says=["IN"])

    def test_what_is_not_sorted_is_refused_by_name_and_place(self):
        self.write("a.u32", pack("u32", range(100)))
        self.write("b.u32", pack("u32", [5, 7, 6, 1]))
        for order in (["a.u32", "b.u32"], ["b.u32", "a.u32"]):
            self.bad(2, "merge", *order, "-o", "out.u32", says=["b.u32:3: disorder: 6"])
        self.bad(2, "merge", "-r", "a.u32", "-o", "out.u32", says=["a.u32:2: disorder: 1"])
        self.write("c.txt", b"1\n2\n1.5\n")
        self.bad(2, "merge", "c.txt", "-o", "out.txt", says=["c.txt:3: disorder: 1.5"])
        self.write("d.json", b"[2, 1]")
        self.bad(2, "merge", "d.json", "-o", "out.txt", says=["d.json:2: disorder: 1"])
        self.write("nan.f32", pack("f32", [1.0, float("nan")]))
        self.good("merge", "nan.f32")
        self.bad(2, "merge", "nan.f32", "--nan", "first", says=["nan.f32:2: disorder: nan"])
        self.only_files("a.u32", "b.u32", "c.txt", "d.json", "nan.f32")

    def test_inputs_that_do_not_go_together_are_refused(self):
        self.write("a.u32", pack("u32", [1]))
        self.write("b.i32", pack("i32", [1]))
        self.write("c.txt", b"1\n")
        self.write("d.npy", npy_header("<u4", (2, 2)) + pack("u32", [1, 2, 3, 4]))
        self.bad(2, "merge", "a.u32", "b.i32", says=["u32", "i32"])
        self.bad(2, "merge", "a.u32", "c.txt", says=["text"])
        self.bad(2, "merge", "a.u32", "d.npy", says=["d.npy", "dimensions"])
        self.bad(2, "merge", "a.u32", "missing", says=["missing"])
        self.bad(2, "merge", "a.u32", "a.u32", "-S", "1b", says=["-S"])
        self.write("cut.u32", b"\1\0\0")
        self.bad(2, "merge", "a.u32", "cut.u32", says=["cut.u32", "left over"])

    def test_says_what_it_did(self):
        self.write("a.u32", pack("u32", [1, 3]))
        done = self.good("merge", "a.u32", "a.u32", "--json", "-o", "out.u32")
        for words in (b'"command": "merge"', b'"input_count": 2', b'"count": 4'):
            self.assertIn(words, done.stdout)
        self.assertIn(b"input_count", self.good("merge", "a.u32", "a.u32", "--dry-run", "-o", "none").stdout)
        self.assertIn(b"Merge sorted files", self.good("help", "merge").stdout)
        self.only_files("a.u32", "out.u32")


if __name__ == "__main__":
    main()
