"""An output is whole or absent, whatever happens; the input stays as it was; nothing is left in the way."""
import os
import random
import resource
import signal
import stat
import subprocess
import threading
import time
import unittest

from support import BINARY, Case, main, npy_header, pack


def limit(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


class InPlace(Case):
    def test_output_may_be_the_input(self):
        self.write("x.txt", b"3\n1\n2\n")
        self.good("x.txt", "-o", "x.txt")
        self.assertEqual(self.read("x.txt"), b"1\n2\n3\n")
        self.write("x.u32", pack("u32", range(1000, 0, -1)))
        self.good("x.u32", "-o", "./x.u32")
        self.assertEqual(self.read("x.u32"), pack("u32", range(1, 1001)))
        self.only_files("x.txt", "x.u32")

    def test_links_are_followed_and_kept(self):
        os.mkdir(self.path("d"))
        self.write("d/real.txt", b"3\n1\n2\n")
        os.symlink("d/real.txt", self.path("link"))
        os.symlink(self.path("link"), self.path("link2"))
        self.good("link2", "-o", "link2", "--format", "text")
        self.assertTrue(os.path.islink(self.path("link")) and os.path.islink(self.path("link2")))
        self.assertEqual(self.read("d/real.txt"), b"1\n2\n3\n")
        os.symlink("d/new.txt", self.path("dangling"))
        self.good("link", "-o", "dangling")
        self.assertEqual(self.read("d/new.txt"), b"1\n2\n3\n")
        os.symlink("loop", self.path("loop"))
        self.bad(2, "link", "-o", "loop", says=["loop"])

    def test_mode_and_owner_are_kept(self):
        self.write("x.txt", b"2\n1\n")
        for mode in (0o600, 0o640, 0o755, 0o444):
            os.chmod(self.path("x.txt"), mode)
            if os.access(self.path("x.txt"), os.W_OK):
                self.good("x.txt", "-o", "x.txt")
            self.assertEqual(stat.S_IMODE(os.stat(self.path("x.txt")).st_mode), mode)
        if os.geteuid() == 0:
            os.chown(self.path("x.txt"), 1234, 4321)
            self.good("x.txt", "-o", "x.txt")
            now = os.stat(self.path("x.txt"))
            self.assertEqual((now.st_uid, now.st_gid), (1234, 4321))

    def test_new_files_obey_the_umask(self):
        old = os.umask(0o027)
        try:
            self.good("-o", "y.txt", stdin=b"1\n")
        finally:
            os.umask(old)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("y.txt")).st_mode), 0o640)

    @unittest.skipIf(os.geteuid() == 0 and not os.path.exists("/usr/bin/setpriv"),
                     "root may write everywhere, and setpriv is missing")
    def test_a_file_that_may_not_be_written_is_not_replaced(self):
        os.chmod(self.dir, 0o777)
        self.write("x.txt", b"2\n1\n")
        os.chmod(self.path("x.txt"), 0o444)
        words = [BINARY, "x.txt", "-o", "x.txt"]
        if os.geteuid() == 0:
            words = ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"] + words
        done = subprocess.run(words, capture_output=True, cwd=self.dir, timeout=20)
        if b"setpriv" in done.stderr or done.returncode in (126, 127):
            self.skipTest("the binary lies where others may not go")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"Permission denied", done.stderr)
        self.assertEqual(self.read("x.txt"), b"2\n1\n")


