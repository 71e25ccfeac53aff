
#include "mercer/gram/low_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"

namespace mercer {
namespace {

constexpr index rows_at_once = 8;   // rows of K computed at once
constexpr index chunk_size = 2048;  // numbers of a column per chunk of parallel work
constexpr double rounding = 1e-14;  // relative to the largest diagonal entry

class largest_pivot_cholesky {
public:
    largest_pivot_cholesky(const gram<double>& K, double common, index most, double residual)
        : K_(K), offset_(common), n_(K.rows()), max_rank_(most), columns_(most, n_) {
        residual_diagonal_.resize(static_cast<std::size_t>(n_));
        K_.diagonal(residual_diagonal_);
        double largest = 0;
        for (double& each : residual_diagonal_) each += offset_, largest = std::max(largest, std::abs(each));
        tolerance_ = std::max(residual, rounding * largest);
        rows_ = matrix<double>(rows_at_once, n_);
    }

    bool run() {
        for (;;) {
            const std::vector<index> pivots = next_pivots();
            if (pivots.empty()) return reproduces_rows();
            compute_rows(pivots);
            for (std::size_t k = 0; k < pivots.size(); ++k) {
                // A pivot that the previous ones have mostly explained is postponed.
                if (k > 0 && !(residual_diagonal_[pivots[k]] >
                               0.1 * residual_diagonal_[*std::max_element(
                                         pivots.begin() + static_cast<std::ptrdiff_t>(k), pivots.end(), less())]))
                    continue;
                if (residual_diagonal_[pivots[k]] <= tolerance_) continue;
                if (rank_ == max_rank_) return false;
                if (!add(pivots[k], rows_.row(static_cast<index>(k)))) return false;
            }
        }
    }

    matrix<double> transposed_factor() const {
        matrix<double> out(n_, rank_);
        for (index j = 0; j < rank_; ++j)
            for (index i = 0; i < n_; ++i) out(i, j) = columns_(j, i);
        return out;
    }

private:
    struct by_residual {
        const std::vector<double>& left;
        bool operator()(index a, index b) const {
            return left[static_cast<std::size_t>(a)] < left[static_cast<std::size_t>(b)];
        }
    };
    by_residual less() const { return {residual_diagonal_}; }

    std::vector<index> next_pivots() const {
        std::vector<index> found;
        for (index i = 0; i < n_; ++i) {
            if (!(residual_diagonal_[i] > tolerance_)) continue;
            if (static_cast<index>(found.size()) == rows_at_once && !less()(found.back(), i)) continue;
            if (static_cast<index>(found.size()) == rows_at_once) found.pop_back();
            found.insert(
                std::upper_bound(found.begin(), found.end(), i, [&](index a, index b) { return less()(b, a); }), i);
        }
        return found;
    }

    void compute_rows(const std::vector<index>& which) {
        K_.block(std::span<const index>(which), row_set(0, n_),
                 rows_.view().block(0, 0, static_cast<index>(which.size()), n_));
        for (index i = 0; offset_ != 0 && i < static_cast<index>(which.size()) * n_; ++i) rows_.data()[i] += offset_;
    }

    // Adds a column to Φ: the row of K minus its approximation by the previous columns, divided by the root of the
    // remaining diagonal entry. Returns false if a diagonal entry becomes negative.
    bool add(index pivot, const double* row) {
        const double root = std::sqrt(residual_diagonal_[pivot]);
        double* const column = columns_.row(rank_);
        parallel_chunks(n_, chunk_size, [&](index first, index end) {
            std::copy(row + first, row + end, column + first);
            for (index j = 0; j < rank_; ++j) {
                const double by = columns_(j, pivot);
                const double* const other = columns_.row(j);
                for (index i = first; i < end; ++i) column[i] -= by * other[i];
            }
            for (index i = first; i < end; ++i) column[i] /= root, residual_diagonal_[i] -= column[i] * column[i];
        });
        residual_diagonal_[pivot] = 0;
        ++rank_;
        return *std::min_element(residual_diagonal_.begin(), residual_diagonal_.end()) > -100 * tolerance_;
    }

    // Checks some rows: an indefinite K may have no diagonal left, but large entries beside it.
    bool reproduces_rows() {
        std::vector<index> some;
        for (index k = 0; k < std::min(rows_at_once, n_); ++k)
            some.push_back((2 * k + 1) * n_ / (2 * std::min(rows_at_once, n_)));
        compute_rows(some);
        for (std::size_t k = 0; k < some.size(); ++k)
            for (index i = 0; i < n_; ++i) {
                double left = rows_(static_cast<index>(k), i);
                for (index j = 0; j < rank_; ++j) left -= columns_(j, some[k]) * columns_(j, i);
                if (!(std::abs(left) <= 100 * tolerance_)) return false;
            }
        return true;
    }

