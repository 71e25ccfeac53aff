#include "mercer/dense/dense_algebra.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/lapack.h"
#include "mercer/dense/tiled_blas.h"
#include "mercer/dense/vector_ops.h"

// Fortran's LAPACK and BLAS; the trailing sizes are the lengths of the character arguments.
extern "C" {
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info, std::size_t,
             std::size_t);
void dpstrf_(const char* uplo, const int* n, double* a, const int* lda, int* piv, int* rank, const double* tol,
             double* work, int* info, std::size_t);
void dtrmm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void strsv_(const char* uplo, const char* trans, const char* diag, const int* n, const float* a, const int* lda,
            float* x, const int* incx, std::size_t, std::size_t, std::size_t);
}

namespace mercer {
namespace {

using blas::checked_square;
using blas::in_turn;

constexpr double by_one_thread = 0;

// L ← L⁻¹ in Fortran's lower triangle.
void invert_lower(int n, double* a, int lda) {
    constexpr int panel = 256, columns = 48;
    const double minus = -1;
    const auto at = [&](int i, int j) { return a + i + static_cast<std::ptrdiff_t>(j) * lda; };
    int info = 0;
    for (int k = (n - 1) / panel * panel; k >= 0; k -= panel) {
        const int depth = std::min(panel, n - k), next = k + depth, rest = n - next;
        // what lies below: -L₂₂⁻¹ L₂₁ L₁₁⁻¹
        if (rest > 0) {
            blas::side_by_side((depth + columns - 1) / columns, [&](index item) {
                const int c = static_cast<int>(item) * columns, width = std::min(columns, depth - c);
                dtrmm_("L", "L", "N", "N", &rest, &width, &minus, at(next, next), &lda, at(next, k + c), &lda, 1, 1, 1,
                       1);
            });
            blas::trsm<double>("R", "L", "N", rest, depth, at(k, k), lda, at(next, k), lda);
        }
        in_turn(by_one_thread, dtrtri_, "L", "N", &depth, at(k, k), &lda, &info, 1, 1);
    }
}

}  // namespace

void require_finite(matrix_view<const double> a, const std::string& owner) {
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < a.cols; ++j)
            if (!std::isfinite(a(i, j)))
                fail(errc::data,
                     fmt::format("{}: the matrix must be finite, got {} at row {}, column {}", owner, a(i, j), i, j));
}

void require_finite_half(matrix_view<const double> a, const std::string& owner) {
    // A sum is finite, or it overflowed, or something in it is not: the second look is rare.
    parallel_for(a.rows, [&](index i) {
        double sum = 0;
        for (index j = i; j < a.cols; ++j) sum += std::abs(a(i, j));
        if (!std::isfinite(sum))
            require_finite(a.block(i, i, 1, a.cols - i), fmt::format("{}, from row {} and column {} on", owner, i, i));
    });
}

void require_symmetric(matrix_view<const double> a, const std::string& owner) {
    if (a.rows != a.cols)
        fail(errc::invalid_argument, fmt::format("{}: the matrix must be square, got {} × {}", owner, a.rows, a.cols));
    const double most = 1e-8 * largest_entry(a);
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < i; ++j)
            if (std::abs(a(i, j) - a(j, i)) > most)
                fail(errc::invalid_argument,
                     fmt::format("{}: the matrix must be symmetric, got {} at ({}, {}) and {} at ({}, {})", owner,
                                 a(i, j), i, j, a(j, i), j, i));
}

std::optional<matrix<double>> cholesky(matrix<double> a) {
    const int n = checked_square(a, "Cholesky");
    if (n == 0) return a;
    if (blas::potrf("L", n, a.data(), n) != 0) return std::nullopt;
    for (index i = 0; i < n; ++i) std::fill_n(a.row(i), i, 0.0);
    return a;
}

namespace {

constexpr index few_columns = 4;  // below, one vector after the other

int lapack_size(index n, const char* owner) {
    constexpr index most = 1 << 20;
    if (n > most) fail(errc::memory, fmt::format("{}: must satisfy n <= {}, got n = {}", owner, most, n));
    return static_cast<int>(n);
}

}  // namespace

// The upper half of a row-major matrix is Fortran's lower one: A = LLᵀ with L = Rᵀ.
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
    // Fortran sees Bᵀ: Bᵀ ← Bᵀ L⁻ᵀ L⁻¹
    for (const char* op : {"T", "N"}) blas::trsm("R", "L", op, m, n, r.data, lda, b.data, ldb);
}

