#!/usr/bin/env python3
"""Runs the cases that name `web` against the npm package, through web.mjs: WebGPU in Node on a driver for the CPU.

Every buffer has canaries behind its last item and is compared whole. Kernels are small, so that the driver has little to
compile, and a few thousand items fill many tiles.
"""
import argparse
import array
import json
import os
import subprocess
import sys
import tempfile

import cases
import ledger
import segments
import surfaces
import web_topk

MOST = 100_000  # items that a driver for the CPU is given
FEW = 20_000  # up to so many in every arrangement; and what stands for more than MOST
SHAPE = dict(workgroup=32, items=2, radixBits=4, noSubgroups=True)
TILE = SHAPE["workgroup"] * SHAPE["items"]
CANARY = b"\xa5"
OPERATIONS = dict(sort_keys="sort", sort_pairs="sortPairs", argsort="argsort")
ARRAYS = dict(u8="Uint8Array", i8="Int8Array", u16="Uint16Array", i16="Int16Array", u32="Uint32Array", i32="Int32Array",
              u64="BigUint64Array", i64="BigInt64Array", f32="Float32Array", f64="Float64Array")

IN_PART = {
    "NM-01": "canaries, but no validation by the driver",
    "OM-06": "there is no wasm: the path for the CPU is JavaScript",
    "HG-01": "nothing else keeps the device busy",
    "SG-01": "at the driver's own subgroup size: WebGPU lets nobody choose",
    "DF-07": "the package has no self-test at start-up",
    "PF-06": "pipelines are counted, not timed",
    "PF-09": "sorted; the package has no bench",
    "PF-10": "selected; nothing is timed on a driver for the CPU",
    "BP-04": "in the Node at hand",
    "BP-06": "in the Node at hand",
}


