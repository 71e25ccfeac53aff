#!/usr/bin/python3
"""What bench/svm.py leaves out: regression and one-class beside scikit-learn, cost growth beside svm-train, memory, threads.

    bench/svm_more.py [--data DIR] [--limit SECONDS] [--repeats N] [--json FILE] [regression] [growth] [memory] [threads]

Fits are timed inside their process. The dual objectives of both sides are recomputed here in double from the coefficients.
"""

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")
import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

ROOT = Path(__file__).resolve().parent.parent

# name: (task of svm_fit, file, C, gamma, nu or epsilon, first rows or None)
OTHERS = {
    "cadata": (3, "regression/cadata", 10, 0.5, 0.1, None),
    "kin40k-10k": (3, "regression/kin40k", 10, 0.1, 0.1, 10000),
    "abalone": (3, "regression/abalone", 10, 0.1, 0.1, None),
    "mnist-1": (2, "classification/mnist", 1, 0.02, 0.1, None),
}


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def load(source, name):
    packed = source / f"{name}.svm.xz"
    if not packed.exists():
        say(f"{name}: not in {source}, skipped")
        return None, None
    with lzma.open(packed, "rb") as f:
        x, y = load_svmlight_file(f)
    return x.toarray(), y


def svm_fit(task, path, C, gamma, nu, repeats, threads=None):
    environment = dict(os.environ, **({"MERCER_THREADS": str(threads)} if threads else {}))
    return json.loads(subprocess.run([ROOT / "build/bench/svm_fit", str(task), path, str(C), repr(gamma), str(nu), str(repeats)], env=environment, capture_output=True, text=True, check=True).stdout)


def sklearn_fit(task, path, C, gamma, nu, repeats, limit):
    """Seconds and the dual objective of scikit-learn on the same file, in a process of its own."""
    code = f"""
import json, time, numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR, OneClassSVM
x, y = load_svmlight_file({str(path)!r}); x = x.toarray()
best = 1e300
for r in range({repeats}):
    m = SVR(C={C}, gamma={gamma}, epsilon={nu}, cache_size=4000) if {task} == 3 else OneClassSVM(nu={nu}, gamma={gamma}, cache_size=4000)
    start = time.perf_counter(); m.fit(x, y); best = min(best, time.perf_counter() - start)
    if best > 10: break
a, s = m.dual_coef_[0], m.support_
quadratic = sum(a[i:i + 2000] @ (rbf_kernel(x[s[i:i + 2000]], x[s], gamma={gamma}) @ a) for i in range(0, len(s), 2000))
print(json.dumps([best, 0.5 * quadratic - (y[s] @ a - {nu} * np.abs(a).sum() if {task} == 3 else 0)]))
"""
    try:
        return json.loads(subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, timeout=limit).stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None, None


def regression(folder, options):
    rows = []
    for name, (task, file, C, gamma, nu, first) in OTHERS.items():
        x, y = load(options.data, file)
        if x is None:
            continue
        if name == "mnist-1":
            x, y = x[y == 1] / 255, np.ones(int((y == 1).sum()))
        else:
            x, y = x[:first], y[:first]
            x, y = (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1), (y - y.mean()) / y.std()
        path = folder / f"{name}.svm"
        dump_svmlight_file(x, y, str(path), zero_based=False)
        ours = svm_fit(task, path, C, gamma, nu, options.repeats)
        theirs, objective = sklearn_fit(task, path, C, gamma, nu, options.repeats, options.limit)
        row = {"set": name, "n": len(x), "fit": ours["fit"], "sklearn_fit": theirs, "gap": ours["gap"], "status": ours["status"]}
        if theirs:
            row["ratio"], row["worse"] = theirs / ours["fit"], (ours["objective"] - objective) / abs(objective)
        say(json.dumps(row))
        rows.append(row)
    return rows


