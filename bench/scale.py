#!/usr/bin/python3
"""Nyström methods beside scikit-learn's Nystroem + Ridge or LogisticRegression: same data, kernel, number of centres.

    bench/scale.py [--data DIR] [--sets kin40k,susy,...] [--m 1000] [--centres mixed] [--seed 0] [--its-steps 1000] [--tol 1e-6] [--flights M] [--rates]
                   [--linear] [--features] [--exact N]

Columns are standardised. A fifth of the rows is for the test error. Fits are in turns, the best of three each where
they are short. Ours has the default tol, or --tol; scikit-learn's penalty is the same. --flights: all 3 million rows by the program, streamed (peak memory of its process) and in memory.
--linear: seconds and processor time over the number of rows, from 1e5 to 3e6, and the exponents. --rates: build/bench/scale.
--exact: kernel logistic regression and kernel ridge on N rows of susy with 200 MB, so that K is computed for every product.
--features: random features of 20,000 rows of mnist beside scikit-learn's, processor time of drawing and of transforming.
Sets that are not there are skipped with a word.
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
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "build/python"))
import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, Ridge

warnings.filterwarnings("ignore")
SETS = {  # file, task
    "kin40k": ("regression/kin40k", "ridge"),
    "protein": ("regression/protein_casp", "ridge"),
    "diamonds": ("regression/diamonds", "ridge"),
    "pol": ("regression/pol", "ridge"),
    "susy": ("big/susy.30k", "logistic"),
    "skin": ("classification/skin_nonskin", "logistic"),
    "covtype": ("classification/covtype.20k", "logistic"),
    "kddcup99": ("big/kddcup99_10pct", "logistic"),
    "flights": ("big/flights3m", "ridge"),  # reduced to the rows for which scikit-learn has enough memory
}
FLIGHTS = 250_000


def flights(source):
    """month, day, weekday, minute, distance, and latitude and longitude of both airports; delay."""
    packed = source / "big/flights3m.csv.xz"
    if not packed.exists():
        return None
    import pandas as pd

    rows = pd.read_csv(lzma.open(packed, "rt"))
    ports = pd.read_csv(lzma.open(source / "big/airports.csv.xz", "rt")).set_index("iata")
    for end in ("origin", "destination"):
        for what in ("latitude", "longitude"):
            rows[f"{end}_{what}"] = ports[what].reindex(rows[end]).to_numpy()
    rows = rows.drop(columns=["origin", "destination"]).fillna(0.0)
    return rows.drop(columns="delay").to_numpy(float), rows["delay"].to_numpy(float)


def some_flights(source):
    data = flights(source)
    if data is None:
        return None
    some = np.random.default_rng(0).permutation(len(data[0]))[:FLIGHTS]
    return data[0][some], data[1][some]


def load(source, name, **more):
    file = source / f"{name}.svm.xz"
    if not file.exists():
        return None
    with tempfile.NamedTemporaryFile(suffix=".svm") as plain:
        plain.write(lzma.open(file).read())
        plain.flush()
        x, y = load_svmlight_file(plain.name, **more)
    return x.toarray(), y


def split(x, y):
    x = (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-12)
    test = np.random.default_rng(0).random(len(x)) < 0.2
    return np.ascontiguousarray(x[~test]), y[~test], x[test], y[test]


def timed(work):
    """Seconds on the clock, and of processor time, which says more where the machine has other work."""
    start, before = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - before


def compare(name, task, data, m, centres, seed, its_steps, tol):
    import mercer

    x, y, xt, yt = split(*data)
    gamma = 1 / x.shape[1]
    same = {"gamma": gamma, "n_centres": m, "centres": centres, "random_state": seed, "tol": tol}
    if task == "ridge":
        y, yt = (y - y.mean()) / y.std(), (yt - y.mean()) / y.std()
        penalty = 1e-6 * len(x)
        ours = mercer.NystroemRidge(alpha=penalty, **same)
        theirs = Ridge(alpha=penalty, fit_intercept=False)
        error = lambda f: float(np.mean((f - yt) ** 2))
    else:
        penalty = 1e-6 * len(x)
        ours = mercer.NystroemLogistic(C=1 / penalty, **same)
        theirs = LogisticRegression(C=1 / penalty, max_iter=its_steps)
        error = lambda f: float(np.mean(f != yt))
    features = Nystroem(gamma=gamma, n_components=m, random_state=seed)
    # In turn, the best of three runs each, fewer if they take more than 60 s: the first run may have to wait for
    # memory.
    took, other_took = [], []
    while len(took) < 3 and sum(seconds for seconds, _ in took + other_took) < 60:
        took.append(timed(lambda: ours.fit(x, y)))
        other_took.append(timed(lambda: theirs.fit(features.fit_transform(x), y)))
    (seconds, busy), (other, other_busy) = min(took), min(other_took)
    e_ours, e_theirs = error(ours.predict(xt)), error(theirs.predict(features.transform(xt)))
    steps = getattr(theirs, "n_iter_", [None])
    print(f"| {name} | {len(x):,} × {x.shape[1]} | {m} | {seconds:.2f} | {busy:.2f} | {ours.n_iter_} | {ours.dual_gap_ / ours.objective_:.1e} | "
          f"{other:.2f} | {other_busy:.2f} | {other / seconds:.1f} | {other_busy / busy:.1f} | {e_ours:.4g} | {e_theirs:.4g} | {ours.out_of_reach_:.2g} | {steps[0] if steps is not None else ''} |", flush=True)


# A separate process starts the program: the memory that a child inherits before exec counts as its own, and this
# process is large.
MEASURED = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6, done.stdout]))
"""


