"""Approximations for many examples: functions of a few centres, and explicit features."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, RegressorMixin, TransformerMixin

from . import _data
from ._base import DecidingClassifier, KernelClassifier, KernelEstimator, Predicting, of_model, of_objects
from ._parameters import COUNT, NOT_NEGATIVE, POSITIVE
from ._processes import SharedLabels, SharedTargets, check_alone
from ._ridge import TargetColumns, each_target, of_targets


class Centred(KernelEstimator):
    """What everything on a few centres shares: which they are, and what they reach."""

    def _rows(self):
        return None if self.centre_rows is None else np.ravel(self.centre_rows)

    centres_ = of_objects("The centres, as they came; empty for a precomputed kernel.")
    centre_indices_ = of_model("centre_rows", "Which of the training examples they are.")
    out_of_reach_ = of_model(
        "out_of_reach", "The share of the trace of the kernel matrix that the centres do not reach, on a sample."
    )


class _OnCentres(Centred):
    """What functions of a few centres share."""

    def _reached(self):
        return f"its duality gap is {self._model.gap:.3g} with an objective of {self._model.objective:.3g}"

    n_iter_ = of_model("passes", "Passes over the training examples.")
    dual_gap_ = of_model("gap", "The objective is above its minimum over these centres by at most this.")
    objective_ = of_model("objective", "Losses and the penalty, as a minimum.")
    residual_ = of_model("residual", "The gradient's norm, relative to that of f = 0.")
    residual_trace_ = of_model("trace", "The same after every step of conjugate gradients.")


class NystroemRidge(SharedTargets, TargetColumns, _OnCentres):
    """Kernel ridge regression on a few centres, for millions of examples: with every example a centre it is KernelRidge.

    The fit passes over the examples a few dozen times and stores no kernel matrix. centres: how n_centres of them are
    chosen; 'given' takes the rows centre_rows.

    Attributes: dual_coef_ (of the centres), intercept_, centres_, centre_indices_, status_ ('converged' where every target
    is), dual_gap_, objective_, residual_, residual_trace_, n_iter_ (passes), out_of_reach_, kernel_; and of each target
    target_status_, target_gaps_, target_objectives_ and target_residuals_.

    >>> import numpy as np
    >>> from mercer import NystroemRidge
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = NystroemRidge(alpha=1e-3, gamma=1.0, n_centres=20, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]]) - np.sin(1.5)) < 1e-2), model.status_
    (True, 'converged')
    """

    _method = "nystroem_ridge"
    _positional = ("alpha",)

    def fit(self, X, y, sample_weight=None, *, comm=None, factors="auto"):
        """Fits the model to examples X and numbers y, (n_samples,) or (n_samples, n_targets); X as for KernelRidge.

        comm: a communicator of mpi4py (MPI.COMM_WORLD) whose processes all call fit, each with examples of its own, or
        none: they share the fit, and each gets the model of one process that has the examples of all, in the order of
        the ranks, bit by bit. factors: who of them factors matrices of the centres, each ('alone'), or all 'together',
        which is quicker with many centres, to other last bits; 'auto': together from 10000 centres on.
        """
        if comm is not None:
            return self._fit_shared(X, y, sample_weight, comm, factors, centre_rows=self._rows())
        check_alone(factors)
        return self._run(*self._fit_targets(X, y, sample_weight), centre_rows=self._rows())

    intercept_ = of_model("offset", "The constant of each target's function.")

    def _reached(self):
        ends = getattr(self._model, "output_status", [])
        left = ", ".join(str(column) for column, end in enumerate(ends) if end not in ("converged", "stationary"))
        return super()._reached() + (f", columns {left} of y are not solved" if left else "")

    target_gaps_ = of_targets("output_gaps", "gap", "The objective of each target is above its minimum by at most this.")
    target_objectives_ = of_targets("output_objectives", "objective", "Loss and penalty of each target.")
    target_residuals_ = of_targets("output_residuals", "residual", "The gradient's norm, relative to that of f = 0.")

    @property
    def target_status_(self):
        """How the fit of each column of y ended: a list of words as in status_."""
        ends = each_target(self._fitted(), "output_status", "status")
        return [self.status_ if end == self._model.status else end for end in ends]


class _CentreClassifier(SharedLabels, _OnCentres, DecidingClassifier):
    _own = {"class_weight": None}

    def fit(self, X, y, sample_weight=None, *, comm=None, factors="auto"):
        """Fits the model to examples X and labels y; X and sample_weight as for SVC. comm and factors as for
        NystroemRidge: processes that share the fit; a class may be known to some of them only."""
        if comm is not None:
            return self._fit_shared(X, y, sample_weight, comm, factors, centre_rows=self._rows())
        check_alone(factors)
        data, codes, weight, class_weight = self._fit_labels(X, y, sample_weight)
        return self._run(data, codes, weight, class_weight, centre_rows=self._rows())

    @property
    def dual_coef_(self):
        """Coefficients of the centres, one row for two classes, else one for each."""
        return self._fitted().coef.T

    intercept_ = of_model("offset", "The constant of each decision function.")


class NystroemLogistic(_CentreClassifier):
    """Logistic regression in the space of a kernel on a few centres, for millions of examples: with every example a
    centre it is KernelLogisticRegression.

    Attributes: classes_, dual_coef_, intercept_, centres_, centre_indices_, status_, dual_gap_, objective_, residual_,
    residual_trace_, n_iter_ (passes), out_of_reach_, kernel_.

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
        """Probabilities of the classes, in the order of classes_."""
        return self._ask("probabilities", X)

    def predict_log_proba(self, X):
        """Logarithms of predict_proba()."""
        return np.log(self.predict_proba(X))


