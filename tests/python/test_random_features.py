"""Random features against numpy: what they are, that they are unbiased, and how fast their error falls."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.kernel_approximation import PolynomialCountSketch as Theirs
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

import mercer

POINTS = np.random.default_rng(7).normal(size=(24, 8))
# Many coordinates, so that the error of a sketch with thousands of features comes from many small collisions, not from
# a few large ones.
WIDE = np.random.default_rng(8).normal(size=(24, 60))
POLY = dict(degree=3, gamma=0.02, coef0=0.5)
KINDS = {  # a maker of features, points, the kernel of all pairs
    **{
        how: (
            lambda D, seed, how=how: mercer.RandomFeatures(gamma=0.1, n_components=D, frequencies=how, random_state=seed),
            POINTS,
            rbf_kernel(POINTS, gamma=0.1),
        )
        for how in ("independent", "orthogonal", "structured")
    },
    "sketch": (
        lambda D, seed: mercer.PolynomialCountSketch(**POLY, n_components=D, random_state=seed),
        WIDE,
        polynomial_kernel(WIDE, **POLY),
    ),
}
PAIRS = np.triu_indices(len(POINTS), 1)


def products(kind, D, seeds):
    """Inner products of the features of every pair of points, one row a seed."""
    make, X, _ = KINDS[kind]
    out = []
    for seed in seeds:
        F = make(D, seed).fit_transform(X)
        out.append((F @ F.T)[PAIRS])
    return np.array(out)


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_falls_as_one_over_the_root_of_the_number_of_features(kind):
    # Blocks of structured frequencies have 64, at right angles to each other: from one whole block on.
    exponents = np.arange(7 if kind == "structured" else 6, 14)
    log_error, variance = [], []
    for e in exponents:
        squares = ((products(kind, 2**e, range(60)) - KINDS[kind][2][PAIRS]) ** 2).mean(axis=1)
        log_error.append(np.log(squares.mean()) / 2)
        # of the logarithm of the root of a mean of independent draws, by the delta method
        variance.append(squares.var(ddof=1) / len(squares) / (2 * squares.mean()) ** 2)
    x = np.log(2.0) * (exponents - exponents.mean())
    slope = x @ log_error / (x @ x)
    standard_error = np.sqrt(x**2 @ variance) / (x @ x)
    assert standard_error < 0.04
    assert abs(slope + 0.5) < 4 * standard_error, (slope, standard_error)


@pytest.mark.parametrize("D", [128, 127])
@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_is_the_kernel(kind, D):
    draws = products(kind, D, range(1500))
    error = draws.mean(axis=0) - KINDS[kind][2][PAIRS]
    standard_error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    # 276 pairs: one of them beyond 4.5 standard errors has a probability of 0.002. Directions of structured frequencies
    # are uniform up to 1/64², which is far below the standard errors here.
    assert np.abs(error / standard_error).max() < 4.5


def test_right_angles_take_from_the_variance():
    spread = {kind: products(kind, 128, range(400)).var(axis=0).mean() for kind in ("independent", "orthogonal", "structured")}
    # The mean of 400 squares with a spread of at most √2 each: 4 of its standard errors on either side.
    more = 1 + 4 * np.sqrt(2 / 400)
    assert spread["orthogonal"] < spread["independent"] * more
    assert spread["structured"] < spread["independent"] * more
    assert spread["orthogonal"] * more < spread["independent"]


@pytest.mark.parametrize("how", ["independent", "orthogonal", "structured"])
@pytest.mark.parametrize("kernel", ["rbf", "matern(nu=1.5)"])
def test_features_are_cosines_and_sines_of_the_frequencies(how, kernel):
    X = np.random.default_rng(0).normal(size=(30, 100))
    model = mercer.RandomFeatures(kernel=kernel, n_components=300, frequencies=how, random_state=1).fit(X)
    angles = X @ model.random_weights_
    want = np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(30, -1) / np.sqrt(150)
    np.testing.assert_allclose(model.transform(X), want, atol=1e-12)
    np.testing.assert_allclose(model.transform(scipy.sparse.csr_matrix(X)), want, atol=1e-12)


@pytest.mark.parametrize("degree", [1, 2, 3, 12])
@pytest.mark.parametrize("coef0", [0, 0.7])
@pytest.mark.parametrize("D", [1, 2, 50, 64])
def test_a_sketch_is_the_product_of_fourier_transforms(degree, coef0, D):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(19, 6))
    model = mercer.PolynomialCountSketch(degree=degree, gamma=0.3, coef0=coef0, n_components=D, random_state=2).fit(X)
    Y = np.sqrt(0.3) * X
    if coef0:
        Y = np.column_stack([Y, np.full(len(X), np.sqrt(coef0))])
    N = D if degree == 1 else max(2, 1 << (D - 1).bit_length())
    assert model.indexHash_.shape == model.bitHash_.shape == (degree, Y.shape[1])
    assert model.indexHash_.min() >= 0 and model.indexHash_.max() < N and set(np.unique(model.bitHash_)) <= {-1, 1}
    spectrum = np.ones((len(X), N), complex)
    for places, signs in zip(model.indexHash_, model.bitHash_):
        sketch = np.zeros((len(X), N))
        np.add.at(sketch.T, places, (signs * Y).T)
        spectrum *= np.fft.fft(sketch, axis=1)
    long = np.fft.ifft(spectrum, axis=1).real
    want = np.zeros((len(X), D))
    np.add.at(want.T, np.arange(N) % D, long.T)
    # a Fourier transform errs by some units of rounding of the largest number there can be
    most = (np.abs(Y).sum(axis=1, keepdims=True)) ** degree
    assert (np.abs(model.transform(X) - want) <= 1e-14 * most).all()
    np.testing.assert_allclose(model.transform(scipy.sparse.csr_matrix(X)), model.transform(X), rtol=0, atol=0)
    same = mercer.RandomFeatures(kernel="poly", degree=degree, gamma=0.3, coef0=coef0, n_components=D, random_state=2)
    np.testing.assert_array_equal(same.fit_transform(X), model.transform(X))


def test_a_sketch_errs_as_scikit_learn_s_does():
    """The mean square error over seeds, as many features, a power of two or not (there at most an eighth more)."""
    K = KINDS["sketch"][2][PAIRS]
    for D in (64, 96):
        ours = ((products("sketch", D, range(300)) - K) ** 2).mean(axis=1)
        made = [Theirs(**POLY, n_components=D, random_state=s).fit_transform(WIDE) for s in range(300)]
        theirs = np.array([(((F @ F.T)[PAIRS] - K) ** 2).mean() for F in made])
        margin = 4 * np.sqrt((ours.var() + theirs.var()) / 300)
        assert ours.mean() < (1 if D == 64 else 1.125) * theirs.mean() + margin
        assert ours.mean() > theirs.mean() - margin


def test_what_cannot_be_is_refused_in_words():
    X = POINTS
    with pytest.raises(ValueError, match="coef0"):
        mercer.PolynomialCountSketch(coef0=-1.0).fit(X)
    with pytest.raises(ValueError, match=">= 0, got -1"):
        mercer.RandomFeatures(kernel="poly", coef0=-1.0).fit(X)
    with pytest.raises(ValueError, match="take nystroem"):
        mercer.RandomFeatures(kernel="sigmoid").fit(X)
    with pytest.raises(ValueError, match="no effect on poly"):
        mercer.RandomFeatures(kernel="poly", frequencies="structured").fit(X)
    with pytest.raises(ValueError, match="frequencies"):
        mercer.RandomFeatures(frequencies="other").fit(X)
    with pytest.raises(ValueError, match="beyond the range"):
        mercer.PolynomialCountSketch(degree=12).fit(X).transform(X * 1e100)
    with pytest.raises(ValueError, match="beyond the range"):
        mercer.RandomFeatures(gamma=1e300).fit(X).transform(X * 1e200)
    with pytest.raises(AttributeError):
        mercer.RandomFeatures(kernel="poly").fit(X).random_weights_


@pytest.mark.parametrize("make", [lambda: mercer.RandomFeatures(frequencies="structured"), lambda: mercer.PolynomialCountSketch(degree=3)])
def test_any_number_of_threads_gives_the_same_bits(make):
    X = np.random.default_rng(4).normal(size=(101, 70))
    want = make().set_params(n_jobs=1, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(make().set_params(n_jobs=3, random_state=0).fit_transform(X), want)
    np.testing.assert_array_equal(np.vstack([make().set_params(random_state=0).fit(X).transform(X[i : i + 1]) for i in range(101)]), want)
