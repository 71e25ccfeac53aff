#!/usr/bin/python3
"""Images in the program, run as a person runs it: mercer_images_test.py BIN_FOLDER REPOSITORY"""

import struct
import sys
import unittest

import mercer_program
from mercer_program import as_json, mercer

SHAPES = mercer_program.DATA / "shapes"


def npy(type, shape, values):
    head = f"{{'descr': '{type}', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + values


class Images(mercer_program.Scratch):
    KERNEL = "pullback(gradients(cells=2, bins=9), chi2(gamma=1))"

    def test_a_folder_of_classes(self):
        model = self.path("shapes.model")
        mercer("fit", "svc", SHAPES, "--kernel", self.KERNEL, "--set", "C=10", "-o", model)
        about = as_json("describe", model)
        self.assertEqual(about["kernel"], self.KERNEL)
        answer = as_json("predict", model, SHAPES)
        self.assertGreater(answer["score"]["accuracy"], 0.95)
        # The same images as a list of their paths, and a single image.
        files = sorted(SHAPES.glob("*/*.png"))
        listed = self.path("list.tsv")
        listed.write_text("".join(f"{file}\t{file.parent.name}\n" for file in files))
        self.assertEqual(as_json("predict", model, listed)["score"], answer["score"])
        self.assertIn(mercer("predict", model, files[0]).split()[-1], ("disc", "square", "triangle"))

    def test_an_array_with_labels_beside_it(self):
        bright = bytes(200 if i // 36 % 2 else (i * 7) % 60 for i in range(20 * 36))
        self.path("x.npy").write_bytes(npy("|u1", (20, 6, 6), bright))
        self.path("x.labels.npy").write_bytes(npy("|u1", (20,), bytes(i % 2 for i in range(20))))
        model, array = self.path("x.model"), f"images:{self.path('x.npy')}"
        mercer("fit", "svc", array, "--kernel", "shifted_pixels(shift=1, gamma=0.5)", "-o", model)
        self.assertEqual(as_json("predict", model, array)["score"]["accuracy"], 1)
        self.assertIn("images:FILE", mercer("fit", "svc", self.path("x.npy"), code=1))

    def test_kernels_are_tested_on_them(self):
        others = "spatial_pyramid()", "shifted_pixels(shift=1)", "pullback(colours(), intersection())"
        for kernel in (self.KERNEL, *others):
            answer = as_json("kernel", "test", kernel, SHAPES)
            self.assertEqual(answer["verdict"], "certified", kernel)

    def test_what_is_wrong_is_said(self):
        self.assertIn("was read as images", mercer("kernel", "test", "rbf(gamma=1)", SHAPES, code=1))
        bad = self.path("bad.png")
        bad.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
        self.assertIn("bad.png: bad PNG image", mercer("kernel", "test", "colours()", bad, code=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
