"""Fits kernel ridge regression and chooses the penalty α by leave-one-out."""

import sys

from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import StandardScaler

from mercer import KernelRidge, kernel_ridge_path

data = sys.argv[1] if len(sys.argv) > 1 else "data"
x, y = load_svmlight_file(f"{data}/housing.svm")
x = StandardScaler().fit_transform(x.toarray())
path = kernel_ridge_path(x, y, kernel="rbf(gamma=0.1)", alphas=[0.01, 0.1, 1], score="loo")
print(f"alpha: {path.alpha:g}")
print(f"R2 on the training data: {KernelRidge(kernel='rbf(gamma=0.1)', alpha=path.alpha).fit(x, y).score(x, y):.4f}")
