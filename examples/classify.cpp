// A classifier from a data file to a model file: fit, score, save, load, predict.
#include <mercer/mercer.h>

#include <cstdio>
#include <iostream>

int main(int count, char** words) {
    using namespace mercer;
    const std::string data = count > 1 ? words[1] : "data";
    const table train = read(data + "/iris.csv", {.label = "species"});
    const model m = fit(svc{.kernel = gaussian{0.5}, .scale = "standard", .C = 10}, train);
    std::cout << m.kernel_text() << '\n';
    std::printf("right: %.4f\n", score(m, train).number("accuracy"));

    const std::string file = count > 2 ? words[2] : "iris.model";
    save(m, file);
    const model again = load(file);
    const table same = read(data + "/iris.csv", like(again));  // with the same columns and the same numbers of classes
    for (const std::size_t flower : {0u, 50u, 100u})
        std::cout << again.class_text(predict(again, same)[flower]) << '\n';
}
