#!/usr/bin/python3
"""Every allocation and every file operation of the commands fails once: faults_test.py BIN_FOLDER REPOSITORY [--whole] [--only CASE] [--fault OPERATION:K[+]:REASON]

Whichever call fails, the program ends with success and the same bytes, or with exit code 1 and the reason, its old outputs
intact. It never ends by a signal, runs on for ever, leaks memory (where the build finds leaks) or leaves a temporary file.
Without --whole a sample of the calls is taken. Exit code 77: the program cannot be preloaded with a library."""

import argparse
import errno
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from faults import REASONS, Case, Checked, Fault

OLD = b"the old contents\n"
RANDOM = random.Random(7)
# Faults that a sample always contains. serve: no write succeeds, so that nothing can be written to the pipe that wakes
# the thread that waits for signals.
ALWAYS = {"serve": [Fault.parse("write:1+:EIO"), Fault.parse("write:2+:ENOSPC")]}


def make_data(folder, repository):
    """Small files, one for each kind of input."""
    points = [[round(RANDOM.gauss(i % 3, 0.7), 2) for _ in range(2)] for i in range(18)]
    classes = ["one", "two", "three"]
    with open(folder / "classes.csv", "w") as file:
        file.write("a,b,class\n" + "".join(f"{p[0]},{p[1]},{classes[i % 3]}\n" for i, p in enumerate(points)))
    with open(folder / "two.csv", "w") as file:
        file.write("a,b,class\n" + "".join(f"{p[0]},{p[1]},{classes[i % 3 > 0]}\n" for i, p in enumerate(points)))
    with open(folder / "values.csv", "w") as file:
        file.write("a,b,value\n" + "".join(f"{p[0]},{p[1]},{p[0] * p[1]:.3f}\n" for p in points))
    with open(folder / "plain.csv", "w") as file:
        file.write("a,b\n" + "".join(f"{p[0]},{p[1]}\n" for p in points))
    with open(folder / "sparse.svm", "w") as file:
        file.write("".join(f"{i % 2} 1:{p[0]} {3 + i % 4}:{p[1]}\n" for i, p in enumerate(points)))
    with open(folder / "strings.tsv", "w") as file:
        file.write("".join(f"{classes[i % 2]}\t{'abab' if i % 2 else 'cccb'}{''.join(RANDOM.choices('abc', k=3))}\n" for i in range(10)))


def all_cases(program, folder, repository):
    def mercer(*words):
        return subprocess.run([str(program), *words], cwd=folder, check=True, capture_output=True, text=True).stdout

    make_data(folder, repository)
    mercer("fit", "svc", "classes.csv", "--label", "class", "--scale", "standard", "-o", "svc.model", "-q")
    mercer("fit", "svc", "two.csv", "--label", "class", "-o", "two.model", "-q")
    mercer("fit", "kernel_pca", "plain.csv", "-o", "pca.model", "-q")
    mercer("scale", "plain.csv", "-o", "scaled.csv", "--save-scaling", "scaling.json")
    os.unlink(folder / "scaled.csv")
    cases = []

    def case(name, words, start, outputs=(), absent=(), resumable=(), varying=""):
        before = {**{each: OLD for each in outputs}, **{each: None for each in absent}}
        cases.append(Case(name, words.split() if isinstance(words, str) else words, start, before, tuple(resumable), varying))

    for method in json.loads(mercer("methods", "--json"))["methods"]:
        name, family = method["name"], method["family"]
        data = {"classes": "classes.csv", "values": "values.csv"}.get(method["targets"], "plain.csv")
        words = ["fit", name, data, "-o", "model"]
        if data != "plain.csv":
            words += ["--label", "class" if data == "classes.csv" else "value"]
        options = {option["name"] for option in method["options"]}
        wanted = {"n_centres": 6, "n_clusters": 2, "n_components": 2, "size": 9, "n_init": 1}
        sets = [f"{key}={value}" for key, value in wanted.items() if key in options and (name, key) != ("kernel_kmedoids", "n_init")]
        if sets:
            words += ["--set", *sets]
        case(f"fit {name}", words, data, ["model"])
    label = "--label class"
    case("fit from main", f"fit svc two.csv {label} -o model", "", ["model"])
    case("fit probability", f"fit svc two.csv {label} --set probability=true -o model", "two.csv", ["model"])
    case("fit pictures", f"fit svc two.csv {label} -o model --svg picture.svg --html page.html", "two.csv", ["model", "picture.svg", "page.html"])
    case("fit automatic", "fit two.csv --target class -o model --points 2 --folds 2", "two.csv", ["model"])
    case("fit sparse", "fit svc sparse.svm -o model", "sparse.svm", ["model"])
    case("fit strings", ["fit", "svc", "strings.tsv", "--kernel", "normalize(spectrum(k=2))", "-o", "model"], "strings.tsv", ["model"])
    case("fit table of numbers", ["fit", "svc", "two.csv", "--label", "class", "--kernel", "anisotropic(covariance=[[2, 1], [1, 2]])", "-o", "model"],
         "two.csv", ["model"])
    case("fit stream", "fit nystroem_ridge values.csv --label value --stream --set n_centres=4 -o model", "values.csv", ["model"])
    case("fit checkpoint", f"fit kernel_logistic two.csv {label} --checkpoint state --checkpoint-seconds 0 -o model", "two.csv", ["model"],
         ["state"], ["state"])
    case("tune", f"tune svc two.csv {label} --set C=?{{1,10}} --folds 2 --log log -o model", "two.csv", ["model"], ["log"], ["log"])
    case("learn", f"learn svc two.csv {label} --kernel linear()+rbf(gamma=1) -o model", "two.csv", ["model"])
    case("cluster", "cluster kernel_kmeans plain.csv -k 2 -o model --labels labels", "plain.csv", ["model", "labels"])
    case("predict", "predict svc.model classes.csv -o answers", "svc.model", ["answers"])
    case("predict to stdout", "predict svc.model classes.csv", "svc.model")
    case("predict stream", "predict svc.model classes.csv --stream -o answers", "svc.model", ["answers"])
    case("evaluate", f"evaluate svc.model classes.csv --html page.html", "svc.model", ["page.html"])
    case("transform", "transform pca.model plain.csv -o answers.csv", "pca.model", ["answers.csv"])
    case("describe", "describe svc.model", "svc.model")
    for form in ("onnx", "pmml", "header", "libsvm"):
        case(f"convert {form}", f"convert two.model --to {form} -o converted", "two.model", ["converted"])
    case("scale", "scale plain.csv -o scaled --save-scaling by", "plain.csv", ["scaled", "by"])
    case("scale like", "scale plain.csv --like scaling.json -o scaled", "plain.csv", ["scaled"])
    case("serve", "serve svc.model --port 0", "svc.model", varying=r":\d+")
    case("explain", f"explain two.csv {label} --kernel rbf -o report", "two.csv", ["report"])
    case("explain model", "explain two.model two.csv --html page.html", "two.model", ["page.html"])
    case("regions", f"regions two.csv {label} --svg picture.svg", "two.csv", ["picture.svg"])
    case("compare-solvers", f"compare-solvers two.csv {label} --svg picture.svg", "two.csv", ["picture.svg"])
    for command in ("gram", "test --repair clip", "spectrum", "factor"):
        case(f"kernel {command}", f"kernel {command} rbf(gamma=1) plain.csv -o matrix.npy", "plain.csv", ["matrix.npy"])
    case("kernel show", "kernel show 0.5*rbf(gamma=0.1)+normalize(poly(degree=3,coef0=1))", "")
    case("kernel list", "kernel list", "")
    case("test", "test two-sample plain.csv plain.csv", "plain.csv")
    case("methods", "methods svc", "")
    # The command prints less if a file of the system cannot be read.
    case("devices", "devices", "", varying=r"(?m)^  (processor|processors|memory) .*")
    case("completion", "completion bash", "")
    case("manual", "manual fit", "")
    return cases


