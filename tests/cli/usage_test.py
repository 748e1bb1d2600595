"""Commands, options, exit statuses, and what is said where."""
import json
import os
import pty
import struct
import subprocess

from support import BINARY, CODES, Case, fewer, main, npy_header, pack


class Help(Case):
    def test_three_examples_come_first(self):
        text = self.good("help").stdout.decode()
        self.assertLess(text.index("Examples:"), text.index("Usage:"))
        self.assertEqual(text[:text.index("Usage:")].count("\n  "), 3)
        self.assertEqual(text, self.good("--help").stdout.decode())

    def test_every_command_has_help(self):
        for command in ("sort", "argsort", "check", "verify", "gen", "bench", "report", "info", "doctor"):
            text = self.good("help", command).stdout.decode()
            self.assertIn("Usage: lanesort " + command, text)
            self.assertEqual(text, self.good(command, "--help").stdout.decode())

    def test_version_names_the_back_ends(self):
        text = self.good("--version").stdout.decode()
        self.assertRegex(text, r"^lanesort \d+\.\d+\.\d+\nback ends: .*cpu")

    def test_doctor(self):
        told = json.loads(self.good("doctor", "--json").stdout)
        self.assertRegex(told["cpu"], r"^sorts right, 4 trials$")
        self.assertIs(told["good"], True)
        for device in ("cuda", "webgpu"):  # here and right, or what it lacks
            self.assertRegex(told[device], r"sorts right|^not here: --device " + device)

    def test_info(self):
        self.assertIn("isa", self.good("info").stdout.decode())
        told = json.loads(self.good("info", "--json").stdout)
        self.assertIn("cpu", told["back_ends"])
        self.assertGreaterEqual(told["threads"], 1)

    def test_info_says_whether_a_forced_instruction_set_is_in_force(self):
        self.assertNotIn("force_isa", json.loads(self.good("info", "--json").stdout))
        for name, in_force in (("baseline", True), ("abacus", False)):
            done = self.good("info", "--json", env={"LANESORT_FORCE_ISA": name})
            told = json.loads(done.stdout)
            self.assertEqual((told["force_isa"], told["force_isa_in_force"]), (name, in_force))
            self.assertEqual(told["isa"] == name, in_force)
            self.assertEqual((done.stderr, "abacus" in str(told.get("notes"))), (b"", not in_force))