class NystroemSVC(_CentreClassifier):
    """Support vector classification with squared hinge loss on a few centres, one class against the rest, for millions
    of examples.

    Attributes: classes_, dual_coef_, intercept_, centres_, centre_indices_, status_, dual_gap_, objective_, residual_,
    residual_trace_, n_iter_ (passes), out_of_reach_, kernel_.

    >>> import numpy as np
    >>> from mercer import NystroemSVC
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "inside", "outside")
    >>> NystroemSVC(C=10.0, n_centres=30, random_state=0).fit(X, y).predict([[0.0, 0.0], [2.0, 2.0]])
    array(['inside', 'outside'], dtype='<U7')
    """

    _method = "nystroem_svc"


class _InCells:
    """What machines in cells share."""

    n_cells_ = of_model("cells", "Cells, each with a machine of its own.")
    largest_cell_ = of_model("largest_cell", "Examples of the largest cell, with those of its neighbours.")
    smallest_cell_ = of_model("smallest_cell", "Examples of the smallest one.")


class _CellClassifier(_InCells, KernelClassifier):
    _own = {"class_weight": None}

    def fit(self, X, y, sample_weight=None):
        """Fits the machines to examples X and labels y; X and sample_weight as for SVC."""
        return self._run(*self._fit_labels(X, y, sample_weight))


class CellsSVC(_CellClassifier):
    """Support vector machines in cells of the feature space, for millions of examples: with one cell it is SVC.

    size: examples of a cell, about. overlap: a cell has to do with what is no farther from its centre than 1 + overlap
    times the nearest one's, so that answers do not jump at the borders. tune: kernel width and C are chosen in every cell.

    Attributes: classes_, n_cells_, largest_cell_, smallest_cell_, kernel_.

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
    """Kernel logistic regression in cells of the feature space: probabilities for millions of examples.

    size, overlap, tune and attributes as for CellsSVC.

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
        """Probabilities of the classes, in the order of classes_."""
        return self._ask("probabilities", X)

    def predict_log_proba(self, X):
        """Logarithms of predict_proba()."""
        return np.log(self.predict_proba(X))


class _CellRegressor(_InCells, RegressorMixin, Predicting):
    def fit(self, X, y, sample_weight=None):
        """Fits the machines to examples X and numbers y; X and sample_weight as for SVR."""
        data = self._fit_data(X)
        return self._run(data, _data.as_targets(y, len(data), type(self).__name__), _data.as_weights(sample_weight, len(data)))


class CellsSVR(_CellRegressor):
    """Support vector regression in cells of the feature space, for millions of examples: with one cell it is SVR.

    size, overlap, tune and attributes as for CellsSVC.

    >>> import numpy as np
    >>> from mercer import CellsSVR
    >>> X = np.linspace(0, 6, 300)[:, None]
    >>> model = CellsSVR(C=10.0, epsilon=0.01, gamma=1.0, size=50, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]]) - np.sin(1.5)) < 0.02)
    True
    """

    _method = "cells_svr"


