#!/usr/bin/python3
"""libsvm_programs_test.py BIN ROOT: svm-train, svm-predict and svm-scale of BIN beside LIBSVM's own of the same names.

Models go both ways: each program predicts with its own model and with the other's, and must give the same labels. Exit code 77: skipped, because
LIBSVM's programs (Debian's libsvm-tools) are not installed.
"""

import itertools
import lzma
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from programs import BIN, DATA, PATIENCE, PEER

CLASSES = ["iris", "heart_scale", "sonar", "wine", "breast-cancer"]
REGRESSION = ["housing", "abalone"]


def call(program, *arguments, **more):
    return subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE, **more)


class programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="mercer-programs-"))
        os.chdir(cls.folder)
        for name in CLASSES + REGRESSION:
            packed = DATA / f"{name}.svm.xz"
            text = lzma.open(packed, "rt").read() if packed.exists() else (DATA / f"{name}.svm").read_text()
            Path(name).write_text(text)
            lines = text.splitlines(keepends=True)
            Path(f"{name}.some").write_text("".join(lines[::3]))
            scaled = call(PEER["svm-scale"], f"{name}").stdout.splitlines(keepends=True)
            random.Random(1).shuffle(scaled)
            scaled = scaled[:300]
            Path(f"{name}.train").write_text("".join(scaled[: 2 * len(scaled) // 3]))
            Path(f"{name}.test").write_text("".join(scaled[2 * len(scaled) // 3 :]))

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        shutil.rmtree(cls.folder)

    def same(self, name, *arguments, output=None):
        """Both programs: same exit code, same standard output, same first line of errors, same output file."""
        ours = call(BIN / name, *arguments)
        file = Path(output).read_bytes() if output else None
        theirs = call(PEER[name], *arguments)
        what = f"{name} {' '.join(map(str, arguments))}"
        self.assertEqual(ours.returncode, theirs.returncode, what + ours.stderr)
        self.assertEqual(ours.stdout, theirs.stdout, what)
        self.assertEqual(ours.stderr.split("\n")[0], theirs.stderr.split("\n")[0], what)
        if output:
            self.assertEqual(file, Path(output).read_bytes(), what)
        return ours

    def predict_both_ways(self, test, task, *more):
        for model in ("ours.model", "theirs.model"):
            if task <= 2:
                self.same("svm-predict", *more, test, model, "labels", output="labels")
                continue
            ours = call(BIN / "svm-predict", *more, test, model, "labels")
            values = [float(line) for line in Path("labels").read_text().split()]
            theirs = call(PEER["svm-predict"], *more, test, model, "labels")
            peer = [float(line) for line in Path("labels").read_text().split()]
            self.assertEqual(len(values), len(peer))
            size = max(map(abs, peer)) + max(abs(float(line.split()[0])) for line in Path(test).read_text().splitlines())
            for a, b in zip(values, peer):
                self.assertLessEqual(abs(a - b), 1e-9 * size, (test, model, more))
            self.assertEqual(ours.stdout, theirs.stdout)

    def train_both(self, *arguments):
        ours = call(BIN / "svm-train", *arguments, "ours.model")
        theirs = call(PEER["svm-train"], *arguments, "theirs.model")
        what = " ".join(map(str, arguments))
        if "the margin found is" in ours.stderr:
            # w = 0 is optimal: there is no classifier. LIBSVM divides by the rounding error of the margin 1/C; with the
            # sigmoid, which is not positive semidefinite, by the margin of its stationary point.
            sigmoid = list(arguments)[2:4] == ["-t", 3]
            self.assertTrue(sigmoid or max(abs(float(line.split("=")[1])) for line in theirs.stdout.splitlines() if line.startswith("C =")) > 1e3, what)
            return ours, theirs
        self.assertEqual(ours.returncode, theirs.returncode, what + ours.stderr)
        # the lines are equal except for the numbers, the dots, and what LIBSVM prints about shrinking and the fits
        # inside -b 1
        if "-b" not in arguments:
            lines = lambda said: [line.split("=")[0] for line in said.stdout.splitlines() if line.strip(".*") and "WARNING: using -h 0" not in line]
            self.assertEqual(lines(ours), lines(theirs), what)
        return ours, theirs

    def test_models_both_ways(self):
        for name, task, kernel in itertools.product(CLASSES, range(3), range(4)):
            options = ["-s", task, "-t", kernel, "-n", 0.4, "-c", 4]
            ours, theirs = self.train_both(*options, f"{name}.train")
            if ours.returncode == 0:
                self.predict_both_ways(f"{name}.test", task)
                if task == 0 and kernel != 3:  # the sigmoid has many stationary points, and the tolerance of nu-SVC is relative to its margin
                    self.compare_objectives(ours.stdout, theirs.stdout, options)
        for name, task, kernel in itertools.product(REGRESSION, (3, 4), range(4)):
            options = ["-s", task, "-t", kernel, "-c", 4]
            ours, theirs = self.train_both(*options, f"{name}.train")
            self.predict_both_ways(f"{name}.test", task)
            if kernel != 3 and task == 3:
                self.compare_objectives(ours.stdout, theirs.stdout, options)

    def compare_objectives(self, ours, theirs, what):
        numbers = lambda text: [float(line.split(",")[0].split("=")[1]) for line in text.splitlines() if line.startswith("obj")]
        for a, b in zip(numbers(ours), numbers(theirs)):
            self.assertLessEqual(a, b + 1e-4 * abs(b) + 1e-4, what)

    def test_probabilities_both_ways(self):
        for name in CLASSES:
            self.train_both("-b", 1, f"{name}.train")
            self.predict_both_ways(f"{name}.test", 0, "-b", 1)
            self.predict_both_ways(f"{name}.test", 0)
        for name in REGRESSION:
            self.train_both("-s", 3, "-b", 1, f"{name}.train")
            self.predict_both_ways(f"{name}.test", 3, "-b", 1)

    def test_precomputed_kernel(self):
        for name, task in (("heart_scale", 0), ("iris", 0), ("heart_scale", 1), ("heart_scale", 2), ("housing", 3), ("housing", 4)):
            train, test = f"{name}.train", f"{name}.test"
            rows = lambda file: [(line.split()[0], {int(k): float(v) for k, v in (pair.split(":") for pair in line.split()[1:])}) for line in Path(file).read_text().splitlines()]
            dot = lambda a, b: sum(v * b.get(k, 0.0) for k, v in a.items())
            known = rows(train)
            for file in (train, test):
                with open(f"{file}.kernel", "w") as out:
                    for serial, (label, x) in enumerate(rows(file), 1):
                        values = " ".join(f"{j}:{dot(x, z)!r}" for j, (_, z) in enumerate(known, 1))
                        out.write(f"{label} 0:{serial} {values}\n")
            self.train_both("-s", task, "-t", 4, "-n", 0.3, f"{train}.kernel")
            self.predict_both_ways(f"{test}.kernel", task)
            # some of the rows, whose serial numbers differ from their positions
            lines = Path(f"{train}.kernel").read_text().splitlines(keepends=True)
            Path("part.kernel").write_text("".join(lines[1::2]))
            self.train_both("-s", task, "-t", 4, "-n", 0.3, "part.kernel")
            self.predict_both_ways(f"{test}.kernel", task)

    def test_weights_and_parameters(self):
        for options in (["-w1", 5], ["-w-1", 0.2, "-w1", 3], ["-w7", 2], ["-t", 1, "-d", 2, "-g", 0.5, "-r", 1], ["-t", 1, "-r", -0.5, "-d", 3], ["-t", 1, "-d", 0], ["-t", 3, "-g", 0.01, "-r", -1],
                        ["-e", 1e-6, "-h", 0, "-m", 1], ["-q"]):
            ours, theirs = self.train_both(*options, "heart_scale.train")
            self.assertEqual(ours.stderr, theirs.stderr)
            self.predict_both_ways("heart_scale.test", 0)

    def test_cross_validation(self):
        for name in CLASSES:
            for options in ([], ["-t", 0], ["-s", 1, "-n", 0.2], ["-s", 2, "-n", 0.3]):
                if name == "breast-cancer" and "-s" in options and 2 in options:
                    # the data repeat examples: a held-out copy of a margin vector has a decision of 0 up to the
                    # tolerance
                    continue
                rate = lambda program: float(call(program, "-v", 5, *options, f"{name}.train").stdout.split()[-1].rstrip("%"))
                count = len(Path(f"{name}.train").read_text().splitlines())
                # the folds are the same and the models agree to the tolerance, so that hardly any example changes sides
                self.assertLessEqual(abs(rate(BIN / "svm-train") - rate(PEER["svm-train"])) * count / 100, 2.001, (name, options))
        text = lambda program: [float(line.split("=")[1]) for line in call(program, "-v", 4, "-s", 3, "-q", "housing.train").stdout.splitlines()]
        for a, b in zip(text(BIN / "svm-train"), text(PEER["svm-train"])):
            self.assertLessEqual(abs(a - b), 2e-3 * abs(b))

    def test_inner_fits_are_not_silent(self):
        # A tolerance below rounding: every fit ends above it, also the inner fits whose models are not written.
        never = ["-q", "-e", 1e-300, "-c", 10]
        for arguments, fits in ((["-v", 4], 4), (["-v", 4, "-s", 3], 4), (["-b", 1], 5), (["-b", 1, "-s", 3], 5), (["-v", 2, "-b", 1], 10)):
            said = call(BIN / "svm-train", *never, *arguments, "heart_scale.train", *([] if "-v" in arguments else ["m"]))
            self.assertEqual(said.returncode, 0)
            self.assertRegex(said.stderr, rf"WARNING: in the cross-validations?[a-z ]* \d+ of {fits} fits did not converge .*stalled at a KKT violation of", arguments)
        for arguments in (["-v", 4], ["-b", 1, "-s", 3]):
            said = call(BIN / "svm-train", "-q", *arguments, "heart_scale.train", *([] if "-v" in arguments else ["m"]))
            self.assertEqual(said.stderr, "")

    def test_train_endings(self):
        Path("bad").write_text("1 1:1 2:x\n")
        Path("blank").write_text("1 1:1\n\n2 1:3\n")
        Path("order").write_text("1 2:1 1:3\n")
        Path("label").write_text("x 1:1\n")
        Path("one").write_text("1 1:1 2:3\n1 1:2\n")
        Path("zero").write_text("1.5 0:1 3:1\n-1 1:2\n1 0:3 2:1\n-1 3:1")
        for arguments in ("nofile", "-z 1 one", "-s", "-s foo one", "-c 1x one", "-v 1 one", "bad", "blank", "order", "label", "one m", "-c -1 one", "-c 0 one", "-t 7 one", "-s 7 one", "-e 0 one",
                          "-n 2 -s 1 one", "-h 3 one", "-b 3 one", "-b 1 -s 2 one", "-g -1 one", "-d -1 -t 1 one", "-m 0 one", "-p -1 -s 3 one", "-t 4 one", "one /nonexistent/x", "-w5 3 one m",
                          "-q one m", "-q", "", "one m extra", "-v 10 one", "-s 1 -n 0.99 heart_scale.train m"):
            self.same("svm-train", *arguments.split())
        self.same("svm-train", "-q", "one", "m", output="m")
        call(BIN / "svm-train", "one")
        self.assertTrue(Path("one.model").exists())
        self.train_both("zero")
        self.predict_both_ways("zero", 0)
        self.predict_both_ways("one", 0)
        self.train_both("one")
        self.predict_both_ways("zero", 0)

    def test_predict_endings(self):
        self.train_both("iris.train")
        shutil.copy("ours.model", "m")
        Path("damaged").write_text("foo\n")
        Path("bad").write_text("1 1:1 2:x\n")
        Path("empty").write_text("")
        for arguments in ("a b", "", "-z 1 a b c", "nofile m o", "iris.test nofile o", "iris.test m /nonexistent/o", "-b 1 iris.test m o", "-b x a b c", "bad m o", "empty m o", "iris.test m o extra",
                          "-q iris.test m o"):
            self.same("svm-predict", *arguments.split())
        ours = call(BIN / "svm-predict", "iris.test", "damaged", "o")
        self.assertEqual(ours.returncode, 1)
        self.assertIn("can't open model file damaged", ours.stderr)
        self.assertEqual(call(BIN / "svm-predict", "-b").returncode, 1)  # LIBSVM's program crashes

    def test_scale(self):
        for name in CLASSES + REGRESSION:
            self.same("svm-scale", name)
            self.same("svm-scale", "-l", 0, "-s", "ranges", name, output="ranges")
            self.same("svm-scale", "-r", "ranges", f"{name}.some")
            self.same("svm-scale", "-u", 3.5, "-l", "-0.125",  # Debian's program reads 0.1 in single precision
                       "-y", 0, 10, "-s", "ranges", f"{name}.some", output="ranges")
            self.same("svm-scale", "-r", "ranges", name)
        Path("odd").write_text("1 1:1 2:3 5:0\n1 1:2 4:7 6:1\n2 3:1e-9 6:1 7:1234567\n")
        Path("new").write_text("3 0:2 1:5 5:3 9:1\n4 1:-5 5:4 9:1\n")
        Path("blank").write_text("1 1:1\n\n2 1:3\n")
        Path("empty").write_text("")
        for arguments in ("odd", "-l 0 -s r -y -1 1 odd", "-r r new", "-s z new", "nofile", "-l 1 -u 0 odd", "-s a -r b odd", "-y 0 odd", "-z 1 odd", "-l x odd", "-r nofile odd", "-s /nonexistent/a odd",
                          "odd odd", "blank", "empty", ""):
            self.same("svm-scale", *arguments.split())
        self.assertEqual(call(BIN / "svm-scale", "-l").returncode, 1)  # LIBSVM's program crashes

    def test_threads_do_not_matter(self):
        for arguments in (["-s", 3, "-c", 2, "abalone"], ["-b", 1, "abalone.classes"]):
            Path("abalone.classes").write_text("".join(("1" if float(line.split()[0]) > 9 else "2") + " " + line.split(" ", 1)[1] for line in Path("abalone").read_text().splitlines(keepends=True)))
            models = []
            for threads in ("1", "2"):
                self.assertEqual(call(BIN / "svm-train", "-q", *arguments, "m", env={**os.environ, "MERCER_THREADS": threads}).returncode, 0)
                models.append(Path("m").read_bytes())
            self.assertEqual(*models)

    def test_interrupt_keeps_what_there_is(self):
        draw = random.Random(3)
        Path("noise").write_text("".join(f"{draw.choice((-1, 1))} 1:{draw.random():.6f} 2:{draw.random():.6f}\n" for _ in range(6000)))
        started = subprocess.Popen([BIN / "svm-train", "-c", "1e9", "-g", "30", "-e", "1e-9", "noise", "m"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        self.assertIsNone(started.poll(), "the problem was too easy")
        started.send_signal(signal.SIGINT)
        _, errors = started.communicate(timeout=60)
        self.assertEqual(started.returncode, 130)
        self.assertIn("gap", errors)
        self.assertNotIn("\r", errors)  # no progress line without a terminal
        self.assertEqual(call(PEER["svm-predict"], "noise", "m", "labels").returncode, 0)

    def test_grid_easy_and_subset(self):
        tools = {name: shutil.which(name, path="/usr/bin") for name in ("svm-grid", "svm-easy", "svm-subset")}
        if not all(tools.values()) or not os.path.exists("/usr/bin/gnuplot"):
            self.skipTest("svm-grid, svm-easy, svm-subset or gnuplot are not installed")
        python = ["/usr/bin/python3"]
        grid = lambda program: subprocess.run(python + [tools["svm-grid"], "-svmtrain", str(program), "-gnuplot", "null", "-out", "null", "-log2c", "-1,3,2", "-log2g", "-5,-1,2", "heart_scale.train"],
                                              capture_output=True, text=True, timeout=120)
        ours, theirs = grid(BIN / "svm-train"), grid(PEER["svm-train"])
        self.assertEqual(ours.returncode, 0, ours.stderr)
        self.assertEqual(len(ours.stdout.splitlines()), len(theirs.stdout.splitlines()))
        self.assertLessEqual(abs(float(ours.stdout.split()[-1]) - float(theirs.stdout.split()[-1])), 1.0)
        done = subprocess.run(python + [tools["svm-subset"], "heart_scale", "50", "half", "rest"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(Path("half").read_text().splitlines()), 50)
        # svm-easy looks for its programs in the folder above and for ./grid.py, as in LIBSVM's own source tree.
        Path("tree/tools").mkdir(parents=True)
        Path("tree/path").mkdir()
        os.symlink("/usr/bin/python3", "tree/path/python")
        for name in PEER:
            os.symlink(BIN / name, f"tree/{name}")
        shutil.copy(tools["svm-grid"], "tree/tools/grid.py")
        easy = subprocess.run(python + [tools["svm-easy"], str(Path("half").resolve()), str(Path("rest").resolve())], cwd="tree/tools", capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PATH": str(Path("tree/path").resolve()) + ":" + os.environ["PATH"]})
        self.assertEqual(easy.returncode, 0, easy.stdout + easy.stderr)
        self.assertIn("Accuracy = ", easy.stdout)
        self.assertTrue(Path("tree/tools/rest.predict").exists())


if __name__ == "__main__":
    if not all(PEER.values()):
        print("skipped: svm-train, svm-predict and svm-scale (Debian's libsvm-tools) are not installed")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
