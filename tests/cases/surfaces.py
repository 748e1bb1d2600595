"""One array through the library in every arrangement, and through the command line; the bytes must be those wanted."""
import ctypes
import hashlib
import os
import shutil
import subprocess

import cases
import library


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)


def check_prints(runner, prints, sorted_bytes, index_bytes):
    for name, data in (("keys", sorted_bytes), ("indices_u32", index_bytes)):
        if name in prints:
            runner.expect(hashlib.sha256(data).hexdigest()[:16] == prints[name], f"the reference disagrees with the file's print of the {name}")


def wanted(runner, case, n, options):
    """(keys, sorted keys, indices) as bytes, by the reference, and the reference held against the file's own answer."""
    dtype = case["dtype"]
    keys = cases.make(case["gen"], dtype, n)
    order = cases.stable_order(keys, dtype, options)
    sorted_keys = [keys[i] for i in order]
    sorted_bytes, index_bytes = cases.pack(sorted_keys, dtype), cases.pack_indices(order)
    if n is None and options == case["options"]:
        exact = case.get("expect_exact", {})
        if "keys" in exact:
            runner.expect([cases.shown(b, dtype) for b in sorted_keys] == exact["keys"], "the reference disagrees with the file's keys")
        if "indices" in exact:
            runner.expect(order == exact["indices"], "the reference disagrees with the file's indices")
        check_prints(runner, case.get("expect_sha256_16", {}), sorted_bytes, index_bytes)
    return cases.pack(keys, dtype), sorted_bytes, index_bytes


def iota(count):
    return cases.pack_indices(range(count))


def check_library(runner, operation, dtype, key_bytes, options, sorted_bytes, index_bytes):
    count = len(index_bytes) // 4
    arrangements = [dict(in_place=False)]
    if operation != library.ARGSORT:
        arrangements.append(dict(in_place=True, threads=1))
    for arrangement in arrangements:
        keys, values = runner.library.run(operation, dtype, key_bytes, options, values=iota(count), **arrangement)
        if operation != library.ARGSORT:
            runner.expect(keys == sorted_bytes, f"library, n = {count}, {arrangement}: wrong keys")
        if operation != library.SORT:
            runner.expect(values == index_bytes, f"library, n = {count}, {arrangement}: wrong indices")
    # Dirty scratch of just the size that was asked for.
    descriptor = runner.library.describe(operation, dtype, count, options)
    scratch = ctypes.create_string_buffer(b"\xcd" * runner.library.scratch_bytes(operation, descriptor))
    scratch = (ctypes.c_char * (len(scratch) - 1)).from_buffer(scratch)
    keys, values = runner.library.run(operation, dtype, key_bytes, options, values=iota(count), scratch=scratch)
    runner.expect(keys in (None, sorted_bytes) and values in (None, index_bytes), f"library, n = {count}, the caller's scratch: wrong")


def place(runner, name, data=None):
    path = os.path.join(runner.folder, name)
    if data is not None:
        with open(path, "wb") as file:
            file.write(data)
    elif os.path.exists(path):
        os.remove(path)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def cli(runner, *arguments, stdin=b"", environment=None):
    """(exit status, stdout, stderr)"""
    done = subprocess.run([runner.cli, *arguments], input=stdin, capture_output=True, env=environment, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def must(runner, *arguments, **keywords):
    status, out, words = cli(runner, *arguments, **keywords)
    runner.expect(status == 0, f"lanesort {' '.join(arguments)} ended with {status}: {words}")
    return out


def check_cli(runner, operation, dtype, key_bytes, options, sorted_bytes, index_bytes):
    source, target = place(runner, "in.raw", key_bytes), place(runner, "out.raw")
    how = ["--format", "raw", "--dtype", dtype, "--order", options.get("order", "asc")]
    if "begin_bit" in options:
        how += ["--bits", f"{options['begin_bit']}:{options['end_bit']}"]
    count = len(index_bytes) // 4
    if operation == library.ARGSORT:
        must(runner, "argsort", source, "-o", target, "--index", "u32", *how)
        runner.expect(read(target) == index_bytes, f"command line, n = {count}: wrong indices")
    else:
        if operation == library.SORT_PAIRS:
            values, moved = place(runner, "values.raw", iota(count)), place(runner, "moved.raw")
            must(runner, "sort", source, "-o", target, *how, "--values", values, "--values-out", moved)
            runner.expect(read(moved) == index_bytes, f"command line, n = {count}: wrong values")
        else:
            must(runner, "sort", source, "-o", target, *how)
        runner.expect(read(target) == sorted_bytes, f"command line, n = {count}: wrong keys")
    runner.expect(read(source) == key_bytes, "command line: the input was written")
