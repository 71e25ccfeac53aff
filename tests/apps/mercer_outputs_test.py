#!/usr/bin/python3
"""The outputs of mercer and of LIBSVM's programs: none is a file that the command reads, another output, or without a name.
mercer_outputs_test.py BIN_FOLDER REPOSITORY"""

import gzip
import os
import shutil
import sys
import unittest
from pathlib import Path

from programs import DATA, Scratch, call

# Every command that writes files: its words, its inputs, and its options that name an output.
COMMANDS = [
    ("fit svc a.csv --label species", ["a.csv"], ["-o", "--svg", "--html"]),
    ("fit a.csv --target species", ["a.csv"], ["-o", "--svg", "--html"]),
    ("fit nystroem_svc a.csv --label species --stream", ["a.csv"], ["-o"]),
    ("fit nystroem_ridge n.csv --label 0", ["n.csv"], ["-o", "--svg", "--html", "--checkpoint"]),
    ("tune svc a.csv --label species --set C=?{1}", ["a.csv"], ["-o", "--svg", "--log", "--curve"]),
    ("learn svc a.csv --label species", ["a.csv"], ["-o"]),
    ("cluster kernel_kmeans n.csv -k 2", ["n.csv"], ["-o", "--labels", "--svg"]),
    ("predict m.model a.csv", ["m.model", "a.csv"], ["-o"]),
    ("predict m.model a.csv --stream", ["m.model", "a.csv"], ["-o"]),
    ("transform p.model n.csv", ["p.model", "n.csv"], ["-o", "--svg"]),
    ("evaluate m.model a.csv --log log.json --html page", ["m.model", "a.csv", "log.json"], ["--svg"]),
    ("evaluate m.model a.csv", ["m.model", "a.csv"], ["--html"]),
    ("explain m.model a.csv", ["m.model", "a.csv"], ["--html"]),
    ("explain a.csv --label species --kernel rbf", ["a.csv"], ["-o", "--save", "--html"]),
    ("explain m.model a.csv --features --why 1", ["m.model", "a.csv"], ["--picture", "--svg"]),
    ("regions n.csv --label 0", ["n.csv"], ["--svg", "--html"]),
    ("compare-solvers a.csv --label species", ["a.csv"], ["--svg"]),
    ("convert m.model --to libsvm", ["m.model"], ["-o"]),
    ("scale n.csv", ["n.csv"], ["-o", "--save-scaling"]),
    ("scale n.csv --like by.json", ["n.csv", "by.json"], ["-o"]),
    ("kernel gram rbf(gamma=1) n.csv", ["n.csv"], ["-o", "--svg"]),
    ("kernel test rbf(gamma=1) n.csv", ["n.csv"], ["-o", "--svg"]),
    ("kernel spectrum rbf(gamma=1) n.csv", ["n.csv"], ["-o", "--svg"]),
    ("kernel factor rbf(gamma=1) n.csv", ["n.csv"], ["-o"]),
]


