"""report: one page of results files, its charts, and what it refuses; and bench --ladder, whose file it reads."""
import glob
import json
import os
import re
import xml.dom.minidom

from support import Case, main

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EVERY = sorted(glob.glob(os.path.join(ROOT, "bench", "results", "*", "*.json")))
LADDERS = [path for path in EVERY if "ladder" in os.path.basename(path)]
COMMITTED = [path for path in EVERY if path not in LADDERS]

# What the pictures under docs/images are made of.
PICTURES = {
    "throughput-sort-u32-cuda-nvidia-h200.svg": ["h200/cuda-quick.json"],
    "bound-nvidia-h200-a-a7cb568ba883.svg": ["h200/cuda-quick.json"],
    "throughput-sort-u32-intel-r-xeon-r-processor-1-thread.svg": ["cpu-avx512-2/keys-1-thread.json",
                                                                  "cpu-avx512-2/keys-1e8-1-thread.json"],
}


def results(**row):
    """One row, as the bench writes it."""
    environment = {"device": "A processor", "driver": "", "compiler": "g++", "commit": "c0ffee",
                   "date": "2026-11-30T00:00:00Z", "clock": "host", "copy_bytes_per_s": 2e10, "threads": 2,
                   "isa": "avx2", "load_average": 0.0}
    usual = {"backend": "cpu", "op": "sort", "key": "u32", "value_bytes": 0, "count": 1000, "pattern": "uniform",
             "order": "asc", "form": "in_place", "bits": "all", "engine": "avx2", "median_s": 1e-5, "q1_s": 9e-6,
             "q3_s": 1.1e-5, "samples": 9, "keys_per_s": 1e8, "copy_share": 0.1, "verified": True, "fault": "",
             "rivals": []}
    return {"schema": 1, "environment": environment, "notes": [], "rows": [{**usual, **row}]}


class Page(Case):
    def put(self, name, value):
        return self.write(name, json.dumps(value).encode())

    def test_committed_ladders_make_a_page_each(self):
        for path in LADDERS:
            self.good("report", path, "-o", "report.html")
            page = self.read("report.html")
            self.assertLess(len(page), 1_000_000)
            self.assertIn('<section id="ladder">', page.decode())

    def test_committed_results_make_one_page(self):
        self.good("report", *COMMITTED, "-o", "report.html")
        page = self.read("report.html")
        self.assertLess(len(page), 1_000_000)
        text = page.decode()
        for section in ("environment", "losses", "comparison", "throughput", "bound", "roofline", "patterns",
                        "segments", "top-k", "ratios", "rows"):
            self.assertIn(f'<section id="{section}">', text)
        self.assertFalse("more charts are left out" in text)  # without the page in the message
        self.assertLess(text.index('id="losses"'), text.index("<svg"))
        for word in ("src=", "href=", "url(", "@import"):
            self.assertNotIn(word, text)
        for svg in re.findall(r"<svg.*?</svg>", text, re.S):
            xml.dom.minidom.parseString(svg)

    def test_standard_output_and_input(self):
        page = self.good("report", "-", stdin=json.dumps(results()).encode()).stdout
        self.assertTrue(page.startswith(b"<!doctype html>"))

    def test_charts_one_by_one(self):
        two = results()
        two["rows"] += results(count=2000)["rows"]
        self.put("r.json", two)
        done = self.good("report", "r.json", "--svg", "charts")
        self.assertEqual(done.stdout, b"")
        names = sorted(os.listdir(self.path("charts")))
        self.assertIn("throughput-sort-u32-a-processor-2-threads.svg", names)
        for name in names:
            self.assertIn("wrote charts/" + name, done.stderr.decode())
            document = xml.dom.minidom.parseString(self.read("charts/" + name))
            self.assertEqual(document.documentElement.tagName, "svg")

    def test_pictures_of_the_documents_are_those_of_the_results(self):
        for name, files in PICTURES.items():
            paths = [os.path.join(ROOT, "bench", "results", file) for file in files]
            self.good("report", *paths, "--svg", "charts", "-q")
            with open(os.path.join(ROOT, "docs", "images", name), "rb") as file:
                stale = f"{name} is stale: take it from lanesort report {' '.join(files)} --svg FOLDER"
                self.assertEqual(self.read("charts/" + name), file.read(), stale)
        there = map(os.path.basename, glob.glob(os.path.join(ROOT, "docs", "images", "*.svg")))
        drawn = re.compile(r"engine-|ladder")  # by tools/docs, whose check holds them
        self.assertEqual(sorted(PICTURES), sorted(name for name in there if not drawn.match(name)))

    def test_hostile_files_are_refused_and_nothing_is_written(self):
        hostile = results()
        hostile["rows"][0]["median_s"] = None
        for value, says in [(hostile, "rows[0].median_s is null"), ({"schema": 1, "command": "sort"}, "no results file"),
                            ({**results(), "schema": 7}, "schema is 7"), ([], "has to be an object"),
                            (results(pattern=3), "rows[0].pattern is 3"),
                            (results(key="k" * 300), "rows[0].key has 300 bytes")]:
            self.put("bad.json", value)
            self.bad(2, "report", "bad.json", "-o", "report.html", says=["bad.json: ", says])
        for data in (b"", b"NaN", b'{"schema": NaN}', b"\x00\xff", b"[" * 100_000):
            self.write("bad.json", data)
            self.bad(2, "report", "bad.json", "-o", "report.html", says=["is no JSON", "lanesort bench --json"])
        self.put("good.json", results())
        self.bad(2, "report", "good.json", "missing.json", "-o", "report.html", says=["missing.json"])
        self.bad(2, "report", says=["RESULTS"])
        self.bad(2, "report", "good.json", "--svg", "good.json", says=["good.json"])
        self.only_files("bad.json", "good.json")

    def test_texts_are_escaped(self):
        evil = "<script>evil()</script>\"' onload=evil()"
        rival = {"name": evil, "version": evil, "median_s": 1e-6, "q1_s": 1e-6, "q3_s": 1e-6, "samples": 3,
                 "verified": True, "fault": evil}
        bad = results(pattern=evil, engine=evil, rivals=[rival])
        bad["environment"].update(device=evil, commit=evil)
        bad["notes"] = [evil]
        name = "<b>evil.json"
        self.put(name, bad)
        text = self.good("report", name).stdout.decode()
        self.assertNotIn("<script>evil", text)
        self.assertNotIn("<b>evil", text)
        self.assertIn("&lt;script&gt;evil()&lt;/script&gt;&quot;&#39; onload=evil()", text)

    def test_five_verdicts(self):
        def file(name, commit, times):
            value = results()
            value["environment"]["commit"] = commit
            value["rows"] = [{**value["rows"][0], "count": count, "q1_s": q1, "median_s": median, "q3_s": q3}
                             for count, (q1, median, q3) in times.items()]
            self.put(name, value)
        one = (0.99e-3, 1e-3, 1.01e-3)
        file("a.json", "aaaa", {n: one for n in (1000, 2000, 3000, 4000, 5000)})
        file("b.json", "bbbb", {1000: one, 2000: (.7e-3, .8e-3, .9e-3), 3000: (1.1e-3, 1.2e-3, 1.3e-3),
                                4000: (.5e-3, 1e-3, 2e-3)})
        text = self.good("report", "a.json", "b.json").stdout.decode()
        for verdict, sign in (("same", "="), ("faster", "▲"), ("slower", "▼"), ("unclear", "?"), ("missing", "–")):
            self.assertRegex(text, rf'{re.escape(sign)} {verdict}</span> 1\b')


