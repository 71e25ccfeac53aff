#!/usr/bin/python3
"""files_test.py BIN_FOLDER REPOSITORY: what the programs do to files: links, pipes, permissions, signals."""

import gzip
import json
import lzma
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest
import zlib
from pathlib import Path

from programs import BIN, DATA, SANITIZED, Scratch, call, fed


class PackedData(Scratch):
    def test_rows_beyond_those_asked_for_are_not_unpacked(self):
        rows = ["a,b,c\n"] + [f"{i % 7}.5,{i % 5},{'xy'[i % 2]}\n" for i in range(200)]
        Path("first.csv").write_text("".join(rows[:101]))
        call("mercer", "fit", "svc", "first.csv", "--label", "c", "-o", "alone.model")
        # another class and an invalid value, far after the first rows
        later = "".join(rows[1:]) * 400 + "3,4,z\n" + "no number,1,x\n"
        for name, pack in ("all.csv.gz", gzip.compress), ("all.csv.xz", lzma.compress):
            packed = pack(("".join(rows) + later).encode())
            Path(name).write_bytes(packed[: len(packed) - 20])  # the end of the file is not read
            call("mercer", "fit", "svc", name, "--label", "c", "--rows", 100, "-o", "part.model")
            self.assertEqual(Path("part.model").read_bytes(), Path("alone.model").read_bytes())
            call("mercer", "fit", name, "--label", "c", "--rows", 100, "-o", "part.model")

    def test_rows_of_every_format_that_has_a_beginning(self):
        files = {"a.xyz": ("", "1\n{}.5\nH 0 0 {}\n", ""), "a.ts": ("@problemName a\n@classLabel true 0 1\n@data\n", "{1},2,3:{0}\n", ""),
                 "a.arff": ("@relation a\n@attribute class {0,1}\n@data\n", "{1},2,3,{0}\n", ""), "a.fastq": ("", "@a label={}\nACG{}\n+\nIIII\n", ""),
                 "a.graphml": ('<graphml><key id="k" for="graph" attr.name="label"/>\n',
                               '<graph edgedefault="undirected"><data key="k">{}</data><node id="n{}"/></graph>\n', "</graphml>")}
        for name, (head, row, end) in files.items():
            rows = [row.format(i % 2, i % 7) for i in range(40)]
            Path(name).write_text(head + "".join(rows) + end)
            packed = gzip.compress((head + "".join(rows) + "".join(rows) * (1_000_000 // 40 // len(rows[0])) + end).encode(), 1)
            Path(name + ".gz").write_bytes(packed[: len(packed) - 20])  # the end of the file is not read
            models = []
            for words in ([name], [name + ".gz", "--rows", 40]):
                call("mercer", "fit", "knn", *words, "-o", "model")
                models.append(Path("model").read_bytes())
            self.assertEqual(*models)

    def test_a_row_without_an_end_is_refused(self):
        zeros = bytes(1 << 20)
        for name, piece, said in (("zeros.csv", zeros, "a line end"), ("blank.csv", b"\n" * (1 << 20), "a row"), ("field.csv", b'"' + b"1,\n" * 300_000, "a closing '\"'")):
            packer = zlib.compressobj(1, wbits=31)
            with open(name + ".gz", "wb") as out:
                out.write(packer.compress(b"a,b\n1,2\n" + piece))
                for _ in range(300):
                    out.write(packer.compress(piece.replace(b'"', b"1")))
            # the end of the archive is not reached
            done = call("mercer", "fit", "svc", name + ".gz", "--label", "b", "--rows", 100, code=1)
            self.assertIn(f"expected {said} within 256 MB", done.stderr.decode())

    def test_a_packed_file_that_is_no_model_is_not_unpacked(self):
        packed = gzip.compress(b"no model\n" + os.urandom(1 << 20))
        # decompressed completely, it would be reported as truncated
        Path("other.gz").write_bytes(packed[: len(packed) // 2])
        for words in (["describe", "other.gz"], ["predict", "other.gz", "iris"], ["convert", "other.gz", "--to", "libsvm", "-o", "new"], ["explain", "other.gz", "iris"],
                      ["scale", "iris", "--like", "other.gz"], ["tune", "svc", "iris", "--set", "C=?{1}", "--log", "other.gz", "-o", "new.model"]):
            said = call("mercer", *words, code=1).stderr
            self.assertNotIn(b"truncated", said)
            self.assertRegex(said, b"not a model|unknown text in model file|not a scaling|not JSON|search")
        self.assertNotIn(b"truncated", call("svm-predict", "iris", "other.gz", "out", code=1).stderr)
        call("svm-train", "-q", "iris", "model")
        for name in ("fitted", "model"):
            if name == "fitted":
                call("mercer", "fit", "svc", "iris", "-o", name)
            Path(name + ".gz").write_bytes(gzip.compress(Path(name).read_bytes()))
            call("mercer", "predict", name + ".gz", "iris")

    def test_what_unpacks_to_more_than_the_budget_is_refused(self):
        Path("big.csv.gz").write_bytes(gzip.compress(b"a,b,c\n" + 500_000 * b"1,2,x\n3,4,y\n"))
        said = call("mercer", "fit", "svc", "big.csv.gz", "--label", "c", "--memory", "5MB", code=1).stderr.decode()
        self.assertIn("big.csv.gz: unpacked, the file exceeds the memory limit of 5.0 MB", said)


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
            os.symlink(f"real/{name}", name)  # a dangling link at first
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
        call("svm-train", "-q", "e", "zero")  # an index 0 makes svm-train read the text twice
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
        # without the target column: the reader does not find it and parses the file again
        new = b"".join(line.rsplit(b",", 1)[0] + b"\n" for line in table.splitlines())
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
        call("svm-predict", "-q", "iris", "model", "shut/labels")  # root keeps the owner of the file
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
            # The process writes once it has opened a file of this folder.
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

    @unittest.skipIf(shutil.which("cc") is None or SANITIZED, "no compiler, or a sanitizer")
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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
