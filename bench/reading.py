#!/usr/bin/python3
"""reading.py [--mb 200] [--runs 3]: how fast files are read, and what they take: CSV and LIBSVM's text, by the program
reading (bench/reading.cpp), which says seconds and bytes; and the start-up of mercer."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(os.environ.get("MERCER_BIN", ROOT / "build" / "bin"))


def write_until(path, megabytes, line, header=""):
    draw = random.Random(1)
    # repeats a block of 4000 random lines: generating all lines would take minutes
    block = [line(draw) for _ in range(4000)]
    with open(path, "w") as out:
        size = out.write(header)
        while size < megabytes * 1e6:
            draw.shuffle(block)
            size += out.write("".join(block))


FILES = {
    "csv, 6 digits, 20 columns": ("short.csv", lambda d: ",".join(f"{d.gauss(0, 1):.6f}" for _ in range(20)) + f",{d.choice('ab')}\n", ",".join(f"x{i}" for i in range(20)) + ",y\n"),
    "csv, 17 digits, 20 columns": ("long.csv", lambda d: ",".join(repr(d.gauss(0, 1)) for _ in range(20)) + f",{d.choice('ab')}\n", ",".join(f"x{i}" for i in range(20)) + ",y\n"),
    "csv, whole numbers, quoted class": ("whole.csv", lambda d: ",".join(str(d.randrange(1000)) for _ in range(50)) + f',"class {d.choice("ab")}"\n', ",".join(f"x{i}" for i in range(50)) + ",y\n"),
    "libsvm, dense, 20 columns": ("dense.svm", lambda d: str(d.choice((-1, 1))) + "".join(f" {i}:{d.gauss(0, 1):.6f}" for i in range(1, 21)) + "\n", ""),
    "libsvm, sparse, 50 of 10000": ("sparse.svm", lambda d: str(d.choice((-1, 1))) + "".join(f" {i}:{d.random():.4f}" for i in sorted(d.sample(range(1, 10001), 50))) + "\n", ""),
    "libsvm, ones": ("ones.svm", lambda d: str(d.choice((-1, 1))) + "".join(f" {i}:1" for i in sorted(d.sample(range(1, 124), 14))) + "\n", ""),
}


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--mb", type=float, default=200)
    words.add_argument("--runs", type=int, default=3)
    given = words.parse_args()
    start = []
    for _ in range(20):
        began = time.perf_counter()
        subprocess.run([BIN / "mercer", "--version"], stdout=subprocess.DEVNULL, check=True)
        start.append(time.perf_counter() - began)
    print(f"start-up of mercer: {1e3 * min(start):.1f} ms at best, {1e3 * sorted(start)[10]:.1f} ms in the middle\n")
    print(f"{'file of ' + str(int(given.mb)) + ' MB':36} {'threads':>7} {'seconds':>8} {'MB/s':>6} {'MB/CPU s':>8} {'peak MB':>8} {'peak/text':>9} {'peak/numbers':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for what, (name, line, header) in FILES.items():
            path = Path(folder) / name
            write_until(path, given.mb, line, header)
            # loads the file into the cache of the system; by another process, because child processes inherit the peak
            # memory of this one
            subprocess.run(["cat", path], stdout=subprocess.DEVNULL)
            for threads in (1, 2):
                best = None
                for _ in range(given.runs):
                    label = ["y"] if name.endswith("csv") else []
                    done = subprocess.run([BIN.parent / "bench" / "reading", path, str(threads), *label], capture_output=True, text=True)
                    if done.returncode:
                        sys.exit(done.stderr)
                    got = json.loads(done.stdout)
                    if best is None or got["seconds"] < best["seconds"]:
                        best = got
                size = path.stat().st_size / 1e6
                print(f"{what:36} {threads:7} {best['seconds']:8.3f} {size / best['seconds']:6.0f} {size / best['cpu_seconds']:8.0f} {best['peak_bytes'] / 1e6:8.0f} "
                      f"{best['peak_bytes'] / 1e6 / size:9.2f} {best['peak_bytes'] / best['data_bytes']:12.2f}", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
