#!/usr/bin/python3
"""The Gram engine beside sgemm and scikit-learn's rbf_kernel, in one run.

    bench/gram.py [--data DIR] [--json FILE]
"""

import argparse
import json
import lzma
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import rbf_kernel

ROOT = Path(__file__).resolve().parent.parent


def best(work, repeats=3):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "classification")
    parse.add_argument("--json", type=Path)
    options = parse.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        packed, plain = options.data / "a9a.svm.xz", Path(folder) / "a9a"
        arguments = []
        if packed.exists():
            plain.write_bytes(lzma.open(packed).read())
            arguments = [str(plain)]
        else:
            print(f"a9a is not in {options.data}: the sparse part is skipped", file=sys.stderr)
        lines = subprocess.run([ROOT / "build/bench/gram", *arguments], check=True, capture_output=True, text=True).stdout.splitlines()
        rows = [json.loads(line) for line in lines]
        print("| d | sgemm s | rbf X,Z s | of sgemm | GFLOP/s | rbf X,X s | composite s | of rbf | sklearn X,Z s | × | sklearn X,X s | × |\n|" + "---|" * 12)
        for r in rows:
            if "d" not in r:
                continue
            random = np.random.default_rng(1)
            x, z = (random.standard_normal((8192, r["d"]), dtype=np.float32) for _ in range(2))
            r["sklearn"], r["sklearn_self"] = best(lambda: rbf_kernel(x, z, gamma=0.01)), best(lambda: rbf_kernel(x, gamma=0.01))
            print(f"| {r['d']} | {r['sgemm']:.3f} | {r['rbf']:.3f} | {r['sgemm'] / r['rbf']:.2f} | {r['gflops']:.0f} | {r['rbf_self']:.3f} | {r['composite']:.3f} | {r['rbf'] / r['composite']:.2f} "
                  f"| {r['sklearn']:.3f} | {r['sklearn'] / r['rbf']:.1f} | {r['sklearn_self']:.3f} | {r['sklearn_self'] / r['rbf_self']:.1f} |")
        for r in rows:
            if "sparse" not in r:
                continue
            x = load_svmlight_file(str(plain), dtype=np.float32)[0][: r["rows"]]
            r["sklearn_self"] = best(lambda: rbf_kernel(x, gamma=0.03125))
            print(f"\na9a, first {r['rows']} rows, sparse: ours {r['rbf_self']:.3f} s, scikit-learn {r['sklearn_self']:.3f} s, {r['sklearn_self'] / r['rbf_self']:.1f} times")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
