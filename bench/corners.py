#!/usr/bin/python3
"""Corners where a peer was once as quick or quicker: our svm-train beside Debian's, the Python package beside scikit-learn.

    bench/corners.py [--data DIR] [--only TEXT] [--repeats N] [--limit SECONDS] [--cpu] [--json FILE]

Programs: whole processes. Python: one process, the same call. Sides in turn, best of the repeats; a ratio below 1 means that the peer is quicker. Every
row is checked: the dual objective from both model files in double (bench/raw.py), or eigenvalues, labels and decisions computed by numpy. What is worse
than the peer's does not count. A set that is not in DIR is skipped with a word; "made" data have the shape of sets that are not there.
"""

import argparse
import json
import math
import sys
import tempfile
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "build" / "python"))

import numpy as np
import scipy.sparse
import sklearn.decomposition
import sklearn.svm

import mercer
import raw


class absent(Exception):
    pass


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def best(sides, repeats, limit, clock):
    """The least seconds of each side, and what it gave last. Quick work is repeated within a turn."""
    least, gave = [math.inf] * len(sides), [None] * len(sides)
    for r in range(repeats):
        for side, work in enumerate(sides):
            if r and least[side] > limit / repeats:
                continue
            turns = 1 if least[side] > 0.02 else min(50, max(1, int(0.05 / least[side])))
            for _ in range(turns):
                start = clock()
                gave[side] = work()
                least[side] = min(least[side], clock() - start)
    return least, gave


class sets:
    def __init__(self, folder):
        self.folder, self.kept = folder, {}

    def packed(self, name):
        for kind in ("classification", "regression"):
            if (file := self.folder / kind / f"{name}.svm.xz").exists():
                return file
        raise absent(f"{name} is not in {self.folder}")

    def dense(self, name, scaled=False):
        if (name, scaled) not in self.kept:
            x, y = raw.read(self.packed(name))
            x = x.toarray()
            if scaled:
                x = (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1)
            self.kept[name, scaled] = x, y
        return self.kept[name, scaled]


# --- programs

# name: (set, regression, scaled, rows, flags)
PROGRAMS = {
    "svmguide1 -e 1e-5 -c 100 -g 1": ("svmguide1", False, False, None, {"C": 100, "gamma": 1, "tol": 1e-5}),
    "svmguide1 defaults": ("svmguide1", False, False, None, {"C": 1, "gamma": 0.25}),
    "svmguide1 scaled -e 1e-5 -c 100 -g 1": ("svmguide1", False, True, None, {"C": 100, "gamma": 1, "tol": 1e-5}),
    "housing -s 3 -e 1e-8": ("housing", True, False, None, {"C": 1, "gamma": 1 / 13, "tol": 1e-8}),
    "housing scaled -s 3 -e 1e-8": ("housing", True, True, None, {"C": 1, "gamma": 1 / 13, "tol": 1e-8}),
    "covtype 3000 -c 100 -g 1e-3": ("covtype.20k", False, False, 3000, {"C": 100, "gamma": 1e-3}),
    "covtype 3000 scaled -c 100 -g 1e-3": ("covtype.20k", False, True, 3000, {"C": 100, "gamma": 1e-3}),
    "spambase defaults": ("spambase", False, False, None, {"C": 1, "gamma": 1 / 57}),
    "spambase scaled -c 100 -g 0.1": ("spambase", False, True, None, {"C": 100, "gamma": 0.1}),
    "iris -s 2 -n 0.1": ("iris", False, False, None, {"nu": 0.1, "gamma": 0.25}),
    "heart_scale -s 2 -n 0.1": ("heart_scale", False, False, None, {"nu": 0.1, "gamma": 1 / 13}),
    "housing scaled -s 2 -n 0.1": ("housing", True, True, None, {"nu": 0.1, "gamma": 1 / 13}),
    "diabetes scaled -s 2 -n 0.5": ("diabetes", False, True, None, {"nu": 0.5, "gamma": 1 / 8}),
    "texture (made: 5500 x 40, 11 classes)": ("texture", False, False, None, {"C": 1, "gamma": 1 / 40}),
    "arcene (made: 100 x 10000)": ("arcene", False, False, None, {"C": 1, "gamma": 1e-9}),
}


