"""Peak memory stays within what is promised: keys 2.2 n w, pairs 2.2 n (w + v), argsort 3 n (w + i), text twice the
file and 32 bytes a line, each and 64 MiB; and a machine that gives less gets an answer in words."""
import json
import os
import resource
import subprocess
import unittest

from support import BINARY, SANITIZED, Case, main, pack

MIB = 1 << 20


@unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
class Peak(Case):
    def peak_bytes(self, *words):
        child = subprocess.Popen([BINARY, *words], cwd=self.dir, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0, words)
        return usage.ru_maxrss * 1024

    def expect_at_most(self, allowed_bytes, *words):
        self.assertLessEqual(self.peak_bytes(*words), allowed_bytes + 64 * MIB, words)

    def test_keys_pairs_and_argsort(self):
        count = 16_000_000
        for dtype, width in (("u32", 4), ("f64", 8), ("u8", 1)):
            self.good("gen", "uniform:%s:%d:seed=1" % (dtype, count), "-o", "x." + dtype)
            self.expect_at_most(2.2 * count * width, "x." + dtype, "-o", "y." + dtype)
            self.expect_at_most(3 * count * (width + 4), "argsort", "x." + dtype, "-o", "i.u32")
            self.expect_at_most(0, "check", "y." + dtype)
            os.unlink(self.path("y." + dtype))
            if dtype != "u8":
                os.rename(self.path("i.u32"), self.path("v.bin"))
                self.expect_at_most(2.2 * count * (width + 4), "x." + dtype, "-o", "y." + dtype, "--values", "v.bin",
                                    "--values-out", "w.bin")
            os.unlink(self.path("x." + dtype))

    def test_values_of_any_width_and_several(self):
        count, width = 16_000_000, 4
        self.good("gen", "uniform:u32:%d:seed=1" % count, "-o", "x.u32")
        for bytes_each in (3, 4, 12):
            self.good("gen", "bits:u8:%d:seed=2" % (count * bytes_each), "-o", "v%d.bin" % bytes_each)
        for values in (["v12.bin"], ["v3.bin"], ["v4.bin", "v12.bin"]):
            names = ["w%d.bin" % i for i in range(len(values))]
            words = ["x.u32", "-o", "y.u32", "--values", *values, "--values-out", *names]
            planned = json.loads(self.good(*words, "--dry-run", "--json").stdout)["memory_bytes"]
            widest = max(os.path.getsize(self.path(name)) for name in values)
            with self.subTest(values):
                self.expect_at_most(2.2 * (count * width + widest), *words)
                self.expect_at_most(planned, *words, "-S", "%db" % planned)
                self.bad(2, *words, "-S", "%db" % (planned - 1), says=["-S"])
            for name in ["y.u32", *names]:
                os.unlink(self.path(name))

    def test_pipes(self):
        count = 16_000_000
        self.good("gen", "uniform:u32:%d:seed=1" % count, "-o", "x.u32")
        with open(self.path("x.u32"), "rb") as file:
            cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
            child = subprocess.Popen([BINARY, "--dtype", "u32", "-o", "y.u32"], stdin=cat.stdout, cwd=self.dir)
            cat.stdout.close()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            cat.wait()
        self.assertEqual(child.returncode, 0)
        self.assertLessEqual(usage.ru_maxrss * 1024, 2.2 * count * 4 + 64 * MIB)

    def test_text(self):
        count = 4_000_000
        for spec in ("uniform:u32:%d:seed=1", "uniform:f64:%d:seed=1", "uniform:u8:%d:seed=1"):
            self.good("gen", spec % count, "-o", "x.txt")
            allowed = 2 * os.path.getsize(self.path("x.txt")) + 32 * count
            for command in ("sort", "argsort", "check"):
                if command != "check":
                    self.expect_at_most(allowed, command, "x.txt", "-o", "y.txt")
            self.good("x.txt", "-o", "x.txt")
            self.expect_at_most(allowed, "check", "x.txt")


    def test_text_takes_what_the_limit_counts(self):
        """Also where the keys leave most of the order open: numbers alike for 16 digits, or beyond all exponents."""
        for count, dtype, change in ((4_000_000, "u32", "s/^/1234567890123456/"), (8_000_000, "u16", "s/$/e300/")):
            self.good("gen", "uniform:%s:%d:seed=1" % (dtype, count), "-o", "plain.txt")
            self.good("gen", "uniform:%s:%d:seed=1" % (dtype, count), "-o", "plain.json")
            with open(self.path("x.txt"), "wb") as file:
                subprocess.run(["sed", change, self.path("plain.txt")], stdout=file, check=True)
            with open(self.path("x.json"), "wb") as file:
                subprocess.run(["sed", "s/, /e300, /g" if dtype == "u16" else "s/ / 1234567890123456/g",
                                self.path("plain.json")], stdout=file, check=True)
            for name in ("x.txt", "x.json"):
                limit = os.path.getsize(self.path(name)) + 32 * count
                for words in (["sort", name], ["argsort", name], ["argsort", name, "--index", "u64"], ["check", name]):
                    with self.subTest(words):
                        if words[0] == "check":
                            self.good("sort", name, "-o", name)
                        self.expect_at_most(limit, *words, "-S", "%db" % limit)
                os.unlink(self.path(name))


class Limits(Case):
    @unittest.skipIf(SANITIZED, "sanitizers take address space of their own")
    def test_address_space(self):
        self.good("gen", "uniform:u32:50000000:seed=1", "-o", "x.u32")
        cap = lambda: resource.setrlimit(resource.RLIMIT_AS, (300 * MIB, 300 * MIB))
        for words in (["x.u32", "-o", "y.u32"], ["argsort", "x.u32", "-o", "y.u32"],
                      ["sort", "x.u32", "--values", "x.u32", "--values-out", "y.u32", "-o", "z.u32"]):
            self.bad(2, *words, says=["memory for", "ulimit -v"], preexec_fn=cap)
        self.only_files("x.u32")
        with open(self.path("x.u32"), "rb") as file:
            done = subprocess.run(["/bin/sh", "-c", 'ulimit -v 300000; cat | "$0" --dtype u32 -o y.u32', BINARY],
                                  stdin=file, capture_output=True, cwd=self.dir, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"memory for", done.stderr)
        self.only_files("x.u32")

    def test_a_header_that_lies_takes_no_memory(self):
        self.write("x.npy", b"\x93NUMPY\3\0\xff\xff\xff\xff" + b"{" * 100)
        cap = None if SANITIZED else lambda: resource.setrlimit(resource.RLIMIT_AS, (300 * MIB, 300 * MIB))
        self.bad(2, "x.npy", says=["4294967295"], preexec_fn=cap)


if __name__ == "__main__":
    main()
