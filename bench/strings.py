#!/usr/bin/python3
"""Gram matrices of random strings over four letters beside kernlab's stringdot, in one run; accuracy on promoters and splice junctions.

    bench/strings.py [--data DIR] [--json FILE] [speed] [accuracy]

kernlab takes minutes for what takes a fraction of a second here, so it gets fewer strings, and times are compared by pair. Its "sequence" is the kernel of gappy
subsequences; "string" counts contiguous substrings only.
"""

import argparse
import json
import lzma
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("MERCER_BENCH_STRINGS", str(ROOT / "build/bench/strings"))
R = """suppressMessages(library(kernlab)); a <- commandArgs(TRUE); x <- as.list(readLines(a[1]))
k <- stringdot(type=a[2], length=as.integer(a[3]), lambda=0.5, normalized=FALSE)
t <- system.time(m <- kernelMatrix(k, x))[[3]]; cat(t, format(m[1,2], digits=17))"""
# kernel, strings, letters, kernlab's type and length, strings for kernlab
CASES = [
    ("spectrum(5)", 3000, 1000, "spectrum", 5, 40),
    ("subsequences(3, 0.5)", 200, 100, "sequence", 3, 8),
    ("all_substrings(0.5)", 2000, 1000, None, None, 0),
]


def mercer(kernel, file):
    return json.loads(subprocess.run([PROGRAM, kernel, str(file)], check=True, capture_output=True, text=True).stdout)


def kernlab(file, kind, length):
    if not shutil.which("Rscript"):
        return None
    run = subprocess.run(["Rscript", "-e", R, str(file), kind, str(length)], capture_output=True, text=True)
    return tuple(map(float, run.stdout.split())) if run.returncode == 0 else None


def accuracy(path):
    """10-fold accuracy of an SVC with weighted degrees, length and C chosen within each training part."""
    import mercer
    import nested
    import numpy as np

    rows = [line.split("\t") for line in lzma.open(path, "rt").read().splitlines()]
    y = np.unique([row[0] for row in rows], return_inverse=True)[1]
    kernels = [f"normalize(weighted_degree({d}))" for d in (2, 4, 8, 12)] + ["normalize(weighted_degree_shifts(4, 1))", "normalize(weighted_degree_shifts(8, 2))"]
    grams = {k: mercer.kernels.parse(k)([row[-1] for row in rows]) for k in kernels}
    return {"set": path.name, "n": len(rows), **nested.accuracy(grams, y, inner=9 if len(rows) < 500 else 3)}


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--json", type=Path)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared/data/structured")
    parse.add_argument("what", nargs="*", choices=["speed", "accuracy", []])
    options = parse.parse_args()
    rows = speed() if not options.what or "speed" in options.what else []
    for name in ("promoters.tsv.xz", "splice_junctions.tsv.xz") if not options.what or "accuracy" in options.what else ():
        if not (options.data / name).exists():
            print(f"{name}: not in {options.data}, skipped", file=sys.stderr)
            continue
        rows.append(accuracy(options.data / name))
        print(json.dumps(rows[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def speed():
    random.seed(1)
    rows = []
    print("| kernel | strings | letters | s | us a pair | kernlab us a pair | × |\n|" + "---|" * 7)
    with tempfile.TemporaryDirectory() as folder:
        for kernel, n, letters, kind, length, few in CASES:
            words = ["".join(random.choices("acgt", k=letters)) for _ in range(n)]
            file, small = Path(folder) / "all", Path(folder) / "few"
            file.write_text("\n".join(words) + "\n")
            small.write_text("\n".join(words[:few]) + "\n")
            ours = mercer(kernel, file)
            row = {"kernel": kernel, "n": n, "letters": letters, "seconds": ours["seconds"], "pair": 2e6 * ours["seconds"] / (n * (n + 1))}
            theirs = kernlab(small, kind, length) if kind else None
            if theirs:
                assert abs(theirs[1] - mercer(kernel, small)["first"]) <= 1e-9 * abs(theirs[1]), "kernlab computes something else"
                row["kernlab_pair"] = 2e6 * theirs[0] / (few * (few + 1))
            elif kind:
                print("R with kernlab is not here: its part is skipped", file=sys.stderr)
            rows.append(row)
            beside = f"{row['kernlab_pair']:.1f} | {row['kernlab_pair'] / row['pair']:.0f}" if theirs else " | "
            print(f"| {kernel} | {n} | {letters} | {row['seconds']:.3f} | {row['pair']:.3f} | {beside} |", flush=True)
    return rows


if __name__ == "__main__":
    main()
