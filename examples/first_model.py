import pandas
from mercer import SVC

flowers = pandas.read_csv("data/iris.csv")
X, y = flowers.drop(columns="species"), flowers["species"]
model = SVC(kernel="0.5*rbf(gamma=0.1) + linear()", C=10).fit(X, y)
print("accuracy on the training data:", model.score(X, y))
print(model.proof())
