"""Conversion of graphs, trees and images to the form that the library requires.

Graphs become (nodes, edges, labels, attributes, directed).
A graph is one of
    networkx graphs      labels of nodes and edges from their attribute "label", numbers of nodes from "attributes"
    dicts                {"nodes": number or labels, "edges": [(from, to), (from, to, label), ...]}, and if wanted
                         "attributes", "directed"
    tuples               (number of nodes, edges), (number of nodes, edges, labels)
    lists of edges       [(from, to), (from, to, label), ...], where the kernel compares graphs: nodes 0 to the largest
Labels are whole numbers or str.

Trees are texts in brackets, "(S (NP dogs) (VP bark))". A tree is one of
    str                  in brackets already
    nltk.Tree            or any object with label() whose items are its children
    tuples, lists        (label, child, child, ...); a child that is no tuple or list is a leaf

Images become arrays (height, width) or (height, width, channels).
"""

import numbers
import re

import numpy as np


def is_graph(x):
    if isinstance(x, dict):
        return "edges" in x
    if isinstance(x, tuple):
        edges = len(x) in (2, 3) and isinstance(x[0], numbers.Integral) and hasattr(x[1], "__len__")
        return edges and not isinstance(x[1], (str, bytes))
    return _is_networkx(x)


def as_graphs(graphs):
    """The graphs in the form that _core.graphs requires."""
    return [_parts(each, i) for i, each in enumerate(graphs)]


def _is_networkx(x):
    return callable(getattr(x, "is_directed", None)) and callable(getattr(x, "adjacency", None)) and hasattr(x, "nodes")


def _is_edges(x):
    return isinstance(x, list) and all(
        isinstance(each, (tuple, list)) and len(each) in (2, 3) and all(isinstance(end, numbers.Integral) for end in each[:2])
        for each in x
    )


def _parts(x, i):
    if _is_edges(x):
        return (1 + max((max(each[:2]) for each in x), default=-1), x, None, None, False)
    if not is_graph(x):
        raise TypeError(
            f"object {i} must be a graph, like the first one: a networkx graph, a dict or a tuple (nodes, edges[, "
            f"labels]), got {type(x).__name__}"
        )
    if isinstance(x, tuple):
        return (x[0], x[1], x[2] if len(x) == 3 else None, None, False)
    if isinstance(x, dict):
        nodes, attributes = x.get("nodes"), x.get("attributes")
        if nodes is None:
            raise ValueError(f'graph {i} needs "nodes": their number, or the list of their labels')
        labels = None if isinstance(nodes, numbers.Integral) else list(nodes)
        return (
            nodes if labels is None else len(labels), x["edges"], labels, attributes, bool(x.get("directed", False))
        )
    return _networkx_parts(x)


def _networkx_parts(x):
    place = {node: number for number, node in enumerate(x.nodes)}
    about = [x.nodes[node] for node in place]
    labels = [each.get("label", 0) for each in about]
    attributes = [each["attributes"] for each in about] if any("attributes" in each for each in about) else None
    edges = [(place[u], place[v], data.get("label", 0)) for u, v, data in x.edges(data=True)]
    return (len(place), edges, labels, attributes, x.is_directed())


def is_tree(x):
    """True if x is a tree regardless of the kernel; texts and tuples are trees only for a kernel on trees."""
    return callable(getattr(x, "label", None)) and callable(getattr(x, "leaves", None))


def as_trees(trees):
    """The trees in the form that _core.trees requires."""
    return [each if isinstance(each, (str, bytes)) else _brackets(each, i) for i, each in enumerate(trees)]


def _brackets(x, i):
    if is_tree(x):
        x = [x.label(), *x]
    if not isinstance(x, (tuple, list)) or len(x) == 0:
        raise TypeError(f"tree {i} must be a text in brackets, an nltk.Tree or (label, child, ...), got {type(x).__name__}")
    below = [_brackets(each, i) if is_tree(each) or isinstance(each, (tuple, list)) else _escaped(each) for each in x[1:]]
    return f"({' '.join([_escaped(x[0]), *below])})"


def _escaped(label):
    return re.sub(r"([() \t\r\n\\])", r"\\\1", str(label))


def is_picture(each):
    """True if `each` is an image of PIL."""
    return hasattr(each, "mode") and hasattr(each, "getdata") and hasattr(each, "convert")


def is_images(X):
    """True if the list X contains images regardless of the kernel: images of PIL, arrays (height, width, channels), or
    arrays (height, width) of bytes."""
    first = X[0]
    if is_picture(first):
        return True
    if not isinstance(first, np.ndarray):
        return False
    return (first.ndim == 3 and first.shape[2] in (1, 3, 4)) or (first.ndim == 2 and first.dtype in (np.uint8, np.bool_))


def _values(picture):
    """The pixels of an image of PIL as an array."""
    if picture.mode.startswith("I"):  # 16-bit pixels, which PIL may store in 32 bits
        values = np.asarray(picture)
        if values.size and not 0 <= values.min() <= values.max() <= 65535:
            raise ValueError(f"Images of mode {picture.mode} must have values from 0 to 65535, got {values.min()}, {values.max()}.")
        return values.astype(np.uint16)
    if picture.mode not in ("1", "L", "LA", "RGB", "RGBA", "F"):
        picture = picture.convert("RGBA" if "transparency" in picture.info or picture.mode == "PA" else "RGB")
    return np.asarray(picture)


def as_images(X):
    """The images in the form that _core.images requires, from a list of images of PIL or of arrays, or from an array
    (n, height, width) or (n, height, width, channels)."""
    return [_values(each) if is_picture(each) else np.asarray(each) for each in X]
