#!/usr/bin/python3
"""mercer explain --features, linear machines on objects and repeated objects:
mercer_features_test.py BIN_FOLDER REPOSITORY"""

import subprocess
import sys
import unittest

from mercer_program import BIN, DATA, Scratch, as_json, mercer

PROMOTERS = DATA / "promoters.tsv"
GRAPHS = """{"label": 1, "nodes": [6, 6, 8], "edges": [[0, 1], [1, 2]]}
{"label": 0, "nodes": [6, 6, 6], "edges": [[0, 1], [1, 2]]}
{"label": 1, "nodes": [6, 8, 8, 6], "edges": [[0, 1], [1, 2], [2, 3]]}
{"label": 0, "nodes": [6, 6, 6, 6], "edges": [[0, 1], [1, 2], [2, 3], [3, 0]]}
"""


class Features(Scratch):
    def fit(self, method, data, *words):
        mercer("fit", method, data, "-o", self.path("m"), *words)
        return self.path("m")

    def test_shares_add_up_to_the_decision(self):
        model = self.fit("svc", PROMOTERS, "--kernel", "normalize(spectrum(k=4))")
        decision = as_json("predict", model, PROMOTERS, "--details")["details"]["values"]
        for row in (0, 7, 105):
            answer = as_json("explain", model, PROMOTERS, "--features", "--why", row, "--top", 5)
            self.assertEqual(answer["row"], row)
            (one,) = answer["functions"]
            self.assertEqual({one["positive"], one["negative"]}, {"+", "-"})
            self.assertEqual(len(one["largest"]), 5)
            total = sum(each["share"] for each in one["largest"]) + one["rest"] + one["offset"]
            self.assertAlmostEqual(total, decision[row][0], delta=1e-9)
            self.assertAlmostEqual(one["f"], decision[row][0], delta=1e-9)
            self.assertAlmostEqual(sum(one["parts"]) + one["offset"], one["f"], delta=1e-9)
            letters = PROMOTERS.read_text().splitlines()[row].split("\t")[-1]
            for each in one["largest"]:
                self.assertAlmostEqual(each["share"], each["weight"] * each["value"], delta=1e-12)
                self.assertIn(each["feature"], letters)
            self.assertEqual(len(one["parts"]), len(letters))
        text = mercer("explain", model, PROMOTERS, "--features", "--why", 0, "--picture", self.path("p.svg"))
        first = as_json("explain", model, PROMOTERS, "--features", "--why", 0)["functions"][0]["largest"][0]
        self.assertIn(first["feature"], text)
        drawn = "".join(self.picture("p.svg").itertext())
        self.assertIn("features with the largest shares", drawn)

    def test_the_model_alone_gives_its_weights(self):
        model = self.fit("svc", PROMOTERS, "--kernel", "spectrum(k=3)")
        (one,) = as_json("explain", model, "--features", "--top", 64)["functions"]
        sizes = [abs(each["weight"]) for each in one["largest"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertTrue(all(len(each["feature"]) == 3 for each in one["largest"]))
        self.assertIn("weight", mercer("explain", model, "--features"))

    def test_graphs(self):
        self.path("g.jsonl").write_text(GRAPHS)
        model = self.fit("svc", self.path("g.jsonl"), "--kernel", "wl(h=1)")
        words = ("--features", "--why", 2, "--picture", self.path("g.svg"))
        answer = as_json("explain", model, self.path("g.jsonl"), *words)
        self.assertEqual(len(answer["functions"][0]["parts"]), 4)
        self.assertIn("8", [each["feature"] for each in answer["functions"][0]["largest"]])
        self.assertTrue([e for e in self.picture("g.svg").iter() if e.tag.endswith("circle")])

    def test_refusals(self):
        model = self.fit("svc", PROMOTERS, "--kernel", "subsequences(k=2)")
        said = mercer("explain", model, "--features", code=1)
        self.assertIn("subsequences(k=2, decay=0.5) has no explicit features", said)
        self.assertIn("DATA is missing", mercer("explain", model, "--features", "--why", 3, code=2))
        self.assertIn("--why ROW", mercer("explain", model, "--features", "--picture", self.path("p.svg"), code=2))
        self.assertIn("MODEL is required", mercer("explain", "--features", code=2))
        said = mercer("explain", model, PROMOTERS, "--picture", self.path("p.svg"), code=2)
        self.assertIn("--features and --why", said)
        model = self.fit("svc", PROMOTERS, "--kernel", "spectrum(k=2)")
        self.assertIn("row 106 does not exist: the", mercer("explain", model, PROMOTERS, "--features", "--why", 106, code=1))

    def test_kernel_show_tells_the_truth_about_features(self):
        self.assertIn("features   explicit; their number depends on the graphs", mercer("kernel", "show", "wl(h=3)"))
        said = mercer("kernel", "show", "normalize(random_walk())")
        self.assertIn("features   no finite map: random_walk(lambda=0.01) has no explicit features", said)
        self.assertTrue(as_json("kernel", "show", "normalize(spectrum())")["feature_space"]["explicit"])

    def test_linear_machines_take_objects(self):
        model = self.fit("linear_svc", PROMOTERS, "--kernel", "weighted_degree(d=4)", "--set", "C=10")
        self.assertEqual(as_json("predict", model, PROMOTERS)["score"]["accuracy"], 1)
        self.assertEqual(as_json("describe", model)["kernel"], "weighted_degree(d=4)")
        said = mercer("fit", "linear_svc", PROMOTERS, "--kernel", "levenshtein()", code=1)
        self.assertIn("no explicit features", said)
        self.assertIn("or a kernel with explicit features", mercer("fit", "linear_svc", PROMOTERS, code=1))

    def test_repeated_objects_are_told(self):
        # Numbers as targets, for a method whose model holds all examples.
        lines = PROMOTERS.read_text().splitlines()
        rows = [("1" if line[0] == "+" else "-1") + "\t" + line.split("\t")[-1] + "\n" for line in lines]
        self.assertEqual(len(set(rows)), 106)
        self.path("train.tsv").write_text("".join(rows[::2]))
        self.path("new.tsv").write_text("".join(rows[1::2] + rows[:6:2]))
        model = self.fit("kernel_ridge", self.path("train.tsv"), "--kernel", "spectrum(k=3)")
        words = [BIN / "mercer", "predict", model, self.path("new.tsv"), "--score"]
        done = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "mercer: 3 of 56 objects equal an example that the model stores (compared in feature space): the score says "
                         "little about new objects\n")
        self.assertIn("3 of 56", as_json("predict", model, self.path("new.tsv"))["warning"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