def peak_of(command):
    """Seconds, processor time, gigabytes at most, and what it said."""
    said = subprocess.run([sys.executable, "-c", MEASURED, *map(str, command)], check=True, capture_output=True, text=True).stdout
    code, *out = json.loads(said)
    if code:
        sys.exit(f"{command}: exit code {code}")
    return out


def whole_flights(source, m, linear):
    data = flights(source)
    if data is None:
        return print(f"flights3m: not in {source}, skipped", file=sys.stderr)
    # In random order, because the file is ordered by time; 100,000 rows for the test error.
    order = np.random.default_rng(0).permutation(len(data[0]))
    x = data[0][order]
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    x, y, xt, yt = x[100_000:], data[1][order][100_000:], x[:100_000], data[1][order][:100_000]
    mean, sd = y.mean(), y.std()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "flights.csv"
        sizes = [len(x)] if not linear else [100_000, 300_000, 1_000_000, len(x)]
        took = []
        for n in sizes:
            np.savetxt(file, np.column_stack([x[:n], (y[:n] - mean) / sd]), delimiter=",", fmt="%.9g")
            command = [ROOT / "build/bin/mercer", "fit", "nystroem_ridge", file, "--label", "-1", "--kernel", f"rbf(gamma={1 / x.shape[1]})",
                       "--set", f"alpha={1e-6 * n}", f"n_centres={m}", "-o", Path(folder) / "flights.model", "--json"]
            for stream in ([], ["--stream"]) if n == len(x) else ([],):
                whole, busy, peak, out = peak_of([*command, *stream])
                told = json.loads(out)
                np.savetxt(Path(folder) / "test.csv", xt, delimiter=",", fmt="%.9g")
                f = np.array(subprocess.run([ROOT / "build/bin/mercer", "predict", Path(folder) / "flights.model", Path(folder) / "test.csv", "--label", "none"],
                                            check=True, capture_output=True, text=True).stdout.split(), float)
                test = np.mean((f * sd + mean - yt) ** 2)
                print(f"| flights{' streamed' if stream else ''} | {n:,} × 9 | {m} | {told['seconds']:.1f} (process {whole:.1f}, of processor time {busy:.1f}) | {told['passes']} | {told['status']} | "
                      f"{peak:.2f} GB | {test:.5g} of {yt.var():.5g} |", flush=True)
                if not stream:
                    took.append((told["seconds"], busy))
        if linear:
            for what, seconds in zip(("seconds", "processor time"), zip(*took)):
                print(f"exponent of {what} in n: {np.polyfit(np.log(sizes), np.log(seconds), 1)[0]:.3f}")