class Web(ledger.Checks):
    def __init__(self, node, package, folder):
        super().__init__()
        self.node, self.folder = node, folder
        server = os.path.join(os.path.dirname(os.path.abspath(__file__)), "web.mjs")
        self.process = subprocess.Popen([node, server, package, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if not self.process.stdout.readline():
            sys.exit(f"web.mjs ended with {self.process.wait()} before the first case")

    def ask(self, payload, **request):
        """(what the answer's line says, the bytes)"""
        self.process.stdin.write(json.dumps(dict(request, bytes=len(payload))).encode() + b"\n" + payload)
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"web.mjs ended with {self.process.wait()}")
        answer = json.loads(line)
        return answer, self.process.stdout.read(answer["bytes"])

    def must(self, payload, **request):
        answer, data = self.ask(payload, **request)
        self.expect("error" not in answer, f"{answer.get('error')}: {request}")
        return answer, data

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


def room(data):
    """A buffer's content: the data, and canaries up to 64 bytes or more behind it."""
    return data + CANARY * (64 + -len(data) % 4)


def options_of(case, options, count, **more):
    said = dict(operation=OPERATIONS[case["op"]], dtype=case["dtype"], descending=options.get("order") == "desc",
                maxCount=count, inPlace=True, limits=dict(SHAPE, groups=3 if count <= FEW else 64))
    if "begin_bit" in options:
        said.update(bitBegin=options["begin_bit"], bitEnd=options["end_bit"])
    return dict(said, **more)


def check_sorter(web, options, runs, facts=None, together=False):
    """runs: the (keys, sorted keys, indices) of each. Returns what the answer's line says."""
    payload, want, sizes = b"", b"", []
    for keys, sorted_keys, indices in runs:
        values = surfaces.iota(len(indices) // 4)
        sizes.append(dict(count=len(values) // 4, keys=len(room(keys)), values=len(room(values))))
        payload += room(keys)
        if options["operation"] == "argsort":
            want += room(keys) + room(indices)
            continue
        want += room(sorted_keys) if options["inPlace"] else room(keys) + room(sorted_keys)
        if options["operation"] == "sortPairs":
            payload += room(values)
            want += room(indices) if options["inPlace"] else room(values) + room(indices)
    answer, got = web.must(payload, call="sorter", options=options, facts=facts or {}, runs=sizes, together=together)
    web.expect(got == want, f"{options}, {[one['count'] for one in sizes]} items: wrong bytes")
    web.expect(answer["overrides"] == 0, "a module has override constants")
    return answer


def check_arrays(web, case, options, runs, backend):
    """The arrays of all runs at once, each a part of its memory."""
    dtype, argsort = case["dtype"], case["op"] == "argsort"
    width = cases.WIDTH[dtype] // 8
    payload, want, parts = b"", b"", []
    for keys, sorted_keys, indices in runs:
        memory = CANARY * 8 + room(keys) + bytes(-len(room(keys)) % 8)
        payload += memory
        want += (indices if argsort else sorted_keys) + memory
        parts.append(dict(bytes=len(memory), offset=8, count=len(keys) // width))
    how = dict(descending=options.get("order") == "desc", backend=backend, limits=SHAPE)
    _, got = web.must(payload, call="array", array=ARRAYS[dtype], argsort=argsort, options=how, parts=parts)
    web.expect(got == want, f"{ARRAYS[dtype]} on {backend}, {[part['count'] for part in parts]} items: wrong bytes")


def run_data(web, case, n, options):
    data = surfaces.wanted(web, case, n, options)
    count = len(data[2]) // 4
    check_sorter(web, options_of(case, options, count), [data])
    if count > FEW:
        return
    other = options_of(case, options, count, inPlace=False)
    other["limits"]["noSmall"] = True
    if case["op"] != "argsort" or count <= TILE:
        check_sorter(web, other, [data])
    if case["op"] != "sort_pairs" and "begin_bit" not in options:
        for backend in ("gpu", "cpu"):
            check_arrays(web, case, options, [data], backend if count else "cpu")


def run_segments(web, case):
    """In place and not, with ends of their own; what stands in no segment stays. Sources come first in the answer."""
    case = variant(case, op=case["op"].removeprefix("segmented_"))
    if cases.count_of(case["gen"]) > MOST:  # as many segments, but shorter ones
        web.notes.append("segments of 2 items")
        case.update(segments=dict(case["segments"], len=2), gen=dict(case["gen"], n=2 * case["segments"]["count"]))
    dtype, width, pairs = case["dtype"], cases.WIDTH[case["dtype"]] // 8, segments.offsets(case)
    keys, sorted_keys, indices = segments.sorted_by_segments(case)
    lists = [array.array("I", (pair[end] for pair in pairs)).tobytes() for end in (0, 1)]
    for in_place in (True, False) if case["op"] != "argsort" else (True,):
        options = options_of(case, case["options"], len(indices) // 4, inPlace=in_place, maxSegments=len(pairs), segmentEnds=True)
        want = {"argsort": room(keys) + room(segments.masked(indices, pairs, 4)),
                "sort": room(sorted_keys) if in_place else room(keys) + room(segments.masked(sorted_keys, pairs, width))}
        sizes = dict(count=len(indices) // 4, keys=len(room(keys)), values=len(room(indices)), offsets=len(lists[0]))
        _, got = web.must(room(keys) + b"".join(lists), call="sorter", options=options, facts={}, runs=[sizes], together=False)
        got = got[:-2 * len(lists[0])]
        web.expect(got == want[options["operation"]], f"{options}: wrong bytes")


def reduced(web, case):
    """[(case, n)]: what of it has at most MOST items, or the case with so many."""
    sweep = case.get("sweep_n")
    if sweep:
        kept = [n for n in sweep if n <= MOST]
        if len(kept) < len(sweep):
            web.notes.append(f"without {', '.join(f'{n:,}' for n in sweep if n > MOST)} items")
        if kept:
            return [(case, n) for n in kept]
        web.notes.append(f"but with {FEW:,}")
        return [(case, FEW)]
    count = cases.count_of(case["gen"])
    if count <= MOST:
        return [(case, None)]
    web.notes.append(f"{FEW:,} items, not {count:,}")
    return [(variant(case, gen=dict(case["gen"], n=FEW)), None)]


def variant(case, **changes):
    """The case with some of its fields changed, and without the answers that belong to the unchanged one."""
    return {k: v for k, v in dict(case, **changes).items() if not k.startswith("expect_")}


def with_items(web, case, n, **gen):
    changed = variant(case, gen=dict(case["gen"], n=n, **gen))
    return surfaces.wanted(web, changed, None, changed["options"])


# ---- what single cases ask for beyond their array ------------------------------------------------------------------

SPECIALS = {}


def special(*ids):
    def keep(function):
        SPECIALS.update(dict.fromkeys(ids, function))
        return function
    return keep


@special("DS-02")
def least_integers(web, case):
    for dtype, least in (("i16", -(1 << 15)), ("i32", -(1 << 31)), ("i64", -(1 << 63))):
        for order in ("asc", "desc"):
            run_data(web, variant(case, dtype=dtype, gen=dict(type="list", values=[str(least), 100, str(least + 1)])), None, dict(order=order))


@special("BR-07")
def odd_numbers_of_bits(web, case):
    for end in (1, 5, 10, 17, 20, 31):
        run_data(web, case, None, dict(case["options"], end_bit=end))


@special("N0-01", "N0-07")
def every_type(web, case):
    key = dict(type="list", values=["bits:0x80"] * cases.count_of(case["gen"]))
    for dtype in cases.WIDTH:
        for op in OPERATIONS:
            data = surfaces.wanted(web, variant(case, dtype=dtype, op=op, gen=key), None, {})
            check_sorter(web, options_of(dict(case, dtype=dtype, op=op), {}, len(data[2]) // 4), [data])


@special("NM-03")
def off_a_power_of_two(web, case):
    for n in (65537, 65536 + 4095):
        run_data(web, variant(case), n, case["options"])


@special("OV-09")
def more_tiles_than_workgroups(web, case):
    """A device that says it dispatches 16 workgroups stands for one of 65,535."""
    for tiles in (16, 3 * 16, 20 * 16):
        data = with_items(web, case, tiles * TILE + 1)
        options = options_of(case, case["options"], len(data[2]) // 4)
        options["limits"]["groups"] = 0
        answer = check_sorter(web, options, [data], facts=dict(limits=dict(maxComputeWorkgroupsPerDimension=16)))
        said = [int(line.split(": ")[1].split()[0]) for line in answer["explain"].splitlines() if "workgroups" in line and ", pass " in line]
        web.expect(said and max(said) == 16, f"workgroups dispatched: {said}")
    web.notes.append("a device that says 16 workgroups stands for 65,535")


@special("AL-04")
def part_of_a_buffer(web, case):
    alignment = 256
    keys, _, indices = surfaces.wanted(web, case, None, case["options"])
    count = len(indices) // 4
    run = dict(keys=len(room(keys)), values=0)
    options = options_of(case, case["options"], count)
    answer, _ = web.ask(room(keys), call="sorter", options=options, runs=[dict(run, count=count - 2, offset=4)])
    web.expect("multiple of" in answer.get("error", ""), f"an offset of 4 bytes: {answer}")
    options["maxCount"] = count - alignment // 4 - 1
    _, got = web.must(room(keys), call="sorter", options=options, runs=[dict(run, count=options["maxCount"], offset=alignment)])
    inner = sorted(cases.make(case["gen"], "u32")[alignment // 4:-1])
    web.expect(got == keys[:alignment] + cases.pack(inner, "u32") + room(keys)[-68:], "something outside of the part moved")


@special("TS-06")
def one_sorter_again_and_again(web, case):
    runs = [with_items(web, case, n) for n in (20000, 100, 20000)]
    check_sorter(web, options_of(case, case["options"], 20000), runs)


@special("CC-03")
def three_in_flight(web, case):
    runs = [with_items(web, case, case["gen"]["n"], seed=seed) for seed in (case["gen"]["seed"], 1, 2)]
    check_sorter(web, options_of(case, case["options"], case["gen"]["n"]), runs, together=True)


@special("CC-04")
def three_calls_at_once(web, case):
    runs = [with_items(web, case, n, seed=seed) for seed, n in ((case["gen"]["seed"], case["gen"]["n"]), (1, 777), (2, 5000))]
    check_arrays(web, case, case["options"], runs, "gpu")


@special("SG-03")
def a_hundred_frames(web, case):
    count = 3 * TILE + 1
    runs = [with_items(web, case, count, seed=frame) for frame in range(100)]
    check_sorter(web, options_of(case, case["options"], count), runs)
    web.notes.append(f"a hundred frames of {count} items")


@special("SG-01")
def by_subgroups(web, case):
    data = surfaces.wanted(web, case, None, case["options"])
    options = options_of(case, case["options"], case["gen"]["n"])
    options["limits"]["noSubgroups"] = False
    answer = check_sorter(web, options, [data])
    if "\nsubgroups of" not in answer["explain"]:
        raise ledger.Skip("this driver has no subgroups")


@special("SG-06")
def words_of_adapters(web, case):
    data = surfaces.wanted(web, case, None, case["options"])
    size = lambda least, most: dict(adapterInfo=dict(subgroupMinSize=least, subgroupMaxSize=most))
    for facts, safe in ((size(0, 0), True), (size(4, 128), False), (dict(adapterInfo={}), True), (dict(features=[]), True)):
        options = options_of(case, case["options"], case["gen"]["n"])
        options["limits"].update(noSubgroups=False, workgroup=SHAPE["workgroup"] if safe else 128)
        answer = check_sorter(web, options, [data], facts=facts)
        web.expect(("\nno subgroups" in answer["explain"]) == safe, f"{facts}: {answer['explain']}")


@special("PF-06")
def pipelines_are_made_once(web, case):
    facts = dict(features=[], adapterInfo=dict(description="nothing is made for this device yet"))
    data = with_items(web, case, 1000)
    made = [check_sorter(web, options_of(case, case["options"], 1000), [data], facts=facts)["pipelines"] for _ in range(2)]
    web.expect(made[0] > 0 and made[1] == 0, f"pipelines that two sorters made: {made}")


@special("IF-12")
def integers_past_2_to_53(web, case):
    lines = cases.file_bytes(case).decode().split()
    for dtype, most in (("u64", 1 << 64), ("i64", 1 << 63)):
        numbers = [line for line in lines if int(line) < most]
        run_data(web, variant(case, op="sort_keys", dtype=dtype, gen=dict(type="list", values=numbers)), None, {})


@special("BP-04", "BP-06")
def without_a_navigator(web, case):
    module = os.path.join(web.folder, "index.mjs")
    loads = ["await import(path)"] + (["require(path)"] if case["id"] == "BP-06" else [])
    for load in loads:
        script = f"""(async () => {{
            delete globalThis.navigator;
            const path = {json.dumps(module)};
            const {{ sortTypedArray }} = {load};
            const sorted = await sortTypedArray(Float32Array.of(2, NaN, -1));
            const refused = await sortTypedArray(sorted, {{ backend: "gpu" }}).catch((error) => error.name + " " + error.message);
            console.log(...sorted, refused);
        }})()"""
        done = subprocess.run([web.node, "-e", script], capture_output=True, text=True, timeout=60)
        web.expect(done.returncode == 0 and done.stdout.startswith("-1 2 NaN LanesortError ") and "no GPU" in done.stdout,
                   f"{load}: {done.returncode}, {done.stdout}{done.stderr}")


def run(web, case):
    if case["op"].startswith("segmented_"):
        run_segments(web, case)
    if case["op"] == "topk":
        web_topk.run(web, case, sys.modules[__name__])
    if case["op"] in OPERATIONS:
        for one, n in reduced(web, case):
            for direction in ("asc", "desc") if case["id"] in cases.BOTH_WAYS else (case["options"]["order"],):
                run_data(web, one, n, dict(one["options"], order=direction))
    if case["id"] in SPECIALS:
        SPECIALS[case["id"]](web, case)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--node", required=True)
    parser.add_argument("--package", required=True)
    parser.add_argument("ids", nargs="*")
    arguments = parser.parse_args()

    file = cases.load()
    named = [case for case in file["cases"] if "web" in case["surfaces"]]
    with tempfile.TemporaryDirectory(prefix="lanesort-cases-") as folder:
        web = Web(arguments.node, arguments.package, folder)
        book = ledger.Ledger(web)
        for case in named:
            if arguments.ids and case["id"] not in arguments.ids:
                continue
            book.run(case, [IN_PART[case["id"]]] if case["id"] in IN_PART else [], lambda one: run(web, one))
        good = book.close(None if arguments.ids else len(named))
        status = web.close()
    if status != 0:
        print(f"web.mjs ended with {status}", file=sys.stderr)
    sys.exit(not good or status != 0 or bool(ledger.stale(file, IN_PART, SPECIALS)))


if __name__ == "__main__":
    main()