class Usage(Case):
    def test_mistakes_exit_2_and_are_explained(self):
        self.write("x.u32", pack("u32", [2, 1]))
        for words, says in fewer([
            (["sort", "--revers", "x.u32"], "did you mean --reverse?"),
            (["sort", "x.u32", "--oder=desc"], "did you mean --order?"),
            (["srot", "x.u32"], "did you mean lanesort sort?"),
            (["sort", "x.u32", "y.u32"], "y.u32"),
            (["sort", "x.u32", "--nan", "middle"], "middle"),
            (["sort", "x.u32", "--order", "up"], "up"),
            (["sort", "x.u32", "--dtype", "u33"], "u33"),
            (["sort", "x.u32", "--dtype", "u128"], "u128"),
            (["sort", "x.u32", "--dtype", "i128"], "i128"),
            (["sort", "x.u32", "--device", "gpu"], "gpu"),
            (["sort", "x.u32", "--device", "cuda:x"], "cuda:x"),
            (["sort", "x.u32", "--bits", "9:3"], "9:3"),
            (["sort", "x.u32", "--bits", "0:65"], "0:65"),
            (["sort", "x.u32", "--bits", "0"], "LOW:HIGH"),
            (["sort", "x.u32", "--bits", "0:33"], "33"),
            (["sort", "x.u32", "-S", "much"], "much"),
            (["sort", "x.u32", "--device", "cuda", "--gpu-mem", "50%"], "--gpu-mem 50%"),
            (["sort", "x.u32", "--gpu-mem", "2G"], "--device cuda"),
            (["bench", "--gpu-mem", "2G", "--device", "cpu"], "--device cuda"),
            (["sort", "x.u32", "-r", "--order", "asc"], "--order"),
            (["sort", "x.u32", "--check=loud"], "loud"),
            (["sort", "x.u32", "-c", "-o", "y.u32"], "--output"),
            (["sort", "x.u32", "-C", "--values", "x.u32"], "--values"),
            (["sort", "x.u32", "--threads", "0x2"], "0x2"),
            (["sort", "x.u32", "--threads", "-1"], "-1"),
            (["sort", "x.u32", "--parallel", ""], "whole number"),
            (["sort", "missing.npy"], "missing.npy"),
            (["argsort", "x.u32", "--index", "u16"], "u16"),
            (["verify", "x.u32"], "OUT"),
            (["gen", "uniform:u32"], "uniform:u32"),
            (["gen", "unifrom:u32:10"], "unifrom"),
            (["help", "srot"], "srot"),
            (["bench", "--count", "many"], "many"),
            (["sort", "x.u32", "--values", "x.u32", "--values-out", "a", "b"], "--values-out"),
        ]):
            with self.subTest(words):
                self.assertEqual(self.bad(2, *words, says=[says]).stdout, b"")

    def test_a_device_that_is_missing_exits_3(self):
        self.write("x.u32", pack("u32", [2, 1]))
        for device in ("cuda", "cuda:0", "webgpu", "webgpu:1", "cuda:99"):
            done = self.run_here("sort", "x.u32", "--device", device, "-o", "y.u32")
            if done.returncode == 0 and device != "cuda:99":  # this machine has it
                self.assertEqual(self.read("y.u32"), pack("u32", [1, 2]))
                os.unlink(self.path("y.u32"))
                continue
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertTrue(done.stderr.startswith(b"lanesort: --device " + device.encode()), done.stderr)
            self.assertIn(b"--device auto", done.stderr)
        self.only_files("x.u32")
        for device in ("auto", "cpu"):
            self.assertEqual(self.good("sort", "x.u32", "--device", device).stdout, pack("u32", [1, 2]))

    def test_gnu_letters(self):
        self.write("x.txt", b"3\n10\n2\n")
        for words in (["x.txt"], ["sort", "x.txt"], ["-s", "x.txt"], ["-n", "x.txt"], ["-sn", "x.txt"],
                      ["--stable", "x.txt"],
                      ["--parallel", "2", "x.txt"], ["--parallel=1", "x.txt"], ["-S", "1G", "x.txt"], ["-S1G", "x.txt"],
                      ["--buffer-size=50%", "x.txt"], ["--threads", "1", "x.txt"]):
            with self.subTest(words):
                self.assertEqual(self.good(*words).stdout, b"2\n3\n10\n")
        for words in (["-r", "x.txt"], ["--reverse", "x.txt"], ["--order", "desc", "x.txt"], ["-rs", "x.txt"],
                      ["x.txt", "-r"]):
            self.assertEqual(self.good(*words).stdout, b"10\n3\n2\n")
        self.good("-r", "-oy.txt", "x.txt")
        self.assertEqual(self.read("y.txt"), b"10\n3\n2\n")
        self.good("--output=z.txt", "x.txt")
        self.assertEqual(self.read("z.txt"), b"2\n3\n10\n")

    def test_numbers_are_decimal(self):
        self.write("x.u32", pack("u32", [2, 1]))
        all_threads = json.loads(self.good("info", "--json").stdout)["threads"]
        for text, number in (("010", 10), ("08", 8), ("0001", 1)):
            told = json.loads(self.good("x.u32", "--threads", text, "--dry-run", "--json").stdout)
            self.assertEqual(told["threads"], min(number, all_threads), text)

    def test_check_letters(self):
        self.write("x.txt", b"3\n10\n2\n")
        for words in (["-c", "x.txt"], ["sort", "-c", "x.txt"], ["--check", "x.txt"], ["check", "x.txt"],
                      ["--check=diagnose-first", "x.txt"]):
            with self.subTest(words):
                self.assertEqual(self.bad(1, *words).stderr, b"lanesort: x.txt:3: disorder: 2\n")
        for words in (["-C", "x.txt"], ["--check=quiet", "x.txt"], ["--check=silent", "x.txt"],
                      ["check", "-C", "x.txt"]):
            done = self.run_here(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, b"", b""), words)
        self.write("y.txt", b"10\n3\n3\n2\n")
        self.good("-c", "-r", "y.txt")
        self.good("check", "-r", "y.txt")

    def test_pipes(self):
        self.assertEqual(self.good(stdin=b"2\n1\n").stdout, b"1\n2\n")
        self.assertEqual(self.good("-", stdin=b"2\n1\n").stdout, b"1\n2\n")
        self.assertEqual(self.good("sort", "-", "-o", "-", stdin=b"2\n1\n").stdout, b"1\n2\n")
        self.assertEqual(self.good("--dtype", "u16", stdin=b"\2\0\1\0").stdout, b"\1\0\2\0")
        self.assertEqual(self.good(stdin=npy_header("<u2", (2,)) + b"\2\0\1\0").stdout[-4:], b"\1\0\2\0")
        many = b"".join(b"%d\n" % (i * 7919 % 300007) for i in range(300007))
        self.assertEqual(self.good("-q", stdin=many).stdout, b"".join(b"%d\n" % i for i in range(300007)))

    def test_standard_input_from_a_file_with_an_offset(self):
        self.write("x.txt", b"9\n3\n1\n2\n")
        with open(self.path("x.txt"), "rb") as file:
            os.lseek(file.fileno(), 2, os.SEEK_SET)
            done = subprocess.run([BINARY], stdin=file, capture_output=True, timeout=20)
        self.assertEqual(done.stdout, b"1\n2\n3\n")


