#!/usr/bin/python3
"""Records in the program, run as a person runs it: mercer_records_test.py BIN_FOLDER REPOSITORY"""

import json
import sys
import unittest

import mercer_program
from mercer_program import as_json, mercer

WORDS = ["abab", "baba", "abba", "cccc", "ccac", "caca"]


class Records(mercer_program.Scratch):
    def rows(self):
        for i in range(60):
            word = WORDS[i % 6] + "abc"[i % 3] * (i % 4)
            yield word, (i * 7 % 11) / 4, "good" if (i % 6 < 3) != (i * 7 % 11 > 8) else "bad"

    def setUp(self):
        super().setUp()
        self.csv, self.lines, self.model = self.path("rows.csv"), self.path("rows.jsonl"), self.path("m.model")
        self.csv.write_text("word,size,kind\n" + "".join(f'"{w}",{s},{k}\n' for w, s, k in self.rows()))
        self.lines.write_text("".join(json.dumps({"word": w, "size": s, "kind": k}) + "\n" for w, s, k in self.rows()))

    KERNEL = "field(word, normalize(spectrum(k=2))) * field(size, rbf(gamma=2))"

    def test_a_table_of_two_kinds(self):
        mercer("fit", "svc", f"records:{self.csv}", "--label", "kind", "--kernel", self.KERNEL, "--set", "C=100", "-o", self.model)
        answer = as_json("predict", self.model, f"records:{self.csv}", "--label", "kind")
        self.assertGreater(answer["score"]["accuracy"], 0.95)
        # The same records as JSON lines, and one of its texts a number.
        again = as_json("predict", self.model, self.lines, "--label", "kind")
        self.assertEqual(again["score"]["accuracy"], answer["score"]["accuracy"])
        digits = self.path("digits.csv")
        digits.write_text("word,size,kind\n123,1,good\n")
        as_json("predict", self.model, f"records:{digits}", "--label", "kind")

    def test_without_a_kernel_every_field_has_its_own(self):
        mercer("fit", "svc", self.lines, "--label", "kind", "-o", self.model)
        self.assertIn("field(word, normalize(spectrum(k=3)))", as_json("describe", self.model)["kernel"])

    def test_what_is_wrong_is_said(self):
        said = mercer("fit", "svc", self.lines, "--label", "kind", "--kernel", "field(colour, linear())", "-o", self.model, code=1)
        self.assertIn("there is no field 'colour': the records have size, word", said)
        said = mercer("fit", "svc", self.lines, "--label", "kind", "--kernel", "rbf(gamma=1)", "-o", self.model, code=1)
        self.assertIn("is a kernel on vectors", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
