"""What the black-box tests share: running the binary, .npy files, an oracle that sorts in plain Python."""
import ast
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ.get("LANESORT", "build/bin/lanesort")
SANITIZED = bool(os.environ.get("LANESORT_SANITIZED"))  # sanitizers take memory and address space of their own


def fewer(things):
    """A third of them under a sanitizer, where a start of the program takes twenty times as long."""
    return things[::3] if SANITIZED else things

CODES = {"bool": "B", "u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q",
         "f16": "e", "f32": "f", "f64": "d"}
DESCRS = {"bool": "|b1", "u8": "|u1", "i8": "|i1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4",
          "u64": "<u8", "i64": "<i8", "f16": "<f2", "f32": "<f4", "f64": "<f8"}


def run(*words, stdin=b"", env=None, timeout=60, **more):
    return subprocess.run([BINARY, *map(str, words)], input=stdin, capture_output=True, timeout=timeout,
                          env={**os.environ, **(env or {})}, **more)


def npy_header(descr, shape, version=1, fortran=False, pad=0, text=None):
    body = text if text is not None else "{'descr': %s, 'fortran_order': %s, 'shape': %r, }" % (
        repr(descr), fortran, tuple(shape))
    body = body.encode() + b" " * pad + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(body)) + body


def split_npy(data):
    assert data[:6] == b"\x93NUMPY", data[:20]
    size, begin = (struct.unpack("<H", data[8:10])[0], 10) if data[6] == 1 else (struct.unpack("<I", data[8:12])[0], 12)
    return ast.literal_eval(data[begin:begin + size].decode()), data[begin + size:]


def pack(dtype, values, big=False):
    return struct.pack((">" if big else "<") + str(len(values)) + CODES[dtype], *values)


def oracle_order(values, reverse=False, nan_first=False, truth=False):
    """Indices of the stable sort: NaN after all numbers in both directions, zeros equal."""
    def is_nan(v):
        return isinstance(v, float) and math.isnan(v)
    numbers = [i for i, v in enumerate(values) if not is_nan(v)]
    nans = [i for i, v in enumerate(values) if is_nan(v)]
    numbers.sort(key=lambda i: bool(values[i]) if truth else values[i], reverse=reverse)
    return nans + numbers if nan_first else numbers + nans


class Case(unittest.TestCase):
    """A test with a directory of its own, that the commands run in."""

    def setUp(self):
        self._directory = tempfile.TemporaryDirectory(prefix="lanesort-test-")
        self.dir = self._directory.name

    def tearDown(self):
        self._directory.cleanup()

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_here(self, *words, **more):
        return run(*words, cwd=self.dir, **more)

    def good(self, *words, **more):
        done = self.run_here(*words, **more)
        self.assertEqual(done.returncode, 0, (words, done.stderr.decode(errors="replace")))
        return done

    def bad(self, status, *words, says=(), **more):
        """Fails with the status, says something, and says it in one 'lanesort: ' line first."""
        done = self.run_here(*words, **more)
        complaint = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, status, (words, complaint))
        self.assertTrue(complaint.startswith("lanesort: "), complaint)
        for part in says:
            self.assertIn(part, complaint)
        return done

    def only_files(self, *names):
        """Nothing was left behind."""
        self.assertEqual(sorted(os.listdir(self.dir)), sorted(names))


def main():
    print("testing", BINARY, flush=True)
    unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[1:])
