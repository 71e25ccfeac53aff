#!/usr/bin/python3
"""Our svm-train beside Debian's on data as it comes: every set, unscaled and scaled, all five tasks, a grid of C and gamma.

    bench/raw.py [--sets airfoil,energy] [--tasks c_svc,nu_svr] [--scalings raw,scaled] [--C 1,100] [--gamma 1e-3,1] [--rows 1500] [--limit 10]
                 [--sample N] [--repeats N] [--kernel rbf|linear|poly] [--cpu] [--table FILE] [--json FILE] [--data DIR]

Whole processes, sides in turn, best of the repeats. From both model files the dual objective is computed here in double, from differences of
coordinates and the numbers of the data (LIBSVM writes eight digits of a support vector, so it is looked up). Scaled: columns to [-1, 1], targets of regression
to mean 0 and variance 1. nu of nu-SVC is a share of the largest that is feasible; it and nu of one-class take the place of C. A case stands against us
where LIBSVM converged and we did not, or our objective is worse by more than 1e-5 of LIBSVM's. --table makes the tables of a --json file again.
"""

import argparse
import itertools
import json
import lzma
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_svmlight_file

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = {"ours": ROOT / "build" / "bin" / "svm-train", "libsvm": Path("/usr/bin/svm-train")}
TASKS = ["c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"]
KERNELS = {"linear": 0, "poly": 1, "rbf": 2}
SHARES = [0.1, 0.5]  # fractions of the largest feasible nu
EPSILON = 0.1
WORSE = 1e-5


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def key(columns, values):
    """A row as LIBSVM writes it, by which a support vector is found again."""
    return " ".join(f"{c}:{v:.8g}" for c, v in zip(columns, values) if v)


def read(packed):
    with lzma.open(packed, "rb") as f:
        return load_svmlight_file(f)


