#include "mercer/solvers/newton/ridge_cg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/state_number.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/dense/vector_ops.h"

namespace mercer {
namespace {

class preconditioner {
public:
    preconditioner(std::span<const double> d, matrix_view<const double> f) : d_(d), f_(f), inner_(f.cols, f.cols) {
        matrix<double> scaled(f.rows, f.cols);
        for (index i = 0; i < f.rows; ++i) {
            const double by = 1 / std::sqrt(d[static_cast<std::size_t>(i)]);
            for (index c = 0; c < f.cols; ++c) scaled(i, c) = by * f(i, c);
        }
        add_gram(scaled.view(), inner_);
        for (index c = 0; c < f.cols; ++c) inner_(c, c) += 1;
        if (!mercer::cholesky_in_place(inner_))
            fail(errc::not_psd,
                 "conjugate gradients: the preconditioner must be positive definite; take a larger alpha");
    }
    // z ← P⁻¹z
    void solve(double* z, std::vector<double>& t) const {
        for (index i = 0; i < f_.rows; ++i) z[i] /= d_[static_cast<std::size_t>(i)];
        if (f_.cols == 0) return;
        t.assign(static_cast<std::size_t>(f_.cols), 0.0);
        add_multiply(1, f_, transposed::yes, z, t.data());
        cholesky_solve(inner_, matrix_view<double>(t.data(), 1, f_.cols));
        std::vector<double> back(static_cast<std::size_t>(f_.rows));
        add_multiply(1, f_, transposed::no, t.data(), back.data());
        for (index i = 0; i < f_.rows; ++i) z[i] -= back[static_cast<std::size_t>(i)] / d_[static_cast<std::size_t>(i)];
    }

private:
    std::span<const double> d_;
    matrix_view<const double> f_;
    matrix<double> inner_;
};

class columns_cg {
public:
    columns_cg(const block_operator& multiply, matrix_view<const double> d, matrix_view<const double> f,
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
        const bool stopped = !unless_stopped([&] {
            for (int start = o_.start.empty() ? 0 : take(o_.start); descend(start); ++start) {
                measure();
                const double residual = worst();
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
        for (index c = 0; c < m_; ++c) out_.residuals.push_back(left(c));
        for (index c = 0; c < m_; ++c) std::copy_n(x_.row(c), n_, b_.row(c));
        return out_;
    }

private:
    double dot(const double* a, const double* b) const { return smo::best_vector_ops().dot(a, b, n_); }

    // From the residual r as it stands, by the recurrence; false where the caller said stop.
    bool descend(int start) {
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
        while (worst() > 0.5 * o_.tol && out_.products < o_.max_iter) {
            if (o_.progress && !o_.progress(out_.products, worst())) {
                measure();
                out_.status = fit_status::cancelled;
                return false;
            }
            const matrix<double> ap = times(p);
            bool moved = false;
            for (index c = 0; c < m_; ++c) {
                const double curve = dot(p.row(c), ap.row(c));
                double& now = rz[static_cast<std::size_t>(c)];
                if (!(curve > 0) || !(now > 0) || left(c) <= 0.01 * o_.tol) continue;
                moved = true;
                const double step = now / curve;
                for (index i = 0; i < n_; ++i) x_(c, i) += step * p(c, i), r_(c, i) -= step * ap(c, i);
                std::copy_n(r_.row(c), n_, z.row(0));
                preconditioner_of(c).solve(z.row(0), scratch);
                const double next = dot(r_.row(c), z.row(0)), by = next / now;
                for (index i = 0; i < n_; ++i) p(c, i) = z(0, i) + by * p(c, i);
                now = next;
            }
            if (!moved) break;  // no direction of positive curvature: further products would be the same
            if (o_.keep) o_.keep(state(start, p, rz));
        }
        return true;
    }

    std::vector<double> state(int start, const matrix<double>& p, const std::vector<double>& rz) const {
        std::vector<double> out{static_cast<double>(start), static_cast<double>(out_.products), last_};
        out.insert(out.end(), rz.begin(), rz.end());
        for (const matrix<double>* each : {&x_, &r_, &p}) out.insert(out.end(), each->data(), each->data() + m_ * n_);
        return out;
    }
    // How often it had started from the true residual.
    int take(const std::vector<double>& from) {
        const auto columns = static_cast<std::size_t>(m_), numbers = static_cast<std::size_t>(m_ * n_);
        if (from.size() != 3 + columns + 3 * numbers) fail(errc::invalid_argument, "a state of another problem");
        out_.products = count_in_state(from[1]), last_ = from[2];
        rz_start_.assign(from.begin() + 3, from.begin() + 3 + m_);
        p_start_ = matrix<double>(m_, n_);
        const double* at = from.data() + 3 + columns;
        for (matrix<double>* each : {&x_, &r_, &p_start_}) std::copy_n(at, numbers, each->data()), at += numbers;
        return static_cast<int>(whole_in_state(from[0], 0, 1 << 30));
    }

    double left(index c) const {
        const double norm = norm_[static_cast<std::size_t>(c)];
        return norm > 0 ? std::sqrt(dot(r_.row(c), r_.row(c))) / norm : 0;
    }
    double worst() const {
        double out = 0;
        for (index c = 0; c < m_; ++c) out = std::max(out, left(c));
        return out;
    }

    void measure() {
        const matrix<double> ax = times(x_);
        for (index c = 0; c < m_; ++c)
            for (index i = 0; i < n_; ++i) r_(c, i) = b_(c, i) - ax(c, i);
    }

    const preconditioner& preconditioner_of(index c) const {
        return p_[p_.size() > 1 ? static_cast<std::size_t>(c) : 0];
    }
    const double* diagonal_of(index c) const { return d_.row(d_.rows > 1 ? c : 0); }

    // (K + D)v for the rows v
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
    std::vector<preconditioner> p_;  // of each row of d
    matrix_view<double> b_;
    const ridge_cg_options& o_;
    index n_, m_;
    matrix<double> x_, r_;
    std::vector<double> norm_;
    double last_ = 0;
    matrix<double> p_start_;  // of a state to start from; none else
    std::vector<double> rz_start_;
    ridge_cg_result out_;
};

}  // namespace

ridge_cg_result ridge_cg(const block_operator& multiply, matrix_view<const double> d, matrix_view<const double> factor,
                         matrix_view<double> b, const ridge_cg_options& options) {
    return columns_cg(multiply, d, factor, b, options).run();
}

}  // namespace mercer
