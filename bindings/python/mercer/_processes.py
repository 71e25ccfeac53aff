"""Fits shared by processes of mpi4py: each has rows of its own, and all get the model of all rows (docs/cluster.md).

What can go wrong in one process is looked at before the others depend on it: each says how its part went, and all raise
where one could not go on. In the fit itself a process that fails alone ends the job, as the program does.
"""

import numpy as np
import scipy.sparse
from sklearn.utils.class_weight import compute_class_weight

from . import _checkpoint, _core, _data, kernels
from ._base import KernelEstimator, Progress, takes_former_names

_RAISED = {each.__name__: each for each in (ValueError, TypeError, ImportError, MemoryError, OSError)}
_NOT_COMPARED = ("callback", "verbose", "n_jobs", "random_state")  # parameters that may differ between the ranks


class Processes:
    """The MPI ranks of a communicator."""

    def __init__(self, comm):
        try:
            from mpi4py import MPI
        except ImportError as missing:
            raise ImportError(
                f"comm needs mpi4py (Debian: python3-mpi4py), which cannot be imported: {missing}"
            ) from None
        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"comm must be a communicator of mpi4py such as MPI.COMM_WORLD, got {comm!r}")
        if comm == MPI.COMM_NULL or comm.Is_inter():
            raise ValueError("comm must be an intracommunicator that contains this process")
        self.comm, self.library = comm, MPI.Get_library_version().rstrip("\x00")

    def together(self, work):
        """Returns work(). If it raises on some rank, all ranks raise: that rank its own exception, the others one with the
        same text."""
        made = wrong = None
        try:
            made = work()
        except BaseException as problem:
            wrong = problem
        said = self.comm.allgather(None if wrong is None else (type(wrong).__name__, str(wrong)))
        if wrong is not None:
            raise wrong
        for rank, each in enumerate(said):
            if each is not None:
                kind, text = each
                raise _RAISED.get(kind, RuntimeError)(f"process {rank}: {'' if kind in _RAISED else kind + ': '}{text}")
        return made

    def open(self):
        """The communicator of the library for the same ranks."""
        self.together(lambda: _core.require_communicators(self.library))
        return _core.Processes(self.comm.py2f(), self.library)


class AllRows:
    """The facts about data distributed over the ranks that a kernel's parameters depend on."""

    def __init__(self, processes, data, facts):
        self.processes, self.data, self.kind, self.dims = processes, data, facts["kind"], facts["dims"]

    def entry_variance(self, sample_weight):
        return self.processes.entry_variance(self.data, sample_weight)


def _count(X):
    return X.shape[0] if isinstance(X, np.ndarray) or scipy.sparse.issparse(X) or hasattr(X, "iloc") else len(X)


def _parameter_text(value):
    """A text for a parameter that is equal on all ranks if the values are equal."""
    if isinstance(value, kernels.Kernel):
        return str(value) if not value.functions() else type(value).__name__
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return repr(np.asarray(value).tolist()) if isinstance(value, np.ndarray) else repr(value)


def _same(facts, name, words):
    """Returns the value of a fact; raises on all ranks if the ranks that have the fact differ."""
    (first, wanted), *others = [(rank, each[name]) for rank, each in enumerate(facts) if name in each]
    for rank, value in others:
        if value != wanted:
            raise ValueError(f"process {first} has {words} {wanted}, but process {rank} has {value}: all processes must have the same")
    return wanted


former_factorisation = takes_former_names(
    "fit", {"factors": "factorisation"}, {"factorisation": {"alone": "local", "together": "distributed"}}
)


def check_single_process(factorisation):
    """Refuses `factorisation` in a fit of one process."""
    if factorisation != "auto":
        raise ValueError(f"factorisation={factorisation!r} has no effect without comm: leave it out")