    const gram<double>& K_;
    const double offset_;
    const index n_, max_rank_;
    double tolerance_ = 0;
    index rank_ = 0;
    matrix<double> columns_, rows_;          // Φᵀ, and the rows of K computed last
    std::vector<double> residual_diagonal_;  // diagonal of K - ΦΦᵀ
};

}  // namespace

matrix<double> low_rank_factor(const gram<double>& K, double common, index most, double residual) {
    largest_pivot_cholesky made(K, common, most, residual);
    return made.run() ? made.transposed_factor() : matrix<double>();
}

namespace {

// Samples `count` objects with probabilities proportional to d.
std::vector<index> sample_pivots(const std::vector<double>& d, index count, random_generator& random) {
    std::vector<double> up_to(d.size());
    double sum = 0;
    for (std::size_t i = 0; i < d.size(); ++i) up_to[i] = sum += d[i];
    std::vector<index> out;
    for (index c = 0; c < count; ++c) {
        const auto at = std::ranges::upper_bound(up_to, random.uniform() * sum);
        out.push_back(std::min<index>(at - up_to.begin(), std::ssize(d) - 1));
    }
    return out;
}

// Returns the proposals that sampling one by one would have taken: each is accepted with probability (its remaining
// diagonal entry)/(the entry when it was proposed). `left` is the residual matrix of the proposals.
std::vector<index> accept_pivots(const std::vector<index>& proposed, const std::vector<double>& d, matrix<double> left,
                                 index most, random_generator& random) {
    std::vector<index> out;
    const auto n = static_cast<index>(proposed.size());
    for (index i = 0; i < n && std::ssize(out) < most; ++i) {
        const double was = d[static_cast<std::size_t>(proposed[static_cast<std::size_t>(i)])], now = left(i, i);
        if (!(random.uniform() * was < now) || !(now > 1e-12 * was)) continue;
        out.push_back(proposed[static_cast<std::size_t>(i)]);
        for (index r = i + 1; r < n; ++r) {
            const double factor = left(r, i) / now;
            for (index c = i + 1; c <= r; ++c) left(r, c) -= factor * left(c, i);
        }
    }
    return out;
}

matrix<double> gather_rows(const matrix<double>& f, std::span<const index> which, index cols) {
    matrix<double> out(std::ssize(which), cols);
    for (index i = 0; i < out.rows(); ++i) std::copy_n(f.row(which[static_cast<std::size_t>(i)]), cols, out.row(i));
    return out;
}

// Computes the columns of F from `first` on: (K - FFᵀ)(:, taken) R⁻¹ with RᵀR = (K - FFᵀ)(taken, taken). Returns the
// number of columns; pivots after one that is not positive are dropped from `taken`.
index add_columns(const gram<double>& k, std::vector<index>& taken, index first, matrix<double>& f) {
    const index n = k.rows();
    auto count = static_cast<index>(taken.size());
    const matrix_view<double> made = f.view().block(0, first, n, count);
    k.block(row_set(0, n), row_set(std::span<const index>(taken)), made);
    const matrix<double> there = gather_rows(f, taken, first);
    subtract_product(f.view().block(0, 0, n, first), there.view(), made);
    matrix<double> square(count, count);
    for (index i = 0; i < count; ++i) std::copy_n(made.row(taken[static_cast<std::size_t>(i)]), count, square.row(i));
    if (const index bad = cholesky_in_place(square.view()); bad >= 0) {
        for (index i = 0; i < n; ++i) std::fill(made.row(i) + bad, made.row(i) + count, 0.0);
        taken.resize(static_cast<std::size_t>(bad));
        count = bad;
    }
    cholesky_forward_solve_rows(square.view().block(0, 0, count, count), f.view().block(0, first, n, count));
    return count;
}

}  // namespace

index block_size_for_rank(index rank) { return std::clamp<index>(rank / 8, 8, 128); }

random_pivots rp_cholesky(const gram<double>& k, const rp_cholesky_options& o) {
    require_square(k, "randomly pivoted Cholesky");
    const index n = k.rows(), rank = std::min(o.rank, n);
    if (o.rank < 1)
        fail(errc::invalid_argument, fmt::format("randomly pivoted Cholesky: must satisfy rank >= 1, got {}", o.rank));
    const index block = o.block > 0 ? o.block : block_size_for_rank(rank);
    std::vector<double> d(static_cast<std::size_t>(n));
    k.diagonal(d);
    double trace = 0;
    for (double& each : d) {
        if (!std::isfinite(each))
            fail(errc::data,
                 fmt::format("randomly pivoted Cholesky: the diagonal entries of K must be finite, got {}", each));
        each = std::max(each, 0.0);
        trace += each;
    }
    random_pivots out{{}, matrix<double>(n, rank), trace > 0 ? 1.0 : 0.0};
    random_generator random(o.seed);
    double rest = trace;
    index done = 0, idle = 0;
    while (done < rank && rest > std::max(1e-14, o.trace_tolerance) * trace && idle < 20) {
        if (o.progress && !o.progress(done, rest / trace)) break;
        const std::vector<index> proposed = sample_pivots(d, block, random);
        const std::span<const index> list(proposed);
        matrix<double> left(block, block);
        k.block(row_set(list), row_set(list), left.view());
        const matrix<double> there = gather_rows(out.factor, list, done);
        subtract_product(there.view(), there.view(), left.view());
        std::vector<index> taken = accept_pivots(proposed, d, std::move(left), rank - done, random);
        const index count = taken.empty() ? 0 : add_columns(k, taken, done, out.factor);
        idle = count == 0 ? idle + 1 : 0;
        if (count == 0) continue;
        parallel_chunks(n, 4096, [&](index from, index end) {
            for (index i = from; i < end; ++i) {
                const double* row = out.factor.row(i) + done;
                double sum = 0;
                for (index c = 0; c < count; ++c) sum += row[c] * row[c];
                d[static_cast<std::size_t>(i)] = std::max(0.0, d[static_cast<std::size_t>(i)] - sum);
            }
        });
        for (const index each : taken) d[static_cast<std::size_t>(each)] = 0;
        out.pivots.insert(out.pivots.end(), taken.begin(), taken.end());
        done += count;
        rest = 0;
        for (const double each : d) rest += each;
    }
    out.remaining_trace = trace > 0 ? rest / trace : 0;
    return out;
}

index preconditioner_rank(index n, double most) {
    const double wanted = std::max(200.0, 5 * std::sqrt(static_cast<double>(n)));
    return std::clamp<index>(static_cast<index>(std::min(most, wanted)), 1, n);
}

}  // namespace mercer
