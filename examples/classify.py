"""A classifier from a file to a file: fit, score, save, load, predict."""

import pickle
import sys

import pandas
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC

data = sys.argv[1] if len(sys.argv) > 1 else "data"
train = pandas.read_csv(f"{data}/iris.csv")
x, y = train.drop(columns="species"), train["species"]
model = make_pipeline(StandardScaler(), SVC(kernel="rbf(gamma=0.5)", C=10)).fit(x, y)
print(model[-1].kernel_)
print(f"right: {model.score(x, y):.4f}")

file = sys.argv[2] if len(sys.argv) > 2 else "iris.pickle"
with open(file, "wb") as to:
    pickle.dump(model, to)
with open(file, "rb") as to:
    again = pickle.load(to)
for flower in (0, 50, 100):
    print(again.predict(x)[flower])
