#!/usr/bin/python3
"""mercer.tune beside scikit-learn's GridSearchCV on the same grid of 10 × 10 and the same number of folds: seconds, and the error on a held-out third.

bench/tune.py [--rows N] [SET ...]      sets of ../shared/data/classification; PYTHONPATH=build/python
bench/tune.py grid                      the whole grid on 4,000 rows of cod-rna, ijcnn1 and phishing, ours alone
"""

import argparse
import lzma
import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mercer

DATA = Path(os.environ.get("MERCER_BENCH_DATA", Path(__file__).resolve().parents[2] / "shared/data")) / "classification"


def load(name, rows):
    path = DATA / f"{name}.svm.xz"
    if not path.exists():
        sys.exit(f"bench/tune.py: skipped, there is no {path}")
    with lzma.open(path) as file:
        X, y = load_svmlight_file(file)
    keep = np.random.RandomState(0).permutation(X.shape[0])[:rows]
    return X[keep].toarray(), y[keep]


def grid():
    for name in ("cod-rna.30k", "ijcnn1.val", "phishing"):
        X, y = load(name, 4000)
        X = StandardScaler().fit_transform(X)
        best = min((mercer.tune(mercer.SVC(), X, y) for _ in range(3)), key=lambda found: found.seconds)
        print(f"{name:14} {X.shape[0]} × {X.shape[1]}: {best.seconds:6.2f} s, {100 * best.best_score:.2f} % by 5 folds, {best.best_params}")


def beside(names, rows):
    print(f"{'set':20}{'rows':>6}{'ours, s':>10}{'theirs, s':>11}{'ratio':>8}{'ours, %':>9}{'theirs, %':>10}")
    for name in names:
        X, y = load(name, rows)
        X, Z, y, w = train_test_split(X, y, test_size=1 / 3, random_state=1, stratify=y)
        scaler = StandardScaler().fit(X)
        X, Z = scaler.transform(X), scaler.transform(Z)
        found = mercer.tune(mercer.SVC(), X, y)
        values = {name: sorted({trial["at"][name] for trial in found.trials}) for name in ("gamma", "C")}
        start = time.perf_counter()
        theirs = GridSearchCV(SVC(), values, cv=5, n_jobs=2).fit(X, y)
        seconds = time.perf_counter() - start
        ours, other = (100 * (1 - each.score(Z, w)) for each in (found.estimator, theirs))
        print(f"{name:20}{len(y):6}{found.seconds:10.2f}{seconds:11.1f}{seconds / found.seconds:8.1f}{ours:9.2f}{other:10.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--rows", type=int, default=1500)
    given = parser.parse_args()
    if given.sets == ["grid"]:
        grid()
    else:
        beside(given.sets or ["magic04", "satimage", "segment", "phoneme", "spambase", "vehicle"], given.rows)
