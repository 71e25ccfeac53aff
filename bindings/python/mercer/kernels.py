"""Kernels as objects: every kernel of the library as a class, and their algebra.

>>> from mercer.kernels import RBF, Polynomial
>>> k = 0.5 * RBF(gamma=0.1) + Polynomial(degree=2, coef0=1.0)
>>> print(k)
0.5*rbf(gamma=0.1) + poly(degree=2, gamma=1, coef0=1)
>>> k([[0.0, 1.0], [2.0, 0.0]]).round(3)
array([[ 4.5  ,  1.303],
       [ 1.303, 25.5  ]])
>>> k.proof().valid
True
"""

import copy
import inspect
import keyword
import re

import numpy as np
import scipy.sparse

from . import _core, _data


class Kernel:
    """A function k(x, z) of two objects. Subclasses have their parameters in `_parameters`, pairs of name, default."""

    _parameters = ()

    # --- the compiled kernel

    def core(self):
        """The library's kernel."""
        return self._build(_named(self._functions()))

    def _build(self, named):
        """What a subclass gives: the library's kernel. named: its functions, (name, library's kernel) by key."""
        raise NotImplementedError

    def _parts(self):
        return [part for part in (getattr(self, name) for name, _ in self._parameters) if isinstance(part, Kernel)]

    def _functions(self):
        """The functions that stand in it, from left to right."""
        return [function for part in self._parts() for function in part._functions()]

    def _has_function(self):
        return bool(self._functions())

    def takes_anything(self):
        """Does it compare objects that only its functions understand? Then all of it must."""
        own = [each.domain == "objects" for each in self._functions()]
        if any(own) and not (all(own) and self._leaves_are_functions()):
            raise ValueError(
                f"{self!r}: a function of domain='objects' cannot be combined with a kernel on other objects"
            )
        return any(own)

    def _leaves_are_functions(self):
        parts = self._parts()
        leaf = isinstance(self, (Callable, _BY_NAME["constant"]))
        return all(part._leaves_are_functions() for part in parts) if parts else leaf

    def functions(self):
        """Pairs of name and kernel: what user(name) means in the text form."""
        return list(_named(self._functions()).values())

    def frozen(self, meant=None):
        """A copy that does not change when this one's parameters are set. meant: gives the number that a text, such as
        gamma='scale', stands for."""
        twin = copy.copy(self)
        for name, _ in self._parameters:
            value = getattr(self, name)
            if isinstance(value, Kernel):
                setattr(twin, name, value.frozen(meant))
            elif isinstance(value, str) and meant is not None and not isinstance(self, (Expression, Callable)):
                setattr(twin, name, meant(value))
        return twin

    # --- values

    def __call__(self, X, Z=None, *, n_jobs=None):
        """The matrix of k(x, z) for the rows x of X and z of Z (X itself when None): float32 when both are, else
        float64."""
        x = self._seen(X)
        z = None if Z is None else self._seen(Z)
        return self.core().gram(x, z, x.single and (z is None or z.single), n_jobs)

    def diag(self, X):
        """k(x, x) for every row x of X."""
        return self.core().diagonal(self._seen(X))

    def _seen(self, X):
        """The library's view of objects to compare."""
        core = self.core()
        return _data.as_data(X, always=self.takes_anything(), kind=core.domain, fields=core.fields)

    # --- properties

    @property
    def domain(self):
        """What it compares: 'vectors', 'strings', 'sets', 'graphs' or 'any'."""
        return self.core().domain

    def is_stationary(self):
        """Is it a function of x - z?"""
        return self.core().traits["stationary"]

    def proof(self):
        """Why it is a kernel: a tree of rules that prints itself."""
        return self.core().proof()

    def test(self, X, *, max_n=4000, seed=1, eigenvalues=False):
        """Is its matrix on X positive semidefinite? A certificate, a witness against it, or 'undecided'."""
        return _core.mercer_test(self.core(), self._seen(X), max_n, seed, eigenvalues)

    def feature_map(self, n_features, *, limit=1_000_000):
        """The map phi with phi(x)'phi(z) = k(x, z) for vectors of n_features coordinates, where it is finite."""
        return FeatureMap(_core.FeatureMap(self.core(), n_features, limit))

    # --- parameters in scikit-learn's interface

    def get_params(self, deep=True):
        """Parameters by name; those of parts as part__name."""
        params = {}
        for name, _ in self._parameters:
            value = getattr(self, name)
            params[name] = value
            if deep and isinstance(value, Kernel):
                params.update({f"{name}__{inner}": each for inner, each in value.get_params().items()})
        return params

    def set_params(self, **params):
        """Sets parameters by name, also those of parts: k.set_params(k1__gamma=0.5)."""
        own = [name for name, _ in self._parameters]
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in own:
                raise ValueError(f"Invalid parameter {name!r} for kernel {self!r}. Valid parameters are: {own!r}.")
            if inner:
                getattr(self, name).set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

    def __eq__(self, other):
        return type(self) is type(other) and _same(self.get_params(deep=False), other.get_params(deep=False))

    __hash__ = None  # kernels are mutable

    def __str__(self):
        return self.core().text

    def __repr__(self):
        given = [(name, getattr(self, name), default) for name, default in self._parameters]
        shown = [f"{name}={value!r}" for name, value, default in given if default is not None or value is not None]
        return f"{type(self).__name__}({', '.join(shown)})"

    # --- algebra

    def __add__(self, other):
        return Sum(self, _as_kernel(other)) if _operand(other) else NotImplemented

    def __radd__(self, other):
        return Sum(_as_kernel(other), self) if _operand(other) else NotImplemented

    def __sub__(self, other):
        return Sum(self, Scale(_as_kernel(other), -1.0)) if _operand(other) else NotImplemented

    def __mul__(self, other):
        if isinstance(other, Kernel):
            return Product(self, other)
        return Scale(self, float(other)) if _operand(other) else NotImplemented

    def __rmul__(self, other):
        return Scale(self, float(other)) if _operand(other) else NotImplemented

    def __pow__(self, exponent):
        return Power(self, exponent) if _operand(exponent) and not isinstance(exponent, Kernel) else NotImplemented


