#include "mercer/methods/clustering/kernel_kmeans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/training_gram.h"

namespace mercer {
namespace {

constexpr const char* owner = "kernel k-means";
constexpr index tile_rows = 64, tile_cols = 2048;

struct run_result {
    std::vector<index> labels;
    std::vector<double> norms;  // ‖μ_c‖²
    std::vector<double> history;
    fit_status status = fit_status::converged;
};

template <class T>
class lloyd {
public:
    lloyd(const gram<T>& K, std::vector<double> self, std::vector<double> weight, const kmeans_options& o)
        : K_(K),
          self_(std::move(self)),
          weight_(std::move(weight)),
          o_(o),
          n_(K.rows()),
          k_(o.n_clusters),
          sums_(n_, k_) {
        for (index i = 0; i < n_; ++i) {
            total_ += at(weight_, i) * at(self_, i);
            size_ = std::max(size_, std::abs(at(self_, i)));
        }
    }

    // Returns the labels of the nearest of k seeds, drawn as in k-means++: with probability proportional to weight ×
    // squared distance to the nearest seed so far.
    std::vector<index> seed(random_generator& random) const {
        std::vector<index> labels(static_cast<std::size_t>(n_));
        std::vector<double> nearest(static_cast<std::size_t>(n_), std::numeric_limits<double>::infinity());
        const index trials = 2 + static_cast<index>(std::log(static_cast<double>(k_)));
        std::vector<char> taken(static_cast<std::size_t>(n_));
        for (index c = 0; c < k_; ++c) {
            const std::vector<index> tried =
                c == 0 ? draw(weight_, 1, taken, random) : draw(weighted(nearest), trials, taken, random);
            matrix<T> rows(static_cast<index>(tried.size()), n_);
            K_.block(std::span<const index>(tried), row_set(0, n_), rows.view());
            index best = 0;
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t t = 0; t < tried.size(); ++t) {
                double sum = 0;
                for (index i = 0; i < n_; ++i)
                    sum += at(weight_, i) *
                           std::min(at(nearest, i), squared_distance_of(i, tried[t], rows(static_cast<index>(t), i)));
                if (sum < least) least = sum, best = static_cast<index>(t);
            }
            const index chosen = tried[static_cast<std::size_t>(best)];
            taken[static_cast<std::size_t>(chosen)] = 1;
            for (index i = 0; i < n_; ++i)
                if (const double d = i == chosen ? -1.0 : squared_distance_of(i, chosen, rows(best, i));
                    d < at(nearest, i))
                    nearest[static_cast<std::size_t>(i)] = std::max(d, 0.0), labels[static_cast<std::size_t>(i)] = c;
            nearest[static_cast<std::size_t>(chosen)] = 0;
        }
        return labels;
    }

