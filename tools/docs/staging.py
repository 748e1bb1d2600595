"""A sort in the frame beside the same sort of host memory, out of committed results of one machine."""
import json

from ladder import count_words, duration


def rows_of(path):
    return json.loads(path.read_text())["rows"] if path.exists() else []


def tables(root):
    text = ""
    for path in sorted(root.glob("bench/results/*/host.json")):
        results = json.loads(path.read_text())
        alone = {(row["key"], row["count"]): row["median_s"] for row in rows_of(path.with_name("cuda-quick.json"))
                 if row["op"] == "sort" and row["pattern"] == "uniform" and row["verified"]}
        staged = {}
        for row in results["rows"]:
            if row["engine"] == "host" and row["verified"]:
                kind = "pinned" if "pinned" in row["form"] else "pageable"
                trip = row["rivals"][0]["median_s"] if row["rivals"] else None
                staged.setdefault((row["key"], row["count"]), {}).setdefault(kind, (row["median_s"], trip))
        text += (f"| {results['environment']['device']}, uniform | on the device | from pinned host memory and back | "
                 "from pageable | the two copies alone, pinned |\n|---|---|---|---|---|\n")
        for (key, count), kinds in sorted(staged.items()):
            if (key, count) in alone and "pinned" in kinds:
                cells = [alone[key, count], kinds["pinned"][0], kinds.get("pageable", (None,))[0], kinds["pinned"][1]]
                text += f"| {count_words(count)} {key} | " + " | ".join(duration(c) if c else "" for c in cells) + " |\n"
        text += f"\n([results](../{path.relative_to(root)}))\n"
        web = path.with_name("webgpu.json")
        splats = [row for row in rows_of(web) if row["op"] == "argsort" and row["bits"] == "16:32" and row["verified"]]
        if splats:
            best = min(splats, key=lambda row: row["median_s"])
            text += (f"\nIn the frame by WebGPU, the upper 16 bits of {count_words(best['count'])} depths (`f32`), as splats are "
                     f"sorted: {duration(best['median_s'])} ([results](../{web.relative_to(root)})).\n")
    return text or "Not measured on a committed machine yet.\n"
