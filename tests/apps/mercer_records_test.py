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
        # The same records as JSON lines; one of the texts is a number.
        again = as_json("predict", self.model, self.lines, "--label", "kind")
        self.assertEqual(again["score"]["accuracy"], answer["score"]["accuracy"])
        digits = self.path("digits.csv")
        digits.write_text("word,size,kind\n123,1,good\n")
        as_json("predict", self.model, f"records:{digits}", "--label", "kind")

    def test_without_a_kernel_every_field_has_its_own(self):
        mercer("fit", "svc", self.lines, "--label", "kind", "-o", self.model)
        self.assertIn("field(word, normalize(spectrum(k=3)))", as_json("describe", self.model)["kernel"])

    def test_texts_numbers_graphs_and_series_in_one_object(self):
        def record(i):
            ring = [[v, (v + 1) % 5] for v in range(5)] + ([[0, 2]] if i % 2 else [])
            return {"text": "red rose" if i % 3 else "blue sky", "price": i % 7, "net": {"nodes": ["C"] * 5, "edges": ring},
                    "curve": [(i % 2) * t + i % 3 for t in range(4)], "parse": "(S (NP x) y)" if i % 2 else "(S y)", "label": "odd" if i % 2 else "even"}  # fmt: skip
        self.lines.write_text("".join(json.dumps(record(i)) + "\n" for i in range(40)))
        for part in ("field(net, wl(h=2))", "field(curve, global_alignment(sigma=1))", "field(curve, fourier(terms=2))", "field(parse, subset_trees())"):
            kernel = f"field(text, words()) + 0.2*field(price, rbf(gamma=1)) + {part}"
            mercer("fit", "svc", self.lines, "--kernel", kernel, "--set", "C=100", "-o", self.model)
            self.assertEqual(as_json("predict", self.model, self.lines, "--score")["score"]["accuracy"], 1)
            self.assertEqual(as_json("kernel", "test", kernel, self.lines)["verdict"], "certified")

    def test_what_is_wrong_is_said(self):
        said = mercer("fit", "svc", self.lines, "--label", "kind", "--kernel", "field(colour, linear())", "-o", self.model, code=1)
        self.assertIn("there is no field 'colour': the records have the fields size, word", said)
        said = mercer("fit", "svc", self.lines, "--label", "kind", "--kernel", "rbf(gamma=1)", "-o", self.model, code=1)
        self.assertIn("is a kernel on vectors", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
