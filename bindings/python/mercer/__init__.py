"""Kernel machines. A user of scikit-learn changes one import:

>>> from mercer import SVC          # was: from sklearn.svm import SVC
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> SVC().fit(X, y).score(X, y) > 0.95
True
"""

from . import kernels
from ._core import set_threads, threads
from ._core import version as __version__
from ._clusters import KernelKMeans, KernelKMedoids
from ._hypotheses import hsic_test, mmd_test
from ._logistic import KernelLogisticRegression
from ._neighbors import KernelKNeighborsClassifier, KernelKNeighborsRegressor, NearestCentroid, NearestMedoid
from ._pca import KernelPCA
from ._ridge import KernelRidge
from ._svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = [
    "SVC",
    "NuSVC",
    "SVR",
    "NuSVR",
    "OneClassSVM",
    "KernelRidge",
    "KernelLogisticRegression",
    "KernelPCA",
    "KernelKMeans",
    "KernelKMedoids",
    "KernelKNeighborsClassifier",
    "KernelKNeighborsRegressor",
    "NearestCentroid",
    "NearestMedoid",
    "mmd_test",
    "hsic_test",
    "kernels",
    "plot",
    "threads",
    "set_threads",
    "__version__",
]


def __getattr__(name):
    if name == "plot":  # matplotlib only where somebody draws
        import importlib

        return importlib.import_module("mercer.plot")
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")
