#!/usr/bin/python3
"""Writes regression.json: what scikit-learn's ridge, kernel ridge, Gaussian process, logistic and Poisson regressions find on the data sets of data/.

Run it from anywhere: tests/oracles/make_regression.py. The C++ tests repeat the preparation of the data from the words below: columns are
standardised, every step-th row is taken, and predictions are for 0.9 times some of the rows. Weights, where there are any, are 0.5 + 0.5 (i mod 4).
"""

import json
import lzma
import pathlib
import warnings

import numpy as np
import sklearn
from scipy.optimize import minimize
from sklearn.datasets import load_svmlight_file
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge, RidgeCV
from sklearn.svm import SVR, LinearSVC

warnings.simplefilter("ignore")
HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent.parent / "data"


def load(name, step):
    path = DATA / name
    with (lzma.open(path) if name.endswith(".xz") else open(path, "rb")) as file:
        x, y = load_svmlight_file(file)
    x = np.asarray(x.todense())
    sd = x.std(axis=0)
    x = np.where(sd > 0, (x - x.mean(axis=0)) / np.where(sd > 0, sd, 1), 0)
    return x[::step], y[::step]


def numbers(values):
    return [[float(f"{v:.13g}") for v in np.atleast_1d(row)] for row in np.asarray(values)]


