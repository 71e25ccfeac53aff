#!/usr/bin/python3
"""file_contents_test.py BIN_FOLDER REPOSITORY: files as they come: names of columns, blank lines, large indices."""

import csv
import json
import os
import random
import sys
import unittest
from pathlib import Path

from programs import BIN, PEER, SANITIZED, Scratch, call, peak_megabytes


class Names(Scratch):
    def predictions(self, names, data, *more):
        """A classifier of two clearly different classes; what it says, as CSV."""
        with open("train.csv", "wb") as out:
            out.write(data)
        call("mercer", "fit", "svc", "train.csv", "--label", "class", "--kernel", "linear()", "--set", "C=100", "-o", "model")
        call("mercer", "predict", "model", "train.csv", "-o", "out.csv", *more)
        with open("out.csv", newline="") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual([row["prediction"] for row in rows], names)
        return rows

    def test_csv_is_quoted(self):
        names = ["red, dark", 'the "other"\nof two lines'] * 3
        quoted = ['"red, dark"', '"the ""other""\nof two lines"'] * 3
        rows = self.predictions(names, ("x,class\n" + "".join(f"{i % 2},{name}\n" for i, name in enumerate(quoted))).encode(), "--details")
        self.assertEqual(len(rows), 6)
        # one prediction per line, since the output is not CSV
        lines = call("mercer", "predict", "model", "train.csv").stdout.decode().splitlines()
        self.assertEqual(lines, ["red, dark", 'the "other"\\nof two lines'] * 3)
        # the written file can be read; each class becomes its own target
        call("mercer", "fit", "svc", "out.csv", "--label", "prediction", "-o", "again")
        self.assertEqual(json.loads(call("mercer", "describe", "again", "--json").stdout)["classes"], sorted(set(names)))

    def test_names_that_are_not_utf_8(self):
        names = ["foncé", "clair"] * 3
        text = "taillé,class\n" + "".join(f"{i % 2},{name}\n" for i, name in enumerate(names))
        for coding in ("latin-1", "utf-8"):
            self.predictions(names, text.encode(coding))
            about = json.loads(call("mercer", "describe", "model", "--json").stdout)
            self.assertEqual(about["features"], ["taillé"])
        Path("latin.csv").write_bytes(text.encode("latin-1"))
        self.assertEqual(json.loads(call("mercer", "predict", "model", "latin.csv", "--json").stdout)["score"]["accuracy"], 1)
        # a path and a label with such bytes
        odd = b"donn\xe9es.csv"
        Path(os.fsdecode(odd)).write_bytes(text.replace("class", "catégorie").encode("latin-1"))
        call("mercer", b"fit", b"svc", odd, b"--label", b"cat\xe9gorie", b"-o", b"mod\xe8le", b"--json")
        answer = call("mercer", b"predict", b"mod\xe8le", odd, b"--json").stdout
        self.assertEqual(json.loads(answer)["score"]["accuracy"], 1)
        Path("items.sets").write_bytes("".join(f"{name}\tpâté {i % 2}\n" for i, name in enumerate(names)).encode("latin-1"))
        call("mercer", "fit", "svc", "items.sets", "-o", "sets.model", "--json")
        call("mercer", "predict", "sets.model", "items.sets", "--json")

    def test_columns_go_by_name(self):
        draw = random.Random(5)
        rows = [(draw.gauss(0, 1), 100 + draw.gauss(0, 10), draw.gauss(5, 2)) for _ in range(60)]
        write = lambda name, order, rows, more="": Path(name).write_text(
            ",".join("abc"[k] for k in order) + more + "\n" + "".join(",".join(repr(row[k]) for k in order) + more.replace("z", "1") + "\n" for row in rows))
        write("one.csv", (0, 1, 2), rows[:30])
        write("two.csv", (0, 1, 2), rows[30:])
        write("turned.csv", (2, 0, 1), rows[30:])
        test = lambda *words: json.loads(call("mercer", "test", "two-sample", *words, "--scale", "standard", "--json").stdout)
        straight, turned = test("one.csv", "two.csv"), test("one.csv", "turned.csv")
        self.assertEqual(straight["p_value"], turned["p_value"])
        self.assertEqual(straight["unbiased"], turned["unbiased"])
        write("more.csv", (0, 1, 2), rows[30:], ",z")
        write("fewer.csv", (0, 2), rows[30:])
        self.assertIn(b"has no column 'z'", call("mercer", "test", "two-sample", "one.csv", "more.csv", code=1).stderr)
        self.assertIn(b"the column 'b' of one.csv is missing", call("mercer", "test", "two-sample", "one.csv", "fewer.csv", code=1).stderr)
        # also a model
        Path("y.csv").write_text("".join(line + (",class" if i == 0 else f",{'pq'[i % 2]}") + "\n" for i, line in enumerate(Path("one.csv").read_text().splitlines())))
        call("mercer", "fit", "svc", "y.csv", "--label", "class", "--scale", "standard", "-o", "model")
        self.assertEqual(call("mercer", "predict", "model", "two.csv", "--details").stdout, call("mercer", "predict", "model", "turned.csv", "--details").stdout)
        self.assertIn(b"is missing", call("mercer", "predict", "model", "fewer.csv", code=1).stderr)

    def test_files_of_different_width_are_not_joined_in_silence(self):
        wide = "".join("1 " + " ".join(f"{k}:{i + k}" for k in range(1, 14)) + "\n" for i in range(20))
        Path("wide").write_text(wide)
        done = call("mercer", "test", "two-sample", "iris", "wide")
        self.assertIn(b"the columns from 5 on are 0", done.stderr)
        Path("four.csv").write_text("".join("1,2,3,%d\n" % i for i in range(9)))
        Path("five.csv").write_text("".join("1,2,3,4,%d\n" % i for i in range(9)))
        self.assertIn(b"has 4 columns", call("mercer", "test", "two-sample", "four.csv", "five.csv", code=1).stderr)

    def test_a_blank_line_is_an_empty_set(self):
        Path("train.sets").write_text("".join(f"p\ta b{i}\nq\tc d{i}\nr\t\n" for i in range(5)))
        call("mercer", "fit", "knn", "train.sets", "--set", "n_neighbors=1", "-o", "model")
        Path("new.sets").write_text("c d1\n\na b2\n")
        said = call("mercer", "predict", "model", "new.sets", "--label", "none").stdout.decode().split()
        self.assertEqual(len(said), 3)
        self.assertEqual((said[0], said[2]), ("q", "p"))


