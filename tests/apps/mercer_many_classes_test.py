"""Hundreds of classes of two rows each: memory and models do not grow with rows x pairs of classes, and Ctrl-C ends a
fit that has millions of pairs before it."""

import os
import random
import signal
import subprocess
import sys
import time
import unittest

from mercer_program import BIN, Scratch, mercer

MB = 1 << 20
# Sanitizers multiply the memory of a process, so their builds do not check it.
SANITIZED = "UBSAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ
# Prints the peak memory of its only child in bytes.
MEASURE = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")


class ManyClasses(Scratch):
    def setUp(self):
        super().setUp()
        self.data = self.path("classes.csv")
        self.write(300)

    def write(self, classes):
        draw = random.Random(0)
        with open(self.data, "w") as file:
            file.write("a,b,c,y\n")
            for label in range(classes):
                centre = [draw.gauss(0, 10) for _ in range(3)]
                for _ in range(2):
                    file.write(",".join(f"{at + draw.gauss(0, 0.3):.4f}" for at in centre) + f",k{label}\n")

    def memory(self, *words):
        done = subprocess.run([sys.executable, "-c", MEASURE, BIN / "mercer", *map(str, words)], capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout)

    def fit(self, method, *words):
        """The memory of a fit beside that of a small one, and the size of its model."""
        model = self.path("model")
        used = self.memory("fit", method, self.data, "--label", "y", "-q", "-o", model, *words)
        return used - self.memory("fit", "svc", self.path("small.csv"), "--label", "y", "-q", "-o",
                                  self.path("small")), os.path.getsize(model)

    def test_memory_and_models_grow_with_the_support_vectors(self):
        self.path("small.csv").write_text("a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(20)))
        # 600 x 44,850 decisions take 215 MB, and one report for each of the 44,850 problems 4.7 MB of text.
        used, size = self.fit("svc")
        if not SANITIZED:
            self.assertLess(used, 60 * MB)
        self.assertLess(size, 2 * MB)
        base = self.memory("predict", self.path("small"), self.path("small.csv"), "-q", "-o", self.path("out"))
        used = self.memory("predict", self.path("model"), self.data, "-q", "-o", self.path("out"))
        if not SANITIZED:
            self.assertLess(used - base, 60 * MB)
        labels = [line.rsplit(",", 1)[1] for line in self.data.read_text().split("\n")[1:-1]]
        found = self.path("out").read_text().split()
        self.assertGreater(sum(a == b for a, b in zip(labels, found)), 0.95 * len(labels))
        _, size = self.fit("nearest_centroid")
        self.assertLess(size, MB // 8)  # 600 x 300 coefficients take 1.4 MB
        self.write(400)
        _, size = self.fit("linear_svc", "--set", "max_iter=5")
        self.assertLess(size, MB // 4)  # 400 x 400 coefficients take 1.3 MB

    def test_ctrl_c_ends_a_fit_of_millions_of_problems(self):
        self.write(2000)
        started = subprocess.Popen([BIN / "mercer", "fit", "svc", self.data, "--label", "y", "-q", "-o", self.path("m")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        self.assertIsNone(started.poll())
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
        self.assertEqual(started.returncode, 130, said)
        self.assertFalse(self.path("m").exists())

    def test_ctrl_c_ends_the_score_and_keeps_the_model(self):
        # Many rows: fitting knn is fast, scoring needs all pairs of rows.
        draw = random.Random(1)
        with open(self.data, "w") as file:
            file.write("a,b,y\n")
            for row in range(20000):
                file.write(f"{draw.random():.6f},{draw.random():.6f},{row % 2}\n")
        model = self.path("m")
        started = subprocess.Popen([BIN / "mercer", "fit", "knn", self.data, "--label", "y", "-o", model],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not model.exists() and started.poll() is None:
            time.sleep(0.01)
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
        self.assertEqual(started.returncode, 130, said)
        self.assertIn("the model is complete, but its score", said)
        self.assertIn("knn", mercer("describe", model))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
