"""Nested cross-validation of an exact SVC over given Gram matrices: kernel and C are chosen within each training part."""

import time

import numpy as np
from sklearn.model_selection import StratifiedKFold

COSTS = (0.1, 1, 10, 100)


def accuracy_of(K, y, C, train, test):
    from mercer import SVC

    model = SVC(kernel="precomputed", C=C).fit(K[np.ix_(train, train)], y[train])
    return float(np.mean(model.predict(K[np.ix_(test, train)]) == y[test]))


def chosen(grams, y, train, inner, seed):
    """Depth and C that do best within the training part; the smaller where several do."""
    folds = list(StratifiedKFold(inner or 9, shuffle=True, random_state=seed).split(train, y[train]))
    folds = folds if inner else folds[:1]
    score = {
        (h, C): np.mean([accuracy_of(K, y, C, train[a], train[b]) for a, b in folds])
        for h, K in grams.items()
        for C in COSTS
    }
    return max(score, key=lambda setting: score[setting])


def accuracy(grams, y, inner=3, say=lambda line: None, seed=1):
    """10-fold accuracy in per cent; grams: a matrix of kernel values for each setting. inner: folds of the choice, 0 for one held-out ninth. seed: of the
    outer folds."""
    started, scores, settings = time.time(), [], []
    first = next(iter(grams.values()))
    for fold, (train, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=seed).split(first, y)):
        setting, C = chosen(grams, y, train, inner, fold)
        scores.append(accuracy_of(grams[setting], y, C, train, test))
        settings.append((setting, C))
        say(f"fold {fold}: {100 * scores[-1]:.1f} % with {setting}, C = {C}")
    return {
        "accuracy": round(100 * float(np.mean(scores)), 2), "deviation": round(100 * float(np.std(scores)), 2),
        "chosen": settings, "seconds": round(time.time() - started, 1),
    }


def repeated(grams, y, inner=3, repeats=10, say=lambda line: None):
    """The same over several divisions into folds: the mean, and the deviation from one division to the next."""
    started, runs = time.time(), []
    for seed in range(1, repeats + 1):
        runs.append(accuracy(grams, y, inner, seed=seed))
        say(f"division {seed}: {runs[-1]['accuracy']:.1f} %")
    means, settings = [run["accuracy"] for run in runs], [setting for run in runs for setting, _ in run["chosen"]]
    return {
        "accuracy": round(float(np.mean(means)), 2), "deviation_of_divisions": round(float(np.std(means)), 2), "divisions": means,
        "chosen": {setting: settings.count(setting) for setting in sorted(set(settings), key=settings.count, reverse=True)},
        "seconds": round(time.time() - started, 1),
    }
