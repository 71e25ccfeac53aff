#!/usr/bin/python3
"""Writes svm.json: what scikit-learn's support vector machines find on the data sets of data/.

Run it from anywhere: tests/oracles/make_svm.py. The C++ test repeats the preparation of the data (recipe) from the words below.
Objectives are those of the dual as a minimum, recomputed here from the coefficients and numpy's kernel values.
"""

import json
import lzma
import pathlib

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent.parent / "data"


def load(name, recipe, step):
    path = DATA / name
    with (lzma.open(path) if name.endswith(".xz") else open(path, "rb")) as file:
        x, y = load_svmlight_file(file)
    x = np.asarray(x.todense())
    if recipe == "standardise":
        sd = x.std(axis=0)
        x = np.where(sd > 0, (x - x.mean(axis=0)) / np.where(sd > 0, sd, 1), 0)
    elif recipe == "divide by 16":
        x = x / 16
    return x[::step], y[::step]


def gram(kernel, a, b):
    if kernel["name"] == "linear":
        return a @ b.T
    if kernel["name"] == "poly":
        return (kernel["gamma"] * (a @ b.T) + kernel["coef0"]) ** kernel["degree"]
    d = (a * a).sum(1)[:, None] + (b * b).sum(1)[None, :] - 2 * a @ b.T
    return np.exp(-kernel["gamma"] * np.maximum(d, 0))


def objectives(task, model, x, y, kernel, epsilon):
    sv, coef = x[model.support_], model.dual_coef_
    K = gram(kernel, sv, sv)
    if task in ("c_svc", "nu_svc"):
        first = np.concatenate([[0], np.cumsum(model.n_support_)])
        out = []
        classes = len(model.n_support_)
        for i in range(classes):
            for j in range(i + 1, classes):
                a = np.zeros(len(sv))
                a[first[i] : first[i + 1]] = coef[j - 1, first[i] : first[i + 1]]
                a[first[j] : first[j + 1]] = coef[i, first[j] : first[j + 1]]
                # nu: the coefficients are divided by the margin; their Σ|α| is comparable, the objective is not.
                out.append(0.5 * a @ K @ a - np.abs(a).sum() * (task == "c_svc"))
        return out
    a = coef[0]
    out = 0.5 * a @ K @ a
    if task in ("epsilon_svr", "nu_svr"):
        out -= y[model.support_] @ a
    if task == "epsilon_svr":
        out += epsilon * np.abs(a).sum()
    return [out]


