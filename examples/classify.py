"""Fits a classifier to a data file, measures it, saves it, loads it and predicts. Run it in the repository root."""

import pickle

import pandas
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC

train = pandas.read_csv("data/iris.csv")
X, y = train.drop(columns="species"), train["species"]
model = make_pipeline(StandardScaler(), SVC(kernel="rbf(gamma=0.5)", C=10)).fit(X, y)
print(model[-1].kernel_)
print(f"accuracy: {model.score(X, y):.6g}")

with open("iris.pickle", "wb") as file:
    pickle.dump(model, file)
with open("iris.pickle", "rb") as file:
    again = pickle.load(file)
classes = again.predict(X)
for flower in (0, 50, 100):
    print(classes[flower])
