#include "mercer/dense/lanczos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/dense/vector_ops.h"

namespace mercer {
namespace {

double norm(const double* x, index n) { return std::sqrt(best_vector_ops().dot(x, x, n)); }

constexpr index chunk = 1024;  // numbers of a long vector in one chunk of parallel work

// The transpose of a few long rows.
matrix<double> columns_of(matrix_view<const double> rows) {
    matrix<double> out(rows.cols, rows.rows);
    parallel_chunks(rows.cols, chunk, [&](index first, index end) {
        for (index i = first; i < end; ++i)
            for (index j = 0; j < rows.rows; ++j) out(i, j) = rows(j, i);
    });
    return out;
}
// The transpose of a few long columns.
matrix<double> rows_of(matrix_view<const double> columns) {
    matrix<double> out(columns.cols, columns.rows);
    parallel_chunks(columns.rows, chunk, [&](index first, index end) {
        for (index j = 0; j < columns.cols; ++j)
            for (index i = first; i < end; ++i) out(j, i) = columns(i, j);
    });
    return out;
}

// Row i holds the coefficients, in the basis, of the Ritz vector of the i-th largest Ritz value.
matrix<double> largest_pairs(const eigen_system& ritz, index count) {
    const index m = ritz.vectors.rows();
    matrix<double> out(count, m);
    for (index i = 0; i < count; ++i) std::copy_n(ritz.vectors.row(m - 1 - i), m, out.row(i));
    return out;
}

class lanczos {
public:
    lanczos(index n, const block_operator& multiply, const lanczos_options& o)
        : n_(n),
          multiply_(multiply),
          o_(o),
          width_(std::clamp<index>(o.block, 1, n)),
          max_vectors_(max_basis()),
          q_(n, max_vectors_),
          random_(o.seed) {
        const index first = o.first_block > 0 ? std::min(o.first_block, width_) : width_;
        next_ = random_block(std::min(first, max_vectors_));
    }

    lanczos_result run() {
        for (;;) {
            last_ = next_.rows();
            q_.append(next_);
            if (!multiply_last()) return cancelled_result();
            orthogonalise();
            if (can_postpone_decomposition()) continue;
            decomposed_ = q_.size();
            const eigen_system ritz = symmetric_eigen(q_.h());  // ascending
            const double relative = store_pairs(ritz);
            if (has_ended(relative)) {
                found_.vectors = q_.combined(std::move(pairs_));
                return std::move(found_);
            }
            if (q_.size() + std::max<index>(next_.rows(), 1) > max_vectors_ && max_vectors_ < n_) restart(ritz);
            truncate_next();
        }
    }

private:
    index max_basis() const {
        const index wanted = o_.max_basis > 0 ? o_.max_basis : std::max<index>(3 * o_.pairs + 4 * width_, 12 * width_);
        return std::min(n_, std::max(wanted, o_.pairs + 2 * width_));
    }

    matrix<double> random_block(index count) {
        matrix<double> w(count, n_);
        for (index i = 0; i < count * n_; ++i) w.data()[i] = random_.uniform() - 0.5;
        if (q_.size() > 0) q_.project(w);
        return q_.orthonormal(w, 1e-8, 1e8);
    }

    // Adds random vectors, orthogonal to the basis and to `some`, up to `count` vectors.
    matrix<double> widened(const matrix<double>& some, index count) {
        const matrix<double> more = random_block(count - some.rows());
        matrix<double> all(some.rows() + more.rows(), n_);
        std::copy_n(some.data(), some.rows() * n_, all.data());
        std::copy_n(more.data(), more.rows() * n_, all.row(some.rows()));
        return q_.orthonormal(all, 1e-8, 1e8);
    }

    // W = (A Q_lastᵀ)ᵀ, in rows. Returns false if the product was cancelled.
    bool multiply_last() {
        w_ = {};  // frees memory for the product
        matrix<double> out(n_, last_);
        {
            const matrix<double> v = columns_of(next_.view());
            if (!completes_unless_cancelled([&] { multiply_(v.view(), out.view()); })) return false;
        }
        ++found_.passes;
        require_finite(out.view(), "block Lanczos");
        w_ = rows_of(out.view());
        return true;
    }

