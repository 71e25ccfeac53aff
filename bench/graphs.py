#!/usr/bin/python3
"""Kernels on graphs: how fast Gram matrices are, and how accurate an SVC with the Weisfeiler-Lehman kernel is.

    bench/graphs.py [--data DIR] [--inner FOLDS] [--repeats N] [--json FILE] [speed] [accuracy] [distinct] [SET...]

Speed: build/bench/graphs, best of N. Accuracy: 10-fold cross-validation, depth and C chosen within each training part by FOLDS folds
(0: one held-out ninth); exact SVC on normalize(wl(h)). A set that is not there is skipped.

Distinct: the same without isomorphic copies, which a machine need only remember (Ivanov, Sviridov, Burnaev 2019). Graphs are the same when a map of nodes keeps
labels of nodes, edges and labels of edges: candidates have equal colours after refinement to the end, networkx decides. Of copies in one class the first stays;
copies in several classes all go.
"""

import argparse
import collections
import hashlib
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
GOALS = {"MUTAG": 86, "NCI1": 84, "PROTEINS": 72, "ENZYMES": 50}  # accuracy in per cent
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


def colours(graph):
    """A text that isomorphic graphs share: the colours of the nodes, refined as often as there can be new ones."""
    near = [[] for _ in graph["nodes"]]
    for a, b, label in set((min(e[:2]), max(e[:2]), e[2]) for e in graph["edges"]):
        near[a].append((label, b))
        near[b].append((label, a))
    found, kinds = list(map(str, graph["nodes"])), 0
    while len(set(found)) > kinds:
        kinds = len(set(found))
        found = [hashlib.sha1(repr((found[v], sorted((l, found[w]) for l, w in near[v]))).encode()).hexdigest() for v in range(len(near))]
    return " ".join(sorted(found))


def as_networkx(graph):
    import networkx

    out = networkx.Graph()
    for v, label in enumerate(graph["nodes"]):
        out.add_node(v, label=label)
    out.add_edges_from((a, b, {"label": label}) for a, b, label in graph["edges"])
    return out


def distinct(graphs, y):
    """(places of the graphs that stay, how many are copies, how many of these have copies in another class)."""
    import networkx

    alike = collections.defaultdict(list)  # for each colouring a list of classes of isomorphic graphs
    same = networkx.algorithms.isomorphism.categorical_node_match("label", 0), networkx.algorithms.isomorphism.categorical_edge_match("label", 0)
    for i, graph in enumerate(graphs):
        here = as_networkx(graph)
        for known, members in alike[colours(graph)]:
            if networkx.is_isomorphic(known, here, node_match=same[0], edge_match=same[1]):
                members.append(i)
                break
        else:
            alike[colours(graph)].append((here, [i]))
    orbits = [members for group in alike.values() for _, members in group]
    agreed = [members for members in orbits if len(set(y[members])) == 1]
    torn = sum(len(members) for members in orbits) - sum(len(members) for members in agreed)
    return sorted(members[0] for members in agreed), len(graphs) - len(orbits), torn


def accuracy(name, path, inner, once=False):
    import mercer

    graphs, y = load(path)
    about = {"set": name, "graphs": len(y)}
    if once:
        kept, copies, torn = distinct(graphs, y)
        graphs, y = [graphs[i] for i in kept], y[kept]
        about |= {"copies": copies, "in_several_classes": torn, "largest_class": round(100 * np.bincount(np.unique(y, return_inverse=True)[1]).max() / len(y), 1)}
    grams = {h: mercer.kernels.parse(f"normalize(wl(h={h}))")(graphs) for h in DEPTHS}
    about |= {"n": len(y)} if once else {"n": len(y), "goal": GOALS.get(name)}
    return {**about, **nested.accuracy(grams, y, inner, say=lambda line: say(name, line))}


def speed(path, repeats, kernels=("wl(h=5)", "wl_assignment(h=5)", "shortest_path()", "graphlets(k=4)", "vertex_histogram()")):
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
    all_parts = ("speed", "accuracy", "distinct")
    parts = [each for each in given.what if each in all_parts] or all_parts
    found = []
    for name in [each for each in given.what if each not in all_parts] or SETS:
        path = given.data / f"{name}.tar.xz"
        if not path.exists():
            say(f"{name}: not in {given.data}, skipped")
            continue
        here = speed(path, given.repeats) if "speed" in parts else []
        if "accuracy" in parts:
            here.append(accuracy(name, path, given.inner))
        if "distinct" in parts:
            here.append(accuracy(name, path, given.inner, once=True))
        print(*(json.dumps(each) for each in here), sep="\n", flush=True)
        found += here
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
