#!/usr/bin/python3
"""Dual coordinate descent beside Debian's liblinear-train and scikit-learn's LinearSVC and SGDClassifier: same data, C, stopping rule, -B 1.

    bench/linear.py [--data DIR] [--sets a9a,w8a] [--repeats N] [--no-sgd]

Whole-process times (reading included) against liblinear-train, in-process fit times against LinearSVC, which is LIBLINEAR without the file.
SGDClassifier runs until its objective is within 1 % of ours, for at most 50 epochs. Objectives are summed over the classes and taken here from w.
"""

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")
import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parent.parent
# file, true if rows are scaled to unit length
SETS = {"a9a": ("a9a", False), "w8a": ("w8a", False), "20news": ("20news_counts", True), "sector": ("sector", True)}


def prepare(folder, source, name):
    file, unit = SETS[name]
    packed = source / f"{file}.svm.xz"
    if not packed.exists():
        return None
    to = folder / f"{name}.svm"
    to.write_bytes(lzma.open(packed).read())
    if unit:
        x, y = load_svmlight_file(str(to))
        dump_svmlight_file(normalize(x), y, str(to), zero_based=False)
    return to


def objective(W, x, y, labels, C, squared):
    """½‖w‖² (its last coordinate, of the constant 1, included) + CΣ loss, summed over the problems."""
    total = 0.0
    for w, label in zip(W, labels):
        loss = np.maximum(0, 1 - np.where(y == label, 1.0, -1.0) * (x @ w[:-1] + w[-1]))
        total += 0.5 * w @ w + C * (loss**2 if squared else loss).sum()
    return float(total)


def read_liblinear(path):
    lines = path.read_text().splitlines()
    head = {line.split()[0]: line.split()[1:] for line in lines[: lines.index("w")]}
    W = np.array([[float(v) for v in line.split()] for line in lines[lines.index("w") + 1 :]]).T
    return W, [float(v) for v in head["label"]]


def best_time(call, repeats):
    best = None
    for _ in range(repeats):
        start = time.perf_counter()
        got = call()
        took = time.perf_counter() - start
        best = took if best is None else min(best, took)
    return best, got


def sgd(x, y, C, squared, goal):
    """Seconds and epochs until the objective is within 1 % of the goal; None when it never is."""
    n, classes = len(y), np.unique(y)
    model = SGDClassifier(loss="squared_hinge" if squared else "hinge", alpha=1 / (n * C), average=True, random_state=1)
    spent = 0.0
    for epoch in range(1, 51):
        start = time.perf_counter()
        model.partial_fit(x, y, classes=classes)
        spent += time.perf_counter() - start
        labels = classes if len(classes) > 2 else classes[1:]
        if objective(np.hstack([model.coef_, model.intercept_[:, None]]), x, y, labels, C, squared) <= 1.01 * goal:
            return spent, epoch
        if spent > 60:
            break
    return None, None


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "classification")
    parse.add_argument("--sets", default=",".join(SETS))
    parse.add_argument("--repeats", type=int, default=3)
    parse.add_argument("--no-sgd", dest="sgd", action="store_false")
    options = parse.parse_args()
    print("| set | loss | tol | ours, process s | liblinear-train s | × | ours, fit s | LinearSVC s | × | J, ours | J, liblinear | gap | SGD to 1 % s (epochs) |\n|" + "---|" * 13)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in options.sets.split(","):
            file = prepare(folder, options.data, name)
            if file is None:
                print(f"{name}: not in {options.data}, skipped", file=sys.stderr)
                continue
            x, y = load_svmlight_file(str(file))
            for loss, kind in (("l1", 3), ("l2", 1)):
                for tol in (0.1, 0.001):
                    C, squared = 1.0, loss == "l2"
                    ours = lambda repeats: subprocess.run([ROOT / "build/bench/linear", file, loss, str(C), str(tol), "1", str(repeats)], capture_output=True, text=True, check=True).stdout
                    theirs = lambda: subprocess.run(["liblinear-train", "-s", str(kind), "-c", str(C), "-e", str(tol), "-B", "1", "-q", file, folder / "model"], capture_output=True, check=True)
                    t_ours, _ = best_time(lambda: ours(1), options.repeats)
                    t_theirs, _ = best_time(theirs, options.repeats)
                    inside = json.loads(ours(options.repeats))
                    W, labels = read_liblinear(folder / "model")
                    J = objective(W, x, y, labels[: len(W)], C, squared)
                    svc = LinearSVC(C=C, loss="squared_hinge" if squared else "hinge", tol=tol, dual=True, max_iter=1000, random_state=1)
                    t_svc, _ = best_time(lambda: svc.fit(x, y), options.repeats)
                    s, epochs = sgd(x, y, C, squared, inside["primal"]) if options.sgd and tol == 0.1 else (None, None)
                    print(f"| {name} | {loss} | {tol} | {t_ours:.3f} | {t_theirs:.3f} | {t_theirs / t_ours:.2f} | {inside['fit']:.3f} | {t_svc:.3f} | {t_svc / inside['fit']:.2f} | "
                          f"{inside['primal']:.6g} | {J:.6g} | {inside['gap']:.1e} | {f'{s:.2f} ({epochs})' if s else '-'} |", flush=True)


if __name__ == "__main__":
    main()
