// The routines of BLAS and LAPACK that solvers/algebra calls, by Eigen, for places that have neither. Matrices are
// Fortran's, column by column; only the arguments that are really used are understood.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Householder>
#include <Eigen/QR>
#include <cmath>
#include <cstddef>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/solvers/algebra/blas_turn.h"
#include "mercer/solvers/algebra/dense_algebra.h"

namespace mercer {

namespace blas {

std::mutex& gate() {
    static std::mutex open;
    return open;
}
int checked_square(const matrix<double>& a, const char* owner) {
    if (a.rows() != a.cols())
        fail(errc::invalid_argument, std::string(owner) + ": the matrix must be square, got " +
                                         std::to_string(a.rows()) + " × " + std::to_string(a.cols()));
    require_finite(a.view(), owner);
    return static_cast<int>(a.rows());
}
threads_for::threads_for(double) : before_(1) {}
threads_for::~threads_for() = default;

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

template <class T>
void gemm(const char* ta, const char* tb, const int* m, const int* n, const int* k, const T* alpha, const T* a,
          const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {
    const bool turn_a = is(ta, 'T'), turn_b = is(tb, 'T');
    const auto A = view(a, turn_a ? *k : *m, turn_a ? *m : *k, *lda);
    const auto B = view(b, turn_b ? *n : *k, turn_b ? *k : *n, *ldb);
    auto C = view(c, *m, *n, *ldc);
    if (*beta == 0)
        C.setZero();
    else
        C *= *beta;
    if (turn_a && turn_b)
        C.noalias() += *alpha * A.transpose() * B.transpose();
    else if (turn_a)
        C.noalias() += *alpha * A.transpose() * B;
    else if (turn_b)
        C.noalias() += *alpha * A * B.transpose();
    else
        C.noalias() += *alpha * A * B;
}

template <class T>
void syrk(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha, const T* a, const int* lda,
          const T* beta, T* c, const int* ldc) {
    const bool turned = is(trans, 'T'), lower = is(uplo, 'L');
    const auto A = view(a, turned ? *k : *n, turned ? *n : *k, *lda);
    auto C = view(c, *n, *n, *ldc);
    const dense<T> product = turned ? dense<T>(A.transpose() * A) : dense<T>(A * A.transpose());
    for (int j = 0; j < *n; ++j)
        for (int i = lower ? j : 0; i < (lower ? *n : j + 1); ++i)
            C(i, j) = *alpha * product(i, j) + (*beta == 0 ? T(0) : *beta * C(i, j));
}

// visit(op(A) as a triangular view)
template <class T, class Visit>
void triangular(const char* uplo, const char* trans, const char* diag, const map<const T>& A, Visit visit) {
    const bool turned = is(trans, 'T'), unit = is(diag, 'U'), lower = is(uplo, 'L') != turned;
    const auto with = [&](const auto& op) {
        if (unit)
            lower ? visit(op.template triangularView<Eigen::UnitLower>())
                  : visit(op.template triangularView<Eigen::UnitUpper>());
        else
            lower ? visit(op.template triangularView<Eigen::Lower>())
                  : visit(op.template triangularView<Eigen::Upper>());
    };
    turned ? with(A.transpose()) : with(A);
}

template <class T>
void trsm(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
          const T* alpha, const T* a, const int* lda, T* b, const int* ldb) {
    const bool left = is(side, 'L');
    const int order = left ? *m : *n;
    auto B = view(b, *m, *n, *ldb);
    if (*alpha != 1) B *= *alpha;
    triangular<T>(uplo, trans, diag, view(a, order, order, *lda), [&](const auto& A) {
        if (left)
            A.solveInPlace(B);
        else
            A.template solveInPlace<Eigen::OnTheRight>(B);
    });
}

template <class T>
void potrf(const char* uplo, const int* n, T* a, const int* lda, int* info) {
    auto A = view(a, *n, *n, *lda);
    const Eigen::Index failed = is(uplo, 'L') ? Eigen::internal::llt_inplace<T, Eigen::Lower>::blocked(A)
                                              : Eigen::internal::llt_inplace<T, Eigen::Upper>::blocked(A);
    *info = static_cast<int>(failed + 1);
}

// The reflectors below the diagonal of `v`, the first number of each 1.
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

}  // namespace

extern "C" {

void dgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc, size, size) {
    gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc,
            size, size) {
    gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int*, const double* beta, double* y, const int*, size) {
    const int one = 1, from = is(trans, 'T') ? *m : *n, to = is(trans, 'T') ? *n : *m;
    gemm(trans, "N", &to, &one, &from, alpha, a, lda, x, &from, beta, y, &to);
}
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc, size, size) {
    syrk(uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}
void ssyrk_(const char* uplo, const char* trans, const int* n, const int* k, const float* alpha, const float* a,
            const int* lda, const float* beta, float* c, const int* ldc, size, size) {
    syrk(uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}
void dsymm_(const char* side, const char* uplo, const int* m, const int* n, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc, size,
            size) {
    const int order = is(side, 'L') ? *m : *n;
    const auto A = view(a, order, order, *lda);
    const dense<double> whole = is(uplo, 'L') ? dense<double>(A.selfadjointView<Eigen::Lower>())
                                              : dense<double>(A.selfadjointView<Eigen::Upper>());
    if (is(side, 'L'))
        gemm("N", "N", m, n, m, alpha, whole.data(), m, b, ldb, beta, c, ldc);
    else
        gemm("N", "N", m, n, n, alpha, b, ldb, whole.data(), n, beta, c, ldc);
}
void dsymv_(const char* uplo, const int* n, const double* alpha, const double* a, const int* lda, const double* x,
            const int*, const double* beta, double* y, const int*, size) {
    const int one = 1;
    dsymm_("L", uplo, n, &one, alpha, a, lda, x, n, beta, y, n, 1, 1);
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
    const bool left = is(side, 'L');
    const int order = left ? *m : *n;
    auto B = view(b, *m, *n, *ldb);
    triangular<double>(uplo, trans, diag, view(a, order, order, *lda), [&](const auto& A) {
        const dense<double> product = left ? dense<double>(A * B) : dense<double>(B * A);
        B = *alpha * product;
    });
}
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, size) {
    potrf(uplo, n, a, lda, info);
}
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info, size) {
    potrf(uplo, n, a, lda, info);
}
void dpotrs_(const char* uplo, const int* n, const int* count, const double* a, const int* lda, double* b,
             const int* ldb, int* info, size) {
    const bool lower = is(uplo, 'L');
    const double one = 1;
    trsm("L", uplo, lower ? "N" : "T", "N", n, count, &one, a, lda, b, ldb);
    trsm("L", uplo, lower ? "T" : "N", "N", n, count, &one, a, lda, b, ldb);
    *info = 0;
}
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info, size, size) {
    auto A = view(a, *n, *n, *lda);
    dense<double> inverse = dense<double>::Identity(*n, *n);
    const double one = 1;
    trsm("L", uplo, "N", diag, n, n, &one, static_cast<const double*>(a), lda, inverse.data(), n);
    if (is(uplo, 'L'))
        A.triangularView<Eigen::Lower>() = inverse;
    else
        A.triangularView<Eigen::Upper>() = inverse;
    *info = 0;
}
// Cholesky with the largest remaining diagonal entry as pivot; ended at one <= tol, 0 < tol.
void dpstrf_(const char* uplo, const int* n, double* a, const int* lda, int* pivot, int* rank, const double* tol,
             double*, int* info, size) {
    auto A = view(a, *n, *n, *lda);
    const bool lower = is(uplo, 'L');
    dense<double> S =
        lower ? dense<double>(A.selfadjointView<Eigen::Lower>()) : dense<double>(A.selfadjointView<Eigen::Upper>());
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
    if (lower)
        A.triangularView<Eigen::Lower>() = L;
    else
        A.triangularView<Eigen::Upper>() = L.transpose();
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
    auto C = view(c, *m, *n, *ldc);
    const Eigen::MatrixXd inner = V.transpose() * C;
    C.noalias() -= V * (is(trans, 'T') ? Eigen::MatrixXd(T.transpose() * inner) : Eigen::MatrixXd(T * inner));
}
void dormqr_(const char*, const char* trans, const int* m, const int* n, const int* k, const double* a, const int* lda,
             const double* tau, double* c, const int* ldc, double*, const int*, int* info, size, size) {
    Eigen::MatrixXd T(*k, *k);
    dlarft_("F", "C", m, k, a, lda, tau, T.data(), k, 1, 1);
    dlarfb_("L", trans, "F", "C", m, n, k, a, lda, T.data(), k, c, ldc, nullptr, n, 1, 1, 1, 1);
    *info = 0;
}
// A = QBQᵀ with B of kd diagonals below the main one, panel by panel: QR of what stands below the band, then both sides
// of the rest turned.
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
        Eigen::HouseholderQR<Eigen::MatrixXd> qr{Eigen::MatrixXd(panel)};
        panel = qr.matrixQR();
        Eigen::Map<Eigen::VectorXd>(tau + i, count) = qr.hCoeffs().head(count);
        for (int j = i; j < i + count; ++j) keep(j);
        auto rest = A.block(i + *kd, i + *kd, rows, rows);
        Eigen::MatrixXd whole = rest.selfadjointView<Eigen::Lower>();
        whole.applyOnTheLeft(qr.householderQ().adjoint());
        whole.applyOnTheRight(qr.householderQ());
        rest.triangularView<Eigen::Lower>() = whole;
    }
    for (int j = *n - *kd; j < *n; ++j) keep(j);
}
}
