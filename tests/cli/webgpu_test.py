"""--device webgpu on whatever driver the environment names; a software one in the suite."""
import json

from support import Case, main, npy_header, pack


class Bench(Case):
    def report(self, *words, **more):
        done = self.good("bench", "--device", "webgpu", "-q", "--json", "-", *words, **more)
        return json.loads(done.stdout), done.stderr.decode()

    def test_rows_are_verified_and_timed_by_the_device(self):
        for words, form in [(["--op", "sort"], "in_place"), (["--op", "sort", "--src-dst"], "src_dst"),
                            (["--op", "sort_pairs", "-r"], "in_place"), (["--op", "argsort"], "src_dst")]:
            with self.subTest(words):
                report, table = self.report("--count", "0,1000", *words)
                self.assertEqual(report["environment"]["clock"], "device")
                self.assertIsNone(report["environment"]["copy_bytes_per_s"])
                self.assertIn("device's own clock", table)
                self.assertEqual([row["count"] for row in report["rows"]], [0, 1000])
                for row in report["rows"]:
                    self.assertTrue(row["verified"], row["fault"])
                    self.assertEqual((row["backend"], row["engine"], row["form"]), ("webgpu", "reduce_then_scan", form))
                    self.assertIsNone(row["copy_share"])
                    self.assertEqual(row["rivals"], [])
                empty, full = report["rows"]
                self.assertEqual(empty["median_s"], 0)
                self.assertGreater(full["q1_s"], 0)
                self.assertAlmostEqual(full["keys_per_s"], 1000 / full["median_s"], delta=1)

    def test_what_must_be_known_of_the_figures_is_said(self):
        report, table = self.report("--count", "100", "--rivals")
        if report["environment"]["driver"].startswith("software"):
            self.assertIn("a software driver: no figure of it says anything about a GPU", report["notes"])
        self.assertIn("no rivals: none is on a WebGPU device yet", report["notes"])
        for note in report["notes"]:
            self.assertIn("note: " + note, table)

    def test_bits(self):
        report, table = self.report("--count", "1000", "--op", "argsort", "--dtype", "f32", "--bits", "16:32")
        self.assertTrue(report["rows"][0]["verified"])
        self.assertEqual(report["rows"][0]["bits"], "16:32")
        self.assertIn("bits 16:32", table)
        self.bad(2, "bench", "--device", "webgpu", "--bits", "16:33", says=["u32 has 32 bits"])

    def test_without_subgroups(self):
        report, _ = self.report("--count", "1000", env={"LANESORT_FORCE_ISA": "no_subgroups"})
        self.assertEqual(report["environment"]["isa"], "no_subgroups")
        self.assertEqual(report["rows"][0]["engine"], "reduce_then_scan, no subgroups")
        self.assertTrue(report["rows"][0]["verified"])

    def test_forms(self):
        forced = "single_pass,looks=1,withheld=2"
        report, _ = self.report("--count", "20000", "--op", "sort_pairs", env={"LANESORT_FORCE_FORM": forced})
        self.assertEqual(report["rows"][0]["engine"], forced)
        self.assertTrue(report["rows"][0]["verified"], report["rows"][0]["fault"])
        for forced in "double_pass", "single_pass,withheld", "single_pass,looks=0", "single_pass,looks=2x", "single_pass,,":
            with self.subTest(forced):
                self.bad(3, "bench", "--device", "webgpu", "--count", "1", env={"LANESORT_FORCE_FORM": forced},
                         says=["LANESORT_FORCE_FORM is " + forced, "withheld=N"])


class Segments(Case):
    """Few items, which fit a tile: larger ones take a driver for the CPU long to compile."""

    def test_the_bytes_are_the_cpus(self):
        keys = [(i * 7919 + 13) % 101 for i in range(96)]
        self.write("x.u32", pack("u32", keys))
        self.write("values.u32", pack("u32", range(96)))
        self.write("offsets.u64", pack("u64", [3, 3, 40, 41, 90]))
        for device in ("cpu", "webgpu"):
            how = ["--device", device]
            self.good("sort", "x.u32", *how, "--segments", "offsets.u64", "--values", "values.u32", "--values-out",
                      f"{device}.moved.u32", "-o", f"{device}.u32")
            self.good("argsort", "x.u32", *how, "--segments", "8", "--local", "-r", "--index", "u32", "-o", f"{device}.index.u32")
        for name in ("moved.u32", "u32", "index.u32"):
            self.assertEqual(self.read(f"webgpu.{name}"), self.read(f"cpu.{name}"), name)
        self.assertNotEqual(self.read("webgpu.u32"), pack("u32", sorted(keys)))

    def test_wrong_offsets_are_refused(self):
        self.write("x.u32", pack("u32", [2, 1, 3]))
        self.write("offsets.u64", pack("u64", [0, 2, 1]))
        self.bad(2, "sort", "x.u32", "--device", "webgpu", "--segments", "offsets.u64", "-o", "y.u32", says=["below the one before it"])