    // Runs Lloyd's iteration from these labels. report(round, J) returns false to end the run. `best` is always the
    // last complete iteration, also if the run is cancelled.
    template <class Report>
    void run(std::vector<index> labels, Report report, run_result& best) {
        labels_ = std::move(labels);
        fill_empty(std::vector<double>(static_cast<std::size_t>(n_), 0.0));
        compute_sums();
        for (index round = 0;; ++round) {
            const double J = objective();
            if (!best.history.empty() && !(J <= best.history.back())) {
                // The labels of the previous iteration are the result. An increase within the rounding error is not a
                // failure.
                if (!(J - best.history.back() <= 1e-12 * std::abs(total_))) best.status = fit_status::stalled;
                return;
            }
            best.labels = labels_;
            best.norms = norms();
            best.history.push_back(J);
            if (!report(round, J)) {
                best.status = fit_status::cancelled;
                return;
            }
            if (round == o_.max_iter) {
                best.status = fit_status::step_limit;
                return;
            }
            const std::vector<index> before = labels_;
            fill_empty(reassign());
            std::vector<index> moved;
            for (index i = 0; i < n_; ++i)
                if (at(before, i) != at(labels_, i)) moved.push_back(i);
            if (moved.empty()) return;
            if (static_cast<index>(moved.size()) * 4 < n_)
                update_sums(moved, before);
            else
                compute_sums();
        }
    }

private:
    // Returns ‖μ_c‖² of the current clusters.
    std::vector<double> norms() const {
        std::vector<double> out(T_.size());
        for (std::size_t c = 0; c < out.size(); ++c) out[c] = T_[c] / W_[c] / W_[c];
        return out;
    }
    template <class V>
    static auto at(const V& list, index i) {
        return list[static_cast<std::size_t>(i)];
    }
    double squared_distance_of(index i, index j, T kij) const {
        return std::max(0.0, at(self_, i) + at(self_, j) - 2 * static_cast<double>(kij));
    }
    std::vector<double> weighted(const std::vector<double>& d) const {
        std::vector<double> out(d.size());
        for (std::size_t i = 0; i < d.size(); ++i) out[i] = d[i] * weight_[i];
        return out;
    }
    // Draws examples with probability proportional to `share`. If all shares are 0 (fewer distinct examples than
    // clusters), returns the first example that is not taken.
    std::vector<index> draw(std::vector<double> share, index count, const std::vector<char>& taken,
                            random_generator& random) const {
        double sum = 0;
        for (std::size_t i = 0; i < share.size(); ++i) sum += share[i] = taken[i] ? 0.0 : share[i];
        std::vector<index> out;
        if (!(sum > 0)) {
            for (index i = 0; i < n_ && out.empty(); ++i)
                if (!taken[static_cast<std::size_t>(i)] && at(weight_, i) > 0) out.push_back(i);
            return out;
        }
        for (index t = 0; t < count; ++t) {
            const index chosen = random.weighted_index(share, sum);
            if (std::find(out.begin(), out.end(), chosen) == out.end()) out.push_back(chosen);
        }
        return out;
    }

    // Computes S from scratch, four rows at a time, so that four independent chains of additions overlap.
    void compute_sums() {
        parallel_for((n_ + tile_rows - 1) / tile_rows, [&](index b) {
            auto& tile = per_thread<buffer<T>>([] {});
            auto& sums = per_thread<buffer<double>>([] {});
            const index first = b * tile_rows, count = std::min(tile_rows, n_ - first);
            double* s = sums.at_least(tile_rows * k_);
            std::fill_n(s, tile_rows * k_, 0.0);
            for (index c = 0; c < n_; c += tile_cols) {
                const index width = std::min(tile_cols, n_ - c);
                const matrix_view<T> t(tile.at_least((tile_rows + 3) * tile_cols), count, width, tile_cols);
                K_.block(row_set(first, count), row_set(c, width), t);
                for (index i = 0; i < count; i += 4) {
                    const T *r0 = t.row(i), *r1 = t.row(i + 1), *r2 = t.row(i + 2),
                            *r3 = t.row(i + 3);  // rows beyond count are allocated but not used
                    double* to = s + i * k_;
                    if (i + 4 <= count) {
                        for (index j = 0; j < width; ++j) {
                            double* cell = to + 4 * labels_[static_cast<std::size_t>(c + j)];
                            const double w = weight_[static_cast<std::size_t>(c + j)];
                            cell[0] += w * static_cast<double>(r0[j]);
                            cell[1] += w * static_cast<double>(r1[j]);
                            cell[2] += w * static_cast<double>(r2[j]);
                            cell[3] += w * static_cast<double>(r3[j]);
                        }
                    } else {
                        for (index r = 0; i + r < count; ++r)
                            for (index j = 0; j < width; ++j)
                                to[4 * labels_[static_cast<std::size_t>(c + j)] + r] +=
                                    weight_[static_cast<std::size_t>(c + j)] * static_cast<double>(t(i + r, j));
                    }
                }
            }
            for (index i = 0; i < count; ++i)
                for (index c = 0; c < k_; ++c) sums_(first + i, c) = s[i / 4 * 4 * k_ + 4 * c + i % 4];
        });
        update_cluster_sums();
    }

