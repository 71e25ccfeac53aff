"""Texts as sparse vectors of their words."""

import collections.abc

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._data import as_objects
from ._parameters import init_of

_UNITS = {"word": "words", "char": "characters"}


_PARAMETERS = {
    "lowercase": True, "analyzer": "word", "stop_words": None, "ngram_range": (1, 1), "min_length": 2, "max_df": 1.0,
    "min_df": 1, "max_features": None, "n_features": 0, "binary": False, "norm": "l2", "use_idf": True,
    "smooth_idf": True, "sublinear_tf": False, "n_jobs": None,
}  # fmt: skip


class TextFeatures(TransformerMixin, BaseEstimator):
    """Counts or tf-idf of the words of texts, a sparse row for each: scikit-learn's TfidfVectorizer with the library's
    code, in all threads.

    Words are runs of letters, digits and '_' of any script, accents and vowel signs included, of min_length characters
    at least. analyzer='char' takes runs of characters instead. stop_words is a list, or a language: english, french,
    german, spanish. n_features > 0 puts terms into columns by their hash (as HashingVectorizer without signs), and
    keeps no vocabulary.

    >>> features = TextFeatures().fit(["the cat sat", "the dog sat"])
    >>> list(features.get_feature_names_out())
    ['cat', 'dog', 'sat', 'the']
    >>> features.transform(["a dog"]).toarray()
    array([[0., 1., 0., 0.]])
    """

    __init__ = init_of("TextFeatures", {name: (default,) for name, default in _PARAMETERS.items()})

    def _how(self):
        """The options in the library's written form."""
        if self.analyzer not in _UNITS:
            raise ValueError(f"analyzer must be 'word' or 'char', got {self.analyzer!r}")
        first, last = self.ngram_range
        # In scikit-learn an integer is a number of texts, a float a fraction of the texts; the library distinguishes
        # them by value.
        if isinstance(self.max_df, (int, np.integer)) and self.max_df == 1:
            raise ValueError("max_df=1 would select only terms that occur in one text: 1.0 means all texts")
        chosen = {
            "ngram_min": first, "ngram": last, "unit": _UNITS[self.analyzer], "lower": int(self.lowercase),
            "min_length": self.min_length,
        }
        chosen |= {
            "min_df": 0 if isinstance(self.min_df, float) and self.min_df == 0 else self.min_df, "max_df": self.max_df
        }
        if isinstance(self.min_df, float) and self.min_df == 1.0:
            raise ValueError("min_df=1.0 would select only terms that occur in all texts: 1 means one text")
        chosen |= {
            "max_features": self.max_features or 0, "hashed": self.n_features, "binary": int(self.binary),
            "norm": self.norm or "none",
        }
        chosen |= {"idf": int(self.use_idf), "smooth": int(self.smooth_idf), "sublinear": int(self.sublinear_tf)}
        return "tfidf(" + ", ".join(f"{name}={value}" for name, value in chosen.items()) + ")"

    def _texts(self, X):
        if isinstance(X, (str, bytes)) or not isinstance(X, collections.abc.Iterable):
            raise ValueError("Iterable over raw text documents expected, string object received.")
        return _core.strings(X if isinstance(X, (list, tuple)) else list(X))

    def _fit(self, X):
        stop = self.stop_words
        words = [] if stop is None else _core.stop_words(stop) if isinstance(stop, str) else sorted(stop)
        self._features, rows = _core.TextFeatures.fit(self._texts(X), self._how(), words, self.n_jobs)
        return rows

    def fit(self, X, y=None):
        """Finds the terms of the texts, and how many texts hold each."""
        self._fit(X)
        return self

    def fit_transform(self, X, y=None):
        """fit(X), then transform(X), in one pass over the texts."""
        return as_objects(self._fit(X).objects())

    def transform(self, X):
        """A sparse row for every text."""
        check_is_fitted(self, "_features")
        return as_objects(self._features.apply(self._texts(X), self.n_jobs).objects())

    def get_feature_names_out(self, input_features=None):
        """The terms by column."""
        check_is_fitted(self, "_features")
        if self.n_features:
            raise ValueError("hashed features have no vocabulary")
        return np.asarray(self._features.terms, dtype=object)

    @property
    def vocabulary_(self):
        """term: column"""
        return {term: column for column, term in enumerate(self.get_feature_names_out())}

    @property
    def idf_(self):
        """The weight of every term."""
        check_is_fitted(self, "_features")
        return self._features.idf

    def __getstate__(self):
        state = super().__getstate__()
        if "_features" in state:
            state = {**state, "_features": state["_features"].to_json()}
        return state

    def __setstate__(self, state):
        if "_features" in state:
            state = {**state, "_features": _core.TextFeatures.from_json(state["_features"])}
        super().__setstate__(state)

    def _more_tags(self):
        return {"X_types": ["string"], "preserves_dtype": [np.float64]}
