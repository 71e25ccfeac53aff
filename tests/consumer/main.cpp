#include <mercer/kernel_analysis/mercer_test.h>
#include <mercer/kernels/expression/algebra.h>
#include <mercer/kernels/vectors/gaussian.h>
#include <mercer/kernels/vectors/polynomial.h>

#include <iostream>

int main() {
    using namespace mercer;
    const double rows[] = {1, 2, 3, 4, 5, 6};
    const dataset points = dense<double>(matrix_view<const double>(rows, 3, 2));  // three points in the plane, borrowed
    const kernel k = 0.5 * gaussian{0.1} + normalise(polynomial{.degree = 2, .coef0 = 1});
    std::cout << k.text() << '\n' << k.proof().text() << mercer_test(k, points).text();
}
