#!/usr/bin/python3
"""Fits shared by several processes, run as a person runs them: mercer_processes_test.py BIN_FOLDER REPOSITORY"""

import gzip
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import numpy as np

import mercer_program
from mercer_program import BIN, DATA, mercer

if not shutil.which("mpirun") or not (BIN / "libmercer_mpi.so").exists():
    print("skipped: OpenMPI is not installed (openmpi-bin, libopenmpi-dev), or was not when mercer was built")
    sys.exit(77)


def started(processes, *words):
    command = ["mpirun", "--oversubscribe", "-n", processes, BIN / "mercer", *words]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", MERCER_THREADS="1")
    return subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def shared(processes, *words, code=0):
    child = started(processes, *words)
    out, err = child.communicate(timeout=300)
    assert child.returncode == code, f"{words}: exit code {child.returncode}\n{out}{err}"
    return out + err


class Processes(mercer_program.Scratch):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)
        x = rng.normal(size=(5000, 3)).round(6)
        y = (np.sin(x[:, 0]) + x[:, 1]).round(6)
        self.lines = [",".join(map(str, [*row, t])) + "\n" for row, t in zip(x.tolist(), y.tolist())]
        self.table = self.path("t.csv")
        self.table.write_text("a,b,c,y\n" + "".join(self.lines))
        self.words = ["--label", "y", "--kernel", "rbf(gamma=0.2)", "--set", "n_centres=40", "alpha=0.01"]

    def alone(self, method, data, *words):
        mercer("fit", method, data, *words, "-o", self.path("one"))
        return self.path("one").read_bytes()

    def by(self, processes, method, data, *words):
        self.path("many").unlink(missing_ok=True)
        shared(processes, "fit", method, data, *words, "-o", self.path("many"))
        return self.path("many").read_bytes()

    def test_the_same_bytes_for_any_number_of_processes(self):
        for scale in ([], ["--scale", "standard"], ["--scale", "minmax"]):
            want = self.alone("nystroem_ridge", self.table, *self.words, *scale)
            for processes in (2, 4):
                self.assertEqual(self.by(processes, "nystroem_ridge", self.table, *self.words, *scale), want)

    def test_files_of_any_shape(self):
        want = self.alone("nystroem_ridge", self.table, *self.words)
        packed = self.path("t.csv.gz")
        packed.write_bytes(gzip.compress(self.table.read_bytes()))
        self.assertEqual(self.by(3, "nystroem_ridge", packed, *self.words), want)
        for i, part in enumerate((self.lines[:7], self.lines[7:3001], self.lines[3001:])):
            self.path(f"part-{i}.csv").write_text("a,b,c,y\n" + "".join(part))
        self.assertEqual(self.by(4, "nystroem_ridge", self.path("part-*.csv"), *self.words), want)
        # Line ends inside quotes do not end a record.
        self.table.write_text('"a","b\n\n","c",y\n' + "".join(f'"{line[:-1].replace(",", chr(34) + "," + chr(34))}"\n' for line in self.lines))
        want = self.alone("nystroem_ridge", self.table, *self.words)
        for processes in (2, 4):
            self.assertEqual(self.by(processes, "nystroem_ridge", self.table, *self.words), want)

    def test_classes_and_files_smaller_than_the_number_of_processes(self):
        for data, words in ((DATA / "heart_scale.svm", []), (DATA / "iris.csv", ["--label", "species"])):
            for method in ("nystroem_logistic", "nystroem_svc"):
                all_words = [*words, "--kernel", "rbf(gamma=0.1)", "--set", "n_centres=30"]
                self.assertEqual(self.by(4, method, data, *all_words), self.alone(method, data, *all_words))

    def test_many_rows_of_classes(self):
        """So many that a fit begins with some of them."""
        rows = (line.rstrip().rsplit(",", 1) for line in self.lines)
        self.table.write_text("a,b,c,y\n" + "".join(f"{x},k{np.digitize(float(y), [-0.5, 0.5, 3.5])}\n" for x, y in rows))
        words = ["--label", "y", "--kernel", "rbf(gamma=0.2)", "--set", "n_centres=40", "C=100"]
        want = self.alone("nystroem_logistic", self.table, *words)
        for processes in (2, 4):
            for stream in ([], ["--stream"]):
                self.assertEqual(self.by(processes, "nystroem_logistic", self.table, *words, *stream), want)

    def test_matrices_factored_together(self):
        words = [*self.words, "tol=1e-12", "--factors", "together"]
        found = self.path("answers")
        mercer("fit", "nystroem_ridge", self.table, *self.words, "tol=1e-12", "-o", self.path("one"))
        mercer("predict", self.path("one"), self.table, "-o", found)
        want = np.loadtxt(found, ndmin=1)
        for processes in (2, 4):
            child = started(processes, "fit", "nystroem_ridge", self.table, *words, "-o", self.path("many"))
            out, err = child.communicate(timeout=300)
            if "needs ScaLAPACK" in out + err:
                self.skipTest("mercer was built without ScaLAPACK (libscalapack-openmpi-dev)")
            self.assertEqual(child.returncode, 0, out + err)
            mercer("predict", self.path("many"), self.table, "-o", found)
            np.testing.assert_allclose(np.loadtxt(found, ndmin=1), want, rtol=0, atol=1e-8 * np.abs(want).max())

    def test_a_fault_of_one_process_ends_all(self):
        self.lines[4000] = "1,2,x,3\n"
        self.table.write_text("a,b,c,y\n" + "".join(self.lines))
        began = time.monotonic()
        self.assertIn("t.csv:4002:5: column 'c': expected a number, got 'x'", shared(4, "fit", "nystroem_ridge", self.table, *self.words, code=1))
        self.assertLess(time.monotonic() - began, 60)
        said = shared(2, "fit", "svc", DATA / "iris.csv", "--label", "species", code=2)
        self.assertIn("svc runs in one process:", said)
        self.assertEqual(said.count("svc runs in one process:"), 1)
        self.assertIn("` runs in one process: only `mercer fit` can use several processes", shared(2, "predict", "m", "x", code=2))

    def test_a_process_that_is_killed_ends_the_job(self):
        self.table.write_text("a,b,c,y\n" + 40 * "".join(self.lines))
        words = ["--label", "y", "--kernel", "rbf(gamma=5)", "--set", "n_centres=2000", "alpha=1e-9", "tol=1e-15", "max_iter=100000"]
        child = started(2, "fit", "nystroem_ridge", self.table, *words, "-o", self.path("many"))
        time.sleep(3)
        ranks = subprocess.run(["pgrep", "-P", str(child.pid)], capture_output=True, text=True).stdout.split()
        self.assertEqual(len(ranks), 2)
        os.kill(int(ranks[1]), signal.SIGKILL)
        out, err = child.communicate(timeout=60)
        self.assertNotEqual(child.returncode, 0)
        self.assertIn("signal 9", out + err)
        self.assertFalse(self.path("many").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
