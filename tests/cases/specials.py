"""What single cases ask for beyond their array: addresses, threads, memory, files."""
import ctypes
import os
import resource
import shutil
import sys
import threading

import cases
import library
from ledger import Skip
from surfaces import cli, iota, must, place, read


ELSEWHERE = {
    "OV-01": "ctest stress_past_32_bits (slow)",
    "BP-03": "ctest package_symbols, isa_baseline, isa_avx2, isa_avx512",
    "BP-09": "ctest package_headers",
}

IN_PART = {
    "GC-01": "sorted on the CPU; a graph needs a GPU",
    "OV-10": "sorted on the CPU; by workgroups: ctest cases_web",
    "GC-03": "sorted on the CPU; two streams need a GPU",
    "GC-04": "sorted on the CPU; a stream needs a GPU",
    "CC-01": "two threads on the CPU; two devices need GPUs",
    "HG-01": "sorted on the CPU; a busy device needs a GPU",
    "SG-01": "sorted on the CPU; subgroup sizes need a GPU",
    "SG-06": "sorted on the CPU; an adapter's words: ctest cases_web",
    "DF-01": "sorted on the CPU; without 64-bit integers: ctest cases_web",
    "DF-04": "one device is offered, so there is nothing to rank",
    "DF-06": "no kernels are built in yet; the forced device is refused by exit status",
    "HG-04": "sorted on the CPU; on a software driver: ctest cases_web",
    "PF-06": "sorted on the CPU; pipelines: ctest cases_web",
    "PF-09": "sorted on the CPU; there is no device clock to read too early",
    "AC-04": "every pointer is the host's on the CPU",
}

SPECIALS = {}


def special(*ids):
    def keep(function):
        SPECIALS.update(dict.fromkeys(ids, function))
        return function
    return keep


def answer(case, options=None):
    keys = cases.make(case["gen"], case["dtype"])
    order = cases.stable_order(keys, case["dtype"], options or case["options"])
    return cases.pack(keys, case["dtype"]), cases.pack([keys[i] for i in order], case["dtype"]), order


def variant(case, **changes):
    """The case with some of its fields changed, and without the answers that belong to the unchanged one."""
    return {k: v for k, v in dict(case, **changes).items() if not k.startswith("expect_")}


# ---- floats -----------------------------------------------------------------------------------------------------

@special("NZ-12")
def nan_at_the_ends(r, case):
    for n in case["sweep_n"][::10]:
        for at in (0, n - 1):
            r.run_data(variant(case, gen=dict(case["gen"], set=[[at, "nan"]])), n, case["options"])


@special("NZ-28")
def nan_by_arithmetic(r, case):
    import array
    infinity = float("inf")
    computed = array.array("d", [1.0, infinity - infinity, 0.0, float("nan"), infinity]).tobytes()
    keys, _ = r.library.run(library.SORT, "f64", computed, {})
    r.expect(keys == computed[16:24] + computed[:8] + computed[32:] + computed[8:16] + computed[24:32], "a computed NaN went elsewhere")


# ---- wide integers ----------------------------------------------------------------------------------------------

@special("WO-09")
def integers_past_floats(r, case):
    for dtype, centre in (("i32", 1 << 24), ("i64", 1 << 53)):
        base = {"type": "iota", "n": 4096, "start": centre - 2048}
        r.run_data(variant(case, dtype=dtype, gen=dict(case["gen"], base=base)), None, case["options"])


@special("IF-18")
def no_128_bits(r, case):
    for name in ("i128", "u128", "f128"):
        r.expect(r.library.dtype(name) is None and "128" in r.library.error(), f"the library took {name}")
        if r.cli:
            source, target = place(r, "in.raw", b"\0" * 16), place(r, "out.raw")
            status, _, words = cli(r, "sort", source, "--format", "raw", "--dtype", name, "-o", target)
            r.expect(status == 2 and "128" in words and not os.path.exists(target), f"{status}: {words}")


# ---- comparators ------------------------------------------------------------------------------------------------