class Talk(Case):
    def test_results_on_stdout_the_rest_on_stderr(self):
        self.write("x.u32", pack("u32", [2, 1]))
        done = self.good("x.u32", "--stats", "-v", "--json")
        self.assertEqual(done.stdout, pack("u32", [1, 2]))
        self.assertIn(b"sort", done.stderr)
        told = json.loads(self.good("x.u32", "-o", "y.u32", "--json").stdout)
        self.assertEqual((told["schema"], told["count"], told["dtype"], told["output"]), (1, 2, "u32", "y.u32"))
        self.assertEqual([phase["name"] for phase in told["phases"]], ["read", "sort", "write"])
        self.assertEqual([phase["bytes"] for phase in told["phases"]], [8, 8, 8])
        done = self.good("x.u32", "-o", "y.u32")
        self.assertEqual((done.stdout, done.stderr), (b"", b""))
        self.assertEqual(json.loads(self.bad(1, "check", "x.u32", "--json").stdout)["first_offender"], 1)

    def test_dry_run_touches_nothing(self):
        self.write("x.f32", pack("f32", [2.0, 1.0] * 1000))
        told = json.loads(self.good("x.f32", "-o", "y.f32", "--dry-run", "--json").stdout)
        self.assertEqual((told["count"], told["dtype"]), (2000, "f32"))
        self.assertGreaterEqual(told["memory_bytes"], 16000)
        self.assertIn(b"memory_bytes", self.good("argsort", "x.f32", "-o", "y.u32", "--dry-run").stdout)
        self.write("x.txt", b"1\n")
        self.good("x.txt", "-o", "y.txt", "--dry-run")
        self.only_files("x.f32", "x.txt")

    def test_memory_limit(self):
        self.write("x.f32", pack("f32", [2.0, 1.0] * 50000))
        need = json.loads(self.good("x.f32", "--dry-run", "--json").stdout)["memory_bytes"]
        self.good("x.f32", "-o", "y.f32", "-S", "%db" % need)
        os.unlink(self.path("y.f32"))
        self.bad(2, "x.f32", "-o", "y.f32", "-S", "%db" % (need - 1), says=[str(need), "-S"])
        self.bad(2, "argsort", "x.f32", "-o", "y.u32", "-S", "%db" % need, says=["-S"])
        self.bad(2, "-S", "100b", "--dtype", "f32", says=["-S"], stdin=b"\0" * 4096)
        self.write("x.txt", b"1\n" * 5000)
        self.bad(2, "x.txt", "-o", "y.txt", "-S", "100K", says=["-S"])
        self.good("x.txt", "-S", "1M")
        self.only_files("x.f32", "x.txt")

    def test_binary_is_not_written_to_a_terminal(self):
        self.write("x.u32", pack("u32", [2, 1]))
        self.write("x.txt", b"2\n1\n")
        for words, status, seen in ((["x.u32"], 2, b""), (["argsort", "x.u32"], 2, b""),
                                    (["x.txt"], 0, b"1\r\n2\r\n"), (["gen", "uniform:u32:3"], 2, b"")):
            ours, theirs = pty.openpty()
            done = subprocess.run([BINARY, *words], stdout=theirs, stderr=subprocess.PIPE, cwd=self.dir, timeout=20)
            os.close(theirs)
            shown = b""
            try:
                while chunk := os.read(ours, 1000):
                    shown += chunk
            except OSError:
                pass
            os.close(ours)
            self.assertEqual((done.returncode, shown), (status, seen), done.stderr)
            if status:
                self.assertIn(b"-o FILE", done.stderr)

    def test_progress_is_for_terminals_only_and_no_colour_is_honoured(self):
        self.write("x.u32", pack("u32", [2, 1]))
        self.assertEqual(self.good("x.u32", "-o", "y.u32").stderr, b"")
        for env, coloured in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False),
                              ({"TERM": "dumb"}, False)):
            ours, theirs = pty.openpty()
            # A pipe that is fed slowly keeps the reading going for over half a second.
            child = subprocess.Popen([BINARY, "--dtype", "u8", "-o", "z.u8"], stdin=subprocess.PIPE, stderr=theirs,
                                     cwd=self.dir,
                                     env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **env})
            os.close(theirs)
            child.stdin.write(b"\3\1\2")
            child.stdin.flush()
            try:
                child.wait(1.0)
            except subprocess.TimeoutExpired:
                pass
            child.stdin.close()
            self.assertEqual(child.wait(20), 0)
            shown = b""
            try:
                while chunk := os.read(ours, 1000):
                    shown += chunk
            except OSError:
                pass
            os.close(ours)
            self.assertIn(b"GB/s", shown)
            self.assertIn(b"read", shown)
            self.assertEqual(b"\033[" in shown, coloured, shown)

    def test_the_locale_changes_nothing(self):
        self.write("x.txt", b"1.5\n1.25\n10\n")
        for locale in ("C", "de_DE.UTF-8", "nonsense"):
            self.assertEqual(self.good("x.txt", env={"LC_ALL": locale, "LANG": locale}).stdout, b"1.25\n1.5\n10\n")


