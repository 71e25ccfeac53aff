
#include "mercer/dense/cholesky.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/base/per_thread.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/dense/vector_ops.h"

namespace mercer {
namespace {

// Beyond, a factor in double would be done; and by half of it the residual must have come half the way.
constexpr index most_steps = 20;
// A direction in which A is so much smaller than M is one of which the factor in float knows nothing.
constexpr double least_quotient = 1e-4;
// What the column of random signs must reach: enough for the Ritz values, and far from rounding.
constexpr double probed = 1e-10;

// room(i, j) = a(j, i)·dᵢ·dⱼ for j <= i
void fill_scaled(matrix_view<const double> a, const std::vector<double>& d, matrix_view<float> room) {
    constexpr index tile = 64;
    const index n = a.rows;
    parallel_for((n + tile - 1) / tile, [&](index band) {
        const index first = band * tile, end = std::min(n, first + tile);
        for (index c = 0; c < end; c += tile)
            for (index i = first; i < end; ++i) {
                float* const to = room.row(i);
                const double own = d[static_cast<std::size_t>(i)];
                for (index j = c; j < std::min(c + tile, i + 1); ++j)
                    to[j] = static_cast<float>(a(j, i) * own * d[static_cast<std::size_t>(j)]);
            }
    });
}

// maxᵢ Σⱼ|aᵢⱼ| from the upper half.
double infinity_norm(matrix_view<const double> a) {
    const index n = a.rows, stretch = std::max<index>(64, (n + 15) / 16), parts = (n + stretch - 1) / stretch;
    matrix<double> sums(parts, n);
    parallel_for(parts, [&](index s) {
        double* const to = sums.row(s);
        for (index i = s * stretch; i < std::min(n, (s + 1) * stretch); ++i) {
            const double* const row = a.row(i);
            double part[8] = {};
            index j = i + 1;
            for (; j + 8 <= n; j += 8)
                for (index k = 0; k < 8; ++k) {
                    const double size = std::abs(row[j + k]);
                    part[k] += size, to[j + k] += size;
                }
            for (; j < n; ++j) part[0] += std::abs(row[j]), to[j] += std::abs(row[j]);
            to[i] += std::abs(row[i]) +
                     (((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7])));
        }
    });
    double largest = 0;
    for (index i = 0; i < n; ++i) {
        double sum = 0;
        for (index s = 0; s < parts; ++s) sum += sums(s, i);
        if (!(sum <= largest)) largest = sum;  // NaN stays
    }
    return largest;
}

double largest_size(const double* v, index n) {
    double largest = 0;
    for (index i = 0; i < n; ++i)
        if (!(std::abs(v[i]) <= largest)) largest = std::abs(v[i]);
    return largest;
}

double dot(const double* a, const double* b, index n) { return smo::best_vector_ops().dot(a, b, n); }

class refinement {
public:
    refinement(matrix_view<const double> a, matrix_view<const float> factor, const std::vector<double>& d, double norm,
               matrix<double> b)
        : a_(a),
          factor_(factor),
          d_(d),
          norm_(norm),
          b_(std::move(b)),
          active_(b_.rows()),
          x_(b_.rows(), n()),
          r_(b_),
          p_(b_.rows(), n()),
          q_(b_.rows(), n()),
          z_(b_.rows(), n()) {}

    bool run() {
        for (int starts = 0; starts < 4; ++starts) {
            if (!descend()) return false;
            active_ = columns() - 1;
            multiply(x_, q_, active_);
            residual_ = 0;
            bool enough = true;
            for (index c = 0; c < active_; ++c) {
                for (index i = 0; i < n(); ++i) r_(c, i) = b_(c, i) - q_(c, i);
                const double size = largest_size(r_.row(c), n()), scale = norm_ * largest_size(x_.row(c), n());
                if (!std::isfinite(size) || !std::isfinite(scale)) return false;
                enough = enough && size <= tolerance() * scale;
                if (scale > 0) residual_ = std::max(residual_, size / scale);
            }
            if (enough) return true;
        }
        return false;
    }
    index products() const { return products_; }
    double residual() const { return residual_; }
    const matrix<double>& x() const { return x_; }

private:
    index n() const { return a_.rows; }
    index columns() const { return b_.rows(); }
    // of the carried residual half of it, so that the true one meets all of it
    double tolerance() const {
        return std::sqrt(static_cast<double>(n())) * std::numeric_limits<double>::epsilon() / 2;
    }

