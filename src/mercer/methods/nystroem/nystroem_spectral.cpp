#include "mercer/methods/nystroem/nystroem_spectral.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/lanczos.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/checkpoint.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/nystroem/nystroem_features.h"

namespace mercer {
namespace {

constexpr const char* spectral_owner = "nystroem_spectral";

// Scales every row to length 1; a zero row stays 0.
void normalise_rows(matrix_view<double> rows) {
    for (index i = 0; i < rows.rows; ++i) {
        double largest = 0, square = 0;
        for (index j = 0; j < rows.cols; ++j) largest = std::max(largest, std::abs(rows(i, j)));
        if (!(largest > 0)) continue;
        for (index j = 0; j < rows.cols; ++j) rows(i, j) /= largest, square += rows(i, j) * rows(i, j);
        for (index j = 0; j < rows.cols; ++j) rows(i, j) /= std::sqrt(square);
    }
}

struct degrees {
    std::vector<double> of;  // degree of every row
    index low = 0;
};

// Returns d = Φ(Φᵀw), raised to the lower bound that an affinity satisfies.
degrees degrees_of(const feature_passes& pass, std::span<const double> self, std::span<const double> weight) {
    const matrix<double> sum = pass({}, 1, [&](index first, matrix_view<double> f, double*) {
        for (index i = 0; i < f.rows; ++i) f(i, 0) = weight[static_cast<std::size_t>(first + i)];
    });
    degrees out{std::vector<double>(self.size())};
    pass.forward(sum.view(), [&](index first, matrix_view<double> f, double*) {
        for (index i = 0; i < f.rows; ++i) out.of[static_cast<std::size_t>(first + i)] = f(i, 0);
    });
    index there = 0, negative = 0;
    for (std::size_t i = 0; i < self.size(); ++i) {
        double& d = out.of[i];
        if (!std::isfinite(d))
            fail(errc::data,
                 fmt::format(
                     "{}: kernel values must be finite, but the degree (sum of kernel values) of example {} is {}",
                     spectral_owner, i, d));
        if (!(weight[i] > 0)) continue;
        const double least = std::min(weight[i], 1.0) * self[i];
        ++there, negative += d < -least / 2, out.low += d < least / 2;
        d = std::max(d, least);
        if (!(d > 0)) d = 1;  // k(x, x) = 0 implies φ(x) = 0, and the degree has no effect
    }
    if (4 * negative > there)
        fail(errc::data,
             fmt::format("{}: the degree of an example (the sum of its kernel values) must be > 0, but it is negative "
                         "for {} of {} examples: take a kernel without negative values, such as rbf()",
                         spectral_owner, negative, there));
    return out;
}

// Returns the leading eigenvectors of ΦᵀWD⁻¹Φ.
lanczos_result leading_eigenvectors(const feature_passes& pass, index m, const std::vector<double>& degree,
                                    std::span<const double> weight, problem_hash mark,
                                    const nystroem_clusters_options& o) {
    const auto multiply = [&](matrix_view<const double> v, matrix_view<double> out) {
        const matrix<double> made = pass(v, v.cols, [&](index first, matrix_view<double> f, double*) {
            for (index i = 0; i < f.rows; ++i) {
                const auto row = static_cast<std::size_t>(first + i);
                const double by = weight[row] > 0 ? weight[row] / degree[row] : 0.0;
                for (index c = 0; c < f.cols; ++c) f(i, c) *= by;
            }
        });
        for (index j = 0; j < m; ++j) std::copy_n(made.row(j), v.cols, out.row(j));
    };
    lanczos_options l;
    l.pairs = std::min(o.n_clusters, m);
    l.block = std::min<index>(std::max<index>(8, (l.pairs + 7) / 8 * 8), m);
    l.tol = pass.uses_float() ? 1e-7 : 1e-9, l.max_passes = o.max_iter, l.seed = o.seed;
    if (o.progress) l.progress = [&](index done, double residual) { return o.progress({"passes", done, 0, residual}); };
    mark.add({static_cast<double>(l.pairs), static_cast<double>(o.max_iter), static_cast<double>(o.seed)});
    recorded_products products(multiply, o.checkpoint, mark.value());
    lanczos_result found = block_lanczos(m, std::ref(products), l);
    products.finish(found.status);
    return found;
}

// Returns the embedded examples, one row each.
matrix<double> embed(const training_rows& x, const nystroem_problem& posed, const kernel_expansion& projection) {
    matrix<double> out(x.size(), projection.functions());
    const auto k = x.passes(posed.centres, posed.centre_rows, 0);
    gram_pass<double>(*k, projection.coef.view(),
                      [&](index first, matrix_view<double> f, double*) {
                          normalise_rows(f);
                          for (index i = 0; i < f.rows; ++i) std::copy_n(f.row(i), f.cols, out.row(first + i));
                      },
                      {});
    return out;
}

// Runs k-means on these rows.
lloyd_result cluster_rows(const matrix<double>& y, std::span<const double> weight, const nystroem_clusters_options& o) {
    const std::vector<index> there = positive_indices(weight);
    const index n = std::ssize(there), count = start_sample_size(n, o.n_clusters, y.cols());
    std::vector<index> rows = random_generator(o.seed + 2).sample(n, count);
    std::ranges::sort(rows);
    matrix<double> some(count, y.cols());
    std::vector<double> some_weight;
    for (index i = 0; i < count; ++i) {
        const index row = there[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
        std::copy_n(y.row(row), y.cols(), some.row(i));
        some_weight.push_back(weight[static_cast<std::size_t>(row)]);
    }
    kmeans_start start =
        start_kmeans(some.view(), some_weight, {o.n_clusters, o.n_init, 0, o.max_iter, o.seed + 3, o.progress});
    std::vector<double> self(static_cast<std::size_t>(y.rows()));
    for (index i = 0; i < y.rows(); ++i)
        for (index j = 0; j < y.cols(); ++j) self[static_cast<std::size_t>(i)] += y(i, j) * y(i, j);
    const precomputed<double> features(y.view());
    const one_batch<double> all(features);
    lloyd_options how{.clusters = o.n_clusters, .max_rounds = o.max_iter};
    if (o.progress) how.progress = [&](index round, double J) { return o.progress({"k-means", round, 0, J}); };
    return run_lloyd({&all, nullptr, nullptr, self, weight}, std::move(start.means), how);
}

// Returns ‖row of f - mean‖² for every mean, with the rows of f scaled to length 1.
matrix<double> squared_distances(const nystroem_spectral_model& m, matrix<double> f) {
    normalise_rows(f.view());
    matrix<double> out(f.rows(), m.clusters());
    parallel_chunks(f.rows(), 256, [&](index first, index end) {
        for (index i = first; i < end; ++i)
            for (index c = 0; c < m.clusters(); ++c) {
                double sum = 0;
                for (index j = 0; j < f.cols(); ++j) sum += (f(i, j) - m.means(c, j)) * (f(i, j) - m.means(c, j));
                out(i, c) = sum;
            }
    });
    return out;
}

std::vector<index> nearest_clusters(const nystroem_spectral_model& m, matrix<double> f) {
    const matrix<double> d = squared_distances(m, std::move(f));
    std::vector<index> out;
    for (index i = 0; i < d.rows(); ++i) out.push_back(std::min_element(d.row(i), d.row(i) + d.cols()) - d.row(i));
    return out;
}

}  // namespace

nystroem_spectral_model fit_nystroem_spectral(const training_rows& x, const nystroem_clusters_options& o) {
    const std::vector<double> weight = checked_cluster_weights(x, o, spectral_owner);
    nystroem_problem posed =
        make_nystroem_problem(x, o, weight, spectral_owner, false, [&](index centres, index, index) {
            // The basis, and for each row its embedding, degree, weight and label.
            const auto m = static_cast<double>(centres), n = static_cast<double>(x.size());
            return 24 * m * m + 8 * n * (static_cast<double>(o.n_clusters) + 5);
        });
    const nystroem_basis basis = make_independent_basis(x, posed, o);
    nystroem_spectral_model out;
    {
        const feature_passes pass(x, posed, basis, o.bytes_for_values(!x.processes()));
        const degrees d = degrees_of(pass, x.self(), weight);
        const lanczos_result found =
            leading_eigenvectors(pass, basis.size(), d.of, weight, mark_of(x, weight, posed, spectral_owner), o);
        out.low_degrees = d.low, out.status = found.status;
        out.passes = found.passes + 3;  // the degrees take two passes, the embedding one
        if (found.values.empty() || !(found.values.front() > 0))
            fail(found.status == fit_status::cancelled ? errc::cancelled : errc::data,
                 fmt::format("{}: the normalised affinity matrix has no eigenvalue above 0: take another kernel",
                             spectral_owner));
        matrix<double> u(std::ssize(found.values), basis.size());
        index kept = 0;
        for (const double lambda : found.values) {
            if (!(lambda > 1e-12 * found.values.front())) break;
            for (index j = 0; j < basis.size(); ++j) u(kept, j) = found.vectors(kept, j) / std::sqrt(lambda);
            out.eigenvalues.push_back(lambda);
            ++kept;
        }
        const matrix_view<double> rows(u.data(), kept, basis.size());
        basis.to_coefficients(rows);
        out.projection.coef = transpose(rows);
        out.projection.offset.assign(static_cast<std::size_t>(kept), 0.0);
    }
    lloyd_result found = cluster_rows(embed(x, posed, out.projection), weight, o);
    out.means = std::move(found.means), out.weights = std::move(found.weights), out.labels = std::move(found.labels);
    out.history = std::move(found.history);
    if (is_optimal(out.status)) out.status = found.status;
    out.unexplained = unexplained_trace(basis, *posed.sample_gram, posed.sample_diagonal);
    move_centres(out.projection, posed, x);
    return out;
}

matrix<double> distances(const nystroem_spectral_model& m, const dataset& z) {
    matrix<double> out = squared_distances(m, m.projection.values(z));
    for (index i = 0; i < out.rows() * out.cols(); ++i) out.data()[i] = std::sqrt(out.data()[i]);
    return out;
}

std::vector<index> predict(const nystroem_spectral_model& m, const dataset& z) {
    return nearest_clusters(m, m.projection.values(z));
}
std::vector<index> predict(const nystroem_spectral_model& m, const gram<double>& K) {
    return nearest_clusters(m, m.projection.values(K));
}

template <>
struct file_form<nystroem_spectral_model> {
    static constexpr std::string_view format = "mercer-nystroem-spectral-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.part(m.projection);
        const index functions = m.projection.functions(),
                    clusters = a.count("clusters", m.means.rows(), index{1} << 24);
        a.status(m.status);
        a.integer("passes", m.passes);
        a.integer("low_degrees", m.low_degrees);
        a.numbers(m.unexplained);
        a.list(m.eigenvalues, functions);
        a.table(m.means, clusters, functions);
        a.check_finite(m.means, "a mean");
        a.list(m.weights, clusters);
        a.list(m.labels, m.projection.training_size);
        a.list("rounds", m.history);
        a.check(clusters > 0 && !m.history.empty(), "the model has no clusters, or no objective");
        a.check_range(m.labels, 0, clusters, "a label");
    }
};
template struct model_file<nystroem_spectral_model>;

namespace api {
namespace {

class nystroem_spectral_estimator final : public cluster_estimator<nystroem_spectral_model> {
public:
    using cluster_estimator::cluster_estimator;
    columns details(const examples& x) const override {
        return {mercer::distances(m_, x.objects()), numbered_names("distance", m_.clusters())};
    }
    summary summarise() const override {
        return {{"status", name(m_.status)},
                {"objective", m_.objective()},
                {"clusters", m_.clusters()},
                {"cluster_weights", m_.weights},
                {"eigenvalues", m_.eigenvalues},
                {"low_degrees", m_.low_degrees},
                {"passes", m_.passes},
                {"n_centres", m_.projection.size()},
                {"out_of_reach", m_.unexplained},
                {"training_size", m_.projection.training_size}};
    }
    std::string warning() const override {
        if (is_optimal(m_.status) && 2 * m_.low_degrees > m_.projection.training_size)
            return fmt::format(
                "{} of {} examples have almost no similarity to the centres: take a wider kernel, or set a larger "
                "n_centres",
                m_.low_degrees, m_.projection.training_size);
        return cluster_estimator::warning();
    }
    part_value part(std::string_view name) const override {
        if (name == "centre_rows")
            return std::vector<std::int64_t>(m_.projection.rows.begin(), m_.projection.rows.end());
        return cluster_estimator::part(name);
    }
};

}  // namespace

method nystroem_spectral_method() {
    return entry_of_clusters<nystroem_spectral, nystroem_spectral_estimator, fit_nystroem_spectral>();
}

}  // namespace api

}  // namespace mercer
