#!/usr/bin/python3
"""PMML files of mercer convert, read by an evaluator of its own: mercer_pmml_test.py BIN_FOLDER REPOSITORY

The evaluator below follows the text of PMML 4.4 (dmg.org: General Structure, Transformations, Regression, Support Vector
Machine) and shares nothing with the library.
"""

import csv
import unittest
import xml.etree.ElementTree as tree

import numpy as np
from sklearn.datasets import load_svmlight_file

from mercer_program import DATA, Scratch, as_json, mercer

NS = {"p": "http://www.dmg.org/PMML-4_4"}

MODELS = {
    "svc_two": ("heart_scale.svm", "svc"),
    "svc_named": ("iris.csv", "svc --label species --scale standard"),
    "svc_linear": ("wine.svm", "svc --kernel linear() --scale minmax"),
    "svc_poly": ("wine.svm", "svc --kernel poly(degree=2,gamma=0.1,coef0=1) --scale standard"),
    "svc_rest": ("wine.svm", "svc --scale standard --set multiclass=ovr"),
    "svc_chances": ("heart_scale.svm", "svc --set probability=true"),
    "nu_svc": ("heart_scale.svm", "nu_svc --kernel sigmoid(gamma=0.01,coef0=0)"),
    "svr": ("housing.svm", "svr --scale standard --set C=10"),
    "nu_svr": ("housing.svm", "nu_svr --scale minmax --kernel poly(degree=3,gamma=0.2,coef0=1)"),
    "one_class": ("wine.svm", "one_class --scale standard"),
    "linear_svc": ("wine.svm", "linear_svc --scale standard"),
    "linear_svc_two": ("heart_scale.svm", "linear_svc"),
    "ridge": ("housing.svm", "ridge --scale standard"),
    "kernel_ridge": ("housing.svm", "kernel_ridge --scale standard"),
    "kernel_logistic": ("heart_scale.svm", "kernel_logistic"),
    "logistic": ("heart_scale.svm", "kernel_logistic --kernel linear()"),
    "logistic_three": ("iris.csv", "kernel_logistic --label species --scale standard --kernel linear()"),
    "poisson": ("housing.svm", "representer --set loss=poisson --kernel linear() --scale standard --set alpha=10"),
    "nystroem_svc": ("wine.svm", "nystroem_svc --scale standard --set n_centres=40"),
    "nystroem_ridge": ("housing.svm", "nystroem_ridge --scale standard --set n_centres=60"),
    "nearest_centroid": ("wine.svm", "nearest_centroid --scale standard"),
}


def number(element, name, otherwise=None):
    text = element.get(name, otherwise)
    return None if text is None else float(text)


class Evaluator:
    def __init__(self, path):
        self.root = tree.parse(path).getroot()
        assert self.root.get("version") == "4.4"
        self.model = next(m for m in self.root if m.tag.endswith("Model"))
        self.fields = [f.get("name") for f in self.root.findall("p:DataDictionary/p:DataField", NS)]
        assert int(self.root.find("p:DataDictionary", NS).get("numberOfFields")) == len(self.fields) == len(set(self.fields))
        schema = self.model.findall("p:MiningSchema/p:MiningField", NS)
        self.target = next(f.get("name") for f in schema if f.get("usageType") == "target")
        self.inputs = [f.get("name") for f in schema if f.get("usageType", "active") == "active"]
        self.classes = [v.get("value") for v in self.root.findall(f"p:DataDictionary/p:DataField[@name='{self.target}']/p:Value", NS)]

    def expression(self, e, values):
        tag = e.tag.split("}")[1]
        if tag == "FieldRef":
            return values[e.get("field")]
        if tag == "Constant":
            return float(e.text)
        a, b = (self.expression(part, values) for part in e)
        return {"+": a + b, "-": a - b, "*": a * b}[e.get("function")]

    def predict(self, row):
        values = dict(zip(self.inputs, row, strict=True))
        for field in self.model.findall("p:LocalTransformations/p:DerivedField", NS):
            values[field.get("name")] = self.expression(field[0], values)
        return self.regression(values) if self.model.tag.endswith("}RegressionModel") else self.machine(values)

    def regression(self, values):
        y, names = [], []
        for t in self.model.findall("p:RegressionTable", NS):
            y.append(number(t, "intercept") + sum(number(n, "coefficient") * values[n.get("name")] for n in t.findall("p:NumericPredictor", NS)))
            names.append(t.get("targetCategory"))
        how = self.model.get("normalizationMethod", "none")
        if self.model.get("functionName") == "regression":
            assert len(y) == 1 and how in ("none", "exp")
            return np.exp(y[0]) if how == "exp" else y[0], None
        assert sorted(names) == sorted(self.classes) and how in ("none", "softmax")
        chances = None
        if how == "softmax":
            e = np.exp(np.array(y) - max(y))
            chances = dict(zip(names, e / e.sum(), strict=True))
        return names[int(np.argmax(y))], chances

    def kernel(self, x, z):
        for k in self.model:
            name = k.tag.split("}")[1]
            if name == "LinearKernelType":
                return x @ z
            if name == "PolynomialKernelType":
                return (number(k, "gamma", 1) * (x @ z) + number(k, "coef0", 1)) ** number(k, "degree", 1)
            if name == "RadialBasisKernelType":
                return np.exp(-number(k, "gamma", 1) * ((x - z) ** 2).sum())
            if name == "SigmoidKernelType":
                return np.tanh(number(k, "gamma", 1) * (x @ z) + number(k, "coef0", 1))
        raise AssertionError("no kernel")

    def machine(self, values):
        m = self.model
        x = np.array([values[f.get("field")] for f in m.findall("p:VectorDictionary/p:VectorFields/p:FieldRef", NS)])
        vectors = {v.get("id"): np.array(v.find("p:Array", NS).text.split(), float) for v in m.findall("p:VectorDictionary/p:VectorInstance", NS)}
        assert len(vectors) == int(m.find("p:VectorDictionary", NS).get("numberOfVectors"))
        kept = {i: self.kernel(x, z) for i, z in vectors.items()}
        found = []
        for each in m.findall("p:SupportVectorMachine", NS):
            coefficients = each.find("p:Coefficients", NS)
            a = np.array([number(c, "value") for c in coefficients.findall("p:Coefficient", NS)])
            if m.get("svmRepresentation") == "Coefficients":
                f = a @ x
            else:
                f = a @ np.array([kept[s.get("vectorId")] for s in each.findall("p:SupportVectors/p:SupportVector", NS)])
            found.append((f + number(coefficients, "absoluteValue"), each.get("targetCategory"), each.get("alternateTargetCategory")))
        if m.get("functionName") == "regression":
            (f, _, _), = found
            return f, None
        assert m.get("maxWins", "false") == "false"
        if m.get("classificationMethod") == "OneAgainstAll":
            return min(found, key=lambda each: each[0])[1], None
        votes = dict.fromkeys(self.classes, 0)
        for f, target, other in found:
            votes[target if f < number(m, "threshold", 0) else other] += 1
        return max(votes, key=votes.get), None