    // Of the first columns; the last is the one of random signs, and done before the others.
    void multiply(const matrix<double>& v, matrix<double>& out, index count) {
        multiply_symmetric(a_, v.view().block(0, 0, count, n()), out.view().block(0, 0, count, n()));
        ++products_;
    }
    // z = M⁻¹r, each column brought to size 1 on its way through float.
    void precondition() {
        matrix<float> narrow(active_, n());
        std::vector<double> scale(static_cast<std::size_t>(active_));
        for (index c = 0; c < active_; ++c) {
            for (index i = 0; i < n(); ++i) z_(c, i) = r_(c, i) * d_[static_cast<std::size_t>(i)];
            const double size = largest_size(z_.row(c), n());
            scale[static_cast<std::size_t>(c)] = size;
            if (!(size > 0)) continue;
            for (index i = 0; i < n(); ++i) narrow(c, i) = static_cast<float>(z_(c, i) / size);
        }
        cholesky_solve_rows(factor_, narrow.view());
        for (index c = 0; c < active_; ++c)
            for (index i = 0; i < n(); ++i)
                z_(c, i) = scale[static_cast<std::size_t>(c)] * static_cast<double>(narrow(c, i)) *
                           d_[static_cast<std::size_t>(i)];
    }
    // Conjugate gradients from r = b - Ax until the r that is carried along meets half the tolerance in all columns.
    bool descend() {
        const auto all = static_cast<std::size_t>(active_);
        std::vector<double> rz(all), first(all), size_m(all);  // size_m: pᵀMp, as the z are conjugate in M
        std::vector<bool> open(all, true);
        for (std::size_t c = 0; c < all; ++c) first[c] = largest_size(r_.row(static_cast<index>(c)), n());
        for (index step = 0; step < most_steps; ++step) {
            precondition();
            for (index c = 0; c < active_; ++c) {
                const auto s = static_cast<std::size_t>(c);
                const double now = dot(r_.row(c), z_.row(c), n()), beta = step > 0 && rz[s] > 0 ? now / rz[s] : 0;
                rz[s] = open[s] ? now : 0;
                size_m[s] = rz[s] + beta * beta * size_m[s];
                for (index i = 0; i < n(); ++i) p_(c, i) = z_(c, i) + beta * p_(c, i);
            }
            multiply(p_, q_, active_);
            bool more = false;
            for (index c = 0; c < active_; ++c) {
                const auto s = static_cast<std::size_t>(c);
                if (!open[s] || first[s] == 0) continue;
                const double curvature = dot(p_.row(c), q_.row(c), n());
                if (!(rz[s] > 0) || !(curvature > least_quotient * size_m[s])) return false;
                const double alpha = rz[s] / curvature;
                for (index i = 0; i < n(); ++i) x_(c, i) += alpha * p_(c, i), r_(c, i) -= alpha * q_(c, i);
                const double size = largest_size(r_.row(c), n()),
                             enough =
                                 (c + 1 == columns() ? probed : tolerance() / 2) * norm_ * largest_size(x_.row(c), n());
                open[s] = !(size <= enough);
                more = more || open[s];
                // Half of the steps must take off half of the digits.
                if (open[s] && step + 1 == most_steps / 2 && !(size <= std::sqrt(first[s] * enough))) return false;
            }
            if (!more) return true;
            if (active_ == columns() && !open.back()) --active_;
        }
        return false;
    }

    matrix_view<const double> a_;
    matrix_view<const float> factor_;
    const std::vector<double>& d_;
    double norm_;
    matrix<double> b_;
    index active_;
    matrix<double> x_, r_, p_, q_, z_;
    index products_ = 0;
    double residual_ = 0;
};

}  // namespace

mixed_result mixed_cholesky_solve(matrix_view<const double> a, matrix_view<float> room, matrix_view<double> b) {
    const index n = a.rows, m = b.rows;
    if (n == 0 || m == 0) return {true, 0, 0};
    std::vector<double> d(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) {
        if (!(a(i, i) > 0)) return {};
        d[static_cast<std::size_t>(i)] = 1 / std::sqrt(a(i, i));
    }
    const double norm = infinity_norm(a);
    if (!std::isfinite(norm)) return {};
    fill_scaled(a, d, room);
    if (!cholesky_lower_in_place(room)) return {};
    matrix<double> columns(m + 1, n);
    for (index c = 0; c < m; ++c) std::copy_n(b.row(c), n, columns.row(c));
    random_generator random(1);
    for (index i = 0; i < n; ++i) columns(m, i) = (random.uniform() < 0.5 ? -1 : 1) / d[static_cast<std::size_t>(i)];
    refinement refined(a, room, d, norm, std::move(columns));
    mixed_result out;
    out.solved = refined.run();
    out.products = refined.products();
    out.residual = refined.residual();
    if (out.solved)
        for (index c = 0; c < m; ++c) std::copy_n(refined.x().row(c), n, b.row(c));
    return out;
}

}  // namespace mercer

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
