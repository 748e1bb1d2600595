"""What is made of the option table for other programs: the manual page and the completions. And guesses, and colour."""
import json
import os
import re
import shutil
import subprocess

from support import BINARY, Case, main


def options_of(help_text):
    """The long options that a help names, at the begin of its lines."""
    return set(re.findall(r"--[a-z][a-z-]*", " ".join(re.findall(r"^  (-\S*)", help_text, re.M))))


class Texts(Case):
    def commands(self):
        text = self.good("help").stdout.decode()
        return re.findall(r"^  ([a-z]+) ", text[text.index("Subcommands:"):text.index("Environment:")], re.M)

    def helps(self):
        return {command: options_of(self.good("help", command).stdout.decode()) for command in self.commands()}

    def test_the_manual_page_has_every_command_and_option(self):
        page = self.good("man").stdout.decode()
        self.assertTrue(page.startswith(".TH LANESORT 1 "))
        for command, options in self.helps().items():
            self.assertIn("\n.SS %s\n" % command, page)
            for option in options:
                self.assertIn(option.replace("-", "\\-"), page, command)
        self.assertFalse([line for line in page.split("\n") if len(line) > 0 and line[0] == "'"])

    def test_man_renders_it(self):
        if not shutil.which("man") or not shutil.which("groff"):
            self.skipTest("no man here")
        self.write("lanesort.1", self.good("man").stdout)
        done = subprocess.run(["man", "--warnings", "-l", self.path("lanesort.1")], capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "MANWIDTH": "100", "LC_ALL": "C.UTF-8"}, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\n +-k K +How many;")
        self.assertIn(r"find / -printf '%s\n' | lanesort -r | head", done.stdout)

    def test_bash_completes(self):
        self.write("numbers.npy", b"")
        script = self.good("completion", "bash").stdout.decode()
        cases = [
            (["ar"], ["argsort"]),
            (["sort", "--ord"], ["--order"]),
            (["sort", "--order", ""], ["asc", "desc"]),
            (["sort", "--order", "=", "d"], ["desc"]),
            (["--dtype", "bf"], ["bf16"]),  # without a command it sorts
            (["bench", "--pattern", "unif"], ["uniform"]),
            (["gen", "--segm"], []),  # an option of others
            (["check", "num"], ["numbers.npy"]),
            (["topk", "--indices", "num"], ["numbers.npy"]),
            (["help", "verif"], ["verify"]),
            (["completion", ""], ["bash", "zsh", "fish"]),
            (["sort", "--threads", ""], []),
        ]
        calls = "".join('COMP_WORDS=(lanesort %s); COMP_CWORD=%d; _lanesort; echo "${COMPREPLY[*]}"\n' % (
            " ".join('"%s"' % word for word in words), len(words)) for words, _ in cases)
        told = subprocess.run(["bash", "-c", script + "\ncomplete -p lanesort\n" + calls], cwd=self.dir,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(told.stderr, "")
        said = told.stdout.split("\n")
        self.assertEqual(said[0], "complete -F _lanesort lanesort")
        for (words, wanted), line in zip(cases, said[1:]):
            self.assertEqual(line.split(), wanted, words)

    def test_other_shells_know_every_option(self):
        helps = self.helps()
        for shell, spell in (("zsh", str), ("fish", lambda option: "-l " + option[2:] + " ")):
            script = self.good("completion", shell).stdout.decode()
            for command, options in helps.items():
                self.assertIn(command, script)
                for option in options:
                    self.assertIn(spell(option), script, (shell, command))
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", self.write("script", script.encode())], capture_output=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.bad(2, "completion", "tcsh", says=["tcsh"])

    def test_the_documents_example(self):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/quickstart.sh")
        done = subprocess.run([program], cwd=self.dir, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": os.path.dirname(BINARY) + ":" + os.environ["PATH"]})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "good: sorted.npy is a sort of floats.npy\n-1e3\n9\n10\n")

    def test_guesses(self):
        for words, guess in (
            (["docto"], "did you mean lanesort doctor?"),
            (["srot", "-r"], "did you mean lanesort sort?"),
            (["help", "agrsort"], "did you mean argsort?"),
            (["--dtype", "u23", "x"], "did you mean u32?"),
            (["bench", "--dtype", "bf61"], "did you mean bf16?"),
            (["gen", "unifrom:u32:10"], "did you mean uniform?"),
            (["gen", "uniform:boool:10"], "did you mean bool?"),
            (["bench", "--pattern", "revresed"], "did you mean reversed?"),
            (["--device", "cdua", "x.u32"], "did you mean cuda?"),
            (["info", "--jsno"], "did you mean --json?"),
        ):
            self.bad(2, *words, says=[guess])
        self.assertNotIn(b"did you mean", self.bad(2, "missing.npy").stderr)

    def test_colour(self):
        bold = b"\033[1m"
        for words, env, coloured in (
            ([], {}, False),  # no terminal
            (["--color", "always"], {}, True),
            (["--colour=always"], {"NO_COLOR": "1"}, True),
            (["--color", "never"], {}, False),
        ):
            shown = self.good("bench", "--ladder", "--count", "100", "--dtype", "u8", "--budget", "0.1", *words,
                              env=env).stdout
            self.assertEqual(bold in shown, coloured, (words, env))
        self.bad(2, "info", "--color", "sometimes", says=["sometimes"])

    def test_doctor_says_how_to_mend(self):
        told = json.loads(self.good("doctor", "--json").stdout)
        self.assertRegex(told["cpu_limits"], r"^\w+, \d+ threads, memory \d+ GB")
        for device in ("cuda", "webgpu"):
            self.assertNotEqual(device + "_mend" in told, device + "_limits" in told)
        self.assertNotIn("cpu_mend", told)


if __name__ == "__main__":
    main()
