"""Docstrings in numpydoc form. The sections "Parameters", "Attributes" and "Returns" of estimators and of their methods
are made from descriptions that exist anyway: parameters from _parameters.py, fitted attributes from the docstrings of
properties, arguments of methods from the tables below. A section that a docstring has itself is kept.
"""

import inspect
import re
import textwrap
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

_SECTION = re.compile(r"^(?=\S[^\n]*\n-{3,}$)", re.MULTILINE)
_TYPES = {
    str: "str", dict: "dict", Integral: "int", callable: "callable", "boolean": "bool", "verbose": "bool or int",
    "array-like": "array-like", "random_state": "int, RandomState instance or None", None: "None",
}  # fmt: skip

_EXAMPLES = "array-like, sparse matrix, data frame or list of objects, n_samples examples"
VECTORS = (_EXAMPLES, "Training examples: vectors as rows.")
_IGNORED = ("Ignored", "Accepted for compatibility with scikit-learn's pipelines.")
LABELS = ("array-like of shape (n_samples,)", "Class labels.")
VALUES = ("array-like of shape (n_samples,)", "Target values.")
COLUMNS = ("array-like of shape (n_samples,) or (n_samples, n_targets)", "Target values, one column per target.")
REPEATED = (
    "array-like of shape (n_samples,), default=None",
    "Weight of each example: 2 counts the example twice, 0 leaves it out.",
)

# {argument: (type, meaning)} of public methods. A class may have others in `_argument_docs`.
_OF_FIT = {
    "X": (
        _EXAMPLES,
        "Training examples: vectors as rows, or strings, sets, graphs or other objects that the kernel compares. With "
        "``kernel='precomputed'``, the kernel matrix of shape (n_samples, n_samples).",
    ),
    "y": _IGNORED,
    "sample_weight": (
        "array-like of shape (n_samples,), default=None",
        "Factor of the penalty of each example. An example of weight 0 has no effect on the fit. None: all weights are "
        "1.",
    ),
    "comm": (
        "mpi4py communicator, default=None",
        "Communicator such as ``MPI.COMM_WORLD`` whose ranks all call `fit`, each with examples of its own or with "
        "none. Every rank returns the model of one process that has the examples of all ranks in the order of the "
        "ranks, bit for bit. None: this process fits alone.",
    ),
    "factorisation": (
        "{'auto', 'local', 'distributed'}, default='auto'",
        "With `comm`: factor the matrices of the centres on each rank (``'local'``) or distributed over the ranks "
        "(``'distributed'``), which is faster with many centres and may round differently. ``'auto'``: distributed from "
        "10000 centres on.",
    ),
}  # fmt: skip
_OF_OTHERS = {
    "X": (
        _EXAMPLES,
        "Examples of the kind that `fit` was called with. With ``kernel='precomputed'``, the kernel values of these "
        "examples (rows) and the training examples (columns).",
    ),
    "y": _IGNORED,
    "sample_weight": REPEATED,
    "input_features": ("Ignored", "Accepted for compatibility with scikit-learn's pipelines."),
}  # fmt: skip
_RETURNED = {
    "fit": ("self : object", "The fitted estimator."),
    "decision_function": (
        "f : ndarray of shape (n_samples,) or (n_samples, n_functions)",
        "Decision values: with two classes one value for each example, positive for ``classes_[1]``; else one column "
        "per decision function.",
    ),
    "predict_proba": (
        "p : ndarray of shape (n_samples, n_classes)", "Probabilities of the classes in the order of `classes_`."
    ),
    "predict_log_proba": (
        "log_p : ndarray of shape (n_samples, n_classes)", "Logarithms of the probabilities of the classes."
    ),
    "fit_predict": ("labels : ndarray of shape (n_samples,)", "Cluster of every example."),
}  # fmt: skip


class FittedAttribute(property):
    """A property of a fitted estimator with the type that its documentation names."""

    kind = ""

    def setter(self, function):
        return fitted_attribute(self.kind, self.__doc__, self.fget, function)


def fitted_attribute(kind, about, get, *others):
    """An attribute of a fitted estimator. others: functions that set and delete it."""
    made = FittedAttribute(get, *others)
    made.kind, made.__doc__ = kind, about
    return made


def fitted(kind):
    """Decorator: a read-only attribute of a fitted estimator, of this type."""
    return lambda function: fitted_attribute(kind, function.__doc__, function)


