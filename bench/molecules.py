#!/usr/bin/env python3
"""QM7: kernel ridge on sorted Coulomb matrices, mean absolute error of the atomisation energy in kcal/mol.

PYTHONPATH=build/python bench/molecules.py [--train 5000] [--kernel "coulomb(sigma=4000)"] [--alpha 1e-8]
Data: qm7.xyz in shared/data/structured beside the repository, or MERCER_STRUCTURED.
"""
import argparse
import lzma
import os
import pathlib
import time

import numpy as np

import mercer

FOLDER = pathlib.Path(os.environ.get("MERCER_STRUCTURED", pathlib.Path(__file__).resolve().parents[2] / "shared/data/structured"))


def molecules(path):
    with lzma.open(path, "rt") as file:
        while line := file.readline().strip():
            energy = float(file.readline().split()[1])
            atoms = [file.readline().split() for _ in range(int(line))]
            yield ([atom[0] for atom in atoms], np.array([atom[1:4] for atom in atoms], dtype=float)), energy


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", type=int, default=5000)
    parser.add_argument("--test", type=int, default=0, help="so many molecules, 0: all others")
    parser.add_argument("--kernel", default="coulomb(sigma=4000)")
    parser.add_argument("--alpha", type=float, default=1e-8)
    given = parser.parse_args()
    path = FOLDER / "qm7.xyz.xz"
    if not path.exists():
        raise SystemExit("qm7.xyz.xz: not there, skipped")
    X, y = map(list, zip(*molecules(path)))
    y = np.array(y)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[: given.train], order[given.train :]
    test = test[: given.test] if given.test else test
    begin = time.perf_counter()
    mean = y[train].mean()
    fitted = mercer.KernelRidge(kernel=given.kernel, alpha=given.alpha).fit([X[i] for i in train], y[train] - mean)
    error = np.abs(fitted.predict([X[i] for i in test]) + mean - y[test]).mean()
    print(f"{given.kernel}, alpha {given.alpha:g}: {len(train)} molecules, mean absolute error {error:.2f} kcal/mol on {len(test)}, {time.perf_counter() - begin:.1f} s")
