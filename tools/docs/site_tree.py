"""The tree that MkDocs makes a site of: docs/, documents that live beside their code, and files that one links to."""
import re
import shutil

from links import links_of

# Documents from elsewhere, and their names on the site.
GUESTS = {"kernels/README.md": "kernels.md", "web/README.md": "web.md", "packaging/README.md": "packaging.md",
          "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md", "README.md": "about.md"}


def place_of(path, root):
    """Where a file of the repository is on the site."""
    name = str(path.relative_to(root))
    if name in GUESTS:
        return GUESTS[name]
    if name.startswith("docs/"):
        return name[len("docs/"):]
    return "files/" + name + ("" if path.suffix in (".svg", ".png", ".json") else ".txt")  # browsers show text


def make_tree(root, to):
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(root / "docs", to)
    for document in [*sorted(root.glob("docs/*.md")), *(root / name for name in GUESTS)]:
        text = document.read_text()
        for link in set(links_of(text)):
            path, mark, anchor = link.partition("#")
            target = (document.parent / path).resolve() if path else document
            if target.is_dir():  # a site has no folders to show
                text = re.sub(r"\[([^\]]*)\]\(" + re.escape(link) + r"\)", r"`\1`", text)
                continue
            place = place_of(target, root)
            if place.startswith("files/"):
                (to / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(target, to / place)
            text = re.sub(r'(\]\(|src="|href=")' + re.escape(link) + r'(?=[)"])',
                          lambda found: found[1] + place + mark + anchor, text)
        (to / place_of(document, root)).write_text(text)
