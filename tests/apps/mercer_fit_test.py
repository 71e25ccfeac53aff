#!/usr/bin/python3
"""mercer fit, predict, transform, describe, cluster, test and methods, run as a person runs them: mercer_fit_test.py BIN_FOLDER REPOSITORY"""

import lzma
import sys
import unittest

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_svmlight_file
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics import silhouette_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, SVR

import mercer_program
from mercer_program import DATA, ROOT, SVG, as_json, mercer, standardised

IRIS = (DATA / "iris.csv", "--label", "species")


def vectors(name):
    x, y = load_svmlight_file(str(DATA / name))
    return x.toarray(), y


class Scratch(mercer_program.Scratch):
    def picture(self, name):
        self.assertNotIn("nan", self.path(name).read_text())
        return super().picture(name)


class EveryMethod(Scratch):
    def files(self):
        sets = self.path("mushrooms.sets")
        sets.write_text("".join(lzma.open(DATA / "mushrooms.sets.xz", "rt").readlines()[::80]))
        return {"iris": IRIS, "housing": (DATA / "housing.svm",), "promoters": (DATA / "promoters.tsv",), "mushrooms": (sets,)}

    def test_fits_predicts_transforms_and_describes(self):
        files = self.files()
        for method in as_json("methods")["methods"]:
            for name, source in files.items():
                if method["targets"] == ("values" if name != "housing" else "classes"):
                    continue
                vector = name in ("iris", "housing")
                if not vector and method["name"] == "random_features":
                    self.assertRegex(mercer("fit", method["name"], *source, code=1), "(needs|expected) vectors, ")
                    continue
                if not vector and not method["kernel"]:
                    self.assertRegex(mercer("fit", method["name"], *source, code=1), "(needs|expected) vectors, ")
                    continue
                words = ["--scale", "standard"] if vector else []
                if method["family"] == "clustering":
                    words += ["--set", "n_clusters=3"]
                with self.subTest(method=method["name"], data=name):
                    model = self.path("a.model")
                    fitted = as_json("fit", method["name"], *source, *words, "-o", model)
                    self.assertEqual(fitted["method"], method["name"])
                    self.assertEqual("training_score" in fitted, method["targets"] != "none")
                    described = as_json("describe", model)
                    self.assertEqual({key: fitted[key] for key in described}, described)
                    use = source[:1]  # the model knows the column of targets
                    if method["predicts"]:
                        answer = as_json("predict", model, *use)
                        self.assertEqual(len(answer["predictions"]), fitted["n"])
                        if "training_score" in fitted:
                            self.assertEqual(answer["score"], fitted["training_score"])
                    else:
                        self.assertIn("mercer transform", mercer("predict", model, *use, code=1))
                    if method["transforms"]:
                        made = as_json("transform", model, *use)
                        self.assertEqual(np.array(made["values"]).shape, (fitted["n"], len(made["names"])))
                    else:
                        self.assertIn("mercer predict", mercer("transform", model, *use, code=1))


