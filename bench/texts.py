#!/usr/bin/env python3
"""Texts: tf-idf and Gram matrix against scikit-learn in one run, and accuracy on the same folds.

PYTHONPATH=build/python bench/texts.py [--rows N] [--folds K] [--only speed|accuracy]
Data: 20newsgroups, reuters_R8, sms_spam and mushrooms in shared/data/structured beside the repository, or MERCER_STRUCTURED.
"""
import argparse
import lzma
import os
import pathlib
import time

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import linear_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

import mercer

FOLDER = pathlib.Path(os.environ.get("MERCER_STRUCTURED", pathlib.Path(__file__).resolve().parents[2] / "shared/data/structured"))


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


def accuracy(folds):
    for name in ("sms_spam.tsv.xz", "reuters_R8.tsv.xz", "20newsgroups.tsv.xz"):
        X, y = texts(name)
        if X is None:
            continue
        X = np.array(X, dtype=object)
        right = np.zeros(2)
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
            for which, (features, machine) in enumerate([(mercer.TextFeatures(), mercer.LinearSVC()), (TfidfVectorizer(), LinearSVC())]):
                fitted = machine.fit(features.fit_transform(list(X[train])), y[train])
                right[which] += (fitted.predict(features.transform(list(X[test]))) == y[test]).sum()
        ours, theirs = 100 * right / len(y)
        print(f"{name}, {folds} folds: mercer {ours:.2f} %, scikit-learn {theirs:.2f} %, difference {ours - theirs:+.2f}")
    rows = lines("mushrooms_sets.txt.xz")
    if rows is not None:
        X, y = [frozenset(row[1].split()) for row in rows], np.array([row[0] for row in rows])
        right = 0
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
            fitted = mercer.SVC(kernel="jaccard()", C=10).fit([X[i] for i in train], y[train])
            right += (fitted.predict([X[i] for i in test]) == y[test]).sum()
        print(f"mushrooms, Jaccard, {folds} folds: {100 * right / len(y):.2f} %")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", choices=["speed", "accuracy"])
    given = parser.parse_args()
    if given.only != "accuracy":
        speed(given.rows)
    if given.only != "speed":
        accuracy(given.folds)
