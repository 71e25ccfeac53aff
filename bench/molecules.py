#!/usr/bin/env python3
"""QM7: kernel ridge on sorted Coulomb matrices, mean absolute error of the atomisation energy in kcal/mol.

PYTHONPATH=build/python bench/molecules.py [--train 5000] [--kernel "coulomb(sigma=4000)"] [--alpha 1e-8]

Several --kernel and --alpha: the pair is chosen that does best on a fifth of the training part, fitted to the rest of it.
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
    parser.add_argument("--kernel", nargs="+", default=[f"coulomb(sigma={sigma})" for sigma in (1000, 2000, 4000, 8000)])
    parser.add_argument("--alpha", type=float, nargs="+", default=[1e-8])
    given = parser.parse_args()
    path = FOLDER / "qm7.xyz.xz"
    if not path.exists():
        raise SystemExit("qm7.xyz.xz: not there, skipped")
    X, y = map(list, zip(*molecules(path)))
    y = np.array(y)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[: given.train], order[given.train :]
    test = test[: given.test] if given.test else test

    def error(kernel, alpha, fitted_to, asked):
        mean = y[fitted_to].mean()
        fitted = mercer.KernelRidge(kernel=kernel, alpha=alpha).fit([X[i] for i in fitted_to], y[fitted_to] - mean)
        return np.abs(fitted.predict([X[i] for i in asked]) + mean - y[asked]).mean()

    begin = time.perf_counter()
    settings = [(kernel, alpha) for kernel in given.kernel for alpha in given.alpha]
    held = len(train) // 5
    chosen = min(settings, key=lambda one: error(*one, train[held:], train[:held])) if len(settings) > 1 else settings[0]
    found = error(*chosen, train, test)
    print(f"{chosen[0]}, alpha {chosen[1]:g}: {len(train)} molecules, mean absolute error {found:.2f} kcal/mol on {len(test)}, {time.perf_counter() - begin:.1f} s")
