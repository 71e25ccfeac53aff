"""Trees of any form as the library takes them: texts in brackets, "(S (NP dogs) (VP bark))".

A tree is one of
    str                  in brackets already
    nltk.Tree            or any object with label() whose items are its children
    tuples, lists        (label, child, child, ...); a child that is no tuple or list is a leaf
"""

import re


def is_tree(x):
    """Is it a tree, whatever the kernel is? Texts and tuples may be something else."""
    return callable(getattr(x, "label", None)) and callable(getattr(x, "leaves", None))


def as_trees(trees):
    """What _core.trees takes."""
    return [each if isinstance(each, (str, bytes)) else _text(each, i) for i, each in enumerate(trees)]


def _text(x, i):
    if is_tree(x):
        x = [x.label(), *x]
    if not isinstance(x, (tuple, list)) or len(x) == 0:
        raise TypeError(f"tree {i} must be a text in brackets, an nltk.Tree or (label, child, ...), got {type(x).__name__}")
    below = [_text(each, i) if is_tree(each) or isinstance(each, (tuple, list)) else _label(each) for each in x[1:]]
    return f"({' '.join([_label(x[0]), *below])})"


def _label(label):
    return re.sub(r"([() \t\r\n\\])", r"\\\1", str(label))
