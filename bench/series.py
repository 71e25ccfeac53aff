#!/usr/bin/python3
"""Kernels on series: 10-fold accuracy on movement_libras (360 curves of 45 points in the plane, 15 classes), parameters and C chosen within each training part.

    PYTHONPATH=build/python bench/series.py [--data FILE]
"""

import argparse
import io
import json
import lzma
from pathlib import Path

import nested
from sklearn.datasets import load_svmlight_file

import mercer

FAMILIES = {
    "rbf of the rows": [f"rbf(gamma={g})" for g in (0.1, 1, 10)],
    "global_alignment": [f"global_alignment(sigma={s})" for s in (0.1, 0.3, 1)],
    "fourier": [f"pullback(fourier(terms={t}, phases={p}), rbf(gamma={g}))" for t in (4, 16) for p in (0, 1) for g in (10, 100)],
    "shapelets": [f"pullback(shapelets(count=500, length={l}, spread=3), rbf(gamma={g}))" for l in (5, 9) for g in (0.01, 0.1)],
}

if __name__ == "__main__":
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(__file__).resolve().parent.parent.parent / "shared/data/classification"
    parse.add_argument("--data", type=Path, default=shared / "movement_libras.svm.xz")
    given = parse.parse_args()
    if not given.data.exists():
        raise SystemExit(f"{given.data}: not there, skipped")
    X, y = load_svmlight_file(io.BytesIO(lzma.open(given.data).read()))
    X = X.toarray()
    curves = list(X.reshape(len(X), -1, 2))
    for name, texts in FAMILIES.items():
        grams = {text: mercer.kernels.parse(text)(X if name.startswith("rbf") else curves) for text in texts}
        print(json.dumps({"kernels": name, **nested.accuracy(grams, y)}), flush=True)
