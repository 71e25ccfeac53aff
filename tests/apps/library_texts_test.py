#!/usr/bin/python3
"""Texts that the library describes itself with, and the pages made from them: library_texts_test.py BIN_FOLDER REPOSITORY"""

import json
import re
import sys
import unittest

from mercer_program import ROOT, as_json

# Expressions whose proofs use every operation of kernels on vectors, and rules that do not hold.
EXPRESSIONS = (
    "exp(2*rbf(gamma=1) + linear())", "normalize(poly(degree=2))*laplacian()", "rbf(gamma=1)^2", "polynomial_of(linear(), [1, 2])",
    "polynomial_of(linear(), [1, -2])", "rbf(gamma=1) - linear()", "linear()^0.5", "conjugate(norm, linear())", "columns(linear(), [0])",
    "scaled(linear(), [1, 2])",
)  # fmt: skip


def broken_rows(text):
    """The lines of tables in a markdown text that do not have as many cells as the header."""
    cells = lambda line: len(re.findall(r"(?<!\\)\|", line))
    lines, wrong, fenced = text.split("\n"), [], False
    for i, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        if fenced or not re.fullmatch(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?", line):
            continue
        rows = [i - 1, i]
        while rows[-1] + 1 < len(lines) and lines[rows[-1] + 1].strip():
            rows.append(rows[-1] + 1)
        wrong += [f"{row + 1}: {lines[row]}" for row in rows if cells(lines[row]) != cells(lines[i - 1])]
    return wrong


def rules(proof):
    return {proof["rule"]}.union(*map(rules, proof["parts"]))


class Tables(unittest.TestCase):
    def test_rows_have_as_many_cells_as_the_header(self):
        pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
        self.assertGreater(len(pages), 5)
        for page in pages:
            with self.subTest(page.name):
                self.assertEqual(broken_rows(page.read_text()), [])

    def test_a_broken_row_is_found(self):
        table = "| a | b |\n|---|---|\n| `x\\|y` | 1 |\n| x|y | 1 |\n\n| no table |\n"
        self.assertEqual(broken_rows(table), ["4: | x|y | 1 |"])
        self.assertEqual(broken_rows(f"```\n{table}```\n"), [])


class Texts(unittest.TestCase):
    methods = as_json("methods")["methods"]
    kernels = as_json("kernel", "list")["kernels"]

    def test_every_kernel_and_parameter_has_a_description(self):
        for kernel in self.kernels:
            self.assertTrue(kernel["formula"] and kernel["rule"], kernel["name"])
            for parameter in kernel["parameters"]:
                with self.subTest(kernel["name"], parameter=parameter["name"]):
                    self.assertTrue(0 < len(parameter["about"]) <= 80, parameter["about"])

    def test_the_page_translates_what_it_shows(self):
        """page/src/texts/library.ts has every method, option and rule, and nothing else. The page shows proofs of kernels on vectors."""
        lines = (ROOT / "page/src/texts/library.ts").read_text().split("\n")
        translated = [json.loads(line.split(": both(")[0]) for line in lines if ": both(" in line]
        shown = {m["about"] for m in self.methods} | {o["about"] for m in self.methods for o in m["options"]}
        shown |= {k["rule"] for k in self.kernels if k.get("kind", k.get("domain")) in ("vectors", "any")}
        for expression in EXPRESSIONS:
            shown |= {re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "{}", rule) if rule.startswith("no rule") else rule
                      for rule in rules(as_json("kernel", "show", expression)["proof"])}  # fmt: skip
        self.assertEqual(sorted(shown - set(translated)), [])
        self.assertEqual(sorted(set(translated) - shown - {"all coefficients >= 0"}), [])
        self.assertEqual(len(translated), len(set(translated)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
