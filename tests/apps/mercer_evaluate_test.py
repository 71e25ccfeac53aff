#!/usr/bin/python3
"""mercer evaluate, run as a person runs it and compared with scikit-learn:
mercer_evaluate_test.py BIN_FOLDER REPOSITORY"""

import csv
import sys
import unittest
import xml.etree.ElementTree as xml

import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.inspection import permutation_importance
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    precision_recall_curve,
    precision_recall_fscore_support,
    r2_score,
    roc_auc_score,
    roc_curve,
)
from sklearn.svm import SVC

import mercer_program
from mercer_program import DATA, as_json, mercer

XHTML = "{http://www.w3.org/1999/xhtml}"


def evaluated(*words):
    """(answer, predictions, details by name) of one model on one file."""
    answer = as_json("evaluate", *words)
    said = as_json("predict", *words[:2], "--details")
    return answer, np.array(said["predictions"]), np.array(said["details"]["values"])


def inside(metric):
    low, high = metric["interval"]
    return low <= metric["value"] <= high


class Scratch(mercer_program.Scratch):
    def halves(self, name, header=False):
        """Every second row to learn from, the others to be judged by."""
        lines = (DATA / name).read_text().splitlines(True)
        first = lines[:1] if header else []
        rows = lines[len(first) :]
        for part, chosen in (("train", rows[::2]), ("test", rows[1::2])):
            self.path(part + "-" + name).write_text("".join(first + chosen))
        return self.path("train-" + name), self.path("test-" + name)

    def fitted(self, method, train, *words):
        mercer("fit", method, train, *words, "-o", self.path("m"))
        return self.path("m")