    // W ← W - (W Qᵀ) Q, twice. The subtracted coefficients are the last block of H; the remainder spans the next block.
    void orthogonalise() {
        for (index i = 0; i < last_; ++i) scale_ = std::max(scale_, norm(w_.row(i), n_));
        matrix<double> coupling = q_.project(w_);
        const matrix<double> again = q_.project(w_);
        for (index i = 0; i < coupling.rows() * coupling.cols(); ++i) coupling.data()[i] += again.data()[i];
        q_.set_last(coupling);
        next_ = q_.size() < n_ ? q_.orthonormal(w_, 1e-14 * scale_, scale_) : matrix<double>(0, n_);
    }

    // Returns true if H need not be decomposed after this pass. The decomposition takes about 10m³ operations, and for
    // so small a matrix an operation takes 30 times as long as in a pass (measured). If that is longer than a pass, H
    // is decomposed only when the basis has grown by a quarter.
    bool can_postpone_decomposition() const {
        const index m = q_.size();
        const double n = static_cast<double>(n_);
        const bool is_expensive =
            300.0 * std::pow(static_cast<double>(m), 3) > 2.0 * n * n * static_cast<double>(last_);
        const bool has_space = m + 2 * width_ <= max_vectors_ && next_.rows() == last_ && found_.passes < o_.max_passes;
        return is_expensive && has_space && m >= o_.pairs && 4 * m < 5 * decomposed_;
    }

    // Stores the largest Ritz pairs (θ, s) and their residual norms ‖A v - θv‖ = ‖s_lastᵀ W‖, with W in the basis of
    // the next block. Returns the largest residual norm divided by the largest |θ|.
    double store_pairs(const eigen_system& ritz) {
        const index m = q_.size(), have = std::min(o_.pairs, m);
        const matrix<double> r = row_products(w_.view(), next_.view());  // last × next
        found_.values.clear(), found_.residuals.clear();
        found_.lowest = std::min(found_.lowest, ritz.values.front());
        double worst = 0;
        for (index i = 0; i < have; ++i) {
            const double* s = ritz.vectors.row(m - 1 - i) + (m - last_);
            double sum = 0;
            for (index c = 0; c < r.cols(); ++c) {
                double part = 0;
                for (index k = 0; k < last_; ++k) part += s[k] * r(k, c);
                sum += part * part;
            }
            found_.values.push_back(ritz.values[static_cast<std::size_t>(m - 1 - i)]);
            found_.residuals.push_back(std::sqrt(sum));
            worst = std::max(worst, found_.residuals.back());
        }
        pairs_ = largest_pairs(ritz, have);
        const double top = std::max(std::abs(ritz.values.front()), std::abs(ritz.values.back()));
        return top > 0 ? worst / top : 0;
    }

    bool has_ended(double relative) {
        const index m = q_.size();
        const bool enough = m >= o_.pairs && (relative <= o_.tol || m == n_);
        const bool go_on = !o_.progress || o_.progress(found_.passes, relative);
        if (!enough && go_on && found_.passes < o_.max_passes && m != n_) return false;
        found_.status = enough ? fit_status::converged : !go_on ? fit_status::cancelled : fit_status::step_limit;
        return true;
    }

    // Thick restart: replaces the basis by the Ritz vectors of its largest Ritz values.
    void restart(const eigen_system& ritz) {
        const index m = q_.size(), have = pairs_.rows(),
                    keep = std::min(m, std::max(o_.pairs + width_ / 2, max_vectors_ / 2));
        std::vector<double> theta;
        for (index i = 0; i < keep; ++i) theta.push_back(ritz.values[static_cast<std::size_t>(m - 1 - i)]);
        q_.shrink(largest_pairs(ritz, keep), theta);
        pairs_ = matrix<double>(have, keep);
        for (index i = 0; i < have; ++i) pairs_(i, i) = 1;
    }

    void truncate_next() {
        const index free_vectors = max_vectors_ - q_.size();
        // The basis spans an invariant subspace that is too small: continues with a random block orthogonal to it.
        if (next_.rows() == 0) next_ = random_block(std::min(width_, free_vectors));
        if (found_.passes == 1 && next_.rows() < std::min(width_, free_vectors))
            next_ = widened(next_, std::min(width_, free_vectors));
        if (next_.rows() > free_vectors) {
            matrix<double> fewer(free_vectors, n_);
            std::copy_n(next_.data(), free_vectors * n_, fewer.data());
            next_ = std::move(fewer);
        }
    }

