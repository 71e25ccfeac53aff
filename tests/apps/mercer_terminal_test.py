#!/usr/bin/python3
"""mercer at a terminal and without: progress, Ctrl-C, pipes that break, disks that are full, files of all sorts.
mercer_terminal_test.py BIN_FOLDER REPOSITORY"""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from programs import BIN, DATA, PATIENCE, Scratch, call


class Terminal:
    """A program with a terminal of its own, on which it runs in the foreground."""

    def __init__(self, *words):
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            try:
                os.execv(BIN / "mercer", ["mercer", *map(str, words)])
            finally:
                os._exit(99)
        self.text = b""
        self.code = None

    def read(self, seconds, until=None):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until in self.text):
            if select.select([self.screen], [], [], 0.05)[0]:
                try:
                    got = os.read(self.screen, 65536)
                except OSError:  # the other end is closed
                    break
                if not got:
                    break
                self.text += got
        return self.text.decode(errors="replace")

    def press(self, key):
        os.write(self.screen, key)

    def end(self, seconds=120):
        said = self.read(seconds)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.screen)
        self.code = os.waitstatus_to_exitcode(status)
        return said


def hard(rows, name="noise.svm"):
    """Classes that have nothing to do with the vectors: a fit with a large C goes on and on."""
    import random

    draw = random.Random(3)
    Path(name).write_text("".join(f"{draw.choice((-1, 1))} 1:{draw.random():.6f} 2:{draw.random():.6f}\n" for _ in range(rows)))
    return ["fit", "svc", name, "--kernel", "rbf(gamma=30)", "--set", "C=1e9", "tol=1e-10"]


class Progress(Scratch):
    def test_a_line_that_goes_away(self):
        run = Terminal(*hard(4000), "-o", "model")
        said = run.read(30, b"%")
        self.assertRegex(said, r"\r\x1b\[K.*(svc|reading|fitting)")
        run.press(b"\x03")
        said = run.end()
        shown = re.sub(r"[^\n]*\r\x1b\[K", "", said)  # the text that remains visible
        self.assertNotRegex(shown, r"\d %|\d s left")
        self.assertIn("stopped", shown)

    def test_none_without_a_terminal_and_none_when_quiet(self):
        words = [str(BIN / "mercer"), *hard(1500), "-o", "model", "--json"]
        started = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.5)
        started.send_signal(signal.SIGINT)
        out, said = started.communicate(timeout=60)
        self.assertNotIn(b"\x1b", out + said)
        run = Terminal(*hard(1500), "-o", "quiet", "--quiet")
        time.sleep(1.5)
        run.press(b"\x03")
        self.assertNotIn("\x1b", run.end())