    // S(i, new) += wⱼkⱼᵢ and S(i, old) -= wⱼkⱼᵢ for every j that moved. Rows of the moved examples are enough, because
    // K is symmetric.
    void update_sums(const std::vector<index>& moved, const std::vector<index>& before) {
        parallel_for((n_ + tile_cols - 1) / tile_cols, [&](index s) {
            auto& tile = per_thread<buffer<T>>([] {});
            const index first = s * tile_cols, width = std::min(tile_cols, n_ - first);
            for (std::size_t m = 0; m < moved.size(); m += static_cast<std::size_t>(tile_rows)) {
                const std::span<const index> some(moved.data() + m,
                                                  std::min(static_cast<std::size_t>(tile_rows), moved.size() - m));
                const matrix_view<T> t(tile.at_least(tile_rows * tile_cols), static_cast<index>(some.size()), width,
                                       tile_cols);
                K_.block(some, row_set(first, width), t);
                for (index i = 0; i < width; ++i) {
                    double* row = sums_.row(first + i);
                    for (std::size_t j = 0; j < some.size(); ++j) {
                        const double amount = at(weight_, some[j]) * static_cast<double>(t(static_cast<index>(j), i));
                        row[at(labels_, some[j])] += amount;
                        row[at(before, some[j])] -= amount;
                    }
                }
            }
        });
        update_cluster_sums();
    }

    // Sets W and T for the current labels.
    void update_cluster_sums() {
        require_finite(sums_.view(), owner);
        W_.assign(static_cast<std::size_t>(k_), 0.0);
        T_.assign(static_cast<std::size_t>(k_), 0.0);
        for (index i = 0; i < n_; ++i) {
            const index c = at(labels_, i);
            W_[static_cast<std::size_t>(c)] += at(weight_, i);
            T_[static_cast<std::size_t>(c)] += at(weight_, i) * sums_(i, c);
        }
    }
    double objective() const {
        double J = total_;
        for (index c = 0; c < k_; ++c)
            if (at(W_, c) > 0) J -= at(T_, c) / at(W_, c);
        return J;
    }

    // Moves every example to its nearest mean. Returns wᵢ × the squared distance to that mean.
    std::vector<double> reassign() {
        std::vector<double> norm(static_cast<std::size_t>(k_)), inverse(static_cast<std::size_t>(k_)),
            cost(static_cast<std::size_t>(n_));
        for (std::size_t c = 0; c < norm.size(); ++c) {
            inverse[c] = W_[c] > 0 ? 1 / W_[c] : 0;
            norm[c] = W_[c] > 0 ? T_[c] * inverse[c] * inverse[c] : std::numeric_limits<double>::infinity();
        }
        const double rounding = 64 * std::numeric_limits<double>::epsilon() * size_;
        parallel_for((n_ + tile_cols - 1) / tile_cols, [&](index s) {
            for (index i = s * tile_cols; i < std::min(n_, (s + 1) * tile_cols); ++i) {
                const auto from = [&](index c) { return at(norm, c) - 2 * sums_(i, c) * at(inverse, c); };
                index best = at(labels_, i);
                double least = from(best) - rounding;  // another mean must be nearer by more than the rounding error
                for (index c = 0; c < k_; ++c)
                    if (const double d = from(c); d < least) least = d, best = c;
                if (best == at(labels_, i)) least += rounding;
                labels_[static_cast<std::size_t>(i)] = best;
                cost[static_cast<std::size_t>(i)] = at(weight_, i) * std::max(0.0, at(self_, i) + least);
            }
        });
        return cost;
    }

