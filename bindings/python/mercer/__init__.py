"""Kernel machines: support vector machines, kernel ridge and logistic regression, principal components, clustering and
their approximations for large data, with the interface of scikit-learn.

A user of scikit-learn changes one import:

>>> from mercer import SVC          # was: from sklearn.svm import SVC
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> SVC().fit(X, y).score(X, y) > 0.95
True
"""

from . import kernels
from ._core import set_interrupt, set_threads, threads
from ._core import version as __version__
from ._approximate import (
    CellsLogistic,
    CellsRidge,
    CellsSVC,
    CellsSVR,
    Nystroem,
    NystroemLogistic,
    NystroemRidge,
    NystroemSVC,
    PolynomialCountSketch,
    RandomFeatures,
)
from ._checkpoint import checkpoint
from ._clusters import KernelKMeans, KernelKMedoids, NystroemKMeans, NystroemSpectralClustering
from ._hypotheses import hsic_test, mmd_test
from ._learn import Learning, learn_kernel
from ._linear import LinearSVC, Pegasos
from ._logistic import KernelLogisticRegression
from ._nearest_class import NearestCentroid, NearestMedoid
from ._neighbors import KernelKNeighborsClassifier, KernelKNeighborsRegressor
from ._pca import KernelPCA
from ._report import MarginReport, evaluate
from ._ridge import KernelRidge, kernel_ridge_path
from ._svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from ._text import TextFeatures
from ._tune import Tuning, tune

__all__ = [
    "SVC",
    "NuSVC",
    "SVR",
    "NuSVR",
    "OneClassSVM",
    "LinearSVC",
    "Pegasos",
    "KernelRidge",
    "KernelLogisticRegression",
    "KernelPCA",
    "CellsSVC",
    "CellsLogistic",
    "CellsSVR",
    "CellsRidge",
    "NystroemRidge",
    "NystroemLogistic",
    "NystroemSVC",
    "Nystroem",
    "RandomFeatures",
    "PolynomialCountSketch",
    "checkpoint",
    "KernelKMeans",
    "KernelKMedoids",
    "NystroemKMeans",
    "NystroemSpectralClustering",
    "KernelKNeighborsClassifier",
    "KernelKNeighborsRegressor",
    "NearestCentroid",
    "NearestMedoid",
    "TextFeatures",
    "tune",
    "Tuning",
    "learn_kernel",
    "Learning",
    "kernel_ridge_path",
    "MarginReport",
    "evaluate",
    "mmd_test",
    "hsic_test",
    "kernels",
    "plot",
    "threads",
    "set_threads",
    "set_interrupt",
    "__version__",
]


def _take_share():
    """joblib and cluster schedulers tell a process how many threads are its own by OMP_NUM_THREADS; MERCER_THREADS is
    read by the library itself."""
    import os

    share = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if "MERCER_THREADS" not in os.environ and share.isdigit() and int(share) > 0:
        set_threads(min(int(share), 4096))


_take_share()


def __getattr__(name):
    if name == "plot":  # imports matplotlib only when plot is used
        import importlib

        return importlib.import_module("mercer.plot")
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")
