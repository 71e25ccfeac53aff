"""Approximations for many examples: functions of a few centres, and explicit features."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, RegressorMixin, TransformerMixin

from . import _data
from ._base import DecidingClassifier, KernelClassifier, KernelEstimator, Predicting, of_model, of_objects
from ._docstrings import VALUES, VECTORS, fitted
from ._parameters import COUNT, NOT_NEGATIVE, POSITIVE
from ._processes import SharedLabels, SharedTargets, check_single_process, former_factorisation
from ._ridge import TargetColumns, each_target, of_targets


class Centred(KernelEstimator):
    """Base class of all estimators with a few centres: the centres, and how well they approximate the kernel matrix."""

    _former_names = {"accuracy": "trace_tol"}
    _former_attributes = {"out_of_reach_": "unexplained_trace_"}

    def _rows(self):
        return None if self.centre_rows is None else np.ravel(self.centre_rows)

    centres_ = of_objects("Centres; empty for a precomputed kernel.")
    centre_indices_ = of_model(
        "centre_rows", "ndarray of shape (n_centres,)", "Indices of the centres among the training examples."
    )
    unexplained_trace_ = of_model(
        "out_of_reach", "float",
        "Fraction of the trace of the kernel matrix that the centres do not explain, estimated on a sample.",
    )  # fmt: skip


class _OnCentres(Centred):
    """Base class of functions on a few centres."""

    def _reached(self):
        return f"its duality gap is {self._model.gap:.3g} with an objective of {self._model.objective:.3g}"

    n_iter_ = of_model("passes", "int", "Number of passes over the training examples.")
    dual_gap_ = of_model("gap", "float", "Duality gap: the objective exceeds its minimum over these centres by at most this.")
    objective_ = of_model("objective", "float", "Sum of the losses and of the penalty.")
    residual_ = of_model("residual", "float", "Norm of the gradient, relative to its norm at f = 0.")
    residual_trace_ = of_model("trace", "ndarray", "Relative norm of the gradient after every step of conjugate gradients.")


class NystroemRidge(SharedTargets, TargetColumns, _OnCentres):
    """Kernel ridge regression on a few centres, for millions of examples.

    The function is a combination of the kernel values with `n_centres` of the examples and is fitted to all examples,
    in a few dozen passes that store no kernel matrix. If every example is a centre, this is :class:`KernelRidge`.

    See Also
    --------
    KernelRidge : All examples are centres.
    CellsRidge : One model per cell of the feature space.
    mercer.checkpoint : Fits that resume after a crash.

    References
    ----------
    .. [1] C. Williams, M. Seeger, "Using the Nyström method to speed up kernel machines", NIPS 2001.
    .. [2] A. Rudi, L. Carratino, L. Rosasco, "FALKON: an optimal large scale kernel method", NIPS 2017.
    .. [3] M. Díaz, E. Epperly, Z. Frangella, J. Tropp, R. Webber, "Robust, randomized preconditioning for kernel ridge
       regression", 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NystroemRidge
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = NystroemRidge(alpha=1e-3, gamma=1.0, n_centres=20, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]]) - np.sin(1.5)) < 1e-2), model.status_
    (True, 'converged')
    """

    _method = "nystroem_ridge"
    _positional = ("alpha",)

    @former_factorisation
    def fit(self, X, y, sample_weight=None, *, comm=None, factorisation="auto"):
        """Fits the model to examples and their target values; with `comm`, together with other MPI ranks."""
        if comm is not None:
            return self._fit_shared(X, y, sample_weight, comm, factorisation, centre_rows=self._rows())
        check_single_process(factorisation)
        return self._run(*self._fit_targets(X, y, sample_weight), centre_rows=self._rows())

    intercept_ = of_model("offset", "ndarray of shape (n_targets,)", "Constant term of the function of each target.")

    def _reached(self):
        ends = getattr(self._model, "output_status", [])
        left = ", ".join(str(column) for column, end in enumerate(ends) if end not in ("converged", "stationary"))
        return super()._reached() + (f", columns {left} of y are not solved" if left else "")

    target_gaps_ = of_targets("output_gaps", "gap", "Duality gap of each target.")
    target_objectives_ = of_targets("output_objectives", "objective", "Loss and penalty of each target.")
    target_residuals_ = of_targets(
        "output_residuals", "residual", "Norm of the gradient of each target, relative to its norm at f = 0."
    )

    @fitted("list of str")
    def target_status_(self):
        """How the fit of each target ended, with the words of `status_`."""
        ends = each_target(self._fitted(), "output_status", "status")
        return [self.status_ if end == self._model.status else end for end in ends]


class _CentreClassifier(SharedLabels, _OnCentres, DecidingClassifier):
    _own = {"class_weight": None}

    @former_factorisation
    def fit(self, X, y, sample_weight=None, *, comm=None, factorisation="auto"):
        """Fits the model to examples and their class labels; with `comm`, together with other MPI ranks, each of which
        may have examples of some classes only."""
        if comm is not None:
            return self._fit_shared(X, y, sample_weight, comm, factorisation, centre_rows=self._rows())
        check_single_process(factorisation)
        data, codes, weight, class_weight = self._fit_labels(X, y, sample_weight)
        return self._run(data, codes, weight, class_weight, centre_rows=self._rows())

    @fitted("ndarray of shape (n_functions, n_centres)")
    def dual_coef_(self):
        """Coefficients of the centres, one row with two classes, else one per class."""
        return self._fitted().coef.T

    intercept_ = of_model("offset", "ndarray of shape (n_functions,)", "Constant term of each decision function.")


class NystroemLogistic(_CentreClassifier):
    """Kernel logistic regression on a few centres, for millions of examples.

    The decision functions are combinations of the kernel values with `n_centres` of the examples and are fitted to all
    examples. If every example is a centre, this is :class:`KernelLogisticRegression`.

    See Also
    --------
    KernelLogisticRegression : All examples are centres.
    NystroemSVC : Squared hinge loss or hinge loss.
    CellsLogistic : One model per cell of the feature space.

    References
    ----------
    .. [1] U. Marteau-Ferey, F. Bach, A. Rudi, "Globally convergent Newton methods for ill-conditioned generalized
       self-concordant losses", NeurIPS 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NystroemLogistic
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "inside", "outside")
    >>> model = NystroemLogistic(C=100.0, n_centres=30, random_state=0).fit(X, y)
    >>> model.predict([[0.0, 0.0], [2.0, 2.0]])
    array(['inside', 'outside'], dtype='<U7')
    """

    _method = "nystroem_logistic"

    def predict_proba(self, X):
        """Computes class probabilities."""
        return self._ask("probabilities", X)

    def predict_log_proba(self, X):
        """Computes the logarithms of the class probabilities."""
        return np.log(self.predict_proba(X))


class NystroemSVC(_CentreClassifier):
    """Support vector classification on a few centres, one class against the rest, for millions of examples.

    The decision functions are combinations of the kernel values with `n_centres` of the examples and are fitted to all
    examples, with the squared hinge loss or the hinge loss.

    See Also
    --------
    SVC : All examples, hinge loss.
    NystroemLogistic : Logistic loss, with probabilities.
    CellsSVC : One machine per cell of the feature space.

    References
    ----------
    .. [1] U. Marteau-Ferey, F. Bach, A. Rudi, "Globally convergent Newton methods for ill-conditioned generalized
       self-concordant losses", NeurIPS 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NystroemSVC
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "inside", "outside")
    >>> NystroemSVC(C=10.0, n_centres=30, random_state=0).fit(X, y).predict([[0.0, 0.0], [2.0, 2.0]])
    array(['inside', 'outside'], dtype='<U7')
    """

    _method = "nystroem_svc"


class _InCells:
    """Attributes of models in cells."""

    n_cells_ = of_model("cells", "int", "Number of cells, each with a model of its own.")
    largest_cell_ = of_model(
        "largest_cell", "int", "Number of examples in the largest cell, with those of the overlap."
    )
    smallest_cell_ = of_model("smallest_cell", "int", "Number of examples in the smallest cell.")


class _CellClassifier(_InCells, KernelClassifier):
    _own = {"class_weight": None}

    def fit(self, X, y, sample_weight=None):
        """Fits one model per cell to the examples and their class labels."""
        return self._run(*self._fit_labels(X, y, sample_weight))


class CellsSVC(_CellClassifier):
    """Support vector classification in cells of the feature space, for millions of examples.

    Divides the examples into cells of about `size` neighbouring examples and fits one model to each cell. Near the
    border of cells the prediction is a weighted mean, so that it does not jump. With one cell this is :class:`SVC`.

    See Also
    --------
    SVC : One model for all examples.
    NystroemSVC : Approximation by a few centres.

    References
    ----------
    .. [1] L. Bottou, V. Vapnik, "Local learning algorithms", Neural Computation 4, 1992.
    .. [2] P. Thomann, I. Blaschzyk, M. Meister, I. Steinwart, "Spatial decompositions for large scale SVMs", AISTATS
       2017.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import CellsSVC
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "inside", "outside")
    >>> model = CellsSVC(C=10.0, size=100, random_state=0).fit(X, y)
    >>> model.predict([[0.0, 0.0], [2.0, 2.0]]), model.n_cells_ > 1
    (array(['inside', 'outside'], dtype='<U7'), True)
    """

    _method = "cells_svc"


class CellsLogistic(_CellClassifier):
    """Kernel logistic regression in cells of the feature space, for millions of examples.

    Divides the examples into cells of about `size` neighbouring examples and fits one model to each cell. Near the
    border of cells the prediction is a weighted mean, so that it does not jump. With one cell this is :class:`KernelLogisticRegression`.

    See Also
    --------
    KernelLogisticRegression : One model for all examples.
    NystroemLogistic : Approximation by a few centres.

    References
    ----------
    .. [1] L. Bottou, V. Vapnik, "Local learning algorithms", Neural Computation 4, 1992.
    .. [2] P. Thomann, I. Blaschzyk, M. Meister, I. Steinwart, "Spatial decompositions for large scale SVMs", AISTATS
       2017.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import CellsLogistic
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "inside", "outside")
    >>> p = CellsLogistic(C=10.0, size=100, random_state=0).fit(X, y).predict_proba([[0.0, 0.0]])
    >>> bool(p[0, 0] > 0.8), bool(abs(p.sum() - 1) < 1e-12)
    (True, True)
    """

    _method = "cells_logistic"

    def predict_proba(self, X):
        """Computes class probabilities."""
        return self._ask("probabilities", X)

    def predict_log_proba(self, X):
        """Computes the logarithms of the class probabilities."""
        return np.log(self.predict_proba(X))


class _CellRegressor(_InCells, RegressorMixin, Predicting):
    _argument_docs = {"y": VALUES}

    def fit(self, X, y, sample_weight=None):
        """Fits one model per cell to the examples and their target values."""
        data = self._fit_data(X)
        return self._run(data, _data.as_targets(y, len(data), type(self).__name__), _data.as_weights(sample_weight, len(data)))


class CellsSVR(_CellRegressor):
    """Support vector regression in cells of the feature space, for millions of examples.

    Divides the examples into cells of about `size` neighbouring examples and fits one model to each cell. Near the
    border of cells the prediction is a weighted mean, so that it does not jump. With one cell this is :class:`SVR`.

    See Also
    --------
    SVR : One model for all examples.
    CellsRidge : Squared errors.

    References
    ----------
    .. [1] L. Bottou, V. Vapnik, "Local learning algorithms", Neural Computation 4, 1992.
    .. [2] P. Thomann, I. Blaschzyk, M. Meister, I. Steinwart, "Spatial decompositions for large scale SVMs", AISTATS
       2017.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import CellsSVR
    >>> X = np.linspace(0, 6, 300)[:, None]
    >>> model = CellsSVR(C=10.0, epsilon=0.01, gamma=1.0, size=50, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]]) - np.sin(1.5)) < 0.02)
    True
    """

    _method = "cells_svr"


class CellsRidge(_CellRegressor):
    """Kernel ridge regression in cells of the feature space, for millions of examples.

    Divides the examples into cells of about `size` neighbouring examples and fits one model to each cell. Near the
    border of cells the prediction is a weighted mean, so that it does not jump. With one cell this is :class:`KernelRidge`.

    See Also
    --------
    KernelRidge : One model for all examples.
    NystroemRidge : Approximation by a few centres.

    References
    ----------
    .. [1] L. Bottou, V. Vapnik, "Local learning algorithms", Neural Computation 4, 1992.
    .. [2] P. Thomann, I. Blaschzyk, M. Meister, I. Steinwart, "Spatial decompositions for large scale SVMs", AISTATS
       2017.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import CellsRidge
    >>> X = np.linspace(0, 6, 300)[:, None]
    >>> model = CellsRidge(alpha=1e-3, gamma=1.0, size=50, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]]) - np.sin(1.5)) < 1e-2)
    True
    """

    _method = "cells_ridge"
    _positional = ("alpha",)


class _Features(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Explicit features of a kernel, in the precision of the input."""

    _returned_docs = {
        "transform": (
            "features : ndarray of shape (n_samples, n_features_out)",
            "Features of the examples, float32 if the input is float32.",
        )
    }  # fmt: skip

    def _columns(self, data):
        made = self._fitted().transform(data, self.n_jobs)
        return made.astype(np.float32) if getattr(data, "single", False) else made

    def transform(self, X):
        """Computes the features of the examples."""
        return self._columns(self._new_data(X))

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32], **super()._more_tags()}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class Nystroem(_Features):
    """Explicit features that approximate a kernel, from its values with a few of the examples.

    The inner product of the features of two examples is close to their kernel value. The parameters of
    :class:`sklearn.kernel_approximation.Nystroem` have the same names and defaults.

    See Also
    --------
    RandomFeatures : Random features, independent of the examples.
    NystroemRidge : Ridge regression on a few centres, without stored features.
    sklearn.kernel_approximation.Nystroem : The class with the same parameters in scikit-learn.

    Notes
    -----
    Differences from :class:`sklearn.kernel_approximation.Nystroem`: by default the centres are chosen where the
    approximation is still poor (randomly pivoted Cholesky); ``centres='uniform'`` draws them as scikit-learn does. The
    kernel may also be an expression or an object of :mod:`mercer.kernels`.

    References
    ----------
    .. [1] C. Williams, M. Seeger, "Using the Nyström method to speed up kernel machines", NIPS 2001.
    .. [2] Y. Chen, E. Epperly, J. Tropp, R. Webber, "Randomly pivoted Cholesky", 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Nystroem
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> Nystroem(gamma=0.1, n_components=20, random_state=0).fit_transform(X).shape
    (100, 20)
    """

    _former_attributes = {"out_of_reach_": "unexplained_trace_"}
    _method = "nystroem"
    _option_names = {"n_components": "n_centres"}
    _function_of_pairs = True
    _order = ("kernel", "gamma", "coef0", "degree", "kernel_params", "n_components", "random_state", "n_jobs")
    _own = {"gamma": None, "coef0": 1, "kernel_params": None}

    def fit(self, X, y=None):
        """Chooses the centres among the examples."""
        rows = None if self.centre_rows is None else np.ravel(self.centre_rows)
        return self._run(self._fit_data(X), centre_rows=rows)

    components_ = of_objects("Centres; empty for a precomputed kernel.")
    component_indices_ = of_model(
        "centre_rows", "ndarray of shape (n_components,)", "Indices of the centres among the training examples."
    )
    normalization_ = of_model(
        "coef", "ndarray of shape (n_components, n_components)",
        "Inverse square root of the kernel matrix of the centres.",
    )  # fmt: skip
    unexplained_trace_ = of_model(
        "out_of_reach", "float", "Fraction of the trace of the kernel matrix that the features do not explain."
    )

    @property
    def _n_features_out(self):
        return len(self._fitted().centre_rows)