    // A cluster without weight receives the example with the highest cost, the first of equal ones, from a cluster that
    // has more than one.
    void fill_empty(std::vector<double> cost) {
        std::vector<index> members(static_cast<std::size_t>(k_));
        for (index i = 0; i < n_; ++i) members[static_cast<std::size_t>(at(labels_, i))] += at(weight_, i) > 0;
        for (index c = 0; c < k_; ++c) {
            if (at(members, c) > 0) continue;
            index farthest = -1;
            for (index i = 0; i < n_; ++i)
                if (at(weight_, i) > 0 && at(members, at(labels_, i)) > 1 &&
                    (farthest < 0 || at(cost, i) > at(cost, farthest)))
                    farthest = i;
            --members[static_cast<std::size_t>(at(labels_, farthest))];
            labels_[static_cast<std::size_t>(farthest)] = c;
            cost[static_cast<std::size_t>(farthest)] = 0;
            members[static_cast<std::size_t>(c)] = 1;
        }
    }

    const gram<T>& K_;
    std::vector<double> self_, weight_;
    const kmeans_options& o_;
    index n_, k_;
    matrix<double> sums_;  // S
    std::vector<double> W_, T_;
    std::vector<index> labels_;
    double total_ = 0, size_ = 0;
};

void check(const kmeans_options& o, index n) {
    if (o.n_clusters < 1 || o.n_clusters > n)
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy 1 <= n_clusters <= n, got {} with n = {}", owner, o.n_clusters, n));
    if (o.n_init < 1)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy n_init >= 1, got {}", owner, o.n_init));
    if (o.max_iter < 0)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy max_iter >= 0, got {}", owner, o.max_iter));
    if (!o.init.empty() && static_cast<index>(o.init.size()) != n)
        fail(errc::invalid_argument, fmt::format("{}: {} objects, but {} initial clusters", owner, n, o.init.size()));
    for (std::size_t i = 0; i < o.init.size(); ++i)
        if (o.init[i] < 0 || o.init[i] >= o.n_clusters)
            fail(errc::invalid_argument,
                 fmt::format("{}: an initial cluster must satisfy 0 <= cluster < {}, got {} for object {}", owner,
                             o.n_clusters, o.init[i], i));
}

template <class T>
kmeans_model fit_model(const gram<T>& K, const std::vector<double>& self, const kmeans_options& o) {
    const index n = K.rows();
    const std::vector<double> weight = checked_weights(o.sample_weight, n, o.n_clusters, owner);
    lloyd<T> method(K, self, weight, o);
    random_generator random(o.seed);
    run_result best;
    kmeans_model m;
    const index runs = o.init.empty() ? o.n_init : 1;
    bool stop = false;
    for (index r = 0; r < runs && !stop; ++r) {
        run_result one;
        const auto report = [&](index, double J) { return !o.progress || o.progress({"k-means", r, runs, J}); };
        if (!completes_unless_cancelled(
                [&] { method.run(o.init.empty() ? method.seed(random) : o.init, report, one); }))
            one.status = fit_status::cancelled;
        stop = one.status == fit_status::cancelled;
        if (one.history.empty() && best.history.empty())
            fail(errc::cancelled, fmt::format("{}: stopped by the caller before there was a model", owner));
        if (one.history.empty()) break;
        ++m.runs;
        if (best.history.empty() || one.history.back() < best.history.back()) best = std::move(one);
    }
    m.status = stop ? fit_status::cancelled : best.status;
    m.labels = std::move(best.labels);
    m.history = std::move(best.history);
    m.weights.assign(static_cast<std::size_t>(o.n_clusters), 0.0);
    for (std::size_t i = 0; i < m.labels.size(); ++i) m.weights[static_cast<std::size_t>(m.labels[i])] += weight[i];
    m.means.coef = matrix<double>(n, o.n_clusters);
    m.means.offset.assign(m.weights.size(), 0.0);
    for (index i = 0; i < n; ++i) {
        const index c = m.labels[static_cast<std::size_t>(i)];
        m.means.coef(i, c) = weight[static_cast<std::size_t>(i)] / m.weights[static_cast<std::size_t>(c)];
    }
    m.norms = std::move(best.norms);
    return m;
}

std::vector<index> nearest(const kmeans_model& m, const matrix<double>& f) {
    std::vector<index> out;
    for (index i = 0; i < f.rows(); ++i) {
        index best = 0;
        for (index c = 1; c < f.cols(); ++c)
            if (m.norms[static_cast<std::size_t>(c)] / 2 - f(i, c) <
                m.norms[static_cast<std::size_t>(best)] / 2 - f(i, best))
                best = c;
        out.push_back(best);
    }
    return out;
}

}  // namespace

