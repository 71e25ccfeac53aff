"""Plots with matplotlib. Each function draws into the axes `ax`, by default the current axes, and returns them."""

import numpy as np

from . import _core, _data


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.gca()


def _plane(X, resolution, margin=0.1):
    """The corners of X in the plane, and a grid over them."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"a picture in the plane needs examples of 2 coordinates, got shape {X.shape}")
    low, high = X.min(axis=0), X.max(axis=0)
    room = margin * np.where(high > low, high - low, 1.0)
    a = np.linspace(low[0] - room[0], high[0] + room[0], resolution)
    b = np.linspace(low[1] - room[1], high[1] + room[1], resolution)
    A, B = np.meshgrid(a, b)
    return X, A, B, np.column_stack([A.ravel(), B.ravel()])


def regions(estimator, X, y=None, *, ax=None, resolution=200, cmap="coolwarm", alpha=0.4):
    """Plots the predictions of a fitted estimator in the plane, with the examples on top.

    Parameters
    ----------
    estimator : object
        Fitted estimator on vectors with 2 features.
    X : array-like of shape (n_samples, 2)
        Examples.
    y : array-like of shape (n_samples,), default=None
        Class labels or values, for the colours of the examples.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw into. None: the current axes.
    resolution : int, default=200
        Number of grid points in each direction.
    cmap : str, default='coolwarm'
        Colour map.
    alpha : float, default=0.4
        Opacity of the regions.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import mercer, matplotlib
    >>> matplotlib.use("Agg")
    >>> X, y = [[0.0, 0.0], [1.0, 1.0]], [0, 1]
    >>> ax = mercer.plot.regions(mercer.SVC().fit(X, y), X, y, resolution=20)
    """
    ax = _axes(ax)
    X, A, B, grid = _plane(X, resolution)
    values = estimator.predict(grid)
    codes = None
    if hasattr(estimator, "classes_"):
        codes = np.searchsorted(estimator.classes_, values)
        levels = np.arange(len(estimator.classes_) + 1) - 0.5
        ax.contourf(A, B, codes.reshape(A.shape), levels=levels, cmap=cmap, alpha=alpha)
    else:
        ax.contourf(A, B, np.asarray(values, dtype=np.float64).reshape(A.shape), levels=20, cmap=cmap, alpha=alpha)
    if y is not None:
        colours = np.searchsorted(estimator.classes_, y) if codes is not None else np.asarray(y, dtype=np.float64)
        ax.scatter(X[:, 0], X[:, 1], c=colours, cmap=cmap, edgecolors="k", s=20)
    else:
        ax.scatter(X[:, 0], X[:, 1], c="k", s=8)
    return ax


def margin(estimator, X, y=None, *, ax=None, resolution=200, cmap="coolwarm"):
    """Plots the line f = 0, the margins f = -1 and f = 1 and the support vectors of a machine in the plane.

    Parameters
    ----------
    estimator : object
        Fitted support vector machine with two classes or one class, on vectors with 2 features.
    X : array-like of shape (n_samples, 2)
        Training examples.
    y : array-like of shape (n_samples,), default=None
        Class labels, for the colours of the examples.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw into. None: the current axes.
    resolution : int, default=200
        Number of grid points in each direction.
    cmap : str, default='coolwarm'
        Colour map.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import mercer, matplotlib
    >>> matplotlib.use("Agg")
    >>> X, y = [[0.0, 0.0], [1.0, 1.0]], [0, 1]
    >>> ax = mercer.plot.margin(mercer.SVC().fit(X, y), X, y, resolution=20)
    """
    ax = _axes(ax)
    X, A, B, grid = _plane(X, resolution)
    f = estimator.decision_function(grid)
    if f.ndim != 1:
        raise ValueError("margin() needs one or two classes: use regions() for more classes")
    f = f.reshape(A.shape)
    ax.contourf(A, B, f, levels=20, cmap=cmap, alpha=0.3)
    lines = [-1, 0, 1] if hasattr(estimator, "classes_") else [0]
    ax.contour(A, B, f, levels=lines, colors="k", linestyles=["--", "-", "--"] if len(lines) == 3 else ["-"])
    colours = "k" if y is None else np.unique(y, return_inverse=True)[1]
    ax.scatter(X[:, 0], X[:, 1], c=colours, cmap=None if y is None else cmap, edgecolors="k", s=20)
    support = X[estimator.support_]
    ax.scatter(support[:, 0], support[:, 1], s=90, facecolors="none", edgecolors="k")
    return ax


def _matrix(kernel, X):
    return np.asarray(kernel, dtype=np.float64) if X is None else np.asarray(kernel(X), dtype=np.float64)


def spectrum(kernel, X=None, *, ax=None):
    """Plots the eigenvalues of a kernel matrix, largest first, with negative ones in red.

    Parameters
    ----------
    kernel : Kernel or array-like of shape (n_samples, n_samples)
        Kernel, or kernel matrix.
    X : array-like or list of objects, default=None
        Examples for the kernel; None if `kernel` is a matrix.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw into. None: the current axes.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import mercer, matplotlib
    >>> matplotlib.use("Agg")
    >>> mercer.plot.spectrum(mercer.kernels.RBF(), [[0.0], [1.0], [2.0]]).get_xlabel()
    'eigenvalue'
    """
    ax = _axes(ax)
    values = _core.eigenvalues(np.ascontiguousarray(kernel, dtype=np.float64)) if X is None else _core.eigenvalues(
        kernel.core(), _data.as_data(X)
    )
    size = np.abs(values)
    place = np.arange(1, len(values) + 1)
    negative = values < 0
    ax.semilogy(place[~negative], size[~negative], ".", label="positive")
    if negative.any():
        ax.semilogy(place[negative], size[negative], "r.", label="negative")
        ax.legend()
    ax.set_xlabel("eigenvalue")
    ax.set_ylabel("size")
    return ax


def gram(kernel, X=None, *, order=None, ax=None, cmap="viridis"):
    """Plots a kernel matrix as an image.

    Parameters
    ----------
    kernel : Kernel or array-like of shape (n_samples, n_samples)
        Kernel, or kernel matrix.
    X : array-like or list of objects, default=None
        Examples for the kernel; None if `kernel` is a matrix.
    order : array-like of shape (n_samples,), default=None
        Keys by which the examples are sorted, such as their class labels. None: the order of X.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw into. None: the current axes.
    cmap : str, default='viridis'
        Colour map.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import mercer, matplotlib
    >>> matplotlib.use("Agg")
    >>> ax = mercer.plot.gram(mercer.kernels.RBF(), [[0.0], [1.0], [2.0]], order=[1, 0, 1])
    """
    ax = _axes(ax)
    K = _matrix(kernel, X)
    if order is not None:
        by = np.argsort(order, kind="stable")
        K = K[np.ix_(by, by)]
    picture = ax.imshow(K, cmap=cmap, interpolation="nearest")
    ax.figure.colorbar(picture, ax=ax)
    return ax


def path(ridge, *, ax=None):
    """Plots the error and the degrees of freedom of kernel ridge regression against alpha, with the selected alpha.

    The degrees of freedom have an axis of their own on the right.

    Parameters
    ----------
    ridge : RidgePath or KernelRidge
        Result of :func:`mercer.kernel_ridge_path`, or a :class:`mercer.KernelRidge` fitted with `alphas`.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw into. None: the current axes.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import mercer, matplotlib
    >>> matplotlib.use("Agg")
    >>> chosen = mercer.kernel_ridge_path([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 0.0, 1.0], kernel="rbf", gamma=1.0)
    >>> mercer.plot.path(chosen).get_xlabel()
    'alpha'
    """
    ax = _axes(ax)
    if hasattr(ridge, "gcv_values_"):
        alphas, best_alpha, by = np.asarray(ridge.alphas, dtype=np.float64), ridge.alpha_, ridge.alpha_score
        gcv, loo, df = ridge.gcv_values_, ridge.loo_values_, ridge.df_values_
    elif hasattr(ridge, "df"):
        alphas, best_alpha, by, gcv, loo, df = ridge.alphas, ridge.alpha, ridge.score, ridge.gcv, ridge.loo, ridge.df
    else:
        raise ValueError(
            "path() needs the result of mercer.kernel_ridge_path() or a KernelRidge that was fitted with alphas="
        )
    order = np.argsort(alphas)
    alphas, gcv, loo, df = alphas[order], gcv[order], loo[order] if len(loo) else loo, df[order]
    chosen = int(np.flatnonzero(alphas == best_alpha)[0])
    for values, label in ((gcv, "generalised cross-validation"), (loo, "leave one out")):
        if len(values):
            ax.loglog(alphas, values, "-" if label[0] == by[0] else "--", label=label)
    ax.plot(best_alpha, (gcv if by == "gcv" else loo)[chosen], "ko", label=f"chosen: {best_alpha:.3g}")
    ax.axvline(best_alpha, color="k", linewidth=0.5)
    ax.set_xlabel("alpha")
    ax.set_ylabel("mean squared error")
    right = ax.twinx()
    right.semilogx(alphas, df, ":", color="grey", label="degrees of freedom")
    right.set_ylabel("degrees of freedom")
    lines, names = ax.get_legend_handles_labels()
    more, others = right.get_legend_handles_labels()
    ax.legend(lines + more, names + others)
    return ax
