#include "mercer/dense/cholesky.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/lapack.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/tiles.h"
#include "mercer/dense/vector_ops.h"

// Fortran's LAPACK and BLAS; the trailing sizes are the lengths of the character arguments.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info, std::size_t);
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info, std::size_t,
             std::size_t);
void dpstrf_(const char* uplo, const int* n, double* a, const int* lda, int* piv, int* rank, const double* tol,
             double* work, int* info, std::size_t);
void dtrmm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void strsv_(const char* uplo, const char* trans, const char* diag, const int* n, const float* a, const int* lda,
            float* x, const int* incx, std::size_t, std::size_t, std::size_t);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void strsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const float* alpha, const float* a, const int* lda, float* b, const int* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
}

namespace mercer {
namespace blas {
namespace {

// The routines of BLAS and LAPACK for triangles so small that products take no noticeable part of their time.
template <class T>
struct routines;
template <>
struct routines<double> {
    static constexpr auto trsm = dtrsm_;
    static constexpr auto potrf = dpotrf_;
};
template <>
struct routines<float> {
    static constexpr auto trsm = strsm_;
    static constexpr auto potrf = spotrf_;
};

// Columns of a panel of a factorisation. One thread factors the diagonal block of a panel, which favours narrow panels;
// the products with a panel are faster if it is wide.
int panel_of(int n) { return std::clamp(n / 12 / 48 * 48, 192, 480); }

template <class T>
void tile_trsm(const char* side, const char* half, const char* op, int m, int n, const T* a, int lda, T* b, int ldb) {
    const bool left = is(side, 'L'), plain = is(op, 'N'), lower = is(half, 'L') == plain;  // lower: op(A) is
    const int size = left ? m : n;
    const T one = 1;
    if (size <= small) return routines<T>::trsm(side, half, op, "N", &m, &n, &one, a, &lda, b, &ldb, 1, 1, 1, 1);
    const int top = first_half(size), rest = size - top;
    // The square block of A below its first triangle or above its second triangle.
    const T* square = is(half, 'L') ? at(a, lda, top, 0) : at(a, lda, 0, top);
    T* second = left ? at(b, ldb, top, 0) : at(b, ldb, 0, top);
    const auto solve = [&](bool of_first) {
        const int part = of_first ? top : rest;
        tile_trsm(side, half, op, left ? part : m, left ? n : part, of_first ? a : at(a, lda, top, top), lda,
                  of_first ? b : second, ldb);
    };
    const bool first = lower == left;  // the first triangle is solved first
    solve(first);
    T *known = first ? b : second, *next = first ? second : b;
    const int known_size = first ? top : rest, next_size = first ? rest : top;
    if (left)
        tile_product<T>(op, "N", next_size, n, known_size, T(-1), square, lda, known, ldb, T(1), next, ldb);
    else
        tile_product<T>("N", op, m, next_size, known_size, T(-1), known, ldb, square, lda, T(1), next, ldb);
    solve(!first);
}

template <class T>
int tile_potrf(const char* half, int n, T* a, int lda) {
    int info = 0;
    if (n <= small) {
        routines<T>::potrf(half, &n, a, &lda, &info, 1);
        return info;
    }
    const bool lower = is(half, 'L');
    const int top = first_half(n), rest = n - top;
    if ((info = tile_potrf(half, top, a, lda)) != 0) return info;
    T* square = lower ? at(a, lda, top, 0) : at(a, lda, 0, top);
    tile_trsm<T>(lower ? "R" : "L", half, "T", lower ? rest : top, lower ? top : rest, a, lda, square, lda);
    tile_syrk<T>(half, lower ? "N" : "T", rest, top, T(-1), square, lda, at(a, lda, top, top), lda);
    info = tile_potrf(half, rest, at(a, lda, top, top), lda);
    return info == 0 ? 0 : top + info;
}

}  // namespace

template <class T>
void trsm(const char* side, const char* half, const char* op, int m, int n, const T* a, int lda, T* b, int ldb) {
    const bool left = is(side, 'L');
    const int count = left ? n : m, chunk = chunk_of(count);
    parallel_calls(parts(count, chunk), [&](index item) {
        const int first = static_cast<int>(item) * chunk, some = std::min(chunk, count - first), rows = left ? m : some,
                  cols = left ? some : n;
        tile_trsm(side, half, op, rows, cols, a, lda, left ? at(b, ldb, 0, first) : at(b, ldb, first, 0), ldb);
    });
}

template <class T>
int potrf(const char* half, int n, T* a, int lda) {
    const bool lower = is(half, 'L');
    const int panel = panel_of(n);
    for (int k = 0; k < n; k += panel) {
        const int depth = std::min(panel, n - k), next = k + depth, rest = n - next;
        int info = 0;
        parallel_calls(1, [&](index) { info = tile_potrf(half, depth, at(a, lda, k, k), lda); });
        if (info != 0) return k + info;
        if (rest == 0) break;
        T* below = lower ? at(a, lda, next, k) : at(a, lda, k, next);
        trsm<T>(lower ? "R" : "L", half, "T", lower ? rest : depth, lower ? depth : rest, at(a, lda, k, k), lda, below,
                lda);
        syrk<T>(half, lower ? "N" : "T", rest, depth, T(-1), below, lda, at(a, lda, next, next), lda);
    }
    return 0;
}

template void trsm(const char*, const char*, const char*, int, int, const double*, int, double*, int);
template void trsm(const char*, const char*, const char*, int, int, const float*, int, float*, int);
template int potrf(const char*, int, double*, int);
template int potrf(const char*, int, float*, int);

}  // namespace blas

namespace {

using blas::checked_square;
using blas::locked_call;

constexpr index few_right_hand_sides = 4;  // fewer are solved one at a time
constexpr double by_one_thread = 0;

// L ← L⁻¹, the lower triangle of a column-major matrix.
void invert_lower(int n, double* a, int lda) {
    constexpr int panel = 256, columns = 48;
    const double minus = -1;
    const auto at = [&](int i, int j) { return a + i + static_cast<std::ptrdiff_t>(j) * lda; };
    int info = 0;
    for (int k = (n - 1) / panel * panel; k >= 0; k -= panel) {
        const int depth = std::min(panel, n - k), next = k + depth, rest = n - next;
        // The block below the diagonal block: -L₂₂⁻¹ L₂₁ L₁₁⁻¹.
        if (rest > 0) {
            blas::parallel_calls((depth + columns - 1) / columns, [&](index item) {
                const int c = static_cast<int>(item) * columns, width = std::min(columns, depth - c);
                dtrmm_("L", "L", "N", "N", &rest, &width, &minus, at(next, next), &lda, at(next, k + c), &lda, 1, 1, 1,
                       1);
            });
            blas::trsm<double>("R", "L", "N", rest, depth, at(k, k), lda, at(next, k), lda);
        }
        locked_call(by_one_thread, dtrtri_, "L", "N", &depth, at(k, k), &lda, &info, 1, 1);
    }
}

int lapack_size(index n, const char* owner) {
    constexpr index most = 1 << 20;
    if (n > most) fail(errc::memory, fmt::format("{}: must satisfy n <= {}, got n = {}", owner, most, n));
    return static_cast<int>(n);
}

// Every row x of b becomes L⁻¹x (`turned` "T") or L⁻ᵀx ("N").
void solve_half(matrix_view<const float> l, matrix_view<float> b, const char* turned) {
    const int n = lapack_size(l.rows, "Cholesky"), lda = static_cast<int>(l.stride), m = static_cast<int>(b.rows),
              ldb = static_cast<int>(b.stride), step = 1;
    if (n == 0 || m == 0) return;
    if (m < few_right_hand_sides)
        for (index c = 0; c < m; ++c)
            locked_call(by_one_thread, strsv_, "U", turned, "N", &n, l.data, &lda, b.row(c), &step, 1, 1, 1);
    else
        blas::trsm("L", "U", turned, n, m, l.data, lda, b.data, ldb);
}

}  // namespace

std::optional<matrix<double>> cholesky(matrix<double> a) {
    const int n = checked_square(a, "Cholesky");
    if (n == 0) return a;
    if (blas::potrf("L", n, a.data(), n) != 0) return std::nullopt;
    for (index i = 0; i < n; ++i) std::fill_n(a.row(i), i, 0.0);
    return a;
}

pivoted_factor pivoted_cholesky(matrix<double> a, double tolerance) {
    const int n = checked_square(a, "pivoted Cholesky");
    int info = 0, rank = 0;
    std::vector<int> place(static_cast<std::size_t>(n));
    if (n > 0) {
        buffer<double> work(index{2} * n);
        const double stop = std::max(tolerance, 0.0);  // LAPACK replaces a negative tolerance by its default
        locked_call(by_one_thread, dpstrf_, "L", &n, a.data(), &n, place.data(), &rank, &stop, work.data(), &info, 1);
        // If no diagonal entry is positive, dpstrf does not set its results, and some versions return rank 1.
        double top = 0;
        if (info != 0 && rank <= 1)
            for (index i = 0; i < n; ++i) top = std::max(top, a(i, i));
        if (info != 0 && rank <= 1 && !(top > 0)) rank = 0;
    }
    pivoted_factor made{matrix<double>(rank, n), {}};
    // Row j of the memory holds column j of L. Row i of L belongs to row place[i] - 1 of A.
    for (index j = 0; j < rank; ++j) {
        made.pivots.push_back(place[static_cast<std::size_t>(j)] - 1);
        for (index i = j; i < n; ++i) made.p(j, place[static_cast<std::size_t>(i)] - 1) = a(j, i);
    }
    return made;
}

// The upper half of a row-major matrix is the lower half of a column-major one: A = LLᵀ with L = Rᵀ.
index cholesky_in_place(matrix_view<double> a) {
    const int n = lapack_size(a.rows, "Cholesky"), stride = static_cast<int>(a.stride);
    require_finite_half(a, "Cholesky");
    if (n == 0) return -1;
    std::vector<double> diagonal(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) diagonal[static_cast<std::size_t>(i)] = a(i, i);
    if (const int info = blas::potrf("L", n, a.data, stride); info > 0) return info - 1;
    for (index i = 0; i < n; ++i)
        if (a(i, i) * a(i, i) <= 4 * std::numeric_limits<double>::epsilon() * diagonal[static_cast<std::size_t>(i)])
            return i;
    return -1;
}

void cholesky_solve(matrix_view<const double> r, matrix_view<double> b) {
    const int n = lapack_size(r.rows, "Cholesky"), lda = static_cast<int>(r.stride), m = static_cast<int>(b.cols),
              ldb = static_cast<int>(b.stride);
    if (n == 0 || m == 0) return;
    if (m == 1 && ldb == 1) {
        for (const char* op : {"N", "T"}) blas::trsm("L", "L", op, n, 1, r.data, lda, b.data, n);
        return;
    }
    // In column-major order the memory holds Bᵀ: Bᵀ ← Bᵀ L⁻ᵀ L⁻¹.
    for (const char* op : {"T", "N"}) blas::trsm("R", "L", op, m, n, r.data, lda, b.data, ldb);
}

void cholesky_forward_solve_rows(matrix_view<const double> r, matrix_view<double> b) {
    const int n = lapack_size(r.rows, "Cholesky"), lda = static_cast<int>(r.stride), m = static_cast<int>(b.rows),
              ldb = static_cast<int>(b.stride);
    if (n > 0 && m > 0) blas::trsm("L", "L", "N", n, m, r.data, lda, b.data, ldb);
}

void cholesky_backward_solve_rows(matrix_view<const double> r, matrix_view<double> b) {
    const int n = lapack_size(r.rows, "Cholesky"), lda = static_cast<int>(r.stride), m = static_cast<int>(b.rows),
              ldb = static_cast<int>(b.stride);
    if (n > 0 && m > 0) blas::trsm("L", "L", "T", n, m, r.data, lda, b.data, ldb);
}

// The upper triangle of a row-major matrix is the lower triangle of a column-major one.
bool cholesky_in_place(matrix<double>& a) {
    const int n = static_cast<int>(a.rows());
    return n == 0 || blas::potrf("L", n, a.data(), n) == 0;
}

void cholesky_solve(const matrix<double>& r, matrix_view<double> b) {
    const int n = static_cast<int>(r.rows()), count = static_cast<int>(b.rows), ldb = static_cast<int>(b.stride);
    if (n == 0 || count == 0) return;
    for (const char* op : {"N", "T"}) blas::trsm("L", "L", op, n, count, r.data(), n, b.data, ldb);
}

// The lower half of a row-major matrix is the upper half of a column-major one: A = UᵀU with U = Lᵀ.
bool cholesky_lower_in_place(matrix_view<float> a) {
    const int n = lapack_size(a.rows, "Cholesky"), lda = static_cast<int>(a.stride);
    return n == 0 || blas::potrf("U", n, a.data, lda) == 0;
}

void cholesky_solve_rows(matrix_view<const float> l, matrix_view<float> b) {
    for (const char* turned : {"T", "N"}) solve_half(l, b, turned);
}

std::vector<double> inverse_diagonal(matrix_view<double> r) {
    const int n = lapack_size(r.rows, "inverse"), lda = static_cast<int>(r.stride);
    if (n > 0) invert_lower(n, r.data, lda);
    std::vector<double> out(static_cast<std::size_t>(n));
    parallel_for(n, [&](index i) {
        double sum = 0;
        for (index k = i; k < n; ++k) sum += r(i, k) * r(i, k);
        out[static_cast<std::size_t>(i)] = sum;
    });
    return out;
}

namespace {

// A factor in double takes no longer than this many steps. After half of the steps the residual must have lost half of
// the digits that it has to lose.
constexpr index max_steps = 20;
// In a direction p with pᵀAp/pᵀMp at most this quotient, A is lost in the rounding error of the float factor.
constexpr double min_quotient = 1e-4;
// Relative residual for the right-hand side of random signs: small enough for the Ritz values, and far above rounding
// errors.
constexpr double probed = 1e-10;

// work(i, j) = a(j, i)·dᵢ·dⱼ for j <= i.
void fill_scaled(matrix_view<const double> a, const std::vector<double>& d, matrix_view<float> work) {
    constexpr index tile = 64;
    const index n = a.rows;
    parallel_for((n + tile - 1) / tile, [&](index band) {
        const index first = band * tile, end = std::min(n, first + tile);
        for (index c = 0; c < end; c += tile)
            for (index i = first; i < end; ++i) {
                float* const to = work.row(i);
                const double own = d[static_cast<std::size_t>(i)];
                for (index j = c; j < std::min(c + tile, i + 1); ++j)
                    to[j] = static_cast<float>(a(j, i) * own * d[static_cast<std::size_t>(j)]);
            }
    });
}

// ‖A‖∞ = maxᵢ Σⱼ|aᵢⱼ| from the upper half of A.
double infinity_norm(matrix_view<const double> a) {
    const index n = a.rows, chunk = std::max<index>(64, (n + 15) / 16), parts = (n + chunk - 1) / chunk;
    matrix<double> sums(parts, n);
    parallel_for(parts, [&](index s) {
        double* const to = sums.row(s);
        for (index i = s * chunk; i < std::min(n, (s + 1) * chunk); ++i) {
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

double max_abs(const double* v, index n) {
    double largest = 0;
    for (index i = 0; i < n; ++i)
        if (!(std::abs(v[i]) <= largest)) largest = std::abs(v[i]);
    return largest;
}

double dot(const double* a, const double* b, index n) { return best_vector_ops().dot(a, b, n); }

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
                const double size = max_abs(r_.row(c), n()), scale = norm_ * max_abs(x_.row(c), n());
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
    // √n ε, ε = 2⁻⁵³. The updated residual has to reach half of it, so that the true residual reaches all of it.
    double tolerance() const {
        return std::sqrt(static_cast<double>(n())) * std::numeric_limits<double>::epsilon() / 2;
    }

    // out = A·v for the first `count` right-hand sides. The last right-hand side has random signs and only tests the
    // factor; it is dropped once its solution has converged.
    void multiply(const matrix<double>& v, matrix<double>& out, index count) {
        multiply_symmetric(a_, v.view().block(0, 0, count, n()), out.view().block(0, 0, count, n()));
        ++products_;
    }
    // z = M⁻¹r. Each right-hand side is scaled to maximum norm 1 before it is converted to float.
    void precondition() {
        matrix<float> narrow(active_, n());
        std::vector<double> scale(static_cast<std::size_t>(active_));
        for (index c = 0; c < active_; ++c) {
            for (index i = 0; i < n(); ++i) z_(c, i) = r_(c, i) * d_[static_cast<std::size_t>(i)];
            const double size = max_abs(z_.row(c), n());
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
    // Conjugate gradients from r = b - Ax until the updated r meets half the tolerance for all right-hand sides.
    bool descend() {
        const auto all = static_cast<std::size_t>(active_);
        std::vector<double> rz(all), first(all), size_m(all);  // size_m: pᵀMp, as the z are conjugate in M
        std::vector<bool> open(all, true);
        for (std::size_t c = 0; c < all; ++c) first[c] = max_abs(r_.row(static_cast<index>(c)), n());
        for (index step = 0; step < max_steps; ++step) {
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
                if (!(rz[s] > 0) || !(curvature > min_quotient * size_m[s])) return false;
                const double alpha = rz[s] / curvature;
                for (index i = 0; i < n(); ++i) x_(c, i) += alpha * p_(c, i), r_(c, i) -= alpha * q_(c, i);
                const double size = max_abs(r_.row(c), n()),
                             enough = (c + 1 == columns() ? probed : tolerance() / 2) * norm_ * max_abs(x_.row(c), n());
                open[s] = !(size <= enough);
                more = more || open[s];
                // After half of the steps the residual must have lost half of the digits that it has to lose.
                if (open[s] && step + 1 == max_steps / 2 && !(size <= std::sqrt(first[s] * enough))) return false;
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

mixed_result mixed_cholesky_solve(matrix_view<const double> a, matrix_view<float> work, matrix_view<double> b) {
    const index n = a.rows, m = b.rows;
    if (n == 0 || m == 0) return {true, 0, 0};
    std::vector<double> d(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) {
        if (!(a(i, i) > 0)) return {};
        d[static_cast<std::size_t>(i)] = 1 / std::sqrt(a(i, i));
    }
    const double norm = infinity_norm(a);
    if (!std::isfinite(norm)) return {};
    fill_scaled(a, d, work);
    if (!cholesky_lower_in_place(work)) return {};
    matrix<double> columns(m + 1, n);
    for (index c = 0; c < m; ++c) std::copy_n(b.row(c), n, columns.row(c));
    random_generator random(1);
    for (index i = 0; i < n; ++i) columns(m, i) = (random.uniform() < 0.5 ? -1 : 1) / d[static_cast<std::size_t>(i)];
    refinement refined(a, work, d, norm, std::move(columns));
    mixed_result out;
    out.solved = refined.run();
    out.products = refined.products();
    out.residual = refined.residual();
    if (out.solved)
        for (index c = 0; c < m; ++c) std::copy_n(refined.x().row(c), n, b.row(c));
    return out;
}

namespace {

constexpr index panel = 96;  // columns eliminated at a time

// Row i of L, columns k0 … k1 - 1, by forward substitution with the rows of L above it.
void solve_row(matrix<double>& a, index i, index k0, index k1, const vector_ops& ops) {
    double* row = a.row(i) + k0;
    for (index j = k0; j < k1; ++j) row[j - k0] = (row[j - k0] - ops.dot(row, a.row(j) + k0, j - k0)) / a(j, j);
}

// Packs `width` rows, from `first` on, of the panel's columns: to[k·width + r]. Rows beyond the matrix are zero.
void pack(const matrix<double>& a, index first, index width, index k0, index depth, double* to) {
    for (index r = 0; r < width; ++r)
        for (index k = 0; k < depth; ++k) to[k * width + r] = first + r < a.rows() ? a(first + r, k0 + k) : 0.0;
}

}  // namespace

bool blocked_cholesky(matrix<double>& a) {
    const auto& ops = best_vector_ops();
    const index n = a.rows(), rows = update_rows, cols = ops.update_cols;
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
        // A(i, j) -= Σ_k L(i, k)·L(j, k) for k1 <= j <= i, tile by tile. A tile that crosses the edge of the matrix is
        // computed in a copy.
        const index groups = (n - k1 + cols - 1) / cols;
        double* right = packed.at_least(groups * cols * depth);
        parallel_for(groups, [&](index g) { pack(a, k1 + g * cols, cols, k0, depth, right + g * cols * depth); });
        const index bands = (n - k1 + rows - 1) / rows;
        parallel_for((bands + 7) / 8, [&](index part) {
            auto& left = per_thread<buffer<double>>([] {});
            auto& edge = per_thread<buffer<double>>([] {});
            // The long rows come first, so that the threads end at about the same time.
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

void blocked_cholesky_solve(const matrix<double>& L, std::vector<double>& b) {
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

}  // namespace mercer