def made(name):
    """Sets of a known shape: eleven classes that lie apart; few rows of many whole numbers."""
    random = np.random.default_rng(7)
    if name == "texture":
        y = np.arange(5500) % 11 + 1
        return random.normal(size=(11, 40))[y - 1] * 1.2 + random.normal(size=(5500, 40)) @ random.normal(size=(40, 40)) * 0.1, y.astype(float)
    x = np.where(random.random((100, 10000)) < 0.54, np.floor(random.gamma(1.2, 90, (100, 10000))), 0.0)
    y = np.where(np.arange(100) % 9 < 4, 1.0, -1.0)
    x[y > 0] *= 1 + 0.1 * (np.arange(10000) % 50 == 0)
    return np.minimum(x, 999), y


def program(name, data, options):
    set_name, regression, scaled, rows, flags = PROGRAMS[name]
    with tempfile.TemporaryDirectory() as folder:
        try:
            x, y = raw.read(data.packed(set_name))
        except absent:
            if "made" not in name:
                raise
            x, y = made(set_name)
            x = scipy.sparse.csr_matrix(x)
        p = raw.problem(x, y, regression, scaled, rows, Path(folder))
        task = "one_class" if "nu" in flags else "epsilon_svr" if regression else "c_svc"
        case = {"task": task, **{name: float(flags[name]) for name in ("C", "nu", "gamma") if name in flags}}
        more = ["-e", repr(flags["tol"])] if "tol" in flags else []
        row = raw.run(p, case, argparse.Namespace(kernel="rbf", memory="100", repeats=options.repeats, limit=options.limit, cpu=options.cpu), more)
    # Two results that both reached the tolerance may differ by the tolerance.
    good = row["ours_status"] == "converged" and row.get("worse", 0) <= raw.WORSE
    unit = "_cpu" if options.cpu else ""
    return row["ours" + unit], row["libsvm" + unit], good, f"objective {row.get('worse', math.nan):+.1e}, {row['ours_status']}"


# --- the Python package


def kernel_pca(x, gamma, components):
    sides = [lambda kind=kind: kind(n_components=components, kernel="rbf", gamma=gamma).fit(x) for kind in (mercer.KernelPCA, sklearn.decomposition.KernelPCA)]

    def check(ours, theirs):
        apart = np.max(np.abs(ours.eigenvalues_ - theirs.eigenvalues_)) / theirs.eigenvalues_[0]
        return apart < 1e-8, f"eigenvalues differ by {apart:.1e}"

    return sides, check


