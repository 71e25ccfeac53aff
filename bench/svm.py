#!/usr/bin/python3
"""Support vector machines beside Debian's svm-train/svm-predict and scikit-learn's SVC: same data, C, gamma, tol.

    bench/svm.py [--data DIR] [--sets a9a,usps] [--limit SECONDS] [--repeats N] [--json FILE] [--no-sklearn]

Whole-process times against the programs, in-process fit and predict times against scikit-learn, best of the repeats (fewer for
what takes long), sides alternating. A time counts only if our model is as good: from the saved model file the KKT gap is
recomputed here in double, over all points, and the dual objective of both models is compared.
"""

import argparse
import json
import lzma
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")
import numpy as np
from scipy.spatial import cKDTree
from sklearn.datasets import load_svmlight_file

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"

# name: (file, test file or None, C, gamma, scaling, first rows or None)
SETS = {
    "usps": ("usps", "usps.t", 10, 2**-7, None, None),
    "letter": ("letter.scale", "letter.scale.t", 16, 2, None, None),
    "satimage": ("satimage", "satimage.t", 16, 0.5, "01", None),
    "a9a": ("a9a", "a9a.t", 1, 2**-5, None, None),
    "ijcnn1": ("ijcnn1.val", None, 32, 2, None, None),
    "w8a": ("w8a", None, 8, 2**-4, None, None),
    "covtype": ("covtype.20k", None, 10, 1, "01", None),
    "cod-rna": ("cod-rna.30k", None, 32, 0.125, None, None),
    "phishing": ("phishing", None, 8, 0.05, None, None),
    "shuttle": ("shuttle", "shuttle.t", 32, 1, "01", None),
    "mnist-10k": ("mnist", "mnist.t", 10, 0.02, "255", 10000),
    "mnist": ("mnist", "mnist.t", 10, 0.02, "255", None),
    "skin": ("skin_nonskin", None, 10, 1, "01", None),
    "a9a-C1000": ("a9a", "a9a.t", 1000, 2**-5, None, None),
    "phishing-C1000": ("phishing", None, 1000, 0.05, None, None),
    "satimage-C1000": ("satimage", "satimage.t", 1000, 0.5, "01", None),
    "iris": ("iris", None, 1, 0.25, None, None),
    "wine": ("wine", None, 1, 0.1, "01", None),
    "sonar": ("sonar", None, 1, 0.1, None, None),
    "heart": ("heart_scale", None, 1, 0.1, None, None),
}
PREDICT_ROWS = 20000  # sets without a test part are predicted on their own examples, at most this many


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def prepare(folder, source, name, scaling, rows):
    """The set as plain text, scaled; returns its path, or None when the set is not there."""
    packed = source / f"{name}.svm.xz"
    if not packed.exists():
        return None
    to = folder / f"{name}.{scaling}.{rows}.svm"
    if to.exists():
        return to
    text = lzma.open(packed, "rt").read()
    if rows:
        text = "".join(text.splitlines(keepends=True)[:rows])
    if scaling == "255":
        lines = []
        for line in text.splitlines():
            label, *pairs = line.split()
            lines.append(" ".join([label] + [f"{i}:{float(v) / 255:.6g}" for i, v in (p.split(":") for p in pairs)]))
        text = "\n".join(lines) + "\n"
    to.write_text(text)
    if scaling == "01":
        ranges = folder / f"{name.removesuffix('.t')}.range"
        option = ["-r", ranges] if name.endswith(".t") else ["-l", "0", "-u", "1", "-s", ranges]
        scaled = subprocess.run(["/usr/bin/svm-scale", *map(str, option), str(to)], capture_output=True, text=True).stdout
        to.write_text(scaled)
    return to


def timed(command, limit):
    start = time.perf_counter()
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    took = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout} {done.stderr}")
    return took


def best(commands, repeats, limit):
    """Best time of each command, taken in turn; None for one that runs past the limit."""
    times = [None] * len(commands)
    for r in range(repeats):
        for i, command in enumerate(commands):
            if r and times[i] is None:
                continue
            if r and times[i] > 20:
                continue  # a long run is measured once: noise matters little
            took = timed(command, limit)
            if took is not None:
                times[i] = took if times[i] is None else min(times[i], took)
    return times