class Sense(Case):
    """What people are likely to get wrong is said, rather than done."""

    def test_values_that_swallow_the_input(self):
        self.write("k.u8", b"\3\1\2")
        self.write("v.u8", b"abc")
        self.bad(2, "--values", "v.u8", "k.u8", says=["k.u8", "--values", "before"])
        self.good("-o", "s.u8", "--values", "v.u8", "--", "k.u8")
        self.assertEqual(self.read("s.u8"), b"\1\2\3")

    def test_an_input_is_replaced_by_its_own_result_only(self):
        self.write("k.u8", b"\3\1\2")
        self.write("v.u8", b"abc")
        self.write("w.u8", b"def")
        for words in (["-o", "v.u8", "--values", "v.u8"], ["-o", "s", "--values", "v.u8", "--values-out", "k.u8"],
                      ["-o", "s", "--values", "v.u8", "w.u8", "--values-out", "./w.u8", "x"]):
            self.bad(2, "k.u8", *words, says=["input", "replace"])
        self.only_files("k.u8", "v.u8", "w.u8")
        self.good("k.u8", "-o", "k.u8", "--values", "v.u8", "--values-out", "v.u8")
        self.assertEqual((self.read("k.u8"), self.read("v.u8")), (b"\1\2\3", b"bca"))

    def test_json_stands_alone_on_its_stream(self):
        self.write("k.u8", b"\3\1\2")
        self.write("v.u8", b"abc")
        done = self.good("k.u8", "-o", "-", "--values", "v.u8", "--json", "--stats", "-v")
        self.assertIn("v.sorted.u8", str(json.loads(done.stderr)["notes"]))

    def test_dry_run_of_a_text_says_as_much(self):
        self.write("x.txt", b"1\n" * 5000)
        told = json.loads(self.good("x.txt", "-r", "-o", "y.txt", "--dry-run", "--json").stdout)
        self.assertEqual((told["output"], told["order"], told["format"]), ("y.txt", "desc", "text"))
        self.assertGreaterEqual(told["threads"], 1)
        self.bad(2, "x.txt", "--dry-run", "-S", "1K", says=["-S"])

    def test_small_things(self):
        self.write("x.u8", b"\3\1\2")
        self.bad(2, "", says=["no name of a file"])
        self.bad(2, "x.u8", "-S", "", says=["-S"])
        for size in ("1m", "1MiB", "1M"):
            self.good("x.u8", "-S", size)
        self.bad(2, "--dtype", "f64", "argsort", says=["a command comes first"])
        self.bad(2, "--dtype", "f64", "argsort", "x.u8", says=["a command comes first"])
        self.assertIn(b"a\\x1bb", self.bad(2, "a\x1bb").stderr)
        self.write("z\x1b", b"\0\1")
        self.assertIn(b"\n  lanesort sort z\\x1b --dtype", self.bad(2, "z\x1b").stderr)
        self.assertNotIn(b"free", self.bad(2, "x.u8", "-o", "/dev/full", says=["3 bytes"]).stderr)
        for words in (["-c", "-o", "y"], ["-C", "--values", "x.u8"]):
            self.bad(2, "x.u8", *words, says=["--check"])
        self.write("y.npy", npy_header("|i1", (3,)) + b"\1\2\3")
        self.assertNotIn(b"--dtype", self.bad(1, "verify", "x.u8", "y.npy").stderr)

    def test_a_terminal_is_told_of(self):
        ours, theirs = pty.openpty()
        child = subprocess.Popen([BINARY, "-r"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(theirs)
        os.write(ours, b"1\n2\n\4")
        out, said = child.communicate(timeout=20)
        os.close(ours)
        self.assertEqual((child.returncode, out), (0, b"2\n1\n"), said)
        self.assertIn(b"from the terminal", said)


class Verify(Case):
    def test_verdicts(self):
        self.write("x.i32", pack("i32", [3, -1, 2, 2]))
        for after, status in (([-1, 2, 2, 3], 0), ([-1, 2, 3, 2], 1), ([-1, 2, 2, 4], 1), ([-1, 2, 3], 1),
                              ([-1, 2, 2, 3, 3], 1)):
            self.write("y.i32", pack("i32", after))
            self.assertEqual(self.run_here("verify", "x.i32", "y.i32").returncode, status, after)
        self.write("y.i32", pack("i32", [3, 2, 2, -1]))
        self.good("verify", "-r", "x.i32", "y.i32")
        self.write("y.u32", pack("u32", [1, 2, 2, 3]))
        self.bad(1, "verify", "x.i32", "y.u32", says=["u32", "i32"])

    def test_indices_values_and_texts(self):
        self.write("x.i32", pack("i32", [3, -1, 2, 2]))
        for indices, status in (([1, 2, 3, 0], 0), ([1, 3, 2, 0], 1), ([1, 2, 2, 0], 1), ([1, 2, 4, 0], 1)):
            self.write("i.u32", pack("u32", indices))
            self.assertEqual(self.run_here("verify", "--argsort", "x.i32", "i.u32").returncode, status, indices)
            self.write("i.npy", npy_header(">u8", (4,)) + pack("u64", indices, big=True))
            self.assertEqual(self.run_here("verify", "--argsort", "x.i32", "i.npy").returncode, status, indices)
        self.write("v.u8", b"abcd")
        self.good("x.i32", "-o", "y.i32", "--values", "v.u8", "--values-out", "w.u8")
        self.good("verify", "x.i32", "y.i32", "--values", "v.u8", "--values-out", "w.u8")
        self.write("w.u8", b"cbda")
        self.bad(1, "verify", "x.i32", "y.i32", "--values", "v.u8", "--values-out", "w.u8")
        self.write("x.txt", b"3\n1e1\n2\n")
        for after, status in ((b"2\n3\n1e1\n", 0), (b"2\n3\n10\n", 1), (b"3\n2\n1e1\n", 1), (b"2\n3\n", 1)):
            self.write("y.txt", after)
            self.assertEqual(self.run_here("verify", "x.txt", "y.txt").returncode, status, after)
        for low, high in (("1.00000000000000000001", "1.00000000000000000002"), ("1e999", "2e999")):  # of one key
            self.write("x.txt", "\n".join([high, low, ""]).encode())
            self.write("y.txt", "\n".join([low, high, ""]).encode())
            self.good("verify", "x.txt", "y.txt")
            self.bad(1, "verify", "x.txt", "x.txt", says=["disorder at number 2: " + low])
            self.good("verify", "-r", "x.txt", "x.txt")

    def test_times_are_compared_with_times_of_their_kind(self):
        nat = -2 ** 63
        data = pack("i64", [nat, 5])
        files = {"plain.npy": "<i8", "seconds.npy": "<M8[s]", "spans.npy": "<m8[s]", "days.npy": "<M8[D]"}
        for name, descr in files.items():
            self.write(name, npy_header(descr, (2,)) + data)
        for before in files:
            for after in files:
                words = ["verify", before, after]
                if before != after:
                    self.bad(2, *words, says=[files[before], files[after], "--dtype i64"])
                self.good(*words, "--dtype", "i64")
        self.good("seconds.npy", "-o", "sorted.npy")
        self.good("verify", "seconds.npy", "sorted.npy")
        self.write("swapped.npy", npy_header(">M8[s]", (2,)) + pack("i64", [5, nat], big=True))
        self.good("verify", "seconds.npy", "swapped.npy")

    def test_one_changed_bit_is_found(self):
        data = bytearray(self.good("gen", "uniform:u64:10000:seed=3").stdout)
        self.write("x.u64", data)
        self.good("x.u64", "-o", "y.u64")
        self.good("verify", "x.u64", "y.u64")
        after = bytearray(self.read("y.u64"))
        after[8 * 5000] ^= 1  # the lowest bit: the order still holds
        self.write("y.u64", after)
        self.good("check", "y.u64")
        self.bad(1, "verify", "x.u64", "y.u64", says=["lost, added or changed"])


class Gen(Case):
    def test_formats_agree(self):
        for dtype in ("u8", "i16", "u32", "i64", "f32", "f64"):
            raw = self.good("gen", "uniform:%s:1000:seed=5" % dtype).stdout
            self.good("gen", "uniform:%s:1000:seed=5" % dtype, "-o", "x.npy")
            self.assertEqual(self.read("x.npy")[-len(raw):], raw)
            self.good("gen", "uniform:%s:1000:seed=5" % dtype, "-o", "x.txt")
            sorted_text = self.good("x.txt", "--dtype", dtype).stdout.split()
            self.write("x." + dtype, raw)
            self.good("x." + dtype, "-o", "y." + dtype)
            keys = struct.unpack("<1000" + CODES[dtype], self.read("y." + dtype))
            if dtype.startswith("f"):
                self.assertEqual([struct.pack("<" + CODES[dtype], float(t)) for t in sorted_text],
                                 [struct.pack("<" + CODES[dtype], k) for k in keys])
            else:
                self.assertEqual([int(t) for t in sorted_text], list(keys))


    def test_every_dtype_is_read_as_it_is_written(self):
        for dtype in CODES:
            for pattern in ("bits", "special"):
                spec = "%s:%s:1000:seed=5" % (pattern, dtype)
                self.good("gen", spec, "-o", "x.txt")
                self.write("x." + dtype, self.good("gen", spec).stdout)
                for order in ([], ["-r"]):
                    with self.subTest(spec, order=order):
                        self.assertEqual(self.good("argsort", "x.txt", "--dtype", dtype, *order, "-o", "i.npy").stdout,
                                         b"")
                        self.good("argsort", "x." + dtype, *order, "-o", "j.npy")
                        self.assertEqual(self.read("i.npy"), self.read("j.npy"))


class Bench(Case):
    def test_table_and_results_file(self):
        done = self.good("bench", "--count", "2000", "--json", "r.json", timeout=120)
        self.assertIn(b"lanesort", done.stdout)
        rows = json.loads(self.read("r.json"))["rows"]
        self.assertEqual((rows[0]["op"], rows[0]["key"], rows[0]["count"], rows[0]["verified"]),
                         ("sort", "u32", 2000, True))
        done = self.good("bench", "--op", "argsort", "--dtype", "f32", "--count", "1000,2000", "--json", "-",
                         timeout=120)
        self.assertEqual([row["count"] for row in json.loads(done.stdout)["rows"]], [1000, 2000])
        self.assertIn(b"lanesort", done.stderr)
        self.only_files("r.json")

    def test_a_results_file_that_cannot_be_written_costs_no_time(self):
        for place, says in (("none/r.json", "none/r.json"), ("/dev/full", "/dev/full")):
            self.bad(2, "bench", "--count", "2000", "--json", place, says=[says], timeout=120)
        self.write("r.json", b"kept")
        self.bad(2, "bench", "--count", "many", "--json", "r.json", says=["many"])
        self.assertEqual(self.read("r.json"), b"kept")
        self.only_files("r.json")


if __name__ == "__main__":
    main()
