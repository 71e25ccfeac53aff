"""Images from Python: arrays, PIL's images, models of them."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import chi2_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV

from mercer import SVC, kernels
from mercer.kernels import Chi2, Colours, Gradients, Intersection, Pixels, Pullback, RBF, ShiftedPixels, SpatialPyramid

RANDOM = np.random.default_rng(3)
BYTES = RANDOM.integers(0, 256, size=(12, 6, 5, 3), dtype=np.uint8)


def histogram(image, bins):
    cubes = np.minimum((image.reshape(-1, 3) / np.float32(255) * bins).astype(int), bins - 1)
    return np.bincount(cubes @ [bins * bins, bins, 1], minlength=bins**3) / len(cubes)


def test_arrays_of_every_type_are_the_same_images():
    k = SpatialPyramid(levels=1) + ShiftedPixels(gamma=0.01)
    want = k(BYTES)
    floats = BYTES / np.float32(255)
    for same in (list(BYTES), BYTES.astype(np.uint16) * 257, floats, list(floats), np.asfortranarray(BYTES)):
        assert_allclose(k(same), want, rtol=1e-12)
    grey = BYTES[:, :, :, 0]
    for same in (grey[:, :, :, None], list(grey), grey / np.float32(255), list(grey / np.float32(255))):
        assert_allclose(k(same), k(grey), rtol=1e-12)
    opaque = np.concatenate([BYTES, np.full((12, 6, 5, 1), 255, dtype=np.uint8)], axis=3)
    assert_allclose(k(opaque), want, rtol=1e-12)


def test_values_beside_numpy():
    h = np.array([histogram(each, 4) for each in BYTES])
    assert_allclose(Colours(bins=4)(BYTES), h @ h.T)
    assert_allclose(Pullback(Colours(bins=4), Chi2(gamma=2))(BYTES), chi2_kernel(h, gamma=2))
    assert_allclose(Pullback(Colours(bins=4), Intersection())(BYTES), np.minimum(h[:, None], h[None]).sum(axis=2))
    flat = (BYTES / np.float32(255)).reshape(12, -1).astype(float)
    assert_allclose(Pullback(Pixels(), RBF(gamma=0.02))(BYTES, BYTES[:4]), rbf_kernel(flat, flat[:4], gamma=0.02))
    assert_allclose(ShiftedPixels(shift=0, gamma=0.02)(BYTES), rbf_kernel(flat, gamma=0.02))


def test_pictures_of_PIL():
    image = pytest.importorskip("PIL.Image")
    pictures = [image.fromarray(each) for each in BYTES]
    assert_array_equal(Colours()(pictures), Colours()(BYTES))
    grey = [each.convert("L") for each in pictures]
    assert_array_equal(Colours()(grey), Colours()([np.asarray(each) for each in grey]))
    assert Colours()([each.convert("1") for each in pictures]).shape == (12, 12)
    palette = [each.convert("P") for each in pictures]
    assert_array_equal(Colours()(palette), Colours()([np.asarray(each.convert("RGB")) for each in palette]))
    wide = image.fromarray(np.arange(6, dtype=np.uint16).reshape(2, 3) * 13107)
    assert_array_equal(Pixels()([wide, wide]), Pixels()([np.arange(6).reshape(2, 3) / np.float32(5)] * 2))
    SVC(kernel=Pullback(Gradients(cells=2), Chi2())).fit(pictures, np.arange(12) % 2).predict(pictures[:3])


def test_images_of_different_sizes():
    some = [BYTES[0], BYTES[1][:3], BYTES[2][:, :1], np.zeros((0, 0), dtype=np.uint8), BYTES[3][:1, :1]]
    K = SpatialPyramid()(some)
    assert_allclose(np.diag(K), [1, 1, 1, 0, 0])
    with pytest.raises(ValueError, match="all images must have the same size"):
        ShiftedPixels()(some)


def test_a_model_of_digits():
    x, y = load_digits(return_X_y=True)
    x = x.reshape(-1, 8, 8) / 16
    model = SVC(kernel=Pullback(Gradients(cells=4), Chi2(gamma=1)), C=10).fit(x[:600], y[:600])
    assert model.score(x[600:900], y[600:900]) > 0.9
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(list(x[600:700])), model.predict(x[600:700]))
    grid = {"kernel__map__cells": [1, 4], "kernel__k__gamma": [0.5]}
    search = GridSearchCV(SVC(kernel=Pullback(Gradients(cells=2), Chi2())), grid, cv=2).fit(x[:200], y[:200])
    assert search.best_params_["kernel__map__cells"] == 4


def test_text_forms_and_objects_are_the_same():
    k = Pullback(Gradients(cells=2, bins=4), Chi2(gamma=3))
    assert str(k) == "pullback(gradients(cells=2, bins=4), chi2(gamma=3))"
    assert kernels.parse(str(k)) == k
    assert k.proof()
    assert Pullback(kernels.Words(), RBF(gamma=1))(["a bc bc", "bc de"]).shape == (2, 2)


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="image 1 must have two dimensions"):
        Colours()([BYTES[0], np.zeros(3)])
    with pytest.raises(TypeError, match="image 0 must be an array of uint8, .* or float64, got int64"):
        Colours()([BYTES[0].astype(np.int64)])
    with pytest.raises(ValueError, match="must be finite, got nan at row 0, column 1"):
        Gradients()([np.array([[0.0, np.nan]])])
    with pytest.raises(ValueError, match="must lie in 0 ... 1, got 16"):
        Colours()([np.array([[0.0, 16.0]])])
    with pytest.raises(ValueError, match="got 5"):
        Colours()([np.zeros((2, 2, 5))])
    with pytest.raises(ValueError, match="has no explicit features"):
        Pullback(ShiftedPixels(), RBF(gamma=1))(BYTES)
