"""--nvtx, with a listener where this build has NVTX and its refusal where it has not."""
import os
import unittest

from support import Case, main

LISTENER = os.environ.get("LANESORT_NVTX_LISTENER")
BENCH = ("bench", "--count", "1000", "--threads", "1", "-q")


def phases(process):
    return [line.split(" ", 2)[1:] for line in process.stderr.decode().splitlines() if line.startswith("phase ")]


class Nvtx(Case):
    @unittest.skipUnless(LISTENER, "built without NVTX")
    def test_a_listener_hears_the_phases(self):
        heard = phases(self.good(*BENCH, "--nvtx", env={"NVTX_INJECTION64_PATH": LISTENER}))
        self.assertEqual(heard[:4], [["0", "make the input"], ["0", "prove"], ["1", "fresh input"], ["1", "lanesort"]])
        self.assertIn(["0", "lanesort"], heard)

    @unittest.skipUnless(LISTENER, "built without NVTX")
    def test_off_unless_it_is_asked_for(self):
        self.assertEqual(phases(self.good(*BENCH, env={"NVTX_INJECTION64_PATH": LISTENER})), [])

    @unittest.skipIf(LISTENER, "built with NVTX")
    def test_says_that_it_is_not_there(self):
        self.bad(2, *BENCH, "--nvtx", says=["built without NVTX"])


if __name__ == "__main__":
    main()
