"""Real input: sizes and times of every file under a folder, as text against GNU sort, as .npy against Python's own
stable sort and (where it is installed) numpy's."""
import os
import shutil
import subprocess
import unittest

from support import Case, main, npy_header, oracle_order, pack, split_npy

try:
    import numpy
except ImportError:
    numpy = None

FOLDER = "/usr"
MOST_FILES = 200_000


def statuses():
    found = []
    for folder, _, names in os.walk(FOLDER):
        for name in names:
            try:
                found.append(os.lstat(os.path.join(folder, name)))
            except OSError:
                pass
        if len(found) >= MOST_FILES:
            break
    return found


class Files(Case):
    @classmethod
    def setUpClass(cls):
        files = statuses()
        print("%d files under %s" % (len(files), FOLDER), flush=True)
        cls.columns = {
            "sizes": [str(f.st_size) for f in files],
            "times": ["%d.%09d0" % divmod(f.st_mtime_ns, 10**9) for f in files],  # as find -printf %T@ writes them
        }

    @unittest.skipUnless(shutil.which("sort"), "there is no GNU sort here")
    def test_text_as_gnu_sort(self):
        for name, lines in self.columns.items():
            self.write("x.txt", "".join(line + "\n" for line in lines).encode())
            for letters in ([], ["-r"]):
                want = subprocess.run(["sort", "-n", "-s", *letters, "x.txt"], cwd=self.dir, capture_output=True,
                                      check=True, timeout=100, env={**os.environ, "LC_ALL": "C"}).stdout
                with self.subTest(name=name, letters=letters):
                    self.assertEqual(self.good("x.txt", *letters).stdout, want)
            indices = [int(i) for i in self.good("argsort", "x.txt").stdout.split()]
            self.assertEqual(sorted(indices), list(range(len(lines))))
            self.good("x.txt", "-o", "y.txt")
            self.good("verify", "x.txt", "y.txt")
            self.assertEqual([lines[i] for i in indices], self.read("y.txt").decode().split())

    def test_npy_as_stable_sorts(self):
        for name, dtype, descr in (("sizes", "u64", "<u8"), ("times", "f64", "<f8")):
            keys = [int(x) if dtype == "u64" else float(x) for x in self.columns[name]]
            self.write("x.npy", npy_header(descr, (len(keys),)) + pack(dtype, keys))
            order = oracle_order(keys)
            with self.subTest(name):
                indices = split_npy(self.good("argsort", "x.npy").stdout)[1]
                self.assertEqual(indices, pack("u32", order))
                self.assertEqual(split_npy(self.good("x.npy").stdout)[1], pack(dtype, [keys[i] for i in order]))
                if numpy is not None:
                    array = numpy.load(self.path("x.npy"))
                    self.assertEqual(indices, numpy.argsort(array, kind="stable").astype("<u4").tobytes())


if __name__ == "__main__":
    main()
