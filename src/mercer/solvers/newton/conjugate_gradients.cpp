
#include "mercer/solvers/newton/conjugate_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/vector_ops.h"
#include "mercer/gram/low_rank.h"

namespace mercer {
namespace {

using rows = matrix<double>;

using block_vectors::add;
using block_vectors::dot;

// a ∘ b
rows times(const rows& a, const rows& b) {
    rows out = a;
    for (index k = 0; k < a.rows() * a.cols(); ++k) out.data()[k] *= b.data()[k];
    return out;
}

double largest(const rows& a) {
    double out = 0;
    for (index k = 0; k < a.rows() * a.cols(); ++k) out = std::max(out, std::abs(a.data()[k]));
    return out;
}

}  // namespace

void newton_equations::make_preconditioner(index functions) {
    const index n = K_.rows();
    if (std::exchange(is_prepared_, true)) return;
    rp_cholesky_options o;
    // The work on F grows with rank² and the number of functions. If K is stored, a product with it is cheap, and a
    // smaller rank suffices.
    const bool there = K_.cycles_per_element() <= 2;
    const double share = (there ? 0.4 : 1.0) / std::sqrt(static_cast<double>(functions));
    const double room = static_cast<double>(memory_bytes_) / 3 / (8.0 * static_cast<double>(n));
    o.rank = std::max<index>(1, static_cast<index>(share * static_cast<double>(preconditioner_rank(n, room))));
    random_pivots found = rp_cholesky(K_, o);
    is_low_rank_ = found.remaining_trace < 1e-10;
    f_ = std::move(found.factor);
    residual_diagonal_.resize(static_cast<std::size_t>(n));
    K_.diagonal(residual_diagonal_);
    for (index i = 0; i < n; ++i) {
        double& each = residual_diagonal_[static_cast<std::size_t>(i)];
        for (index c = 0; c < f_.cols(); ++c) each -= f_(i, c) * f_(i, c);
        each = std::max(each, 0.0);
    }
    if (const index found_rank = std::ssize(found.pivots); is_low_rank_ && found_rank < f_.cols()) {
        rows narrow(n, found_rank);
        for (index i = 0; i < n; ++i) std::copy_n(f_.row(i), found_rank, narrow.row(i));
        f_ = std::move(narrow);
    }
}

bool newton_equations::factor_preconditioner(const rows& T) {
    const index n = f_.rows(), rank = f_.cols();
    constexpr index strip = 2048;
    inner_factors_.clear();
    for (index c = 0; c < T.cols(); ++c) {
        throw_if_cancelled();
        rows inner(rank, rank);
        for (index first = 0; first < n; first += strip) {
            rows g(std::min(strip, n - first), rank);
            for (index i = 0; i < g.rows(); ++i)
                for (index j = 0; j < rank; ++j) g(i, j) = T(first + i, c) * f_(first + i, j);
            add_gram(g.view(), inner);
        }
        for (index j = 0; j < rank; ++j) inner(j, j) += lambda_;
        if (!mercer::cholesky_in_place(inner)) return false;
        inner_factors_.push_back(std::move(inner));
    }
    return true;
}

void newton_equations::precondition(const rows& T, const rows& r, rows& z) const {
    rows inside = mercer::product(times(T, r).view(), transposed::yes, f_.view(), transposed::no);
    for (index c = 0; c < r.cols(); ++c)
        cholesky_solve(inner_factors_[static_cast<std::size_t>(c)],
                       matrix_view<double>(inside.row(c), 1, inside.cols()));
    z = times(T, mercer::product(f_.view(), transposed::no, inside.view(), transposed::yes));
    for (index k = 0; k < r.rows() * r.cols(); ++k) z.data()[k] = (r.data()[k] - z.data()[k]) / lambda_;
}

double newton_equations::squared_k_norm(const rows& E) const {
    const rows inside = mercer::product(E.view(), transposed::yes, f_.view(), transposed::no);
    double sum = dot(inside, inside);
    for (index i = 0; i < E.rows(); ++i)
        for (index c = 0; c < E.cols(); ++c) sum += residual_diagonal_[static_cast<std::size_t>(i)] * E(i, c) * E(i, c);
    return sum;
}

newton_step newton_equations::solve(const rows& S, const rows& T, const projection& Q, const rows& R, const rows& KR,
                                    double goal, const product& multiply, const std::function<bool()>& go_on) {
    make_preconditioner(R.cols());
    if ((!is_low_rank_ && R.rows() < min_preconditioned_) || !factor_preconditioner(T))
        return solve_plain(S, Q, R, KR, goal, multiply, go_on);
    if (is_low_rank_)
        if (std::optional<newton_step> found = solve_low_rank(S, Q, R, goal)) return std::move(*found);
    return solve_preconditioned(S, T, Q, R, goal, multiply, go_on);
}

std::optional<newton_step> newton_equations::solve_low_rank(const rows& S, const projection& Q, const rows& R,
                                                            double goal) {
    rows square(f_.cols(), f_.cols());
    add_gram(f_.view(), square);
    if (f_.cols() == 0 || !mercer::cholesky_in_place(square)) return std::nullopt;
    // Results have one row per function.
    const auto inside = [&](const rows& x) {
        return mercer::product(x.view(), transposed::yes, f_.view(), transposed::no);
    };
    const auto outside = [&](const rows& v) {
        return mercer::product(f_.view(), transposed::no, v.view(), transposed::yes);
    };
    const auto solved = [&](rows v) {
        for (index c = 0; c < v.rows(); ++c)
            cholesky_solve(inner_factors_[static_cast<std::size_t>(c)], matrix_view<double>(v.row(c), 1, v.cols()));
        return v;
    };
    rows e = inside(R), v(e.rows(), e.cols());
    for (index k = 0; k < e.rows() * e.cols(); ++k) e.data()[k] = -e.data()[k];
    rows z = solved(e), p = z;
    double rho = dot(e, z);
    for (index steps = 0; steps < 10 * e.rows() * e.cols() + 10 && dot(e, e) > goal && rho > 0; ++steps) {
        rows image = times(S, outside(p));
        Q(image);
        rows bent = inside(times(S, image));
        add(bent, lambda_, p);
        const double curvature = dot(p, bent);
        if (!(curvature > 0)) break;
        const double t = rho / curvature;
        add(v, t, p), add(e, -t, bent);
        z = solved(e);
        const double next = dot(e, z);
        for (index k = 0; k < p.rows() * p.cols(); ++k) p.data()[k] = z.data()[k] + next / rho * p.data()[k];
        rho = next;
    }
    newton_step out{{}, outside(v)};
    cholesky_solve(square, v.view());
    out.x = outside(v);
    return out;
}

// Uses |K(i, j)| <= √K(i, i)√K(j, j).
double newton_equations::rounding_error(const rows& R) const {
    std::vector<double> self(static_cast<std::size_t>(R.rows()));
    K_.diagonal(self);
    double out = 0;
    for (index c = 0; c < R.cols(); ++c) {
        double sum = 0;
        for (index i = 0; i < R.rows(); ++i)
            sum += std::sqrt(std::abs(self[static_cast<std::size_t>(i)])) * std::abs(R(i, c));
        out += sum * sum;
    }
    return 4 * std::numeric_limits<double>::epsilon() * out;
}

newton_step newton_equations::solve_plain(const rows& S, const projection& Q, const rows& R, const rows& KR,
                                          double goal, const product& multiply,
                                          const std::function<bool()>& go_on) const {
    const index n = R.rows(), numbers = n * R.cols();
    newton_step out{rows(n, R.cols()), rows(n, R.cols())};
    rows e(n, R.cols()), Ke = e;
    add(e, -1, R), add(Ke, -1, KR);
    rows p = e, Kp = Ke;
    double rho = dot(e, Ke);
    for (index steps = 0; steps < 3 * n + 10 && rho > goal && go_on(); ++steps) {
        rows image = times(S, Kp);
        Q(image);
        image = times(S, image);
        add(image, lambda_, p);
        const double curvature = dot(Kp, image);
        if (!(curvature > 0)) break;
        const double t = rho / curvature;
        add(out.x, t, p), add(out.Kx, t, Kp), add(e, -t, image);
        Ke = multiply(e);
        const double next = dot(e, Ke), beta = next / rho;
        if (!(next > 0)) break;
        for (index k = 0; k < numbers; ++k)
            p.data()[k] = e.data()[k] + beta * p.data()[k], Kp.data()[k] = Ke.data()[k] + beta * Kp.data()[k];
        rho = next;
    }
    return out;
}

newton_step newton_equations::solve_preconditioned(const rows& S, const rows& T, const projection& Q, const rows& R,
                                                   double goal, const product& multiply,
                                                   const std::function<bool()>& go_on) {
    const index n = R.rows(), numbers = n * R.cols();
    rows r(n, R.cols());  // residual of the equations in U
    for (index k = 0; k < numbers; ++k) r.data()[k] = S.data()[k] > 0 ? -R.data()[k] / S.data()[k] : 0.0;
    Q(r);
    newton_step out{rows(n, R.cols()), rows(n, R.cols())};
    for (index k = 0; k < numbers; ++k) out.x.data()[k] = -(R.data()[k] + S.data()[k] * r.data()[k]) / lambda_;
    if (largest(out.x) * lambda_ > 1e-13 * largest(R)) {
        out.Kx = multiply(out.x);
        rows seen = times(S, out.Kx);
        Q(seen);
        add(r, -1, seen);
    } else {
        out.x = rows(n, R.cols());
    }
    rows z(n, R.cols());
    precondition(T, r, z);
    Q(z);
    rows p = z;
    double rho = dot(r, z);
    for (index steps = 0; steps < 3 * n + 10 && squared_k_norm(times(S, r)) > goal && rho > 0 && go_on(); ++steps) {
        const rows along = times(S, p), Kalong = multiply(along);
        rows image = times(S, Kalong);
        Q(image);
        add(image, lambda_, p);
        const double curvature = dot(p, image);
        if (!(curvature > 0)) break;
        const double t = rho / curvature;
        add(out.x, t, along);
        add(out.Kx, t, Kalong);
        add(r, -t, image);
        precondition(T, r, z);
        Q(z);
        const double next = dot(r, z), beta = next / rho;
        for (index k = 0; k < numbers; ++k) p.data()[k] = z.data()[k] + beta * p.data()[k];
        rho = next;
    }
    return out;
}

namespace {

class preconditioner {
public:
    preconditioner(std::span<const double> d, matrix_view<const double> f)
        : d_(d), f_(f), inner_factors_(f.cols, f.cols) {
        matrix<double> scaled(f.rows, f.cols);
        for (index i = 0; i < f.rows; ++i) {
            const double by = 1 / std::sqrt(d[static_cast<std::size_t>(i)]);
            for (index c = 0; c < f.cols; ++c) scaled(i, c) = by * f(i, c);
        }
        add_gram(scaled.view(), inner_factors_);
        for (index c = 0; c < f.cols; ++c) inner_factors_(c, c) += 1;
        if (!mercer::cholesky_in_place(inner_factors_))
            fail(errc::not_psd,
                 "conjugate gradients: the preconditioner must be positive definite: take a larger alpha");
    }
    // z ← P⁻¹z
    void solve(double* z, std::vector<double>& t) const {
        for (index i = 0; i < f_.rows; ++i) z[i] /= d_[static_cast<std::size_t>(i)];
        if (f_.cols == 0) return;
        t.assign(static_cast<std::size_t>(f_.cols), 0.0);
        add_multiply(1, f_, transposed::yes, z, t.data());
        cholesky_solve(inner_factors_, matrix_view<double>(t.data(), 1, f_.cols));
        std::vector<double> back(static_cast<std::size_t>(f_.rows));
        add_multiply(1, f_, transposed::no, t.data(), back.data());
        for (index i = 0; i < f_.rows; ++i) z[i] -= back[static_cast<std::size_t>(i)] / d_[static_cast<std::size_t>(i)];
    }

private:
    std::span<const double> d_;
    matrix_view<const double> f_;
    matrix<double> inner_factors_;
};

class multi_column_cg {
public:
    multi_column_cg(const block_operator& multiply, matrix_view<const double> d, matrix_view<const double> f,
                    matrix_view<double> b, const ridge_cg_options& o)
        : multiply_(multiply), d_(d), b_(b), o_(o), n_(b.cols), m_(b.rows), x_(m_, n_), r_(m_, n_) {
        if (d.rows != 1 && d.rows != m_)
            fail(errc::invalid_argument,
                 fmt::format("conjugate gradients: d must have 1 row or {}, got {}", m_, d.rows));
        for (index c = 0; c < d.rows; ++c) p_.emplace_back(std::span(d.row(c), static_cast<std::size_t>(n_)), f);
        for (index c = 0; c < m_; ++c) {
            std::copy_n(b.row(c), n_, r_.row(c));
            norm_.push_back(std::sqrt(dot(b.row(c), b.row(c))));
        }
    }

