#!/usr/bin/python3
"""k nearest neighbours, kernel k-means and kernel PCA beside scikit-learn and kernlab, in one run on the same arrays.

methods_cluster.py BUILD [--data FOLDER] [--repeats N] [--quick] [--only knn,kmeans,kpca] [--limit SECONDS] [--large]

FOLDER holds mnist.svm.xz and mnist.t.svm.xz (the kNN case; random data stand in where it is absent). Every program is timed inside its own
process, reading not counted; the figure is the least of N. Prints one line of JSON a case, with what was checked of both answers.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier

parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--data")
parser.add_argument("--repeats", type=int, default=3)
parser.add_argument("--quick", action="store_true")
parser.add_argument("--only", default="knn,kmeans,kpca")
parser.add_argument("--limit", type=float, default=900, help="seconds after which kernlab is stopped")
parser.add_argument("--large", action="store_true", help="also n = 50,000 within 4 GB, Mercer alone")
options = parser.parse_args()
PROGRAM = str(pathlib.Path(options.build) / "bench" / "methods_cluster")
FOLDER = pathlib.Path(tempfile.mkdtemp())


def best(body):
    least, result = 1e300, None
    for _ in range(options.repeats):
        start = time.perf_counter()
        result = body()
        least = min(least, time.perf_counter() - start)
    return least, result


def saved(name, array):
    path = FOLDER / (name + ".npy")
    np.save(path, array)
    return str(path)


def mercer(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def say(**line):
    print(json.dumps({k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in line.items()}), flush=True)


def blobs(n, d, centres, seed, spread=1.0):
    random = np.random.default_rng(seed)
    middle = random.normal(size=(centres, d)) * 2
    return (middle[random.integers(centres, size=n)] + spread * random.normal(size=(n, d))).astype(np.float32)


def knn():
    path = options.data and pathlib.Path(options.data) / "mnist.svm.xz"
    if path and path.exists():
        import lzma

        from sklearn.datasets import load_svmlight_file

        def load(name):
            with lzma.open(path.with_name(name)) as file:
                x, y = load_svmlight_file(file, n_features=784)
            return np.asarray(x.todense(), dtype=np.float32) / np.float32(255), y

        x, y = load("mnist.svm.xz")
        z, truth = load("mnist.t.svm.xz")
        case = "mnist"
    else:
        say(case="knn mnist", skipped="no mnist.svm.xz: give its folder as --data; random data instead")
        n = 5000 if options.quick else 60000
        x = blobs(n + n // 6, 784, 10, 0, 8.0)
        y = np.random.default_rng(1).integers(10, size=len(x)).astype(float)
        x, z, y, truth = x[:n], x[n:], y[:n], y[n:]
        case = "random"
    if options.quick:
        x, y, z, truth = x[:10000], y[:10000], z[:2000], truth[:2000]
    files = saved("x", x), saved("y", y.reshape(-1, 1)), saved("z", z)
    theirs = KNeighborsClassifier(5, algorithm="brute", n_jobs=-1).fit(x, y)
    their_time, their_labels = best(lambda: theirs.predict(z))
    for kernel in ("linear()", "rbf(gamma=0.02)"):
        got = mercer("knn", *files, 5, kernel, options.repeats, FOLDER / "out")
        labels = np.fromfile(FOLDER / "out")
        say(case=f"knn {case} {len(x)} x {x.shape[1]}, {len(z)} queries, k=5, {kernel}", mercer=got["predict"], scikit_learn=their_time,
            ratio=their_time / got["predict"], different_labels=int((labels != their_labels).sum()), accuracy=float((labels == truth).mean()),
            their_accuracy=float((their_labels == truth).mean()), again=got["again"], peak_mb=got["peak_mb"])


def objective(K, labels, k):
    total = np.trace(K)
    for c in range(k):
        members = np.flatnonzero(labels == c)
        if len(members):
            total -= K[np.ix_(members, members)].sum() / len(members)
    return float(total)


KKMEANS = """
suppressMessages(library(kernlab)); a <- commandArgs(TRUE)
x <- matrix(readBin(a[1], "double", as.numeric(a[2]) * as.numeric(a[3])), ncol = as.numeric(a[3]), byrow = TRUE)
set.seed(1); t <- proc.time()[3]
l <- tryCatch(kkmeans(x, centers = as.numeric(a[4]), kernel = "rbfdot", kpar = list(sigma = as.numeric(a[5])))@.Data, error = function(e) {message(e); NULL})
cat(proc.time()[3] - t, "\\n"); if (!is.null(l)) writeBin(as.integer(l), a[6])
"""


def kmeans():
    for n, k in ((2000, 10),) if options.quick else ((2000, 10), (10000, 10)):
        d, gamma = 16, 0.02
        x = blobs(n, d, k, 3, 2.0)
        got = mercer("kmeans", saved("x", x), k, f"rbf(gamma={gamma})", options.repeats, 1024, FOLDER / "out")
        ours = np.fromfile(FOLDER / "out", dtype=np.int64)
        K = rbf_kernel(x.astype(float), gamma=gamma)
        line = dict(case=f"kernel k-means n={n} d={d} k={k}, rbf, one run", mercer=got["fit"], objective=got["objective"], checked=objective(K, ours, k), said=got["last"],
                    rounds=got["rounds"], peak_mb=got["peak_mb"])
        (FOLDER / "k.R").write_text(KKMEANS)
        x.astype(float).tofile(FOLDER / "x.raw")
        (FOLDER / "l.raw").unlink(missing_ok=True)
        try:
            done = subprocess.run(["Rscript", FOLDER / "k.R", FOLDER / "x.raw", str(n), str(d), str(k), str(gamma), FOLDER / "l.raw"], capture_output=True, text=True, timeout=options.limit)
            line["kernlab"] = float(done.stdout.split()[-1])
            line["ratio"] = line["kernlab"] / got["fit"]
            if (FOLDER / "l.raw").exists():
                line["kernlab_objective"] = objective(K, np.fromfile(FOLDER / "l.raw", dtype=np.int32) - 1, k)
            else:
                line["kernlab_failed"] = done.stderr.strip()[-200:]
        except subprocess.TimeoutExpired:
            line["kernlab_stopped_after"] = options.limit
            line["ratio_at_least"] = options.limit / got["fit"]
        except (IndexError, ValueError):
            line["kernlab_failed"] = done.stderr.strip()[-200:]
        say(**line)
    if options.large:
        x = blobs(50000, 16, 10, 3, 2.0)
        got = mercer("kmeans", saved("x", x), 10, "rbf(gamma=0.02)", 1, 4096, FOLDER / "out")
        say(case="kernel k-means n=50000 d=16 k=10 within 4096 MB", mercer=got["fit"], objective=got["objective"], rounds=got["rounds"], status=got["status"], peak_mb=got["peak_mb"])


def residual(K, values, vectors):
    return float(np.linalg.norm(K @ vectors - vectors * values, axis=0).max() / values[0])


def kpca():
    n, d, p = (2000 if options.quick else 8000), 64, 20
    gamma = 0.25 / d
    x = blobs(n, d, 30, 5, 1.5)
    got = mercer("kpca", saved("x", x), p, f"rbf(gamma={gamma})", options.repeats, 2048, FOLDER / "out")
    raw = np.fromfile(FOLDER / "out")
    K = rbf_kernel(x.astype(float), gamma=gamma)
    K = K - K.mean(0) - K.mean(1)[:, None] + K.mean()
    line = dict(case=f"kernel PCA n={n} d={d}, {p} components, rbf", mercer=got["fit"], passes=got["passes"], residual=residual(K, raw[:p], raw[p:].reshape(p, n).T), peak_mb=got["peak_mb"])
    for solver in ("arpack", "randomized"):
        model = KernelPCA(p, kernel="rbf", gamma=gamma, eigen_solver=solver, random_state=0)
        seconds, _ = best(lambda: model.fit(x.astype(float)))
        line[solver] = seconds
        line[solver + "_residual"] = residual(K, model.eigenvalues_, model.eigenvectors_)
        line[solver + "_ratio"] = seconds / got["fit"]
    say(**line)
    if options.large:
        x = blobs(50000, d, 30, 5, 1.5)
        got = mercer("kpca", saved("x", x), p, f"rbf(gamma={gamma})", 1, 4096, FOLDER / "out")
        say(case=f"kernel PCA n=50000 d={d}, {p} components within 4096 MB", mercer=got["fit"], passes=got["passes"], status=got["status"], residual=got["residual"], peak_mb=got["peak_mb"])


for name in options.only.split(","):
    {"knn": knn, "kmeans": kmeans, "kpca": kpca}[name]()