class _Drawn(_Features):
    """Base class of random features, which depend on the number of features of the examples only."""

    _argument_docs = {"X": VECTORS}

    def fit(self, X, y=None):
        """Draws random features for vectors with the number of features of X."""
        return self._run(self._fit_data(X))

    @property
    def _n_features_out(self):
        return self._fitted().n_components


class RandomFeatures(_Drawn):
    """Random features of a kernel on vectors; the mean of their inner products is the kernel value.

    For the Gaussian, Laplacian and Matérn kernels these are random Fourier features, pairs of cosines and sines, with a
    standard deviation of at most 1/sqrt(n_components). For ``kernel='poly'`` and ``'linear'`` they are a count sketch,
    as in :class:`PolynomialCountSketch`.

    See Also
    --------
    Nystroem : Features from a few of the examples.
    PolynomialCountSketch : Random features of polynomial kernels, with scikit-learn's parameters.
    sklearn.kernel_approximation.RBFSampler : Random Fourier features of the Gaussian kernel in scikit-learn.

    References
    ----------
    .. [1] A. Rahimi, B. Recht, "Random features for large-scale kernel machines", NIPS 2007.
    .. [2] F. X. Yu, A. T. Suresh, K. Choromanski, D. Holtmann-Rice, S. Kumar, "Orthogonal random features", NIPS 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RandomFeatures
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> F = RandomFeatures(gamma=0.1, n_components=1000, random_state=0).fit_transform(X)
    >>> bool(np.allclose((F * F).sum(axis=1), 1))
    True
    """

    _method = "random_features"
    _own = {
        "gamma": None,
        "orthogonal": (
            None, ["boolean", None],
            "Former parameter: True is ``frequencies='orthogonal'`` and False is ``frequencies='independent'``. None: "
            "`frequencies` counts.",
        ),
    }  # fmt: skip

    def fit(self, X, y=None):
        """Draws random features for vectors with the number of features of X."""
        how = self.frequencies
        if self.orthogonal is not None:
            if how != "orthogonal":
                raise ValueError(f"orthogonal={self.orthogonal!r} has no effect beside frequencies={how!r}: leave it out")
            how = "orthogonal" if self.orthogonal else "independent"
        return self._run(self._fit_data(X), frequencies=how)

    @fitted("ndarray of shape (n_features, n_frequencies)")
    def random_weights_(self):
        """Frequencies, one per column; not for a count sketch."""
        return self._fitted().frequencies.T


