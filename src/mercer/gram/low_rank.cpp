#include "mercer/gram/low_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "mercer/base/threads.h"

namespace mercer::smo {
namespace {

constexpr index together = 8;       // rows asked for at once
constexpr index stretch = 2048;     // numbers of a column that a thread works on at once
constexpr double rounding = 1e-14;  // of the largest diagonal entry

class factor {
public:
    factor(const gram<double>& K, double common, index most, double residual)
        : K_(K), common_(common), n_(K.rows()), most_(most), columns_(most, n_) {
        left_.resize(static_cast<std::size_t>(n_));
        K_.diagonal(left_);
        double largest = 0;
        for (double& each : left_) each += common_, largest = std::max(largest, std::abs(each));
        enough_ = std::max(residual, rounding * largest);
        rows_ = matrix<double>(together, n_);
    }

    bool run() {
        for (;;) {
            const std::vector<index> pivots = largest_left();
            if (pivots.empty()) return reproduces_rows();
            ask(pivots);
            for (std::size_t k = 0; k < pivots.size(); ++k) {
                // One that those before it have mostly explained is left for later.
                if (k > 0 &&
                    !(left_[pivots[k]] > 0.1 * left_[*std::max_element(pivots.begin() + static_cast<std::ptrdiff_t>(k),
                                                                       pivots.end(), less())]))
                    continue;
                if (left_[pivots[k]] <= enough_) continue;
                if (rank_ == most_) return false;
                if (!add(pivots[k], rows_.row(static_cast<index>(k)))) return false;
            }
        }
    }

    matrix<double> by_objects() const {
        matrix<double> out(n_, rank_);
        for (index j = 0; j < rank_; ++j)
            for (index i = 0; i < n_; ++i) out(i, j) = columns_(j, i);
        return out;
    }

private:
    struct by_left {
        const std::vector<double>& left;
        bool operator()(index a, index b) const {
            return left[static_cast<std::size_t>(a)] < left[static_cast<std::size_t>(b)];
        }
    };
    by_left less() const { return {left_}; }

    std::vector<index> largest_left() const {
        std::vector<index> found;
        for (index i = 0; i < n_; ++i) {
            if (!(left_[i] > enough_)) continue;
            if (static_cast<index>(found.size()) == together && !less()(found.back(), i)) continue;
            if (static_cast<index>(found.size()) == together) found.pop_back();
            found.insert(
                std::upper_bound(found.begin(), found.end(), i, [&](index a, index b) { return less()(b, a); }), i);
        }
        return found;
    }

    void ask(const std::vector<index>& which) {
        K_.block(std::span<const index>(which), selection(0, n_),
                 rows_.view().block(0, 0, static_cast<index>(which.size()), n_));
        for (index i = 0; common_ != 0 && i < static_cast<index>(which.size()) * n_; ++i) rows_.data()[i] += common_;
    }

    // The row less what the columns say of it, over the root of what is left; false where the diagonal falls below
    // zero.
    bool add(index pivot, const double* row) {
        const double root = std::sqrt(left_[pivot]);
        double* const column = columns_.row(rank_);
        parallel_runs(n_, stretch, [&](index first, index end) {
            std::copy(row + first, row + end, column + first);
            for (index j = 0; j < rank_; ++j) {
                const double by = columns_(j, pivot);
                const double* const other = columns_.row(j);
                for (index i = first; i < end; ++i) column[i] -= by * other[i];
            }
            for (index i = first; i < end; ++i) column[i] /= root, left_[i] -= column[i] * column[i];
        });
        left_[pivot] = 0;
        ++rank_;
        return *std::min_element(left_.begin(), left_.end()) > -100 * enough_;
    }

    // An indefinite K may have nothing left on its diagonal, and much beside it.
    bool reproduces_rows() {
        std::vector<index> some;
        for (index k = 0; k < std::min(together, n_); ++k)
            some.push_back((2 * k + 1) * n_ / (2 * std::min(together, n_)));
        ask(some);
        for (std::size_t k = 0; k < some.size(); ++k)
            for (index i = 0; i < n_; ++i) {
                double left = rows_(static_cast<index>(k), i);
                for (index j = 0; j < rank_; ++j) left -= columns_(j, some[k]) * columns_(j, i);
                if (!(std::abs(left) <= 100 * enough_)) return false;
            }
        return true;
    }

    const gram<double>& K_;
    const double common_;
    const index n_, most_;
    double enough_ = 0;
    index rank_ = 0;
    matrix<double> columns_, rows_;  // Φᵀ; rows of K last asked for
    std::vector<double> left_;       // diagonal of K - ΦΦᵀ
};

}  // namespace

matrix<double> low_rank_factor(const gram<double>& K, double common, index most, double residual) {
    factor made(K, common, most, residual);
    return made.run() ? made.by_objects() : matrix<double>();
}

}  // namespace mercer::smo
