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
from ._docstrings import section, sentence, wrapped


class Kernel:
    """A kernel k(x, z): a function of two examples. Base class of all kernels.

    Kernels are combined by ``+``, ``*`` and ``**`` and with numbers. Calling a kernel computes a kernel matrix.

    Attributes
    ----------
    domain : str
        Kind of the examples: ``'vectors'``, ``'strings'``, ``'sets'``, ``'graphs'``, ... or ``'any'``.

    See Also
    --------
    parse : Converts an expression to a kernel.

    Examples
    --------
    >>> from mercer.kernels import RBF, Kernel, Linear
    >>> k = 0.5 * RBF(gamma=0.1) + Linear()
    >>> isinstance(k, Kernel), str(k), k.domain
    (True, '0.5*rbf(gamma=0.1) + linear()', 'vectors')
    """

    _parameters = ()

    # --- the compiled kernel

    def core(self):
        """Converts the kernel to the compiled kernel of the library.

        Returns
        -------
        kernel : object
            The compiled kernel.
        """
        return self._build(_named(self._functions()))

    def _build(self, named):
        """The compiled kernel; defined by subclasses. named: the functions in it, (name, compiled kernel) by key."""
        raise NotImplementedError

    def _parts(self):
        return [part for part in (getattr(self, name) for name, _ in self._parameters) if isinstance(part, Kernel)]

    def _functions(self):
        """The Python functions in the expression, from left to right."""
        return [function for part in self._parts() for function in part._functions()]

    def _has_function(self):
        return bool(self._functions())

    def takes_anything(self):
        """True if the kernel compares objects that only its Python functions understand.

        Returns
        -------
        anything : bool
            True if the kernel consists of functions with ``domain='objects'``.

        Raises
        ------
        ValueError
            If such a function is combined with a kernel that does not know the objects.
        """
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
        """Lists the Python functions in the expression.

        Returns
        -------
        functions : list of (str, object)
            Name and compiled kernel of each function: the meaning of ``user(name)`` in the text form.
        """
        return list(_named(self._functions()).values())

    def frozen(self, meant=None):
        """Copies the kernel, so that later changes of its parameters do not affect the copy.

        Parameters
        ----------
        meant : callable, default=None
            Function that returns the number for a parameter given as a text, such as ``gamma='scale'``.

        Returns
        -------
        kernel : Kernel
            The copy.
        """
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
        """Computes the kernel matrix of two lists of examples.

        Parameters
        ----------
        X : array-like, sparse matrix or list of objects, n_samples_x examples
            Examples of the rows of the matrix.
        Z : array-like, sparse matrix or list of objects, n_samples_z examples, default=None
            Examples of the columns of the matrix. None: X.
        n_jobs : int, default=None
            Number of threads. None: all.

        Returns
        -------
        K : ndarray of shape (n_samples_x, n_samples_z)
            Kernel values; float32 if X and Z are float32, else float64.
        """
        x = self._seen(X)
        z = None if Z is None else self._seen(Z)
        return self.core().gram(x, z, x.single and (z is None or z.single), n_jobs)

    def diag(self, X):
        """Computes k(x, x) for every example.

        Parameters
        ----------
        X : array-like, sparse matrix or list of objects, n_samples examples
            Examples.

        Returns
        -------
        values : ndarray of shape (n_samples,)
            Kernel values.
        """
        return self.core().diagonal(self._seen(X))

    def _seen(self, X):
        """The library's view of the examples."""
        core = self.core()
        return _data.as_data(X, always=self.takes_anything(), kind=core.domain, fields=core.fields)

    # --- properties

    @property
    def domain(self):
        """Kind of the examples: 'vectors', 'strings', 'sets', 'graphs', ... or 'any'."""
        return self.core().domain

    def is_stationary(self):
        """True if k(x, z) is known to be a function of x - z.

        Returns
        -------
        stationary : bool
            True if the form of the expression shows it.
        """
        return self.core().traits["stationary"]

    def proof(self):
        """Proves that the kernel is positive semidefinite on all data, by the rules that make it a kernel.

        Returns
        -------
        proof : Proof
            Tree of rules; ``print(proof)`` shows it. ``proof.valid`` is False if no rule covers some part.

        Examples
        --------
        >>> from mercer.kernels import RBF, Sigmoid
        >>> RBF().proof().valid, Sigmoid().proof().valid
        (True, False)
        """
        return self.core().proof()

    def test(self, X, *, max_n=4000, seed=1, eigenvalues=False):
        """Tests whether the kernel matrix of these examples is positive semidefinite.

        Parameters
        ----------
        X : array-like, sparse matrix or list of objects, n_samples examples
            Examples.
        max_n : int, default=4000
            Largest number of rows to test; of more examples a sample is tested.
        seed : int, default=1
            Seed of the sample.
        eigenvalues : bool, default=False
            Compute the smallest and the largest eigenvalue even if the verdict does not require them.

        Returns
        -------
        result : MercerTest
            ``result.verdict`` is ``'certified'``, ``'indefinite'`` (with a witness), ``'asymmetric'``, ``'undecided'``
            or ``'contradiction'``.

        Examples
        --------
        >>> from mercer.kernels import RBF
        >>> RBF().test([[0.0], [1.0], [2.0]]).verdict
        'certified'
        """
        return _core.mercer_test(self.core(), self._seen(X), max_n, seed, eigenvalues)

    def feature_map(self, n_features, *, limit=1_000_000):
        """Computes the explicit features phi with phi(x)'phi(z) = k(x, z), if there are finitely many.

        Parameters
        ----------
        n_features : int
            Number of features of the input vectors.
        limit : int, default=1000000
            Largest number of explicit features.

        Returns
        -------
        map : FeatureMap
            The map from vectors to their explicit features.

        Examples
        --------
        >>> from mercer.kernels import Polynomial
        >>> len(Polynomial(degree=2, coef0=1.0).feature_map(2))
        6
        """
        return FeatureMap(_core.FeatureMap(self.core(), n_features, limit))

    # --- parameters in scikit-learn's interface

    def get_params(self, deep=True):
        """Returns the parameters by name, those of parts as ``part__name``.

        Parameters
        ----------
        deep : bool, default=True
            Include the parameters of parts.

        Returns
        -------
        params : dict
            Values by name.
        """
        params = {}
        for name, _ in self._parameters:
            value = getattr(self, name)
            params[name] = value
            if deep and isinstance(value, Kernel):
                params.update({f"{name}__{inner}": each for inner, each in value.get_params().items()})
        return params

    def set_params(self, **params):
        """Sets parameters by name, those of parts as ``part__name``.

        Parameters
        ----------
        **params : dict
            Values by name, such as ``k1__gamma=0.5``.

        Returns
        -------
        self : Kernel
            The kernel.
        """
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
    """A class of kernels: its parameters with their defaults, its docstring, and how it becomes the compiled kernel."""

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


