#include "mercer/solvers/newton/solve_softmax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/threads.h"
#include "mercer/dense/cholesky.h"
#include "mercer/gram/gram_product.h"
#include "mercer/solvers/newton/conjugate_gradients.h"

namespace mercer {

void softmax(std::span<const double> f, std::span<double> p) {
    const double top = *std::max_element(f.begin(), f.end());
    double sum = 0;
    for (std::size_t c = 0; c < f.size(); ++c) sum += p[c] = std::exp(f[c] - top);
    for (double& each : p) each /= sum;
}

namespace {

using rows = matrix<double>;

using block_vectors::add;
using block_vectors::dot;

class softmax_newton {
public:
    softmax_newton(const gram<double>& K, std::span<const index> label, index classes, std::span<const double> weight,
                   const representer_options& o)
        : K_(K),
          label_(label),
          o_(o),
          n_(K.rows()),
          C_(classes),
          w_(weight.begin(), weight.end()),
          alpha_(n_, C_),
          K_alpha_(n_, C_),
          p_(n_, C_),
          r_(n_, C_),
          b_(static_cast<std::size_t>(C_)),
          equations_(K, o.lambda, o.memory_bytes) {
        if (w_.empty()) w_.assign(static_cast<std::size_t>(n_), 1.0);
    }

    softmax_result run() {
        softmax_result out;
        double value = value_at(K_alpha_, b_);
        if (!completes_unless_cancelled([&] { iterate(out, value); })) out.status = fit_status::cancelled;
        out.gap = std::abs(gap_) + imbalance();
        out.objective = value;
        out.rounds = rounds_;
        out.products = products_;
        out.f = K_alpha_;
        for (index i = 0; i < n_; ++i)
            for (index c = 0; c < C_; ++c) out.f(i, c) += b_[static_cast<std::size_t>(c)];
        out.alpha = std::move(alpha_);
        out.offset = std::move(b_);
        return out;
    }

private:
    void iterate(softmax_result& out, double& value) {
        minimise_offsets(K_alpha_, b_);
        value = value_at(K_alpha_, b_);
        bool fresh = false;
        if (!o_.start.empty()) restore_state(o_.start, value);
        for (;;) {
            if (o_.keep && !fresh && rounds_ > 0) o_.keep(current_state(value));
            differentiate();
            Kr_ = times(r_);
            gap_ = dot(r_, Kr_) / (2 * o_.lambda);
            const bool enough = std::abs(gap_) + imbalance() <= o_.tol * value;
            if (enough && fresh) {
                const double rounding = equations_.rounding_error(r_) / (2 * o_.lambda);
                out.status = gap_ >= -rounding ? fit_status::converged : fit_status::stalled;
                break;
            }
            if (!enough && rounds_ >= o_.max_rounds) break;
            if (!enough && !should_continue(value)) {
                out.status = fit_status::cancelled;
                break;
            }
            bool moved = false;
            if (!enough) {
                moved = step(value);
                ++rounds_;
                if (!moved && fresh) {
                    out.status = fit_status::stalled;
                    break;
                }
            }
            fresh = !moved;
            if (fresh) {
                K_alpha_ = times(alpha_);
                minimise_offsets(K_alpha_, b_);
                value = value_at(K_alpha_, b_) + 0.5 * o_.lambda * dot(alpha_, K_alpha_);
            }
        }
    }

    bool should_continue(double value) {
        if (!stopped_ && o_.progress) stopped_ = !o_.progress(rounds_, value, std::abs(gap_));
        return !stopped_;
    }

