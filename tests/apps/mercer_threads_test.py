#!/usr/bin/python3
"""The number of threads of mercer: the processors that may be used, MERCER_THREADS and --threads, and systems that start none.
mercer_threads_test.py BIN_FOLDER REPOSITORY"""

import json
import os
import resource
import subprocess
import sys
import unittest
from pathlib import Path

from programs import BIN, SANITIZED, Scratch, call


def threads(*words, **environment):
    clean = {name: value for name, value in os.environ.items() if name != "MERCER_THREADS"}
    return json.loads(call("mercer", "devices", "--json", *words, env={**clean, **environment}).stdout)["threads"]


class Threads(Scratch):
    def test_as_many_as_the_processors_that_may_be_used(self):
        allowed = os.sched_getaffinity(0)
        self.assertLessEqual(threads(), len(allowed))
        try:
            os.sched_setaffinity(0, sorted(allowed)[:1])
            self.assertEqual(threads(), 1)
            self.assertEqual(threads("--threads", "3"), 3)
            self.assertEqual(threads(MERCER_THREADS="2"), 2)
        finally:
            os.sched_setaffinity(0, allowed)

    def test_a_wrong_number_is_refused_and_named(self):
        for value in ("0", "-1", "x", "2x", "1e2", "4097", "99999999999999999999", "1.5"):
            for words in (["mercer", "fit", "svc", "iris", "-o", "model"], ["mercer", "predict", "model", "iris"], ["mercer", "scale", "iris"], ["svm-train", "iris", "model"]):
                said = call(*words, code=1, env={**os.environ, "MERCER_THREADS": value}).stderr.decode()
                self.assertIn(f"MERCER_THREADS must be a whole number from 1 to 4096, got '{value}'", said, words)
                self.assertFalse(os.path.exists("model"))
        for value in ("1", "16", " 2", "2 ", "4096", ""):
            call("mercer", "fit", "svc", "iris", env={**os.environ, "MERCER_THREADS": value})
        for value in ("0", "-1", "x", "4097", "1000000000"):
            self.assertIn(b"--threads", call("mercer", "fit", "svc", "iris", "--threads", value, code=2).stderr)

    def test_far_more_than_processors_are_not_started_and_change_nothing(self):
        call("mercer", "fit", "svc", "iris", "--threads", "1", "-o", "one")
        call("mercer", "fit", "svc", "iris", "--threads", "4096", "-o", "many")
        self.assertEqual(Path("one").read_bytes(), Path("many").read_bytes())
        self.assertLessEqual(threads("--threads", "4096"), max(8, 4 * len(os.sched_getaffinity(0))))

    @unittest.skipIf(SANITIZED, "a sanitizer takes address space of its own")
    def test_every_limit_of_memory_ends_with_an_answer_or_an_error(self):
        draw = "".join(f"{i % 17},{i * i % 23},{i * 7 % 29}\n" for i in range(700))
        Path("rows.csv").write_text(draw)
        for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA):  # ulimit -v, ulimit -d
            for megabytes in (50, 100, 150, 200, 250, 300, 400, 600, 1000, 2000):
                for words in (["--version"], ["fit", "svc", "iris"], ["fit", "kernel_ridge", "rows.csv", "--label", "0"], ["fit", "kernel_pca", "rows.csv"],
                              ["kernel", "spectrum", "rbf(gamma=0.1)", "rows.csv"]):
                    done = subprocess.run([BIN / "mercer", *words], capture_output=True, text=True, timeout=60,
                                          preexec_fn=lambda: resource.setrlimit(limit, (megabytes << 20, megabytes << 20)))
                    self.assertGreaterEqual(done.returncode, 0, (limit, megabytes, words))
                    self.assertTrue(done.stdout if done.returncode == 0 else done.stderr, (limit, megabytes, words))

    @unittest.skipIf(SANITIZED, "a sanitizer takes address space of its own")
    def test_linear_algebra_without_memory_for_its_buffer_is_an_error(self):
        Path("rows.csv").write_text("".join(f"{i % 17},{i * i % 23},{i * 7 % 29}\n" for i in range(100)))
        for words in (["fit", "kernel_ridge", "rows.csv", "--label", "0"], ["fit", "kernel_pca", "rows.csv"], ["fit", "kernel_logistic", "iris"]):
            done = subprocess.run([BIN / "mercer", *words, "--threads", "1"], capture_output=True, text=True, timeout=60,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (100 << 20, 100 << 20)))
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("out of memory: linear algebra needs a buffer", done.stderr, words)

    @unittest.skipIf(os.geteuid() != 0 or SANITIZED, "another user is needed")
    def test_a_system_that_starts_no_threads(self):
        os.chmod(".", 0o777)
        Path("rows.csv").write_text("".join(f"{i % 17},{i * i % 23},{i % 2}\n" for i in range(600)))
        fits = {"svc": ["fit", "svc", "rows.csv", "--label", "2"], "stream": ["fit", "nystroem_svc", "rows.csv", "--label", "2", "--stream"],
                "ridge": ["fit", "kernel_ridge", "rows.csv", "--label", "0"], "pca": ["fit", "kernel_pca", "rows.csv", "--label", "2"]}
        for name, words in fits.items():
            call("mercer", *words, "--threads", "1", "-o", name)
            try:
                done = subprocess.run([BIN / "mercer", *words, "--threads", "8", "-o", name + ".alone"], capture_output=True, text=True, timeout=60, user=65534, group=65534,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)))
            except PermissionError:
                self.skipTest("another user cannot run the program here")
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            if name != "pca":  # LAPACK's eigenvectors depend on the number of OpenBLAS threads in their last digits
                self.assertEqual(Path(name).read_bytes(), Path(name + ".alone").read_bytes(), name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