_MEANINGS = {  # {parameter: (type, meaning)} of the algebra
    "k": ("Kernel", "Kernel."),
    "k1": ("Kernel", "First kernel."),
    "k2": ("Kernel", "Second kernel."),
    "factor": ("float", "Factor; the result is a kernel if the factor is at least 0."),
    "exponent": ("float", "Exponent; the result is a kernel if the exponent is a whole number of at least 0."),
    "coefficients": (
        "list of float", "Coefficients c0, c1, c2, ...; the result is a kernel if all of them are at least 0."
    ),
    "columns": ("list of int", "Indices of the features, from 0."),
    "factors": ("list of float", "Factor of each feature."),
    "map": ("Kernel", "Kernel with explicit features phi."),
    "name": ("str", "Name of the field."),
}  # fmt: skip


def _node(name, what, parameters, about, example, show=None, given=lambda value: value):
    """A class of the algebra: what(first kernel, the other parameters) in the library. show: how it is written."""

    def build(self, named):
        values = [getattr(self, each) for each in parameters]
        first, *others = [each._build(named) for each in values if isinstance(each, Kernel)]
        others += [given(each) for each in values if not isinstance(each, Kernel)]
        return getattr(first, what)(*others)

    code, text = example
    described = [(f"{each} : {_MEANINGS[each][0]}", _MEANINGS[each][1]) for each in parameters]
    doc = "\n".join([
        about + "\n", section("Parameters", described), _ATTRIBUTES, "Examples", "--------",
        ">>> from mercer import kernels", f">>> str({code})", repr(text), "",
    ])  # fmt: skip
    cls = _NODES[what] = _class(name, tuple((each, inspect.Parameter.empty) for each in parameters), doc, build)
    if show is not None:
        cls.__repr__ = show
    return cls


_ATTRIBUTES = section(
    "Attributes", [("domain : str", "Kind of the examples that the kernel compares, such as ``'vectors'``.")]
)