def check_merge_sort(r, case, comparator, key, n=None):
    keys = cases.make(case["gen"], case["dtype"], n)
    for threads in (1, 2, 0):
        places = r.helper.merge_sort(comparator, keys, threads)
        r.expect(places == sorted(range(len(keys)), key=lambda i: key(keys[i])), f"{comparator}, {len(keys)} items, {threads} threads")


@special("NM-07")
def every_size_round_a_leaf(r, case):
    for n in case["sweep_n"]:
        check_merge_sort(r, case, "less", lambda key: key, n)


@special("DU-01")
def few_classes(r, case):
    check_merge_sort(r, case, "modulo 4", lambda key: key % 4)


@special("WO-22")
def pairs_of_words(r, case):
    keys = cases.make(case["gen"], case["dtype"])
    _, indices = r.library.run(library.ARGSORT, "u64", cases.pack(keys, "u64"), {}, value_bytes=8)
    for threads in (1, 0):
        r.expect(cases.pack(r.helper.merge_sort("pairs", keys, threads), "u64") == indices, "merge sort and argsort differ")


@special("AC-06")
def answers_at_random(r, case):
    keys = cases.make(case["gen"], case["dtype"])
    for n in (2, 3, 32, 33, 1000, len(keys)):
        places = r.helper.merge_sort("random", keys[:n])
        r.expect(sorted(places) == list(range(n)), f"no permutation of {n} items")


@special("HG-03")
def sorts_by_the_thousand(r, case):
    short = r.sanitized
    for count, repeats in ((1 << 20, 2 if short else 20), (20_000, 100 if short else 5000)):
        flaw = r.helper.c.cases_merge_soak(count, repeats, case["gen"]["seed"]).decode()
        r.expect(flaw == "", f"{count} items: {flaw}")
    r.notes.append("5000 sorts of 20,000 items and 20 of a million, by two threads or more")


# ---- addresses --------------------------------------------------------------------------------------------------

def at(buffer, offset):
    return ctypes.addressof(buffer) + offset


@special("AL-01")
def scratch_behind_odd_keys(r, case):
    keys, want, _ = answer(case)
    d = r.library.describe(library.SORT, "u8", len(keys), {})
    needed = r.library.scratch_bytes(library.SORT, d)
    block = ctypes.create_string_buffer(keys + b"\xcd" * needed, len(keys) + needed)
    d.keys_src = d.keys_dst = at(block, 0)
    d.scratch, d.scratch_bytes = at(block, len(keys)), needed
    r.expect(r.library.call(library.SORT, d) == library.OK and block.raw[: len(keys)] == want, r.library.error())


@special("AL-03")
def keys_inside_an_allocation(r, case):
    keys, want, order = answer(case)
    for offset in (1, 2, 3, 4, 6, 7):
        block = ctypes.create_string_buffer(b"\xa5" * offset + keys + b"\xa5" * 16, offset + len(keys) + 16)
        payload = ctypes.create_string_buffer(b"\xa5" * offset + iota(len(order)), offset + 4 * len(order))
        d = r.library.describe(library.SORT_PAIRS, "u16", len(order), {})
        d.keys_src = d.keys_dst = at(block, offset)
        d.values_src = d.values_dst = at(payload, offset)
        r.expect(r.library.call(library.SORT_PAIRS, d) == library.OK, r.library.error())
        r.expect(block.raw == b"\xa5" * offset + want + b"\xa5" * 16, f"offset {offset}: wrong keys")
        r.expect(payload.raw[offset:] == cases.pack_indices(order), f"offset {offset}: wrong values")


@special("AL-04", "IA-04")
def part_of_a_buffer(r, case):
    keys = cases.make(case["gen"], case["dtype"])
    inner = keys[1:-1]
    want = [inner[i] for i in cases.stable_order(inner, case["dtype"], {})]
    block = ctypes.create_string_buffer(cases.pack(keys, case["dtype"]), 4 * len(keys))
    d = r.library.describe(library.SORT, case["dtype"], len(inner), {})
    d.keys_src = d.keys_dst = at(block, 4)
    r.expect(r.library.call(library.SORT, d) == library.OK, r.library.error())
    r.expect(block.raw == cases.pack(keys[:1] + want + keys[-1:], case["dtype"]), "something outside of the part moved")