class Classes(Scratch):
    def test_figures_of_three_named_classes(self):
        train, test = self.halves("iris.csv", header=True)
        words = ("--label", "species", "--scale", "standard", "--set", "C=0.05", "probability=true")
        model = self.fitted("svc", train, *words)
        answer, said, p = evaluated(model, test)
        y = np.array([row["species"] for row in csv.DictReader(test.read_text().splitlines())])
        names = sorted(set(y))
        self.assertEqual(answer["confusion"]["classes"], names)
        np.testing.assert_array_equal(answer["confusion"]["counts"], confusion_matrix(y, said))
        precision, recall, f1, support = precision_recall_fscore_support(y, said)
        for key, expected in (("precision", precision), ("recall", recall), ("f1", f1), ("support", support)):
            np.testing.assert_allclose([c[key] for c in answer["classes"]], expected, err_msg=key)
        metrics = answer["metrics"]
        for name, expected in (
            ("accuracy", (y == said).mean()),
            ("balanced_accuracy", balanced_accuracy_score(y, said)),
            ("f1", f1_score(y, said, average="macro")),
            ("log_loss", log_loss(y, p, labels=names)),
        ):
            self.assertAlmostEqual(metrics[name]["value"], expected, places=12, msg=name)
            self.assertTrue(inside(metrics[name]), name)
        self.assertEqual(metrics["accuracy"]["interval_by"], "Wilson")
        for c, curve in enumerate(answer["curves"]):
            self.assertEqual(curve["class"], names[c])
            share, mean = calibration_curve(y == names[c], p[:, c], n_bins=10)
            bins = curve["calibration"]["bins"]
            np.testing.assert_allclose([b["share"] for b in bins], share)
            np.testing.assert_allclose([b["mean_probability"] for b in bins], mean)
            self.assertAlmostEqual(curve["calibration"]["brier"], brier_score_loss(y == names[c], p[:, c]))
            self.assertTrue(all(b["share_interval"][0] <= b["share"] <= b["share_interval"][1] for b in bins))

    def compare_curve(self, curve, positive, score):
        fallout, recall, thresholds = roc_curve(positive, score, drop_intermediate=False)
        # the remaining points lie on straight lines
        turns = np.abs(np.diff(fallout, 2)) + np.abs(np.diff(recall, 2)) > 1e-9
        fallout, recall, thresholds = (each[np.r_[True, turns, True]] for each in (fallout, recall, thresholds))
        roc = curve["roc"]
        np.testing.assert_allclose(roc["false_positive_rate"], fallout)
        np.testing.assert_allclose(roc["true_positive_rate"], recall)
        self.assertIsNone(roc["thresholds"][0])  # infinity
        np.testing.assert_allclose(np.array(roc["thresholds"][1:], float), thresholds[1:], atol=1e-6)
        self.assertAlmostEqual(roc["area"], roc_auc_score(positive, score))
        precision, recall, _ = precision_recall_curve(positive, score)
        ours = curve["precision_recall"]
        np.testing.assert_allclose(ours["precision"], precision[::-1])
        np.testing.assert_allclose(ours["recall"], recall[::-1])
        self.assertAlmostEqual(ours["average_precision"], average_precision_score(positive, score))

    def test_curves_of_two_classes(self):
        train, test = self.halves("heart_scale.svm")
        model = self.fitted("svc", train, "--kernel", "rbf(gamma=0.1)")
        answer, said, f = evaluated(model, test)
        y = np.array([float(line.split()[0]) for line in test.read_text().splitlines()])
        self.assertEqual([c["class"] for c in answer["curves"]], ["1"])
        f = f[:, 0]
        score = f if (np.sign(f) == said).mean() > 0.5 else -f
        self.compare_curve(answer["curves"][0], y == 1, score)
        self.assertAlmostEqual(answer["metrics"]["auc"]["value"], roc_auc_score(y, score))
        self.assertNotIn("log_loss", answer["metrics"])
        self.assertNotIn("calibration", answer["curves"][0])

    def test_ties_in_scores(self):
        train, test = self.halves("breast-cancer.svm")
        model = self.fitted("knn", train, "--set", "n_neighbors=3")
        answer, _, p = evaluated(model, test)
        y = np.array([float(line.split()[0]) for line in test.read_text().splitlines()])
        self.assertLess(len(set(p[:, 1])), 8)
        self.compare_curve(answer["curves"][0], y == max(y), p[:, 1])
        of_truth = p[np.arange(len(y)), (y == max(y)).astype(int)]
        expected = -np.log(np.clip(of_truth, 1e-15, 1)).mean()
        self.assertAlmostEqual(answer["metrics"]["log_loss"]["value"], expected)

    def test_each_class_against_the_rest(self):
        train, test = self.halves("wine.svm")
        model = self.fitted("kernel_logistic", train, "--scale", "standard", "--kernel", "rbf(gamma=0.05)")
        answer, _, p = evaluated(model, test)
        y = np.array([float(line.split()[0]) for line in test.read_text().splitlines()])
        self.assertEqual(len(answer["curves"]), 3)
        for c, curve in enumerate(answer["curves"]):
            self.compare_curve(curve, y == float(curve["class"]), p[:, c])
        self.assertAlmostEqual(answer["metrics"]["auc"]["value"], roc_auc_score(y, p, multi_class="ovr"))

    def test_machines_of_one_class_are_judged_by_sides(self):
        mercer("fit", "one_class", DATA / "heart_scale.svm", "-o", self.path("m"))
        answer = as_json("evaluate", self.path("m"), DATA / "heart_scale.svm")
        self.assertEqual(answer["confusion"]["classes"], ["-1", "1"])
        self.assertIn("auc", answer["metrics"])
        self.assertIn("targets must be 1 or -1, got 0", mercer("evaluate", self.path("m"), self.zeros(), code=1))

    def zeros(self):
        self.path("zeros.svm").write_text("0 1:1\n0 2:1\n")
        return self.path("zeros.svm")