Sum = _node(
    "Sum", "sum", ("k1", "k2"), "The sum of two kernels, ``k1 + k2``.",
    ("kernels.RBF() + kernels.Linear()", "rbf(gamma=1) + linear()"),
    lambda self: f"{self.k1!r} + {_wrapped(self.k2, Sum)}",
)  # fmt: skip
Product = _node(
    "Product", "product", ("k1", "k2"), "The product of two kernels, ``k1 * k2``.",
    ("kernels.RBF() * kernels.Linear()", "rbf(gamma=1)*linear()"),
    lambda self: f"{_wrapped(self.k1, Sum)} * {_wrapped(self.k2, Sum, Product, Scale)}",
)  # fmt: skip
Scale = _node(
    "Scale", "scale", ("k", "factor"), "A kernel times a number, ``factor * k``.",
    ("0.5 * kernels.RBF()", "0.5*rbf(gamma=1)"),
    lambda self: f"{self.factor!r} * {_wrapped(self.k, Sum, Scale)}",
)  # fmt: skip
Power = _node(
    "Power", "power", ("k", "exponent"), "A power of a kernel, ``k ** exponent``.",
    ("kernels.Linear() ** 2", "linear()^2"),
    lambda self: f"{_wrapped(self.k, Sum, Product, Scale, Power)} ** {self.exponent!r}",
)  # fmt: skip
Exp = _node(
    "Exp", "exp", ("k",), "The exponential of a kernel, exp(k(x, z)).",
    ("kernels.Exp(kernels.Linear())", "exp(linear())"),
)  # fmt: skip
Normalize = _node(
    "Normalize", "normalize", ("k",), "The normalised kernel k(x, z)/sqrt(k(x, x) k(z, z)), with k(x, x) = 1.",
    ("kernels.Normalize(kernels.Spectrum(k=2))", "normalize(spectrum(k=2))"),
)  # fmt: skip
PolynomialOf = _node(
    "PolynomialOf", "polynomial_of", ("k", "coefficients"), "A polynomial of a kernel, c0 + c1 k + c2 k² + ...",
    ("kernels.PolynomialOf(kernels.RBF(), [1.0, 0.5])", "polynomial_of(rbf(gamma=1), [1, 0.5])"), given=list,
)  # fmt: skip
Columns = _node(
    "Columns", "columns", ("k", "columns"), "A kernel on some of the features of vectors.",
    ("kernels.Columns(kernels.RBF(), [0, 2])", "columns(rbf(gamma=1), [0, 2])"),
    given=lambda columns: [int(each) for each in columns],
)  # fmt: skip
Scaled = _node(
    "Scaled", "scaled", ("k", "factors"), "A kernel on vectors whose features are multiplied by numbers.",
    ("kernels.Scaled(kernels.RBF(), [1.0, 2.0])", "scaled(rbf(gamma=1), [1, 2])"),
    given=lambda factors: [float(each) for each in factors],
)  # fmt: skip
Pullback = _node(
    "Pullback", "pulls_back", ("map", "k"),
    "A kernel on the explicit features of another kernel: k(phi(x), phi(z)) with map(x, z) = phi(x)'phi(z).",
    ("kernels.Pullback(kernels.Spectrum(k=2), kernels.RBF())", "pullback(spectrum(k=2), rbf(gamma=1))"),
)  # fmt: skip
Field = _node(
    "Field", "field", ("name", "k"), "A kernel on one field of records.",
    ("kernels.Field('title', kernels.Spectrum(k=2))", "field(title, spectrum(k=2))"),
)  # fmt: skip


class Expression(Kernel):
    """A kernel given by its expression only, such as one that names registered functions.

    Parameters
    ----------
    text : str
        Expression of the kernel.

    Attributes
    ----------
    domain : str
        Kind of the examples that the kernel compares, such as ``'vectors'``.

    See Also
    --------
    parse : Converts an expression to an object of the class of its outermost kernel.

    Examples
    --------
    >>> from mercer.kernels import Expression
    >>> Expression("0.5*rbf(gamma=2)")([[0.0]])
    array([[0.5]])
    """

    _parameters = (("text", inspect.Parameter.empty),)

    def __init__(self, text):
        self.text = text

    def _build(self, named):
        return _core.Kernel(self.text)


class Callable(Kernel):
    """A Python function as a kernel.

    The library knows nothing about the function, so that nothing is proven; `test` tests it on data.

    Parameters
    ----------
    function : callable
        Function of two arrays, sparse matrices or lists that returns the matrix of kernel values; with
        ``pairwise=True`` a function of two examples that returns one value. It is called once for a whole matrix of at
        most 256 MB, else for blocks of rows.
    domain : {'vectors', 'strings', 'sets', 'objects', ...}, default='vectors'
        Kind of the examples; ``'objects'`` passes lists of any objects to the function unchanged.
    pairwise : bool, default=False
        True if the function takes two examples.

    Attributes
    ----------
    name : str
        Name of the function in the expression of the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Callable
    >>> k = Callable(lambda x, z: min(len(x), len(z)), domain="strings", pairwise=True)
    >>> k(["a", "abc"])
    array([[1., 1.],
           [1., 3.]])
    """

    _parameters = (("function", inspect.Parameter.empty), ("domain", "vectors"), ("pairwise", False))

    def __init__(self, function, domain="vectors", pairwise=False):
        self.function = function
        self.domain = domain
        self.pairwise = pairwise

    domain = None  # `domain` is a parameter here

    @property
    def name(self):
        """Name of the function in the expression of the kernel."""
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
    """The examples one by one; rows of a sparse matrix as dense vectors, unlike in scikit-learn's pairwise_kernels."""
    return X.toarray() if scipy.sparse.issparse(X) else X