class _SharedFit(KernelEstimator):
    """fit() with examples distributed over several ranks."""

    def _fit_shared(self, X, y, sample_weight, comm, factorisation, **options):
        group = Processes(comm)
        data, target, weight, mine = group.together(lambda: self._own_rows(X, y, sample_weight, factorisation))
        processes = group.open()
        facts = comm.allgather(mine)
        for name in mine["parameters"]:
            _same([each["parameters"] for each in facts], name, f"{name} =")
        if not any("what" in each for each in facts):
            raise ValueError(f"{type(self).__name__}: no process has examples")
        _same(facts, "what", "X of")
        self._agree_on_columns(facts)
        y, weight, class_weight = self._agree_on_targets(facts, target, weight)
        rows = AllRows(processes, data, next(each for each in facts if "what" in each))
        self.kernel_ = self._resolve_kernel(rows, weight)
        told = self._told(options)
        told["seed"] = comm.bcast(told["seed"])
        progress, kernel, memory = Progress(self), self.kernel_.core(), self._memory()
        progress.verbose = self.verbose and comm.rank == 0
        model, interrupted = group.together(
            lambda: processes.fit(
                self._method, told, data, kernel, y, weight, class_weight, memory, self.max_seconds, self.n_jobs,
                progress.callback(), factorisation, _checkpoint.current(),
            )
        )  # fmt: skip
        return self._take(model, any(comm.allgather(interrupted)))

    def _own_rows(self, X, y, sample_weight, factorisation):
        """(data or None, targets, weights or None, facts) of this rank."""
        self._validate_params()
        if factorisation not in ("auto", "local", "distributed"):
            raise ValueError(f"factorisation must be 'auto', 'local' or 'distributed', got {factorisation!r}")
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("kernel='precomputed' does not work with comm, because every process has other rows: pass a kernel")
        parameters = {k: _parameter_text(v) for k, v in self.get_params(deep=False).items() if k not in _NOT_COMPARED}
        facts = {"parameters": {**parameters, "factorisation": repr(factorisation)}}
        n = _count(X)
        if n == 0:
            return None, None, None, facts
        data = self._fit_data(X)
        if self._held is not None:
            raise ValueError("objects of a Python kernel function with domain='objects' do not work with comm: fit in one process")
        target, weight = self._own_targets(y, n, _data.as_weights(sample_weight, n), facts)
        vectors = data.kind == "vectors"
        facts["what"] = data.kind
        if vectors:
            form, digits = "sparse" if data.sparse else "dense", "float32" if data.single else "float64"
            facts["what"] = f"{data.dims} features ({form}, {digits})"
        facts["kind"], facts["dims"] = data.kind, data.dims if vectors else 0
        facts["names"] = list(getattr(self, "feature_names_in_", ()))
        facts["items"] = self._items
        return data, target, weight, facts

    def _agree_on_columns(self, facts):
        names = _same(facts, "names", "features named")
        there = next(each for each in facts if "what" in each)
        self._held, self._items = None, {}
        for each in facts:
            self._items.update(each.get("items", {}))
        for name in ("n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)
        if there["kind"] == "vectors":
            self.n_features_in_ = there["dims"]
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)


class SharedTargets(_SharedFit):
    """Target values, with one column or several."""

    def _own_targets(self, y, n, weight, facts):
        targets, one = _data.as_target_columns(y, n, type(self).__name__)
        facts["targets"] = "one column without a second dimension" if one else f"{targets.shape[1]} columns"
        facts["shape"] = (targets.shape[1], one)
        if weight is not None and (weight < 0).any():
            raise ValueError(f"sample weights must satisfy 0 <= weight < infinity, got {weight.min()}")
        facts["weight"] = weight is None or bool(weight.any())
        return targets, weight

    def _agree_on_targets(self, facts, targets, weight):
        _same(facts, "targets", "y of")
        columns, self._one_column = _same(facts, "shape", "y of")
        if not any(each.get("weight") for each in facts):
            raise ValueError(f"{type(self).__name__}: all sample weights are zero")
        return np.empty((0, columns)) if targets is None else targets, weight, None


class SharedLabels(_SharedFit):
    """Class labels; a rank may have examples of some classes only."""

    def _own_targets(self, y, n, weight, facts):
        weight = None if weight is None else np.maximum(weight, 0.0)
        classes, codes = _data.as_classes(y, n, type(self).__name__, weight)
        present = codes if weight is None else codes[weight > 0]
        facts["classes"] = classes
        facts["counts"] = np.bincount(present, minlength=len(classes))[: len(classes)]
        facts["weighted"] = weight is not None and not weight.all()
        return (classes, codes), weight

    def _agree_on_targets(self, facts, target, weight):
        there = [each for each in facts if "classes" in each and len(each["classes"])]
        if not there:
            raise ValueError(self._none_left)
        types = [each["classes"].dtype.kind for each in there]
        if any(each in "US" for each in types) and any(each in "biuf" for each in types):
            raise ValueError("labels must have one type, but some processes have strings and others numbers")
        self.classes_ = np.unique(np.concatenate([each["classes"] for each in there]))
        if len(self.classes_) < 2:
            one = "The number of classes has to be greater than one; got 1 class"
            raise ValueError(self._one_left if any(each.get("weighted") for each in facts) else one)
        counts = np.zeros(len(self.classes_), dtype=np.int64)
        for each in there:
            counts[np.searchsorted(self.classes_, each["classes"])] += each["counts"]
        self.class_weight_ = np.ones(len(self.classes_))
        if self.class_weight == "balanced":
            self.class_weight_ = counts.sum() / (len(self.classes_) * counts.astype(np.float64))
        elif self.class_weight is not None:
            self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_)
        codes = np.empty(0, dtype=np.int64)
        if target is not None:
            classes, codes = target
            codes = np.searchsorted(self.classes_, classes)[codes] if len(classes) else codes
        return codes, weight, None if self.class_weight is None else self.class_weight_