@special("IA-03")
def partial_overlap(r, case):
    keys, _, order = answer(case)
    for offset in (4, 1, len(keys) - 1):
        block = ctypes.create_string_buffer(keys, 2 * len(keys))
        before = block.raw
        d = r.library.describe(library.SORT, "u32", len(order), {})
        d.keys_src, d.keys_dst = at(block, 0), at(block, offset)
        r.expect(r.library.call(library.SORT, d) == library.INVALID_ARGUMENT and "overlap" in r.library.error(), f"offset {offset} was taken")
        r.expect(block.raw == before, "a refused call wrote")


# ---- scratch and values -----------------------------------------------------------------------------------------

@special("TS-01")
def scratch_for_nothing(r, case):
    for operation in (library.SORT, library.SORT_PAIRS, library.ARGSORT):
        d = r.library.describe(operation, "u32", 0, {})
        r.expect(r.library.scratch_bytes(operation, d) >= 1, "0 bytes of scratch")


@special("TS-03", "TS-04")
def wide_values(r, case):
    keys, want, order = answer(case)
    for width in (24,) if case["id"] == "TS-03" else (1, 2, 3, 12, 24, 96, 384, 1024):
        values = [bytes((i * 7 + j) & 255 for j in range(width)) for i in range(len(order))]
        out, moved = r.library.run(library.SORT_PAIRS, case["dtype"], keys, {}, values=b"".join(values), value_bytes=width)
        r.expect(out == want and moved == b"".join(values[i] for i in order), f"values of {width} bytes")


@special("TS-06")
def scratch_used_again(r, case):
    scratch = None
    for count in (20000, 100, 20000):
        keys = cases.make(dict(case["gen"], n=count), "u32")
        if scratch is None:
            scratch = ctypes.create_string_buffer(r.library.scratch_bytes(library.SORT, r.library.describe(library.SORT, "u32", count, {})))
        out, _ = r.library.run(library.SORT, "u32", cases.pack(keys, "u32"), {}, scratch=scratch)
        r.expect(out == cases.pack(sorted(keys), "u32"), f"{count} keys, scratch used before")


# ---- several calls ----------------------------------------------------------------------------------------------

def together(r, jobs):
    """Runs the jobs in threads of their own; each answers whether all was right."""
    answers = [False] * len(jobs)

    def work(i):
        answers[i] = jobs[i]()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    r.expect(all(answers), f"calls at once: {answers}")


@special("CC-01")
def two_threads(r, case):
    keys, want, order = answer(case)
    indices = cases.pack_indices(order)

    def rounds():
        return all(r.library.run(library.SORT_PAIRS, "u32", keys, {}, in_place=True, values=iota(len(order))) == (want, indices)
                   for _ in range(50 if not r.sanitized else 5))

    together(r, [rounds, rounds])


@special("CC-03")
def three_in_flight(r, case):
    jobs = []
    for seed in (case["gen"]["seed"], 1, 2):
        keys, want, order = answer(variant(case, gen=dict(case["gen"], seed=seed)))
        jobs.append(lambda keys=keys, want=want, order=order: all(
            r.library.run(library.SORT_PAIRS, "u32", keys, {}, values=iota(len(order))) == (want, cases.pack_indices(order)) for _ in range(20)))
    together(r, jobs)


@special("SG-03")
def a_hundred_frames(r, case):
    keys, want, order = answer(case)
    indices = cases.pack_indices(order)
    for frame in range(100 if not r.sanitized else 5):
        out = r.library.run(library.SORT_PAIRS, "u32", keys, {}, in_place=True, values=iota(len(order)))
        r.expect(out == (want, indices), f"frame {frame}")


