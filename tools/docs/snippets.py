"""Code in documents is the text of a file that the tests build and run: a line `<!-- file: PATH -->` names it."""
import re

FENCE = re.compile(r"(<!-- file: (\S+) -->\n+```\w*\n)(.*?)(^```$)", re.M | re.S)


def fill(root, text):
    def code(match):
        return match[1] + (root / match[2]).read_text().rstrip("\n") + "\n" + match[4]
    return FENCE.sub(code, text)
