#!/usr/bin/python3
"""mercer fit DATA, which chooses by itself, run as a person runs it: mercer_automatic_test.py BIN_FOLDER REPOSITORY"""

import collections
import csv
import json
import random
import subprocess
import sys
import unittest

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import mercer_program
from mercer_program import BIN, DATA, as_json, mercer

PENGUINS = DATA / "penguins.csv"
QUICK = ("--points", "3", "--folds", "3")
MISSING = {"", "NA", "?"}


def said(*words, stdin=None):
    """Standard output and standard error of a run that ends well."""
    done = subprocess.run([BIN / "mercer", *map(str, words)], capture_output=True, input=stdin, timeout=300)
    if done.returncode:
        raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


def penguins():
    with open(PENGUINS, newline="") as file:
        return list(csv.DictReader(file))


def rows_of(table, columns):
    return [[row[c] for c in columns] for row in table]


class Tables(mercer_program.Scratch):
    def write(self, name, rows, **how):
        with open(self.path(name), "w", newline="") as file:
            csv.writer(file, **how).writerows(rows)
        return self.path(name)

    def predictions(self, model, data, *words):
        out, err = said("predict", model, data, "--json", *words)
        return json.loads(out), err

    def test_penguins_are_told_apart_and_every_choice_is_said(self):
        model = self.path("p.model")
        text = mercer("fit", PENGUINS, *QUICK, "-o", model)
        sexes = collections.Counter(row["sex"] for row in penguins())
        usual = max("female", "male", key=sexes.get)
        for words in ("species (by its name)", "classification (3 class names)", "island: 3 categories, one-hot",
                      f"sex: 2 categories, one-hot; {sexes['NA']} missing, the most frequent '{usual}' and an indicator",
                      "numbers to mean 0 and variance 1", "C"):
            self.assertIn(words, text)
        described = as_json("describe", model)
        self.assertEqual(described["target"], "species (by its name)")
        self.assertIn("accuracy", described["taken"])
        answer, err = self.predictions(model, PENGUINS)
        self.assertEqual(err, "")
        self.assertGreater(answer["score"]["accuracy"], 0.97)

    def test_the_same_fit_gives_the_same_bytes_for_any_number_of_threads(self):
        for threads in "1", "2":
            mercer("fit", PENGUINS, *QUICK, "--threads", threads, "-o", self.path(threads))
        self.assertEqual(self.path("1").read_bytes(), self.path("2").read_bytes())

    def test_encodes_as_scikit_learn_does(self):
        table = penguins()
        numbers, names = ["bill_length_mm", "body_mass_g"], ["island", "sex"]
        x = np.array([[np.nan if v in MISSING else float(v) for v in row] for row in rows_of(table, numbers)])
        filled = SimpleImputer(strategy="median").fit_transform(x)
        want = [StandardScaler().fit_transform(filled), np.isnan(x).astype(float)]
        for name in names:
            column = np.array([[None if row[name] in MISSING else row[name]] for row in table], dtype=object)
            full = SimpleImputer(strategy="most_frequent", missing_values=None).fit_transform(column)
            want.append(OneHotEncoder(sparse_output=False).fit_transform(full))
            if any(v is None for v in column[:, 0]):
                want.append((column == None).astype(float))  # noqa: E711
        want = np.hstack(want)
        y = np.array([i * 37 % 101 / 7 for i in range(len(table))])
        rows = [row + [t] for row, t in zip(rows_of(table, numbers + names), y)]
        model = self.path("m")
        fitted = as_json("fit", self.write("t.csv", [numbers + names + ["y"]] + rows), "--kernel", "rbf(gamma=0.3)",
                         "--set", "alpha=0.1", "-o", model)
        self.assertEqual(fitted["coordinates"], want.shape[1])
        # every prediction depends on all distances between rows
        oracle = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.3).fit(want, y).predict(want)
        got = np.array(self.predictions(model, self.path("t.csv"))[0]["predictions"])
        self.assertLess(np.abs(got - oracle).max(), 1e-8)

    def test_new_files_may_have_columns_in_any_order_more_of_them_and_no_target(self):
        model = self.path("p.model")
        mercer("fit", PENGUINS, *QUICK, "-o", model)
        want = self.predictions(model, PENGUINS)[0]["predictions"]
        table = penguins()
        names = [name for name in table[0] if name != "species"]
        random.Random(1).shuffle(names)
        data = self.write("new.csv", [["note"] + names] + [["x"] + row for row in rows_of(table, names)])
        answer, err = self.predictions(model, data)
        self.assertEqual(answer["predictions"], want)
        self.assertNotIn("score", answer)
        self.assertEqual(err.count("note"), 1)
        data = self.write("less.csv", [names[1:]] + rows_of(table, names[1:]))
        self.assertIn(f"the column '{names[0]}'", mercer("predict", model, data, code=1))

    def test_new_categories_and_missing_values_are_said_once(self):
        model = self.path("p.model")
        mercer("fit", PENGUINS, *QUICK, "-o", model)
        table = penguins()[:6]
        for row in table:
            row["island"] = "Atlantis"
        table[0]["island"] = ""
        names = list(table[0])
        answer, err = self.predictions(model, self.write("new.csv", [names] + rows_of(table, names)))
        self.assertEqual(len(answer["predictions"]), 6)
        self.assertEqual(err.count("Atlantis"), 1)
        self.assertEqual(err.count("island: 1 of 6 values are missing"), 1)
        one = self.write("one.csv", [names] + rows_of(table[:1], names))
        self.assertEqual(len(self.predictions(model, one)[0]["predictions"]), 1)

    def test_regression_with_an_offset_is_found_out(self):
        rows = [[i / 10, "ab"[i % 2], 1000 + i / 10 + 5 * (i % 2)] for i in range(120)]
        data = self.write("r.csv", [["x", "kind", "price"]] + rows)
        model = self.path("r.model")
        answer = as_json("fit", data, "-o", model)
        self.assertIn("regression (120 different numbers)", answer["choices"]["task"])
        self.assertEqual(answer["choices"]["target"], "price (the last column)")
        score = self.predictions(model, data)[0]["score"]
        self.assertGreater(score["r2"], 0.999)

    def test_real_vectors_objects_and_no_targets(self):
        self.assertIn("regression", as_json("fit", DATA / "housing.svm", *QUICK)["choices"]["task"])
        answer = as_json("fit", DATA / "promoters.tsv", "--folds", "3")
        self.assertEqual(answer["method"], "svc")
        self.assertIn("spectrum", answer["kernel"])
        answer = as_json("fit", DATA / "iris.csv", "--target", "none")
        self.assertEqual(answer["method"], "one_class")
        self.assertIn("species: 3 categories", " ".join(answer["choices"]["columns"]))

    def test_choices_can_be_made_by_the_user(self):
        answer = as_json("fit", PENGUINS, "--target", "body_mass_g", "--scale", "minmax",
                         "--kernel", "rbf(gamma=?{0.1,1})", "--set", "alpha=0.1")
        self.assertEqual(answer["method"], "kernel_ridge")
        self.assertEqual(answer["choices"]["scaling"], "numbers to -1 ... 1")
        self.assertEqual(len(answer["tuning"]["trials"]), 2)
        self.assertIn("1 rows without it left out", answer["choices"]["target"])
        self.assertIn("penguins.csv:5:18: row 4, column 'bill_length_mm': missing value 'NA'",
                      mercer("fit", PENGUINS, "--missing", "refuse", code=1))
        answer = as_json("fit", DATA / "iris.svm", "--task", "regression", *QUICK)
        self.assertIn("regression (as asked", answer["choices"]["task"])

    def test_marks_line_ends_quotes_and_bytes_of_other_encodings(self):
        lines = [["größe", "co,lour", "class"]] + [[i, ['re"d', "blue, dark"][i % 2], "ab"[i % 2]] for i in range(40)]
        model = self.path("m")
        data = self.write("q.csv", lines)
        plain = data.read_bytes()
        # the lines already end in \r
        #
        data.write_bytes(b"\xef\xbb\xbf" + plain)
        mercer("fit", data, *QUICK, "-o", model)
        want = self.predictions(model, data)[0]
        self.assertEqual(want["score"]["accuracy"], 1)
        latin = self.path("latin.csv")
        latin.write_bytes(plain.decode().encode("latin-1").replace(b"\r\n", b"\n"))
        self.assertEqual(self.predictions(model, latin), (dict(want, data=str(latin)), ""))
        out, _ = said("fit", "-", *QUICK, stdin=plain)
        self.assertIn("class (by its name)", out)

    def test_hopeless_tables_are_refused_in_words(self):
        for name, text, words in (
            ("empty.csv", "", "at least one row"),
            ("header.csv", "a,b\n", "at least one row"),
            ("one_column.csv", "a\n1\n2\n", "--target none"),
            ("one_class.csv", "x,class\n1,a\n2,a\n", "the target column is constant, a, so it cannot be learnt"),
            ("one_row.csv", "x,class\n1,a\n", "no column can be used as a feature: x (always 1)"),
            ("nothing.csv", "x,class\n,a\n,b\n", "no column can be used as a feature: x (no values)"),
            ("no_target.csv", "x,class\n1,\n2,\n", "the target column 'class' (by its name) has no value in any row"),
            ("names.csv", "x,who\n" + "".join(f"{i % 5},person{i}\n" for i in range(30)), "30 different texts"),
            ("infinite.csv", "x,class\n1,a\ninf,b\n", "infinite.csv:3:1: row 2, column 'x'"),
            ("twice.csv", "x,x,class\n1,2,a\n2,3,b\n", "columns 1 and 2 have the same name 'x'"),
        ):
            with self.subTest(name):
                self.path(name).write_text(text)
                self.assertIn(words, mercer("fit", self.path(name), code=1))
        self.assertIn("the header has no column of this name", mercer("fit", PENGUINS, "--target", "nosuch", code=1))

    def test_a_column_without_values_and_a_rare_class_do_no_harm(self):
        rows = [["x", "empty", "class"]] + [[i % 10, "", "ab"[i % 10 > 4]] for i in range(40)] + [[3, "", "c"]]
        answer = as_json("fit", self.write("t.csv", rows), "--points", "3")
        self.assertIn("empty: left out: no values", answer["choices"]["columns"])
        self.assertEqual(answer["classes"], ["a", "b", "c"])

    def test_ten_thousand_columns(self):
        rows = [[f"c{j}" for j in range(10000)] + ["class"]]
        draw = random.Random(2)
        for i in range(30):
            rows.append([draw.random() + (i % 2 if j == 7 else 0) for j in range(10000)] + ["ab"[i % 2]])
        data = self.write("wide.csv", rows)
        model = self.path("wide.model")
        self.assertIn("(10000 in all): numbers", mercer("fit", data, *QUICK, "-o", model))
        self.assertEqual(self.predictions(model, data)[0]["score"]["of"], 30)

    def test_a_method_is_still_a_method(self):
        self.assertIn("svc", mercer("fit", "svcc", PENGUINS, code=2))
        self.assertIn("cannot", mercer("fit", "nosuch.csv", code=1))
        iris = DATA / "iris.csv"
        self.assertIn("mercer tune svc", mercer("fit", "svc", iris, "--label", "species", "--points", "3", code=2))
        plain = [self.path(name) for name in "ab"]
        mercer("fit", "svc", iris, "--label", "species", "-o", plain[0])
        mercer("fit", "svc", iris, "--target", "species", "--scale", "none", "-o", plain[1])
        self.assertEqual(plain[0].read_bytes(), plain[1].read_bytes())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
