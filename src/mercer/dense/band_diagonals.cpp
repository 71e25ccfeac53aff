// The half of band_reduction.h that needs Q: diagonals of inverses.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/dense/band_reduction.h"
#include "mercer/dense/lapack.h"
#include "mercer/dense/vector_ops.h"

extern "C" {
void dlarft_(const char* direct, const char* storev, const int* n, const int* k, const double* v, const int* ldv,
             const double* tau, double* t, const int* ldt, std::size_t, std::size_t);
void dlarfb_(const char* side, const char* trans, const char* direct, const char* storev, const int* m, const int* n,
             const int* k, const double* v, const int* ldv, const double* t, const int* ldt, double* c, const int* ldc,
             double* work, const int* ldwork, std::size_t, std::size_t, std::size_t, std::size_t);
}

namespace mercer {
namespace {

constexpr index band = band_reduction::band;

// L of B + λI = LLᵀ, by groups of `high` rows as the half solve reads them. With y the solution so far and G, C the
// group's part of L on and left of the diagonal block, y_group = G⁻¹q_group - (G⁻¹C)y_before: both matrices stand with
// `high` numbers a column,
//     G⁻¹, negative, high columns;   then G⁻¹C, band columns, of the rows group·high - band ….
class half_solver {
public:
    half_solver(index n, index high) : n_(n), high_(high), groups_((n + high - 1) / high) {
        packed_.uninitialised(groups_ * high * (high + band));
    }

    // False where a pivot is not positive. Row j of `diagonals`: B(j, j), B(j+1, j), …
    bool factor(const matrix<double>& diagonals, double lambda) {
        constexpr index width = band + 1;
        buffer<double> l;
        l.uninitialised((n_ + band) * width);
        std::copy_n(diagonals.data(), n_ * width, l.data());
        std::fill_n(l.data() + n_ * width, band * width, 0.0);
        for (index j = 0; j < n_; ++j) l[j * width] += lambda;
        for (index j = 0; j < n_; ++j) {
            double* const own = l.data() + j * width;
            if (!(own[0] > 0)) return false;
            const double root = std::sqrt(own[0]);
            for (index k = 0; k < width; ++k) own[k] /= root;
            for (index k = 1; k < width; ++k) {
                double* const to = l.data() + (j + k) * width;
                for (index i = k; i < width; ++i) to[i - k] -= own[k] * own[i];
            }
        }
        const auto at = [&](index i, index j) {
            return j < 0 || i - j > band || i >= n_ ? (i == j ? 1.0 : 0.0) : l[j * width + i - j];
        };
        for (index g = 0; g < groups_; ++g) pack(g, at);
        return true;
    }

    // out[c] = ‖L⁻¹q_c‖² for the `wide` columns of q, whose rows are padded with zeros to whole groups.
    void squared_norms(const smo::vector_ops& ops, const double* q, double* out) const {
        constexpr index stretch = 60;  // groups: y and its window stay in the first cache
        const index wide = ops.update_cols;
        auto& memory = per_thread<buffer<double>>([] {});
        double* const y = memory.at_least((band + stretch * high_) * wide);
        std::fill_n(y, band * wide, 0.0);
        std::fill_n(out, wide, 0.0);
        for (index start = 0; start < groups_; start += stretch) {
            const index count = std::min(stretch, groups_ - start);
            for (index g = 0; g < count; ++g) {
                double* const own = y + (band + g * high_) * wide;
                const double* const part = packed_.data() + (start + g) * high_ * (high_ + band);
                std::fill_n(own, high_ * wide, 0.0);
                ops.rank_update(own, wide, part, q + (start + g) * high_ * wide, high_);
                ops.rank_update(own, wide, part + high_ * high_, y + g * high_ * wide, band);
            }
            for (index j = 0; j < count * high_; ++j)
                for (index c = 0; c < wide; ++c) out[c] += y[(band + j) * wide + c] * y[(band + j) * wide + c];
            std::copy_n(y + count * high_ * wide, band * wide, y);
        }
    }

private:
    void pack(index g, const auto& at) {
        const index first = g * high_;
        double* const inverse = packed_.data() + g * high_ * (high_ + band);
        // Column s of -G⁻¹, and of G⁻¹C, by forward substitution.
        for (index s = 0; s < high_ + band; ++s) {
            double* const x = inverse + s * high_;
            for (index r = 0; r < high_; ++r) {
                double sum = s < high_ ? (r == s ? -1.0 : 0.0) : at(first + r, first - band + s - high_);
                for (index k = 0; k < r; ++k) sum -= at(first + r, first + k) * x[k];
                x[r] = sum / at(first + r, first + r);
            }
        }
    }

