#!/usr/bin/python3
"""How fast kernels on objects are, all in one run, each beside its goal:

    PYTHONPATH=build/python bench/objects.py [--data DIR] [--json FILE] [graphs] [strings] [texts] [features]

graphs: Gram matrices of wl(h=5) on NCI1 and MUTAG. strings: spectrum and gappy subsequences beside kernlab, all substrings. texts: tf-idf and Gram matrix of
20newsgroups beside scikit-learn. features: a linear machine on the weighted degrees of 100,000 sequences. What is not there is skipped with a word. The parts are
those of bench/graphs.py, bench/strings.py and bench/texts.py.
"""

import argparse
import json
import os
import sys
from pathlib import Path

PARTS = ("graphs", "strings", "texts", "features")


def of_graphs(data):
    import graphs

    for name, goal in (("NCI1", 1.0), ("MUTAG", 0.010)):
        path = data / f"{name}.tar.xz"
        if not path.exists():
            print(f"{name}: not in {data}, skipped", file=sys.stderr)
            continue
        took = graphs.speed(path, 5, ["wl(h=5)"])[-1]["gram_s"]
        yield {"what": f"wl(h=5), Gram matrix of {name}", "seconds": took, "goal": f"{goal:g} s", "reached": took <= goal}


def of_strings(_):
    import strings

    goals = {"spectrum(5)": 100, "subsequences(3, 0.5)": 20}
    for row in strings.speed():
        what = f"{row['kernel']}, {row['n']:,} strings of {row['letters']:,}"
        found = {"what": what, "seconds": row["seconds"]}
        if row["kernel"] not in goals:
            yield {**found, "goal": "10 s", "reached": row["seconds"] <= 10}
        elif "kernlab_pair" in row:
            times = row["kernlab_pair"] / row["pair"]
            yield {**found, "times": times, "goal": f"{goals[row['kernel']]} x kernlab", "reached": times >= goals[row["kernel"]]}
        else:
            yield {**found, "goal": f"{goals[row['kernel']]} x kernlab", "reached": None}


def of_texts(_):
    import texts

    row = texts.speed(0)
    if row:
        times = row["theirs"] / row["seconds"]
        yield {"what": f"tf-idf and Gram matrix of {row['texts']:,} texts", "seconds": row["seconds"], "times": times, "goal": "5 x scikit-learn", "reached": times >= 5}


def of_features(_):
    import strings

    row = strings.features(6)
    took = row["fit_with_reading_and_scoring_s"]
    yield {"what": f"linear_svc on {row['kernel']} of {row['n']:,} sequences, read and scored", "seconds": took, "goal": "60 s", "reached": took <= 60}


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--data", type=Path, default=Path(__file__).resolve().parent.parent.parent / "shared/data/structured")
    parse.add_argument("--json", type=Path)
    parse.add_argument("what", nargs="*", choices=[*PARTS, []])
    given = parse.parse_args()
    os.environ.setdefault("MERCER_STRUCTURED", str(given.data))
    found = [row for part in given.what or PARTS for row in globals()[f"of_{part}"](given.data)]
    print("\n| what | s | beside | goal | |\n|---|---|---|---|---|")
    for row in found:
        beside = f"{row['times']:.1f} x" if "times" in row else ""
        print(f"| {row['what']} | {row['seconds']:.3g} | {beside} | {row['goal']} | {({True: 'reached', False: 'missed'}).get(row['reached'], 'not compared')} |")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