    std::vector<double> current_state(double value) const {
        std::vector<double> out{static_cast<double>(rounds_), static_cast<double>(products_), value};
        out.insert(out.end(), b_.begin(), b_.end());
        for (const rows* each : {&alpha_, &K_alpha_}) out.insert(out.end(), each->data(), each->data() + n_ * C_);
        return out;
    }
    void restore_state(const std::vector<double>& from, double& value) {
        const auto numbers = static_cast<std::size_t>(n_ * C_);
        if (from.size() != 3 + b_.size() + 2 * numbers)
            fail(errc::invalid_argument, "the checkpoint belongs to another problem");
        rounds_ = static_cast<int>(state_integer(from[0], 0, 1 << 30)), products_ = state_count(from[1]),
        value = from[2];
        std::copy_n(from.data() + 3, b_.size(), b_.data());
        std::copy_n(from.data() + 3 + b_.size(), numbers, alpha_.data());
        std::copy_n(from.data() + 3 + b_.size() + numbers, numbers, K_alpha_.data());
    }

    rows times(const rows& v) {
        rows out(n_, C_);
        ++products_;
        gram_product(K_, v.view(), out.view());
        return out;
    }

    // Calls body(first, end) for chunks of examples with at least 65,536 numbers each, since a row may have thousands
    // of numbers.
    template <class Body>
    void in_runs(Body body) const {
        parallel_chunks(n_, std::max<index>(1, (index{1} << 16) / C_), body);
    }

    double value_at(const rows& K_alpha, const std::vector<double>& b) const {
        std::vector<double> term(static_cast<std::size_t>(n_));
        in_runs([&](index first, index end) {
            for (index i = first; i < end; ++i) {
                double top = -std::numeric_limits<double>::infinity(), total = 0;
                for (index c = 0; c < C_; ++c) top = std::max(top, K_alpha(i, c) + b[static_cast<std::size_t>(c)]);
                for (index c = 0; c < C_; ++c) total += std::exp(K_alpha(i, c) + b[static_cast<std::size_t>(c)] - top);
                const index own = label_[static_cast<std::size_t>(i)];
                term[static_cast<std::size_t>(i)] =
                    w_[static_cast<std::size_t>(i)] *
                    (std::log(total) + top - K_alpha(i, own) - b[static_cast<std::size_t>(own)]);
            }
        });
        double sum = 0;
        for (const double each : term) sum += each;
        return sum;
    }

    void probabilities(const rows& K_alpha, const std::vector<double>& b, rows& p) const {
        in_runs([&](index first, index end) {
            std::vector<double> f(static_cast<std::size_t>(C_));
            for (index i = first; i < end; ++i) {
                for (index c = 0; c < C_; ++c)
                    f[static_cast<std::size_t>(c)] = K_alpha(i, c) + b[static_cast<std::size_t>(c)];
                softmax(f, std::span<double>(p.row(i), static_cast<std::size_t>(C_)));
            }
        });
    }

    // Returns the effect on the gap of the column sums of G, which are zero for the exactly best b.
    double imbalance() const {
        if (!o_.intercept || sums_.empty()) return 0;
        double worth = 0;
        for (index c = 0; c < C_; ++c)
            worth += std::abs(sums_[static_cast<std::size_t>(c)] * b_[static_cast<std::size_t>(c)]);
        return worth;
    }

    void differentiate() {
        probabilities(K_alpha_, b_, p_);
        sums_.assign(static_cast<std::size_t>(C_), 0.0);
        for (index i = 0; i < n_; ++i)
            for (index c = 0; c < C_; ++c) {
                const double g =
                    w_[static_cast<std::size_t>(i)] * (p_(i, c) - (label_[static_cast<std::size_t>(i)] == c ? 1 : 0));
                sums_[static_cast<std::size_t>(c)] += g;
                r_(i, c) = g + o_.lambda * alpha_(i, c);
            }
    }

