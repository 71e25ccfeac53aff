// The routines of BLAS and LAPACK that dense/ calls, implemented with Eigen, for platforms without these libraries.
// Matrices are column-major. Only the arguments that the callers use are supported, because each further one would
// instantiate Eigen's templates again: triangles are lower in double and upper in float, and diagonals are never taken
// as ones.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Householder>
#include <Eigen/QR>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/dense/lapack.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/symmetric_eigen.h"

namespace mercer {

namespace blas {

std::mutex& blas_mutex() {
    static std::mutex open;
    return open;
}
bool& blas_access::allowed() {
    thread_local bool in = false;
    return in;
}
int checked_square(const matrix<double>& a, const char* owner) {
    if (a.rows() != a.cols())
        fail(errc::invalid_argument, std::string(owner) + ": the matrix must be square, got " +
                                         std::to_string(a.rows()) + " × " + std::to_string(a.cols()));
    require_finite(a.view(), owner);
    return static_cast<int>(a.rows());
}
int count_possible_callers(int wanted) { return wanted; }
void require_buffer() {}
blas_threads::blas_threads(double) : before_(1) {}
blas_threads::~blas_threads() = default;

}  // namespace blas

eigen_system symmetric_eigen(matrix<double> a, eigen_parts wanted) {
    const int n = blas::checked_square(a, "eigendecomposition");
    eigen_system found;
    found.values.resize(static_cast<std::size_t>(n));
    if (n == 0) return found;
    const bool vectors = wanted == eigen_parts::values_and_vectors;
    const Eigen::Map<const Eigen::MatrixXd> whole(a.data(), n, n);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
        whole, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
    if (solver.info() != Eigen::Success)
        fail(errc::data, "eigendecomposition: did not converge on a matrix of " + std::to_string(n) + " rows");
    Eigen::Map<Eigen::VectorXd>(found.values.data(), n) = solver.eigenvalues();
    if (vectors) {
        found.vectors = matrix<double>(n, n);
        Eigen::Map<Eigen::MatrixXd>(found.vectors.data(), n, n) = solver.eigenvectors();
    }
    return found;
}

}  // namespace mercer

namespace {

using size = std::size_t;  // the length of a character argument
template <class T>
using dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using map = Eigen::Map<std::conditional_t<std::is_const_v<T>, const dense<std::remove_const_t<T>>, dense<T>>, 0,
                       Eigen::OuterStride<>>;
template <class T>
map<T> view(T* a, int rows, int cols, int stride) {
    return map<T>(a, rows, cols, Eigen::OuterStride<>(stride));
}
bool is(const char* argument, char letter) { return *argument == letter; }
void must(bool understood) {
    if (!understood) std::abort();
}
template <class T>
constexpr bool in_double = std::is_same_v<T, double>;
template <class T>
constexpr char half = in_double<T> ? 'L' : 'U';  // the triangle in use

// Triangular solves. In float only from the left.
template <class T>
void trsm(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
          const T* alpha, const T* a, const int* lda, T* b, const int* ldb) {
    constexpr auto kept = in_double<T> ? Eigen::Lower : Eigen::Upper,
                   turned = in_double<T> ? Eigen::Upper : Eigen::Lower;
    const bool left = is(side, 'L');
    must(is(uplo, half<T>) && is(diag, 'N') && (left || in_double<T>));
    const int order = left ? *m : *n;
    const auto A = view(a, order, order, *lda);
    auto B = view(b, *m, *n, *ldb);
    if (*alpha != 1) B *= *alpha;
    const auto solve = [&](const auto& triangle) {
        if constexpr (in_double<T>)
            if (!left) return triangle.template solveInPlace<Eigen::OnTheRight>(B);
        triangle.solveInPlace(B);
    };
    if (is(trans, 'T'))
        solve(A.transpose().template triangularView<turned>());
    else
        solve(A.template triangularView<kept>());
}

template <class T>
void potrf(const char* uplo, const int* n, T* a, const int* lda, int* info) {
    must(is(uplo, half<T>));
    auto A = view(a, *n, *n, *lda);
    *info = static_cast<int>(Eigen::internal::llt_inplace < T,
                             in_double<T> ? Eigen::Lower : Eigen::Upper > ::blocked(A) + 1);
}

// The vectors of the reflectors, which are stored below the diagonal of `v`; the first number of each is 1.
auto reflectors(const double* v, const double* tau, int rows, int count, int ldv) {
    Eigen::MatrixXd V = view(v, rows, count, ldv);
    V.triangularView<Eigen::StrictlyUpper>().setZero();
    V.diagonal().setOnes();
    return std::pair(std::move(V), Eigen::Map<const Eigen::VectorXd>(tau, count));
}

// T with H₁H₂… = I - VTVᵀ.
Eigen::MatrixXd block_factor(const Eigen::MatrixXd& V, const Eigen::Map<const Eigen::VectorXd>& tau) {
    const auto count = V.cols();
    Eigen::MatrixXd T = Eigen::MatrixXd::Zero(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        T(i, i) = tau[i];
        const Eigen::VectorXd inner = V.leftCols(i).transpose() * V.col(i);
        T.col(i).head(i) = T.topLeftCorner(i, i) * (-tau[i] * inner);
    }
    return T;
}

// C ← (I - VTVᵀ)C, or its transpose times C.
void reflect(const Eigen::MatrixXd& V, const Eigen::MatrixXd& T, bool turned, map<double> C) {
    const Eigen::MatrixXd inner = V.transpose() * C;
    C.noalias() -= V * (turned ? Eigen::MatrixXd(T.transpose() * inner) : Eigen::MatrixXd(T * inner));
}

}  // namespace

