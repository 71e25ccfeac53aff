#!/usr/bin/python3
"""mercer convert, run as a person runs it: mercer_convert_test.py BIN_FOLDER REPOSITORY

Headers are compiled, ONNX files are run on the data of the fit, and both are compared with what mercer predict says.
What runs ONNX files is npm's onnxruntime-node; where it is not installed (npm ci --ignore-scripts in tests/apps/onnx),
that test is skipped.
"""

import csv
import json
import lzma
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from mercer_program import BIN, DATA, ROOT, Scratch, as_json, mercer

MODULES = ROOT / "tests" / "apps" / "onnx" / "node_modules"
HAS_RUNTIME = shutil.which("node") is not None and (MODULES / "onnxruntime-node").exists()

# The fitted models: name, data, arguments of `mercer fit`. They cover every method, every kernel on vectors,
# composites, and both scalings.
MODELS = {
    "svc_three": ("iris.csv", "svc --label species --scale standard"),
    "svc_linear": ("wine.svm", "svc --kernel linear() --scale minmax"),
    "svc_poly": ("wine.svm", "svc --kernel poly(degree=2,gamma=0.1,coef0=1) --scale standard"),
    "svc_two": ("heart_scale.svm", "svc"),
    "svc_chances": ("heart_scale.svm", "svc --set probability=true"),
    "svc_three_chances": ("wine.svm", "svc --scale standard --set probability=true"),
    "svc_rest": ("wine.svm", "svc --scale standard --set multiclass=ovr"),
    "nu_svc": ("heart_scale.svm", "nu_svc --kernel sigmoid(gamma=0.01,coef0=0)"),
    "svr": ("housing.svm", "svr --scale standard --set C=10"),
    "nu_svr": ("housing.svm", "nu_svr --scale minmax --kernel poly(degree=3,gamma=0.2,coef0=1)"),
    "one_class": ("wine.svm", "one_class --scale standard"),
    "linear_svc": ("wine.svm", "linear_svc --scale standard"),
    "linear_svc_two": ("heart_scale.svm", "linear_svc"),
    "pegasos": ("heart_scale.svm", "pegasos --set max_iter=20"),
    "ridge": ("housing.svm", "ridge --scale standard"),
    "kernel_ridge": ("housing.svm", "kernel_ridge --scale standard --kernel laplacian(gamma=0.1)"),
    "kernel_logistic": ("heart_scale.svm", "kernel_logistic --kernel rational_quadratic(alpha=2,length_scale=2)"),
    "kernel_logistic_three": ("iris.csv", "kernel_logistic --label species --kernel matern(nu=2.5,length_scale=2)"),
    "hinge": ("heart_scale.svm", "representer --set loss=hinge --kernel matern(nu=0.5)"),
    "huber": ("housing.svm", "representer --set loss=huber --scale standard"),
    "kernel_pca": ("wine.svm", "kernel_pca --scale standard --set n_components=3 --kernel rbf(gamma=0.1)+0.5*linear()"),
    "kernel_fisher": ("wine.svm", "kernel_fisher --scale standard --kernel matern(nu=1.5,length_scale=3)"),
    "kernel_density": ("iris.svm", "kernel_density --kernel rbf(gamma=2)"),
    "nearest_centroid": ("wine.svm", "nearest_centroid --scale standard --kernel cosine()"),
    "nearest_medoid": ("wine.svm", "nearest_medoid --scale standard"),
    "kernel_kmeans": ("wine.svm", "kernel_kmeans --scale standard --set n_clusters=3"),
    "kernel_kmedoids": ("wine.svm", "kernel_kmedoids --scale standard --set n_clusters=3"),
    "nystroem_kmeans": ("wine.svm", "nystroem_kmeans --scale standard --set n_clusters=3 --set n_centres=50"),
    "knn": ("sonar.svm", "knn --kernel rbf(gamma=0.3)"),
    "knn_weighed": ("housing.svm", "knn_regression --scale standard --set weights=distance"),
    "all_subsets": ("iris.svm", "svc --scale minmax --kernel normalize(all_subsets())"),
    "chi2": ("digits.svm.xz", "svc --kernel chi2(gamma=0.01)"),
    "intersection": ("digits.svm.xz", "nearest_centroid --kernel normalize(intersection())"),
    "periodic": ("iris.svm", "kernel_ridge --kernel periodic(length_scale=2,period=9)*rbf(gamma=0.1)"),
    "anisotropic": ("iris.svm", "svc --kernel anisotropic(covariance=[[1,0.5,0,0],[0.5,1,0,0],[0,0,2,0],[0,0,0,3]])"),
    "bilinear": ("iris.svm", "svc --kernel exp(0.05*bilinear(A=[[2,1,0,0],[1,2,0,0],[0,0,1,0],[0,0,0,1]]))"),
    "columns": ("iris.svm", "svc --kernel columns(rbf(gamma=1),[2,3])+columns(linear(),[0])^2"),
    "nested": ("wine.svm", "svc --scale standard --kernel normalize(2*exp(0.1*linear())*exp(0.1*poly(degree=2)))"),
    "polynomial_of": ("wine.svm", "svc --scale standard --kernel polynomial_of(rbf(gamma=0.1),[1,0.5,2])^1.5"),
    "nystroem_ridge": ("housing.svm", "nystroem_ridge --scale standard --set n_centres=100"),
    "nystroem_logistic": ("heart_scale.svm", "nystroem_logistic --set n_centres=50"),
    "nystroem_logistic_three": ("wine.svm", "nystroem_logistic --scale minmax --set n_centres=50"),
    "nystroem_svc": ("heart_scale.svm", "nystroem_svc --set n_centres=50 --kernel laplacian(gamma=0.1)"),
    "nystroem_svc_three": ("iris.csv", "nystroem_svc --label species --set n_centres=50"),
    "nystroem_pca": ("wine.svm", "nystroem_pca --scale standard --set n_components=3 --set n_centres=50"),
    "nystroem": ("wine.svm", "nystroem --scale standard --set n_centres=20"),
    "constant": ("wine.svm", "svc --scale standard --kernel constant(c=2)"),
}