@special("BP-01")
def two_copies_in_one_process(r, case):
    copies = []
    for name in ("one.so", "two.so"):
        copies.append(shutil.copy(os.path.realpath(r.library.path), os.path.join(r.folder, name)))
    keys = cases.pack(cases.make(dict(type="rand_bits", n=100000, seed=1), "u32"), "u32")
    want, _ = r.library.run(library.SORT, "u32", keys, {})
    for path in copies:
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    for path in copies:
        r.expect(library.Library(path).run(library.SORT, "u32", keys, {})[0] == want, path)


# ---- memory -----------------------------------------------------------------------------------------------------

@special("OM-01")
def no_memory_for_scratch(r, case):
    if r.sanitized:
        raise Skip("RLIMIT_AS and a sanitizer's shadow do not go together; executor_test fails the allocation itself")
    keys, _, order = answer(case)
    child = os.fork()
    if child == 0:
        code = 9
        try:
            source = ctypes.create_string_buffer(keys, len(keys))
            indices = ctypes.create_string_buffer(4 * len(order))
            d = r.library.describe(library.ARGSORT, "f32", len(order), {})
            d.keys_src, d.values_dst, d.threads = at(source, 0), at(indices, 0), 1
            libc = ctypes.CDLL(None)
            libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
            with open("/proc/self/statm") as file:
                used = int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + (16 << 20), resource.RLIM_INFINITY))
            ballast = []  # what is free already must go as well
            while block := libc.malloc(1 << 20):
                ballast.append(block)
            libc.free(ballast.pop())
            status = r.library.call(library.ARGSORT, d)
            for block in ballast:
                libc.free(block)
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            code = 1 if status != library.OUT_OF_MEMORY else 2 if source.raw != keys or any(indices.raw) else 0
            if code == 0 and (r.library.call(library.ARGSORT, d) != library.OK or indices.raw != cases.pack_indices(order)):
                code = 3
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    r.expect(status == 0, f"child ended with {status}: 256 no error, 512 data touched, 768 the next call failed")


@special("OM-04")
def budget_of_64_mib(r, case):
    if not r.cli:
        return
    source, target = place(r, "large.raw"), place(r, "out.raw")
    r.expect(r.helper.c.cases_write(ctypes.byref(r.recipe(case)), source.encode()), "the file could not be written")
    status, _, words = cli(r, "sort", source, "--format", "raw", "--dtype", "u32", "-S", "64M", "-o", target)
    r.expect(status in (0, 2), f"{status}: {words}")
    if status == 2:
        r.expect(not os.path.exists(target) and words.strip(), "refused, but something was written or nothing was said")
    else:
        must(r, "check", target, "--format", "raw", "--dtype", "u32")
    os.remove(source)


# ---- speed, as ratios in one process, with room for a busy machine -----------------------------------------------

@special("PF-03")
def argsort_of_few_values(r, case):
    if r.sanitized:
        raise Skip("no timing under a sanitizer")
    keys = ctypes.create_string_buffer(answer(case)[0])
    ratio = r.helper.c.cases_ratio_to_stable_sort(ctypes.addressof(keys), case["gen"]["n"])
    r.expect(ratio >= 1, f"argsort is {ratio:.2f} times as fast as std::stable_sort")


@special("PF-04")
def isa_can_be_chosen(r, case):
    import subprocess
    for isa in ("baseline", "avx2", "avx512"):
        script = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r}); import library; print(library.Library({r.library.path!r}).isa())"
        said = subprocess.run([sys.executable, "-c", script], env=dict(os.environ, LANESORT_FORCE_ISA=isa), capture_output=True, text=True, check=True).stdout
        r.expect(said.strip() == isa or (isa != "baseline" and said.strip()), f"asked for {isa}, got {said}")


@special("PF-07")
def against_std_sort(r, case):
    if r.sanitized:
        raise Skip("no timing under a sanitizer")
    recipe = r.recipe(case, case["sweep_n"][0])
    for threads in (1, 0):
        recipe.count = min(recipe.count, 20_000_000)  # a fifth of the report's, to leave the tests short
        ratio = r.helper.c.cases_ratio_to_std_sort(ctypes.byref(recipe), threads)
        r.expect(ratio > 1, f"threads {threads}: {ratio:.2f} times as fast as std::sort")


