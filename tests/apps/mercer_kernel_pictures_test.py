#!/usr/bin/python3
"""The pictures of mercer kernel, read back: mercer_kernel_pictures_test.py BIN_FOLDER REPOSITORY"""

import base64
import lzma
import os
import struct
import sys
import unittest
import zlib

import numpy as np
from mercer_program import DATA, SVG, Scratch, as_json, iris, mercer
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import rbf_kernel


def read_png(data):
    """Pixels of a PNG with a palette and unfiltered rows: numbers of colours, and the palette."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        parts[kind] = parts.get(kind, b"") + body
        at += 12 + size
    width, height, depth, colour = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert (depth, colour) == (8, 3)
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:], np.frombuffer(parts[b"PLTE"], np.uint8).reshape(256, 3)


def heat_map(page):
    """(group, values of the cells, half a colour step) of the heat map of an SVG page."""
    group = next(g for g in page.iter(SVG + "g") if g.get("class") == "heatmap")
    low, high = float(group.get("data-low")), float(group.get("data-high"))
    cells = int(group.get("data-cells").split()[1].split("×")[0])
    image = group.find(SVG + "image")
    pixels, _ = read_png(base64.b64decode(image.get("href").split(",", 1)[1]))
    each = len(pixels) // cells
    assert pixels.shape == (cells * each, cells * each)
    numbers = pixels[each // 2 :: each, each // 2 :: each].astype(float)
    return group, low + (high - low) * numbers / 255, (high - low) / 255 / 2


class Pictures(Scratch):
    def test_a_raster_agrees_with_the_matrix(self):
        mercer("kernel", "gram", "rbf(0.3)", DATA / "iris.csv", "--label", "species", "--svg", self.path("k.svg"))
        page = self.picture("k.svg")
        group, values, step = heat_map(page)
        x, y = iris()
        k = rbf_kernel(x, gamma=0.3)  # the file is already sorted by class
        self.assertEqual(values.shape, (150, 150))
        np.testing.assert_allclose(values, k, atol=step * 1.001)
        text = [element.text for element in page.iter(SVG + "text")]
        for word in ("rbf(gamma=0.3)", "Gram matrix", "Eigenvalues", "setosa", "versicolor", "virginica", "objects sorted by class", "|eigenvalue|"):
            self.assertIn(word, text)
        bands = next(g for g in page.iter(SVG + "g") if g.get("class") == "bands")
        self.assertEqual(len(bands.findall(SVG + "rect")), 6)
        dots = next(g for g in page.iter(SVG + "g") if g.get("class") == "eigenvalues")
        self.assertEqual(len(dots.findall(SVG + "circle")), 150)

    def test_rows_are_sorted_by_class(self):
        x, y = load_svmlight_file(str(DATA / "heart_scale.svm"))
        order = np.argsort(y, kind="stable")
        k = rbf_kernel(x, gamma=0.2)[np.ix_(order, order)]
        mercer("kernel", "gram", "rbf(0.2)", DATA / "heart_scale.svm", "--svg", self.path("k.svg"))
        _, values, step = heat_map(self.picture("k.svg"))
        np.testing.assert_allclose(values, k, atol=step * 1.001)

    def test_large_matrices_are_averaged(self):
        mercer("kernel", "gram", "rbf(gamma=0.001)", DATA / "digits.svm.xz", "--rows", 1000, "--svg", self.path("k.svg"), "--out", self.path("k.npy"))
        page = self.picture("k.svg")
        group, values, step = heat_map(page)
        k = np.load(self.path("k.npy"))
        with lzma.open(DATA / "digits.svm.xz") as file:
            _, y = load_svmlight_file(file)
        order = np.argsort(y[:1000], kind="stable")
        k = k[np.ix_(order, order)]
        edges = np.arange(400) * 1000 // 400
        sums = np.add.reduceat(np.add.reduceat(k, edges, axis=0), edges, axis=1)
        size = np.diff(np.append(edges, 1000))
        mean, high = sums / np.outer(size, size), float(group.get("data-high"))
        self.assertLess((mean > high).mean(), 0.01)  # the diagonal exceeds the end of the colour scale
        np.testing.assert_allclose(values, np.minimum(mean, high), atol=step * 1.001)
        self.assertLess(os.path.getsize(self.path("k.svg")), 1_000_000)

    def test_small_matrices_are_rectangles_with_their_values(self):
        mercer("kernel", "gram", "linear()", DATA / "iris.svm", "--rows", 7, "--svg", self.path("k.svg"))
        group = next(g for g in self.picture("k.svg").iter(SVG + "g") if g.get("class") == "heatmap")
        titles = [rect.find(SVG + "title").text for rect in group.findall(SVG + "rect")]
        x, _ = iris()
        self.assertEqual(len(titles), 49)
        shown = [float(title.split("=")[1]) for title in titles]
        np.testing.assert_allclose(shown, (x[:7] @ x[:7].T).ravel(), rtol=1e-13)
        self.assertTrue(titles[9].startswith("K(1, 2) = "))

    def test_negative_eigenvalues_are_red(self):
        mercer("kernel", "test", "sigmoid(0.5, 1)", DATA / "heart_scale.svm", "--svg", self.path("k.svg"))
        page = self.picture("k.svg")
        dots = next(g for g in page.iter(SVG + "g") if g.get("class") == "eigenvalues").findall(SVG + "circle")
        red = [dot for dot in dots if dot.get("fill") == "#d62728"]
        negative = as_json("kernel", "spectrum", "sigmoid(0.5, 1)", DATA / "heart_scale.svm")["negative"]
        self.assertEqual(len(red), negative)
        self.assertGreater(negative, 0)
        for dot in dots:
            value = float(dot.find(SVG + "title").text.split("=")[1])
            self.assertEqual(dot.get("fill") == "#d62728", value < 0)

    def test_a_dominant_diagonal_does_not_hide_the_rest(self):
        mercer("kernel", "gram", "spectrum(k=5)", DATA / "promoters.tsv", "--svg", self.path("k.svg"))
        page = self.picture("k.svg")
        group, _, _ = heat_map(page)
        self.assertLess(float(group.get("data-high")), 50)  # the diagonal is at least 53
        self.assertTrue(any((element.text or "").startswith("≥ ") for element in page.iter(SVG + "text")))

    def test_names_are_escaped(self):
        self.path("a<b>&.csv").write_text("a,b\n1,<x>\n2,&y\n3,<x>\n")
        mercer("kernel", "gram", "linear()", self.path("a<b>&.csv"), "--label", "b", "--svg", self.path("k.svg"))
        text = [element.text for element in self.picture("k.svg").iter(SVG + "text")]
        self.assertIn("<x>", text)

    def test_edges(self):
        """One object, a constant matrix, a zero matrix: pictures all the same."""
        self.path("zeros.csv").write_text("0,0\n0,0\n0,0\n")
        for expression, rows in (("linear()", 1), ("linear()", 3), ("rbf()", 3), ("-1*rbf()", 3)):
            mercer("kernel", "spectrum", expression, self.path("zeros.csv"), "--rows", rows, "--svg", self.path("k.svg"))
            self.assertNotIn("nan", self.path("k.svg").read_text())
            self.picture("k.svg")

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
