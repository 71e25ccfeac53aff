// Fits kernel ridge regression and chooses the penalty α by leave-one-out.
#include <mercer/mercer.h>

#include <cstdio>

int main(int count, char** words) {
    using namespace mercer;
    const table housing = read(std::string(count > 1 ? words[1] : "data") + "/housing.svm");
    const model m = fit(
        kernel_ridge{.kernel = gaussian{0.1}, .scale = "standard", .alphas = {0.01, 0.1, 1}, .score = "loo"}, housing);
    std::printf("alpha: %g\n", m.fit_summary().number("alpha"));
    std::printf("R2 on the training data: %.4f\n", score(m, housing).number("r2"));
}