# ---- devices ----------------------------------------------------------------------------------------------------

@special("DF-03", "DF-04", "DF-06")
def devices(r, case):
    if not r.cli:
        return
    keys, want, _ = answer(case)
    dtype = case["dtype"]
    source, target = place(r, "in.raw", keys), place(r, "out.raw")
    environment = dict(os.environ, VK_ICD_FILENAMES="/no/such/file")
    for device in ("auto", "cpu"):
        must(r, "sort", source, "--format", "raw", "--dtype", dtype, "--device", device, "-o", target, environment=environment)
        r.expect(read(target) == want, device)
        os.remove(target)
    for device in ("webgpu", "cuda", "cuda:7"):
        status, _, words = cli(r, "sort", source, "--format", "raw", "--dtype", dtype, "--device", device, "-o", target, environment=environment)
        built_in = device.split(":")[0] in must(r, "--version").decode()
        r.expect(status == 3 or (built_in and status == 0), f"{device}: {status}, {words}")
        r.expect(status == 0 or (words.count("\n") <= 2 and device.split(":")[0] in words and not os.path.exists(target)), f"{device}: {words}")


# ---- files ------------------------------------------------------------------------------------------------------

def cli_case(*ids):
    def keep(function):
        def run(r, case):
            if r.cli:
                function(r, case)
        return special(*ids)(run)
    return keep


def sort_npy(r, data):
    source, target = place(r, "in.npy", data), place(r, "out.npy")
    status, _, words = cli(r, "sort", source, "-o", target)
    return status, read(target) if os.path.exists(target) else None, words


@cli_case("IF-01")
def fortran_order(r, case):
    status, out, words = sort_npy(r, cases.file_bytes(case))
    r.expect(status == 2 and out is None and "ortran" in words, f"{status}: {words}")


@cli_case("IF-03")
def long_and_new_headers(r, case):
    want = cases.pack([3, 5, 7], "u16")
    for version in ([1, 0], [2, 0], [3, 0]):
        for pad in (0, 7, 300, 1024):
            for header in (case["gen"]["header"], "{'shape': (3,), 'fortran_order': False, 'descr': '<u2', }"):
                data = cases.file_bytes(variant(case, gen=dict(case["gen"], version=version, extra_pad=pad, header=header)))
                status, out, words = sort_npy(r, data)
                r.expect(status == 0 and out == data[:-6] + want, f"version {version}, pad {pad}: {status}, {words}")


@cli_case("IF-04")
def shapes(r, case):
    for shape, values in (("()", [5]), ("(0,)", []), ("(3,)", [3, 1, 2]), ("(1,)", [9])):
        header = case["gen"]["header"].replace("()", shape)
        data = cases.file_bytes(variant(case, gen=dict(case["gen"], header=header, payload=dict(type="list", values=values))))
        status, out, words = sort_npy(r, data)
        body = len(data) - 4 * len(values)
        r.expect(status == 0 and out == data[:body] + cases.pack([cases.to_bits(v, "f32") for v in sorted(values)], "f32"), f"{shape}: {status}, {words}")


@cli_case("IF-06")
def unsortable_dtypes(r, case):
    structured = cases.file_bytes(case)
    status, out, words = sort_npy(r, structured)
    r.expect(status == 2 and out is None and words.count("\n") <= 3 and "structured" in words, f"{status}: {words}")
    for descr, width in (("|O", 8), ("<c8", 8), ("<U4", 16), ("|S4", 4)):
        gen = dict(type="npy", header="{'descr': '%s', 'fortran_order': False, 'shape': (1,), }" % descr, hex="00" * width)
        status, out, words = sort_npy(r, cases.file_bytes(variant(case, gen=gen)))
        r.expect(status == 2 and out is None and words.strip(), f"{descr}: {status}, {words}")


@cli_case("IF-07")
def raw_with_a_rest(r, case):
    source, target = place(r, "in.raw", cases.file_bytes(case)), place(r, "out.raw")
    status, _, words = cli(r, "sort", source, "--format", "raw", "--dtype", "i32", "-o", target)
    r.expect(status == 2 and not os.path.exists(target) and "10" in words and "2" in words, f"{status}: {words}")


