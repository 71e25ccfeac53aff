#!/usr/bin/python3
"""mercer serve under clients that ask at once: bench/serve.py [--megabytes 100] [--requests 1000] [--clients 16] [--rows 1]

Models whose rows take about so many megabytes, dense and sparse; each is asked by clients that keep their connections.
Requests a second over all clients, and the median and the slowest answer as a client sees them; the model's pass over its rows alone
(one client, one request at a time) stands beside it. MERCER_BIN names the folder of the program."""

import argparse
import http.client
import json
import os
import random
import subprocess
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(os.environ.get("MERCER_BIN", ROOT / "build" / "bin"))


def fitted(model, megabytes, columns=200):
    """By mercer fit: epsilon=0 keeps every row in the model."""
    draw, data = random.Random(1), model.with_suffix(".csv")
    count = int(megabytes * 1e6 / (8 * columns))
    block = [",".join(f"{draw.gauss(0, 1):.4f}" for _ in range(columns)) for _ in range(1000)]
    with open(data, "w") as out:
        out.write(",".join(f"x{i}" for i in range(columns)) + ",y\n")
        for i in range(count):
            out.write(f"{draw.gauss(0, 1):.4f}{block[i % 1000][block[i % 1000].index(','):]},{draw.gauss(0, 1):.4f}\n")
    if not model.exists():
        subprocess.run([BIN / "mercer", "fit", "svr", data, "--label", "y", "--kernel", "rbf(gamma=0.005)", "--set", "epsilon=0", "--set", "C=0.01", "-o", model], check=True, stdout=subprocess.DEVNULL)
    return [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(64)]


def written(model, megabytes, columns=10000, entries=60):
    """In LIBSVM's form, sparse: a fit of so many rows would take longer than all requests."""
    draw = random.Random(1)
    rows = lambda: sorted(draw.sample(range(1, columns + 1), entries))
    count = int(megabytes * 1e6 / (12 * entries))
    with open(model, "w") as out:
        out.write(f"svm_type epsilon_svr\nkernel_type rbf\ngamma 0.05\nnr_class 2\ntotal_sv {count}\nrho 0.5\nSV\n")
        for _ in range(count):
            out.write(f"{draw.gauss(0, 1):.4f}" + "".join(f" {i}:{draw.random():.3f}" for i in rows()) + "\n")
    return [{str(i): draw.random() for i in rows()} for _ in range(64)]


def ask(port, bodies, seconds, faults):
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    for body in bodies:
        began = time.perf_counter()
        link.request("POST", "/predict", body, {"Content-Type": "application/json"})
        answer = link.getresponse()
        text = answer.read()
        seconds.append(time.perf_counter() - began)
        if answer.status != 200:
            faults.append(text)


def load(port, rows, given, clients, requests):
    seconds, faults, draw = [], [], random.Random(2)
    bodies = [[json.dumps(draw.choices(rows, k=given.rows)) for _ in range(requests // clients)] for _ in range(clients)]
    asking = [threading.Thread(target=ask, args=(port, each, seconds, faults)) for each in bodies]
    began = time.perf_counter()
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    took = time.perf_counter() - began
    seconds.sort()
    return len(seconds) / took, seconds[len(seconds) // 2], seconds[-1], faults


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--megabytes", type=float, default=100)
    words.add_argument("--requests", type=int, default=1000)
    words.add_argument("--clients", type=int, default=16)
    words.add_argument("--rows", type=int, default=1)
    words.add_argument("--folder", help="keep files and models here")
    given = words.parse_args()
    print(f"{'model':24} {'MB':>6} {'alone, ms':>10} {'requests/s':>11} {'median, ms':>11} {'slowest, ms':>12} {'faults':>7} {'memory, MB':>11}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.folder or scratch)
        for name, make in (("svr, dense rows", fitted), ("svr, sparse rows", written)):
            model = folder / f"{make.__name__}.model"
            rows = make(model, given.megabytes)
            run = subprocess.Popen([BIN / "mercer", "serve", model, "--port", "0", "--json", "--timeout", "600"], stdout=subprocess.PIPE, text=True)
            try:
                port = json.loads(run.stdout.readline())["port"]
                alone = load(port, rows, given, 1, 10)[1]
                rate, median, slowest, faults = load(port, rows, given, given.clients, given.requests)
                peak = next(int(line.split()[1]) / 1000 for line in open(f"/proc/{run.pid}/status") if line.startswith("VmHWM"))
                print(f"{name:24} {model.stat().st_size / 1e6:6.0f} {1e3 * alone:10.1f} {rate:11.1f} {1e3 * median:11.1f} {1e3 * slowest:12.1f} {len(faults):7} {peak:11.0f}", flush=True)
                if faults:
                    print("  ", faults[0].decode())
            finally:
                run.terminate()
                run.wait()


if __name__ == "__main__":
    main()