class Values(Scratch):
    def test_figures_and_residuals(self):
        train, test = self.halves("housing.svm")
        model = self.fitted("kernel_ridge", train, "--scale", "standard", "--set", "alpha=0.1")
        answer = as_json("evaluate", model, test)
        said = np.array(as_json("predict", model, test)["predictions"])
        y = np.array([float(line.split()[0]) for line in test.read_text().splitlines()])
        scores = {
            "rmse": lambda a, b: mean_squared_error(a, b) ** 0.5,
            "mse": mean_squared_error,
            "mae": mean_absolute_error,
            "r2": r2_score,
        }
        self.assertEqual(set(answer["metrics"]), set(scores))
        for name, score in scores.items():
            found = answer["metrics"][name]
            self.assertAlmostEqual(found["value"], score(y, said), msg=name)
            self.assertTrue(inside(found), name)
            # The bootstrap of another program gives the same interval up to sampling error.
            random = np.random.default_rng(0)
            draws = [score(y[rows], said[rows]) for rows in random.integers(len(y), size=(1000, len(y)))]
            low, high = np.percentile(draws, [2.5, 97.5])
            np.testing.assert_allclose(found["interval"], [low, high], atol=0.12 * (high - low), err_msg=name)
        left = y - said
        residuals = answer["residuals"]
        keys = ("mean", "standard_deviation", "smallest", "quarter", "median", "three_quarters", "largest")
        expected = [left.mean(), left.std(), *np.percentile(left, [0, 25, 50, 75, 100])]
        np.testing.assert_allclose([residuals[key] for key in keys], expected)


class Importance(Scratch):
    def test_is_scikit_learns_but_for_the_shuffles(self):
        model = self.fitted("svc", DATA / "iris.csv", "--label", "species", "--kernel", "rbf(gamma=0.2)")
        answer = as_json("evaluate", model, DATA / "iris.csv", "--importance", "--repeats", 100)["importance"]
        x, y = mercer_program.iris()
        expected = permutation_importance(SVC(gamma=0.2).fit(x, y), x, y, n_repeats=100, random_state=0)
        self.assertEqual(answer["metric"], "accuracy")
        header = (DATA / "iris.csv").read_text().splitlines()[0].split(",")
        self.assertEqual([f["feature"] for f in answer["features"]], header[:4])
        for f, mean, spread in zip(answer["features"], expected.importances_mean, expected.importances_std):
            self.assertAlmostEqual(f["mean"], mean, delta=5 * spread / 10 + 1e-3)  # means of 100 values each
            self.assertAlmostEqual(f["standard_deviation"], spread, delta=0.35 * spread + 1e-3)
            self.assertEqual(len(f["repeats"]), 100)
            self.assertTrue(f["interval"][0] <= f["mean"] <= f["interval"][1])

    def test_of_other_metrics_and_seeds(self):
        mercer("fit", "svc", DATA / "heart_scale.svm", "-o", self.path("m"))
        words = ("evaluate", self.path("m"), DATA / "heart_scale.svm", "--importance", "--metric", "auc")
        first = as_json(*words)["importance"]
        self.assertEqual(first["metric"], "auc")
        self.assertEqual(first, as_json(*words, "--threads", 1)["importance"])
        self.assertNotEqual(first, as_json(*words, "--seed", 2)["importance"])
        self.assertIn("there is no metric 'rmse' of classes", mercer(*words[:-1], "rmse", code=1))
        self.assertIn("metric 'log_loss' needs probabilities", mercer(*words[:-1], "log_loss", code=1))
        self.assertIn("--importance", mercer(*words[:3], "--metric", "auc", code=2))

    def test_is_of_vectors(self):
        mercer("fit", "svc", DATA / "promoters.tsv", "-o", self.path("m"))
        words = ("evaluate", self.path("m"), DATA / "promoters.tsv")
        self.assertIn("the importance of features needs vectors, got", mercer(*words, "--importance", code=1))
        self.assertGreater(as_json("evaluate", self.path("m"), DATA / "promoters.tsv")["metrics"]["auc"]["value"], 0.9)