kmeans_model fit_kernel_kmeans(const kernel& k, const dataset& x, const kmeans_options& o) {
    require_objects(x, owner);
    check(o, x.size());
    const std::vector<double> self = kernel_diagonal(k, x);
    kmeans_model m =
        with_training_gram(k, x, o.memory_bytes, o.exact, [&](const auto& K) { return fit_model(K, self, o); });
    m.means.k = std::make_shared<const kernel>(k);
    m.means.x = x;
    return m;
}

kmeans_model fit_kernel_kmeans(const gram<double>& K, const kmeans_options& o) {
    const std::vector<double> self = checked_diagonal(K, owner);
    check(o, K.rows());
    return with_training_gram(K, o.memory_bytes, [&](const gram<double>& some) { return fit_model(some, self, o); });
}

std::vector<index> predict(const kmeans_model& m, const dataset& z) { return nearest(m, m.means.values(z)); }
std::vector<index> predict(const kmeans_model& m, const gram<double>& K) { return nearest(m, m.means.values(K)); }

matrix<double> distances(const kmeans_model& m, const dataset& z) {
    if (!m.means.k)
        fail(errc::unsupported,
             "kernel k-means: distances of new objects need k(z, z), which a precomputed matrix does not contain");
    matrix<double> out = m.means.values(z);
    const std::vector<double> self = kernel_diagonal(*m.means.k, z);
    // ‖φ(z) - μ‖² = k(z, z) - 2⟨φ(z), μ⟩ + ‖μ‖²
    for (index i = 0; i < out.rows(); ++i)
        for (index c = 0; c < out.cols(); ++c)
            out(i, c) = std::sqrt(std::max(
                0.0, self[static_cast<std::size_t>(i)] - 2 * out(i, c) + m.norms[static_cast<std::size_t>(c)]));
    return out;
}

template <>
struct file_form<kmeans_model> {
    static constexpr std::string_view format = "mercer-kernel-kmeans-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.part(m.means);
        const index clusters = m.clusters();
        a.status(m.status);
        a.integer("runs", m.runs);
        a.list(m.norms, clusters);
        a.list(m.weights, clusters);
        a.list(m.labels, m.means.size());
        a.list("rounds", m.history);
        a.check(clusters > 0 && !m.history.empty(), "the model has no clusters, or no objective");
        a.check_range(m.labels, 0, clusters, "a label");
    }
};
template struct model_file<kmeans_model>;

namespace api {
namespace {

class kmeans_estimator final : public cluster_estimator<kmeans_model> {
public:
    using cluster_estimator::cluster_estimator;
    columns transform(const examples& x) const override {
        return {mercer::distances(m_, x.objects()), numbered_names("distance", m_.clusters())};
    }
    columns details(const examples& x) const override { return transform(x); }
    summary summarise() const override {
        return {{"status", name(m_.status)}, {"objective", m_.objective()},   {"rounds", m_.history.size() - 1},
                {"runs", m_.runs},           {"cluster_weights", m_.weights}, {"training_size", m_.means.size()}};
    }
};

estimator_ptr make_kmeans(const kernel_kmeans& m, const fit_call& t) {
    return fit_clusters<kmeans_estimator>(
        t, t.common<kmeans_options>(m),
        [](const kmeans_options& how, const auto&... from) { return fit_kernel_kmeans(from..., how); });
}

}  // namespace

method kernel_kmeans_method() { return entry<kernel_kmeans, kmeans_estimator>(make_kmeans); }

}  // namespace api

}  // namespace mercer
