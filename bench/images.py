#!/usr/bin/python3
"""Held-out accuracy of kernels on images beside a Gaussian of the raw pixels, on the same folds; seconds of a Gram matrix.

    bench/images.py [--json FILE] [--n 1797] [digits] [usps] [--data DIR]

digits: scikit-learn's, 8 x 8 pixels. usps: 16 x 16, the first n of the training part in DIR. 10 folds; of each family the
parameters, and C, are chosen within each training part (bench/nested.py).
"""

import argparse
import json
import time
from pathlib import Path

import mercer
import nested
import numpy as np
from sklearn.datasets import load_digits, load_svmlight_file

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = {
    "pixels, rbf": [f"pullback(pixels(), rbf(gamma={g}))" for g in (0.003, 0.01, 0.03, 0.1, 0.3, 1)],
    "shifted_pixels": [f"shifted_pixels(shift={s}, gamma={g})" for s in (1, 2) for g in (0.03, 0.1, 0.3, 1)],
    "gradients, intersection": [
        f"pullback(gradients(cells={c}, bins={b}), intersection())" for c in (2, 4) for b in (9, 16)
    ],
    "gradients, chi2": [
        f"pullback(gradients(cells={c}, bins=9), chi2(gamma={g}))" for c in (2, 4) for g in (0.5, 1, 2, 4)
    ],
    "spatial_pyramid": [f"spatial_pyramid(levels={level}, bins=9)" for level in (1, 2, 3)],
}


def images_of(name, data, n):
    """Images as numpy arrays with values from 0 to 1, and their classes."""
    if name == "digits":
        x, y = load_digits(return_X_y=True)
        return (x.reshape(-1, 8, 8) / 16)[:n], y[:n]
    import lzma

    with lzma.open(data / "usps.svm.xz") as file:
        x, y = load_svmlight_file(file, n_features=256)
    return ((x.toarray() + 1) / 2).reshape(-1, 16, 16)[:n], y[:n].astype(int)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("sets", nargs="*", default=["digits"])
    parse.add_argument("--json", type=Path)
    parse.add_argument("--n", type=int, default=1797)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared/data/classification")
    options = parse.parse_args()
    rows = []
    for name in options.sets:
        x, y = images_of(name, options.data, options.n)
        for family, kernels in FAMILIES.items():
            start = time.perf_counter()
            grams = {k: mercer.kernels.parse(k)(x) for k in kernels}
            seconds = (time.perf_counter() - start) / len(kernels)
            row = {"set": name, "n": len(x), "family": family, "gram_s": round(seconds, 3)}
            rows.append(row | nested.accuracy(grams, y))
            print(json.dumps(rows[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
