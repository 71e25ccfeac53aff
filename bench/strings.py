#!/usr/bin/python3
"""Gram matrices of random strings over four letters beside kernlab's stringdot, in one run; accuracy on promoters and splice junctions; a linear machine
on the features of 100,000 sequences.

    bench/strings.py [--data DIR] [--json FILE] [speed] [accuracy] [features]

kernlab takes minutes for what takes a fraction of a second here, so it gets fewer strings, and times are compared by pair. Its "sequence" is the kernel of gappy
subsequences; "string" counts contiguous substrings only.
"""

import argparse
import json
import lzma
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
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


def accuracy(path, repeats=10):
    """10-fold accuracy of an SVC with weighted degrees, length, shifts and C chosen within each training part; of few strings the mean over several divisions
    into folds, for one division alone says little."""
    import mercer
    import nested
    import numpy as np

    rows = [line.split("\t") for line in lzma.open(path, "rt").read().splitlines()]
    y = np.unique([row[0] for row in rows], return_inverse=True)[1]
    few = len(rows) < 500
    shifts = [(d, s) for d in (2, 4, 6) for s in (1, 2)] if few else [(4, 1), (8, 2)]
    kernels = [f"normalize(weighted_degree({d}))" for d in ((2, 4, 6) if few else (2, 4, 8, 12))] + [f"normalize(weighted_degree_shifts({d}, {s}))" for d, s in shifts]
    grams = {k: mercer.kernels.parse(k)([row[-1] for row in rows]) for k in kernels}
    found = nested.repeated(grams, y, inner=9, repeats=repeats, say=lambda line: print(path.name, line, file=sys.stderr)) if few else nested.accuracy(grams, y)
    return {"set": path.name, "n": len(rows), **found}


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--json", type=Path)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared/data/structured")
    parse.add_argument("what", nargs="*", choices=["speed", "accuracy", "features", []])
    options = parse.parse_args()
    rows = speed() if not options.what or "speed" in options.what else []
    for name in ("promoters.tsv.xz", "splice_junctions.tsv.xz") if not options.what or "accuracy" in options.what else ():
        if not (options.data / name).exists():
            print(f"{name}: not in {options.data}, skipped", file=sys.stderr)
            continue
        rows.append(accuracy(options.data / name))
        print(json.dumps(rows[-1]), flush=True)
    if not options.what or "features" in options.what:
        rows += [features(d) for d in (3, 6)]
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def planted(n, length, motif="TATAAT", share=0.8):
    """n lines "label, tab, sequence": in class 1 a share of the sequences has the motif near the middle, a letter of it
    changed now and then."""
    lines = []
    for i in range(n):
        s = random.choices("ACGT", k=length)
        if i % 2 and random.random() < share:
            word = list(motif)
            word[random.randrange(len(word))] = random.choice("ACGT")
            at = length // 2 + random.randrange(-2, 3)
            s[at:at + len(word)] = word
        lines.append(f"{i % 2}\t{''.join(s)}\n")
    return lines


def features(d, n=100_000, length=100):
    """mercer fit linear_svc by the features of weighted_degree(d), in one process with reading and scoring, and
    predictions of as many new sequences."""
    random.seed(7)
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (Path(folder) / name for name in ("train.tsv", "test.tsv", "model"))
        train.write_text("".join(planted(n, length)))
        test.write_text("".join(planted(n, length)))
        tool = [os.environ.get("MERCER", str(ROOT / "build/bin/mercer"))]
        used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])  # processor time in seconds
        started, before = time.perf_counter(), used()
        fit = ["fit", "linear_svc", train, "--kernel", f"weighted_degree({d})", "-o", model, "--json"]
        fit += ["--set", "C=0.1", "loss=hinge", "tol=0.01"]
        told = json.loads(subprocess.run(tool + fit, check=True, capture_output=True, text=True).stdout)
        whole, fit_used = time.perf_counter() - started, used() - before
        started = time.perf_counter()
        use = ["predict", model, test, "--score", "--json"]
        score = json.loads(subprocess.run(tool + use, check=True, capture_output=True, text=True).stdout)
        row = {
            "kernel": f"weighted_degree({d})", "n": n, "length": length, "fit_s": round(told["seconds"], 2),
            "fit_with_reading_and_scoring_s": round(whole, 2),
            "fit_processor_s": round(fit_used, 2), "predict_s": round(time.perf_counter() - started, 2),
            "predict_processor_s": round(used() - before - fit_used, 2), "status": told["status"],
            "accuracy": score["score"]["accuracy"],
            "model_mb": round(model.stat().st_size / 1e6, 1),
        }
    print(json.dumps(row), flush=True)
    return row


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
