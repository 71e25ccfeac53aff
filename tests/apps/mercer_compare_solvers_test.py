#!/usr/bin/python3
"""mercer compare-solvers, run as a person runs it: mercer_compare_solvers_test.py BIN_FOLDER REPOSITORY"""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

BIN, ROOT = Path(sys.argv[1]), Path(sys.argv[2])
HEART = ROOT / "data" / "heart_scale.svm"
SVG = "{http://www.w3.org/2000/svg}"
SOLVERS = ["smo", "interior_point", "primal_qp", "subgradient", "pegasos", "kernel_pegasos", "dual_coordinate_descent"]


def run(*words, code=0):
    done = subprocess.run([BIN / "mercer", "compare-solvers", *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stderr if code else done.stdout


def optimum(kernel, C, **more):
    """J of scikit-learn's solution."""
    x, y = load_svmlight_file(str(HEART))
    x = x.toarray()
    m = SVC(kernel=kernel, C=C, tol=1e-8, **more).fit(x, y)
    f = m.decision_function(x) - m.intercept_[0]
    square = m.dual_coef_[0] @ f[m.support_]
    return square / 2 + C * np.maximum(0, 1 - y * m.decision_function(x)).sum()


class CompareSolvers(unittest.TestCase):
    def test_all_solvers_come_to_the_same_objective(self):
        answer = json.loads(run(HEART, "--epochs", 200, "--json"))
        best = optimum("linear", 1)
        self.assertEqual([each["solver"] for each in answer["solvers"]], SOLVERS)
        self.assertAlmostEqual(answer["best"], best, delta=1e-5 * best)
        for each in answer["solvers"]:
            with self.subTest(each["solver"]):
                self.assertLessEqual(each["primal"], 1.01 * best)
                self.assertGreaterEqual(each["primal"], best * (1 - 1e-6))
                if each["dual"] is not None:
                    self.assertLessEqual(each["dual"], best * (1 + 1e-6))
                self.assertEqual(each["trace"][-1]["primal"], each["primal"])
                seconds = [point["seconds"] for point in each["trace"]]
                self.assertEqual(seconds, sorted(seconds))

    def test_a_kernel_leaves_the_ones_that_need_no_w(self):
        answer = json.loads(run(HEART, "--kernel", "rbf(gamma=0.1)", "--C", 2, "--epochs", 100, "--json"))
        best = optimum("rbf", 2, gamma=0.1)
        ran = [each["solver"] for each in answer["solvers"] if "refused" not in each]
        self.assertEqual(ran, ["smo", "interior_point", "kernel_pegasos"])
        for each in answer["solvers"]:
            if "refused" not in each:
                self.assertLessEqual(each["primal"], 1.02 * best)

    def test_table_and_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = Path(folder) / "p.svg"
            text = run(HEART, "--solver", "smo", "pegasos", "--epochs", 20, "--svg", picture)
            self.assertIn("pegasos", text)
            self.assertIn("above best", text)
            page = xml.parse(picture).getroot()
            groups = [g for g in page.iter(SVG + "g") if g.get("class") == "solver"]
            self.assertEqual(len(groups), 2)
            self.assertTrue(all(g.find(SVG + "path") is not None for g in groups))

    def test_wrong_words(self):
        self.assertIn("one of smo", run(HEART, "--solver", "newton", code=1))
        self.assertIn("C", run(HEART, "--C", -1, code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
