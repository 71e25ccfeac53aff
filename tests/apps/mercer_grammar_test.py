#!/usr/bin/python3
"""One grammar for all commands: options, completion, manual pages, standard streams: mercer_grammar_test.py BIN_FOLDER REPOSITORY"""

import csv
import io
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
import unittest

import numpy as np

import mercer_program
from mercer_program import BIN, DATA, as_json, mercer, standardised

COMMANDS = ["fit", "predict", "evaluate", "tune", "transform", "cluster", "kernel", "explain", "regions", "compare-solvers", "test", "convert", "scale", "methods",
            "devices", "serve", "describe", "completion", "manual", "learn"]
GROUPS = {"kernel": ["list", "show", "test", "gram", "spectrum", "factor"], "test": ["two-sample", "independence"]}


def leaves():
    for command in COMMANDS:
        for part in GROUPS.get(command, [None]):
            yield [command] + ([part] if part else [])


def options_of(command):
    return set(re.findall(r"(?<![\w-])--[a-zA-Z][\w-]*", mercer(*command, "--help-all").split("Examples:")[0]))


class Grammar(mercer_program.Scratch):
    def test_every_command_is_there_with_the_same_options_and_examples(self):
        top = mercer("--help-all")
        for command in COMMANDS:
            self.assertRegex(top, rf"\n  {command}\b")
        for command in leaves():
            page = mercer(*command, "--help-all")
            self.assertIn("Examples:\n  ", page, command)
            if command[0] in ("completion", "manual"):
                continue
            for option in ("--json", "--threads", "--quiet"):
                self.assertIn(option, page, command)

    def test_one_name_for_one_thing(self):
        for command in leaves():
            options = options_of(command)
            self.assertFalse(options & {"--out", "--save", "--nthreads", "--random-state", "--verbose", "--jobs"}, command)
            if "--output" in options:
                self.assertIn("-o, --output FILE", mercer(*command, "--help"), command)

    def test_did_you_mean(self):
        for words, meant in [
            (("fitt", "x"), "fit"), (("predcit", "m", "x"), "predict"), (("kernel", "sho", "rbf()"), "show"), (("compare", "x"), "compare-solvers"),
            (("fit", "svc", DATA / "iris.svm", "--treads", "2"), "--threads"), (("predict", "m", "x", "--detail"), "--details"),
            (("kernel", "gram", "rbf()", DATA / "iris.svm", "--outptu=x"), "--output"), (("--versoin",), "--version"), (("manual", "fti"), "fit"),
        ]:
            self.assertRegex(mercer(*words, code=2), rf"did you mean '?{meant}'?\?", words)
        self.assertIn("did you mean 'species'?", mercer("fit", "svc", DATA / "iris.csv", "--label", "speceis", code=1))
        self.assertIn("did you mean 'species'?", mercer("fit", DATA / "iris.csv", "--target", "specie", code=1))
        self.assertIn("did you mean svc", mercer("fit", "svcc", DATA / "iris.csv", code=2))
        mercer("fit", "svc", DATA / "iris.csv", "--label", "species", "-o", self.path("m"))
        other = self.path("other.csv")
        other.write_text((DATA / "iris.csv").read_text().replace("petal_width", "petalwidth").replace("petal width", "petal with"))
        self.assertIn("' meant?", mercer("predict", self.path("m"), other, code=1))

    def test_quiet_leaves_remarks_out(self):
        rows = "".join(f"{i % 2} 1:{i} 9:1\n" for i in range(20))
        mercer("fit", "svc", DATA / "iris.svm", "-o", self.path("m"))
        self.path("more.svm").write_text(rows)
        loud = subprocess.run([BIN / "mercer", "predict", self.path("m"), self.path("more.svm")], capture_output=True, text=True)
        self.assertIn("indices up to 9", loud.stderr)
        self.assertEqual(mercer("predict", self.path("m"), self.path("more.svm"), "--quiet"), loud.stdout)
        self.assertIn("cannot read", mercer("predict", self.path("m"), self.path("none"), "-q", code=1))

    def piped(self, *words, stdin=None, code=0):
        done = subprocess.run([BIN / "mercer", *map(str, words)], input=stdin, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_a_dash_is_a_standard_stream(self):
        data = (DATA / "iris.csv").read_bytes()
        model = self.path("m")
        mercer("fit", "svc", DATA / "iris.csv", "--label", "species", "-o", model)
        made = self.piped("fit", "svc", "-", "--label", "species", "-o", "-", stdin=data)
        self.assertEqual(made.stdout, model.read_bytes())
        self.assertIn(b"model: ", made.stderr)  # text for the user goes to standard error
        self.assertEqual(self.piped("predict", "-", DATA / "iris.csv", stdin=made.stdout).stdout.decode(), mercer("predict", model, DATA / "iris.csv"))
        table = self.piped("predict", model, "-", "--details", "-o", "-", stdin=data)
        self.assertEqual(table.stdout.decode(), mercer("predict", model, DATA / "iris.csv", "--details"))
        self.assertEqual(self.piped("convert", model, "-o", "-", "--to", "mercer").stdout, model.read_bytes())
        self.assertTrue(self.piped("fit", "svc", DATA / "iris.svm", "--svg", "-").stdout[:300].find(b"<svg") >= 0)
        rows = list(csv.reader(io.StringIO(self.piped("kernel", "gram", "linear()", DATA / "iris.svm", "--rows", "5", "-o", "-").stdout.decode())))
        self.assertEqual((len(rows), len(rows[0])), (5, 5))
        self.assertIn("html", self.piped("evaluate", model, "-", "--html", "-", stdin=data).stdout.decode()[:100])

    def test_devices(self):
        found = as_json("devices", "--threads", "1")
        self.assertEqual(found["threads"], 1)
        self.assertEqual(found["processors"], os.cpu_count())
        self.assertIn(found["simd"], ("baseline", "avx2", "avx512"))
        self.assertGreater(found["memory_bytes"], found["free_bytes"])
        self.assertEqual(found["gpus"], [])
        self.assertIn(found["processor"], mercer("devices"))


class Scale(mercer_program.Scratch):
    def test_as_numpy_does_and_others_alike(self):
        x, y = mercer_program.iris()
        numbers = self.path("numbers.json")
        mercer("scale", DATA / "iris.csv", "--label", "species", "-o", self.path("s.csv"), "--save-scaling", numbers)
        lines = list(csv.reader(self.path("s.csv").read_text().splitlines()))
        self.assertEqual(lines[0], (DATA / "iris.csv").read_text().splitlines()[0].split(","))
        np.testing.assert_allclose([[float(v) for v in line[:4]] for line in lines[1:]], standardised(x), atol=1e-12)
        self.assertEqual([line[4] for line in lines[1:3]], ["setosa", "setosa"])
        # the first rows are scaled by the numbers of all rows
        part = mercer("scale", DATA / "iris.csv", "--label", "species", "--rows", "10", "--like", numbers)
        self.assertEqual(part.splitlines(), [",".join(line) for line in lines[:11]])
        mercer("scale", DATA / "iris.svm", "--scale", "minmax", "-o", self.path("s.svm"))
        theirs = subprocess.run([BIN / "svm-scale", DATA / "iris.svm"], capture_output=True, text=True, check=True).stdout
        numbers_in = lambda text: [[float(v) for pair in line.split() for v in pair.split(":")] for line in text.splitlines()]
        for ours, other in zip(numbers_in(self.path("s.svm").read_text()), numbers_in(theirs)):
            np.testing.assert_allclose(ours, other, rtol=1e-5)
        mercer("scale", DATA / "iris.svm", "-o", self.path("s.npy"))
        np.testing.assert_allclose(np.load(self.path("s.npy")), standardised(x), atol=1e-12)
        self.assertEqual(as_json("scale", DATA / "iris.svm", "-o", self.path("t.csv"))["columns"], 4)
        self.assertIn("vectors", mercer("scale", DATA / "promoters.tsv", code=1))


class Shells(mercer_program.Scratch):
    def script(self, shell):
        path = self.path(f"mercer.{shell}")
        path.write_text(mercer("completion", shell))
        return path

    def complete_in_bash(self, *words):
        line = "source {}; COMP_WORDS=({}); COMP_CWORD={}; _mercer; printf '%s\\n' \"${{COMPREPLY[@]}}\"".format(
            self.script("bash"), " ".join(f"'{word}'" for word in ["mercer", *words]), len(words))
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=self.folder.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [word for word in done.stdout.splitlines() if word]

    def test_bash(self):
        self.assertEqual(set(COMMANDS) - set(self.complete_in_bash("")), set())
        self.assertEqual(self.complete_in_bash("comp"), ["compare-solvers", "completion"])
        self.assertEqual(set(self.complete_in_bash("kernel", "")), set(GROUPS["kernel"]))
        for command in leaves():  # exactly the commands and options that help prints
            self.assertEqual(set(self.complete_in_bash(*command, "--")) - {"--help"}, options_of(command) - {"--help"}, command)
        self.assertEqual(self.complete_in_bash("fit", "svc", "x", "--scale", ""), ["standard", "minmax", "none"])
        self.assertIn("kernel_ridge", self.complete_in_bash("fit", "kernel_"))
        self.assertIn("libsvm", self.complete_in_bash("predict", "--format", "li"))
        self.path("notes.csv").write_text("")
        for words in (("fit", "svc", "no"), ("fit", "svc", "x", "-o", "no"), ("predict", "no")):
            self.assertEqual(self.complete_in_bash(*words), ["notes.csv"])
        self.assertEqual(self.complete_in_bash("fit", "--rows", ""), [])
        done = subprocess.run(["bash", "-c", f"source {self.script('bash')}; complete -p mercer"], capture_output=True, text=True)
        self.assertIn("-F _mercer mercer", done.stdout)

    @unittest.skipIf(shutil.which("fish") is None, "no fish")
    def test_fish(self):
        script = self.script("fish")
        ask = lambda line: subprocess.run(["fish", "-N", "-c", f"source {script}; complete -C '{line}'"], capture_output=True, text=True, cwd=self.folder.name).stdout.splitlines()
        words = lambda line: {each.split("\t")[0] for each in ask(line)}
        self.assertEqual(set(COMMANDS) - words("mercer "), set())
        self.assertEqual(words("mercer kernel "), set(GROUPS["kernel"]))
        self.assertEqual(words("mercer fit svc x --scale "), {"standard", "minmax", "none"})
        self.assertEqual(options_of(["tune"]) - words("mercer tune --"), set())

    @unittest.skipIf(shutil.which("zsh") is None, "no zsh")
    def test_zsh(self):
        script = self.script("zsh")
        done = subprocess.run(["zsh", "-n", script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # records the arguments of zsh's own functions by replacing these functions
        stand_in = ("_describe() { local what=$1; shift; print -l -- \"${(@P)1}\" }; _files() { print FILES }; _message() { }; compdef() { }; "
                    "words=({}); CURRENT=$#words; source {} 2>/dev/null; _mercer")
        ask = lambda *line: subprocess.run(["zsh", "-f", "-c", stand_in.replace("{}", " ".join(f"'{w}'" for w in ["mercer", *line]), 1).replace("{}", str(script))],
                                           capture_output=True, text=True).stdout.splitlines()
        names = lambda *line: {each.split(":")[0] for each in ask(*line)}
        self.assertEqual(set(COMMANDS) - names(""), set())
        self.assertEqual(names("kernel", ""), set(GROUPS["kernel"]))
        self.assertEqual(names("fit", "svc", "x", "--scale", ""), {"standard", "minmax", "none"})
        self.assertIn("FILES", names("predict", ""))
        self.assertEqual(options_of(["tune"]) - names("tune", "--"), set())

    @unittest.skipIf(shutil.which("zsh") is None, "no zsh")
    def test_zsh_in_a_terminal(self):
        """What Tab does in a shell that somebody sits at, with zsh's own functions."""
        script = self.script("zsh")

        def tab(line, wanted):
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(self.folder.name)
                os.environ.update(TERM="dumb", COLUMNS="200", LINES="200", HOME=self.folder.name)
                os.execlp("zsh", "zsh", "-f", "-i")

            def read_until(word):
                seen, end = b"", time.monotonic() + 60
                while word not in seen and time.monotonic() < end and select.select([terminal], [], [], 60)[0]:
                    try:
                        seen += os.read(terminal, 65536)
                    except OSError:
                        break
                return seen.decode(errors="replace")

            try:
                os.write(terminal, f"autoload -Uz compinit; compinit -u -D; LISTMAX=0; source {script}; compdef _mercer mercer; print REA''DY\n".encode())
                self.assertIn("READY", read_until(b"READY"))
                os.write(terminal, line.encode() + b"\t")
                return read_until(wanted.encode())
            finally:
                os.close(terminal)
                os.waitpid(pid, 0)

        shown = tab("mercer comp", "completion ")
        self.assertIn("compare-solvers", shown)
        self.assertIn("completion ", shown)
        self.assertIn("--scale standard", tab("mercer fit svc x --scale st", "--scale standard"))
        self.path("notes.csv").write_text("")
        self.assertIn("notes.csv", tab("mercer predict model no", "notes.csv"))


class Manual(mercer_program.Scratch):
    def test_pages_say_what_help_says(self):
        folder = self.path("man1")
        mercer("manual", "--folder", folder)
        pages = sorted(page.name for page in folder.iterdir())
        self.assertEqual(set(pages), {"mercer.1", "mercer-kernel.1", "mercer-test.1"} | {"-".join(["mercer", *command]) + ".1" for command in leaves()})
        self.assertEqual(mercer("manual", "kernel", "test"), (folder / "mercer-kernel-test.1").read_text())
        mandoc, man = shutil.which("mandoc"), shutil.which("man")
        for command in leaves():
            page = folder / ("-".join(["mercer", *command]) + ".1")
            text = page.read_text()
            for option in options_of(command):
                self.assertIn(option.replace("-", "\\-"), text, command)
            if mandoc:
                done = subprocess.run([mandoc, "-T", "lint", "-W", "warning,stop", page], capture_output=True, text=True)
                faults = [line for line in done.stdout.splitlines() if "missing date" not in line]
                self.assertEqual(faults, [], page)
            if man:
                shown = subprocess.run([man, "--warnings", "-l", page], capture_output=True, text=True, env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
                self.assertEqual((shown.returncode, shown.stderr), (0, ""), page)
                self.assertIn("EXIT STATUS", shown.stdout)
                self.assertIn("-".join(["mercer", *command]), shown.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