def read_model(path, dims):
    head, body = {}, []
    with open(path) as f:
        for line in f:
            if line.strip() == "SV":
                break
            key, *rest = line.split()
            head[key] = rest
        for line in f:
            body.append(line.split())
    k = int(head["nr_class"][0])
    coef = np.array([[float(c) for c in row[: k - 1]] for row in body])
    x = np.zeros((len(body), dims))
    for i, row in enumerate(body):
        for pair in row[k - 1 :]:
            at, value = pair.split(":")
            x[i, int(at) - 1] = float(value)
    return [float(v) for v in head["label"]], [int(v) for v in head["nr_sv"]], [float(v) for v in head["rho"]], coef, x


def owners(labels, starts, sv, x, y):
    """Which example each support vector is: equal rows in order, else the nearest one (LIBSVM writes eight digits)."""
    place = {}
    for i, row in enumerate(x):
        place.setdefault((y[i], row.tobytes()), []).append(i)
    owner = np.full(len(sv), -1)
    for c, label in enumerate(labels):
        for s in range(starts[c], starts[c + 1]):
            same = place.get((label, sv[s].tobytes()))
            if same:
                owner[s] = same.pop(0)
        left = np.flatnonzero(owner[starts[c] : starts[c + 1]] < 0) + starts[c]
        if len(left):
            mine = np.setdiff1d(np.flatnonzero(y == label), owner[owner >= 0])
            used = set()
            for s, near in zip(left, np.atleast_2d(cKDTree(x[mine]).query(sv[left], k=min(16, len(mine)))[1])):
                owner[s] = next(mine[i] for i in near if mine[i] not in used)
                used.add(owner[s])
    return owner


def truth(path, x, y, C, gamma):
    """Largest KKT gap and summed dual objective of a saved C-SVC model, in double over all points."""
    labels, counts, rho, coef, sv = read_model(path, x.shape[1])
    starts = np.concatenate([[0], np.cumsum(counts)])
    owner = owners(labels, starts, sv, x, y)
    sv = x[owner]
    norms, sv_norms = (x * x).sum(1), (sv * sv).sum(1)
    gap, objective, p = 0.0, 0.0, 0
    for a in range(len(labels)):
        for b in range(a + 1, len(labels)):
            rows = np.flatnonzero((y == labels[a]) | (y == labels[b]))
            sign = np.where(y[rows] == labels[a], 1.0, -1.0)
            s = np.r_[starts[a] : starts[a + 1], starts[b] : starts[b + 1]]
            weight = np.concatenate([coef[starts[a] : starts[a + 1], b - 1], coef[starts[b] : starts[b + 1], a]])
            alpha = np.zeros(len(x))
            alpha[owner[s]] = weight
            alpha = alpha[rows]
            f = np.zeros(len(rows))
            for r in range(0, len(rows), 2000):
                d = norms[rows[r : r + 2000], None] + sv_norms[None, s] - 2 * x[rows[r : r + 2000]] @ sv[s].T
                f[r : r + 2000] = np.exp(-gamma * np.maximum(d, 0)) @ weight
            F = sign - f
            upper, lower = np.where(sign > 0, C, 0.0), np.where(sign > 0, 0.0, -C)
            near = 1e-12 * C
            up, low = F[alpha < upper - near], F[alpha > lower + near]
            if len(up) and len(low):
                gap = max(gap, up.max() - low.min())
            objective += 0.5 * alpha @ f - np.abs(alpha).sum()
            p += 1
    return float(gap), float(objective)


def sklearn_times(train, test, C, gamma, limit, repeats):
    """fit and predict seconds of scikit-learn's SVC, in a process of its own so that a limit can end it."""
    code = f"""
import sys, time, json, numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC
x, y = load_svmlight_file({str(train)!r})
z, _ = load_svmlight_file({str(test)!r}, n_features=x.shape[1])
if x.nnz > 0.3 * x.shape[0] * x.shape[1]: x, z = x.toarray(), z.toarray()
fit = guess = 1e300
for r in range({repeats}):
    start = time.perf_counter(); m = SVC(C={C}, gamma={gamma}, tol=1e-3, cache_size=4000).fit(x, y); fit = min(fit, time.perf_counter() - start)
    if fit > 10: break
for r in range({repeats}):
    start = time.perf_counter(); m.predict(z); guess = min(guess, time.perf_counter() - start)
    if guess > 5: break
print(json.dumps([fit, guess]))
"""
    try:
        return json.loads(subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, timeout=limit).stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None, None