class BadInput(Scratch):
    def setUp(self):
        super().setUp()
        self.model = self.path("m")
        mercer("fit", "svc", DATA / "iris.csv", "--label", "species", "--set", "probability=true", "-o", self.model)
        self.header, *self.rows = (DATA / "iris.csv").read_text().splitlines(True)

    def data(self, rows, header=None):
        self.path("d.csv").write_text((self.header if header is None else header) + "".join(rows))
        return self.path("d.csv")

    def test_one_class(self):
        answer = as_json("evaluate", self.model, self.data(self.rows[:5]))
        self.assertEqual(answer["n"], 5)
        self.assertIsNone(answer["metrics"]["auc"]["value"])
        self.assertNotIn("roc", answer["curves"][0])
        pages = ("--html", self.path("p.html"), "--svg", self.path("p.svg"))
        mercer("evaluate", self.model, self.data(self.rows[:5]), *pages)
        self.assertNotIn("nan", self.path("p.svg").read_text())

    def test_one_row(self):
        text = mercer("evaluate", self.model, self.data(self.rows[:1]), "--importance")
        self.assertIn("accuracy", text)
        self.assertNotIn("nan", text)

    def test_classes_that_were_not_learnt(self):
        rows = self.rows[:20] + [self.rows[0].replace("setosa", "<new>")]
        error = mercer("evaluate", self.model, self.data(rows), code=1)  # the reader refuses a name
        self.assertRegex(error, "d.csv:22:.*got '<new>'")
        mercer("fit", "svc", DATA / "iris.svm", "--set", "probability=true", "-o", self.model)
        lines = (DATA / "iris.svm").read_text().splitlines(True)
        self.path("new.svm").write_text("".join(lines[::10] + ["7 1:5 2:3 3:1 4:0.2\n"]))
        answer = as_json("evaluate", self.model, self.path("new.svm"))
        self.assertEqual(answer["confusion"]["classes"][-1], "7")
        self.assertEqual(answer["classes"][-1]["recall"], 0)
        self.assertIsNone(answer["classes"][-1]["precision"])
        self.assertGreater(answer["metrics"]["log_loss"]["value"], -np.log(1e-15) / 17)  # the label has probability 0

    def test_no_targets(self):
        without = [",".join(row.split(",")[:4]) + "\n" for row in self.rows]
        header = ",".join(self.header.split(",")[:4]) + "\n"
        self.assertIn("has no targets for the evaluation: name the target column with --target", mercer("evaluate", self.model, self.data(without, header), code=1))

    def test_a_missing_target_or_value_is_named(self):
        gone = self.rows[3].split(",")
        for broken in (",".join(gone[:4]) + ",\n", "," + ",".join(gone[1:]), "nan," + ",".join(gone[1:])):
            error = mercer("evaluate", self.model, self.data(self.rows[:3] + [broken]), code=1)
            self.assertIn("d.csv:5", error)

    def test_files_that_are_no_data(self):
        self.path("empty.csv").write_text("")
        self.assertIn("empty.csv", mercer("evaluate", self.model, self.path("empty.csv"), code=1))
        self.assertIn("d.csv", mercer("evaluate", self.model, self.data([]), code=1))
        self.assertIn("absent.csv", mercer("evaluate", self.model, self.path("absent.csv"), code=1))

    def test_models_without_right_answers(self):
        words = {"kernel_pca": "coordinates", "kernel_kmeans": "clusters", "kernel_density": "densities"}
        for method, word in words.items():
            mercer("fit", method, DATA / "iris.csv", "--label", "species", "-o", self.path("other"))
            self.assertIn(word, mercer("evaluate", self.path("other"), DATA / "iris.csv", "--label", "species", code=1))


