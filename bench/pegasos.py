#!/usr/bin/python3
"""Pegasos beside scikit-learn's SGDClassifier: seconds until the objective is within 1 % of the optimum.

    bench/pegasos.py [--data DIR] [--sets a9a,w8a] [--repeats N]

Both are run for a growing number of epochs, J = ½‖w‖² + C Σ hinge recomputed at the end; C = 1, alpha = 1/(nC). The optimum is what dual
coordinate descent reaches (scikit-learn's LinearSVC, loss='hinge'). Times inside the process, best of the repeats.
"""

import argparse
import json
import lzma
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

ROOT = Path(__file__).resolve().parent.parent
EPOCHS = [10, 20, 40, 60, 80, 100, 130, 160, 200, 300, 400]


def objective(x, y, w, b):
    return 0.5 * w @ w + np.maximum(0, 1 - y * (x @ w + b)).sum()


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "classification")
    parse.add_argument("--sets", default="a9a,w8a")
    parse.add_argument("--repeats", type=int, default=3)
    options = parse.parse_args()
    for name in options.sets.split(","):
        packed = options.data / f"{name}.svm.xz"
        if not packed.exists():
            print(f"{name}: not in {options.data}, skipped")
            continue
        with tempfile.NamedTemporaryFile(suffix=".svm") as plain:
            plain.write(lzma.open(packed).read())
            plain.flush()
            x, y = load_svmlight_file(plain.name)
            exact = LinearSVC(loss="hinge", C=1, tol=1e-6, max_iter=20000, intercept_scaling=1).fit(x, y)
            least = objective(x, y, exact.coef_[0], exact.intercept_[0])
            row = {"set": name, "n": len(y), "least": least}
            for epochs in EPOCHS:
                found = json.loads(subprocess.run([ROOT / "build/bench/pegasos", plain.name, "1", str(epochs), str(options.repeats)], capture_output=True, text=True, check=True).stdout)
                if found["J"] <= 1.01 * least:
                    row["pegasos"] = {"seconds": found["seconds"], "epochs": epochs, "above": found["J"] / least - 1}
                    break
            for average in (False, True):
                for epochs in EPOCHS:
                    best = 1e300
                    for _ in range(options.repeats):
                        model = SGDClassifier(loss="hinge", alpha=1 / len(y), max_iter=epochs, tol=None, average=average, random_state=0)
                        start = time.perf_counter()
                        model.fit(x, y)
                        best = min(best, time.perf_counter() - start)
                    J = objective(x, y, model.coef_[0], model.intercept_[0])
                    if J <= 1.01 * least:
                        row["sgd_average" if average else "sgd"] = {"seconds": best, "epochs": epochs, "above": J / least - 1}
                        break
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
