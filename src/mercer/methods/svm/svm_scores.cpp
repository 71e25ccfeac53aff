#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/linear_rows.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {

matrix<double> class_scores(const svm_model& model, matrix_view<const double> f) {
    const index k = static_cast<index>(model.classes.size());
    if (!model.is_classifier() || k < 3)
        fail(errc::unsupported, fmt::format("svm: scores of classes need 3 <= classes, got {}", k));
    if (f.cols != model.problems())
        fail(errc::invalid_argument,
             fmt::format("svm: {} decisions a row are needed, got {}", model.problems(), f.cols));
    matrix<double> out(f.rows, k);
    for (index i = 0; i < f.rows; ++i) {
        if (model.pairs().against_rest()) {
            std::copy_n(f.row(i), k, out.row(i));
            continue;
        }
        matrix<double> sum(1, k);
        model.pairs().each([&](index p, index a, index b) {
            if (b < 0) return;  // never, but g++ 12 cannot know and warns
            out(i, f(i, p) >= 0 ? a : b) += 1;
            sum(0, a) += f(i, p);
            sum(0, b) -= f(i, p);
        });
        for (index c = 0; c < k; ++c) out(i, c) += sum(0, c) / (3 * (std::abs(sum(0, c)) + 1));
    }
    return out;
}

matrix<double> linear_weights(const svm_model& model) {
    if (!model.k || model.k->text() != "linear()")
        fail(errc::unsupported, fmt::format("svm: only a linear kernel has weights, this is {}",
                                            model.k ? model.kernel_text : "precomputed"));
    const std::unique_ptr<linear_operand> x = linear_rows(model.support);
    matrix<double> w(model.problems(), model.dims);
    each_coefficient(model, [&](index s, index problem, double coef) { x->add(s, coef, w.row(problem)); });
    return w;
}

}  // namespace mercer