class Ladder(Case):
    def test_every_rung_is_verified_and_read_by_the_report(self):
        done = self.good("bench", "--ladder", "--count", "0,1,513,2^12+1", "--budget", "0.2", "--json", "ladder.json",
                         "-q")
        table = done.stdout.decode()
        told = json.loads(self.read("ladder.json"))
        rungs = [rung["name"] for rung in told["rungs"]]
        self.assertEqual(rungs[:2] + rungs[-1:], ["std::sort", "std::stable_sort", "lanesort"])
        self.assertEqual([(row["key"], row["count"]) for row in told["rows"]],
                         [(key, n) for key in ("u32", "u8") for n in (0, 1, 513, 4097)])
        for row in told["rows"]:
            names = {rival["name"] for rival in row["rivals"]}
            for rung in rungs[:-1]:
                left_out = f"{row['key']}, {row['count']} keys: no {rung}: "
                said = any(note.startswith(left_out) for note in told["notes"])
                self.assertTrue(rung in names or said, (rung, told["notes"]))
            self.assertTrue(row["verified"], row["fault"])
            for rival in row["rivals"]:
                self.assertTrue(rival["verified"], rival)
        for rung in rungs:
            self.assertIn("\n  " + rung, table)
        self.good("report", "ladder.json", "-o", "report.html")
        self.assertIn('id="ladder"', self.read("report.html").decode())

    def test_what_it_does_not_take(self):
        for words, says in [(["--device", "cuda:1"], "CUDA's"), (["--op", "argsort"], "keys alone"), (["-r"], "ascending"),
                            (["--dtype", "f32"], "f32"), (["--budget", "0"], "--budget"), (["--count", "many"], "many")]:
            self.bad(2, "bench", "--ladder", *words, says=[says])

    def test_cuda_rungs_are_a_program_of_their_own(self):
        self.bad(2, "bench", "--ladder", "--device", "cuda", env={"LANESORT_LADDER_CUDA": self.path("none")}, says=["none"])
        with open(self.path("rungs"), "w") as program:
            program.write('#!/bin/sh\nprintf "%s|" "$@"\nexit 1\n')
        os.chmod(self.path("rungs"), 0o755)
        done = self.run_here("bench", "--ladder", "--device", "cuda", "--count", "1e3,2^20", "--dtype", "u8", "-q",
                             env={"LANESORT_LADDER_CUDA": self.path("rungs")})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.decode(), "--pattern|uniform|--seed|1|--count|1e3,2^20|"
                         "--dtype|u8|--quiet|")


if __name__ == "__main__":
    main()
