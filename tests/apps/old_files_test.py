#!/usr/bin/python3
"""Files of earlier releases (tests/old_files) load and give the recorded answers: old_files_test.py BIN_FOLDER REPOSITORY"""

import json
import shutil
import subprocess
import sys
import unittest

import mercer_program
from mercer_program import BIN, ROOT

PROGRAM = BIN.resolve() / "mercer"
RELEASES = sorted(folder.parent for folder in (ROOT.resolve() / "tests" / "old_files").glob("*/answers.json"))


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


class OldFiles(mercer_program.Scratch):
    def run_in(self, folder, *words):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=folder, timeout=300)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        return done.stdout

    def assert_same_table(self, found, expected, tolerance):
        """Compares all fields; numbers to a tolerance, because processors round differently."""
        found, expected = ([line.split(",") for line in text.splitlines()] for text in (found, expected))
        self.assertEqual([len(line) for line in found], [len(line) for line in expected])
        for line, was in zip(found, expected):
            for field, old in zip(line, was):
                if number(old) is None:
                    self.assertEqual(field, old)
                else:
                    self.assertAlmostEqual(float(field), float(old), delta=tolerance * max(1, abs(float(old))))

    def for_each(self, section, check):
        self.assertTrue(RELEASES)
        for release in RELEASES:
            for name, was in json.loads((release / "answers.json").read_text())[section].items():
                with self.subTest(release=release.name, name=name):
                    check(release, name, was)

    def assert_shares_of_cells(self, found, expected):
        """Cells of more than two classes once added votes that had no common scale, and each as its share: now they add shares of
        the classes. The labels remain, but for one where two classes are nearly as likely."""
        found, expected = ([line.split(",") for line in text.splitlines()[1:]] for text in (found, expected))
        self.assertEqual(len(found), len(expected))
        self.assertLessEqual(sum(now[0] != was[0] for now, was in zip(found, expected)), 1)
        for line in found:
            self.assertAlmostEqual(sum(map(float, line[1:])), 1)

    def test_models_and_scalings_answer_as_they_did(self):
        def check(release, name, was):
            found = self.run_in(release, *was["words"])
            if name in ("cells_svc", "cells_logistic"):
                self.assert_shares_of_cells(found, was["prints"])
            else:
                self.assert_same_table(found, was["prints"], 1e-7)

        self.for_each("commands", check)

    def test_models_are_described(self):
        for release in RELEASES:
            for model in sorted((release / "models").glob("*.model")):
                with self.subTest(release=release.name, model=model.name):
                    about = json.loads(self.run_in(release, "describe", model, "--json"))
                    self.assertTrue(about["method"])

    def test_fits_go_on_from_their_checkpoints(self):
        def check(release, name, was):
            state, model = self.path("state"), self.path("model")
            shutil.copy(release / "checkpoints" / name, state)
            self.run_in(release, *was["words"], "--checkpoint", state, "-q", "-o", model)
            self.assertFalse(state.exists(), "the checkpoint of a finished fit is removed")
            command, data = was["then"]
            self.assert_same_table(self.run_in(release, command, model, data), was["prints"], 1e-5)

        self.for_each("checkpoints", check)

    def test_searches_go_on_from_their_logs(self):
        for release in RELEASES:
            search = json.loads((release / "answers.json").read_text())["search"]
            log = self.path("log")
            shutil.copy(release / "search.log", log)
            found = json.loads(self.run_in(release, *search["words"], "--log", log))
            self.assertEqual(found["chosen"]["spec"], search["chosen"])
            self.assertEqual([each["scores"] for each in found["trials"]], search["scores"])
            # Scores in the log are not computed again: a logged setting with perfect scores is chosen.
            lines = (release / "search.log").read_text().splitlines()
            last = json.loads(lines[-1])
            last["scores"] = [1.0] * len(last["scores"])
            log.write_text("\n".join([*lines[:-1], json.dumps(last)]) + "\n")
            found = json.loads(self.run_in(release, *search["words"], "--log", log))
            self.assertEqual(found["chosen"]["spec"], json.loads(last["setting"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