def growth(folder, options):
    """Seconds over n, and the exponent of the line through them on logarithmic scales."""
    rows = []
    for name, file, C, gamma, scale in [("mnist", "classification/mnist", 10, 0.02, 255), ("connect-4", "classification/connect-4", 10, 0.05, 1)]:
        x, y = load(options.data, file)
        if x is None:
            continue
        order = np.random.default_rng(1).permutation(len(x))
        x, y = x[order] / scale, y[order]
        points = {"ours": [], "libsvm": []}
        for n in [2000, 4000, 8000, 16000, 32000, 64000]:
            if n > len(x):
                continue
            path = folder / f"{name}.{n}.svm"
            dump_svmlight_file(x[:n], y[:n], str(path), zero_based=False)
            points["ours"].append((n, svm_fit(0, path, C, gamma, 0, 2 if n <= 8000 else 1)["fit"]))
            if not points["libsvm"] or points["libsvm"][-1][1] * 5 < options.limit:
                start = os.times()
                try:
                    subprocess.run(["/usr/bin/svm-train", "-q", "-c", str(C), "-g", str(gamma), "-m", "4000", path, folder / "m"], check=True, timeout=options.limit)
                    points["libsvm"].append((n, os.times().elapsed - start.elapsed))
                except subprocess.TimeoutExpired:
                    pass
            path.unlink()
        row = {"set": name}
        for side, found in points.items():
            row[side] = found
            if len(found) >= 3:
                row[side + "_exponent"] = float(np.polyfit(np.log([n for n, _ in found]), np.log([t for _, t in found]), 1)[0])
        say(json.dumps(row))
        rows.append(row)
    return rows


def memory(folder, options):
    """Peak resident memory of svm-train at several budgets, beside budget + data + 10 %."""
    rows = []
    for name, C, gamma in [("w8a", 8, 2**-4), ("a9a", 1000, 2**-5)]:
        x, y = load(options.data, f"classification/{name}")
        if x is None:
            continue
        path = folder / f"{name}.svm"
        dump_svmlight_file(x, y, str(path), zero_based=False)
        data = (int((x != 0).sum()) * 12 + len(x) * 16 + path.stat().st_size) / 2**20
        for budget in [40, 100, 400, 1000]:
            done = subprocess.run(["/usr/bin/time", "-f", "%M", ROOT / "build/bin/svm-train", "-q", "-c", str(C), "-g", repr(gamma), "-m", str(budget), path, folder / "m"], capture_output=True, text=True)
            peak = int(done.stderr.split()[-1]) / 1024
            rows.append({"set": f"{name}, C = {C}", "budget_mb": budget, "data_mb": data, "peak_mb": peak, "within": peak <= (budget + data) * 1.1})
            say(json.dumps(rows[-1]))
    return rows


def threads(folder, options):
    rows = []
    for name, file, C, gamma, scale in [("mnist-10k", "classification/mnist", 10, 0.02, 255), ("a9a", "classification/a9a", 1, 2**-5, 1), ("cod-rna", "classification/cod-rna.30k", 32, 0.125, 1)]:
        x, y = load(options.data, file)
        if x is None:
            continue
        path = folder / f"{name}.svm"
        dump_svmlight_file(x[:30000 if scale == 1 else 10000] / scale, y[:30000 if scale == 1 else 10000], str(path), zero_based=False)
        times, models = [], []
        for count in (1, 2):
            times.append(svm_fit(0, path, C, gamma, 0, options.repeats, count)["fit"])
            subprocess.run([ROOT / "build/bin/svm-train", "-q", "-c", str(C), "-g", repr(gamma), path, folder / "m"], env=dict(os.environ, MERCER_THREADS=str(count)), check=True)
            models.append((folder / "m").read_bytes())
        rows.append({"set": name, "one": times[0], "two": times[1], "speed_up": times[0] / times[1], "same_model": models[0] == models[1]})
        say(json.dumps(rows[-1]))
    return rows


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("parts", nargs="*", default=["regression", "growth", "memory", "threads"])
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parse.add_argument("--limit", type=float, default=600)
    parse.add_argument("--repeats", type=int, default=3)
    parse.add_argument("--json", type=Path)
    options = parse.parse_args()
    parts = {"regression": regression, "growth": growth, "memory": memory, "threads": threads}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts:
            found[part] = parts[part](Path(folder), options)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