extern "C" {

void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int*, const double* beta, double* y, const int*, size) {
    const bool turned = is(trans, 'T');
    const auto A = view(a, *m, *n, *lda);
    const Eigen::Map<const Eigen::VectorXd> X(x, turned ? *m : *n);
    Eigen::Map<Eigen::VectorXd> Y(y, turned ? *n : *m);
    must(*beta == 1);
    if (turned)
        Y.noalias() += *alpha * A.transpose() * X;
    else
        Y.noalias() += *alpha * A * X;
}
void dsymm_(const char* side, const char* uplo, const int* m, const int* n, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc, size,
            size) {
    must(is(side, 'L') && is(uplo, 'L') && *beta == 0);
    auto C = view(c, *m, *n, *ldc);
    C.setZero();
    C.noalias() += *alpha * view(a, *m, *m, *lda).selfadjointView<Eigen::Lower>() * view(b, *m, *n, *ldb);
}
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, size, size, size, size) {
    trsm(side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}
void strsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const float* alpha, const float* a, const int* lda, float* b, const int* ldb, size, size, size, size) {
    trsm(side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}
void strsv_(const char* uplo, const char* trans, const char* diag, const int* n, const float* a, const int* lda,
            float* x, const int*, size, size, size) {
    const int one = 1;
    const float scale = 1;
    trsm("L", uplo, trans, diag, n, &one, &scale, a, lda, x, n);
}
void dtrmm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, size, size, size, size) {
    must(is(side, 'L') && is(uplo, 'L') && is(trans, 'N') && is(diag, 'N'));
    auto B = view(b, *m, *n, *ldb);
    const dense<double> product = view(a, *m, *m, *lda).triangularView<Eigen::Lower>() * B;
    B = *alpha * product;
}
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, size) {
    potrf(uplo, n, a, lda, info);
}
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info, size) {
    potrf(uplo, n, a, lda, info);
}
void dpotrs_(const char* uplo, const int* n, const int* count, const double* a, const int* lda, double* b,
             const int* ldb, int* info, size) {
    const double one = 1;
    trsm("L", uplo, "N", "N", n, count, &one, a, lda, b, ldb);
    trsm("L", uplo, "T", "N", n, count, &one, a, lda, b, ldb);
    *info = 0;
}
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info, size, size) {
    auto A = view(a, *n, *n, *lda);
    dense<double> inverse = dense<double>::Identity(*n, *n);
    const double one = 1;
    trsm("L", uplo, "N", diag, n, n, &one, static_cast<const double*>(a), lda, inverse.data(), n);
    A.triangularView<Eigen::Lower>() = inverse;
    *info = 0;
}
// Cholesky decomposition with the largest remaining diagonal entry as pivot; it ends at a pivot <= tol.
void dpstrf_(const char* uplo, const int* n, double* a, const int* lda, int* pivot, int* rank, const double* tol,
             double*, int* info, size) {
    auto A = view(a, *n, *n, *lda);
    must(is(uplo, 'L'));
    dense<double> S = A.selfadjointView<Eigen::Lower>();
    dense<double> L = dense<double>::Zero(*n, *n);
    for (int i = 0; i < *n; ++i) pivot[i] = i + 1;
    *info = 1;
    int k = 0;
    for (; k < *n; ++k) {
        Eigen::Index best = 0;
        const double largest = S.diagonal().tail(*n - k).maxCoeff(&best);
        if (!(largest > *tol)) break;
        const int p = k + static_cast<int>(best);
        if (p != k) {
            S.row(k).swap(S.row(p)), S.col(k).swap(S.col(p)), L.row(k).swap(L.row(p));
            std::swap(pivot[k], pivot[p]);
        }
        const int rest = *n - k - 1;
        L(k, k) = std::sqrt(S(k, k));
        L.col(k).tail(rest) = S.col(k).tail(rest) / L(k, k);
        S.bottomRightCorner(rest, rest).noalias() -= L.col(k).tail(rest) * L.col(k).tail(rest).transpose();
    }
    if (k == *n) *info = 0;
    *rank = k;
    A.triangularView<Eigen::Lower>() = L;
}

