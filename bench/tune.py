#!/usr/bin/python3
"""mercer.tune beside scikit-learn's GridSearchCV on the same grid of 10 × 10 and the same five folds: seconds, processor seconds (the ones
to compare on a machine at other work), and the error on a held-out third.

bench/tune.py [--rows N] [SET ...]      sets of ../shared/data/classification and regression, by default six and six: SVC and its
                                        error in %, SVR of standardised targets and its RMSE; PYTHONPATH=build/python
bench/tune.py ridge [SET ...]           KernelRidge instead of SVR
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
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold, PredefinedSplit, StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import mercer

DATA = Path(os.environ.get("MERCER_BENCH_DATA", Path(__file__).resolve().parents[2] / "shared/data"))
CLASSES = ["magic04", "satimage", "segment", "phoneme", "spambase", "vehicle"]
VALUES = ["abalone", "airfoil", "concrete", "cpusmall", "housing", "kin8nm"]


def load(name, rows):
    path = next((p for kind in ("classification", "regression") if (p := DATA / kind / f"{name}.svm.xz").exists()), None)
    if path is None:
        sys.exit(f"bench/tune.py: skipped, there is no {name}.svm.xz in {DATA}")
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


def parts(X, y, classes):
    """The number of the fold of each example."""
    fold = np.zeros(len(y), dtype=int)
    for i, (_, held_out) in enumerate((StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=0).split(X, y)):
        fold[held_out] = i
    return fold


def processor_seconds():
    """Of this process and its children, those of joblib that wait for more work among them."""
    parent, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parent[int(stat.parent.name)], used[int(stat.parent.name)] = int(words[1]), sum(map(int, words[11:15]))
    mine = {os.getpid()}
    while more := {p for p, above in parent.items() if above in mine} - mine:
        mine |= more
    return sum(used[p] for p in mine) / os.sysconf("SC_CLK_TCK")


def beside(names, rows, ridge):
    print(f"{'set':20}{'rows':>6}{'ours, s':>10}{'theirs, s':>11}{'ratio':>8}{'ours, cpu s':>13}{'theirs':>9}{'ratio':>8}{'ours':>9}{'theirs':>10}")
    for name in names:
        X, y = load(name, rows)
        classes = len(np.unique(y)) <= 26 and not (DATA / "regression" / f"{name}.svm.xz").exists()
        X, Z, y, w = train_test_split(X, y, test_size=1 / 3, random_state=1, stratify=y if classes else None)
        scaler = StandardScaler().fit(X)
        X, Z = scaler.transform(X), scaler.transform(Z)
        if not classes:
            y, w = (y - y.mean()) / y.std(), (w - y.mean()) / y.std()
        ours, theirs, number = (mercer.SVC(), SVC(), "C") if classes else (mercer.KernelRidge(kernel="rbf"), KernelRidge(kernel="rbf"), "alpha") if ridge else (mercer.SVR(), SVR(), "C")
        fold = parts(X, y, classes)
        before = processor_seconds()
        found = mercer.tune(ours, X, y, groups=fold)
        values = {each: sorted({trial["at"][each] for trial in found.trials}) for each in ("gamma", number)}
        start, middle = time.perf_counter(), processor_seconds()
        grid = GridSearchCV(theirs, values, cv=PredefinedSplit(fold), n_jobs=2, scoring=None if classes else "neg_root_mean_squared_error").fit(X, y)
        seconds = time.perf_counter() - start
        cpu = (middle - before, processor_seconds() - middle)
        if classes:
            errors = [100 * (1 - each.score(Z, w)) for each in (found.estimator, grid.best_estimator_)]
        else:
            errors = [np.sqrt(np.mean((each.predict(Z) - w) ** 2)) for each in (found.estimator, grid.best_estimator_)]
        unit = " %" if classes else "  "
        print(f"{name:20}{len(y):6}{found.seconds:10.2f}{seconds:11.1f}{seconds / found.seconds:8.1f}{cpu[0]:13.2f}{cpu[1]:9.1f}{cpu[1] / max(cpu[0], 0.01):8.1f}{errors[0]:9.4g}{unit}{errors[1]:8.4g}{unit}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--rows", type=int, default=1500)
    given = parser.parse_args()
    if given.sets == ["grid"]:
        grid()
    else:
        ridge = given.sets[:1] == ["ridge"]
        beside(given.sets[ridge:] or (VALUES if ridge else CLASSES + VALUES), given.rows, ridge)