class CellsRidge(_CellRegressor):
    """Kernel ridge regression in cells of the feature space, for millions of examples: with one cell it is KernelRidge.

    size, overlap, tune and attributes as for CellsSVC.

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

    def _columns(self, data):
        made = self._fitted().transform(data, self.n_jobs)
        return made.astype(np.float32) if getattr(data, "single", False) else made

    def transform(self, X):
        """The features of X, one row an example."""
        return self._columns(self._new_data(X))

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32], **super()._more_tags()}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class Nystroem(_Features):
    """Explicit features whose inner products are about the values of a kernel, by a few of the examples.

    Parameters are those of sklearn.kernel_approximation.Nystroem; beside its names, `kernel` takes a text form or an
    object of mercer.kernels. centres: how the examples are chosen; 'uniform' is scikit-learn's way, the default takes
    those where the approximation still errs.

    Attributes are those of scikit-learn (components_, component_indices_, normalization_), further out_of_reach_, the
    share of the trace of the kernel matrix that these features do not reach.

    >>> import numpy as np
    >>> from mercer import Nystroem
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> Nystroem(gamma=0.1, n_components=20, random_state=0).fit_transform(X).shape
    (100, 20)
    """

    _method = "nystroem"
    _option_names = {"n_components": "n_centres"}
    _function_of_pairs = True
    _own = {"gamma": None, "coef0": 1, "kernel_params": None}

    def fit(self, X, y=None):
        """Chooses the centres among the examples X; y is ignored. X as for SVC."""
        rows = None if self.centre_rows is None else np.ravel(self.centre_rows)
        return self._run(self._fit_data(X), centre_rows=rows)

    components_ = of_objects("The centres, as they came; empty for a precomputed kernel.")
    component_indices_ = of_model("centre_rows", "Which of the training examples they are.")
    normalization_ = of_model("coef", "The inverse root of the kernel matrix of the centres.")
    out_of_reach_ = of_model("out_of_reach", "The share of the trace of the kernel matrix that is not reached.")

    @property
    def _n_features_out(self):
        return len(self._fitted().centre_rows)


class _Drawn(_Features):
    """What random features share: nothing is learnt from the examples but how many coordinates they have."""

    def fit(self, X, y=None):
        """Draws features for vectors of as many coordinates as those of X; y is ignored."""
        return self._run(self._fit_data(X))

    @property
    def _n_features_out(self):
        return self._fitted().n_components


class RandomFeatures(_Drawn):
    """Random features of a kernel on vectors: numbers whose inner products have the kernel's value as their mean.

    Of the Gaussian, Laplacian or a Matern kernel they are Fourier's, pairs of cosines and sines, with a standard
    deviation of at most 1/sqrt(n_components). frequencies: 'orthogonal', at right angles to each other, which takes from
    the variance; 'independent'; 'structured', at right angles by fast Hadamard transforms, for hundreds of coordinates
    and more. Of kernel='poly' (and 'linear') they are a count sketch, as PolynomialCountSketch has it.

    orthogonal=True and orthogonal=False, the earlier form, mean frequencies='orthogonal' and 'independent'.

    Attributes: random_weights_, one column for each frequency.

    >>> import numpy as np
    >>> from mercer import RandomFeatures
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> F = RandomFeatures(gamma=0.1, n_components=1000, random_state=0).fit_transform(X)
    >>> bool(np.allclose((F * F).sum(axis=1), 1))
    True
    """

    _method = "random_features"
    _own = {"gamma": None, "orthogonal": (None, ["boolean", None])}

    def fit(self, X, y=None):
        """Draws features for vectors of as many coordinates as those of X; y is ignored."""
        how = self.frequencies
        if self.orthogonal is not None:
            if how != "orthogonal":
                raise ValueError(f"orthogonal={self.orthogonal!r} has no effect beside frequencies={how!r}: leave it out")
            how = "orthogonal" if self.orthogonal else "independent"
        return self._run(self._fit_data(X), frequencies=how)

    @property
    def random_weights_(self):
        """Frequencies, one column each; a count sketch has none."""
        return self._fitted().frequencies.T


class PolynomialCountSketch(_Drawn):
    """A count sketch of a polynomial kernel (gamma x'z + coef0)^degree: features whose inner products have the kernel's
    value as their mean.

    Parameters and attributes are those of sklearn.kernel_approximation.PolynomialCountSketch. Inside, sketches have the
    next power of two as their length, where Fourier transforms are quick, and their numbers are added up in n_components
    features; indexHash_ says where among the former. coef0 must not be negative.

    >>> import numpy as np
    >>> from mercer import PolynomialCountSketch
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> F = PolynomialCountSketch(degree=2, n_components=1000, random_state=0).fit_transform(X)
    >>> bool(np.abs(F @ F.T - (X @ X.T) ** 2).mean() < 1)
    True
    """

    _method = "random_features"
    _not_taken = ("frequencies",)
    _own = {"gamma": (1.0, POSITIVE), "degree": (2, COUNT), "coef0": (0, NOT_NEGATIVE)}
    kernel = "poly"

    @property
    def indexHash_(self):
        """(degree, coordinates): where each coordinate is added; with coef0 one more, the constant."""
        return self._places() >> 1

    @property
    def bitHash_(self):
        """(degree, coordinates): with which sign."""
        return 1 - 2 * (self._places() & 1)

    def _places(self):
        return np.asarray(self._fitted().places).reshape(int(self.kernel_.degree), -1)
