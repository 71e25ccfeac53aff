#include "mercer/solvers/algebra/block_lanczos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/seeded.h"
#include "mercer/base/stop.h"
#include "mercer/solvers/algebra/dense_algebra.h"
#include "mercer/solvers/algebra/tall_product.h"
#include "mercer/solvers/smo/vector_ops.h"

namespace mercer {
namespace {

double norm(const double* x, index n) { return std::sqrt(smo::best_vector_ops().dot(x, x, n)); }

constexpr index stretch = 1024;  // numbers of a long vector that a thread works on at once

// A few vectors in rows as columns, and back.
matrix<double> columns_of(matrix_view<const double> rows) {
    matrix<double> out(rows.cols, rows.rows);
    parallel_runs(rows.cols, stretch, [&](index first, index end) {
        for (index i = first; i < end; ++i)
            for (index j = 0; j < rows.rows; ++j) out(i, j) = rows(j, i);
    });
    return out;
}
matrix<double> rows_of(matrix_view<const double> columns) {
    matrix<double> out(columns.cols, columns.rows);
    parallel_runs(columns.rows, stretch, [&](index first, index end) {
        for (index j = 0; j < columns.cols; ++j)
            for (index i = first; i < end; ++i) out(j, i) = columns(i, j);
    });
    return out;
}

// x ← x - c·y
void subtract(double* __restrict x, double c, const double* __restrict y, index n) {
    for (index a = 0; a < n; ++a) x[a] -= c * y[a];
}

// All vectors are rows here, so that each lies in one piece.
class basis {
public:
    basis(index n, index most) : q_(most, n), h_(most, most) {}

    index size() const { return size_; }
    index dims() const { return q_.cols(); }
    matrix_view<const double> rows(index first, index count) const { return std::as_const(q_).view().block(first, 0, count, dims()); }
    matrix<double> h() const {
        matrix<double> out(size_, size_);
        for (index i = 0; i < size_; ++i) std::copy_n(h_.row(i), size_, out.row(i));
        return out;
    }

    // w ← w - (w Qᵀ) Q; returns what was taken away, w Qᵀ.
    matrix<double> project(matrix<double>& w) const {
        matrix<double> taken = row_products(w.view(), rows(0, size_));
        subtract_combinations(w.view(), taken.view(), rows(0, size_));
        return taken;
    }

    // The rows of w, which was projected before, made orthonormal, and orthogonal to Q; those with nothing left above `floor` are dropped.
    // What they had of Q by rounding is about ε·scale: where no row is small beside `scale`, it has not grown by the division.
    matrix<double> orthonormal(const matrix<double>& w, double floor, double scale) const {
        double least = 0;
        matrix<double> kept = gram_schmidt(w, floor, &least);
        if (kept.rows() == 0 || (least > 0.01 * scale && kept.rows() == w.rows())) return kept;
        if (size_ > 0) project(kept);
        return gram_schmidt(kept, 0.5);  // what was mostly made of Q by rounding goes
    }