def random_features(source, n, D):
    """mnist with pixels from 0 to 1, dense."""
    from sklearn.kernel_approximation import PolynomialCountSketch, RBFSampler

    import mercer

    data = load(source, "classification/mnist", n_features=784)
    if data is None:
        return print("random features: mnist is not there, skipped")
    x = data[0][:n] / 255
    some = x[:: max(1, n // 500)]
    distances = np.maximum((some**2).sum(axis=1)[:, None] + (some**2).sum(axis=1) - 2 * some @ some.T, 0)
    told = {"gamma": 0.02, "n_components": D, "random_state": 0}
    poly = {**told, "degree": 3, "coef0": 1.0}
    gram = {"rbf": np.exp(-0.02 * distances), "poly": (0.02 * some @ some.T + 1) ** 3}
    print(f"| {n:,} × 784, D = {D} | drawing, processor s | transforming, processor s | seconds | root mean square error, relative |\n|" + "---|" * 5)
    for name, kernel, maker in (
        *((f"`RandomFeatures`, {how}", "rbf", mercer.RandomFeatures(frequencies=how, **told)) for how in ("independent", "orthogonal", "structured")),
        ("scikit-learn's `RBFSampler`", "rbf", RBFSampler(**told)),
        ("`PolynomialCountSketch`, degree 3", "poly", mercer.PolynomialCountSketch(**poly)),
        ("scikit-learn's", "poly", PolynomialCountSketch(**poly)),
    ):
        drawing = timed(lambda: maker.fit(x[:2]))[1]
        seconds, busy = min((timed(lambda: maker.transform(x)) for _ in range(3)), key=lambda each: each[1])
        f = maker.transform(some)
        error = np.sqrt(np.mean((f @ f.T - gram[kernel]) ** 2) / np.mean(gram[kernel] ** 2))
        print(f"| {name} | {drawing:.3f} | {busy:.2f} | {seconds:.2f} | {error:.4f} |", flush=True)


def exact(source, n):
    """Kernel values computed again for every product: K would be 8n² bytes."""
    import mercer

    data = load(source, SETS["susy"][0])
    if data is None:
        return print("exact: susy is not there, skipped")
    x, y = split(*data)[:2]
    x, y = x[:n], y[:n]
    few = {"gamma": 1 / x.shape[1], "max_memory": "200 MB"}
    for model in (mercer.KernelLogisticRegression(C=1, **few), mercer.KernelLogisticRegression(C=100, **few), mercer.KernelRidge(alpha=1, kernel="rbf", solver="cg", **few)):
        seconds, busy = timed(lambda: model.fit(x, y))
        print(f"{model}, {len(x):,} rows: {seconds:.1f} s, {busy:.1f} of processor time, {model.status_}", flush=True)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parse.add_argument("--sets", default=",".join(SETS))
    parse.add_argument("--m", type=int, default=1000)
    parse.add_argument("--centres", default="mixed")
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--its-steps", type=int, default=1000, help="max_iter of scikit-learn's LogisticRegression, whose own default is 100")
    parse.add_argument("--tol", type=float, default=1e-6)
    parse.add_argument("--exact", type=int, default=0)
    parse.add_argument("--flights", type=int, default=0)
    parse.add_argument("--linear", action="store_true")
    parse.add_argument("--rates", action="store_true")
    parse.add_argument("--features", action="store_true")
    o = parse.parse_args()
    if o.rates:
        subprocess.run([ROOT / "build/bench/scale"], check=True)
    if o.features:
        random_features(o.data, 20_000, 4096)
    if o.exact:
        exact(o.data, o.exact)
    if o.flights:
        whole_flights(o.data, o.flights, o.linear)
    names = [name for name in o.sets.split(",") if name]
    if names:
        print("| set | n × d | M | ours s | processor s | passes | gap/objective | scikit-learn s | processor s | × | × processor "
              "| test error, ours | scikit-learn | out of reach | its steps |\n|" + "---|" * 15)
    for name in names:
        data = some_flights(o.data) if name == "flights" else load(o.data, SETS[name][0])
        if data is None:
            print(f"{name}: not in {o.data}, skipped", file=sys.stderr)
            continue
        compare(name, SETS[name][1], data, o.m, o.centres, o.seed, o.its_steps, o.tol)


if __name__ == "__main__":
    main()
