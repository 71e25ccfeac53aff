// The equations of a Newton step (solve_representer.h, solve_softmax.h) where K is multiplied by and not decomposed:
// for n × C numbers, C functions at once,
//
//     (λI + D'K)X = -R,     D' = S Q S
//
// with a diagonal S >= 0 and an orthogonal projection Q: what the best offsets take out of the curvature, and for
// several classes that their probabilities sum to one. With X = X₀ + S U, X₀ = -(R - S Q S⁺R)/λ what Q does not see,
//
//     (λI + Q S K S Q)U = -Q S⁺R - Q S K X₀,
//
// symmetric and positive definite, by conjugate gradients. One product with K a step gives KX as well. The
// preconditioner has FFᵀ ≈ K from randomly pivoted Cholesky (Díaz, Epperly, Frangella, Tropp, Webber 2023) in the place
// of K and T, the root of D's own diagonal, in that of S Q, each function by itself, by Woodbury's identity with G = T
// F:
//
//     Q(λI + GGᵀ)⁻¹Q,     (λI + GGᵀ)⁻¹ = (I - G(λI + GᵀG)⁻¹Gᵀ)/λ.
//
// They end where the residual E = -R - (λI + D'K)X has tr(EᵀKE) <= goal, K there being FFᵀ + diag(K - FFᵀ).
//
// Where F is all of K, as of a linear kernel, v = FᵀX has equations of its own, without K,
//
//     (λI + FᵀS Q S F)v = -FᵀR,     X = F(FᵀF)⁻¹v,  KX = Fv,
//
// with the same λI + GᵀG as preconditioner. X is then the smallest that has this KX: the one above also solves for what
// K does not see of R, and of a linear kernel on unscaled data Kα was then little but rounding.
//
// For few examples that are not of low rank plain conjugate gradients in the inner product tr(XᵀKZ), in which λI + D'K
// is symmetric, take less time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"
#include "mercer/dense/lanczos.h"
#include "mercer/gram/gram.h"

namespace mercer {

struct newton_step {
    matrix<double> x, Kx;
};

class newton_equations {
public:
    // F takes at most a third of `memory_bytes`; it preconditions from `many` examples on.
    newton_equations(const gram<double>& K, double lambda, std::size_t memory_bytes, index many = 2000)
        : K_(K), lambda_(lambda), memory_bytes_(memory_bytes), many_(many) {}

    // Q, in place
    using projection = std::function<void(matrix<double>&)>;
    using product = std::function<matrix<double>(const matrix<double>&)>;
    // `multiply` is K·v as the caller counts it; KR is known. `go_on` is asked before every product; where it says no,
    // or where K is found not to be positive, the step so far is returned.
    newton_step solve(const matrix<double>& S, const matrix<double>& T, const projection& Q, const matrix<double>& R,
                      const matrix<double>& KR, double goal, const product& multiply,
                      const std::function<bool()>& go_on);

    // What rounding may make of tr(RᵀKR), which is not negative for a K that is a kernel matrix.
    double rounding(const matrix<double>& R) const;

private:
    newton_step preconditioned(const matrix<double>& S, const matrix<double>& T, const projection& Q,
                               const matrix<double>& R, double goal, const product& multiply,
                               const std::function<bool()>& go_on);
    newton_step plain(const matrix<double>& S, const projection& Q, const matrix<double>& R, const matrix<double>& KR,
                      double goal, const product& multiply, const std::function<bool()>& go_on) const;
    // By F alone; nothing where FᵀF is singular.
    std::optional<newton_step> low_rank(const matrix<double>& S, const projection& Q, const matrix<double>& R,
                                        double goal);
    void factor(index functions);
    bool weigh(const matrix<double>& T);  // false where rounding leaves λI + GᵀG no longer positive definite
    // z ← (λI + GGᵀ)⁻¹r
    void precondition(const matrix<double>& T, const matrix<double>& r, matrix<double>& z) const;
    double square(const matrix<double>& E) const;  // tr(EᵀKE), nearly

    const gram<double>& K_;
    double lambda_;
    std::size_t memory_bytes_;
    index many_;
    bool made_ = false, whole_ = false;
    matrix<double> f_;                   // F
    std::vector<double> left_;           // diag(K - FFᵀ)
    std::vector<matrix<double>> inner_;  // of each function, the factor of λI + GᵀG
};

// (K + D)x = b for a positive semidefinite K that is only multiplied by, a diagonal D > 0 and several right-hand sides
// b, which share D or have one each: the equations of kernel ridge regression without n² numbers in memory.
//
// Conjugate gradients, each column its own and all in one product a step, preconditioned by P = FFᵀ + D with FFᵀ ≈ K
// from randomly pivoted Cholesky of rank r (Díaz, Epperly, Frangella, Tropp, Webber 2023): where the eigenvalues of K
// beyond the r-th are of the size of D, a number of steps that does not grow with n. P⁻¹ by Woodbury's identity,
//     P⁻¹ = D⁻¹ - D⁻¹F(I + FᵀD⁻¹F)⁻¹FᵀD⁻¹.
// Ends when ‖b - (K + D)x‖ <= tol·‖b‖ for every right-hand side, multiplied out afresh in double; where the recurrence
// had promised more than that, it starts again from the true residual.

struct ridge_cg_options {
    double tol = 1e-10;
    index max_iter = 1000;                                            // products with K
    std::function<bool(index products, double residual)> progress{};  // false: stop and keep what there is
    // What is needed to go on, after every product; and such a state to start from, with the bits of a solution that
    // was never interrupted.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
};

struct ridge_cg_result {
    fit_status status = fit_status::step_limit;
    index products = 0;
    // ‖b - (K + D)x‖/‖b‖ of each right-hand side: measured, or the recurrence's where a stop ended the measurement.
    std::vector<double> residuals;
};

// `multiply` is out = K·v. Every row of b is a right-hand side and becomes its solution. d: the diagonal of D, a row
// for each right-hand side or one row for all of them. factor: F, n × r.
ridge_cg_result ridge_cg(const block_operator& multiply, matrix_view<const double> d, matrix_view<const double> factor,
                         matrix_view<double> b, const ridge_cg_options& options);

// Sums over all numbers of two matrices of one size, for iterations whose vectors are n × C. The library's own use.
namespace block_vectors {

inline double dot(const matrix<double>& a, const matrix<double>& b) {
    double sum = 0;
    for (index k = 0; k < a.rows() * a.cols(); ++k) sum += a.data()[k] * b.data()[k];
    return sum;
}

// a ← a + t·b
inline void add(matrix<double>& a, double t, const matrix<double>& b) {
    for (index k = 0; k < a.rows() * a.cols(); ++k) a.data()[k] += t * b.data()[k];
}

}  // namespace block_vectors

}  // namespace mercer