    ridge_cg_result run() {
        const bool stopped = !completes_unless_cancelled([&] {
            for (int start = o_.start.empty() ? 0 : restore_state(o_.start); iterate(start); ++start) {
                recompute_residuals();
                const double residual = max_residual();
                if (residual <= o_.tol)
                    out_.status = fit_status::converged;
                else if (start > 0 && !(residual < 0.5 * last_))
                    out_.status = fit_status::stalled;
                else if (out_.products < o_.max_iter) {
                    last_ = residual;
                    continue;
                }
                break;
            }
        });
        if (stopped) out_.status = fit_status::cancelled;
        for (index c = 0; c < m_; ++c) out_.residuals.push_back(relative_residual(c));
        for (index c = 0; c < m_; ++c) std::copy_n(x_.row(c), n_, b_.row(c));
        return out_;
    }

private:
    double dot(const double* a, const double* b) const { return best_vector_ops().dot(a, b, n_); }

    // Iterates from the current residual r by the recurrence. Returns false if the caller stopped it.
    bool iterate(int start) {
        matrix<double> p(m_, n_);
        std::vector<double> rz(static_cast<std::size_t>(m_)), scratch;
        const bool resumed = p_start_.rows() > 0;
        if (resumed) p = std::exchange(p_start_, {}), rz = rz_start_;
        for (index c = 0; c < m_ && !resumed; ++c) {
            std::copy_n(r_.row(c), n_, p.row(c));
            preconditioner_of(c).solve(p.row(c), scratch);
            rz[static_cast<std::size_t>(c)] = dot(r_.row(c), p.row(c));
        }
        matrix<double> z(1, n_);
        while (max_residual() > 0.5 * o_.tol && out_.products < o_.max_iter) {
            if (o_.progress && !o_.progress(out_.products, max_residual())) {
                recompute_residuals();
                out_.status = fit_status::cancelled;
                return false;
            }
            const matrix<double> ap = times(p);
            bool moved = false;
            for (index c = 0; c < m_; ++c) {
                const double curve = dot(p.row(c), ap.row(c));
                double& now = rz[static_cast<std::size_t>(c)];
                if (!(curve > 0) || !(now > 0) || relative_residual(c) <= 0.01 * o_.tol) continue;
                moved = true;
                const double step = now / curve;
                for (index i = 0; i < n_; ++i) x_(c, i) += step * p(c, i), r_(c, i) -= step * ap(c, i);
                std::copy_n(r_.row(c), n_, z.row(0));
                preconditioner_of(c).solve(z.row(0), scratch);
                const double next = dot(r_.row(c), z.row(0)), by = next / now;
                for (index i = 0; i < n_; ++i) p(c, i) = z(0, i) + by * p(c, i);
                now = next;
            }
            if (!moved) break;  // no direction of positive curvature is left
            if (o_.keep) o_.keep(current_state(start, p, rz));
        }
        return true;
    }