class AgainstScikitLearn(Scratch):
    def test_classes_by_support_vectors(self):
        x, y = vectors("iris.svm")
        names = np.array(["setosa", "versicolor", "virginica"])
        expected = names[SVC(C=3, gamma=0.2, tol=1e-6).fit(standardised(x), y.astype(int)).predict(standardised(x)).astype(int)]
        mercer("fit", "svc", *IRIS, "--scale", "standard", "--kernel", "rbf(gamma=0.2)", "--set", "C=3", "tol=1e-6", "-o", self.path("m"))
        self.assertEqual(as_json("predict", self.path("m"), DATA / "iris.csv")["predictions"], list(expected))

    def test_the_default_kernel_is_scale(self):
        x, y = vectors("housing.svm")
        expected = SVR(gamma="scale", C=10, tol=1e-6).fit(standardised(x), y).predict(standardised(x))
        mercer("fit", "svr", DATA / "housing.svm", "--scale", "standard", "--set", "C=10", "tol=1e-6", "-o", self.path("m"))
        np.testing.assert_allclose(as_json("predict", self.path("m"), DATA / "housing.svm")["predictions"], expected, atol=1e-3)

    def test_new_rows_are_scaled_as_the_old_ones(self):
        x, y = vectors("housing.svm")
        lines = (DATA / "housing.svm").read_text().splitlines(True)
        self.path("train.svm").write_text("".join(lines[:400]))
        self.path("test.svm").write_text("".join(lines[400:]))
        z = (x - x[:400].mean(axis=0)) / x[:400].std(axis=0)
        expected = KernelRidge(alpha=0.5, kernel="rbf", gamma=0.05).fit(z[:400], y[:400]).predict(z[400:])
        mercer("fit", "kernel_ridge", self.path("train.svm"), "--scale", "standard", "--kernel", "rbf(0.05)", "--set", "alpha=0.5", "-o", self.path("m"))
        answer = as_json("predict", self.path("m"), self.path("test.svm"))
        np.testing.assert_allclose(answer["predictions"], expected, rtol=1e-9)
        self.assertAlmostEqual(answer["score"]["mean_squared_error"], ((expected - y[400:]) ** 2).mean(), places=8)
        linear = Ridge(alpha=2).fit(z[:400], y[:400]).predict(z[400:])
        mercer("fit", "ridge", self.path("train.svm"), "--scale", "standard", "--set", "alpha=2", "-o", self.path("m"))
        np.testing.assert_allclose(as_json("predict", self.path("m"), self.path("test.svm"))["predictions"], linear, rtol=1e-9)

    def test_leave_one_out_over_lambda(self):
        x, y = vectors("housing.svm")
        k = rbf_kernel(standardised(x), gamma=0.05)
        fitted = as_json("fit", "kernel_ridge", DATA / "housing.svm", "--scale", "standard", "--kernel", "rbf(0.05)", "--set", "alphas=0.01,0.1,1,10", "score=loo")
        errors = []
        for alpha in (0.01, 0.1, 1, 10):
            inverse = np.linalg.inv(k + alpha * np.eye(len(k)))
            errors.append(((inverse @ y / np.diag(inverse)) ** 2).mean())
        np.testing.assert_allclose(fitted["path_loo"], errors, rtol=1e-7)
        self.assertEqual(fitted["alpha"], [0.01, 0.1, 1, 10][int(np.argmin(errors))])

    def test_components(self):
        x, _ = vectors("wine.svm")
        expected = KernelPCA(3, kernel="rbf", gamma=0.05, eigen_solver="dense").fit(standardised(x)).transform(standardised(x))
        mercer("fit", "kernel_pca", DATA / "wine.svm", "--scale", "standard", "--kernel", "rbf(0.05)", "--set", "n_components=3", "-o", self.path("m"))
        mercer("transform", self.path("m"), DATA / "wine.svm", "-o", self.path("z.npy"))
        mercer("transform", self.path("m"), DATA / "wine.svm", "-o", self.path("z.csv"))
        found = np.load(self.path("z.npy"))
        np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-8)
        np.testing.assert_array_equal(np.loadtxt(self.path("z.csv"), delimiter=",", skiprows=1), found)
        self.assertTrue(self.path("z.csv").read_text().startswith("component1,component2,component3\n"))

    def test_one_class_has_nothing_to_do_with_classes(self):
        mercer("fit", "one_class", *IRIS, "--kernel", "rbf(0.5)", "--set", "nu=0.2", "-o", self.path("m"))
        score = as_json("predict", self.path("m"), *IRIS)["score"]
        self.assertEqual(set(score), {"inside", "of"})
        self.assertAlmostEqual(score["inside"], 120, delta=6)

    def test_advice_names_options_there_are(self):
        answer = as_json("fit", "svc", DATA / "heart_scale.svm", "--kernel", "sigmoid(0.1)")
        self.assertIn("not positive semidefinite", answer["warning"])
        answer = as_json("fit", "svc", DATA / "heart_scale.svm", "--kernel", "rbf(0.1)", "--set", "max_seconds=1e-9", "--set", "probability=true")
        self.assertIn("max_seconds", answer["warning"])
        self.assertNotIn("max_iter", answer["warning"])
        self.assertIn("in the fit of the probabilities, 5 of 5 fits did not converge", answer["warning"])

    def test_details_of_clusters_are_distances_to_their_means(self):
        x, _ = vectors("iris.svm")
        for method in ("kernel_kmeans", "nystroem_kmeans"):
            mercer("fit", method, DATA / "iris.svm", "--kernel", "linear()", "--set", "n_clusters=3", "-o", self.path("m"))
            got = as_json("predict", self.path("m"), DATA / "iris.svm", "--details")
            labels = np.array(got["predictions"])
            means = np.array([x[labels == c].mean(axis=0) for c in range(3)])
            want = np.linalg.norm(x[:, None] - means[None], axis=2)
            self.assertEqual(got["details"]["names"], ["distance1", "distance2", "distance3"])
            np.testing.assert_allclose(got["details"]["values"], want, rtol=1e-6, atol=1e-6)

    def test_details_are_distances_to_medoids(self):
        x, y = vectors("iris.svm")
        for method, words in (("kernel_kmedoids", ["--set", "n_clusters=3"]), ("nearest_medoid", [])):
            mercer("fit", method, DATA / "iris.svm", "--kernel", "linear()", *words, "-o", self.path("m"))
            medoids = as_json("describe", self.path("m"))["medoid_rows"]
            got = as_json("predict", self.path("m"), DATA / "iris.svm", "--details")
            want = np.linalg.norm(x[:, None] - x[medoids][None], axis=2)
            np.testing.assert_allclose(got["details"]["values"], want, rtol=1e-6, atol=1e-6)
            names = ["distance1", "distance2", "distance3"] if words else [f"distance({label:g})" for label in np.unique(y)]
            self.assertEqual(got["details"]["names"], names)

    def test_details_of_spectral_clusters_are_distances_to_their_means(self):
        mercer("fit", "nystroem_spectral", DATA / "iris.svm", "--kernel", "rbf(0.3)", "--set", "n_clusters=3", "-o", self.path("m"))
        got = as_json("predict", self.path("m"), DATA / "iris.svm", "--details")
        distances = np.array(got["details"]["values"])
        self.assertEqual(distances.shape, (150, 3))
        self.assertEqual(list(distances.argmin(axis=1)), got["predictions"])

    def test_neighbours_and_details(self):
        x, y = vectors("wine.svm")
        peer = KNeighborsClassifier(7).fit(standardised(x), y)
        mercer("fit", "knn", DATA / "wine.svm", "--scale", "standard", "--kernel", "linear()", "--set", "n_neighbors=7", "-o", self.path("m"))
        answer = as_json("predict", self.path("m"), DATA / "wine.svm", "--details")
        np.testing.assert_allclose(answer["details"]["values"], peer.predict_proba(standardised(x)), atol=1e-12)

    def test_clusters(self):
        x, _ = vectors("iris.svm")
        best = KMeans(3, n_init=50, random_state=0).fit(standardised(x))
        answer = as_json("cluster", "kmeans", *IRIS, "--scale", "standard", "--kernel", "linear()", "--k-range", "2:5", "--labels", self.path("l"))
        self.assertEqual([each["k"] for each in answer["tried"]], [2, 3, 4, 5])
        self.assertAlmostEqual(answer["tried"][1]["objective"], best.inertia_, places=3)
        labels = np.loadtxt(self.path("l"), dtype=int)
        self.assertEqual(list(labels), answer["labels"])
        silhouettes = [each["silhouette"] for each in answer["tried"]]
        self.assertEqual(answer["k"], 2 + int(np.argmax(silhouettes)))
        self.assertAlmostEqual(max(silhouettes), silhouette_score(standardised(x), labels), places=8)
        self.assertEqual(sum(answer["sizes"]), 150)
        self.assertEqual(answer["silhouette_examples"], 150)

    def test_clusters_on_centres(self):
        x, _ = vectors("iris.svm")
        best = KMeans(3, n_init=50, random_state=0).fit(standardised(x))
        answer = as_json("cluster", "nystroem_kmeans", *IRIS, "--scale", "standard", "--kernel", "linear()", "-k", "3", "--set", "tol=0", "-o", self.path("m"))
        self.assertAlmostEqual(answer["tried"][0]["objective"], best.inertia_, delta=0.02 * best.inertia_)
        self.assertEqual(as_json("predict", self.path("m"), *IRIS)["predictions"], answer["labels"])
        angle = np.arange(30000) * 2.4
        radius = 1 + np.arange(30000) % 2
        np.savetxt(self.path("rings.csv"), np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), delimiter=",")
        rings = as_json("cluster", "spectral", self.path("rings.csv"), "--kernel", "rbf(gamma=20)", "-k", "2", "--set", "n_centres=200", "-o", self.path("r"))
        labels = np.array(rings["labels"])
        self.assertEqual((len(set(labels[::2])), len(set(labels[1::2])), len(set(labels))), (1, 1, 2))
        self.assertEqual((rings["silhouette_examples"], rings["sizes"]), (10000, [15000, 15000]))
        self.assertIn("silhouettes computed on a random sample of 10000 of 30000 examples", mercer("cluster", "nystroem_kmeans", self.path("rings.csv"), "-k", "2", "--set", "n_centres=50"))


