"""The drawings of docs/engines.md. Sizes in them are toys."""
from html import escape

STYLE = """<style>
text{font:14px system-ui,sans-serif;fill:#1b1f24}.small{font-size:12px}.mono{font-family:ui-monospace,monospace}
.paper{fill:#fff}.box{fill:#f3f5f7;stroke:#57606a}.frame{fill:none;stroke:#57606a}.line{fill:none;stroke:#57606a;stroke-width:1.4}.grid{fill:none;stroke:#d0d7de}
.c0{fill:#cfe3ff;stroke:#1f5fbf}.c1{fill:#ffe1b3;stroke:#a35c00}.c2{fill:#d3efda;stroke:#1a7f37}.c3{fill:#f0d4f0;stroke:#8a3f9e}.none{fill:none;stroke:#57606a;stroke-dasharray:4 3}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117}.box{fill:#1c2128;stroke:#8b949e}.frame,.line,.none{stroke:#8b949e}.grid{stroke:#30363d}
.c0{fill:#173a6b;stroke:#6cb0ff}.c1{fill:#5c3a06;stroke:#e3a13b}.c2{fill:#12462a;stroke:#56d364}.c3{fill:#4c2358;stroke:#d48ee6}}
</style>"""


class Drawing:
    def __init__(self, width, height, title):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
                      f"<title>{escape(title)}</title>", STYLE,
                      '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                      '<path class="line" d="M1 1L7 4L1 7"/></marker></defs>',
                      f'<rect class="paper" width="{width}" height="{height}"/>']

    def text(self, x, y, words, kind="", anchor="start"):
        self.parts.append(f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>')

    def box(self, x, y, w, h, words="", kind="box", font="mono"):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="2" class="{kind}"/>')
        if words:
            self.text(x + w / 2, y + h / 2 + 5, words, font, "middle")

    def arrow(self, x0, y0, x1, y1, bend=0):
        middle = f"Q{(x0 + x1) / 2} {min(y0, y1) - bend} " if bend else "L"
        self.parts.append(f'<path class="line" marker-end="url(#tip)" d="M{x0} {y0}{middle}{x1} {y1}"/>')

    def line(self, *points, kind="line"):
        self.parts.append(f'<path class="{kind}" d="M' + "L".join(f"{x} {y}" for x, y in points) + '"/>')

    def cells(self, x, y, words, w=30, h=26, kinds=None):
        for i, word in enumerate(words):
            self.box(x + i * w, y, w, h, str(word), kinds[i] if kinds else "box")

    def __str__(self):
        return "\n".join(self.parts + ["</svg>"]) + "\n"


def indices():
    lanes, rows, subgroups = 4, 3, 2
    tile = lanes * rows * subgroups
    d = Drawing(760, 400, "Items, tiles, subgroups, rows and lanes")
    d.text(20, 28, "items: tile t takes items t·T to (t + 1)·T − 1. Here T = 24")
    for t in range(4):
        d.box(20 + t * 180, 40, 180, 28, f"tile {t}", "c1" if t == 1 else "box")
    d.line((200, 68), (20, 112))
    d.line((380, 68), (740, 112))
    d.text(20, 106, "", "small")
    for s in range(subgroups):
        left = 20 + s * 370
        d.box(left, 112, 350, 190, "", "frame")
        d.text(left + 12, 134, f"subgroup {s}: items {tile + s * rows * lanes} to {tile + (s + 1) * rows * lanes - 1} of the array")
        for lane in range(lanes):
            d.text(left + 108 + lane * 60, 160, f"lane {lane}", "small", "middle")
        for r in range(rows):
            d.text(left + 12, 188 + r * 40, f"row {r}", "small")
            for lane in range(lanes):
                place = (s * rows + r) * lanes + lane
                d.box(left + 80 + lane * 60, 170 + r * 40, 56, 28, str(tile + place), "c0" if (s, lane) == (1, 2) else "box")
    d.text(20, 332, "item = t·T + (subgroup · rows + row) · lanes + lane", "mono")
    d.text(20, 356, "A row is one read of neighbours by all lanes at once. Blue: what one lane holds in its registers.")
    d.text(20, 380, "Ranks count in the order (subgroup, row, lane): so equal digits stay as they came.")
    return d


def one_pass():
    keys = [21, 3, 10, 22, 1, 13, 20, 12]
    digits = [k // 10 for k in keys]
    kinds = [f"c{digit}" for digit in digits]
    order = sorted(range(8), key=lambda i: digits[i])
    d = Drawing(760, 330, "One stable pass by one digit")
    d.text(20, 42, "source")
    d.cells(110, 24, keys, 70, 28, kinds)
    d.text(20, 112, "rank")
    seen = {}
    for i, digit in enumerate(digits):
        d.text(145 + i * 70, 112, f"{seen.get(digit, 0)}", "mono", "middle")
        seen[digit] = seen.get(digit, 0) + 1
    d.text(20, 82, "digit")
    for i, digit in enumerate(digits):
        d.text(145 + i * 70, 82, f"{digit}", "mono", "middle")
    starts = {digit: sum(x < digit for x in digits) for digit in range(3)}
    d.text(20, 150, "counts of the digits: " + ", ".join(f"{seen[k]} of digit {k}" for k in range(3)) +
           "; summed, each digit begins at " + ", ".join(str(starts[k]) for k in range(3)))
    for to, i in enumerate(order):
        d.arrow(145 + i * 70, 162, 145 + to * 70, 240)
    d.text(20, 266, "destination")
    d.cells(110, 248, [keys[i] for i in order], 70, 28, [kinds[i] for i in order])
    d.text(20, 306, "place = where its digit begins + its rank. Over many tiles: + what the tiles before have of it")
    return d


def spine(d, y, states, ours):
    for t, (word, kind) in enumerate(states):
        d.box(60 + t * 125, y, 105, 44, word, kind, "small")
        d.text(112 + t * 125, y - 8, f"tile {t}" + (" (we)" if t == ours else ""), "small", "middle")


def look_back():
    d = Drawing(760, 270, "Look-back over one digit")
    d.text(20, 28, "How many of one digit do the tiles before tile 4 have? Each tile tells one word a digit.")
    states = [("total 3", "c2"), ("total 7", "c2"), ("partial 2", "c1"), ("partial 5", "c1"), ("partial 4", "c1")]
    spine(d, 76, states, 4)
    for t, words in ((4, "+ 5"), (3, "+ 2"), (2, "+ 7, stop")):
        d.arrow(112 + t * 125, 124, 112 + (t - 1) * 125, 124, -44)
        d.text(50 + t * 125, 172, words, "small", "middle")
    d.text(20, 206, "nearest first: 5 + 2 + 7 = 14. Partial: that tile alone. Total: it and all before it, so the walk may stop.")
    d.text(20, 230, "We tell partial 4 before we look, and total 14 + 4 = 18 after, so that whoever looks at us walks one step.")
    d.text(20, 254, "Tiles are taken by a ticket: whoever is looked at has begun.")
    return d


def fallback():
    d = Drawing(760, 290, "The fallback of the look-back")
    d.text(20, 28, "The device put tile 3's workgroup aside before it told anything. Nobody promised that it runs on.")
    states = [("total 3", "c2"), ("total 7", "c2"), ("partial 2", "c1"), ("nothing yet", "none"), ("partial 4", "c1")]
    spine(d, 76, states, 4)
    d.arrow(612, 124, 487, 124, -44)
    d.text(552, 172, "looks, some times", "small", "middle")
    d.arrow(435, 176, 435, 122)
    d.text(440, 196, "then: all its lanes count tile 3's keys from the source,", "small", "middle")
    d.text(440, 212, "and tell partial 5 in tile 3's place", "small", "middle")
    d.text(20, 244, "Nobody writes to the source of a pass, so all count the same 5, and who tells it does not matter:")
    d.text(20, 268, "the word only rises (atomicMax: nothing < partial < total). A lost tile costs one more read of it.")
    return d


def layouts():
    d = Drawing(760, 470, "Counts by digit and counts by workgroup")
    words = ["workgroup 0", "workgroup 1", "workgroup 2", "workgroup 3"]
    for k, (name, by_digit) in enumerate((("by digit: counts[digit · groups + group]", True), ("by workgroup: counts[group · digits + digit]", False))):
        left = 20 + k * 380
        d.text(left, 28, name, "mono small")
        for row in range(4):
            for column in range(4):
                group = column if by_digit else row
                d.box(left + 90 + column * 56, 70 + row * 34, 54, 30, str(row * 4 + column), f"c{group}")
            d.text(left, 90 + row * 34, f"digit {row}" if by_digit else words[row], "small")
        for column in range(4):
            d.text(left + 117 + column * 56, 60, words[column].replace("workgroup", "group") if by_digit else f"digit {column}", "small", "middle")
        d.text(left, 230, "(numbers: the word's place in memory)", "small")
    rows = [("count writes", "a workgroup writes 256 words,", "a workgroup writes 256 words",
             "each `groups` words from the next", "that stand side by side"),
            ("scan reads, writes", "one workgroup a digit: a row, side by side,", "one lane a digit: the lanes' words stand side by",
             "summed by all its lanes at once", "side, but each lane walks `groups` words down"),
            ("scatter reads", "256 words, each `groups` from the next", "256 words side by side", "", "")]
    y = 264
    for head, a, b, a2, b2 in rows:
        d.text(20, y, head + ":", "small mono")
        d.text(20, y + 18, a, "small")
        d.text(400, y + 18, b, "small")
        d.text(20, y + 34, a2, "small")
        d.text(400, y + 34, b2, "small")
        y += 58
    d.text(20, y + 6, "lanesort's is the left one. Groups are few, so strided words are few and a digit's row is a short scan.")
    return d


DRAWINGS = {"engine-indices.svg": indices, "engine-pass.svg": one_pass, "engine-look-back.svg": look_back,
            "engine-fallback.svg": fallback, "engine-layouts.svg": layouts}
