#!/usr/bin/env python3
"""Reads the library's symbols.

Exported: lanesort_* and nothing else. Used: no sorting engine of somebody else. Shared between units: nothing that was
compiled for an instruction set, because the linker keeps one copy of a weak symbol and may keep the one that an older
machine cannot run.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

FOREIGN = re.compile(
    r"std::(__\w+::)?(stable_)?sort|std::(__\w+::)?(partial_sort|nth_element|inplace_merge|merge)\b|__introsort|"
    r"__insertion_sort|__merge_adaptive|__stable_sort|std::__parallel|\bqsort(_r)?\b|vqsort|VQSort|\bhwy\b|\btbb\b|"
    r"\bcub::|\bthrust::|boost::sort")


def run_nm(nm, path, *options):
    """(letter, name) of each symbol."""
    text = subprocess.run([nm, *options, path], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        match = re.match(r"^[0-9a-fA-F ]* ?([A-Za-z]) (.+)$", line)
        if match:
            yield match.group(1), match.group(2)


def strangers(nm, shared):
    return [n for _, n in run_nm(nm, shared, "-D", "--defined-only") if not n.startswith("lanesort_")]


def foreign_sorts(nm, path):
    return sorted({n for _, n in run_nm(nm, path, "-C") if FOREIGN.search(n)})


def loose_weak(nm, unit, isa):
    """Weak symbols of a unit that do not name its instruction set's namespace."""
    return sorted({n for letter, n in run_nm(nm, unit, "-C", "--defined-only")
                   if letter in "WwVvu" and f"::{isa}::" not in n and not n.startswith("DW.ref.")})


def check(arguments):
    flaws = [f"exported: {n}" for n in strangers(arguments.nm, arguments.shared)]
    seen = sum(1 for _ in run_nm(arguments.nm, arguments.shared, "-D", "--defined-only"))
    if seen < 10:
        flaws.append(f"only {seen} exported symbols could be read")
    for path in (arguments.shared, arguments.static):
        flaws += [f"{os.path.basename(path)} uses {n}" for n in foreign_sorts(arguments.nm, path)]
    units = [(isa, path) for isa, *paths in arguments.unit or [] for path in paths]
    for isa, path in units:
        flaws += [f"{isa} unit {path} would share {n}" for n in loose_weak(arguments.nm, path, isa)]
    print(f"{seen} exported symbols, {len(units)} units of an instruction set")
    return flaws


CRAFTED = r"""
#include <algorithm>
namespace lanesort { inline namespace v1 { namespace cpu { namespace avx2 {
template <class T> __attribute__((noinline)) T kept(T x) { return x + 1; } } } } }
template <class T> __attribute__((noinline)) T shared_by_all(T x) { return x * 2; }
extern "C" __attribute__((visibility("default"))) int lanesort_good(int* p, int n) {
  std::sort(p, p + n);
  return lanesort::cpu::avx2::kept(n) + shared_by_all(n); }
extern "C" __attribute__((visibility("default"))) int stranger() { return 1; }
"""


def prove(nm, compiler):
    """Each check against an object that breaks it."""
    flaws = []
    with tempfile.TemporaryDirectory() as folder:
        source, unit, shared = (os.path.join(folder, n) for n in ("bad.cpp", "bad.o", "bad.so"))
        with open(source, "w") as file:
            file.write(CRAFTED)
        subprocess.run([compiler, "-O1", "-fPIC", "-fvisibility=hidden", "-c", source, "-o", unit], check=True)
        subprocess.run([compiler, "-shared", unit, "-o", shared], check=True)
        if strangers(nm, shared) != ["stranger"]:
            flaws.append(f"the stranger among the exports was not seen alone: {strangers(nm, shared)}")
        if not foreign_sorts(nm, unit):
            flaws.append("std::sort was not seen")
        weak = loose_weak(nm, unit, "avx2")
        if not any("shared_by_all" in n for n in weak):
            flaws.append("the weak symbol outside of the namespace was not seen")
        if any("kept" in n for n in weak):
            flaws.append("the weak symbol inside of the namespace was taken for a flaw")
    return flaws


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nm", required=True)
    parser.add_argument("--shared")
    parser.add_argument("--static")
    parser.add_argument("--unit", nargs="+", action="append", metavar="ISA OBJECT")
    parser.add_argument("--prove-it-can-fail", metavar="COMPILER")
    arguments = parser.parse_args()
    flaws = prove(arguments.nm, arguments.prove_it_can_fail) if arguments.prove_it_can_fail else check(arguments)
    for flaw in flaws:
        print(flaw, file=sys.stderr)
    sys.exit(1 if flaws else 0)


if __name__ == "__main__":
    main()