void dlarft_(const char*, const char*, const int* rows, const int* count, const double* v, const int* ldv,
             const double* tau, double* t, const int* ldt, size, size) {
    const auto [V, each] = reflectors(v, tau, *rows, *count, *ldv);
    view(t, *count, *count, *ldt) = block_factor(V, each);
}
void dlarfb_(const char*, const char* trans, const char*, const char*, const int* m, const int* n, const int* k,
             const double* v, const int* ldv, const double* t, const int* ldt, double* c, const int* ldc, double*,
             const int*, size, size, size, size) {
    const std::vector<double> unused(static_cast<std::size_t>(*k));
    const auto [V, each] = reflectors(v, unused.data(), *m, *k, *ldv);
    const Eigen::MatrixXd T = view(t, *k, *k, *ldt).triangularView<Eigen::Upper>();
    reflect(V, T, is(trans, 'T'), view(c, *m, *n, *ldc));
}
void dormqr_(const char*, const char* trans, const int* m, const int* n, const int* k, const double* a, const int* lda,
             const double* tau, double* c, const int* ldc, double*, const int*, int* info, size, size) {
    Eigen::MatrixXd T(*k, *k);
    dlarft_("F", "C", m, k, a, lda, tau, T.data(), k, 1, 1);
    dlarfb_("L", trans, "F", "C", m, n, k, a, lda, T.data(), k, c, ldc, nullptr, n, 1, 1, 1, 1);
    *info = 0;
}
// A = QBQᵀ with a band matrix B of kd subdiagonals. For each panel, the part below the band is reduced by a QR
// decomposition, and its reflectors are applied to the rest of the matrix from both sides.
void dsytrd_sy2sb_(const char*, const int* n, const int* kd, double* a, const int* lda, double* ab, const int* ldab,
                   double* tau, double* work, const int* lwork, int* info, size) {
    *info = 0;
    if (*lwork < 0) {
        *work = 1;
        return;
    }
    auto A = view(a, *n, *n, *lda);
    auto B = view(ab, *kd + 1, *n, *ldab);
    const auto keep = [&](int j) {
        const int length = std::min(*kd, *n - 1 - j) + 1;
        B.col(j).head(length) = A.col(j).segment(j, length);
    };
    for (int i = 0; i < *n - *kd; i += *kd) {
        const int rows = *n - i - *kd, count = std::min(rows, *kd);
        auto panel = A.block(i + *kd, i, rows, *kd);
        Eigen::MatrixXd turned = panel;
        Eigen::Map<Eigen::VectorXd> scales(tau + i, count);
        Eigen::internal::householder_qr_inplace_unblocked(turned, scales);
        panel = turned;
        for (int j = i; j < i + count; ++j) keep(j);
        auto rest = A.block(i + *kd, i + *kd, rows, rows);
        Eigen::MatrixXd whole = rest.selfadjointView<Eigen::Lower>();
        const auto [V, each] = reflectors(turned.data(), tau + i, rows, count, rows);
        const Eigen::MatrixXd T = block_factor(V, each);
        reflect(V, T, true, view(whole.data(), rows, rows, rows));
        whole.transposeInPlace();
        reflect(V, T, true, view(whole.data(), rows, rows, rows));  // symmetric again
        rest.triangularView<Eigen::Lower>() = whole;
    }
    for (int j = *n - *kd; j < *n; ++j) keep(j);
}
}
