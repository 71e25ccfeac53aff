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
from ._svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "kernels", "plot", "threads", "set_threads", "__version__"]


def __getattr__(name):
    if name == "plot":  # matplotlib only where somebody draws
        import importlib

        return importlib.import_module("mercer.plot")
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")
