// A = QTQᵀ with T tridiagonal, T = ZΛZᵀ, U = QZ.
//
// If only eigenvalues are needed, A is reduced to a band matrix, 4/3 n³ operations in matrix products, and the band
// matrix to T, whose eigenvalues are computed by QR steps. A direct reduction to T would spend half of its operations
// in matrix-vector products, whose speed is limited by the memory. If eigenvectors are needed, the transformations of
// two reductions would cost more, so A is reduced to T directly, T is decomposed by divide and conquer (Cuppen 1981),
// and QZ takes 2n³ operations, with blocks of reflectors that are wide enough for matrix products. (LAPACK's dormtr
// uses blocks of 32 reflectors and takes twice the time.)
#include "mercer/dense/symmetric_eigen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mercer/base/error.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/lapack.h"

extern "C" {
void dsyevd_(const char* job, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info, std::size_t, std::size_t);
void dsytrd_(const char* uplo, const int* n, double* a, const int* lda, double* d, double* e, double* tau, double* work,
             const int* lwork, int* info, std::size_t);
void dsytrd_sy2sb_(const char* uplo, const int* n, const int* kd, double* a, const int* lda, double* ab,
                   const int* ldab, double* tau, double* work, const int* lwork, int* info, std::size_t);
void dsytrd_sb2st_(const char* stage1, const char* vect, const char* uplo, const int* n, const int* kd, double* ab,
                   const int* ldab, double* d, double* e, double* hous, const int* lhous, double* work,
                   const int* lwork, int* info, std::size_t, std::size_t, std::size_t);
void dsterf_(const int* n, double* d, double* e, int* info);
void dstedc_(const char* compz, const int* n, double* d, double* e, double* z, const int* ldz, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info, std::size_t);
void dlarft_(const char* direct, const char* storev, const int* n, const int* k, double* v, const int* ldv,
             const double* tau, double* t, const int* ldt, std::size_t, std::size_t);
void dlarfb_(const char* side, const char* trans, const char* direct, const char* storev, const int* m, const int* n,
             const int* k, const double* v, const int* ldv, const double* t, const int* ldt, double* c, const int* ldc,
             double* work, const int* ldwork, std::size_t, std::size_t, std::size_t, std::size_t);
}

