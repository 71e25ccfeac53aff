"""Explanations of decisions by the features of a kernel: k-mers, words, subtrees, items, columns."""

from collections import namedtuple

from ._docstrings import document_fields

FeatureShare = namedtuple("FeatureShare", "name share value weight kernel")
FeatureShare.__doc__ = """Contribution of one feature of a kernel to a decision value.

Attributes
----------
name : str
    Feature: a k-mer, a word, a subtree, an item or a column.
share : float
    Contribution to f(x): weight * value.
value : float
    Value of the feature for the example.
weight : float
    Weight of the feature in the model.
kernel : str
    Part of the kernel that the feature belongs to.

Examples
--------
>>> import mercer
>>> model = mercer.SVC(kernel="spectrum(k=2)").fit(["abab", "abba", "cccb", "bccb"], [0, 0, 1, 1])
>>> first = model.explain("accc").features[0]
>>> bool(abs(first.share - first.weight * first.value) < 1e-12)
True
"""
document_fields(FeatureShare)


class Explanation:
    """Explanation of one decision value by the features of the kernel; the result of the method ``explain``.

    The decision value is f = sum of all shares + offset, with the sign of ``decision_function``. ``str()`` returns a
    table; notebooks show the picture.

    Attributes
    ----------
    f : float
        Decision value of the example.
    offset : float
        Constant term of the decision function.
    features : list of FeatureShare
        Features with the largest shares, in descending order of their absolute values.
    rest : float
        Sum of the shares of all other features.
    count : int
        Number of features that the example has.
    parts : list of float
        Share of each byte of a string (in UTF-8) or of each node of a graph; empty for other objects.
    kernel : str
        Expression of the kernel.
    positive : object
        Class label for f > 0; None in regression.
    negative : object
        Class label for f < 0, or ``'the others'``; None in regression.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.SVC(kernel="spectrum(k=2)").fit(["abab", "abba", "cccb", "bccb"], [0, 0, 1, 1])
    >>> found = model.explain("accc")
    >>> found.positive, found.features[0].name
    (1, 'cc')
    >>> total = found.offset + found.rest + sum(each.share for each in found.features)
    >>> bool(abs(total - found.f) < 1e-12)
    True
    """

    def __init__(self, told, kernel, positive, negative):
        self.f, self.offset, self.rest, self.count = told["f"], told["offset"], told["rest"], told["count"]
        self.features = [FeatureShare(*each) for each in told["features"]]
        self.parts = told["parts"]
        self.kernel, self.positive, self.negative = kernel, positive, negative
        self._draw = told["picture"]

    def picture(self):
        """Draws the string or graph with its letters or nodes coloured by their shares, and the largest shares as bars.

        Returns
        -------
        svg : str
            SVG document.
        """
        said = "" if self.positive is None else f"{self.positive if self.f > 0 else self.negative}, "
        ends = ("", "") if self.positive is None else (str(self.positive), str(self.negative))
        return self._draw(f"{said}f = {self.f:+.4g}", f"{self.kernel}, offset {self.offset:+.3g}", *ends)

    _repr_svg_ = picture

    def __str__(self):
        lines = [] if self.positive is None else [f"{self.positive} (f > 0) against {self.negative} (f < 0)"]
        lines += [f"{each.share:+12.6g}  {each.name}" for each in self.features]
        lines.append(f"{self.rest:+12.6g}  sum of the {self.count - len(self.features)} other features")
        lines += [f"{self.offset:+12.6g}  offset", f"{self.f:+12.6g}  f"]
        return "\n".join(lines)

    def __repr__(self):
        first = ", ".join(f"{each.name!r}: {each.share:+.3g}" for each in self.features[:3])
        return f"<Explanation f={self.f:+.4g}: {first}, ...>"