def linear_predict(x, y):
    some = slice(None, None, max(1, x.shape[0] // 5000))
    ours, theirs = (kind(max_iter=20).fit(x[some], y[some]) for kind in (mercer.LinearSVC, sklearn.svm.LinearSVC))

    def check(labels, _):
        f = x @ ours.coef_.T + ours.intercept_
        near = np.sort(f, axis=1)[:, -1] - np.sort(f, axis=1)[:, -2] if f.shape[1] > 1 else np.abs(f[:, 0])
        said = ours.classes_[f.argmax(1) if f.shape[1] > 1 else (f[:, 0] > 0).astype(int)]
        wrong = int(((said != labels) & (near > 1e-9 * np.abs(f).max())).sum())
        return wrong == 0, f"{wrong} labels differ from numpy's"

    return [lambda: ours.predict(x), lambda: theirs.predict(x)], check


def one_class(x, nu, gamma):
    def check(ours, theirs):
        value = []
        for m in (ours, theirs):
            s = x[m.support_]
            d = ((s[:, None] - s[None]) ** 2).sum(2) if len(s) < 600 else (s * s).sum(1)[:, None] + (s * s).sum(1) - 2 * s @ s.T
            value.append(m.dual_coef_[0] @ np.exp(-gamma * d) @ m.dual_coef_[0] / 2)
        worse = (value[0] - value[1]) / value[1]
        return worse <= raw.WORSE, f"objective {worse:+.1e}"

    return [lambda kind=kind: kind(nu=nu, gamma=gamma).fit(x) for kind in (mercer.OneClassSVM, sklearn.svm.OneClassSVM)], check


def classifier(x, y, C, gamma):
    def check(ours, theirs):
        same = np.mean(ours.predict(x) == theirs.predict(x))
        return same > 0.998, f"same labels {100 * same:.2f} %, {ours.status_}"

    return [lambda kind=kind: kind(C=C, gamma=gamma).fit(x, y) for kind in (mercer.SVC, sklearn.svm.SVC)], check


def python_cases(data):
    scaled = lambda name: data.dense(name, True)
    yield "KernelPCA 4 components, n = 756", lambda: kernel_pca(scaled("diabetes")[0][:756], 0.1, 4)
    yield "KernelPCA 4 components, n = 351", lambda: kernel_pca(scaled("ionosphere")[0], 0.02, 4)
    yield "KernelPCA 10 components, n = 1503", lambda: kernel_pca(scaled("airfoil")[0], 0.2, 10)
    yield "KernelPCA 2 components, n = 178", lambda: kernel_pca(scaled("wine")[0], 0.1, 2)
    yield "LinearSVC.predict iris 150 x 4", lambda: linear_predict(*data.dense("iris"))
    yield "LinearSVC.predict wdbc 569 x 30", lambda: linear_predict(*scaled("wdbc"))
    yield "LinearSVC.predict digits 1797 x 64", lambda: linear_predict(*data.dense("digits"))
    yield "LinearSVC.predict magic04 19020 x 10", lambda: linear_predict(*scaled("magic04"))
    yield "LinearSVC.predict a9a 32561 x 123 sparse", lambda: linear_predict(*raw.read(data.packed("a9a")))
    yield "LinearSVC.predict made 200000 x 50", lambda: linear_predict(np.random.default_rng(1).normal(size=(200000, 50)), np.arange(200000) % 3)
    for name in ("iris", "wine", "heart_scale", "housing", "breast-cancer", "diabetes"):
        yield f"OneClassSVM nu = 0.1 {name}", lambda name=name: one_class(scaled(name)[0], 0.1, 0.1)
    yield "SVC texture (made: 5500 x 40, 11 classes)", lambda: classifier(*made("texture"), 1.0, 1 / 40)
    yield "SVC arcene (made: 100 x 10000)", lambda: classifier(*made("arcene"), 1.0, 1e-9)
    yield "SVC spambase", lambda: classifier(*scaled("spambase"), 1.0, 1 / 57)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parse.add_argument("--only", default="", help="corners whose name holds this text")
    parse.add_argument("--repeats", type=int, default=5)
    parse.add_argument("--limit", type=float, default=60, help="seconds a program may take")
    parse.add_argument("--cpu", action="store_true", help="processor time: for a machine at work")
    parse.add_argument("--json", type=Path)
    options = parse.parse_args()
    warnings.simplefilter("ignore")  # the models only serve to time predictions and need not converge
    data, rows = sets(options.data), []

    def compared(make):
        sides, check = make()
        least, gave = best(sides, options.repeats, options.limit, time.process_time if options.cpu else time.perf_counter)
        return *least, *check(*gave)

    corners = [(f"svm-train {name}", lambda name=name: program(name, data, options)) for name in PROGRAMS]
    corners += [(name, lambda make=make: compared(make)) for name, make in python_cases(data)]
    print("| corner | ours ms | peer ms | × | check |\n|---|---|---|---|---|")
    for name, work in corners:
        if options.only not in name:
            continue
        try:
            ours, theirs, good, words = work()
        except absent as why:
            say(f"{name}: {why}, skipped")
            continue
        rows.append({"corner": name, "ours": ours, "peer": theirs, "ratio": theirs / ours, "good": bool(good), "check": words})
        print(f"| {name} | {1e3 * ours:.3f} | {1e3 * theirs:.3f} | {theirs / ours:.2f} | {words} |" + ("" if good else " does not count"), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if rows:
        ratios = [r["ratio"] for r in rows]
        print(f"\n{len(rows)} corners, geometric mean × {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, {sum(r < 1 for r in ratios)} slower than the peer")


if __name__ == "__main__":
    main()
