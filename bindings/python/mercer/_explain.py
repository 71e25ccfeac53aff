"""Decisions in terms of the features of a kernel: k-mers, words, subtrees, items."""

from collections import namedtuple

FeatureShare = namedtuple("FeatureShare", "name share value weight kernel")
FeatureShare.__doc__ = (
    "share = weight * value: what a feature of this name adds to f(x); weight: in the model; kernel: the part of the "
    "kernel it belongs to."
)


class Explanation:
    """One decision function at one object: f = sum of all shares + offset, with the sign of decision_function(). Made by
    explain().

    features: FeatureShare(name, share, value, weight, kernel), the largest first; rest: the shares of all others
    together; count: how many features the object has; parts: the share of each byte of a string (of its UTF-8) or node
    of a graph, empty for other objects; positive, negative: the labels that f > 0 and f < 0 speak for, None for values.
    str() is a table, picture() an SVG document, which notebooks show.
    """

    def __init__(self, told, kernel, positive, negative):
        self.f, self.offset, self.rest, self.count = told["f"], told["offset"], told["rest"], told["count"]
        self.features = [FeatureShare(*each) for each in told["features"]]
        self.parts = told["parts"]
        self.kernel, self.positive, self.negative = kernel, positive, negative
        self._draw = told["picture"]

    def picture(self):
        """The string, text or graph with its letters or nodes coloured by their shares, and the largest shares as bars:
        SVG text."""
        said = "" if self.positive is None else f"{self.positive if self.f > 0 else self.negative}, "
        ends = ("", "") if self.positive is None else (str(self.positive), str(self.negative))
        return self._draw(f"{said}f = {self.f:+.4g}", f"{self.kernel}, offset {self.offset:+.3g}", *ends)

    _repr_svg_ = picture

    def __str__(self):
        lines = [] if self.positive is None else [f"{self.positive} (f > 0) against {self.negative} (f < 0)"]
        lines += [f"{each.share:+12.6g}  {each.name}" for each in self.features]
        lines.append(f"{self.rest:+12.6g}  the {self.count - len(self.features)} others")
        lines += [f"{self.offset:+12.6g}  offset", f"{self.f:+12.6g}  f"]
        return "\n".join(lines)

    def __repr__(self):
        first = ", ".join(f"{each.name!r}: {each.share:+.3g}" for each in self.features[:3])
        return f"<Explanation f={self.f:+.4g}: {first}, ...>"