def _operand(other):
    return isinstance(other, Kernel) or (np.isscalar(other) and not isinstance(other, (str, bytes)))


def _as_kernel(other):
    return other if isinstance(other, Kernel) else Constant(float(other))


def _named(functions):
    """(name, library's kernel) of functions by their keys. A second function of the same name is f_2: the text form
    must tell them apart."""
    named, taken = {}, set()
    for each in functions:
        if each._key() in named:
            continue
        name, count = each.name, 1
        while name in taken:
            count += 1
            name = f"{each.name}_{count}"
        taken.add(name)
        named[each._key()] = name, each._function_core(name)
    return named


def _same(a, b):
    return a.keys() == b.keys() and all(a[key] is b[key] or np.array_equal(a[key], b[key]) for key in a)


# --- kernels made from kernels


def _class(name, parameters, about, build):
    """A class of kernels: its parameters with their defaults, and how it becomes the library's kernel."""

    def __init__(self, *args, **given):
        _assign(self, args, given)

    cls = type(name, (Kernel,), {"__init__": __init__, "_build": build, "__doc__": about, "__module__": __name__})
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    taken = [inspect.Parameter(each, kind, default=default) for each, default in parameters]
    cls._parameters, cls.__signature__ = parameters, inspect.Signature(taken)
    return cls


def _assign(self, args, given):
    names = [name for name, _ in self._parameters]
    if len(args) > len(names):
        raise TypeError(
            f"{type(self).__name__} takes at most {len(names)} arguments ({', '.join(names)}), got {len(args)}"
        )
    values = dict(zip(names, args))
    for key, value in given.items():
        if key not in names or key in values:
            raise TypeError(
                f"{type(self).__name__}: unexpected or repeated argument {key!r}; it takes {', '.join(names) or 'none'}"
            )
        values[key] = value
    for name, default in self._parameters:
        if name not in values and default is inspect.Parameter.empty:
            raise TypeError(f"{type(self).__name__}: {name} must be given")
        setattr(self, name, values.get(name, default))


def _wrapped(part, *weaker):
    return f"({part!r})" if isinstance(part, weaker) else repr(part)


_NODES = {}  # classes by their names in the library


def _node(name, what, parameters, about, show=None, given=lambda value: value):
    """A class of the algebra: what(first kernel, the other parameters) in the library. show: how it is written."""

    def build(self, named):
        values = [getattr(self, each) for each in parameters]
        first, *others = [each._build(named) for each in values if isinstance(each, Kernel)]
        others += [given(each) for each in values if not isinstance(each, Kernel)]
        return getattr(first, what)(*others)

    cls = _NODES[what] = _class(name, tuple((each, inspect.Parameter.empty) for each in parameters), about, build)
    if show is not None:
        cls.__repr__ = show
    return cls


