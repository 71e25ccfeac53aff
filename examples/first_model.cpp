#include <mercer/mercer.h>

#include <iostream>

int main() {
    using namespace mercer;
    const table flowers = read("data/iris.csv", {.label = "species"});
    const kernel k = 0.5 * gaussian{0.1} + linear{};
    const model m = fit(svc{.kernel = k, .C = 10}, flowers);
    std::cout << "accuracy on the training data: " << score(m, flowers).number("accuracy") << '\n'
              << k.proof().text() << '\n';
}
