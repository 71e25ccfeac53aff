#!/usr/bin/python3
"""mercer tune, run as a person runs it: mercer_tune_test.py BIN_FOLDER REPOSITORY"""

import json
import signal
import subprocess
import sys
import time
import unittest

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mercer_program
from mercer_program import DATA, SVG, as_json, mercer, standardised

IRIS = (DATA / "iris.csv", "--label", "species")


def vectors(name):
    x, y = load_svmlight_file(str(DATA / name))
    return x.toarray(), y


class Tune(mercer_program.Scratch):
    def test_as_good_as_a_grid_search_of_scikit_learn(self):
        """The best of the same grid, judged by scikit-learn on folds of its own, is within a percent of its best."""
        for name in ("heart_scale.svm", "sonar.svm", "wine.svm"):
            x, y = vectors(name)
            found = as_json("tune", "svc", DATA / name, "--scale", "standard")
            grid = {"svc__C": sorted({t["at"]["C"] for t in found["trials"]}),
                    "svc__gamma": sorted({t["at"]["gamma"] for t in found["trials"]})}
            self.assertEqual(len(found["trials"]), 100)
            folds = StratifiedKFold(5, shuffle=True, random_state=3)
            search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=folds).fit(x, y)
            chosen = found["chosen"]["at"]
            at = search.cv_results_["params"].index({"svc__C": chosen["C"], "svc__gamma": chosen["gamma"]})
            self.assertGreater(search.cv_results_["mean_test_score"][at], search.best_score_ - 0.025, name)

    def test_ridge_by_leaving_one_out(self):
        x, y = vectors("housing.svm")
        x = standardised(x)
        found = as_json("tune", "kernel_ridge", DATA / "housing.svm", "--scale", "standard", "--kernel",
                        "rbf(gamma=?{0.01,0.05})", "--set", "alpha=?{0.01,1}", "--folds", str(len(y)))
        self.assertEqual(found["cross_validation"], "leave-one-out, in closed form")
        for trial in found["trials"]:
            gamma, alpha = trial["at"]["gamma"], trial["at"]["alpha"]
            K = np.exp(-gamma * ((x[:, None] - x[None]) ** 2).sum(2))
            inverse = np.linalg.inv(K + alpha * np.eye(len(y)))
            left_out = inverse @ y / np.diag(inverse)
            self.assertAlmostEqual(trial["mean"], np.sqrt((left_out**2).mean()), places=5)

    def test_the_model_and_the_map(self):
        out = mercer("tune", "svc", *IRIS, "--scale", "standard", "-o", self.path("m"), "--svg", self.path("map.svg"))
        self.assertIn("100 settings by accuracy, 5 folds, stratified", out)
        self.assertIn("← chosen", out)
        picture = self.picture("map.svg")
        self.assertGreaterEqual(len(picture.findall(f".//{SVG}rect")), 100)
        score = as_json("predict", self.path("m"), *IRIS)
        self.assertGreater(score["score"]["accuracy"], 0.95)
        mercer("tune", "svc", *IRIS, "--kernel", "rbf(gamma=0.1)", "--set", "C=?", "--svg", self.path("line.svg"))
        self.picture("line.svg")

    def test_objects_and_expressions(self):
        found = as_json("tune", "svc", DATA / "promoters.tsv")
        self.assertGreater(found["chosen"]["mean"], 0.85)
        found = as_json("tune", "svc", *IRIS, "--kernel", "rbf(gamma=?) + ?*linear()", "--set", "C=?", "--search", "model",
                        "--trials", "15")
        self.assertEqual(len(found["trials"]), 15)
        self.assertEqual(set(found["chosen"]["at"]), {"gamma", "weight", "C"})

    def test_a_log_is_gone_on_from(self):
        log = self.path("log")
        first = as_json("tune", "svc", *IRIS, "--log", log)
        again = as_json("tune", "svc", *IRIS, "--log", log)
        self.assertEqual([t["scores"] for t in first["trials"]], [t["scores"] for t in again["trials"]])
        lines = log.read_text().splitlines()
        self.assertEqual(len(lines), 101)
        self.assertIn("accuracy", json.loads(lines[0])["search"])
        self.assertIn("the log belongs to another search (", mercer("tune", "svc", *IRIS, "--log", log, "--folds", "4", code=1))

    def test_interrupted_it_keeps_the_best_so_far(self):
        # The signal is sent once the log shows that the search runs: after a fixed time the search might have ended.
        log = self.path("log")
        program = [str(mercer_program.BIN / "mercer"), "tune", "kernel_logistic", str(DATA / "heart_scale.svm"), "--points", "30",
                   "--json", "--no-race", "--log", str(log), "-o", str(self.path("m"))]
        run = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not (log.exists() and log.read_text().count("\n") > 5):
            self.assertIsNone(run.poll(), "it ended before it was interrupted")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        out, said = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, said)
        self.assertTrue(self.path("m").exists())
        answer = json.loads(out)
        self.assertFalse(answer["complete"])
        self.assertIn("the search was stopped", said)
        self.assertLess(len(answer["trials"]), 900)

    def test_wrong_usage(self):
        for arguments, code, message in [
            ((*IRIS, "--kernel", "rbf(gamma=?[2,1])"), 1, "low < high"),
            ((*IRIS, "--kernel", "rbf(gamma=1)", "--set", "C=1"), 1, "no option or parameter is left open for tuning"),
            ((*IRIS, "--search", "luck"), 2, "luck"),
            ((*IRIS, "--metric", "rmse"), 1, "accuracy, balanced_accuracy"),
            ((*IRIS, "--folds", "1"), 1, "2 <= folds"),
            ((*IRIS, "--set", "D=?"), 1, "has no option 'D'"),
        ]:
            self.assertIn(message, mercer("tune", "svc", *arguments, code=code))
        self.assertIn("uses no targets, so its options cannot be tuned", mercer("tune", "kernel_pca", DATA / "wine.svm", code=1))
        one = self.path("one.csv")
        one.write_text("a,y\n" + "".join(f"{i},1\n" for i in range(20)))
        self.assertIn("single class", mercer("tune", "svc", one, "--label", "y", code=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
