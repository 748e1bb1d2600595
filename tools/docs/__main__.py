"""python3 tools/docs check         links, code, drawings, tables: is everything as its sources say? What tests run
python3 tools/docs write         makes the generated parts anew
python3 tools/docs site FOLDER   the tree that MkDocs takes (./run docs)
python3 tools/docs version       of the library"""
import json
import pathlib
import re
import sys

import drawings
import ladder
import links
import site_tree
import snippets
import staging

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"


def documents():
    """All of the repository's own."""
    return [path for pattern in ("*.md", "docs/*.md", "kernels/*.md", "web/*.md", "packaging/*.md", "tests/**/*.md")
            for path in sorted(ROOT.glob(pattern))]


def between(text, name, new):
    mark, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = text.partition(mark)
    return before + mark + new + end + rest.partition(end)[2] if found else text


def generated():
    """(path, what it is to hold): every file with a part that is made of others."""
    for name, draw in drawings.DRAWINGS.items():
        yield IMAGES / name, str(draw())
    for name, chart in (("ladder.svg", ladder.chart(ROOT)), ("ladder-digits.svg", ladder.digits_chart(ROOT))):
        if chart:
            yield IMAGES / name, chart
    for path in documents():
        text = snippets.fill(ROOT, path.read_text())
        text = between(text, "ladder tables", ladder.tables(ROOT))
        text = between(text, "staging tables", staging.tables(ROOT))
        yield path, between(text, "ladder chart", ladder.readme_part(ROOT))


def pages():
    """What mkdocs.yml lists; its grammar here is `- title: page`."""
    return re.findall(r"^ +- .+: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)


def faults():
    for path, text in generated():
        if not path.exists() or path.read_text() != text:
            yield f"{path.relative_to(ROOT)} is not as its sources say: python3 tools/docs write"
    yield from links.faults(ROOT, documents())
    there = {path.name for path in (ROOT / "docs").glob("*.md")} | set(site_tree.GUESTS.values())
    for page in there ^ set(pages()):
        yield f"mkdocs.yml and the documents differ in {page}"
    version = re.search(r"CCCL ([\d.]+)", (ROOT / "docs/rivals.md").read_text())[1]
    for file in ROOT.glob("bench/results/*/*.json"):
        rivals = [rival for row in json.loads(file.read_text())["rows"] for rival in row["rivals"]]
        for seen in {rival["version"] for rival in rivals if rival["name"].startswith("cub")} - {version, ""}:
            yield f"docs/rivals.md says CCCL {version}, {file.relative_to(ROOT)} {seen}"


def main(words):
    if words == ["write"]:
        for path, text in generated():
            path.write_text(text)
    elif words == ["check"]:
        found = list(faults())
        print(*found, f"{len(documents())} documents, {len(found)} faults", sep="\n")
        return 1 if found else 0
    elif words == ["version"]:
        header = (ROOT / "include/lanesort/lanesort.h").read_text()
        print(*re.findall(r"define LANESORT_VERSION_[A-Z]+ (\d+)", header), sep=".")
    elif len(words) == 2 and words[0] == "site":
        site_tree.make_tree(ROOT, pathlib.Path(words[1]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


sys.exit(main(sys.argv[1:]))