Sum = _node("Sum", "sum", ("k1", "k2"), "k1 + k2", lambda self: f"{self.k1!r} + {_wrapped(self.k2, Sum)}")
Product = _node(
    "Product", "product", ("k1", "k2"), "k1 * k2",
    lambda self: f"{_wrapped(self.k1, Sum)} * {_wrapped(self.k2, Sum, Product, Scale)}",
)  # fmt: skip
Scale = _node(
    "Scale", "scale", ("k", "factor"), "factor * k; a kernel for factor >= 0",
    lambda self: f"{self.factor!r} * {_wrapped(self.k, Sum, Scale)}",
)  # fmt: skip
Power = _node(
    "Power", "power", ("k", "exponent"), "k ** exponent; a kernel for whole exponents >= 0",
    lambda self: f"{_wrapped(self.k, Sum, Product, Scale, Power)} ** {self.exponent!r}",
)  # fmt: skip
Exp = _node("Exp", "exp", ("k",), "exp(k)")
Normalize = _node("Normalize", "normalize", ("k",), "k(x, z)/sqrt(k(x, x) k(z, z))")
PolynomialOf = _node(
    "PolynomialOf", "polynomial_of", ("k", "coefficients"), "c0 + c1 k + c2 k^2 + ...; a kernel for coefficients >= 0",
    given=list,
)  # fmt: skip
Columns = _node(
    "Columns", "columns", ("k", "columns"), "k on some coordinates, counted from 0",
    given=lambda columns: [int(each) for each in columns],
)  # fmt: skip
Scaled = _node(
    "Scaled", "scaled", ("k", "factors"), "k of vectors whose coordinates are multiplied by these numbers",
    given=lambda factors: [float(each) for each in factors],
)  # fmt: skip
Pullback = _node(
    "Pullback", "pulls_back", ("map", "k"),
    "k(phi(x), phi(z)) for the explicit features phi of the kernel map(x, z) = phi(x)'phi(z)",
)  # fmt: skip
Field = _node("Field", "field", ("name", "k"), "k on one field of records")


class Expression(Kernel):
    """A kernel given by its text form only, such as one that names registered functions."""

    _parameters = (("text", inspect.Parameter.empty),)

    def __init__(self, text):
        self.text = text

    def _build(self, named):
        return _core.Kernel(self.text)


class Callable(Kernel):
    """A Python function as a kernel: function(X, Z) gives the matrix of k(x, z) for the rows of two arrays or sparse
    matrices, or for two lists.

    It is called once for a whole matrix where that takes no more than 256 MB. domain: 'vectors'; 'strings' or 'sets' as
    other kernels know them; or 'objects': lists of anything, which reach the function as they are. With pairwise=True
    it is function(x, z), one number for two objects. Nothing is known about it, so nothing is proven: see test().
    """

    _parameters = (("function", inspect.Parameter.empty), ("domain", "vectors"), ("pairwise", False))

    def __init__(self, function, domain="vectors", pairwise=False):
        self.function = function
        self.domain = domain
        self.pairwise = pairwise

    domain = None  # `domain` is a parameter here

    @property
    def name(self):
        return re.sub(r"\W", "", getattr(self.function, "__name__", type(self.function).__name__)) or "function"

    def _key(self):
        return id(self.function), self.domain, self.pairwise

    def _functions(self):
        return [self]

    def _build(self, named):
        return named[self._key()][1]

    def _function_core(self, name):
        function, blocks, known = self.function, self.function, self.domain == "objects"
        if self.pairwise:

            def blocks(X, Z):
                X, Z = _rows(X), _rows(Z)
                return np.array([[function(x, z) for z in Z] for x in X], dtype=np.float64).reshape(len(X), len(Z))

        def of_objects(X, Z):
            left = _data.held_objects(X)
            return blocks(left, left if Z is X else _data.held_objects(Z))

        return _core.from_function(name, of_objects if known else blocks, self.domain)


def _rows(X):
    """The examples one by one; those of a sparse matrix as dense vectors, as scikit-learn's pairwise_kernels does not
    have them."""
    return X.toarray() if scipy.sparse.issparse(X) else X


