#!/usr/bin/python3
"""What users read and type on the command line: help texts, their examples, former spellings: mercer_help_test.py BIN_FOLDER REPOSITORY"""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import unittest
from pathlib import Path

import mercer_program
from mercer_program import BIN, DATA, ROOT, as_json, mercer

GROUPS = {"kernel": ["list", "show", "test", "gram", "spectrum", "factor"], "test": ["two-sample", "independence"]}


def page(*words, width=80):
    done = subprocess.run([BIN / "mercer", *words], capture_output=True, text=True, env={**os.environ, "COLUMNS": str(width)}, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), (words, done)
    return done.stdout


def commands():
    """All commands as they stand in the list of --help-all: ["fit"], …, ["kernel"], ["kernel", "list"], …"""
    out = []
    for line in page("--help-all", width=300).split("\nOptions:")[0].splitlines():
        if found := re.match(r"  ([a-z][\w-]*)  +\S", line):
            out.append([found[1]])
            out += [[found[1], part] for part in GROUPS.get(found[1], [])]
    return out


def entries(text):
    """The arguments and options of a help text that is not wrapped: [(section, names, text)]."""
    out, section, name = [], "", None
    for line in text.splitlines():
        if found := re.fullmatch(r"(Arguments|Commands|Help|(?:\w+ )?[Oo]ptions):", line):
            section = found[1]
        elif not line.startswith("  "):
            section = "" if line else section
        elif section and (found := re.fullmatch(r"  (\S.*?)(?:  +(\S.*))?", line)) and line[2] != " ":
            out.append((section, found[1], found[2] or ""))
        elif section:  # the text of a long name stands on the next line
            out[-1] = (*out[-1][:2], line.strip())
    return out


def options(text):
    return [names for section, names, _ in entries(text) if section.lower().endswith("options") or section == "Help"]


def examples(text):
    return [line[2:] for line in text.split("Examples:\n")[1].splitlines() if line.startswith("  ")] if "Examples:\n" in text else []


class MainHelp(mercer_program.Scratch):
    def test_it_fits_a_small_terminal(self):
        lines = page("--help", width=200).splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 80)
        for command in ("fit", "predict", "evaluate", "tune", "explain"):
            self.assertRegex("\n".join(lines), rf"\n  {command} +\S")
        for command in commands():
            if len(command) == 1:
                self.assertRegex("\n".join(lines), rf"\W{command[0]}\b")

    def test_without_a_command(self):
        self.assertEqual(page(), page("--help"))
        for group in GROUPS:
            self.assertEqual(page(group), page(group, "--help"))
            for part in GROUPS[group]:
                self.assertRegex(page(group), rf"\n  {part} +\S")


class Texts(mercer_program.Scratch):
    def test_every_option_has_one_line_of_help(self):
        self.assertGreater(len(commands()), 25)
        for command in commands():
            text = page(*command, "--help-all", width=400)
            found = entries(text)
            self.assertGreaterEqual(len(found), 2, command)
            for section, name, about in found:
                where = (command, name, about)
                self.assertTrue(about, where)
                self.assertLessEqual(len(about), 80, where)
                self.assertFalse(about.endswith("."), where)
                self.assertNotRegex(about, r"^(Of|What|Whether|Those|That|By what|As many|So many|Who|Where|How)\b", where)
                self.assertNotRegex(name + about, r"REQUIRED|TEXT\b|INT\b|FLOAT|Excludes|Needs", where)
                if "default" in about:
                    self.assertRegex(about, r"\(default: [^()]|; default: ", where)

    def test_common_options_and_all_options(self):
        for command in commands():
            short, full = page(*command, "--help", width=400), page(*command, "--help-all", width=400)
            common, every = options(short), options(full)
            self.assertLessEqual(len(common), 12, command)
            self.assertEqual(len(every), len(set(every)), command)
            self.assertEqual([name for name in every if name in common], common, command)
            rest = len(every) - len(common) - 2  # --help and --help-all are under --help-all only
            if rest:
                self.assertEqual(short.splitlines()[-1], f"`{' '.join(['mercer', *command])} --help-all` shows {rest} more options.")
            else:
                self.assertNotIn("more options", short)
            for option in ("-h, --help", "--help-all"):
                self.assertIn(option, every, command)

    def test_no_line_is_wider_than_the_terminal(self):
        for command in [[], *commands()]:
            for flag in ("--help", "--help-all"):
                for width in (80, 100):
                    for line in page(*command, flag, width=width).splitlines():
                        self.assertLessEqual(len(line), width, (command, line))
        for line in page("fit", "--help-all", width=50).splitlines():
            self.assertTrue(len(line) <= 50 or line.startswith("  mercer "), line)

    def test_the_width_of_a_terminal(self):
        pid, screen = pty.fork()
        if pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
            os.environ.pop("COLUMNS", None)
            os.execv(BIN / "mercer", ["mercer", "predict", "--help"])
        text = b""
        while True:
            try:
                got = os.read(screen, 65536)
            except OSError:
                break
            if not got:
                break
            text += got
        os.waitpid(pid, 0)
        self.assertEqual(text.decode().replace("\r\n", "\n"), page("predict", "--help", width=60))
        done = subprocess.run([BIN / "mercer", "predict", "--help"], capture_output=True, text=True, env={key: value for key, value in os.environ.items() if key != "COLUMNS"})
        self.assertEqual(done.stdout, page("predict", "--help", width=80))


