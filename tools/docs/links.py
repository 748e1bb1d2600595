"""Relative links of documents, and the headings that they name."""
import re

LINK = re.compile(r"!?\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)?\]\(([^)\s]+)\)")
SOURCE = re.compile(r'<(?:img|a)[^>]* (?:src|href)="([^"]+)"')


def prose(text):
    """Without code, in which brackets are no links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "`code`", text)


def links_of(text):
    return [link for link in LINK.findall(prose(text)) + SOURCE.findall(prose(text))
            if not re.match(r"[a-z]+:|#?$", link)]


def anchors_of(text):
    """As code hosts and MkDocs make them."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    heads = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", head.replace("`", "")).strip().lower()) for head in heads}


def faults(root, documents):
    for document in documents:
        text = document.read_text()
        for link in links_of(text):
            path, _, anchor = link.partition("#")
            target = (document.parent / path).resolve() if path else document
            where = f"{document.relative_to(root)}: {link}"
            if not target.exists() or root not in (target, *target.parents):
                yield f"{where}: no such file"
            elif anchor and target.suffix == ".md" and anchor not in anchors_of(target.read_text()):
                yield f"{where}: no such heading"
