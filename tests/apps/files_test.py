#!/usr/bin/python3
"""files_test.py BIN_FOLDER REPOSITORY: what the programs do to files and with files as they come: links, pipes, permissions, signals, names, memory."""

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

BIN, DATA = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / "data"
PEER = {name: shutil.which(name, path="/usr/bin:/usr/local/bin") for name in ("svm-train", "svm-predict", "svm-scale")}


def call(program, *arguments, code=0, **more):
    path = program if str(program).startswith("/") else BIN / program
    done = subprocess.run([str(path), *map(os.fsdecode, arguments)] if all(isinstance(a, bytes) for a in arguments) else [str(path), *map(str, arguments)],
                          capture_output=True, timeout=60, **more)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{program} {arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def peak_megabytes(program, *arguments):
    """The largest resident size of a run."""
    with open(os.devnull, "w") as nothing:
        started = subprocess.Popen([str(program), *map(str, arguments)], stdout=nothing, stderr=subprocess.PIPE)
        errors = started.stderr.read()
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        started.stderr.close()
    if started.returncode:
        raise AssertionError(f"{program} {arguments}: exit code {started.returncode}, {errors}")
    return used.ru_maxrss / 1024


def fed(fifo, data):
    """Writes bytes into a pipe as another program would, from a thread: opening it waits for the reader."""
    os.mkfifo(fifo)

    def write():
        with open(fifo, "wb") as out:
            out.write(data)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mercer-files-")
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        shutil.copy(DATA / "iris.svm", "iris")

    def only(self, *names):
        """Nothing but these is in the folder: no temporary file was left."""
        self.assertEqual(sorted(os.listdir(".")), sorted(names))


class Outputs(Scratch):
    def write_all(self):
        """Every kind of output over files of these names."""
        call("svm-train", "-q", "iris", "model")
        call("svm-predict", "-q", "iris", "model", "labels")
        call("svm-scale", "-s", "ranges", "iris")
        call("mercer", "fit", "svc", "iris", "-o", "fitted")
        call("mercer", "predict", "fitted", "iris", "-o", "answers.csv")
        call("mercer", "kernel", "gram", "rbf()", "iris", "--out", "gram.npy")

    NAMES = ["model", "labels", "ranges", "fitted", "answers.csv", "gram.npy"]

    def test_symbolic_and_hard_links_stay(self):
        os.mkdir("real")
        os.mkdir("hard")
        for name in self.NAMES:
            os.symlink(f"real/{name}", name)  # dangling at first
        self.write_all()
        made = {name: Path("real", name).read_bytes() for name in self.NAMES}
        for name in self.NAMES:
            Path("real", name).write_text("old, and then some" * 100000)
            os.link(Path("real", name), Path("hard", name))
        self.write_all()
        for name in self.NAMES:
            self.assertTrue(Path(name).is_symlink(), name)
            self.assertEqual(Path("hard", name).read_bytes(), made[name], name)
        self.only("iris", "real", "hard", *self.NAMES)

    def test_standard_output_by_its_name(self):
        call("svm-train", "-q", "iris", "model")
        call("svm-predict", "-q", "iris", "model", "labels")
        with open("all", "w") as out:
            subprocess.run([BIN / "svm-predict", "iris", "model", "/dev/stdout"], stdout=out, check=True, timeout=60)
        text = Path("all").read_text()
        self.assertTrue(text.startswith(Path("labels").read_text()), text[:200])
        self.assertIn("Accuracy = ", text)
        piped = call("svm-predict", "-q", "iris", "model", "/dev/stdout").stdout
        self.assertEqual(piped, Path("labels").read_bytes())

    def test_pipes_as_inputs_and_outputs(self):
        call("svm-train", "-q", "iris", "model")
        call("svm-predict", "-q", "iris", "model", "labels")
        iris, model = Path("iris").read_bytes(), Path("model").read_bytes()
        waiting = [fed("a", iris), fed("b", iris), fed("c", model), fed("d", iris), fed("e", b"0 0:1 3:2\n1 1:5\n")]
        call("svm-train", "-q", "a", "again")
        self.assertEqual(Path("again").read_bytes(), model)
        call("svm-predict", "-q", "b", "c", "others")
        self.assertEqual(Path("others").read_bytes(), Path("labels").read_bytes())
        self.assertEqual(call("svm-scale", "d").stdout, call("svm-scale", "iris").stdout)
        call("svm-train", "-q", "e", "zero")  # an index 0 makes it read the text twice
        waiting += [fed("f", b"0 0:1 3:2\n1 1:5\n"), fed("g", model)]
        call("svm-predict", "-q", "f", "g", "zero.labels")
        os.mkfifo("out")
        got = []
        reader = threading.Thread(target=lambda: got.append(Path("out").read_bytes()), daemon=True)
        reader.start()
        call("svm-predict", "-q", "iris", "model", "out")
        reader.join(timeout=60)
        self.assertEqual(got, [Path("labels").read_bytes()])
        for thread in waiting:
            thread.join(timeout=60)
            self.assertFalse(thread.is_alive())

    def test_pipes_in_mercer(self):
        table = (DATA / "iris.csv").read_bytes()
        new = b"".join(line.rsplit(b",", 1)[0] + b"\n" for line in table.splitlines())  # without the column of targets: looked for, not found, read again
        call("mercer", "fit", "svc", DATA / "iris.csv", "--label", "species", "-o", "model")
        Path("new.csv").write_bytes(new)
        waiting = [fed("pipe.csv", new), fed("one.sets", b"p\ta b\np\tb\np\ta\n"), fed("two.sets", b"p\tb c\np\tc\np\tb\n")]
        self.assertEqual(call("mercer", "predict", "model", "pipe.csv").stdout, call("mercer", "predict", "model", "new.csv").stdout)
        call("mercer", "test", "two-sample", "one.sets", "two.sets")
        for thread in waiting:
            thread.join(timeout=60)
            self.assertFalse(thread.is_alive())

    def test_long_names(self):
        long = "n" * 250
        call("svm-train", "-q", "iris", long)
        call("svm-predict", "-q", "iris", long, "p" + long)
        call("mercer", "fit", "svc", "iris", "-o", "m" + long)
        self.only("iris", long, "p" + long, "m" + long)

    @unittest.skipIf(os.geteuid() != 0, "another user is needed")
    def test_permission_for_the_file_is_enough(self):
        os.chmod(".", 0o777)
        os.mkdir("shut")
        call("svm-train", "-q", "iris", "model")
        Path("shut/labels").write_text("old")
        Path("protected").write_text("old")
        for path in ("shut/labels", "protected"):
            os.chown(path, 65534, 65534)
        os.chmod("protected", 0o444)
        os.chmod("shut", 0o755)
        plain = dict(user=65534, group=65534)
        try:
            subprocess.run([BIN / "svm-train"], capture_output=True, **plain)
        except PermissionError:
            self.skipTest("another user cannot run the programs here")
        call("svm-predict", "-q", "iris", "model", "shut/labels", **plain)
        self.assertEqual(len(Path("shut/labels").read_text().split()), 150)
        self.assertEqual(os.stat("shut/labels").st_uid, 65534)
        self.assertIn(b"can't open output file protected", call("svm-predict", "-q", "iris", "model", "protected", code=1, **plain).stderr)
        self.assertEqual(Path("protected").read_text(), "old")
        self.assertIn(b"can't open output file shut/new", call("svm-predict", "-q", "iris", "model", "shut/new", code=1, **plain).stderr)
        call("svm-predict", "-q", "iris", "model", "shut/labels")  # root leaves it to its owner
        self.assertEqual(os.stat("shut/labels").st_uid, 65534)

    def test_a_failed_run_leaves_the_old_output(self):
        Path("labels").write_text("old")
        Path("bad").write_text("1 1:1 2:x\n")
        call("svm-train", "-q", "iris", "model")
        call("svm-predict", "bad", "model", "labels", code=1)
        call("svm-predict", "iris", "nothing", "labels", code=1)
        self.assertEqual(Path("labels").read_text(), "old")
        self.only("iris", "bad", "model", "labels")


class Signals(Scratch):
    def setUp(self):
        super().setUp()
        draw = random.Random(3)
        Path("noise").write_text("".join(f"{draw.choice((-1, 1))} 1:{draw.random():.6f} 2:{draw.random():.6f}\n" for _ in range(6000)))

    def start(self, *words, **more):
        return subprocess.Popen([BIN / "svm-train", "-c", "1e9", "-g", "30", "-e", "1e-9", "noise", "model"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def interrupt(self, started):
        time.sleep(1)
        self.assertIsNone(started.poll(), "the problem was too easy")
        started.send_signal(signal.SIGINT)

    def test_an_old_model_is_not_replaced_by_an_unfinished_one(self):
        Path("model").write_text("precious")
        started = self.start()
        self.interrupt(started)
        _, errors = started.communicate(timeout=60)
        self.assertEqual(started.returncode, 130)
        self.assertEqual(Path("model").read_text(), "precious")
        self.assertIn("model.interrupted, and model was left as it is", errors)
        self.assertTrue(Path("model.interrupted").read_text().startswith("svm_type c_svc"))
        self.only("iris", "noise", "model", "model.interrupted")

    def test_an_ignored_interrupt_stays_ignored(self):
        started = self.start(preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.interrupt(started)
        time.sleep(0.5)
        self.assertIsNone(started.poll())
        started.terminate()
        started.communicate(timeout=60)
        self.assertEqual(started.returncode, -signal.SIGTERM)
        self.only("iris", "noise")

    def test_nothing_is_left_when_a_long_output_is_cut_off(self):
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            started = subprocess.Popen([BIN / "mercer", "kernel", "gram", "rbf(gamma=1)", "noise", "--out", "gram.csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # It is writing once it holds a file of this folder open.
            held = lambda: any(str(Path.cwd()) in os.readlink(link) for link in Path(f"/proc/{started.pid}/fd").iterdir() if link.is_symlink())
            for _ in range(1000):
                try:
                    if held():
                        break
                except OSError:
                    pass
                time.sleep(0.01)
            started.send_signal(ending)
            started.communicate(timeout=60)
            self.assertEqual(started.returncode, -ending)
            self.only("iris", "noise")

    @unittest.skipIf(shutil.which("cc") is None, "no compiler")
    def test_nor_on_file_systems_where_temporary_files_have_names(self):
        Path("named.c").write_text("#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <stdarg.h>\n"
                                   "int open64(const char* path, int flags, ...) {\n    va_list rest;\n    va_start(rest, flags);\n    int mode = va_arg(rest, int);\n"
                                   "    if ((flags & O_TMPFILE) == O_TMPFILE) return errno = EOPNOTSUPP, -1;\n"
                                   "    return ((int (*)(const char*, int, ...))dlsym(RTLD_NEXT, \"open64\"))(path, flags, mode);\n}\n"
                                   "int open(const char* path, int flags, ...) {\n    va_list rest;\n    va_start(rest, flags);\n    return open64(path, flags, va_arg(rest, int));\n}\n")
        subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", "named.so", "named.c", "-ldl"], check=True)
        environment = {**os.environ, "LD_PRELOAD": str(Path("named.so").resolve())}
        kept = ["iris", "noise", "named.c", "named.so"]
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            started = subprocess.Popen([BIN / "mercer", "kernel", "gram", "rbf(gamma=1)", "noise", "--out", "gram.csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
            for _ in range(1000):
                if len(os.listdir(".")) > len(kept):
                    break
                time.sleep(0.01)
            self.assertGreater(len(os.listdir(".")), len(kept))
            started.send_signal(ending)
            started.communicate(timeout=60)
            self.assertEqual(started.returncode, -ending)
            self.only(*kept)
        call("svm-train", "-q", "iris", "model", env=environment)
        call("svm-train", "-q", "iris", "model", env=environment)
        self.only(*kept, "model")


class Names(Scratch):
    def predictions(self, names, data, *more):
        """A classifier of two clearly different classes; what it says, as CSV."""
        with open("train.csv", "wb") as out:
            out.write(data)
        call("mercer", "fit", "svc", "train.csv", "--label", "class", "--kernel", "linear()", "--set", "C=100", "-o", "model")
        call("mercer", "predict", "model", "train.csv", "-o", "out.csv", *more)
        with open("out.csv", newline="") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual([row["prediction"] for row in rows], names)
        return rows

    def test_csv_is_quoted(self):
        names = ["red, dark", 'the "other"\nof two lines'] * 3
        quoted = ['"red, dark"', '"the ""other""\nof two lines"'] * 3
        rows = self.predictions(names, ("x,class\n" + "".join(f"{i % 2},{name}\n" for i, name in enumerate(quoted))).encode(), "--details")
        self.assertEqual(len(rows), 6)
        # a prediction a line where it is no CSV
        lines = call("mercer", "predict", "model", "train.csv").stdout.decode().splitlines()
        self.assertEqual(lines, ["red, dark", 'the "other"\\nof two lines'] * 3)
        # what was written can be read: each class as its own target
        call("mercer", "fit", "svc", "out.csv", "--label", "prediction", "-o", "again")
        self.assertEqual(json.loads(call("mercer", "describe", "again", "--json").stdout)["classes"], sorted(set(names)))

    def test_names_that_are_not_utf_8(self):
        names = ["foncé", "clair"] * 3
        text = "taillé,class\n" + "".join(f"{i % 2},{name}\n" for i, name in enumerate(names))
        for coding in ("latin-1", "utf-8"):
            self.predictions(names, text.encode(coding))
            about = json.loads(call("mercer", "describe", "model", "--json").stdout)
            self.assertEqual(about["features"], ["taillé"])
        Path("latin.csv").write_bytes(text.encode("latin-1"))
        self.assertEqual(json.loads(call("mercer", "predict", "model", "latin.csv", "--json").stdout)["score"]["accuracy"], 1)
        # a path and a label of such bytes
        odd = b"donn\xe9es.csv"
        Path(os.fsdecode(odd)).write_bytes(text.replace("class", "catégorie").encode("latin-1"))
        call("mercer", b"fit", b"svc", odd, b"--label", b"cat\xe9gorie", b"-o", b"mod\xe8le", b"--json")
        answer = call("mercer", b"predict", b"mod\xe8le", odd, b"--json").stdout
        self.assertEqual(json.loads(answer)["score"]["accuracy"], 1)
        Path("items.sets").write_bytes("".join(f"{name}\tpâté {i % 2}\n" for i, name in enumerate(names)).encode("latin-1"))
        call("mercer", "fit", "svc", "items.sets", "-o", "sets.model", "--json")
        call("mercer", "predict", "sets.model", "items.sets", "--json")

    def test_columns_go_by_name(self):
        draw = random.Random(5)
        rows = [(draw.gauss(0, 1), 100 + draw.gauss(0, 10), draw.gauss(5, 2)) for _ in range(60)]
        write = lambda name, order, rows, more="": Path(name).write_text(
            ",".join("abc"[k] for k in order) + more + "\n" + "".join(",".join(repr(row[k]) for k in order) + more.replace("z", "1") + "\n" for row in rows))
        write("one.csv", (0, 1, 2), rows[:30])
        write("two.csv", (0, 1, 2), rows[30:])
        write("turned.csv", (2, 0, 1), rows[30:])
        test = lambda *words: json.loads(call("mercer", "test", "two-sample", *words, "--scale", "standard", "--json").stdout)
        straight, turned = test("one.csv", "two.csv"), test("one.csv", "turned.csv")
        self.assertEqual(straight["p_value"], turned["p_value"])
        self.assertEqual(straight["unbiased"], turned["unbiased"])
        write("more.csv", (0, 1, 2), rows[30:], ",z")
        write("fewer.csv", (0, 2), rows[30:])
        self.assertIn(b"has no column 'z'", call("mercer", "test", "two-sample", "one.csv", "more.csv", code=1).stderr)
        self.assertIn(b"the column 'b' of one.csv is missing", call("mercer", "test", "two-sample", "one.csv", "fewer.csv", code=1).stderr)
        # a model too
        Path("y.csv").write_text("".join(line + (",class" if i == 0 else f",{'pq'[i % 2]}") + "\n" for i, line in enumerate(Path("one.csv").read_text().splitlines())))
        call("mercer", "fit", "svc", "y.csv", "--label", "class", "--scale", "standard", "-o", "model")
        self.assertEqual(call("mercer", "predict", "model", "two.csv", "--details").stdout, call("mercer", "predict", "model", "turned.csv", "--details").stdout)
        self.assertIn(b"is missing", call("mercer", "predict", "model", "fewer.csv", code=1).stderr)

    def test_files_of_different_width_are_not_joined_in_silence(self):
        wide = "".join("1 " + " ".join(f"{k}:{i + k}" for k in range(1, 14)) + "\n" for i in range(20))
        Path("wide").write_text(wide)
        done = call("mercer", "test", "two-sample", "iris", "wide")
        self.assertIn(b"the columns from 5 on count as 0", done.stderr)
        Path("four.csv").write_text("".join("1,2,3,%d\n" % i for i in range(9)))
        Path("five.csv").write_text("".join("1,2,3,4,%d\n" % i for i in range(9)))
        self.assertIn(b"has 4 columns", call("mercer", "test", "two-sample", "four.csv", "five.csv", code=1).stderr)

    def test_a_blank_line_is_an_empty_set(self):
        Path("train.sets").write_text("".join(f"p\ta b{i}\nq\tc d{i}\nr\t\n" for i in range(5)))
        call("mercer", "fit", "knn", "train.sets", "--set", "n_neighbors=1", "-o", "model")
        Path("new.sets").write_text("c d1\n\na b2\n")
        said = call("mercer", "predict", "model", "new.sets", "--label", "none").stdout.decode().split()
        self.assertEqual(len(said), 3)
        self.assertEqual((said[0], said[2]), ("q", "p"))


class Sparse(Scratch):
    def test_higher_indices_in_new_data(self):
        lines = Path("iris").read_text().splitlines()
        Path("new").write_text("".join(f"{line} 9:{i % 3 / 10}\n" for i, line in enumerate(lines)))
        call("svm-train", "-q", "-g", "0.25", "iris", "m")
        call("svm-predict", "-q", "new", "m", "labels")
        call("mercer", "fit", "svc", "iris", "--kernel", "rbf(gamma=0.25)", "-o", "model")
        done = call("mercer", "predict", "model", "new")
        self.assertEqual([float(v) for v in done.stdout.split()], [float(v) for v in Path("labels").read_text().split()])
        self.assertIn(b"indices up to 9", done.stderr)
        for words in (["ridge"], ["kernel_ridge"], ["knn"], ["svc", "--scale", "standard"], ["kernel_pca"], ["nearest_centroid"], ["kernel_logistic"]):
            call("mercer", "fit", *words, "iris", "-o", "model")
            what = "transform" if words[0] == "kernel_pca" else "predict"
            call("mercer", what, "model", "new")

    def test_weights_of_one_class_multiply(self):
        two = "".join(line + "\n" for line in Path("iris").read_text().splitlines() if line.split()[0] != Path("iris").read_text().split()[0])
        Path("two").write_text(two)
        label = two.split()[0]
        call("svm-train", "-q", "-c", "0.1", f"-w{label}", "2", f"-w{label}", "3", "two", "twice")
        call("svm-train", "-q", "-c", "0.1", f"-w{label}", "6", "two", "once")
        self.assertEqual(Path("twice").read_bytes(), Path("once").read_bytes())

    HASHED = "1 5:1 2147483647:0.5\n-1 7:1 2147483646:1\n1 5:2\n-1 7:2 90000000:1\n"

    @unittest.skipIf(not all(PEER.values()), "LIBSVM's programs are not installed")
    def test_one_large_index_costs_no_more_than_in_libsvm(self):
        Path("hashed").write_text(self.HASHED)
        for options in (["-g", "0.5"], ["-t", "0"], ["-s", "3"], ["-t", "1", "-g", "1", "-v", "2"]):
            ours, theirs = (peak_megabytes(program, *options, "hashed", "m") for program in (BIN / "svm-train", PEER["svm-train"]))
            self.assertLess(ours, theirs + 32, options)
        call("svm-train", "-q", "-g", "0.5", "hashed", "m")
        Path("new").write_text("1 3:1 2147483647:4\n1 5:1\n-1 7:1 2147483646:1\n")
        self.assertLess(peak_megabytes(BIN / "svm-predict", "new", "m", "ours"), peak_megabytes(PEER["svm-predict"], "new", "m", "theirs") + 32)
        self.assertEqual(Path("ours").read_text(), Path("theirs").read_text())
        Path("kernel").write_text("1 0:1 1:1 2:0.5 2147483647:7\n-1 0:2 1:0.5 2:1\n")
        self.assertLess(peak_megabytes(BIN / "svm-train", "-t", "4", "kernel", "k"), peak_megabytes(PEER["svm-train"], "-t", "4", "kernel", "k") + 32)

    def test_one_large_index_in_scale_and_mercer(self):
        Path("hashed").write_text(self.HASHED)
        # without the gaps between the indices the answer is the same but for their numbers
        numbers = {"5": "1", "7": "2", "90000000": "3", "2147483646": "4", "2147483647": "5"}
        close = lambda text: "\n".join(" ".join(numbers.get(pair.split(":")[0], pair.split(":")[0]) + (":" + pair.split(":")[1] if ":" in pair else "") for pair in line.split()) for line in text.splitlines())
        Path("close").write_text(close(self.HASHED) + "\n")
        for options in ([], ["-l", "0"], ["-s", "ranges"], ["-r", "ranges"]):
            if "-r" in options:
                Path("ranges.close").write_text("".join(" ".join([numbers.get(line.split()[0], line.split()[0]), *line.split()[1:]]) + "\n" for line in Path("ranges").read_text().splitlines()))
            far = call("svm-scale", *options, "hashed").stdout.decode()
            near = call("svm-scale", *[option.replace("ranges", "ranges.close") for option in options], "close").stdout.decode()
            self.assertEqual(close(far), "\n".join(line.rstrip() for line in near.splitlines()))
        self.assertLess(peak_megabytes(BIN / "svm-scale", "hashed"), 64)
        self.assertLess(peak_megabytes(BIN / "svm-scale", "-r", "ranges", "iris"), 64)
        self.assertLess(peak_megabytes(BIN / "mercer", "fit", "svc", "hashed", "--kernel", "rbf(gamma=0.5)", "-o", "model"), 128)
        self.assertLess(peak_megabytes(BIN / "mercer", "predict", "model", "hashed"), 128)
        self.assertLess(peak_megabytes(BIN / "mercer", "kernel", "test", "normalize(poly(degree=2, coef0=1))", "hashed"), 128)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
