"""Texts as sparse vectors of their words."""

import collections.abc

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._data import as_objects
from ._docstrings import section, with_sections
from ._parameters import init_of

_UNITS = {"word": "words", "char": "characters"}


_PARAMETERS = {  # {name: (default, type, meaning)}
    "lowercase": (True, "bool", "Convert the texts to lower case."),
    "analyzer": ("word", "{'word', 'char'}", "Terms: sequences of words or of characters."),
    "stop_words": (
        None, "{'english', 'french', 'german', 'spanish'}, list of str or None", "Words to leave out. None: no words."
    ),
    "ngram_range": ((1, 1), "tuple (int, int)", "Smallest and largest number of words or characters in a term."),
    "min_length": (2, "int", "Smallest number of characters of a word."),
    "max_df": (
        1.0, "float or int",
        "Leave out terms that occur in more texts: a float is a fraction of the texts, an int a number of texts.",
    ),
    "min_df": (
        1, "float or int",
        "Leave out terms that occur in fewer texts: a float is a fraction of the texts, an int a number of texts.",
    ),
    "max_features": (None, "int or None", "Keep the most frequent terms only. None: all terms."),
    "n_features": (
        0, "int", "Number of columns into which the terms are hashed, without a vocabulary. 0: one column per term."
    ),
    "binary": (False, "bool", "Count a term at most once in each text."),
    "norm": ("l2", "{'l2', 'l1'} or None", "Norm to which the rows are scaled. None: no scaling."),
    "use_idf": (True, "bool", "Multiply the counts by the inverse document frequency of the term."),
    "smooth_idf": (True, "bool", "Compute the document frequencies as if one more text contained every term."),
    "sublinear_tf": (False, "bool", "Replace a count c by 1 + log(c)."),
    "n_jobs": (None, "int or None", "Number of threads. None: all."),
}  # fmt: skip


class TextFeatures(TransformerMixin, BaseEstimator):
    """Word counts or tf-idf weights of texts as sparse vectors.

    The parameters of :class:`sklearn.feature_extraction.text.TfidfVectorizer` that exist here have the same names and
    defaults; all threads share the work.

    See Also
    --------
    LinearSVC : Classifier for many sparse features.
    mercer.kernels.Words : The kernel of word counts.
    sklearn.feature_extraction.text.TfidfVectorizer : The same vectors in scikit-learn.
    sklearn.feature_extraction.text.HashingVectorizer : Hashed terms in scikit-learn, with signs.

    Notes
    -----
    A word is a sequence of letters, digits and '_' of any script, with their accents and vowel signs, of at least
    `min_length` characters. With `n_features` the terms are hashed without signs, and no vocabulary is stored.

    Examples
    --------
    >>> from mercer import TextFeatures
    >>> features = TextFeatures().fit(["the cat sat", "the dog sat"])
    >>> list(features.get_feature_names_out())
    ['cat', 'dog', 'sat', 'the']
    >>> features.transform(["a dog"]).toarray()
    array([[0., 1., 0., 0.]])
    """

    __init__ = init_of("TextFeatures", {name: (default,) for name, (default, *_) in _PARAMETERS.items()})

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
        """Finds the terms of the texts, and the number of texts that contain each term.

        Parameters
        ----------
        X : list of str
            Texts.
        y : Ignored
            Accepted for compatibility with scikit-learn's pipelines.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._fit(X)
        return self

    def fit_transform(self, X, y=None):
        """Finds the terms of the texts and returns the vectors of the texts, in one pass.

        Parameters
        ----------
        X : list of str
            Texts.
        y : Ignored
            Accepted for compatibility with scikit-learn's pipelines.

        Returns
        -------
        vectors : sparse matrix of shape (n_samples, n_features)
            One row per text.
        """
        return as_objects(self._fit(X).objects())

    def transform(self, X):
        """Computes the vectors of the texts.

        Parameters
        ----------
        X : list of str
            Texts.

        Returns
        -------
        vectors : sparse matrix of shape (n_samples, n_features)
            One row per text.
        """
        check_is_fitted(self, "_features")
        return as_objects(self._features.apply(self._texts(X), self.n_jobs).objects())

    def get_feature_names_out(self, input_features=None):
        """Names the columns of the vectors.

        Parameters
        ----------
        input_features : Ignored
            Accepted for compatibility with scikit-learn's pipelines.

        Returns
        -------
        terms : ndarray of shape (n_features,)
            Term of each column.
        """
        check_is_fitted(self, "_features")
        if self.n_features:
            raise ValueError("hashed features have no vocabulary")
        return np.asarray(self._features.terms, dtype=object)

    @property
    def vocabulary_(self):
        """Column of each term."""
        return {term: column for column, term in enumerate(self.get_feature_names_out())}

    @property
    def idf_(self):
        """Inverse document frequency of each term."""
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


TextFeatures.__doc__ = with_sections(
    TextFeatures.__doc__,
    [
        ("Parameters", section("Parameters", [(f"{name} : {kind}, default={default!r}", about)
                                              for name, (default, kind, about) in _PARAMETERS.items()])),
        ("Attributes", section("Attributes", [("vocabulary_ : dict of str to int", "Column of each term."),
                                              ("idf_ : ndarray of shape (n_features,)", "Inverse document frequency of each term.")])),
    ],
)  # fmt: skip