def sort_text(r, text, *how, **keywords):
    source = place(r, "in.txt", text)
    return must(r, "sort", source, "--format", "text", *how, **keywords)


@cli_case("IF-09")
def exponents(r, case):
    r.expect(sort_text(r, cases.file_bytes(case)) == b"-1e-3\n1e-5\n5\n1e+2\n2E3\n", "wrong order")


@cli_case("IF-10")
def words_for_no_number(r, case):
    text = cases.file_bytes(case)
    r.expect(sort_text(r, text) == b"-inf\n2.0\n3.0\nInfinity\nNaN\nNaN\nnan\n", "wrong order")
    r.expect(sort_text(r, text, "--dtype", "f32") == b"-inf\n2.0\n3.0\nInfinity\nNaN\nNaN\nnan\n", "wrong order as f32")
    status, out, words = cli(r, "sort", place(r, "in.txt", text), "--format", "text", "--dtype", "i32")
    r.expect(status == 2 and out == b"" and "line 1" in words, f"{status}: {words}")


@cli_case("IF-12")
def integers_past_2_to_53(r, case):
    want = b"9007199254740992\n9007199254740993\n9223372036854775807\n18446744073709551615\n"
    r.expect(sort_text(r, cases.file_bytes(case)) == want, "wrong order")
    r.expect(sort_text(r, cases.file_bytes(case), "--dtype", "u64") == want, "wrong order as u64")


@cli_case("IF-13")
def line_ends(r, case):
    for text in (cases.file_bytes(case), b"3\n1\n2\n", b"3\n1\n2", b"3\r1\r2", b"3\r\n1\r\n2\r\n"):
        r.expect(sort_text(r, text).split() == [b"1", b"2", b"3"], f"{text}")
    for end in (b"\n", b"\r\n", b"\r"):  # numbers of every length, so that ends fall on every boundary of a block
        numbers = [10 ** (i % 18) + i for i in range(3000, 0, -1)]
        text = end.join(b"%d" % n for n in numbers)
        r.expect(sort_text(r, text).split() == [b"%d" % n for n in sorted(numbers)], f"ends {end}")


@cli_case("IF-15")
def output_is_input(r, case):
    keys, want, _ = answer(case)
    how = ("--format", "raw", "--dtype", "u32")
    source = place(r, "self.raw", keys)
    must(r, "sort", source, "-o", source, *how)
    r.expect(read(source) == want, "in place")
    place(r, "self.raw", keys)
    link = place(r, "link.raw")
    os.symlink("self.raw", link)
    must(r, "sort", source, "-o", link, *how)
    r.expect(read(source) == want and os.path.islink(link), "through a symbolic link")
    r.expect([n for n in os.listdir(r.folder) if n.startswith("self")] == ["self.raw"], "something was left behind")


@cli_case("IF-16")
def locales(r, case):
    for name in ("C", "de_DE.UTF-8", "de_DE.utf8", "no_SUCH"):
        environment = dict(os.environ, LC_ALL=name, LANG=name)
        r.expect(sort_text(r, cases.file_bytes(case), environment=environment) == b"1.25\n1.5\n10\n", name)


@cli_case("IF-19")
def out_of_range(r, case):
    source = place(r, "in.txt", cases.file_bytes(case))
    status, out, words = cli(r, "sort", source, "--format", "text", "--dtype", "u8")
    r.expect(status == 2 and out == b"" and "line 1" in words and "300" in words, f"{status}: {words}")
    status, out, words = cli(r, "sort", place(r, "in.txt", b"5\n-1\n"), "--format", "text", "--dtype", "u8")
    r.expect(status == 2 and "line 2" in words, f"{status}: {words}")
    status, out, words = cli(r, "sort", place(r, "in.txt", b"1e400\n1\n"), "--format", "text", "--dtype", "f32")
    r.expect((status == 0 and out == b"1\n1e400\n") or (status == 2 and "line 1" in words), f"{status}: {words}")