class Tests(Scratch):
    def test_two_samples(self):
        lines = (DATA / "wine.svm").read_text().splitlines(True)
        self.path("a.svm").write_text("".join(lines[0::2]))
        self.path("b.svm").write_text("".join(lines[1::2]))
        self.path("c.svm").write_text("".join(lines[:59]))
        same = as_json("test", "two-sample", self.path("a.svm"), self.path("b.svm"), "--scale", "standard")
        other = as_json("test", "two-sample", self.path("c.svm"), self.path("b.svm"), "--scale", "standard")
        self.assertFalse(same["different"])
        self.assertTrue(other["different"])
        x, _ = vectors("wine.svm")
        z = standardised(x)
        k = rbf_kernel(z, gamma=0.1)
        a, b = slice(0, None, 2), slice(1, None, 2)
        biased = as_json("test", "two-sample", self.path("a.svm"), self.path("b.svm"), "--scale", "standard", "--kernel", "rbf(0.1)")["biased"]
        self.assertAlmostEqual(biased, k[a, a].mean() + k[b, b].mean() - 2 * k[a, b].mean(), places=12)

    def test_independence(self):
        self.assertTrue(as_json("test", "independence", DATA / "wine.svm", "--scale", "standard")["dependent"])
        self.assertTrue(as_json("test", "independence", DATA / "housing.svm", "--scale", "standard", "--permutations", 200)["dependent"])
        random = np.random.default_rng(0)
        np.savetxt(self.path("x.csv"), random.normal(size=(80, 2)), delimiter=",")
        np.savetxt(self.path("y.csv"), random.normal(size=(80, 1)), delimiter=",")
        answer = as_json("test", "independence", self.path("x.csv"), "--other", self.path("y.csv"), "--kernel", "rbf(1)", "--other-kernel", "rbf(2)")
        k, l = (rbf_kernel(np.loadtxt(self.path(f), delimiter=",", ndmin=2), gamma=g) for f, g in (("x.csv", 1), ("y.csv", 2)))
        h = np.eye(80) - 1 / 80
        self.assertAlmostEqual(answer["hsic"], np.trace(k @ h @ l @ h) / 80**2, places=12)
        self.assertIn("--other", mercer("test", "independence", self.path("x.csv"), code=1))