class Outputs(Scratch):
    def setUp(self):
        super().setUp()
        shutil.copy(DATA / "iris.csv", "a.csv")
        Path("n.csv").write_text("".join(line.rsplit(",", 1)[0] + "\n" for line in Path("a.csv").read_text().splitlines()))
        call("mercer", "fit", "svc", "a.csv", "--label", "species", "-o", "m.model")
        call("mercer", "fit", "kernel_pca", "n.csv", "-o", "p.model")
        Path("log.json").write_text("a log")
        call("mercer", "scale", "n.csv", "-o", "scaled.csv", "--save-scaling", "by.json")
        os.mkdir("sub")

    def refused(self, *words):
        files = {name: Path(name).read_bytes() for name in os.listdir(".") if os.path.isfile(name)}
        done = call("mercer", *words, code=None)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 2, (words, said))
        self.assertEqual(said.count("\n"), 1, said)
        self.assertEqual({name: Path(name).read_bytes() for name in os.listdir(".") if os.path.isfile(name)}, files, words)
        return said

    def test_no_output_is_an_input(self):
        for command, inputs, options in COMMANDS:
            for option in options:
                for name in inputs:
                    self.assertIn("the same file", self.refused(*command.split(), option, name), (command, option, name))

    def test_no_two_outputs_are_one_file(self):
        for command, _, options in COMMANDS:
            for first, second in zip(options, options[1:]):
                if {first, second} in ({"-o", "--save"}, {"--picture", "--svg"}):
                    continue  # two names of one option
                self.assertIn("the same file", self.refused(*command.split(), first, "two.csv", second, "sub/../two.csv"))

    def test_every_name_has_letters(self):
        for command, _, options in COMMANDS:
            for option in options:
                self.assertIn("the name of the file is empty", self.refused(*command.split(), option, ""))
        for words in (["scale", "n.csv", "--like", ""], ["manual", "--folder", ""], ["fit", "svc", ""]):
            self.assertIn("the name of the file is empty", self.refused(*words))

    def test_links_and_other_spellings_lead_to_the_same_file(self):
        os.symlink("a.csv", "link.csv")
        os.link("a.csv", "hard.csv")
        os.symlink(".", "here")
        os.symlink("new.csv", "dangling.csv")
        fit = ["fit", "svc", "a.csv", "--label", "species"]
        for name in ("sub/../a.csv", "link.csv", "hard.csv", "here/a.csv", Path("a.csv").resolve()):
            self.refused(*fit, "-o", name)
        self.refused("fit", "svc", "csv:link.csv", "--label", "species", "-o", "hard.csv")
        self.refused(*fit, "-o", "new.csv", "--html", "here/new.csv")
        self.refused(*fit, "-o", "new.csv", "--html", "dangling.csv")
        self.refused("fit", "nystroem_svc", "a*.csv", "--label", "species", "--stream", "-o", "a.csv")
        with open("a.csv", "rb") as data:
            done = call("mercer", "fit", "svc", "csv:-", "--label", "species", "-o", "a.csv", code=2, stdin=data)
        self.assertIn(b"the same file", done.stderr)

    def test_a_file_of_a_folder_that_is_read_is_not_replaced(self):
        for name in ("texts/ham/1.txt", "texts/ham/2.txt", "texts/spam/3.txt", "texts/spam/4.txt"):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(name)
        self.assertIn("lies in the folder", self.refused("fit", "svc", "texts", "-o", "texts/ham/1.txt"))
        self.assertEqual(Path("texts/ham/1.txt").read_text(), "texts/ham/1.txt")

    def test_a_file_that_a_folder_links_to_is_not_replaced(self):
        for name in ("texts/ham/1.txt", "texts/ham/2.txt", "texts/spam/3.txt", "beyond/4.txt"):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(name)
        Path("outside.txt").write_text("outside")
        Path("hard.txt").write_text("hard")
        Path("table.txt").write_text("table")
        os.symlink("../../outside.txt", "texts/ham/link.txt")
        os.link("hard.txt", "texts/spam/hard.txt")
        os.symlink("../beyond", "texts/more")
        os.symlink("../table.txt", "texts/top.txt")
        os.symlink(".", "texts/back")
        for name in ("outside.txt", "hard.txt", "beyond/4.txt", "table.txt"):
            self.assertIn("is the same file as 'texts/", self.refused("fit", "svc", "texts", "-o", name))

    def test_files_that_are_read_with_images_are_not_replaced(self):
        os.mkdir("pictures")
        lines = []
        for i in range(4):
            Path(f"pictures/{i}.pgm").write_text(f"P2 2 2 9\n{i} {2 * i} 1 2\n")
            lines.append(f'"pictures/{i}.pgm",{"ab"[i % 2]}\n')
        os.rename("pictures/3.pgm", "pictures/3.dat")  # recognised by its contents
        lines[3] = lines[3].replace("pgm", "dat")
        Path("list.csv").write_text("".join(lines))
        Path("headed.csv").write_text("path,label\n" + "".join(reversed(lines)))
        with gzip.open("packed.csv.gz", "wt") as packed:
            packed.write("".join(lines))
        os.symlink("pictures/1.pgm", "link.pgm")
        for name in ("list.csv", "headed.csv", "packed.csv.gz"):
            call("mercer", "fit", "svc", f"images:{name}", "-o", "images.model")
            for output in ("pictures/1.pgm", "pictures/3.dat", "link.pgm"):
                said = self.refused("fit", "svc", f"images:{name}", "-o", output)
                self.assertIn("is the same file as 'pictures/", said)
        with open("list.csv", "rb") as data:
            done = call("mercer", "fit", "svc", "images:-", "-o", "pictures/1.pgm", code=2, stdin=data)
        self.assertIn(b"is the same file as 'pictures/1.pgm'", done.stderr)
        header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (4, 2, 2), }".ljust(117) + b"\n"
        array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(range(16))
        Path("array.npy").write_bytes(array)
        Path("array.labels.txt").write_text("a\nb\na\nb\n")
        said = self.refused("fit", "svc", "images:array.npy", "-o", "array.labels.txt")
        self.assertIn("is the same file as 'array.labels.txt'", said)
        # not a list of images, although a file has the name of a class
        Path("classes.csv").write_text("a,1,2\nb,2,1\n" * 10)
        for _ in range(2):
            call("mercer", "fit", "svc", "classes.csv", "--label", "0", "-o", "a")
        # not an array of images: the reader does not open labels
        Path("flat.npy").write_bytes(array.replace(b"(4, 2, 2)", b"(4, 4)   "))
        for _ in range(2):
            call("mercer", "cluster", "kernel_kmeans", "flat.npy", "-k", "2", "--labels", "flat.labels.txt")

    def test_an_output_that_cannot_be_written_is_told_before_the_work(self):
        for option in ("-o", "--svg", "--html"):
            done = call("mercer", "fit", "svc", "a.csv", "--label", "species", "-o", "kept", option, "nowhere/x", code=None)
            self.assertIn(done.returncode, (1, 2))
            self.assertFalse(os.path.exists("kept"))

    def test_other_files_are_replaced(self):
        shutil.copy("m.model", "other.model")
        call("mercer", "fit", "svc", "a.csv", "--label", "species", "--set", "C=7", "-o", "other.model")
        self.assertNotEqual(Path("other.model").read_bytes(), Path("m.model").read_bytes())
        call("mercer", "fit", "svc", "a.csv", "--label", "species", "-o", "/dev/null", "--html", "/dev/null")

    def test_the_programs_of_libsvm_keep_what_they_read(self):
        call("svm-train", "-q", "iris", "model")
        before = {name: Path(name).read_bytes() for name in ("iris", "model")}
        os.symlink("iris", "link")
        for words in (["svm-train", "-q", "iris", "link"], ["svm-predict", "iris", "model", "iris"], ["svm-predict", "iris", "model", "model"],
                      ["svm-scale", "-s", "iris", "iris"]):
            self.assertIn(b"the same file", call(*words, code=1).stderr)
        self.assertEqual({name: Path(name).read_bytes() for name in before}, before)

    def test_the_programs_of_libsvm_refuse_an_output_that_cannot_be_written_before_the_work(self):
        call("svm-train", "-q", "iris", "model")
        for words in (["svm-train", "iris", ""], *(["svm-predict", "iris", "model", output] for output in ("", "nowhere/x", "sub"))):
            done = call(*words, code=1)
            self.assertEqual(done.stdout, b"", words)
            self.assertRegex(done.stderr, b"can't (save model to|open output) file", words)
        os.mkfifo("pipe")  # no process writes to the pipe: reading it blocks
        self.assertIn(b"can't open output file", call("svm-predict", "pipe", "model", "", code=1).stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
