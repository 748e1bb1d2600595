"""The numbers of the ladder, in tables and a chart, out of what `lanesort bench --ladder --json` wrote."""
import json
import math
import re
from html import escape

from drawings import Drawing

NONE = "No machine's ladder is committed yet; `lanesort bench --ladder` climbs yours.\n"


def committed(root):
    """(name, results) of files with rungs. A software GPU's figures say nothing, so it has none."""
    for path in sorted(root.glob("bench/results/*/*ladder*.json")):
        results = json.loads(path.read_text())
        if results.get("rungs") and "software" not in results["environment"]["device"]:
            yield str(path.relative_to(root)), results


def machine(results):
    way = {"cuda": ", CUDA", "webgpu": ", WebGPU"}.get(results["rows"][0]["backend"], "")
    return results["environment"]["device"].strip() + way


def sorts(results):
    """The rows of sorts of arrays where they lie; those with transfers and what is no sort are in the file."""
    return [row for row in results["rows"] if row["op"] == "sort" and "host memory" not in row["form"]]


def steps(row):
    """What was measured of each rung: (median seconds, proved)."""
    found = {"lanesort": (row["median_s"], row["verified"])}
    for rival in row["rivals"]:
        found.setdefault(rival["name"], (rival["median_s"], rival["verified"]))
    return found