class problem:
    """A set, its file, and what the objective needs of it."""

    def __init__(self, x, y, regression, scaled, rows, folder):
        if rows and x.shape[0] > rows:
            some = np.sort(np.random.default_rng(1).permutation(x.shape[0])[:rows])
            x, y = x[some], y[some]
        if scaled:
            low, high = x.min(0).toarray()[0], x.max(0).toarray()[0]
            if x.shape[1] <= 2000:
                x = (x.toarray() - low) / np.where(high > low, high - low, 1) * 2 - 1
            else:
                x = x.multiply(1 / np.where(high > 0, np.maximum(high, -low), 1)).tocsr()
            if regression:
                y = (y - y.mean()) / (y.std() or 1)
        self.file = folder / "train"
        with open(self.file, "w") as f:
            for i in range(len(y)):
                row = x[i] if isinstance(x, np.ndarray) else x[i].toarray()[0]
                at = np.flatnonzero(row)
                f.write(f"{float(y[i])!r} " + " ".join(f"{c + 1}:{float(row[c])!r}" for c in at) + "\n")
        self.x, self.y = x, y
        if not isinstance(x, np.ndarray) and x.shape[1] <= 2000:
            self.x = x = x.toarray()
        self.place = {}
        for i in range(len(y)):
            row = x[i] if isinstance(x, np.ndarray) else x[i].toarray()[0]
            at = np.flatnonzero(row)
            self.place.setdefault((0.0 if regression else y[i], key(at + 1, row[at])), []).append(i)
        self.regression, self.folder = regression, folder
        self.counts = np.unique(y, return_counts=True)[1]
        self.statistic = {}

    def kernel(self, kind, gamma):
        """All values k(x, z), from the statistic that is kept."""
        if kind == "rbf":
            if "distance" not in self.statistic:
                if isinstance(self.x, np.ndarray):
                    self.statistic["distance"] = cdist(self.x, self.x, "sqeuclidean")
                else:
                    dot = (self.x @ self.x.T).toarray()
                    self.statistic["distance"] = np.maximum(dot.diagonal()[:, None] + dot.diagonal() - 2 * dot, 0)
            return np.exp(-gamma * self.statistic["distance"])
        if "dot" not in self.statistic:
            dot = self.x @ self.x.T
            self.statistic["dot"] = dot if isinstance(dot, np.ndarray) else dot.toarray()
        return self.statistic["dot"] if kind == "linear" else (gamma * self.statistic["dot"]) ** 3

    def read(self, model):
        """Labels, rows of the data and coefficients, one column a support vector, of a model file."""
        head, rows, coef, group, found = {}, [], [], [], {}
        with open(model) as f:
            for line in f:
                if line.strip() == "SV":
                    break
                name, *rest = line.split()
                head[name] = rest
            width = max(int(head["nr_class"][0]) - 1, 1)
            labels = [float(v) for v in head.get("label", [])]
            counts = [int(v) for v in head.get("nr_sv", [])]
            owners = [label for label, count in zip(labels, counts) for _ in range(count)]
            for s, line in enumerate(f):
                words = line.split()
                coef.append([float(c) for c in words[:width]])
                pairs = [p.split(":") for p in words[width:]]
                name = (owners[s] if owners else None, key([int(c) for c, _ in pairs], [float(v) for _, v in pairs]))
                found.setdefault(name, []).append(s)
                group.append(owners[s] if owners else None)
        rows = [0] * len(coef)
        for (label, text), these in found.items():
            if label is not None or self.regression:
                candidates = list(self.place[(0.0 if label is None else label, text)])
            else:  # one-class learning on a set of classes
                candidates = [i for c in np.unique(self.y) for i in self.place.get((c, text), [])]
            # among equal rows with different targets, the row with the larger target has the larger coefficient
            these, candidates = sorted(these, key=lambda s: -coef[s][0]), sorted(candidates, key=lambda i: -self.y[i])
            above = sum(coef[s][0] > 0 for s in these)
            chosen = candidates[:above] + candidates[len(candidates) - (len(these) - above) :]
            for s, i in zip(these, chosen):
                rows[s] = i
        return labels, np.array(group, dtype=float), np.array(rows, dtype=int), np.array(coef).reshape(len(coef), width).T

    def objective(self, model, K, case):
        """The dual objective to be minimised, summed over pairs of classes, and by how much a constraint is violated."""
        labels, group, rows, coef = self.read(model)
        task, C, nu = case["task"], case.get("C"), case.get("nu")
        if task in ("c_svc", "nu_svc"):
            total, broken = 0.0, 0.0
            for a, b in itertools.combinations(range(len(labels)), 2):
                of_a, of_b = np.flatnonzero(group == labels[a]), np.flatnonzero(group == labels[b])
                s = np.concatenate([of_a, of_b])
                beta = np.concatenate([coef[b - 1, of_a], coef[a, of_b]])
                s, beta = s[beta != 0], beta[beta != 0]
                quadratic = beta @ K[np.ix_(rows[s], rows[s])] @ beta / 2
                size = np.abs(beta).sum()
                if task == "nu_svc":  # the file stores alpha / r
                    r = nu * ((self.y == labels[a]).sum() + (self.y == labels[b]).sum()) / size if size else 0.0
                    total += r * r * quadratic
                    broken = max(broken, np.abs(beta).max(initial=0) * r - 1, abs(beta.sum()) / (size or 1))
                else:
                    total += quadratic - size
                    broken = max(broken, np.abs(beta).max(initial=0) / C - 1, abs(beta.sum()) / (size or 1))
            return total, broken
        beta = coef[0] if coef.size else np.zeros(0)
        value = beta @ K[np.ix_(rows, rows)] @ beta / 2 if len(rows) else 0.0
        size = np.abs(beta).sum()
        if task == "one_class":
            n = len(self.y)
            return value, max(beta.max(initial=0) - 1, -beta.min(initial=0), abs(size - nu * n) / (nu * n))
        value -= self.y[rows] @ beta if len(rows) else 0.0
        broken = max(np.abs(beta).max(initial=0) / C - 1, abs(beta.sum()) / (size or 1))
        if task == "epsilon_svr":
            return value + EPSILON * size, broken
        return value, max(broken, size / (C * nu * len(self.y)) - 1)

    def largest_nu(self):
        return min(2 * min(a, b) / (a + b) for a, b in itertools.combinations(self.counts, 2)) if len(self.counts) > 1 else 0.0


def cases_of(p, options):
    for task in options.tasks.split(","):
        if p.regression and task in ("c_svc", "nu_svc") or not p.regression and task in ("epsilon_svr", "nu_svr"):
            continue
        if task in ("c_svc", "epsilon_svr", "nu_svr"):
            sizes = [{"C": float(C)} for C in options.C.split(",")]
            if task == "nu_svr":
                sizes = [dict(s, nu=0.5) for s in sizes]
        else:
            sizes = [{"nu": share * (p.largest_nu() if task == "nu_svc" else 1.0)} for share in SHARES]
        for size in sizes:
            for gamma in options.gamma.split(",") if options.kernel != "linear" else ["1"]:
                yield dict(size, task=task, gamma=float(gamma))


