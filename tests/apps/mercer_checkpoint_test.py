#!/usr/bin/python3
"""Fits that are killed and go on, run as a person runs them: mercer_checkpoint_test.py BIN_FOLDER REPOSITORY"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

import numpy as np

import mercer_program
from mercer_program import BIN, DATA, mercer
from programs import PATIENCE

MPI = shutil.which("mpirun") and (BIN / "libmercer_mpi.so").exists()
# (After the death of a rank mpirun asks the other ranks to end and waits a second before it kills them.)
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", MERCER_THREADS="1", OMPI_MCA_odls_base_sigkill_timeout="0")


class Checkpoints(mercer_program.Scratch):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)
        self.moments = random.Random(1)
        x = rng.normal(size=(30000, 3)).round(6)
        y = (np.sin(3 * x[:, 0]) * x[:, 1] + 0.1 * rng.normal(size=30000)).round(6)
        self.values, self.classes, self.state = self.path("t.csv"), self.path("c.csv"), self.path("state")
        for file, targets in ((self.values, y), (self.classes, np.digitize(y, [-0.3, 0.3]))):
            file.write_text("a,b,c,y\n" + "".join(",".join(map(str, [*row, t])) + "\n" for row, t in zip(x.tolist(), targets.tolist())))

    def start(self, words, processes):
        before = ["mpirun", "--oversubscribe", "-n", str(processes)] if processes > 1 else []
        more = ["--checkpoint", self.state, "--checkpoint-seconds", "0", "-o", self.path("m")]
        return subprocess.Popen([*before, BIN / "mercer", *words, *more], env=ENVIRONMENT, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def killed_and_resumed(self, words, processes=(1,), one_rank=False, kills=6):
        """The model after so many kills, each after some steps of its own; each start with the next number of processes."""
        resumed = 0
        for attempt in range(kills + 1):
            resumed += self.state.exists()
            at_start = self.state.stat().st_mtime_ns if self.state.exists() else 0
            child = self.start(words, processes[attempt % len(processes)])
            if attempt < kills:
                # Kills the fit at a random time after its first checkpoint.
                while child.poll() is None and not (self.state.exists() and self.state.stat().st_mtime_ns != at_start):
                    time.sleep(0.002)
                time.sleep(self.moments.uniform(0, 0.05))
                if child.poll() is None:
                    ranks = subprocess.run(["pgrep", "-P", str(child.pid)], capture_output=True, text=True).stdout.split()
                    if one_rank and ranks:
                        os.kill(int(ranks[-1]), signal.SIGKILL)
                    else:
                        for each in [child.pid, *map(int, ranks)]:
                            try:
                                os.kill(each, signal.SIGKILL)
                            except ProcessLookupError:
                                pass
            out, err = child.communicate(timeout=2 * PATIENCE)
            if child.returncode == 0:
                break
            if attempt == kills:
                self.fail(out + err)
        self.assertGreater(resumed, 0, "it was never killed after a checkpoint")
        self.assertFalse(self.state.exists())
        return self.path("m").read_bytes()

    def check(self, words, **how):
        mercer(*words, "-o", self.path("whole"))
        self.assertEqual(self.killed_and_resumed(words, **how), self.path("whole").read_bytes())

    def test_the_same_bytes_after_any_kill(self):
        rbf = ["--label", "y", "--kernel", "rbf(gamma=3)", "--set"]
        ridge = ["fit", "nystroem_ridge", self.values, *rbf, "n_centres=200", "alpha=1e-9", "tol=1e-17", "max_iter=120"]
        self.check(ridge)
        self.check([*ridge, "--stream"])
        for method in ("nystroem_logistic", "nystroem_svc"):
            self.check(["fit", method, self.classes, *rbf, "n_centres=150", "C=1e5", "tol=1e-12", "max_iter=150"], kills=4)
        few = self.path("few.csv")
        few.write_text("".join(self.values.read_text().splitlines(keepends=True)[:1500]))
        self.check(["fit", "kernel_ridge", few, *rbf, "alpha=1e-5", "solver=cg", "tol=1e-13"])
        few.write_text("".join(self.classes.read_text().splitlines(keepends=True)[:800]))
        self.check(["fit", "kernel_logistic", few, *rbf, "C=1e3"], kills=3)

    def test_the_same_bytes_of_components_and_clusters(self):
        rbf = ["--label", "y", "--kernel", "rbf(gamma=1)", "--set"]
        few = self.path("few.csv")
        few.write_text("".join(self.values.read_text().splitlines(keepends=True)[:4000]))
        self.check(["fit", "nystroem_pca", self.values, *rbf, "n_centres=200", "n_components=20", "tol=1e-13"], kills=3)
        self.check(["fit", "nystroem_kmeans", self.values, *rbf, "n_centres=100", "n_clusters=12", "n_init=1", "tol=0"], kills=3)
        self.check(["fit", "nystroem_kmeans", self.values, "--stream", *rbf, "n_centres=50", "n_clusters=8", "n_init=1", "tol=0"], kills=2)
        self.check(["fit", "nystroem_spectral", self.values, *rbf, "n_centres=200", "n_clusters=5", "n_init=1"], kills=2)
        self.check(["fit", "kernel_pca", few, *rbf, "n_components=20", "solver=iterative", "tol=1e-13"], kills=2)

    @unittest.skipUnless(MPI, "OpenMPI is not installed")
    def test_the_same_bytes_after_the_kill_of_a_job_or_a_rank_with_any_number_of_processes(self):
        words = ["fit", "nystroem_ridge", self.values, "--label", "y", "--kernel", "rbf(gamma=3)", "--set", "n_centres=200",
                 "alpha=1e-9", "tol=1e-17", "max_iter=120"]
        self.check([*words, "--stream"], processes=(2, 1, 4), kills=4)
        self.check([*words, "--stream"], processes=(2, 3), one_rank=True, kills=4)

    def test_what_has_none_says_so(self):
        for words in (["svc", DATA / "heart_scale.svm"], ["nystroem", DATA / "heart_scale.svm"],
                      ["kernel_ridge", DATA / "housing.svm", "--set", "alpha=1"], ["kernel_pca", DATA / "heart_scale.svm"],
                      ["nystroem_svc", DATA / "heart_scale.svm", "--set", "loss=hinge"]):
            self.assertIn("checkpoint", mercer("fit", *words, "--checkpoint", self.state, code=1))
        self.assertIn("nystroem_kmeans", mercer("fit", "svc", DATA / "heart_scale.svm", "--checkpoint", self.state, code=1))

    def test_a_state_of_another_problem_is_refused(self):
        words = ["fit", "nystroem_ridge", self.values, "--label", "y", "--kernel", "rbf(gamma=3)", "--set", "n_centres=200", "tol=1e-17", "max_iter=120"]
        child = self.start([*words, "alpha=1e-9"], 1)
        while child.poll() is None and not self.state.exists():
            time.sleep(0.002)
        child.kill()
        child.communicate()
        self.assertTrue(self.state.exists())
        said = mercer(*words, "alpha=1e-8", "--checkpoint", self.state, code=1)
        self.assertIn("another problem", said)
        bytes_ = bytearray(self.state.read_bytes())
        bytes_[-5] ^= 1
        self.state.write_bytes(bytes_)
        self.assertIn("damaged", mercer(*words, "alpha=1e-9", "--checkpoint", self.state, code=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