class Pmml(Scratch):
    def test_files_say_what_the_model_says(self):
        for name, (data, words) in MODELS.items():
            with self.subTest(name):
                model, file = self.path(f"{name}.model"), self.path(f"{name}.pmml")
                method, *rest = words.split()
                mercer("fit", method, DATA / data, *rest, "-o", model)
                said = mercer("convert", model, "-o", file)
                self.assertEqual("no probabilities" in said, name in ("svc_chances", "kernel_logistic"))
                read = Evaluator(file)
                if data.endswith(".csv"):
                    rows = np.loadtxt(DATA / data, delimiter=",", skiprows=1, usecols=range(4))
                    self.assertEqual(read.target, "species")
                    self.assertEqual(read.inputs, (DATA / data).read_text().splitlines()[0].split(",")[:4])
                else:
                    rows = load_svmlight_file(str(DATA / data))[0].toarray()
                details = ["--details"] if name.startswith("logistic") else []
                told = as_json("predict", model, DATA / data, *details)
                found = [read.predict(row) for row in rows]
                if read.classes:
                    self.assertEqual([f for f, _ in found], [each if isinstance(each, str) else f"{each:g}" for each in told["predictions"]])
                else:
                    np.testing.assert_allclose([f for f, _ in found], told["predictions"], rtol=1e-9, atol=1e-9)
                if details:
                    names = [each[2:-1] for each in told["details"]["names"]]
                    np.testing.assert_allclose([[p[c] for c in names] for _, p in found], told["details"]["values"], atol=1e-9)

    def test_names_of_any_kind(self):
        names = ['say "a&b"', "größe <2>", "x'y"]
        rows = [(i % 7 / 7, i % 5 / 5, names[i % 3]) for i in range(60)]
        with open(self.path("odd.csv"), "w", newline="") as out:
            table = csv.writer(out)
            table.writerow(['in "mm"', "a,b", "who"])
            table.writerows(rows)
        mercer("fit", "svc", self.path("odd.csv"), "--label", "who", "--set", "C=100", "-o", self.path("odd.model"))
        mercer("convert", self.path("odd.model"), "-o", self.path("odd.pmml"))
        read = Evaluator(self.path("odd.pmml"))
        self.assertEqual((read.inputs, read.target), (['in "mm"', "a,b"], "who"))
        told = as_json("predict", self.path("odd.model"), self.path("odd.csv"))["predictions"]
        self.assertEqual([read.predict(row[:2])[0] for row in rows], told)

    def test_what_it_cannot_hold_is_named(self):
        for words, why in {
            "svc --kernel laplacian()": "not laplacian(",
            "kernel_pca --set n_components=2": "predicts 2 numbers",
            "knn": "PMML does not support knn",
            "kernel_density --kernel rbf(gamma=2)": "PMML does not support kernel_density",
        }.items():
            method, *rest = words.split()
            mercer("fit", method, DATA / "iris.svm", *rest, "-o", self.path("x.model"))
            self.assertIn(why, mercer("convert", self.path("x.model"), "-o", self.path("x.pmml"), code=1))
            self.assertFalse(self.path("x.pmml").exists())


if __name__ == "__main__":
    unittest.main(argv=["mercer_pmml_test.py"], verbosity=1)
