#!/usr/bin/python3
"""tests/consumer/alone.py INCLUDE COMPILER: compiles every header of INCLUDE/mercer by itself, with nothing but itself and what it includes.

Most of that is the standard library's headers, read again each time. So one source has many of ours: each stands in it with all that it includes, in a
namespace of its own (mercer0, mercer1, ...), after exactly those files of the standard library that it would see alone. Where one sees more of these than
another, they share a source: more is included between the two. No header sees a name that it would not see alone.
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

include, compiler = Path(sys.argv[1]), sys.argv[2]
FLAGS = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
headers = sorted(str(path.relative_to(include)) for path in include.glob("mercer/**/*.h"))
lines = {header: (include / header).read_text().splitlines() for header in headers}
if found := [f"{header}: {line}" for header in headers for line in lines[header] if re.match(r"\s*#(?!include [<\"]|pragma once$)", line)]:
    sys.exit("a header with macros: it would be seen by those after it\n" + "\n".join(found))


def ours(header, seen):
    """Its text with that of the headers of ours that it includes where it includes them, and the standard headers that it includes on the way."""
    seen.add(header)
    text, theirs = [f'#line 1 "{header}"'], set()
    for number, line in enumerate(lines[header], 1):
        if mine := re.match(r'#include "([^"]+)"', line):
            if mine[1] not in seen:
                inner, more = ours(mine[1], seen)
                text += [*inner, f'#line {number + 1} "{header}"']
                theirs |= more
            else:
                text.append("")
        elif standard := re.match(r"#include <([^>]+)>", line):
            theirs.add(standard[1])
            text.append("")
        else:
            text.append("" if line.startswith("#pragma once") else line)
    return text, theirs


def files_of(name):
    """The files that a standard header consists of."""
    done = subprocess.run([compiler, "-std=c++20", "-M", "-x", "c++", "-"], input=f"#include <{name}>\n", capture_output=True, text=True, check=True)
    return frozenset(done.stdout.replace("\\\n", " ").split()[2:])


def compile_one(source):
    done = subprocess.run([*FLAGS, str(source)], capture_output=True, text=True)
    return done.returncode, done.stderr


with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
    alone = {header: ours(header, set()) for header in headers}
    names = sorted(set().union(*(theirs for _, theirs in alone.values())))
    files = dict(zip(names, pool.map(files_of, names)))
    sees = {header: frozenset().union(*(files[name] for name in theirs)) for header, (_, theirs) in alone.items()}
    # each source is a list of headers; a header sees at least the standard headers that the previous one sees
    sources = []
    for header in sorted(headers, key=lambda each: len(sees[each])):
        fitting = [each for each in sources if sees[each[-1]] <= sees[header]]
        if fitting:
            max(fitting, key=lambda each: len(sees[each[-1]])).append(header)
        else:
            sources.append([header])
    paths = []
    for place, members in enumerate(sources):
        text = []
        for number, header in enumerate(members):
            own, theirs = alone[header]
            text += [*(f"#include <{name}>" for name in sorted(theirs)), f"#define mercer mercer{number}", *own, "#undef mercer"]
        paths.append(Path(folder) / f"{place}.cpp")
        paths[-1].write_text("\n".join(text) + "\n")
    wrong = [said for code, said in pool.map(compile_one, paths) if code]
    if wrong or len(headers) < 100:
        sys.exit("\n".join(wrong) if wrong else f"only {len(headers)} headers are installed")
    print(f"{len(headers)} headers compile alone, in {len(sources)} sources")