def allocation_faults(calls, how_many, pick):
    """Each call up to the 2,000th, then a tenth farther each time; or a sample of how_many."""
    ks = list(range(1, min(calls, 2000) + 1))
    while ks and (k := ks[-1] * 11 // 10) <= calls and len(ks) >= 2000:
        ks.append(k)
    for each_from_there in (False, True):
        chosen = ks if how_many is None else sorted(pick.sample(ks, min(how_many, len(ks))))
        yield from (Fault("allocate", k, each_from_there, errno.ENOMEM) for k in chosen)


def file_faults(calls, how_many, pick):
    faults = []
    for operation, (ending, overcome) in REASONS.items():
        for k in range(1, calls[operation] + 1):
            faults += [Fault(operation, k, each_from_there, reason) for reason in ending for each_from_there in (False, True)]
            faults += [Fault(operation, k, False, reason) for reason in overcome]
    yield from faults if how_many is None else pick.sample(faults, min(how_many, len(faults)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=Path)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--whole", action="store_true", help="every fault, not a sample")
    parser.add_argument("--only", action="append", help="the cases whose name begins so")
    parser.add_argument("--kind", choices=["allocation", "files"], help="the faults of one kind")
    parser.add_argument("--fault", action="append", type=Fault.parse, help="these faults alone, such as allocate:17+:ENOMEM or write:2:short")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=5, help="faults of each kind in each case (default: 5)")
    given = parser.parse_args()
    program, library = given.bin.resolve() / "mercer", given.bin.resolve() / "libmercer_faults.so"
    if not library.exists():
        print(f"faults: {library} is not built")
        return 77
    how_many = None if given.whole else given.sample
    failed = runs = 0
    with tempfile.TemporaryDirectory(prefix="mercer-faults-") as place:
        inputs = Path(place) / "inputs"
        inputs.mkdir()
        cases = all_cases(program, inputs, given.repository)
        if given.only:
            cases = [case for case in cases if any(case.name.startswith(name) for name in given.only)]

        def check(number):
            """The faults that were tried and the problems that were found."""
            case, folder = cases[number], Path(place) / str(number)
            shutil.copytree(inputs, folder)
            problems, count = [], 0
            try:
                checked = Checked(case, program, folder, str(library))
            except AssertionError as problem:
                return case, 1, [f"{problem}"]
            faults, pick = list(given.fault or []), random.Random(case.name)
            if not given.fault and not given.whole:
                faults += ALWAYS.get(case.name, [])
            if not given.fault and given.kind != "files":
                faults += allocation_faults(checked.calls["allocate"], how_many, pick)
            if not given.fault and given.kind != "allocation":
                faults += file_faults(checked.calls, how_many, pick)
            for fault in faults:
                count += 1
                if problem := checked.problem(fault):
                    problems.append(f"{fault}: {problem}")
            checked.server.close()
            shutil.rmtree(folder)
            return case, count, problems

        with ThreadPoolExecutor(given.jobs) as pool:
            for case, count, problems in pool.map(check, range(len(cases))):
                runs += count
                failed += len(problems)
                print(f"{case.name}: {count} faults, {len(problems)} problems", flush=True)
                for problem in problems[: 20 if given.whole else None]:
                    print(f"    {problem}", flush=True)
    print(f"{runs} faults in {len(cases)} commands, {failed} problems")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
