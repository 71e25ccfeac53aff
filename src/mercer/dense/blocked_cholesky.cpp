#include "mercer/dense/blocked_cholesky.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/dense/vector_ops.h"

namespace mercer::smo {
namespace {

constexpr index panel = 96;  // columns eliminated at a time

// Row i of L, columns k0 … k1: forward substitution with the rows of L above it.
void solve_row(matrix<double>& a, index i, index k0, index k1, const vector_ops& ops) {
    double* row = a.row(i) + k0;
    for (index j = k0; j < k1; ++j) row[j - k0] = (row[j - k0] - ops.dot(row, a.row(j) + k0, j - k0)) / a(j, j);
}

// Rows first … of the panel's columns, interleaved `width` at a time; rows beyond the matrix are zero.
void pack(const matrix<double>& a, index first, index width, index k0, index depth, double* to) {
    for (index r = 0; r < width; ++r)
        for (index k = 0; k < depth; ++k) to[k * width + r] = first + r < a.rows() ? a(first + r, k0 + k) : 0.0;
}

}  // namespace

bool blocked_cholesky(matrix<double>& a) {
    const auto& ops = best_vector_ops();
    const index n = a.rows(), rows = smo::update_rows, cols = ops.update_cols;
    buffer<double> packed;
    for (index k0 = 0; k0 < n; k0 += panel) {
        const index k1 = std::min(n, k0 + panel), depth = k1 - k0;
        for (index i = k0; i < k1; ++i) {
            solve_row(a, i, k0, i, ops);
            const double pivot = a(i, i) - ops.dot(a.row(i) + k0, a.row(i) + k0, i - k0);
            if (!(pivot > 0)) return false;
            a(i, i) = std::sqrt(pivot);
        }
        if (k1 == n) break;
        parallel_for((n - k1 + 31) / 32, [&](index part) {
            for (index i = k1 + part * 32; i < std::min(n, k1 + (part + 1) * 32); ++i) solve_row(a, i, k0, k1, ops);
        });
        // A(i, j) -= Σ_k L(i, k)·L(j, k) for k1 <= j <= i, tile by tile; a tile over the edge goes through a copy.
        const index groups = (n - k1 + cols - 1) / cols;
        double* right = packed.at_least(groups * cols * depth);
        parallel_for(groups, [&](index g) { pack(a, k1 + g * cols, cols, k0, depth, right + g * cols * depth); });
        const index bands = (n - k1 + rows - 1) / rows;
        parallel_for((bands + 7) / 8, [&](index part) {
            auto& left = per_thread<buffer<double>>([] {});
            auto& edge = per_thread<buffer<double>>([] {});
            // The long rows first, so that the threads end together.
            const index last = bands - 1 - part * 8;
            for (index b = last; b >= std::max<index>(0, last - 7); --b) {
                const index i = k1 + b * rows;
                pack(a, i, rows, k0, depth, left.at_least(rows * depth));
                for (index g = 0; g < groups && k1 + g * cols < i + rows; ++g) {
                    const index j = k1 + g * cols;
                    if (i + rows <= n && j + cols <= n) {
                        ops.rank_update(a.row(i) + j, a.cols(), left.data(), right + g * cols * depth, depth);
                        continue;
                    }
                    std::fill_n(edge.at_least(rows * cols), rows * cols, 0.0);
                    ops.rank_update(edge.data(), cols, left.data(), right + g * cols * depth, depth);
                    for (index r = 0; r < std::min(rows, n - i); ++r)
                        for (index c = 0; c < std::min(cols, n - j); ++c) a(i + r, j + c) += edge[r * cols + c];
                }
            }
        });
    }
    return true;
}

void solve_cholesky(const matrix<double>& L, std::vector<double>& b) {
    const auto& ops = best_vector_ops();
    const index n = L.rows();
    for (index i = 0; i < n; ++i) b[i] = (b[i] - ops.dot(L.row(i), b.data(), i)) / L(i, i);
    for (index i = n - 1; i >= 0; --i) {
        b[i] /= L(i, i);
        const double z = b[i];
        const double* row = L.row(i);
        for (index j = 0; j < i; ++j) b[j] -= row[j] * z;
    }
}

}  // namespace mercer::smo