class FeatureMap:
    """Explicit features phi of a kernel, with phi(x)'phi(z) = k(x, z); the result of ``Kernel.feature_map``.

    Parameters
    ----------
    map : object
        Compiled map of the library.

    Attributes
    ----------
    names : list of str
        Names of the features.

    Examples
    --------
    >>> from mercer.kernels import Polynomial
    >>> k = Polynomial(degree=2)
    >>> map = k.feature_map(2)
    >>> map.names, len(map)
    (['x1^2', 'sqrt2*x1*x2', 'x2^2'], 3)
    >>> F = map.transform([[1.0, 2.0]])
    >>> (F @ F.T).round(6), k([[1.0, 2.0]])
    (array([[25.]]), array([[25.]]))
    """

    def __init__(self, map):
        self._map = map

    def __len__(self):
        return len(self._map)

    def transform(self, X):
        """Computes the features of vectors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Vectors.

        Returns
        -------
        features : ndarray or sparse matrix of shape (n_samples, len(self))
            Features.
        """
        return self._map.apply(_data.as_data(X))

    def get_feature_names_out(self, input_features=None):
        """Names of the features, as scikit-learn's transformers return them.

        Parameters
        ----------
        input_features : Ignored
            Accepted for compatibility with scikit-learn's transformers.

        Returns
        -------
        names : ndarray of shape (len(self),)
            Names of the features.
        """
        return np.asarray(self._map.names, dtype=object)

    @property
    def names(self):
        """Names of the features."""
        return self._map.names


# --- the classes of the registered kernels

_CLASS_NAMES = {"poly": "Polynomial"}  # names of classes that differ from the name in the text form
_BY_NAME = {}


def _camel(name):
    return "RBF" if name == "rbf" else "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _default(initial, condition):
    if initial == "":
        return inspect.Parameter.empty
    return int(initial) if "integer" in condition else float(initial)


def number_text(value):
    """Writes a number, or a list of numbers, as it stands in expressions.

    Parameters
    ----------
    value : float, int or list
        The number, or a list of numbers or lists.

    Returns
    -------
    text : str
        The text.
    """
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

    entries = []
    for (own_name, default), (*_, condition, about) in zip(parameters, entry["parameters"]):
        if default is inspect.Parameter.empty:
            head = f"{own_name} : array-like"
        else:
            head = f"{own_name} : {type(default).__name__}, default={default!r}"
        entries.append((head, sentence(about) + (f" Condition: {condition}." if condition else "")))
    for other in entry["other_arguments"]:
        of = next((p for p, each in zip(own, entry["parameters"]) if re.search(rf"\b{other}\b", each[3])), None)
        instead = f"Alternative to `{of}`; see there." if of else "Alternative parameter."
        entries.append((f"{other} : float, default=None", instead))
    where = {"any": "examples of any kind", "points": "points in space, such as atoms of molecules"}
    lines = [f"The kernel {entry['name']}: {entry['formula']}.", "", f"A kernel on {where.get(entry['domain'], entry['domain'])}."]
    lines += ["", section("Parameters", entries)] if entries else [""]
    lines += [_ATTRIBUTES, "Notes", "-----", wrapped(sentence(entry["rule"]), ""), ""]
    name = _CLASS_NAMES.get(entry["name"]) or _camel(entry["name"])
    required = ", ".join(f"{each}=[[1, 0], [0, 1]]" for each, default in parameters if default is inspect.Parameter.empty)
    lines += ["Examples", "--------", ">>> from mercer import kernels"]
    lines += [f">>> kernels.{name}({required}) == kernels.parse({entry['name'] + '(' + required + ')'!r})", "True", ""]
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
    """Converts an expression to a kernel.

    Parameters
    ----------
    text : str
        Expression of the kernel.

    Returns
    -------
    kernel : Kernel
        The kernel.

    Raises
    ------
    ValueError
        If the expression is not valid; the message shows the position.

    Examples
    --------
    >>> from mercer.kernels import parse
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