def flags(case, options):
    out = ["-q", "-s", TASKS.index(case["task"]), "-t", KERNELS[options.kernel], "-g", repr(case["gamma"]), "-m", options.memory, "-p", EPSILON]
    if "C" in case:
        out += ["-c", repr(case["C"])]
    if "nu" in case:
        out += ["-n", repr(case["nu"])]
    return [str(o) for o in out]


def train(program, arguments, limit):
    """Seconds, seconds of processors, and how it ended: converged, stalled, iterations, timeout or an error."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return limit, limit, "timeout"
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    if done.returncode:
        return took, cpu, "error: " + (done.stderr + done.stdout).strip().replace("\n", " ")[:200]
    if "max number of iterations" in done.stderr:
        return took, cpu, "iterations"
    warnings = [line for line in done.stderr.splitlines() if "WARNING" in line and "leaves no margin" not in line]
    if warnings:
        return took, cpu, "stalled: " + warnings[0][:120]
    return took, cpu, "no margin" if "leaves no margin" in done.stderr else "converged"


def run(p, case, options, more_flags=()):
    row = dict(case)
    models = {side: p.folder / side for side in PROGRAMS}
    for r in range(options.repeats):
        for side in ("libsvm", "ours"):
            if r and (row[side + "_status"] != "converged" or row[side] > 1):
                continue
            took, cpu, status = train(PROGRAMS[side], flags(case, options) + [*more_flags, str(p.file), str(models[side])], options.limit)
            row[side] = min(row.get(side, took), took)
            row[side + "_cpu"] = min(row.get(side + "_cpu", cpu), cpu)
            row[side + "_status"] = status
    row["ratio"] = row["libsvm_cpu"] / max(row["ours_cpu"], 1e-3) if options.cpu else row["libsvm"] / row["ours"]
    K = None
    for side in PROGRAMS:
        if row[side + "_status"].split(":")[0] in ("timeout", "error"):
            continue
        K = p.kernel(options.kernel, case["gamma"]) if K is None else K
        row[side + "_objective"], row[side + "_broken"] = (float(v) for v in p.objective(models[side], K, case))
    if "ours_objective" in row and "libsvm_objective" in row and row["ours_status"] != "no margin":
        difference = row["ours_objective"] - row["libsvm_objective"]
        row["worse"] = difference / abs(row["libsvm_objective"]) if row["libsvm_objective"] else math.copysign(math.inf, difference) if difference else 0.0
    return row


def converged(row, side):
    """Also where nu leaves no margin: both ends are w = 0 up to noise, and objectives are not compared."""
    return row[side + "_status"] in ("converged", "no margin")


def named(row):
    size = f"C={row['C']:g}" if "C" in row else f"nu={row['nu']:.3g}"
    return f"{row['set']} {row['scaling']} {row['task']} {size} g={row['gamma']:g}"


def against(row):
    """Why a case stands against us, or nothing."""
    if not converged(row, "libsvm"):
        return ""
    if not converged(row, "ours"):
        return row["ours_status"]
    if row.get("worse", 0) > WORSE:
        return f"objective worse by {row['worse']:.1e}"
    if row.get("ours_broken", 0) > 1e-8 + row.get("libsvm_broken", 0):
        return f"constraint violated by {row['ours_broken']:.1e}"
    return ""


def mean(rows):
    return math.exp(sum(math.log(r["ratio"]) for r in rows) / len(rows)) if rows else math.nan


def table(rows, list_length):
    def section(title, group):
        print(f"\n| {title} | cases | LIBSVM converged | of these we | × mean | × worst | slower | objective worst | worse by > {WORSE:g} |\n|" + "---|" * 9)
        for name in sorted({group(r) for r in rows}) + ["all"]:
            here = [r for r in rows if name == "all" or group(r) == name]
            theirs = [r for r in here if converged(r, "libsvm")]
            both = [r for r in theirs if converged(r, "ours")]
            worst = max((r["worse"] for r in both if "worse" in r), default=math.nan)
            print(f"| {name} | {len(here)} | {len(theirs)} | {len(both)} | {mean(theirs):.2f} | {min((r['ratio'] for r in theirs), default=math.nan):.2f} "
                  f"| {sum(r['ratio'] < 1 for r in theirs)} | {worst:+.1e} | {sum(r.get('worse', 0) > WORSE for r in both)} |")

    section("set", lambda r: r["set"])
    section("task", lambda r: f"{r['scaling']} {r['task']}")
    section("gamma", lambda r: f"{r['scaling']} {r['gamma']:g}")
    section("C", lambda r: f"{r['scaling']} {r['C']:g}" if "C" in r else f"{r['scaling']} nu")

    def cases(title, some):
        print(f"\n{title}: {len(some)}" + ("" if len(some) <= list_length else f", the first {list_length}"))
        for r in some[:list_length]:
            print(f"  {named(r):60s} n={r['n']} ours {r['ours']:.3f} s {r['ours_status']}, LIBSVM {r['libsvm']:.3f} s {r['libsvm_status']}, "
                  f"× {r['ratio']:.2f}, objective {r.get('worse', math.nan):+.1e}")

    theirs = [r for r in rows if converged(r, "libsvm")]
    cases("LIBSVM converged, we did not", sorted((r for r in theirs if not converged(r, "ours")), key=lambda r: r["ratio"]))
    cases("both converged, ours is worse", sorted((r for r in theirs if converged(r, "ours") and against(r)), key=lambda r: -r.get("worse", 0)))
    cases("slower than LIBSVM", sorted((r for r in theirs if r["ratio"] < 1), key=lambda r: r["ratio"]))
    cases("neither converged", [r for r in rows if not converged(r, "libsvm") and not converged(r, "ours")])
    cases("we converged, LIBSVM did not", [r for r in rows if not converged(r, "libsvm") and converged(r, "ours")])


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parse.add_argument("--sets", default="", help="all, unless named")
    parse.add_argument("--tasks", default=",".join(TASKS))
    parse.add_argument("--scalings", default="raw,scaled")
    parse.add_argument("--C", default="1e-2,1,100,1e4")
    parse.add_argument("--gamma", default="1e-6,1e-3,1,100")
    parse.add_argument("--kernel", default="rbf", choices=KERNELS)
    parse.add_argument("--rows", type=int, default=1500, help="at most so many examples of a set, drawn at random")
    parse.add_argument("--limit", type=float, default=10, help="seconds a run may take")
    parse.add_argument("--memory", default="200", help="-m of both programs, in MB")
    parse.add_argument("--sample", type=int, help="at most so many cases of each set and scaling, drawn at random")
    parse.add_argument("--repeats", type=int, default=2)
    parse.add_argument("--cpu", action="store_true", help="ratios of processor time: for a machine at work")
    parse.add_argument("--list", type=int, default=40, help="lines of each list of cases")
    parse.add_argument("--json", type=Path, help="one case a line, as they come")
    parse.add_argument("--table", type=Path)
    options = parse.parse_args()
    if options.table:
        return table([json.loads(line) for line in options.table.read_text().splitlines()], options.list)
    found = {f.name.removesuffix(".svm.xz"): f for kind in ("regression", "classification") for f in sorted((options.data / kind).glob("*.svm.xz"))}
    sets = options.sets.split(",") if options.sets else [n for n in found if not n.endswith(".t")]
    rows = []
    if options.json:
        options.json.write_text("")
    for name in sets:
        if name not in found:
            say(f"{name}: not in {options.data}, skipped")
            continue
        for scaling in options.scalings.split(","):
            with tempfile.TemporaryDirectory() as folder:
                p = problem(*read(found[name]), found[name].parent.name == "regression", scaling == "scaled", options.rows, Path(folder))
                cases = list(cases_of(p, options))
                if options.sample and len(cases) > options.sample:
                    cases = random.Random(f"{name} {scaling}").sample(cases, options.sample)
                for case in cases:
                    row = dict(run(p, case, options), set=name, scaling=scaling, n=len(p.y))
                    rows.append(row)
                    if options.json:
                        with options.json.open("a") as f:
                            f.write(json.dumps(row) + "\n")
                    if against(row) or row["ratio"] < 1:
                        say(f"{named(row)}: × {row['ratio']:.2f} {against(row)}")
    if rows:
        table(rows, options.list)
    else:
        say(f"nothing to do: no data in {options.data}")


if __name__ == "__main__":
    main()
