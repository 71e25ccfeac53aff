#include "mercer/methods/svm/svm_scores.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/linear_rows.h"

namespace mercer {

matrix<double> class_scores(const svm_model& model, matrix_view<const double> f) {
    const index k = static_cast<index>(model.classes.size());
    if (!model.is_classifier() || k < 3) fail(errc::unsupported, fmt::format("svm: scores of classes need 3 <= classes, got {}", k));
    if (f.cols != model.problems()) fail(errc::invalid_argument, fmt::format("svm: {} decisions a row are needed, got {}", model.problems(), f.cols));
    matrix<double> out(f.rows, k);
    for (index i = 0; i < f.rows; ++i) {
        if (model.scheme == multiclass::one_vs_rest) {
            std::copy_n(f.row(i), k, out.row(i));
            continue;
        }
        std::vector<double> votes(static_cast<std::size_t>(k)), sum(static_cast<std::size_t>(k));
        index p = 0;
        for (index a = 0; a < k; ++a)
            for (index b = a + 1; b < k; ++b, ++p) {
                votes[f(i, p) >= 0 ? a : b] += 1;
                sum[a] += f(i, p);
                sum[b] -= f(i, p);
            }
        for (index c = 0; c < k; ++c) out(i, c) = votes[c] + sum[c] / (3 * (std::abs(sum[c]) + 1));
    }
    return out;
}

matrix<double> linear_weights(const svm_model& model) {
    if (!model.k || model.k->text() != "linear()")
        fail(errc::unsupported, fmt::format("svm: only a linear kernel has weights, this is {}", model.k ? model.kernel_text : "precomputed"));
    const std::unique_ptr<linear_operand> x = linear_rows(model.support);
    const bool pairs = model.classes.size() > 2 && model.scheme == multiclass::one_vs_one;
    matrix<double> w(model.problems(), model.dims);
    const auto add = [&](index problem, index m, index s) {
        if (const double c = model.coef(m, s); c != 0) x->add(s, c, w.row(problem));
    };
    if (!pairs) {
        for (index m = 0; m < model.coef.rows(); ++m)
            for (index s = 0; s < model.coef.cols(); ++s) add(m, m, s);
        return w;
    }
    const index k = static_cast<index>(model.classes.size());
    index s = 0;
    for (index c = 0; c < k; ++c)
        for (const index end = s + model.class_support[c]; s < end; ++s)
            for (index m = 0; m + 1 < k; ++m) {
                // Row m of a support vector of class c belongs to the problem against the m-th other class.
                const index other = m < c ? m : m + 1, a = std::min(c, other), b = std::max(c, other);
                add(a * k - a * (a + 1) / 2 + (b - a - 1), m, s);
            }
    return w;
}

}  // namespace mercer
