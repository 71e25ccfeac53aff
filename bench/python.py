#!/usr/bin/python3
"""What the Python package costs over the C++ library, and how it stands beside scikit-learn.

    bench/python.py [--data DIR] [--sets usps,letter] [--long] [--json FILE]

Overhead: SVC().fit() here less fit_svm() in build/bench/svm_fit, the same data and parameters, best of many; and, since two processes never
run at quite the same speed, the time fit() spends outside the library in one and the same call. Beside scikit-learn: the same
call of fit and predict in one process, best of a few, sides alternating; labels are compared.
"""

import argparse
import json
import lzma
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "build" / "python"))

import numpy as np
import sklearn.svm
from sklearn.datasets import load_svmlight_file

import mercer

# name: (file, test file or None, C, gamma, divide by, first rows or None)
SETS = {
    "iris": ("iris", None, 1, 0.25, 1, None),
    "heart": ("heart_scale", None, 1, 0.1, 1, None),
    "usps": ("usps", "usps.t", 10, 2**-7, 1, None),
    "letter": ("letter.scale", "letter.scale.t", 16, 2, 1, None),
    "phishing": ("phishing", None, 8, 0.05, 1, None),
    "ijcnn1": ("ijcnn1.val", None, 32, 2, 1, None),
    "a9a": ("a9a", "a9a.t", 1, 2**-5, 1, None),
}


def best(work, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def read(path):
    opened = lzma.open(path) if path.suffix == ".xz" else open(path, "rb")
    with opened as file:
        return load_svmlight_file(file)


def in_library(path, C, gamma, repeats):
    said = subprocess.run([ROOT / "build" / "bench" / "svm_fit", "0", path, str(C), str(gamma), "0.5", str(repeats)], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)["fit"]


def overhead(name, path, C, gamma, repeats):
    X, y = read(path)
    X = np.ascontiguousarray(X.toarray()) if X.nnz > 0.3 * X.shape[0] * X.shape[1] else X
    fit_in_library, inside = mercer._core.fit, []

    def timed(*given, **named):
        inside.append(-time.perf_counter())
        try:
            return fit_in_library(*given, **named)
        finally:
            inside[-1] += time.perf_counter()

    # In turn, so that disturbances by other processes affect both sides.
    library = ours = outside = 1e300
    mercer._core.fit = timed
    for _ in range(4):
        library = min(library, in_library(path, C, gamma, repeats))
        for _ in range(repeats):
            took = best(lambda: mercer.SVC(C=C, gamma=gamma, cache_size=4000).fit(X, y), 1)
            ours, outside = min(ours, took), min(outside, took - inside[-1])
    mercer._core.fit = fit_in_library
    theirs = best(lambda: sklearn.svm.SVC(C=C, gamma=gamma).fit(X, y), repeats) if name == "iris" else None
    print(f"{name:10} C++ {1e3 * library:10.3f} ms   Python {1e3 * ours:10.3f} ms   over {1e6 * (ours - library):8.0f} µs = {100 * (ours - library) / library:6.2f} %   outside the library {1e6 * outside:6.0f} µs = {100 * outside / ours:.2f} %" + (f"   scikit-learn {1e3 * theirs:.3f} ms" if theirs else ""), flush=True)
    return {"set": name, "library": library, "python": ours, "outside": outside, "sklearn": theirs}


def beside(name, folder):
    file, test, C, gamma, divide, rows = SETS[name]
    X, y = read(folder / f"{file}.svm.xz")
    X = X[:rows] / divide if rows else X / divide
    Z = read(folder / f"{test}.svm.xz")[0][:, : X.shape[1]] / divide if test else X
    if test and Z.shape[1] < X.shape[1]:
        Z.resize(Z.shape[0], X.shape[1])
    if X.nnz > 0.3 * X.shape[0] * X.shape[1]:
        X, Z = np.ascontiguousarray(X.toarray()), np.ascontiguousarray(Z.toarray())
    repeats = 3 if X.shape[0] > 1000 else 30
    models = [mercer.SVC(C=C, gamma=gamma, cache_size=4000), sklearn.svm.SVC(C=C, gamma=gamma, cache_size=4000)]
    fit, predict, labels = [1e300, 1e300], [1e300, 1e300], [None, None]
    for repeat in range(repeats):
        for side, model in enumerate(models):
            if side == 1 and repeat > 0 and fit[1] > 10:
                continue
            fit[side] = min(fit[side], best(lambda: model.fit(X, y), 1))
            if repeat == 0 or predict[side] < 2:
                predict[side] = min(predict[side], best(lambda: model.predict(Z), 1))
            labels[side] = model.predict(Z) if labels[side] is None else labels[side]
    same = float(np.mean(labels[0] == labels[1]))
    print(f"{name:10} fit {fit[0]:9.4f} s beside {fit[1]:9.4f} s ({fit[1] / fit[0]:5.1f} x)   predict {predict[0]:8.4f} s beside {predict[1]:8.4f} s ({predict[1] / predict[0]:5.1f} x)   same labels {100 * same:.3f} %", flush=True)
    return {"set": name, "fit": fit, "predict": predict, "same": same}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, help="folder of SET.svm.xz; without it only the overhead on the data of this repository")
    arguments.add_argument("--sets", default=",".join(SETS))
    arguments.add_argument("--long", action="store_true", help="the overhead on the whole of mnist too, a minute")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    results = {"overhead": [], "beside": []}
    results["overhead"].append(overhead("iris", ROOT / "data" / "iris.svm", 1, 0.25, 200))
    results["overhead"].append(overhead("heart", ROOT / "data" / "heart_scale.svm", 1, 0.1, 100))
    if options.data:
        results["overhead"].append(overhead("ijcnn1", options.data / "ijcnn1.val.svm.xz", 32, 2, 20))
        results["overhead"].append(overhead("a9a", options.data / "a9a.svm.xz", 1, 2**-5, 3))
        results["overhead"].append(overhead("covtype", options.data / "covtype.20k.svm.xz", 10, 1e-5, 1))
        if options.long:
            results["overhead"].append(overhead("mnist", options.data / "mnist.svm.xz", 10, 0.02 / 255**2, 1))
        for name in filter(None, options.sets.split(",")):
            results["beside"].append(beside(name, options.data))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
