"""What became of each case: lists that must add up to the file, so that none can vanish."""
import sys
import time
import traceback


class Skip(Exception):
    """Why a case, or the rest of it, was not run."""


class Checks:
    def __init__(self):
        self.checks = 0
        self.notes = []  # what of the case at hand was left out

    def expect(self, good, words):
        self.checks += 1
        if not good:
            raise AssertionError(words)


class Ledger:
    def __init__(self, checks):
        self.checks = checks
        self.ended = {"run": [], "in part": [], "elsewhere": [], "not offered": [], "failed": []}

    def put(self, words, case, reason):
        self.ended[words].append((case["id"], reason))

    def run(self, case, notes, work):
        """work(case), with `notes` on what of the case is left out from the start."""
        begin, checks = time.monotonic(), self.checks.checks
        self.checks.notes = notes
        try:
            work(case)
        except Skip as skip:
            notes.append(str(skip))
        except Exception:
            print(f"FAILED {case['id']} ({case['title']}): {case['expect']}\n{traceback.format_exc()}", file=sys.stderr)
            return self.put("failed", case, case["title"])
        if self.checks.checks == checks and not notes:
            self.put("failed", case, "nothing was checked")
        else:
            self.put("in part" if notes else "run", case, "; ".join(dict.fromkeys(notes)))
        seconds = time.monotonic() - begin
        if seconds > 5:
            print(f"{case['id']} took {seconds:.0f} s")

    def close(self, count):
        """Prints it all; whether it is as it should be. count: cases that must be here, None for any number."""
        for words in ("in part", "elsewhere", "not offered", "failed"):
            for name, reason in self.ended[words]:
                print(f"{words}: {name}: {reason}")
        print(", ".join(f"{len(listed)} {words}" for words, listed in self.ended.items()), f"- {self.checks.checks} checks")
        total = sum(len(listed) for listed in self.ended.values())
        missing = count is not None and total != count
        if missing:
            print(f"{total} cases of {count} are accounted for", file=sys.stderr)
        return not self.ended["failed"] and not missing


def stale(file, *tables):
    """Ids that our tables name and the file does not have."""
    ids = {case["id"] for case in file["cases"]}
    names = [name for table in tables for name in table if name not in ids]
    if names:
        print(f"the runner names cases that the file lacks: {names}", file=sys.stderr)
    return names
