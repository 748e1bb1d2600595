"""The cases of segments: each sorted by itself, in every arrangement and through the command line."""
import array
import ctypes
import os
import time

import cases
import library
import surfaces

FILL = b"\xa5"


def offsets(case):
    """[(begin, end)], by the recipe of the case file."""
    recipe = case["segments"]
    if recipe["type"] == "uniform":
        return [(i * recipe["len"], (i + 1) * recipe["len"]) for i in range(recipe["count"])]
    if recipe["type"] == "offsets":
        return list(zip(recipe["begin"], recipe["end"]))
    pairs, begin = [], 0
    for i, drawn in enumerate(cases.draw(recipe["seed"], recipe["count"])):
        length = recipe.get("min", 0) + drawn % (recipe["max"] - recipe.get("min", 0) + 1)
        if recipe.get("long_every") and i % recipe["long_every"] == recipe["long_every"] - 1:
            length += recipe["long_add"]
        pairs.append((begin, begin := begin + length))
    return pairs


def masked(data, pairs, width):
    """What stands in segments, and FILL elsewhere."""
    out = bytearray(FILL * len(data))
    for begin, end in pairs:
        out[begin * width:end * width] = data[begin * width:end * width]
    return bytes(out)


def check_library(runner, operation, case, keys, sorted_bytes, index_bytes, pairs):
    dtype, width = case["dtype"], cases.WIDTH[case["dtype"]] // 8
    count = len(index_bytes) // 4
    for in_place in (False,) if operation == library.ARGSORT else (False, True):
        for threads in (1, 0):
            got, values = runner.library.run(operation, dtype, keys, case["options"], in_place=in_place, threads=threads,
                                             values=surfaces.iota(count), segments=pairs, fill=FILL)
            words = f"library, n = {count}, in place {in_place}, threads {threads}"
            if operation != library.ARGSORT:
                runner.expect(got == (sorted_bytes if in_place else masked(sorted_bytes, pairs, width)), words + ": wrong keys")
            if operation != library.SORT:  # pairs move in place
                want = masked(index_bytes, pairs, 4) if operation == library.ARGSORT else index_bytes
                runner.expect(values == want, words + ": wrong indices")


def check_cli(runner, operation, case, keys, sorted_bytes, index_bytes, pairs):
    if any(end != begin for (_, end), (begin, _) in zip(pairs, pairs[1:])):
        return runner.notes.append("offsets of the command line have no gaps")
    source, target = surfaces.place(runner, "in.raw", keys), surfaces.place(runner, "out.raw")
    ends = [pairs[0][0]] + [end for _, end in pairs]
    file = surfaces.place(runner, "offsets.u64", array.array("Q", ends).tobytes())
    how = ["--format", "raw", "--dtype", case["dtype"], "--segments", file, "-o", target]
    if operation == library.ARGSORT:
        surfaces.must(runner, "argsort", source, "--index", "u32", *how)
        return runner.expect(surfaces.read(target) == index_bytes, "command line: wrong indices")
    if operation == library.SORT_PAIRS:
        values, moved = surfaces.place(runner, "values.raw", surfaces.iota(len(index_bytes) // 4)), surfaces.place(runner, "moved.raw")
        how += ["--values", values, "--values-out", moved]
    surfaces.must(runner, "sort", source, *how)
    runner.expect(surfaces.read(target) == sorted_bytes, "command line: wrong keys")
    if operation == library.SORT_PAIRS:
        runner.expect(surfaces.read(moved) == index_bytes, "command line: wrong values")


def order_of(case, keys):
    rank = cases.ranks(keys, case["dtype"], case["options"])
    order = list(range(len(keys)))
    for begin, end in offsets(case):
        order[begin:end] = sorted(order[begin:end], key=rank.__getitem__, reverse=case["options"].get("order") == "desc")
    return order


def sorted_by_segments(case):
    """The bytes of keys, sorted keys and indices."""
    keys = cases.make(case["gen"], case["dtype"])
    order = order_of(case, keys)
    return cases.pack(keys, case["dtype"]), cases.pack([keys[i] for i in order], case["dtype"]), cases.pack_indices(order)


def run_data(runner, operation, case):
    dtype, pairs = case["dtype"], offsets(case)
    keys = cases.make(case["gen"], dtype)
    order = order_of(case, keys)
    sorted_keys = [keys[i] for i in order]
    sorted_bytes, index_bytes = cases.pack(sorted_keys, dtype), cases.pack_indices(order)
    if "expect_exact" in case:
        runner.expect([cases.shown(b, dtype) for b in sorted_keys] == case["expect_exact"]["keys"], "the reference disagrees with the file's keys")
    surfaces.check_prints(runner, case.get("expect_sha256_16", {}), sorted_bytes, index_bytes)
    for _ in range(10 if case["id"] == "RC-01" and not runner.sanitized else 1):
        check_library(runner, operation, case, cases.pack(keys, dtype), sorted_bytes, index_bytes, pairs)
    if "cli" in case["surfaces"] and runner.cli:
        check_cli(runner, operation, case, cases.pack(keys, dtype), sorted_bytes, index_bytes, pairs)


def large_keys(runner, case):
    path = surfaces.place(runner, "large.raw")
    runner.expect(runner.helper.c.cases_write(ctypes.byref(runner.recipe(case)), path.encode()), "the file could not be written")
    data = surfaces.read(path)
    os.remove(path)
    return data


def run_tiny_by_the_million(runner, case):
    """WO-16: too many for the reference, so each segment is looked at."""
    data, pairs, length = large_keys(runner, case), offsets(case), case["segments"]["len"]
    _, indices = runner.library.run(library.ARGSORT, case["dtype"], data, case["options"], segments=pairs)
    keys, order = array.array("f", data), array.array("I", indices)
    for begin, end in pairs:
        row = order[begin:end]
        good = all((keys[i], i) < (keys[j], j) for i, j in zip(row, row[1:])) and min(row) == begin and max(row) == end - 1
        if not good:
            runner.expect(False, f"segment of {length} at {begin}: {list(row)}")
    runner.expect(len(order) == len(pairs) * length, "not all are there")


def run_few_large(runner, case):
    """PF-01: four parts take at most twice what the whole takes."""
    data, pairs = large_keys(runner, case), offsets(case)
    def seconds(segments):
        return min(runner.library.seconds(library.SORT, case["dtype"], data, segments) for _ in range(3))
    whole, parts = seconds(None), seconds(pairs)
    runner.expect(parts < 2 * whole, f"{parts:.3f} s by segments, {whole:.3f} s as a whole")


LARGE = {"WO-16": run_tiny_by_the_million, "PF-01": run_few_large}


def run_case(runner, case, skip):
    operation = library.OPERATIONS[case["op"].removeprefix("segmented_")]
    if cases.count_of(case["gen"]) <= cases.MEDIUM:
        return run_data(runner, operation, case)
    if runner.sanitized:
        raise skip("too slow under a sanitizer")
    LARGE[case["id"]](runner, case)
