#!/usr/bin/python3
"""mercer kernel, run as a person runs it: mercer_kernel_test.py BIN_FOLDER REPOSITORY"""

import os
import pty
import subprocess
import sys
import unittest

import numpy as np
from mercer_program import BIN, DATA, ROOT, Scratch, as_json, iris, mercer, standardised
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel


class Program(Scratch):
    def test_version_and_help(self):
        self.assertRegex(mercer("--version"), r"^mercer \d+\.\d+\.\d+\n$")
        self.assertIn("kernel", mercer("--help"))
        for command in ("list", "show", "test", "gram", "spectrum", "factor"):
            self.assertIn("Examples:", mercer("kernel", command, "--help"))

    def test_wrong_usage_is_one_line_and_code_2(self):
        cases = {
            ("kernel", "plot"): "mercer: there is no command 'plot'",
            ("kernel", "test", "rbf"): "mercer: DATA is required; see `mercer kernel test --help`",
            ("kernel", "test", "rbf", DATA / "iris.svm", "--repair", "glue"): "glue not in {clip,flip,shift}",
            ("kernel", "test", "rbf", DATA / "iris.svm", "--rows", "0"): "--rows",
            ("kernel", "test", "rbf", DATA / "iris.svm", "--out", self.path("k.npy")): "--output needs --repair, because it writes the repaired matrix",
            ("kernel", "gram", "rbf", DATA / "iris.svm", "--out", "k.txt"): ".npy or .csv",
            ("kernel", "gram", "rbf", DATA / "iris.svm", "--colour"): "'--colour'; see `mercer kernel gram --help`",
            ("kernel", "factor", "rbf", DATA / "iris.svm"): "--output is required",
        }
        for words, message in cases.items():
            said = mercer(*words, code=2)
            self.assertIn(message, said)
            self.assertTrue(said.startswith("mercer: "))
            self.assertEqual(said.count("\n"), 1, said)

    def test_a_wrong_expression_is_pointed_at(self):
        lines = mercer("kernel", "show", "0.5*rbf(0.1) + lineer()", code=2).splitlines()
        self.assertIn("character 16", lines[0])
        self.assertIn("did you mean linear?", lines[0])
        self.assertEqual(lines[1], "  0.5*rbf(0.1) + lineer()")
        self.assertEqual(lines[2].index("^"), lines[1].index("lineer"))
        self.assertIn("gamma > 0, got -1", mercer("kernel", "gram", "rbf(gamma=-1)", DATA / "iris.svm", code=2))

    def test_errors_are_one_line_and_code_1(self):
        cases = {
            ("kernel", "test", "rbf", self.path("none.svm")): "No such file or directory",
            ("kernel", "test", "rbf", DATA / "promoters.tsv"): "mercer kernel list --kind strings",
            ("kernel", "test", "spectrum(3)", DATA / "promoters.tsv", "--scale", "minmax"): "--scale needs vectors, but the",
            ("kernel", "test", "rbf", DATA / "iris.svm", "--rows", "151"): "150, got 151",
            ("kernel", "gram", "rbf", DATA / "iris.csv"): "name it as the target",
            ("kernel", "gram", "rbf", DATA / "iris.svm", "--out", self.path("no/k.npy")): "cannot write",
            ("kernel", "gram", "rbf", DATA / "iris.svm", "--rows", "9", "--svg", self.path("no/k.svg")): "cannot write",
            ("kernel", "gram", "exp(poly(5))", DATA / "wine.svm"): "",
        }
        for words, message in cases.items():
            said = mercer(*words, code=1)
            self.assertTrue(said.startswith("mercer: "))
            self.assertIn(message, said)
            self.assertEqual(said.count("\n"), 1, said)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_full_disk_is_noticed(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([BIN / "mercer", "kernel", "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_progress_on_a_terminal_leaves_nothing_behind(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen([BIN / "mercer", "kernel", "test", "rbf(0.001)", DATA / "digits.svm.xz"], stdout=subprocess.PIPE, stderr=theirs, text=True) as run:
            answer = run.stdout.read()
        os.close(theirs)
        try:
            said = os.read(ours, 100000).decode()
        except OSError:  # the command ended early
            said = ""
        os.close(ours)
        self.assertIn("certified", answer)
        if said:
            self.assertTrue(said.endswith("\r\x1b[K"), repr(said))


class ListAndShow(Scratch):
    def test_list_holds_every_kernel(self):
        listed = as_json("kernel", "list")
        names = {each["name"] for each in listed["kernels"]}
        self.assertLessEqual({"rbf", "poly", "sigmoid", "spectrum", "jaccard", "constant"}, names)
        text = mercer("kernel", "list")
        for each in listed["kernels"]:
            self.assertIn(each["formula"], text)
            for parameter in each["parameters"]:
                self.assertIn(parameter["condition"], text)
        for each in listed["algebra"]:
            self.assertIn(each["form"], text)
        rbf = next(each for each in listed["kernels"] if each["name"] == "rbf")
        self.assertEqual(rbf["aliases"], ["gaussian"])
        self.assertEqual((rbf["parameters"][0]["name"], rbf["parameters"][0]["default"]), ("gamma", "1"))

    def test_list_of_one_domain(self):
        domains = {each["kind"] for each in as_json("kernel", "list", "--kind", "sets")["kernels"]}
        self.assertEqual(domains, {"sets", "any"})

    def test_the_page_of_kernels_is_up_to_date(self):
        written = (ROOT / "docs" / "kernels.md").read_text()
        self.assertEqual(written, mercer("kernel", "list", "--markdown"), "run: build/bin/mercer kernel list --markdown > docs/kernels.md")

    def test_the_page_of_objects_names_every_kernel(self):
        page = (ROOT / "docs" / "objects.md").read_text()
        for each in as_json("kernel", "list")["kernels"]:
            self.assertIn(f"`{each['name']}`", page)

    def test_every_listed_kernel_can_be_shown(self):
        needed = {"anisotropic": "anisotropic([1, 2])", "bilinear": "bilinear([[2, 1], [1, 2]])"}
        for each in as_json("kernel", "list")["kernels"]:
            shown = as_json("kernel", "show", needed.get(each["name"], each["name"] + "()"))
            self.assertEqual(shown["valid"], each["mercer"], each["name"])
            self.assertEqual(shown["kind"], each["kind"])
            self.assertEqual(as_json("kernel", "show", shown["text"])["text"], shown["text"])
            self.assertEqual(shown["formulas"], {shown["text"]: each["formula"]})

    def test_show_a_valid_composite(self):
        text = "0.5*rbf(gamma=0.1) + normalize(poly(degree=3, coef0=1))"
        shown = as_json("kernel", "show", text)
        self.assertTrue(shown["valid"])
        self.assertEqual(shown["faults"], [])
        self.assertEqual(len(shown["proof"]["parts"]), 2)
        self.assertIsNone(shown["feature_space"]["size"])
        said = mercer("kernel", "show", text)
        self.assertIn("Proven to be a kernel:", said)
        self.assertIn("└─ ✓ poly(degree=3, gamma=1, coef0=1)", said)

    def test_show_names_what_is_at_fault(self):
        shown = as_json("kernel", "show", "rbf() + sigmoid()*linear()")
        self.assertFalse(shown["valid"])
        self.assertEqual([fault["claim"] for fault in shown["faults"]], ["sigmoid(gamma=1, coef0=0)"])
        self.assertIn("no proof for: sigmoid(gamma=1, coef0=0)", mercer("kernel", "show", "rbf() + sigmoid()*linear()"))

    def test_feature_space(self):
        space = as_json("kernel", "show", "poly(degree=2, coef0=1)", "--dims", 3)["feature_space"]
        self.assertEqual(space["size"], 10)  # monomials of degree <= 2 in 3 variables
        self.assertIn("x1^2", space["names"])

    def test_powers_too_large_to_write_out(self):
        for kernel in ("linear()^9801", "((linear()^99)^99)^99", "(poly(degree=3)^50)^50", "poly(degree=1000000)"):
            self.assertIn("not listed: ", mercer("kernel", "show", kernel))
            self.assertFalse(as_json("kernel", "show", kernel)["feature_space"]["explicit"])
        self.assertIn("100 for vectors of dimension 2", mercer("kernel", "show", "linear()^99"))
        self.assertIn("no finite map: ", mercer("kernel", "show", "(rbf(gamma=1)^99)^99"))


class OnData(Scratch):
    def test_gram_files_hold_the_kernel(self):
        x, _ = iris()
        expected = rbf_kernel(standardised(x), gamma=0.3)
        words = ("kernel", "gram", "rbf(gamma=0.3)", DATA / "iris.svm", "--scale", "standard", "--out")
        mercer(*words, self.path("k.npy"))
        mercer(*words, self.path("k.csv"))
        binary, text = np.load(self.path("k.npy")), np.loadtxt(self.path("k.csv"), delimiter=",")
        np.testing.assert_allclose(binary, expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_array_equal(binary, text)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["k.csv", "k.npy"])

    def test_the_same_data_in_three_formats(self):
        x, y = iris()
        np.save(self.path("x.npy"), x)
        sources = [(DATA / "iris.svm",), (DATA / "iris.csv", "--label", "species"), (self.path("x.npy"),)]
        answers = [np.array(as_json("kernel", "gram", "poly(2)", *source, "--rows", 60)["matrix"]) for source in sources]
        np.testing.assert_allclose(answers[0], polynomial_kernel(x[:60], degree=2, gamma=1, coef0=0), rtol=1e-12)
        np.testing.assert_allclose(answers[1], answers[0], rtol=1e-13)
        np.testing.assert_allclose(answers[2], answers[0], rtol=1e-13)

    def test_gram_summary(self):
        x, y = iris()
        k = x @ x.T
        answer = as_json("kernel", "gram", "linear()", DATA / "iris.svm")
        same = y[:, None] == y[None, :]
        self.assertNotIn("matrix", answer)
        self.assertAlmostEqual(answer["lowest"], k.min(), places=10)
        self.assertAlmostEqual(answer["highest"], k.max(), places=10)
        self.assertAlmostEqual(answer["mean_within_classes"], k[same & ~np.eye(150, dtype=bool)].mean(), places=9)
        self.assertAlmostEqual(answer["mean_between_classes"], k[~same].mean(), places=9)

    def test_gram_prints_small_matrices_whole(self):
        lines = mercer("kernel", "gram", "linear()", DATA / "iris.svm", "--rows", 4).splitlines()
        x, _ = iris()
        printed = np.array([[float(word) for word in line.split()] for line in lines[3:7]])
        np.testing.assert_allclose(printed, x[:4] @ x[:4].T, rtol=1e-3)
        self.assertIn("...", mercer("kernel", "gram", "linear()", DATA / "iris.svm"))

    def test_sample_depends_on_the_seed_only(self):
        words = ("kernel", "gram", "linear()", DATA / "iris.svm", "--sample", 10, "--seed")
        self.assertEqual(as_json(*words, 3), as_json(*words, 3, "--threads", 1))
        self.assertNotEqual(as_json(*words, 3)["matrix"], as_json(*words, 4)["matrix"])

    def test_a_valid_kernel_is_certified(self):
        x, _ = iris()
        answer = as_json("kernel", "test", "rbf(0.5)", DATA / "iris.svm")
        values = np.linalg.eigvalsh(rbf_kernel(x, gamma=0.5))
        self.assertEqual(answer["verdict"], "certified")
        self.assertIsNone(answer["witness"])
        self.assertAlmostEqual(answer["smallest"], values[0], delta=1e-9)
        self.assertAlmostEqual(answer["largest"], values[-1], delta=1e-9)
        self.assertIn("✓ certified", mercer("kernel", "test", "rbf(0.5)", DATA / "iris.svm"))

    def sigmoid(self):
        x, _ = load_svmlight_file(str(DATA / "heart_scale.svm"))
        return np.tanh(0.5 * (x @ x.T).toarray() + 1)

    def test_an_indefinite_one_has_a_witness_and_repairs(self):
        k = self.sigmoid()
        values, vectors = np.linalg.eigh(k)
        expected = {
            "clip": (vectors * np.maximum(values, 0)) @ vectors.T,
            "flip": (vectors * np.abs(values)) @ vectors.T,
            "shift": k - values[0] * np.eye(len(k)),
        }
        for method, fixed in expected.items():
            answer = as_json("kernel", "test", "sigmoid(0.5, 1)", DATA / "heart_scale.svm", "--repair", method, "--out", self.path("fixed.npy"))
            self.assertEqual(answer["verdict"], "indefinite")
            self.assertAlmostEqual(answer["smallest"], values[0], delta=1e-8)
            rows, c = answer["witness"]["rows"], np.array(answer["witness"]["coefficients"])
            value = c @ k[np.ix_(rows, rows)] @ c
            self.assertLess(value, 0)
            self.assertAlmostEqual(answer["witness"]["value"], value, delta=1e-10)
            np.testing.assert_allclose(np.load(self.path("fixed.npy")), fixed, atol=1e-9)
            self.assertAlmostEqual(answer["repair"]["frobenius_change"], np.linalg.norm(fixed - k), delta=1e-7)
            self.assertAlmostEqual(answer["repair"]["relative_frobenius"], np.linalg.norm(fixed - k) / np.linalg.norm(k), delta=1e-9)
        said = mercer("kernel", "test", "sigmoid(0.5, 1)", DATA / "heart_scale.svm", "--repair", "clip")
        for words in ("✗ indefinite", "Witness:", "Repair by clip:", "tolerance"):
            self.assertIn(words, said)

    def test_the_witness_of_a_sample_names_rows_of_the_file(self):
        k = self.sigmoid()
        answer = as_json("kernel", "test", "sigmoid(0.5, 1)", DATA / "heart_scale.svm", "--sample", 120, "--seed", 7)
        rows, c = answer["witness"]["rows"], np.array(answer["witness"]["coefficients"])
        self.assertAlmostEqual(answer["witness"]["value"], c @ k[np.ix_(rows, rows)] @ c, delta=1e-10)

    def test_a_sample_of_the_rows_decides_nothing_good(self):
        answer = as_json("kernel", "test", "rbf(0.5)", DATA / "iris.svm", "--max-rows", 50)
        self.assertEqual((answer["verdict"], answer["tested"], answer["sample_certified"]), ("undecided", 50, True))

    def test_strings_and_sets(self):
        self.assertEqual(as_json("kernel", "test", "spectrum(3)", DATA / "promoters.tsv")["verdict"], "certified")
        self.assertEqual(as_json("kernel", "test", "jaccard()", DATA / "mushrooms.sets.xz", "--sample", 300)["verdict"], "certified")
        lines = [line.split("\t") for line in (DATA / "promoters.tsv").read_text().splitlines() if line]
        text = [line[-1].strip() for line in lines[:30]]
        count = [{u: sum(s[i : i + 3] == u for i in range(len(s) - 2)) for u in {s[i : i + 3] for i in range(len(s) - 2)}} for s in text]
        expected = [[sum(a[u] * b.get(u, 0) for u in a) for b in count] for a in count]
        self.assertEqual(as_json("kernel", "gram", "spectrum(k=3)", DATA / "promoters.tsv", "--rows", 30)["matrix"], expected)

    def test_spectrum(self):
        x, _ = iris()
        answer = as_json("kernel", "spectrum", "linear()", DATA / "iris.svm", "--out", self.path("values.npy"))
        expected = np.linalg.eigvalsh(x @ x.T)[::-1]
        np.testing.assert_allclose(answer["values"], expected, atol=1e-9)
        np.testing.assert_array_equal(np.load(self.path("values.npy")).ravel(), answer["values"])
        self.assertEqual((answer["rank"], answer["negative"]), (4, 0))
        self.assertIn("rank            4 of 150", mercer("kernel", "spectrum", "linear()", DATA / "iris.svm"))

    def test_factor(self):
        x, _ = iris()
        k = polynomial_kernel(x, degree=2, gamma=1, coef0=1)
        answer = as_json("kernel", "factor", "poly(degree=2, coef0=1)", DATA / "iris.svm", "--out", self.path("p.npy"))
        p = np.load(self.path("p.npy"))
        self.assertEqual(p.shape, (answer["rank"], 150))
        self.assertEqual(answer["rank"], 15)  # monomials of degree <= 2 in 4 variables
        np.testing.assert_allclose(p.T @ p, k, rtol=1e-9)
        self.assertLessEqual(np.linalg.norm(p.T @ p - k), answer["residual"] + 1e-9)
        rough = as_json("kernel", "factor", "poly(degree=2, coef0=1)", DATA / "iris.svm", "--out", self.path("p.npy"), "--tolerance", 1)
        self.assertLess(rough["rank"], 15)
        self.assertTrue(answer["holds"] and rough["holds"])
        self.assertIn("K = PᵀP with P 15 × 150", mercer("kernel", "factor", "poly(degree=2, coef0=1)", DATA / "iris.svm", "--out", self.path("p.npy")))
        words = ("kernel", "factor", "linear() - 2*rbf(gamma=0.1)", DATA / "iris.svm", "--out", self.path("p.npy"))
        said = mercer(*words)
        self.assertIn("K ≠ PᵀP", said)
        self.assertNotIn("K = PᵀP", said)
        self.assertFalse(as_json(*words)["holds"])

    def test_cancellation_is_not_a_finding(self):
        # 1e-13·rbf, and zero.
        for expression in ("rbf(gamma=0.3)*rbf(gamma=0.7) - 0.9999999999999*rbf(gamma=1)", "rbf(gamma=0.3)*rbf(gamma=0.7) - rbf(gamma=1)"):
            answer = as_json("kernel", "test", expression, DATA / "iris.svm")
            self.assertEqual((answer["verdict"], answer["witness"], answer["proven"]), ("undecided", None, False))
            self.assertGreater(answer["entry_error"], 1e-17)
            self.assertIn("? undecided: ", mercer("kernel", "test", expression, DATA / "iris.svm"))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