    // Returns Σᵢ Dᵢ, regularised along (1, …, 1), where it vanishes. Only the upper half is filled, which is all that
    // the Cholesky decomposition reads.
    rows curvature(const rows& p) const {
        constexpr index rows_at_once = 8, examples_at_once = 256;
        rows m(C_, C_);
        parallel_chunks(C_, rows_at_once, [&](index first, index end) {
            for (index i = 0; i < n_; ++i) {
                if (i % examples_at_once == 0) throw_if_cancelled();
                const double w = w_[static_cast<std::size_t>(i)];
                const double* const each = p.row(i);
                for (index a = first; a < end; ++a) {
                    double* const row = m.row(a);
                    const double wp = w * each[a];
                    row[a] += wp;
                    for (index c = a; c < C_; ++c) row[c] -= wp * each[c];
                }
            }
        });
        double trace = 0;
        for (index a = 0; a < C_; ++a) trace += m(a, a);
        for (index a = 0; a < C_; ++a) {
            for (index c = a; c < C_; ++c)
                m(a, c) += (trace + std::numeric_limits<double>::min()) / static_cast<double>(C_);
            m(a, a) += 1e-15 * trace + std::numeric_limits<double>::min();
        }
        return m;
    }

    // Minimises over b by Newton's method with C unknowns.
    void minimise_offsets(const rows& K_alpha, std::vector<double>& b) const {
        if (!o_.intercept) return;
        rows p(n_, C_);
        double value = value_at(K_alpha, b), total = 0;
        for (const double w : w_) total += w;
        for (int round = 0; round < 50; ++round) {
            probabilities(K_alpha, b, p);
            rows s(C_, 1);
            for (index i = 0; i < n_; ++i)
                for (index c = 0; c < C_; ++c)
                    s(c, 0) += w_[static_cast<std::size_t>(i)] *
                               (p(i, c) - (label_[static_cast<std::size_t>(i)] == c ? 1 : 0));
            double largest = 0, slope = 0;
            for (index c = 0; c < C_; ++c) largest = std::max(largest, std::abs(s(c, 0)));
            if (largest <= 1e-14 * total) break;
            rows m = curvature(p), d = s;
            if (cholesky_in_place(m.view()) >= 0) break;
            cholesky_solve(m.view(), d.view());
            for (index c = 0; c < C_; ++c) slope -= s(c, 0) * d(c, 0);
            std::vector<double> next(b.size());
            double t = 1;
            bool fell = false;
            for (int halvings = 0; halvings < 40 && !fell; ++halvings, t /= 2) {
                double mean = 0;
                for (index c = 0; c < C_; ++c)
                    mean += (next[static_cast<std::size_t>(c)] = b[static_cast<std::size_t>(c)] - t * d(c, 0)) /
                            static_cast<double>(C_);
                for (double& each : next) each -= mean;
                const double now = value_at(K_alpha, next);
                // Near the minimum the decrease is lost in rounding errors; then the full Newton step is the better
                // point.
                fell = now <= value + 1e-4 * t * slope ||
                       (halvings == 0 && largest < 1e-6 * total && now <= value + 1e-13 * std::abs(value));
                if (fell) value = now;
            }
            if (!fell) break;
            b = next;
        }
    }

    // D = S Π S with S = diag √(wp) and Π = I - √p√pᵀ for each example. With an intercept the directions ΠS1 are
    // projected out.
    newton_step solve_system(double value) {
        rows root(n_, C_), own(n_, C_);
        for (index i = 0; i < n_; ++i)
            for (index c = 0; c < C_; ++c)
                if (p_(i, c) > 1e-14) {
                    root(i, c) = std::sqrt(w_[static_cast<std::size_t>(i)] * p_(i, c));
                    own(i, c) = root(i, c) * std::sqrt(1 - p_(i, c));
                }
        rows factor;
        bool constrained = o_.intercept;
        if (constrained) {
            factor = curvature(p_);
            constrained = cholesky_in_place(factor.view()) < 0;
        }
        const auto onto_simplex = [&](rows& u) {
            for (index i = 0; i < n_; ++i) {
                double along = 0, total = 0;
                for (index c = 0; c < C_; ++c) along += root(i, c) * u(i, c), total += root(i, c) * root(i, c);
                for (index c = 0; c < C_; ++c) u(i, c) -= along / total * root(i, c);
            }
        };
        const auto project = [&](rows& u) {
            onto_simplex(u);
            if (!constrained) return;
            rows sum(C_, 1);
            for (index i = 0; i < n_; ++i)
                for (index c = 0; c < C_; ++c) sum(c, 0) += root(i, c) * u(i, c);
            cholesky_solve(factor.view(), sum.view());
            rows shift(n_, C_);
            for (index i = 0; i < n_; ++i)
                for (index c = 0; c < C_; ++c) shift(i, c) = root(i, c) * sum(c, 0);
            onto_simplex(shift);
            add(u, -1, shift);
        };
        const double forcing = std::clamp(
            0.1 * std::sqrt(std::abs(gap_) / std::max(value, std::numeric_limits<double>::min())), 1e-9, 0.1);
        return equations_.solve(
            root, own, project, r_, Kr_, forcing * forcing * 2 * o_.lambda * std::abs(gap_),
            [&](const rows& v) { return times(v); }, [&] { return should_continue(value); });
    }