    void append(const matrix<double>& block) {
        for (index i = 0; i < block.rows(); ++i) std::copy_n(block.row(i), dims(), q_.row(size_ + i));
        size_ += block.rows();
    }
    // H's rows and columns of the last block: (Q A Q_lastᵀ)ᵀ
    void set_last(const matrix<double>& coupling) {
        const index first = size_ - coupling.rows();
        for (index i = 0; i < coupling.rows(); ++i)
            for (index j = 0; j < size_; ++j)
                h_(first + i, j) = h_(j, first + i) = j < first ? coupling(i, j) : (coupling(i, j) + coupling(j - first, first + i)) / 2;
    }
    // s·Q
    matrix<double> combined(matrix<double> s) const {
        for (index i = 0; i < s.rows() * s.cols(); ++i) s.data()[i] = -s.data()[i];
        matrix<double> out(s.rows(), dims());
        subtract_combinations(out.view(), s.view(), rows(0, size_));
        return out;
    }
    // Q ← s·Q, H ← diag(θ)
    void shrink(matrix<double> s, const std::vector<double>& theta) {
        const matrix<double> y = combined(std::move(s));
        size_ = 0;
        append(y);
        for (index i = 0; i < size_; ++i) {
            std::fill_n(h_.row(i), size_, 0.0);
            h_(i, i) = theta[static_cast<std::size_t>(i)];
        }
    }

private:
    // least: of the norms that were divided by
    matrix<double> gram_schmidt(const matrix<double>& w, double floor, double* least = nullptr) const {
        matrix<double> out(w.rows(), w.cols());
        index kept = 0;
        double smallest = std::numeric_limits<double>::infinity();
        for (index i = 0; i < w.rows(); ++i) {
            double* x = out.row(kept);
            std::copy_n(w.row(i), w.cols(), x);
            for (int twice = 0; twice < 2; ++twice)
                for (index j = 0; j < kept; ++j) {
                    const double c = smo::best_vector_ops().dot(x, out.row(j), w.cols());
                    subtract(x, c, out.row(j), w.cols());
                }
            const double size = norm(x, w.cols());
            if (!(size > floor)) continue;
            smallest = std::min(smallest, size);
            for (index a = 0; a < w.cols(); ++a) x[a] /= size;
            ++kept;
        }
        if (least) *least = smallest;
        matrix<double> fit(kept, w.cols());
        std::copy_n(out.data(), kept * w.cols(), fit.data());
        return fit;
    }

