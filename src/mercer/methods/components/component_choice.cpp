// How many components of a kernel PCA to keep, and keeping them.
#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/methods/components/kernel_pca.h"

namespace mercer {
namespace {

constexpr const char* owner = "kernel PCA";

}  // namespace

kernel_pca_model first_components(const kernel_pca_model& m, index count) {
    if (count < 0 || count > m.components())
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy 0 <= count <= {}, got {}", owner, m.components(), count));
    kernel_pca_model out = m;
    const auto cut = [&](const matrix<double>& from) {
        matrix<double> to(from.rows(), count);
        for (index i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), count, to.row(i));
        return to;
    };
    for (index i = 0; i < m.scores.rows(); ++i)
        for (index j = count; j < m.components(); ++j)
            out.outside[static_cast<std::size_t>(i)] += m.scores(i, j) * m.scores(i, j);
    out.projection.coef = cut(m.projection.coef);
    out.scores = cut(m.scores);
    for (auto* list : {&out.projection.offset, &out.eigenvalues, &out.explained_variance, &out.explained_variance_ratio,
                       &out.residuals})
        if (static_cast<index>(list->size()) > count) list->resize(static_cast<std::size_t>(count));
    return out;
}

index components_for_share(const kernel_pca_model& m, double share) {
    if (!(share > 0 && share <= 1))
        fail(errc::invalid_argument, fmt::format("{}: must satisfy 0 < share <= 1, got {}", owner, share));
    double sum = 0;
    for (index j = 0; j < m.components(); ++j) {
        sum += m.explained_variance_ratio[static_cast<std::size_t>(j)];
        if (sum >= share * (1 - 1e-12)) return j + 1;  // 0.6 + 0.3 are 0.9
    }
    return m.components();
}

index components_above_mean(const kernel_pca_model& m) {
    const double mean = m.projection.size() > 1 ? m.total_variance / static_cast<double>(m.projection.size() - 1) : 0;
    return std::count_if(m.explained_variance.begin(), m.explained_variance.end(),
                         [&](double each) { return each > mean; });
}

index components_above_broken_stick(const kernel_pca_model& m) {
    const index parts = m.projection.size() - 1;
    double expected = 0;  // Σ_{i >= j} 1/i /parts: the mean length of the j-th longest part
    for (index i = 1; i <= parts; ++i) expected += 1 / static_cast<double>(i) / static_cast<double>(parts);
    index j = 0;
    for (; j < std::min(m.components(), parts) && m.explained_variance_ratio[static_cast<std::size_t>(j)] > expected;
         ++j)
        expected -= 1 / static_cast<double>(j + 1) / static_cast<double>(parts);
    return j;
}

}  // namespace mercer
