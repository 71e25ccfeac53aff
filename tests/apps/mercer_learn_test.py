#!/usr/bin/python3
"""mercer learn, and what mercer tune says of its own choice, run as a person runs them: mercer_learn_test.py BIN_FOLDER REPOSITORY"""

import sys
import unittest

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_svmlight_file
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.svm import SVC

import mercer_program
from mercer_program import DATA, SVG, as_json, mercer, standardised

SUM = "rbf(gamma=0.01) + rbf(gamma=0.1) + linear()"


def vectors(name, rows=None):
    x, y = load_svmlight_file(str(DATA / name))
    return standardised(x.toarray()[:rows]), y[:rows]


def matrices(x):
    squares = ((x[:, None] - x[None]) ** 2).sum(2)
    made = [np.exp(-0.01 * squares), np.exp(-0.1 * squares), x @ x.T]
    return [K / (np.trace(K) / len(K) - K.mean()) for K in made]


class Learn(mercer_program.Scratch):
    def test_weights_are_those_of_another_solver(self):
        """min over d of the objective of scikit-learn's machine with Σ dK, by scipy."""
        x, y = vectors("sonar.svm")
        Ks = matrices(x)
        sign = np.where(y == y[0], 1.0, -1.0)

        def objective(d):
            K = sum(w * each for w, each in zip(d, Ks))
            machine = SVC(C=2, kernel="precomputed", tol=1e-6).fit(K, sign)
            a = np.zeros(len(y))
            a[machine.support_] = machine.dual_coef_[0]
            return np.abs(a).sum() - a @ K @ a / 2, np.array([-a @ each @ a / 2 for each in Ks])

        for norm in (1, 2):
            found = as_json("learn", "svc", DATA / "sonar.svm", "--scale", "standard", "--kernel", SUM, "--set", "C=2", "--norm", norm, "--tol", "1e-5")
            self.assertEqual(found["status"], "converged")
            self.assertLessEqual(found["gap"], 1e-5 * found["objective"])
            weights = np.array([part["weight"] for part in found["parts"]])
            self.assertAlmostEqual(np.linalg.norm(weights, norm), 1, places=6)
            self.assertAlmostEqual(objective(weights)[0], found["objective"], delta=1e-4 * found["objective"])
            other = minimize(objective, np.full(3, 3 ** (-1 / norm)), jac=True, bounds=[(0, 1)] * 3, method="SLSQP",
                             constraints={"type": "ineq", "fun": lambda d: 1 - np.linalg.norm(d, norm) ** norm}, options={"ftol": 1e-9})  # fmt: skip
            self.assertLess(abs(other.fun - found["objective"]), 2e-4 * found["objective"])

    def test_alignment_is_the_best_there_is(self):
        x, y = vectors("housing.svm")
        n = len(y)
        H = np.eye(n) - 1 / n
        Ks = [H @ K @ H for K in matrices(x)]
        T = np.outer(y - y.mean(), y - y.mean())
        found = as_json("learn", "kernel_ridge", DATA / "housing.svm", "--scale", "standard", "--kernel", SUM, "--by", "alignment")

        def alignment(d):
            K = sum(w * each for w, each in zip(d, Ks))
            return (K * T).sum() / np.linalg.norm(K) / np.linalg.norm(T)

        weights = np.array([part["weight"] for part in found["parts"]])
        self.assertAlmostEqual(found["alignment"], alignment(weights), places=6)
        other = minimize(lambda d: -alignment(d), np.full(3, 1 / 3), bounds=[(0, 1)] * 3)
        self.assertGreaterEqual(found["alignment"], -other.fun - 1e-6)

    def test_relevance_is_that_of_a_gaussian_process(self):
        """The evidence of scikit-learn's process at our numbers is no worse than at its own."""
        x, y = vectors("housing.svm", 200)
        found = as_json("learn", "kernel_ridge", DATA / "housing.svm", "--rows", 200, "--scale", "standard", "--by", "relevance", "--learn-rows", 0)
        self.assertIn(found["status"], ("stationary", "stalled"))
        gamma = np.array([part["gamma"] for part in found["parts"]])
        z = y - y.mean()
        A = np.exp(-(((x[:, None] - x[None]) ** 2) * gamma).sum(2)) + found["noise"] * np.eye(len(z))
        variance = z @ np.linalg.solve(A, z) / len(z)
        kernel = ConstantKernel(variance) * RBF(np.sqrt(1 / (2 * gamma)), length_scale_bounds=(1e-2, 1e5)) + WhiteKernel(variance * found["noise"], (1e-8, 1e4))
        process = GaussianProcessRegressor(kernel, optimizer=None).fit(x, z)
        ours = process.log_marginal_likelihood_value_
        self.assertAlmostEqual(-found["criterion_at_end"] * len(z), ours + 0.5 * len(z) * (1 + np.log(2 * np.pi)), delta=1e-3 * abs(ours))
        theirs = GaussianProcessRegressor(ConstantKernel(z.var()) * RBF(np.full(13, 3.0), (1e-2, 1e5)) + WhiteKernel(1.0, (1e-8, 1e4))).fit(x, z)
        self.assertGreater(ours, theirs.log_marginal_likelihood_value_ - 0.01 * abs(ours))

    def test_the_model_and_the_words(self):
        out = mercer("learn", "svc", DATA / "sonar.svm", "--scale", "standard", "--kernel", SUM, "-o", self.path("m"))
        self.assertIn(f"model: {self.path('m')}\n", out)
        self.assertNotIn("picture", out)
        for word in ("status", "converged", "gap", "weight", "kernel: "):
            self.assertIn(word, out)
        score = as_json("predict", self.path("m"), DATA / "sonar.svm")
        self.assertGreater(score["score"]["accuracy"], 0.9)
        found = as_json("learn", "svc", DATA / "promoters.tsv", "--kernel", "normalize(spectrum(k=2)) + ?*normalize(spectrum(k=4))")
        self.assertEqual(len(found["parts"]), 2)
        self.assertEqual(as_json("learn", "one_class", DATA / "wine.svm", "--scale", "standard")["status"], "converged")

    def test_mistakes_are_said(self):
        self.assertIn("--by alignment", mercer("learn", "kernel_ridge", DATA / "housing.svm", code=1))
        self.assertIn("mercer tune", mercer("learn", "svc", DATA / "sonar.svm", "--set", "C=?", code=2))
        self.assertIn("1 <= norm", mercer("learn", "svc", DATA / "sonar.svm", "--norm", "0.5", code=1))
        self.assertIn("not proven", mercer("learn", "svc", DATA / "sonar.svm", "--kernel", "sigmoid() + linear()", code=1))


class Worth(mercer_program.Scratch):
    def test_nested_and_learning_curve(self):
        found = as_json("tune", "svc", DATA / "heart_scale.svm", "--points", 3, "--nested", 4, "--curve", self.path("curve.svg"))
        nested, curve = found["nested"], found["learning_curve"]["points"]
        self.assertEqual(len(nested["folds"]), 4)
        self.assertTrue(nested["low"] < nested["mean"] < nested["high"])
        self.assertGreater(nested["mean"], 0.7)
        self.assertGreater(curve[-1]["examples"], curve[0]["examples"])
        self.assertGreater(len(self.picture("curve.svg").findall(f".//{SVG}path")) + len(self.picture("curve.svg").findall(f".//{SVG}polyline")), 1)
        out = mercer("tune", "kernel_ridge", DATA / "housing.svm", "--scale", "standard", "--points", 3, "--nested", 3)
        self.assertIn("nested: rmse", out)
        self.assertIn("bootstrap", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