def duration(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{seconds / size:.3g} {unit}"


def count_words(count):
    power = math.log2(count)
    if power == int(power):
        return f"2^{int(power)}"
    return f"10^{round(math.log10(count))}" if count == 10 ** round(math.log10(count)) else f"{count:,}"


def table(results, key):
    rows = [row for row in sorts(results) if row["key"] == key]
    names = [rung["name"] for rung in results["rungs"]]
    names += sorted({name for row in rows for name in steps(row)} - set(names))
    best = [min((s for s, proved in steps(row).values() if proved and s), default=None) for row in rows]
    lines = ["| " + key + " | " + " | ".join(count_words(row["count"]) for row in rows) + " |",
             "|---" * (len(rows) + 1) + "|"]
    for name in names:
        cells = []
        for row, least in zip(rows, best):
            seconds, proved = steps(row).get(name, (None, True))
            text = "" if seconds is None and proved else duration(seconds) if proved else "WRONG"
            cells.append(f"**{text}**" if proved and seconds == least and seconds else text)
        if any(cells):
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def tables(root):
    text = ""
    for name, results in committed(root):
        e = results["environment"]
        threads = f", {e['threads']} threads" if e["threads"] else ""
        text += (f"### {machine(results)}\n{e['isa']}{threads}; {e['compiler']}; commit {e['commit']}, "
                 f"{e['date'][:10]}; medians, each rung proved in the same run; the best is bold "
                 f"([results](../{name})).\n\n")
        for key in dict.fromkeys(row["key"] for row in sorts(results)):
            text += table(results, key) + "\n"
    return text + rungs(root) if text else NONE


def rungs(root):
    """What each says of itself, once."""
    said = {rung["name"]: rung for _, results in committed(root) for rung in results["rungs"]}
    lines = ["### What each rung says of itself", "| rung | idea | launches | limits | source |", "|---|---|---|---|---|"]
    for name, rung in said.items():
        cells = [name, *(rung[part] for part in ("idea", "launches", "limits", "source"))]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n\n"


def chart(root):
    """Keys a second of every rung at the most u32 keys that it was given, a panel a machine; None where there is nothing."""
    panels = []
    for _, results in committed(root):
        rows = [row for row in sorts(results) if row["key"] == "u32"]
        most = max((row["count"] for row in rows), default=0)
        bars = {}
        for row in sorted(rows, key=lambda row: row["count"]):
            for name, (seconds, proved) in steps(row).items():
                if proved and seconds and ": " not in name:  # a rung's variants are in the tables
                    limit = "" if row["count"] == most else f" (at {count_words(row['count'])})"
                    bars[name] = (name + limit, row["count"] / seconds)
        if bars:
            panels.append((machine(results), most, sorted(bars.values(), key=lambda bar: bar[1])))
    if not panels:
        return None
    low = min(speed for _, _, bars in panels for _, speed in bars)
    high = max(speed for _, _, bars in panels for _, speed in bars)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    height = sum(70 + 22 * len(bars) for _, _, bars in panels)
    d = Drawing(760, height, "Keys a second of each way to sort")
    place = lambda speed: 250 + 430 * (math.log10(speed) - first) / max(1, last - first)
    y = 0
    for device, count, bars in panels:
        d.text(20, y + 26, f"{count_words(count)} u32 keys on {escape(device)}, keys a second")
        bottom = y + 44 + 22 * len(bars)
        for power in range(first, last + 1):
            d.line((place(10 ** power), y + 38), (place(10 ** power), bottom), kind="grid")
            unit = " kMGT"[power // 3] if power >= 3 else ""
            d.text(place(10 ** power), bottom + 14, f"{10 ** (power % 3)} {unit}", "small", "middle")
        for i, (name, speed) in enumerate(bars):
            top = y + 42 + 22 * i
            d.text(240, top + 13, name, "small", "end")
            d.box(250, top, max(2, place(speed) - 250), 16, "", "c1" if name.startswith("lanesort") else "c0")
            words = f"{speed / 1e9:.3g} G" if speed >= 1e9 else f"{speed / 1e6:.3g} M"
            d.text(place(speed) + 6, top + 13, words, "small")
        y += 70 + 22 * len(bars)
    return str(d)


VARIANT = re.compile(r"three-kernel radix: (\d) bits?, (.+)")


def digits(results):
    """Of the most u32 keys that the three-kernel radix's variants were timed with: that count, and (seconds, what copying
    the bytes takes, bytes a key) by (width, layout)."""
    found = {}
    for row in sorts(results):
        for rival in row["rivals"] if row["key"] == "u32" else []:
            parts = VARIANT.fullmatch(rival["name"])
            if parts and rival["verified"]:
                moved = rival["bound_s"] * results["environment"]["copy_bytes_per_s"] / row["count"]
                found.setdefault(row["count"], {})[int(parts[1]), parts[2]] = (rival["median_s"], rival["bound_s"], moved)
    return (max(found), found[max(found)]) if found else (0, {})


def digits_chart(root):
    """Time over the width of digits, by how histograms lie and of how many keys; None where no ladder has it."""
    for _, results in committed(root):
        count, found = digits(results)
        if not found:
            continue
        widths, layouts = sorted({width for width, _ in found}), list(dict.fromkeys(layout for _, layout in found))
        group, most = 34 + 20 * len(layouts), max(seconds for seconds, *_ in found.values())
        d = Drawing(760, 44 + group * len(widths), "Time of a three-kernel radix sort over the width of its digits")
        d.text(20, 24, f"three-kernel radix, {count_words(count)} u32 keys on {machine(results)}; filled: what copying the same bytes takes")
        for w, width in enumerate(widths):
            y = 40 + group * w
            moved = " or ".join(map(str, sorted({round(found[width, layout][2]) for layout in layouts})))
            d.text(20, y + 12, f"{width} bit{'s' * (width > 1)}: {32 // width} passes, {moved} bytes a key", "small")
            for i, layout in enumerate(layouts):
                seconds, bound, _ = found[width, layout]
                top, wide = y + 18 + 20 * i, 420 * seconds / most
                d.text(240, top + 13, layout, "small", "end")
                d.box(250, top, wide, 16)
                d.box(250, top, 420 * bound / most, 16, "", "c0")
                d.text(256 + wide, top + 13, duration(seconds), "small")
        return str(d)
    return None


def readme_part(root):
    if chart(root) is None:
        return ""
    return ('<img src="docs/images/ladder.svg" alt="Keys a second of each rung of the ladder">\n\n'
            "The ladder, from the plainest sort to ours, each proved on the run that timed it: "
            "[docs/ladder.md](docs/ladder.md).\n")