COMPONENTS = "kernel_pca nystroem_pca nystroem".split()
WITHOUT_DETAILS = "ridge kernel_ridge nystroem_ridge knn_regression nearest_medoid kernel_kmeans kernel_kmedoids nystroem_kmeans".split()


def rows_of(data):
    if data.endswith(".csv"):
        return np.loadtxt(DATA / data, delimiter=",", skiprows=1, usecols=range(4))
    if data.endswith(".xz"):
        return load_svmlight_file(lzma.open(DATA / data))[0].toarray()
    return load_svmlight_file(str(DATA / data))[0].toarray()


def untouched(probabilities):
    """Rows that mercer predict left as they were. Where the largest was not that of the predicted class, it makes the
    two largest equal."""
    last = np.sort(probabilities, axis=1)
    rows = last[:, -1] - last[:, -2] > 1e-9
    assert rows.mean() > 0.8
    return rows


def answers_of(program, text):
    words = program if isinstance(program, list) else [program]
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def run_onnx(questions):
    return answers_of(["node", ROOT / "tests/apps/onnx/run.js"], questions)


class Convert(Scratch):
    @classmethod
    def setUpClass(cls):
        """Fits each model once; what it says of its data is the oracle."""
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.models, cls.said, cls.rows = {}, {}, {}
        for name, (data, words) in MODELS.items():
            method, *rest = words.split()
            path = Path(cls.shared.name) / f"{name}.model"
            words = [BIN / "mercer", "fit", method, DATA / data, *rest, "-o", path]
            subprocess.run(words, capture_output=True, check=True)
            cls.models[name] = path
            cls.rows[name] = rows_of(data)[:200]
            lines = Path(cls.shared.name) / "rows.svm"
            with open(lines, "w") as out:  # with all digits, and only the numbers
                for row in cls.rows[name]:
                    out.write("0 " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row.tolist())) + "\n")
            if method in COMPONENTS:
                cls.said[name] = {"predictions": as_json("transform", path, lines)["values"]}
            else:
                cls.said[name] = as_json("predict", path, lines, *([] if method in WITHOUT_DETAILS else ["--details"]))

    def values(self, name):
        return self.said[name]["predictions"]

    def test_headers_say_what_the_model_says(self):
        headers = self.path("headers")
        headers.mkdir()
        for name in MODELS:
            mercer("convert", self.models[name], "-o", headers / f"{name}.h", "--name", f"m_{name}")
        (headers / "main.cpp").write_text(self.program_of(headers))
        flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-O2"]
        subprocess.run(["g++", *flags, headers / "main.cpp", "-o", headers / "main"], check=True)
        for name in MODELS:
            x = self.rows[name]
            text = f"{name} {len(x)} {x.shape[1]}\n" + "\n".join(" ".join(map(repr, row)) for row in x.tolist())
            lines = answers_of(headers / "main", text)
            with self.subTest(name):
                self.compare_header(name, [line.split() for line in lines])

    def program_of(self, headers):
        """A program that reads "NAME ROWS COLUMNS" and rows, and prints what the header of this name says of each."""
        each = []
        for name in MODELS:
            code = (headers / f"{name}.h").read_text()
            chances = f"double p[m_{name}::classes]; m_{name}::probabilities(x, p); show(p);"
            who = f'std::printf(" %s", m_{name}::class_name(m_{name}::predict(x)));'
            each.append(
                f'if (!std::strcmp(who, "{name}")) {{ std::printf("%.17g", m_{name}::predict(x));'
                f" double f[m_{name}::functions]; m_{name}::decide(x, f); show(f);"
                f' {chances if "void probabilities(" in code else ""} {who if "class_name(" in code else ""} }}'
            )
        return (
            "#include <cstdio>\n#include <cstring>\n"
            + "".join(f'#include "{name}.h"\n' for name in MODELS)
            + """
template <std::size_t n>
void show(const double (&values)[n]) {
    for (double each : values) std::printf(" %.17g", each);
}
int main() {
    static double x[1024];
    char who[64];
    int n = 0;
    std::size_t d = 0;
    while (std::scanf("%63s %d %zu", who, &n, &d) == 3)
        for (int i = 0; i < n; ++i) {
            for (std::size_t a = 0; a < d; ++a)
                if (std::scanf("%lf", &x[a]) != 1) return 1;
            """
            + "\n            ".join(each)
            + """
            std::puts("");
        }
}
"""
        )

    def compare_header(self, name, found):
        said = self.values(name)
        self.assertEqual(len(found), len(said))
        if name in COMPONENTS:
            np.testing.assert_allclose([list(map(float, f[1:])) for f in found], said, rtol=1e-9, atol=1e-9)
        elif isinstance(said[0], str):
            self.assertEqual([f[-1] for f in found], said)
        else:
            np.testing.assert_allclose([float(f[0]) for f in found], said, rtol=1e-9, atol=1e-9)
        details = self.said[name].get("details")
        others = ("nearest", "kernel_fisher", "kernel_density", "intersection", "svc_three_chances")
        if not details or name.startswith(others):
            return  # these return distances or other functions
        want = np.array(details["values"])
        got = [f[1:] if not isinstance(said[0], str) else f[1:-1] for f in found]
        rows = untouched(want) if "chances" in name else slice(None)
        np.testing.assert_allclose(np.array(got, float)[rows, -want.shape[1] :], want[rows], rtol=1e-9, atol=1e-9)

    @unittest.skipUnless(HAS_RUNTIME, "onnxruntime-node is not installed: npm ci --ignore-scripts in tests/apps/onnx")
    def test_onnx_files_say_what_the_model_says(self):
        asked = []
        for name in MODELS:
            for plain in (False, True):
                file = self.path(f"{name}{plain}.onnx")
                mercer("convert", self.models[name], "-o", file, *(["--plain"] if plain else []))
                asked.append((name, plain, file))
        questions = "\n".join(json.dumps({"file": str(f), "rows": self.rows[n].tolist()}) for n, _, f in asked)
        for (name, plain, _), line in zip(asked, run_onnx(questions), strict=True):
            with self.subTest(name, plain=plain):
                # In double, but distances are computed as ‖x‖² + ‖z‖² - 2xᵀz: their square roots lose half of the
                # digits near 0.
                roots = name in ("hinge", "knn_weighed")
                self.compare_onnx(name, json.loads(line), 1e-4 if not plain else 1e-5 if roots else 1e-9)

    def compare_onnx(self, name, found, most):
        self.assertNotIn("error", found)
        said = self.values(name)

        def tensor(which):
            return np.array(found[which]["data"]).reshape(found[which]["dims"])

        if "label" in found:
            self.assertEqual(tensor("label").tolist(), said)
        else:
            got = tensor("components" if name in COMPONENTS else "prediction")
            np.testing.assert_allclose(got, np.reshape(said, (len(said), -1)), rtol=most, atol=most)
        details = self.said[name].get("details")
        others = ("nearest", "kernel_fisher", "intersection", "one_class")
        if not details or "label" not in found or name.startswith(others):
            return
        want = np.array(details["values"])
        if "probabilities" in found:
            # onnxruntime's coupling of more than two classes stops within 0.005/classes
            rows = untouched(want) if "chances" in name else slice(None)
            most = 5e-3 if name == "svc_three_chances" else most
            np.testing.assert_allclose(tensor("probabilities")[rows], want[rows], atol=most)
        elif "chances" not in name:
            np.testing.assert_allclose(tensor("scores")[:, -want.shape[1] :], want, rtol=most, atol=most)

    def test_libsvm_text_and_back(self):
        for name in ("svc_two", "nu_svc", "svc_chances"):
            text, back = self.path(f"{name}.libsvm"), self.path(f"{name}.model")
            mercer("convert", self.models[name], "-o", text)
            self.assertTrue(text.read_text().startswith("svm_type "))
            told = as_json("convert", text, "-o", back)
            self.assertEqual(told["format"], "mercer")
            self.assertEqual(told["bytes"], back.stat().st_size)
            data = DATA / MODELS[name][0]
            said = as_json("predict", self.models[name], data)["predictions"]
            for each in (text, back):
                self.assertEqual(as_json("predict", each, data)["predictions"], said)
            subprocess.run([BIN / "svm-predict", data, text, self.path("out")], check=True, capture_output=True)
            answers = [float(line) for line in self.path("out").read_text().split()]
            self.assertEqual(answers, said)
            # a LIBSVM file can be converted to any format
            self.assertIn("predict(", mercer("convert", text, "-o", "-", "--to", "header"))

    def test_class_names_are_told_where_the_form_has_none(self):
        mercer("fit", "svc", DATA / "iris.csv", "--label", "species", "-o", self.path("iris.model"))
        said = mercer("convert", self.path("iris.model"), "-o", self.path("iris.libsvm"))
        self.assertIn("0 is setosa, 1 is versicolor, 2 is virginica", said)

    def test_every_method_and_every_kernel_on_vectors_is_tried(self):
        words = " ".join(words for _, words in MODELS.values())
        for method in as_json("methods")["methods"]:
            if method["name"].startswith("cells") or method["name"] in ("random_features", "nystroem_spectral"):
                mercer("fit", method["name"], DATA / "heart_scale.svm", "-o", self.path("few.model"))
                said = mercer("convert", self.path("few.model"), "-o", self.path("few.h"), code=1)
                self.assertIn("cannot be written as a C++ header", said)
                continue
            self.assertTrue(any(w.split()[0] == method["name"] for _, w in MODELS.values()), method["name"])
        for kernel in as_json("kernel", "list")["kernels"]:
            if kernel["domain"] in ("vectors", "any"):
                self.assertIn(kernel["name"] + "(", words)

    def test_names_of_any_kind_and_constant_answers(self):
        names = ['say "a\\b"', "größe,2", "x\ty"]
        rows = [(i % 7 / 7, i % 5 / 5, names[i % 3]) for i in range(60)]
        with open(self.path("odd.csv"), "w", newline="") as out:
            table = csv.writer(out)
            table.writerow(['in "mm"', "a,b", "who"])
            table.writerows(rows)
        mercer("fit", "svc", self.path("odd.csv"), "--label", "who", "--set", "C=100", "-o", self.path("odd.model"))
        self.path("flat.svm").write_text("".join(f"4 1:{i % 3} 2:{i % 5}\n" for i in range(20)))  # no support vectors
        mercer("fit", "svr", self.path("flat.svm"), "-o", self.path("flat.model"))
        (self.path("main.cpp")).write_text(
            '#include <cstdio>\n#include "odd.h"\n#include "flat.h"\nint main() {\n    double x[2];\n'
            '    while (std::scanf("%lf %lf", x, x + 1) == 2) std::puts(odd::class_name(odd::predict(x)));\n'
            "    std::printf(\"%g %s\\n\", flat::predict(x), odd::feature_names[0]);\n}\n"
        )
        for each in ("odd", "flat"):
            mercer("convert", self.path(f"{each}.model"), "-o", self.path(f"{each}.h"))
        run = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", self.path("main.cpp"), "-o", self.path("main")]
        subprocess.run(run, check=True)
        said = as_json("predict", self.path("odd.model"), self.path("odd.csv"))["predictions"]
        text = "\n".join(f"{a!r} {b!r}" for a, b, _ in rows)
        lines = answers_of(self.path("main"), text)
        self.assertEqual(lines, [*said, '4 in "mm"'])
        if HAS_RUNTIME:
            asked = []
            for each in ("odd", "flat"):
                mercer("convert", self.path(f"{each}.model"), "-o", self.path(f"{each}.onnx"))
                asked.append(json.dumps({"file": str(self.path(f"{each}.onnx")), "rows": [[a, b] for a, b, _ in rows]}))
            odd, flat = map(json.loads, run_onnx("\n".join(asked)))
            self.assertEqual(odd["label"]["data"], said)
            np.testing.assert_allclose(flat["prediction"]["data"], 4, atol=1e-6)

    def test_what_cannot_be_written_is_named(self):
        mercer("fit", "svc", DATA / "promoters.tsv", "--kernel", "spectrum(k=3)", "-o", self.path("strings.model"))
        for end in ("onnx", "h", "pmml", "libsvm"):
            wrong = mercer("convert", self.path("strings.model"), "-o", self.path(f"x.{end}"), code=1)
            self.assertIn("spectrum(k=3)" if end != "libsvm" else "strings", wrong)
            self.assertFalse(self.path(f"x.{end}").exists())
        wrong = mercer("convert", self.models["svr"], "-o", self.path("x.libsvm"), code=1)
        self.assertIn("scales its columns (standard)", wrong)
        self.assertIn("model of ridge", mercer("convert", self.models["ridge"], "-o", self.path("x.libsvm"), code=1))
        self.assertIn("laplacian", mercer("convert", self.path_of_laplacian(), "-o", self.path("x.libsvm"), code=1))

    def path_of_laplacian(self):
        mercer("fit", "svc", DATA / "iris.svm", "--kernel", "laplacian()", "-o", self.path("laplacian.model"))
        return self.path("laplacian.model")

    def test_wrong_words(self):
        model = self.models["svc_two"]
        self.assertIn("the format cannot be detected from the ending of", mercer("convert", model, "-o", self.path("x.txt"), code=2))
        self.assertIn("--to must be onnx, header, pmml, libsvm or mercer, got 'coreml'", mercer("convert", model, "-o", self.path("x"), "--to", "coreml", code=2))
        self.assertIn("--plain", mercer("convert", model, "-o", self.path("x.h"), "--plain", code=2))
        self.assertIn("--name", mercer("convert", model, "-o", self.path("x.onnx"), "--name", "a", code=2))
        self.assertIn("--out", mercer("convert", model, code=2))
        mercer("convert", self.path("none.model"), "-o", self.path("x.onnx"), code=1)
        self.path("junk.model").write_bytes(b"junk")
        self.assertIn("not a model file", mercer("convert", self.path("junk.model"), "-o", self.path("x.onnx"), code=1))
        mercer("convert", model, "-o", self.path("no/folder/x.onnx"), code=1)

    def test_names_become_identifiers(self):
        mercer("convert", self.models["svc_two"], "-o", self.path("my model-2.h"))
        self.assertIn("namespace my_model_2 {", self.path("my model-2.h").read_text())
        mercer("convert", self.models["svc_two"], "-o", self.path("class.h"))
        self.assertIn("namespace class_ {", self.path("class.h").read_text())
        mercer("convert", self.models["svc_two"], "-o", self.path("7.h"))
        self.assertIn("namespace model_7 {", self.path("7.h").read_text())


if __name__ == "__main__":
    unittest.main(argv=["mercer_convert_test.py"], verbosity=1)