class Places(Case):
    def test_devices_and_pipes_are_written_directly(self):
        self.write("x.txt", b"2\n1\n")
        self.good("x.txt", "-o", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertEqual(self.good("x.txt", "-o", "/dev/stdout").stdout, b"1\n2\n")
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            self.write("log", b"3\n")
            with open(self.path("log"), "ab") as log:
                subprocess.run([BINARY, "x.txt", "-o", name], stdout=log, cwd=self.dir, timeout=20, check=True)
            self.assertEqual(self.read("log"), b"3\n1\n2\n")
        os.unlink(self.path("log"))
        os.mkfifo(self.path("fifo"))
        got = []
        reader = threading.Thread(target=lambda: got.append(self.read("fifo")))
        reader.start()
        self.good("x.txt", "-o", "fifo")
        reader.join(20)
        self.assertEqual(got, [b"1\n2\n"])
        self.only_files("fifo", "x.txt")

    def test_directories_and_missing_places(self):
        os.mkdir(self.path("d"))
        self.write("x.txt", b"1\n")
        self.bad(2, "d", says=["d", "directory"])
        self.bad(2, "x.txt", "-o", "d", says=["d", "directory"])
        self.bad(2, "x.txt", "-o", "nowhere/y.txt", says=["nowhere", "No such file"])
        self.bad(2, "x.txt", "-o", "x.txt/y.txt", says=["Not a directory"])
        self.bad(2, "x.txt", "-o", "y/", says=["y/"])
        self.bad(2, "x.txt", "-o", "", says=["no name"])
        self.only_files("d", "x.txt")

    def test_an_unreadable_file(self):
        self.bad(2, "/proc/self/mem", "--dtype", "u8", says=["/proc/self/mem"])
        if os.geteuid() != 0:
            self.write("x.txt", b"1\n")
            os.chmod(self.path("x.txt"), 0)
            self.bad(2, "x.txt", says=["Permission denied"])

    def test_files_of_proc_have_no_size_and_are_read_all_the_same(self):
        text = self.good("/proc/sys/kernel/pid_max").stdout
        with open("/proc/sys/kernel/pid_max", "rb") as file:
            self.assertEqual(text, file.read())

    def test_32_open_files(self):
        self.write("x.u32", pack("u32", range(100000, 0, -1)))
        self.good("x.u32", "-o", "y.u32", preexec_fn=limit(resource.RLIMIT_NOFILE, 32))
        self.assertEqual(self.read("y.u32"), pack("u32", range(1, 100001)))


class Trouble(Case):
    def test_dev_full(self):
        self.write("x.u32", pack("u32", range(5000, 0, -1)))
        self.bad(2, "x.u32", "-o", "/dev/full", says=["/dev/full", "20000 bytes", "No space"])
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "x.u32"], stdout=full, stderr=subprocess.PIPE, cwd=self.dir, timeout=20)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"standard output", done.stderr)
            for words in (["--version"], ["info", "--json"], ["check", "/dev/null", "--dtype", "u8", "--json"]):
                done = subprocess.run([BINARY, *words], stdout=full, stderr=subprocess.PIPE, timeout=20)
                self.assertEqual(done.returncode, 2, words)

    def test_file_size_limit(self):
        data = pack("u32", range(100000, 0, -1))
        self.write("x.u32", data)
        self.bad(2, "x.u32", "-o", "y.u32", says=["y.u32", "400000 bytes", "65536 bytes"],
                 preexec_fn=limit(resource.RLIMIT_FSIZE, 65536))
        self.only_files("x.u32")
        self.bad(2, "x.u32", "-o", "x.u32", says=["x.u32"], preexec_fn=limit(resource.RLIMIT_FSIZE, 65536))
        self.assertEqual(self.read("x.u32"), data)
        self.bad(2, "-o", "y.txt", says=["y.txt", "limited"], stdin=b"1\n" * 100000,
                 preexec_fn=limit(resource.RLIMIT_FSIZE, 65536))
        self.only_files("x.u32")

    def test_full_disk(self):
        place = self.path("disk")
        os.mkdir(place)
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", place],
                                               capture_output=True).returncode != 0:
            self.skipTest("mounting a small tmpfs is not allowed here; /dev/full and the file size limit stand for it")
        try:
            self.good("gen", "uniform:u32:10000000:seed=1", "-o", "disk/x.u32")  # 40 MB of 64
            before = self.read("disk/x.u32")
            for words in (["disk/x.u32", "-o", "disk/y.u32"], ["disk/x.u32", "-o", "disk/x.u32"]):
                self.bad(2, *words, says=["disk", "40000000 bytes", "are free", "No space"])
                self.assertEqual(os.listdir(place), ["x.u32"])
            self.assertEqual(self.read("disk/x.u32"), before)
            os.truncate(self.path("disk/x.u32"), 20000000)
            self.good("disk/x.u32", "-o", "disk/x.u32")
            self.good("check", "disk/x.u32")
        finally:
            subprocess.run(["umount", place], check=True)

    def test_a_file_that_changes_size_while_it_is_read(self):
        """The binary has taken the size of its input when it waits for somebody to read its output, a named pipe."""
        os.mkfifo(self.path("fifo"))
        size = 1 << 20
        for name, header in (("x.u32", b""), ("x.npy", npy_header("<u4", (size // 4,)))):
            for now, says in ((size // 2, "shrank while it was read"), (0, "shrank while it was read"),
                              (size + 4, "more bytes follow")):
                with self.subTest(name=name, now=now):
                    self.write(name, header + bytes(size))
                    child = subprocess.Popen([BINARY, name, "-o", "fifo"], stderr=subprocess.PIPE, cwd=self.dir)
                    self.wait_until_it_opens_the_pipe(child, name)
                    os.truncate(self.path(name), len(header) + now)
                    self.assertEqual(self.read("fifo"), b"")
                    said = child.communicate(timeout=20)[1].decode()
                    self.assertEqual(child.returncode, 2, said)
                    self.assertIn(name, said)
                    self.assertIn(says, said)

    def wait_until_it_opens_the_pipe(self, child, name):
        """The input is open, and the process sleeps in openat (257 on x86-64; elsewhere a pause has to do)."""
        for _ in range(200):
            time.sleep(0.01)
            try:
                with open("/proc/%d/syscall" % child.pid) as file:
                    sleeping = file.read().startswith("257 ")
                if sleeping and os.readlink("/proc/%d/fd/3" % child.pid) == os.path.realpath(self.path(name)):
                    return
            except OSError:
                pass

    def test_a_reader_that_goes_away(self):
        self.write("x.txt", b"".join(b"%d\n" % i for i in range(200000)))
        child = subprocess.Popen([BINARY, "x.txt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir)
        child.stdout.read(10)
        child.stdout.close()
        said = child.stderr.read()
        child.stderr.close()
        self.assertEqual((child.wait(20), said), (2, b""))

    def test_closed_standard_streams_take_nothing_from_files(self):
        self.write("x.txt", b"2\n1\n")
        done = subprocess.run(["/bin/sh", "-c", 'exec "$0" x.txt -o y.txt --stats <&- 2>&-', BINARY], cwd=self.dir, timeout=20)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.read("y.txt"), b"1\n2\n")

    def test_closed_standard_output(self):
        done = subprocess.run(["/bin/sh", "-c", '"$0" x.txt >&-', BINARY], input=b"", capture_output=True,
                              cwd=self.dir, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.write("x.txt", b"2\n1\n")
        done = subprocess.run(["/bin/sh", "-c", '"$0" x.txt >&-', BINARY], input=b"", capture_output=True,
                              cwd=self.dir, timeout=20)
        self.assertEqual(done.returncode, 2)


class Signals(Case):
    def start(self, *words, **more):
        return subprocess.Popen([BINARY, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, cwd=self.dir, **more)

    def wait_until_reading(self, child):
        child.stdin.write(b"1\n" * 1000)
        child.stdin.flush()
        time.sleep(0.2)

    def test_interrupts_leave_nothing(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM),
                               (signal.SIGHUP, -signal.SIGHUP)):
            child = self.start("-", "-o", "y.txt", "--format", "text")
            self.wait_until_reading(child)
            child.send_signal(number)
            self.assertEqual(child.wait(20), status)
            child.stdin.close()
            child.stderr.close()
            self.only_files()

    def test_signals_that_were_ignored_stay_ignored(self):
        child = self.start("-", "-o", "y.txt", "--format", "text",
                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_until_reading(child)
        child.send_signal(signal.SIGHUP)
        child.communicate(timeout=20)
        self.assertEqual(child.returncode, 0)
        self.only_files("y.txt")

    def test_kills_at_random_moments(self):
        """50 of them, to a new file and in place: the input intact, the output the old or the new one."""
        self.good("gen", "uniform:u32:1000000:seed=2", "-o", "x.u32")
        before = self.read("x.u32")
        began = time.monotonic()
        self.good("x.u32", "-o", "sorted.u32")
        once = time.monotonic() - began
        after = self.read("sorted.u32")
        killed = 0
        rng = random.Random(7)
        for round_number in range(50):
            in_place = round_number % 2 == 1
            self.write("x.u32", before)
            target = "x.u32" if in_place else "y.u32"
            child = self.start("x.u32", "-o", target)
            time.sleep(rng.random() * once * 1.2)
            child.kill()
            child.communicate(timeout=20)
            killed += child.returncode == -signal.SIGKILL
            if in_place:
                self.assertIn(self.read("x.u32"), (before, after))
            else:
                self.assertEqual(self.read("x.u32"), before)
                if os.path.exists(self.path("y.u32")):
                    self.assertEqual(self.read("y.u32"), after)
            # A kill between naming the whole file and moving it into place may leave that name; nothing else is left.
            for name in set(os.listdir(self.dir)) - {"x.u32", "y.u32", "sorted.u32"}:
                self.assertRegex(name, r"^\.lanesort-\d+-\d+\.tmp$")
                self.assertEqual(self.read(name), after)
        self.assertGreater(killed, 10)
        self.write("x.u32", before)
        self.good("x.u32", "-o", "y.u32")
        self.assertEqual(self.read("y.u32"), after)


class NamedTemporaries(Case):
    """Where a file cannot stay nameless (here: no /proc to name it through) its name is removed again."""

    def setUp(self):
        super().setUp()
        if "address" in os.environ.get("LANESORT_SANITIZED", ""):
            super().tearDown()
            self.skipTest("the leak sanitizer reads /proc, its own options included")
        self.inside = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$0" "$@"']
        try:
            if subprocess.run(self.inside + ["true"], capture_output=True).returncode != 0:
                raise OSError
        except OSError:
            super().tearDown()
            self.skipTest("a namespace without /proc cannot be made here")

    def run_inside(self, *words, **more):
        return subprocess.run(self.inside + [BINARY, *words], capture_output=True, cwd=self.dir, timeout=20, **more)

    def test_whole_or_absent(self):
        data = pack("u32", range(1000, 0, -1))
        self.write("x.u32", data)
        done = self.run_inside("x.u32", "-o", "y.u32")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_inside("y.u32", "-o", "y.u32", "-r").returncode, 0)
        self.assertEqual(self.read("y.u32"), data)
        self.write("x.txt", b"1\nx\n")
        self.assertEqual(self.run_inside("x.txt", "-o", "y.txt").returncode, 2)
        done = self.run_inside("x.u32", "-o", "z.u32", preexec_fn=limit(resource.RLIMIT_FSIZE, 1000))
        self.assertEqual(done.returncode, 2, done.stderr)  # refused before the work, when the name is there already
        self.only_files("x.txt", "x.u32", "y.u32")

    def test_signals_remove_the_name(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)):
            child = subprocess.Popen(self.inside + [BINARY, "-", "-o", "y.txt", "--format", "text"], cwd=self.dir,
                                     stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(500):
                if os.listdir(self.dir):
                    break
                time.sleep(0.01)
            self.assertRegex(" ".join(os.listdir(self.dir)), r"^\.lanesort-\d+-0\.tmp$")
            child.send_signal(number)
            self.assertEqual(child.wait(20), status)
            child.stdin.close()
            child.stderr.close()
            self.only_files()


if __name__ == "__main__":
    main()