class Tune(Case):
    def test_shapes_are_tried_and_those_that_do_not_fit_are_not(self):
        done = self.good("bench", "--device", "webgpu", "--tune=64x2,4096x8", "--count", "4000", "-q", "--json", "-")
        in_use, tried = json.loads(done.stdout)["rows"]
        self.assertTrue(tried["verified"], tried["fault"])
        self.assertEqual(in_use["engine"], "reduce_then_scan")
        self.assertEqual(tried["engine"], "reduce_then_scan,workgroup=64,items=2")
        self.assertRegex(done.stderr.decode(), r"\n +64 +4096\n +2 +[0-9.]+ +-\n")

    def test_what_cannot_be_tuned_is_refused(self):
        self.bad(2, "bench", "--tune", "--count", "4000", says=["goes with --device webgpu"])
        for words, says in [(["--tune=64"], "invocations x items"), (["--tune", "--count", "1,2"], "one --count"),
                            (["--tune", "--count", "9"], "fits one workgroup")]:
            self.bad(2, "bench", "--device", "webgpu", *words, says=[says])


class TopK(Case):
    def test_the_first_k_are_the_cpus(self):
        small = {"LANESORT_FORCE_FORM": "reduce_then_scan,workgroup=64,items=2"}  # which drivers for the CPU compile soon
        self.write("x.f32", pack("f32", [((i * 7919) % 1000) / 8 - 30 for i in range(5000)] + [float("nan"), -0.0, 0.0]))
        self.write("rows.npy", npy_header("<i2", (3, 40)) + pack("i16", [(i * 37) % 50 - 20 for i in range(120)]))
        self.write("x.txt", b"3\n-5\n0.1\n")
        for source, end in ("x.f32", ".f32"), ("rows.npy", ".npy"), ("x.txt", ".txt"):
            for words in (["-k", "7"], ["-k", "1000", "--smallest"])[: 2 if end == ".f32" else 1]:
                with self.subTest((source, words)):
                    for device in "webgpu", "cpu":
                        self.good("topk", source, *words, "-o", device + end, "--indices", device + ".i.u64",
                                  "--device", device, env=small)
                    for name in end, ".i.u64":
                        self.assertEqual(self.read("webgpu" + name), self.read("cpu" + name))


class Info(Case):
    def info(self, **more):
        return json.loads(self.good("info", "--json", **more).stdout)

    def test_the_device_is_named(self):
        told = self.info()
        self.assertIn("; ", told["webgpu_device"])
        self.assertIn(told["webgpu_isa"], ("subgroups", "no_subgroups"))
        self.assertGreaterEqual(told["webgpu_most_items"], 2 ** 23)  # 128 MiB of what has 16 bytes
        forced = self.info(env={"LANESORT_FORCE_ISA": "no_subgroups"})
        self.assertEqual((forced["webgpu_isa"], forced["force_isa_in_force"]), ("no_subgroups", True))

    def test_a_library_that_is_none_is_told_and_no_failure(self):
        told = self.info(env={"LANESORT_WEBGPU_LIB": "/nowhere/libwebgpu.so"})
        self.assertIn("/nowhere/libwebgpu.so", told["webgpu_missing"])
        self.assertNotIn("webgpu_missing", self.info(env={"LANESORT_WEBGPU_LIB": ""}))

    def test_without_a_driver_there_is_no_device(self):
        """Dawn then offers an adapter that accepts all and computes nothing."""
        none = {"VK_DRIVER_FILES": "/nowhere.json", "VK_ICD_FILENAMES": "/nowhere.json"}
        told = self.info(env=none)
        self.assertIn("finds no adapter", told["webgpu_missing"])
        self.write("x.u32", pack("u32", [2, 1]))
        done = self.run_here("sort", "x.u32", "--device", "webgpu", "-o", "y.u32", env=none)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.only_files("x.u32")


if __name__ == "__main__":
    main()
