#!/usr/bin/python3
"""tests/consumer/alone.py INCLUDE COMPILER: compiles every header of INCLUDE/mercer by itself, with nothing but itself and what it includes.

Most of that is the standard library's headers, read again each time. Headers that see the same of those, directly or by other headers of ours, share a
precompiled header of exactly them, so that none sees a name that it would not see alone.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

include, compiler = Path(sys.argv[1]), sys.argv[2]
FLAGS = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I", str(include)]


def compile_with(*arguments):
    done = subprocess.run([*FLAGS, *arguments], capture_output=True, text=True)
    return done.returncode, done.stderr


def includes(header):
    text = (include / header).read_text()
    return re.findall(r'^#include "(mercer/[^"]+)"', text, re.M), re.findall(r"^#include <([^>]+)>", text, re.M)


headers = sorted(str(path.relative_to(include)) for path in include.glob("mercer/**/*.h"))
direct = {header: includes(header) for header in headers}


def standard(header, seen):
    """The standard headers that it includes, by others too."""
    if header in seen:
        return set()
    seen.add(header)
    ours, theirs = direct[header]
    return set(theirs).union(*(standard(each, seen) for each in ours))


def files_of(name):
    """The files that a standard header consists of."""
    done = subprocess.run([compiler, "-std=c++20", "-M", "-x", "c++", "-"], input=f"#include <{name}>\n", capture_output=True, text=True)
    return frozenset(done.stdout.replace("\\\n", " ").split()[1:])


wanted = {header: standard(header, set()) for header in headers}
with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
    folder = Path(folder)
    names = sorted(set().union(*wanted.values()))
    files = dict(zip(names, pool.map(files_of, names)))
    groups = defaultdict(list)
    for header in headers:
        groups[frozenset().union(*(files[name] for name in wanted[header]))].append(header)

    def prepare(place, members):
        """The precompiled header of a group of some size."""
        if len(members) < 3:
            return []
        shared = folder / f"standard{place}.h"
        shared.write_text("".join(f"#include <{name}>\n" for name in sorted(set().union(*(wanted[each] for each in members)))))
        code, said = compile_with("-x", "c++-header", str(shared), "-o", f"{shared}.gch")
        return ["-include", str(shared)] if code == 0 else sys.exit(said)

    def alone(job):
        header, options = job
        source = folder / (header.replace("/", "_") + ".cpp")
        source.write_text(f'#include "{header}"\n')
        return header, *compile_with("-fsyntax-only", *options, str(source))

    sets = list(groups.values())
    options = list(pool.map(prepare, range(len(sets)), sets))
    wrong = 0
    for header, code, said in pool.map(alone, [(each, with_) for members, with_ in zip(sets, options) for each in members]):
        if code:
            wrong += 1
            print(f"{header} does not compile alone:\n{said}", file=sys.stderr)
    if wrong or len(headers) < 100:
        sys.exit(f"{wrong} of {len(headers)} headers do not compile alone" if wrong else f"only {len(headers)} headers are installed")
    print(f"{len(headers)} headers compile alone, {len(sets)} sets of standard headers, {sum(map(bool, options))} of them precompiled")
