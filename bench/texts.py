#!/usr/bin/env python3
"""Texts: tf-idf and Gram matrix against scikit-learn in one run, and accuracy on the same folds, C chosen within each training part.

PYTHONPATH=build/python bench/texts.py [--rows N] [--folds K] [--only speed|accuracy] [--sets NAME...]
Data: 20newsgroups, reuters_R8, sms_spam and mushrooms in shared/data/structured beside the repository, or MERCER_STRUCTURED.
"""
import argparse
import lzma
import os
import pathlib
import sys
import time

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import linear_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

import mercer

FOLDER = pathlib.Path(os.environ.get("MERCER_STRUCTURED", pathlib.Path(__file__).resolve().parents[2] / "shared/data/structured"))
SETS = ("sms_spam", "reuters_R8", "20newsgroups", "mushrooms")
COSTS = (0.1, 1, 10)


def lines(name):
    path = FOLDER / name
    if not path.exists():
        print(f"{name}: not there, skipped")
        return None
    with lzma.open(path, "rt", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip()]


def texts(name):
    rows = lines(name)
    return (None, None) if rows is None else ([row[-1] for row in rows], np.array([row[0] for row in rows]))


def timed(work):
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin


def speed(rows):
    X, _ = texts("20newsgroups.tsv.xz")
    if X is None:
        return
    X = X[:: max(1, len(X) // rows)][:rows] if rows else X
    ours, t_ours = timed(lambda: mercer.TextFeatures().fit_transform(X))
    theirs, t_theirs = timed(lambda: TfidfVectorizer().fit_transform(X))
    print(f"tf-idf of {len(X)} texts, {ours.shape[1]} terms: mercer {t_ours:.2f} s, scikit-learn {t_theirs:.2f} s, {t_theirs / t_ours:.1f} x")
    same = ours.shape == theirs.shape and abs(ours - theirs).max()
    print(f"largest difference of the weights: {same}")
    K, k_ours = timed(lambda: mercer.kernels.Linear()(ours))
    L, k_theirs = timed(lambda: linear_kernel(theirs))
    print(f"Gram: mercer {k_ours:.2f} s, scikit-learn {k_theirs:.2f} s, {k_theirs / k_ours:.1f} x; largest difference {abs(K - L).max():.1e}")
    print(f"both: mercer {t_ours + k_ours:.2f} s, scikit-learn {t_theirs + k_theirs:.2f} s, {(t_theirs + k_theirs) / (t_ours + k_ours):.1f} x")
    return {"texts": len(X), "seconds": t_ours + k_ours, "theirs": t_theirs + k_theirs}


def right(machine, rows, y, train, test):
    return (machine.fit(rows[train], y[train]).predict(rows[test]) == y[test]).sum()


def chosen(machine, rows, y, seed):
    """C that does best on a held-out ninth of the training part; the smaller where several do."""
    train, test = next(StratifiedKFold(9, shuffle=True, random_state=seed).split(y, y))
    return max(COSTS, key=lambda C: right(machine(C), rows, y, train, test))


def accuracy(name, folds, ways):
    """Both on the same folds, in per cent of all texts: features of the training part, C chosen within it."""
    X, y = texts(name)
    if X is None:
        return
    X, found, took, settings = np.array(X, dtype=object), np.zeros((2, folds)), np.zeros(2), ([], [])
    makers = [(lambda: mercer.TextFeatures(**ways), lambda C: mercer.LinearSVC(C=C)), (lambda: TfidfVectorizer(**ways), lambda C: LinearSVC(C=C))]
    for fold, (train, test) in enumerate(StratifiedKFold(folds, shuffle=True, random_state=1).split(X, y)):
        for which, (features, machine) in enumerate(makers):
            begin, map_ = time.perf_counter(), features()
            rows = map_.fit_transform(list(X[train]))
            C = chosen(machine, rows, y[train], fold)
            fitted = machine(C).fit(rows, y[train])
            found[which, fold] = 100 * np.mean(fitted.predict(map_.transform(list(X[test]))) == y[test])
            took[which] += time.perf_counter() - begin
            settings[which].append(C)
        print(f"  {name}, fold {fold}: {found[0, fold]:.2f} and {found[1, fold]:.2f} %, C = {settings[0][-1]} and {settings[1][-1]}", file=sys.stderr, flush=True)
    (ours, theirs), spread = found.mean(axis=1), found.std(axis=1)
    print(
        f"{name}, {len(y)} texts, {folds} folds: mercer {ours:.2f} (± {spread[0]:.2f}) %, scikit-learn {theirs:.2f} (± {spread[1]:.2f}) %, "
        f"difference {ours - theirs:+.2f}; {took[0]:.0f} s and {took[1]:.0f} s",
        flush=True,
    )


def mushrooms():
    """Sets of 22 properties: kernel and C chosen on a held-out ninth of each training part."""
    import nested

    rows = lines("mushrooms_sets.txt.xz")
    if rows is None:
        return
    X, y = [frozenset(row[1].split()) for row in rows], np.array([row[0] for row in rows])
    kernels = ("jaccard()", "normalize(set_intersection())^3")
    grams = {k: mercer.kernels.parse(k)(X) for k in kernels}
    found = nested.accuracy(grams, y, inner=0)
    print(f"mushrooms, {len(y)} sets, 10 folds: {found['accuracy']:.2f} (± {found['deviation']:.2f}) %, chosen {found['chosen'][0]}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--only", choices=["speed", "accuracy"])
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--sublinear", action="store_true", help="tf-idf of 1 + ln(count)")
    given = parser.parse_args()
    if given.only != "accuracy":
        speed(given.rows)
    if given.only != "speed":
        for each in given.sets:
            if each == "mushrooms":
                mushrooms()
            else:
                accuracy(f"{each}.tsv.xz", given.folds, {"sublinear_tf": True} if given.sublinear else {})
