"""The cases about top-k: the first k of the one right order, from the library and the command line."""
import ctypes
import time

import cases
import library
import surfaces

TOP_K = 3
ROWS = 20  # of a case with rows, as many are also given to the command line


def first(runner, dtype, keys, k, largest, value_bytes=4, threads=0):
    """(keys, indices) as bytes; results and scratch of just their size, and dirty."""
    count = len(keys) // (cases.WIDTH[dtype] // 8)
    kept, width = min(k, count), cases.WIDTH[dtype] // 8
    source = ctypes.create_string_buffer(keys, max(1, len(keys)))
    out, places = (ctypes.create_string_buffer(b"\xcd" * max(1, n), max(1, n)) for n in (kept * width, kept * value_bytes))
    descriptor = runner.library.describe(TOP_K, dtype, count, dict(order="desc" if largest else "asc"), value_bytes)
    descriptor.k, descriptor.threads = k, threads
    size = runner.library.scratch_bytes(TOP_K, descriptor)
    scratch = ctypes.create_string_buffer(b"\xcd" * size, size)
    descriptor.keys_src, descriptor.keys_dst = ctypes.addressof(source), ctypes.addressof(out)
    descriptor.values_dst = ctypes.addressof(places)
    descriptor.scratch, descriptor.scratch_bytes = ctypes.addressof(scratch), size
    status = runner.library.c.lanesort_top_k(ctypes.byref(descriptor))
    assert status == library.OK, runner.library.error()
    assert source.raw[: len(keys)] == keys, "the source was written"
    return out.raw[: kept * width], places.raw[: kept * value_bytes]


def expect_first(runner, dtype, keys, k, largest, by_cli, repeats=1):
    """Returns the reference's answer: raw patterns and places."""
    order = cases.stable_order(keys, dtype, dict(order="desc" if largest else "asc"))[:k]
    key_bytes, want = cases.pack(keys, dtype), cases.pack([keys[i] for i in order], dtype)
    words = f"{dtype}, n = {len(keys)}, k = {k}, largest {largest}"
    for _ in range(repeats):
        for threads in (0, 1):
            got, places = first(runner, dtype, key_bytes, k, largest, threads=threads)
            runner.expect(got == want, f"library, {words}: wrong keys")
            runner.expect(places == cases.pack_indices(order), f"library, {words}: wrong places")
    _, wide = first(runner, dtype, key_bytes, k, largest, value_bytes=8)
    runner.expect(wide == cases.pack(order, "u64"), f"library, {words}: wrong places of 8 bytes")
    if by_cli:
        source, target, places = (surfaces.place(runner, name) for name in ("in.raw", "out.raw", "places.raw"))
        surfaces.place(runner, "in.raw", key_bytes)
        surfaces.must(runner, "topk", source, "-k", str(k), "--largest" if largest else "--smallest", "--format", "raw",
                      "--dtype", dtype, "-o", target, "--indices", places, "--index", "u32")
        runner.expect(surfaces.read(target) == want, f"command line, {words}: wrong keys")
        runner.expect(surfaces.read(places) == cases.pack_indices(order), f"command line, {words}: wrong places")
    return [keys[i] for i in order], order


def least_seconds(runner, dtype, key_bytes, k, largest, trials):
    least = 1e9
    for _ in range(trials):
        begin = time.perf_counter()
        first(runner, dtype, key_bytes, k, largest, threads=1)
        least = min(least, time.perf_counter() - begin)
    return least


def expect_no_cliff(runner, case):
    """Two sizes side by side cost about the same."""
    most = 2100
    keys = cases.pack(cases.make(case["gen"], case["dtype"], most), case["dtype"])
    for size in (1000, 1023, 1024, 1050, 2000, 2047, 2048, 2099):
        seconds = [least_seconds(runner, case["dtype"], keys[: 4 * n], 1000, True, 30) for n in (size, size + 1)]
        runner.expect(seconds[1] < 2 * seconds[0], f"n = {size} takes {seconds[0]:.2e} s and one more {seconds[1]:.2e} s")


def expect_like_random(runner, case, keys):
    """Few values cost at most twice what random ones do."""
    dtype, k, largest = case["dtype"], case["options"]["k"], case["options"]["largest"]
    random = cases.make(dict(type="rand_real", n=len(keys), seed=1, lo=0, hi=2), dtype)
    few, many = (least_seconds(runner, dtype, cases.pack(of, dtype), k, largest, 10) for of in (keys, random))
    runner.expect(few < 2 * many, f"{few:.2e} s, and random keys {many:.2e} s")


def variants(case, count):
    """Every (k, largest) that the case's words ask for."""
    k, largest = case["options"]["k"], case["options"]["largest"]
    if case["id"] == "NZ-25":
        return [(k, largest) for k in range(count + 1) for largest in (True, False)]
    if case["id"] == "EQ-04":
        return [(k, largest) for k in (1, 2, count // 2, count - 1, count) for largest in (False, True)]
    if case["id"] in ("N0-03", "N0-04"):
        return [(k, largest) for k in (0, 1, count, count + 1) for largest in (True, False)]
    return [(k, largest)] * (2 if case["id"] == "WO-21" else 1)


def run_rows(runner, case, keys, by_cli):
    length = case["segments"]["len"]
    k, largest = case["options"]["k"], case["options"]["largest"]
    repeats = 10 if case["id"] == "RC-04" else 1
    values, places = [], []
    for row in range(case["segments"]["count"]):
        got = expect_first(runner, case["dtype"], keys[row * length:(row + 1) * length], k, largest, by_cli and row < ROWS, repeats)
        values += got[0]
        # The file counts from each row's begin in one case, and from the first row's in the others.
        places += [(0 if case["id"] == "RC-04" else row * length) + i for i in got[1]]
    return values, places


def run_case(runner, case, Skip):
    dtype, by_cli = case["dtype"], "cli" in case["surfaces"] and bool(runner.cli)
    for n in case.get("sweep_n") or [None]:
        keys = cases.make(case["gen"], dtype, n)
        if "segments" in case:
            values, places = run_rows(runner, case, keys, by_cli)
        for k, largest in [] if "segments" in case else variants(case, len(keys)):
            answer = expect_first(runner, dtype, keys, k, largest, by_cli)
            if (k, largest) == (case["options"]["k"], case["options"]["largest"]):
                values, places = answer
        if n is None:  # the file's own answer is the judge of ours
            want, prints = case.get("expect_exact", {}), case.get("expect_sha256_16", {})
            if "keys" in want:
                runner.expect([cases.shown(b, dtype) for b in values] == want["keys"], "the reference disagrees with the file's keys")
            if "indices" in want:
                runner.expect(places == want["indices"], "the reference disagrees with the file's indices")
            surfaces.check_prints(runner, prints, cases.pack(values, dtype), cases.pack_indices(places))
    if case["id"] == "N0-04":
        expect_first(runner, dtype, [], 1, True, by_cli)
    if case["id"] == "NZ-22":
        expect_first(runner, dtype, keys[-1:] + keys[:-1], case["options"]["k"], True, by_cli)
    if case["id"] in ("PF-10", "DU-04"):
        if runner.sanitized:
            raise Skip("no timing under a sanitizer")
        expect_no_cliff(runner, case) if case["id"] == "PF-10" else expect_like_random(runner, case, keys)
    if case["id"] == "HG-06":
        raise Skip("on the CPU, each row once; a busy device needs a GPU back end")
