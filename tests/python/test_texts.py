"""Texts, multisets and points: against scikit-learn's vectorisers, and from the definition."""

import collections
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

import mercer

TEXTS = [
    "The quick brown fox jumps over the lazy dog.",
    "the DOG, the dog & the fox: 3 of them!",
    "",
    "Żółta ŁÓDŹ płynie; ΟΔΥΣΣΕΥΣ και Σ; МОСКВА слезам не верит",
    "东京 大阪 東京タワー 😀 ok_ok x2",
    "a an the",
] * 3


def same(ours, theirs, tolerance=1e-12):
    assert ours.shape == theirs.shape
    assert abs(ours - theirs).max() <= tolerance


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sublinear_tf": True},
        {"ngram_range": (1, 3)},
        {"ngram_range": (2, 2), "lowercase": False},
        {"binary": True, "norm": "l1"},
        {"use_idf": False, "norm": None},
        {"smooth_idf": False, "min_df": 4},
        {"max_df": 0.4},
        {"max_df": 6, "min_df": 0.2},
        {"stop_words": ["the", "fox"], "ngram_range": (1, 2)},
        {"analyzer": "char", "ngram_range": (2, 4)},
    ],
)
def test_is_tfidf_vectorizer(options):
    theirs, ours = TfidfVectorizer(**options), mercer.TextFeatures(**options)
    want, got = theirs.fit_transform(TEXTS), ours.fit_transform(TEXTS)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    same(got, want)
    new = ["the fox and the cat", "东京", ""]
    same(ours.transform(new), theirs.transform(new))
    if options.get("use_idf", True):
        np.testing.assert_allclose(ours.idf_, theirs.idf_, rtol=1e-15)
    assert ours.vocabulary_ == theirs.vocabulary_


def test_hashes_as_hashing_vectorizer():
    theirs = HashingVectorizer(n_features=1000, alternate_sign=False)
    same(mercer.TextFeatures(n_features=1000, use_idf=False).fit_transform(TEXTS), theirs.transform(TEXTS))


def test_keeps_the_most_frequent_terms():
    ours = mercer.TextFeatures(max_features=2, min_length=1).fit(["b b a a c c c", "d"])
    assert list(ours.get_feature_names_out()) == ["a", "c"]  # of a and b, which are as frequent, the first


def test_is_an_estimator():
    ours = clone(mercer.TextFeatures(ngram_range=(1, 2), stop_words="english")).fit(TEXTS)
    again = pickle.loads(pickle.dumps(ours))
    same(again.transform(TEXTS), ours.transform(TEXTS), 0)
    assert "the" not in ours.vocabulary_
    pipe = make_pipeline(mercer.TextFeatures(), mercer.LinearSVC()).fit(TEXTS[:5] * 2, [0, 0, 1, 1, 1] * 2)
    assert pipe.score(TEXTS[:5], [0, 0, 1, 1, 1]) == 1
    with pytest.raises(ValueError, match="have no terms"):
        mercer.TextFeatures(stop_words="english").fit(["the", "of and"])
    with pytest.raises(ValueError, match="string object received"):
        mercer.TextFeatures().fit("one text")


def test_words_are_a_kernel_of_texts():
    K = mercer.kernels.Words()(["the cat", "The the dog", ""])
    np.testing.assert_array_equal(K, [[2, 2, 0], [2, 5, 0], [0, 0, 0]])


def test_counters_are_multisets():
    bags = [collections.Counter("aab"), collections.Counter("abbb"), collections.Counter()]
    np.testing.assert_allclose(mercer.kernels.MinMax()(bags), [[1, 2 / 5, 0], [2 / 5, 1, 0], [0, 0, 1]], rtol=1e-15)
    np.testing.assert_array_equal(mercer.kernels.MultisetIntersection()(bags), [[3, 2, 0], [2, 4, 0], [0, 0, 0]])


def test_elements_and_coordinates_are_points():
    water = (["O", "H", "H"], np.array([[0, 0, 0.117], [0, 0.757, -0.47], [0, -0.757, -0.47]]))
    turned = ([1, 8, 1], water[1][[1, 0, 2]][:, [2, 0, 1]] + 5)
    other = (["O", "H"], np.array([[0, 0, 0], [0, 0, 0.97]]))
    for k in (mercer.kernels.Coulomb(sigma=50), mercer.kernels.PairDistances(), mercer.kernels.DensityOverlap()):
        K = k([water, turned, other])
        np.testing.assert_allclose(K[0], K[1], rtol=1e-10)
        assert abs(K[0, 2] - K[0, 0]) > 1e-3
    with pytest.raises(ValueError, match="no element is called Qq"):
        mercer.kernels.Coulomb()([(["Qq"], np.zeros((1, 3)))])


def test_a_pickle_under_a_limit_of_memory_is_read_or_refused(tmp_path):
    texts = [" ".join(f"w{450 * i + j:06d}" for j in range(500)) for i in range(100)]
    (tmp_path / "large").write_bytes(pickle.dumps(mercer.TextFeatures().fit(texts)))
    (tmp_path / "small").write_bytes(pickle.dumps(mercer.TextFeatures().fit(TEXTS)))
    script = """
import os, pickle, resource
import mercer
pickle.loads(open("small", "rb").read())
data = open("large", "rb").read()
ended = set()
for kilobytes in range(0, 60000, 2000):
    child = os.fork()
    if child == 0:
        used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGESIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + kilobytes * 1024,) * 2)
        try:
            pickle.dumps(pickle.loads(data))
        except MemoryError:
            os._exit(3)
        os._exit(0)
    ended.add(os.waitpid(child, 0)[1])
print(*sorted(ended))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.stdout.split() == ["0", str(3 << 8)], done
