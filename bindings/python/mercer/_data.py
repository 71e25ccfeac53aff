"""Inputs: whatever a caller passes as X, y or sample_weight, checked once and handed to the library.

Dense arrays of float32 and float64 whose rows are contiguous are borrowed, never copied; anything else is converted
once.
"""

import collections
import collections.abc
import itertools
import numbers
import os
import re
import uuid
import weakref

import numpy as np
import scipy.sparse
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from . import _core
from ._objects import as_graphs, as_images, as_trees, is_graph, is_images, is_tree

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def _borrowable(X):
    """True if X is a matrix of floats that the library can read without a copy."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in _FLOATS
        and X.size > 0
        and (X.strides[1] == X.itemsize or X.shape[1] == 1)
        and X.strides[0] % X.itemsize == 0
        and X.flags.aligned
    )


def _is_series(X):
    """True if the list X contains series: arrays (time, coordinate), or rows of numbers of different lengths. Rows of the
    same length are vectors."""
    if isinstance(X[0], np.ndarray) and X[0].ndim == 2:
        return True
    if not isinstance(X[0], (np.ndarray, list, tuple)):
        return False
    if not all(
        isinstance(each, (np.ndarray, list, tuple)) and np.ndim(each[0] if len(each) else 0.0) == 0 for each in X
    ):
        return False
    words = any(isinstance(v, (str, bytes)) for each in X for v in each[:1])
    return not words and any(len(each) != len(X[0]) for each in X)


def _kind(objects):
    """The function of _core for a list of such objects; None for numbers and unknown objects."""
    first = objects[0]
    if isinstance(first, (str, bytes)):
        return _core.strings
    if isinstance(first, (set, frozenset)):
        return _core.sets
    if isinstance(first, collections.Counter):
        return _core.multisets
    if is_graph(first):
        return lambda all: _core.graphs(as_graphs(all))
    if is_tree(first):
        return lambda all: _core.trees(as_trees(all))
    # Points in space are (elements, coordinates); a tuple of two numbers is a row.
    if isinstance(first, tuple) and len(first) == 2 and np.ndim(first[1]) == 2:
        return _core.points
    if is_images(objects):
        return lambda all: _core.images(as_images(all))
    return _core.series if _is_series(objects) else None


def _objects(X):
    """X as a list if it contains strings, sets, Counters, graphs, trees, points, images or series, else None."""
    if isinstance(X, np.ndarray):
        if X.size > 0 and (X.ndim == 4 or (X.ndim == 3 and X.dtype == np.uint8)):
            return list(X)
        if X.ndim != 1 or X.dtype.kind not in "OUS" or X.size == 0:
            return None
        X = X.tolist()
    elif not isinstance(X, (list, tuple)):
        # A pandas Series also has one dimension; a DataFrame has two.
        if getattr(X, "ndim", None) != 1 or not hasattr(X, "tolist"):
            return None
        X = X.tolist()
    return X if len(X) > 0 and _kind(X) else None


def _fields(X, always=False):
    """The fields (name, values) of X if it contains records, else None. Records are a list of dicts or a data frame with
    columns that are not numbers (`always`: any data frame)."""
    first = X[0] if isinstance(X, (list, tuple)) and len(X) > 0 else None
    if isinstance(first, dict) and not isinstance(first, collections.Counter):
        names = list(first)
        for i, each in enumerate(X):
            if not isinstance(each, dict) or set(each) != set(names):
                raise ValueError(
                    f"Record {i} must have the fields {', '.join(map(repr, names))}, like the first one, got "
                    f"{list(each) if isinstance(each, dict) else type(each).__name__}."
                )
        return [(str(name), [each[name] for each in X]) for name in names]
    if not (hasattr(X, "columns") and hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2) or len(X) == 0:
        return None
    if not always and all(isinstance(value, (numbers.Number, np.bool_)) or value is None for value in X.iloc[0]):
        return None
    return [(str(name), X[name].tolist()) for name in X.columns]


def _field_data(name, values, kind=None):
    """The values of one field as data; numbers become vectors with one feature."""
    try:
        if isinstance(values[0], (numbers.Number, np.bool_)):
            return as_data(np.asarray(values, dtype=np.float64).reshape(-1, 1))
        return as_data(values, kind=kind)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"Field {name!r}: {problem}") from None


class Held:
    """An object that only a user's function understands, with its key in the library. held_objects() finds the object as
    long as an instance exists."""

    __slots__ = ("key", "object", "__weakref__")

    def __init__(self, object, key=None):
        self.object = object
        # the key differs in every process, because models are passed between processes
        self.key = key or f"object {_RUN} {os.getpid()} {next(_COUNT)}"
        _HELD[self.key] = self

    def __reduce__(self):
        return _held_as, (self.key, self.object)


_RUN, _COUNT, _HELD = uuid.uuid4().hex, itertools.count(), weakref.WeakValueDictionary()


def _held_as(key, object):
    return _HELD.get(key) or Held(object, key)


def held_objects(keys):
    """The objects with these keys."""
    return [_HELD[key].object for key in keys]


def _anything(X, always):
    """X as a list if it is a sequence of any objects but rows of numbers, or if `always` is set; else None."""
    if isinstance(X, np.ndarray):
        if not always and (X.ndim == 2 or (X.ndim == 1 and X.dtype.kind not in "OUS")):
            return None
        X = X.tolist() if X.ndim == 1 else list(X)
    elif getattr(X, "ndim", None) == 1 and hasattr(X, "tolist"):  # a pandas Series; a DataFrame has two dimensions
        X = X.tolist()
    elif isinstance(X, collections.abc.Sequence) and not isinstance(X, (str, bytes)):
        X = list(X)
    else:
        return None
    if always or len(X) == 0 or not isinstance(X[0], (list, tuple, np.ndarray, numbers.Number)):
        return X or None
    try:
        rows = np.asarray(X)
    except ValueError:  # rows of different lengths
        return X
    return None if rows.ndim <= 2 and rows.dtype.kind in "biuf" else X


def _finite(data, dtype):
    fault = _core.first_not_finite(data)
    if fault is not None:
        row, column, value = fault
        what = "NaN" if value != value else f"infinity or a value too large for {dtype!r}"
        raise ValueError(f"Input X contains {what}: row {row}, column {column}.")
    return data


def _sparse_data(X):
    if not X.has_canonical_format:  # sorted and without duplicates; the caller's matrix is not changed
        X = X.copy()
        X.sum_duplicates()
    return _core.sparse(
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.data),
        X.shape[1],
    )


def _as_series(X):
    """X as series if it consists of rows of numbers, as a list of series of equal length does; else None."""
    if isinstance(X, np.ndarray):
        rows = X.ndim in (2, 3) and X.dtype.kind in "biuf"
    else:
        rows = isinstance(X, (list, tuple)) and X and all(isinstance(each, (list, tuple, np.ndarray)) for each in X)
    return _core.series(list(X)) if rows else None


def as_data(X, *, estimator=None, copy=False, anything=False, always=False, kind=None, fields=None):
    """The library's view of X: vectors (dense or sparse), strings, sets, images, records or other objects. With `copy`
    it does not change when X does later.

    kind: what the kernel compares, where that is known; fields: what it compares of records, by name. anything: for
    functions of Python, X may be a sequence of any objects, which reach the function as they are; always: and it is
    such a sequence.
    """
    if kind == "series" and (data := _as_series(X)) is not None:
        return data
    if kind == "trees" and not hasattr(X, "columns") and (isinstance(X, (list, tuple)) or getattr(X, "ndim", 0) == 1):
        return _core.trees(as_trees(X))
    several = isinstance(X, (list, tuple)) or (isinstance(X, np.ndarray) and X.ndim in (3, 4))
    if kind == "images" and several and len(X) > 0:
        return _core.images(as_images(X))
    if _borrowable(X) and not always:
        return _finite(_core.dense(X.copy() if copy else X), X.dtype)
    objects = _anything(X, always) if anything or always else None
    if objects is not None:
        held = [Held(each) for each in objects]
        data = _core.strings([each.key for each in held])
        data.held = held
        return data
    if isinstance(X, (list, tuple)) and len(X) == 0 and kind not in (None, "vectors", "any", "records"):
        return getattr(_core, kind)([])
    if isinstance(X, (list, tuple)) and kind == "multisets":
        return _core.multisets(list(X))
    if isinstance(X, (list, tuple)) and kind == "graphs":
        return _core.graphs(as_graphs(X))
    objects = _objects(X) if kind != "records" else None
    if objects is not None:
        return _kind(objects)(objects)
    columns = _fields(X, kind == "records")
    if columns is not None:
        return _core.records([(name, _field_data(name, values, (fields or {}).get(name))) for name, values in columns])
    # check_array would repeat these checks
    if type(X) is scipy.sparse.csr_matrix and X.dtype in _FLOATS and X.nnz > 0 and not copy:
        return _finite(_sparse_data(X), X.dtype)
    X = check_array(
        X, accept_sparse="csr", dtype=list(_FLOATS), order=None, copy=copy, estimator=estimator, input_name="X"
    )
    if scipy.sparse.issparse(X):
        return _sparse_data(X)
    if not _borrowable(X):
        X = np.ascontiguousarray(X)
    return _core.dense(X)


def item_names(X, kind):
    """{number of an item in the library: text} of the items of sets and multisets that are texts."""
    if kind not in ("sets", "multisets"):
        return {}
    names = {item for each in X for item in each if isinstance(item, str)}
    return {str(_core.item_number(name)): name for name in names}


def as_matrix(X, *, estimator=None):
    """X as a matrix of kernel values."""
    if scipy.sparse.issparse(X):
        raise TypeError("Sparse precomputed kernels are not supported: pass X.toarray().")
    return check_array(X, accept_sparse=False, dtype=np.float64, order="C", estimator=estimator, input_name="X")


def as_objects(objects):
    """The objects of a model as an array, a sparse matrix or a list."""
    if isinstance(objects, tuple):
        start, column, value, dims = objects
        return scipy.sparse.csr_matrix((value, column, start), shape=(len(start) - 1, dims))
    if isinstance(objects, list) and objects and isinstance(objects[0], str) and objects[0] in _HELD:
        return held_objects(objects)
    return objects


def as_classes(y, n, owner, weight=None):
    """(classes, codes): the labels in order, and for every example the place of its label. A class whose examples all
    have no weight is absent."""
    y = _one_column(y, n, owner)
    classes, codes = _core.label_codes(y) or (
        np.unique(y, return_inverse=True) if y.dtype.kind != "O" else (None, None)
    )
    # Integers are valid labels and need not pass scikit-learn's slower check, which reports the error for other values.
    if y.dtype.kind not in "iub" and not (
        y.dtype.kind == "f" and np.isfinite(classes).all() and (classes == np.floor(classes)).all()
    ):
        if y.dtype.kind == "f":
            assert_all_finite(y, input_name="y")
        check_classification_targets(y)
    if classes is None:
        classes, codes = np.unique(y, return_inverse=True)
    if weight is not None and not weight.all():
        present = weight > 0
        known, rest = np.unique(codes[present], return_inverse=True)
        classes, codes = classes[known], np.zeros(n, dtype=np.intp)
        codes[present] = rest
    return classes, codes


def label_columns(y):
    """The columns of y, one per output; y itself if it has one dimension or one column."""
    if y is not None and not scipy.sparse.issparse(y):
        table = y if hasattr(y, "ndim") else np.asarray(y)
        if table.ndim == 2 and table.shape[1] > 1:
            return list(np.asarray(table).T)
    return [y]


def as_codes(y, n, classes, owner, weight=None):
    """For every example the index of its label in `classes`. Examples of weight 0 may have other labels."""
    y = _one_column(y, n, owner)
    codes = np.searchsorted(classes, y)
    codes[codes == len(classes)] = 0
    unknown = classes[codes] != y
    if weight is not None:
        unknown &= weight > 0
    if unknown.any():
        raise ValueError(
            f"y has the label {y[unknown.argmax()]!r}, which is not among the classes {classes}: is this the training "
            "data?"
        )
    return codes


def as_targets(y, n, owner):
    """The targets of a regression as float64."""
    y = _one_column(y, n, owner)
    if y.dtype.kind == "O" or y.dtype.kind in "US":
        y = y.astype(np.float64)
    assert_all_finite(y, input_name="y")
    return np.ascontiguousarray(y, dtype=np.float64)


def as_target_columns(y, n, owner):
    """(targets, one): the targets of a regression as a matrix of float64, one column for each output; whether they came
    without columns."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None")
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", estimator=owner)
    if len(y) != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: X has {n}, y has {len(y)}")
    return np.ascontiguousarray(y.reshape(n, -1)), y.ndim == 1