    // The result after a cancellation: the pairs of the last complete pass. Throws errc::cancelled if there is none.
    lanczos_result cancelled_result() {
        if (found_.passes == 0)
            fail(errc::cancelled, "block Lanczos: stopped by the caller before the first eigenpair was found");
        const cancellation_override nobody(nullptr);
        matrix<double> s(pairs_.rows(), q_.size());
        for (index i = 0; i < pairs_.rows(); ++i) std::copy_n(pairs_.row(i), pairs_.cols(), s.row(i));
        found_.vectors = q_.combined(std::move(s));
        found_.status = fit_status::cancelled;
        return std::move(found_);
    }

    index n_;
    const block_operator& multiply_;
    const lanczos_options& o_;
    index width_, max_vectors_;
    krylov_basis q_;
    random_generator random_;
    matrix<double> next_, w_;  // the next block, and the product of A and the last block
    index last_ = 0;           // number of vectors of the last block
    matrix<double> pairs_;     // coefficients of the last Ritz vectors in the basis
    double scale_ = 0;
    index decomposed_ = 0;  // size of the basis when H was last decomposed
    lanczos_result found_;
};

}  // namespace

lanczos_result block_lanczos(index n, const block_operator& multiply, const lanczos_options& o) {
    if (o.pairs < 1 || o.pairs > n)
        fail(errc::invalid_argument,
             fmt::format("block Lanczos: must satisfy 1 <= pairs <= n, got {} with n = {}", o.pairs, n));
    return lanczos(n, multiply, o).run();
}

namespace {

// x ← x - c·y
void subtract(double* __restrict x, double c, const double* __restrict y, index n) {
    for (index a = 0; a < n; ++a) x[a] -= c * y[a];
}

// Gram-Schmidt orthonormalisation of the rows of w. Rows whose remaining norm is at most `floor` are dropped. `*least`
// is set to the smallest norm by which a row was divided.
matrix<double> gram_schmidt(const matrix<double>& w, double floor, double* least = nullptr) {
    const auto dot = best_vector_ops().dot;
    matrix<double> out(w.rows(), w.cols());
    index kept = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (index i = 0; i < w.rows(); ++i) {
        double* x = out.row(kept);
        std::copy_n(w.row(i), w.cols(), x);
        for (int twice = 0; twice < 2; ++twice)
            for (index j = 0; j < kept; ++j) {
                const double c = dot(x, out.row(j), w.cols());
                subtract(x, c, out.row(j), w.cols());
            }
        const double size = std::sqrt(dot(x, x, w.cols()));
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

}  // namespace

matrix<double> krylov_basis::h() const {
    matrix<double> out(size_, size_);
    for (index i = 0; i < size_; ++i) std::copy_n(h_.row(i), size_, out.row(i));
    return out;
}

matrix<double> krylov_basis::project(matrix<double>& w) const {
    matrix<double> taken = row_products(w.view(), rows(0, size_));
    subtract_combinations(w.view(), taken.view(), rows(0, size_));
    return taken;
}

matrix<double> krylov_basis::orthonormal(const matrix<double>& w, double floor, double scale) const {
    double least = 0;
    matrix<double> kept = gram_schmidt(w, floor, &least);
    if (kept.rows() == 0 || (least > 0.01 * scale && kept.rows() == w.rows())) return kept;
    if (size_ > 0) project(kept);
    return gram_schmidt(kept, 0.5);  // drops rows that consisted mostly of rounding errors in the space of Q
}

void krylov_basis::append(const matrix<double>& block) {
    for (index i = 0; i < block.rows(); ++i) std::copy_n(block.row(i), dims(), q_.row(size_ + i));
    size_ += block.rows();
}

void krylov_basis::set_last(const matrix<double>& coupling) {
    const index first = size_ - coupling.rows();
    for (index i = 0; i < coupling.rows(); ++i)
        for (index j = 0; j < size_; ++j)
            h_(first + i, j) = h_(j, first + i) =
                j < first ? coupling(i, j) : (coupling(i, j) + coupling(j - first, first + i)) / 2;
}

matrix<double> krylov_basis::combined(matrix<double> s) const {
    for (index i = 0; i < s.rows() * s.cols(); ++i) s.data()[i] = -s.data()[i];
    matrix<double> out(s.rows(), dims());
    subtract_combinations(out.view(), s.view(), rows(0, size_));
    return out;
}

void krylov_basis::shrink(matrix<double> s, const std::vector<double>& theta) {
    const matrix<double> y = combined(std::move(s));
    size_ = 0;
    append(y);
    for (index i = 0; i < size_; ++i) {
        std::fill_n(h_.row(i), size_, 0.0);
        h_(i, i) = theta[static_cast<std::size_t>(i)];
    }
}

}  // namespace mercer