    index n_, high_, groups_;
    buffer<double> packed_;
};

}  // namespace

// Q = H₁H₂…, built from the last panel on: what stands before its rows and columns is still the identity. Row c of the
// result is Q's column c.
matrix<double> band_reduction::q_columns() const {
    const index n = size(), panels = (n - 1) / band;
    matrix<double> q(n, n);
    for (index i = 0; i < n; ++i) q(i, i) = 1;
    const int lda = static_cast<int>(a_.stride), ldq = static_cast<int>(n), ldt = band;
    buffer<double> t(band * band), work(n * band);
    for (index p = panels - 1; p >= 0; --p) {
        const index first = p * band, from = first + band;
        const int rows = static_cast<int>(n - from), width = static_cast<int>(std::min<index>(band, rows));
        if (rows <= 0) continue;
        const double* const v = a_.row(first) + from;
        blas::in_turn(1.0 * rows * width * width, dlarft_, "F", "C", &rows, &width, v, &lda, tau_.data() + first,
                      t.data(), &ldt, 1, 1);
        blas::in_turn(4.0 * rows * rows * width, dlarfb_, "L", "N", "F", "C", &rows, &rows, &width, v, &lda, t.data(),
                      &ldt, q.row(from) + from, &ldq, work.data(), &rows, 1, 1, 1, 1);
    }
    return q;
}

matrix<double> band_reduction::inverse_diagonals(std::span<const double> lambdas, index& bad) const {
    const auto& ops = smo::best_vector_ops();
    const index n = size(), high = smo::update_rows, wide = ops.update_cols, count = static_cast<index>(lambdas.size());
    std::vector<half_solver> solvers;
    for (index l = 0; l < count; ++l) solvers.emplace_back(n, high);
    std::vector<char> definite(lambdas.size());
    parallel_for(count, [&](index l) {
        const auto s = static_cast<std::size_t>(l);
        definite[s] = solvers[s].factor(diagonals_, lambdas[s]);
    });
    for (index l = 0; l < count; ++l)
        if (!definite[static_cast<std::size_t>(l)]) {
            bad = l;
            return {};
        }
    const matrix<double> q = q_columns();
    matrix<double> out(n, count);
    // A few panels of `wide` rows of Q, so that a factor is read once for all of them.
    constexpr index together = 4;
    const index panels = (n + wide - 1) / wide, padded = (n + high - 1) / high * high;
    parallel_for((panels + together - 1) / together, [&](index task) {
        auto& memory = per_thread<buffer<double>>([] {});
        const index first = task * together, last = std::min(panels, first + together);
        double* const rows = memory.at_least(together * padded * wide);
        std::fill_n(rows, together * padded * wide, 0.0);
        for (index p = first; p < last; ++p)
            for (index k = 0; k < n; ++k)
                std::copy_n(q.row(k) + p * wide, std::min(wide, n - p * wide),
                            rows + ((p - first) * padded + k) * wide);
        for (index l = 0; l < count; ++l)
            for (index p = first; p < last; ++p) {
                double found[64];
                solvers[static_cast<std::size_t>(l)].squared_norms(ops, rows + (p - first) * padded * wide, found);
                for (index c = 0; c < std::min(wide, n - p * wide); ++c) out(p * wide + c, l) = found[c];
            }
    });
    return out;
}

}  // namespace mercer
