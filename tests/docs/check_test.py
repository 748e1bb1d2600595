"""tools/docs check finds what it is there to find: each kind of fault in a copy of a few documents."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(root):
    done = subprocess.run([sys.executable, root / "tools/docs", "check"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def change(path, old, new):
    text = path.read_text()
    assert old in text, (path, old)
    path.write_text(text.replace(old, new, 1))


FAULTS = [
    ("docs/start.md", "(../packaging/README.md)", "(../packaging/READ.md)", "no such file"),
    ("docs/engines.md", "(../kernels/README.md)", "(../../README.md)", "no such file"),  # out of the tree
    ("docs/ladder.md", "engines.md#single-pass", "engines.md#double-pass", "no such heading"),
    ("examples/quickstart.c", "3.5f", "4.5f", "README.md is not as its sources say"),
    ("docs/images/engine-pass.svg", "tip", "top", "engine-pass.svg is not as its sources say"),
    ("mkdocs.yml", "start.md", "begin.md", "mkdocs.yml and the documents differ in begin.md"),
    ("docs/rivals.md", "CCCL 3", "CCCL 2", "docs/rivals.md says CCCL 2"),
    ("docs/ladder.md", "<!-- ladder tables -->\n", "<!-- ladder tables -->\n1 ms\n", "docs/ladder.md is not as"),
]

with tempfile.TemporaryDirectory(prefix="lanesort-docs-") as here:
    copy = pathlib.Path(here) / "lanesort"
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if names.returncode != 0:
        print("no git here, so nobody can copy the tree")
        sys.exit(77)
    for name in names.stdout.split("\n"):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    assert check(copy)[0] == 0, check(copy)
    for path, old, new, words in FAULTS:
        before = (copy / path).read_text()
        change(copy / path, old, new)
        status, said = check(copy)
        assert status == 1 and words in said, (path, new, status, said)
        (copy / path).write_text(before)
print(len(FAULTS), "faults found")
