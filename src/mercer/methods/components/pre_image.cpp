#include "mercer/methods/components/pre_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/kernels/vectors/gaussian.h"

namespace mercer {
namespace {

constexpr const char* pre_image_owner = "pre-image";
constexpr index batch_rows = 256;

// Returns ‖Pφ(x) - φ(xᵢ)‖² = ‖s(x) - s(xᵢ)‖² + (squared distance of φ(xᵢ) to the span of the components) for every
// training example.
std::vector<double> squared_distances_to_training(const kernel_pca_model& m, const double* score) {
    std::vector<double> d(m.squared_residuals);
    for (index i = 0; i < m.scores.rows(); ++i)
        for (index j = 0; j < m.components(); ++j) {
            const double apart = m.scores(i, j) - score[j];
            d[static_cast<std::size_t>(i)] += apart * apart;
        }
    return d;
}

// Runs the fixed point iteration for several rows of z at once; G(r, i) = gᵢ of row r.
void iterate_fixed_point(const kernel_pca_model& m, const dense<double>& x, matrix_view<const double> scores,
                         matrix_view<double> z, const pre_image_options& o, pre_image_result& out) {
    const index n = x.size(), d = x.dims();
    matrix<double> G = product(scores, transposed::no, m.projection.coef.view(), transposed::yes);
    for (index r = 0; r < G.rows(); ++r)
        for (index i = 0; i < n; ++i) G(r, i) += m.mean[static_cast<std::size_t>(i)];
    std::vector<index> active(static_cast<std::size_t>(z.rows));
    std::iota(active.begin(), active.end(), index{0});
    for (index step = 0; step < o.max_iter && !active.empty(); ++step) {
        matrix<double> now(static_cast<index>(active.size()), d), t(now.rows(), n);
        for (index a = 0; a < now.rows(); ++a) std::copy_n(z.row(active[static_cast<std::size_t>(a)]), d, now.row(a));
        make_gram<double>(*m.projection.k, dense<double>(std::as_const(now).view()), x)->fill(t.view());
        std::vector<double> sum(active.size());
        for (index a = 0; a < t.rows(); ++a)
            for (index i = 0; i < n; ++i)
                sum[static_cast<std::size_t>(a)] += t(a, i) *= G(active[static_cast<std::size_t>(a)], i);
        const matrix<double> next = product(t.view(), transposed::no, x.view(), transposed::no);
        std::vector<index> later;
        for (index a = 0; a < next.rows(); ++a) {
            const index row = active[static_cast<std::size_t>(a)];
            double moved = 0, size = 0;
            for (index c = 0; c < d; ++c) {
                const double to = next(a, c) / sum[static_cast<std::size_t>(a)];
                moved += (to - z(row, c)) * (to - z(row, c));
                size += to * to;
            }
            if (!std::isfinite(moved) || !(sum[static_cast<std::size_t>(a)] > 0)) {
                const std::vector<double> far = squared_distances_to_training(m, scores.row(row));
                std::copy_n(x.row(std::min_element(far.begin(), far.end()) - far.begin()), d, z.row(row));
                out.status = fit_status::stalled;
                ++out.unfinished;
                continue;
            }
            for (index c = 0; c < d; ++c) z(row, c) = next(a, c) / sum[static_cast<std::size_t>(a)];
            if (std::sqrt(moved) > o.tol * (1 + std::sqrt(size))) later.push_back(row);
        }
        active = std::move(later);
    }
    if (!active.empty()) {
        out.unfinished += static_cast<index>(active.size());
        if (out.status == fit_status::converged) out.status = fit_status::step_limit;
    }
}

// Returns r² with k(r) = value for a radial kernel that decreases with r, by bisection on 0 <= r <= far.
double invert_radial(const kernel& k, double value, double far) {
    matrix<double> zero(1, 1), at(1, 1);
    const dataset origin = dense<double>(std::as_const(zero).view());
    double low = 0, high = far;
    for (int step = 0; step < 60; ++step) {
        at(0, 0) = (low + high) / 2;
        (pair_value(k, origin, dense<double>(std::as_const(at).view())) > value ? low : high) = at(0, 0);
    }
    return low * high;
}

void find_by_neighbours(const kernel_pca_model& m, const dense<double>& x, matrix_view<const double> scores,
                        matrix_view<double> z, const pre_image_options& o) {
    const index d = x.dims(), q = std::min(o.n_neighbors, x.size());
    const double self = kernel_diagonal(*m.projection.k, gather(x, row_set(0, 1)))[0];
    double widest = 0;
    for (index i = 0; i < x.size(); ++i)
        for (index c = 0; c < d; ++c) widest = std::max(widest, std::abs(x.row(i)[c] - x.row(0)[c]));
    const double far = 4 * widest * std::sqrt(static_cast<double>(d)) + 1e-300;
    parallel_for(z.rows, [&](index r) {
        const std::vector<double> apart = squared_distances_to_training(m, scores.row(r));
        std::vector<index> near(apart.size());
        std::iota(near.begin(), near.end(), index{0});
        std::partial_sort(near.begin(), near.begin() + q, near.end(), [&](index a, index b) {
            const double da = apart[static_cast<std::size_t>(a)], db = apart[static_cast<std::size_t>(b)];
            return da < db || (da == db && a < b);
        });
        std::vector<double> middle(static_cast<std::size_t>(d)), target(static_cast<std::size_t>(q));
        matrix<double> y(q, d);  // neighbours minus their mean
        for (index i = 0; i < q; ++i) {
            const index at = near[static_cast<std::size_t>(i)];
            // ‖φ(z)-φ(xᵢ)‖² = 2(k(0) - k(‖z-xᵢ‖))
            target[static_cast<std::size_t>(i)] =
                invert_radial(*m.projection.k, self - apart[static_cast<std::size_t>(at)] / 2, far);
            for (index c = 0; c < d; ++c) middle[static_cast<std::size_t>(c)] += x.row(at)[c] / static_cast<double>(q);
        }
        for (index i = 0; i < q; ++i)
            for (index c = 0; c < d; ++c)
                y(i, c) = x.row(near[static_cast<std::size_t>(i)])[c] - middle[static_cast<std::size_t>(c)];
        // With YYᵀ = QSQᵀ the neighbours have coordinates QS^½. Then ẑ = ½S^(-½)Qᵀ(‖yᵢ‖² - targetᵢ) and z = mean +
        // YᵀQS^(-½)ẑ.
        const eigen_system e = symmetric_eigen(product(y.view(), transposed::no, y.view(), transposed::yes));
        std::copy(middle.begin(), middle.end(), z.row(r));
        for (index s = 0; s < q; ++s) {
            const double value = e.values[static_cast<std::size_t>(s)];
            if (!(value > 1e-10 * e.values.back()) || !(value > 0)) continue;
            double part = 0;
            for (index i = 0; i < q; ++i) {
                double norm = 0;
                for (index c = 0; c < d; ++c) norm += y(i, c) * y(i, c);
                part += e.vectors(s, i) * (norm - target[static_cast<std::size_t>(i)]) / (2 * value);
            }
            for (index i = 0; i < q; ++i)
                for (index c = 0; c < d; ++c) z(r, c) += part * e.vectors(s, i) * y(i, c);
        }
    });
}

pre_image_result find_pre_images(const kernel_pca_model& m, matrix_view<const double> scores, const dataset* start,
                                 const pre_image_options& o) {
    if (!m.projection.k || m.projection.x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("{}: the model must be fitted on vectors", pre_image_owner));
    if (scores.cols != m.components())
        fail(errc::invalid_argument, fmt::format("{}: the model has {} components, got scores of {} components",
                                                 pre_image_owner, m.components(), scores.cols));
    if (o.n_neighbors < 1 || o.max_iter < 1 || !(o.tol > 0))
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy n_neighbors >= 1, max_iter >= 1, tol > 0, got {}, {}, {}", pre_image_owner,
                         o.n_neighbors, o.max_iter, o.tol));
    using method = pre_image_options::method;
    const kernel& k = *m.projection.k;
    const bool bell = dynamic_cast<const leaf_node<gaussian>*>(&k.node()) != nullptr;
    const method how = o.how != method::automatic ? o.how : bell ? method::fixed_point : method::neighbours;
    if (how == method::fixed_point && !bell)
        fail(errc::unsupported,
             fmt::format("{}: the fixed point iteration needs a Gaussian kernel, got {}", pre_image_owner, k.text()));
    if (how == method::neighbours && !k.properties().radial)
        fail(errc::unsupported,
             fmt::format(
                 "{}: feature-space distances can be converted to input distances for a radial kernel only, got {}",
                 pre_image_owner, k.text()));
    const dense<double> x = as_dense<double>(m.projection.x);
    pre_image_result out;
    out.points = matrix<double>(scores.rows, x.dims());
    if (how == method::neighbours) {
        find_by_neighbours(m, x, scores, out.points.view(), o);
        return out;
    }
    if (start) {
        const dense<double> from = as_dense<double>(*start);
        for (index i = 0; i < from.size(); ++i) std::copy_n(from.row(i), x.dims(), out.points.row(i));
    } else {
        for (index i = 0; i < scores.rows; ++i) {
            const std::vector<double> far = squared_distances_to_training(m, scores.row(i));
            std::copy_n(x.row(std::min_element(far.begin(), far.end()) - far.begin()), x.dims(), out.points.row(i));
        }
    }
    for (index r = 0; r < scores.rows; r += batch_rows) {
        const index count = std::min(batch_rows, scores.rows - r);
        iterate_fixed_point(m, x, scores.block(r, 0, count, scores.cols),
                            out.points.view().block(r, 0, count, x.dims()), o, out);
    }
    return out;
}

}  // namespace

pre_image_result denoise(const kernel_pca_model& m, const dataset& x, const pre_image_options& o) {
    const matrix<double> scores = transform(m, x);
    return find_pre_images(m, scores.view(), &x, o);
}

pre_image_result pre_images(const kernel_pca_model& m, matrix_view<const double> scores, const pre_image_options& o) {
    return find_pre_images(m, scores, nullptr, o);
}

}  // namespace mercer