class Examples(mercer_program.Scratch):
    # Lines that the test leaves out: they wait for requests or need a running server, or they are for one shell.
    LEFT_OUT = r"mercer serve |curl |source <\(mercer completion bash\)"

    def setUp(self):
        super().setUp()
        self.path("data").symlink_to(DATA.resolve())

    def script(self, command):
        lines = examples(page(*command, "--help")) if command else [page("--help").split("Example:\n  ")[1].splitlines()[0]]
        return [line for line in lines if not re.match(self.LEFT_OUT, line)]

    def shell(self, program, lines, path):
        done = subprocess.run([shutil.which(program), *(["-f"] if program == "zsh" else []), "-c", "set -e\n" + "\n".join(lines)], capture_output=True, text=True, cwd=self.folder.name,
                              timeout=300, env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, (program, lines, done.stdout[-500:], done.stderr))
        return done

    def test_they_run_in_a_checkout(self):
        self.assertEqual(examples("Examples:\n  a\n  b\n\nc\n"), ["a", "b"])
        for command in [[], *commands()]:
            lines = self.script(command)
            self.assertTrue(lines or command in (["completion"],), command)
            if any("| man " in line for line in lines) and not shutil.which("man"):
                continue
            done = self.shell("bash", lines, BIN.resolve())
            self.assertEqual([line for line in done.stderr.splitlines() if line.startswith("mercer:")], [], lines)

    @unittest.skipIf(shutil.which("zsh") is None, "no zsh")
    def test_every_shell_passes_on_the_same_words(self):
        stand_in = self.path("bin")
        stand_in.mkdir()
        (stand_in / "mercer").write_text("#!/bin/sh\nfor word; do printf '%s\\n' \"$word\" >>words; done\n")
        (stand_in / "mercer").chmod(0o755)
        for name in ("iris", "map", "C", "gamma=1"):  # files that an unquoted pattern might match
            self.path(name).write_text("")
        for command in [[], *commands()]:
            said = []
            for shell in ("bash", "zsh"):
                self.path("words").write_text("")
                self.shell(shell, [re.sub(r"\| man -l -", "", line) for line in self.script(command)], stand_in)
                said.append(self.path("words").read_text())
            self.assertEqual(said[0], said[1], command)


