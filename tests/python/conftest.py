"""Helpers of the Python tests. They run against the package of the build tree: PYTHONPATH=build/python."""

import numpy as np
import pytest
from sklearn import datasets


@pytest.fixture(scope="session")
def iris():
    return datasets.load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def two_moons():
    return datasets.make_moons(300, noise=0.25, random_state=0)


@pytest.fixture(scope="session")
def diabetes():
    X, y = datasets.load_diabetes(return_X_y=True)
    return X / X.std(axis=0), (y - y.mean()) / y.std()


@pytest.fixture
def blobs():
    """A problem that takes a while: overlapping classes, a large C."""
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 20))
    y = (X[:, 0] + random.normal(size=6000) > 0).astype(int)
    return X, y