namespace mercer {
namespace {

using blas::checked_square;
using blas::locked_call;

constexpr int smallest = 128;  // smaller matrices are decomposed by LAPACK's driver dsyevd
constexpr int band = 64;
constexpr int reflectors = 128;

void check(int info, const char* routine, int n) {
    if (info != 0)
        fail(errc::data,
             fmt::format("eigendecomposition: LAPACK's {} did not converge on a matrix of {} rows (info = {})", routine,
                         n, info));
}

// The workspace of a LAPACK routine, which returns the sizes that it needs if it is called with a length of -1.
struct workspace {
    double size = 0;
    int integers = 0, length = -1, integer_length = -1;
    buffer<double> numbers;
    buffer<int> whole;
    void take() {
        numbers.resize_uninitialised(length = static_cast<int>(size));
        whole.resize_uninitialised(integer_length = integers);
    }
};

void by_driver(matrix<double>& a, std::vector<double>& values, char job) {
    const int n = static_cast<int>(a.rows());
    workspace w;
    int info = 0;
    const double work = 9.0 * n * n * n;
    locked_call(work, dsyevd_, &job, "L", &n, a.data(), &n, values.data(), &w.size, &w.length, &w.integers,
                &w.integer_length, &info, 1, 1);
    w.take();
    locked_call(work, dsyevd_, &job, "L", &n, a.data(), &n, values.data(), w.numbers.data(), &w.length, w.whole.data(),
                &w.integer_length, &info, 1, 1);
    check(info, "dsyevd", n);
}

void values_by_band(matrix<double>& a, std::vector<double>& values) {
    const int n = static_cast<int>(a.rows()), kd = band, ldab = band + 1;
    const double work = 4.0 / 3 * n * n * n;
    matrix<double> diagonals(n, ldab);
    std::vector<double> tau(static_cast<std::size_t>(n)), beside(static_cast<std::size_t>(n));
    int info = 0;
    {
        workspace w;
        locked_call(work, dsytrd_sy2sb_, "L", &n, &kd, a.data(), &n, diagonals.data(), &ldab, tau.data(), &w.size,
                    &w.length, &info, 1);
        w.take();
        locked_call(work, dsytrd_sy2sb_, "L", &n, &kd, a.data(), &n, diagonals.data(), &ldab, tau.data(),
                    w.numbers.data(), &w.length, &info, 1);
        check(info, "dsytrd_sy2sb", n);
    }
    // dsytrd_sb2st consists of short sequential steps, in which several threads would only wait for each other.
    constexpr double alone = 0;
    workspace w;
    double reflector_size = 0;
    int reflector_length = -1;
    locked_call(alone, dsytrd_sb2st_, "Y", "N", "L", &n, &kd, diagonals.data(), &ldab, values.data(), beside.data(),
                &reflector_size, &reflector_length, &w.size, &w.length, &info, 1, 1, 1);
    w.take();
    reflector_length = static_cast<int>(reflector_size);
    buffer<double> chased(reflector_length);
    locked_call(alone, dsytrd_sb2st_, "Y", "N", "L", &n, &kd, diagonals.data(), &ldab, values.data(), beside.data(),
                chased.data(), &reflector_length, w.numbers.data(), &w.length, &info, 1, 1, 1);
    check(info, "dsytrd_sb2st", n);
    locked_call(30.0 * n * n, dsterf_, &n, values.data(), beside.data(), &info);
    check(info, "dsterf", n);
}

// Z ← QZ with Q = H₁H₂…. The vector of the reflector Hₖ is in row k of `a` from position k + 1 on; its first number is
// 1 and not stored.
void turn(matrix<double>& a, const std::vector<double>& tau, matrix<double>& z) {
    const int n = static_cast<int>(a.rows());
    buffer<double> t(index{reflectors} * reflectors), work(static_cast<index>(n) * reflectors);
    for (int first = (n - 2) / reflectors * reflectors; first >= 0; first -= reflectors) {
        const int rows = n - 1 - first, count = std::min(reflectors, rows), ldt = reflectors;
        double* const v = a.row(first) + first + 1;
        locked_call(1.0 * rows * count * count, dlarft_, "F", "C", &rows, &count, v, &n, tau.data() + first, t.data(),
                    &ldt, 1, 1);
        locked_call(4.0 * rows * count * n, dlarfb_, "L", "N", "F", "C", &rows, &n, &count, v, &n, t.data(), &ldt,
                    z.data() + first + 1, &n, work.data(), &n, 1, 1, 1, 1);
    }
}

matrix<double> values_and_vectors(matrix<double>& a, std::vector<double>& values) {
    const int n = static_cast<int>(a.rows());
    std::vector<double> tau(static_cast<std::size_t>(n)), beside(static_cast<std::size_t>(n));
    int info = 0;
    {
        const double work = 4.0 / 3 * n * n * n;
        workspace w;
        locked_call(work, dsytrd_, "L", &n, a.data(), &n, values.data(), beside.data(), tau.data(), &w.size, &w.length,
                    &info, 1);
        w.take();
        locked_call(work, dsytrd_, "L", &n, a.data(), &n, values.data(), beside.data(), tau.data(), w.numbers.data(),
                    &w.length, &info, 1);
        check(info, "dsytrd", n);
    }
    matrix<double> z(n, n);
    {
        const double work = 3.0 * n * n * n;
        workspace w;
        locked_call(work, dstedc_, "I", &n, values.data(), beside.data(), z.data(), &n, &w.size, &w.length, &w.integers,
                    &w.integer_length, &info, 1);
        w.take();
        locked_call(work, dstedc_, "I", &n, values.data(), beside.data(), z.data(), &n, w.numbers.data(), &w.length,
                    w.whole.data(), &w.integer_length, &info, 1);
        check(info, "dstedc", n);
    }
    turn(a, tau, z);
    return z;
}

}  // namespace

// A symmetric matrix is the same in row-major and column-major order. Column k of LAPACK's column-major result is row k
// of the row-major result.
eigen_system symmetric_eigen(matrix<double> a, eigen_parts wanted) {
    const int n = checked_square(a, "eigendecomposition");
    eigen_system found;
    found.values.resize(static_cast<std::size_t>(n));
    if (n == 0) return found;
    const bool vectors = wanted == eigen_parts::values_and_vectors;
    if (n < smallest) {
        by_driver(a, found.values, vectors ? 'V' : 'N');
        if (vectors) found.vectors = std::move(a);
        return found;
    }
    // Very large or small entries are scaled by a power of two, because their squares would overflow or underflow.
    int exponent = 0;
    std::frexp(max_abs_entry(a.view()), &exponent);
    if (std::abs(exponent) < 400) exponent = 0;
    if (exponent != 0)
        for (index i = 0; i < a.rows() * a.cols(); ++i) a.data()[i] = std::ldexp(a.data()[i], -exponent);
    if (vectors)
        found.vectors = values_and_vectors(a, found.values);
    else
        values_by_band(a, found.values);
    if (exponent != 0)
        for (double& each : found.values) each = std::ldexp(each, exponent);
    return found;
}

}  // namespace mercer
