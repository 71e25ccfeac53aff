#!/usr/bin/python3
"""Learnt kernels: multiple kernel learning beside the cone program that cvxopt solves, and beside each kernel alone.

bench/learn.py [--rows N] [--splits N] [SET ...]    sets of ../shared/data/classification; PYTHONPATH=build/python

The first table: seconds and objectives of the same problem (ℓ1, hinge, C = 1, balanced kernels) on N rows of two classes.
The second: mean error on held-out thirds, C by cross-validation for every kernel. "best alone" is the kernel that turns out
best on the held-out examples themselves, chosen with hindsight, "chosen alone" the one that cross-validation takes; of mkl it
takes the norm among 1, 1.5, 2 and 4.
"""

import argparse
import lzma
import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import kernels

DATA = Path(os.environ.get("MERCER_BENCH_DATA", Path(__file__).resolve().parents[2] / "shared/data")) / "classification"


def load(name, rows, two=False):
    path = DATA / f"{name}.svm.xz"
    if not path.exists():
        sys.exit(f"bench/learn.py: skipped, there is no {path}")
    with lzma.open(path) as file:
        X, y = load_svmlight_file(file)
    if two:
        most = np.unique(y, return_counts=True)
        keep = np.isin(y, most[0][np.argsort(-most[1])[:2]])
        X, y = X[keep], y[keep]
    keep = np.random.RandomState(0).permutation(X.shape[0])[:rows]
    return X[keep].toarray(), y[keep]


def family(X):
    """Gaussians of several widths, a linear one, polynomials."""
    some = X[np.random.RandomState(0).permutation(len(X))[:200]]
    squares = ((some[:, None] - some[None]) ** 2).sum(2)
    gamma = 1 / np.median(squares[squares > 0])
    return [f"rbf(gamma={gamma * f:.4g})" for f in (1 / 16, 1 / 4, 1, 4)] + ["linear()", f"poly(degree=2, gamma={gamma:.4g}, coef0=1)",
                                                                                f"laplacian(gamma={np.sqrt(gamma / X.shape[1]):.4g})"]  # fmt: skip


def by_cvxopt(matrices, y, C):
    """min ½t - Σα, 0 <= α <= C, yᵀα = 0, αᵀYKYα <= t of every kernel (Lanckriet et al. 2004), each a second-order cone."""
    from cvxopt import matrix, solvers

    solvers.options["show_progress"] = False
    n = len(y)
    sign = np.where(y == y[0], 1.0, -1.0)
    G = [np.hstack([-np.eye(n), np.zeros((n, 1))]), np.hstack([np.eye(n), np.zeros((n, 1))])]
    h = [np.zeros(n), np.full(n, C)]
    for K in matrices:
        values, vectors = np.linalg.eigh(K)
        root = (vectors * np.sqrt(np.maximum(values, 0))).T * sign
        cone = np.zeros((n + 2, n + 1))
        cone[0, n], cone[1, n] = -1, -1
        cone[2:, :n] = -2 * root
        G.append(cone)
        h.append(np.concatenate([[1, -1], np.zeros(n)]))
    cost = np.concatenate([-np.ones(n), [0.5]])
    A = np.concatenate([sign, [0]])[None]
    start = time.perf_counter()
    found = solvers.conelp(matrix(cost), matrix(np.vstack(G)), matrix(np.concatenate(h)),
                           {"l": 2 * n, "q": [n + 2] * len(matrices), "s": []}, matrix(A), matrix(0.0))  # fmt: skip
    return -found["primal objective"], time.perf_counter() - start


def beside_cvxopt(names, rows):
    print(f"{'set':22}{'rows':>6}{'kernels':>8}{'ours, s':>9}{'cvxopt, s':>11}{'ratio':>8}{'objective':>12}{'cvxopt':>12}{'gap':>9}")
    for name in names:
        X, y = load(name, rows, two=True)
        X = StandardScaler().fit_transform(X)
        texts = family(X)
        start = time.perf_counter()
        found = mercer.learn_kernel(mercer.SVC(C=1), X, y, kernel=texts, tol=1e-4)
        ours = time.perf_counter() - start
        matrices = []
        for text in texts:
            K = kernels.parse(text)(X)
            matrices.append(K / (np.trace(K) / len(K) - K.mean()))
        value, theirs = by_cvxopt(matrices, y, 1.0)
        print(f"{name:22}{len(y):6}{len(texts):8}{ours:9.2f}{theirs:11.1f}{theirs / ours:8.0f}{found.about['objective']:12.4f}{value:12.4f}{found.gap:9.4f}", flush=True)


def tuned(text, X, y, Z, w):
    """Mean score by cross-validation over C, and the error on held-out examples."""
    found = mercer.tune(mercer.SVC(), X, y, kernel=str(text), C="?{0.1, 1, 10, 100}", race=False)
    return found.best_score, 100 * (1 - found.estimator.score(Z, w))


def beside_each_alone(names, rows, splits):
    print(f"\n{'set':22}{'rows':>6}{'best alone':>12}{'chosen alone':>14}{'mkl':>8}{'alignment':>11}   error, %; the best kernel alone")
    for name in names:
        X, y = load(name, rows)
        alone, chosen, learnt = [], [], []
        for split in range(splits):
            A, Z, b, w = train_test_split(X, y, test_size=1 / 3, random_state=split, stratify=y)
            scaler = StandardScaler().fit(A)
            A, Z = scaler.transform(A), scaler.transform(Z)
            texts = family(A)
            each = [tuned(text, A, b, Z, w) for text in texts]
            alone.append([error for _, error in each])
            chosen.append(max(each)[1])
            norms = [tuned(mercer.learn_kernel(mercer.SVC(C=1), A, b, kernel=texts, norm=p).kernel, A, b, Z, w) for p in (1, 1.5, 2, 4)]
            aligned = tuned(mercer.learn_kernel(mercer.SVC(), A, b, kernel=texts, by="alignment").kernel, A, b, Z, w)
            learnt.append([max(norms)[1], aligned[1]])
        each, made = np.mean(alone, axis=0), np.mean(learnt, axis=0)
        print(f"{name:22}{len(y):6}{each.min():12.2f}{np.mean(chosen):14.2f}{made[0]:8.2f}{made[1]:11.2f}   {texts[each.argmin()]}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--splits", type=int, default=10)
    given = parser.parse_args()
    sets = given.sets or ["ionosphere", "german.numer_scale", "splice", "sonar", "australian", "diabetes", "heart_scale", "wdbc"]
    try:
        import cvxopt  # noqa: F401

        beside_cvxopt(sets[:4], given.rows)
    except ImportError:
        print("cvxopt is not installed (Debian: python3-cvxopt): without it", flush=True)
    beside_each_alone(sets, 2 * given.rows, given.splits)