    matrix<double> q_, h_;
    index size_ = 0;
};

}  // namespace

lanczos_result block_lanczos(index n, const block_operator& multiply, const lanczos_options& o) {
    if (o.pairs < 1 || o.pairs > n) fail(errc::invalid_argument, fmt::format("block Lanczos: must satisfy 1 <= pairs <= n, got {} with n = {}", o.pairs, n));
    const index p = o.pairs, width = std::clamp<index>(o.block, 1, n);
    const index wanted = o.most_basis > 0 ? o.most_basis : std::max<index>(3 * p + 4 * width, 12 * width);
    const index most = std::min(n, std::max(wanted, p + 2 * width));
    basis q(n, most);
    seeded random(o.seed);
    const auto random_block = [&](index count) {
        matrix<double> w(count, n);
        for (index i = 0; i < count * n; ++i) w.data()[i] = random.uniform() - 0.5;
        if (q.size() > 0) q.project(w);
        return q.orthonormal(w, 1e-8, 1e8);
    };
    // More vectors, orthogonal to what there is.
    const auto widened = [&](const matrix<double>& some, index count) {
        const matrix<double> more = random_block(count - some.rows());
        matrix<double> all(some.rows() + more.rows(), n);
        std::copy_n(some.data(), some.rows() * n, all.data());
        std::copy_n(more.data(), more.rows() * n, all.row(some.rows()));
        return q.orthonormal(all, 1e-8, 1e8);
    };
    const index first = o.first_block > 0 ? std::min(o.first_block, width) : width;
    matrix<double> next = random_block(std::min(first, most));
    lanczos_result found;
    matrix<double> pairs;  // the vectors last found, in terms of the basis
    double scale = 0;
    index decomposed = 0;  // the size of the basis when H was last
    for (;;) {
        const index last = next.rows();
        q.append(next);
        // W = (A Q_lastᵀ)ᵀ, in rows
        matrix<double> out(n, last);
        {
            const matrix<double> v = columns_of(next.view());
            if (!unless_stopped([&] { multiply(v.view(), out.view()); })) {
                if (found.passes == 0) fail(errc::cancelled, "block Lanczos: stopped by the caller before there was a pair");
                const listening_to nobody(nullptr);
                matrix<double> s(pairs.rows(), q.size());
                for (index i = 0; i < pairs.rows(); ++i) std::copy_n(pairs.row(i), pairs.cols(), s.row(i));
                found.vectors = q.combined(std::move(s));
                found.status = fit_status::cancelled;
                return found;
            }
        }
        ++found.passes;
        require_finite(out.view(), "block Lanczos");
        matrix<double> w = rows_of(out.view());
        for (index i = 0; i < last; ++i) scale = std::max(scale, norm(w.row(i), n));
        matrix<double> coupling = q.project(w);
        const matrix<double> again = q.project(w);
        for (index i = 0; i < coupling.rows() * coupling.cols(); ++i) coupling.data()[i] += again.data()[i];
        q.set_last(coupling);

        const index m = q.size(), have = std::min(p, m);
        next = m < n ? q.orthonormal(w, 1e-14 * scale, scale) : matrix<double>(0, n);
        // Decomposing H costs some 10m³ operations. Where that is more than a pass, only once the basis has grown by a quarter.
        const bool dear = 10.0 * std::pow(static_cast<double>(m), 3) > 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(last);
        const bool roomy = m + 2 * width <= most && next.rows() == last && found.passes < o.most_passes && !o.progress;
        if (dear && roomy && have == p && 4 * m < 5 * decomposed) continue;
        decomposed = m;
        const eigen_system ritz = symmetric_eigen(q.h());  // ascending
        const matrix<double> r = row_products(w.view(), next.view());  // last × next
        found.values.clear(), found.residuals.clear();
        found.lowest = std::min(found.lowest, ritz.values.front());
        double worst = 0;
        const double top = std::max(std::abs(ritz.values.front()), std::abs(ritz.values.back()));
        for (index i = 0; i < have; ++i) {
            const double* s = ritz.vectors.row(m - 1 - i) + (m - last);
            double sum = 0;
            for (index c = 0; c < r.cols(); ++c) {
                double part = 0;
                for (index k = 0; k < last; ++k) part += s[k] * r(k, c);
                sum += part * part;
            }
            found.values.push_back(ritz.values[static_cast<std::size_t>(m - 1 - i)]);
            found.residuals.push_back(std::sqrt(sum));
            worst = std::max(worst, found.residuals.back());
        }
        pairs = matrix<double>(have, m);
        for (index i = 0; i < have; ++i) std::copy_n(ritz.vectors.row(m - 1 - i), m, pairs.row(i));
        const double relative = top > 0 ? worst / top : 0;
        const bool enough = have == p && (relative <= o.tol || m == n);
        const bool go_on = !o.progress || o.progress(found.passes, relative);
        if (enough || !go_on || found.passes >= o.most_passes || m == n) {
            found.status = enough ? fit_status::converged : !go_on ? fit_status::cancelled : fit_status::step_limit;
            found.vectors = q.combined(std::move(pairs));
            return found;
        }
        if (m + std::max<index>(next.rows(), 1) > most && most < n) {
            const index keep = std::min(m, std::max(p + width / 2, most / 2));
            matrix<double> s(keep, m);
            std::vector<double> theta;
            for (index i = 0; i < keep; ++i) {
                std::copy_n(ritz.vectors.row(m - 1 - i), m, s.row(i));
                theta.push_back(ritz.values[static_cast<std::size_t>(m - 1 - i)]);
            }
            q.shrink(std::move(s), theta);
            pairs = matrix<double>(have, keep);
            for (index i = 0; i < have; ++i) pairs(i, i) = 1;
        }
        const index room = most - q.size();
        // An invariant subspace that is too small: go on with a block that is orthogonal to it.
        if (next.rows() == 0) next = random_block(std::min(width, room));
        if (found.passes == 1 && next.rows() < std::min(width, room)) next = widened(next, std::min(width, room));
        if (next.rows() > room) {
            matrix<double> fewer(room, n);
            std::copy_n(next.data(), room * n, fewer.data());
            next = std::move(fewer);
        }
    }
}

}  // namespace mercer