def points(x):
    rows = list(range(0, len(x), max(1, len(x) // 10)))[:10]
    return rows, 0.9 * x[rows]


def weights(n, wanted):
    return 0.5 + 0.5 * (np.arange(n) % 4) if wanted else None


def outputs(y, count):
    """One target, or y, its square root and a wave of it."""
    return y if count == 1 else np.stack([y, np.sqrt(np.abs(y)), np.sin(y)], axis=1)


def text(kernel):
    if kernel["kernel"] == "linear":
        return "linear()"
    if kernel["kernel"] == "rbf":
        return f"rbf(gamma={kernel['gamma']!r})"
    if kernel["kernel"] == "laplacian":
        return f"laplacian(gamma={kernel['gamma']!r})"
    return f"poly(degree={kernel['degree']}, gamma={kernel['gamma']!r}, coef0={kernel['coef0']!r})"


def kernel_ridge(data, kernel, alpha, step=1, count=1, weighted=False):
    x, y = load(data, step)
    model = KernelRidge(alpha=alpha, **kernel).fit(x, outputs(y, count), sample_weight=weights(len(y), weighted))
    rows, z = points(x)
    return {"data": data, "step": step, "kernel": text(kernel), "alpha": alpha, "outputs": count, "weighted": weighted, "rows": rows, "predicted": numbers(model.predict(z))}


def gaussian_process(data, gamma, alpha, step=1):
    x, y = load(data, step)
    model = GaussianProcessRegressor(RBF(np.sqrt(0.5 / gamma), "fixed"), alpha=alpha, optimizer=None).fit(x, y)
    rows, z = points(x)
    mean, std = model.predict(z, return_std=True)
    return {"data": data, "step": step, "kernel": f"rbf(gamma={gamma!r})", "alpha": alpha, "rows": rows, "mean": numbers(mean), "variance": numbers(std**2)}


def ridge(data, alpha, step=1, count=1, weighted=False, intercept=True):
    x, y = load(data, step)
    model = Ridge(alpha=alpha, fit_intercept=intercept, solver="svd").fit(x, outputs(y, count), sample_weight=weights(len(y), weighted))
    return {"data": data, "step": step, "alpha": alpha, "outputs": count, "weighted": weighted, "intercept": intercept,
            "coef": numbers(np.atleast_2d(model.coef_)), "offset": numbers(np.atleast_1d(model.intercept_) if intercept else np.zeros(count))}


def ridge_path(data, alphas, step=1, intercept=True):
    x, y = load(data, step)
    model = RidgeCV(alphas=alphas, fit_intercept=intercept, store_cv_values=True).fit(x, y)
    return {"data": data, "step": step, "alphas": alphas, "intercept": intercept, "loo": numbers(model.cv_values_.mean(axis=0)), "best": float(model.alpha_)}


def logistic(data, kernel, C, step=1, weighted=False, class_weight=None, intercept=True):
    x, y = load(data, step)
    rows, z = points(x)
    if kernel["kernel"] == "linear":
        features, new = x, z
    else:  # the empirical feature map: K = ΦΦᵀ, a new point is Λ^(-½)Uᵀk
        gram = lambda a, b: np.exp(-kernel["gamma"] * ((a[:, None] - b[None]) ** 2).sum(-1))
        value, vector = np.linalg.eigh(gram(x, x))
        keep = value > 1e-9
        features = vector[:, keep] * np.sqrt(value[keep])
        new = gram(z, x) @ vector[:, keep] / np.sqrt(value[keep])
    model = LogisticRegression(C=C, fit_intercept=intercept, class_weight=class_weight, tol=1e-12, max_iter=100000, solver="newton-cg", multi_class="multinomial" if len(set(y)) > 2 else "ovr")
    model.fit(features, y, sample_weight=weights(len(y), weighted))
    return {"data": data, "step": step, "kernel": text(kernel), "C": C, "weighted": weighted, "intercept": intercept, "class_weight": [[k, v] for k, v in (class_weight or {}).items()],
            "rows": rows, "probabilities": numbers(model.predict_proba(new))}


def linear_loss(data, loss, parameter, alpha, step=1, intercept=True, weighted=False):
    """A linear model under other losses: by scikit-learn where it has one, by scipy's BFGS for Huber's."""
    x, y = load(data, step)
    rows, z = points(x)
    if loss == "poisson":
        model = PoissonRegressor(alpha=alpha / len(y), fit_intercept=intercept, tol=1e-12, max_iter=100000).fit(x, y)
        found = np.log(model.predict(z))
    elif loss == "squared_hinge":
        found = LinearSVC(C=1 / alpha, loss="squared_hinge", dual=False, fit_intercept=False, tol=1e-12, max_iter=1000000).fit(x, y).decision_function(z)
    elif loss == "epsilon_insensitive":
        found = SVR(kernel="linear", C=1 / alpha, epsilon=parameter, tol=1e-9).fit(x, y).predict(z)
    else:
        def objective(v):
            t = x @ v[:-1] + v[-1] - y
            inner = np.abs(t) <= parameter
            slope = np.clip(t, -parameter, parameter)
            value = np.where(inner, 0.5 * t * t, parameter * (np.abs(t) - 0.5 * parameter)).sum() + 0.5 * alpha * v[:-1] @ v[:-1]
            return value, np.append(x.T @ slope + alpha * v[:-1], slope.sum())
        v = np.append(np.zeros(x.shape[1]), np.median(y))
        for _ in range(5):
            v = minimize(objective, v, jac=True, method="BFGS", options={"gtol": 1e-10, "maxiter": 100000}).x
        found = z @ v[:-1] + v[-1]
    return {"data": data, "step": step, "loss": loss, "parameter": parameter, "alpha": alpha, "intercept": intercept, "rows": rows, "decisions": numbers(found)}


rbf = lambda gamma: {"kernel": "rbf", "gamma": gamma}
poly = {"kernel": "poly", "degree": 3, "gamma": 0.05, "coef0": 1.0}
linear = {"kernel": "linear"}
everything = {
    "scikit-learn": sklearn.__version__,
    "kernel_ridge": [
        kernel_ridge("housing.svm", rbf(0.0625), 0.1),
        kernel_ridge("housing.svm", rbf(0.0625), 0.1, weighted=True),
        kernel_ridge("housing.svm", poly, 2.0, count=3),
        kernel_ridge("housing.svm", linear, 1.0),
        kernel_ridge("abalone.svm.xz", {"kernel": "laplacian", "gamma": 0.125}, 0.5, step=8, count=3, weighted=True),
    ],
    "gaussian_process": [gaussian_process("housing.svm", 0.0625, 0.25), gaussian_process("abalone.svm.xz", 0.125, 1.0, step=10)],
    "ridge": [
        ridge("housing.svm", 1.0),
        ridge("housing.svm", 10.0, count=3, weighted=True),
        ridge("housing.svm", 0.5, intercept=False),
        ridge("sonar.svm", 2.0, step=5),
        ridge("sonar.svm", 0.1, step=6, count=3, weighted=True),
        ridge("sonar.svm", 3.0, step=7, intercept=False, weighted=True),
    ],
    "ridge_path": [
        ridge_path("housing.svm", [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]),
        ridge_path("housing.svm", [0.1, 10.0, 1000.0], intercept=False),
        ridge_path("sonar.svm", [0.1, 1.0, 10.0, 100.0, 1000.0], step=5),
    ],
    "logistic": [
        logistic("heart_scale.svm", linear, 1.0),
        logistic("heart_scale.svm", linear, 0.3, intercept=False, weighted=True),
        logistic("heart_scale.svm", rbf(0.0625), 2.0),
        logistic("breast-cancer.svm", rbf(0.125), 1.0, step=2, class_weight={-1: 0.5, 1: 2.0}),
        logistic("iris.svm", linear, 1.0),
        logistic("iris.svm", rbf(0.25), 10.0, weighted=True),
        logistic("wine.svm", linear, 0.5, class_weight={0: 1.0, 1: 3.0, 2: 0.5}),
        logistic("wine.svm", rbf(0.0625), 5.0, intercept=False),
        logistic("digits.svm.xz", linear, 0.01, step=6),
    ],
    "losses": [
        linear_loss("housing.svm", "poisson", 0, 2.0),
        linear_loss("housing.svm", "poisson", 0, 20.0, intercept=False),
        linear_loss("heart_scale.svm", "squared_hinge", 0, 3.0, intercept=False),
        linear_loss("housing.svm", "huber", 1.5, 2.0),
        linear_loss("housing.svm", "epsilon_insensitive", 0.5, 2.0),
    ],
}
with open(HERE / "regression.json", "w") as file:
    file.write(json.dumps(everything, separators=(",", ":")).replace('{"data"', '\n{"data"') + "\n")
