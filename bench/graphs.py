#!/usr/bin/python3
"""Kernels on graphs: how fast Gram matrices are, and how accurate an SVC with the Weisfeiler-Lehman kernel is.

    bench/graphs.py [--data DIR] [--inner FOLDS] [--repeats N] [--json FILE] [speed] [accuracy] [SET...]

Speed: build/bench/graphs, best of N. Accuracy: 10-fold cross-validation, depth and C chosen within each training part by FOLDS folds
(0: one held-out ninth); exact SVC on normalize(wl(h)). A set that is not there is skipped.
"""

import argparse
import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import nested
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SETS = ("MUTAG", "PTC", "ENZYMES", "PROTEINS", "NCI1", "IMDB-BINARY")
GOALS = {"MUTAG": 86, "NCI1": 84, "PROTEINS": 72, "ENZYMES": 50}  # per cent
DEPTHS = (0, 1, 2, 3, 5)


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def load(path):
    """(graphs, labels) of an archive of the TUDataset collection, read here without the library."""
    files = {}
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(".txt"):
                files[Path(member.name).stem.partition("_")[2]] = archive.extractfile(member).read()

    def numbers(name, **how):
        return np.loadtxt(io.BytesIO(files[name]), dtype=np.int64, **how)

    owner = numbers("graph_indicator") - 1
    labels = numbers("node_labels") if "node_labels" in files else np.zeros_like(owner)
    edges = numbers("A", delimiter=",") - 1
    edge_labels = numbers("edge_labels") if "edge_labels" in files else np.zeros(len(edges), dtype=np.int64)
    first = np.searchsorted(owner, np.arange(owner[-1] + 2))
    graphs = [{"nodes": labels[a:b].tolist(), "edges": []} for a, b in zip(first[:-1], first[1:])]
    for (a, b), label in zip(edges.tolist(), edge_labels.tolist()):
        graph = owner[a]
        graphs[graph]["edges"].append((a - int(first[graph]), b - int(first[graph]), label))
    return graphs, numbers("graph_labels")


def accuracy(name, path, inner):
    import mercer

    graphs, y = load(path)
    grams = {h: mercer.kernels.parse(f"normalize(wl(h={h}))")(graphs) for h in DEPTHS}
    return {"set": name, "n": len(y), "goal": GOALS.get(name), **nested.accuracy(grams, y, inner, say=lambda line: say(name, line))}


def speed(path, repeats):
    kernels = ["wl(h=5)", "wl_assignment(h=5)", "shortest_path()", "graphlets(k=4)", "vertex_histogram()"]
    out = subprocess.run([ROOT / "build/bench/graphs", path, *kernels, "--repeats", str(repeats)], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=ROOT.parent / "shared/data/structured")
    options.add_argument("--inner", type=int, default=3)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--json", type=Path)
    options.add_argument("what", nargs="*")
    given = options.parse_intermixed_args()
    parts = [each for each in given.what if each in ("speed", "accuracy")] or ["speed", "accuracy"]
    found = []
    for name in [each for each in given.what if each not in ("speed", "accuracy")] or SETS:
        path = given.data / f"{name}.tar.xz"
        if not path.exists():
            say(f"{name}: not in {given.data}, skipped")
            continue
        here = speed(path, given.repeats) if "speed" in parts else []
        if "accuracy" in parts:
            here.append(accuracy(name, path, given.inner))
        print(*(json.dumps(each) for each in here), sep="\n", flush=True)
        found += here
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