def wrapped(text, indent="    "):
    """A paragraph of at most 100 columns."""
    return textwrap.fill(" ".join(text.split()), 100, initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)  # fmt: skip


def section(title, entries):
    """A section of a docstring. entries: pairs of "name : type" and meaning."""
    lines = [title, "-" * len(title)]
    for head, about in entries:
        lines += [head, wrapped(about)] if about else [head]
    return "\n".join(lines) + "\n"


def with_sections(doc, made):
    """`doc` with the sections `made`, ((title, text), ...), before its own sections."""
    head, *own = _SECTION.split(inspect.cleandoc(doc))
    have = {each.split("\n", 1)[0] for each in own}
    parts = [head] + [text for title, text in made if title not in have and text] + own
    return "\n\n".join(part.strip() for part in parts) + "\n"


def sentence(text):
    """A phrase of the library as a sentence."""
    text = text.strip()
    if re.match(r"(a|[a-z]{2,})(?=[ ,;-])", text):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) or not text else text + "."


def type_of_one(constraint):
    if isinstance(constraint, StrOptions):
        words = getattr(constraint, "words", sorted(constraint.options))
        return "{" + ", ".join(map(repr, words)) + "}"
    if isinstance(constraint, Interval):
        return {Real: "float", Integral: "int"}.get(constraint.type, "float")
    return _TYPES.get(constraint, getattr(constraint, "__name__", str(constraint)))


def type_text(allowed):
    """The type of a parameter in its documentation, from the constraints of scikit-learn."""
    parts = list(dict.fromkeys(type_of_one(each) for each in allowed))
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def parameters_section(parameters):
    """parameters: {name: (default, constraints, meaning)}."""
    entries = []
    for name, (default, allowed, about) in parameters.items():
        kind = "str, Kernel or callable" if name == "kernel" and callable in allowed else type_text(allowed)
        entries.append((f"{name} : {kind}, default={default!r}", about))
    return section("Parameters", entries)


def attributes_of(cls):
    """{name: (type, meaning)} of the attributes of a fitted estimator, sorted."""
    out = {}
    for base in reversed(cls.__mro__):
        out.update(vars(base).get("_attribute_docs", {}))
        for name, each in vars(base).items():
            if isinstance(each, FittedAttribute):
                out[name] = (each.kind, each.__doc__)
    return {name: out[name] for name in sorted(out, key=str.lower) if out[name] is not None}


def document_class(cls, parameters):
    attributes = [(f"{name} : {kind}", about) for name, (kind, about) in attributes_of(cls).items()]
    made = [("Parameters", parameters_section(parameters) if parameters else "")]
    made.append(("Attributes", section("Attributes", attributes) if attributes else ""))
    cls.__doc__ = with_sections(cls.__doc__, made)


def _collected(cls, name):
    out = {}
    for base in reversed(cls.__mro__):
        out.update(vars(base).get(name, {}))
    return out


def document_methods(cls):
    """Adds the sections "Parameters" and "Returns" to the public methods that the class itself defines."""
    given, returned = _collected(cls, "_argument_docs"), {**_RETURNED, **_collected(cls, "_returned_docs")}
    for name, member in vars(cls).items():
        function = getattr(member, "fn", member)  # methods that exist only with some parameters
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        known = {**_OF_FIT, **given} if name in ("fit", "fit_predict", "fit_transform") else {**_OF_OTHERS}
        arguments = [each for each in inspect.signature(function).parameters if each != "self"]
        made = []
        if arguments and all(each in known for each in arguments):
            made.append(("Parameters", section("Parameters", [(f"{a} : {known[a][0]}", known[a][1]) for a in arguments])))
        if name in returned:
            made.append(("Returns", section("Returns", [returned[name]])))
        function.__doc__ = with_sections(function.__doc__, made)
        if function is not member:
            member.__doc__ = function.__doc__


def document_fields(cls):
    """Gives the fields of a named tuple the texts of the section "Attributes" of its docstring."""
    text = next(each for each in _SECTION.split(inspect.cleandoc(cls.__doc__)) if each.startswith("Attributes"))
    for head, about in re.findall(r"^(\S[^\n]*?) : [^\n]*\n((?:    [^\n]*\n?)+)", text, re.MULTILINE):
        for name in head.split(", "):
            getattr(cls, name).__doc__ = " ".join(about.split())
    return cls