def _one_column(y, n, owner):
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None")
    if not (type(y) is np.ndarray and y.ndim == 1):
        y = column_or_1d(y, warn=True)
    if len(y) != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: X has {n}, y has {len(y)}")
    return y


def as_weights(sample_weight, n):
    """The weight of each example, or None."""
    if sample_weight is None:
        return None
    return _check_sample_weight(sample_weight, range(n), dtype=np.float64)


def as_penalty_weights(sample_weight, n, none_left="Invalid input - all samples have zero or negative weights."):
    """One factor of C an example, or None. An example with a weight of zero or less is absent; if that leaves none, it
    says none_left."""
    weight = as_weights(sample_weight, n)
    if weight is None:
        return None
    if not (weight > 0).any():
        raise ValueError(none_left)
    return np.maximum(weight, 0.0)


def memory():
    """Memory of this machine in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def as_bytes(size):
    """A number of bytes from a number or from a text such as "2GB"."""
    if isinstance(size, numbers.Real) and not isinstance(size, bool) and size > 0:
        return int(size)
    found = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?)i?B?\s*", size, re.IGNORECASE) if isinstance(size, str) else None
    if not found or float(found[1]) <= 0:
        raise ValueError(f'max_memory must be a number of bytes > 0 or a text like "2GB", got {size!r}')
    return int(float(found[1]) * _UNITS[found[2].upper()])