def aliases():
    for line in (Path(__file__).parent / "aliases.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split("|")]


class Aliases(mercer_program.Scratch):
    def test_the_list_agrees_with_the_program(self):
        source = (ROOT / "apps/mercer/former_names.cpp").read_text()
        table = lambda name: re.findall(r'\{"(.*?)", "(.*?)", "(.*?)"\}', re.search(name + r"\[\] = \{\n(.*?)\n\};", source, re.S)[1])
        want = {(command or "*", former, present) for command, former, present in table("former_options")}
        want_values = set(table("former_values"))
        listed, listed_values = set(), set()
        for command, former, present, _ in aliases():
            (old, old_value), (new, new_value) = former.split(), present.split()
            if old != new:
                listed.add((command, old, new))
            if old_value != new_value:
                listed_values.add((new, old_value, new_value))
        self.assertEqual(listed, want)
        self.assertEqual(listed_values, want_values)

    def test_each_does_what_the_present_spelling_does(self):
        os.symlink(DATA.resolve(), self.path("data"))
        run = lambda words: subprocess.run([BIN.resolve() / "mercer", *words], capture_output=True, text=True, cwd=self.folder.name, timeout=300)
        self.assertEqual(run(["fit", "svc", "data/promoters.tsv", "-o", "promoters.model"]).returncode, 0)
        self.assertEqual(run(["scale", "data/iris.svm", "--save-scaling", "iris.scaling", "-o", "scaled.svm"]).returncode, 0)

        def answer(words):
            for each in self.path("").glob("result.*"):
                each.unlink()
            done = run(words)
            made = [(each.name, each.read_bytes()) for each in sorted(self.path("").glob("result.*"))]
            text = re.sub(r'("?seconds"?:? ?|"cpu_seconds": )[-+.\de]+|in [\d.]+ s\b', "", done.stdout)
            return done.returncode, text, done.stderr, made

        for command, former, present, line in aliases():
            words = line.split()
            want = answer([*words, *present.split()])
            self.assertEqual(want[0], 1 if command == "serve" else 0, (present, want[2]))
            for each in (former.split(), ["=".join(former.split())]):
                self.assertEqual(answer([*words, *each]), want, (line, each))

    def test_every_command_takes_those_of_all_commands(self):
        everywhere = [(former.split()[0], present.split()[0]) for command, former, present, _ in aliases() if command == "*"]
        for command in commands():
            text = page(*command, "--help-all", width=400)
            names = " ".join(options(text))
            for former, present in everywhere:
                if not re.search(rf"{present}\b", names) or command[0] in GROUPS and len(command) == 1:
                    continue
                needed = [f"nothing{i}" for i, (section, *_) in enumerate(entries(text)) if section == "Arguments"]
                more = ["-o", "nothing/x.csv"] if "(required)" in text and present != "--output" else []
                done = subprocess.run([BIN / "mercer", *command, *needed, *more, former, "1" if former == "--memory" else "nothing/x.csv"], capture_output=True, text=True)
                self.assertNotEqual(done.returncode, 0, (command, former))
                self.assertNotIn("there is no option", done.stderr, (command, former))

    def test_they_stand_nowhere(self):
        texts = [page(*command, "--help-all", width=400) for command in [[], *commands()]]
        folder = self.path("man")
        mercer("manual", "--folder", folder)
        texts += [each.read_text().replace("\\-", "-") for each in folder.iterdir()]
        texts += [mercer("completion", shell) for shell in ("bash", "zsh", "fish")]
        present = {name for command in commands() for name in re.findall(r"--[\w-]+", " ".join(options(page(*command, "--help-all", width=400))))}
        for name in {former.split()[0] for _, former, now, _ in aliases() if former.split()[0] != now.split()[0]}:
            if name not in present:  # a former name may be the present name of something else
                for text in texts:
                    self.assertIsNone(re.search(rf"(?<![\w-]){name}(?![\w-])", text), name)
                self.assertIsNone(re.search(rf" -l {name[2:]}(?![\w-])", texts[-1]), name)
        self.assertNotIn("--label", subprocess.run([BIN / "mercer", "fit", "x.csv", "--labe", "y"], capture_output=True, text=True).stderr)

    def test_a_value_that_looks_like_a_former_name(self):
        self.path("x.csv").write_text("--out,y\n" + "".join(f"{i % 2},{i}\n" for i in range(20)))
        answer = as_json("fit", "svc", self.path("x.csv"), "--target", "--out")
        self.assertEqual(answer["n"], 20)


class Keys(mercer_program.Scratch):
    """Renamed keys of --json are written under their former names too, after the present ones."""

    def both(self, value, present, former):
        keys = list(value)
        self.assertEqual(value[present], value[former])
        self.assertEqual(keys.index(former), keys.index(present) + 1)

    def test_both_names_are_there(self):
        model = self.path("m")
        fitted = as_json("fit", "svc", DATA / "iris.csv", "--target", "species", "-o", model)
        for each in (fitted, as_json("describe", model), as_json("tune", "svc", DATA / "iris.svm", "--set", "C=?{1,2}")["model"]):
            self.assertNotIn("duality_gap", each)  # the gap of an SVM is a violation of the KKT conditions
            self.both(each, "n_features", "coordinates")
            self.assertEqual(each["n_features"], 4)
        for each in as_json("kernel", "list")["kernels"]:
            self.both(each, "kind", "domain")
        self.both(as_json("kernel", "show", "spectrum(k=3)"), "kind", "domain")
        self.both(as_json("cluster", "kmeans", DATA / "iris.svm", "-k", "3"), "silhouette_examples", "judged")
        self.both(as_json("fit", "kernel_logistic", DATA / "iris.svm"), "duality_gap", "gap")
        few = as_json("fit", "nystroem", DATA / "wine.svm", "--set", "n_centres=5")
        self.both(few, "unexplained_trace", "out_of_reach")
        learnt = as_json("learn", "svc", DATA / "heart_scale.svm")
        self.both(learnt, "fits", "machines")
        self.both(learnt, "duality_gap", "gap")

    def test_other_objects_have_them_once(self):
        report = as_json("explain", "--kernel", "linear()", DATA / "iris.svm")
        self.assertNotIn("gap", report["problems"][0])
        self.assertNotIn("machines", report["estimate"])
        table = as_json("fit", DATA / "penguins.csv", "--target", "species", "--points", "2")["table"]
        self.assertNotIn("n_features", table[0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
