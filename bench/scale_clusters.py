#!/usr/bin/python3
"""Clusters of many examples, beside scikit-learn: scale_clusters.py [--rows N] [--peer-rows N] [--m M] [--k K] [--data FOLDER]

NystroemKMeans on flights (or on random rows of 9 numbers where they are not there) and, on --peer-rows of them, each with
centres of its own, scikit-learn's features with KMeans and MiniBatchKMeans. Processor time of each; J is the mean squared
distance of all rows to their nearest mean in the kernel's own space, out of reach included.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.kernel_approximation import Nystroem

from scale import ROOT, flights  # also makes the package importable

import mercer


def timed(work):
    began = time.process_time()
    return work(), time.process_time() - began


def mean_cost(features, means, rows, chunk=20000):
    """J from explicit features of all rows, a few at a time."""
    total = 0.0
    for first in range(0, len(rows), chunk):
        F = features.transform(rows[first : first + chunk])
        d = (means**2).sum(axis=1) - 2 * F @ means.T
        total += len(F) + d.min(axis=1).sum()
    return total / len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--peer-rows", type=int, default=100_000)
    parser.add_argument("--m", type=int, default=500)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--gamma", type=float, default=0.11)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    options = parser.parse_args()
    read = flights(options.data)
    random = np.random.default_rng(0)
    X = random.normal(size=(options.rows, 9)) if read is None else read[0][random.permutation(len(read[0]))[: options.rows]]
    X = np.ascontiguousarray((X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12))
    print(f"{len(X)} rows of {X.shape[1]} {'random numbers' if read is None else 'of the flights'}, M = {options.m}, k = {options.k}")
    ours, seconds = timed(lambda: mercer.NystroemKMeans(options.k, n_centres=options.m, gamma=options.gamma, random_state=0).fit(X))
    print(f"NystroemKMeans, all rows: {seconds:.1f} s, {ours.n_iter_} passes, {ours.status_}, J {ours.inertia_ / len(X):.5f}, out of reach {ours.out_of_reach_:.4f}")
    cuts, seconds = timed(lambda: mercer.NystroemSpectralClustering(options.k, n_centres=options.m, gamma=options.gamma, random_state=0).fit(X))
    print(f"NystroemSpectralClustering, all rows: {seconds:.1f} s, {cuts.n_iter_} passes, {cuts.status_}, low degrees {cuts.low_degrees_}")
    part = X[: options.peer_rows]
    again, seconds = timed(lambda: mercer.NystroemKMeans(options.k, n_centres=options.m, gamma=options.gamma, random_state=0).fit(part))
    print(f"NystroemKMeans, {len(part)} rows: {seconds:.1f} s, {again.n_iter_} passes")
    theirs = Nystroem(gamma=options.gamma, n_components=options.m, random_state=0)
    F, features = timed(lambda: theirs.fit_transform(part))
    for kind in (KMeans(options.k, n_init=1, random_state=0), MiniBatchKMeans(options.k, n_init=3, random_state=0)):
        model, seconds = timed(lambda: kind.fit(F))
        print(f"Nystroem + {type(kind).__name__}, {len(part)} rows: {features:.1f} + {seconds:.1f} s, J of all rows {mean_cost(theirs, model.cluster_centers_, X):.5f}")
        sys.stdout.flush()


main()