    std::vector<double> current_state(int start, const matrix<double>& p, const std::vector<double>& rz) const {
        std::vector<double> out{static_cast<double>(start), static_cast<double>(out_.products), last_};
        out.insert(out.end(), rz.begin(), rz.end());
        for (const matrix<double>* each : {&x_, &r_, &p}) out.insert(out.end(), each->data(), each->data() + m_ * n_);
        return out;
    }
    // Restores a state and returns the number of restarts from the true residual.
    int restore_state(const std::vector<double>& from) {
        const auto columns = static_cast<std::size_t>(m_), numbers = static_cast<std::size_t>(m_ * n_);
        if (from.size() != 3 + columns + 3 * numbers)
            fail(errc::invalid_argument, "the checkpoint belongs to another problem");
        out_.products = state_count(from[1]), last_ = from[2];
        rz_start_.assign(from.begin() + 3, from.begin() + 3 + m_);
        p_start_ = matrix<double>(m_, n_);
        const double* at = from.data() + 3 + columns;
        for (matrix<double>* each : {&x_, &r_, &p_start_}) std::copy_n(at, numbers, each->data()), at += numbers;
        return static_cast<int>(state_integer(from[0], 0, 1 << 30));
    }

    double relative_residual(index c) const {
        const double norm = norm_[static_cast<std::size_t>(c)];
        return norm > 0 ? std::sqrt(dot(r_.row(c), r_.row(c))) / norm : 0;
    }
    double max_residual() const {
        double out = 0;
        for (index c = 0; c < m_; ++c) out = std::max(out, relative_residual(c));
        return out;
    }