void cholesky_half_solve_rows(matrix_view<const double> r, matrix_view<double> b) {
    const int n = lapack_size(r.rows, "Cholesky"), lda = static_cast<int>(r.stride), m = static_cast<int>(b.rows),
              ldb = static_cast<int>(b.stride);
    if (n > 0 && m > 0) blas::trsm("L", "L", "N", n, m, r.data, lda, b.data, ldb);
}

void cholesky_other_half_solve_rows(matrix_view<const double> r, matrix_view<double> b) {
    const int n = lapack_size(r.rows, "Cholesky"), lda = static_cast<int>(r.stride), m = static_cast<int>(b.rows),
              ldb = static_cast<int>(b.stride);
    if (n > 0 && m > 0) blas::trsm("L", "L", "T", n, m, r.data, lda, b.data, ldb);
}

// Fortran sees the transposes: Cᵀ ← Cᵀ - B·Aᵀ
void subtract_product(matrix_view<const double> a, matrix_view<const double> b, matrix_view<double> c) {
    const int m = static_cast<int>(c.cols), n = static_cast<int>(c.rows), k = static_cast<int>(a.cols),
              lda = static_cast<int>(b.stride), ldb = static_cast<int>(a.stride), ldc = static_cast<int>(c.stride);
    if (m > 0 && n > 0 && k > 0) blas::gemm("T", "N", m, n, k, -1.0, b.data, lda, a.data, ldb, 1.0, c.data, ldc);
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

pivoted_factor pivoted_cholesky(matrix<double> a, double tolerance) {
    const int n = checked_square(a, "pivoted Cholesky");
    int info = 0, rank = 0;
    std::vector<int> place(static_cast<std::size_t>(n));
    if (n > 0) {
        buffer<double> work(index{2} * n);
        const double stop = std::max(tolerance, 0.0);  // LAPACK takes a negative one for its own default
        in_turn(by_one_thread, dpstrf_, "L", &n, a.data(), &n, place.data(), &rank, &stop, work.data(), &info, 1);
        // With nothing positive on the diagonal dpstrf leaves its arguments alone, in some versions with rank 1.
        double top = 0;
        if (info != 0 && rank <= 1)
            for (index i = 0; i < n; ++i) top = std::max(top, a(i, i));
        if (info != 0 && rank <= 1 && !(top > 0)) rank = 0;
    }
    pivoted_factor made{matrix<double>(rank, n), {}};
    // Row j of the memory holds column j of L, whose row i belongs to object place[i].
    for (index j = 0; j < rank; ++j) {
        made.pivots.push_back(place[static_cast<std::size_t>(j)] - 1);
        for (index i = j; i < n; ++i) made.p(j, place[static_cast<std::size_t>(i)] - 1) = a(j, i);
    }
    return made;
}

matrix<double> product(matrix_view<const double> a, transposed a_turned, matrix_view<const double> b,
                       transposed b_turned) {
    const bool ta = a_turned == transposed::yes, tb = b_turned == transposed::yes;
    const index rows = ta ? a.cols : a.rows, inner = ta ? a.rows : a.cols, cols = tb ? b.rows : b.cols;
    if ((tb ? b.cols : b.rows) != inner)
        fail(errc::invalid_argument,
             fmt::format("product: inner sizes must agree, got {} and {}", inner, tb ? b.cols : b.rows));
    matrix<double> c(rows, cols);
    if (rows == 0 || cols == 0 || inner == 0) return c;
    // Fortran sees the transposes of all three: Cᵀ = op(B)ᵀ op(A)ᵀ.
    const int m = static_cast<int>(cols), n = static_cast<int>(rows), k = static_cast<int>(inner);
    const int lda = static_cast<int>(b.stride), ldb = static_cast<int>(a.stride);
    blas::gemm(tb ? "T" : "N", ta ? "T" : "N", m, n, k, 1.0, b.data, lda, a.data, ldb, 0.0, c.data(), m);
    return c;
}

// Rows of ours are Fortran's columns, so our upper triangle is its lower one.
bool cholesky_in_place(matrix<double>& a) {
    const int n = static_cast<int>(a.rows());
    return n == 0 || blas::potrf("L", n, a.data(), n) == 0;
}

void cholesky_solve(const matrix<double>& r, matrix_view<double> b) {
    const int n = static_cast<int>(r.rows()), count = static_cast<int>(b.rows), ldb = static_cast<int>(b.stride);
    if (n == 0 || count == 0) return;
    for (const char* op : {"N", "T"}) blas::trsm("L", "L", op, n, count, r.data(), n, b.data, ldb);
}

namespace {

// Every row x of b becomes L⁻¹x, or L⁻ᵀx where `turned` is "N".
void solve_half(matrix_view<const float> l, matrix_view<float> b, const char* turned) {
    const int n = lapack_size(l.rows, "Cholesky"), lda = static_cast<int>(l.stride), m = static_cast<int>(b.rows),
              ldb = static_cast<int>(b.stride), step = 1;
    if (n == 0 || m == 0) return;
    if (m < few_columns)
        for (index c = 0; c < m; ++c)
            in_turn(by_one_thread, strsv_, "U", turned, "N", &n, l.data, &lda, b.row(c), &step, 1, 1, 1);
    else
        blas::trsm("L", "U", turned, n, m, l.data, lda, b.data, ldb);
}

}  // namespace

void add_gram(matrix_view<const double> g, matrix<double>& a) {
    const int n = static_cast<int>(g.cols), k = static_cast<int>(g.rows), ldg = static_cast<int>(g.stride),
              lda = static_cast<int>(a.cols());
    if (n > 0 && k > 0) blas::syrk("L", "N", n, k, 1.0, g.data, ldg, a.data(), lda);
}

namespace {

// By one thread, a few rows at a time: each is read for its own product, and again from the caches for those below.
// (OpenBLAS's dsymv reads past the end of the matrix on processors that it does not know.)
void multiply_upper(matrix_view<const double> a, const double* v, double* out) {
    constexpr index together = 8;
    const auto& ops = smo::best_vector_ops();
    const index n = a.rows;
    std::fill_n(out, n, 0.0);
    for (index first = 0; first < n; first += together) {
        const index end = std::min(first + together, n), rest = n - end;
        const double* rows[together];
        double minus[together];
        for (index i = first; i < end; ++i) {
            out[i] += a(i, i) * v[i];
            for (index j = i + 1; j < end; ++j) out[i] += a(i, j) * v[j], out[j] += a(i, j) * v[i];
            rows[i - first] = a.row(i) + end, minus[i - first] = -v[i];
            out[i] += ops.dot(rows[i - first], v + end, rest);
        }
        ops.subtract_double_rows(out + end, rows, minus, end - first, rest);
    }
}

}  // namespace

void multiply_symmetric(matrix_view<const double> a, const double* v, double* out) {
    constexpr index large = 2048;  // from here on several threads
    const int n = static_cast<int>(a.rows), lda = static_cast<int>(a.stride);
    if (n >= large) return blas::symm(n, 1, a.data, lda, v, n, out, n);
    multiply_upper(a, v, out);
}

void multiply_symmetric(matrix_view<const double> a, matrix_view<const double> v, matrix_view<double> out) {
    // For few vectors dsymm spends more time on copying A than on multiplying.
    if (v.rows < few_columns) {
        for (index c = 0; c < v.rows; ++c) multiply_symmetric(a, v.row(c), out.row(c));
        return;
    }
    const int n = static_cast<int>(a.rows), m = static_cast<int>(v.rows);
    if (n > 0)
        blas::symm(n, m, a.data, static_cast<int>(a.stride), v.data, static_cast<int>(v.stride), out.data,
                   static_cast<int>(out.stride));
}

// The lower half of ours is Fortran's upper: A = UᵀU with U = Lᵀ.
bool cholesky_lower_in_place(matrix_view<float> a) {
    const int n = lapack_size(a.rows, "Cholesky"), lda = static_cast<int>(a.stride);
    return n == 0 || blas::potrf("U", n, a.data, lda) == 0;
}

void cholesky_solve_rows(matrix_view<const float> l, matrix_view<float> b) {
    for (const char* turned : {"T", "N"}) solve_half(l, b, turned);
}

void add_multiply(double scale, matrix_view<const double> a, transposed turned, const double* v, double* out) {
    const int m = static_cast<int>(a.cols), n = static_cast<int>(a.rows), lda = static_cast<int>(a.stride);
    if (m > 0 && n > 0) blas::gemv(turned == transposed::yes ? "N" : "T", m, n, scale, a.data, lda, v, out);
}

double largest_entry(matrix_view<const double> a) {
    double largest = 0;
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < a.cols; ++j) largest = std::max(largest, std::abs(a(i, j)));
    return largest;
}

double frobenius_norm(matrix_view<const double> a) {
    const double largest = largest_entry(a);
    if (largest == 0 || !std::isfinite(largest)) return largest;
    double sum = 0;
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < a.cols; ++j) {
            const double part = a(i, j) / largest;
            sum += part * part;
        }
    return largest * std::sqrt(sum);
}

}  // namespace mercer