class Sparse(Scratch):
    def test_higher_indices_in_new_data(self):
        lines = Path("iris").read_text().splitlines()
        Path("new").write_text("".join(f"{line} 9:{i % 3 / 10}\n" for i, line in enumerate(lines)))
        call("svm-train", "-q", "-g", "0.25", "iris", "m")
        call("svm-predict", "-q", "new", "m", "labels")
        call("mercer", "fit", "svc", "iris", "--kernel", "rbf(gamma=0.25)", "-o", "model")
        done = call("mercer", "predict", "model", "new")
        self.assertEqual([float(v) for v in done.stdout.split()], [float(v) for v in Path("labels").read_text().split()])
        self.assertIn(b"indices up to 9", done.stderr)
        for words in (["ridge"], ["kernel_ridge"], ["knn"], ["svc", "--scale", "standard"], ["kernel_pca"], ["nearest_centroid"], ["kernel_logistic"]):
            call("mercer", "fit", *words, "iris", "-o", "model")
            what = "transform" if words[0] == "kernel_pca" else "predict"
            call("mercer", what, "model", "new")

    def test_weights_of_one_class_multiply(self):
        two = "".join(line + "\n" for line in Path("iris").read_text().splitlines() if line.split()[0] != Path("iris").read_text().split()[0])
        Path("two").write_text(two)
        label = two.split()[0]
        call("svm-train", "-q", "-c", "0.1", f"-w{label}", "2", f"-w{label}", "3", "two", "twice")
        call("svm-train", "-q", "-c", "0.1", f"-w{label}", "6", "two", "once")
        self.assertEqual(Path("twice").read_bytes(), Path("once").read_bytes())

    HASHED = "1 5:1 2147483647:0.5\n-1 7:1 2147483646:1\n1 5:2\n-1 7:2 90000000:1\n"

    @unittest.skipIf(not all(PEER.values()), "LIBSVM's programs are not installed")
    @unittest.skipIf(SANITIZED, "memory of a sanitizer")
    def test_one_large_index_costs_no_more_than_in_libsvm(self):
        Path("hashed").write_text(self.HASHED)
        for options in (["-g", "0.5"], ["-t", "0"], ["-s", "3"], ["-t", "1", "-g", "1", "-v", "2"]):
            ours, theirs = (peak_megabytes(program, *options, "hashed", "m") for program in (BIN / "svm-train", PEER["svm-train"]))
            self.assertLess(ours, theirs + 32, options)
        call("svm-train", "-q", "-g", "0.5", "hashed", "m")
        Path("new").write_text("1 3:1 2147483647:4\n1 5:1\n-1 7:1 2147483646:1\n")
        self.assertLess(peak_megabytes(BIN / "svm-predict", "new", "m", "ours"), peak_megabytes(PEER["svm-predict"], "new", "m", "theirs") + 32)
        self.assertEqual(Path("ours").read_text(), Path("theirs").read_text())
        Path("kernel").write_text("1 0:1 1:1 2:0.5 2147483647:7\n-1 0:2 1:0.5 2:1\n")
        self.assertLess(peak_megabytes(BIN / "svm-train", "-t", "4", "kernel", "k"), peak_megabytes(PEER["svm-train"], "-t", "4", "kernel", "k") + 32)

    @unittest.skipIf(SANITIZED, "memory of a sanitizer")
    def test_one_large_index_in_scale_and_mercer(self):
        Path("hashed").write_text(self.HASHED)
        # without the gaps between the indices the results are the same except for the column numbers
        numbers = {"5": "1", "7": "2", "90000000": "3", "2147483646": "4", "2147483647": "5"}
        close = lambda text: "\n".join(" ".join(numbers.get(pair.split(":")[0], pair.split(":")[0]) + (":" + pair.split(":")[1] if ":" in pair else "") for pair in line.split()) for line in text.splitlines())
        Path("close").write_text(close(self.HASHED) + "\n")
        for options in ([], ["-l", "0"], ["-s", "ranges"], ["-r", "ranges"]):
            if "-r" in options:
                Path("ranges.close").write_text("".join(" ".join([numbers.get(line.split()[0], line.split()[0]), *line.split()[1:]]) + "\n" for line in Path("ranges").read_text().splitlines()))
            far = call("svm-scale", *options, "hashed").stdout.decode()
            near = call("svm-scale", *[option.replace("ranges", "ranges.close") for option in options], "close").stdout.decode()
            self.assertEqual(close(far), "\n".join(line.rstrip() for line in near.splitlines()))
        self.assertLess(peak_megabytes(BIN / "svm-scale", "hashed"), 64)
        self.assertLess(peak_megabytes(BIN / "svm-scale", "-r", "ranges", "iris"), 64)
        self.assertLess(peak_megabytes(BIN / "mercer", "fit", "svc", "hashed", "--kernel", "rbf(gamma=0.5)", "-o", "model"), 128)
        self.assertLess(peak_megabytes(BIN / "mercer", "predict", "model", "hashed"), 128)
        self.assertLess(peak_megabytes(BIN / "mercer", "kernel", "test", "normalize(poly(degree=2, coef0=1))", "hashed"), 128)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
