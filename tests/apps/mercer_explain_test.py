#!/usr/bin/python3
"""mercer explain and mercer regions, run as a person runs them: mercer_explain_test.py BIN_FOLDER REPOSITORY"""

import base64
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zlib
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.svm import SVC

import mercer_program
from mercer_program import BIN, DATA, SVG, as_json, mercer, standardised

HEART = DATA / "heart_scale.svm"


def run(program, *words, code=0):
    done = subprocess.run([BIN / program, *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}, expected {code}\n{done.stdout}\n{done.stderr}")
    return done.stderr if code else done.stdout


def heart():
    x, y = load_svmlight_file(str(HEART))
    return x.toarray(), y


def regions_of(group):
    """The class of every cell, rows from above, of the picture in a group of class regions."""
    image = group.find(SVG + "image")
    data = base64.b64decode(image.get("href").split(",", 1)[1])
    at, parts = 8, {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        parts[kind] = parts.get(kind, b"") + data[at + 8 : at + 8 + size]
        at += 12 + size
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    assert len(parts[b"tRNS"]) == 256
    pixels = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, width + 1)[:, 1:]
    nx, ny = map(int, group.get("data-cells").split("×"))
    across, down = width // nx, height // ny
    return pixels[down // 2 :: down, across // 2 :: across][:ny, :nx] // int(group.get("data-levels"))


class Scratch(mercer_program.Scratch):
    def page(self, name):
        """A page as XML: well-formed, and nothing outside the file is needed."""
        root = xml.parse(self.path(name)).getroot()
        for element in root.iter():
            self.assertNotIn(element.tag.split("}")[-1], ("script", "link", "iframe", "img"))
            for key, value in element.attrib.items():
                if key.split("}")[-1] in ("href", "src"):
                    self.assertTrue(value.startswith("data:"), value[:60])
        text = self.path(name).read_text()
        for foreign in ("@import", "url("):
            self.assertNotIn(foreign, text)
        self.assertEqual(set(re.findall(r"https?://[^\"' ]+", text)) - {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}, set())
        return root


class Explain(Scratch):
    def test_agrees_with_scikit_learn(self):
        x, y = heart()
        model = SVC(C=3, gamma=0.1, tol=1e-6).fit(x, y)
        answer = as_json("explain", "--kernel", "rbf(gamma=0.1)", "--C", 3, "--tol", 1e-6, HEART)
        problem = answer["problems"][0]
        # scikit-learn signs alpha by the larger label; Mercer's alpha is positive, and f > 0 means the smaller label.
        alpha = np.zeros(len(y))
        alpha[model.support_] = np.abs(model.dual_coef_[0])
        np.testing.assert_allclose([e["alpha"] for e in problem["examples"]], alpha, atol=2e-4)
        np.testing.assert_allclose([e["f"] for e in problem["examples"]], -model.decision_function(x), atol=1e-4)
        self.assertAlmostEqual(problem["b"], -model.intercept_[0], places=4)
        signed = model.dual_coef_[0]
        k = np.exp(-0.1 * ((x[model.support_][:, None] - x[model.support_][None]) ** 2).sum(axis=2))
        norm = np.sqrt(signed @ k @ signed)
        self.assertAlmostEqual(problem["norm"], norm, delta=1e-4 * norm)
        self.assertAlmostEqual(problem["margin"] * norm, 1, places=4)
        hinge = np.maximum(0, 1 - y * model.decision_function(x)).sum()
        self.assertAlmostEqual(problem["primal"], norm**2 / 2 + 3 * hinge, delta=1e-3)
        self.assertTrue(problem["optimal"])
        wrong = int((cross_val_predict(SVC(C=3, gamma=0.1, tol=1e-6), x, y, cv=LeaveOneOut()) != y).sum())
        self.assertEqual(answer["estimate"]["wrong"], wrong)
        self.assertLessEqual(answer["estimate"]["error"], answer["support_share"])

    def test_linear_w(self):
        x, y = heart()
        model = SVC(kernel="linear", C=0.5, tol=1e-6).fit(x, y)
        problem = as_json("explain", "--kernel", "linear()", "--C", 0.5, "--tol", 1e-6, HEART)["problems"][0]
        np.testing.assert_allclose(problem["w"]["w"], -model.coef_[0], atol=1e-3)
        self.assertEqual(problem["dimension"], 13)
        self.assertLessEqual(problem["vc_bound"], 14)

    def test_models_of_svm_train_and_of_our_own(self):
        run("svm-train", "-q", "-c", "3", "-g", "0.1", HEART, self.path("heart.model"))
        theirs = as_json("explain", self.path("heart.model"), HEART, "--C", 3)
        ours = as_json("explain", "--kernel", "rbf(gamma=0.1)", "--C", 3, HEART, "--save", self.path("own.model"))
        again = as_json("explain", self.path("own.model"), HEART)
        self.assertEqual(ours["problems"][0]["primal"], again["problems"][0]["primal"])
        self.assertEqual(again["problems"][0]["C"], 3)
        self.assertTrue(theirs["problems"][0]["optimal"])
        self.assertAlmostEqual(theirs["problems"][0]["margin"], ours["problems"][0]["margin"], delta=1e-2)
        self.assertIn("the model does not say: the largest α", mercer("explain", self.path("heart.model"), HEART))

    def test_nu_classification_is_reported_as_the_C_classification_it_equals(self):
        run("svm-train", "-q", "-s", "1", "-n", "0.4", "-g", "0.1", "-e", "1e-6", HEART, self.path("nu.model"))
        problem = as_json("explain", self.path("nu.model"), HEART)["problems"][0]
        self.assertTrue(problem["optimal"])
        x, y = heart()
        model = SVC(C=problem["C"], gamma=0.1, tol=1e-6).fit(x, y)
        f = np.array([e["f"] for e in problem["examples"]])
        np.testing.assert_allclose(np.abs(f), np.abs(model.decision_function(x)), atol=1e-3)
        self.assertAlmostEqual(sum(e["alpha"] for e in problem["examples"]), 0.4 * len(y) * problem["C"], delta=1e-4 * problem["C"] * len(y))

    def test_weights_that_a_file_does_not_hold(self):
        run("svm-train", "-q", "-c", "2", "-g", "0.1", "-w1", "4", HEART, self.path("weighted.model"))
        said = mercer("explain", self.path("weighted.model"), HEART)
        self.assertIn("NOT all hold", said)
        self.assertIn("set them with --C and --class-weight", said)
        said = mercer("explain", self.path("weighted.model"), HEART, "--C", 2, "--class-weight", "1=4")
        self.assertIn("all hold", said)
        self.assertNotIn("NOT", said)

    def test_why(self):
        answer = as_json("explain", "--kernel", "rbf(gamma=0.5)", DATA / "iris.csv", "--label", "species", "--why", 106)
        why = answer["why"]
        self.assertEqual(why["truth"], "virginica")
        self.assertEqual(len(why["problems"]), 2)  # the predicted class against each of the other two
        for part in why["problems"]:
            values = [term["value"] for term in part["terms"]]
            self.assertAlmostEqual(sum(values) + part["offset"], part["f"], places=9)
            self.assertEqual([abs(v) for v in values], sorted((abs(v) for v in values), reverse=True))
            self.assertIn(why["said"], (part["positive"], part["negative"]))
            self.assertGreater(part["f"] * (1 if part["positive"] == why["said"] else -1), 0)
        self.assertIn("Why is row 106 of class", mercer("explain", "--kernel", "rbf(gamma=0.5)", DATA / "iris.csv", "--label", "species", "--why", 106))

    def test_page(self):
        mercer("explain", "--kernel", "rbf(gamma=0.1)", HEART, "--html", self.path("heart.html"), "--why", 3, "--pair", "0,7", "--rest", "nearest")
        page = self.page("heart.html")
        pictures = page.findall(".//" + SVG + "svg")
        self.assertGreaterEqual(len(pictures), 5)  # regions, feature space, convergence, slack, alpha
        text = "".join(page.itertext())
        for words in ("Class regions over x1 and x8", "those of the nearest example", "Feature space", "How the solver got there", "Slack", "Why is row 3", "all hold", "leave-one-out"):
            self.assertIn(words, text)
        self.assertIn("prefers-color-scheme: dark", text)

    def test_pages_of_other_objects_and_many_classes(self):
        mercer("explain", "--kernel", "normalize(spectrum(k=3))", DATA / "promoters.tsv", "--html", self.path("strings.html"))
        self.assertIn("Feature space", "".join(self.page("strings.html").itertext()))
        self.path("line.svm").write_text("".join(f"{int(i > 6)} 1:{i}\n" for i in range(14)))
        mercer("explain", "--kernel", "rbf(gamma=0.1)", self.path("line.svm"), "--html", self.path("line.html"))
        self.assertIn("Feature space", "".join(self.page("line.html").itertext()))
        mercer("explain", "--kernel", "linear()", DATA / "wine.svm", "--scale", "standard", "--html", self.path("wine.html"), "--folds", 5)
        text = "".join(self.page("wine.html").itertext())
        self.assertIn("The 3 binary problems", text)
        self.assertIn("5 folds error", text)

    def test_hard_margin_and_weights(self):
        two = "\n".join(HEART.read_text().splitlines()[:40]) + "\n"
        self.path("few.svm").write_text(two)
        hard = as_json("explain", "--kernel", "rbf(gamma=1)", "--C", "inf", self.path("few.svm"))["problems"][0]
        self.assertIsNone(hard["C"])
        self.assertTrue(hard["optimal"])
        self.assertTrue(all(e["y"] * e["f"] > 1 - 2e-3 for e in hard["examples"]))
        self.assertGreaterEqual(hard["duality_gap"], 0)
        weighted = as_json("explain", "--kernel", "rbf(gamma=1)", "--class-weight=-1=4", self.path("few.svm"))["problems"][0]
        self.assertEqual({e["C"] for e in weighted["examples"]}, {1, 4})
        self.assertTrue(weighted["optimal"])

    def test_no_theorems_without_an_optimum(self):
        words = ("explain", "--kernel", "rbf(gamma=0.1)", "--C", 10, "--tol", 3, HEART)
        answer = as_json(*words)
        self.assertFalse(answer["problems"][0]["optimal"])
        self.assertIsNone(answer["loo_bound"])
        self.assertIsNone(answer["problems"][0]["vc_bound"])
        self.assertIn("the model is not optimal to within", answer["no_bounds"])
        # every example is left out: only at an optimum do the others have no effect
        self.assertEqual(answer["estimate"]["fits"], 270)
        text = mercer(*words)
        for claim in ("at most", "#SV/n", "VC dimension"):
            self.assertNotIn(claim, text)
        self.assertIn("no bound follows from that: the model is not optimal", text)
        solved = as_json("explain", "--kernel", "rbf(gamma=0.1)", "--C", 10, HEART)
        self.assertEqual(solved["loo_bound"], solved["support_share"])
        self.assertIsNone(solved["no_bounds"])

    def test_errors_say_what_to_do(self):
        run("svm-train", "-q", "-c", "3", "-g", "0.1", HEART, self.path("heart.model"))
        run("svm-train", "-q", "-s", "3", DATA / "housing.svm", self.path("housing.model"))
        model = self.path("heart.model")
        for code, words, message in [
            (2, (), "MODEL and DATA are required"),
            (2, (model,), "DATA is missing"),
            (2, (model, HEART, "--kernel", "rbf"), "leave one of them out"),
            (2, ("--kernel", "rbf", HEART, "--loo", "--folds", 3), "--loo and --folds cannot be combined: take one of"),
            (2, ("--kernel", "rbff", HEART), "did you mean"),
            (2, ("--kernel", "rbf", HEART, "--C", "-1"), "C > 0, got -1"),
            (2, (model, HEART, "--save", self.path("x")), "--output needs --kernel"),
            (2, ("--kernel", "rbf", HEART, "--pair", "1"), "two features with a comma"),
            (1, (self.path("none.model"), HEART), "No such file"),
            (1, (model, self.path("none.svm")), "No such file"),
            (1, (model, DATA / "sonar.svm"), "the model was fitted on other data"),
            (1, (model, HEART, "--scale", "standard"), "scaled differently"),
            (1, (model, DATA / "iris.svm"), "not among the 2 classes"),
            (1, (model, DATA / "promoters.tsv"), "is a kernel on vectors"),
            (1, (self.path("housing.model"), DATA / "sonar.svm"), "epsilon_svr, which has no margin"),
            (1, ("--kernel", "rbf", DATA / "housing.svm"), "more than the 100 classes that can be drawn"),
            (1, ("--kernel", "rbf", HEART, "--why", 270), "is not among the 270 rows"),
            (1, ("--kernel", "rbf", DATA / "iris.csv", "--label", "species", "--html", self.path("a.html"), "--pair", "petal,sepal"), "one of sepal_length"),
            (1, ("--kernel", "linear()", "--C", "inf", HEART), "cannot be separated"),
            (1, ("--kernel", "rbf", HEART, "--html", self.path("no/page.html")), "cannot write"),
        ]:
            said = mercer("explain", *words, code=code)
            self.assertTrue(said.startswith("mercer: "), said)
            self.assertIn(message, said)


class Regions(Scratch):
    def test_the_picture_is_what_scikit_learn_decides(self):
        words = ("regions", DATA / "iris.csv", "--label", "species", "--kernel", "rbf", "--vary", "gamma=0.1,1,10", "--pair", "petal_length,petal_width")
        answer = as_json(*words, "--svg", self.path("iris.svg"))
        page = self.page("iris.svg")
        x, y = load_svmlight_file(str(DATA / "iris.svm"))
        x = standardised(x.toarray())[:, 2:4]
        low, high = x.min(axis=0), x.max(axis=0)
        low, high = low - (high - low) / 12, high + (high - low) / 12
        tiles = [g for g in page.iter(SVG + "g") if g.get("class") == "tile"]
        self.assertEqual([t.get("data-caption") for t in tiles], ["γ = 0.1", "γ = 1", "γ = 10"])
        for tile, gamma, told in zip(tiles, (0.1, 1, 10), answer["sequences"][0]["tiles"]):
            model = SVC(gamma=gamma, C=1, tol=1e-3).fit(x, y)
            self.assertAlmostEqual(told["accuracy"], model.score(x, y), places=12)
            self.assertAlmostEqual(told["support"], len(model.support_), delta=3)
            group = next(g for g in tile.iter(SVG + "g") if g.get("class") == "regions")
            seen = regions_of(group)
            ny, nx = seen.shape
            a, b = np.meshgrid(low[0] + (np.arange(nx) + 0.5) / nx * (high[0] - low[0]), high[1] - (np.arange(ny) + 0.5) / ny * (high[1] - low[1]))
            expected = model.predict(np.column_stack([a.ravel(), b.ravel()])).reshape(ny, nx)
            self.assertGreater((seen == expected).mean(), 0.99)  # cells on a boundary may have either class
            rings = [c for c in tile.iter(SVG + "circle") if c.get("class") == "ring"]
            self.assertEqual(len(rings), told["support"])
            self.assertEqual(len([c for c in tile.iter(SVG + "circle") if c.get("class") == "point"]), 150)

    def test_table_and_all(self):
        answer = as_json("regions", HEART, "--kernel", "rbf", "--vary", "gamma=0.1,1", "--vary", "C=0.1,1,10", "--html", self.path("table.html"))
        self.assertEqual([len(s["tiles"]) for s in answer["sequences"]], [2, 2, 2])
        self.page("table.html")
        answer = as_json("regions", DATA / "iris.csv", "--label", "species", "--all", "--svg", self.path("all.svg"), "--html", self.path("all.html"))
        titles = [s["title"] for s in answer["sequences"]]
        for part, title in zip(("Linear kernel, C", "RBF kernel, γ", "RBF kernel, C", "Polynomial kernel, degree", "Polynomial kernel, C", "Sigmoid kernel, γ", "Sigmoid kernel, C"), titles):
            self.assertTrue(title.startswith(part), title)
        self.assertEqual(len([g for g in self.page("all.svg").iter(SVG + "g") if g.get("class") == "tile"]), 35)
        self.assertEqual(len(self.page("all.html").findall(".//" + SVG + "svg")), 7)

    def test_errors_say_what_to_do(self):
        out = ("--svg", self.path("x.svg"))
        for code, words, message in [
            (2, (), "DATA is required"),
            (2, (HEART,), "--svg FILE"),
            (2, (HEART, "--all", "--kernel", "rbf", *out), "leave --kernel and --vary out"),
            (2, (HEART, "--vary", "gamma", *out), "NAME=VALUE"),
            (2, (HEART, "--vary", "gamma=1,x", *out), "'x' is not a number"),
            (2, (HEART, "--vary", "degree=1", *out), "has no parameter 'degree'"),
            (2, (HEART, "--vary", "gamma=-1", *out), "gamma > 0"),
            (2, (HEART, "--vary", "C=0", *out), "C > 0"),
            (2, (HEART, "--kernel", "rbf() + linear()", "--vary", "gamma=1", *out), "'rbf(gamma=1) + linear()' is not a single kernel"),
            (1, (DATA / "promoters.tsv", *out), ""),
            (1, (HEART, "--pair", "0,13", *out), "position from 0 to 12"),
            (1, (self.path("none.svm"), *out), "No such file"),
        ]:
            said = mercer("regions", *words, code=code)
            self.assertTrue(said.startswith("mercer: "), said)
            self.assertIn(message, said)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_models_of_mercer_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "m"
            mercer("fit", "svc", HEART, "-o", model, "--kernel", "rbf(gamma=0.05)", "--scale", "standard", "--set", "C=3")
            seen = as_json("explain", model, HEART)["problems"][0]
            direct = as_json("explain", "--kernel", "rbf(gamma=0.05)", "--C", 3, HEART, "--scale", "standard")["problems"][0]
            self.assertAlmostEqual(seen["dual"], direct["dual"], delta=1e-3)
            self.assertGreater(seen["dual"], 0)
            mercer("fit", "kernel_ridge", DATA / "housing.svm", "-o", model)
            self.assertIn("which has no margins to explain: take a model of svc or nu_svc", mercer("explain", model, DATA / "housing.svm", code=1))

    def test_help_has_examples(self):
        for command in ("explain", "regions"):
            self.assertIn("Examples:", mercer(command, "--help"))
            self.assertIn(command, mercer("--help"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