    void recompute_residuals() {
        const matrix<double> ax = times(x_);
        for (index c = 0; c < m_; ++c)
            for (index i = 0; i < n_; ++i) r_(c, i) = b_(c, i) - ax(c, i);
    }

    const preconditioner& preconditioner_of(index c) const {
        return p_[p_.size() > 1 ? static_cast<std::size_t>(c) : 0];
    }
    const double* diagonal_of(index c) const { return d_.row(d_.rows > 1 ? c : 0); }

    // Returns (K + D)v for each row v.
    matrix<double> times(const matrix<double>& v) {
        matrix<double> columns(n_, m_), made(n_, m_), out(m_, n_);
        for (index i = 0; i < n_; ++i)
            for (index c = 0; c < m_; ++c) columns(i, c) = v(c, i);
        multiply_(columns.view(), made.view());
        ++out_.products;
        for (index i = 0; i < n_; ++i)
            for (index c = 0; c < m_; ++c) out(c, i) = made(i, c) + diagonal_of(c)[i] * v(c, i);
        return out;
    }

    const block_operator& multiply_;
    matrix_view<const double> d_;
    std::vector<preconditioner> p_;  // per row of d
    matrix_view<double> b_;
    const ridge_cg_options& o_;
    index n_, m_;
    matrix<double> x_, r_;
    std::vector<double> norm_;
    double last_ = 0;
    matrix<double> p_start_;  // search directions of the state to resume; empty without one
    std::vector<double> rz_start_;
    ridge_cg_result out_;
};

}  // namespace

ridge_cg_result ridge_cg(const block_operator& multiply, matrix_view<const double> d, matrix_view<const double> factor,
                         matrix_view<double> b, const ridge_cg_options& options) {
    return multi_column_cg(multiply, d, factor, b, options).run();
}

}  // namespace mercer