class Usage(Scratch):
    def test_help_has_examples(self):
        for command in ("fit", "predict", "transform", "describe", "cluster", "methods"):
            self.assertIn("Examples:", mercer(command, "--help"))
        for command in ("two-sample", "independence"):
            self.assertIn("Examples:", mercer("test", command, "--help"))

    def test_the_page_of_methods_is_up_to_date(self):
        written = (ROOT / "docs" / "methods.md").read_text()
        self.assertEqual(written, mercer("methods", "--markdown"), "run: build/bin/mercer methods --markdown > docs/methods.md")

    def test_methods(self):
        text = mercer("methods")
        for each in as_json("methods")["methods"]:
            self.assertIn(each["name"], text)
            shown = mercer("methods", each["name"])
            for option in each["options"]:
                self.assertIn(option["name"], shown)
                self.assertIn(option["condition"], shown)

    def test_wrong_usage_is_code_2(self):
        cases = {
            ("fit", "astrology", *IRIS): "there is no method 'astrology': the methods are svc",
            ("fit", "kernel_rigde", *IRIS): "did you mean kernel_ridge?",
            ("fit", "svc", *IRIS, "--set", "gamma=1"): "svc has no option 'gamma': its options are C",
            ("fit", "svc", *IRIS, "--set", "C=-1"): "option 'C' must satisfy 0 < C <= inf, got '-1'",
            ("fit", "svc", *IRIS, "--set", "C"): "name=value",
            ("fit", "svc", *IRIS, "--kernel", "rbff()"): "did you mean rbf?",
            ("fit", "svc", *IRIS, "--memory", "much"): "--max-memory",
            ("fit", "ridge", DATA / "housing.svm", "--kernel", "rbf()"): "kernel_ridge has one",
            ("fit", "svc"): "DATA is required",
            ("cluster", "svc", *IRIS, "-k", "2"): "kernel_kmeans or kernel_kmedoids",
            ("cluster", "kmeans", *IRIS): "with -k 3, or a range with --k-range 2:10",
            ("cluster", "kmeans", *IRIS, "--k-range", "3"): "FIRST:LAST",
            ("cluster", "kmeans", *IRIS, "-k", "151"): "the number of clusters must be at most the number of examples, got",
            ("methods", "astrology"): "the methods are svc",
            ("test", "three-sample"): "there is no command 'three-sample'",
        }
        for words, message in cases.items():
            with self.subTest(words=words):
                said = mercer(*words, code=2)
                self.assertIn(message, said)
                self.assertTrue(said.startswith("mercer: "))

    def test_errors_are_one_line_and_code_1(self):
        model = self.path("m")
        mercer("fit", "svc", *IRIS, "-o", model)
        self.path("other.csv").write_text("a,b,c,d\n1,2,3,4\n2,3,4,5\n")
        damaged = self.path("damaged")
        damaged.write_bytes(model.read_bytes()[:-9])
        cases = {
            ("fit", "svc", self.path("none.svm")): "No such file or directory",
            ("fit", "svc", DATA / "promoters.tsv", "--kernel", "rbf()"): "mercer kernel list --kind strings",
            ("fit", "svr", *IRIS): "the targets are names",
            ("fit", "svc", self.path("other.csv")): "have no targets",
            ("fit", "knn", DATA / "promoters.tsv", "--scale", "standard"): "scaling needs vectors, but the",
            ("fit", "svc", *IRIS, "-o", self.path("no/m")): "cannot write",
            ("predict", DATA / "iris.csv", DATA / "iris.csv"): "not a model file",
            ("predict", damaged, DATA / "iris.csv"): "damaged",
            ("predict", model, DATA / "promoters.tsv", "--label", "none"): "fitted on vectors",
            ("predict", model, DATA / "promoters.tsv"): "one of the 3 known classes",
            ("predict", model, DATA / "wine.svm"): "the model was fitted on vectors of 4 features, got 13",
            ("predict", model, self.path("other.csv")): "'sepal_length'",
            ("predict", model, DATA / "iris.svm", "--details", "-o", self.path("no/p")): "cannot write",
            ("describe", self.path("none")): "No such file",
        }
        for words, message in cases.items():
            with self.subTest(words=words):
                said = mercer(*words, code=1)
                self.assertIn(message, said)
                self.assertTrue(said.startswith("mercer: "))
                self.assertEqual(said.count("\n"), 1, said)

    def test_predictions_in_files(self):
        model = self.path("m")
        mercer("fit", "kernel_logistic", *IRIS, "--scale", "standard", "-o", model)
        lines = mercer("predict", model, DATA / "iris.csv").splitlines()
        self.assertEqual(len(lines), 150)
        self.assertEqual(lines[0], "setosa")
        mercer("predict", model, DATA / "iris.csv", "-o", self.path("p.csv"), "--details")
        table = self.path("p.csv").read_text().splitlines()
        self.assertEqual(table[0], "prediction,p(setosa),p(versicolor),p(virginica)")
        self.assertEqual([line.split(",")[0] for line in table[1:]], lines)
        mercer("predict", model, DATA / "iris.csv", "-o", self.path("p.npy"))
        self.assertEqual(np.load(self.path("p.npy")).shape, (150, 1))
        self.assertIn("accuracy", mercer("predict", model, DATA / "iris.csv", "--score"))
        # without the column of targets
        rows = [line.rsplit(",", 1)[0] for line in (DATA / "iris.csv").read_text().splitlines()]
        self.path("new.csv").write_text("\n".join(rows) + "\n")
        self.assertEqual(mercer("predict", model, self.path("new.csv")).splitlines(), lines)

    def test_predictions_within_a_budget(self):
        data = DATA / "wine.svm"
        for method in ("svc", "knn", "kernel_logistic", "kernel_ridge", "nearest_centroid"):
            model = self.path(method)
            mercer("fit", method, data, "-q", "-o", model)
            whole = mercer("predict", model, data, "-q")
            for budget in ("1", "20KB", "50MB"):
                self.assertEqual(mercer("predict", model, data, "-q", "--memory", budget), whole, (method, budget))
        details = mercer("predict", self.path("svc"), data, "-q", "--details")
        self.assertEqual(mercer("predict", self.path("svc"), data, "-q", "--details", "--memory", "30KB"), details)
        self.assertIn("--batch", mercer("predict", self.path("svc"), data, "--stream", "--memory", "1MB", code=2))
        self.assertIn("--max-memory", mercer("predict", self.path("svc"), data, "--max-memory", "0", code=2))

    def test_the_same_model_whatever_the_threads(self):
        for method in ("svc", "kernel_pca", "kernel_ridge", "kernel_kmeans", "kernel_logistic"):
            source = (DATA / "housing.svm",) if method == "kernel_ridge" else IRIS
            for threads in (1, 2):
                mercer("fit", method, *source, "--scale", "standard", "--threads", threads, "-o", self.path(f"m{threads}"))
            self.assertEqual(self.path("m1").read_bytes(), self.path("m2").read_bytes(), method)