class PolynomialCountSketch(_Drawn):
    """Random features of a polynomial kernel (gamma x'z + coef0)^degree by count sketches.

    The mean of the inner products of the features is the kernel value. The parameters of
    :class:`sklearn.kernel_approximation.PolynomialCountSketch` have the same names, order and defaults.

    See Also
    --------
    RandomFeatures : Random features of other kernels.
    sklearn.kernel_approximation.PolynomialCountSketch : The class with the same parameters in scikit-learn.

    Notes
    -----
    Differences from :class:`sklearn.kernel_approximation.PolynomialCountSketch`: the sketches have the next power of two
    as their length and are added up in `n_components` features; `indexHash_` contains the positions in the longer
    sketches. `coef0` must not be negative.

    References
    ----------
    .. [1] N. Pham, R. Pagh, "Fast and scalable polynomial kernels via explicit feature maps", KDD 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import PolynomialCountSketch
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> F = PolynomialCountSketch(degree=2, n_components=1000, random_state=0).fit_transform(X)
    >>> bool(np.abs(F @ F.T - (X @ X.T) ** 2).mean() < 1)
    True
    """

    _method = "random_features"
    _not_taken = ("frequencies",)
    _order = ("gamma", "degree", "coef0", "n_components", "random_state")
    _own = {
        "gamma": (1.0, POSITIVE, "Factor of the inner product."),
        "degree": (2, COUNT, "Degree of the polynomial."),
        "coef0": (0, NOT_NEGATIVE, "Constant term of the polynomial."),
    }
    kernel = "poly"

    @fitted("ndarray of shape (degree, n_features)")
    def indexHash_(self):
        """Position in each sketch to which each feature is added; with `coef0` one more column for the constant."""
        return self._places() >> 1

    @fitted("ndarray of shape (degree, n_features)")
    def bitHash_(self):
        """Sign with which each feature is added."""
        return 1 - 2 * (self._places() & 1)

    def _places(self):
        return np.asarray(self._fitted().places).reshape(int(self.kernel_.degree), -1)
