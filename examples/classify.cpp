// Fits a classifier to a data file, measures it, saves it, loads it and predicts. Run it in the repository root.
#include <mercer/mercer.h>

#include <iostream>

int main() {
    using namespace mercer;
    const table train = read("data/iris.csv", {.label = "species"});
    const model m = fit(svc{.kernel = gaussian{0.5}, .scale = "standard", .C = 10}, train);
    std::cout << m.kernel_text() << "\naccuracy: " << score(m, train).number("accuracy") << '\n';

    save(m, "iris.model");  // with scaling, column names and class labels
    const model again = load("iris.model");
    const table flowers = read("data/iris.csv", like(again));  // the columns, target and classes of the model
    const std::vector<double> classes = predict(again, flowers);
    for (const std::size_t flower : {0u, 50u, 100u}) std::cout << again.class_text(classes[flower]) << '\n';
}