def run(name, folder, source, options):
    file, test, C, gamma, scaling, rows = SETS[name]
    train = prepare(folder, source, file, scaling, rows)
    if train is None:
        say(f"{name}: not in {source}, skipped")
        return None
    lines = train.read_text().splitlines(keepends=True)
    if test:
        test = prepare(folder, source, test, scaling, None)
    else:
        test = folder / f"{name}.test"
        test.write_text("".join(lines[:PREDICT_ROWS]))
    row = {"set": name, "n": len(lines), "C": C, "gamma": gamma}
    ours, theirs, out = folder / "ours.model", folder / "theirs.model", folder / "out"
    flags = ["-q", "-c", C, "-g", repr(gamma), "-m", "4000"]
    repeats = 20 if row["n"] < 1000 else options.repeats
    row["train"], row["libsvm_train"] = best(
        [[BIN / "svm-train", *flags, train, ours], ["/usr/bin/svm-train", *flags, train, theirs]], repeats, options.limit)
    row["predict"], row["libsvm_predict"] = best(
        [[BIN / "svm-predict", test, ours, out]] + ([["/usr/bin/svm-predict", test, theirs, out]] if row["libsvm_train"] else []), repeats, options.limit) if row["libsvm_train"] else (
        best([[BIN / "svm-predict", test, ours, out]], repeats, options.limit)[0], None)
    inside = json.loads(subprocess.run([ROOT / "build/bench/svm_fit", "0", train, str(C), repr(gamma), "0", str(repeats if row["train"] < 20 else 1), test],
                                       capture_output=True, text=True, check=True).stdout)
    row["fit"], row["in_predict"] = inside["fit"], inside["predict"]
    if options.sklearn:
        row["sklearn_fit"], row["sklearn_predict"] = sklearn_times(train, test, C, gamma, options.limit, repeats)
    x, y = load_svmlight_file(str(train))
    x = x.toarray()
    row["gap"], row["objective"] = truth(ours, x, y, C, gamma)
    if row["libsvm_train"]:
        row["libsvm_gap"], row["libsvm_objective"] = truth(theirs, x, y, C, gamma)
        row["worse"] = (row["objective"] - row["libsvm_objective"]) / abs(row["libsvm_objective"])
    row["counts"] = bool(row["gap"] <= 1e-3 and row.get("worse", 0) <= 1e-5)
    return row


def ratio(row, a, b):
    return row[a] / row[b] if row.get(a) and row.get(b) else None


def table(rows):
    head = "| set | n | ours s | LIBSVM s | × | fit s | sklearn s | × | predict s | LIBSVM s | × | in-process s | sklearn s | × | gap | objective − LIBSVM's |"
    print(head + "\n|" + "---|" * 16)
    show = lambda v, f="{:.3f}": f.format(v) if v is not None else "–"
    for r in rows:
        cells = [r["set"], r["n"], show(r["train"]), show(r["libsvm_train"]), show(ratio(r, "libsvm_train", "train"), "{:.1f}"), show(r["fit"]), show(r.get("sklearn_fit")),
                 show(ratio(r, "sklearn_fit", "fit"), "{:.1f}"), show(r["predict"]), show(r["libsvm_predict"]), show(ratio(r, "libsvm_predict", "predict"), "{:.1f}"),
                 show(r["in_predict"]), show(r.get("sklearn_predict")), show(ratio(r, "sklearn_predict", "in_predict"), "{:.1f}"), f"{r['gap']:.2e}", show(r.get("worse"), "{:+.1e}")]
        print("| " + " | ".join(map(str, cells)) + " |" + ("" if r["counts"] else " does not count"))
    large = [r for r in rows if r["n"] >= 5000 and r["counts"]]
    for a, b, what in [("libsvm_train", "train", "training, svm-train"), ("sklearn_fit", "fit", "training, SVC"), ("libsvm_predict", "predict", "prediction, svm-predict"),
                       ("sklearn_predict", "in_predict", "prediction, SVC")]:
        found = [ratio(r, a, b) for r in large if ratio(r, a, b)]
        if found:
            print(f"\ngeometric mean over {len(found)} sets of n >= 5000, {what}: {math.exp(sum(map(math.log, found)) / len(found)):.1f}")


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "classification")
    parse.add_argument("--sets", default=",".join(SETS))
    parse.add_argument("--limit", type=float, default=600)
    parse.add_argument("--repeats", type=int, default=3)
    parse.add_argument("--json", type=Path)
    parse.add_argument("--no-sklearn", dest="sklearn", action="store_false")
    options = parse.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets.split(","):
            row = run(name, Path(folder), options.data, options)
            if row:
                rows.append(row)
                say(json.dumps(row))
                if options.json:
                    options.json.write_text(json.dumps(rows, indent=1))
    if rows:
        table(rows)


if __name__ == "__main__":
    main()
