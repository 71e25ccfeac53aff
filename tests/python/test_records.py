"""Records: named fields of different kinds, as dicts or as a data frame."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer import SVC, KernelRidge
from mercer.kernels import RBF, Field, Normalize, Spectrum, parse

RANDOM = np.random.default_rng(1)
WORDS = ["".join(RANDOM.choice(list("abc"), size=RANDOM.integers(1, 9))) for _ in range(60)]
NUMBERS = RANDOM.normal(size=60)
TAGS = [set(RANDOM.choice(["x", "y", "z"], size=RANDOM.integers(1, 3))) for _ in range(60)]
ROWS = [{"word": w, "size": n, "tags": t} for w, n, t in zip(WORDS, NUMBERS, TAGS)]
Y = np.array([w.count("a") > 1 or n > 0.5 for w, n in zip(WORDS, NUMBERS)])
KERNEL = "field(size, rbf(gamma=0.5)) + 2*field(word, normalize(spectrum(k=1)))*field(tags, jaccard())"


def test_values_are_those_of_the_fields():
    K = parse(KERNEL)(ROWS)
    size = parse("rbf(gamma=0.5)")(NUMBERS.reshape(-1, 1))
    assert_allclose(K, size + 2 * parse("normalize(spectrum(k=1))")(WORDS) * parse("jaccard()")(TAGS), rtol=1e-14)


def test_the_kernel_as_an_object():
    k = Field("size", RBF(0.5)) + 2 * Field("word", Normalize(Spectrum(1)))
    assert str(k) == "field(size, rbf(gamma=0.5)) + 2*field(word, normalize(spectrum(k=1)))"
    assert repr(parse(str(k))) == repr(k)
    assert str(Field("two words", Spectrum(2))) == 'field("two words", spectrum(k=2))'


def test_a_machine_learns_predicts_and_travels():
    model = SVC(kernel=KERNEL, C=1000).fit(ROWS, Y)
    assert model.score(ROWS, Y) > 0.9
    turned = [dict(reversed(each.items())) for each in ROWS]  # fields are found by their names
    assert_array_equal(model.predict(turned), model.predict(ROWS))
    assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(ROWS), model.decision_function(ROWS))
    precomputed = SVC(kernel="precomputed", C=1000).fit(parse(KERNEL)(ROWS), Y)
    assert_array_equal(precomputed.predict(parse(KERNEL)(ROWS)), model.predict(ROWS))


def test_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"word": WORDS, "size": NUMBERS})
    short = [{"word": w, "size": n} for w, n in zip(WORDS, NUMBERS)]
    k = "field(size, rbf(gamma=0.5)) + field(word, spectrum(k=2))"
    assert_array_equal(parse(k)(frame), parse(k)(short))
    assert_array_equal(KernelRidge(kernel=k).fit(frame, NUMBERS).predict(frame), KernelRidge(kernel=k).fit(short, NUMBERS).predict(short))
    assert parse("linear()")(frame[["size"]]).shape == (60, 60)  # numbers alone are vectors, as ever


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="Record 1 must have the fields 'a', like the first one, got"):
        SVC(kernel="field(a, linear())").fit([{"a": 1}, {"b": 1}], [0, 1])
    with pytest.raises(ValueError, match="Field 'a': Input X contains NaN"):
        SVC(kernel="field(a, linear())").fit([{"a": 1.0}, {"a": float("nan")}], [0, 1])
    with pytest.raises(mercer.MercerError if hasattr(mercer, "MercerError") else ValueError, match="there is no field 'c': the records have the fields a"):
        SVC(kernel="field(c, linear())").fit([{"a": 1.0}, {"a": 2.0}], [0, 1])