class FeatureMap:
    """phi with phi(x)'phi(z) = k(x, z): transform(X) gives phi of every row."""

    def __init__(self, map):
        self._map = map

    def __len__(self):
        return len(self._map)

    def transform(self, X):
        return self._map.apply(_data.as_data(X))

    def get_feature_names_out(self, input_features=None):
        return np.asarray(self._map.names, dtype=object)

    @property
    def names(self):
        return self._map.names


# --- the classes of the registered kernels

_CLASS_NAMES = {"poly": "Polynomial"}  # names of classes that differ from the name in the text form
_BY_NAME = {}


def _camel(name):
    return "RBF" if name == "rbf" else "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _default(initial, condition):
    if initial == "":
        return inspect.Parameter.empty
    return int(initial) if "whole" in condition else float(initial)


def number_text(value):
    if isinstance(value, str):
        raise ValueError(f"{value!r} is a number that an estimator computes in fit(): it is not known without data")
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(number_text(each) for each in value) + "]"
    return repr(float(value)) if not isinstance(value, (int, np.integer)) else str(int(value))


def _own_name(name):
    """A parameter's name in Python: lambda_ for lambda, which is a word of the language."""
    return name + "_" if keyword.iskeyword(name) else name


def _registered_class(entry):
    own = [_own_name(name) for name, *_ in entry["parameters"]]
    parameters = tuple((name, _default(*each[1:3])) for name, each in zip(own, entry["parameters"]))
    others = tuple((name, None) for name in entry["other_arguments"])

    def build(self, named):
        given = {name: getattr(self, name) for name, _ in parameters}
        other = {name: getattr(self, name) for name, _ in others if getattr(self, name) is not None}
        # An alternative parameter replaces a parameter at its default. If that parameter has another value, the library
        # reports the conflict.
        if other:
            given = {name: value for name, value in given.items() if value != dict(parameters)[name]}
        arguments = ", ".join(f"{name.rstrip('_')}={number_text(value)}" for name, value in {**given, **other}.items())
        return _core.Kernel(f"{entry['name']}({arguments})")

    where = "anything" if entry["domain"] == "any" else entry["domain"]
    lines = [entry["formula"], "", f"A kernel on {where}.", entry["rule"] + "."]
    lines += ["", "Parameters", "----------"] if parameters else []
    for name, (_, initial, condition, about) in zip(own, entry["parameters"]):
        lines += [f"{name} : {condition}" + (f", default {initial}" if initial else ""), f"    {about}"]
    name = _CLASS_NAMES.get(entry["name"]) or _camel(entry["name"])
    return _class(name, parameters + others, "\n".join(lines), build)


__all__ = ["Kernel", "Expression", "Callable", "FeatureMap", "parse", *(cls.__name__ for cls in _NODES.values())]
for _entry in _core.registry():
    _made = _registered_class(_entry)
    for _name in [_entry["name"], *_entry["aliases"]]:
        _BY_NAME[_name] = _made
        globals().setdefault(_camel(_name), _made)
        __all__.append(_camel(_name))
    globals()[_made.__name__] = _made
    __all__.append(_made.__name__)
__all__ = sorted(set(__all__))


def _built(form):
    what, arguments, who, parts, text = form
    if what in _BY_NAME:
        cls = _BY_NAME[what]
        whole = {
            name for name, default in cls._parameters if isinstance(default, int) and not isinstance(default, bool)
        }
        given = {_own_name(name): value for name, value in arguments.items()}
        return cls(**{name: int(value) if name in whole else value for name, value in given.items()})
    if what == "field":
        return Field(who, _built(parts[0]))
    if what == "pullback" and not who:
        return Pullback(*map(_built, parts))
    if what == "pullback" and not who:
        return Pullback(*map(_built, parts))
    if what not in _NODES:
        return Expression(text)
    return _NODES[what](*[_built(part) for part in parts], **arguments)


def parse(text):
    """The kernel a text form means.

    >>> parse("rbf(gamma=0.5) * linear()^2")
    RBF(gamma=0.5) * Linear() ** 2.0
    >>> parse("rbf(gama=1)")
    Traceback (most recent call last):
        ...
    ValueError: kernel expression, character 5: rbf has no parameter 'gama'; its parameters are gamma
      rbf(gama=1)
          ^
    """
    return _built(_core.Kernel(text).form())