def case(data, task, kernel, recipe="standardise", step=1, C=1.0, nu=0.5, epsilon=0.1, class_weight=None, sample_weight=False, tol=1e-7):
    x, y = load(data, recipe, step)
    parameters = {"kernel": kernel["name"], "tol": tol, "cache_size": 500}
    if kernel["name"] != "linear":
        parameters["gamma"] = kernel["gamma"]
    if kernel["name"] == "poly":
        parameters |= {"degree": kernel["degree"], "coef0": kernel["coef0"]}
    if task in ("c_svc", "epsilon_svr", "nu_svr"):
        parameters["C"] = C
    if task in ("nu_svc", "nu_svr", "one_class"):
        parameters["nu"] = nu
    if task == "epsilon_svr":
        parameters["epsilon"] = epsilon
    if task in ("c_svc", "nu_svc"):
        parameters["decision_function_shape"] = "ovo"
        if class_weight:
            parameters["class_weight"] = class_weight
    model = {"c_svc": SVC, "nu_svc": NuSVC, "epsilon_svr": SVR, "nu_svr": NuSVR, "one_class": OneClassSVM}[task](**parameters)
    weight = 0.5 + 0.5 * (np.arange(len(y)) % 4) if sample_weight else None
    if task == "one_class":
        model.fit(x, sample_weight=weight)
    else:
        model.fit(x, y, sample_weight=weight)
    rows = list(range(0, len(y), max(1, len(y) // 20)))[:20]
    points = 0.9 * x[rows]
    decisions = model.predict(points) if task in ("epsilon_svr", "nu_svr") else model.decision_function(points)
    decisions = decisions.reshape(len(rows), -1)
    if task in ("c_svc", "nu_svc") and len(model.classes_) == 2:
        decisions = -decisions  # scikit-learn's sign is that of the second class
    found = objectives(task, model, x, y, kernel, epsilon)
    print(f"{data:20} {task:12} {kernel['name']:7} n={len(y):5} sv={len(model.support_):5} objective={sum(found):.10g}")
    return {
        "data": data, "recipe": recipe, "step": step, "task": task, "kernel": kernel, "C": C, "nu": nu, "epsilon": epsilon,
        "class_weight": {str(k): v for k, v in (class_weight or {}).items()}, "sample_weight": sample_weight,
        "objectives": found, "support": int(len(model.support_)), "rows": rows, "decisions": [[float(f"{v:.12g}") for v in row] for row in decisions],
    }


def rbf(gamma):
    return {"name": "rbf", "gamma": gamma}


def poly(degree, gamma, coef0):
    return {"name": "poly", "degree": degree, "gamma": gamma, "coef0": coef0}


linear = {"name": "linear"}

cases = [
    case("iris.svm", "c_svc", rbf(0.25)),
    case("iris.svm", "nu_svc", rbf(0.25), nu=0.2),
    case("iris.svm", "one_class", rbf(0.25), nu=0.1),
    case("wine.svm", "c_svc", rbf(1 / 13), C=10),
    case("wine.svm", "c_svc", linear),
    case("wine.svm", "one_class", rbf(1 / 13), nu=0.3),
    case("sonar.svm", "c_svc", rbf(1 / 60), C=10),
    case("sonar.svm", "c_svc", poly(3, 1 / 60, 1)),
    case("sonar.svm", "nu_svc", rbf(1 / 60), nu=0.3),
    case("sonar.svm", "c_svc", rbf(1 / 60), C=5, sample_weight=True),
    case("heart_scale.svm", "c_svc", rbf(1 / 13), recipe="none"),
    case("heart_scale.svm", "c_svc", linear, recipe="none"),
    case("heart_scale.svm", "c_svc", poly(2, 1 / 13, 1), recipe="none", class_weight={-1: 0.5, 1: 2.0}),
    case("heart_scale.svm", "nu_svc", rbf(0.1), recipe="none", nu=0.5),
    case("heart_scale.svm", "nu_svc", rbf(0.1), recipe="none", nu=0.4, sample_weight=True),
    case("breast-cancer.svm", "c_svc", rbf(0.1), C=2),
    case("breast-cancer.svm", "c_svc", linear, C=1, class_weight={-1: 1.0, 1: 3.0}, sample_weight=True),
    case("breast-cancer.svm", "one_class", rbf(0.1), nu=0.2),
    case("breast-cancer.svm", "one_class", rbf(0.1), nu=0.2, sample_weight=True),
    case("digits.svm.xz", "c_svc", rbf(0.05), recipe="divide by 16", step=3, C=5),
    case("digits.svm.xz", "nu_svc", poly(2, 0.1, 1), recipe="divide by 16", step=5, nu=0.1),
    case("housing.svm", "epsilon_svr", rbf(1 / 13), C=10),
    case("housing.svm", "epsilon_svr", linear, C=1, epsilon=1.0),
    case("housing.svm", "epsilon_svr", rbf(0.05), C=3, sample_weight=True),
    case("housing.svm", "nu_svr", rbf(1 / 13), C=5, nu=0.4),
    case("housing.svm", "nu_svr", poly(2, 1 / 13, 1), C=1, nu=0.3, sample_weight=True),
    case("housing.svm", "one_class", rbf(1 / 13), nu=0.5),
    case("abalone.svm.xz", "epsilon_svr", rbf(1 / 8), step=4, C=1),
    case("abalone.svm.xz", "nu_svr", rbf(1 / 8), step=4, C=1, nu=0.5),
    case("abalone.svm.xz", "epsilon_svr", rbf(1 / 8), step=2, C=0.5, epsilon=1.0),
]

with open(HERE / "svm.json", "w") as file:
    file.write(json.dumps({"scikit-learn": sklearn.__version__, "cases": cases}, indent=None, separators=(",", ":")).replace('{"data"', '\n{"data"') + "\n")
