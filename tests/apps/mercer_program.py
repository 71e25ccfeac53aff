"""mercer run as a person runs it, for the tests that are scripts with the arguments BIN_FOLDER REPOSITORY."""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from sklearn.datasets import load_svmlight_file

BIN, ROOT = Path(sys.argv[1]), Path(sys.argv[2])
DATA = ROOT / "data"
SVG = "{http://www.w3.org/2000/svg}"


def mercer(*words, code=0):
    """Runs the program; its standard output, and its standard error where it is to fail."""
    done = subprocess.run([BIN / "mercer", *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}, expected {code}\n{done.stdout}\n{done.stderr}")
    if code == 0 and done.stderr:
        raise AssertionError(f"{words}: unexpected standard error: {done.stderr}")
    return done.stderr if code else done.stdout


def as_json(*words):
    return json.loads(mercer(*words, "--json"))


def iris():
    x, y = load_svmlight_file(str(DATA / "iris.svm"))
    return x.toarray(), y


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return Path(self.folder.name) / name

    def picture(self, name):
        page = xml.parse(self.path(name)).getroot()
        self.assertEqual(page.tag, SVG + "svg")
        for element in page.iter():  # the page needs no external file
            for key, value in element.attrib.items():
                if key.endswith("href"):
                    self.assertTrue(value.startswith("data:"))
        return page

    def group(self, page, name):
        return next(g for g in page.iter(SVG + "g") if g.get("class") == name)
