#!/usr/bin/python3
"""Kernel ridge regression beside scikit-learn's KernelRidge, in one run on the same data, best of several.

    bench/methods_ridge.py [--n 8000] [--d 20] [--repeats 3] [--json FILE]

Ends with an error where the predictions of the two differ by more than 1e-8 of their scale.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.kernel_ridge import KernelRidge

ROOT = Path(__file__).resolve().parent.parent


def numbers(count):
    """What bench/methods_ridge.cpp draws: sums of four uniform numbers of a 64-bit linear congruential generator."""
    a, c = 6364136223846793005, 1442695040888963407
    block, mask = 1 << 16, (1 << 64) - 1
    # after k steps the state is a^k s + c (a^k - 1)/(a - 1); computes one block of steps at a time
    power, sums = np.empty(block, np.uint64), np.empty(block, np.uint64)
    p, s = 1, 0
    for k in range(block):
        p, s = p * a & mask, (s * a + c) & mask
        power[k], sums[k] = p, s
    state, parts = 1, []
    with np.errstate(over="ignore"):
        while sum(len(part) for part in parts) < 4 * count:
            states = power * np.uint64(state) + sums
            state = int(states[-1])
            parts.append((states >> np.uint64(11)).astype(float) * 2.0**-53)
    u = np.concatenate(parts)[: 4 * count].reshape(count, 4)
    return (((u[:, 0] + u[:, 1]) + u[:, 2]) + u[:, 3] - 2) * np.sqrt(3.0)


def best(work, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--n", type=int, default=8000)
    parse.add_argument("--d", type=int, default=20)
    parse.add_argument("--gamma", type=float, default=0.05)
    parse.add_argument("--alpha", type=float, default=0.1)
    parse.add_argument("--repeats", type=int, default=3)
    parse.add_argument("--json", type=Path)
    o = parse.parse_args()
    drawn = numbers(2 * o.n * o.d + o.n)
    rows = drawn[: 2 * o.n * o.d].reshape(2 * o.n, o.d)
    x, z = rows[: o.n], rows[o.n :]
    y = np.sin(x[:, 0]) + 0.5 * np.cos(2 * x[:, min(1, o.d - 1)]) + 0.1 * drawn[2 * o.n * o.d :]
    with tempfile.TemporaryDirectory() as folder:
        predictions = Path(folder) / "f"
        command = [ROOT / "build/bench/methods_ridge", str(o.n), str(o.d), repr(o.gamma), repr(o.alpha), str(o.repeats), str(predictions)]
        lines = [json.loads(line) for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()]
        ours = np.loadtxt(predictions)
    model = KernelRidge(kernel="rbf", gamma=o.gamma, alpha=o.alpha)
    fit = best(lambda: model.fit(x, y), o.repeats)
    predict = best(lambda: model.predict(z), o.repeats)
    theirs = model.predict(z[: len(ours)])
    difference = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
    sklearn = {"fit": fit, "predict": predict}
    print(f"n = {o.n}, d = {o.d}, largest difference of predictions {difference:.1e} of their scale\n\n| | Mercer s | scikit-learn s | × |\n|---|---|---|---|")
    for line in lines:
        other = sklearn.get(line["what"])
        note = f"{line['fits']:.1f} fits" if "fits" in line else ""
        compared = (f"{other:.3f}", f"{other / line['seconds']:.1f}") if other else ("", note)
        print(f"| {line['what']} | {line['seconds']:.3f} | {compared[0]} | {compared[1]} |")
        line["sklearn"] = other
    if o.json:
        o.json.write_text(json.dumps({"n": o.n, "d": o.d, "difference": difference, "lines": lines}, indent=1))
    if difference > 1e-8:
        sys.exit("the predictions differ")


if __name__ == "__main__":
    main()