class Pages(Scratch):
    def html(self, name):
        text = self.path(name).read_text()
        page = xml.fromstring(text)  # well-formed
        for element in page.iter():
            for key, value in element.attrib.items():
                if key.endswith("href") or key.endswith("src"):
                    self.assertTrue(value.startswith("data:"))
        self.assertNotIn("<script", text)
        self.assertNotRegex(text, r">\s*-?(nan|inf)\b")
        return page, text

    def test_everything_on_one_page(self):
        log = self.path("search.log")
        mercer("tune", "svc", DATA / "iris.csv", "--label", "species", "--scale", "standard", "--points", 4,
               "--set", "C=?", "--kernel", "rbf(gamma=?)", "--log", log, "-o", self.path("m"))  # fmt: skip
        words = ("--importance", "--html", self.path("p.html"), "--log", log)
        text = mercer("evaluate", self.path("m"), DATA / "iris.csv", *words)
        self.assertIn("report: ", text)
        page, text = self.html("p.html")
        headings = [h.text for h in page.iter(XHTML + "h2")]
        self.assertEqual(headings, ["How good it is", "The data", "The fit", "The search", "The model on the data"])
        parts = ("Confusion matrix", "ROC", "Precision and recall", "Importance of the features", "petal")
        for part in (*parts, "Score of each setting", "16 settings by accuracy"):
            self.assertIn(part, text)
        self.assertIn("--html", mercer("evaluate", self.path("m"), DATA / "iris.csv", "--log", log, code=2))

    def test_the_page_of_a_fit(self):
        text = mercer("fit", DATA / "penguins.csv", "--target", "species", "-o", self.path("m"), "--html", self.path("p.html"))
        self.assertIn("report: ", text)
        page, text = self.html("p.html")
        headings = [h.text for h in page.iter(XHTML + "h2")]
        self.assertEqual(headings, ["How good it is", "The data", "The fit", "The search", "The model on the data", "The 3 binary problems"])
        for part in ("Adelie 50, Chinstrap 35, Gentoo 30", "Scores on the training data", "Held-out examples in the search", "Score of each setting", "all hold", "Confusion matrix", "Slack"):
            self.assertIn(part, text)
        for words, wanted in [
            (("svc", DATA / "heart_scale.svm"), ["How good it is", "The data", "The fit", "The model on the data", "The optimum"]),
            (("kernel_ridge", DATA / "housing.svm", "--scale", "standard"), ["How good it is", "The data", "The fit", "The model on the data"]),
            (("kernel_pca", DATA / "wine.svm", "--scale", "standard"), ["The data", "The fit", "The model on the data"]),
            (("svc", DATA / "promoters.tsv"), ["How good it is", "The data", "The fit", "The model on the data", "The optimum"]),
            ((DATA / "wine.svm", "--target", "none"), ["The data", "The fit", "The model on the data"]),
        ]:
            mercer("fit", *words, "--html", self.path("q.html"))
            self.assertEqual([h.text for h in self.html("q.html")[0].iter(XHTML + "h2")], wanted, words)

    def test_a_log_that_is_none(self):
        mercer("fit", "svc", DATA / "iris.csv", "--label", "species", "-o", self.path("m"))
        words = ("evaluate", self.path("m"), DATA / "iris.csv", "--html", self.path("p"), "--log", self.path("log"))
        for contents, said in (
            ("", "the log of tune contains no score"),
            ("what?\n", "log:1: not JSON"),
            ('{"search": "x"}\n', "log:1: unknown search strategy"),
            ('{"other": 1}\n', "log:1: not a line"),
        ):
            self.path("log").write_text(contents)
            self.assertIn(said, mercer(*words, code=1))

    def test_values(self):
        mercer("fit", "svr", DATA / "housing.svm", "--scale", "standard", "-o", self.path("m"))
        pages = ("--html", self.path("p.html"), "--svg", self.path("p.svg"))
        mercer("evaluate", self.path("m"), DATA / "housing.svm", "--importance", *pages)
        _, text = self.html("p.html")
        for part in ("Predicted and true values", "Residuals", "rmse worse by", "column 13"):
            self.assertIn(part, text)
        picture = self.picture("p.svg")
        self.assertEqual(len(list(self.group(picture, "points"))), 506)
        self.assertEqual(len([r for r in self.group(picture, "importance").iter(mercer_program.SVG + "rect")]), 13)

    def test_pictures_alone(self):
        mercer("fit", "svc", DATA / "iris.csv", "--label", "species", "--set", "probability=true", "-o", self.path("m"))
        text = mercer("evaluate", self.path("m"), DATA / "iris.csv", "--svg", self.path("p.svg"))
        self.assertIn("picture: ", text)
        page = self.picture("p.svg")
        self.assertEqual(len(list(self.group(page, "confusion").iter(mercer_program.SVG + "rect"))), 9)
        for name in ("roc", "precision-recall", "reliability"):
            self.group(page, name)

    def test_the_help_has_examples(self):
        self.assertIn("mercer evaluate iris.model", mercer("evaluate", "--help"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