class CtrlC(Scratch):
    def stopped(self, *words):
        run = Terminal(*words)
        run.read(30, b"%")
        run.press(b"\x03")
        return run, run.end()

    def test_once_stops_keeps_and_says_the_gap(self):
        words = hard(4000)
        run, said = self.stopped(*words, "-o", "model")
        self.assertEqual(run.code, 130)
        self.assertIn("the model fitted so far is written to model", said)
        self.assertRegex(said, r"gap")
        about = json.loads(call("mercer", "describe", "model", "--json").stdout)
        self.assertEqual(about["status"], "cancelled")
        self.assertGreater(about["gap"], 1e-10)
        self.assertEqual(len(call("mercer", "predict", "model", "noise.svm").stdout.split()), 4000)
        # a model of an interrupted fit does not replace an older one
        before = Path("model").read_bytes()
        run, said = self.stopped(*words, "-o", "model")
        self.assertEqual(Path("model").read_bytes(), before)
        self.assertIn("model was not changed", said)
        self.assertTrue(Path("model.interrupted").exists())
        self.only("iris", "noise.svm", "model", "model.interrupted")

    def test_every_command_that_fits_keeps_the_older_model(self):
        noise = hard(1500)[2]
        Path("points.csv").write_text("".join(f"{i % 37},{i * i % 41}\n" for i in range(1500)))
        for words in (["cluster", "kernel_kmeans", "points.csv", "-k", "20", "--set", "n_init=1000000"],
                      ["cluster", "kernel_kmedoids", "points.csv", "-k", "20", "--set", "init=random", "n_init=1000000"],
                      ["cluster", "nystroem_kmeans", "points.csv", "-k", "20", "--set", "n_init=1000000"],
                      ["cluster", "kernel_kmeans", "points.csv", "--k-range", "2:1500", "--set", "n_init=20"],
                      ["tune", "svc", noise, "--points", "300", "--no-race"],
                      ["tune", "knn", noise, "--set", "n_neighbors=?{3}", "--nested", "900"],
                      ["fit", noise, "--points", "300", "--no-race"],
                      ["learn", "svc", noise, "--tol", "1e-15", "--max-iter", "1000000"]):
            Path("model").write_text("older")
            started = subprocess.Popen([BIN / "mercer", *words, "-q", "-o", "model"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(1.5)
            self.assertIsNone(started.poll(), (words, started.returncode))
            started.send_signal(signal.SIGINT)
            _, said = started.communicate(timeout=PATIENCE)
            self.assertEqual(started.returncode, 130, (words, said))
            self.assertEqual(Path("model").read_text(), "older", words)

    def test_twice_ends_it_at_once(self):
        run = Terminal(*hard(4000), "-o", "model")
        run.read(30, b"%")
        os.kill(run.pid, signal.SIGINT)
        os.kill(run.pid, signal.SIGINT)
        run.end()
        self.assertIn(run.code, (-signal.SIGINT, 130))
        self.assertNotIn("Traceback", run.text.decode(errors="replace"))

    def test_what_has_no_model_to_keep_says_so(self):
        started = subprocess.Popen([BIN / "mercer", "fit", "kernel_ridge", DATA / "digits.svm.xz", "--kernel", "rbf(gamma=0.001)",
                                    "--set", "alphas=1e-8:1e8:400", "score=loo", "-o", "model"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.4)
        if started.poll() is None:
            started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
        self.assertIn(started.returncode, (0, 130, -signal.SIGINT))  # the process may still have been reading
        if started.returncode == 130:
            self.assertEqual(said.count("\n"), 1, said)


class Escapes(Scratch):
    """Names and labels of data reach a terminal without control characters, and files and pipes as they are."""

    WILD = "a\x1b]0;title\x07b\x9bc\x7fd"

    def setUp(self):
        super().setUp()
        rows = "".join(f"{i % 7},{i * i % 11},{(self.WILD, 'plain')[i % 2]}\n" for i in range(40))
        Path("wild.csv").write_text(f"first,x{self.WILD},class\n" + rows)
        call("mercer", "fit", "svc", "wild.csv", "--label", "class", "-o", "wild.model")

    def test_on_a_terminal(self):
        shown = "a\\u001b]0;title\\u0007b\\u009bc\\u007fd"
        for words in (["predict", "wild.model", "wild.csv"], ["predict", "wild.model", "wild.csv", "--stream"], ["predict", "wild.model", "wild.csv", "--details"],
                      ["describe", "wild.model"], ["scale", "wild.csv", "--label", "class"], ["evaluate", "wild.model", "wild.csv"],
                      ["fit", "svc", "wild.csv", "--label", "class"], ["fit", "wild.csv", "--target", "class"], ["explain", "wild.model", "wild.csv"]):
            run = Terminal(*words, "--quiet")
            said = run.end()
            self.assertEqual(run.code, 0, (words, said))
            self.assertIn(shown, said, words)
            self.assertNotRegex(said, "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", words)
        run = Terminal("describe", "wild.model", "--json")
        self.assertIn(self.WILD, json.loads(run.end())["classes"])
        run = Terminal("fit", "svc", "wild.csv", "--label", self.WILD, "--quiet")
        self.assertNotRegex(run.end(), "[\x1b\x07\x9b\x7f]")
        self.assertEqual(run.code, 1)

    def test_in_outputs_that_are_the_terminal(self):
        for words, kept in ((["predict", "wild.model", "wild.csv", "-o"], True), (["predict", "wild.model", "wild.csv", "--stream", "-o"], True),
                            (["scale", "wild.csv", "--label", "class", "-o"], True), (["evaluate", "wild.model", "wild.csv", "--html"], False),
                            (["fit", "svc", "wild.csv", "--label", "class", "--svg"], False)):
            for output in ("-", "/dev/stdout", "/dev/stderr", "/dev/tty"):
                run = Terminal(*words, output, "--quiet")
                said = run.end()
                self.assertEqual(run.code, 0, (words, output, said))
                self.assertNotRegex(said, "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", (words, output))
                self.assertIn("]0;title", said, (words, output))
            if kept:
                self.assertIn(self.WILD.encode(), call("mercer", *words, "-").stdout, words)

    def test_in_files_and_pipes(self):
        self.assertIn(self.WILD, call("mercer", "predict", "wild.model", "wild.csv").stdout.decode())
        call("mercer", "predict", "wild.model", "wild.csv", "-o", "answers.csv")
        self.assertIn(self.WILD, Path("answers.csv").read_text())


class Streams(Scratch):
    def test_a_pipe_that_breaks(self):
        for words in ("kernel list", "methods", "kernel list --json", "completion bash", f"predict model {DATA}/digits.svm.xz"):
            if words.startswith("predict"):
                call("mercer", "fit", "knn", DATA / "digits.svm.xz", "-o", "model")
            done = subprocess.run(["bash", "-c", f"set -o pipefail; {BIN}/mercer {words} | head -n 1; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=60)
            self.assertIn(int(done.stdout.splitlines()[-1]), (0, 128 + signal.SIGPIPE), words)
            self.assertEqual(done.stderr, "", words)

    @unittest.skipIf(not os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk(self):
        call("mercer", "fit", "svc", "iris", "-o", "model")
        for words in (["predict", "model", "iris"], ["methods"], ["describe", "model"], ["scale", "iris"], ["fit", "svc", "iris", "--json"], ["completion", "zsh"], ["manual"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([BIN / "mercer", *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("standard output", done.stderr, words)
        for words in (["fit", "svc", "iris", "-o"], ["predict", "model", "iris", "-o"], ["fit", "svc", "iris", "--svg"], ["scale", "iris", "-o"], ["convert", "model", "--to", "onnx", "-o"]):
            said = call("mercer", *words, "/dev/full", code=1).stderr.decode()
            self.assertIn("/dev/full", said, words)
            self.assertEqual(said.count("\n"), 1, words)

    def test_a_disk_that_fills_up(self):
        """A real one of 256 KB: what does not fit is not there, and what was there before still is."""
        script = r"""
mount -t tmpfs -o size=256k none disk || exit 77
cd disk
"$1" fit svc "$2/iris.csv" --label species -o model >/dev/null && cp model ../before || exit 1
for words in "fit knn $2/digits.svm.xz -o model" "kernel gram rbf(gamma=1) $2/digits.svm.xz --out gram.npy" "kernel gram rbf(gamma=1) $2/digits.svm.xz --out gram.csv" \
             "scale $2/digits.svm.xz -o scaled.csv" "fit svc $2/digits.svm.xz --html page.html -o small" "evaluate model $2/iris.csv --html page.html"; do
    "$1" $words >../out 2>../err
    echo "$? $(grep -c . ../err) $(grep -c 'No space left' ../err) $(ls | grep -v '^model$' | grep -vc '^small$') $(cmp -s model ../before && echo same)"
done
"""
        os.mkdir("disk")
        done = subprocess.run(["unshare", "-m", "bash", "-c", script, "bash", BIN / "mercer", DATA], capture_output=True, text=True, timeout=120)
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest("no file system can be mounted here: " + done.stderr.strip())
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 6, done)
        for line in lines[:4]:
            self.assertEqual(line, "1 1 1 0 same", done)
        for line in lines[4:]:  # the text may fit on one page
            self.assertIn(line, ("1 1 1 0 same", "0 0 0 1 same"), done)


class Files(Scratch):
    def one_line(self, *words, code=1):
        done = call("mercer", *words, code=code)
        said = done.stderr.decode(errors="replace")
        self.assertEqual(said.count("\n"), 1, said)
        self.assertTrue(said.startswith("mercer: "), said)
        return said

    def test_that_cannot_be_read_or_written(self):
        os.mkdir("folder")
        call("mercer", "fit", "svc", "iris", "-o", "model")
        self.assertIn("No such file", self.one_line("fit", "svc", "nothing"))
        self.assertIn("No such file", self.one_line("predict", "nothing", "iris"))
        self.assertIn("folder", self.one_line("fit", "svc", "folder"))
        self.assertIn("folder", self.one_line("predict", "folder", "iris"))
        self.assertIn("folder", self.one_line("fit", "svc", "iris", "-o", "folder"))
        self.assertIn("nowhere", self.one_line("fit", "svc", "iris", "-o", "nowhere/model"))
        if os.geteuid() != 0:
            os.chmod("model", 0)
            self.assertIn("ermission", self.one_line("predict", "model", "iris"))
            os.chmod("folder", 0o500)
            self.assertIn("ermission", self.one_line("fit", "svc", "iris", "-o", "folder/model"))

    def test_newer_and_damaged_models(self):
        call("mercer", "fit", "svc", "iris", "--scale", "standard", "-o", "model")
        good = Path("model").read_bytes()
        first = good.split(b"\n", 1)[0]
        newer = re.sub(rb"\d+", lambda found: b"%d" % (int(found.group()) + 1000), first, count=1)
        self.assertNotEqual(first, newer)
        Path("newer").write_bytes(good.replace(first, newer, 1))
        self.assertIn("version", self.one_line("predict", "newer", "iris"))
        for cut in (0, 1, 10, len(good) // 4, len(good) // 2, len(good) - 1):
            Path("cut").write_bytes(good[:cut])
            self.one_line("predict", "cut", "iris")
        import random

        draw = random.Random(1)
        for _ in range(60):
            bad = bytearray(good)
            for _ in range(draw.randrange(1, 4)):
                bad[draw.randrange(len(bad))] = draw.randrange(256)
            Path("bad").write_bytes(bytes(bad))
            done = call("mercer", "predict", "bad", "iris", code=None)
            self.assertIn(done.returncode, (0, 1), done.stderr)  # a changed digit cannot be detected; nothing crashes
        Path("other").write_text("this is no model\n")
        self.one_line("describe", "other")
        Path("onnx").write_bytes(b"\x08\x07\x12\x06mercer")
        self.one_line("describe", "onnx")

    def test_tables_of_all_sorts(self):
        rows = [f"{i % 7}.5,{'ab'[i % 2]}\n" for i in range(40)]
        plain = "x,class\n" + "".join(rows)
        want = None
        for text in (plain, "\ufeff" + plain, plain.replace("\n", "\r\n"), plain.rstrip("\n"), plain.replace(",", ";"), plain.replace(",", "\t"),
                     '"x","class"\n' + "".join('"{}","{}"\n'.format(*row.strip().split(",")) for row in rows), plain.replace("\n", "\n\n"), plain.replace("\n", "  \n")):
            Path("t.csv").write_bytes(text.encode())
            call("mercer", "fit", "svc", "t.csv", "--label", "class", "-o", "model")
            got = Path("model").read_bytes()
            want = want or got
            self.assertEqual(got, want, text[:30])
            call("mercer", "fit", "t.csv", "--target", "class", "-o", "auto.model")

    def test_hardly_any_data(self):
        Path("empty.csv").write_text("")
        for words in (["fit", "svc", "empty.csv"], ["fit", "empty.csv"], ["scale", "empty.csv"], ["kernel", "gram", "rbf()", "empty.csv"], ["tune", "svc", "empty.csv"], ["cluster", "kernel_kmeans", "empty.csv", "-k", "2"]):
            self.assertIn("empty.csv", self.one_line(*words))
        Path("header.csv").write_text("a,b,class\n")
        self.assertIn("at least one row", self.one_line("fit", "svc", "header.csv", "--label", "class"))
        Path("one.csv").write_text("a,b,class\n1,2,x\n")
        self.one_line("fit", "svc", "one.csv", "--label", "class")
        self.one_line("fit", "one.csv", "--target", "class")
        Path("same.csv").write_text("a,b,class\n" + "".join(f"{i % 7}.5,{i % 3}.5,x\n" for i in range(20)))
        self.assertIn("class", self.one_line("fit", "svc", "same.csv", "--label", "class"))
        self.assertIn("constant, x", self.one_line("fit", "same.csv", "--target", "class"))
        Path("null").write_bytes(b"\0" * 100)
        self.one_line("fit", "svc", "null")
        Path("utf16.csv").write_bytes("a,b\n1,2\n".encode("utf-16"))
        self.assertIn("UTF-16", self.one_line("fit", "svc", "utf16.csv"))

    def test_ten_thousand_columns(self):
        names = ",".join(f"c{k}" for k in range(10000))
        Path("wide.csv").write_text(names + ",class\n" + "".join(",".join(str((i * k) % 7) for k in range(10000)) + f",{'ab'[i % 2]}\n" for i in range(30)))
        call("mercer", "fit", "svc", "wide.csv", "--label", "class", "-o", "model")
        answer = json.loads(call("mercer", "predict", "model", "wide.csv", "--json").stdout)
        self.assertEqual(answer["n"], 30)
        self.assertIn("did you mean 'class'", self.one_line("fit", "svc", "wide.csv", "--label", "clas"))

    def test_names_that_are_not_utf_8(self):
        odd = b"donn\xe9es.csv"
        Path(os.fsdecode(odd)).write_bytes("x,d\xe9j\xe0,class\n".encode("latin-1") + b"".join(b"%d,%d,%s\n" % (i, i * i % 5, b"\xe9t\xe9" if i % 2 else b"hiver") for i in range(30)))
        call("mercer", b"fit", odd, b"--target", b"class", b"-o", b"mod\xe8le")
        about = json.loads(call("mercer", b"describe", b"mod\xe8le", b"--json").stdout)
        self.assertEqual(sorted(about["classes"]), ["hiver", "été"])
        said = call("mercer", b"fit", b"svc", odd, b"--label", b"\xff\xfe", code=1).stderr
        self.assertEqual(said.count(b"\n"), 1)
        call("mercer", b"evaluate", b"mod\xe8le", odd, b"--html", b"pag\xe9.html", b"--json")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
