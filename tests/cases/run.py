#!/usr/bin/env python3
"""Runs every case of cases.json that this library offers, against liblanesort and the command line.

Each case ends in one of four lists, with a reason where it was not run whole: run, in part, elsewhere (another test of
ours runs it), not offered. The lists must add up to the file, so none can vanish. Exit status 1 if any check failed.
"""
import argparse
import ctypes
import os
import sys
import tempfile

import cases
import ledger
import library
import segments
import surfaces
import topk
from ledger import Skip
from specials import ELSEWHERE, IN_PART, SPECIALS


def available_bytes():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))


class Runner(ledger.Checks):
    def __init__(self, arguments):
        super().__init__()
        self.library = library.Library(arguments.library)
        self.helper = library.Helper(arguments.helper)
        self.cli = arguments.cli if arguments.cli and os.path.exists(arguments.cli) else None
        self.sanitized = arguments.sanitized
        self.folder = tempfile.mkdtemp(prefix="lanesort-cases-")

    def recipe(self, case, n=None):
        """A large case for the helper; None if it has no word for the recipe."""
        gen, kinds = case["gen"], dict(affine=0, rev_iota=1, rand_real=2)
        if gen["type"] not in kinds or (gen["type"] == "rand_real" and case["dtype"] != "f32"):
            return None
        width = cases.WIDTH[case["dtype"]]
        return library.Recipe(kind=kinds[gen["type"]], dtype=self.library.dtype(case["dtype"]), count=cases.count_of(gen, n),
                              mul=gen.get("mul", 0), add=gen.get("add", 0), mask=(1 << gen.get("modbits", width)) - 1,
                              seed=gen.get("seed", 0), low=gen.get("lo", 0), high=gen.get("hi", 0))

    def run_large(self, case, n):
        recipe = self.recipe(case, n)
        if recipe is None:
            raise Skip("no generator of millions for this recipe")
        needed = 8 * recipe.count * cases.WIDTH[case["dtype"]] // 8
        if available_bytes() < needed:
            raise Skip(f"needs {needed >> 20} MiB of free memory")
        if self.sanitized and recipe.count > 20_000_000:
            raise Skip("too slow under a sanitizer")
        operation = library.OPERATIONS[case["op"]]
        flaw, scratch = self.helper.run(recipe, operation, repeats=20 if case["id"].startswith("RC-") and not self.sanitized else 1)
        self.expect(flaw == "", f"n = {recipe.count}: {flaw}")
        multiple = {library.SORT: 4, library.SORT_PAIRS: 8, library.ARGSORT: 12}[operation]
        self.expect(scratch <= multiple * recipe.count + (8 << 20), f"{scratch} bytes of scratch for {recipe.count} keys")
        if "cli" in case["surfaces"] and self.cli:
            self.run_large_cli(case, recipe, operation)

    def run_large_cli(self, case, recipe, operation):
        """The command line against the library, whose answer has just been proved."""
        if recipe.count > 20_000_000:
            self.notes.append(f"the command line with 20 million keys, not {recipe.count}")
            recipe.count = 20_000_000
        source = surfaces.place(self, "large.raw")
        self.expect(self.helper.c.cases_write(ctypes.byref(recipe), source.encode()), "the file could not be written")
        keys = surfaces.read(source)
        os.remove(source)
        want, indices = self.library.run(operation, case["dtype"], keys, case["options"], values=surfaces.iota(recipe.count))
        surfaces.check_cli(self, operation, case["dtype"], keys, case["options"], want, indices or bytes(4 * recipe.count))

    def run_data(self, case, n, options):
        """One array through the library, in every arrangement, and through the command line."""
        operation, dtype = library.OPERATIONS[case["op"]], case["dtype"]
        key_bytes, sorted_bytes, index_bytes = surfaces.wanted(self, case, n, options)
        if "lib" in case["surfaces"]:
            surfaces.check_library(self, operation, dtype, key_bytes, options, sorted_bytes, index_bytes)
        if "cli" in case["surfaces"] and self.cli:
            surfaces.check_cli(self, operation, dtype, key_bytes, options, sorted_bytes, index_bytes)

    def run(self, case):
        special = SPECIALS.get(case["id"])
        if case["op"] == "topk":
            return topk.run_case(self, case, Skip)
        if case["op"].startswith("segmented_"):
            return segments.run_case(self, case, Skip)
        if case["op"] in library.OPERATIONS and case["gen"]["type"] not in cases.BARE and case["dtype"] in cases.WIDTH:
            directions = ["asc", "desc"] if case["id"] in cases.BOTH_WAYS else [None]
            for n in case.get("sweep_n") or [None]:
                if cases.count_of(case["gen"], n) > cases.MEDIUM:
                    self.run_large(case, n)
                    continue
                for direction in directions:
                    options = dict(case["options"], order=direction) if direction else case["options"]
                    self.run_data(case, n, options)
        if special:
            special(self, case)
        if not special and case["op"] not in library.OPERATIONS:
            raise Skip("no test is written for it")


def elsewhere(case):
    if not {"lib", "cli", "build"} & set(case["surfaces"]) or case["op"] == "load":
        return "ctest cases_web"
    return ELSEWHERE.get(case["id"])


def not_offered(case):
    if case["size_class"] == "huge":
        return "needs more than 16 GiB: not part of a test run"
    return {"SG-07": "there are no SPIR-V modules yet", "BP-07": "there are no shaders yet"}.get(case["id"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--helper", required=True)
    parser.add_argument("--cli")
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("ids", nargs="*")
    arguments = parser.parse_args()

    runner = Runner(arguments)
    cases.draw = runner.helper.draw
    file = cases.load()
    book = ledger.Ledger(runner)
    for case in file["cases"]:
        name = case["id"]
        if arguments.ids and name not in arguments.ids:
            continue
        if reason := elsewhere(case):
            book.put("elsewhere", case, reason)
        elif reason := not_offered(case):
            book.put("not offered", case, reason)
        else:
            notes = [IN_PART[name]] if name in IN_PART else []
            if "cli" in case["surfaces"] and not runner.cli:
                notes.append("the command line is not built")
            book.run(case, notes, runner.run)
    good = book.close(None if arguments.ids else file["meta"]["count"])
    surfaces.remove(runner.folder)
    sys.exit(not good or bool(ledger.stale(file, ELSEWHERE, IN_PART, SPECIALS)))


if __name__ == "__main__":
    main()
