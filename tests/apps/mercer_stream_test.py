#!/usr/bin/python3
"""Data batch by batch, run as a person runs it: mercer_stream_test.py BIN_FOLDER REPOSITORY"""

import gzip
import lzma
import re
import subprocess
import sys
import unittest

import numpy as np

import mercer_program
from mercer_program import BIN, DATA, as_json, mercer


class Streams(mercer_program.Scratch):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)
        x = rng.normal(size=(3000, 3)).round(6)
        y = (np.sin(x[:, 0]) + x[:, 1]).round(6)
        self.lines = [",".join(map(str, [*row, t])) + "\n" for row, t in zip(x.tolist(), y.tolist())]
        self.table = self.path("t.csv")
        self.table.write_text("a,b,c,y\n" + "".join(self.lines))
        self.words = ["--kernel", "rbf(gamma=0.2)", "--set", "n_centres=40", "alpha=0.01"]

    def fitted(self, data, *words, name="m"):
        mercer("fit", "nystroem_ridge", data, "--label", "y", *self.words, *words, "-o", self.path(name))
        return self.path(name).read_bytes()

    def test_streamed_and_in_memory_are_the_same_bytes(self):
        for scale in ([], ["--scale", "standard"], ["--scale", "minmax"]):
            self.assertEqual(self.fitted(self.table, "--stream", *scale), self.fitted(self.table, *scale))
        self.assertEqual(self.fitted(self.table, "--stream", "--threads", "1"), self.fitted(self.table))

    def test_it_says_where_the_model_is(self):
        said = mercer("fit", "nystroem_ridge", self.table, "--label", "y", *self.words, "--stream", "-o", self.path("m"))
        self.assertIn(f"model: {self.path('m')}\n", said)
        self.assertNotIn("not written", said)
        self.assertNotIn("picture", said)
        self.assertIn("not written: name a file with -o", mercer("fit", "nystroem_ridge", self.table, "--label", "y", *self.words, "--stream"))

    def test_two_columns_of_one_name_are_refused(self):
        lines = self.table.read_text().splitlines(True)
        names = lines[0].rstrip("\n").split(",")
        kept = next(name for name in names if name != "y")
        other = next(i for i, name in enumerate(names) if name not in ("y", kept))
        names[other] = kept
        self.path("twice.csv").write_text(",".join(names) + "\n" + "".join(lines[1:]))
        for words in ([], ["--stream"]):
            self.assertIn(f"the same name '{kept}'", mercer("fit", "nystroem_ridge", self.path("twice.csv"), "--label", "y", *self.words, *words, code=1))
        self.assertIn(f"the same name '{kept}'", mercer("fit", self.path("twice.csv"), "--target", "y", code=1))
        self.assertIn(f"the same name '{kept}'", mercer("scale", self.path("twice.csv"), "-o", self.path("s.csv"), code=1))

    def test_a_budget_changes_no_result_or_is_refused_with_the_least_one(self):
        self.words = ["--kernel", "rbf(gamma=0.2)", "--set", "n_centres=300", "alpha=0.01"]
        want = self.fitted(self.table, "--stream")
        said = mercer("fit", "nystroem_ridge", self.table, "--label", "y", *self.words, "--stream", "--memory", "1MB", code=1)
        least = re.search(r"300 centres take (\d+) MB of memory, but the memory limit is 1\.0 MB", said)
        self.assertTrue(least, said)
        for budget in int(least[1]), int(least[1]) + 1, 100:
            for words in ["--stream"], []:
                self.assertEqual(self.fitted(self.table, *words, "--memory", f"{budget}MB"), want, budget)

    def test_a_budget_changes_no_clusters(self):
        for method in ("nystroem_kmeans", "nystroem_spectral"):
            words = ["fit", method, self.table, "--label", "y", "--kernel", "rbf(gamma=0.2)", "--set", "n_centres=100", "n_clusters=4", "--stream", "-o", self.path("m")]
            mercer(*words)
            want = self.path("m").read_bytes()
            least = re.search(r"100 centres take (\d+) MB of memory", mercer(*words, "--memory", "300KB", code=1))
            for budget in int(least[1]), 100:
                mercer(*words, "--memory", f"{budget}MB")
                self.assertEqual(self.path("m").read_bytes(), want, (method, budget))

    def test_methods_without_targets_are_streamed_too(self):
        for method in ("nystroem_pca", "nystroem", "nystroem_kmeans", "nystroem_spectral"):
            models = []
            for words in ([], ["--stream"], ["--stream", "--scale", "standard"], ["--scale", "standard"]):
                mercer("fit", method, self.table, "--label", "y", "--kernel", "rbf(gamma=0.2)", "--set", "n_centres=40", *words, "-o", self.path("m"))
                models.append(self.path("m").read_bytes())
            self.assertEqual(models[0], models[1])
            self.assertEqual(models[2], models[3])
        self.assertIn("nystroem_pca", mercer("fit", "kernel_pca", self.table, "--stream", "--label", "y", "--kernel", "rbf(gamma=0.2)", code=1))

    def test_packed_files_and_several(self):
        want = self.fitted(self.table, "--stream")
        packed = {".gz": gzip.compress, ".xz": lzma.compress}
        for end, pack in packed.items():
            self.path("t.csv" + end).write_bytes(pack(self.table.read_bytes()))
            self.assertEqual(self.fitted(self.path("t.csv" + end), "--stream"), want)
        for i, part in enumerate((self.lines[:1000], self.lines[1000:1700], self.lines[1700:])):
            self.path(f"part-{i}.csv").write_text("a,b,c,y\n" + "".join(part))
        self.assertEqual(self.fitted(self.path("part-*.csv"), "--stream"), want)
        self.assertIn("no file name matches '", mercer("fit", "nystroem_ridge", self.path("nothing-*.csv"), "--stream", "--label", "y", *self.words, code=1))

    def test_a_quoted_field_may_be_longer_than_what_is_read_at_once(self):
        header = '"a\n' + 5_000_000 * "x" + '",b,c,y\n'
        self.table.write_text(header + "".join(self.lines))
        self.assertEqual(self.fitted(self.table, "--stream"), self.fitted(self.table))

    def test_a_quote_without_an_end_is_told_with_its_place(self):
        with open(self.table, "w") as out:
            out.write("a,b,c,y\n" + "".join(self.lines[:2000]) + '1,"two\nlines","3')
        for words in [], ["--stream"]:
            said = mercer("fit", "nystroem_ridge", self.table, "--label", "y", *self.words, *words, code=1)
            self.assertIn("t.csv:2003:8: expected a closing '\"'", said)
        with open(self.table, "ab") as out:
            out.truncate(300_000_000)  # a sparse file
        said = mercer("fit", "nystroem_ridge", self.table, "--label", "y", *self.words, "--stream", code=1)
        self.assertIn("t.csv:2003:8: expected a closing '\"' within 256 MB", said)

    def test_predictions_batch_by_batch(self):
        self.fitted(self.table, "--stream")
        want = mercer("predict", self.path("m"), self.table)
        self.assertEqual(mercer("predict", self.path("m"), self.table, "--stream", "--batch", "7"), want)
        self.assertEqual(mercer("predict", self.path("m"), self.table, "--stream", "--score"), mercer("predict", self.path("m"), self.table, "--score"))
        without = "a,b,c\n" + "".join(line.rsplit(",", 1)[0] + "\n" for line in self.lines)
        piped = subprocess.run([BIN / "mercer", "predict", self.path("m"), "-", "--stream", "--format", "csv"], input=without, capture_output=True, text=True, check=True)
        self.assertEqual(piped.stdout, want)
        mercer("predict", self.path("m"), self.table, "--stream", "-o", self.path("p.csv"))
        self.assertEqual(self.path("p.csv").read_text(), "prediction\n" + want)
        np.save(self.path("x.npy"), np.array([line.split(",")[:3] for line in self.lines], float))
        self.assertEqual(mercer("predict", self.path("m"), self.path("x.npy"), "--stream"), mercer("predict", self.path("m"), self.path("x.npy")))

    def test_classes_of_libsvm_and_csv(self):
        for data, words in ((DATA / "heart_scale.svm", []), (DATA / "iris.csv", ["--label", "species"])):
            for method in ("nystroem_logistic", "nystroem_svc"):
                fit = ["fit", method, data, *words, "--kernel", "rbf(gamma=0.1)", "--set", "n_centres=30"]
                mercer(*fit, "-o", self.path("a"))
                mercer(*fit, "--stream", "-o", self.path("b"))
                self.assertEqual(self.path("a").read_bytes(), self.path("b").read_bytes())
                self.assertGreater(as_json("predict", self.path("b"), data, *words)["score"]["accuracy"], 0.8)

    def test_many_rows_of_classes(self):
        """So many that a fit begins with some of them."""
        for bounds in ([0.5], [-0.5, 0.5, 3.5]):
            rows = (line.rstrip().rsplit(",", 1) for line in self.lines)
            self.table.write_text("a,b,c,y\n" + "".join(f"{x},k{np.digitize(float(y), bounds)}\n" for x, y in rows))
            fit = ["fit", "nystroem_logistic", self.table, "--label", "y", "--kernel", "rbf(gamma=0.2)", "--set", "n_centres=25", "C=100"]
            mercer(*fit, "-o", self.path("a"))
            mercer(*fit, "--stream", "-o", self.path("b"))
            self.assertEqual(self.path("a").read_bytes(), self.path("b").read_bytes())

    def test_what_cannot_be(self):
        self.assertIn("needs the examples in memory", mercer("fit", "svc", DATA / "iris.csv", "--label", "species", "--stream", code=1))
        self.assertIn("--stream needs a METHOD", mercer("fit", DATA / "iris.csv", "--stream", code=2))
        self.assertIn("learns from numbers", mercer("fit", "nystroem_ridge", DATA / "iris.csv", "--label", "species", "--stream", code=1))
        self.assertIn("leave --json", mercer("predict", "m", "x", "--stream", "--json", code=2))
        broken = self.path("t.csv.gz")
        broken.write_bytes(gzip.compress(self.table.read_bytes())[:-500])
        self.assertIn("truncated gzip", mercer("fit", "nystroem_ridge", broken, "--label", "y", *self.words, "--stream", code=1))
        # An invalid value far after the first batch is reported with its position in the file.
        lines = 70 * self.lines
        lines[200_000] = "1,2,x,3\n"
        self.table.write_text("a,b,c,y\n" + "".join(lines))
        streamed = mercer("fit", "nystroem_ridge", self.table, "--label", "y", *self.words, "--stream", code=1)
        self.assertIn(":200002:5: row 200001, column 'c'", streamed)
        self.assertEqual(streamed, mercer("fit", "nystroem_ridge", self.table, "--label", "y", *self.words, code=1))
        self.table.write_text("a,b,c,y\n1,2,3,4\n1,2,x,4\n")
        self.assertIn("got 'x'", mercer("fit", "nystroem_ridge", self.table, "--label", "y", *self.words, "--stream", code=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