    bool step(double& value) {
        const auto [direction, along] = solve_system(value);
        const double slope = dot(r_, along);
        if (!(slope < 0)) return false;
        const double square = dot(alpha_, K_alpha_), mixed = dot(direction, K_alpha_), own = dot(direction, along);
        double t = 1;
        for (int halvings = 0; halvings < 50; ++halvings, t /= 2) {
            rows trial = K_alpha_;
            add(trial, t, along);
            std::vector<double> b = b_;
            minimise_offsets(trial, b);
            const double next = value_at(trial, b) + 0.5 * o_.lambda * (square + 2 * t * mixed + t * t * own);
            if (next <= value + 1e-4 * t * slope && next < value) {
                add(alpha_, t, direction);
                K_alpha_ = std::move(trial);
                b_ = std::move(b);
                value = next;
                return true;
            }
        }
        return false;
    }

    const gram<double>& K_;
    std::span<const index> label_;
    const representer_options& o_;
    index n_, C_;
    std::vector<double> w_;
    rows alpha_, K_alpha_, p_, r_, Kr_;
    std::vector<double> b_, sums_;
    newton_equations equations_;
    int rounds_ = 0;
    bool stopped_ = false;
    double gap_ = std::numeric_limits<double>::infinity();
    std::int64_t products_ = 0;
};

}  // namespace

softmax_result solve_softmax(const gram<double>& K, std::span<const index> label, index classes,
                             std::span<const double> weight, const representer_options& options) {
    require_square(K, "softmax");
    const auto n = static_cast<std::size_t>(K.rows());
    if (n == 0) fail(errc::data, "softmax: there are no examples");
    if (classes < 2) fail(errc::invalid_argument, fmt::format("softmax: must satisfy classes >= 2, got {}", classes));
    if (!(options.lambda > 0) || !std::isfinite(options.lambda))
        fail(errc::invalid_argument,
             fmt::format("softmax: must satisfy 0 < lambda < infinity, got {}", options.lambda));
    if (!(options.tol > 0))
        fail(errc::invalid_argument, fmt::format("softmax: must satisfy tol > 0, got {}", options.tol));
    if (label.size() != n || (!weight.empty() && weight.size() != n))
        fail(errc::invalid_argument,
             fmt::format("softmax: {} examples but {} labels and {} weights", n, label.size(), weight.size()));
    for (std::size_t i = 0; i < n; ++i) {
        if (label[i] < 0 || label[i] >= classes)
            fail(errc::data,
                 fmt::format("softmax: label {} must satisfy 0 <= label < {}, got {}", i, classes, label[i]));
        if (!weight.empty() && (!(weight[i] > 0) || !std::isfinite(weight[i])))
            fail(errc::data,
                 fmt::format("softmax: weight {} must satisfy 0 < weight < infinity, got {}", i, weight[i]));
    }
    return softmax_newton(K, label, classes, weight, options).run();
}

}  // namespace mercer