class Pictures(Scratch):
    def test_components_and_shares(self):
        mercer("fit", "kernel_pca", DATA / "wine.svm", "--scale", "standard", "--set", "n_components=6", "-o", self.path("m"), "--svg", self.path("p.svg"))
        page = self.picture("p.svg")
        self.assertEqual(len(self.group(page, "points").findall(SVG + "circle")), 178)
        self.assertEqual(len(self.group(page, "shares").findall(SVG + "rect")), 6)
        mercer("transform", self.path("m"), DATA / "wine.svm", "-o", self.path("z.npy"), "--svg", self.path("t.svg"))
        self.assertEqual(len(self.group(self.picture("t.svg"), "points").findall(SVG + "circle")), 178)

    def test_one_object(self):
        """No variance, so no component: a model and a picture all the same."""
        self.path("one.csv").write_text("1,2\n")
        fitted = as_json("fit", "kernel_pca", self.path("one.csv"), "--svg", self.path("p.svg"))
        self.assertEqual(fitted["components"], 0)
        self.assertEqual(len(self.group(self.picture("p.svg"), "points").findall(SVG + "circle")), 1)

    def test_path_over_lambda(self):
        mercer("fit", "kernel_ridge", DATA / "housing.svm", "--scale", "standard", "--set", "alphas=1e-4:1e2:13", "score=loo", "--svg", self.path("p.svg"))
        self.assertEqual(len(self.group(self.picture("p.svg"), "curves").findall(SVG + "circle")), 26)

    def test_clusters_and_classes(self):
        mercer("cluster", "kmedoids", *IRIS, "--scale", "standard", "--k-range", "2:6", "--svg", self.path("c.svg"))
        page = self.picture("c.svg")
        self.assertEqual(len(self.group(page, "points").findall(SVG + "circle")), 150)
        self.assertEqual(len(self.group(page, "curves").findall(SVG + "circle")), 5)
        for method in ("svc", "kernel_fisher", "one_class"):
            mercer("fit", method, *IRIS, "--scale", "standard", "--svg", self.path("f.svg"))
            self.assertEqual(len(self.group(self.picture("f.svg"), "points").findall(SVG + "circle")), 150)
        mercer("fit", "svr", DATA / "housing.svm", "--scale", "standard", "--svg", self.path("r.svg"))
        self.group(self.picture("r.svg"), "scale")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
